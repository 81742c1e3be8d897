//! Tables for people.

use std::fmt::{self, Display, Write};
use std::time::Duration;

use super::Report;
use crate::campaign::Entry;
use crate::ground::to_f64;
use crate::metrics::classes::GOLD;
use crate::metrics::harvest::ratio;
use crate::metrics::{AtBudget, Figures, Spread};
use crate::trial::{Pace, Start};

/// The whole report as a page of Markdown.
#[must_use]
pub fn page(report: &Report<'_>) -> String {
    let mut page = String::new();
    write_page(report, &mut page).expect("a string takes everything");
    page
}

fn write_page(report: &Report<'_>, page: &mut String) -> fmt::Result {
    writeln!(page, "# {}\n\nMade by `{}`.\n", report.title, report.command)?;
    protocol(report, page)?;
    harvest(report, page)?;
    if matches!(report.campaign.trial.pace, Pace::Polite { .. }) {
        over_time(report, page)?;
    }
    by_host(report, page)?;
    end(report, page)?;
    calibration(report, page)?;
    classes(report, page)
}

fn protocol(report: &Report<'_>, page: &mut String) -> fmt::Result {
    let (trial, reach) = (&report.campaign.trial, &report.ground.reach);
    let start = match &trial.start {
        Start::Seeds => format!("{} seeds", report.campaign.web.seeds.len()),
        Start::SeedsAndEntries => {
            format!("{} seeds and {} entry pages", report.campaign.web.seeds.len(), report.campaign.web.entries.len())
        }
        Start::These(uris) => format!("{} addresses", uris.len()),
    };
    writeln!(
        page,
        "**Protocol.** The real engine on a recorded web, replayed in process, from {start}. A GET costs 1, a redirect 1, \
         a HEAD 0.2 (one that is answered by a redirect counts as that); robots.txt is free, {}, and counted apart.{} \
         {} Addresses with binary extensions are left out. Labels are those of the manifest, not of the crawler; og-only \
         counts as no RDF unless it says otherwise. {}{} A budget is a share of the reachable documents, counted in \
         requests. AUC is the area under recall over requests up to as many as there are reachable documents, divided by \
         that of a greedy oracle, who takes an RDF document if it knows of one and else the shortest way to one. \
         Figures are means over {} seeds, ± their standard deviation; the seed also shuffles the start.\n",
        if trial.obeys_robots { "obeyed" } else { "not obeyed (nor was it in the study's simulation)" },
        report.reading,
        if trial.counts_misses {
            "Links that lead out of the recording are offered, and cost a request each that brings nothing."
        } else {
            "A link that leads out of the recording is not offered and costs nothing; a redirect that does leads nowhere."
        },
        match trial.pace {
            Pace::AsFastAsPossible => "Delay 0, one request at a time.".to_owned(),
            Pace::Polite { delay, latency, concurrency, .. } => format!(
                "In virtual time: {} s between two requests to a domain, {} ms for an answer, {concurrency} requests at a time.",
                delay.as_secs_f64(),
                latency.as_millis()
            ),
        },
        trial.documents_per_pld_max.map_or_else(String::new, |max| format!(
            " At most {max} documents of a pay-level domain are visited, also by the oracle."
        )),
        report.campaign.seeds,
    )?;
    writeln!(
        page,
        "**Reach** by all links: {} documents{}, {} of them RDF ({:.1} %); {} hard, {} of them RDF ({:.1} %); {} addresses \
         with redirects.\n",
        reach.documents,
        if trial.documents_per_pld_max.is_some() { " under the bound" } else { "" },
        reach.rdf,
        100.0 * ratio(reach.rdf, reach.documents),
        reach.hard,
        reach.hard_rdf,
        100.0 * ratio(reach.hard_rdf, reach.hard),
        reach.addresses,
    )
}

