//! Tests with a real server in another process: Oxigraph, from its Python package.
//!
//! `make tools` installs it under `target/tools`; if it is missing, these tests are skipped and
//! counted.

use std::io::Read;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use http::Method;
use http::header::{ACCEPT, HeaderMap, HeaderValue};

use super::*;
use lodeward::fetch::ResponseBody;
use lodeward::fetch::sparql_client::{SparqlClient, SparqlRequest, SparqlRequestBody};

struct Oxigraph {
    process: Child,
    address: SocketAddr,
    dir: TempDir,
}

impl Drop for Oxigraph {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The program; `None` if it is missing, which is recorded as a skipped test.
fn program() -> Option<PathBuf> {
    let installed = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/oxigraph/bin/oxigraph"));
    let path = std::env::var_os("LODEWARD_TEST_OXIGRAPH").map_or_else(installed, PathBuf::from);
    if path.exists() {
        return Some(path);
    }
    toyweb::test_data::note_missing_tool("oxigraph (make tools)");
    None
}

fn launch(program: &Path, dir: &Path, address: SocketAddr) -> Child {
    Command::new(program)
        .args(["serve", "--location"])
        .arg(dir)
        .args(["--bind", &address.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

impl Oxigraph {
    fn start() -> Option<Self> {
        let program = program()?;
        let dir = tempfile::tempdir().unwrap();
        // It cannot report an assigned port, so a free one is chosen first.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let process = launch(&program, dir.path(), address);
        let server = Self { process, address, dir };
        server.wait();
        Some(server)
    }

    /// Waits until it listens.
    fn wait(&self) {
        for _ in 0..600 {
            if std::net::TcpStream::connect(self.address).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("oxigraph does not listen on {}", self.address);
    }

    #[expect(clippy::unnecessary_wraps, reason = "the field of the options is an `Option`")]
    fn update(&self) -> Option<String> {
        Some(format!("http://{}/update", self.address))
    }

    #[expect(clippy::unnecessary_wraps, reason = "the field of the options is an `Option`")]
    fn store(&self) -> Option<String> {
        Some(format!("http://{}/store", self.address))
    }

    fn dataset(&self) -> Dataset {
        let client = SparqlClient::new(fetch::FetchOptions {
            allow_private_addresses: true,
            proxy_from_environment: false,
            ..fetch::FetchOptions::default()
        });
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/n-quads"));
        let call = SparqlRequest {
            method: Method::GET,
            uri: Uri::parse(&self.store().unwrap()).unwrap(),
            headers,
            body: SparqlRequestBody::Buffered(bytes::Bytes::new()),
            timeout: std::time::Duration::from_mins(1),
            max_response_bytes: 1 << 30,
        };
        let mut text = String::new();
        match client.unwrap().call(call).unwrap().body {
            ResponseBody::Buffered { bytes, .. } => text = String::from_utf8(bytes.to_vec()).unwrap(),
            ResponseBody::Stream(mut reader) => drop(reader.read_to_string(&mut text).unwrap()),
        }
        NQuadsParser::new().for_slice(text.as_bytes()).map(Result::unwrap).collect()
    }
}

/// Documents of all kinds, some too large for a request.
fn harvest() -> Vec<DocumentChange> {
    let mut changes: Vec<_> = (0..100).map(|number| sample(number, "first")).collect();
    let large: Vec<_> = (0..500)
        .map(|number| format!("<http://a.example/{number}> <http://a.example/p> _:n{number} <> .\n_:n{number} <http://a.example/p> \"{number}\" <> .\n"))
        .collect();
    changes.push(change(100, &large.concat()));
    changes.extend((50..70).map(|number| sample(number, "second")));
    changes.extend((60..65).map(removal));
    let all: String = (0..0x250_u32).filter_map(char::from_u32).filter(|c| !"\"\\\n\r".contains(*c)).collect();
    changes.push(change(
        101,
        &format!("<http://a.example/s> <http://a.example/p> \"{all}\\\"\\\\\\n\\r\\\\u0041\" <> .\n"),
    ));
    changes.push(change(
        102,
        &format!("<http://a.example/s> <http://a.example/p> \"{}\" <> .\n", "long ".repeat(400_000)),
    ));
    changes
}

#[test]
fn a_real_server_has_the_documents_sent_by_updates() {
    let Some(server) = Oxigraph::start() else { return };
    let (dir, changes) = (tempfile::tempdir().unwrap(), harvest());

    let mut follower = open(&options(server.update(), None), &dir);
    drive(&mut follower, &changes, 30).unwrap();

    assert_eq!(follower.rejected_count(), 0);
    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn a_real_server_has_the_documents_sent_as_graphs() {
    let Some(server) = Oxigraph::start() else { return };
    let (dir, changes) = (tempfile::tempdir().unwrap(), harvest());

    drive(&mut open(&options(server.update(), server.store()), &dir), &changes[..110], 30).unwrap();
    let mut follower = open(&options(None, server.store()), &dir);
    drive(&mut follower, &changes, 30).unwrap();

    assert_eq!(follower.rejected_count(), 0);
    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn a_server_that_was_down_receives_all_documents() {
    let Some(mut server) = Oxigraph::start() else { return };
    let (dir, changes) = (tempfile::tempdir().unwrap(), harvest());
    let options = options(server.update(), None);
    drive(&mut open(&options, &dir), &changes[..60], 30).unwrap();

    server.process.kill().unwrap();
    server.process.wait().unwrap();
    let mut follower = open(&options, &dir);
    assert!(matches!(follower.apply(&changes[60..90], position(3)), Err(FollowerError::Retry { .. })));

    server.process = launch(&program().unwrap(), server.dir.path(), server.address);
    server.wait();
    drive(&mut follower, &changes, 30).unwrap();
    assert_same(server.dataset(), expected(&changes));
}
