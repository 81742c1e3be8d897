//! The report as Markdown tables.

use std::fmt::{self, Display, Write};
use std::time::Duration;

use super::SelectReport;
use crate::campaign::ContenderResult;
use crate::metrics::classes::GOLD_CLASSES;
use crate::metrics::{BudgetFigures, SeedSpread, TrialFigures};
use crate::numbers::{ratio, to_f64};
use crate::trial::{TrialPace, TrialStart};

/// The whole report as a page of Markdown.
#[must_use]
pub fn page(report: &SelectReport<'_>) -> String {
    let mut page = String::new();
    write_page(report, &mut page).expect("writing to a string does not fail");
    page
}

fn write_page(report: &SelectReport<'_>, page: &mut String) -> fmt::Result {
    writeln!(page, "# {}\n\nMade by `{}`.\n", report.title, report.command)?;
    write_protocol(report, page)?;
    write_harvest(report, page)?;
    if matches!(report.campaign.trial.pace, TrialPace::Polite { .. }) {
        write_over_time(report, page)?;
    }
    write_by_host(report, page)?;
    write_final(report, page)?;
    write_calibration(report, page)?;
    write_classes(report, page)
}

fn write_protocol(report: &SelectReport<'_>, page: &mut String) -> fmt::Result {
    let (trial, reach) = (&report.campaign.trial, &report.baseline.reach);
    let start = match &trial.start {
        TrialStart::Seeds => format!("{} seeds", report.campaign.web.seeds.len()),
        TrialStart::SeedsAndEntries => {
            format!("{} seeds and {} entry pages", report.campaign.web.seeds.len(), report.campaign.web.entries.len())
        }
        TrialStart::Uris(uris) => format!("{} URIs", uris.len()),
    };
    writeln!(
        page,
        "**Protocol.** The real engine on a recorded web, replayed in process, from {start}. A GET costs 1, a redirect 1, \
         a HEAD 0.2 (1 if the response is a redirect); robots.txt is free, {}, and counted separately.{} {} URLs with \
         binary extensions are excluded. Labels are those of the manifest, not of the crawler; og-only counts as no RDF \
         unless stated otherwise. {}{} A budget is a share of the reachable documents, counted in requests. AUC is the \
         area under recall over requests up to the number of reachable documents, divided by that of a greedy oracle, \
         which fetches a known RDF document if there is one and otherwise follows the shortest path to one. Figures are \
         means over {} seeds, ± their standard deviation; the seed also shuffles the start.\n",
        if trial.obeys_robots { "obeyed" } else { "not obeyed (as in the simulation of the study)" },
        report.reading_note,
        if trial.counts_misses {
            "Links to pages outside of the recording are queued, and cost a request each that returns nothing."
        } else {
            "A link to a page outside of the recording is not queued and costs nothing; the target of such a redirect is ignored."
        },
        match trial.pace {
            TrialPace::AsFastAsPossible => "Delay 0, one request at a time.".to_owned(),
            TrialPace::Polite { delay, latency, concurrency, .. } => format!(
                "In virtual time: {} s between two requests to a domain, {} ms per response, {concurrency} concurrent requests.",
                delay.as_secs_f64(),
                latency.as_millis()
            ),
        },
        trial.max_documents_per_domain.map_or_else(String::new, |max| format!(
            " At most {max} documents of a pay-level domain are fetched, also by the oracle."
        )),
        report.campaign.seeds,
    )?;
    writeln!(
        page,
        "**Reach** by all links: {} documents{}, {} with RDF ({:.1} %); {} hard, {} with RDF ({:.1} %); {} URLs including \
         redirects.\n",
        reach.documents,
        if trial.max_documents_per_domain.is_some() { " within the limit" } else { "" },
        reach.rdf,
        100.0 * ratio(reach.rdf, reach.documents),
        reach.hard,
        reach.hard_rdf,
        100.0 * ratio(reach.hard_rdf, reach.hard),
        reach.urls,
    )
}

fn write_harvest(report: &SelectReport<'_>, page: &mut String) -> fmt::Result {
    writeln!(
        page,
        "## Harvest\n\nRDF share of fetched documents / of fetched hard documents / recall of reachable RDF documents.\n"
    )?;
    let columns = budget_names(report).chain(["AUC".to_owned()]);
    write_table(page, columns, report.entries, |entry| {
        let cells = per_budget(report, |index| {
            let share = format_at_budget(entry, index, |at| at.counts.share());
            let hard = format_at_budget(entry, index, |at| at.counts.hard_share());
            format!("{share}/{hard}/{}", format_at_budget(entry, index, |at| at.recall))
        });
        cells.into_iter().chain([format_spread(entry.spread(|figures| figures.auc))]).collect()
    })
}

