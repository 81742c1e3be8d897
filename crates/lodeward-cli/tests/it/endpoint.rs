//! `lodeward endpoint`: an archive in another process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::desk::Desk;

/// An endpoint, for as long as this lives.
pub(crate) struct Running {
    /// Where queries go.
    pub(crate) address: String,
    child: Child,
}

impl Running {
    pub(crate) fn start(desk: &Desk, arguments: &[&str]) -> Self {
        let mut all = vec!["endpoint", "--listen", "127.0.0.1:0"];
        all.extend(arguments);
        let mut child = desk.command(&all).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").expect("it tells where").to_owned();
        Self { address, child }
    }

    fn post(&self, path: &str, content_type: &str, body: &str) -> String {
        let authority = self.address.strip_prefix("http://").unwrap().split('/').next().unwrap();
        let mut stream = TcpStream::connect(authority).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {authority}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nAccept: \
             text/csv\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Asks it to stop, and tells how it ended.
    pub(crate) fn stop(mut self) -> Option<i32> {
        let signal = std::process::Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(signal.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have stopped already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_archive_is_asked_over_http_and_stays_as_it_is() {
    let desk = Desk::new();
    desk.write("a.nq", "<http://a.example/s> <http://a.example/p> 'o' <http://a.example/g> .".replace('\'', "\""));
    desk.succeed(&["import", "a.nq", "--data", "data"]);
    let endpoint = Running::start(&desk, &["--data", "data"]);

    let answer = endpoint.post("/sparql", "application/sparql-query", "SELECT ?o { ?s ?p ?o }");
    let refused = endpoint.post("/update", "application/sparql-update", "CLEAR ALL");
    let meanwhile = desk.run(&["query", "ASK {}", "--data", "data"]);

    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.contains("\r\n\r\n") && answer.contains("o\r\no\r\n"),
        "{answer}"
    );
    assert!(refused.starts_with("HTTP/1.1 4"), "{refused}");
    assert_eq!(meanwhile.code, 2, "one process at a time: {}", meanwhile.errors);
    assert_eq!(endpoint.stop(), Some(0));
    assert_eq!(desk.rows(&["SELECT ?o { ?s ?p ?o }"]), ["\"o\""]);
}

#[test]
fn an_archive_is_changed_over_http_if_that_is_said() {
    let desk = Desk::new();
    let endpoint = Running::start(&desk, &["--data", "data", "--update"]);

    let done = endpoint.post("/update", "application/sparql-update", "INSERT DATA { <urn:s> <urn:p> 1 }");

    assert!(done.starts_with("HTTP/1.1 2"), "{done}");
    assert_eq!(endpoint.stop(), Some(0));
    assert_eq!(desk.rows(&["SELECT ?o { ?s ?p ?o }"]), ["1"]);
}

#[test]
fn an_endpoint_for_strangers_must_be_called_one() {
    let desk = Desk::new();

    let refused = desk.run(&["endpoint", "--listen", "0.0.0.0:0", "--data", "data", "--update"]);
    let no_archive = desk.run(&["endpoint", "--data", "nowhere"]);

    assert_eq!(refused.code, 2);
    assert!(refused.errors.contains("--allow-remote"), "{}", refused.errors);
    assert_eq!(no_archive.code, 2);
}
