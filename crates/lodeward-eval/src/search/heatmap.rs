//! A table of probabilities as a picture: darker is more probable.

use std::fmt::Write as _;

use crate::numbers::to_f64;

const CELL: f64 = 26.0;
const LEFT: f64 = 170.0;
const TOP: f64 = 170.0;

/// A picture of values from 0 to 1.
pub(super) struct Heatmap {
    pub(super) title: String,
    pub(super) rows: Vec<String>,
    pub(super) columns: Vec<String>,
    /// Values, row by row.
    pub(super) cells: Vec<Vec<f64>>,
}

impl Heatmap {
    /// Draws the picture as SVG.
    pub(super) fn draw(&self) -> String {
        let width = LEFT + CELL * to_f64(self.columns.len()) + 40.0;
        let height = TOP + CELL * to_f64(self.rows.len()) + 20.0;
        let title = escape(&self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"11\" role=\"img\">\n<title>{title}</title>\n<rect width=\"100%\" height=\"100%\" \
             fill=\"#fff\"/>\n<text x=\"10\" y=\"20\" font-size=\"14\">{title}</text>\n"
        );
        for (at, name) in self.columns.iter().enumerate() {
            let (x, y) = (LEFT + CELL * (to_f64(at) + 0.6), TOP - 6.0);
            let name = escape(name);
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" transform=\"rotate(-60 {x} {y})\">{name}</text>");
        }
        for (row, (name, cells)) in self.rows.iter().zip(&self.cells).enumerate() {
            let y = TOP + CELL * to_f64(row);
            let (x, middle) = (LEFT - 6.0, y + CELL * 0.65);
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{middle}\" text-anchor=\"end\">{}</text>", escape(name));
            for (column, value) in cells.iter().enumerate() {
                let x = LEFT + CELL * to_f64(column);
                // The square root separates small values, which are most.
                let opacity = value.clamp(0.0, 1.0).sqrt();
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"#0072B2\" \
                     fill-opacity=\"{opacity:.3}\" stroke=\"#ccc\"><title>{value:.3}</title></rect>"
                );
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_a_cell() {
        let map = Heatmap {
            title: "a < b".to_owned(),
            rows: vec!["person".to_owned(), "place".to_owned()],
            columns: vec!["actor".to_owned()],
            cells: vec![vec![0.25], vec![0.0]],
        };

        let svg = map.draw();

        assert_eq!(svg.matches("stroke=\"#ccc\"").count(), 2);
        assert!(svg.contains("fill-opacity=\"0.500\"") && svg.contains("a &lt; b"), "{svg}");
    }
}
