//! Tests of disk space and of graphs with many quads.

use lodeward_archive::Archive;
use oxrdf::{Literal, Quad};

use crate::fixture::{archive, everything, graph, insert, lines, object, options, quad};

#[test]
fn reclaiming_removes_the_postings_of_a_dropped_graph() {
    let directory = tempfile::tempdir().unwrap();
    let mut options = options();
    options.run_quads = 5_000;
    let archive = Archive::open(directory.path(), &options).unwrap();
    let kept: Vec<Quad> = (0..200).map(|number| quad("kept", number, 1, object(number))).collect();
    let dropped: Vec<Quad> =
        (0..10_000).map(|number| quad("dropped", number / 5, number % 7, object(number))).collect();
    let mut loader = archive.bulk_loader();
    for quad in kept.iter().chain(&dropped) {
        loader.add(quad.as_ref()).unwrap();
    }
    loader.finish().unwrap();
    let postings_before = archive.snapshot().check().unwrap();
    assert_eq!(postings_before.stale_postings, 0);

    let mut transaction = archive.begin();
    transaction.drop_graph(graph("dropped").as_ref()).unwrap();
    assert_eq!(transaction.commit().unwrap().removed, dropped.len() as u64);
    assert!(archive.snapshot().check().unwrap().stale_postings > 10_000);

    archive.reclaim().unwrap();
    assert_eq!(archive.snapshot().check().unwrap().stale_postings, 0);
    assert_eq!(everything(&archive.snapshot()), lines(&kept));
}

#[test]
fn a_subject_can_have_thousands_of_quads() {
    let (_keep, archive) = archive();
    let text = |number: u64| Literal::new_simple_literal(format!("a text: {number}"));
    let quads: Vec<Quad> = (0..5_000).map(|number| quad("one", 1, number % 2, text(number))).collect();
    for piece in quads.chunks(1_000) {
        insert(&archive, piece);
    }
    insert(&archive, &quads[500..4_500]);
    assert_eq!(everything(&archive.snapshot()), lines(&quads));

    let mut transaction = archive.begin();
    for quad in &quads[..2_500] {
        transaction.remove(quad.as_ref()).unwrap();
    }
    assert_eq!(transaction.commit().unwrap().removed, 2_500);
    assert_eq!(everything(&archive.snapshot()), lines(&quads[2_500..]));
}
