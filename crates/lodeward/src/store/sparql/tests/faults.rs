//! All quads arrive exactly once, whatever the server does.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::server::{Fault, FaultyServer};
use super::*;

/// Some hundred changes: new documents, new versions, removals.
fn history() -> Vec<Change> {
    let mut changes: Vec<_> = (0..60).map(|number| sample(number, "first")).collect();
    changes.extend((20..40).map(|number| sample(number, "second")));
    changes.extend((30..35).map(removal));
    changes.extend((33..37).map(|number| sample(number, "third")));
    changes
}

fn chance(seed: u64) -> impl FnMut() -> Fault {
    const FAULTS: [Fault; 7] = [
        Fault::Status(503),
        Fault::Status(502),
        Fault::Status(500),
        Fault::TooMany(7),
        Fault::DroppedBefore,
        Fault::DroppedAfter,
        Fault::HalfAnswer,
    ];
    let mut random = SmallRng::seed_from_u64(seed);
    move || if random.random_bool(0.6) { FAULTS[random.random_range(0..FAULTS.len())] } else { Fault::None }
}

#[test]
fn without_faults_everything_arrives_in_few_requests() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let changes = history();

    let waits = drive(&mut open(&options(server.update(), None), &folder), &changes, 20).unwrap();

    assert!(waits.is_empty());
    assert_same(server.dataset(), expected(&changes));
    let log = &server.plan.lock().unwrap().log;
    assert!(log.len() < changes.len() / 2, "{} requests for {} changes", log.len(), changes.len());
}

#[test]
fn with_faults_everything_arrives_exactly_once() {
    for seed in 0..6 {
        let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        let mut fault = chance(seed);
        server.set(|plan| plan.faults = (0..400).map(|_| fault()).collect());
        let changes = history();
        let options = Options { server_errors_max: 1_000, ..options(server.update(), None) };

        let waits = drive(&mut open(&options, &folder), &changes, 20).unwrap();

        assert!(waits.len() > 5, "{}", waits.len());
        assert_same(server.dataset(), expected(&changes));
    }
}

#[test]
fn whoever_is_killed_goes_on_where_the_server_confirmed() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let options = options(server.update(), None);
    let changes = history();

    for end in [15, 40, 75, changes.len()] {
        // The last request of each life is done, but its answer is lost.
        let mut follower = open(&options, &folder);
        drive(&mut follower, &changes[..end / 10 * 10], 10).unwrap();
        server.set(|plan| plan.faults.push_back(Fault::DroppedAfter));
        let next = &changes[end / 10 * 10..changes.len().min(end / 10 * 10 + 10)];
        assert!(follower.apply(next, position(1_000)).is_err() || next.is_empty());
    }
    server.set(|plan| plan.faults.clear());
    drive(&mut open(&options, &folder), &changes, 10).unwrap();

    assert_same(server.dataset(), expected(&changes));
    assert_eq!(open(&options, &folder).position().unwrap(), Some(position(changes.len().div_ceil(10) as u64)));
}

#[test]
fn a_large_document_arrives_in_parts_that_take_effect_once() {
    for seed in 10..14 {
        let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        let mut fault = chance(seed);
        server.set(|plan| plan.faults = (0..200).map(|_| fault()).collect());
        let changes = [sample(1, "first"), large(2), sample(3, "first"), large(4), sample(2, "small again")];
        let options = Options { server_errors_max: 1_000, ..options(server.update(), None) };

        drive(&mut open(&options, &folder), &changes, 2).unwrap();

        assert_same(server.dataset(), expected(&changes));
        let log = &server.plan.lock().unwrap().log;
        assert!(log.iter().all(|(_, bytes, _)| *bytes < 8_000), "{log:?}");
    }
}

/// Far more than a request holds: chains of blank nodes, their links far apart.
fn large(number: usize) -> Change {
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
fn a_component_that_is_larger_than_a_request_is_sent_whole() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let chain: Vec<_> = (0..200).map(|link| format!("_:n{link} <http://a.example/p> _:n{} <> .\n", link + 1)).collect();
    let changes = [change(1, &chain.concat())];

    drive(&mut open(&options(server.update(), None), &folder), &changes, 1).unwrap();

    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn a_large_document_goes_to_a_graph_store_as_one_stream() {
    for seed in 20..23 {
        let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        let mut fault = chance(seed);
        server.set(|plan| plan.faults = (0..50).map(|_| fault()).collect());
        let changes = [sample(1, "first"), large(2), large(3), removal(3), sample(4, "first")];
        let options = Options { server_errors_max: 1_000, ..options(server.update(), server.store()) };

        drive(&mut open(&options, &folder), &changes, 2).unwrap();

        assert_same(server.dataset(), expected(&changes));
        let log = &server.plan.lock().unwrap().log;
        assert!(log.iter().any(|(method, bytes, _)| method == "PUT" && *bytes > 20_000), "{log:?}");
    }
}

#[test]
fn a_server_with_a_graph_store_only_is_enough() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let mut fault = chance(30);
    server.set(|plan| plan.faults = (0..300).map(|_| fault()).collect());
    let changes = history();
    let options = Options { server_errors_max: 1_000, ..options(None, server.store()) };

    drive(&mut open(&options, &folder), &changes, 20).unwrap();

    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn a_server_that_asks_for_time_gets_it() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.faults = [Fault::TooMany(17), Fault::Status(503)].into());

    let waits = drive(&mut open(&options(server.update(), None), &folder), &[sample(1, "first")], 1).unwrap();

    let after: Vec<_> = waits
        .iter()
        .map(|wait| match wait {
            FollowError::Retry { after, why } => (*after, why.contains("/update: ")),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(after, [(Some(Duration::from_secs(17)), true), (None, true)]);
}

#[test]
fn a_server_that_never_answers_is_asked_again() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    server.set(|plan| plan.faults = [Fault::Silent].into());
    let options = Options { timeout_s: 1, ..options(server.update(), None) };
    let changes = [sample(1, "first")];

    let waits = drive(&mut open(&options, &folder), &changes, 1).unwrap();

    assert_eq!(waits.len(), 1);
    assert_same(server.dataset(), expected(&changes));
}

