//! Runs the W3C test suites of JSON-LD. The tests of pages in `lodeward-markup` use this module, too.

use std::collections::HashMap;
use std::sync::Arc;

use lodeward_rdf::json_ld::{self, ContextLoader, JsonLdOptions, JsonLdVersion, RdfDirection};
use lodeward_rdf::{QuadSink, RdfFault};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{BlankNode, BlankNodeRef, Dataset, GraphName, GraphNameRef, NamedOrBlankNode, Quad, QuadRef, Term};
use oxttl::NQuadsParser;
use serde_json::Value;
use toyweb::test_data;

const API: &str = "https://w3c.github.io/json-ld-api/tests/";

/// The output of a document, for comparison.
#[derive(Default)]
pub(crate) struct DatasetSink {
    pub(crate) dataset: Dataset,
    pub(crate) quads: usize,
    pub(crate) faults: Vec<RdfFault>,
    pub(crate) started: usize,
}

impl QuadSink for DatasetSink {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.quads += 1;
        let quad = Quad::new(
            NamedOrBlankNode::try_from(self.scoped(quad.subject.into())).expect("a node"),
            quad.predicate,
            self.scoped(quad.object.into()),
            self.scoped_graph(quad.graph_name),
        );
        self.dataset.insert(&quad);
    }

    fn fault(&mut self, fault: RdfFault) {
        self.faults.push(fault);
    }

    fn begin_scope(&mut self) {
        self.started += 1;
    }
}

impl DatasetSink {
    /// A term whose blank nodes are unique to their script.
    fn scoped(&self, term: Term) -> Term {
        match term {
            Term::BlankNode(node) => self.scoped_blank(node.as_ref()).into(),
            term => term,
        }
    }

    fn scoped_graph(&self, graph: GraphNameRef<'_>) -> GraphName {
        match graph {
            GraphNameRef::BlankNode(node) => self.scoped_blank(node).into(),
            graph => graph.into_owned(),
        }
    }

    fn scoped_blank(&self, node: BlankNodeRef<'_>) -> BlankNode {
        BlankNode::new(format!("{}-{}", self.started, node.as_str())).expect("a name")
    }

    pub(crate) fn has_error(&self, code: &str) -> bool {
        self.faults.iter().any(|fault| fault.detail.contains(code))
    }
}

/// The contexts of the suite, at their published URLs.
struct SuiteContexts {
    base_url: &'static str,
    files: HashMap<String, Vec<u8>>,
}

impl ContextLoader for SuiteContexts {
    fn load(&self, base_url: &str) -> Result<Vec<u8>, String> {
        let path = base_url.strip_prefix(self.base_url).ok_or("not in the suite")?;
        self.files.get(&format!("tests/{path}")).cloned().ok_or_else(|| "not found".to_owned())
    }
}

/// A suite.
pub(crate) struct Suite {
    pub(crate) base_url: &'static str,
    files: HashMap<String, Vec<u8>>,
    pub(crate) contexts: Arc<dyn ContextLoader>,
}

impl Suite {
    pub(crate) fn open(name: &str, base_url: &'static str) -> Option<Self> {
        let files = test_data::suite(name)?;
        let contexts: Arc<dyn ContextLoader> = Arc::new(SuiteContexts { base_url, files: files.clone() });
        Some(Self { base_url, files, contexts })
    }

    pub(crate) fn api() -> Option<Self> {
        Self::open("json-ld-api-tests", API)
    }

    pub(crate) fn file(&self, path: &str) -> &[u8] {
        &self.files[&format!("tests/{}", path.split('#').next().unwrap_or(path))]
    }

    pub(crate) fn tests(&self, manifest: &str) -> Vec<Value> {
        let manifest: Value = serde_json::from_slice(self.file(manifest)).expect("a manifest");
        manifest["sequence"].as_array().expect("a list of tests").clone()
    }

    pub(crate) fn options(&self, option: &Value) -> JsonLdOptions {
        JsonLdOptions {
            expand_context: option["expandContext"].as_str().map(|path| text(self.file(path))),
            mode: if option["processingMode"] == "json-ld-1.0" {
                JsonLdVersion::JsonLd10
            } else {
                JsonLdVersion::JsonLd11
            },
            direction: match option["rdfDirection"].as_str() {
                Some("i18n-datatype") => Some(RdfDirection::I18nDatatype),
                Some("compound-literal") => Some(RdfDirection::CompoundLiteral),
                _ => None,
            },
            repair: false,
            ..JsonLdOptions::default()
        }
    }

    /// Reads a document of the suite.
    pub(crate) fn read(&self, path: &str, option: &Value) -> DatasetSink {
        let mut found = DatasetSink::default();
        let base = option["base"].as_str().map_or_else(|| format!("{}{path}", self.base_url), str::to_owned);
        json_ld::read(self.file(path), &base, &self.options(option), &self.contexts, &mut found);
        found
    }

    /// The expected dataset.
    fn expected(&self, path: &str) -> Dataset {
        if path.ends_with(".jsonld") {
            // Relative IRIs in it are not resolved, as there is no base.
            return self.read(path, &serde_json::json!({ "base": "" })).dataset;
        }
        NQuadsParser::new().for_slice(self.file(path)).map(|quad| quad.expect("N-Quads")).collect()
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn are_isomorphic(mut a: Dataset, mut b: Dataset) -> bool {
    a.canonicalize(CanonicalizationAlgorithm::Unstable);
    b.canonicalize(CanonicalizationAlgorithm::Unstable);
    a == b
}

/// Whether the output is what a test expects.
pub(crate) fn passes(suite: &Suite, test: &Value, found: &DatasetSink) -> Result<(), String> {
    let types = test["@type"].as_array().expect("types of tests");
    if types.iter().any(|it| it == "jld:NegativeEvaluationTest") {
        let code = test["expectErrorCode"].as_str().expect("an error to expect");
        return if found.has_error(code) { Ok(()) } else { Err(format!("not {code}: {:?}", found.faults)) };
    }
    if let Some(fault) = found.faults.first() {
        return Err(fault.detail.clone());
    }
    let Some(expected) = test["expect"].as_str() else { return Ok(()) };
    let expected = suite.expected(expected);
    if are_isomorphic(found.dataset.clone(), expected.clone()) {
        return Ok(());
    }
    Err(format!("found:\n{}expected:\n{expected}", found.dataset))
}

/// Checks that all tests pass, except those of a list of expected failures.
pub(crate) fn assert_passed(expected: &str, name: &str, results: impl Iterator<Item = (String, Result<(), String>)>) {
    let (mut passed, mut failed) = (0, Vec::new());
    for (id, result) in results {
        match result {
            Ok(()) => passed += 1,
            Err(detail) => {
                eprintln!("{name} {id}: {detail}");
                failed.push(id);
            }
        }
    }
    test_data::assert_expected_failures(expected, name, passed, failed);
}

pub(crate) fn id(test: &Value) -> String {
    test["@id"].as_str().expect("a name").trim_start_matches('#').to_owned()
}

pub(crate) fn input(test: &Value) -> &str {
    test["input"].as_str().expect("an input")
}
