//! Hostile and broken servers.

use std::io::{Cursor, Read};

use super::{Harvested, Web, harvest, policy, query_of, status, text};
use crate::model::{FaultKind, Uri};

const NOTHING: &str = r#"{"head":{"vars":["s"]},"results":{"bindings":[]}}"#;

fn results(rows: &str) -> String {
    format!(r#"{{"head":{{"vars":[]}},"results":{{"bindings":[{rows}]}}}}"#)
}

fn uri_term(value: &str) -> String {
    format!(r#"{{"type":"uri","value":"{value}"}}"#)
}

fn number(value: u64) -> String {
    format!(r#"{{"type":"literal","value":"{value}","datatype":"http://www.w3.org/2001/XMLSchema#integer"}}"#)
}

/// A server with one graph and one predicate. Queries for its statements are answered by `respond`.
fn server(mut respond: impl FnMut(&str) -> Box<dyn Read>) -> impl Web {
    move |uri: &Uri| {
        let Some(query) = query_of(uri) else { return Ok(text("<html>a form</html>")) };
        let row = |row: String| Ok(text(&results(&row)));
        if query.ends_with("LIMIT 1") {
            row(format!(r#"{{"s":{}}}"#, uri_term("http://a.org/s")))
        } else if query.contains("SELECT ?g") {
            Ok(text(NOTHING))
        } else if query.contains("GROUP BY ?p") {
            row(format!(r#"{{"p":{},"n":{},"b":{}}}"#, uri_term("http://a.org/p"), number(5_000), number(0)))
        } else {
            Ok(respond(&query))
        }
    }
}

fn run(respond: impl FnMut(&str) -> Box<dyn Read>) -> Harvested {
    harvest(&mut server(respond), &policy(100))
}

fn rows(numbers: std::ops::Range<u32>) -> String {
    let row = |number| format!(r#"{{"s":{},"o":{}}}"#, uri_term(&format!("http://a.org/{number}")), number_of(number));
    numbers.map(row).collect::<Vec<_>>().join(",")
}

fn all(numbers: std::ops::Range<u32>) -> String {
    rows(numbers).replace(r#""o":"#, &format!(r#""p":{},"o":"#, uri_term("http://a.org/p")))
}

fn number_of(number: u32) -> String {
    self::number(number.into())
}

#[test]
fn url_without_endpoint_costs_two_requests_and_no_fault() {
    let check = |response: &str| {
        let mut web = |_: &Uri| Ok(text(response));
        let harvested = harvest(&mut web, &policy(100));
        assert_eq!(harvested.requests.len(), 2, "{response}");
        assert!(harvested.quads.is_empty() && harvested.faults.is_empty(), "{response}: {:?}", harvested.faults);
    };

    check("<!DOCTYPE html><html><body>Welcome</body></html>");
    check("");
    check("not found");
    check("{}");
    check(r#"{"results": "none"}"#);
    check(r#"{"results": {"bindings": 7}}"#);
    check("[1, 2]");
    check("<sparql");
    check("<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"/>");
}

#[test]
fn closed_endpoint_is_not_queried_again() {
    for (code, requests) in [(401, 1), (403, 1), (410, 1), (404, 2), (400, 2)] {
        let mut web = |_: &Uri| Err(status(code));
        assert_eq!(harvest(&mut web, &policy(100)).requests.len(), requests, "{code}");
    }
}

#[test]
fn repeated_page_is_stored_once_and_reported() {
    let harvested = run(|_| text(&results(&rows(0..100))));

    assert_eq!(harvested.requests.len(), 6, "{:#?}", harvested.queries());
    assert!(harvested.faults.iter().any(|fault| fault.kind == FaultKind::Protocol), "{:?}", harvested.faults);
    assert!(harvested.quads.len() <= 2 * 100);
}

#[test]
fn repeated_subject_ends_the_chain() {
    let harvested = run(|_| text(&results(&vec![rows(3..4); 100].join(","))));

    assert!(harvested.requests.len() < 100, "{:#?}", harvested.queries());
}

#[test]
fn server_that_ignores_offsets_ends_the_chain() {
    // It does not support ordering, so its pages have offsets; but it has only one page.
    let mut web = |uri: &Uri| {
        let query = query_of(uri).unwrap_or_default();
        let is_known = query.contains("LIMIT 1 ") || query.ends_with("LIMIT 1") || query.contains("OFFSET");
        if is_known { Ok(text(&results(&all(0..100)))) } else { Err(status(400)) }
    };

    let harvested = harvest(&mut web, &policy(100));

    assert!(harvested.requests.len() < 30, "{:#?}", harvested.queries());
    assert!(harvested.faults.iter().any(|fault| fault.kind == FaultKind::Protocol), "{:?}", harvested.faults);
}

#[test]
fn repeated_list_ends() {
    for refused in ["ORDER BY", "nothing"] {
        let mut web = |uri: &Uri| {
            let query = query_of(uri).unwrap_or_default();
            if query.contains(refused)
                || query.contains("?o") && !query.contains("GROUP BY") && !query.ends_with("LIMIT 1")
            {
                return Err(status(400));
            }
            let graph = |number: u32| {
                format!(r#"{{"g":{},"n":{}}}"#, uri_term(&format!("http://a.org/{number}")), number_of(number + 1))
            };
            Ok(text(&results(&(0..60).map(graph).collect::<Vec<_>>().join(","))))
        };

        let harvested = harvest(&mut web, &policy(100));

        assert!(harvested.requests.len() < 300, "{:#?}", harvested.queries());
    }
}

#[test]
fn pages_that_are_not_results_end_the_chain_with_faults() {
    let check = |response: &str| {
        let harvested = run(|_| text(response));
        assert!(harvested.requests.len() < 40, "{response}");
        assert!(harvested.quads.is_empty(), "{response}");
        assert!(!harvested.faults.is_empty(), "{response}");
    };

    check("<html>Virtuoso 42000 Error The estimated execution time exceeds the limit</html>");
    check("Virtuoso S1T00 Error SR171: Transaction timed out");
    check("");
    check(r#"{"error": "too much"}"#);
    check(&results(r#"{"x":{"type":"uri","value":"http://a.org/"}}"#));
    check(&results(r#"{"s":null,"o":{"type":"uri","value":"http://a.org/"}}"#));
    check(&results(r#"{"s":{"type":"literal","value":"s"},"o":{"type":"literal","value":"s"}}"#));
    check(&results(r#"{"s":{"type":"triple","value":{"subject":{}}},"o":{"type":7,"value":[]}}"#));
    check(r#"{"head":{},"results":{"bindings":["#);
    check(r#"{"head":{},"boolean":true}"#);
}

#[test]
fn rows_before_a_truncation_are_stored_and_the_rest_is_requested() {
    let harvested = run(|query| {
        let from = if query.contains("STR(?s) >") { 50 } else { 0 };
        if from == 0 {
            return text(&format!(r#"{{"head":{{}},"results":{{"bindings":[{},{{"s":{{"ty"#, rows(0..51)));
        }
        text(&results(&if query.contains("http://a.org/49") { rows(50..90) } else { String::new() }))
    });

    // The last subject of the truncated page, number 50, comes with the next one.
    let subjects: std::collections::HashSet<_> = harvested.quads.iter().map(|quad| quad.subject.to_string()).collect();
    assert!(harvested.queries().iter().any(|query| query.contains("\"http://a.org/49\"")));
    assert!(subjects.contains("<http://a.org/0>") && subjects.contains("<http://a.org/50>"));
    assert!(harvested.faults.iter().any(|fault| fault.kind == FaultKind::Truncated), "{:?}", harvested.faults);
}

#[test]
fn endless_result_is_read_up_to_the_limit() {
    struct Endless(u32, Cursor<Vec<u8>>);

    impl Read for Endless {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let len = self.1.read(into)?;
            if len > 0 {
                return Ok(len);
            }
            self.0 += 1;
            assert!(self.0 < 1_000, "reading does not stop");
            self.1 = Cursor::new(format!("{},", rows(7..8)).into_bytes());
            self.1.read(into)
        }
    }

    let head = r#"{"head":{},"results":{"bindings":["#;
    let harvested = run(|query| {
        // Objects and equal keys have other limits: they are passed on.
        if query.contains("OFFSET") || query.contains("ORDER BY STR(?o)") {
            return text(NOTHING);
        }
        Box::new(Endless(0, Cursor::new(head.as_bytes().to_vec())))
    });

    assert!(harvested.requests.len() < 40, "{:#?}", harvested.queries());
}

#[test]
fn blank_node_labels_of_virtuoso_are_accepted() {
    let harvested = run(|query| {
        let blank = |label| format!(r#"{{"type":"bnode","value":"nodeID://{label}"}}"#);
        if query.contains("OFFSET") || query.contains("STR(?s) >") {
            return text(NOTHING);
        }
        text(&results(&format!(
            r#"{{"s":{},"o":{}}},{{"s":{},"o":{}}}"#,
            blank("b1"),
            blank("b2"),
            blank("b2"),
            blank("b1")
        )))
    });

    assert!(harvested.quads.iter().all(|quad| quad.subject.is_blank_node() && quad.object.is_blank_node()));
}

#[test]
fn invalid_names_are_skipped_and_reported() {
    let mut web = |uri: &Uri| {
        let Some(query) = query_of(uri) else { return Err(status(400)) };
        assert!(!query.contains("evil"), "{query}");
        let row = |row: String| Ok(text(&results(&row)));
        if query.ends_with("LIMIT 1") {
            row(format!(r#"{{"s":{}}}"#, uri_term("http://a.org/s")))
        } else if query.contains("GROUP BY ?g") {
            let count = number(5_000);
            let evil = uri_term("http://a.org/> { ?s ?p ?o } } # evil");
            row(format!(r#"{{"g":{evil},"n":{count}}},{{"g":{},"n":{count}}}"#, uri_term("http://a.org/g")))
        } else if query.contains("GROUP BY ?p") {
            row(format!(r#"{{"p":{},"n":{}}}"#, uri_term("evil relative"), number(9_000)))
        } else {
            Ok(text(NOTHING))
        }
    };

    let harvested = harvest(&mut web, &policy(100));

    let details: Vec<_> = harvested.faults.iter().map(|fault| fault.detail.as_str()).collect();
    assert!(details.iter().any(|detail| detail.contains("graph `http://a.org/>")), "{details:?}");
    assert!(details.iter().any(|detail| detail.contains("9000 statements skipped")), "{details:?}");
}

/// Repeats a row without an end, and counts the rows read.
struct EndlessRows {
    row: Vec<u8>,
    at: usize,
    rows: std::rc::Rc<std::cell::Cell<usize>>,
}

impl Read for EndlessRows {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.row.len() {
            self.at = 0;
            self.rows.set(self.rows.get() + 1);
        }
        let read = (&self.row[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

#[test]
fn rows_held_in_memory_are_limited_by_their_size() {
    let count = std::rc::Rc::new(std::cell::Cell::new(0));
    let mut pages = 0;
    run(|_| {
        pages += 1;
        if pages > 1 {
            return text(NOTHING);
        }
        let start = r#"{"head":{"vars":[]},"results":{"bindings":["#.as_bytes();
        let value = "x".repeat(1 << 20);
        let row = format!(r#"{{"s":{},"o":{{"type":"literal","value":"{value}"}}}},"#, uri_term("http://a.org/s"));
        Box::new(Cursor::new(start).chain(EndlessRows { row: row.into_bytes(), at: 0, rows: count.clone() }))
    });
    assert!((30..40).contains(&count.get()), "{} rows of a megabyte", count.get());
}
