//! Tests of `SERVICE` and `LOAD` with a scripted client.

use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use lodeward_archive::sparql::{
    QueryError, QueryLimit, QueryOptions, ResultFormat, ServiceCallError, ServiceCallResponse, ServiceHandler,
    UpdateError, UpdateOptions,
};

use crate::engine::{ArchiveEngine, Failure, Outcome, read};

/// Returns scripted responses, and records requests.
#[derive(Default)]
struct ScriptedServices {
    responses: HashMap<String, (Option<&'static str>, Vec<u8>)>,
    requests: Mutex<Vec<String>>,
}

impl ScriptedServices {
    fn with_response(mut self, url: &str, media_type: Option<&'static str>, body: impl Into<Vec<u8>>) -> Self {
        self.responses.insert(url.to_owned(), (media_type, body.into()));
        self
    }

    fn respond(&self, url: &str, request: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.requests.lock().expect("no thread panicked").push(request.to_owned());
        let (media_type, body) =
            self.responses.get(url).ok_or_else(|| ServiceCallError("connection refused".into()))?;
        Ok(ServiceCallResponse { media_type: media_type.map(str::to_owned), body: Box::new(Cursor::new(body.clone())) })
    }
}

impl ServiceHandler for ScriptedServices {
    fn query(&self, endpoint: &str, query: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.respond(endpoint, query)
    }

    fn load(&self, url: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.respond(url, url)
    }
}

/// Never responds: it waits until this test drops the other end.
struct StalledServices(Mutex<mpsc::Receiver<()>>);

impl ServiceHandler for StalledServices {
    fn query(&self, _: &str, _: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        let _ = self.0.lock().expect("no thread panicked").recv();
        Err(ServiceCallError("the test has ended".into()))
    }

