//! Reads the results of queries, row by row.
//!
//! The format is detected from the first bytes: the declared media types are unreliable, and an error is often a page
//! with status 200.

use std::cell::Cell;
use std::io::{BufReader, Cursor, Read};
use std::rc::Rc;

use encoding_rs::UTF_8;
use lodeward_rdf::charset::Utf8Reader;
use oxrdf::Term;
use sparesults::{QueryResultsFormat, QueryResultsParseError, QueryResultsParser, ReaderQueryResultsParserOutput};

use super::json;
use crate::model::{Fault, FaultKind, StreamFault, stream_fault};

/// Number of bytes inspected to detect the format.
const HEAD_BYTES: u64 = 1_024;

/// A solution, with a column for each variable of the queries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SolutionRow {
    pub(super) subject: Option<Term>,
    pub(super) predicate: Option<Term>,
    pub(super) object: Option<Term>,
    pub(super) graph: Option<Term>,
    /// The number of statements.
    pub(super) count: Option<Term>,
    /// The number of statements with blank nodes.
    pub(super) blanks: Option<Term>,
}

impl SolutionRow {
    /// The size of its terms.
    pub(super) fn size(&self) -> usize {
        let columns = [&self.subject, &self.predicate, &self.object, &self.graph, &self.count, &self.blanks];
        columns.into_iter().flatten().map(term_size).sum()
    }

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

/// The size of a term in memory.
fn term_size(term: &Term) -> usize {
    const OVERHEAD: usize = 64;
    OVERHEAD
        + match term {
            Term::NamedNode(node) => node.as_str().len(),
            Term::BlankNode(node) => node.as_str().len(),
            Term::Literal(literal) => literal.value().len() + literal.datatype().as_str().len(),
        }
}

/// Parses the value of a count.
pub(super) fn parse_count(term: Option<&Term>) -> Option<u64> {
    let Some(Term::Literal(literal)) = term else { return None };
    // A sum may be a decimal.
    let integer = literal.value().split('.').next().unwrap_or_default();
    integer.parse().ok()
}

/// How a result ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ResultsEnd {
    /// The result was read completely.
    Complete,
    /// The sink requested no more rows.
    Stopped,
    /// The result was truncated.
    Truncated(Fault),
    /// The response is not a SPARQL result.
    NotResults(Fault),
}

/// The properties of a result besides its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResultsSummary {
    /// The short name of its format.
    pub(super) syntax: &'static str,
    /// The result of `ASK`.
    pub(super) boolean: Option<bool>,
    pub(super) ending: ResultsEnd,
}

/// Receives rows.
pub(super) trait RowSink {
    /// Starts a result in this format, by its short name.
    fn begin_syntax(&mut self, syntax: &'static str);
    /// Receives a row. Returns whether to continue.
    fn row(&mut self, row: SolutionRow) -> bool;
}

/// Maximum size of the rows of a result that are held in memory.
pub(super) const MAX_HELD_BYTES: usize = 32 << 20;

/// Maximum size of a row. Without this limit, a literal without an end would fill the memory.
const MAX_ROW_BYTES: u64 = 8 << 20;

/// Reads a result.
pub(super) fn read(body: Box<dyn Read + '_>, sink: &mut dyn RowSink) -> ResultsSummary {
    let row_bytes = Rc::new(Cell::new(0));
    let body = RowBytesReader { inner: body, row_bytes: Rc::clone(&row_bytes) };
    read_rows(Box::new(body), &mut RowBytesSink { inner: sink, row_bytes })
}

/// A body that fails if a row is too long.
struct RowBytesReader<R> {
    inner: R,
    /// Number of bytes since the last row.
    row_bytes: Rc<Cell<u64>>,
}

impl<R: Read> Read for RowBytesReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.row_bytes.get() > MAX_ROW_BYTES {
            let detail = format!("a row of the result has more than {MAX_ROW_BYTES} bytes");
            return Err(std::io::Error::other(StreamFault(Fault::new(FaultKind::Limit, detail))));
        }
        let read = self.inner.read(buffer)?;
        self.row_bytes.set(self.row_bytes.get() + read as u64);
        Ok(read)
    }
}

