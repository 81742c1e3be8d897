//! The older suite of the Graph Store Protocol, `http-rdf-update`: deprecated,
//! and written for people. Its requests and answers are indented in comments,
//! and each test goes on where the one before it ended.

use bytes::Bytes;
use http::Response;

use crate::exchange::{House, field, same_graph, text};
use crate::manifest::{Manifest, name};

/// What comes before a test, but is not told: `delete__existing_graph` and the
/// tests after it speak of a graph that nobody has put.
const BEFORE: [(&str, &str); 1] = [("delete__existing_graph", "/gsp/person/2.ttl")];

#[test]
fn the_older_suite_passes_where_it_agrees_with_itself() {
    let Some(files) = toyweb::shared::suite("w3c-sparql-tests") else { return };
    let manifest = Manifest::parse(&files["sparql11/http-rdf-update/manifest.ttl"]);
    let house = House::new();
    let (mut passed, mut failures) = (0, Vec::new());
    let mut new_path = String::new();
    for entry in manifest.entries() {
        let comment =
            manifest.comments(&entry).into_iter().find(|text| text.contains("#### Request")).expect("a request");
        let comment =
            comment.replace("$GRAPHSTORE$", "/gsp").replace("$HOST$", "www.example").replace("$NEWPATH$", &new_path);
        // Inside IRIs, the path would have two slashes.
        let comment = comment.replace("www.example//gsp", "www.example/gsp");
        if let Some((_, graph)) = BEFORE.iter().find(|(test, _)| *test == name(&entry)) {
            house.send(
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
        let answer = house.send(method, path, &fields, &body);
        new_path = if field(&answer, "location").is_empty() { new_path } else { field(&answer, "location").to_owned() };
        match check(&answer, expected, method) {
            Ok(()) => passed += 1,
            Err(why) => {
                eprintln!("{}: {why}", name(&entry));
                failures.push(name(&entry).to_owned());
            }
        }
    }
    toyweb::shared::settle(include_str!("expected_failures.txt"), "http-rdf-update", passed, failures);
}

/// The first line, the fields and the body of an indented message.
fn message(indented: &str) -> (String, Vec<(String, String)>, String) {
    let lines: Vec<_> = indented.lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    let start = lines.iter().position(|line| !line.trim().is_empty()).expect("a first line");
    let end = lines[start..].iter().position(|line| line.trim().is_empty()).map_or(lines.len(), |end| start + end);
    let fields = lines[start + 1..end].iter().filter_map(|line| line.split_once(':'));
    let fields = fields.filter(|(name, _)| *name != "Host");
    let fields = fields.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect();
    (lines[start].to_owned(), fields, lines[end..].join("\r\n").trim_start().to_owned())
}

fn check(answer: &Response<Bytes>, expected: &str, method: &str) -> Result<(), String> {
    let (line, fields, body) = message(expected);
    if !line.starts_with(answer.status().as_str()) {
        return Err(format!("{}, expected {line}: {}", answer.status(), text(answer)));
    }
    for (name, value) in fields {
        let open = ["...", ""].contains(&value.as_str());
        if !open && field(answer, &name) != value {
            return Err(format!("{name}: {}, expected {value}", field(answer, &name)));
        }
    }
    if method == "GET" && !body.trim().is_empty() && !same_graph(&body, &text(answer)) {
        return Err(format!("another graph: {}", text(answer)));
    }
    Ok(())
}
