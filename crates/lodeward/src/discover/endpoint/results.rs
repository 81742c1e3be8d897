//! The results of queries, row by row.
//!
//! What an answer is written in is seen from its first bytes: servers declare
//! all sorts of things, and an error is often a page that says `200 OK`.

use std::cell::Cell;
use std::io::{BufReader, Cursor, Read};
use std::rc::Rc;

use encoding_rs::UTF_8;
use lodeward_markup::charset::Decoding;
use oxrdf::Term;
use sparesults::{QueryResultsFormat, QueryResultsParseError, QueryResultsParser, ReaderQueryResultsParserOutput};

use super::json;
use crate::extract::fault_of_stream;
use crate::model::{Fault, FaultKind};

/// What is looked at to see what an answer is written in.
const HEAD_BYTES: u64 = 1_024;

/// One solution: a column for each variable that our queries have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) subject: Option<Term>,
    pub(super) predicate: Option<Term>,
    pub(super) object: Option<Term>,
    pub(super) graph: Option<Term>,
    /// How many.
    pub(super) count: Option<Term>,
    /// How many of these have blank nodes.
    pub(super) blanks: Option<Term>,
}

impl Row {
    /// The column of a variable.
    pub(super) fn column(&mut self, variable: &str) -> Option<&mut Option<Term>> {
        Some(match variable {
            "s" => &mut self.subject,
            "p" => &mut self.predicate,
            "o" => &mut self.object,
            "g" => &mut self.graph,
            "n" => &mut self.count,
            "b" => &mut self.blanks,
            _ => return None,
        })
    }
}

/// A number that was counted.
pub(super) fn number(term: Option<&Term>) -> Option<u64> {
    let Some(Term::Literal(literal)) = term else { return None };
    // A sum may come as a decimal.
    let whole = literal.value().split('.').next().unwrap_or_default();
    whole.parse().ok()
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// As it should.
    Whole,
    /// Whoever took the rows wanted no more.
    Enough,
    /// Too early.
    Cut(Fault),
    /// It did not even begin: these are no results.
    NotResults(Fault),
}

/// What an answer was, besides its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Results {
    /// The short name of its syntax.
    pub(super) syntax: &'static str,
    /// The answer to `ASK`.
    pub(super) boolean: Option<bool>,
    pub(super) ending: Ending,
}

/// Takes results.
pub(super) trait Taker {
    /// They are in this syntax, by its short name.
    fn begin(&mut self, syntax: &'static str);
    /// Takes a row. Says whether it wants more of them.
    fn row(&mut self, row: Row) -> bool;
}

/// Reads an answer.
pub(super) fn read(mut body: Box<dyn Read + '_>, taker: &mut dyn Taker) -> Results {
    let mut head = Vec::new();
    if let Err(error) = body.by_ref().take(HEAD_BYTES).read_to_end(&mut head) {
        // What there is of it may still be rows; after an error there is nothing
        // to come but the same error.
        body = Box::new(Failing(Some(error)));
    }
    let format = format(&head);
    let whole = Cursor::new(head).chain(body);
    let utf_8 = |whole| Decoding::new(whole, UTF_8, Rc::new(Cell::new(false)));
    let (syntax, format) = match format {
        Some(QueryResultsFormat::Json) => {
            taker.begin(json::SYNTAX);
            return json::read(BufReader::new(utf_8(whole)), taker);
        }
        Some(format @ QueryResultsFormat::Xml) => ("sparql-xml", format),
        Some(format) => ("sparql-tsv", format),
        None => return not_results("other", "the answer is not the results of a query"),
    };
    taker.begin(syntax);
    let reader: Box<dyn Read> =
        if format == QueryResultsFormat::Xml { Box::new(whole) } else { Box::new(utf_8(whole)) };
    read_other(syntax, format, reader, taker)
}

fn read_other(
    syntax: &'static str,
    format: QueryResultsFormat,
    reader: Box<dyn Read + '_>,
    taker: &mut dyn Taker,
) -> Results {
    let solutions = match QueryResultsParser::from_format(format).for_reader(reader) {
        Ok(ReaderQueryResultsParserOutput::Solutions(solutions)) => solutions,
        Ok(ReaderQueryResultsParserOutput::Boolean(boolean)) => {
            return Results { syntax, boolean: Some(boolean), ending: Ending::Whole };
        }
        Err(error) => return Results { syntax, boolean: None, ending: Ending::NotResults(fault(error)) },
    };
    let ended = |ending| Results { syntax, boolean: None, ending };
    for solution in solutions {
        let solution = match solution {
            Ok(solution) => solution,
            Err(error) => return ended(Ending::Cut(fault(error))),
        };
        let mut row = Row::default();
        for (variable, term) in &solution {
            if let Some(column) = row.column(variable.as_str()) {
                *column = Some(term.clone());
            }
        }
        if !taker.row(row) {
            return ended(Ending::Enough);
        }
    }
    ended(Ending::Whole)
}

pub(super) fn not_results(syntax: &'static str, detail: &str) -> Results {
    let ending = Ending::NotResults(Fault::new(FaultKind::Syntax, detail));
    Results { syntax, boolean: None, ending }
}

fn fault(error: QueryResultsParseError) -> Fault {
    match error {
        QueryResultsParseError::Io(error) => fault_of_stream(&error),
        QueryResultsParseError::Syntax(error) => Fault::new(FaultKind::Syntax, error),
    }
}

/// What results are written in, if they are results.
fn format(head: &[u8]) -> Option<QueryResultsFormat> {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let is_xml = || text.contains("<sparql") || text.contains("http://www.w3.org/2005/sparql-results");
    match text.chars().next()? {
        '{' => Some(QueryResultsFormat::Json),
        '<' if is_xml() => Some(QueryResultsFormat::Xml),
        '?' => Some(QueryResultsFormat::Tsv),
        _ if matches!(text.trim_end(), "true" | "false") => Some(QueryResultsFormat::Tsv),
        _ => None,
    }
}

/// The end of an answer that broke off.
struct Failing(Option<std::io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

#[cfg(test)]
#[path = "results_tests.rs"]
mod tests;
