//! Claims about endpoints.

use std::collections::HashSet;

use http::header::{ACCEPT, CONTENT_TYPE};
use url::form_urlencoded;

use super::*;
use crate::message::Body;

fn small(manners: Manners) -> Alone {
    Alone::new(&Sample { triples: 3_000, graphs: 2, hub: 300, seed: 1 }, manners)
}

fn url(parameters: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    format!("{}?{query}", Alone::URL)
}

fn ask(web: &Alone, parameters: &[(&str, &str)], accept: &str) -> (u16, String, String) {
    told(&web.respond(&Request::get(&url(parameters)).with(ACCEPT, accept)))
}

fn told(response: &Response) -> (u16, String, String) {
    let Body::Whole(bytes) = &response.body else { panic!("a whole body") };
    let media_type = response.headers[CONTENT_TYPE].to_str().expect("ASCII").to_owned();
    (response.status.as_u16(), media_type, String::from_utf8(bytes.to_vec()).expect("UTF-8"))
}

fn rows(web: &Alone, query: &str) -> Vec<String> {
    let (status, _, text) = ask(web, &[("query", query)], "text/tab-separated-values");
    assert_eq!(status, 200, "{text}");
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn queries_are_answered_in_the_format_that_is_asked_for() {
    let web = small(Manners::default());
    let check = |query: &str, accept: &str, media_type: &str, holds: &str| {
        let (status, found, text) = ask(&web, &[("query", query)], accept);
        assert_eq!((status, found.as_str()), (200, media_type), "{query}: {text}");
        assert!(text.contains(holds), "{query}: {text}");
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
    let posted = Request::post(Alone::URL, "application/sparql-query", select).with(ACCEPT, "text/csv");
    assert!(told(&web.respond(&posted)).2.contains("3000"));
    let form = "query=ASK+%7B%3Fs+%3Fp+%3Fo%7D&format=application%2Fsparql-results%2Bxml";
    let posted = Request::post(Alone::URL, "application/x-www-form-urlencoded", form);
    assert_eq!(told(&web.respond(&posted)).1, "application/sparql-results+xml");
}

#[test]
fn results_are_capped_without_a_word() {
    let web = small(Manners { row_cap: Some(100), ..Manners::default() });

    assert_eq!(rows(&web, "SELECT * { ?s ?p ?o }").len(), 100);
    assert_eq!(rows(&web, "SELECT * { ?s ?p ?o } LIMIT 500").len(), 100);
    assert_eq!(rows(&web, "SELECT * { ?s ?p ?o } LIMIT 30").len(), 30);
    let (_, _, text) = ask(&web, &[("query", "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }")], "application/n-triples");
    assert_eq!(text.lines().count(), 100);
}

#[test]
fn paging_finds_every_statement_once() {
    let web = small(Manners { row_cap: Some(250), ..Manners::default() });
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
fn too_much_is_not_sorted() {
    let web = small(Manners { row_cap: Some(100), sorted_rows_max: Some(400), ..Manners::default() });
    let check = |query: &str, status: u16| {
        let (found, _, text) = ask(&web, &[("query", query)], "*/*");
        assert_eq!(found, status, "{query}: {text}");
        assert!(status == 200 || text.contains("SR353"), "{text}");
    };

    check("SELECT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 100", 200);
    check("SELECT DISTINCT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 100 OFFSET 300", 200);
    check("SELECT ?s { ?s ?p ?o } ORDER BY ?s LIMIT 100 OFFSET 301", 400);
    check("SELECT ?s { ?s ?p ?o } LIMIT 100 OFFSET 1000", 200);
}

#[test]
fn a_share_of_queries_fails_and_not_the_next_time() {
    let web = small(Manners { error_share: 0.3, ..Manners::default() });
    let statuses: Vec<u16> = (0..200).map(|_| ask(&web, &[("query", "ASK {}")], "*/*").0).collect();

    let failed = statuses.iter().filter(|status| **status == 500).count();
    assert!((30..90).contains(&failed), "{failed}");
    let again = small(Manners { error_share: 0.3, ..Manners::default() });
    let same: Vec<u16> = (0..200).map(|_| ask(&again, &[("query", "ASK {}")], "*/*").0).collect();
    assert_eq!(statuses, same);
}

#[test]
fn what_is_wrong_is_told_as_text() {
    let web = small(Manners::default());
    let check = |request: Request, status: u16| assert_eq!(web.respond(&request).status, status, "{}", request.url);

    check(Request::get(&url(&[("query", "SELECT nothing")])), 400);
    check(Request::get(&url(&[("query", "ASK {}"), ("default-graph-uri", "not an IRI")])), 400);
    check(Request::get(&url(&[("query", "ASK {}")])).with(ACCEPT, "image/png"), 406);
    check(Request::post(Alone::URL, "text/plain", "ASK {}"), 415);
    check(Request { method: http::Method::DELETE, ..Request::get(Alone::URL) }, 405);
    check(Request::get("http://endpoint.example/elsewhere"), 404);
}

#[test]
fn a_query_that_takes_too_long_is_given_up() {
    let web = small(Manners { timeout: Duration::ZERO, row_cap: None, ..Manners::default() });
    let query = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }";

    let (status, _, text) = ask(&web, &[("query", query)], "*/*");

    assert_eq!(status, 500);
    assert!(text.contains("timeout"), "{text}");
}

#[test]
fn the_dataset_is_what_the_protocol_the_query_or_the_server_says() {
    let count = |web: &Alone, parameters: &[(&str, &str)]| {
        let query = ("query", "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }");
        let (_, _, text) = ask(web, &[&[query], parameters].concat(), "text/csv");
        text.lines().nth(1).expect("a row").to_owned()
    };
    let web = small(Manners::default());
    let second = "http://endpoint.example/graph/1";

    assert_eq!(count(&web, &[]), "3000");
    assert_eq!(count(&web, &[("default-graph-uri", second)]), "1500");
    let own = small(Manners { union_default_graph: false, ..Manners::default() });
    assert_eq!(count(&own, &[]), "0");
    assert_eq!(rows(&web, &format!("SELECT (COUNT(*) AS ?n) FROM <{second}> {{ ?s ?p ?o }}")), ["1500"]);
    assert_eq!(rows(&web, "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }").len(), 2);
}

#[test]
fn without_a_query_the_endpoint_tells_what_it_is() {
    let web = small(Manners::default());
    let check = |accept: &str, media_type: &str, holds: &str| {
        let (status, found, text) = ask(&web, &[], accept);
        assert_eq!((status, found.as_str()), (200, media_type), "{accept}");
        assert!(text.contains(holds), "{text}");
    };

    check("text/html,*/*;q=0.8", "text/html; charset=utf-8", "<form");
    check("*/*", "text/html; charset=utf-8", "<form");
    check("text/turtle, text/html;q=0.5, */*;q=0.1", "text/turtle", "sd:Service");
    check("application/rdf+xml", "application/rdf+xml", "sd:Service");
    check("application/n-triples", "application/n-triples", "#Service>");
    let (_, _, turtle) = ask(&web, &[], "text/turtle");
    let (_, _, triples) = ask(&web, &[], "application/n-triples");
    let read =
        |text: &str| oxttl::TurtleParser::new().for_slice(text).map(|it| it.expect("Turtle")).collect::<HashSet<_>>();
    assert_eq!(read(&turtle), read(&triples));
}
