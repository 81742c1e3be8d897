//! `crawl --endpoints harvest` of a SPARQL endpoint that is a seed.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::endpoint::RunningEndpoint;
use crate::sandbox::Sandbox;

/// A server of the IRIs in the data, which has no document; counts its requests.
struct EmptyServer {
    url: String,
    requests: Arc<AtomicU64>,
}

impl EmptyServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                counter.fetch_add(1, Ordering::SeqCst);
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            }
        });
        Self { url, requests }
    }
}

/// Two graphs, with IRIs of this server.
fn data(server: &str) -> String {
    format!(
        "@prefix ex: <{server}/> . \
         ex:people {{ ex:a a ex:Person ; ex:name 'A' ; ex:knows ex:b . ex:b a ex:Person ; ex:name 'B' }} \
         ex:places {{ ex:c a ex:Place ; ex:near ex:a }}"
    )
}

#[test]
fn a_refresh_reads_a_seed_endpoint_again() {
    let (sandbox, server) = (Sandbox::new(), EmptyServer::start());
    sandbox.write("data.trig", data(&server.url));
    sandbox.succeed(&["import", "data.trig", "--data", "remote"]);
    let endpoint = RunningEndpoint::start(&sandbox, &["--data", "remote", "--update"]);
    let crawl = |arguments: &[&str]| {
        let mut all = vec!["crawl", &*endpoint.url, "--endpoints", "harvest", "--allow-private", "--delay", "0"];
        all.extend(["-o", "out.nq"].iter().chain(arguments));
        let errors = sandbox.run(&all).errors;
        (harvested(&sandbox, &server.url), errors)
    };
    let (before, _) = crawl(&[]);
    let base = &server.url;
    let update = format!(
        "PREFIX ex: <{base}/> DELETE DATA {{ GRAPH ex:people {{ ex:b ex:name 'B' }} GRAPH ex:places {{ ex:c ex:near \
         ex:a }} }} ; INSERT DATA {{ GRAPH ex:people {{ ex:d a ex:Person . ex:d ex:age 7 }} GRAPH ex:new {{ ex:e a \
         ex:Place }} }}"
    );
    let response = endpoint.post("/update", "application/sparql-update", &update);
    assert!(response.starts_with("HTTP/1.1 2"), "{response}");

    let (after, errors) = crawl(&["--refresh", "all"]);

    assert_eq!(before.len(), 7);
    let people = ["a knows people", "a name people", "a type people", "b type people"];
    let others = ["c type places", "d age people", "d type people", "e type new"];
    assert_eq!(after, [people, others].concat(), "{errors}");
    let (_, nothing) = crawl(&["--refresh"]);
    assert!(nothing.contains("no document is due; the next is due at 2"), "{nothing}");
}

/// Subject, predicate and graph of the harvested statements, without the server and the description of the endpoint.
fn harvested(sandbox: &Sandbox, server: &str) -> Vec<String> {
    let harvest = std::fs::read_to_string(sandbox.path("out.nq")).unwrap();
    let mut found: Vec<String> = harvest
        .lines()
        .filter(|line| line.starts_with(&format!("<{server}/")))
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let names = [words[0], words[1], words[words.len() - 2]];
            names.map(|name| name.trim_matches(['<', '>']).rsplit(['/', '#']).next().unwrap_or_default()).join(" ")
        })
        .collect();
    found.sort_unstable();
    // Pages may overlap after a refresh.
    found.dedup();
    found
}

#[test]
fn a_seed_endpoint_is_harvested_with_its_graph_names() {
    let (sandbox, server) = (Sandbox::new(), EmptyServer::start());
    sandbox.write("data.trig", data(&server.url));
    sandbox.succeed(&["import", "data.trig", "--data", "remote"]);
    let endpoint = RunningEndpoint::start(&sandbox, &["--data", "remote"]);
    let harvest = |data: &str, arguments: &[&str]| {
        let mut all = vec!["crawl", &*endpoint.url, "--endpoints", "harvest", "--allow-private", "--delay", "0"];
        all.extend(["--data", data, "-o", "out.nq"].iter().chain(arguments));
        sandbox.succeed(&all);
        harvested(&sandbox, &server.url)
    };
    let people = ["a knows people", "a name people", "a type people", "b name people", "b type people"];
    let places = ["c near places", "c type places"];
    let everything = [&people[..], &places[..]].concat();

    assert_eq!(harvest("all", &[]), everything);
    let name = |name: &str| format!("{}/{name}", server.url);
    assert_eq!(harvest("graph", &["--endpoint-graph", &name("people")]), people);
    assert_eq!(harvest("class", &["--endpoint-class", &name("Place")]), places);
    assert_eq!(server.requests.load(Ordering::SeqCst), 0, "harvested IRIs are not requested");

    assert_eq!(harvest("follow", &["--follow-harvested"]), everything);
    // robots.txt, and at least the subjects.
    assert!(server.requests.load(Ordering::SeqCst) > 3, "harvested IRIs are requested");
    assert_eq!(endpoint.stop(), Some(0));
}
