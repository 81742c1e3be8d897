//! Tests that every limit stops every query, and that the error states the limit.

use std::sync::mpsc;
use std::time::Duration;

use lodeward_archive::sparql::{
    CancellationToken, DefaultGraph, QueryError, QueryLimit, QueryOptions, QueryOutput, ResultFormat, UpdateError,
    UpdateOptions,
};
use oxrdf::{GraphName, NamedNode, Quad};

use crate::engine::{ArchiveEngine, Engine, read};

/// A time limit that is long enough for a query to start, and short enough for tests.
const SHORT: Duration = Duration::from_millis(30);

/// 300 nodes in a ring of `p`, each with `q` to ten others.
fn ring() -> ArchiveEngine {
    let node = |number: u32| NamedNode::new_unchecked(format!("http://example.org/n{}", number % 300));
    let name = |name: &str| NamedNode::new_unchecked(format!("http://example.org/{name}"));
    let mut quads = Vec::new();
    for number in 0..300 {
        quads.push(Quad::new(node(number), name("p"), node(number + 1), GraphName::DefaultGraph));
        for step in 0..10 {
            quads.push(Quad::new(node(number), name("q"), node(number * 7 + step), name("g")));
        }
    }
    let mut ours = ArchiveEngine::new();
    ours.load(&quads).expect("loading succeeds");
    ours
}

fn values(variable: &str, rows: usize) -> String {
    let rows: Vec<_> = (0..rows).map(|row| row.to_string()).collect();
    format!("VALUES {variable} {{ {} }} ", rows.join(" "))
}

/// Queries that would take hours, each in a different operator.
fn endless() -> Vec<(&'static str, String)> {
    let cross: String = ["?a", "?b", "?c", "?d", "?e"].map(|variable| values(variable, 200)).concat();
    let triples = "?s1 ?p1 ?o1 . ?s2 ?p2 ?o2 . ?s3 ?p3 ?o3 . ?s4 ?p4 ?o4 ";
    // A filter that can be evaluated only when a row is complete.
    let never = "FILTER (CONCAT(STR(?s1), STR(?s2), STR(?s3), STR(?o4)) = \"\") ";
    let unions = "{ {} UNION {} } ".repeat(30);
    let empties = format!("VALUES () {{ {} }} ", "() ".repeat(50)).repeat(8);
    vec![
        ("a cross product of constants", format!("SELECT (COUNT(*) AS ?n) {{ {cross} }}")),
        ("one that a filter empties", format!("SELECT * {{ {cross} FILTER (?a + ?b + ?c + ?d + ?e < 0) }}")),
        ("a regular expression in one", format!("SELECT * {{ {cross} FILTER regex(STR(?a + ?e), \"^x+$\") }}")),
        ("rows without values", format!("SELECT (COUNT(*) AS ?n) {{ {unions} }}")),
        ("more rows without values", format!("SELECT (COUNT(*) AS ?n) {{ {empties} }}")),
        ("a join of everything", format!("SELECT (COUNT(*) AS ?n) {{ {triples} }}")),
        ("an order", format!("SELECT * {{ {triples} }} ORDER BY ?o4 ?s1")),
        ("groups", format!("SELECT ?s1 (COUNT(DISTINCT ?o4) AS ?n) {{ {triples} }} GROUP BY ?s1")),
        ("distinct rows", format!("SELECT (COUNT(*) AS ?n) {{ SELECT DISTINCT ?s1 ?o2 ?s3 ?o4 {{ {triples} }} }}")),
        ("ASK", format!("ASK {{ {triples} {never} }}")),
        ("EXISTS", format!("SELECT * {{ ?s ?p ?o FILTER EXISTS {{ {triples} {never} }} }}")),
        ("NOT EXISTS", format!("ASK {{ FILTER NOT EXISTS {{ {triples} {never} }} }}")),
        ("MINUS", format!("SELECT * {{ ?s1 ?p ?o MINUS {{ {triples} }} }}")),
        ("OPTIONAL", format!("SELECT (COUNT(*) AS ?n) {{ {triples} OPTIONAL {{ {triples} . ?s9 ?p9 ?o9 }} }}")),
        ("paths", format!("SELECT (COUNT(*) AS ?n) {{ ?a (<p>|<p>/<p>)+ ?b . ?b <p>+ ?c . ?c <p>* ?d . {triples} }}")),
        ("a construction", format!("CONSTRUCT {{ ?s1 ?p2 ?o3 }} {{ {triples} {never} }}")),
        ("a description", format!("DESCRIBE ?s1 {{ {triples} {never} }}")),
    ]
}

fn exhaust(ours: &ArchiveEngine, sparql: &str, options: &QueryOptions) -> Result<(), QueryError> {
    let options = QueryOptions { base_iri: Some("http://example.org/".to_owned()), ..options.clone() };
    match ours.archive.snapshot().query(sparql, &options)? {
        QueryOutput::Boolean(_) => Ok(()),
        QueryOutput::Solutions(mut rows) => rows.try_for_each(|row| row.map(drop)),
        QueryOutput::Graph(mut rows) => rows.try_for_each(|row| row.map(drop)),
    }
}

