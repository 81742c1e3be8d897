//! Tests of what the W3C suites do not cover: problem documents, limits, write access.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use lodeward_archive::protocol::{ProtocolOptions, ResponseAborted, WriteAccess};
use lodeward_archive::sparql::CancellationToken;

use crate::fixture::{EndpointFixture, field, text};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const UPDATE: (&str, &str) = ("content-type", "application/sparql-update");
const TURTLE: (&str, &str) = ("content-type", "text/turtle");

fn status(response: &Response<Bytes>) -> u16 {
    response.status().as_u16()
}

/// A query that ends only when it is stopped.
fn endless_query() -> String {
    let column = |number: u32| format!("VALUES ?x{number} {{ 0 1 2 3 4 5 6 7 8 9 }} ");
    format!("SELECT (COUNT(*) AS ?n) {{ {} }}", (0..12).map(column).collect::<String>())
}

#[test]
fn problem_documents_state_the_cause() {
    let fixture = EndpointFixture::new();
    let check = |method: &str, path: &str, fields: &[(&str, &str)], body: &str, expected: u16, detail: &str| {
        let response = fixture.send(method, path, fields, body);
        assert_eq!(status(&response), expected, "{method} {path}: {}", text(&response));
        assert_eq!(field(&response, "content-type"), "application/problem+json");
        assert!(text(&response).contains(detail), "{method} {path}: {}", text(&response));
    };

    check("GET", "/sparql?query=SELECT", &[], "", 400, "cannot parse query");
    check("GET", "/sparql?timeout=1", &[], "", 400, "`query` is missing");
    check("GET", "/sparql?query=ASK%7B%7D&timeout=soon", &[], "", 400, "expected a number of seconds");
    check("GET", "/sparql?query=ASK%7B%7D&timeout=1e-155", &[], "", 400, "at least 1");
    check("GET", "/sparql?query=ASK%7B%7D&lenient=perhaps", &[], "", 400, "not `true` or `false`");
    let query = ("content-type", "application/sparql-query");
    check("POST", "/sparql?timeout=1", &[query], &endless_query(), 503, "\"code\":\"query-limit\"");
    check("POST", "/sparql", &[FORM], "a=b", 400, "`query` or `update` is missing");
    check("POST", "/sparql", &[FORM], "query=ASK{}&update=CLEAR+ALL", 400, "cannot be combined");
    check(
        "POST",
        "/sparql?query=ASK{}",
        &[("content-type", "application/sparql-query")],
        "ASK {}",
        400,
        "`query` is not allowed",
    );
    check("DELETE", "/sparql", &[], "", 405, "GET, HEAD, POST");
    check("GET", "/update", &[], "", 405, "POST");
    check("POST", "/update", &[FORM], "query=ASK{}", 400, "only updates");
    check("GET", "/sparql?query=ASK%7B%7D", &[("accept", "image/png")], "", 406, "sparql-results+json");
    check("POST", "/sparql", &[("content-type", "text/html")], "", 415, "sparql-query");
    check("GET", "/elsewhere", &[], "", 404, "/sparql");
    check("PUT", "/gsp?graph=http://a.example/", &[("content-type", "image/png")], "", 415, "text/turtle");
    check("PUT", "/gsp?graph=http://a.example/", &[TURTLE], "<a", 400, "cannot parse the body");
    check("PUT", "/gsp?graph=relative", &[TURTLE], "", 400, "not an IRI");
    check("PUT", "/gsp?graph=http://a.example/&default", &[TURTLE], "", 400, "cannot be combined");
    check("PUT", "/gsp", &[TURTLE], "", 400, "no graph");
    check("DELETE", "/gsp", &[], "", 400, "no graph");
    check("PATCH", "/gsp?default", &[], "", 405, "PUT");
    check("GET", "/gsp?graph=http://a.example/none", &[], "", 404, "http://a.example/none");
}

#[test]
fn a_request_can_enable_the_lenient_mode() {
    let fixture = EndpointFixture::new();
    let query = "query=ASK+%7B+FILTER+regex%28%3Chttp%3A%2F%2Fa.example%2Fx%3E%2C+%22example%22%29+%7D";
    for (lenient, expected) in [("", "false"), ("&lenient=true", "true"), ("&lenient=false", "false")] {
        let response = fixture.send("GET", &format!("/sparql?{query}{lenient}"), &[], "");
        assert!(text(&response).contains(expected), "{lenient}: {}", text(&response));
    }
}

