//! Tests with results as written by real servers.

use std::io::Cursor;

use super::*;

#[derive(Default)]
struct RecordedResults {
    syntax: &'static str,
    rows: Vec<SolutionRow>,
    max_rows: usize,
}

impl RowSink for RecordedResults {
    fn begin_syntax(&mut self, syntax: &'static str) {
        self.syntax = syntax;
    }

    fn row(&mut self, row: SolutionRow) -> bool {
        self.rows.push(row);
        self.rows.len() < self.max_rows
    }
}

fn read_text(text: &str) -> (ResultsSummary, RecordedResults) {
    let mut rows = RecordedResults { max_rows: 10, ..RecordedResults::default() };
    let results = read(Box::new(Cursor::new(text.as_bytes().to_vec())), &mut rows);
    (results, rows)
}

const EMPTY: &str = r#"{"head":{"link":[],"vars":["s"]},"results":{"distinct":false,"ordered":true,"bindings":[]}}"#;

#[test]
fn format_is_detected_from_the_content() {
    let check = |text: &str, syntax: &str, boolean: Option<bool>| {
        let (results, _) = read_text(text);
        assert_eq!(
            (results.syntax, results.boolean, results.ending),
            (syntax, boolean, ResultsEnd::Complete),
            "{text}"
        );
    };

    check(EMPTY, "sparql-json", None);
    check(&format!("\u{feff}\n {EMPTY}"), "sparql-json", None);
    check(r#"{"head":{},"boolean":false}"#, "sparql-json", Some(false));
    check(r#"{"boolean":true,"head":{}}"#, "sparql-json", Some(true));
    check("?s\t?o\n", "sparql-tsv", None);
    check("true\n", "sparql-tsv", Some(true));
    check(
        "<?xml version=\"1.0\"?>\n<sparql xmlns=\"http://www.w3.org/2005/sparql-results#\"><head/>\
         <boolean>true</boolean></sparql>",
        "sparql-xml",
        Some(true),
    );
}

#[test]
fn all_forms_of_terms_are_read() {
    let check = |written: &str, expected: Option<&str>| {
        let (results, rows) = read_text(&format!(r#"{{"results":{{"bindings":[{{"o":{written},"x":[{{}}]}}]}}}}"#));
        assert_eq!(results.ending, ResultsEnd::Complete, "{written}");
        assert_eq!(rows.rows[0].object.as_ref().map(ToString::to_string).as_deref(), expected, "{written}");
    };

    check(r#"{"type":"uri","value":"http://a.org/ x"}"#, Some("<http://a.org/ x>"));
    check(r#"{"type":"literal","value":"a\"\u00fc"}"#, Some("\"a\\\"ü\""));
    check(r#"{"type":"literal","value":"a","xml:lang":"en-GB"}"#, Some("\"a\"@en-GB"));
    check(r#"{"value":"1","datatype":"http://a.org/t","type":"typed-literal"}"#, Some("\"1\"^^<http://a.org/t>"));
    check(r#"{"type":"literal","value":7}"#, Some("\"7\""));
    check(r#"{"type":"bnode","value":"b0"}"#, Some("_:b0"));
    check(r#"{"type":"triple","value":{"subject":{"type":"uri"}}}"#, None);
    check(r#"{"type":"uri"}"#, None);
    check("null", None);
    check("{}", None);
}

#[test]
fn unusual_blank_node_labels_stay_distinct() {
    let node = |label: &str| format!(r#"{{"type":"bnode","value":"nodeID://{label}"}}"#);
    let (_, rows) = read_text(&format!(
        r#"{{"results":{{"bindings":[{{"s":{},"o":{}}},{{"s":{}}}]}}}}"#,
        node("b1"),
        node("b2"),
        node("b1")
    ));

    assert!(matches!(rows.rows[0].subject, Some(Term::BlankNode(_))));
    assert_eq!(rows.rows[0].subject, rows.rows[1].subject);
    assert_ne!(rows.rows[0].subject, rows.rows[0].object);
}

#[test]
fn rows_of_a_truncated_result_are_returned() {
    let row = r#"{"s":{"type":"uri","value":"http://a.org/"}}"#;
    let check = |text: &str, rows_expected: usize, kind: FaultKind| {
        let (results, rows) = read_text(text);
        let ResultsEnd::Truncated(fault) = results.ending else { panic!("{text}: {:?}", results.ending) };
        assert_eq!((rows.rows.len(), fault.kind), (rows_expected, kind), "{text}");
    };

    check(&format!(r#"{{"results":{{"bindings":[{row},{row}"#), 2, FaultKind::Truncated);
    check(&format!(r#"{{"results":{{"bindings":[{row},{{"s":{{"typ"#), 1, FaultKind::Truncated);
    check(&format!(r#"{{"results":{{"bindings":[{row}, Virtuoso S1T00 Error"#), 1, FaultKind::Syntax);
}

#[test]
fn other_content_is_not_a_result() {
    for text in ["", "<html/>", "{}", "{", "[]", r#"{"results":{}}"#, r#"{"error":"x"}"#, "a,b\n1,2\n", "<sparql>"] {
        let (results, rows) = read_text(text);
        assert!(matches!(results.ending, ResultsEnd::NotResults(_)), "{text}: {:?}", results.ending);
        assert!(rows.rows.is_empty());
    }
}

#[test]
fn reading_stops_when_the_sink_stops() {
    let row = r#"{"s":{"type":"uri","value":"http://a.org/"}}"#;
    let (results, rows) = read_text(&format!(r#"{{"results":{{"bindings":[{}]}}}}"#, vec![row; 30].join(",")));

    assert_eq!((results.ending, rows.rows.len()), (ResultsEnd::Stopped, 10));
}

#[test]
fn counts_are_read_from_integers_and_decimals() {
    let check = |text: &str, expected: Option<u64>| {
        assert_eq!(parse_count(Some(&oxrdf::Literal::new_simple_literal(text).into())), expected, "{text}");
    };

    check("12", Some(12));
    check("12.0", Some(12));
    check("-1", None);
    check("many", None);
    check("", None);
    assert_eq!(parse_count(None), None);
}

/// Repeats its text without an end, and counts the bytes read.
struct EndlessText<'a> {
    text: &'static [u8],
    read: &'a Cell<u64>,
}

impl Read for EndlessText<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for (at, byte) in buffer.iter_mut().enumerate() {
            *byte = self.text[(at + usize::try_from(self.read.get()).unwrap()) % self.text.len()];
        }
        self.read.set(self.read.get() + buffer.len() as u64);
        Ok(buffer.len())
    }
}

#[test]
fn a_row_without_an_end_is_not_read() {
    for start in [
        r#"{"head":{"vars":["s"]},"results":{"bindings":[{"s":{"type":"literal","value":""#,
        r#"{"head":{"vars":["s"]},"results":{"bindings":[{""#,
        r#"{""#,
        "?s\n\"",
        r#"<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="s"/></head><results><result><binding name="s"><literal>"#,
    ] {
        let count = Cell::new(0);
        let body = Cursor::new(start.as_bytes()).chain(EndlessText { text: b"abc ", read: &count });
        let mut rows = RecordedResults { max_rows: 10, ..RecordedResults::default() };
        let results = read(Box::new(body), &mut rows);
        let (ResultsEnd::Truncated(fault) | ResultsEnd::NotResults(fault)) = results.ending else { panic!("{start}") };
        assert_eq!((rows.rows.len(), fault.kind), (0, FaultKind::Limit), "{start}: {fault}");
        assert!(count.get() < MAX_ROW_BYTES * 2, "{start}: {}", count.get());
    }
}
