//! Tests of the segment store: the contract, recovery, and damaged files.

use std::fs::{self, File, OpenOptions};
use std::path::Path;

use fjall::{Database, KeyspaceCreateOptions};
use tempfile::TempDir;

use super::export::write_record_header;
use super::inner::PendingGroup;
use super::*;
use crate::model::Provenance;
use crate::store::contract::{check, sample_draft, uri};

/// Small, so that tests reach every limit.
pub(super) const SMALL: SegmentOptions =
    SegmentOptions { max_segment_bytes: 4 << 10, max_group_bytes: 2 << 10, max_draft_bytes: 16 << 10, level: 1 };

fn database(dir: &Path) -> Database {
    Database::builder(dir.join("index")).open().unwrap()
}

pub(super) fn open(dir: &Path, options: SegmentOptions) -> SegmentStore {
    open_in(dir, database(dir), options)
}

fn open_in(dir: &Path, database: Database, options: SegmentOptions) -> SegmentStore {
    let documents = database.keyspace("documents", KeyspaceCreateOptions::default).unwrap();
    SegmentStore::open(dir.join("segments"), documents, database, options).unwrap()
}

fn make() -> (TempDir, SegmentStore) {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), SMALL);
    (dir, store)
}

mod small {
    crate::store::contract::store_contract!(async { super::make() });
}

mod usual {
    crate::store::contract::store_contract!(async {
        let dir = tempfile::tempdir().unwrap();
        let store = super::open(dir.path(), super::SegmentOptions::default());
        (dir, store)
    });
}

/// Everything that was ever put, as zstd tools print it.
fn decompressed(dir: &Path) -> String {
    let directory = dir.join("segments");
    let last = super::writer::last_segment(&directory).unwrap();
    let read = |segment| zstd::decode_all(File::open(segment_path(&directory, segment)).unwrap()).unwrap();
    (1..=last).map(|segment| String::from_utf8(read(segment)).unwrap()).collect()
}

