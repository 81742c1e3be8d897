//! `lodeward serve --sparql-only`: an archive served by another process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::sandbox::Sandbox;

/// A running endpoint; killed when dropped.
pub(crate) struct RunningEndpoint {
    /// The URL of queries.
    pub(crate) url: String,
    child: Child,
}

impl RunningEndpoint {
    pub(crate) fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut all = vec!["serve", "--sparql-only", "--listen", "127.0.0.1:0"];
        all.extend(arguments);
        let mut child = sandbox.command(&all).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").expect("the first line has the URL").to_owned();
        Self { url, child }
    }

    pub(crate) fn post(&self, path: &str, content_type: &str, body: &str) -> String {
        let authority = self.url.strip_prefix("http://").unwrap().split('/').next().unwrap();
        let mut stream = TcpStream::connect(authority).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {authority}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nAccept: \
             text/csv\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + body).as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    /// Sends SIGINT and returns the exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        let signal = std::process::Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(signal.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for RunningEndpoint {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_read_only_endpoint_rejects_updates() {
    let sandbox = Sandbox::new();
    sandbox.write("a.nq", "<http://a.example/s> <http://a.example/p> 'o' <http://a.example/g> .".replace('\'', "\""));
    sandbox.succeed(&["import", "a.nq", "--data", "data"]);
    let endpoint = RunningEndpoint::start(&sandbox, &["--data", "data"]);

    let response = endpoint.post("/sparql", "application/sparql-query", "SELECT ?o { ?s ?p ?o }");
    let rejected = endpoint.post("/update", "application/sparql-update", "CLEAR ALL");
    let concurrent = sandbox.run(&["query", "ASK {}", "--data", "data"]);

    assert!(
        response.starts_with("HTTP/1.1 200") && response.contains("\r\n\r\n") && response.contains("o\r\no\r\n"),
        "{response}"
    );
    assert!(rejected.starts_with("HTTP/1.1 4"), "{rejected}");
    assert_eq!(concurrent.code, 0, "the endpoint answers the query: {}", concurrent.errors);
    assert_eq!(endpoint.stop(), Some(0));
    assert_eq!(sandbox.rows(&["SELECT ?o { ?s ?p ?o }"]), ["\"o\""]);
}

#[test]
fn a_writable_endpoint_accepts_updates() {
    let sandbox = Sandbox::new();
    let endpoint = RunningEndpoint::start(&sandbox, &["--data", "data", "--update"]);

    let done = endpoint.post("/update", "application/sparql-update", "INSERT DATA { <urn:s> <urn:p> 1 }");

    assert!(done.starts_with("HTTP/1.1 2"), "{done}");
    assert_eq!(endpoint.stop(), Some(0));
    assert_eq!(sandbox.rows(&["SELECT ?o { ?s ?p ?o }"]), ["1"]);
}

#[test]
fn a_remote_address_needs_the_allow_remote_flag() {
    let sandbox = Sandbox::new();

    let rejected = sandbox.run(&["serve", "--sparql-only", "--listen", "0.0.0.0:0", "--data", "data", "--update"]);
    let no_archive = sandbox.run(&["serve", "--sparql-only", "--listen", "127.0.0.1:0", "--data", "nowhere"]);

    assert_eq!(rejected.code, 2);
    assert!(rejected.errors.contains("--allow-remote"), "{}", rejected.errors);
    assert_eq!(no_archive.code, 2);
    let missing = sandbox.run(&["serve", "--update", "--data", "data"]);
    assert!(missing.code == 2 && missing.errors.contains("--sparql-only"), "{}", missing.errors);
}
