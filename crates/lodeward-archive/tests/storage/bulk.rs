//! Tests of bulk loads and graph replacement.

use lodeward_archive::Archive;
use oxrdf::{GraphName, Quad};

use crate::fixture::{archive, everything, graph, insert, lines, node, object, options, quad};

fn many_quads(name: &str, count: u64) -> Vec<Quad> {
    (0..count).map(|number| quad(name, number / 7, number % 3, object(number))).collect()
}

#[test]
fn loaded_quads_become_visible_all_at_once() {
    let (keep, archive) = archive();
    let before = many_quads("before", 30);
    insert(&archive, &before);
    let mut quads = many_quads("one", 350);
    quads.extend(many_quads("two", 350));
    quads.push(Quad { graph_name: GraphName::DefaultGraph, ..quads[0].clone() });

    let mut loader = archive.bulk_loader();
    for quad in &quads {
        loader.add(quad.as_ref()).unwrap();
    }
    // Runs are short: most quads are on disk now.
    assert_eq!(everything(&archive.snapshot()), lines(&before));
    assert_eq!(archive.snapshot().named_graphs().count(), 1);
    let early = archive.snapshot();
    assert_eq!(loader.finish().unwrap().inserted, quads.len() as u64);

    assert_eq!(everything(&early), lines(&before));
    let all = lines(quads.iter().chain(&before));
    assert_eq!(everything(&archive.snapshot()), all);
    assert_eq!(archive.snapshot().named_graphs().count(), 3);
    drop((early, archive));
    let archive = Archive::open(keep.path().join("archive"), &options()).unwrap();
    assert_eq!(everything(&archive.snapshot()), all);
}

#[test]
fn existing_quads_are_not_loaded_again() {
    let (_keep, archive) = archive();
    let quads = many_quads("one", 500);
    insert(&archive, &quads[..200]);
    for expected in [300, 0] {
        let mut loader = archive.bulk_loader();
        for quad in quads.iter().chain(&quads[100..400]) {
            loader.add(quad.as_ref()).unwrap();
        }
        assert_eq!(loader.finish().unwrap().inserted, expected);
        assert_eq!(everything(&archive.snapshot()), lines(&quads));
    }
}

#[test]
fn a_dropped_loader_loads_nothing() {
    let (keep, archive) = archive();
    let before = many_quads("one", 130);
    insert(&archive, &before);
    let mut loader = archive.bulk_loader();
    for quad in many_quads("one", 900).iter().chain(&many_quads("two", 300)) {
        loader.add(quad.as_ref()).unwrap();
    }
    drop(loader);

    assert_eq!(everything(&archive.snapshot()), lines(&before));
    assert_eq!(archive.snapshot().named_graphs().count(), 1);
    // Later writes do not reuse its chunk numbers.
    let after = many_quads("three", 200);
    insert(&archive, &after);
    archive.reclaim().unwrap();
    assert_eq!(archive.snapshot().check().unwrap().stale_postings, 0);
    drop(archive);
    let archive = Archive::open(keep.path().join("archive"), &options()).unwrap();
    assert_eq!(everything(&archive.snapshot()), lines(before.iter().chain(&after)));
}

#[test]
fn an_empty_load_changes_nothing() {
    let (_keep, archive) = archive();
    assert_eq!(archive.bulk_loader().finish().unwrap().inserted, 0);
    assert!(archive.snapshot().is_empty().unwrap());
    assert!(!archive.snapshot().contains_named_graph(node("one").as_ref().into()).unwrap());
    assert_eq!(archive.snapshot().graph_len(graph("one").as_ref()).unwrap(), 0);
}

#[test]
fn a_dropped_graph_can_be_loaded_again() {
    let (keep, archive) = archive();
    let quads = many_quads("one", 300);
    insert(&archive, &quads);
    let mut transaction = archive.begin();
    transaction.drop_graph(graph("one").as_ref()).unwrap();
    transaction.commit().unwrap();

    let mut loader = archive.bulk_loader();
    for quad in &quads {
        loader.add(quad.as_ref()).unwrap();
    }
    loader.finish().unwrap();

    assert_eq!(everything(&archive.snapshot()), lines(&quads));
    drop(archive);
    let archive = Archive::open(keep.path().join("archive"), &options()).unwrap();
    assert_eq!(everything(&archive.snapshot()), lines(&quads));
}

#[test]
fn a_graph_is_replaced_atomically_with_and_without_a_bulk_load() {
    for max_buffered in [0, 100, usize::MAX] {
        let (keep, archive) = archive();
        let others = many_quads("two", 300);
        insert(&archive, &others);
        // Some statements stay, some are new, some are removed, and some are added twice.
        for (from, upto) in [(0, 400), (200, 900), (850, 870), (0, 0), (5, 600)] {
            let quads = &many_quads("one", 900)[from..upto];
            let mut replacement = archive.replace_graph(node("one")).with_max_buffered(max_buffered);
            let before = everything(&archive.snapshot());
            for quad in quads.iter().chain(quads) {
                replacement.add(quad.as_ref().into()).unwrap();
            }
            assert_eq!(everything(&archive.snapshot()), before);
            let early = archive.snapshot();
            let summary = replacement.finish().unwrap();

            assert_eq!(everything(&early), before, "an earlier snapshot sees the old content");
            let all = lines(quads.iter().chain(&others));
            assert_eq!(everything(&archive.snapshot()), all, "{from}..{upto} buffering {max_buffered}");
            assert_eq!(archive.snapshot().len().unwrap(), all.len() as u64);
            assert_eq!(before.len() as u64 + summary.inserted - summary.removed, all.len() as u64);
            assert!(archive.snapshot().contains_named_graph(node("one").as_ref().into()).unwrap());
        }
        archive.reclaim().unwrap();
        let all = everything(&archive.snapshot());
        drop(archive);
        let archive = Archive::open(keep.path().join("archive"), &options()).unwrap();
        assert_eq!(everything(&archive.snapshot()), all);
    }
}

#[test]
fn a_dropped_replacement_changes_nothing() {
    let (keep, archive) = archive();
    let before = many_quads("one", 500);
    insert(&archive, &before);
    let mut replacement = archive.replace_graph(node("one")).with_max_buffered(10);
    for quad in &many_quads("one", 900)[300..] {
        replacement.add(quad.as_ref().into()).unwrap();
    }
    drop(replacement);

    assert_eq!(everything(&archive.snapshot()), lines(&before));
    drop(archive);
    let archive = Archive::open(keep.path().join("archive"), &options()).unwrap();
    assert_eq!(everything(&archive.snapshot()), lines(&before));
}
