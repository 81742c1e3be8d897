//! JSON-LD against the suite of the W3C.

use std::collections::HashMap;
use std::panic::catch_unwind;
use std::sync::Arc;

use lodeward_markup::json_ld::{self, Contexts, Direction, Mode, Options};
use lodeward_markup::{Fault, Sink, Syntax};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, QuadRef};
use oxttl::NQuadsParser;
use serde_json::Value;
use toyweb::shared;

const SUITE: &str = "https://w3c.github.io/json-ld-api/tests/";

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
        self.dataset.insert(quad);
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn begin(&mut self, _: Syntax) {
        self.begun += 1;
    }
}

impl Found {
    fn has_error(&self, code: &str) -> bool {
        self.faults.iter().any(|fault| fault.detail.contains(code))
    }
}

/// The contexts of the suite, at the addresses that it has on the web.
struct OfSuite(HashMap<String, Vec<u8>>);

impl Contexts for OfSuite {
    fn load(&self, address: &str) -> Result<Vec<u8>, String> {
        let path = address.strip_prefix(SUITE).ok_or("not of the suite")?;
        self.0.get(&format!("tests/{path}")).cloned().ok_or_else(|| "not there".to_owned())
    }
}

struct Suite {
    files: HashMap<String, Vec<u8>>,
    contexts: Arc<dyn Contexts>,
}

impl Suite {
    fn open() -> Option<Self> {
        let files = shared::suite("json-ld-api-tests")?;
        let contexts: Arc<dyn Contexts> = Arc::new(OfSuite(files.clone()));
        Some(Self { files, contexts })
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
        let base = option["base"].as_str().map_or_else(|| format!("{SUITE}{path}"), str::to_owned);
        json_ld::read(self.file(path), &base, &self.options(option), &self.contexts, &mut found);
        found
    }

    /// What it should say.
    fn expected(&self, path: &str, option: &Value) -> Dataset {
        if path.ends_with(".jsonld") {
            return self.read(path, &serde_json::json!({ "base": option["base"] })).dataset;
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
fn passes(suite: &Suite, test: &Value, found: Found) -> Result<(), String> {
    let types = test["@type"].as_array().expect("types of tests");
    if types.iter().any(|it| it == "jld:NegativeEvaluationTest") {
        let code = test["expectErrorCode"].as_str().expect("an error to expect");
        return if found.has_error(code) { Ok(()) } else { Err(format!("not {code}: {:?}", found.faults)) };
    }
    if let Some(fault) = found.faults.first() {
        return Err(fault.detail.clone());
    }
    let Some(expected) = test["expect"].as_str() else { return Ok(()) };
    let expected = suite.expected(expected, &test["option"]);
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
    let Some(suite) = Suite::open() else { return };
    let tests = suite.tests("toRdf-manifest.jsonld");

    settle(
        "jsonld-toRdf",
        tests.iter().filter(|test| !is_of_1_0(test)).map(|test| {
            let found = suite.read(input(test), &test["option"]);
            (id(test), passes(&suite, test, found))
        }),
    );
}
