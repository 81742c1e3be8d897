//! Tests of the text of queries and of URLs.

use super::super::question::{
    CountedName, EndpointQuestion, ExpectedRows, GraphsQuery, ListQuestion, ListSpan, NodeKinds, PagePosition,
    StatementPage, StatementPart, StatementSource,
};
use super::super::row_key::RowKey;
use super::super::{EndpointStep, query};
use super::{endpoint, policy, query_of, status};
use crate::discover::NextStep;
use crate::model::Uri;

fn names(names: &[&str]) -> Vec<CountedName> {
    names.iter().map(|name| CountedName { name: (*name).to_owned(), rows: 7 }).collect()
}

fn page(source: StatementSource, predicates: &[&str], nodes: NodeKinds, position: PagePosition) -> EndpointQuestion {
    let part = StatementPart { source, predicates: names(predicates), nodes };
    StatementPage::first(part, position, 9, ExpectedRows::Unknown)
}

fn graph() -> StatementSource {
    StatementSource::Graphs(names(&["http://a.org/g"]))
}

#[test]
fn page_queries_are_plain_sparql() {
    let check = |question: &EndpointQuestion, expected: &str| {
        let text = query::to_sparql(question, 9, None).unwrap();
        assert_eq!(text, expected);
        spargebra::SparqlParser::new().parse_query(&text).unwrap();
    };
    let key = |text: &str| RowKey::from_text(text);

    check(
        &page(graph(), &[], NodeKinds::Any, PagePosition::Complete),
        "SELECT ?s ?p ?o { GRAPH <http://a.org/g> { ?s ?p ?o } } LIMIT 9",
    );
    check(
        &page(
            StatementSource::Graphs(names(&["http://a.org/g", "http://a.org/h"])),
            &[],
            NodeKinds::Any,
            PagePosition::Complete,
        ),
        "SELECT ?s ?p ?o ?g { VALUES ?g { <http://a.org/g> <http://a.org/h> } GRAPH ?g { ?s ?p ?o } } LIMIT 9",
    );
    check(
        &page(graph(), &["http://a.org/p"], NodeKinds::Named, PagePosition::Subjects(Some(key("http://a.org/s\"\\")))),
        "SELECT ?s ?o { GRAPH <http://a.org/g> { ?s <http://a.org/p> ?o } FILTER(!isBlank(?s) && !isBlank(?o) && \
         STR(?s) > \"http://a.org/s\\\"\\\\\") } ORDER BY STR(?s) LIMIT 9",
    );
    check(
        &page(
            StatementSource::Remainder,
            &["http://a.org/p"],
            NodeKinds::Named,
            PagePosition::Objects { subject: key("http://a.org/s"), after: Some(key("a\nb\tc\rd")) },
        ),
        "SELECT ?o { <http://a.org/s> <http://a.org/p> ?o FILTER NOT EXISTS { GRAPH ?g { <http://a.org/s> \
         <http://a.org/p> ?o } } FILTER(!isBlank(?o) && STR(?o) > \"a\\nb\\tc\\rd\") } ORDER BY STR(?o) LIMIT 9",
    );
    check(
        &page(
            StatementSource::Merged,
            &["http://a.org/p", "http://a.org/q"],
            NodeKinds::Named,
            PagePosition::SameKey { subject: key("no iri"), object: Some(key("x")), offset: 8 },
        ),
        "SELECT DISTINCT ?s ?p ?o { VALUES ?p { <http://a.org/p> <http://a.org/q> } ?s ?p ?o FILTER(!isBlank(?s) && \
         !isBlank(?o) && STR(?s) = \"no iri\" && STR(?o) = \"x\") } ORDER BY STR(?o) isIRI(?o) LANG(?o) \
         STR(DATATYPE(?o)) STR(?s) STR(?p) LIMIT 9 OFFSET 8",
    );
    check(
        &page(StatementSource::Nameless, &[], NodeKinds::Blank, PagePosition::Offset { after: None, offset: 18 }),
        "SELECT DISTINCT ?s ?p ?o { GRAPH ?g { ?s ?p ?o } FILTER(isBlank(?g)) FILTER((isBlank(?s) || isBlank(?o))) } \
         LIMIT 9 OFFSET 18",
    );
}

#[test]
fn truncated_key_matches_all_texts_with_the_prefix() {
    let long = RowKey::from_text(&"ü".repeat(1_000));
    let question = page(graph(), &[], NodeKinds::Named, PagePosition::Subjects(Some(long.clone())));

    let text = query::to_sparql(&question, 9, None).unwrap();

    assert!(long.is_truncated && long.text.chars().count() == 200);
    assert_eq!(RowKey::from_text(&"ü".repeat(200)), long);
    assert!(!RowKey::from_text(&"ü".repeat(199)).is_truncated);
    assert!(text.contains(&format!("!STRSTARTS(STR(?s), \"{}\")", "ü".repeat(200))), "{text}");
}

#[test]
fn list_continues_after_its_last_name() {
    let list = |span| EndpointQuestion::Graphs(ListQuestion { form: GraphsQuery::Counted, span });

    assert_eq!(
        query::to_sparql(&list(ListSpan::Complete), 36, None).unwrap(),
        "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g LIMIT 9"
    );
    assert_eq!(
        query::to_sparql(&list(ListSpan::Sorted { after: Some(RowKey::from_iri("x")), limit: 9 }), 36, None).unwrap(),
        "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } FILTER(STR(?g) > \"x\") } GROUP BY ?g \
         ORDER BY STR(?g) LIMIT 9"
    );
}

#[test]
fn url_of_an_endpoint_preserves_its_dataset_parameters() {
    let check = |url: &str, base: &str, probe: &str| {
        let step = EndpointStep::first(&Uri::parse(url).unwrap(), true, &policy(10));
        assert_eq!(step.service(), base);
        let next = step.next_steps().remove(0);
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
fn redirect_moves_the_whole_harvest() {
    let first = EndpointStep::first(&endpoint(), true, &policy(10));
    let probe = first.next_steps().remove(0);
    let crate::discover::StepKind::Endpoint(step) = probe.step.0 else {
        panic!("the step of an endpoint is an endpoint step")
    };
    let moved = Uri::parse(&probe.uri.as_str().replace("http://data.example/sparql", "https://new.example/q")).unwrap();

    let there = step.redirect_to(&moved).unwrap();

    assert_eq!(there.service(), "http://data.example/sparql", "quotas count for the original endpoint");
    let crate::discover::NextStep { uri, .. } = there.next(EndpointQuestion::Probe).unwrap();
    assert!(uri.as_str().starts_with("https://new.example/q?"), "{uri}");
    assert_eq!(step.redirect_to(&Uri::parse("https://new.example/login").unwrap()), None);
}

#[test]
fn redirect_to_a_page_does_not_hide_the_endpoint() {
    let check = |target: &str, probed: &[&str]| {
        let first = EndpointStep::first(&endpoint(), true, &policy(10));
        let there = first.redirect_to(&Uri::parse(target).unwrap()).unwrap();
        let urls =
            |nexts: Vec<NextStep>| -> Vec<String> { nexts.iter().map(|next| next.step.service().to_owned()).collect() };
        assert_eq!(urls(there.next_steps()), probed);
        assert_eq!(urls(there.after_failure(&status(404))), probed);
    };

    check("https://data.example/sparql", &["https://data.example/sparql"]);
    check("https://www.data.example/sparql/", &["https://www.data.example/sparql/"]);
    check("http://data.example/ui", &["http://data.example/ui", "http://data.example/sparql"]);
}
