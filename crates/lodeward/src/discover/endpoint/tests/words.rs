//! Queries and addresses, word by word.

use super::super::key::Key;
use super::super::question::{Counted, Expected, Graphs, List, Nodes, Page, Part, Place, Question, Source, Span};
use super::super::{Step, query};
use super::{endpoint, policy, query_of, status};
use crate::discover::Next;
use crate::model::Uri;

fn names(names: &[&str]) -> Vec<Counted> {
    names.iter().map(|name| Counted { name: (*name).to_owned(), rows: 7 }).collect()
}

fn page(source: Source, predicates: &[&str], nodes: Nodes, place: Place) -> Question {
    let part = Part { source, predicates: names(predicates), nodes };
    Page::first(part, place, 9, Expected::Unknown)
}

fn graph() -> Source {
    Source::Graphs(names(&["http://a.org/g"]))
}

#[test]
fn pages_are_asked_for_in_plain_sparql() {
    let check = |question: &Question, expected: &str| {
        let text = query::text(question, 9).unwrap();
        assert_eq!(text, expected);
        spargebra::SparqlParser::new().parse_query(&text).unwrap();
    };
    let key = |text: &str| Key::of_text(text);

    check(
        &page(graph(), &[], Nodes::Any, Place::Anywhere),
        "SELECT ?s ?p ?o { GRAPH <http://a.org/g> { ?s ?p ?o } } LIMIT 9",
    );
    check(
        &page(Source::Graphs(names(&["http://a.org/g", "http://a.org/h"])), &[], Nodes::Any, Place::Anywhere),
        "SELECT ?s ?p ?o ?g { VALUES ?g { <http://a.org/g> <http://a.org/h> } GRAPH ?g { ?s ?p ?o } } LIMIT 9",
    );
    check(
        &page(graph(), &["http://a.org/p"], Nodes::Named, Place::Subjects(Some(key("http://a.org/s\"\\")))),
        "SELECT ?s ?o { GRAPH <http://a.org/g> { ?s <http://a.org/p> ?o } FILTER(!isBlank(?s) && !isBlank(?o) && \
         STR(?s) > \"http://a.org/s\\\"\\\\\") } ORDER BY STR(?s) LIMIT 9",
    );
    check(
        &page(
            Source::Remainder,
            &["http://a.org/p"],
            Nodes::Named,
            Place::Objects { subject: key("http://a.org/s"), after: Some(key("a\nb\tc\rd")) },
        ),
        "SELECT ?o { <http://a.org/s> <http://a.org/p> ?o FILTER NOT EXISTS { GRAPH ?g { <http://a.org/s> \
         <http://a.org/p> ?o } } FILTER(!isBlank(?o) && STR(?o) > \"a\\nb\\tc\\rd\") } ORDER BY STR(?o) LIMIT 9",
    );
    check(
        &page(
            Source::Merged,
            &["http://a.org/p", "http://a.org/q"],
            Nodes::Named,
            Place::Alike { subject: key("no iri"), object: Some(key("x")), offset: 8 },
        ),
        "SELECT DISTINCT ?s ?p ?o { VALUES ?p { <http://a.org/p> <http://a.org/q> } ?s ?p ?o FILTER(!isBlank(?s) && \
         !isBlank(?o) && STR(?s) = \"no iri\" && STR(?o) = \"x\") } ORDER BY STR(?o) isIRI(?o) LANG(?o) \
         STR(DATATYPE(?o)) STR(?s) STR(?p) LIMIT 9 OFFSET 8",
    );
    check(
        &page(Source::Nameless, &[], Nodes::Blank, Place::Offset { after: None, offset: 18 }),
        "SELECT DISTINCT ?s ?p ?o { GRAPH ?g { ?s ?p ?o } FILTER(isBlank(?g)) FILTER((isBlank(?s) || isBlank(?o))) } \
         LIMIT 9 OFFSET 18",
    );
}