#[test]
fn a_graph_is_sent_in_the_accepted_format() {
    let fixture = EndpointFixture::new();
    let graph = "/gsp?graph=http://a.example/g";
    fixture.send("PUT", graph, &[TURTLE], "<http://a.example/s> a <http://a.example/o> .");
    for (accepted, begins) in [
        ("text/turtle", "<http://a.example/s>"),
        ("application/n-triples", "<http://a.example/s>"),
        ("application/rdf+xml", "<?xml"),
        ("application/ld+json", "["),
    ] {
        let response = fixture.send("GET", graph, &[("accept", accepted)], "");
        assert!(field(&response, "content-type").starts_with(accepted));
        assert!(text(&response).starts_with(begins), "{accepted}: {}", text(&response));
    }
}

#[test]
fn an_invalid_body_changes_nothing() {
    let fixture = EndpointFixture::new();
    let graph = "/gsp?graph=http://a.example/g";
    assert_eq!(status(&fixture.send("PUT", graph, &[TURTLE], "<http://a.example/s> a <http://a.example/o> .")), 201);

    assert_eq!(status(&fixture.send("PUT", graph, &[TURTLE], "<http://a.example/t> a <http://a.example/o> . <")), 400);

    assert!(text(&fixture.send("GET", graph, &[], "")).contains("http://a.example/s"));
    assert_eq!(fixture.archive.snapshot().len().unwrap(), 1);
}

#[test]
fn json_ld_is_read_with_bundled_contexts_only() {
    let fixture = EndpointFixture::new();
    let graph = "/gsp?graph=http://a.example/g";
    let json_ld = [("content-type", "application/ld+json")];
    let bundled = r#"{"@context": "https://schema.org", "@id": "http://a.example/s", "name": "A"}"#;
    let remote = r#"{"@context": "https://a.example/context", "@id": "http://a.example/s", "name": "A"}"#;

    assert_eq!(status(&fixture.send("PUT", graph, &json_ld, bundled)), 201);
    let rejected = fixture.send("PUT", graph, &json_ld, remote);

    assert_eq!(status(&rejected), 400);
    assert!(text(&rejected).contains("loading remote context failed"), "{}", text(&rejected));
    let triples = text(&fixture.send("GET", graph, &[("accept", "application/n-triples")], ""));
    assert_eq!(triples, "<http://a.example/s> <http://schema.org/name> \"A\" .\n");
}

#[test]
fn json_ld_sent_to_the_store_keeps_its_graphs() {
    let fixture = EndpointFixture::new();
    let document =
        r#"{"@id": "http://a.example/g", "@graph": {"@id": "http://a.example/s", "http://a.example/p": "o"}}"#;

    assert_eq!(status(&fixture.send("POST", "/gsp", &[("content-type", "application/ld+json")], document)), 200);

    let quads = "<http://a.example/s> <http://a.example/p> \"o\" <http://a.example/g> .\n";
    assert_eq!(text(&fixture.send("GET", "/gsp", &[], "")), quads);
}

#[test]
fn deep_bodies_are_rejected() {
    let fixture = EndpointFixture::new();
    let xml = "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://a.example/'>".to_owned();
    let xml = xml + &"<A><p>".repeat(50_000) + &"</p></A>".repeat(50_000) + "</r:RDF>";
    let json = r#"{"http://a.example/p":"#.repeat(50_000) + "1" + &"}".repeat(50_000);

    for (media_type, body) in [("application/rdf+xml", xml), ("application/ld+json", json)] {
        let response = fixture.send("PUT", "/gsp?default", &[("content-type", media_type)], &body);

        assert_eq!(status(&response), 400, "{media_type}");
        assert!(text(&response).contains("too deep"), "{media_type}: {}", text(&response));
    }
    assert_eq!(fixture.archive.snapshot().len().unwrap(), 0);
}

