//! `SERVICE` and `LOAD`, answered by whoever lends a client.

use std::collections::HashMap;
use std::io::{Cursor, Read};
use std::sync::{Arc, Mutex};

use lodeward_archive::sparql::{
    AnswerFormat, Fetched, QueryError, QueryOptions, ServiceError, Services, Stopped, UpdateError, UpdateOptions,
};

use crate::engine::{Failure, Ours, Outcome, read};

/// Says what it was told to say, and remembers what it was asked.
#[derive(Default)]
struct Puppet {
    answers: HashMap<String, (Option<&'static str>, Vec<u8>)>,
    asked: Mutex<Vec<String>>,
}

impl Puppet {
    fn says(mut self, address: &str, media_type: Option<&'static str>, body: impl Into<Vec<u8>>) -> Self {
        self.answers.insert(address.to_owned(), (media_type, body.into()));
        self
    }

    fn answer(&self, address: &str, asked: &str) -> Result<Fetched, ServiceError> {
        self.asked.lock().expect("nobody panicked").push(asked.to_owned());
        let (media_type, body) = self.answers.get(address).ok_or_else(|| ServiceError("nobody is there".into()))?;
        Ok(Fetched { media_type: media_type.map(str::to_owned), body: Box::new(Cursor::new(body.clone())) })
    }
}

impl Services for Puppet {
    fn query(&self, endpoint: &str, query: &str) -> Result<Fetched, ServiceError> {
        self.answer(endpoint, query)
    }