#[tokio::test]
async fn segments_are_n_quads_with_a_comment_for_each_document() {
    let (dir, store) = make();
    store.put(sample_draft(&store, &uri(1), "first", 1)).await.unwrap();
    store.put(sample_draft(&store, &uri(2), "first", 2)).await.unwrap();
    store.commit().await.unwrap();

    let text = decompressed(dir.path());

    insta::assert_snapshot!(text, @r#"
    # document <http://a.example/document/1> quads=1
    _:b0 <http://a.example/p> "first 0" <http://a.example/document/1> .
    # document <http://a.example/document/2> quads=2
    _:b0 <http://a.example/p> "first 0" <http://a.example/document/2> .
    _:b1 <http://a.example/p> "first 1" <http://a.example/document/2> .
    "#);
    let quads = oxttl::NQuadsParser::new().for_slice(&text).collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(quads.len(), 3);
}

#[tokio::test]
async fn a_harvest_of_many_segments_is_reopened() {
    let (dir, store) = make();
    let mut expected = Vec::new();
    for number in 0..200 {
        store.put(sample_draft(&store, &uri(number), "first", 1 + number % 50)).await.unwrap();
        if number % 3 == 0 {
            store.put(sample_draft(&store, &uri(number), "second", 1 + number % 7)).await.unwrap();
            expected.push((number, "second", 1 + number % 7));
        } else {
            expected.push((number, "first", 1 + number % 50));
        }
    }
    store.commit().await.unwrap();
    drop(store);

    let store = open(dir.path(), SMALL);

    assert!(store.shared.writer().segment().number > 2);
    assert!(store.lost_documents().is_empty());
    check(&store, &expected);
}

#[tokio::test]
async fn committed_documents_survive_a_killed_process() {
    let (dir, store) = make();
    store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    store.put(sample_draft(&store, &uri(1), "second", 3)).await.unwrap();
    store.put(sample_draft(&store, &uri(2), "first", 3)).await.unwrap();
    drop(store);

    let store = open(dir.path(), SMALL);

    check(&store, &[(1, "first", 3)]);
    store.put(sample_draft(&store, &uri(2), "again", 3)).await.unwrap();
    store.commit().await.unwrap();
    check(&store, &[(1, "first", 3), (2, "again", 3)]);
}

#[tokio::test]
async fn a_document_that_was_not_indexed_is_skipped() {
    let (dir, store) = make();
    store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    let mut orphan = Vec::new();
    write_record_header(&mut orphan, &uri(2), 1);
    orphan.extend_from_slice(b"<http://a.example/s> <http://a.example/p> \"orphan\" .\n");
    store.shared.writer().append(1, &orphan, &[]).unwrap();
    drop(store);

    let store = open(dir.path(), SMALL);
    store.put(sample_draft(&store, &uri(3), "first", 2)).await.unwrap();
    store.put(sample_draft(&store, &uri(2), "again", 2)).await.unwrap();
    store.commit().await.unwrap();

    assert!(decompressed(dir.path()).contains("orphan"));
    check(&store, &[(1, "first", 3), (2, "again", 2), (3, "first", 2)]);
}

#[tokio::test]
async fn a_frame_truncated_at_any_byte_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let database = database(dir.path());
    let store = open_in(dir.path(), database.clone(), SegmentOptions::default());
    store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
    store.put(sample_draft(&store, &uri(2), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    let whole = store.shared.writer().segment().bytes;
    // A frame that was written but not indexed.
    let mut group = PendingGroup::default();
    group.add(uri(2), 5, &draft_lines(&store, 2, 5), Some(Provenance::sample(2)));
    group.add(uri(4), 5, &draft_lines(&store, 4, 5), Some(Provenance::sample(4)));
    store.shared.writer().append(2, &group.raw, &group.metadata.encode()).unwrap();
    let end = store.shared.writer().segment().bytes;
    let documents = store.shared.index.documents.clone();
    drop(store);

    for cut in whole..=end {
        // One index for all rounds, because opening does not change it.
        let segments = dir.path().join(format!("cut-{cut}"));
        fs::create_dir(&segments).unwrap();
        fs::copy(segment_path(&dir.path().join("segments"), 1), segment_path(&segments, 1)).unwrap();
        let file = OpenOptions::new().write(true).open(segment_path(&segments, 1)).unwrap();
        file.set_len(cut).unwrap();

        let store =
            SegmentStore::open(&segments, documents.clone(), database.clone(), SegmentOptions::default()).unwrap();

        let expected = if cut == end { end } else { whole };
        assert_eq!(store.shared.writer().segment().bytes, expected, "truncated at {cut}");
        assert_eq!(file.metadata().unwrap().len(), cut, "opening changes nothing");
        check(&store, &[(1, "first", 3), (2, "first", 3)]);
        store.shared.writer().prepare().unwrap();
        assert_eq!(file.metadata().unwrap().len(), expected);
        let torn = fs::read(segments.join(format!("000001.nq.zst.torn-{whole}"))).unwrap_or_default();
        assert_eq!(torn.len() as u64, cut - expected, "the bytes that were cut are kept");
    }
}

fn draft_lines(store: &SegmentStore, number: usize, quads: usize) -> Vec<u8> {
    match *sample_draft(store, &uri(number), "torn", quads).content.downcast().unwrap() {
        DraftContent::InMemory(lines) => lines,
        _ => unreachable!("five statements are held in memory"),
    }
}

#[tokio::test]
async fn a_store_with_an_incomplete_frame_is_usable_after_recovery() {
    let (dir, store) = make();
    store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    drop(store);
    let path = segment_path(&dir.path().join("segments"), 1);
    let mut torn = fs::read(&path).unwrap();
    torn.extend_from_slice(&torn.clone()[..50]);
    fs::write(&path, torn).unwrap();

    let store = open(dir.path(), SMALL);
    store.put(sample_draft(&store, &uri(2), "first", 20_000)).await.unwrap();
    store.put(sample_draft(&store, &uri(3), "first", 2)).await.unwrap();
    store.commit().await.unwrap();
    drop(store);

    check(&open(dir.path(), SMALL), &[(1, "first", 3), (2, "first", 20_000), (3, "first", 2)]);
}

#[tokio::test]
async fn a_segment_truncated_by_a_power_cut_is_detected() {
    let (dir, store) = make();
    store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    let kept_bytes = store.shared.writer().segment().bytes;
    store.put(sample_draft(&store, &uri(2), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    drop(store);
    let path = segment_path(&dir.path().join("segments"), 1);
    OpenOptions::new().write(true).open(&path).unwrap().set_len(kept_bytes).unwrap();

    let store = open(dir.path(), SMALL);

    assert_eq!(store.lost_documents(), [uri(2).fingerprint()]);
    check(&store, &[(1, "first", 3)]);
    store.put(sample_draft(&store, &uri(3), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    check(&store, &[(1, "first", 3), (3, "first", 3)]);
    drop(store);
    assert!(open(dir.path(), SMALL).lost_documents().is_empty());
}

/// Found by `make fuzz`: the headers of all records were present, but the last record was
/// incomplete.
#[tokio::test]
async fn a_spooled_document_that_lost_a_frame_is_reported_as_lost() {
    for cut in [1, 2_000, 4_000] {
        let (dir, store) = make();
        store.put(sample_draft(&store, &uri(1), "first", 3)).await.unwrap();
        store.put(sample_draft(&store, &uri(2), "first", 2_000)).await.unwrap();
        let whole = store.shared.writer().segment().bytes;
        assert!(whole > 4_000, "{whole}");
        drop(store);
        let path = segment_path(&dir.path().join("segments"), 1);
        OpenOptions::new().write(true).open(&path).unwrap().set_len(whole - cut).unwrap();

        let store = open(dir.path(), SMALL);

        assert_eq!(store.lost_documents(), [uri(2).fingerprint()], "truncated by {cut}");
        check(&store, &[(1, "first", 3)]);
        store.put(sample_draft(&store, &uri(3), "first", 3)).await.unwrap();
        store.commit().await.unwrap();
        check(&store, &[(1, "first", 3), (3, "first", 3)]);
        drop(store);
        assert!(open(dir.path(), SMALL).lost_documents().is_empty());
    }
}

#[tokio::test]
async fn left_over_spool_files_are_removed() {
    let (dir, store) = make();
    let stale = dir.path().join("segments/spool/left-over");
    fs::write(&stale, "incomplete").unwrap();
    drop(store);

    drop(open(dir.path(), SMALL));

    assert!(!stale.exists());
}

#[tokio::test]
async fn a_draft_that_cannot_be_spooled_fails_when_it_is_put() {
    let (dir, store) = make();
    fs::remove_dir(dir.path().join("segments/spool")).unwrap();

    let error = store.put(sample_draft(&store, &uri(1), "first", 20_000)).await.unwrap_err();

    assert!(error.to_string().ends_with("segments/spool"), "{error}");
    assert!(matches!(store.commit().await, Err(StoreError::Unusable { .. })), "the document is not stored");
    check(&store, &[]);
}

#[tokio::test]
async fn a_store_that_failed_to_write_a_group_issues_no_receipt() {
    let (dir, store) = make();
    store.put(sample_draft(&store, &uri(1), "first", 1)).await.unwrap();
    store.commit().await.unwrap();
    store.put(sample_draft(&store, &uri(2), "first", 1)).await.unwrap();
    store.shared.writer().fail_writes();
    assert!(matches!(store.commit().await, Err(StoreError::Write { .. })));

    // Nothing is pending now, so there is nothing to write that could fail.
    let again = store.commit().await;

    assert!(matches!(again, Err(StoreError::Unusable { .. })), "{again:?}");
    assert!(store.put(sample_draft(&store, &uri(3), "first", 9_000)).await.is_err());
    drop(store);
    let store = open(dir.path(), SMALL);
    check(&store, &[(1, "first", 1)]);
    store.put(sample_draft(&store, &uri(2), "first", 1)).await.unwrap();
    store.commit().await.unwrap();
}

#[tokio::test]
async fn the_last_version_of_a_document_is_found_with_its_provenance() {
    let (_dir, store) = make();
    let put = async |number: usize, value: &str, quads: usize, provenance: u64| {
        let mut draft = sample_draft(&store, &uri(number), value, quads);
        draft.provenance = Some(Provenance::sample(provenance));
        store.put(draft).await.unwrap();
    };
    let lines = |found: &mut StoredDocument| {
        let mut text = Vec::new();
        found.write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    };

    // Several versions in one group, in several frames, and spooled.
    put(1, "old", 3, 1).await;
    put(2, "other", 2, 2).await;
    put(1, "new", 1, 3).await;
    put(3, "large", 2_000, 4).await;
    put(4, "gone", 1, 5).await;
    store.commit().await.unwrap();
    put(4, "gone", 0, 6).await;
    store.commit().await.unwrap();

    let mut one = store.find(&uri(1)).unwrap().unwrap();
    assert_eq!((one.quads(), one.provenance().unwrap()), (1, Some(Provenance::sample(3))));
    assert!(lines(&mut one).contains("\"new 0\""));
    let mut two = store.find(&uri(2)).unwrap().unwrap();
    assert_eq!((lines(&mut two).lines().count(), two.provenance().unwrap()), (2, Some(Provenance::sample(2))));
    let mut three = store.find(&uri(3)).unwrap().unwrap();
    assert_eq!((lines(&mut three).lines().count(), three.provenance().unwrap()), (2_000, Some(Provenance::sample(4))));
    assert!(store.find(&uri(4)).unwrap().is_none() && store.find(&uri(5)).unwrap().is_none());
}
