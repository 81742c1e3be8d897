//! Candidates as a table, JSON and CSV.

use std::fmt::Write as _;
use std::io::{self, Write};

use lodeward::time::format_iso8601;
use lodeward_app::display_text::{escape_json, single_line};
use lodeward_app::review;
use lodeward_app::review::marks::MarkRecord;
use lodeward_app::review::ranking_file::RankingRow;
use lodeward_app::review::{Candidate, CandidatePage};
use lodeward_focus::rank::terms::iri_text;
use serde_json::json;

/// Maximum length of a label in a table; longer labels are truncated.
const MAX_LABEL_CHARS: usize = 40;
/// Maximum length of a list of types in a table; longer lists are truncated.
const MAX_TYPES_CHARS: usize = 30;

/// Maximum number of types in a table.
const MAX_TYPES: usize = 3;

/// Maximum number of reasons in a table.
const MAX_REASONS: usize = 5;

const COLUMNS: usize = 7;
const HEADERS: [&str; COLUMNS] = ["rank", "score", "hop", "mark", "label", "types", "entity"];
/// Number of leading columns that contain numbers, aligned to the right.
const NUMERIC_COLUMNS: usize = 3;

/// Candidates as a table.
pub(in crate::commands) fn table<'a>(
    rows: impl Iterator<Item = (&'a RankingRow, Option<&'a MarkRecord>)>,
    with_reasons: bool,
) -> String {
    let rows: Vec<([String; COLUMNS], &RankingRow)> = rows.map(|(row, mark)| (cells(row, mark), row)).collect();
    // Empty columns are left out: few candidates have marks, and some have no types.
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        let longest = rows.iter().map(|(cells, _)| cells[column].chars().count()).max().unwrap_or(0);
        if longest == 0 { 0 } else { longest.max(HEADERS[column].len()) }
    });
    let mut text = format_line(&HEADERS.map(str::to_owned), &widths);
    for (cells, row) in &rows {
        text.push_str(&format_line(cells, &widths));
        for reason in row.reasons.iter().take(if with_reasons { MAX_REASONS } else { 0 }) {
            let _ = writeln!(text, "{:>width$}  because it {}", "", single_line(&reason.text), width = widths[0]);
        }
    }
    text
}

fn cells(row: &RankingRow, mark: Option<&MarkRecord>) -> [String; COLUMNS] {
    let label = row.label.clone().unwrap_or_else(|| format!("({})", iri_text(&row.entity)));
    let mut types: Vec<String> = row.types.iter().map(|class| iri_text(class)).collect();
    types.dedup();
    let more = if types.len() > MAX_TYPES { ", …" } else { "" };
    types.truncate(MAX_TYPES);
    [
        row.rank.to_string(),
        row.score.map(format_score).unwrap_or_default(),
        row.hop.map(|hop| hop.to_string()).unwrap_or_default(),
        mark.map_or("", |mark| mark.mark.name()).to_owned(),
        truncate(&single_line(&label), MAX_LABEL_CHARS),
        truncate(&single_line(&(types.join(", ") + more)), MAX_TYPES_CHARS),
        single_line(&row.entity).into_owned(),
    ]
}

/// Numbers are aligned to the right, text to the left, without trailing spaces.
fn format_line(cells: &[String; COLUMNS], widths: &[usize; COLUMNS]) -> String {
    let mut text = String::new();
    for (column, (cell, &width)) in cells.iter().zip(widths).enumerate().filter(|(_, (_, width))| **width > 0) {
        let separator = if text.is_empty() { "" } else { "  " };
        let _ = if column < NUMERIC_COLUMNS {
            write!(text, "{separator}{cell:>width$}")
        } else {
            write!(text, "{separator}{cell:<width$}")
        };
    }
    format!("{}\n", text.trim_end())
}

/// A score with four decimals; in scientific notation if it is below 0.001, as those of some rankers are.
fn format_score(score: f64) -> String {
    if score != 0.0 && score.abs() < 0.001 { format!("{score:.2e}") } else { format!("{score:.4}") }
}

fn truncate(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    text.chars().take(characters - 1).chain(['…']).collect()
}

/// One object: the header of the ranking, and the candidates.
pub(super) fn write_json(found: &CandidatePage, out: &mut dyn Write) -> anyhow::Result<()> {
    let header = serde_json::to_string(&found.header)?;
    let header = escape_json(&header);
    writeln!(out, "{{\"ranking\": {header},\n \"total\": {}, \"candidates\": [", found.total)?;
    for (number, candidate) in found.candidates.iter().enumerate() {
        let separator = if number + 1 == found.candidates.len() { "" } else { "," };
        writeln!(out, "{}{separator}", escape_json(&candidate_json(candidate)?.to_string()))?;
    }
    Ok(writeln!(out, "]}}")?)
}

fn candidate_json(candidate: &Candidate) -> serde_json::Result<serde_json::Value> {
    let mut object = serde_json::to_value(&candidate.row)?;
    if let Some(mark) = &candidate.mark {
        let (by, at) = (&mark.author.user, mark.author.at_ms.map(format_iso8601));
        object["mark"] = json!({ "mark": mark.mark, "by": by, "at": at });
    }
    Ok(object)
}

/// One line per candidate, after a header.
pub(super) fn write_csv(found: &CandidatePage, out: &mut dyn Write) -> io::Result<()> {
    review::write_csv_head(out)?;
    found.candidates.iter().try_for_each(|candidate| review::write_csv_line(candidate, out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_scores_are_in_scientific_notation() {
        let check = |number: f64, expected: &str| assert_eq!(format_score(number), expected);

        check(0.0, "0.0000");
        check(0.12345, "0.1235");
        check(-12.5, "-12.5000");
        check(0.000_012_3, "1.23e-5");
    }

    #[test]
    fn control_characters_of_labels_are_not_printed() {
        let row = RankingRow {
            rank: 1,
            entity: "urn:a".to_owned(),
            score: Some(1.0),
            hop: Some(1),
            label: Some("\u{1b}[31mred\nline".to_owned()),
            types: Vec::new(),
            described: false,
            reasons: Vec::new(),
        };
        let shown = table([(&row, None)].into_iter(), true);
        assert!(!shown.contains('\u{1b}') && shown.lines().count() == 2, "{shown}");
    }

    #[test]
    fn long_texts_are_truncated_between_characters() {
        assert_eq!(truncate("Köln", 4), "Köln");
        assert_eq!(truncate("Kölner", 4), "Köl…");
    }
}
