//! The older test suite of the Graph Store Protocol, `http-rdf-update`. It is deprecated and
//! written for human readers: its requests and responses are indented in comments, and each test
//! continues from the state of the one before it.

use bytes::Bytes;
use http::Response;

use crate::fixture::{EndpointFixture, field, same_graph, text};
use crate::manifest::{Manifest, name};

/// Preconditions that the suite does not state: `delete__existing_graph` and the tests after it
/// refer to a graph that no test creates.
const PRECONDITIONS: [(&str, &str); 1] = [("delete__existing_graph", "/gsp/person/2.ttl")];

#[test]
fn the_older_suite_passes_where_it_is_consistent() {
    let Some(files) = toyweb::test_data::suite("w3c-sparql-tests") else { return };
    let manifest = Manifest::parse(&files["sparql11/http-rdf-update/manifest.ttl"]);
    let fixture = EndpointFixture::new();
    let (mut passed, mut failures) = (0, Vec::new());
    let mut new_path = String::new();
    for entry in manifest.entries() {
        let comment =
            manifest.comments(&entry).into_iter().find(|text| text.contains("#### Request")).expect("a request");
        let comment =
            comment.replace("$GRAPHSTORE$", "/gsp").replace("$HOST$", "www.example").replace("$NEWPATH$", &new_path);
        // Inside IRIs, the path would have two slashes.
        let comment = comment.replace("www.example//gsp", "www.example/gsp");
        if let Some((_, graph)) = PRECONDITIONS.iter().find(|(test, _)| *test == name(&entry)) {
            fixture.send(
                "PUT",
                graph,
                &[("content-type", "text/turtle")],
                "<http://a.example/s> a <http://a.example/o> .",
            );
        }
        let (request, expected) = comment.split_once("#### Response").expect("a response");
        let (line, fields, body) = message(request.split_once("#### Request").expect("a request").1);
        let mut words = line.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let response = fixture.send(method, path, &fields, &body);
        new_path =
            if field(&response, "location").is_empty() { new_path } else { field(&response, "location").to_owned() };
        match check(&response, expected, method) {
            Ok(()) => passed += 1,
            Err(error) => {
                eprintln!("{}: {error}", name(&entry));
                failures.push(name(&entry).to_owned());
            }
        }
    }
    toyweb::test_data::assert_expected_failures(
        include_str!("expected_failures.txt"),
        "http-rdf-update",
        passed,
        failures,
    );
}

/// The first line, the headers and the body of an indented message.
fn message(indented: &str) -> (String, Vec<(String, String)>, String) {
    let lines: Vec<_> = indented.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    let start = lines.iter().position(|line| !line.trim().is_empty()).expect("a first line");
    let end = lines[start..].iter().position(|line| line.trim().is_empty()).map_or(lines.len(), |end| start + end);
    let fields = lines[start + 1..end].iter().filter_map(|line| line.split_once(':'));
    let fields = fields.filter(|(name, _)| *name != "Host");
    let fields = fields.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect();
    (lines[start].to_owned(), fields, lines[end..].join("\r\n").trim_start().to_owned())
}

fn check(response: &Response<Bytes>, expected: &str, method: &str) -> Result<(), String> {
    let (line, fields, body) = message(expected);
    if !line.starts_with(response.status().as_str()) {
        return Err(format!("{}, expected {line}: {}", response.status(), text(response)));
    }
    for (name, value) in fields {
        let open = ["...", ""].contains(&value.as_str());
        if !open && field(response, &name) != value {
            return Err(format!("{name}: {}, expected {value}", field(response, &name)));
        }
    }
    if method == "GET" && !body.trim().is_empty() && !same_graph(&body, &text(response)) {
        return Err(format!("wrong graph: {}", text(response)));
    }
    Ok(())
}
