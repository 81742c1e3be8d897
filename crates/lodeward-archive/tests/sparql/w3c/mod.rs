//! The W3C test suites of SPARQL 1.0 and 1.1, on the archive and on Oxigraph.
//!
//! Not included: entailment regimes, which the archive does not support, and the service
//! description and protocols, which have their own tests. `expected_failures.txt` lists failing
//! tests with reasons. A test that passes on Oxigraph must pass here.

mod compare;
mod manifest;
mod run;

use std::collections::BTreeSet;

use manifest::{Suite, Test};

use crate::engine::{ArchiveEngine, OxigraphEngine};

const EXPECTED: &str = include_str!("expected_failures.txt");

fn check(name: &str, directories: &[&str]) {
    let Some(suite) = Suite::open() else { return };
    let tests: Vec<Test> = directories.iter().flat_map(|directory| suite.tests(directory)).collect();
    let mut failures = BTreeSet::new();
    for test in &tests {
        let failed = run::run(&suite, test, ArchiveEngine::new);
        if let Err(error) = &failed {
            let oracle = run::run(&suite, test, OxigraphEngine::new);
            assert!(oracle.is_err(), "{} passes on Oxigraph, but fails here: {error}", test.name);
            eprintln!("{}: {error}", test.name);
            failures.insert(test.name.clone());
        }
    }
    let passed = tests.len() - failures.len();
    toyweb::test_data::assert_expected_failures(EXPECTED, name, passed, failures.into_iter().collect());
}

#[test]
fn sparql_1_0_passes_the_suite() {
    check("sparql10", &["sparql10"]);
}

#[test]
fn sparql_1_1_queries_pass_the_suite() {
    let directories = [
        "aggregates",
        "bind",
        "bindings",
        "cast",
        "construct",
        "exists",
        "functions",
        "grouping",
        "negation",
        "project-expression",
        "property-path",
        "subquery",
    ];
    check("query", &directories.map(|directory| format!("sparql11/{directory}")).each_ref().map(String::as_str));
}

#[test]
fn sparql_1_1_syntax_passes_the_suite() {
    let directories =
        ["sparql11/syntax-query", "sparql11/syntax-update-1", "sparql11/syntax-update-2", "sparql11/syntax-fed"];
    check("syntax", &directories);
}

#[test]
fn sparql_1_1_updates_pass_the_suite() {
    let directories = [
        "add",
        "basic-update",
        "clear",
        "copy",
        "delete-data",
        "delete-insert",
        "delete-where",
        "delete",
        "drop",
        "move",
        "update-silent",
    ];
    check("update", &directories.map(|directory| format!("sparql11/{directory}")).each_ref().map(String::as_str));
}

#[test]
fn sparql_1_1_result_formats_pass_the_suite() {
    check("results", &["sparql11/csv-tsv-res", "sparql11/json-res"]);
}

#[test]
fn sparql_1_1_services_pass_the_suite() {
    check("service", &["sparql11/service"]);
}
