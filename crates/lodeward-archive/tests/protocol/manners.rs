//! What the suites do not ask: problems, bounds, who may write.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use lodeward_archive::protocol::{Access, Interrupted, Options};
use lodeward_archive::sparql::CancellationToken;

use crate::exchange::{House, field, text};

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const UPDATE: (&str, &str) = ("content-type", "application/sparql-update");
const TURTLE: (&str, &str) = ("content-type", "text/turtle");

fn status(answer: &Response<Bytes>) -> u16 {
    answer.status().as_u16()
}

/// A query that ends when it is stopped.
fn endless_query() -> String {
    let column = |number: u32| format!("VALUES ?x{number} {{ 0 1 2 3 4 5 6 7 8 9 }} ");
    format!("SELECT (COUNT(*) AS ?n) {{ {} }}", (0..12).map(column).collect::<String>())
}

#[test]
fn problems_are_documents_that_tell_what_is_wrong() {
    let house = House::new();
    let check = |method: &str, path: &str, fields: &[(&str, &str)], body: &str, expected: u16, says: &str| {
        let answer = house.send(method, path, fields, body);
        assert_eq!(status(&answer), expected, "{method} {path}: {}", text(&answer));
        assert_eq!(field(&answer, "content-type"), "application/problem+json");
        assert!(text(&answer).contains(says), "{method} {path}: {}", text(&answer));
    };

    check("GET", "/sparql?query=SELECT", &[], "", 400, "SPARQL");
    check("GET", "/sparql?timeout=1", &[], "", 400, "`query` is missing");
    check("GET", "/sparql?query=ASK%7B%7D&timeout=soon", &[], "", 400, "no number of seconds");
    check("GET", "/sparql?query=ASK%7B%7D&timeout=1e-155", &[], "", 400, "1 or more");
    check("GET", "/sparql?query=ASK%7B%7D&lenient=perhaps", &[], "", 400, "neither `true`");
    let query = ("content-type", "application/sparql-query");
    check("POST", "/sparql?timeout=1", &[query], &endless_query(), 503, "\"code\":\"query-stopped\"");
    check("POST", "/sparql", &[FORM], "a=b", 400, "neither");
    check("POST", "/sparql", &[FORM], "query=ASK{}&update=CLEAR+ALL", 400, "not both");
    check(
        "POST",
        "/sparql?query=ASK{}",
        &[("content-type", "application/sparql-query")],
        "ASK {}",
        400,
        "also `query`",
    );
    check("DELETE", "/sparql", &[], "", 405, "GET, HEAD, POST");
    check("GET", "/update", &[], "", 405, "POST");
    check("POST", "/update", &[FORM], "query=ASK{}", 400, "elsewhere");
    check("GET", "/sparql?query=ASK%7B%7D", &[("accept", "image/png")], "", 406, "sparql-results+json");
    check("POST", "/sparql", &[("content-type", "text/html")], "", 415, "sparql-query");
    check("GET", "/elsewhere", &[], "", 404, "/sparql");
    check("PUT", "/gsp?graph=http://a.example/", &[("content-type", "image/png")], "", 415, "text/turtle");
    check("PUT", "/gsp?graph=http://a.example/", &[TURTLE], "<a", 400, "cannot be read");
    check("PUT", "/gsp?graph=relative", &[TURTLE], "", 400, "no IRI");
    check("PUT", "/gsp?graph=http://a.example/&default", &[TURTLE], "", 400, "not both");
    check("PUT", "/gsp", &[TURTLE], "", 400, "name a graph");
    check("DELETE", "/gsp", &[], "", 400, "name a graph");
    check("PATCH", "/gsp?default", &[], "", 405, "PUT");
    check("GET", "/gsp?graph=http://a.example/none", &[], "", 404, "http://a.example/none");
}

#[test]
fn a_client_may_ask_for_the_lenient_mode() {
    let house = House::new();
    let query = "query=ASK+%7B+FILTER+regex%28%3Chttp%3A%2F%2Fa.example%2Fx%3E%2C+%22example%22%29+%7D";
    for (lenient, expected) in [("", "false"), ("&lenient=true", "true"), ("&lenient=false", "false")] {
        let answer = house.send("GET", &format!("/sparql?{query}{lenient}"), &[], "");
        assert!(text(&answer).contains(expected), "{lenient}: {}", text(&answer));
    }
}

