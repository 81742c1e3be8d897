//! The `RDFa` test suite of the W3C, all versions and host languages of it.

use std::collections::HashMap;
use std::sync::Arc;

use lodeward_markup::rdfa::{self, Host, Options, PROCESSOR_GRAPH, Version, Vocabularies};
use lodeward_markup::{Fault, Sink, Syntax};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, GraphName, GraphNameRef, NamedNodeRef, QuadRef, Triple, TripleRef};
use oxttl::{TurtleParser, TurtleSyntaxError};
use serde_json::Value;
use spareval::{QueryEvaluator, QueryResults};
use spargebra::SparqlParser;
use toyweb::shared;

type Files = HashMap<String, Vec<u8>>;

#[derive(Default)]
struct Gathered(Dataset);

impl Sink for Gathered {
    fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
        self.0.insert(quad);
    }

    fn fault(&mut self, _: Fault) {}

    fn begin(&mut self, _: Syntax) {}
}

/// The one vocabulary that the suite has, which is a page with `RDFa` in it.
struct SuiteVocabulary(String);

impl Vocabularies for SuiteVocabulary {
    fn triples(&self, vocabulary: &str) -> Option<Vec<Triple>> {
        if vocabulary != "http://rdfa.info/vocabs/rdfa-test#" {
            return None;
        }
        let mut gathered = Gathered::default();
        let address = "http://rdfa.info/vocabs/rdfa-test";
        rdfa::read(&self.0, address, Host::Html, &Options::default(), &mut gathered);
        Some(gathered.0.iter().map(|quad| Triple::from(TripleRef::from(quad))).collect())
    }
}

fn text(files: &Files, path: &str) -> String {
    let bytes = files.get(path).unwrap_or_else(|| panic!("the suite has no {path}"));
    String::from_utf8(bytes.clone()).expect("the suite is UTF-8")
}

/// The default graph, or the one of the processor in its place.
fn chosen_graph(dataset: &Dataset, of_processor: bool) -> Dataset {
    let name = if of_processor {
        GraphNameRef::NamedNode(NamedNodeRef::new_unchecked(PROCESSOR_GRAPH))
    } else {
        GraphNameRef::DefaultGraph
    };
    let quads = dataset.quads_for_graph_name(name);
    quads.map(|quad| QuadRef::new(quad.subject, quad.predicate, quad.object, GraphNameRef::DefaultGraph)).collect()
}

fn is_the_graph(graph: &Dataset, turtle: &str, base: &str) -> bool {
    let parser = TurtleParser::new().with_base_iri(base).expect("an IRI");
    let triples = parser.for_slice(turtle).map(|triple| Ok(triple?.in_graph(GraphName::DefaultGraph)));
    let Ok(mut expected) = triples.collect::<Result<Dataset, TurtleSyntaxError>>() else { return false };
    let mut graph = graph.clone();
    expected.canonicalize(CanonicalizationAlgorithm::Unstable);
    graph.canonicalize(CanonicalizationAlgorithm::Unstable);
    expected == graph
}

fn has(list: &Value, name: &str) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(|it| it == name))
}

fn asks_for(test: &Value, files: &Files, version: &str) -> Options {
    let query = test["queryParam"].as_str().unwrap_or_default();
    let vocabulary = || SuiteVocabulary(text(files, "vocabs/rdfa-test.html"));
    Options {
        // Only XHTML can say that it is of version 1.0.
        version: version.starts_with("rdfa1.0").then_some(Version::V10),
        role: version == "rdfa1.1-role" || version == "rdfa1.1-lite",
        processor_graph: query == "rdfagraph=processor",
        vocabularies: if query == "vocab_expansion=true" { Some(Arc::new(vocabulary())) } else { None },
    }
}

/// A test of the suite on one of its host languages.
struct Case<'a> {
    test: &'a Value,
    number: &'a str,
    /// Where its files are, without the extension.
    path: String,
    graph: Dataset,
}

impl<'a> Case<'a> {
    fn read(test: &'a Value, files: &Files, version: &str, folder: &str, host: Host) -> Self {
        let number = test["num"].as_str().expect("a number");
        let extension = match folder {
            "html4" | "html5" | "html5-invalid" => "html",
            "svg" | "xml" => folder,
            _ => "xhtml",
        };
        let path = format!("test-suite/test-cases/{version}/{folder}/{number}");
        let document = text(files, &format!("{path}.{extension}"));
        let mut options = asks_for(test, files, version);
        if folder == "xhtml1" {
            // These say themselves what version they are.
            options.version = None;
        }
        let mut gathered = Gathered::default();
        rdfa::read(&document, &format!("http://rdfa.info/{path}.{extension}"), host, &options, &mut gathered);
        Self { test, number, path, graph: chosen_graph(&gathered.0, options.processor_graph) }
    }

    fn base(&self) -> String {
        format!("http://rdfa.info/{}", self.path)
    }

    /// Whether the query of the test has the answer that it should.
    fn answers(&self, files: &Files) -> bool {
        let parser = SparqlParser::new().with_base_iri(self.base()).expect("an IRI");
        let query = parser.parse_query(&text(files, &format!("{}.sparql", self.path))).expect("a query");
        match QueryEvaluator::new().prepare(&query).execute(&self.graph).expect("an answer") {
            QueryResults::Boolean(answer) => Value::Bool(answer) == self.test["expectedResults"],
            _ => panic!("{} does not ask", self.number),
        }
    }

