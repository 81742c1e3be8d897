//! JSON-LD against the suite of the W3C.

use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

use lodeward_markup::json_ld::{self, Contexts, Direction, Mode, Options, Scripts};
use lodeward_markup::{Fault, Sink, Syntax};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{BlankNode, BlankNodeRef, Dataset, GraphName, GraphNameRef, NamedOrBlankNode, Quad, QuadRef, Term};
use oxttl::NQuadsParser;
use serde_json::Value;
use toyweb::shared;

const API: &str = "https://w3c.github.io/json-ld-api/tests/";
const STREAMING: &str = "https://w3c.github.io/json-ld-streaming/tests/";

/// What was found, kept for comparison.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) dataset: Dataset,
    pub(crate) quads: usize,
    pub(crate) faults: Vec<Fault>,
    pub(crate) begun: usize,
}

impl Sink for Found {
    fn quad(&mut self, syntax: Syntax, quad: QuadRef<'_>) {
        assert_eq!(syntax, Syntax::JsonLd);
        self.quads += 1;
        let quad = Quad::new(
            NamedOrBlankNode::try_from(self.own(quad.subject.into())).expect("a node"),
            quad.predicate,
            self.own(quad.object.into()),
            self.own_graph(quad.graph_name),
        );
        self.dataset.insert(&quad);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn begin(&mut self, _: Syntax) {
        self.begun += 1;
    }
}

impl Found {
    /// A term with the blank nodes of each script apart.
    fn own(&self, term: Term) -> Term {
        match term {
            Term::BlankNode(node) => self.own_blank(node.as_ref()).into(),
            term => term,
        }
    }

    fn own_graph(&self, graph: GraphNameRef<'_>) -> GraphName {
        match graph {
            GraphNameRef::BlankNode(node) => self.own_blank(node).into(),
            graph => graph.into_owned(),
        }
    }

    fn own_blank(&self, node: BlankNodeRef<'_>) -> BlankNode {
        BlankNode::new(format!("{}-{}", self.begun, node.as_str())).expect("a name")
    }

