//! Tests of the graphs that a query sees.

use lodeward_archive::Archive;
use lodeward_archive::sparql::{DefaultGraph, QueryOptions, UpdateError, UpdateOptions};
use oxrdf::NamedNode;

use crate::engine::{ArchiveEngine, Outcome, read};

/// The same triple in the default graph and in two named graphs, and one more in each.
const DATA: &str = "INSERT DATA {
    <s> <p> 1 , 2 .
    GRAPH <g1> { <s> <p> 1 , 3 }
    GRAPH <g2> { <s> <p> 1 , 4 }
}";

fn ours() -> ArchiveEngine {
    let ours = ArchiveEngine::new();
    update(&ours.archive, DATA).expect("an update");
    ours
}

fn base_iri() -> String {
    "http://example.org/".to_owned()
}

fn update(archive: &Archive, sparql: &str) -> Result<(), UpdateError> {
    archive.update(sparql, &UpdateOptions { base_iri: Some(base_iri()), ..UpdateOptions::default() }).map(drop)
}

fn name(name: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("http://example.org/{name}"))
}

/// Checks the sorted objects of a query.
fn check(ours: &ArchiveEngine, sparql: &str, options: QueryOptions, expected: &str) {
    let options = QueryOptions { base_iri: Some(base_iri()), ..options };
    let output = ours.archive.snapshot().query(sparql, &options).expect("an output");
    let Ok(Outcome::Rows { rows, .. }) = read(output) else { panic!("rows") };
    let mut found: Vec<_> = rows
        .iter()
        .map(|row| match &row[0] {
            Some(oxrdf::Term::Literal(literal)) => literal.value().to_owned(),
            other => format!("{other:?}"),
        })
        .collect();
    found.sort();
    assert_eq!(found.join(" "), expected, "{sparql}");
}

#[test]
fn the_default_graph_is_the_own_one_or_the_union() {
    let ours = ours();
    let union = QueryOptions { default_graph: DefaultGraph::Union, ..QueryOptions::default() };
    check(&ours, "SELECT ?o { ?s ?p ?o }", QueryOptions::default(), "1 2");
    check(&ours, "SELECT ?o { ?s ?p ?o }", union.clone(), "1 2 3 4");
    check(&ours, "SELECT (COUNT(*) AS ?n) { ?s ?p 1 . ?s ?p ?o }", union.clone(), "4");
    check(&ours, "SELECT ?o { GRAPH ?g { ?s ?p ?o } }", union.clone(), "1 1 3 4");
    // The query's own dataset takes precedence.
    check(&ours, "SELECT ?o FROM <g1> { ?s ?p ?o }", union, "1 3");
}

#[test]
fn several_graphs_are_merged_into_a_set() {
    let ours = ours();
    let plain = QueryOptions::default;
    check(&ours, "SELECT ?o FROM <g1> FROM <g2> { ?s ?p ?o }", plain(), "1 3 4");
    check(&ours, "SELECT ?o FROM <g1> FROM <g1> { ?s ?p ?o }", plain(), "1 3");
    check(&ours, "SELECT ?o FROM <g1> { GRAPH ?g { ?s ?p ?o } }", plain(), "");
    check(&ours, "SELECT ?o FROM NAMED <g2> FROM NAMED <g2> { GRAPH ?g { ?s ?p ?o } }", plain(), "1 4");
    check(&ours, "SELECT ?o FROM NAMED <g2> { ?s ?p ?o }", plain(), "");
    check(&ours, "SELECT ?o FROM <g7> { ?s ?p ?o }", plain(), "");
}

#[test]
fn the_protocol_overrides_the_query() {
    let ours = ours();
    let options = QueryOptions {
        default_graph_uris: vec![name("g1"), name("g2")],
        named_graph_uris: vec![name("g1")],
        ..QueryOptions::default()
    };
    check(&ours, "SELECT ?o FROM <g7> { ?s ?p ?o }", options.clone(), "1 3 4");
    check(&ours, "SELECT ?o { GRAPH ?g { ?s ?p ?o } }", options, "1 3");
}