    /// Whether there is a graph to compare with. There is none for tests of
    /// what is not to be stated, and everybody warns in words of his own.
    fn has_graph(&self) -> bool {
        self.test["expectedResults"] == true && self.test["queryParam"] != "rdfagraph=processor"
    }

    /// Whether the graph is the one beside the test. A query tells what is
    /// missing; this, what is too much.
    fn is_exact(&self, files: &Files) -> bool {
        is_the_graph(&self.graph, &text(files, &format!("{}.ttl", self.path)), &self.base())
    }
}

fn check(version: &str, folder: &str, host: Host) {
    let Some(files) = shared::suite("rdfa-test-suite") else { return };
    let manifest: Value = serde_json::from_slice(&files["test-suite/manifest.jsonld"]).expect("JSON");
    let tests = manifest["@graph"].as_array().expect("a list of tests");
    let of_this = |test: &&Value| has(&test["versions"], version) && has(&test["hostLanguages"], folder);

    let cases = tests.iter().filter(of_this).map(|test| Case::read(test, &files, version, folder, host));
    let cases: Vec<_> = cases.collect();

    let settle = |suite: &str, cases: &[&Case<'_>], is_right: &dyn Fn(&Case<'_>) -> bool| {
        let (passed, failed): (Vec<&Case<'_>>, Vec<_>) = cases.iter().partition(|case| is_right(case));
        let failed = failed.iter().map(|case| case.number.to_owned()).collect();
        shared::settle(include_str!("expected_failures.txt"), suite, passed.len(), failed);
    };
    let all: Vec<_> = cases.iter().collect();
    settle(&format!("{version}-{folder}"), &all, &|case| case.answers(&files));
    let with_graph: Vec<_> = cases.iter().filter(|case| case.has_graph()).collect();
    if !with_graph.is_empty() {
        settle(&format!("{version}-{folder}-graph"), &with_graph, &|case| case.is_exact(&files));
    }
}

macro_rules! suites {
    ($($name:ident: $version:literal, $folder:literal, $host:ident;)*) => {
        $(
            #[test]
            fn $name() {
                check($version, $folder, Host::$host);
            }
        )*
    };
}

suites! {
    rdfa_in_html4: "rdfa1.1", "html4", Html;
    rdfa_in_html5: "rdfa1.1", "html5", Html;
    rdfa_in_html5_that_is_not_valid: "rdfa1.1", "html5-invalid", Html;
    rdfa_in_xhtml1: "rdfa1.1", "xhtml1", Xhtml;
    rdfa_in_xhtml5: "rdfa1.1", "xhtml5", Xhtml;
    rdfa_in_xhtml5_that_is_not_valid: "rdfa1.1", "xhtml5-invalid", Xhtml;
    rdfa_in_svg: "rdfa1.1", "svg", Svg;
    rdfa_in_xml: "rdfa1.1", "xml", Xml;

    old_rdfa_in_html4: "rdfa1.0", "html4", Html;
    old_rdfa_in_xhtml1: "rdfa1.0", "xhtml1", Xhtml;
    old_rdfa_in_svg: "rdfa1.0", "svg", Svg;
    old_rdfa_in_xml: "rdfa1.0", "xml", Xml;

    lite_in_html4: "rdfa1.1-lite", "html4", Html;
    lite_in_html5: "rdfa1.1-lite", "html5", Html;
    lite_in_html5_that_is_not_valid: "rdfa1.1-lite", "html5-invalid", Html;
    lite_in_xhtml1: "rdfa1.1-lite", "xhtml1", Xhtml;
    lite_in_xhtml5: "rdfa1.1-lite", "xhtml5", Xhtml;
    lite_in_svg: "rdfa1.1-lite", "svg", Svg;
    lite_in_xml: "rdfa1.1-lite", "xml", Xml;

    roles_in_html5: "rdfa1.1-role", "html5", Html;
    roles_in_html5_that_is_not_valid: "rdfa1.1-role", "html5-invalid", Html;
    roles_in_xhtml1: "rdfa1.1-role", "xhtml1", Xhtml;
    roles_in_xhtml5: "rdfa1.1-role", "xhtml5", Xhtml;
    roles_in_xhtml5_that_is_not_valid: "rdfa1.1-role", "xhtml5-invalid", Xhtml;
    roles_in_xml: "rdfa1.1-role", "xml", Xml;

    vocabularies_in_html4: "rdfa1.1-vocab", "html4", Html;
    vocabularies_in_html5: "rdfa1.1-vocab", "html5", Html;
    vocabularies_in_xhtml1: "rdfa1.1-vocab", "xhtml1", Xhtml;
    vocabularies_in_xhtml5: "rdfa1.1-vocab", "xhtml5", Xhtml;
    vocabularies_in_svg: "rdfa1.1-vocab", "svg", Svg;
    vocabularies_in_xml: "rdfa1.1-vocab", "xml", Xml;

    warnings_in_html4: "rdfa1.1-proc", "html4", Html;
    warnings_in_html5: "rdfa1.1-proc", "html5", Html;
    warnings_in_html5_that_is_not_valid: "rdfa1.1-proc", "html5-invalid", Html;
    warnings_in_xhtml1: "rdfa1.1-proc", "xhtml1", Xhtml;
    warnings_in_xhtml5: "rdfa1.1-proc", "xhtml5", Xhtml;
    warnings_in_xhtml5_that_is_not_valid: "rdfa1.1-proc", "xhtml5-invalid", Xhtml;
    warnings_in_svg: "rdfa1.1-proc", "svg", Svg;
    warnings_in_xml: "rdfa1.1-proc", "xml", Xml;
}
