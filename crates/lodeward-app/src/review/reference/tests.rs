//! Tests of reference graphs.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use flate2::Compression;
use flate2::write::GzEncoder;
use lodeward_archive::Archive;
use lodeward_archive::protocol::{self, ProtocolEndpoint};
use oxrdf::GraphName;
use oxttl::NTriplesParser;

use super::*;
use lodeward_focus::rank::EntityGraph;

const LINKS: &str = "<urn:a> <urn:p> <urn:b> .\n<urn:b> <urn:p> <urn:c> .\n<urn:c> <urn:p> <urn:d> .\n\
    <urn:d> <urn:p> <urn:e> .\n<urn:a> <urn:label> \"A\" .\n<urn:x> <urn:p> <urn:a> .\n";

fn config(reference: &str) -> Config {
    let mut config = Config::default();
    config.ranking.reference_graph = reference.to_owned();
    config.fetch.allow_private_addresses = true;
    config.politeness.delay = std::time::Duration::ZERO;
    config
}

fn load(config: &Config, data: &Path, seeds: &[&str]) -> Result<ReferenceGraph, String> {
    load_reference(config, data, None, seeds).map(Option::unwrap).map_err(|error| {
        let source = std::error::Error::source(&error).map(|source| format!(": {source}"));
        format!("{error}{}", source.unwrap_or_default())
    })
}

fn neighbours(graph: &EntityGraph<'_>, name: &str) -> Vec<String> {
    let entity = graph.find(name).unwrap_or_else(|| panic!("{name} is missing"));
    let mut names: Vec<_> = graph.neighbours(entity).iter().map(|other| graph.name(*other).to_owned()).collect();
    names.sort_unstable();
    names
}

fn fill(archive: &Archive, graph: Option<&str>, statements: &str) {
    let graph = graph.map_or(GraphName::DefaultGraph, |name| NamedNode::new_unchecked(name).into());
    let mut transaction = archive.begin();
    for triple in NTriplesParser::new().for_slice(statements.as_bytes()) {
        let quad = triple.unwrap().in_graph(graph.clone());
        transaction.insert(quad.as_ref()).unwrap();
    }
    transaction.commit().unwrap();
}

#[test]
fn the_crawl_itself_needs_no_graph() {
    let found = load_reference(&config("crawl"), Path::new("nowhere"), None, &["urn:a"]).unwrap();
    assert!(found.is_none());
}

#[test]
fn only_the_named_graph_of_the_archive_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let archive = super::open_archive(&Config::default(), dir.path()).unwrap();
    fill(&archive, Some("urn:g"), LINKS);
    fill(&archive, Some("urn:other"), "<urn:a> <urn:p> <urn:z> .\n");
    drop(archive);

    let found = load(&config("graph:urn:g"), dir.path(), &["urn:a"]).unwrap();

    let graph = found.facts.graph();
    assert_eq!(neighbours(&graph, "urn:a"), ["urn:b", "urn:x"]);
    assert_eq!(found.notes, [""; 0]);
    let missing = load(&config("graph:urn:none"), dir.path(), &["urn:a"]).err().unwrap();
    assert!(missing.contains("the archive has no graph <urn:none>"), "{missing}");
    let empty = tempfile::tempdir().unwrap();
    let missing = load(&config("graph:urn:g"), empty.path(), &["urn:a"]).err().unwrap();
    assert!(missing.contains("has no archive") && !empty.path().join("archive").exists(), "{missing}");
}

#[test]
fn a_file_is_read_in_any_syntax_and_compressed() {
    let dir = tempfile::tempdir().unwrap();
    let check = |name: &str, bytes: &[u8], found: Result<&[&str], &str>| {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let loaded = load(&config(&format!("file:{}", path.display())), dir.path(), &["urn:a"]);
        match (loaded, found) {
            (Ok(loaded), Ok(names)) => assert_eq!(neighbours(&loaded.facts.graph(), "urn:a"), names, "{name}"),
            (Err(problem), Err(expected)) => assert!(problem.contains(expected), "{name}: {problem}"),
            (Ok(_), _) => panic!("{name} was read"),
            (Err(problem), _) => panic!("{name}: {problem}"),
        }
    };
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(b"@prefix u: <urn:> . u:a u:p u:b , u:c .").unwrap();

    check("links.nt", LINKS.as_bytes(), Ok(&["urn:b", "urn:x"]));
    check("links.ttl.gz", &packed.finish().unwrap(), Ok(&["urn:b", "urn:c"]));
    check("links.nq", b"<urn:a> <urn:p> <urn:b> <urn:g> .", Ok(&["urn:b"]));
    check("labels.nt", b"<urn:a> <urn:p> \"A\" .", Err("has no links between entities"));
    check("broken.nt", b"<urn:a> <urn:p> \"A\" .\n<urn:a> nonsense .\n", Err("has no links between entities: "));
    let missing = load(&config("file:nowhere.nt"), dir.path(), &["urn:a"]).err().unwrap();
    assert!(missing.contains("cannot read nowhere.nt: "), "{missing}");
    let is_folder = load(&config(&format!("file:{}", dir.path().display())), dir.path(), &["urn:a"]);
    assert!(is_folder.is_err_and(|problem| problem.contains("cannot read")));
}

