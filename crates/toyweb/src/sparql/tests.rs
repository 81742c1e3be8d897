//! Tests of SPARQL endpoints: protocol, limits, failures, datasets.

use std::collections::HashSet;

use http::header::{ACCEPT, CONTENT_TYPE};
use url::form_urlencoded;

use super::*;
use crate::message::WebBody;

fn small(behaviour: EndpointBehaviour) -> EndpointWeb {
    EndpointWeb::new(&SampleDataset { triples: 3_000, graphs: 2, hub: 300, seed: 1 }, behaviour)
}

fn url(parameters: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    format!("{}?{query}", EndpointWeb::URL)
}

fn query_endpoint(web: &EndpointWeb, parameters: &[(&str, &str)], accept: &str) -> (u16, String, String) {
    summary(&web.respond(&WebRequest::get(&url(parameters)).with_header(ACCEPT, accept)))
}

fn summary(response: &WebResponse) -> (u16, String, String) {
    let WebBody::Whole(bytes) = &response.body else { panic!("a whole body") };
    let media_type = response.headers[CONTENT_TYPE].to_str().expect("ASCII").to_owned();
    (response.status.as_u16(), media_type, String::from_utf8(bytes.to_vec()).expect("UTF-8"))
}

fn rows(web: &EndpointWeb, query: &str) -> Vec<String> {
    let (status, _, text) = query_endpoint(web, &[("query", query)], "text/tab-separated-values");
    assert_eq!(status, 200, "{text}");
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn results_have_the_requested_format() {
    let web = small(EndpointBehaviour::default());
    let check = |query: &str, accept: &str, media_type: &str, content: &str| {
        let (status, found, text) = query_endpoint(&web, &[("query", query)], accept);
        assert_eq!((status, found.as_str()), (200, media_type), "{query}: {text}");
        assert!(text.contains(content), "{query}: {text}");
    };
    let (select, ask) = ("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", "ASK { ?s ?p ?o }");
    let construct = "CONSTRUCT WHERE { <http://endpoint.example/id/0/1> a ?c }";

    check(select, "*/*", "application/sparql-results+json", "\"3000\"");
    check(select, "application/sparql-results+xml", "application/sparql-results+xml", ">3000</literal>");
    check(select, "text/csv", "text/csv", "3000");
    check(ask, "application/sparql-results+json;q=0.5, text/csv;q=0.1", "application/sparql-results+json", "true");
    check(construct, "*/*", "text/turtle", "Class");
    check(construct, "application/n-triples", "application/n-triples", "ns#Class");
    check(construct, "application/rdf+xml, */*;q=0.1", "application/rdf+xml", "<Class");
    let posted = WebRequest::post(EndpointWeb::URL, "application/sparql-query", select).with_header(ACCEPT, "text/csv");
    assert!(summary(&web.respond(&posted)).2.contains("3000"));
    let form = "query=ASK+%7B%3Fs+%3Fp+%3Fo%7D&format=application%2Fsparql-results%2Bxml";
    let posted = WebRequest::post(EndpointWeb::URL, "application/x-www-form-urlencoded", form);
    assert_eq!(summary(&web.respond(&posted)).1, "application/sparql-results+xml");
}

#[test]
fn results_are_truncated_without_notice() {
    let web = small(EndpointBehaviour { max_rows: Some(100), ..EndpointBehaviour::default() });

    assert_eq!(rows(&web, "SELECT * { ?s ?p ?o }").len(), 100);
    assert_eq!(rows(&web, "SELECT * { ?s ?p ?o } LIMIT 500").len(), 100);
    assert_eq!(rows(&web, "SELECT * { ?s ?p ?o } LIMIT 30").len(), 30);
    let (_, _, text) =
        query_endpoint(&web, &[("query", "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }")], "application/n-triples");
    assert_eq!(text.lines().count(), 100);
}

#[test]
fn paging_finds_every_statement_once() {
    let web = small(EndpointBehaviour { max_rows: Some(250), ..EndpointBehaviour::default() });
    let mut found = HashSet::new();
    for page in 0.. {
        let offset = page * 250;
        let rows = rows(&web, &format!("SELECT * {{ GRAPH ?g {{ ?s ?p ?o }} }} LIMIT 250 OFFSET {offset}"));
        if rows.is_empty() {
            break;
        }
        found.extend(rows);
    }

    assert_eq!(found.len(), 3_000);
}

#[test]
fn sorting_too_many_rows_is_rejected() {
    let web =
        small(EndpointBehaviour { max_rows: Some(100), max_sorted_rows: Some(400), ..EndpointBehaviour::default() });
    let check = |query: &str, status: u16| {
        let (found, _, text) = query_endpoint(&web, &[("query", query)], "*/*");
        assert_eq!(found, status, "{query}: {text}");
        assert!(status == 200 || text.contains("SR353"), "{text}");
    };

    check("SELECT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 100", 200);
    check("SELECT DISTINCT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 100 OFFSET 300", 200);
    check("SELECT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 100 OFFSET 301", 400);
    check("SELECT ?s { ?s ?p ?o } LIMIT 100 OFFSET 1000", 200);
}

#[test]
fn a_share_of_queries_fails_reproducibly() {
    let web = small(EndpointBehaviour { error_share: 0.3, ..EndpointBehaviour::default() });
    let statuses: Vec<u16> = (0..200).map(|_| query_endpoint(&web, &[("query", "ASK {}")], "*/*").0).collect();

    let failed = statuses.iter().filter(|status| **status == 500).count();
    assert!((30..90).contains(&failed), "{failed}");
    let second = small(EndpointBehaviour { error_share: 0.3, ..EndpointBehaviour::default() });
    let repeated: Vec<u16> = (0..200).map(|_| query_endpoint(&second, &[("query", "ASK {}")], "*/*").0).collect();
    assert_eq!(statuses, repeated);
}

#[test]
fn invalid_requests_have_their_error_status() {
    let web = small(EndpointBehaviour::default());
    let check = |request: WebRequest, status: u16| assert_eq!(web.respond(&request).status, status, "{}", request.url);

    check(WebRequest::get(&url(&[("query", "SELECT nothing")])), 400);
    check(WebRequest::get(&url(&[("query", "ASK {}"), ("default-graph-uri", "not an IRI")])), 400);
    check(WebRequest::get(&url(&[("query", "ASK {}")])).with_header(ACCEPT, "image/png"), 406);
    check(WebRequest::post(EndpointWeb::URL, "text/plain", "ASK {}"), 415);
    check(WebRequest { method: http::Method::DELETE, ..WebRequest::get(EndpointWeb::URL) }, 405);
    check(WebRequest::get("http://endpoint.example/elsewhere"), 404);
}

#[test]
fn a_query_that_exceeds_the_time_limit_is_aborted() {
    let web = small(EndpointBehaviour { timeout: Duration::ZERO, max_rows: None, ..EndpointBehaviour::default() });
    let query = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }";

    let (status, _, text) = query_endpoint(&web, &[("query", query)], "*/*");

    assert_eq!(status, 500);
    assert!(text.contains("timeout"), "{text}");
}

