//! Line charts as SVG, one or several on a sheet.
//!
//! Drawn without a library. Lines have the colours of Okabe and Ito, which are distinguishable with colour
//! vision deficiency; more than eight lines are dashed. Names are at the end of the lines instead of in a
//! legend.

use std::fmt::Write as _;

use crate::numbers::to_f64;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 230.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 52.0;
/// Minimum vertical distance between two names.
const MIN_LABEL_SPACING: f64 = 15.0;

const COLOURS: [&str; 8] = ["#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F"];
const DASHES: [&str; 3] = ["", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""];

/// A line chart with its title, axes and lines.
pub struct Chart {
    /// The title above the chart.
    pub title: String,
    /// The label of the vertical axis.
    pub caption: String,
    /// The label of the horizontal axis.
    pub unit: String,
    /// The end of the horizontal axis.
    pub end: f64,
    /// The end of the vertical axis.
    pub top: f64,
    /// The lines to draw.
    pub lines: Vec<ChartLine>,
}

/// A line with its name.
pub struct ChartLine {
    /// The name, drawn at the end of the line.
    pub name: String,
    /// Values at equal steps of the horizontal axis, from 0 to its end.
    pub points: Vec<f64>,
}

/// Draws one chart.
#[must_use]
pub fn draw(chart: &Chart) -> String {
    draw_sheet(&chart.title, std::slice::from_ref(chart), 1)
}

/// Draws several charts on one sheet, in rows of `columns`.
#[must_use]
pub fn draw_sheet(title: &str, charts: &[Chart], columns: usize) -> String {
    let columns = columns.clamp(1, charts.len().max(1));
    let rows = charts.len().div_ceil(columns);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\" \
         role=\"img\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        WIDTH * to_f64(columns),
        HEIGHT * to_f64(rows),
        escaped(title)
    );
    for (index, chart) in charts.iter().enumerate() {
        let (column, row) = (to_f64(index % columns), to_f64(index / columns));
        let _ = writeln!(svg, "<g transform=\"translate({} {})\">", column * WIDTH, row * HEIGHT);
        draw_panel(&mut svg, chart);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw_panel(svg: &mut String, chart: &Chart) {
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>", escaped(&chart.title));
    draw_axes(svg, chart);
    let share = |point: f64| if chart.top > 0.0 { point / chart.top } else { 0.0 };
    let last = |line: &ChartLine| y(share(line.points.last().copied().unwrap_or_default()));
    let ends: Vec<f64> = chart.lines.iter().map(last).collect();
    for (index, (line, label)) in chart.lines.iter().zip(spread_labels(&ends)).enumerate() {
        let (colour, dash) = (COLOURS[index % COLOURS.len()], DASHES[index / COLOURS.len() % DASHES.len()]);
        let last = to_f64(line.points.len().saturating_sub(1).max(1));
        let points = line.points.iter().enumerate();
        let points: Vec<String> =
            points.map(|(step, point)| format!("{:.1},{:.1}", x(to_f64(step) / last), y(share(*point)))).collect();
        let end = ends[index];
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
}

fn draw_axes(svg: &mut String, chart: &Chart) {
    for tick in 0..=5 {
        let share = f64::from(tick) / 5.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {:.1}H{:.1}\" stroke=\"#ddd\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}\
             </text>\n<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.0}</text>",
            x(0.0),
            y(share),
            x(1.0),
            x(0.0) - 6.0,
            y(share) + 4.0,
            format_tick(chart.top * share),
            x(share),
            y(0.0) + 18.0,
            chart.end * share
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        x(0.5),
        y(0.0) + 38.0,
        escaped(&chart.unit),
        x(0.0) - 40.0,
        TOP - 8.0,
        escaped(&chart.caption)
    );
}

/// A tick label without a trailing zero.
fn format_tick(height: f64) -> String {
    let text = format!("{height:.2}");
    text.strip_suffix('0').unwrap_or(&text).to_owned()
}

fn x(share: f64) -> f64 {
    LEFT + share * (WIDTH - LEFT - RIGHT)
}

fn y(share: f64) -> f64 {
    HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
}

/// Moves label positions apart until they do not overlap, keeping their order.
fn spread_labels(heights: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|a, b| heights[*a].total_cmp(&heights[*b]));
    let mut moved = heights.to_owned();
    let mut above = f64::NEG_INFINITY;
    for index in &order {
        moved[*index] = heights[*index].max(above + MIN_LABEL_SPACING);
        above = moved[*index];
    }
    // Labels below the lower edge are moved up.
    let mut below = HEIGHT - 8.0;
    for index in order.iter().rev() {
        moved[*index] = moved[*index].min(below);
        below = moved[*index] - MIN_LABEL_SPACING;
    }
    moved
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(title: &str, top: f64, names: &[&str]) -> Chart {
        let line = |name: &&str| ChartLine { name: (*name).to_owned(), points: vec![0.0, 0.5 * top, top] };
        Chart {
            title: title.to_owned(),
            caption: "recall".to_owned(),
            unit: "requests".to_owned(),
            end: 1_000.0,
            top,
            lines: names.iter().map(line).collect(),
        }
    }

    #[test]
    fn names_do_not_cover_each_other() {
        let heights = spread_labels(&[100.0, 101.0, 60.0, 511.0, 512.0]);

        let mut sorted = heights.clone();
        sorted.sort_by(f64::total_cmp);
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] >= MIN_LABEL_SPACING - 1e-9), "{heights:?}");
        assert!((heights[2] - 60.0).abs() < 1e-9 && (heights[0] - 100.0).abs() < 1e-9);
        assert!(sorted[4] <= HEIGHT);
    }

    #[test]
    fn a_chart_has_a_line_and_a_name_for_each_series() {
        let svg = draw(&chart("a < b", 0.4, &["bfs", "learned & more"]));

        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("a &lt; b") && svg.contains(">learned &amp; more<"));
        assert!(svg.contains(&format!("{:.1},{:.1}", x(0.5), y(0.5))));
        assert!(svg.contains(">0.4<") && svg.contains(">0.08<"), "the axis ends at the top");
    }

    #[test]
    fn charts_of_a_sheet_are_arranged_in_rows_and_columns() {
        let charts = ["one", "two", "three"].map(|title| chart(title, 1.0, &["bfs"]));
        let svg = draw_sheet("all", &charts, 2);

        assert!(svg.contains(&format!("viewBox=\"0 0 {} {}\"", 2.0 * WIDTH, 2.0 * HEIGHT)));
        assert!(svg.contains(&format!("translate(0 {HEIGHT})")) && svg.contains(&format!("translate({WIDTH} 0)")));
    }
}
