//! Tests of RDF patches, for documents of all sizes.

use std::collections::BTreeSet;
use std::path::Path;

use super::rdf_patch::{PatchCounts, RdfPatchFile};
use super::tests::{SMALL, open};
use super::{SegmentStore, Store};
use crate::model::Uri;

const URI: &str = "http://a.example/doc";

/// Puts a document with these numbers as literals.
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
fn patched_numbers(path: &Path) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let text = std::fs::read_to_string(path).unwrap();
    let numbers = |sign: &str| {
        let lines = text.lines().filter_map(|line| line.strip_prefix(sign));
        lines.map(|line| line.split('"').nth(1).unwrap().parse().unwrap()).collect()
    };
    (numbers("A "), numbers("D "))
}

#[tokio::test]
async fn a_patch_has_the_difference_for_any_size() {
    // Drafts of these tests are spooled from 16 kB on, about 250 statements.
    for (before, after) in [(0..10, 5..15), (0..2_000, 5..15), (0..10, 5..2_000), (0..2_000, 1_000..3_000)] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("patch");
        let store = open(dir.path(), SMALL);
        put(&store, "http://a.example/before", 0..3).await;
        put(&store, URI, before.clone()).await;
        put(&store, "http://a.example/after", 0..3).await;
        store.commit().await.unwrap();
        store.start_patch(RdfPatchFile::append_to(&path, &[]).unwrap());

        // Repeated statements change nothing.
        put(&store, "http://a.example/before", (0..3).chain(0..3)).await;
        put(&store, URI, after.clone().chain(after.clone())).await;
        store.commit().await.unwrap();

        let (old, new): (BTreeSet<u32>, BTreeSet<u32>) = (before.clone().collect(), after.clone().collect());
        let expected = (&new - &old, &old - &new);
        assert_eq!(patched_numbers(&path), expected, "{before:?} {after:?}");
        let (added, deleted) = (expected.0.len() as u64, expected.1.len() as u64);
        assert_eq!(store.finish_patch(), Some(PatchCounts { added, deleted }));
    }
}

#[tokio::test]
async fn a_document_too_large_to_compare_is_deleted_and_added() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("patch");
    let store = open(dir.path(), SMALL);
    put(&store, URI, 0..10).await;
    store.commit().await.unwrap();
    store.start_patch(RdfPatchFile::append_to(&path, &[]).unwrap().with_max_compared_quads(9));

    put(&store, URI, 5..15).await;
    store.commit().await.unwrap();

    assert_eq!(patched_numbers(&path), ((5..15).collect(), (0..10).collect()));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.find("\nA ").unwrap() > text.rfind("\nD ").unwrap(), "deletions first");
}

#[tokio::test]
async fn a_patch_consists_of_transactions_and_is_appended_to() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("patch");
    let headers = [("crawl", "\"default\"".to_owned())];
    for numbers in [0..1, 0..1, 1..2, 0..0] {
        let store = open(dir.path(), SMALL);
        store.start_patch(RdfPatchFile::append_to(&path, &headers).unwrap());
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
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("patch");
    let store = open(dir.path(), SMALL);
    store.start_patch(RdfPatchFile::append_to(&path, &[]).unwrap());

    put(&store, URI, 0..3).await;
    put(&store, "http://a.example/gone", 7..8).await;
    put(&store, URI, 2..4).await;
    put(&store, "http://a.example/gone", 0..0).await;
    store.commit().await.unwrap();

    assert_eq!(patched_numbers(&path), (BTreeSet::from([2, 3]), BTreeSet::new()));
}

#[test]
fn an_incomplete_transaction_is_truncated() {
    let check = |before: &str, kept: &str| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("patch");
        std::fs::write(&path, before).unwrap();
        let mut patch = RdfPatchFile::append_to(&path, &[("crawl", "\"new\"".to_owned())]).unwrap();
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
    // A transaction that ends at or near a boundary of the chunks that are read.
    for length in 65_520..65_550 {
        let half = format!("TX .\n{}", "A".repeat(length));
        check(&format!("{headers}{whole}{half}"), &format!("{headers}{whole}"));
    }
}

#[test]
fn a_file_that_is_not_a_patch_is_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("letter");
    std::fs::write(&path, "Dear Bob,\n").unwrap();

    let error = RdfPatchFile::append_to(&path, &[]).err().unwrap();

    assert!(error.to_string().contains("choose another file"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "Dear Bob,\n");
}