#[test]
fn nodes_of_several_graphs_of_a_document_stay_one() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let p = "<http://a.example/p>";
    let first =
        format!("_:n {p} \"1\" <> .\n_:n {p} \"2\" <http://a.example/g> .\n_:n {p} _:h <http://a.example/h> .\n");
    let second = format!("_:n {p} \"3\" <> .\n_:n {p} \"4\" <http://a.example/h> .\n");
    let mut follower = open(&options(server.update(), None), &folder);

    drive(&mut follower, &[change(1, &first)], 1).unwrap();
    assert_same(server.dataset(), expected(&[change(1, &first)]));

    // Graphs that the document has no longer are gone, and another's are not.
    let other = change(2, &format!("<http://a.example/s> {p} \"5\" <http://a.example/i> .\n"));
    follower.apply(std::slice::from_ref(&other), position(2)).unwrap();
    drop(follower);
    let changes = [change(1, &second)];
    open(&options(server.update(), None), &folder).apply(&changes, position(3)).unwrap();
    assert_same(server.dataset(), expected(&[change(1, &second), other]));
}

#[test]
fn a_graph_that_is_named_by_a_blank_node_is_given_an_iri() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let document =
        change(1, "_:g <http://a.example/p> \"x\" <> .\n<http://a.example/s> <http://a.example/p> _:g _:g .\n");

    drive(&mut open(&options(server.update(), None), &folder), &[document], 1).unwrap();

    let graph = "<http://a.example/document/1#.well-known/genid/g>";
    let quads: Vec<_> = server.dataset().iter().map(|quad| quad.to_string()).collect();
    assert!(quads.contains(&format!("<http://a.example/s> <http://a.example/p> {graph} {graph}")), "{quads:?}");
    assert!(quads.contains(&format!("{graph} <http://a.example/p> \"x\" <http://a.example/document/1>")), "{quads:?}");
}

#[test]
fn the_description_of_a_crawl_replaces_its_graph() {
    let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
    let graph = oxrdf::NamedNode::new("urn:x-crawl:1").unwrap();
    let quads = |value: &str| -> Vec<Quad> {
        let text = format!("_:void <http://a.example/p> \"{value}\" {graph} .");
        NQuadsParser::new().for_slice(text.as_bytes()).map(Result::unwrap).collect()
    };
    let mut updating = open(&options(server.update(), None), &folder);

    updating.describe(&graph, &quads("1")).unwrap();
    updating.describe(&graph, &quads("2")).unwrap();
    assert_same(server.dataset(), quads("2").into_iter().collect());

    open(&options(None, server.store()), &folder).describe(&graph, &quads("3")).unwrap();
    assert_same(server.dataset(), quads("3").into_iter().collect());
}

#[test]
fn provenance_comes_and_goes_with_its_document() {
    let names = crate::provenance::Names::new("urn:lodeward:", 1);
    let told = |change: &Change| {
        let provenance = crate::provenance::Provenance::sample(3);
        Change { provenance: Some(provenance), ..change.clone() }
    };
    let changes = [told(&sample(1, "first")), told(&large(2)), told(&sample(3, "first")), removal(3)];
    for (update, store) in [(true, false), (true, true), (false, true)] {
        let (server, folder) = (FaultyServer::start(), tempfile::tempdir().unwrap());
        server.set(|plan| plan.faults = [Fault::None, Fault::DroppedAfter, Fault::None, Fault::DroppedBefore].into());
        let options = options(server.update().filter(|_| update), server.store().filter(|_| store));
        let fetch = fetch::Options { proxy_from_environment: false, ..fetch::Options::default() };
        let mut follower = SparqlFollower::open(options, fetch, folder.path(), Some(names.clone())).unwrap();

        drive(&mut follower, &changes, 4).unwrap();

        let mut all = expected(&changes);
        for change in &changes[..2] {
            let quads = change.provenance.as_ref().unwrap().quads(&names, &change.document, change.quads);
            all.extend(quads.iter().map(Quad::as_ref));
        }
        assert_same(server.dataset(), all);
    }
}