fn harvest(report: &Report<'_>, page: &mut String) -> fmt::Result {
    writeln!(
        page,
        "## Harvest\n\nRDF share of fetched documents / of fetched hard documents / recall of reachable RDF documents.\n"
    )?;
    let columns = budgets(report).chain(["AUC".to_owned()]);
    table(page, columns, report.entries, |entry| {
        let cells = at_budgets(report, |place| {
            let share = shown(entry, place, |at| at.counts.share());
            let hard = shown(entry, place, |at| at.counts.hard_share());
            format!("{share}/{hard}/{}", shown(entry, place, |at| at.recall))
        });
        cells.into_iter().chain([spread(entry.spread(|figures| figures.auc))]).collect()
    })
}

fn by_host(report: &Report<'_>, page: &mut String) -> fmt::Result {
    writeln!(
        page,
        "## Hard documents with og-only as RDF, hosts alike, and mixed hosts\n\nog: RDF share of fetched hard documents, \
         og-only counted as RDF. Hosts alike: means over hosts of their RDF share / hard RDF share / recall. Mixed hosts \
         (10–90 % of whose hard documents hold RDF): RDF share of fetched hard documents / recall of hard RDF. The AUC by \
         host is the area under the hosts' mean recall, where 1 would be everything at once; nobody aims at it.\n"
    )?;
    let of_each = |what: &'static str| budgets(report).map(move |budget| format!("{what} {budget}"));
    let columns = of_each("og").chain(of_each("hosts alike")).chain(["AUC by host".to_owned()]).chain(of_each("mixed"));
    table(page, columns, report.entries, |entry| {
        let og = at_budgets(report, |place| shown(entry, place, |at| at.counts.hard_share_with_og()));
        let alike = at_budgets(report, |place| {
            let share = shown(entry, place, |at| at.share_by_host);
            let hard = shown(entry, place, |at| at.hard_share_by_host);
            format!("{share}/{hard}/{}", shown(entry, place, |at| at.recall_by_host))
        });
        let mixed = at_budgets(report, |place| {
            let share = shown(entry, place, |at| at.mixed.hard_share());
            format!("{share}/{}", shown(entry, place, |at| at.mixed_recall))
        });
        let auc = spread(entry.spread(|figures| figures.auc_by_host));
        og.into_iter().chain(alike).chain([auc]).chain(mixed).collect()
    })
}

fn end(report: &Report<'_>, page: &mut String) -> fmt::Result {
    writeln!(
        page,
        "## {}\n\nThe time is what the strategy took for placing, judging, learning and scoring, for each URI it placed, \
         by the clock: with several trials at a time it is too high.\n",
        if report.campaign.trial.budget.is_some() { "When the budget was used up" } else { "When nothing was left" }
    )?;
    let names = [
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
    table(page, names.map(str::to_owned).into_iter(), report.entries, |entry| {
        let whole = |figure: &dyn Fn(&Figures) -> f64| format!("{:.0}", entry.spread(figure).mean);
        let part = |figure: &dyn Fn(&Figures) -> f64| spread(entry.spread(figure));
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
            whole(&|figures| count(figures.robots)),
            whole(&|figures| count(figures.skipped)),
            format!("{:.1}", entry.spread(|figures| figures.time_per_uri.as_secs_f64() * 1e6).mean),
        ]
    })
}

/// RDF documents at equal times.
fn over_time(report: &Report<'_>, page: &mut String) -> fmt::Result {
    const MINUTES: [u64; 8] = [1, 2, 5, 10, 20, 30, 60, 120];
    writeln!(page, "## Over time\n\nRDF documents after so many minutes.\n")?;
    let columns = MINUTES.iter().map(|minutes| format!("{minutes} min"));
    // The oracle has no clock.
    let timed = report.entries.iter().filter(|entry| entry.contender.name != "oracle");
    table(page, columns, timed, |entry| {
        let had = |minutes: &u64| {
            let until = Duration::from_secs(minutes * 60);
            let rdf = entry.spread(|figures| to_f64(figures.moments.partition_point(|moment| *moment <= until)));
            format!("{:.0} ±{:.0}", rdf.mean, rdf.deviation)
        };
        MINUTES.iter().map(had).collect()
    })
}

