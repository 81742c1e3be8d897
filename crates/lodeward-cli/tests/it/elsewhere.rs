//! Another SPARQL endpoint on loopback, with its own archive: just enough of
//! the protocol for `SERVICE`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use lodeward_archive::sparql::{AnswerFormat, QueryOptions};
use lodeward_archive::{Archive, Options};
use oxttl::TriGParser;

/// Answers queries on these statements until the test ends. Tells where.
pub(crate) fn serve(trig: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::open(folder.path(), &Options::default()).unwrap();
    let mut transaction = archive.begin();
    for quad in TriGParser::new().for_slice(trig) {
        transaction.insert(quad.unwrap().as_ref()).unwrap();
    }
    transaction.commit().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/query", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let _kept = folder;
        for stream in listener.incoming() {
            answer(stream.unwrap(), &archive);
        }
    });
    address
}

fn answer(stream: TcpStream, archive: &Archive) {
    let query = query(&stream);
    let options =
        QueryOptions { default_graph: lodeward_archive::sparql::DefaultGraph::Union, ..QueryOptions::default() };
    let mut body = Vec::new();
    archive.snapshot().query(&query, &options).unwrap().write(AnswerFormat::Json, &mut body).unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut stream = stream;
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body).unwrap();
}

/// The query of a form that was posted.
fn query(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        if let Some((_, value)) = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
            length = value.trim().parse().unwrap();
        }
    }
    let mut form = vec![0; length];
    reader.read_exact(&mut form).unwrap();
    let query = url::form_urlencoded::parse(&form).find(|(name, _)| name == "query");
    query.unwrap().1.into_owned()
}
