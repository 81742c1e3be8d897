//! The public suites of RDFa and Microdata, through `lodeward extract`.

use std::collections::HashMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::vocab::rdf;
use oxrdf::{Dataset, Graph, GraphName, NamedNodeRef, NamedOrBlankNodeRef, Quad, TermRef};
use oxttl::{NQuadsParser, TurtleParser};
use serde_json::Value;
use spareval::{QueryEvaluator, QueryResults};
use spargebra::SparqlParser;
use toyweb::test_data;

type Files = HashMap<String, Vec<u8>>;

/// The statements that the command prints for a document with this URL, in the default graph.
fn extract(document: &[u8], url: &str, media_type: &str) -> (Dataset, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lodeward"));
    command.args(["extract", "-", "--base", url, "--content-type", media_type]);
    command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(document).unwrap();
    let output = child.wait_with_output().unwrap();
    let quads = NQuadsParser::new().for_slice(&output.stdout).map(|quad| {
        let Quad { subject, predicate, object, .. } = quad.expect("valid N-Quads");
        Quad::new(subject, predicate, object, GraphName::DefaultGraph)
    });
    (quads.collect(), String::from_utf8_lossy(&output.stderr).contains("fault: "))
}

/// Runs the cases on two threads. Returns the number that passed, and the names of the others.
fn run<C: Sync>(
    cases: &[C],
    name: impl Fn(&C) -> String + Sync,
    passes: impl Fn(&C) -> bool + Sync,
) -> (usize, Vec<String>) {
    let (first, second) = cases.split_at(cases.len() / 2);
    let failures = |cases: &[C]| cases.iter().filter(|case| !passes(case)).map(&name).collect::<Vec<String>>();
    let failed: Vec<String> = std::thread::scope(|scope| {
        let other = scope.spawn(|| failures(second));
        let mut failed = failures(first);
        failed.extend(other.join().unwrap());
        failed
    });
    (cases.len() - failed.len(), failed)
}

fn text<'f>(files: &'f Files, path: &str) -> &'f str {
    std::str::from_utf8(&files[path]).expect("the suite is UTF-8")
}

#[test]
fn required_rdfa_1_1_tests_pass_through_the_command() {
    let Some(files) = test_data::suite("rdfa-test-suite") else { return };
    let manifest: Value = serde_json::from_slice(&files["test-suite/manifest.jsonld"]).expect("JSON");
    let has = |list: &Value, name: &str| list.as_array().is_some_and(|list| list.iter().any(|it| it == name));
    let hosts = [
        ("html4", "html", "text/html"),
        ("html5", "html", "text/html"),
        ("xhtml1", "xhtml", "application/xhtml+xml"),
        ("xhtml5", "xhtml", "application/xhtml+xml"),
        ("svg", "svg", "image/svg+xml"),
        ("xml", "xml", "application/xml"),
    ];
    let tests = manifest["@graph"].as_array().expect("a list of tests");
    let is_required = |test: &&Value| {
        test["classification"].as_str().is_some_and(|it| it.ends_with("#required")) && has(&test["versions"], "rdfa1.1")
    };
    let cases: Vec<_> = tests
        .iter()
        .filter(is_required)
        .flat_map(|test| hosts.iter().filter(|host| has(&test["hostLanguages"], host.0)).map(move |host| (test, host)))
        .collect();
    assert_eq!(cases.len(), 854);

    let name = |(test, host): &(&Value, &(&str, &str, &str))| format!("{}-{}", host.0, test["num"].as_str().unwrap());
    let (passed, failed) = run(&cases, name, |(test, (directory, extension, media_type))| {
        let path = format!("test-suite/test-cases/rdfa1.1/{directory}/{}", test["num"].as_str().unwrap());
        let url = format!("http://rdfa.info/{path}");
        let (graph, _) = extract(&files[&format!("{path}.{extension}")], &format!("{url}.{extension}"), media_type);
        let parser = SparqlParser::new().with_base_iri(&url).unwrap();
        let query = parser.parse_query(text(&files, &format!("{path}.sparql"))).expect("a query");
        match QueryEvaluator::new().prepare(&query).execute(&graph).expect("a result") {
            QueryResults::Boolean(value) => Value::Bool(value) == test["expectedResults"],
            _ => panic!("{path} is not an ASK query"),
        }
    });

    assert_eq!(failed, Vec::<String>::new());
    assert_eq!(passed, 854);
}

/// These tests use a vocabulary that only the registry of the suite has. `lodeward-markup` runs them with it.
const EXPECTED_FAILURES: &str = "\
microdata test0073 needs the registry of the suite, which declares rdfs:subPropertyOf for http://expansion/
microdata test0074 needs the registry of the suite, which declares owl:equivalentProperty for http://expansion/
";

const MICRODATA_BASE: &str = "http://w3c.github.io/microdata-rdf/tests/";
const MANIFEST: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";

fn turtle(text: &[u8], base: &str) -> Graph {
    let parser = TurtleParser::new().with_base_iri(base).expect("an IRI");
    parser.for_slice(text).map(|triple| triple.expect("valid Turtle")).collect()
}

#[test]
fn microdata_tests_pass_through_the_command() {
    let Some(files) = test_data::suite("microdata-rdf-tests") else { return };
    let manifest = turtle(&files["tests/manifest.ttl"], &format!("{MICRODATA_BASE}manifest.ttl"));
    let node = |name: &str| format!("{MANIFEST}{name}");
    let object = |subject: NamedOrBlankNodeRef<'_>, name: &str| match manifest
        .object_for_subject_predicate(subject, NamedNodeRef::new_unchecked(&node(name)))?
    {
        TermRef::NamedNode(node) => Some(node.as_str().to_owned()),
        _ => None,
    };
    let class = node("ManifestEntry");
    let entries = manifest.subjects_for_predicate_object(rdf::TYPE, NamedNodeRef::new_unchecked(&class));
    let cases: Vec<_> =
        entries.map(|test| (test.to_string(), object(test, "action").unwrap(), object(test, "result"))).collect();

    let (passed, failed) = run(
        &cases,
        |(test, ..)| test.clone(),
        |(_, action, result)| {
            let (mut found, has_fault) =
                extract(&files[&action.replace(MICRODATA_BASE, "tests/")], action, "text/html");
            let Some(result) = result else { return has_fault };
            let expected = turtle(&files[&result.replace(MICRODATA_BASE, "tests/")], action);
            let mut expected: Dataset =
                expected.iter().map(|it| it.in_graph(oxrdf::GraphNameRef::DefaultGraph)).collect();
            found.canonicalize(CanonicalizationAlgorithm::Unstable);
            expected.canonicalize(CanonicalizationAlgorithm::Unstable);
            found == expected
        },
    );

    let failed = failed.iter().map(|test| test.trim_end_matches('>').rsplit('#').next().unwrap().to_owned()).collect();
    test_data::assert_expected_failures(EXPECTED_FAILURES, "microdata", passed, failed);
}
