//! The W3C test suite of `RDFa`, in all versions and host languages.

use std::collections::HashMap;
use std::sync::Arc;

use lodeward_markup::rdfa::{self, HostLanguage, PROCESSOR_GRAPH, RdfaOptions, RdfaVersion, VocabularySource};
use lodeward_markup::{EmbeddedSyntax, MarkupFault, PageSink};
use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::{Dataset, GraphName, GraphNameRef, NamedNodeRef, QuadRef, Triple, TripleRef};
use oxttl::{TurtleParser, TurtleSyntaxError};
use serde_json::Value;
use spareval::{QueryEvaluator, QueryResults};
use spargebra::SparqlParser;
use toyweb::test_data;

type Files = HashMap<String, Vec<u8>>;

#[derive(Default)]
struct DatasetSink(Dataset);

impl PageSink for DatasetSink {
    fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
        self.0.insert(quad);
    }

    fn fault(&mut self, _: MarkupFault) {}

    fn begin(&mut self, _: EmbeddedSyntax) {}
}

/// The only vocabulary of the suite, which is a page with `RDFa`.
struct SuiteVocabulary(String);

impl VocabularySource for SuiteVocabulary {
    fn triples(&self, vocabulary: &str) -> Option<Vec<Triple>> {
        if vocabulary != "http://rdfa.info/vocabs/rdfa-test#" {
            return None;
        }
        let mut sink = DatasetSink::default();
        let url = "http://rdfa.info/vocabs/rdfa-test";
        rdfa::read(&self.0, url, HostLanguage::Html, &RdfaOptions::default(), &mut sink);
        Some(sink.0.iter().map(|quad| Triple::from(TripleRef::from(quad))).collect())
    }
}

fn text(files: &Files, path: &str) -> String {
    let bytes = files.get(path).unwrap_or_else(|| panic!("{path} is not in the suite"));
    String::from_utf8(bytes.clone()).expect("the suite is UTF-8")
}

/// The default graph, or the processor graph instead.
fn selected_graph(dataset: &Dataset, of_processor: bool) -> Dataset {
    let name = if of_processor {
        GraphNameRef::NamedNode(NamedNodeRef::new_unchecked(PROCESSOR_GRAPH))
    } else {
        GraphNameRef::DefaultGraph
    };
    let quads = dataset.quads_for_graph_name(name);
    quads.map(|quad| QuadRef::new(quad.subject, quad.predicate, quad.object, GraphNameRef::DefaultGraph)).collect()
}

fn is_isomorphic(graph: &Dataset, turtle: &str, base: &str) -> bool {
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

fn test_options(test: &Value, files: &Files, version: &str) -> RdfaOptions {
    let query = test["queryParam"].as_str().unwrap_or_default();
    let vocabulary = || SuiteVocabulary(text(files, "vocabs/rdfa-test.html"));
    RdfaOptions {
        // Only XHTML can declare version 1.0 itself.
        version: version.starts_with("rdfa1.0").then_some(RdfaVersion::V10),
        role: version == "rdfa1.1-role" || version == "rdfa1.1-lite",
        processor_graph: query == "rdfagraph=processor",
        vocabularies: if query == "vocab_expansion=true" { Some(Arc::new(vocabulary())) } else { None },
    }
}

/// A test of the suite on one of its host languages.
struct Case<'a> {
    test: &'a Value,
    number: &'a str,
    /// The path of its files, without the extension.
    path: String,
    graph: Dataset,
}

impl<'a> Case<'a> {
    fn read(test: &'a Value, files: &Files, version: &str, directory: &str, host: HostLanguage) -> Self {
        let number = test["num"].as_str().expect("a number");
        let extension = match directory {
            "html4" | "html5" | "html5-invalid" => "html",
            "svg" | "xml" => directory,
            _ => "xhtml",
        };
        let path = format!("test-suite/test-cases/{version}/{directory}/{number}");
        let document = text(files, &format!("{path}.{extension}"));
        let mut options = test_options(test, files, version);
        if directory == "xhtml1" {
            // These documents declare their version themselves.
            options.version = None;
        }
        let mut sink = DatasetSink::default();
        rdfa::read(&document, &format!("http://rdfa.info/{path}.{extension}"), host, &options, &mut sink);
        Self { test, number, path, graph: selected_graph(&sink.0, options.processor_graph) }
    }

    fn base(&self) -> String {
        format!("http://rdfa.info/{}", self.path)
    }

    /// Whether the query of the test has the expected result.
    fn has_expected_result(&self, files: &Files) -> bool {
        let parser = SparqlParser::new().with_base_iri(self.base()).expect("an IRI");
        let query = parser.parse_query(&text(files, &format!("{}.sparql", self.path))).expect("a query");
        match QueryEvaluator::new().prepare(&query).execute(&self.graph).expect("a result") {
            QueryResults::Boolean(value) => Value::Bool(value) == self.test["expectedResults"],
            _ => panic!("{} is not an ASK query", self.number),
        }
    }

    /// Whether there is a graph to compare with. Negative tests have none, and processor graphs
    /// differ between implementations.
    fn has_graph(&self) -> bool {
        self.test["expectedResults"] == true && self.test["queryParam"] != "rdfagraph=processor"
    }