#[test]
fn a_graph_is_sent_as_what_it_is_said_to_be() {
    let house = House::new();
    let graph = "/gsp?graph=http://a.example/g";
    house.send("PUT", graph, &[TURTLE], "<http://a.example/s> a <http://a.example/o> .");
    for (accepted, begins) in [
        ("text/turtle", "<http://a.example/s>"),
        ("application/n-triples", "<http://a.example/s>"),
        ("application/rdf+xml", "<?xml"),
        ("application/ld+json", "["),
    ] {
        let answer = house.send("GET", graph, &[("accept", accepted)], "");
        assert!(field(&answer, "content-type").starts_with(accepted));
        assert!(text(&answer).starts_with(begins), "{accepted}: {}", text(&answer));
    }
}

#[test]
fn a_body_that_cannot_be_read_changes_nothing() {
    let house = House::new();
    let graph = "/gsp?graph=http://a.example/g";
    assert_eq!(status(&house.send("PUT", graph, &[TURTLE], "<http://a.example/s> a <http://a.example/o> .")), 201);

    assert_eq!(status(&house.send("PUT", graph, &[TURTLE], "<http://a.example/t> a <http://a.example/o> . <")), 400);

    assert!(text(&house.send("GET", graph, &[], "")).contains("http://a.example/s"));
    assert_eq!(house.archive.snapshot().len().unwrap(), 1);
}

#[test]
fn blank_nodes_of_two_bodies_are_two() {
    let house = House::new();
    let graph = "/gsp?graph=http://a.example/g";

    house.send("POST", graph, &[TURTLE], "_:a <http://a.example/p> 1 .");
    house.send("POST", graph, &[TURTLE], "_:a <http://a.example/p> 1 .");

    assert_eq!(house.archive.snapshot().len().unwrap(), 2);
}

#[test]
fn the_whole_store_is_quads() {
    let house = House::new();
    let quads = "<http://a.example/s> <http://a.example/p> \"o\" <http://a.example/g> .\n";

    assert_eq!(status(&house.send("POST", "/gsp", &[("content-type", "application/n-quads")], quads)), 200);

    let answer = house.send("GET", "/gsp", &[], "");
    assert_eq!((field(&answer, "content-type"), text(&answer).as_str()), ("application/n-quads", quads));
    assert_eq!(status(&house.send("GET", "/gsp", &[("accept", "text/turtle")], "")), 406);
    let triples = house.send("GET", "/gsp?graph=http://a.example/g", &[("accept", "application/n-triples")], "");
    assert_eq!(text(&triples), "<http://a.example/s> <http://a.example/p> \"o\" .\n");
}

#[test]
fn what_can_only_be_read_is_not_written() {
    let house = House::with(|options| options.access = Access::ReadOnly);

    assert_eq!(status(&house.send("POST", "/update", &[UPDATE], "CLEAR ALL")), 403);
    assert_eq!(status(&house.send("POST", "/sparql", &[FORM], "update=CLEAR+ALL")), 403);
    for method in ["PUT", "POST", "DELETE"] {
        assert_eq!(status(&house.send(method, "/gsp?default", &[TURTLE], "")), 403);
    }
    assert_eq!(status(&house.send("GET", "/gsp?default", &[], "")), 200);
    assert!(!text(&house.send("GET", "/sparql", &[], "")).contains("SPARQL11Update"));
}

