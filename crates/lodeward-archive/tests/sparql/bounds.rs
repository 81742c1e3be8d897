//! Every bound stops every query, and says which it was.

use std::sync::mpsc;
use std::time::Duration;

use lodeward_archive::sparql::{
    Answer, AnswerFormat, CancellationToken, DefaultGraph, QueryError, QueryOptions, Stopped, UpdateError,
    UpdateOptions,
};
use oxrdf::{GraphName, NamedNode, Quad};

use crate::engine::{Engine, Ours, read};

/// Long enough to begin, and to be over before anybody waits for it.
const SHORT: Duration = Duration::from_millis(30);

/// 300 nodes in a ring of `p`, each of which also has `q` to ten others.
fn ring() -> Ours {
    let node = |number: u32| NamedNode::new_unchecked(format!("http://example.org/n{}", number % 300));
    let name = |name: &str| NamedNode::new_unchecked(format!("http://example.org/{name}"));
    let mut quads = Vec::new();
    for number in 0..300 {
        quads.push(Quad::new(node(number), name("p"), node(number + 1), GraphName::DefaultGraph));
        for step in 0..10 {
            quads.push(Quad::new(node(number), name("q"), node(number * 7 + step), name("g")));
        }
    }
    let mut ours = Ours::new();
    ours.load(&quads).expect("it can be loaded");
    ours
}

fn values(variable: &str, rows: usize) -> String {
    let rows: Vec<_> = (0..rows).map(|row| row.to_string()).collect();
    format!("VALUES {variable} {{ {} }} ", rows.join(" "))
}

/// Queries that would take hours, by where they spend them.
fn endless() -> Vec<(&'static str, String)> {
    let cross: String = ["?a", "?b", "?c", "?d", "?e"].map(|variable| values(variable, 200)).concat();
    let triples = "?s1 ?p1 ?o1 . ?s2 ?p2 ?o2 . ?s3 ?p3 ?o3 . ?s4 ?p4 ?o4 ";
    // Not before the last row is whole can anybody tell that it is not wanted.
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

fn exhaust(ours: &Ours, sparql: &str, options: &QueryOptions) -> Result<(), QueryError> {
    let options = QueryOptions { base_iri: Some("http://example.org/".to_owned()), ..options.clone() };
    match ours.archive.snapshot().query(sparql, &options)? {
        Answer::Boolean(_) => Ok(()),
        Answer::Solutions(mut rows) => rows.try_for_each(|row| row.map(drop)),
        Answer::Graph(mut rows) => rows.try_for_each(|row| row.map(drop)),
    }
}

#[test]
fn time_stops_any_query() {
    let ours = ring();
    for default_graph in [DefaultGraph::Own, DefaultGraph::Union] {
        for (what, sparql) in endless() {
            let options = QueryOptions { timeout: Some(SHORT), default_graph, ..QueryOptions::default() };
            let stopped = exhaust(&ours, &sparql, &options);
            assert!(matches!(stopped, Err(QueryError::Stopped(Stopped::Time(SHORT)))), "{what}: {stopped:?}");
        }
    }
}

#[test]
fn a_token_stops_any_query_and_only_those_that_have_it() {
    let ours = ring();
    for (what, sparql) in endless() {
        let options = QueryOptions::default();
        let (began, begins) = mpsc::channel();
        let token = options.cancel.clone();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                begins.recv().expect("it begins");
                token.cancel();
            });
            began.send(()).expect("somebody waits");
            let stopped = exhaust(&ours, &sparql, &options);
            assert!(matches!(stopped, Err(QueryError::Stopped(Stopped::Cancelled))), "{what}: {stopped:?}");
        });
        assert!(exhaust(&ours, "ASK { ?s ?p ?o }", &QueryOptions::default()).is_ok());
        assert!(exhaust(&ours, "ASK { ?s ?p ?o }", &options).is_err(), "a token stays cancelled");
    }
}

#[test]
fn an_answer_that_is_stopped_ends_with_its_reason() {
    let ours = ring();
    let cancel = CancellationToken::new();
    let options = QueryOptions { cancel: cancel.clone(), ..QueryOptions::default() };
    let Ok(Answer::Solutions(mut rows)) = ours.archive.snapshot().query("SELECT * { ?s ?p ?o }", &options) else {
        panic!("rows")
    };
    assert!(rows.next().is_some_and(|row| row.is_ok()));
    cancel.cancel();
    assert!(matches!(rows.next(), Some(Err(QueryError::Stopped(Stopped::Cancelled)))));
    assert!(rows.next().is_none(), "after an error, nothing");
}