    fn load(&self, url: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.query(url, "")
    }
}

#[test]
fn a_stopped_query_does_not_wait_for_a_service() {
    let ours = ours();
    let (test_end, stalled) = mpsc::channel();
    let services: Arc<dyn ServiceHandler> = Arc::new(StalledServices(Mutex::new(stalled)));
    let timeout = Some(Duration::from_millis(20));

    let options = QueryOptions { services: Some(Arc::clone(&services)), timeout, ..QueryOptions::default() };
    let stopped = ours.archive.snapshot().query("ASK { SERVICE <http://one.example/> { ?s ?p ?o } }", &options);
    assert!(matches!(stopped, Err(QueryError::Stopped(QueryLimit::Time(_)))), "{:?}", stopped.err());
    let silent = "ASK { SERVICE SILENT <http://one.example/> { ?s ?p ?o } }";
    assert!(matches!(ours.archive.snapshot().query(silent, &options), Err(QueryError::Stopped(QueryLimit::Time(_)))));
    let options = UpdateOptions { services: Some(services), timeout, ..UpdateOptions::default() };
    let stopped = ours.archive.update("LOAD <http://one.example/>", &options);
    assert!(matches!(stopped, Err(UpdateError::Stopped(QueryLimit::Time(_)))), "{stopped:?}");
    drop(test_end);
}

fn ours() -> ArchiveEngine {
    let ours = ArchiveEngine::new();
    let data = "INSERT DATA { <a:a> <p:p> <b:b> . <a:a> <at:at> <http://one.example/> , <http://two.example/> }";
    ours.archive.update(data, &UpdateOptions::default()).expect("an update");
    ours
}

const ONE: &str = "?x\t?y\n<b:b>\t1\n<c:c>\t2\n";

fn count_rows(ours: &ArchiveEngine, services: ScriptedServices, sparql: &str) -> Result<usize, Failure> {
    let options = QueryOptions { services: Some(Arc::new(services)), ..QueryOptions::default() };
    match read(ours.archive.snapshot().query(sparql, &options)?)? {
        Outcome::Rows { rows, .. } => Ok(rows.len()),
        Outcome::Boolean(value) => Ok(value.into()),
        Outcome::Graph(triples) => Ok(triples.len()),
    }
}

#[test]
fn results_of_a_service_are_joined_in_every_format() {
    let ours = ours();
    let sparql = "SELECT ?y { <a:a> <p:p> ?x SERVICE <http://one.example/> { ?x <q:q> ?y } }";
    let whole = ours.archive.snapshot();
    let sample = || {
        whole.query("SELECT ?x ?y { VALUES (?x ?y) { (<b:b> 1) (<c:c> 2) } }", &QueryOptions::default()).expect("rows")
    };
    for format in [ResultFormat::Json, ResultFormat::Xml, ResultFormat::Tsv] {
        let mut body = Vec::new();
        sample().write(format, &mut body).expect("a result");
        let services =
            ScriptedServices::default().with_response("http://one.example/", Some(format.media_type()), body);
        assert_eq!(count_rows(&ours, services, sparql).expect("a result"), 1, "{format}");
    }
    // Without a media type, JSON is assumed.
    let json = r#"{"head":{"vars":["x","y"]},"results":{"bindings":[{"x":{"type":"uri","value":"b:b"}}]}}"#;
    assert_eq!(
        count_rows(&ours, ScriptedServices::default().with_response("http://one.example/", None, json), sparql)
            .expect("a result"),
        1
    );
}

#[test]
fn a_service_receives_its_pattern() {
    let ours = ours();
    let services = Arc::new(ScriptedServices::default().with_response(
        "http://one.example/",
        Some("text/tab-separated-values"),
        ONE,
    ));
    let options =
        QueryOptions { services: Some(Arc::clone(&services) as Arc<dyn ServiceHandler>), ..QueryOptions::default() };
    let sparql = "SELECT ?y { SERVICE SILENT <http://one.example/> { ?x <q:q> ?y FILTER (?y > 0) } }";
    read(ours.archive.snapshot().query(sparql, &options).expect("a result")).expect("rows");
    let request = services.requests.lock().expect("no thread panicked").join("\n");
    spargebra::SparqlParser::new().parse_query(&request).expect("a query");
    assert!(request.starts_with("SELECT") && request.contains("<q:q>") && request.contains("FILTER"), "{request}");
    assert!(!request.contains("lodeward"), "{request}");
}

#[test]
fn the_endpoint_of_a_service_can_be_a_variable() {
    let ours = ours();
    let both = || {
        ScriptedServices::default()
            .with_response("http://one.example/", Some("text/tab-separated-values"), ONE)
            .with_response("http://two.example/", Some("text/tab-separated-values"), "?x\t?y\n<b:b>\t3\n")
    };
    let sparql = "SELECT ?y { <a:a> <at:at> ?endpoint . SERVICE ?endpoint { ?x <q:q> ?y } }";
    assert_eq!(count_rows(&ours, both(), sparql).expect("a result"), 3);
    assert!(
        count_rows(&ours, both(), "SELECT ?y { SERVICE ?endpoint { ?x <q:q> ?y } }").is_err(),
        "the endpoint is unbound"
    );
}

#[test]
fn a_failed_service_fails_the_query() {
    let ours = ours();
    let half = r#"{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"b:b"}},"#;
    for pattern in [
        "{ SERVICE <http://one.example/> { ?x <q:q> ?y } }",
        "{ ?a ?b ?x OPTIONAL { SERVICE <http://one.example/> { ?x <q:q> ?y } } }",
        "{ ?a ?b ?x MINUS { SERVICE <http://one.example/> { ?x <q:q> ?y } } }",
        "{ ?a ?b ?x FILTER NOT EXISTS { SERVICE <http://one.example/> { ?x <q:q> ?y } } }",
    ] {
        for services in [
            ScriptedServices::default(),
            ScriptedServices::default().with_response(
                "http://one.example/",
                Some("application/sparql-results+json"),
                half,
            ),
            ScriptedServices::default().with_response("http://one.example/", Some("text/html"), "<p>sorry</p>"),
            ScriptedServices::default().with_response("http://one.example/", None, r#"{"head":{},"boolean":true}"#),
        ] {
            let error = count_rows(&ours, services, &format!("SELECT * {pattern}")).expect_err("the service fails");
            let error = error.downcast::<QueryError>().expect("a query error");
            assert!(matches!(*error, QueryError::Service { .. }), "{pattern}: {error:?}");
            assert!(error.to_string().contains("http://one.example/"), "{error}");
        }
    }
    let without_client =
        ours.archive.snapshot().query("SELECT * { SERVICE <e:e> { ?s ?p ?o } }", &QueryOptions::default());
    assert!(without_client.and_then(|output| output.write(ResultFormat::Csv, std::io::sink())).is_err());
}

#[test]
fn a_failed_silent_service_is_ignored() {
    let ours = ours();
    let half = r#"{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"b:b"}},"#;
    let sparql = "SELECT * { <a:a> <p:p> ?x SERVICE SILENT <http://one.example/> { ?x <q:q> ?y } }";
    assert_eq!(count_rows(&ours, ScriptedServices::default(), sparql).expect("a result"), 1);
    let services =
        ScriptedServices::default().with_response("http://one.example/", Some("application/sparql-results+json"), half);
    assert_eq!(count_rows(&ours, services, sparql).expect("a result"), 1, "a truncated response is discarded");
}

/// An endless body, which cancels the query while it is read.
struct EndlessBody(lodeward_archive::sparql::CancellationToken, u32);

impl Read for EndlessBody {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 += 1;
        if self.1 == 3 {
            self.0.cancel();
        }
        let line: &[u8] = if self.1 == 1 { b"?x\n" } else { b"<b:b>\n" };
        buffer[..line.len()].copy_from_slice(line);
        Ok(line.len())
    }
}

struct EndlessService(lodeward_archive::sparql::CancellationToken);

impl ServiceHandler for EndlessService {
    fn query(&self, _: &str, _: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        let media_type = Some("text/tab-separated-values".to_owned());
        Ok(ServiceCallResponse { media_type, body: Box::new(EndlessBody(self.0.clone(), 0)) })
    }