#[test]
fn pages_of_other_sites_may_not_write() {
    let house = House::with(|options| options.allow_origin = Some("https://friend.example".to_owned()));
    let check = |origin: &str, expected: u16| {
        let answer = house.send("POST", "/sparql", &[FORM, ("origin", origin)], "update=CLEAR+ALL");
        assert_eq!(status(&answer), expected, "{origin}");
        assert_eq!(field(&answer, "access-control-allow-origin"), "https://friend.example");
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
    assert_eq!(status(&house.send("OPTIONS", "/sparql", &[("origin", "https://evil.example")], "")), 204);
    assert_eq!(field(&House::new().send("GET", "/sparql", &[], ""), "access-control-allow-origin"), "");
}

#[test]
fn a_page_behind_a_proxy_is_known_by_the_host_that_it_asked() {
    let check = |public_url: Option<&str>, host: &str, origin: &str, expected: u16| {
        let house = House::with(|options| options.public_url = public_url.map(str::to_owned));
        let request = Request::post("/update").header("host", host).header("origin", origin).header(UPDATE.0, UPDATE.1);
        let answer = house.ask(&request.body(Bytes::from("CLEAR ALL")).unwrap());
        assert_eq!(status(&answer), expected, "{public_url:?} {host} {origin}");
    };

    check(None, "Crawls.example:443", "https://crawls.example", 204);
    check(None, "crawls.example:7878", "https://crawls.example:7878", 204);
    check(None, "crawls.example:443", "http://crawls.example", 403);
    check(None, "crawls.example:7878", "https://crawls.example", 403);
    // Where `Host` is not to be believed, it says nothing.
    check(Some("https://crawls.example"), "127.0.0.1:7878", "https://crawls.example", 204);
    check(Some("https://crawls.example"), "evil.example", "https://evil.example", 403);
    check(Some("https://crawls.example"), "crawls.example", "http://crawls.example", 403);
}

/// A graph of more bytes than are held back.
fn house_with_a_long_graph(change: impl FnOnce(&mut Options)) -> House {
    let house = House::with(change);
    let triple = |number: u32| format!("<http://a.example/s> <http://a.example/p> <http://a.example/{number}> .\n");
    house.load("http://a.example/g", (0..2_000).map(triple).collect::<String>().as_bytes());
    house
}

#[test]
fn a_graph_may_be_read_for_as_long_as_a_query_runs() {
    let graph = "/gsp?graph=http://a.example/g";
    let house = house_with_a_long_graph(|options| options.query.timeout = Some(Duration::ZERO));

    for path in [graph, "/gsp?graph=http://a.example/g&timeout=60", "/gsp"] {
        let answer = house.send("GET", path, &[], "");
        assert_eq!(status(&answer), 503, "{path}");
        assert!(text(&answer).contains("\"code\":\"query-stopped\""), "{}", text(&answer));
    }
    assert_eq!(status(&house.send("GET", "/gsp?default&timeout=soon", &[], "")), 400);
    let patient = house_with_a_long_graph(|options| options.query.timeout = Some(Duration::MAX));
    assert_eq!(status(&patient.send("GET", graph, &[], "")), 200);
}

#[test]
fn a_graph_breaks_off_for_a_reader_who_takes_too_long() {
    let house = house_with_a_long_graph(|_| ());
    let request = Request::get("/gsp?graph=http://a.example/g&timeout=1").body(Bytes::new()).unwrap();
    let mut head = None;

    let result = house.endpoint.answer(&request, |parts| {
        head = Some(parts.status.as_u16());
        Slow { house: &house, has_waited: false }
    });

    assert_eq!(head, Some(200));
    assert!(result.unwrap_err().to_string().contains("ran for longer than 1s"));
}

/// Takes the beginning of an answer, and then as long as a query may that begins now.
struct Slow<'a> {
    house: &'a House,
    has_waited: bool,
}

impl std::io::Write for Slow<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if !std::mem::replace(&mut self.has_waited, true) {
            let query = ("content-type", "application/sparql-query");
            assert_eq!(status(&self.house.send("POST", "/sparql?timeout=1", &[query], &endless_query())), 503);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_long_answer_that_fails_breaks_off() {
    let house = House::new();
    let row = "VALUES ?x { 0 1 2 3 4 5 6 7 8 9 }";
    let columns: String = (0..5).map(|column| row.replace("?x", &format!("?x{column}"))).collect();
    let query = format!("SELECT * {{ {columns} }}");
    let request = Request::post("/sparql").header("content-type", "application/sparql-query");
    let request = request.body(Bytes::from(query)).unwrap();
    let cancel = CancellationToken::new();
    let mut head = None;
    let mut received = 0;

    let result: Result<(), Interrupted> = house.endpoint.stopped_by(&cancel).answer(&request, |parts| {
        head = Some(parts.status.as_u16());
        Impatient { cancel: cancel.clone(), received: &mut received }
    });

    assert_eq!(head, Some(200));
    assert!(result.is_err());
    assert!(received < 500_000, "{received} bytes came after it was cancelled");
}

/// Takes some of an answer, and cancels the query then.
struct Impatient<'a> {
    cancel: CancellationToken,
    received: &'a mut usize,
}

impl std::io::Write for Impatient<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        *self.received += bytes.len();
        self.cancel.cancel();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