#[test]
fn entity_bombs_are_rejected() {
    let fixture = EndpointFixture::new();
    let levels = (1..10).map(|level| format!("<!ENTITY l{level} \"{}\">", format!("&l{};", level - 1).repeat(10)));
    let body = format!(
        "<!DOCTYPE r [<!ENTITY l0 \"lol\">{}]><r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
         xmlns='http://a.example/'><A><p>&l9;</p></A></r:RDF>",
        levels.collect::<Vec<_>>().concat()
    );

    let response = fixture.send("PUT", "/gsp?default", &[("content-type", "application/rdf+xml")], &body);

    assert_eq!(status(&response), 400);
    assert!(text(&response).contains("entity `l4` expands to more than"), "{}", text(&response));
}

#[test]
fn blank_nodes_of_two_bodies_are_distinct() {
    let fixture = EndpointFixture::new();
    let graph = "/gsp?graph=http://a.example/g";

    fixture.send("POST", graph, &[TURTLE], "_:a <http://a.example/p> 1 .");
    fixture.send("POST", graph, &[TURTLE], "_:a <http://a.example/p> 1 .");

    assert_eq!(fixture.archive.snapshot().len().unwrap(), 2);
}

#[test]
fn the_whole_store_is_read_and_written_as_quads() {
    let fixture = EndpointFixture::new();
    let quads = "<http://a.example/s> <http://a.example/p> \"o\" <http://a.example/g> .\n";

    assert_eq!(status(&fixture.send("POST", "/gsp", &[("content-type", "application/n-quads")], quads)), 200);

    let response = fixture.send("GET", "/gsp", &[], "");
    assert_eq!((field(&response, "content-type"), text(&response).as_str()), ("application/n-quads", quads));
    assert_eq!(status(&fixture.send("GET", "/gsp", &[("accept", "text/turtle")], "")), 406);
    let triples = fixture.send("GET", "/gsp?graph=http://a.example/g", &[("accept", "application/n-triples")], "");
    assert_eq!(text(&triples), "<http://a.example/s> <http://a.example/p> \"o\" .\n");
}

#[test]
fn a_read_only_endpoint_rejects_writes() {
    let fixture = EndpointFixture::with(|options| options.access = WriteAccess::ReadOnly);

    assert_eq!(status(&fixture.send("POST", "/update", &[UPDATE], "CLEAR ALL")), 403);
    assert_eq!(status(&fixture.send("POST", "/sparql", &[FORM], "update=CLEAR+ALL")), 403);
    for method in ["PUT", "POST", "DELETE"] {
        assert_eq!(status(&fixture.send(method, "/gsp?default", &[TURTLE], "")), 403);
    }
    assert_eq!(status(&fixture.send("GET", "/gsp?default", &[], "")), 200);
    assert!(!text(&fixture.send("GET", "/sparql", &[], "")).contains("SPARQL11Update"));
}

#[test]
fn writes_from_pages_of_other_sites_are_rejected() {
    let fixture = EndpointFixture::with(|options| options.allow_origin = Some("https://friend.example".to_owned()));
    let check = |origin: &str, expected: u16| {
        let response = fixture.send("POST", "/sparql", &[FORM, ("origin", origin)], "update=CLEAR+ALL");
        assert_eq!(status(&response), expected, "{origin}");
        assert_eq!(field(&response, "access-control-allow-origin"), "https://friend.example");
    };

    check("https://evil.example", 403);
    check("null", 403);
    check("https://friend.example", 204);
    check("http://www.example", 204);
    check("https://www.example", 204);
    check("https://www.example:443", 204);
    check("https://www.example:8443", 403);
    check("https://www.example.evil.example", 403);
    check("ftp://www.example", 403);
    assert_eq!(status(&fixture.send("OPTIONS", "/sparql", &[("origin", "https://evil.example")], "")), 204);
    assert_eq!(field(&EndpointFixture::new().send("GET", "/sparql", &[], ""), "access-control-allow-origin"), "");
}

