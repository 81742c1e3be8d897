//! Candidates as a table, as JSON, as CSV.

use std::fmt::Write as _;
use std::io::{self, Write};

use lodeward::open::{self, Candidate, Candidates};
use lodeward::rank::listing::Row;
use lodeward::rank::marks::Marked;
use lodeward::rank::terms::text_of_iri;
use serde_json::json;

use crate::commands::rank::clean;

/// Longer labels and lists of types are cut in a table.
const LABEL_CHARACTERS: usize = 40;
const TYPES_CHARACTERS: usize = 30;

/// How many types are shown in a table.
const TYPES_SHOWN: usize = 3;

/// How many reasons are shown in a table.
const REASONS_SHOWN: usize = 5;

const COLUMNS: usize = 7;
const HEADS: [&str; COLUMNS] = ["rank", "score", "hop", "mark", "label", "types", "entity"];
/// The first of them are numbers.
const NUMBERS: usize = 3;

/// Candidates with what is known of them, in columns.
pub(in crate::commands) fn table<'a>(
    rows: impl Iterator<Item = (&'a Row, Option<&'a Marked>)>,
    with_reasons: bool,
) -> String {
    let rows: Vec<([String; COLUMNS], &Row)> = rows.map(|(row, mark)| (cells(row, mark), row)).collect();
    // A column that has nothing is none: few have marks, and some have no types.
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        let longest = rows.iter().map(|(cells, _)| cells[column].chars().count()).max().unwrap_or(0);
        if longest == 0 { 0 } else { longest.max(HEADS[column].len()) }
    });
    let mut text = line(&HEADS.map(str::to_owned), &widths);
    for (cells, row) in &rows {
        text.push_str(&line(cells, &widths));
        for reason in row.why.iter().take(if with_reasons { REASONS_SHOWN } else { 0 }) {
            let _ = writeln!(text, "{:>width$}  because it {}", "", clean(&reason.words), width = widths[0]);
        }
    }
    text
}

fn cells(row: &Row, mark: Option<&Marked>) -> [String; COLUMNS] {
    let label = row.label.clone().unwrap_or_else(|| format!("({})", text_of_iri(&row.entity)));
    let mut types: Vec<String> = row.types.iter().map(|class| text_of_iri(class)).collect();
    types.dedup();
    let more = if types.len() > TYPES_SHOWN { ", …" } else { "" };
    types.truncate(TYPES_SHOWN);
    [
        row.rank.to_string(),
        score(row.score),
        row.hop.to_string(),
        mark.map_or("", |mark| mark.opinion.name()).to_owned(),
        cut(&clean(&label), LABEL_CHARACTERS),
        cut(&clean(&(types.join(", ") + more)), TYPES_CHARACTERS),
        clean(&row.entity),
    ]
}

/// Numbers to the right, words to the left; nothing behind the last column.
fn line(cells: &[String; COLUMNS], widths: &[usize; COLUMNS]) -> String {
    let mut text = String::new();
    for (column, (cell, &width)) in cells.iter().zip(widths).enumerate().filter(|(_, (_, width))| **width > 0) {
        let separator = if text.is_empty() { "" } else { "  " };
        let _ = if column < NUMBERS {
            write!(text, "{separator}{cell:>width$}")
        } else {
            write!(text, "{separator}{cell:<width$}")
        };
    }
    format!("{}\n", text.trim_end())
}

/// Some rankers have scores that are far below one.
fn score(score: f64) -> String {
    if score != 0.0 && score.abs() < 0.001 { format!("{score:.2e}") } else { format!("{score:.4}") }
}

fn cut(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    text.chars().take(characters - 1).chain(['…']).collect()
}

/// One object: how the ranking came about, and the candidates.
pub(super) fn json(found: &Candidates, out: &mut dyn Write) -> anyhow::Result<()> {
    let heading = serde_json::to_string(&found.heading)?;
    writeln!(out, "{{\"ranking\": {heading},\n \"wanted\": {}, \"candidates\": [", found.wanted)?;
    for (number, candidate) in found.found.iter().enumerate() {
        let separator = if number + 1 == found.found.len() { "" } else { "," };
        writeln!(out, "{}{separator}", object(candidate)?)?;
    }
    Ok(writeln!(out, "]}}")?)
}

fn object(candidate: &Candidate) -> serde_json::Result<serde_json::Value> {
    let mut object = serde_json::to_value(&candidate.row)?;
    if let Some(mark) = &candidate.mark {
        object["mark"] = json!(mark.opinion);
        object["marked_by"] = json!(mark.by);
    }
    Ok(object)
}

/// What [`open::write_csv_line`] makes of each.
pub(super) fn csv(found: &Candidates, out: &mut dyn Write) -> io::Result<()> {
    open::write_csv_head(out)?;
    found.found.iter().try_for_each(|candidate| open::write_csv_line(candidate, out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_told_with_the_digits_that_matter() {
        let check = |number: f64, expected: &str| assert_eq!(score(number), expected);

        check(0.0, "0.0000");
        check(0.12345, "0.1235");
        check(-12.5, "-12.5000");
        check(0.000_012_3, "1.23e-5");
    }

    #[test]
    fn what_others_wrote_does_not_steer_a_terminal() {
        let row = Row {
            rank: 1,
            entity: "urn:a".to_owned(),
            score: 1.0,
            hop: 1,
            label: Some("\u{1b}[31mred\nline".to_owned()),
            types: Vec::new(),
            described: false,
            why: Vec::new(),
        };
        let shown = table([(&row, None)].into_iter(), true);
        assert!(!shown.contains('\u{1b}') && shown.lines().count() == 2, "{shown}");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut("Köln", 4), "Köln");
        assert_eq!(cut("Kölner", 4), "Köl…");
    }
}