#[test]
fn the_time_limit_stops_any_query() {
    let ours = ring();
    for default_graph in [DefaultGraph::Own, DefaultGraph::Union] {
        for (what, sparql) in endless() {
            let options = QueryOptions { timeout: Some(SHORT), default_graph, ..QueryOptions::default() };
            let stopped = exhaust(&ours, &sparql, &options);
            assert!(matches!(stopped, Err(QueryError::Stopped(QueryLimit::Time(SHORT)))), "{what}: {stopped:?}");
        }
    }
}

#[test]
fn a_token_cancels_its_own_queries_only() {
    let ours = ring();
    for (what, sparql) in endless() {
        let options = QueryOptions::default();
        let (send_started, started) = mpsc::channel();
        let token = options.cancel.clone();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                started.recv().expect("the query starts");
                token.cancel();
            });
            send_started.send(()).expect("the receiver exists");
            let stopped = exhaust(&ours, &sparql, &options);
            assert!(matches!(stopped, Err(QueryError::Stopped(QueryLimit::Cancelled))), "{what}: {stopped:?}");
        });
        assert!(exhaust(&ours, "ASK { ?s ?p ?o }", &QueryOptions::default()).is_ok());
        assert!(exhaust(&ours, "ASK { ?s ?p ?o }", &options).is_err(), "a token must stay cancelled");
    }
}

#[test]
fn a_cancelled_result_ends_with_an_error() {
    let ours = ring();
    let cancel = CancellationToken::new();
    let options = QueryOptions { cancel: cancel.clone(), ..QueryOptions::default() };
    let Ok(QueryOutput::Solutions(mut rows)) = ours.archive.snapshot().query("SELECT * { ?s ?p ?o }", &options) else {
        panic!("rows")
    };
    assert!(rows.next().is_some_and(|row| row.is_ok()));
    cancel.cancel();
    assert!(matches!(rows.next(), Some(Err(QueryError::Stopped(QueryLimit::Cancelled)))));
    assert!(rows.next().is_none(), "the iterator must end after an error");
}

