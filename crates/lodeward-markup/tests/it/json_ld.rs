//! The W3C test suites of JSON-LD.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use lodeward_markup::json_ld::{self, ContextLoader, JsonLdOptions, JsonLdVersion, RdfDirection, ScriptSelection};
use lodeward_markup::{EmbeddedSyntax, MarkupFault, PageSink};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{BlankNode, BlankNodeRef, Dataset, GraphName, GraphNameRef, NamedOrBlankNode, Quad, QuadRef, Term};
use oxttl::NQuadsParser;
use serde_json::Value;
use toyweb::test_data;

const API: &str = "https://w3c.github.io/json-ld-api/tests/";
const STREAMING: &str = "https://w3c.github.io/json-ld-streaming/tests/";

/// The output of a document, for comparison.
#[derive(Default)]
pub(crate) struct DatasetSink {
    pub(crate) dataset: Dataset,
    pub(crate) quads: usize,
    pub(crate) faults: Vec<MarkupFault>,
    pub(crate) started: usize,
}

impl PageSink for DatasetSink {
    fn quad(&mut self, syntax: EmbeddedSyntax, quad: QuadRef<'_>) {
        assert_eq!(syntax, EmbeddedSyntax::JsonLd);
        self.quads += 1;
        let quad = Quad::new(
            NamedOrBlankNode::try_from(self.scoped(quad.subject.into())).expect("a node"),
            quad.predicate,
            self.scoped(quad.object.into()),
            self.scoped_graph(quad.graph_name),
        );
        self.dataset.insert(&quad);
    }

    fn fault(&mut self, fault: MarkupFault) {
        self.faults.push(fault);
    }