fn write_by_host(report: &SelectReport<'_>, page: &mut String) -> fmt::Result {
    writeln!(
        page,
        "## Hard documents with og-only as RDF, equally weighted hosts, and mixed hosts\n\nog: RDF share of fetched hard \
         documents, og-only counted as RDF. By host: means over hosts of their RDF share / hard RDF share / recall. Mixed \
         hosts (10–90 % of the hard documents have RDF): RDF share of fetched hard documents / recall of hard RDF. The AUC \
         by host is the area under the mean recall of hosts, where 1 is complete recall at once; no strategy optimises it.\n"
    )?;
    let of_each = |what: &'static str| budget_names(report).map(move |budget| format!("{what} {budget}"));
    let columns = of_each("og").chain(of_each("by host")).chain(["AUC by host".to_owned()]).chain(of_each("mixed"));
    write_table(page, columns, report.entries, |entry| {
        let og = per_budget(report, |index| format_at_budget(entry, index, |at| at.counts.hard_share_with_og()));
        let by_host = per_budget(report, |index| {
            let share = format_at_budget(entry, index, |at| at.share_by_host);
            let hard = format_at_budget(entry, index, |at| at.hard_share_by_host);
            format!("{share}/{hard}/{}", format_at_budget(entry, index, |at| at.recall_by_host))
        });
        let mixed = per_budget(report, |index| {
            let share = format_at_budget(entry, index, |at| at.mixed.hard_share());
            format!("{share}/{}", format_at_budget(entry, index, |at| at.mixed_recall))
        });
        let auc = format_spread(entry.spread(|figures| figures.auc_by_host));
        og.into_iter().chain(by_host).chain([auc]).chain(mixed).collect()
    })
}

/// Column heads of the table at the end of the crawls.
const FINAL_COLUMNS: [&str; 12] = [
    "requests",
    "documents",
    "RDF share",
    "hard share",
    "hard, og as RDF",
    "recall",
    "HEAD",
    "redirects",
    "misses",
    "robots.txt",
    "skipped",
    "µs per URI",
];

fn write_final(report: &SelectReport<'_>, page: &mut String) -> fmt::Result {
    writeln!(
        page,
        "## {}\n\nThe time is that spent in the strategy for queueing, judging, learning and scoring, per queued URI, in \
         wall-clock time: parallel trials increase it.\n",
        if report.campaign.trial.budget.is_some() { "When the budget was spent" } else { "When no URI was left" }
    )?;
    write_table(page, FINAL_COLUMNS.map(str::to_owned).into_iter(), report.entries, |entry| {
        let whole = |figure: &dyn Fn(&TrialFigures) -> f64| format!("{:.0}", entry.spread(figure).mean);
        let part = |figure: &dyn Fn(&TrialFigures) -> f64| format_spread(entry.spread(figure));
        vec![
            whole(&|figures| figures.end.requests),
            whole(&|figures| to_f64(figures.end.counts.documents)),
            part(&|figures| figures.end.counts.share()),
            part(&|figures| figures.end.counts.hard_share()),
            part(&|figures| figures.end.counts.hard_share_with_og()),
            part(&|figures| figures.end.recall),
            whole(&|figures| to_f64(figures.heads)),
            whole(&|figures| to_f64(figures.redirects)),
            whole(&|figures| to_f64(figures.misses)),
            whole(&|figures| u64_to_f64(figures.robots)),
            whole(&|figures| u64_to_f64(figures.skipped)),
            format!("{:.1}", entry.spread(|figures| figures.time_per_uri.as_secs_f64() * 1e6).mean),
        ]
    })
}

/// Writes the number of RDF documents fetched by certain times.
fn write_over_time(report: &SelectReport<'_>, page: &mut String) -> fmt::Result {
    const MINUTES: [u64; 8] = [1, 2, 5, 10, 20, 30, 60, 120];
    writeln!(page, "## Over time\n\nRDF documents after this many minutes.\n")?;
    let columns = MINUTES.iter().map(|minutes| format!("{minutes} min"));
    // The oracle is left out, because its requests have no times.
    let timed = report.entries.iter().filter(|entry| entry.contender.name != "oracle");
    write_table(page, columns, timed, |entry| {
        let cell = |minutes: &u64| {
            let until = Duration::from_secs(minutes * 60);
            let rdf = entry.spread(|figures| to_f64(figures.rdf_times.partition_point(|time| *time <= until)));
            format!("{:.0} ±{:.0}", rdf.mean, rdf.deviation)
        };
        MINUTES.iter().map(cell).collect()
    })
}

