//! Harvest curves: recall over requests, everybody in one picture.
//!
//! Drawn by hand, so that it needs no library: lines in the colours of Okabe
//! and Ito, which those can tell apart who see fewer; beyond eight, dashed; and
//! named where they end, so that nobody has to look up a legend.

use std::fmt::Write as _;

use super::Report;
use crate::ground::to_f64;
use crate::metrics::figures::CURVE_STEPS;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 230.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 52.0;
/// The least distance between two names.
const LINE: f64 = 15.0;

const COLOURS: [&str; 8] = ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F"];
const DASHES: [&str; 3] = ["", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""];

/// A line, and what it is called.
pub struct Line {
    /// The name.
    pub name: String,
    /// Heights from 0 to 1, at equal steps.
    pub points: Vec<f64>,
}

/// The picture of a report.
#[must_use]
pub fn picture(report: &Report<'_>) -> String {
    let mean = |entry: &crate::campaign::Entry| {
        let point = |step: usize| entry.spread(|figures| figures.curve[step]).mean;
        let name = format!("{} {:.3}", entry.contender.name, entry.spread(|figures| figures.auc).mean);
        Line { name, points: (0..=CURVE_STEPS).map(point).collect() }
    };
    let lines: Vec<Line> = report.entries.iter().map(mean).collect();
    draw(&report.title, "requests", report.ground.requests(1.0), &lines)
}

/// Draws lines over a width of `end` units of something.
#[must_use]
pub fn draw(title: &str, unit: &str, end: f64, lines: &[Line]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\" role=\"img\">\n<title>{0}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{0}</text>\n",
        escaped(title)
    );
    axes(&mut svg, unit, end);
    let ends: Vec<f64> = lines.iter().map(|line| y(line.points.last().copied().unwrap_or_default())).collect();
    for (place, (line, label)) in lines.iter().zip(apart(&ends)).enumerate() {
        let (colour, dash) = (COLOURS[place % COLOURS.len()], DASHES[place / COLOURS.len() % DASHES.len()]);
        let last = to_f64(line.points.len().saturating_sub(1).max(1));
        let points = line.points.iter().enumerate();
        let points: Vec<String> =
            points.map(|(step, point)| format!("{:.1},{:.1}", x(to_f64(step) / last), y(*point))).collect();
        let end = ends[place];
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>\n<path d=\"M{:.1} \
             {end:.1}L{:.1} {label:.1}\" stroke=\"{colour}\" stroke-width=\"0.7\" fill=\"none\"/>\n<text x=\"{:.1}\" \
             y=\"{:.1}\" fill=\"{colour}\">{}</text>",
            points.join(" "),
            x(1.0),
            x(1.0) + 14.0,
            x(1.0) + 17.0,
            label + 4.0,
            escaped(&line.name)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn axes(svg: &mut String, unit: &str, end: f64) {
    for tick in 0..=5 {
        let share = f64::from(tick) / 5.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {:.1}H{:.1}\" stroke=\"#ddd\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{share:.1}\
             </text>\n<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.0}</text>",
            x(0.0),
            y(share),
            x(1.0),
            x(0.0) - 6.0,
            y(share) + 4.0,
            x(share),
            y(0.0) + 18.0,
            end * share
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n<text x=\"{:.1}\" y=\"{:.1}\">recall of RDF \
         documents; beside each name its AUC</text>",
        x(0.5),
        y(0.0) + 38.0,
        escaped(unit),
        x(0.0) - 40.0,
        TOP - 8.0
    );
}

fn x(share: f64) -> f64 {
    LEFT + share * (WIDTH - LEFT - RIGHT)
}

fn y(share: f64) -> f64 {
    HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
}

/// Moves heights apart until names at them can be read, in their order.
fn apart(heights: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|a, b| heights[*a].total_cmp(&heights[*b]));
    let mut moved = heights.to_owned();
    let mut above = f64::NEG_INFINITY;
    for place in &order {
        moved[*place] = heights[*place].max(above + LINE);
        above = moved[*place];
    }
    // What was pushed over the edge pushes back.
    let mut below = HEIGHT - 8.0;
    for place in order.iter().rev() {
        moved[*place] = moved[*place].min(below);
        below = moved[*place] - LINE;
    }
    moved
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_cover_each_other() {
        let heights = apart(&[100.0, 101.0, 60.0, 511.0, 512.0]);

        let mut sorted = heights.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= LINE - 1e-9), "{heights:?}");
        assert!((heights[2] - 60.0).abs() < 1e-9 && (heights[0] - 100.0).abs() < 1e-9);
        assert!(sorted[4] <= HEIGHT);
    }

    #[test]
    fn a_picture_has_a_line_and_a_name_for_everybody() {
        let line = |name: &str| Line { name: name.to_owned(), points: vec![0.0, 0.5, 1.0] };

        let svg = draw("a < b", "requests", 1_000.0, &[line("bfs"), line("learned & more")]);

        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("a &lt; b") && svg.contains(">learned &amp; more<"));
        assert!(svg.contains(&format!("{:.1},{:.1}", x(0.5), y(0.5))));
    }
}
