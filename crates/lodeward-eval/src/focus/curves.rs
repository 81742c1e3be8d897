//! Figure 2 of DURAARK D3.6: nDCG over places, for each depth, and `EJSim` against
//! `EJSim+` at all depths.

use super::direct::PLACES;
use super::report::{Report, figure};
use super::{Crawls, Direct, RankerEntry};
use crate::ground::to_f64;
use crate::report::chart::{Chart, Line, sheet};

/// Where an axis may end, so that a fifth of it is a round number.
const TOPS: [f64; 6] = [0.1, 0.2, 0.25, 0.5, 0.75, 1.0];

/// Points of a curve of recall.
const STEPS: usize = 100;

/// All pictures on one sheet, a world in each row; then recall over requests, a web
/// in each picture.
#[must_use]
pub fn picture(report: &Report<'_>) -> String {
    let mut charts = Vec::new();
    let mut columns = 1;
    for world in report.worlds() {
        let runs = report.runs(world);
        let depths = runs.iter().map(|run| {
            let lines = lines(report, &[run], |_| true);
            chart(format!("{world}, depth {}", run.depth), lines)
        });
        charts.extend(depths);
        let texts = lines(report, &runs, |entry| entry.name.starts_with("ejsim"));
        columns = runs.len() + usize::from(!texts.is_empty());
        if !texts.is_empty() {
            charts.push(chart(format!("{world}, what attrition does"), texts));
        }
    }
    charts.extend(report.crawls.iter().map(|crawls| crawl(report, crawls)));
    sheet("Focused crawls", &charts, columns)
}

fn crawl(report: &Report<'_>, crawls: &Crawls) -> Chart {
    let end = report.requests.iter().max().copied().unwrap_or_default();
    let line = |(place, name): (usize, &String)| {
        let points = (0..=STEPS).map(|step| crawls.recall(place, end * step / STEPS)).collect();
        Line { name: format!("{name} {}", figure(crawls.recall(place, end), false)), points }
    };
    Chart {
        title: format!("Crawls of {}", crawls.web),
        caption: "recall of targets; beside each name that at the end".to_owned(),
        unit: "requests".to_owned(),
        end: to_f64(end),
        top: 1.0,
        lines: crawls.strategies.iter().enumerate().map(line).collect(),
    }
}

fn lines(report: &Report<'_>, runs: &[&Direct], is_drawn: impl Fn(&RankerEntry) -> bool) -> Vec<Line> {
    let mut lines = Vec::new();
    for run in runs {
        for (place, entry) in report.entries.iter().enumerate().filter(|(_, entry)| is_drawn(entry)) {
            let mut points: Vec<f64> = (1..=PLACES).map(|at| run.mean(place, |score| score.ndcg_at(at))).collect();
            // A line begins at 0, where there is no nDCG.
            points.insert(0, points[0]);
            let depth = if runs.len() > 1 { format!(" ({})", run.depth) } else { String::new() };
            let end = figure(points[PLACES], false);
            lines.push(Line { name: format!("{}{depth} {end}", entry.name), points });
        }
    }
    lines
}

fn chart(title: String, lines: Vec<Line>) -> Chart {
    let highest = lines.iter().flat_map(|line| &line.points).fold(0.0_f64, |highest, point| highest.max(*point));
    Chart {
        title,
        caption: "mean nDCG@k; beside each name nDCG@100".to_owned(),
        unit: "k".to_owned(),
        end: to_f64(PLACES),
        top: TOPS.into_iter().find(|top| highest <= *top).unwrap_or(1.0),
        lines,
    }
}
