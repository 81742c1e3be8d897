//! What did not work the first time works the second time, and whole.

use super::server::{Fault, FaultyServer};
use super::*;
use crate::provenance::{Names, Provenance};

fn open_with_provenance(options: &Options, folder: &TempDir) -> SparqlFollower {
    let fetch = fetch::Options { proxy_from_environment: false, ..fetch::Options::default() };
    SparqlFollower::open(options.clone(), fetch, folder.path(), Some(Names::new("urn:lodeward:", 1))).unwrap()
}

fn with_provenance(number: usize, version: &str) -> Change {
    Change { provenance: Some(Provenance::sample(number as u64)), ..sample(number, version) }
}

/// How many quads are about where this document comes from.
fn provenance_len(server: &FaultyServer, change: &Change) -> u64 {
    let graph = Names::new("urn:lodeward:", 1).provenance_graph(&change.document);
    server.archive.snapshot().graph_len(graph.as_ref().into()).unwrap()
}

#[test]
fn a_run_without_anything_new_tries_again_what_was_refused() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.poison = Some(("poison", 400)));
    let changes = [with_provenance(1, "good"), with_provenance(2, "poison")];
    let options = options(server.update(), None);
    drive(&mut open_with_provenance(&options, &folder), &changes, 2).unwrap();
    assert_eq!(provenance_len(&server, &changes[1]), 0);

    server.set(|plan| {
        plan.poison = None;
        plan.faults = [Fault::Status(503)].into();
    });
    let mut follower = open_with_provenance(&options, &folder);
    assert!(matches!(follower.finish(), Err(FollowError::Retry { .. })));
    follower.finish().unwrap();

    assert_eq!(follower.refused(), 0);
    for change in &changes {
        assert!(server.archive.snapshot().graph_len(change.graph().as_ref().into()).unwrap() > 0);
        assert!(provenance_len(&server, change) > 10);
    }
}

#[test]
fn graphs_that_a_document_has_left_go_even_if_it_is_sent_twice() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let version =
        |graph: &str| change(1, &format!("<http://a.example/s> <http://a.example/p> \"1\" <urn:{graph}> .\n"));
    let options = options(server.update(), None);
    let mut follower = open(&options, &folder);
    follower.apply(&[version("old")], position(1)).unwrap();

    server.set(|plan| plan.faults = [Fault::Status(503)].into());
    follower.apply(&[version("new")], position(2)).unwrap_err();
    // Killed, and opened again.
    let mut follower = open(&options, &folder);
    follower.apply(&[version("new")], position(2)).unwrap();
    assert_same(server.dataset(), expected(&[version("new")]));

    // Nobody has claims on it any more.
    follower.apply(&[sample(2, "first")], position(3)).unwrap();
    open(&options, &folder).apply(&[removal(1)], position(4)).unwrap();
    assert_same(server.dataset(), expected(&[sample(2, "first")]));
}

#[test]
fn a_description_that_was_not_taken_is_made_by_the_next_run() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let options = options(server.update(), None);
    let mut follower = open_with_provenance(&options, &folder);
    follower.apply(&[with_provenance(1, "first")], position(1)).unwrap();

    let mut follower = open_with_provenance(&options, &folder);
    assert!(!follower.is_described().unwrap());
    follower.describe(&NamedNode::new_unchecked("urn:lodeward:crawl/1/description"), &[]).unwrap();
    assert!(open_with_provenance(&options, &folder).is_described().unwrap());

    follower.apply(&[with_provenance(1, "second")], position(2)).unwrap();
    assert!(!open_with_provenance(&options, &folder).is_described().unwrap());
}

#[test]
fn a_document_that_is_sent_in_parts_after_all_has_its_provenance() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.bytes_max = Some(20_000));
    let line = |n| format!("<http://a.example/s{n}> <http://a.example/p> _:n{n} <> .\n");
    let lines = (0..900).map(line).collect::<Vec<_>>().concat();
    let change = Change { provenance: Some(Provenance::sample(1)), ..change(1, &lines) };
    let options = Options { batch_bytes: 1 << 20, ..options(server.update(), None) };

    drive(&mut open_with_provenance(&options, &folder), std::slice::from_ref(&change), 1).unwrap();

    assert!(provenance_len(&server, &change) > 10);
}