    /// Whether the graph equals the expected Turtle. A query detects missing statements; this also
    /// detects extra ones.
    fn is_exact(&self, files: &Files) -> bool {
        is_isomorphic(&self.graph, &text(files, &format!("{}.ttl", self.path)), &self.base())
    }
}

fn check(version: &str, directory: &str, host: HostLanguage) {
    let Some(files) = test_data::suite("rdfa-test-suite") else { return };
    let manifest: Value = serde_json::from_slice(&files["test-suite/manifest.jsonld"]).expect("JSON");
    let tests = manifest["@graph"].as_array().expect("a list of tests");
    let is_included = |test: &&Value| has(&test["versions"], version) && has(&test["hostLanguages"], directory);

    let cases = tests.iter().filter(is_included).map(|test| Case::read(test, &files, version, directory, host));
    let cases: Vec<_> = cases.collect();

    let assert_passed = |suite: &str, cases: &[&Case<'_>], passes: &dyn Fn(&Case<'_>) -> bool| {
        let (passed, failed): (Vec<&Case<'_>>, Vec<_>) = cases.iter().partition(|case| passes(case));
        let failed = failed.iter().map(|case| case.number.to_owned()).collect();
        test_data::assert_expected_failures(include_str!("expected_failures.txt"), suite, passed.len(), failed);
    };
    let all: Vec<_> = cases.iter().collect();
    assert_passed(&format!("{version}-{directory}"), &all, &|case| case.has_expected_result(&files));
    let with_graph: Vec<_> = cases.iter().filter(|case| case.has_graph()).collect();
    if !with_graph.is_empty() {
        assert_passed(&format!("{version}-{directory}-graph"), &with_graph, &|case| case.is_exact(&files));
    }
}

macro_rules! suites {
    ($($name:ident: $version:literal, $directory:literal, $host:ident;)*) => {
        $(
            #[test]
            fn $name() {
                check($version, $directory, HostLanguage::$host);
            }
        )*
    };
}

suites! {
    rdfa_in_html4: "rdfa1.1", "html4", Html;
    rdfa_in_html5: "rdfa1.1", "html5", Html;
    rdfa_in_html5_invalid: "rdfa1.1", "html5-invalid", Html;
    rdfa_in_xhtml1: "rdfa1.1", "xhtml1", Xhtml;
    rdfa_in_xhtml5: "rdfa1.1", "xhtml5", Xhtml;
    rdfa_in_xhtml5_invalid: "rdfa1.1", "xhtml5-invalid", Xhtml;
    rdfa_in_svg: "rdfa1.1", "svg", Svg;
    rdfa_in_xml: "rdfa1.1", "xml", Xml;

    rdfa_1_0_in_html4: "rdfa1.0", "html4", Html;
    rdfa_1_0_in_xhtml1: "rdfa1.0", "xhtml1", Xhtml;
    rdfa_1_0_in_svg: "rdfa1.0", "svg", Svg;
    rdfa_1_0_in_xml: "rdfa1.0", "xml", Xml;

    lite_in_html4: "rdfa1.1-lite", "html4", Html;
    lite_in_html5: "rdfa1.1-lite", "html5", Html;
    lite_in_html5_invalid: "rdfa1.1-lite", "html5-invalid", Html;
    lite_in_xhtml1: "rdfa1.1-lite", "xhtml1", Xhtml;
    lite_in_xhtml5: "rdfa1.1-lite", "xhtml5", Xhtml;
    lite_in_svg: "rdfa1.1-lite", "svg", Svg;
    lite_in_xml: "rdfa1.1-lite", "xml", Xml;

    roles_in_html5: "rdfa1.1-role", "html5", Html;
    roles_in_html5_invalid: "rdfa1.1-role", "html5-invalid", Html;
    roles_in_xhtml1: "rdfa1.1-role", "xhtml1", Xhtml;
    roles_in_xhtml5: "rdfa1.1-role", "xhtml5", Xhtml;
    roles_in_xhtml5_invalid: "rdfa1.1-role", "xhtml5-invalid", Xhtml;
    roles_in_xml: "rdfa1.1-role", "xml", Xml;

    vocabularies_in_html4: "rdfa1.1-vocab", "html4", Html;
    vocabularies_in_html5: "rdfa1.1-vocab", "html5", Html;
    vocabularies_in_xhtml1: "rdfa1.1-vocab", "xhtml1", Xhtml;
    vocabularies_in_xhtml5: "rdfa1.1-vocab", "xhtml5", Xhtml;
    vocabularies_in_svg: "rdfa1.1-vocab", "svg", Svg;
    vocabularies_in_xml: "rdfa1.1-vocab", "xml", Xml;

    warnings_in_html4: "rdfa1.1-proc", "html4", Html;
    warnings_in_html5: "rdfa1.1-proc", "html5", Html;
    warnings_in_html5_invalid: "rdfa1.1-proc", "html5-invalid", Html;
    warnings_in_xhtml1: "rdfa1.1-proc", "xhtml1", Xhtml;
    warnings_in_xhtml5: "rdfa1.1-proc", "xhtml5", Xhtml;
    warnings_in_xhtml5_invalid: "rdfa1.1-proc", "xhtml5-invalid", Xhtml;
    warnings_in_svg: "rdfa1.1-proc", "svg", Svg;
    warnings_in_xml: "rdfa1.1-proc", "xml", Xml;
}