    fn has_error(&self, code: &str) -> bool {
        self.faults.iter().any(|fault| fault.detail.contains(code))
    }
}

/// The contexts of the suite, at the addresses that it has on the web.
struct OfSuite {
    address: &'static str,
    files: HashMap<String, Vec<u8>>,
}

impl Contexts for OfSuite {
    fn load(&self, address: &str) -> Result<Vec<u8>, String> {
        let path = address.strip_prefix(self.address).ok_or("not of the suite")?;
        self.files.get(&format!("tests/{path}")).cloned().ok_or_else(|| "not there".to_owned())
    }
}

struct Suite {
    address: &'static str,
    files: HashMap<String, Vec<u8>>,
    contexts: Arc<dyn Contexts>,
}

impl Suite {
    fn open(name: &str, address: &'static str) -> Option<Self> {
        let files = shared::suite(name)?;
        let contexts: Arc<dyn Contexts> = Arc::new(OfSuite { address, files: files.clone() });
        Some(Self { address, files, contexts })
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

    fn options(&self, option: &Value) -> Options {
        Options {
            expand_context: option["expandContext"].as_str().map(|path| text(self.file(path))),
            mode: if option["processingMode"] == "json-ld-1.0" { Mode::JsonLd10 } else { Mode::JsonLd11 },
            direction: match option["rdfDirection"].as_str() {
                Some("i18n-datatype") => Some(Direction::I18nDatatype),
                Some("compound-literal") => Some(Direction::CompoundLiteral),
                _ => None,
            },
            repair: false,
            ..Options::default()
        }
    }

    /// What a document of the suite says.
    fn read(&self, path: &str, option: &Value) -> Found {
        let mut found = Found::default();
        let base = option["base"].as_str().map_or_else(|| format!("{}{path}", self.address), str::to_owned);
        json_ld::read(self.file(path), &base, &self.options(option), &self.contexts, &mut found);
        found
    }

    /// What a document says that is so long that it has to be read as it comes.
    fn read_long(&self, path: &str, option: &Value) -> Found {
        let mut found = Found::default();
        let base = option["base"].as_str().map_or_else(|| format!("{}{path}", self.address), str::to_owned);
        let options = Options { bytes_max: 64 << 10, ..self.options(option) };
        let space = b" ".repeat(options.bytes_max);
        let document = space.chain(self.file(path));
        json_ld::read_from(document, &base, &options, &self.contexts, &mut found).expect("it is in memory");
        found
    }

    /// What the scripts of a page of the suite say. The fragment of its
    /// address, which names a script, is there even if the base is another.
    fn read_html(&self, path: &str, option: &Value, is_all: bool) -> Found {
        let mut found = Found::default();
        let fragment = path.split_once('#').map_or("", |(_, fragment)| fragment);
        let mut base = option["base"].as_str().map_or_else(|| format!("{}{path}", self.address), str::to_owned);
        if !fragment.is_empty() && !base.contains('#') {
            base = format!("{base}#{fragment}");
        }
        let is_all = option["extractAllScripts"].as_bool().unwrap_or(is_all);
        let scripts = if is_all { Scripts::All } else { Scripts::First };
        let options = Options { scripts, ..self.options(option) };
        json_ld::read_html(&text(self.file(path)), &base, &options, &self.contexts, &mut found);
        found
    }

    /// What it should say.
    fn expected(&self, path: &str) -> Dataset {
        if path.ends_with(".jsonld") {
            // What is relative in it was left so, for want of a base.
            return self.read(path, &serde_json::json!({ "base": "" })).dataset;
        }
        NQuadsParser::new().for_slice(self.file(path)).map(|quad| quad.expect("N-Quads")).collect()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn are_same(mut a: Dataset, mut b: Dataset) -> bool {
    a.canonicalize(CanonicalizationAlgorithm::Unstable);
    b.canonicalize(CanonicalizationAlgorithm::Unstable);
    a == b
}

/// Whether what was found is what a test wants.
fn passes(suite: &Suite, test: &Value, found: &Found) -> Result<(), String> {
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
    if are_same(found.dataset.clone(), expected.clone()) {
        return Ok(());
    }
    Err(format!("found:\n{}expected:\n{expected}", found.dataset))
}

/// Tests of JSON-LD 1.0 that 1.1 has other answers to.
fn is_of_1_0(test: &Value) -> bool {
    test["option"]["specVersion"] == "json-ld-1.0" || test["option"]["processingMode"] == "json-ld-1.0"
}

fn settle(name: &str, results: impl Iterator<Item = (String, Result<(), String>)>) {
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
    shared::settle(include_str!("expected_failures.txt"), name, passed, failed);
}

fn id(test: &Value) -> String {
    test["@id"].as_str().expect("a name").trim_start_matches('#').to_owned()
}

fn input(test: &Value) -> &str {
    test["input"].as_str().expect("an input")
}

#[test]
fn documents_say_what_the_suite_wants() {
    let Some(suite) = Suite::api() else { return };
    let tests = suite.tests("toRdf-manifest.jsonld");

    settle(
        "jsonld-toRdf",
        tests.iter().filter(|test| !is_of_1_0(test)).map(|test| {
            let found = suite.read(input(test), &test["option"]);
            (id(test), passes(&suite, test, &found))
        }),
    );
}

/// What expansion and flattening make of a document says what the document says.
#[test]
fn documents_say_the_same_in_other_forms() {
    let Some(suite) = Suite::api() else { return };

    for (name, manifest) in [("jsonld-expand", "expand-manifest.jsonld"), ("jsonld-flatten", "flatten-manifest.jsonld")]
    {
        let tests = suite.tests(manifest);
        settle(
            name,
            tests.iter().filter(|test| !is_of_1_0(test)).map(|test| {
                let found = suite.read(input(test), &test["option"]);
                (id(test), passes(&suite, test, &found))
            }),
        );
    }
}

#[test]
fn pages_say_what_the_suite_wants() {
    let Some(suite) = Suite::api() else { return };
    let tests = suite.tests("html-manifest.jsonld");

    settle(
        "jsonld-html",
        tests.iter().map(|test| {
            // Only to RDF are all scripts read unless told otherwise.
            let is_all = test["@type"].as_array().is_some_and(|types| types.iter().any(|it| it == "jld:ToRDFTest"));
            let found = suite.read_html(input(test), &test["option"], is_all);
            (id(test), passes(&suite, test, &found))
        }),
    );
}

/// What has to come in order for others need not for us, so tests that want an
/// error for that are left out.
#[test]
fn long_documents_say_what_the_suite_wants() {
    let Some(suite) = Suite::open("json-ld-streaming-tests", STREAMING) else { return };
    let tests = suite.tests("stream-toRdf-manifest.jsonld");
    let is_ours = |test: &&Value| !is_of_1_0(test) && test["expectErrorCode"] != "invalid streaming key order";

    settle(
        "jsonld-stream",
        tests.iter().filter(is_ours).map(|test| {
            let found = suite.read_long(input(test), &test["option"]);
            (id(test), passes(&suite, test, &found))
        }),
    );
}

/// Of the documents that need not be in order, most are anyway.
#[test]
fn long_documents_say_what_short_ones_say() {
    let Some(suite) = Suite::api() else { return };
    let (mut same, mut late) = (0, 0);
    for test in suite.tests("toRdf-manifest.jsonld").iter().filter(|test| !is_of_1_0(test)) {
        let found = suite.read_long(input(test), &test["option"]);
        if found.has_error("invalid streaming key order") {
            late += 1;
            continue;
        }
        assert_eq!(passes(&suite, test, &found), Ok(()), "{}", id(test));
        same += 1;
    }
    eprintln!("{same} in order, {late} not");
    assert!(same > late);
}
