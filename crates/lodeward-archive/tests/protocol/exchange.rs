//! An endpoint on an empty archive, and how its answers are looked at.

use bytes::Bytes;
use http::{Request, Response};
use lodeward_archive::protocol::{Access, Endpoint, Options};
use lodeward_archive::{Archive, sparql};
use oxrdf::graph::CanonicalizationAlgorithm;
use oxrdf::{Graph, NamedNode};
use oxttl::{NTriplesParser, TurtleParser};

/// An endpoint, and what has to live as long.
pub(crate) struct House {
    pub(crate) archive: Archive,
    pub(crate) endpoint: Endpoint,
    _folder: tempfile::TempDir,
}

impl House {
    /// One that may be written to, its paths as the suites have them.
    pub(crate) fn new() -> Self {
        Self::with(|_| ())
    }

    pub(crate) fn with(change: impl FnOnce(&mut Options)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::open(folder.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
        let mut options = Options::default();
        options.access = Access::ReadWrite;
        options.store_path = String::from("/gsp");
        options.query.cancel = sparql::CancellationToken::new();
        change(&mut options);
        Self { endpoint: Endpoint::new(archive.clone(), options), archive, _folder: folder }
    }

    pub(crate) fn ask(&self, request: &Request<Bytes>) -> Response<Bytes> {
        self.endpoint.answer_whole(request).unwrap()
    }

    /// Asks with a method, a path, fields and a body.
    pub(crate) fn send(&self, method: &str, path: &str, fields: &[(&str, &str)], body: &str) -> Response<Bytes> {
        let mut request = Request::builder().method(method).uri(path).header("host", "www.example");
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        self.ask(&request.body(Bytes::copy_from_slice(body.as_bytes())).unwrap())
    }

    /// Puts triples into a graph.
    pub(crate) fn load(&self, graph: &str, triples: &[u8]) {
        let graph = NamedNode::new(graph).unwrap();
        let mut transaction = self.archive.begin();
        for triple in NTriplesParser::new().for_slice(triples) {
            transaction.insert(triple.unwrap().in_graph(graph.clone()).as_ref()).unwrap();
        }
        transaction.commit().unwrap();
    }
}

pub(crate) fn field<'a>(answer: &'a Response<Bytes>, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

pub(crate) fn text(answer: &Response<Bytes>) -> String {
    String::from_utf8(answer.body().to_vec()).unwrap()
}

/// Whether two Turtle documents are the same graph, whatever their blank nodes
/// are called.
pub(crate) fn same_graph(left: &str, right: &str) -> bool {
    canonical(left) == canonical(right)
}

fn canonical(turtle: &str) -> Option<Graph> {
    let parser = TurtleParser::new().with_base_iri("http://www.example/").unwrap().for_slice(turtle.as_bytes());
    let mut graph = parser.collect::<Result<Graph, _>>().ok()?;
    graph.canonicalize(CanonicalizationAlgorithm::Unstable);
    Some(graph)
}