fn write_calibration(report: &SelectReport<'_>, page: &mut String) -> fmt::Result {
    let predicting: Vec<&ContenderResult> = report
        .entries
        .iter()
        .filter(|entry| entry.figures.first().is_some_and(|figures| figures.calibration.is_some()))
        .collect();
    if predicting.is_empty() {
        return Ok(());
    }
    writeln!(
        page,
        "## Predicted probabilities\n\nOf fetched documents, seed 0: Brier score, and that of always predicting the share \
         of RDF; and, for predictions of 0–.1, .1–.2 and so on, mean prediction → share with RDF (number of \
         predictions).\n"
    )?;
    let bins = (0..10_u32).map(|bin| format!(".{bin}"));
    let columns = ["Brier", "of the share"].map(str::to_owned).into_iter().chain(bins);
    write_table(page, columns, predicting, |entry| {
        let Some(calibration) = entry.figures.first().and_then(|figures| figures.calibration) else {
            return Vec::new();
        };
        let bins = calibration.bins.iter().map(|bin| {
            let cell =
                |(predicted, rdf)| format!("{}→{} ({})", format_share(predicted), format_share(rdf), bin.predictions);
            bin.point().map_or_else(String::new, cell)
        });
        [format_share(calibration.brier), format_share(calibration.brier_of_share)].into_iter().chain(bins).collect()
    })
}

fn write_classes(report: &SelectReport<'_>, page: &mut String) -> fmt::Result {
    for entry in report.entries {
        let Some(classes) = entry.figures.first().and_then(|figures| figures.classes.as_ref()) else { continue };
        writeln!(
            page,
            "## Classes of `{}`\n\nPredicted class and gold class of fetched documents other than seeds, seed 0. Gold HR \
             includes pages with embedded RDF.\n",
            entry.contender.name
        )?;
        let gold = GOLD_CLASSES.map(|class| format!("gold {}", class.name()));
        let columns = ["documents".to_owned()].into_iter().chain(gold);
        write_heading(page, "predicted", columns.chain(["precision", "RDF or HR"].map(str::to_owned)))?;
        for row in &classes.rows {
            let precision = format_share(ratio(row.correct(), row.documents()));
            let [r, hr, h, n] = row.gold;
            let useful = format_share(ratio(row.useful, row.documents()));
            writeln!(
                page,
                "| {} | {} | {r} | {hr} | {h} | {n} | {precision} | {useful} |",
                row.class.name(),
                row.documents()
            )?;
        }
        writeln!(page)?;
    }
    Ok(())
}

fn budget_names(report: &SelectReport<'_>) -> impl Iterator<Item = String> {
    report.campaign.budgets.iter().map(ToString::to_string)
}

fn per_budget(report: &SelectReport<'_>, cell: impl Fn(usize) -> String) -> Vec<String> {
    (0..report.campaign.budgets.len()).map(cell).collect()
}

fn format_at_budget(entry: &ContenderResult, index: usize, figure: impl Fn(&BudgetFigures) -> f64) -> String {
    format_share(entry.spread(|figures| figure(&figures.budgets[index])).mean)
}

/// A share with three decimals and without its leading zero: `.626`.
fn format_share(share: f64) -> String {
    let text = format!("{share:.3}");
    text.strip_prefix('0').map_or_else(|| text.clone(), str::to_owned)
}

fn format_spread(spread: SeedSpread) -> String {
    if spread.samples > 1 {
        return format!("{} ±{}", format_share(spread.mean), format_share(spread.deviation));
    }
    format_share(spread.mean)
}

#[expect(clippy::cast_precision_loss, reason = "a count of requests is below 2^52")]
fn u64_to_f64(count: u64) -> f64 {
    count as f64
}

fn write_heading(page: &mut String, first: &str, columns: impl Iterator<Item = String>) -> fmt::Result {
    let columns: Vec<String> = columns.collect();
    writeln!(page, "| {first} | {} |\n|---|{}", columns.join(" | "), "---|".repeat(columns.len()))
}

fn write_table<'a>(
    page: &mut String,
    columns: impl Iterator<Item = String>,
    entries: impl IntoIterator<Item = &'a ContenderResult>,
    cells: impl Fn(&ContenderResult) -> Vec<String>,
) -> fmt::Result {
    write_heading(page, "strategy", columns)?;
    for entry in entries {
        writeln!(page, "| {} | {} |", MarkdownCode(&entry.contender.name), cells(entry).join(" | "))?;
    }
    writeln!(page)
}

/// Formats a name as inline code in a table cell.
struct MarkdownCode<'a>(&'a str);

impl Display for MarkdownCode<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.0.replace('|', "\\|"))
    }
}
