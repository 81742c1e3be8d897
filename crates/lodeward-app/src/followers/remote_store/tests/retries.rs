//! Tests of retries: changes that fail at first are delivered completely later.

use super::server::{Fault, FaultyServer};
use super::*;
use crate::provenance::GraphNames;
use lodeward::model::Provenance;

fn open_with_provenance(options: &RemoteStoreOptions, dir: &TempDir) -> SparqlFollower {
    let fetch = fetch::FetchOptions { proxy_from_environment: false, ..fetch::FetchOptions::default() };
    SparqlFollower::open(options.clone(), fetch, dir.path(), Some(GraphNames::new("urn:lodeward:", 1))).unwrap()
}

fn with_provenance(number: usize, version: &str) -> DocumentChange {
    DocumentChange { provenance: Some(Provenance::sample(number as u64)), ..sample(number, version) }
}

/// Number of quads in the provenance graph of a document.
fn provenance_len(server: &FaultyServer, change: &DocumentChange) -> u64 {
    let graph = GraphNames::new("urn:lodeward:", 1).provenance_graph(&change.document);
    server.archive.snapshot().graph_len(graph.as_ref().into()).unwrap()
}

#[test]
fn rejected_documents_are_sent_again_by_a_run_without_new_documents() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.poison = Some(("poison", 400)));
    let changes = [with_provenance(1, "good"), with_provenance(2, "poison")];
    let options = options(server.update(), None);
    drive(&mut open_with_provenance(&options, &dir), &changes, 2).unwrap();
    assert_eq!(provenance_len(&server, &changes[1]), 0);

    server.set(|plan| {
        plan.poison = None;
        plan.faults = [Fault::Status(503)].into();
    });
    let mut follower = open_with_provenance(&options, &dir);
    assert!(matches!(follower.finish(), Err(FollowerError::Retry { .. })));
    follower.finish().unwrap();

    assert_eq!(follower.rejected_count(), 0);
    for change in &changes {
        assert!(server.archive.snapshot().graph_len(change.graph().as_ref().into()).unwrap() > 0);
        assert!(provenance_len(&server, change) > 10);
    }
}

#[test]
fn obsolete_graphs_of_a_document_are_dropped_even_if_it_is_sent_twice() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let version =
        |graph: &str| change(1, &format!("<http://a.example/s> <http://a.example/p> \"1\" <urn:{graph}> .\n"));
    let options = options(server.update(), None);
    let mut follower = open(&options, &dir);
    follower.apply(&[version("old")], position(1)).unwrap();

    server.set(|plan| plan.faults = [Fault::Status(503)].into());
    follower.apply(&[version("new")], position(2)).unwrap_err();
    // As after a kill: the follower is opened again.
    let mut follower = open(&options, &dir);
    follower.apply(&[version("new")], position(2)).unwrap();
    assert_same(server.dataset(), expected(&[version("new")]));

    // No document has this graph any more.
    follower.apply(&[sample(2, "first")], position(3)).unwrap();
    open(&options, &dir).apply(&[removal(1)], position(4)).unwrap();
    assert_same(server.dataset(), expected(&[sample(2, "first")]));
}

#[test]
fn a_missing_description_is_sent_by_the_next_run() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let options = options(server.update(), None);
    let mut follower = open_with_provenance(&options, &dir);
    follower.apply(&[with_provenance(1, "first")], position(1)).unwrap();

    let mut follower = open_with_provenance(&options, &dir);
    assert!(!follower.is_description_current().unwrap());
    follower.put_description(&NamedNode::new_unchecked("urn:lodeward:crawl/1/description"), &[]).unwrap();
    assert!(open_with_provenance(&options, &dir).is_description_current().unwrap());

    follower.apply(&[with_provenance(1, "second")], position(2)).unwrap();
    assert!(!open_with_provenance(&options, &dir).is_description_current().unwrap());
}

#[test]
fn a_document_sent_in_parts_has_its_provenance() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.bytes_max = Some(20_000));
    let line = |n| format!("<http://a.example/s{n}> <http://a.example/p> _:n{n} <> .\n");
    let lines = (0..900).map(line).collect::<Vec<_>>().concat();
    let change = DocumentChange { provenance: Some(Provenance::sample(1)), ..change(1, &lines) };
    let options = RemoteStoreOptions { max_batch_bytes: 1 << 20, ..options(server.update(), None) };

    drive(&mut open_with_provenance(&options, &dir), std::slice::from_ref(&change), 1).unwrap();

    assert!(provenance_len(&server, &change) > 10);
}