#[test]
fn an_update_reads_the_graphs_of_its_dataset() {
    let ours = ours();
    let options =
        UpdateOptions { base_iri: Some(base_iri()), using_graph_uris: vec![name("g2")], ..UpdateOptions::default() };
    ours.archive.update("INSERT { <t> <p> ?o } WHERE { <s> <p> ?o }", &options).expect("an update");
    check(&ours, "SELECT ?o { <t> ?p ?o }", QueryOptions::default(), "1 4");
    for sparql in [
        "INSERT { <t> <p> ?o } USING <g1> WHERE { <s> <p> ?o }",
        "WITH <g1> DELETE { <s> <p> ?o } WHERE { <s> <p> ?o }",
    ] {
        assert!(matches!(ours.archive.update(sparql, &options), Err(UpdateError::ConflictingUsing)));
    }
    update(&ours.archive, "WITH <g1> DELETE { ?s ?p ?o } INSERT { ?s ?p 9 } WHERE { ?s ?p ?o }").expect("an update");
    check(&ours, "SELECT ?o FROM <g1> { ?s ?p ?o }", QueryOptions::default(), "9");
    let union =
        UpdateOptions { base_iri: Some(base_iri()), default_graph: DefaultGraph::Union, ..UpdateOptions::default() };
    ours.archive
        .update("INSERT { <u> <p> ?n } WHERE { SELECT (COUNT(*) AS ?n) { <s> <p> ?o } }", &union)
        .expect("an update");
    check(&ours, "SELECT ?o { <u> ?p ?o }", QueryOptions::default(), "4");
}

#[test]
fn an_update_request_is_atomic() {
    let ours = ours();
    let before = ours.archive.snapshot().len().expect("a count");
    for (sparql, message) in [
        ("INSERT DATA { <x> <p> 1 } ; CREATE GRAPH <g1>", "already"),
        ("INSERT DATA { <x> <p> 1 } ; DROP GRAPH <g7>", "does not exist"),
        ("INSERT DATA { <x> <p> 1 } ; CLEAR GRAPH <g7>", "does not exist"),
        ("INSERT DATA { <x> <p> 1 } ; LOAD <http://example.org/x.ttl>", "client"),
        ("INSERT DATA { <x> <p> 1 } ; INSERT { ?s ?p 1 } WHERE { SERVICE <e> { ?s ?p ?o } }", "supported"),
        ("INSERT DATA { <x> <p> 1 } ; SELECT * {}", "cannot parse"),
    ] {
        let error = update(&ours.archive, sparql).expect_err("the update fails").to_string();
        assert!(error.contains(message), "{error}");
        assert_eq!(ours.archive.snapshot().len().expect("a count"), before, "{sparql}");
    }
    update(&ours.archive, "CREATE SILENT GRAPH <g1> ; DROP SILENT GRAPH <g7> ; CLEAR SILENT GRAPH <g7> ; LOAD SILENT <http://example.org/x.ttl>")
        .expect("SILENT ignores errors");
    // Later operations see the changes of earlier ones.
    update(
        &ours.archive,
        "INSERT DATA { <x> <q> 1 } ; INSERT { <y> <q> ?o } WHERE { <x> <q> ?o } ; DELETE WHERE { <x> <q> ?o }",
    )
    .expect("an update");
    check(&ours, "SELECT ?o { ?s <q> ?o }", QueryOptions::default(), "1");
    // One operation does not see its own changes: all are computed, then removed, then added.
    update(&ours.archive, "DELETE { ?s <q> ?o } INSERT { ?s <q> 1 , 2 } WHERE { ?s <q> ?o }").expect("an update");
    check(&ours, "SELECT ?o { ?s <q> ?o }", QueryOptions::default(), "1 2");
}

#[test]
fn blank_nodes_of_two_requests_are_distinct() {
    let ours = ArchiveEngine::new();
    for _ in 0..2 {
        update(&ours.archive, "INSERT DATA { _:b <p> 1 . _:b <q> 2 }").expect("an update");
    }
    check(&ours, "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s <p> 1 ; <q> 2 }", QueryOptions::default(), "2");
    update(&ours.archive, "INSERT { _:c <r> ?s } WHERE { ?s <p> 1 }").expect("an update");
    check(&ours, "SELECT (COUNT(DISTINCT ?c) AS ?n) { ?c <r> ?s }", QueryOptions::default(), "2");
}
