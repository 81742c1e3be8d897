//! The W3C test suite of the SPARQL 1.1 Protocol, and the service description.

use bytes::Bytes;
use http::Response;
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};

use crate::fixture::{EndpointFixture, field};
use crate::manifest::{Manifest, Step, name};

const DIRECTORY: &str = "sparql11/protocol";

#[test]
fn the_protocol_suite_passes() {
    let Some(files) = toyweb::test_data::suite("w3c-sparql-tests") else { return };
    let manifest = Manifest::parse(&files[&format!("{DIRECTORY}/manifest.ttl")]);
    let (mut passed, mut failures) = (0, Vec::new());
    for entry in manifest.entries() {
        let fixture = EndpointFixture::new();
        for (file, graph) in manifest.data(&entry) {
            fixture.load(&graph, &files[&format!("{DIRECTORY}/{file}")]);
        }
        let steps = manifest.steps(&entry);
        assert!(!steps.is_empty(), "{entry} has requests");
        match steps.iter().try_for_each(|step| check(step, &fixture.respond(&step.request(&[])))) {
            Ok(()) => passed += 1,
            Err(error) => {
                eprintln!("{}: {error}", name(&entry));
                failures.push(name(&entry).to_owned());
            }
        }
    }
    toyweb::test_data::assert_expected_failures(include_str!("expected_failures.txt"), "protocol", passed, failures);
}

fn check(step: &Step, response: &Response<Bytes>) -> Result<(), String> {
    let class = format!("StatusCode{}xx", response.status().as_u16() / 100);
    if !step.statuses.contains(&class) {
        return Err(format!("{}, expected {:?}: {:?}", response.status(), step.statuses, response.body()));
    }
    let media_type = field(response, "content-type");
    let found = match QueryResultsFormat::from_media_type(media_type) {
        Some(format) => {
            match QueryResultsParser::from_format(format).for_slice(response.body()).map_err(|e| e.to_string())? {
                SliceQueryResultsParserOutput::Boolean(value) => {
                    if step.boolean.is_some_and(|expected| expected != value) {
                        return Err(format!("the result is {value}"));
                    }
                    "boolean"
                }
                SliceQueryResultsParserOutput::Solutions(_) => "tabular",
            }
        }
        None if media_type.starts_with("text/turtle") => "RDF",
        None => "unknown",
    };
    match &step.format {
        Some(format) if format != found => Err(format!("{media_type} is {found}, not {format}")),
        _ => Ok(()),
    }
}

#[test]
fn the_endpoint_returns_a_service_description() {
    let fixture = EndpointFixture::new();

    let response = fixture.send("GET", "/sparql", &[("accept", "text/turtle")], "");

    // These are the three tests of the suite `service-description`, which has no requests:
    // has-endpoint-triple, returns-rdf, conforms-to-schema (a dataset with a default graph).
    assert_eq!((response.status().as_u16(), field(&response, "content-type")), (200, "text/turtle; charset=utf-8"));
    let text = crate::fixture::text(&response);
    let triples: Vec<_> = oxttl::TurtleParser::new().for_slice(text.as_bytes()).map(Result::unwrap).collect();
    let has = |predicate: &str, object: &str| {
        let predicate = format!("<http://www.w3.org/ns/sparql-service-description#{predicate}>");
        triples.iter().any(|triple| triple.predicate.to_string() == predicate && triple.object.to_string() == object)
    };
    assert!(has("endpoint", "<http://www.example/sparql>"), "{text}");
    assert!(has("supportedLanguage", "<http://www.w3.org/ns/sparql-service-description#SPARQL11Update>"), "{text}");
    assert!(text.contains("sparql-service-description#defaultGraph"), "{text}");
}
