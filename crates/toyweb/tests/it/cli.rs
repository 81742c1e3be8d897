//! Tests of the binary `toyweb`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Output, Stdio};

fn toyweb(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toyweb"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn output(arguments: &[&str]) -> Output {
    toyweb(arguments).output().expect("the binary runs")
}

#[test]
fn a_served_world_ends_with_its_parent_and_leaves_its_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str| directory.path().join(name).to_str().expect("a UTF-8 path").to_owned();
    let (log, authority, seeds) = (file("log.tsv"), file("ca.pem"), file("seeds.txt"));
    let small = ["world", "--set", "hosts=2", "--set", "documents_per_host=3", "--stop-after", "60s", "--until-eof"];
    let files = ["--log", &log, "--ca-out", &authority, "--seeds-out", &seeds];

    let mut server = toyweb(&[&small[..], &files[..]].concat());
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary runs");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let address = line.trim_end().strip_prefix("listening on ").expect("an address");
    let first_seed = std::fs::read_to_string(&seeds).expect("seeds").lines().next().expect("a seed").to_owned();
    let mut stream = TcpStream::connect(address).expect("the server listens");
    write!(stream, "GET {first_seed} HTTP/1.1\r\nConnection: close\r\n\r\n").expect("a request can be written");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    drop(server.stdin.take());

    assert!(server.wait().expect("an end").success());
    assert!(response.starts_with("HTTP/1.1 "), "{response}");
    assert!(std::fs::read_to_string(&log).expect("a log").contains(&first_seed));
    assert!(std::fs::read_to_string(&authority).expect("a certificate").contains("BEGIN CERTIFICATE"));
}

#[test]
fn errors_name_the_cause_and_a_hint() {
    let occupied = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = occupied.local_addr().expect("an address").to_string();
    for (arguments, expected) in [
        (&["world", "--listen", &address][..], "port 0 selects a free port"),
        (&["world", "--listen", "192.0.2.1:80"], "not a loopback address"),
        (&["world", "--preset", "nowhere"], "presets are"),
        (&["replay", "missing.warc"], "cannot open WARC file `missing.warc`"),
        (&["get", "no-url"], "invalid URL `no-url`"),
        (&["seeds", "--set", "hosts"], "KEY=VALUE"),
        (&["orca", "seeds", "--preset", "nowhere"], "presets are"),
        (&["sparql", "--graphs", "0"], "--graphs 1"),
    ] {
        let output = output(arguments);
        let message = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(!output.status.success() && message.contains(expected), "{arguments:?}: {message}");
    }
}

#[test]
fn seeds_and_responses_are_printed_without_a_server() {
    let seeds = String::from_utf8(output(&["seeds", "--set", "hosts=2"]).stdout).expect("UTF-8");
    let seed = seeds.lines().next().expect("a seed");
    let seed = seed.split('#').next().expect("a URL");

    let response = output(&["get", seed, "--set", "hosts=2", "--accept", "text/turtle, application/rdf+xml;q=0.5"]);

    let response = String::from_utf8(response.stdout).expect("UTF-8");
    assert!(response.starts_with("200 ") || response.starts_with("303 "), "{response}");
}

#[test]
fn a_harvest_equal_to_the_truth_has_a_perfect_score() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str| directory.path().join(name).to_str().expect("a UTF-8 path").to_owned();
    let (log, quads, json) = (file("log.tsv"), file("truth.nq"), file("score.json"));
    let world = ["--set", "hosts=2", "--set", "documents_per_host=10"];
    let truth = ["truth", "--format", "nquads", "--output", &quads];
    assert!(output(&[&truth[..], &world[..]].concat()).status.success());
    std::fs::write(&log, "").expect("a file can be written");

    let score = ["score", "--log", &log, "--quads", &quads, "--delay", "500ms", "--json", &json];
    let scored = output(&[&score[..], &world[..]].concat());

    let message = String::from_utf8_lossy(&scored.stderr);
    assert!(scored.status.success(), "{message}");
    let json = std::fs::read_to_string(&json).expect("a score");
    let score: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(score["fidelity"]["equal_share"], 1.0, "{json}");
    assert_eq!(score["rdf_documents"]["fetched"], 0, "{json}");
    assert!(score["rdf_documents"]["extracted"].as_u64() > Some(0), "{json}");
}

#[test]
fn the_truth_of_an_orca_world_scores_1() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str| directory.path().join(name).to_str().expect("a UTF-8 path").to_owned();
    let (truth, json) = (file("truth.nq"), file("score.json"));
    let world = ["--preset", "data-web-small", "--set", "rdfa.pages=generated"];

    let written = output(&[&["orca", "truth", "--output", &truth][..], &world].concat());
    let scored = output(&[&["orca", "score", "--quads", &truth, "--json", &json][..], &world].concat());

    assert!(written.status.success() && scored.status.success(), "{}", String::from_utf8_lossy(&scored.stderr));
    let text = String::from_utf8(scored.stdout).expect("UTF-8");
    assert!(text.lines().any(|line| line.starts_with("all ") && line.ends_with("1.0000  1.0000")), "{text}");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(json).expect("a file")).expect("JSON");
    assert_eq!((&json["recall"]["micro"], &json["recall"]["macro"]), (&1.0.into(), &1.0.into()));
}

#[test]
fn an_endpoint_writes_its_dataset() {
    let directory = tempfile::tempdir().expect("a directory");
    let truth = directory.path().join("truth.nq").to_str().expect("a UTF-8 path").to_owned();

    assert!(output(&["sparql", "--triples", "500", "--truth", &truth]).status.success());

    assert_eq!(std::fs::read_to_string(&truth).expect("a file").lines().count(), 500);
}

#[test]
fn an_entity_graph_is_recorded_with_outgoing_links_only() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str| directory.path().join(name).to_str().expect("a UTF-8 path").to_owned();
    let (entities, links) = (file("entities.tsv"), file("links.tsv"));
    std::fs::write(&entities, "uri\tlabel\nhttp://a.example/a\tA\nhttp://a.example/b\tB\n").expect("a file");
    std::fs::write(&links, "subject\tpredicate\tobject\nhttp://a.example/a\thttp://a.example/p\thttp://a.example/b\n")
        .expect("a file");
    let tables = ["--entities", &entities, "--links", &links];
    let check = |more: &[&str], statements_of_b: usize| {
        let web = file("web");
        let recorded = output(&[&["record", &web], &tables[..], more].concat());
        let summary = String::from_utf8(recorded.stdout).expect("UTF-8");
        assert!(summary.starts_with("2 documents (2 with RDF)"), "{summary}");
        let warc = format!("{web}/world-1.warc.gz");
        let response = output(&["get", "http://a.example/b", "--warc", &warc]);
        let text = String::from_utf8(response.stdout).expect("UTF-8");
        assert_eq!(
            text.lines().filter(|line| line.starts_with('<') && line.ends_with(" .")).count(),
            statements_of_b,
            "{more:?}: {text}"
        );
    };

    check(&[], 2);
    check(&["--forward"], 1);
    check(&["--forward", "--hide", "http://a.example/p"], 1);
}
