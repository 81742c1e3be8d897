//! The W3C's suite of the SPARQL 1.1 Graph Store HTTP Protocol.

use bytes::Bytes;
use http::Response;

use crate::exchange::{House, field, same_graph, text};
use crate::manifest::{Manifest, Step, name};

#[test]
fn graphs_named_by_a_parameter_pass_the_suite() {
    run("graph-store-protocol/manifest-indirect.ttl", "gsp-indirect");
}

#[test]
fn graphs_named_by_their_address_pass_the_suite() {
    run("graph-store-protocol/manifest-direct.ttl", "gsp-direct");
}

fn run(manifest: &str, suite: &str) {
    let Some(files) = toyweb::shared::suite("w3c-sparql-tests") else { return };
    let manifest = Manifest::parse(&files[&format!("sparql11/{manifest}")]);
    let (mut passed, mut failures) = (0, Vec::new());
    for entry in manifest.entries() {
        let house = House::new();
        match talk(&house, &manifest.steps(&entry)) {
            Ok(()) => passed += 1,
            Err(why) => {
                eprintln!("{}: {why}", name(&entry));
                failures.push(name(&entry).to_owned());
            }
        }
    }
    toyweb::shared::settle(include_str!("expected_failures.txt"), suite, passed, failures);
}

fn talk(house: &House, steps: &[Step]) -> Result<(), String> {
    let mut known = Vec::new();
    for step in steps {
        let answer = house.ask(&step.request(&known));
        check(step, &answer)?;
        if let Some(variable) = &step.location {
            let location = field(&answer, "location");
            if location.is_empty() {
                return Err("it has no location".to_owned());
            }
            known.push((variable.clone(), location.to_owned()));
        }
    }
    if steps.is_empty() { Err("it has no requests".to_owned()) } else { Ok(()) }
}

fn check(step: &Step, answer: &Response<Bytes>) -> Result<(), String> {
    let name = match answer.status().as_u16() {
        200 => "OK",
        201 => "Created",
        204 => "NoContent",
        404 => "NotFound",
        _ => "another status",
    };
    if !step.statuses.iter().any(|status| status == name) {
        return Err(format!("{} {}: {}, expected {:?}", step.method, step.path, text(answer), step.statuses));
    }
    for (name, value) in &step.answer_fields {
        if field(answer, name) != value {
            return Err(format!("{name}: {}, expected {value}", field(answer, name)));
        }
    }
    match &step.answer_body {
        Some(expected) if !same_graph(expected, &text(answer)) => Err(format!("another graph: {}", text(answer))),
        _ => Ok(()),
    }
}
