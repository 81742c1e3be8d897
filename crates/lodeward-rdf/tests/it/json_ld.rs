//! The W3C test suites of JSON-LD.

use std::io::Read;

use lodeward_rdf::json_ld::{self, JsonLdOptions};
use serde_json::Value;

use crate::json_ld_suite::{DatasetSink, Suite, assert_passed, id, input, passes};

const STREAMING: &str = "https://w3c.github.io/json-ld-streaming/tests/";
const EXPECTED: &str = include_str!("expected_failures.txt");

/// Reads a document as a stream, by making it longer than the limit.
fn read_long(suite: &Suite, path: &str, option: &Value) -> DatasetSink {
    let mut found = DatasetSink::default();
    let base = option["base"].as_str().map_or_else(|| format!("{}{path}", suite.base_url), str::to_owned);
    let options = JsonLdOptions { max_bytes: 64 << 10, ..suite.options(option) };
    let space = b" ".repeat(options.max_bytes);
    let document = space.chain(suite.file(path));
    json_ld::read_from(document, &base, &options, &suite.contexts, &mut found)
        .expect("reading from memory cannot fail");
    found
}

/// Whether a test is of JSON-LD 1.0, with other results in 1.1.
fn is_of_1_0(test: &Value) -> bool {
    test["option"]["specVersion"] == "json-ld-1.0" || test["option"]["processingMode"] == "json-ld-1.0"
}

#[test]
fn documents_pass_the_to_rdf_suite() {
    let Some(suite) = Suite::api() else { return };
    let tests = suite.tests("toRdf-manifest.jsonld");

    assert_passed(
        EXPECTED,
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
            EXPECTED,
            name,
            tests.iter().filter(|test| !is_of_1_0(test)).map(|test| {
                let found = suite.read(input(test), &test["option"]);
                (id(test), passes(&suite, test, &found))
            }),
        );
    }
}

/// Our reader accepts more orders than the suite, so tests that expect an order error are skipped.
#[test]
fn streamed_documents_pass_the_streaming_suite() {
    let Some(suite) = Suite::open("json-ld-streaming-tests", STREAMING) else { return };
    let tests = suite.tests("stream-toRdf-manifest.jsonld");
    let is_applicable = |test: &&Value| !is_of_1_0(test) && test["expectErrorCode"] != "invalid streaming key order";

    assert_passed(
        EXPECTED,
        "jsonld-stream",
        tests.iter().filter(is_applicable).map(|test| {
            let found = read_long(&suite, input(test), &test["option"]);
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
        let found = read_long(&suite, input(test), &test["option"]);
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
