//! Query results as a text table.

use std::borrow::Cow;
use std::io::{self, Write};

use lodeward_app::display_text::single_line;
use lodeward_archive::sparql::{QueryError, QuerySolutions};
use oxrdf::vocab::xsd;
use oxrdf::{Term, Variable};

/// The widths of columns are chosen by this many rows, so that output starts early; later rows may be
/// wider.
const MEASURED_ROWS: usize = 200;

/// The maximum width of a column; longer values overflow and are not truncated.
const MAX_WIDTH: usize = 60;

/// Writes the table; rows after the first [`MEASURED_ROWS`] are written as they arrive.
pub(super) fn write(mut solutions: QuerySolutions, into: &mut impl Write) -> Result<u64, QueryError> {
    let variables = solutions.variables().to_vec();
    let names: Vec<String> = variables.iter().map(|variable| variable.as_str().to_owned()).collect();
    let mut first = Vec::new();
    for solution in solutions.by_ref().take(MEASURED_ROWS) {
        let solution = solution?;
        first.push(cells(&variables, |variable| solution.get(variable)));
    }
    let table = TextTable::new(names, &first);
    let mut rows = first.len() as u64;
    table.write_header(into).map_err(QueryError::Write)?;
    first.iter().try_for_each(|row| table.write_row(row, into)).map_err(QueryError::Write)?;
    for solution in solutions {
        let solution = solution?;
        table.write_row(&cells(&variables, |variable| solution.get(variable)), into).map_err(QueryError::Write)?;
        rows += 1;
    }
    writeln!(into, "({rows} row{})", if rows == 1 { "" } else { "s" }).map_err(QueryError::Write)?;
    Ok(rows)
}

fn cells<'a>(variables: &[Variable], value: impl Fn(&Variable) -> Option<&'a Term>) -> Vec<String> {
    variables.iter().map(|variable| value(variable).map_or_else(String::new, format_term)).collect()
}

/// A term in one line: numbers and plain strings without quotes, other terms as in Turtle, control
/// characters escaped.
fn format_term(term: &Term) -> String {
    let text = match term {
        Term::Literal(literal) => match literal.datatype() {
            _ if literal.language().is_some() => literal.to_string(),
            xsd::STRING | xsd::INTEGER | xsd::DECIMAL | xsd::DOUBLE | xsd::BOOLEAN => literal.value().to_owned(),
            _ => literal.to_string(),
        },
        term => term.to_string(),
    };
    // Escapes say what is there; what they leave is replaced.
    match single_line(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(_) => single_line(&text.escape_debug().to_string()).into_owned(),
    }
}

struct TextTable {
    names: Vec<String>,
    widths: Vec<usize>,
}

impl TextTable {
    fn new(names: Vec<String>, rows: &[Vec<String>]) -> Self {
        let width = |text: &String| text.chars().count();
        let widest = |column: usize| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0);
        let widths = names.iter().enumerate();
        let widths = widths.map(|(column, name)| widest(column).max(width(name)).min(MAX_WIDTH)).collect();
        Self { names, widths }
    }

    fn write_header(&self, into: &mut impl Write) -> io::Result<()> {
        self.write_row(&self.names, into)?;
        let rules: Vec<String> = self.widths.iter().map(|width| "─".repeat(*width)).collect();
        self.write_row(&rules, into)
    }

    fn write_row(&self, cells: &[String], into: &mut impl Write) -> io::Result<()> {
        let padded: Vec<String> =
            cells.iter().zip(&self.widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        writeln!(into, "{}", padded.join("  ").trim_end())
    }
}

#[cfg(test)]
mod tests {
    use oxrdf::{Literal, NamedNode};

    use super::*;

    #[test]
    fn columns_fit_their_widest_cell() {
        let rows = [vec!["a".to_owned(), "x".repeat(70)], vec!["longer".to_owned(), String::new()]];
        let table = TextTable::new(vec!["s".to_owned(), "o".to_owned()], &rows);
        let mut shown = Vec::new();

        table.write_header(&mut shown).unwrap();
        rows.iter().try_for_each(|row| table.write_row(row, &mut shown)).unwrap();

        let shown = String::from_utf8(shown).unwrap();
        let expected = format!("s       o\n──────  {}\na       {}\nlonger\n", "─".repeat(60), "x".repeat(70));
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_term_is_printed_in_one_line() {
        let check = |term: Term, shown: &str| assert_eq!(format_term(&term), shown);

        check(NamedNode::new("http://a.example/").unwrap().into(), "<http://a.example/>");
        check(
            NamedNode::new_unchecked("http://a.example/\u{202e}\u{9b}").into(),
            "<http://a.example/\\u{202e}\\u{9b}>",
        );
        check(Literal::from(7).into(), "7");
        check(Literal::new_simple_literal("a\nb").into(), "a\\nb");
        check(Literal::new_language_tagged_literal("chat", "fr").unwrap().into(), "\"chat\"@fr");
        check(
            Literal::new_typed_literal("2026-11-16", xsd::DATE).into(),
            "\"2026-11-16\"^^<http://www.w3.org/2001/XMLSchema#date>",
        );
    }
}