fn calibration(report: &Report<'_>, page: &mut String) -> fmt::Result {
    let predicting: Vec<&Entry> = report
        .entries
        .iter()
        .filter(|entry| entry.figures.first().is_some_and(|figures| figures.calibration.is_some()))
        .collect();
    if predicting.is_empty() {
        return Ok(());
    }
    writeln!(
        page,
        "## Predicted probabilities\n\nOf documents that were fetched, seed 0: Brier score, beside that of predicting the \
         share of RDF every time; and, for predictions of 0–.1, .1–.2 and so on, mean prediction → share that holds RDF \
         (how many).\n"
    )?;
    let bins = (0..10_u32).map(|bin| format!(".{bin}"));
    let columns = ["Brier", "of the share"].map(str::to_owned).into_iter().chain(bins);
    table(page, columns, predicting, |entry| {
        let Some(calibration) = entry.figures.first().and_then(|figures| figures.calibration) else {
            return Vec::new();
        };
        let bins = calibration.bins.iter().map(|bin| {
            let cell = |(predicted, rdf)| format!("{}→{} ({})", short(predicted), short(rdf), bin.predictions);
            bin.point().map_or_else(String::new, cell)
        });
        [short(calibration.brier), short(calibration.brier_of_share)].into_iter().chain(bins).collect()
    })
}

fn classes(report: &Report<'_>, page: &mut String) -> fmt::Result {
    for entry in report.entries {
        let Some(classes) = entry.figures.first().and_then(|figures| figures.classes.as_ref()) else { continue };
        writeln!(
            page,
            "## Classes of `{}`\n\nPredicted class against gold class of fetched documents that were not seeds, seed 0. \
             Gold HR has pages with embedded RDF as well.\n",
            entry.contender.name
        )?;
        let gold = GOLD.map(|class| format!("gold {}", class.name()));
        let columns = ["documents".to_owned()].into_iter().chain(gold);
        heading(page, "predicted", columns.chain(["precision", "RDF or HR"].map(str::to_owned)))?;
        for row in &classes.rows {
            let precision = short(ratio(row.right(), row.documents()));
            let [r, hr, h, n] = row.gold;
            let useful = short(ratio(row.useful, row.documents()));
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

fn budgets(report: &Report<'_>) -> impl Iterator<Item = String> {
    report.campaign.budgets.iter().map(ToString::to_string)
}

fn at_budgets(report: &Report<'_>, cell: impl Fn(usize) -> String) -> Vec<String> {
    (0..report.campaign.budgets.len()).map(cell).collect()
}

fn shown(entry: &Entry, place: usize, figure: impl Fn(&AtBudget) -> f64) -> String {
    short(entry.spread(|figures| figure(&figures.budgets[place])).mean)
}

/// A share of one with three digits and no nought in front: `.626`.
fn short(share: f64) -> String {
    let text = format!("{share:.3}");
    text.strip_prefix('0').map_or_else(|| text.clone(), str::to_owned)
}

fn spread(spread: Spread) -> String {
    if spread.samples > 1 {
        return format!("{} ±{}", short(spread.mean), short(spread.deviation));
    }
    short(spread.mean)
}

#[expect(clippy::cast_precision_loss, reason = "counts of requests are small")]
fn count(count: u64) -> f64 {
    count as f64
}

fn heading(page: &mut String, first: &str, columns: impl Iterator<Item = String>) -> fmt::Result {
    let columns: Vec<String> = columns.collect();
    writeln!(page, "| {first} | {} |\n|---|{}", columns.join(" | "), "---|".repeat(columns.len()))
}

fn table<'a>(
    page: &mut String,
    columns: impl Iterator<Item = String>,
    entries: impl IntoIterator<Item = &'a Entry>,
    cells: impl Fn(&Entry) -> Vec<String>,
) -> fmt::Result {
    heading(page, "strategy", columns)?;
    for entry in entries {
        writeln!(page, "| {} | {} |", Code(&entry.contender.name), cells(entry).join(" | "))?;
    }
    writeln!(page)
}

/// A name, so that a table takes it as it is.
struct Code<'a>(&'a str);

impl Display for Code<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.0.replace('|', "\\|"))
    }
}