#[test]
fn a_graph_above_the_limits_is_truncated_with_a_note() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("many.nt");
    let statements: String = (0..3 * STATEMENTS_PER_BATCH).fold(String::new(), |mut all, number| {
        writeln!(all, "<urn:a> <urn:p> <urn:{number}> .").unwrap();
        all
    });
    std::fs::write(&path, statements).unwrap();
    let mut config = config(&format!("file:{}", path.display()));
    config.ranking.limits.max_entities = 100;

    let found = load(&config, dir.path(), &["urn:a"]).unwrap();

    assert_eq!(found.facts.len(), 100);
    assert!(found.facts.omitted_facts() < 2 * STATEMENTS_PER_BATCH as u64, "the rest was not read");
    let [note] = &found.notes[..] else { panic!("one note: {:?}", found.notes) };
    assert!(note.contains("exceeds the limit of 100 entities"), "{note}");
}

/// Starts an endpoint on loopback that fails after some responses. Its queries are sent to the
/// receiver.
fn serve(archive: Archive, max_responses: usize) -> (String, mpsc::Receiver<String>) {
    let endpoint = ProtocolEndpoint::new(archive, protocol::ProtocolOptions::default());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/sparql", listener.local_addr().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let Some((stream, request)) = stream.ok().and_then(receive) else { continue };
            // Sent before the response, so that the test finds the query afterwards.
            let is_ended = sender.send(String::from_utf8_lossy(request.body()).into_owned()).is_err();
            if number < max_responses {
                let answer = endpoint.respond_buffered(&request).unwrap();
                let media_type = answer.headers()["content-type"].to_str().unwrap();
                let _ = write!(&stream, "HTTP/1.1 {}\r\ncontent-type: {media_type}\r\n", answer.status());
                let _ = write!(&stream, "content-length: {}\r\nconnection: close\r\n\r\n", answer.body().len());
                let _ = (&stream).write_all(answer.body());
            } else {
                let _ = write!(&stream, "HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            }
            if is_ended {
                return;
            }
        }
    });
    (address, receiver)
}

fn receive(stream: TcpStream) -> Option<(TcpStream, http::Request<bytes::Bytes>)> {
    let mut reader = BufReader::new(&stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let field =
        |name: &str| head.lines().find_map(|line| Some(line.split_once(": ")?).filter(|(known, _)| *known == name));
    let mut body = vec![0; field("content-length")?.1.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let mut request = http::Request::post("/sparql");
    for (name, value) in ["content-type", "accept"].into_iter().filter_map(field) {
        request = request.header(name, value);
    }
    let request = request.body(body.into()).ok()?;
    Some((stream, request))
}

#[test]
fn the_neighbourhood_of_the_seeds_is_queried_from_an_endpoint() {
    let dir = tempfile::tempdir().unwrap();
    let archive = super::open_archive(&Config::default(), dir.path()).unwrap();
    fill(&archive, None, LINKS);
    let (address, queries) = serve(archive, usize::MAX);

    let found = load(&config(&format!("endpoint:{address}")), dir.path(), &["urn:a", "not an IRI"]).unwrap();

    // Entities two links away from a are loaded, entities three links away are not.
    let graph = found.facts.graph();
    assert_eq!(neighbours(&graph, "urn:a"), ["urn:b", "urn:x"]);
    assert_eq!(neighbours(&graph, "urn:b"), ["urn:a", "urn:c"]);
    assert!(graph.find("urn:d").is_none());
    assert_eq!(found.notes, [""; 0]);
    assert_eq!(queries.try_iter().count(), 4, "two hops in two directions");
    let found = load(&config(&format!("endpoint:{address}")), dir.path(), &["urn:unknown"]).unwrap();
    assert!(found.notes[0].contains("has no links from or to the seeds"), "{:?}", found.notes);
}

#[test]
fn a_failure_of_the_first_query_is_an_error_and_of_a_later_one_a_note() {
    let dir = tempfile::tempdir().unwrap();
    let archive = super::open_archive(&Config::default(), dir.path()).unwrap();
    fill(&archive, None, LINKS);

    let (address, _queries) = serve(archive.clone(), 0);
    let problem = load(&config(&format!("endpoint:{address}")), dir.path(), &["urn:a"]).err().unwrap();
    assert!(problem.contains(&address) && problem.contains("503"), "{problem}");

    let (address, _queries) = serve(archive, 2);
    let found = load(&config(&format!("endpoint:{address}")), dir.path(), &["urn:a"]).unwrap();
    assert_eq!(neighbours(&found.facts.graph(), "urn:a"), ["urn:b", "urn:x"]);
    assert!(found.notes[0].contains("failed at query 3") && found.notes[0].contains("503"), "{:?}", found.notes);
}
