//! A server for SPARQL only, over real sockets.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use lodeward_archive::Archive;
use lodeward_archive::protocol::{ProtocolOptions, WriteAccess};
use lodeward_service::{ReservedListener, ServiceServer, SparqlOnlyOptions};
use tokio::sync::oneshot;

/// A server on a runtime of its own, which stops when this is dropped.
struct SparqlServer {
    address: SocketAddr,
    archive: Archive,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
    _dir: tempfile::TempDir,
}

impl SparqlServer {
    fn start(change: impl FnOnce(&mut SparqlOnlyOptions)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::open(dir.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
        let mut options = SparqlOnlyOptions {
            protocol: ProtocolOptions::default(),
            max_concurrent_queries: 4,
            max_body_bytes: 1_000_000,
            request_timeout: Duration::from_secs(30),
        };
        options.protocol.access = WriteAccess::ReadWrite;
        change(&mut options);
        let (stop, stopped) = oneshot::channel::<()>();
        let (sender, receiver) = std::sync::mpsc::channel();
        let served = archive.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            runtime.block_on(async move {
                let listener = ReservedListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
                let server = ServiceServer::sparql_only(served, options, listener).unwrap();
                sender.send(server.address).unwrap();
                server.run(async move { drop(stopped.await) }).await.unwrap();
            });
        });
        let address = receiver.recv().unwrap();
        Self { address, archive, stop: Some(stop), thread: Some(thread), _dir: dir }
    }

    /// Sends these bytes, and reads the whole response.
    fn exchange(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = Vec::new();
        let _ = stream.read_to_end(&mut response);
        String::from_utf8_lossy(&response).into_owned()
    }

    fn request(&self, method: &str, path: &str, fields: &str, body: &str) -> String {
        let length = body.len();
        self.exchange(&format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{fields}content-length: {length}\r\n\r\n{body}"
        ))
    }

    fn update(&self, update: &str) -> String {
        self.request("POST", "/update", "content-type: application/sparql-update\r\n", update)
    }

    fn query(&self, query: &str) -> String {
        self.request("POST", "/sparql", "content-type: application/sparql-query\r\naccept: text/csv\r\n", query)
    }
}

impl Drop for SparqlServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

/// A query with a practically endless result.
fn endless_query() -> String {
    let columns = (0..12).map(|column| format!("VALUES ?x{column} {{ 0 1 2 3 4 5 6 7 8 9 }} "));
    format!("SELECT * {{ {} }}", columns.collect::<String>())
}

#[test]
fn written_statements_can_be_queried_and_survive_the_shutdown() {
    let server = SparqlServer::start(|_| ());

    assert!(server.update("INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> 'o' } }").starts_with("HTTP/1.1 204 "));
    let result = server.query("SELECT ?o { GRAPH ?g { ?s ?p ?o } }");
    let graph = server.request("GET", "/store?graph=urn:g", "", "");

    assert!(result.starts_with("HTTP/1.1 200 OK\r\n") && result.contains("o\r\no\r\n"), "{result}");
    assert!(graph.contains("<urn:s> <urn:p> \"o\" ."), "{graph}");
    assert!(server.request("HEAD", "/sparql", "", "").ends_with("\r\n\r\n"));
    assert!(server.request("GET", "/api/v1/crawls", "", "").starts_with("HTTP/1.1 404 "), "SPARQL only");
    let (address, archive) = (server.address, server.archive.clone());
    drop(server);
    assert!(TcpStream::connect(address).is_err());
    assert_eq!(archive.snapshot().len().unwrap(), 1);
}

#[test]
fn other_host_names_and_large_bodies_are_rejected() {
    let server = SparqlServer::start(|options| options.max_body_bytes = 100);

    let other = "GET /sparql HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n";
    assert!(server.exchange(other).starts_with("HTTP/1.1 421 "));
    let missing = "GET /sparql HTTP/1.1\r\nconnection: close\r\n\r\n";
    assert!(server.exchange(missing).starts_with("HTTP/1.1 400 "));
    assert!(server.update(&"# long\n".repeat(100)).starts_with("HTTP/1.1 413 "));
}

#[test]
fn a_truncated_result_does_not_look_complete() {
    let server = SparqlServer::start(|options| options.protocol.query.max_rows = Some(20_000));

    let response = server.query(&endless_query());

    let is_chunked = response.contains("transfer-encoding: chunked");
    assert!(response.starts_with("HTTP/1.1 200 ") && is_chunked, "{}", &response[..200]);
    assert!(!response.ends_with("0\r\n\r\n"), "the last chunk would mark it as complete");
}

#[test]
fn a_query_is_cancelled_when_its_client_disconnects() {
    let server = SparqlServer::start(|options| options.max_concurrent_queries = 1);
    let query = endless_query();
    let head = "POST /sparql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/sparql-query\r\n";
    for _ in 0..3 {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(format!("{head}content-length: {}\r\n\r\n{query}", query.len()).as_bytes()).unwrap();
        stream.read_exact(&mut [0; 1_000]).unwrap();
    }

    // There is only one slot, so it must be free again.
    assert!(server.query("ASK {}").starts_with("HTTP/1.1 200 "));
}