#[test]
fn the_dataset_comes_from_the_protocol_the_query_or_the_server() {
    let count = |web: &EndpointWeb, parameters: &[(&str, &str)]| {
        let query = ("query", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }");
        let (_, _, text) = query_endpoint(web, &[&[query], parameters].concat(), "text/csv");
        text.lines().nth(1).expect("a row").to_owned()
    };
    let web = small(EndpointBehaviour::default());
    let second = "http://endpoint.example/graph/1";

    assert_eq!(count(&web, &[]), "3000");
    assert_eq!(count(&web, &[("default-graph-uri", second)]), "1500");
    let own = small(EndpointBehaviour { union_default_graph: false, ..EndpointBehaviour::default() });
    assert_eq!(count(&own, &[]), "0");
    assert_eq!(rows(&web, &format!("SELECT (COUNT(*) AS ?n) FROM <{second}> {{ ?s ?p ?o }}")), ["1500"]);
    assert_eq!(rows(&web, "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }").len(), 2);
}

#[test]
fn without_a_query_the_endpoint_returns_a_service_description() {
    let web = small(EndpointBehaviour::default());
    let check = |accept: &str, media_type: &str, content: &str| {
        let (status, found, text) = query_endpoint(&web, &[], accept);
        assert_eq!((status, found.as_str()), (200, media_type), "{accept}");
        assert!(text.contains(content), "{text}");
    };

    check("text/html,*/*;q=0.8", "text/html; charset=utf-8", "<form");
    check("*/*", "text/html; charset=utf-8", "<form");
    check("text/turtle, text/html;q=0.5, */*;q=0.1", "text/turtle", "sd:Service");
    check("application/rdf+xml", "application/rdf+xml", "sd:Service");
    check("application/n-triples", "application/n-triples", "#Service>");
    let (_, _, turtle) = query_endpoint(&web, &[], "text/turtle");
    let (_, _, triples) = query_endpoint(&web, &[], "application/n-triples");
    let read =
        |text: &str| oxttl::TurtleParser::new().for_slice(text).map(|it| it.expect("Turtle")).collect::<HashSet<_>>();
    assert_eq!(read(&turtle), read(&triples));
}