    fn load(&self, url: &str) -> Result<Fetched, ServiceError> {
        self.answer(url, url)
    }
}

fn ours() -> Ours {
    let ours = Ours::new();
    let data = "INSERT DATA { <a:a> <p:p> <b:b> . <a:a> <at:at> <http://one.example/> , <http://two.example/> }";
    ours.archive.update(data, &UpdateOptions::default()).expect("an update");
    ours
}

const ONE: &str = "?x\t?y\n<b:b>\t1\n<c:c>\t2\n";

fn ask(ours: &Ours, puppet: Puppet, sparql: &str) -> Result<usize, Failure> {
    let options = QueryOptions { services: Some(Arc::new(puppet)), ..QueryOptions::default() };
    match read(ours.archive.snapshot().query(sparql, &options)?)? {
        Outcome::Rows { rows, .. } => Ok(rows.len()),
        Outcome::Boolean(value) => Ok(value.into()),
        Outcome::Graph(triples) => Ok(triples.len()),
    }
}

#[test]
fn a_service_is_joined_in_any_format_of_results() {
    let ours = ours();
    let sparql = "SELECT ?y { <a:a> <p:p> ?x SERVICE <http://one.example/> { ?x <q:q> ?y } }";
    let whole = ours.archive.snapshot();
    let sample = || {
        whole.query("SELECT ?x ?y { VALUES (?x ?y) { (<b:b> 1) (<c:c> 2) } }", &QueryOptions::default()).expect("rows")
    };
    for format in [AnswerFormat::Json, AnswerFormat::Xml, AnswerFormat::Tsv] {
        let mut body = Vec::new();
        sample().write(format, &mut body).expect("a result");
        let puppet = Puppet::default().says("http://one.example/", Some(format.media_type()), body);
        assert_eq!(ask(&ours, puppet, sparql).expect("an answer"), 1, "{format}");
    }
    // Without a media type, JSON is meant.
    let json = r#"{"head":{"vars":["x","y"]},"results":{"bindings":[{"x":{"type":"uri","value":"b:b"}}]}}"#;
    assert_eq!(ask(&ours, Puppet::default().says("http://one.example/", None, json), sparql).expect("an answer"), 1);
}

#[test]
fn a_service_is_sent_its_pattern() {
    let ours = ours();
    let puppet = Arc::new(Puppet::default().says("http://one.example/", Some("text/tab-separated-values"), ONE));
    let options = QueryOptions { services: Some(Arc::clone(&puppet) as Arc<dyn Services>), ..QueryOptions::default() };
    let sparql = "SELECT ?y { SERVICE SILENT <http://one.example/> { ?x <q:q> ?y FILTER (?y > 0) } }";
    read(ours.archive.snapshot().query(sparql, &options).expect("an answer")).expect("rows");
    let asked = puppet.asked.lock().expect("nobody panicked").join("\n");
    spargebra::SparqlParser::new().parse_query(&asked).expect("it is a query");
    assert!(asked.starts_with("SELECT") && asked.contains("<q:q>") && asked.contains("FILTER"), "{asked}");
    assert!(!asked.contains("lodeward"), "{asked}");
}

#[test]
fn a_service_may_be_named_by_a_variable() {
    let ours = ours();
    let both = || {
        Puppet::default().says("http://one.example/", Some("text/tab-separated-values"), ONE).says(
            "http://two.example/",
            Some("text/tab-separated-values"),
            "?x\t?y\n<b:b>\t3\n",
        )
    };
    let sparql = "SELECT ?y { <a:a> <at:at> ?where . SERVICE ?where { ?x <q:q> ?y } }";
    assert_eq!(ask(&ours, both(), sparql).expect("an answer"), 3);
    assert!(ask(&ours, both(), "SELECT ?y { SERVICE ?where { ?x <q:q> ?y } }").is_err(), "there is no name");
}

#[test]
fn a_service_that_fails_fails_the_query_wherever_it_is() {
    let ours = ours();
    let half = r#"{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"b:b"}},"#;
    for pattern in [
        "{ SERVICE <http://one.example/> { ?x <q:q> ?y } }",
        "{ ?a ?b ?x OPTIONAL { SERVICE <http://one.example/> { ?x <q:q> ?y } } }",
        "{ ?a ?b ?x MINUS { SERVICE <http://one.example/> { ?x <q:q> ?y } } }",
        "{ ?a ?b ?x FILTER NOT EXISTS { SERVICE <http://one.example/> { ?x <q:q> ?y } } }",
    ] {
        for puppet in [
            Puppet::default(),
            Puppet::default().says("http://one.example/", Some("application/sparql-results+json"), half),
            Puppet::default().says("http://one.example/", Some("text/html"), "<p>sorry</p>"),
            Puppet::default().says("http://one.example/", None, r#"{"head":{},"boolean":true}"#),
        ] {
            let error = ask(&ours, puppet, &format!("SELECT * {pattern}")).expect_err("no answer");
            let error = error.downcast::<QueryError>().expect("one of ours");
            assert!(matches!(*error, QueryError::Service { .. }), "{pattern}: {error:?}");
            assert!(error.to_string().contains("http://one.example/"), "{error}");
        }
    }
    let nobody = ours.archive.snapshot().query("SELECT * { SERVICE <e:e> { ?s ?p ?o } }", &QueryOptions::default());
    assert!(nobody.and_then(|answer| answer.write(AnswerFormat::Csv, std::io::sink())).is_err());
}

#[test]
fn a_silent_service_that_fails_is_as_if_it_were_not_there() {
    let ours = ours();
    let half = r#"{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"b:b"}},"#;
    let sparql = "SELECT * { <a:a> <p:p> ?x SERVICE SILENT <http://one.example/> { ?x <q:q> ?y } }";
    assert_eq!(ask(&ours, Puppet::default(), sparql).expect("an answer"), 1);
    let puppet = Puppet::default().says("http://one.example/", Some("application/sparql-results+json"), half);
    assert_eq!(ask(&ours, puppet, sparql).expect("an answer"), 1, "half an answer is none");
}

/// A body without end, which cancels the query while it is read.
struct Endless(lodeward_archive::sparql::CancellationToken, u32);

impl Read for Endless {
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

struct Talker(lodeward_archive::sparql::CancellationToken);

impl Services for Talker {
    fn query(&self, _: &str, _: &str) -> Result<Fetched, ServiceError> {
        let media_type = Some("text/tab-separated-values".to_owned());
        Ok(Fetched { media_type, body: Box::new(Endless(self.0.clone(), 0)) })
    }

    fn load(&self, _: &str) -> Result<Fetched, ServiceError> {
        Err(ServiceError("not here".into()))
    }
}

#[test]
fn a_query_that_is_stopped_does_not_listen_any_more() {
    let ours = ours();
    for sparql in
        ["SELECT (COUNT(*) AS ?n) { SERVICE <e:e> { ?x ?y ?z } }", "ASK { SERVICE SILENT <e:e> { ?x ?y ?z } }"]
    {
        let mut options = QueryOptions::default();
        options.services = Some(Arc::new(Talker(options.cancel.clone())));
        let stopped = ours
            .archive
            .snapshot()
            .query(sparql, &options)
            .and_then(|answer| answer.write(AnswerFormat::Json, std::io::sink()));
        assert!(matches!(stopped, Err(QueryError::Stopped(Stopped::Cancelled))), "{stopped:?}");
    }
}

fn load(ours: &Ours, puppet: Puppet, sparql: &str) -> Result<u64, UpdateError> {
    let options = UpdateOptions { services: Some(Arc::new(puppet)), ..UpdateOptions::default() };
    ours.archive.update(sparql, &options).map(|committed| committed.inserted)
}

#[test]
fn documents_are_loaded_in_every_syntax() {
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
        let ours = Ours::new();
        for _ in 0..2 {
            let puppet = Puppet::default().says(url, media_type, body);
            assert_eq!(load(&ours, puppet, &format!("LOAD <{url}>")).expect("it can be loaded"), 2, "{url}");
        }
        assert_eq!(ours.archive.snapshot().len().expect("a count"), 4, "blank nodes are new every time");
    }
}

#[test]
fn a_document_goes_into_the_graph_that_is_named() {
    let ours = Ours::new();
    let turtle = || Puppet::default().says("http://d.example/", Some("text/turtle"), "<> <p:p> 1 .");
    load(&ours, turtle(), "LOAD <http://d.example/> INTO GRAPH <g:g>").expect("it can be loaded");
    assert_eq!(
        ask(&ours, Puppet::default(), "ASK { GRAPH <g:g> { <http://d.example/> <p:p> 1 } }").expect("an answer"),
        1
    );
    let named = Puppet::default().says("http://d.example/", Some("application/trig"), "<g:h> { <s:s> <p:p> 1 }");
    let error = load(&ours, named, "LOAD <http://d.example/> INTO GRAPH <g:g>").expect_err("it has graphs of its own");
    assert!(error.to_string().contains("INTO GRAPH"), "{error}");
}

#[test]
fn of_a_document_that_fails_nothing_is_loaded() {
    let ours = ours();
    let before = ours.archive.snapshot().len().expect("a count");
    for puppet in [
        Puppet::default,
        || Puppet::default().says("http://d.example/", Some("text/turtle"), "<s:s> <p:p> 1 . <s:s> <p:p>"),
        || Puppet::default().says("http://d.example/", Some("text/html"), "<p>sorry</p>"),
    ] {
        let error =
            load(&ours, puppet(), "INSERT DATA { <x:x> <p:p> 1 } ; LOAD <http://d.example/>").expect_err("it fails");
        assert!(matches!(error, UpdateError::Load { .. }), "{error:?}");
        load(&ours, puppet(), "LOAD SILENT <http://d.example/>").expect("silence");
        assert_eq!(ours.archive.snapshot().len().expect("a count"), before);
    }
}
