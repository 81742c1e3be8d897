//! Figure 2 of DURAARK D3.6: nDCG over ranks for each depth, and `EJSim` against `EJSim+` at all depths.

use super::direct::RANK_CUTOFF;
use super::report::{FocusReport, format_share};
use super::{DirectRanking, FocusedCrawls, RankerEntry};
use crate::numbers::to_f64;
use crate::report::chart::{Chart, ChartLine, draw_sheet};

/// Values at which an axis may end. A fifth of each is a round number, so tick labels are round.
const AXIS_MAXIMA: [f64; 6] = [0.1, 0.2, 0.25, 0.5, 0.75, 1.0];

/// Number of points of a recall curve.
const CURVE_STEPS: usize = 100;

/// All charts on one sheet: a row for each world, then a chart of recall over requests for each web.
#[must_use]
pub fn render_svg(report: &FocusReport<'_>) -> String {
    let mut charts = Vec::new();
    let mut columns = 1;
    for world in report.worlds() {
        let runs = report.runs(world);
        let depths = runs.iter().map(|run| {
            let lines = ndcg_lines(report, &[run], |_| true);
            ndcg_chart(format!("{world}, depth {}", run.depth), lines)
        });
        charts.extend(depths);
        let texts = ndcg_lines(report, &runs, |entry| entry.name.starts_with("ejsim"));
        columns = runs.len() + usize::from(!texts.is_empty());
        if !texts.is_empty() {
            charts.push(ndcg_chart(format!("{world}, effect of attrition"), texts));
        }
    }
    charts.extend(report.crawls.iter().map(|crawls| recall_chart(report, crawls)));
    draw_sheet("Focused crawls", &charts, columns)
}

fn recall_chart(report: &FocusReport<'_>, crawls: &FocusedCrawls) -> Chart {
    let end = report.requests.iter().max().copied().unwrap_or_default();
    let line = |(index, name): (usize, &String)| {
        let points = (0..=CURVE_STEPS).map(|step| crawls.recall(index, end * step / CURVE_STEPS)).collect();
        ChartLine { name: format!("{name} {}", format_share(crawls.recall(index, end), false)), points }
    };
    Chart {
        title: format!("Crawls of {}", crawls.web),
        caption: "recall of targets; final recall beside each name".to_owned(),
        unit: "requests".to_owned(),
        end: to_f64(end),
        top: 1.0,
        lines: crawls.strategies.iter().enumerate().map(line).collect(),
    }
}

fn ndcg_lines(
    report: &FocusReport<'_>,
    runs: &[&DirectRanking],
    is_drawn: impl Fn(&RankerEntry) -> bool,
) -> Vec<ChartLine> {
    let mut lines = Vec::new();
    for run in runs {
        for (index, entry) in report.entries.iter().enumerate().filter(|(_, entry)| is_drawn(entry)) {
            let mut points: Vec<f64> = (1..=RANK_CUTOFF).map(|at| run.mean(index, |score| score.ndcg_at(at))).collect();
            // nDCG@0 is undefined; the curve starts with nDCG@1.
            points.insert(0, points[0]);
            let depth = if runs.len() > 1 { format!(" ({})", run.depth) } else { String::new() };
            let end = format_share(points[RANK_CUTOFF], false);
            lines.push(ChartLine { name: format!("{}{depth} {end}", entry.name), points });
        }
    }
    lines
}

fn ndcg_chart(title: String, lines: Vec<ChartLine>) -> Chart {
    let highest = lines.iter().flat_map(|line| &line.points).fold(0.0_f64, |highest, point| highest.max(*point));
    Chart {
        title,
        caption: "mean nDCG@k; nDCG@100 beside each name".to_owned(),
        unit: "k".to_owned(),
        end: to_f64(RANK_CUTOFF),
        top: AXIS_MAXIMA.into_iter().find(|top| highest <= *top).unwrap_or(1.0),
        lines,
    }
}
