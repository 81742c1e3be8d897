//! Tests with hostile queries, updates and services.

use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use lodeward_archive::sparql::{
    QueryError, QueryOptions, QueryOutput, ServiceCallError, ServiceCallResponse, ServiceHandler, UpdateOptions,
};
use lodeward_archive::{Archive, Options};

fn archive() -> (tempfile::TempDir, Archive) {
    let directory = tempfile::tempdir().unwrap();
    let archive = Archive::open(directory.path(), &Options::default()).unwrap();
    (directory, archive)
}

#[test]
fn literals_with_many_brackets_can_be_inserted() {
    let (_directory, archive) = archive();
    let sad = "\"so sad :( \\\" [{(\", 'it (\"(', \"\"\"a \" ((\n((\"\"\"";
    let line = format!("<http://a.example/it's_(1> <http://a.example/p#(> {sad} . # (( \" '\n");
    let update = format!("INSERT DATA {{ {} }}", line.repeat(100));
    archive.update(&update, &UpdateOptions::default()).unwrap();
    assert_eq!(archive.snapshot().len().unwrap(), 3);
}

#[test]
fn no_text_overflows_the_stack() {
    let (_directory, archive) = archive();
    for query in [
        format!("ASK {{ FILTER{}1{} }}", "\\u0028".repeat(100_000), "\\u0029".repeat(100_000)),
        format!("ASK {{ FILTER(1{}) }}", "+1".repeat(12_000_000)),
    ] {
        let error = archive.snapshot().query(&query, &QueryOptions::default()).err();
        assert!(matches!(error, Some(QueryError::Syntax(_))), "{error:?}");
    }
    // The longest text that is parsed.
    let query = format!("ASK {{ FILTER(1{}) }}", "+1".repeat(240_000));
    assert!(archive.snapshot().query(&query, &QueryOptions::default()).is_err());
}

#[test]
fn an_update_of_many_graphs_takes_linear_time() {
    let (_directory, archive) = archive();
    let update = |graphs: usize| -> String {
        let graph = |graph: usize| {
            let triples = (0..20).map(|n| format!("<urn:s{graph}> <urn:p> {n} .")).collect::<Vec<_>>().concat();
            format!("DROP SILENT GRAPH <urn:g{graph}>; INSERT DATA {{ GRAPH <urn:g{graph}> {{ {triples} }} }};\n")
        };
        (0..graphs).map(graph).collect()
    };
    // This would take a hundred seconds if every DROP scanned all earlier insertions.
    let options = UpdateOptions { timeout: Some(Duration::from_secs(30)), ..UpdateOptions::default() };
    let committed = archive.update(&update(1_600), &options).unwrap();
    assert_eq!(committed.inserted, 1_600 * 20);
}

/// Returns some rows, then panics.
struct PanickingService;

impl ServiceHandler for PanickingService {
    fn query(&self, _: &str, _: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        let body = Cursor::new("?s\n1\n2\n").chain(PanickingReader);
        Ok(ServiceCallResponse { media_type: Some("text/tab-separated-values".to_owned()), body: Box::new(body) })
    }

    fn load(&self, _: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        unreachable!("nothing is loaded")
    }
}

struct PanickingReader;

impl Read for PanickingReader {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        panic!("on purpose")
    }
}

#[test]
fn a_panic_while_reading_rows_reaches_the_caller() {
    let (_directory, archive) = archive();
    let options = QueryOptions { services: Some(Arc::new(PanickingService)), ..QueryOptions::default() };
    for depth in [1, 200] {
        let query =
            format!("SELECT * {{ SERVICE <http://a.example/> {{ ?s ?p ?o }} FILTER(1{} > 0) }}", "+1".repeat(depth));
        let rows = catch_unwind(AssertUnwindSafe(|| match archive.snapshot().query(&query, &options).unwrap() {
            QueryOutput::Solutions(rows) => rows.map(Result::unwrap).count(),
            _ => unreachable!("a SELECT has rows"),
        }));
        assert!(rows.is_err(), "{depth}: {rows:?}");
    }
}
