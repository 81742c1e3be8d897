//! Tests of delivery with faults: all quads arrive exactly once.

use crate::provenance::provenance_quads;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::server::{Fault, FaultyServer};
use super::*;

/// About a hundred changes: new documents, new versions, removals.
fn history() -> Vec<DocumentChange> {
    let mut changes: Vec<_> = (0..60).map(|number| sample(number, "first")).collect();
    changes.extend((20..40).map(|number| sample(number, "second")));
    changes.extend((30..35).map(removal));
    changes.extend((33..37).map(|number| sample(number, "third")));
    changes
}

fn random_faults(seed: u64) -> impl FnMut() -> Fault {
    const FAULTS: [Fault; 7] = [
        Fault::Status(503),
        Fault::Status(502),
        Fault::Status(500),
        Fault::TooMany(7),
        Fault::DroppedBefore,
        Fault::DroppedAfter,
        Fault::TruncatedResponse,
    ];
    let mut random = SmallRng::seed_from_u64(seed);
    move || if random.random_bool(0.6) { FAULTS[random.random_range(0..FAULTS.len())] } else { Fault::None }
}

#[test]
fn without_faults_all_documents_arrive_in_few_requests() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let changes = history();

    let waits = drive(&mut open(&options(server.update(), None), &dir), &changes, 20).unwrap();

    assert!(waits.is_empty());
    assert_same(server.dataset(), expected(&changes));
    let log = &server.plan.lock().unwrap().log;
    assert!(log.len() < changes.len() / 2, "{} requests for {} changes", log.len(), changes.len());
}

#[test]
fn with_faults_all_documents_arrive_exactly_once() {
    for seed in 0..6 {
        let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        let mut fault = random_faults(seed);
        server.set(|plan| plan.faults = (0..400).map(|_| fault()).collect());
        let changes = history();
        let options = RemoteStoreOptions { max_server_errors: 1_000, ..options(server.update(), None) };

        let waits = drive(&mut open(&options, &dir), &changes, 20).unwrap();

        assert!(waits.len() > 5, "{}", waits.len());
        assert_same(server.dataset(), expected(&changes));
    }
}

#[test]
fn a_killed_follower_resumes_at_the_last_confirmed_position() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let options = options(server.update(), None);
    let changes = history();

    for end in [15, 40, 75, changes.len()] {
        // The last request of each process is executed, but its response is lost.
        let mut follower = open(&options, &dir);
        drive(&mut follower, &changes[..end / 10 * 10], 10).unwrap();
        server.set(|plan| plan.faults.push_back(Fault::DroppedAfter));
        let next = &changes[end / 10 * 10..changes.len().min(end / 10 * 10 + 10)];
        assert!(follower.apply(next, position(1_000)).is_err() || next.is_empty());
    }
    server.set(|plan| plan.faults.clear());
    drive(&mut open(&options, &dir), &changes, 10).unwrap();

    assert_same(server.dataset(), expected(&changes));
    assert_eq!(open(&options, &dir).position().unwrap(), Some(position(changes.len().div_ceil(10) as u64)));
}

#[test]
fn a_large_document_arrives_in_parts_that_take_effect_once() {
    for seed in 10..14 {
        let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        let mut fault = random_faults(seed);
        server.set(|plan| plan.faults = (0..200).map(|_| fault()).collect());
        let changes = [sample(1, "first"), large(2), sample(3, "first"), large(4), sample(2, "small again")];
        let options = RemoteStoreOptions { max_server_errors: 1_000, ..options(server.update(), None) };

        drive(&mut open(&options, &dir), &changes, 2).unwrap();

        assert_same(server.dataset(), expected(&changes));
        let log = &server.plan.lock().unwrap().log;
        assert!(log.iter().all(|(_, bytes, _)| *bytes < 8_000), "{log:?}");
    }
}

/// A document larger than a request, with chains of blank nodes whose links are far apart.
fn large(number: usize) -> DocumentChange {
    let mut lines = Vec::new();
    for round in 0..4 {
        for chain in 0..60 {
            lines.push(format!("_:c{chain}n{round} <http://a.example/p> _:c{chain}n{} <> .\n", round + 1));
            lines.push(format!("<http://a.example/s> <http://a.example/p> \"{number} {round} {chain}\" <> .\n"));
        }
    }
    change(number, &lines.concat())
}

#[test]
fn a_component_larger_than_a_request_is_sent_as_a_whole() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let chain: Vec<_> = (0..200).map(|link| format!("_:n{link} <http://a.example/p> _:n{} <> .\n", link + 1)).collect();
    let changes = [change(1, &chain.concat())];

    drive(&mut open(&options(server.update(), None), &dir), &changes, 1).unwrap();

    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn a_large_document_is_streamed_to_the_graph_store() {
    for seed in 20..23 {
        let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        let mut fault = random_faults(seed);
        server.set(|plan| plan.faults = (0..50).map(|_| fault()).collect());
        let changes = [sample(1, "first"), large(2), large(3), removal(3), sample(4, "first")];
        let options = RemoteStoreOptions { max_server_errors: 1_000, ..options(server.update(), server.store()) };

        drive(&mut open(&options, &dir), &changes, 2).unwrap();

        assert_same(server.dataset(), expected(&changes));
        let log = &server.plan.lock().unwrap().log;
        assert!(log.iter().any(|(method, bytes, _)| method == "PUT" && *bytes > 20_000), "{log:?}");
    }
}

