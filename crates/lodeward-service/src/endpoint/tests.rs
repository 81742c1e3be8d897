//! Tests of the endpoint over real sockets.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use lodeward_archive::protocol::WriteAccess;
use tokio::sync::oneshot;

use super::*;

/// A server on a runtime of its own, which stops when this is dropped.
struct TestServer {
    address: SocketAddr,
    archive: Archive,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
    _dir: tempfile::TempDir,
}

impl TestServer {
    fn start(change: impl FnOnce(&mut EndpointOptions)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::open(dir.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
        let mut options =
            EndpointOptions { listen: SocketAddr::from(([127, 0, 0, 1], 0)), ..EndpointOptions::default() };
        options.protocol.access = WriteAccess::ReadWrite;
        change(&mut options);
        let (stop, stopped) = oneshot::channel();
        let (sender, receiver) = std::sync::mpsc::channel();
        let served = archive.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            runtime.block_on(async move {
                let server = EndpointServer::bind(served, options).await.unwrap();
                sender.send(server.address).unwrap();
                server.run(async move { drop(stopped.await) }).await;
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

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

/// A query with a practically endless result.
fn endless_query() -> String {
    let values = "{ 0 1 2 3 4 5 6 7 8 9 }";
    let columns: Vec<_> = (0..12).map(|column| format!("VALUES ?x{column} {values} ")).collect();
    format!("SELECT * {{ {} }}", columns.concat())
}

#[test]
fn written_statements_can_be_queried() {
    let server = TestServer::start(|_| ());

    assert!(server.update("INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> 'o' } }").starts_with("HTTP/1.1 204 "));
    let result = server.query("SELECT ?o { GRAPH ?g { ?s ?p ?o } }");
    let graph = server.request("GET", "/store?graph=urn:g", "", "");

    assert!(result.starts_with("HTTP/1.1 200 OK\r\n") && result.contains("o\r\no\r\n"), "{result}");
    assert!(graph.contains("<urn:s> <urn:p> \"o\" ."), "{graph}");
    assert!(server.request("HEAD", "/sparql", "", "").ends_with("\r\n\r\n"));
}

#[test]
fn other_host_names_and_large_bodies_are_rejected() {
    let server = TestServer::start(|options| options.max_request_bytes = 100);

    assert!(
        server
            .exchange("GET /sparql HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n")
            .starts_with("HTTP/1.1 421 ")
    );
    assert!(server.update(&"# long\n".repeat(100)).starts_with("HTTP/1.1 413 "));
}

#[test]
fn remote_access_needs_an_explicit_option() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let archive = Archive::open(dir.path(), &lodeward_archive::Options::default()).unwrap();
    let options = EndpointOptions { listen: SocketAddr::from(([0, 0, 0, 0], 0)), ..EndpointOptions::default() };

    let rejected = runtime.block_on(EndpointServer::bind(archive, options));

    assert!(matches!(rejected, Err(ListenError::Remote(_))));
}

#[test]
fn a_query_is_cancelled_when_its_client_disconnects() {
    let server = TestServer::start(|options| options.max_concurrent_queries = 1);
    let query = endless_query();
    let length = query.len();
    let head = "POST /sparql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/sparql-query\r\n";
    for _ in 0..3 {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(format!("{head}content-length: {length}\r\n\r\n{query}").as_bytes()).unwrap();
        let mut some = [0; 1_000];
        stream.read_exact(&mut some).unwrap();
    }

    // There is only one slot, so it must be free again.
    assert!(server.query("ASK {}").starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_truncated_result_does_not_look_complete() {
    let server = TestServer::start(|options| options.protocol.query.max_rows = Some(20_000));

    let response = server.query(&endless_query());

    let is_chunked = response.contains("transfer-encoding: chunked");
    assert!(response.starts_with("HTTP/1.1 200 ") && is_chunked, "{}", &response[..200]);
    assert!(!response.ends_with("0\r\n\r\n"), "the last chunk would mark it as complete");
}

#[test]
fn a_query_without_a_slot_is_rejected_with_retry_after() {
    let server = TestServer::start(|options| {
        options.max_concurrent_queries = 1;
        options.max_queue_time = Duration::from_millis(1);
    });
    let query = endless_query();
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = "POST /sparql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/sparql-query\r\n";
    stream.write_all(format!("{head}content-length: {}\r\n\r\n{query}", query.len()).as_bytes()).unwrap();
    stream.read_exact(&mut [0; 100]).unwrap();

    let response = server.query("ASK {}");

    assert!(response.starts_with("HTTP/1.1 503 ") && response.contains("retry-after: 10"), "{response}");
}

#[test]
fn a_shutdown_loses_no_confirmed_update() {
    let server = TestServer::start(|options| options.shutdown_grace = Duration::from_millis(50));
    server.update("INSERT DATA { <urn:s> <urn:p> 'o' }");
    let query = endless_query();
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = "POST /sparql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/sparql-query\r\n";
    stream.write_all(format!("{head}content-length: {}\r\n\r\n{query}", query.len()).as_bytes()).unwrap();
    stream.read_exact(&mut [0; 100]).unwrap();
    let (address, archive) = (server.address, server.archive.clone());

    drop(server);

    assert!(TcpStream::connect(address).is_err());
    assert_eq!(archive.snapshot().len().unwrap(), 1);
}
