//! All figures as CSV: one row for each strategy, seed and figure.

use super::SelectReport;
use crate::metrics::figures::CURVE_STEPS;
use crate::metrics::{BudgetFigures, TrialFigures};
use crate::numbers::to_f64;

/// All figures and curves: `strategy,seed,figure,at,value`.
#[must_use]
pub fn rows(report: &SelectReport<'_>) -> String {
    let mut table = CsvTable::new(["strategy", "seed", "figure", "at", "value"]);
    for entry in report.entries {
        for (seed, figures) in entry.figures.iter().enumerate() {
            let mut row = |figure: &str, at: &str, value: f64| {
                table.row([&entry.contender.name, &seed.to_string(), figure, at, &format!("{value:.6}")]);
            };
            overall_rows(figures, &mut row);
            for (name, at) in report.campaign.budgets.iter().zip(&figures.budgets) {
                budget_rows(at, &name.to_string(), &mut row);
            }
            budget_rows(&figures.end, "end", &mut row);
            for (step, recall) in figures.curve.iter().enumerate() {
                let requests = report.baseline.requests_for_share(to_f64(step) / to_f64(CURVE_STEPS));
                row("curve", &format!("{requests:.1}"), *recall);
            }
        }
    }
    table.into_text()
}

fn overall_rows(figures: &TrialFigures, row: &mut impl FnMut(&str, &str, f64)) {
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
            row("class-right", line.class.name(), to_f64(line.correct()));
            row("class-useful", line.class.name(), to_f64(line.useful));
        }
    }
}

fn budget_rows(at: &BudgetFigures, budget: &str, row: &mut impl FnMut(&str, &str, f64)) {
    row("requests", budget, at.requests);
    row("documents", budget, to_f64(at.counts.documents));
    row("rdf", budget, to_f64(at.counts.rdf));
    row("share", budget, at.counts.share());
    row("hard-share", budget, at.counts.hard_share());
    row("hard-share-with-og", budget, at.counts.hard_share_with_og());
    row("recall", budget, at.recall);
    row("share-by-host", budget, at.share_by_host);
    row("hard-share-by-host", budget, at.hard_share_by_host);
    row("recall-by-host", budget, at.recall_by_host);
    row("mixed-hard-share", budget, at.mixed.hard_share());
    row("mixed-recall", budget, at.mixed_recall);
}

/// A table in memory. Writing to memory does not fail.
pub(crate) struct CsvTable(csv::Writer<Vec<u8>>);

impl CsvTable {
    pub(crate) fn new<const N: usize>(header: [&str; N]) -> Self {
        let mut table = Self(csv::Writer::from_writer(Vec::new()));
        table.row(header);
        table
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.0.write_record(cells).expect("all rows have as many cells as the header");
    }

    pub(crate) fn into_text(self) -> String {
        let bytes = self.0.into_inner().expect("flushing to memory does not fail");
        String::from_utf8(bytes).expect("cells are text")
    }
}