#[test]
fn a_long_text_stands_for_all_that_begin_like_it() {
    let long = Key::of_text(&"ü".repeat(1_000));
    let question = page(graph(), &[], Nodes::Named, Place::Subjects(Some(long.clone())));

    let text = query::text(&question, 9).unwrap();

    assert!(long.is_cut && long.text.chars().count() == 200);
    assert_eq!(Key::of_text(&"ü".repeat(200)), long);
    assert!(!Key::of_text(&"ü".repeat(199)).is_cut);
    assert!(text.contains(&format!("!STRSTARTS(STR(?s), \"{}\")", "ü".repeat(200))), "{text}");
}

#[test]
fn a_list_goes_on_after_its_last_name() {
    let list = |span| Question::Graphs(List { form: Graphs::Counted, span });

    assert_eq!(
        query::text(&list(Span::AtOnce), 36).unwrap(),
        "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g LIMIT 9"
    );
    assert_eq!(
        query::text(&list(Span::Sorted { after: Some(Key::of_iri("x")), limit: 9 }), 36).unwrap(),
        "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } FILTER(STR(?g) > \"x\") } GROUP BY ?g \
         ORDER BY STR(?g) LIMIT 9"
    );
}

#[test]
fn the_address_of_an_endpoint_keeps_what_chooses_its_data() {
    let check = |address: &str, base: &str, probe: &str| {
        let step = Step::first(&Uri::parse(address).unwrap(), &policy(10)).unwrap();
        assert_eq!(step.service(), base);
        let next = step.after().remove(0);
        assert_eq!(next.uri.as_str(), probe);
        assert_eq!(query_of(&next.uri).unwrap(), "SELECT ?s { ?s ?p ?o } LIMIT 1");
    };
    let query = "query=SELECT+%3Fs+%7B+%3Fs+%3Fp+%3Fo+%7D+LIMIT+1";

    check("http://a.org/sparql", "http://a.org/sparql", &format!("http://a.org/sparql?{query}"));
    check("http://a.org/q?db=x", "http://a.org/q?db=x", &format!("http://a.org/q?db=x&{query}"));
    check(
        "http://a.org/sparql?default-graph-uri=http%3A%2F%2Fg&query=ASK+%7B%7D&format=html",
        "http://a.org/sparql?default-graph-uri=http%3A%2F%2Fg",
        &format!("http://a.org/sparql?default-graph-uri=http%3A%2F%2Fg&{query}"),
    );
}

#[test]
fn a_redirect_moves_the_whole_harvest() {
    let first = Step::first(&endpoint(), &policy(10)).unwrap();
    let probe = first.after().remove(0);
    let crate::discover::Step::Endpoint(step) = probe.step else { panic!("an endpoint has steps of its own") };
    let moved = Uri::parse(&probe.uri.as_str().replace("http://data.example/sparql", "https://new.example/q")).unwrap();

    let there = step.redirected(&moved).unwrap();

    assert_eq!(there.service(), "http://data.example/sparql", "quotas are counted where it began");
    let crate::discover::Next { uri, .. } = there.next(Question::Probe).unwrap();
    assert!(uri.as_str().starts_with("https://new.example/q?"), "{uri}");
    assert_eq!(step.redirected(&Uri::parse("https://new.example/login").unwrap()), None);
}

#[test]
fn a_page_for_people_does_not_hide_the_endpoint() {
    let check = |target: &str, probed: &[&str]| {
        let first = Step::first(&endpoint(), &policy(10)).unwrap();
        let there = first.redirected(&Uri::parse(target).unwrap()).unwrap();
        let addresses =
            |nexts: Vec<Next>| -> Vec<String> { nexts.iter().map(|next| next.step.service().to_owned()).collect() };
        assert_eq!(addresses(there.after()), probed);
        assert_eq!(addresses(there.after_failure(&status(404))), probed);
    };

    check("https://data.example/sparql", &["https://data.example/sparql"]);
    check("https://www.data.example/sparql/", &["https://www.data.example/sparql/"]);
    check("http://data.example/ui", &["http://data.example/ui", "http://data.example/sparql"]);
}
