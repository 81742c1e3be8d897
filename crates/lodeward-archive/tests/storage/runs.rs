//! Transactions that are written as sorted tables, and closing an archive.

use std::fs;
use std::path::Path;

use lodeward_archive::{Archive, Collection};
use oxrdf::Quad;

use crate::fixture::{archive, everything, insert, lines, node, object, options, quad};

/// More quads than the options of the tests write through the journal.
fn large_document(name: &str, count: u64) -> Vec<Quad> {
    (0..count).map(|number| quad(name, number / 5, number % 7, object(number))).collect()
}

fn put(archive: &Archive, name: &str, quads: &[Quad]) {
    let mut transaction = archive.begin();
    transaction.put_document(Collection(1), node(name).as_ref(), quads.iter().map(Quad::as_ref)).unwrap();
    transaction.set_note(b"position", Some(name.as_bytes()));
    transaction.commit().unwrap();
}

fn journal_bytes(directory: &Path) -> u64 {
    let files = fs::read_dir(directory).unwrap().map(|file| file.unwrap());
    files
        .filter(|file| file.path().extension().is_some_and(|kind| kind == "jnl"))
        .map(|file| file.metadata().unwrap().len())
        .sum()
}

#[test]
fn a_large_transaction_becomes_visible_as_a_whole_with_its_note() {
    let (_keep, archive) = archive();
    let (first, second) = (large_document("first", 400), large_document("second", 300));
    put(&archive, "first", &first);
    let before = archive.snapshot();
    put(&archive, "second", &second);

    let now = archive.snapshot();
    assert_eq!(everything(&before), lines(&first));
    assert_eq!(before.note(b"position").unwrap().as_deref(), Some(&b"first"[..]));
    assert_eq!(everything(&now), lines(first.iter().chain(&second)));
    assert_eq!(now.note(b"position").unwrap().as_deref(), Some(&b"second"[..]));
    assert_eq!(now.check().unwrap().stale_postings, 0);
}

#[test]
fn a_large_document_that_is_put_again_is_replaced() {
    let (_keep, archive) = archive();
    put(&archive, "a", &large_document("a", 400));
    let (changed, other) = (large_document("a", 900), large_document("b", 70));
    put(&archive, "a", &changed);
    put(&archive, "b", &other);
    put(&archive, "a", &changed);

    let now = archive.snapshot();
    assert_eq!(everything(&now), lines(changed.iter().chain(&other)));
    now.check().unwrap();
    put(&archive, "a", &[]);
    assert_eq!(everything(&archive.snapshot()), lines(&other));
}

#[test]
fn an_archive_that_was_closed_has_nothing_to_replay() {
    let (keep, archive) = archive();
    let path = keep.path().join("archive");
    let (large, small) = (large_document("large", 400), large_document("small", 10));
    put(&archive, "large", &large);
    insert(&archive, &small);
    assert!(journal_bytes(&path) > 0);
    drop(archive);

    assert_eq!(journal_bytes(&path), 0);
    for _ in 0..2 {
        let archive = Archive::open(&path, &options()).unwrap();
        assert_eq!(everything(&archive.snapshot()), lines(large.iter().chain(&small)));
        archive.snapshot().check().unwrap();
    }
    let archive = Archive::open(&path, &options()).unwrap();
    insert(&archive, &large_document("more", 3));
    assert_eq!(archive.snapshot().len().unwrap(), 400 + 10 + 3);
}

/// Filling the last chunk writes it and its postings again.
#[test]
fn only_few_added_quads_go_into_the_last_chunk_of_a_graph() {
    let (_keep, archive) = archive();
    let quads: Vec<Quad> = (0..140).map(|number| quad("a", number, 1, object(10 * number))).collect();
    let chunks = || archive.snapshot().check().unwrap().chunks;
    insert(&archive, &quads[..10]);
    insert(&archive, &quads[10..70]);
    assert_eq!(chunks(), 1);

    insert(&archive, &quads[70..140]);

    assert_eq!(chunks(), 2);
    assert_eq!(everything(&archive.snapshot()), lines(&quads));
}
