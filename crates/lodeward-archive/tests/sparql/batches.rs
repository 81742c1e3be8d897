//! Comparison of queries that are evaluated in batches with Oxigraph.

use lodeward_archive::sparql::{DefaultGraph, QueryOptions};
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, Quad, Term};

use crate::engine::{ArchiveEngine, Engine, Outcome, OxigraphEngine, read};

const BASE: &str = "http://example.org/";

fn name(name: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{BASE}{name}"))
}

/// Items with labels in two languages, with types, links and numbers, in up to three graphs.
fn quads() -> Vec<Quad> {
    let mut quads = Vec::new();
    for number in 0..300_u32 {
        let item = name(&format!("item{number}"));
        let mut add = |predicate: &str, object: Term| {
            for copy in 0..=number % 3 {
                let graph = match copy {
                    0 => GraphName::DefaultGraph,
                    copy => name(&format!("graph{}", (number + copy) % 5)).into(),
                };
                quads.push(Quad::new(item.clone(), name(predicate), object.clone(), graph));
            }
        };
        add("label", Literal::new_simple_literal(format!("Tempo {}", number % 40)).into());
        add("label", Literal::new_language_tagged_literal_unchecked(format!("Zeit {number}"), "de").into());
        add("class", name(&format!("class{}", number % 4)).into());
        add("next", name(&format!("item{}", number * 7 % 300)).into());
        if number % 4 == 0 {
            add("count", Literal::from(number % 7).into());
            add("part", BlankNode::new_unchecked(format!("b{number}")).into());
        }
    }
    quads
}

/// All rows as text, in their order.
fn lines(outcome: Outcome) -> Vec<String> {
    match outcome {
        Outcome::Rows { rows, .. } => rows.iter().map(|row| format!("{row:?}")).collect(),
        Outcome::Boolean(value) => vec![value.to_string()],
        Outcome::Graph(_) => Vec::new(),
    }
}

const UNORDERED: [&str; 30] = [
    "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
    "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }",
    "SELECT (COUNT(*) AS ?n) { ?s <missing> ?o }",
    "SELECT ?c (COUNT(*) AS ?n) { ?s <missing> ?c } GROUP BY ?c",
    "SELECT (COUNT(DISTINCT ?s) AS ?n) (COUNT(?s) AS ?m) { ?s ?p ?o }",
    "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }",
    "SELECT ?c ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s <class> ?c } } GROUP BY ?c ?g",
    "SELECT DISTINCT ?c { ?s <class> ?c }",
    "SELECT DISTINCT ?c ?d ?e { ?s <class> ?c . ?s <next> ?t . ?t <class> ?d . ?t <label> ?e }",
    "SELECT ?s ?l { ?s <label> ?l FILTER(REGEX(?l, '^t.*9$', 'i')) }",
    "SELECT ?s ?l { ?s <label> ?l FILTER(CONTAINS(?l, 'empo 1')) }",
    "SELECT ?s ?l { ?s <label> ?l FILTER(STRSTARTS(LCASE(?l), 'zeit 2') && LANG(?l) = 'de') }",
    "SELECT ?s ?l { ?s <label> ?l FILTER(STRENDS(?l, '7'@de) || STRENDS(?l, '8')) }",
    "SELECT ?s ?o { ?s ?p ?o FILTER(?p = <next> && ?o != <item7>) }",
    "SELECT ?s ?o { ?s <next> ?o FILTER(STR(?s) < STR(?o)) ?o <class> <class1> }",
    "SELECT ?p ?o { <item8> ?p ?o FILTER(isBlank(?o) || isIRI(?o)) }",
    "SELECT ?o { <item8> ?p ?o FILTER(!isLiteral(?o)) }",
    "SELECT ?s ?l { ?s <class> <class1> OPTIONAL { ?s <count> ?l } }",
    "SELECT ?s ?n ?l { ?s <class> ?c OPTIONAL { ?s <count> ?n FILTER(?c = <class0>) } FILTER(!BOUND(?n)) ?s <label> ?l }",
    "SELECT ?s ?n ?b { ?s <class> ?c OPTIONAL { ?s <count> ?n } OPTIONAL { ?s <part> ?b . ?s <label> 'Tempo 4' } }",
    "SELECT ?s { ?s <class> ?c FILTER NOT EXISTS { ?s <count> ?n } }",
    "SELECT ?s { ?s <class> ?c FILTER(EXISTS { ?s <count> ?n } || ?c = <class3>) }",
    "SELECT ?s { ?s <class> <class0> MINUS { ?s <label> 'Tempo 4' } }",
    "SELECT ?s ?o { { ?s <count> ?o } UNION { ?s <part> ?o } UNION { ?s <next> ?o . ?o <class> <class2> } }",
    "SELECT ?s ?o { ?s <class> <class0> { ?s <count> ?o } UNION { ?s <part> ?o } }",
    "SELECT ?s ?g ?h { GRAPH ?g { ?s <class> <class0> } GRAPH ?h { ?s <label> ?l } }",
    "SELECT * { ?s <next> ?s }",
    "ASK { ?s <next> ?s }",
    "ASK { <item1> <next> <item1> }",
    "ASK {}",
];

const ORDERED: [&str; 8] = [
    "SELECT ?l ?s { ?s <label> ?l } ORDER BY ?l ?s",
    "SELECT ?l ?s { ?s <label> ?l } ORDER BY DESC(?l) ?s LIMIT 17 OFFSET 5",
    "SELECT ?n ?s { ?s <class> ?c OPTIONAL { ?s <count> ?n } } ORDER BY ?n DESC(?s)",
    "SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s ORDER BY DESC(?n) ?s LIMIT 10",
    "SELECT DISTINCT ?c { ?s <class> ?c } ORDER BY DESC(?c) LIMIT 2",
    "SELECT ?o { <item8> ?p ?o } ORDER BY ?o LIMIT 0",
    // Texts and numbers together are sorted by spareval.
    "SELECT ?o { { <item8> <count> ?o } UNION { <item8> <label> ?o } } ORDER BY ?o",
    "SELECT ?o { <item8> <part>|<class> ?o } ORDER BY ?o",
];

#[test]
fn queries_in_batches_have_the_results_of_oxigraph() {
    let (mut ours, mut theirs, mut merged) = (ArchiveEngine::new(), OxigraphEngine::new(), OxigraphEngine::new());
    for engine in [&mut ours as &mut dyn Engine, &mut theirs, &mut merged] {
        engine.load(&quads()).unwrap();
    }
    // The union of all graphs is a set; that of Oxigraph repeats triples of several graphs.
    let union: Vec<Quad> =
        quads().into_iter().map(|quad| Quad { graph_name: GraphName::DefaultGraph, ..quad }).collect();
    merged.load(&union).unwrap();
    let snapshot = ours.archive.snapshot();
    for (query, is_ordered) in
        UNORDERED.map(|query| (query, false)).into_iter().chain(ORDERED.map(|query| (query, true)))
    {
        for (default_graph, reference) in [(DefaultGraph::Own, &theirs), (DefaultGraph::Union, &merged)] {
            let options = QueryOptions { base_iri: Some(BASE.to_owned()), default_graph, ..QueryOptions::default() };
            let mut found = lines(read(snapshot.query(query, &options).unwrap()).unwrap());
            let mut expected = lines(reference.query(query, BASE, None).unwrap());
            if !is_ordered {
                found.sort();
                expected.sort();
            }
            assert!(found == expected, "{query}, {default_graph:?}: {} and {} rows", found.len(), expected.len());
        }
    }
}