    fn begin(&mut self, _: EmbeddedSyntax) {
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

    fn has_error(&self, code: &str) -> bool {
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

struct Suite {
    base_url: &'static str,
    files: HashMap<String, Vec<u8>>,
    contexts: Arc<dyn ContextLoader>,
}

impl Suite {
    fn open(name: &str, base_url: &'static str) -> Option<Self> {
        let files = test_data::suite(name)?;
        let contexts: Arc<dyn ContextLoader> = Arc::new(SuiteContexts { base_url, files: files.clone() });
        Some(Self { base_url, files, contexts })
    }

    fn api() -> Option<Self> {
        Self::open("json-ld-api-tests", API)
    }

    fn file(&self, path: &str) -> &[u8] {
        &self.files[&format!("tests/{}", path.split('#').next().unwrap_or(path))]
    }

    fn tests(&self, manifest: &str) -> Vec<Value> {
        let manifest: Value = serde_json::from_slice(self.file(manifest)).expect("a manifest");
        manifest["sequence"].as_array().expect("a list of tests").clone()
    }

    fn options(&self, option: &Value) -> JsonLdOptions {
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
    fn read(&self, path: &str, option: &Value) -> DatasetSink {
        let mut found = DatasetSink::default();
        let base = option["base"].as_str().map_or_else(|| format!("{}{path}", self.base_url), str::to_owned);
        json_ld::read(self.file(path), &base, &self.options(option), &self.contexts, &mut found);
        found
    }

    /// Reads a document as a stream, by making it longer than the limit.
    fn read_long(&self, path: &str, option: &Value) -> DatasetSink {
        let mut found = DatasetSink::default();
        let base = option["base"].as_str().map_or_else(|| format!("{}{path}", self.base_url), str::to_owned);
        let options = JsonLdOptions { max_bytes: 64 << 10, ..self.options(option) };
        let space = b" ".repeat(options.max_bytes);
        let document = space.chain(self.file(path));
        json_ld::read_from(document, &base, &options, &self.contexts, &mut found)
            .expect("reading from memory cannot fail");
        found
    }

    /// Reads the scripts of a page of the suite. A fragment of its path, which selects a script, is
    /// added even if the base is another URL.
    fn read_html(&self, path: &str, option: &Value, is_all: bool) -> DatasetSink {
        let mut found = DatasetSink::default();
        let fragment = path.split_once('#').map_or("", |(_, fragment)| fragment);
        let mut base = option["base"].as_str().map_or_else(|| format!("{}{path}", self.base_url), str::to_owned);
        if !fragment.is_empty() && !base.contains('#') {
            base = format!("{base}#{fragment}");
        }
        let is_all = option["extractAllScripts"].as_bool().unwrap_or(is_all);
        let scripts = if is_all { ScriptSelection::All } else { ScriptSelection::First };
        let options = JsonLdOptions { scripts, ..self.options(option) };
        json_ld::read_html(&text(self.file(path)), &base, &options, &self.contexts, &mut found);
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

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn are_isomorphic(mut a: Dataset, mut b: Dataset) -> bool {
    a.canonicalize(CanonicalizationAlgorithm::Unstable);
    b.canonicalize(CanonicalizationAlgorithm::Unstable);
    a == b
}

/// Whether the output is what a test expects.
fn passes(suite: &Suite, test: &Value, found: &DatasetSink) -> Result<(), String> {
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

/// Whether a test is of JSON-LD 1.0, with other results in 1.1.
fn is_of_1_0(test: &Value) -> bool {
    test["option"]["specVersion"] == "json-ld-1.0" || test["option"]["processingMode"] == "json-ld-1.0"
}

fn assert_passed(name: &str, results: impl Iterator<Item = (String, Result<(), String>)>) {
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
    test_data::assert_expected_failures(include_str!("expected_failures.txt"), name, passed, failed);
}

fn id(test: &Value) -> String {
    test["@id"].as_str().expect("a name").trim_start_matches('#').to_owned()
}

fn input(test: &Value) -> &str {
    test["input"].as_str().expect("an input")
}

#[test]
fn documents_pass_the_to_rdf_suite() {
    let Some(suite) = Suite::api() else { return };
    let tests = suite.tests("toRdf-manifest.jsonld");

    assert_passed(
        "jsonld-toRdf",
        tests.iter().filter(|test| !is_of_1_0(test)).map(|test| {
            let found = suite.read(input(test), &test["option"]);
            (id(test), passes(&suite, test, &found))
        }),
    );
}

/// An expanded or flattened document must make the same statements as the original.
#[test]
fn expanded_and_flattened_documents_make_the_same_statements() {
    let Some(suite) = Suite::api() else { return };

    for (name, manifest) in [("jsonld-expand", "expand-manifest.jsonld"), ("jsonld-flatten", "flatten-manifest.jsonld")]
    {
        let tests = suite.tests(manifest);
        assert_passed(
            name,
            tests.iter().filter(|test| !is_of_1_0(test)).map(|test| {
                let found = suite.read(input(test), &test["option"]);
                (id(test), passes(&suite, test, &found))
            }),
        );
    }
}

#[test]
fn pages_pass_the_html_suite() {
    let Some(suite) = Suite::api() else { return };
    let tests = suite.tests("html-manifest.jsonld");

    assert_passed(
        "jsonld-html",
        tests.iter().map(|test| {
            // Only toRdf reads all scripts by default.
            let is_all = test["@type"].as_array().is_some_and(|types| types.iter().any(|it| it == "jld:ToRDFTest"));
            let found = suite.read_html(input(test), &test["option"], is_all);
            (id(test), passes(&suite, test, &found))
        }),
    );
}

/// Our reader accepts more orders than the suite, so tests that expect an order error are skipped.
#[test]
fn streamed_documents_pass_the_streaming_suite() {
    let Some(suite) = Suite::open("json-ld-streaming-tests", STREAMING) else { return };
    let tests = suite.tests("stream-toRdf-manifest.jsonld");
    let is_applicable = |test: &&Value| !is_of_1_0(test) && test["expectErrorCode"] != "invalid streaming key order";

    assert_passed(
        "jsonld-stream",
        tests.iter().filter(is_applicable).map(|test| {
            let found = suite.read_long(input(test), &test["option"]);
            (id(test), passes(&suite, test, &found))
        }),
    );
}

/// Most documents of the other suite are in streaming order, too.
#[test]
fn streamed_documents_make_the_same_statements() {
    let Some(suite) = Suite::api() else { return };
    let (mut same, mut out_of_order) = (0, 0);
    for test in suite.tests("toRdf-manifest.jsonld").iter().filter(|test| !is_of_1_0(test)) {
        let found = suite.read_long(input(test), &test["option"]);
        if found.has_error("invalid streaming key order") {
            out_of_order += 1;
            continue;
        }
        assert_eq!(passes(&suite, test, &found), Ok(()), "{}", id(test));
        same += 1;
    }
    eprintln!("{same} in order, {out_of_order} not");
    assert!(same > out_of_order);
}
