//! Texts that want to break the parser.

use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use lodeward_archive::sparql::{Answer, Fetched, QueryError, QueryOptions, ServiceError, Services, UpdateOptions};
use lodeward_archive::{Archive, Options};

fn archive() -> (tempfile::TempDir, Archive) {
    let folder = tempfile::tempdir().unwrap();
    let archive = Archive::open(folder.path(), &Options::default()).unwrap();
    (folder, archive)
}

#[test]
fn texts_with_many_brackets_can_be_written() {
    let (_folder, archive) = archive();
    let sad = "\"so sad :( \\\" [{(\", 'it (\"(', \"\"\"a \" ((\n((\"\"\"";
    let line = format!("<http://a.example/it's_(1> <http://a.example/p#(> {sad} . # (( \" '\n");
    let update = format!("INSERT DATA {{ {} }}", line.repeat(100));
    archive.update(&update, &UpdateOptions::default()).unwrap();
    assert_eq!(archive.snapshot().len().unwrap(), 3);
}

#[test]
fn no_text_overflows_the_stack() {
    let (_folder, archive) = archive();
    for query in [
        format!("ASK {{ FILTER{}1{} }}", "\\u0028".repeat(100_000), "\\u0029".repeat(100_000)),
        format!("ASK {{ FILTER(1{}) }}", "+1".repeat(12_000_000)),
    ] {
        let refused = archive.snapshot().query(&query, &QueryOptions::default()).err();
        assert!(matches!(refused, Some(QueryError::Syntax(_))), "{refused:?}");
    }
    // As much as is not refused at once.
    let query = format!("ASK {{ FILTER(1{}) }}", "+1".repeat(240_000));
    assert!(archive.snapshot().query(&query, &QueryOptions::default()).is_err());
}

#[test]
fn an_update_of_many_graphs_takes_time_as_it_is_long() {
    let (_folder, archive) = archive();
    let update = |graphs: usize| -> String {
        let graph = |graph: usize| {
            let triples = (0..20).map(|n| format!("<urn:s{graph}> <urn:p> {n} .")).collect::<Vec<_>>().concat();
            format!("DROP SILENT GRAPH <urn:g{graph}>; INSERT DATA {{ GRAPH <urn:g{graph}> {{ {triples} }} }};\n")
        };
        (0..graphs).map(graph).collect()
    };
    // A hundred seconds, if every DROP looks at all that was inserted before it.
    let options = UpdateOptions { timeout: Some(Duration::from_secs(30)), ..UpdateOptions::default() };
    let committed = archive.update(&update(1_600), &options).unwrap();
    assert_eq!(committed.inserted, 1_600 * 20);
}

/// Answers some rows, and then breaks.
struct Breaking;

impl Services for Breaking {
    fn query(&self, _: &str, _: &str) -> Result<Fetched, ServiceError> {
        let body = Cursor::new("?s\n1\n2\n").chain(Broken);
        Ok(Fetched { media_type: Some("text/tab-separated-values".to_owned()), body: Box::new(body) })
    }

    fn load(&self, _: &str) -> Result<Fetched, ServiceError> {
        unreachable!("nothing is loaded")
    }
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        panic!("on purpose")
    }
}

#[test]
fn an_answer_that_breaks_is_not_taken_for_a_whole_one() {
    let (_folder, archive) = archive();
    let options = QueryOptions { services: Some(Arc::new(Breaking)), ..QueryOptions::default() };
    for depth in [1, 200] {
        let query =
            format!("SELECT * {{ SERVICE <http://a.example/> {{ ?s ?p ?o }} FILTER(1{} > 0) }}", "+1".repeat(depth));
        let rows = catch_unwind(AssertUnwindSafe(|| match archive.snapshot().query(&query, &options).unwrap() {
            Answer::Solutions(rows) => rows.map(Result::unwrap).count(),
            _ => unreachable!("a SELECT has rows"),
        }));
        assert!(rows.is_err(), "{depth}: {rows:?}");
    }
}
