//! Comparison of joins of many rows with Oxigraph. They are answered from tables in memory.

use std::collections::BTreeMap;

use lodeward_archive::sparql::{DefaultGraph, QueryOptions};
use oxrdf::{GraphName, Literal, NamedNode, Quad, Term};

use crate::engine::{ArchiveEngine, Engine, Outcome, OxigraphEngine, read};

const BASE: &str = "http://example.org/";

fn name(name: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{BASE}{name}"))
}

/// 400 items in rings, with labels and classes. Each statement is in one to three graphs.
fn quads() -> Vec<Quad> {
    const ITEMS: u32 = 400;
    let mut quads = Vec::new();
    for number in 0..ITEMS {
        let item = |number: u32| name(&format!("item{}", number % ITEMS));
        let mut add = |predicate: &str, object: Term, copies: u32| {
            for copy in 0..=copies % 3 {
                let graph = match (number + copy) % 4 {
                    0 => GraphName::DefaultGraph,
                    graph => name(&format!("graph{graph}")).into(),
                };
                quads.push(Quad::new(item(number), name(predicate), object.clone(), graph));
            }
        };
        add("next", item(number + 1).into(), number);
        add("next", item(number * 7 + 3).into(), 0);
        // Circles of three and of two.
        add("next", item(number + ITEMS - 2).into(), number / 4);
        if number % 10 == 0 {
            add("next", item(number + ITEMS - 1).into(), 1);
        }
        add("class", name(&format!("class{}", number % 3)).into(), number / 2);
        if number % 5 != 0 {
            add("label", Literal::from(format!("label {}", number % 90)).into(), number / 3);
        }
    }
    quads
}

/// The rows as sorted lines, with the values by variable: the order of the columns of `SELECT *`
/// differs. `None` stands for a result that is no table.
fn rows(outcome: Outcome) -> Option<Vec<String>> {
    let Outcome::Rows { variables, rows } = outcome else { return None };
    let line = |row: &Vec<Option<Term>>| {
        let values: BTreeMap<&str, String> =
            variables.iter().zip(row).map(|(variable, value)| (variable.as_str(), format!("{value:?}"))).collect();
        format!("{values:?}")
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    lines.sort();
    Some(lines)
}

#[test]
fn joins_of_many_rows_have_the_results_of_oxigraph() {
    let (mut ours, mut theirs, mut merged) = (ArchiveEngine::new(), OxigraphEngine::new(), OxigraphEngine::new());
    for engine in [&mut ours as &mut dyn Engine, &mut theirs, &mut merged] {
        engine.load(&quads()).unwrap();
    }
    // The union of all graphs is a set; that of Oxigraph repeats triples of several graphs.
    let union: Vec<Quad> =
        quads().into_iter().map(|quad| Quad { graph_name: GraphName::DefaultGraph, ..quad }).collect();
    merged.load(&union).unwrap();
    let snapshot = ours.archive.snapshot();
    for query in [
        "SELECT * { ?a <next> ?b . ?b <next> ?c }",
        "SELECT * { ?a <next> ?b . ?b <next> ?c . ?c <next> ?a }",
        "SELECT * { ?a <next> ?b . ?b <next> ?a }",
        "SELECT * { ?a <next> ?b . ?a <label> ?l . ?b <label> ?m }",
        "SELECT * { ?a <label> ?l . ?b <label> ?l . ?a <class> ?c . ?b <class> ?c }",
        "SELECT * { GRAPH ?g { ?a <next> ?b . ?b <label> ?l } }",
        "SELECT * { GRAPH ?g { ?a <next> ?b } GRAPH ?h { ?b <next> ?c } }",
        "SELECT * { GRAPH <graph1> { ?a <next> ?b } ?b <label> ?l . ?c <label> ?l }",
        "SELECT * { ?a <class> <class1> OPTIONAL { ?a <label> ?l } }",
        "SELECT * { ?a <next> ?b FILTER NOT EXISTS { ?b <label> ?l } }",
        "SELECT * { ?a <next> ?b FILTER EXISTS { ?b <class> <class2> } }",
        "SELECT * { ?a <class> <class0> MINUS { ?a <label> ?l } }",
        "SELECT ?b { <item1> <next>+ ?b }",
        "SELECT * { ?a <next>/<next>/<label> ?l . ?a <class> <class1> }",
        "SELECT ?a (COUNT(*) AS ?n) { ?a <next> ?b . ?b <class> ?c . ?d <class> ?c } GROUP BY ?a",
    ] {
        for (default_graph, reference) in [(DefaultGraph::Own, &theirs), (DefaultGraph::Union, &merged)] {
            let options = QueryOptions { base_iri: Some(BASE.to_owned()), default_graph, ..QueryOptions::default() };
            let found = rows(read(snapshot.query(query, &options).unwrap()).unwrap());
            let expected = rows(reference.query(query, BASE, None).unwrap());
            let is_empty = expected.as_ref().is_none_or(Vec::is_empty);
            assert!(!is_empty || default_graph == DefaultGraph::Own, "{query}");
            assert!(found == expected, "{query}, {default_graph:?}");
        }
    }
}
