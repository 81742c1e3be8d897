//! The suites of the W3C for SPARQL 1.0 and 1.1, on the archive and on oxigraph.
//!
//! Not here: entailment regimes (the archive has none), the service
//! description, the protocol and the graph store protocol (they need a server,
//! and are tested with it). What fails is listed with a reason each in
//! `expected_failures.txt`, and what oxigraph passes may not fail here.

mod compare;
mod manifest;
mod run;

use std::collections::BTreeSet;

use manifest::{Suite, Test};

use crate::engine::{Ours, Theirs};

const EXPECTED: &str = include_str!("expected_failures.txt");

fn check(name: &str, folders: &[&str]) {
    let Some(suite) = Suite::open() else { return };
    let tests: Vec<Test> = folders.iter().flat_map(|folder| suite.tests(folder)).collect();
    let mut failures = BTreeSet::new();
    for test in &tests {
        let failed = run::run(&suite, test, Ours::new);
        if let Err(error) = &failed {
            let oracle = run::run(&suite, test, Theirs::new);
            assert!(oracle.is_err(), "{} passes on oxigraph, and here: {error}", test.name);
            eprintln!("{}: {error}", test.name);
            failures.insert(test.name.clone());
        }
    }
    let passed = tests.len() - failures.len();
    toyweb::shared::settle(EXPECTED, name, passed, failures.into_iter().collect());
}

#[test]
fn sparql_1_0_is_answered() {
    check("sparql10", &["sparql10"]);
}

#[test]
fn sparql_1_1_queries_are_answered() {
    let folders = [
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
    check("query", &folders.map(|folder| format!("sparql11/{folder}")).each_ref().map(String::as_str));
}

#[test]
fn sparql_1_1_syntax_is_told_from_what_is_not() {
    let folders =
        ["sparql11/syntax-query", "sparql11/syntax-update-1", "sparql11/syntax-update-2", "sparql11/syntax-fed"];
    check("syntax", &folders);
}

#[test]
fn sparql_1_1_updates_are_done() {
    let folders = [
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
    check("update", &folders.map(|folder| format!("sparql11/{folder}")).each_ref().map(String::as_str));
}

#[test]
fn sparql_1_1_results_are_written() {
    check("results", &["sparql11/csv-tsv-res", "sparql11/json-res"]);
}

#[test]
fn sparql_1_1_services_are_asked() {
    check("service", &["sparql11/service"]);
}
