//! Tests of the join order and of query plans.

use lodeward_archive::sparql::{DefaultGraph, QueryOptions};
use oxrdf::vocab::rdf;
use oxrdf::{GraphName, Literal, NamedNode, Quad};
use serde_json::Value;
use spareval::QueryEvaluator;
use spargebra::SparqlParser;

use crate::engine::{ArchiveEngine, Engine};

/// 500 persons, each with a type, a name and a city. One person has a nickname, and one city a
/// mayor.
fn quads() -> Vec<Quad> {
    let name = |name: String| NamedNode::new_unchecked(format!("http://example.org/{name}"));
    let property = |property: &str| name(property.to_owned());
    let mut quads = Vec::new();
    let mut add = |subject: NamedNode, predicate: NamedNode, object: oxrdf::Term| {
        quads.push(Quad::new(subject, predicate, object, GraphName::DefaultGraph));
    };
    for number in 0..500 {
        let person = name(format!("person{number}"));
        add(person.clone(), rdf::TYPE.into_owned(), property("Person").into());
        add(person.clone(), property("name"), Literal::from(format!("name {number}")).into());
        add(person.clone(), property("city"), name(format!("city{}", number % 20)).into());
        if number == 77 {
            add(person, property("nickname"), Literal::from("ace").into());
        }
    }
    add(property("city3"), property("mayor"), name("person3".to_owned()).into());
    quads
}

/// The total number of rows of all patterns of a plan.
fn rows_read(plan: &Value) -> u64 {
    let name = plan["name"].as_str().unwrap_or_default();
    let own = if name.starts_with("QuadPattern") { plan["number of results"].as_u64().unwrap_or(0) } else { 0 };
    own + plan["children"].as_array().into_iter().flatten().map(rows_read).sum::<u64>()
}

fn rows_read_by_both(sparql: &str) -> (u64, u64) {
    let quads = quads();
    let mut ours = ArchiveEngine::new();
    ours.load(&quads).expect("loading succeeds");
    let options = QueryOptions { base_iri: Some("http://example.org/".to_owned()), ..QueryOptions::default() };
    let explained = ours.archive.snapshot().profile(sparql, &options).expect("a plan");
    let plan: Value = serde_json::from_str(&explained.json).expect("JSON");
    let query =
        SparqlParser::new().with_base_iri("http://example.org/").expect("a base").parse_query(sparql).expect("SPARQL");
    let dataset: oxrdf::Dataset = quads.iter().collect();
    let evaluator = QueryEvaluator::new().compute_statistics();
    let (results, theirs) = evaluator.prepare(&query).explain(&dataset);
    match results.expect("results") {
        spareval::QueryResults::Solutions(rows) => drop(rows.count()),
        _ => panic!("rows"),
    }
    let mut json = Vec::new();
    theirs.write_in_json(&mut json).expect("JSON");
    let theirs: Value = serde_json::from_slice(&json).expect("JSON");
    (rows_read(&plan["plan"]), rows_read(&theirs["plan"]))
}

#[test]
fn a_badly_ordered_query_reads_fewer_rows() {
    for (sparql, at_most) in [
        // By shape alone, a known type looks better than an unknown nickname.
        ("SELECT * { ?x a <Person> . ?x <name> ?n . ?x <nickname> ?k }", 10),
        ("SELECT * { ?x a <Person> . ?x <city> ?c . ?c <mayor> ?m . ?x <name> ?n }", 100),
        ("SELECT * { ?x <city> ?c ; a <Person> OPTIONAL { ?x a <Person> ; <nickname> ?k } }", 10_000),
        // The number of rows of a sub-select is unknown: sparopt joins it, and reads all names.
        ("SELECT * { { SELECT ?x { ?x a <Person> . ?x <nickname> ?k } } ?x <name> ?n }", 502),
    ] {
        let (ours, theirs) = rows_read_by_both(sparql);
        assert!(ours <= theirs, "{sparql}: {ours}, but {theirs} in sparopt's order");
        assert!(ours <= at_most, "{sparql}: {ours}");
    }
    let (ours, theirs) = rows_read_by_both("SELECT * { ?x a <Person> . ?x <name> ?n . ?x <nickname> ?k }");
    assert!(ours * 100 < theirs, "{ours}, but {theirs} in sparopt's order");
}

#[test]
fn patterns_inside_graph_are_ordered_with_the_others() {
    let mut ours = ArchiveEngine::new();
    let in_graphs: Vec<Quad> = quads()
        .into_iter()
        .map(|quad| Quad {
            graph_name: NamedNode::new_unchecked(quad.subject.to_string().replace(['<', '>'], "") + ".ttl").into(),
            ..quad
        })
        .collect();
    ours.load(&in_graphs).expect("loading succeeds");
    let options = QueryOptions { base_iri: Some("http://example.org/".to_owned()), ..QueryOptions::default() };
    let sparql = "SELECT * { GRAPH ?g { ?x a <Person> . ?x <name> ?n } GRAPH ?h { ?x <nickname> ?k } }";
    let explained = ours.archive.snapshot().profile(sparql, &options).expect("a plan");
    let plan: Value = serde_json::from_str(&explained.json).expect("JSON");
    assert_eq!(rows_read(&plan["plan"]), 3, "{}", explained.text);
}

#[test]
fn filters_are_pushed_into_the_chain() {
    let (ours, theirs) =
        rows_read_by_both("SELECT * { ?x <city> ?c . ?x <name> ?n . ?x a <Person> FILTER (?c = <city3>) }");
    assert!(ours <= theirs, "{ours}, but {theirs} in sparopt's order");
}

#[test]
fn a_plan_contains_estimates_and_a_profile_measurements() {
    let mut ours = ArchiveEngine::new();
    ours.load(&quads()).expect("loading succeeds");
    let options = QueryOptions { base_iri: Some("http://example.org/".to_owned()), ..QueryOptions::default() };
    let sparql = "SELECT ?n { ?x a <Person> . ?x <nickname> ?k . ?x <name> ?n } ORDER BY ?n";
    let snapshot = ours.archive.snapshot();
    let explained = snapshot.explain(sparql, &options).expect("a plan");
    let (rare, common) = (explained.text.find("nickname"), explained.text.find("Person"));
    assert!(rare.is_some() && rare < common, "the rare pattern is not first:\n{}", explained.text);
    assert!(explained.text.contains("about 1 quads"), "{}", explained.text);
    assert!(!explained.text.contains("rows"), "no query was run:\n{}", explained.text);
    let profiled = snapshot.profile(sparql, &options).expect("a plan");
    assert!(profiled.text.contains("1 rows") && profiled.text.contains(" ms"), "{}", profiled.text);
    let json: Value = serde_json::from_str(&profiled.json).expect("JSON");
    assert!(json["plan"]["number of results"].is_u64(), "{json}");
    // Planning needs neither services nor data.
    let union = QueryOptions { default_graph: DefaultGraph::Union, ..options };
    for sparql in [
        "SELECT * { SERVICE <e:e> { ?s ?p ?o } }",
        "ASK { GRAPH ?g { ?s ?p ?o } }",
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
    ] {
        assert!(!snapshot.explain(sparql, &union).expect("a plan").text.is_empty());
    }
    assert!(snapshot.explain("SELECT", &union).is_err());
}
