//! The W3C test suites of RDF syntaxes, run through the extractor.

use std::collections::HashMap;

use bytes::Bytes;
use lodeward::extract::{DocumentReader, ExtractOptions, ExtractSink, Extractor, NamedGraphPolicy};
use lodeward::fetch::{Representation, ResponseBody};
use lodeward::model::{Fault, Link, Uri};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::vocab::rdf;
use oxrdf::{Dataset, Graph, GraphName, NamedNode, NamedNodeRef, NamedOrBlankNodeRef, Quad, QuadRef, TermRef};
use oxttl::{NQuadsParser, TurtleParser};

use toyweb::test_data::{assert_expected_failures, suite};

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
struct CollectingSink {
    quads: Vec<Quad>,
    faults: Vec<Fault>,
}

impl ExtractSink for CollectingSink {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.quads.push(quad.into_owned());
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }
}

fn cases(files: &Files, suite_dir: &str) -> Vec<Case> {
    let path = format!("rdf/rdf11/{suite_dir}/manifest.ttl");
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

fn extract(uri: &str, content_type: &str, bytes: &[u8]) -> CollectingSink {
    let reader =
        DocumentReader::new(ExtractOptions { named_graphs: NamedGraphPolicy::Keep, ..ExtractOptions::default() });
    let mut sink = CollectingSink::default();
    let representation = Representation::new(
        Uri::parse(uri).unwrap(),
        Some(content_type.to_owned()),
        ResponseBody::Buffered { bytes: Bytes::copy_from_slice(bytes), truncation: None },
    );
    reader.extract(representation, &mut sink);
    let graph = GraphName::from(NamedNodeRef::new(uri).unwrap());
    for quad in sink.quads.iter_mut().filter(|quad| quad.graph_name == graph) {
        quad.graph_name = GraphName::DefaultGraph;
    }
    sink
}

fn passes(case: &Case, files: &Files, content_type: &str) -> bool {
    let file = |iri: &str| &files[iri.strip_prefix(BASE).unwrap()];
    let sink = extract(&case.action, content_type, file(&case.action));
    if case.kind.contains("Negative") {
        return !sink.faults.is_empty();
    }
    let Some(result) = &case.result else { return sink.faults.is_empty() };
    let mut expected: Dataset = NQuadsParser::new().for_slice(file(result)).map(Result::unwrap).collect();
    let mut found: Dataset = sink.quads.into_iter().collect();
    expected.canonicalize(CanonicalizationAlgorithm::Unstable);
    found.canonicalize(CanonicalizationAlgorithm::Unstable);
    sink.faults.is_empty() && expected == found
}

fn run(suite_dir: &str, content_type: &str) {
    let Some(files) = suite("w3c-rdf-tests") else { return };
    let (passed, failed): (Vec<_>, Vec<_>) =
        cases(&files, suite_dir).into_iter().partition(|case| passes(case, &files, content_type));
    assert_expected_failures(
        include_str!("expected_failures.txt"),
        suite_dir,
        passed.len(),
        failed.into_iter().map(|case| case.name).collect(),
    );
}

#[test]
fn turtle_suite_passes() {
    run("rdf-turtle", "text/turtle");
}

#[test]
fn n_triples_suite_passes() {
    run("rdf-n-triples", "application/n-triples");
}

#[test]
fn n_quads_suite_passes() {
    run("rdf-n-quads", "application/n-quads");
}

#[test]
fn trig_suite_passes() {
    run("rdf-trig", "application/trig");
}

#[test]
fn rdf_xml_suite_passes() {
    run("rdf-xml", "application/rdf+xml");
}
