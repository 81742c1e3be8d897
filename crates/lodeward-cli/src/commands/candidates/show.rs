//! Candidates as a table, as JSON, as CSV.

use std::fmt::Write as _;
use std::io::{self, Write};

use lodeward::open::{Candidate, Candidates};
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

/// RFC 4180, with a header. Lists are separated by spaces, or by semicolons where
/// they are words. Before what a spreadsheet would take for a formula is a `'`.
pub(super) fn csv(found: &Candidates, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "rank,entity,score,hop,label,types,described,mark,why\r\n")?;
    for Candidate { row, mark } in &found.found {
        let why: Vec<&str> = row.why.iter().map(|reason| reason.words.as_str()).collect();
        let cells = [
            row.rank.to_string(),
            row.entity.clone(),
            row.score.to_string(),
            row.hop.to_string(),
            row.label.clone().unwrap_or_default(),
            row.types.join(" "),
            row.described.to_string(),
            mark.as_ref().map_or("", |mark| mark.opinion.name()).to_owned(),
            why.join("; "),
        ];
        write!(out, "{}\r\n", cells.map(|cell| field(&clean(&cell))).join(","))?;
    }
    Ok(())
}

fn field(text: &str) -> String {
    let text = if is_formula(text) { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// Whether a spreadsheet would compute what strangers wrote, instead of showing it.
fn is_formula(text: &str) -> bool {
    let begins = text.trim_start().starts_with(['=', '+', '-', '@']);
    begins && !text.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_csv_are_quoted_where_they_must_be() {
        let check = |text: &str, expected: &str| assert_eq!(field(text), expected);

        check("Dom", "Dom");
        check("Dom, der", "\"Dom, der\"");
        check("\"Dom\"", "\"\"\"Dom\"\"\"");
        check("=HYPERLINK(\"http://a.example/\")", "\"'=HYPERLINK(\"\"http://a.example/\"\")\"");
        check("@SUM(1+9)", "'@SUM(1+9)");
        check(" +1+2", "' +1+2");
        check("-inf", "'-inf");
        check("- und dann", "'- und dann");
        check("-12.5", "-12.5");
        check("a=b", "a=b");
    }

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