#[test]
fn behind_a_proxy_the_origin_is_compared_with_the_requested_host() {
    let check = |public_url: Option<&str>, host: &str, origin: &str, expected: u16| {
        let fixture = EndpointFixture::with(|options| options.public_url = public_url.map(str::to_owned));
        let request = Request::post("/update").header("host", host).header("origin", origin).header(UPDATE.0, UPDATE.1);
        let response = fixture.respond(&request.body(Bytes::from("CLEAR ALL")).unwrap());
        assert_eq!(status(&response), expected, "{public_url:?} {host} {origin}");
    };

    check(None, "Crawls.example:443", "https://crawls.example", 204);
    check(None, "crawls.example:7878", "https://crawls.example:7878", 204);
    check(None, "crawls.example:443", "http://crawls.example", 403);
    check(None, "crawls.example:7878", "https://crawls.example", 403);
    // With a public URL, the `Host` header is ignored.
    check(Some("https://crawls.example"), "127.0.0.1:7878", "https://crawls.example", 204);
    check(Some("https://crawls.example"), "evil.example", "https://evil.example", 403);
    check(Some("https://crawls.example"), "crawls.example", "http://crawls.example", 403);
}

/// An endpoint with a graph that is longer than the response buffer.
fn fixture_with_long_graph(change: impl FnOnce(&mut ProtocolOptions)) -> EndpointFixture {
    let fixture = EndpointFixture::with(change);
    let triple = |number: u32| format!("<http://a.example/s> <http://a.example/p> <http://a.example/{number}> .\n");
    fixture.load("http://a.example/g", (0..2_000).map(triple).collect::<String>().as_bytes());
    fixture
}

#[test]
fn reading_a_graph_has_the_time_limit_of_queries() {
    let graph = "/gsp?graph=http://a.example/g";
    let fixture = fixture_with_long_graph(|options| options.query.timeout = Some(Duration::ZERO));

    for path in [graph, "/gsp?graph=http://a.example/g&timeout=60", "/gsp"] {
        let response = fixture.send("GET", path, &[], "");
        assert_eq!(status(&response), 503, "{path}");
        assert!(text(&response).contains("\"code\":\"query-limit\""), "{}", text(&response));
    }
    assert_eq!(status(&fixture.send("GET", "/gsp?default&timeout=soon", &[], "")), 400);
    let unlimited = fixture_with_long_graph(|options| options.query.timeout = Some(Duration::MAX));
    assert_eq!(status(&unlimited.send("GET", graph, &[], "")), 200);
}

#[test]
fn the_response_is_aborted_if_the_client_reads_too_slowly() {
    let fixture = fixture_with_long_graph(|_| ());
    let request = Request::get("/gsp?graph=http://a.example/g&timeout=1").body(Bytes::new()).unwrap();
    let mut head = None;

    let result = fixture.endpoint.respond(&request, |parts| {
        head = Some(parts.status.as_u16());
        SlowWriter { fixture: &fixture, has_waited: false }
    });

    assert_eq!(head, Some(200));
    assert!(result.unwrap_err().to_string().contains("time limit of 1s exceeded"));
}

/// Accepts the beginning of a response, then waits as long as a query with a time limit of 1 s.
struct SlowWriter<'a> {
    fixture: &'a EndpointFixture,
    has_waited: bool,
}

impl std::io::Write for SlowWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if !std::mem::replace(&mut self.has_waited, true) {
            let query = ("content-type", "application/sparql-query");
            assert_eq!(status(&self.fixture.send("POST", "/sparql?timeout=1", &[query], &endless_query())), 503);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_long_response_that_fails_is_aborted() {
    let fixture = EndpointFixture::new();
    let row = "VALUES ?x { 0 1 2 3 4 5 6 7 8 9 }";
    let columns: String = (0..5).map(|column| row.replace("?x", &format!("?x{column}"))).collect();
    let query = format!("SELECT * {{ {columns} }}");
    let request = Request::post("/sparql").header("content-type", "application/sparql-query");
    let request = request.body(Bytes::from(query)).unwrap();
    let cancel = CancellationToken::new();
    let mut head = None;
    let mut received = 0;

    let result: Result<(), ResponseAborted> = fixture.endpoint.with_cancel(&cancel).respond(&request, |parts| {
        head = Some(parts.status.as_u16());
        CancellingWriter { cancel: cancel.clone(), received: &mut received }
    });

    assert_eq!(head, Some(200));
    assert!(result.is_err());
    assert!(received < 500_000, "{received} bytes were sent after the cancellation");
}

/// Accepts a part of a response, then cancels the query.
struct CancellingWriter<'a> {
    cancel: CancellationToken,
    received: &'a mut usize,
}

impl std::io::Write for CancellingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        *self.received += bytes.len();
        self.cancel.cancel();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
