//! Harvest curves: recall over requests of all strategies in one chart.

use super::SelectReport;
use super::chart::{Chart, ChartLine, draw};
use crate::metrics::figures::CURVE_STEPS;

/// The chart with the harvest curves of all strategies of a report.
#[must_use]
pub fn render_svg(report: &SelectReport<'_>) -> String {
    let mean = |entry: &crate::campaign::ContenderResult| {
        let point = |step: usize| entry.spread(|figures| figures.curve[step]).mean;
        let name = format!("{} {:.3}", entry.contender.name, entry.spread(|figures| figures.auc).mean);
        ChartLine { name, points: (0..=CURVE_STEPS).map(point).collect() }
    };
    draw(&Chart {
        title: report.title.clone(),
        caption: "recall of RDF documents; AUC beside each name".to_owned(),
        unit: "requests".to_owned(),
        end: report.baseline.requests_for_share(1.0),
        top: 1.0,
        lines: report.entries.iter().map(mean).collect(),
    })
}
