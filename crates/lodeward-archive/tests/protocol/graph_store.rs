//! The W3C test suite of the SPARQL 1.1 Graph Store HTTP Protocol.

use bytes::Bytes;
use http::Response;

use crate::fixture::{EndpointFixture, field, same_graph, text};
use crate::manifest::{Manifest, Step, name};

#[test]
fn indirect_graph_identification_passes_the_suite() {
    run("graph-store-protocol/manifest-indirect.ttl", "gsp-indirect");
}

#[test]
fn direct_graph_identification_passes_the_suite() {
    run("graph-store-protocol/manifest-direct.ttl", "gsp-direct");
}

fn run(manifest: &str, suite: &str) {
    let Some(files) = toyweb::test_data::suite("w3c-sparql-tests") else { return };
    let manifest = Manifest::parse(&files[&format!("sparql11/{manifest}")]);
    let (mut passed, mut failures) = (0, Vec::new());
    for entry in manifest.entries() {
        let fixture = EndpointFixture::new();
        match run_steps(&fixture, &manifest.steps(&entry)) {
            Ok(()) => passed += 1,
            Err(error) => {
                eprintln!("{}: {error}", name(&entry));
                failures.push(name(&entry).to_owned());
            }
        }
    }
    toyweb::test_data::assert_expected_failures(include_str!("expected_failures.txt"), suite, passed, failures);
}

fn run_steps(fixture: &EndpointFixture, steps: &[Step]) -> Result<(), String> {
    let mut locations = Vec::new();
    for step in steps {
        let response = fixture.respond(&step.request(&locations));
        check(step, &response)?;
        if let Some(variable) = &step.location {
            let location = field(&response, "location");
            if location.is_empty() {
                return Err("the response has no location".to_owned());
            }
            locations.push((variable.clone(), location.to_owned()));
        }
    }
    if steps.is_empty() { Err("the test has no requests".to_owned()) } else { Ok(()) }
}

fn check(step: &Step, response: &Response<Bytes>) -> Result<(), String> {
    let name = match response.status().as_u16() {
        200 => "OK",
        201 => "Created",
        204 => "NoContent",
        404 => "NotFound",
        _ => "another status",
    };
    if !step.statuses.iter().any(|status| status == name) {
        return Err(format!("{} {}: {}, expected {:?}", step.method, step.path, text(response), step.statuses));
    }
    for (name, value) in &step.expected_headers {
        if field(response, name) != value {
            return Err(format!("{name}: {}, expected {value}", field(response, name)));
        }
    }
    match &step.expected_body {
        Some(expected) if !same_graph(expected, &text(response)) => Err(format!("wrong graph: {}", text(response))),
        _ => Ok(()),
    }
}