/// A sink that marks the end of each row for the [`RowBytesReader`].
struct RowBytesSink<'a> {
    inner: &'a mut dyn RowSink,
    row_bytes: Rc<Cell<u64>>,
}

impl RowSink for RowBytesSink<'_> {
    fn begin_syntax(&mut self, syntax: &'static str) {
        self.inner.begin_syntax(syntax);
    }

    fn row(&mut self, row: SolutionRow) -> bool {
        self.row_bytes.set(0);
        self.inner.row(row)
    }
}

fn read_rows(mut body: Box<dyn Read + '_>, sink: &mut dyn RowSink) -> ResultsSummary {
    let mut head = Vec::new();
    if let Err(error) = body.by_ref().take(HEAD_BYTES).read_to_end(&mut head) {
        // The bytes received before the error may contain rows; the error is returned after them.
        body = Box::new(ResultsFailure(Some(error)));
    }
    let format = detect_format(&head);
    let input = Cursor::new(head).chain(body);
    let utf_8 = |input| Utf8Reader::new(input, UTF_8, Rc::new(Cell::new(false)));
    let (syntax, format) = match format {
        Some(QueryResultsFormat::Json) => {
            sink.begin_syntax(json::SYNTAX);
            return json::read(BufReader::new(utf_8(input)), sink);
        }
        Some(format @ QueryResultsFormat::Xml) => ("sparql-xml", format),
        Some(format) => ("sparql-tsv", format),
        None => return not_results("other", "the response is not a SPARQL result"),
    };
    sink.begin_syntax(syntax);
    let reader: Box<dyn Read> =
        if format == QueryResultsFormat::Xml { Box::new(input) } else { Box::new(utf_8(input)) };
    read_non_json(syntax, format, reader, sink)
}

fn read_non_json(
    syntax: &'static str,
    format: QueryResultsFormat,
    reader: Box<dyn Read + '_>,
    sink: &mut dyn RowSink,
) -> ResultsSummary {
    let solutions = match QueryResultsParser::from_format(format).for_reader(reader) {
        Ok(ReaderQueryResultsParserOutput::Solutions(solutions)) => solutions,
        Ok(ReaderQueryResultsParserOutput::Boolean(boolean)) => {
            return ResultsSummary { syntax, boolean: Some(boolean), ending: ResultsEnd::Complete };
        }
        Err(error) => return ResultsSummary { syntax, boolean: None, ending: ResultsEnd::NotResults(fault(error)) },
    };
    let ended = |ending| ResultsSummary { syntax, boolean: None, ending };
    for solution in solutions {
        let solution = match solution {
            Ok(solution) => solution,
            Err(error) => return ended(ResultsEnd::Truncated(fault(error))),
        };
        let mut row = SolutionRow::default();
        for (variable, term) in &solution {
            if let Some(column) = row.column(variable.as_str()) {
                *column = Some(term.clone());
            }
        }
        if !sink.row(row) {
            return ended(ResultsEnd::Stopped);
        }
    }
    ended(ResultsEnd::Complete)
}

pub(super) fn not_results(syntax: &'static str, detail: &str) -> ResultsSummary {
    let ending = ResultsEnd::NotResults(Fault::new(FaultKind::Syntax, detail));
    ResultsSummary { syntax, boolean: None, ending }
}

fn fault(error: QueryResultsParseError) -> Fault {
    match error {
        QueryResultsParseError::Io(error) => stream_fault(&error),
        QueryResultsParseError::Syntax(error) => Fault::new(FaultKind::Syntax, error),
    }
}

/// The format of a result; `None` if the response is not a SPARQL result.
fn detect_format(head: &[u8]) -> Option<QueryResultsFormat> {
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

/// A reader that fails with the error of a truncated response.
struct ResultsFailure(Option<std::io::Error>);

impl Read for ResultsFailure {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

#[cfg(test)]
#[path = "results_tests.rs"]
mod tests;
