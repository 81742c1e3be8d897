//! Texts that want to break the parser.

use std::time::Duration;

use lodeward_archive::sparql::{QueryError, QueryOptions, UpdateOptions};
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
