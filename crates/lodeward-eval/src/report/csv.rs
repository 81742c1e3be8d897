//! Every figure, for programs: one row for each strategy, seed and figure.

use std::fmt::Write as _;

use super::Report;
use crate::ground::to_f64;
use crate::metrics::figures::CURVE_STEPS;
use crate::metrics::{AtBudget, Figures};

/// All figures and curves: `strategy,seed,figure,at,value`.
#[must_use]
pub fn rows(report: &Report<'_>) -> String {
    let mut text = String::from("strategy,seed,figure,at,value\n");
    for entry in report.entries {
        let name = quoted(&entry.contender.name);
        for (seed, figures) in entry.figures.iter().enumerate() {
            let mut row = |figure: &str, at: &str, value: f64| {
                writeln!(text, "{name},{seed},{figure},{at},{value:.6}").expect("a string takes everything");
            };
            whole(figures, &mut row);
            for (name, at) in report.campaign.budgets.iter().zip(&figures.budgets) {
                budget(at, &name.to_string(), &mut row);
            }
            budget(&figures.end, "end", &mut row);
            for (step, recall) in figures.curve.iter().enumerate() {
                let requests = report.ground.requests(to_f64(step) / to_f64(CURVE_STEPS));
                row("curve", &format!("{requests:.1}"), *recall);
            }
        }
    }
    text
}

fn whole(figures: &Figures, row: &mut impl FnMut(&str, &str, f64)) {
    row("auc", "", figures.auc);
    row("auc-by-host", "", figures.auc_by_host);
    row("heads", "end", to_f64(figures.heads));
    row("redirects", "end", to_f64(figures.redirects));
    row("misses", "end", to_f64(figures.misses));
    row("microseconds-per-uri", "end", figures.time_per_uri.as_secs_f64() * 1e6);
    if let Some(calibration) = &figures.calibration {
        row("brier", "end", calibration.brier);
        for bin in calibration.bins {
            if let Some((predicted, rdf)) = bin.point() {
                row("reliability", &format!("{predicted:.4}"), rdf);
            }
        }
    }
    if let Some(classes) = &figures.classes {
        for line in &classes.rows {
            row("class-documents", line.class.name(), to_f64(line.documents()));
            row("class-right", line.class.name(), to_f64(line.right()));
            row("class-useful", line.class.name(), to_f64(line.useful));
        }
    }
}

fn budget(at: &AtBudget, place: &str, row: &mut impl FnMut(&str, &str, f64)) {
    row("requests", place, at.requests);
    row("documents", place, to_f64(at.counts.documents));
    row("rdf", place, to_f64(at.counts.rdf));
    row("share", place, at.counts.share());
    row("hard-share", place, at.counts.hard_share());
    row("hard-share-with-og", place, at.counts.hard_share_with_og());
    row("recall", place, at.recall);
    row("share-by-host", place, at.share_by_host);
    row("hard-share-by-host", place, at.hard_share_by_host);
    row("recall-by-host", place, at.recall_by_host);
    row("mixed-hard-share", place, at.mixed.hard_share());
    row("mixed-recall", place, at.mixed_recall);
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