#[test]
fn a_graph_store_without_updates_is_sufficient() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let mut fault = random_faults(30);
    server.set(|plan| plan.faults = (0..300).map(|_| fault()).collect());
    let changes = history();
    let options = RemoteStoreOptions { max_server_errors: 1_000, ..options(None, server.store()) };

    drive(&mut open(&options, &dir), &changes, 20).unwrap();

    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn retry_after_delays_the_next_attempt() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.faults = [Fault::TooMany(17), Fault::Status(503)].into());

    let waits = drive(&mut open(&options(server.update(), None), &dir), &[sample(1, "first")], 1).unwrap();

    let after: Vec<_> = waits
        .iter()
        .map(|wait| match wait {
            FollowerError::Retry { after, why } => (*after, why.contains("/update: ")),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(after, [(Some(Duration::from_secs(17)), true), (None, true)]);
}

#[test]
fn a_timeout_is_retried() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.faults = [Fault::Silent].into());
    let options = RemoteStoreOptions { timeout_s: 1, ..options(server.update(), None) };
    let changes = [sample(1, "first")];

    let waits = drive(&mut open(&options, &dir), &changes, 1).unwrap();

    assert_eq!(waits.len(), 1);
    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn blank_nodes_are_shared_by_the_graphs_of_a_document() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let p = "<http://a.example/p>";
    let first =
        format!("_:n {p} \"1\" <> .\n_:n {p} \"2\" <http://a.example/g> .\n_:n {p} _:h <http://a.example/h> .\n");
    let second = format!("_:n {p} \"3\" <> .\n_:n {p} \"4\" <http://a.example/h> .\n");
    let mut follower = open(&options(server.update(), None), &dir);

    drive(&mut follower, &[change(1, &first)], 1).unwrap();
    assert_same(server.dataset(), expected(&[change(1, &first)]));

    // Obsolete graphs of the document are dropped; those of another document stay.
    let other = change(2, &format!("<http://a.example/s> {p} \"5\" <http://a.example/i> .\n"));
    follower.apply(std::slice::from_ref(&other), position(2)).unwrap();
    drop(follower);
    let changes = [change(1, &second)];
    open(&options(server.update(), None), &dir).apply(&changes, position(3)).unwrap();
    assert_same(server.dataset(), expected(&[change(1, &second), other]));
}

#[test]
fn a_blank_graph_name_becomes_an_iri() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let document =
        change(1, "_:g <http://a.example/p> \"x\" <> .\n<http://a.example/s> <http://a.example/p> _:g _:g .\n");

    drive(&mut open(&options(server.update(), None), &dir), &[document], 1).unwrap();

    let graph = "<http://a.example/document/1#.well-known/genid/g>";
    let quads: Vec<_> = server.dataset().iter().map(|quad| quad.to_string()).collect();
    assert!(quads.contains(&format!("<http://a.example/s> <http://a.example/p> {graph} {graph}")), "{quads:?}");
    assert!(quads.contains(&format!("{graph} <http://a.example/p> \"x\" <http://a.example/document/1>")), "{quads:?}");
}

#[test]
fn the_description_of_a_crawl_replaces_its_graph() {
    let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let graph = oxrdf::NamedNode::new("urn:x-crawl:1").unwrap();
    let quads = |value: &str| -> Vec<Quad> {
        let text = format!("_:void <http://a.example/p> \"{value}\" {graph} .");
        NQuadsParser::new().for_slice(text.as_bytes()).map(Result::unwrap).collect()
    };
    let mut updating = open(&options(server.update(), None), &dir);

    updating.put_description(&graph, &quads("1")).unwrap();
    updating.put_description(&graph, &quads("2")).unwrap();
    assert_same(server.dataset(), quads("2").into_iter().collect());

    open(&options(None, server.store()), &dir).put_description(&graph, &quads("3")).unwrap();
    assert_same(server.dataset(), quads("3").into_iter().collect());
}

#[test]
fn provenance_is_sent_and_removed_with_its_document() {
    let names = crate::provenance::GraphNames::new("urn:lodeward:", 1);
    let with_provenance = |change: &DocumentChange| {
        let provenance = lodeward::model::Provenance::sample(3);
        DocumentChange { provenance: Some(provenance), ..change.clone() }
    };
    let changes = [
        with_provenance(&sample(1, "first")),
        with_provenance(&large(2)),
        with_provenance(&sample(3, "first")),
        removal(3),
    ];
    for (update, store) in [(true, false), (true, true), (false, true)] {
        let (server, dir) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        server.set(|plan| plan.faults = [Fault::None, Fault::DroppedAfter, Fault::None, Fault::DroppedBefore].into());
        let options = options(server.update().filter(|_| update), server.store().filter(|_| store));
        let fetch = fetch::FetchOptions { proxy_from_environment: false, ..fetch::FetchOptions::default() };
        let mut follower = SparqlFollower::open(options, fetch, dir.path(), Some(names.clone())).unwrap();

        drive(&mut follower, &changes, 4).unwrap();

        let mut all = expected(&changes);
        for change in &changes[..2] {
            let quads = provenance_quads(change.provenance.as_ref().unwrap(), &names, &change.document, change.quads);
            all.extend(quads.iter().map(Quad::as_ref));
        }
        assert_same(server.dataset(), all);
    }
}