#[test]
fn one_row_too_many_is_an_error() {
    let ours = ring();
    let mut options = QueryOptions { rows_max: Some(300), ..QueryOptions::default() };
    assert!(exhaust(&ours, "SELECT * { ?s ?p ?o }", &options).is_ok(), "as many as allowed");
    assert!(exhaust(&ours, "CONSTRUCT WHERE { ?s ?p ?o }", &options).is_ok());
    options.rows_max = Some(299);
    for sparql in ["SELECT * { ?s ?p ?o }", "CONSTRUCT WHERE { ?s ?p ?o }", "DESCRIBE ?s { ?s ?p ?o }"] {
        let stopped = exhaust(&ours, sparql, &options);
        assert!(matches!(stopped, Err(QueryError::Stopped(Stopped::Rows(299)))), "{stopped:?}");
        assert!(stopped.unwrap_err().to_string().contains("LIMIT"));
    }
    let mut written = Vec::new();
    let answer = ours.archive.snapshot().query("SELECT * { ?s ?p ?o }", &options).expect("an answer");
    assert!(answer.write(AnswerFormat::Json, &mut written).is_err());
    assert!(serde_json::from_slice::<serde_json::Value>(&written).is_err(), "what is cut off does not look whole");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_stops_what_hoards() {
    let ours = ring();
    let max = 32 << 20;
    let options = QueryOptions { memory_bytes_max: Some(max), ..QueryOptions::default() };
    for what in ["an order", "distinct rows", "OPTIONAL"] {
        let (_, sparql) = endless().into_iter().find(|(name, _)| *name == what).expect("it is there");
        let stopped = exhaust(&ours, &sparql, &options);
        assert!(matches!(stopped, Err(QueryError::Stopped(Stopped::Memory(at))) if at == max), "{what}: {stopped:?}");
    }
}

#[test]
fn a_bound_that_is_not_reached_changes_nothing() {
    let ours = ring();
    let options = QueryOptions {
        timeout: Some(Duration::MAX),
        rows_max: Some(u64::MAX),
        memory_bytes_max: Some(u64::MAX),
        ..QueryOptions::default()
    };
    let answer = ours.archive.snapshot().query("SELECT * { ?s ?p ?o }", &options).expect("an answer");
    assert!(matches!(read(answer), Ok(crate::engine::Outcome::Rows { rows, .. }) if rows.len() == 300));
}

#[test]
fn an_update_that_is_stopped_leaves_no_trace() {
    let ours = ring();
    let before = ours.archive.snapshot().len().expect("a count");
    let (_, sparql) = endless().swap_remove(0);
    let pattern = sparql.split_once('{').expect("a pattern").1;
    let update = format!("INSERT DATA {{ <a> <b> <c> }} ; INSERT {{ <a> <b> ?a }} WHERE {{ {pattern}");
    let base_iri = Some("http://example.org/".to_owned());
    let options = UpdateOptions { base_iri, timeout: Some(SHORT), ..UpdateOptions::default() };
    let stopped = ours.archive.update(&update, &options);
    assert!(matches!(stopped, Err(UpdateError::Stopped(Stopped::Time(SHORT)))), "{stopped:?}");
    assert_eq!(ours.archive.snapshot().len().expect("a count"), before);
    options.cancel.cancel();
    let stopped = ours.archive.update("INSERT DATA { <a> <b> <c> }", &options);
    assert!(matches!(stopped, Err(UpdateError::Stopped(Stopped::Cancelled))), "{stopped:?}");
    assert_eq!(ours.archive.snapshot().len().expect("a count"), before);
}

#[test]
fn deep_queries_are_refused_or_answered_but_never_overflow() {
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
            let outcome = exhaust(&ours, &sparql, &options);
            assert!(times != 10_000 || matches!(outcome, Err(QueryError::Syntax(_))), "{outcome:?}");
        }
    }
    for times in [50, 100, 5_000] {
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
                continue; // The parser takes time by the square of their number.
            }
            let outcome = exhaust(&ours, &format!("ASK {{ {pattern} }}"), &options);
            assert!(times != 5_000 || matches!(outcome, Err(QueryError::Syntax(_))), "{outcome:?}");
            let update = ours.archive.update(
                &format!("DELETE {{ <a:a> <a:a> ?o }} WHERE {{ {pattern} }}"),
                &UpdateOptions { timeout: options.timeout, ..UpdateOptions::default() },
            );
            assert!(times != 5_000 || matches!(update, Err(UpdateError::Syntax(_))), "{update:?}");
            drop(ours.archive.snapshot().explain(&format!("ASK {{ {pattern} }}"), &options));
        }
    }
}

#[test]
fn a_deep_query_is_answered_like_any_other() {
    let ours = ring();
    let patterns = (0..250).map(|at| format!("?n{at} <p> ?n{} .", at + 1)).collect::<Vec<_>>().join(" ");
    let options = QueryOptions { base_iri: Some("http://example.org/".to_owned()), ..QueryOptions::default() };
    for (sparql, rows) in [
        (format!("SELECT ?n0 ?n250 {{ {patterns} }}"), 300),
        (format!("CONSTRUCT {{ ?n0 <far> ?n250 }} {{ {patterns} }}"), 300),
        (format!("ASK {{ {patterns} }}"), 1),
    ] {
        let answer = ours.archive.snapshot().query(&sparql, &options).expect("an answer");
        let format = answer.kind().formats()[0];
        assert_eq!(answer.write(format, std::io::sink()).expect("it can be written"), rows);
        let few = QueryOptions { rows_max: Some(10), ..options.clone() };
        assert_eq!(exhaust(&ours, &sparql, &few).is_err(), rows == 300);
    }
    // An answer that nobody reads to its end does not run on.
    drop(ours.archive.snapshot().query(&format!("SELECT * {{ {patterns} ?a ?b ?c . ?d ?e ?f }}"), &options));
}
