//! The W3C's test suites of RDF syntaxes, through the extractor.

use std::collections::HashMap;

use bytes::Bytes;
use lodeward::extract::{Extractor, NamedGraphs, Options, Reader, Sink};
use lodeward::fetch::{Body, Representation};
use lodeward::model::{Fault, Link, Uri};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::vocab::rdf;
use oxrdf::{Dataset, Graph, GraphName, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, Quad, QuadRef, TermRef};
use oxttl::{NQuadsParser, TurtleParser};

use toyweb::shared::{settle, suite};

const BASE: &str = "https://w3c.github.io/rdf-tests/";
const MF: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";

type Files = HashMap<String, Vec<u8>>;

struct Case {
    name: String,
    kind: String,
    action: String,
    result: Option<String>,
}

#[derive(Default)]
struct Basket {
    quads: Vec<Quad>,
    faults: Vec<Fault>,
}

impl Sink for Basket {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.quads.push(quad.into_owned());
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}

fn cases(files: &Files, folder: &str) -> Vec<Case> {
    let path = format!("rdf/rdf11/{folder}/manifest.ttl");
    let parser = TurtleParser::new().with_base_iri(format!("{BASE}{path}")).unwrap();
    let graph: Graph = parser.for_slice(&files[&path]).map(Result::unwrap).collect();
    let object = |subject: NamedOrBlankNodeRef<'_>, name: &str| {
        let predicate = NamedNode::new(format!("{MF}{name}")).unwrap();
        match graph.object_for_subject_predicate(subject, &predicate)? {
            TermRef::NamedNode(node) => Some(node.as_str().to_owned()),
            TermRef::Literal(literal) => Some(literal.value().to_owned()),
            TermRef::BlankNode(_) => None,
        }
    };
    let action = NamedNode::new(format!("{MF}action")).unwrap();
    let case = |subject: NamedOrBlankNodeRef<'_>| Case {
        name: object(subject, "name").unwrap().replace(' ', "-"),
        kind: graph.object_for_subject_predicate(subject, rdf::TYPE).unwrap().to_string(),
        action: object(subject, "action").unwrap(),
        result: object(subject, "result"),
    };
    graph.triples_for_predicate(&action).map(|triple| case(triple.subject)).collect()
}

fn extract(uri: &str, content_type: &str, bytes: &[u8]) -> Basket {
    let reader = Reader::new(Options { named_graphs: NamedGraphs::Keep, ..Options::default() });
    let mut basket = Basket::default();
    let representation = Representation {
        uri: Uri::parse(uri).unwrap(),
        status: 200,
        content_type: Some(content_type.to_owned()),
        etag: None,
        last_modified: None,
        links: Vec::new(),
        body: Body::Whole { bytes: Bytes::copy_from_slice(bytes), cut: None },
    };
    reader.extract(representation, &mut basket);
    let graph = GraphName::from(NamedNodeRef::new(uri).unwrap());
    for quad in basket.quads.iter_mut().filter(|quad| quad.graph_name == graph) {
        quad.graph_name = GraphName::DefaultGraph;
    }
    basket
}

fn passes(case: &Case, files: &Files, content_type: &str) -> bool {
    let file = |iri: &str| &files[iri.strip_prefix(BASE).unwrap()];
    let basket = extract(&case.action, content_type, file(&case.action));
    if case.kind.contains("Negative") {
        return !basket.faults.is_empty();
    }
    let Some(result) = &case.result else { return basket.faults.is_empty() };
    let mut expected: Dataset = NQuadsParser::new().for_slice(file(result)).map(Result::unwrap).collect();
    let mut found: Dataset = basket.quads.into_iter().collect();
    expected.canonicalize(CanonicalizationAlgorithm::Unstable);
    found.canonicalize(CanonicalizationAlgorithm::Unstable);
    basket.faults.is_empty() && expected == found
}

fn run(folder: &str, content_type: &str) {
    let Some(files) = suite("w3c-rdf-tests") else { return };
    let (passed, failed): (Vec<_>, Vec<_>) =
        cases(&files, folder).into_iter().partition(|case| passes(case, &files, content_type));
    settle(
        include_str!("expected_failures.txt"),
        folder,
        passed.len(),
        failed.into_iter().map(|case| case.name).collect(),
    );
}

#[test]
fn turtle_is_read_as_the_w3c_says() {
    run("rdf-turtle", "text/turtle");
}

#[test]
fn n_triples_is_read_as_the_w3c_says() {
    run("rdf-n-triples", "application/n-triples");
}

#[test]
fn n_quads_is_read_as_the_w3c_says() {
    run("rdf-n-quads", "application/n-quads");
}

#[test]
fn trig_is_read_as_the_w3c_says() {
    run("rdf-trig", "application/trig");
}

#[test]
fn rdf_xml_is_read_as_the_w3c_says() {
    run("rdf-xml", "application/rdf+xml");
}
