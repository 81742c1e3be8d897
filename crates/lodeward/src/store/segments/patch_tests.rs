//! What a patch says, for documents of every size.

use std::collections::BTreeSet;
use std::path::Path;

use super::patch::{Patch, Patched};
use super::tests::{SMALL, open};
use super::{SegmentStore, Store};
use crate::model::Uri;

const URI: &str = "http://a.example/doc";

/// Puts a document with these numbers in it.
async fn put(store: &SegmentStore, document: &str, numbers: impl Iterator<Item = u32>) {
    let document = Uri::parse(document).unwrap();
    let mut draft = store.draft(&document);
    for number in numbers {
        let line = format!("<http://a.example/s> <http://a.example/p> \"{number}\" <{document}> .");
        let quad = oxttl::NQuadsParser::new().for_slice(&line).next().unwrap().unwrap();
        draft.append(quad.as_ref());
    }
    store.put(draft.finish()).await.unwrap();
}

/// The numbers that a patch adds and deletes.
fn said(path: &Path) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let text = std::fs::read_to_string(path).unwrap();
    let numbers = |sign: &str| {
        let lines = text.lines().filter_map(|line| line.strip_prefix(sign));
        lines.map(|line| line.split('"').nth(1).unwrap().parse().unwrap()).collect()
    };
    (numbers("A "), numbers("D "))
}

#[tokio::test]
async fn a_patch_has_the_difference_whatever_the_size() {
    // The drafts of these tests are spooled from 16 kB on, some 250 statements.
    for (before, after) in [(0..10, 5..15), (0..2_000, 5..15), (0..10, 5..2_000), (0..2_000, 1_000..3_000)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("patch");
        let store = open(folder.path(), SMALL);
        put(&store, "http://a.example/before", 0..3).await;
        put(&store, URI, before.clone()).await;
        put(&store, "http://a.example/after", 0..3).await;
        store.commit().await.unwrap();
        store.note_changes(Patch::append_to(&path, &[]).unwrap());

        // The same statements twice are still the same.
        put(&store, "http://a.example/before", (0..3).chain(0..3)).await;
        put(&store, URI, after.clone().chain(after.clone())).await;
        store.commit().await.unwrap();

        let (old, new): (BTreeSet<u32>, BTreeSet<u32>) = (before.clone().collect(), after.clone().collect());
        let expected = (&new - &old, &old - &new);
        assert_eq!(said(&path), expected, "{before:?} {after:?}");
        let (added, deleted) = (expected.0.len() as u64, expected.1.len() as u64);
        assert_eq!(store.changes_noted(), Some(Patched { added, deleted }));
    }
}

#[tokio::test]
async fn of_what_is_too_large_to_compare_everything_is_deleted_and_added() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("patch");
    let store = open(folder.path(), SMALL);
    put(&store, URI, 0..10).await;
    store.commit().await.unwrap();
    store.note_changes(Patch::append_to(&path, &[]).unwrap().comparing_at_most(9));

    put(&store, URI, 5..15).await;
    store.commit().await.unwrap();

    assert_eq!(said(&path), ((5..15).collect(), (0..10).collect()));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.find("\nA ").unwrap() > text.rfind("\nD ").unwrap(), "deletions first");
}

#[tokio::test]
async fn a_patch_is_made_of_transactions_and_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("patch");
    let headers = [("crawl", "\"default\"".to_owned())];
    for numbers in [0..1, 0..1, 1..2, 0..0] {
        let store = open(folder.path(), SMALL);
        store.note_changes(Patch::append_to(&path, &headers).unwrap());
        put(&store, URI, numbers).await;
        store.commit().await.unwrap();
    }

    let line = |sign: &str, number: u32| {
        format!("{sign} <http://a.example/s> <http://a.example/p> \"{number}\" <http://a.example/doc> .\n")
    };
    let expected = [
        "H crawl \"default\" .\nTX .\n".to_owned(),
        line("A", 0),
        "TC .\nTX .\n".to_owned(),
        line("A", 1),
        line("D", 0),
        "TC .\nTX .\n".to_owned(),
        line("D", 1),
        "TC .\n".to_owned(),
    ];
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected.concat());
}

#[tokio::test]
async fn only_the_last_version_of_a_group_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("patch");
    let store = open(folder.path(), SMALL);
    store.note_changes(Patch::append_to(&path, &[]).unwrap());

    put(&store, URI, 0..3).await;
    put(&store, "http://a.example/gone", 7..8).await;
    put(&store, URI, 2..4).await;
    put(&store, "http://a.example/gone", 0..0).await;
    store.commit().await.unwrap();

    assert_eq!(said(&path), (BTreeSet::from([2, 3]), BTreeSet::new()));
}

#[test]
fn a_transaction_that_was_not_ended_is_cut_off() {
    let check = |before: &str, kept: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("patch");
        std::fs::write(&path, before).unwrap();
        let mut patch = Patch::append_to(&path, &[("crawl", "\"new\"".to_owned())]).unwrap();
        patch.commit().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), kept, "{before:.80}");
    };
    let (headers, whole) = ("H crawl \"old\" .\nH began \"now\" .\n", "TX .\nA <a:s> <a:p> \"1\" .\nTC .\n");
    check("", "H crawl \"new\" .\n");
    check("H cra", "H crawl \"new\" .\n");
    check(headers, headers);
    check(&format!("{headers}TX .\nA <a:s> <a:"), headers);
    check(&format!("{headers}{whole}"), &format!("{headers}{whole}"));
    check(&format!("{headers}{whole}TX .\nD <a:s> <a:p> \"TC .\" .\nA <a"), &format!("{headers}{whole}"));
    check(&format!("{whole}TC"), whole);
    // Wherever pieces begin that are looked at.
    for length in 65_520..65_550 {
        let half = format!("TX .\n{}", "A".repeat(length));
        check(&format!("{headers}{whole}{half}"), &format!("{headers}{whole}"));
    }
}

#[test]
fn a_file_that_is_no_patch_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letter");
    std::fs::write(&path, "Dear Bob,\n").unwrap();

    let refused = Patch::append_to(&path, &[]).err().unwrap();

    assert!(refused.to_string().contains("name another file"), "{refused}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "Dear Bob,\n");
}
