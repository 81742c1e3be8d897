//! What a part of the evaluation reports.

use std::fmt::Write as _;

use crate::report::csv::CsvTable;

/// A table of results with its heading, and the figures behind it.
#[derive(Clone, Debug, Default)]
pub struct SearchSection {
    /// Text in Markdown.
    pub page: String,
    /// Figures: collection, method, case (query, set), figure, value.
    pub figures: Vec<[String; 5]>,
    /// Further files: the end of the name, and the content.
    pub files: Vec<(&'static str, String)>,
}

impl SearchSection {
    pub(super) fn new(title: &str, introduction: &str) -> Self {
        Self { page: format!("## {title}\n\n{introduction}\n\n"), ..Self::default() }
    }

    pub(super) fn table(&mut self, heads: &[&str]) {
        let numbers = "--:|".repeat(heads.len().saturating_sub(1));
        let _ = writeln!(self.page, "| {} |\n|---|{numbers}", heads.join(" | "));
    }

    pub(super) fn row(&mut self, cells: &[String]) {
        let _ = writeln!(self.page, "| {} |", cells.join(" | "));
    }

    pub(super) fn end_table(&mut self) {
        self.page.push('\n');
    }

    pub(super) fn file(&mut self, name: &'static str, content: String) {
        self.files.push((name, content));
    }

    pub(super) fn figure(&mut self, collection: &str, method: &str, case: &str, figure: &str, value: f64) {
        self.figures.push([collection, method, case, figure, &format!("{value:.6}")].map(str::to_owned));
    }
}

/// The report on all parts.
#[must_use]
pub fn page(command: &str, sections: &[SearchSection]) -> String {
    let mut page = format!("# Search\n\nMade by `{command}`.\n\n");
    for section in sections {
        page.push_str(&section.page);
    }
    page
}

/// All figures: `collection,method,case,figure,value`.
#[must_use]
pub fn rows(sections: &[SearchSection]) -> String {
    let mut table = CsvTable::new(["collection", "method", "case", "figure", "value"]);
    for figure in sections.iter().flat_map(|section| &section.figures) {
        table.row(figure.each_ref().map(String::as_str));
    }
    table.into_text()
}

/// A share with three digits and without the leading zero.
pub(super) fn share(value: f64) -> String {
    let text = format!("{value:.3}");
    text.replacen("0.", ".", 1)
}
