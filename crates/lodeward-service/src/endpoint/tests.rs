//! The endpoint, asked over real sockets.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use lodeward_archive::protocol::Access;
use tokio::sync::oneshot;

use super::*;

/// A server on a runtime of its own, which stops when this is dropped.
struct Running {
    address: SocketAddr,
    archive: Archive,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

impl Running {
    fn start(change: impl FnOnce(&mut EndpointOptions)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::open(folder.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
        let mut options =
            EndpointOptions { listen: SocketAddr::from(([127, 0, 0, 1], 0)), ..EndpointOptions::default() };
        options.protocol.access = Access::ReadWrite;
        change(&mut options);
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let served = archive.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            runtime.block_on(async move {
                let server = EndpointServer::bind(served, options).await.unwrap();
                tell.send(server.address).unwrap();
                server.run(async move { drop(stopped.await) }).await;
            });
        });
        let address = told.recv().unwrap();
        Self { address, archive, stop: Some(stop), thread: Some(thread), _folder: folder }
    }

    /// Sends these bytes, and reads all that comes back.
    fn talk(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn ask(&self, method: &str, path: &str, fields: &str, body: &str) -> String {
        let length = body.len();
        self.talk(&format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{fields}content-length: {length}\r\n\r\n{body}"
        ))
    }

    fn update(&self, update: &str) -> String {
        self.ask("POST", "/update", "content-type: application/sparql-update\r\n", update)
    }

    fn query(&self, query: &str) -> String {
        self.ask("POST", "/sparql", "content-type: application/sparql-query\r\naccept: text/csv\r\n", query)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}

/// A query with more rows than anybody waits for.
fn endless() -> String {
    let values = "{ 0 1 2 3 4 5 6 7 8 9 }";
    let columns: Vec<_> = (0..12).map(|column| format!("VALUES ?x{column} {values} ")).collect();
    format!("SELECT * {{ {} }}", columns.concat())
}

#[test]
fn what_is_written_can_be_asked() {
    let server = Running::start(|_| ());

    assert!(server.update("INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> 'o' } }").starts_with("HTTP/1.1 204 "));
    let answer = server.query("SELECT ?o { GRAPH ?g { ?s ?p ?o } }");
    let graph = server.ask("GET", "/store?graph=urn:g", "", "");

    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("o\r\no\r\n"), "{answer}");
    assert!(graph.contains("<urn:s> <urn:p> \"o\" ."), "{graph}");
    assert!(server.ask("HEAD", "/sparql", "", "").ends_with("\r\n\r\n"));
}

#[test]
fn names_of_others_and_bodies_without_bounds_are_refused() {
    let server = Running::start(|options| options.request_bytes_max = 100);

    assert!(
        server
            .talk("GET /sparql HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n")
            .starts_with("HTTP/1.1 421 ")
    );
    assert!(server.update(&"# long\n".repeat(100)).starts_with("HTTP/1.1 413 "));
}

#[test]
fn other_machines_are_not_let_in_by_accident() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::open(folder.path(), &lodeward_archive::Options::default()).unwrap();
    let options = EndpointOptions { listen: SocketAddr::from(([0, 0, 0, 0], 0)), ..EndpointOptions::default() };

    let refused = runtime.block_on(EndpointServer::bind(archive, options));

    assert!(matches!(refused, Err(ListenError::Remote(_))));
}

#[test]
fn a_query_ends_with_whoever_asked_and_makes_room_for_others() {
    let server = Running::start(|options| options.queries_max = 1);
    let query = endless();
    let length = query.len();
    let head = "POST /sparql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/sparql-query\r\n";
    for _ in 0..3 {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(format!("{head}content-length: {length}\r\n\r\n{query}").as_bytes()).unwrap();
        let mut some = [0; 1_000];
        stream.read_exact(&mut some).unwrap();
    }

    // There is one seat only: it must be free again.
    assert!(server.query("ASK {}").starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_query_that_is_stopped_in_the_middle_does_not_look_whole() {
    let server = Running::start(|options| options.protocol.query.rows_max = Some(20_000));

    let answer = server.query(&endless());

    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("transfer-encoding: chunked"), "{}", &answer[..200]);
    assert!(!answer.ends_with("0\r\n\r\n"), "the last chunk would say that it is whole");
}

#[test]
fn whoever_finds_no_seat_is_told_to_come_again() {
    let server = Running::start(|options| {
        options.queries_max = 1;
        options.queue_time_max = Duration::from_millis(1);
    });
    let query = endless();
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = "POST /sparql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/sparql-query\r\n";
    stream.write_all(format!("{head}content-length: {}\r\n\r\n{query}", query.len()).as_bytes()).unwrap();
    stream.read_exact(&mut [0; 100]).unwrap();

    let answer = server.query("ASK {}");

    assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("retry-after: 10"), "{answer}");
}

#[test]
fn a_stop_is_orderly() {
    let server = Running::start(|options| options.grace = Duration::from_millis(50));
    server.update("INSERT DATA { <urn:s> <urn:p> 'o' }");
    let query = endless();
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = "POST /sparql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/sparql-query\r\n";
    stream.write_all(format!("{head}content-length: {}\r\n\r\n{query}", query.len()).as_bytes()).unwrap();
    stream.read_exact(&mut [0; 100]).unwrap();
    let (address, archive) = (server.address, server.archive.clone());

    drop(server);

    assert!(TcpStream::connect(address).is_err());
    assert_eq!(archive.snapshot().len().unwrap(), 1);
}
