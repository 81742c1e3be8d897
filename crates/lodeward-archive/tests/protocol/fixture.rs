//! A test endpoint on an empty archive, and helpers to inspect its responses.

use bytes::Bytes;
use http::{Request, Response};
use lodeward_archive::protocol::{ProtocolEndpoint, ProtocolOptions, WriteAccess};
use lodeward_archive::{Archive, sparql};
use oxrdf::graph::CanonicalizationAlgorithm;
use oxrdf::{Graph, NamedNode};
use oxttl::{NTriplesParser, TurtleParser};

/// An endpoint with its archive and directory.
pub(crate) struct EndpointFixture {
    pub(crate) archive: Archive,
    pub(crate) endpoint: ProtocolEndpoint,
    _directory: tempfile::TempDir,
}

impl EndpointFixture {
    /// A writable endpoint with the paths that the suites use.
    pub(crate) fn new() -> Self {
        Self::with(|_| ())
    }

    pub(crate) fn with(change: impl FnOnce(&mut ProtocolOptions)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let archive = Archive::open(directory.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
        let mut options = ProtocolOptions::default();
        options.access = WriteAccess::ReadWrite;
        options.store_path = String::from("/gsp");
        options.query.cancel = sparql::CancellationToken::new();
        change(&mut options);
        Self { endpoint: ProtocolEndpoint::new(archive.clone(), options), archive, _directory: directory }
    }

    pub(crate) fn respond(&self, request: &Request<Bytes>) -> Response<Bytes> {
        self.endpoint.respond_buffered(request).unwrap()
    }

    /// Sends a request with a method, a path, headers and a body.
    pub(crate) fn send(&self, method: &str, path: &str, fields: &[(&str, &str)], body: &str) -> Response<Bytes> {
        let mut request = Request::builder().method(method).uri(path).header("host", "www.example");
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        self.respond(&request.body(Bytes::copy_from_slice(body.as_bytes())).unwrap())
    }

    /// Stores triples in a graph.
    pub(crate) fn load(&self, graph: &str, triples: &[u8]) {
        let graph = NamedNode::new(graph).unwrap();
        let mut transaction = self.archive.begin();
        for triple in NTriplesParser::new().for_slice(triples) {
            transaction.insert(triple.unwrap().in_graph(graph.clone()).as_ref()).unwrap();
        }
        transaction.commit().unwrap();
    }
}

pub(crate) fn field<'a>(response: &'a Response<Bytes>, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

pub(crate) fn text(response: &Response<Bytes>) -> String {
    String::from_utf8(response.body().to_vec()).unwrap()
}

/// Whether two Turtle documents are isomorphic graphs.
pub(crate) fn same_graph(left: &str, right: &str) -> bool {
    canonical(left) == canonical(right)
}

fn canonical(turtle: &str) -> Option<Graph> {
    let parser = TurtleParser::new().with_base_iri("http://www.example/").unwrap().for_slice(turtle.as_bytes());
    let mut graph = parser.collect::<Result<Graph, _>>().ok()?;
    graph.canonicalize(CanonicalizationAlgorithm::Unstable);
    Some(graph)
}
