//! Harvest curves: recall over requests, everybody in one picture.

use super::Report;
use super::chart::{Chart, Line, draw};
use crate::metrics::figures::CURVE_STEPS;

/// The picture of a report.
#[must_use]
pub fn picture(report: &Report<'_>) -> String {
    let mean = |entry: &crate::campaign::Entry| {
        let point = |step: usize| entry.spread(|figures| figures.curve[step]).mean;
        let name = format!("{} {:.3}", entry.contender.name, entry.spread(|figures| figures.auc).mean);
        Line { name, points: (0..=CURVE_STEPS).map(point).collect() }
    };
    draw(&Chart {
        title: report.title.clone(),
        caption: "recall of RDF documents; beside each name its AUC".to_owned(),
        unit: "requests".to_owned(),
        end: report.ground.requests(1.0),
        top: 1.0,
        lines: report.entries.iter().map(mean).collect(),
    })
}