#[test]
fn exceeding_the_row_limit_is_an_error() {
    let ours = ring();
    let mut options = QueryOptions { max_rows: Some(300), ..QueryOptions::default() };
    assert!(exhaust(&ours, "SELECT * { ?s ?p ?o }", &options).is_ok(), "exactly at the limit");
    assert!(exhaust(&ours, "CONSTRUCT WHERE { ?s ?p ?o }", &options).is_ok());
    options.max_rows = Some(299);
    for sparql in ["SELECT * { ?s ?p ?o }", "CONSTRUCT WHERE { ?s ?p ?o }", "DESCRIBE ?s { ?s ?p ?o }"] {
        let stopped = exhaust(&ours, sparql, &options);
        assert!(matches!(stopped, Err(QueryError::Stopped(QueryLimit::Rows(299)))), "{stopped:?}");
        assert!(stopped.unwrap_err().to_string().contains("LIMIT"));
    }
    let mut written = Vec::new();
    let output = ours.archive.snapshot().query("SELECT * { ?s ?p ?o }", &options).expect("an output");
    assert!(output.write(ResultFormat::Json, &mut written).is_err());
    assert!(
        serde_json::from_slice::<serde_json::Value>(&written).is_err(),
        "a truncated result must not look complete"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_limit_stops_queries_that_collect_rows() {
    let ours = ring();
    let max = 32 << 20;
    let options = QueryOptions { max_memory_bytes: Some(max), ..QueryOptions::default() };
    for what in ["an order", "distinct rows", "OPTIONAL"] {
        let (_, sparql) = endless().into_iter().find(|(name, _)| *name == what).expect("a query with this name");
        let stopped = exhaust(&ours, &sparql, &options);
        assert!(
            matches!(stopped, Err(QueryError::Stopped(QueryLimit::Memory(at))) if at == max),
            "{what}: {stopped:?}"
        );
    }
}

#[test]
fn limits_that_are_not_reached_change_nothing() {
    let ours = ring();
    let options = QueryOptions {
        timeout: Some(Duration::MAX),
        max_rows: Some(u64::MAX),
        max_memory_bytes: Some(u64::MAX),
        ..QueryOptions::default()
    };
    let output = ours.archive.snapshot().query("SELECT * { ?s ?p ?o }", &options).expect("an output");
    assert!(matches!(read(output), Ok(crate::engine::Outcome::Rows { rows, .. }) if rows.len() == 300));
}

#[test]
fn a_stopped_update_changes_nothing() {
    let ours = ring();
    let before = ours.archive.snapshot().len().expect("a count");
    let (_, sparql) = endless().swap_remove(0);
    let pattern = sparql.split_once('{').expect("a pattern").1;
    let update = format!("INSERT DATA {{ <a> <b> <c> }} ; INSERT {{ <a> <b> ?a }} WHERE {{ {pattern}");
    let base_iri = Some("http://example.org/".to_owned());
    let options = UpdateOptions { base_iri, timeout: Some(SHORT), ..UpdateOptions::default() };
    let stopped = ours.archive.update(&update, &options);
    assert!(matches!(stopped, Err(UpdateError::Stopped(QueryLimit::Time(SHORT)))), "{stopped:?}");
    assert_eq!(ours.archive.snapshot().len().expect("a count"), before);
    options.cancel.cancel();
    let stopped = ours.archive.update("INSERT DATA { <a> <b> <c> }", &options);
    assert!(matches!(stopped, Err(UpdateError::Stopped(QueryLimit::Cancelled))), "{stopped:?}");
    assert_eq!(ours.archive.snapshot().len().expect("a count"), before);
}

#[test]
fn deep_queries_never_overflow_the_stack() {
    let ours = ring();
    let options = QueryOptions { timeout: Some(Duration::from_secs(1)), ..QueryOptions::default() };
    let deep = |open: &str, inside: &str, close: &str, times: usize| open.repeat(times) + inside + &close.repeat(times);
    for times in [10, 60, 100, 10_000] {
        for sparql in [
            format!("SELECT * {}", deep("{ ", "?s ?p ?o", " }", times)),
            format!("ASK {{ FILTER {} }}", deep("(", "1", ")", times)),
            format!("ASK {{ ?s {} ?o }}", deep("(", "<p:p>", ")", times)),
            format!("ASK {{ {} }}", deep("OPTIONAL { ?s ?p ?o ", "", " }", times)),
            format!("ASK {{ {} }}", deep("FILTER EXISTS { ?s ?p ?o ", "", " }", times)),
            format!("SELECT * {}", deep("{ SELECT * { ", "?s ?p ?o", " } }", times)),
        ] {
            // A time limit would stop the parser before it rejects the query.
            let options = if times == 10_000 { &QueryOptions::default() } else { &options };
            let outcome = exhaust(&ours, &sparql, options);
            assert!(times != 10_000 || matches!(outcome, Err(QueryError::Syntax(_))), "{outcome:?}");
        }
    }
    for times in [60, 5_000] {
        let numbered = |make: fn(usize) -> String| (0..times).map(make).collect::<String>();
        for pattern in [
            format!("FILTER ({})", vec!["?x = 1"; times].join(" || ")),
            format!("FILTER ({} = 2)", vec!["1"; times].join(" + ")),
            vec!["{ <a:a> ?p ?o }"; times].join(" UNION "),
            "OPTIONAL { <a:a> ?p ?o } ".repeat(times),
            format!("?s {} ?o", vec!["<p:p>"; times].join("/")),
            format!("?s ({})+ ?o", vec!["<p:p>"; times].join("/")),
            numbered(|at| format!("BIND (1 AS ?v{at}) ")),
            numbered(|at| format!("<a:a> ?p{at} ?s{at} . ")),
            "MINUS { <a:a> ?p ?o } ".repeat(times),
        ] {
            if times == 5_000 && pattern.contains("BIND") {
                continue; // The parser takes quadratic time for these.
            }
            let options = if times == 5_000 { &QueryOptions::default() } else { &options };
            let outcome = exhaust(&ours, &format!("ASK {{ {pattern} }}"), options);
            assert!(times != 5_000 || matches!(outcome, Err(QueryError::Syntax(_))), "{outcome:?}");
            let update = ours.archive.update(
                &format!("DELETE {{ <a:a> <a:a> ?o }} WHERE {{ {pattern} }}"),
                &UpdateOptions { timeout: options.timeout, ..UpdateOptions::default() },
            );
            assert!(times != 5_000 || matches!(update, Err(UpdateError::Syntax(_))), "{update:?}");
            drop(ours.archive.snapshot().explain(&format!("ASK {{ {pattern} }}"), options));
        }
    }
}

#[test]
fn a_deep_query_returns_the_same_results() {
    let ours = ring();
    let patterns = (0..250).map(|at| format!("?n{at} <p> ?n{} .", at + 1)).collect::<Vec<_>>().join(" ");
    let options = QueryOptions { base_iri: Some("http://example.org/".to_owned()), ..QueryOptions::default() };
    for (sparql, rows) in [
        (format!("SELECT ?n0 ?n250 {{ {patterns} }}"), 300),
        (format!("CONSTRUCT {{ ?n0 <far> ?n250 }} {{ {patterns} }}"), 300),
        (format!("ASK {{ {patterns} }}"), 1),
    ] {
        let output = ours.archive.snapshot().query(&sparql, &options).expect("an output");
        let format = output.kind().formats()[0];
        assert_eq!(output.write(format, std::io::sink()).expect("writing succeeds"), rows);
        let few = QueryOptions { max_rows: Some(10), ..options.clone() };
        assert_eq!(exhaust(&ours, &sparql, &few).is_err(), rows == 300);
    }
    // A result that is dropped early does not keep running.
    drop(ours.archive.snapshot().query(&format!("SELECT * {{ {patterns} ?a ?b ?c . ?d ?e ?f }}"), &options));
}
