//! Servers that mean no good, or do not know better.

use std::io::{Cursor, Read};

use super::{Harvested, Web, harvest, policy, query_of, status, text};
use crate::model::{FaultKind, Uri};

const NOTHING: &str = r#"{"head":{"vars":["s"]},"results":{"bindings":[]}}"#;

fn results(rows: &str) -> String {
    format!(r#"{{"head":{{"vars":[]}},"results":{{"bindings":[{rows}]}}}}"#)
}

fn uri(value: &str) -> String {
    format!(r#"{{"type":"uri","value":"{value}"}}"#)
}

fn number(value: u64) -> String {
    format!(r#"{{"type":"literal","value":"{value}","datatype":"http://www.w3.org/2001/XMLSchema#integer"}}"#)
}

/// A server of one graph of statements with one predicate, which answers to
/// questions about them with whatever it is given.
fn server(mut answer: impl FnMut(&str) -> Box<dyn Read>) -> impl Web {
    move |address: &Uri| {
        let Some(query) = query_of(address) else { return Ok(text("<html>a form</html>")) };
        let row = |row: String| Ok(text(&results(&row)));
        if query.ends_with("LIMIT 1") {
            row(format!(r#"{{"s":{}}}"#, uri("http://a.org/s")))
        } else if query.contains("SELECT ?g") {
            Ok(text(NOTHING))
        } else if query.contains("GROUP BY ?p") {
            row(format!(r#"{{"p":{},"n":{},"b":{}}}"#, uri("http://a.org/p"), number(5_000), number(0)))
        } else {
            Ok(answer(&query))
        }
    }
}

fn take(answer: impl FnMut(&str) -> Box<dyn Read>) -> Harvested {
    harvest(&mut server(answer), &policy(100))
}

fn rows(numbers: std::ops::Range<u32>) -> String {
    let row = |number| format!(r#"{{"s":{},"o":{}}}"#, uri(&format!("http://a.org/{number}")), number_of(number));
    numbers.map(row).collect::<Vec<_>>().join(",")
}

fn all(numbers: std::ops::Range<u32>) -> String {
    rows(numbers).replace(r#""o":"#, &format!(r#""p":{},"o":"#, uri("http://a.org/p")))
}

fn number_of(number: u32) -> String {
    self::number(number.into())
}

#[test]
fn an_address_that_is_no_endpoint_costs_two_requests_and_is_nobodys_fault() {
    let check = |answer: &str| {
        let mut web = |_: &Uri| Ok(text(answer));
        let harvested = harvest(&mut web, &policy(100));
        assert_eq!(harvested.requests.len(), 2, "{answer}");
        assert!(harvested.quads.is_empty() && harvested.faults.is_empty(), "{answer}: {:?}", harvested.faults);
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
fn an_endpoint_that_is_closed_is_not_asked_again() {
    for (code, requests) in [(401, 1), (403, 1), (410, 1), (404, 2), (400, 2)] {
        let mut web = |_: &Uri| Err(status(code));
        assert_eq!(harvest(&mut web, &policy(100)).requests.len(), requests, "{code}");
    }
}

#[test]
fn the_same_page_for_ever_is_taken_once_and_told() {
    let harvested = take(|_| text(&results(&rows(0..100))));

    assert_eq!(harvested.requests.len(), 6, "{:#?}", harvested.queries());
    assert!(harvested.faults.iter().any(|fault| fault.kind == FaultKind::Protocol), "{:?}", harvested.faults);
    assert!(harvested.quads.len() <= 2 * 100);
}

#[test]
fn the_same_subject_for_ever_ends() {
    let harvested = take(|_| text(&results(&vec![rows(3..4); 100].join(","))));

    assert!(harvested.requests.len() < 100, "{:#?}", harvested.queries());
}

#[test]
fn a_server_that_cannot_count_ends() {
    // It knows no order, and so its pages are numbered; but it has only one.
    let mut web = |address: &Uri| {
        let query = query_of(address).unwrap_or_default();
        let is_known = query.contains("LIMIT 1 ") || query.ends_with("LIMIT 1") || query.contains("OFFSET");
        if is_known { Ok(text(&results(&all(0..100)))) } else { Err(status(400)) }
    };

    let harvested = harvest(&mut web, &policy(100));

    assert!(harvested.requests.len() < 30, "{:#?}", harvested.queries());
    assert!(harvested.faults.iter().any(|fault| fault.kind == FaultKind::Protocol), "{:?}", harvested.faults);
}

#[test]
fn pages_that_are_no_results_end_the_chain_with_faults() {
    let check = |answer: &str| {
        let harvested = take(|_| text(answer));
        assert!(harvested.requests.len() < 40, "{answer}");
        assert!(harvested.quads.is_empty(), "{answer}");
        assert!(!harvested.faults.is_empty(), "{answer}");
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
fn rows_before_a_break_are_kept_and_the_rest_is_asked_for() {
    let harvested = take(|query| {
        let from = if query.contains("STR(?s) >") { 50 } else { 0 };
        if from == 0 {
            return text(&format!(r#"{{"head":{{}},"results":{{"bindings":[{},{{"s":{{"ty"#, rows(0..51)));
        }
        text(&results(&if query.contains("http://a.org/49") { rows(50..90) } else { String::new() }))
    });

    // The last subject of the broken page, number 50, came with the next one.
    let subjects: std::collections::HashSet<_> = harvested.quads.iter().map(|quad| quad.subject.to_string()).collect();
    assert!(harvested.queries().iter().any(|query| query.contains("\"http://a.org/49\"")));
    assert!(subjects.contains("<http://a.org/0>") && subjects.contains("<http://a.org/50>"));
    assert!(harvested.faults.iter().any(|fault| fault.kind == FaultKind::Truncated), "{:?}", harvested.faults);
}

#[test]
fn an_endless_answer_is_read_as_far_as_it_is_of_use() {
    struct Endless(u32, Cursor<Vec<u8>>);

    impl Read for Endless {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let len = self.1.read(into)?;
            if len > 0 {
                return Ok(len);
            }
            self.0 += 1;
            assert!(self.0 < 1_000, "nobody stops reading");
            self.1 = Cursor::new(format!("{},", rows(7..8)).into_bytes());
            self.1.read(into)
        }
    }

    let head = r#"{"head":{},"results":{"bindings":["#;
    let harvested = take(|query| {
        // Objects and what looks alike have other bounds: they are passed on.
        if query.contains("OFFSET") || query.contains("ORDER BY STR(?o)") {
            return text(NOTHING);
        }
        Box::new(Endless(0, Cursor::new(head.as_bytes().to_vec())))
    });

    assert!(harvested.requests.len() < 40, "{:#?}", harvested.queries());
}

#[test]
fn blank_nodes_of_virtuoso_are_blank_nodes() {
    let harvested = take(|query| {
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
fn names_that_are_no_iris_are_left_out_and_told() {
    let mut web = |address: &Uri| {
        let Some(query) = query_of(address) else { return Err(status(400)) };
        assert!(!query.contains("evil"), "{query}");
        let row = |row: String| Ok(text(&results(&row)));
        if query.ends_with("LIMIT 1") {
            row(format!(r#"{{"s":{}}}"#, uri("http://a.org/s")))
        } else if query.contains("GROUP BY ?g") {
            let count = number(5_000);
            let evil = uri("http://a.org/> { ?s ?p ?o } } # evil");
            row(format!(r#"{{"g":{evil},"n":{count}}},{{"g":{},"n":{count}}}"#, uri("http://a.org/g")))
        } else if query.contains("GROUP BY ?p") {
            row(format!(r#"{{"p":{},"n":{}}}"#, uri("evil relative"), number(9_000)))
        } else {
            Ok(text(NOTHING))
        }
    };

    let harvested = harvest(&mut web, &policy(100));

    let told: Vec<_> = harvested.faults.iter().map(|fault| fault.detail.as_str()).collect();
    assert!(told.iter().any(|detail| detail.contains("the graph `http://a.org/>")), "{told:?}");
    assert!(told.iter().any(|detail| detail.contains("9000 statements are left out")), "{told:?}");
}