    fn load(&self, _: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        Err(ServiceCallError("not supported".into()))
    }
}

#[test]
fn a_stopped_query_stops_reading_the_response_of_a_service() {
    let ours = ours();
    for sparql in
        ["SELECT (COUNT(*) AS ?n) { SERVICE <e:e> { ?x ?y ?z } }", "ASK { SERVICE SILENT <e:e> { ?x ?y ?z } }"]
    {
        let mut options = QueryOptions::default();
        options.services = Some(Arc::new(EndlessService(options.cancel.clone())));
        let stopped = ours
            .archive
            .snapshot()
            .query(sparql, &options)
            .and_then(|output| output.write(ResultFormat::Json, std::io::sink()));
        assert!(matches!(stopped, Err(QueryError::Stopped(QueryLimit::Cancelled))), "{stopped:?}");
    }
}

fn load(ours: &ArchiveEngine, services: ScriptedServices, sparql: &str) -> Result<u64, UpdateError> {
    let options = UpdateOptions { services: Some(Arc::new(services)), ..UpdateOptions::default() };
    ours.archive.update(sparql, &options).map(|committed| committed.inserted)
}

#[test]
fn documents_are_loaded_in_every_format() {
    for (media_type, url, body) in [
        (Some("text/turtle; charset=utf-8"), "http://d.example/1", "<#me> <p:p> _:b . _:b <p:q> 1 ."),
        (Some("application/n-triples"), "http://d.example/2", "<s:s> <p:p> _:b .\n_:b <p:q> \"1\" .\n"),
        (Some("application/n-quads"), "http://d.example/3", "<s:s> <p:p> _:b .\n_:b <p:q> \"1\" <g:g> .\n"),
        (Some("application/trig"), "http://d.example/4", "<s:s> <p:p> _:b . <g:g> { _:b <p:q> 1 }"),
        (
            Some("application/ld+json"),
            "http://d.example/5",
            r#"[{"@id":"s:s","p:p":[{"@id":"_:b","p:q":[{"@value":"1"}]}]}]"#,
        ),
        (
            Some("application/rdf+xml"),
            "http://d.example/6",
            r##"<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:p="p:"><r:Description r:about="#me"><p:p r:parseType="Resource"><p:q>1</p:q></p:p></r:Description></r:RDF>"##,
        ),
        (Some("text/plain"), "http://d.example/7.nt?x=y.z", "<s:s> <p:p> _:b .\n_:b <p:q> \"1\" .\n"),
        (None, "http://d.example/8", "<#me> <p:p> _:b . _:b <p:q> 1 ."),
    ] {
        let ours = ArchiveEngine::new();
        for _ in 0..2 {
            let services = ScriptedServices::default().with_response(url, media_type, body);
            assert_eq!(load(&ours, services, &format!("LOAD <{url}>")).expect("loading succeeds"), 2, "{url}");
        }
        assert_eq!(ours.archive.snapshot().len().expect("a count"), 4, "blank nodes are new in every load");
    }
}

#[test]
fn a_document_is_loaded_into_the_named_graph() {
    let ours = ArchiveEngine::new();
    let turtle = || ScriptedServices::default().with_response("http://d.example/", Some("text/turtle"), "<> <p:p> 1 .");
    load(&ours, turtle(), "LOAD <http://d.example/> INTO GRAPH <g:g>").expect("loading succeeds");
    assert_eq!(
        count_rows(&ours, ScriptedServices::default(), "ASK { GRAPH <g:g> { <http://d.example/> <p:p> 1 } }")
            .expect("a result"),
        1
    );
    let named = ScriptedServices::default().with_response(
        "http://d.example/",
        Some("application/trig"),
        "<g:h> { <s:s> <p:p> 1 }",
    );
    let error = load(&ours, named, "LOAD <http://d.example/> INTO GRAPH <g:g>").expect_err("it contains named graphs");
    assert!(error.to_string().contains("INTO GRAPH"), "{error}");
}

#[test]
fn a_document_with_an_error_is_not_loaded() {
    let ours = ours();
    let before = ours.archive.snapshot().len().expect("a count");
    for services in [
        ScriptedServices::default,
        || {
            ScriptedServices::default().with_response(
                "http://d.example/",
                Some("text/turtle"),
                "<s:s> <p:p> 1 . <s:s> <p:p>",
            )
        },
        || ScriptedServices::default().with_response("http://d.example/", Some("text/html"), "<p>sorry</p>"),
    ] {
        let error = load(&ours, services(), "INSERT DATA { <x:x> <p:p> 1 } ; LOAD <http://d.example/>")
            .expect_err("loading fails");
        assert!(matches!(error, UpdateError::Load { .. }), "{error:?}");
        load(&ours, services(), "LOAD SILENT <http://d.example/>").expect("SILENT ignores errors");
        assert_eq!(ours.archive.snapshot().len().expect("a count"), before);
    }
}

#[test]
fn json_ld_is_loaded_with_bundled_contexts_only() {
    let ours = ArchiveEngine::new();
    let json_ld = |document: &'static str| {
        ScriptedServices::default().with_response("http://d.example/", Some("application/ld+json"), document)
    };
    let bundled = json_ld(r##"{"@context": "https://schema.org", "@id": "#s", "name": "A"}"##);
    let remote = json_ld(r##"{"@context": "https://d.example/context", "@id": "#s", "name": "A"}"##);

    assert_eq!(load(&ours, bundled, "LOAD <http://d.example/>").expect("loading succeeds"), 1);
    let error = load(&ours, remote, "LOAD <http://d.example/>").expect_err("the context is not bundled");

    assert!(error.to_string().contains("loading remote context failed"), "{error}");
    let found = "ASK { <http://d.example/#s> <http://schema.org/name> 'A' }";
    assert_eq!(count_rows(&ours, ScriptedServices::default(), found).expect("a result"), 1);
}

#[test]
fn deep_documents_are_not_loaded() {
    let xml = "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://a.example/'>".to_owned();
    let xml = xml + &"<A><p>".repeat(50_000) + &"</p></A>".repeat(50_000) + "</r:RDF>";
    let json = r#"{"http://a.example/p":"#.repeat(50_000) + "1" + &"}".repeat(50_000);

    for (media_type, document) in [("application/rdf+xml", xml), ("application/ld+json", json)] {
        let ours = ArchiveEngine::new();
        let services = ScriptedServices::default().with_response("http://d.example/", Some(media_type), document);
        let error = load(&ours, services, "LOAD <http://d.example/>").expect_err("the document is too deep");
        assert!(error.to_string().contains("too deep"), "{media_type}: {error}");
        assert_eq!(ours.archive.snapshot().len().expect("a count"), 0);
    }
}
