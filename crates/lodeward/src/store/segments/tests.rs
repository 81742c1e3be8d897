//! The contract, and what is special about files: they outlive processes.

use std::fs::{self, File, OpenOptions};
use std::path::Path;

use fjall::{Database, KeyspaceCreateOptions};
use tempfile::TempDir;

use super::export::write_first_line;
use super::shared::Group;
use super::*;
use crate::provenance::Provenance;
use crate::store::contract::{check, uri, written};

/// Small, so that a test meets every bound.
pub(super) const SMALL: Options =
    Options { segment_bytes_max: 4 << 10, group_bytes_max: 2 << 10, draft_bytes_max: 16 << 10, level: 1 };

fn database(folder: &Path) -> Database {
    Database::builder(folder.join("index")).open().unwrap()
}

pub(super) fn open(folder: &Path, options: Options) -> SegmentStore {
    open_in(folder, database(folder), options)
}

fn open_in(folder: &Path, database: Database, options: Options) -> SegmentStore {
    let documents = database.keyspace("documents", KeyspaceCreateOptions::default).unwrap();
    SegmentStore::open(folder.join("segments"), documents, database, options).unwrap()
}

fn make() -> (TempDir, SegmentStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), SMALL);
    (folder, store)
}

mod small {
    crate::store::contract::store_contract!(async { super::make() });
}

mod usual {
    crate::store::contract::store_contract!(async {
        let folder = tempfile::tempdir().unwrap();
        let store = super::open(folder.path(), super::Options::default());
        (folder, store)
    });
}

/// Everything that was ever put, as any zstd tool shows it.
fn shown(folder: &Path) -> String {
    let directory = folder.join("segments");
    let last = super::writer::last_segment(&directory).unwrap();
    let show = |segment| zstd::decode_all(File::open(segment_path(&directory, segment)).unwrap()).unwrap();
    (1..=last).map(|segment| String::from_utf8(show(segment)).unwrap()).collect()
}

#[tokio::test]
async fn segments_are_n_quads_with_a_comment_for_each_document() {
    let (folder, store) = make();
    store.put(written(&store, &uri(1), "first", 1)).await.unwrap();
    store.put(written(&store, &uri(2), "first", 2)).await.unwrap();
    store.commit().await.unwrap();

    let text = shown(folder.path());

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
async fn a_harvest_is_found_again_across_many_segments() {
    let (folder, store) = make();
    let mut expected = Vec::new();
    for number in 0..200 {
        store.put(written(&store, &uri(number), "first", 1 + number % 50)).await.unwrap();
        if number % 3 == 0 {
            store.put(written(&store, &uri(number), "second", 1 + number % 7)).await.unwrap();
            expected.push((number, "second", 1 + number % 7));
        } else {
            expected.push((number, "first", 1 + number % 50));
        }
    }
    store.commit().await.unwrap();
    drop(store);

    let store = open(folder.path(), SMALL);

    assert!(store.shared.writer().segment().number > 2);
    assert!(store.lost().is_empty());
    check(&store, &expected);
}

#[tokio::test]
async fn a_process_that_dies_loses_nothing_committed() {
    let (folder, store) = make();
    store.put(written(&store, &uri(1), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    store.put(written(&store, &uri(1), "second", 3)).await.unwrap();
    store.put(written(&store, &uri(2), "first", 3)).await.unwrap();
    drop(store);

    let store = open(folder.path(), SMALL);

    check(&store, &[(1, "first", 3)]);
    store.put(written(&store, &uri(2), "again", 3)).await.unwrap();
    store.commit().await.unwrap();
    check(&store, &[(1, "first", 3), (2, "again", 3)]);
}

#[tokio::test]
async fn a_document_that_was_written_but_not_indexed_is_passed_over() {
    let (folder, store) = make();
    store.put(written(&store, &uri(1), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    let mut orphan = Vec::new();
    write_first_line(&mut orphan, &uri(2), 1);
    orphan.extend_from_slice(b"<http://a.example/s> <http://a.example/p> \"orphan\" .\n");
    store.shared.writer().append(1, &orphan, &[]).unwrap();
    drop(store);

    let store = open(folder.path(), SMALL);
    store.put(written(&store, &uri(3), "first", 2)).await.unwrap();
    store.put(written(&store, &uri(2), "again", 2)).await.unwrap();
    store.commit().await.unwrap();

    assert!(shown(folder.path()).contains("orphan"));
    check(&store, &[(1, "first", 3), (2, "again", 2), (3, "first", 2)]);
}

#[tokio::test]
async fn a_frame_torn_at_any_byte_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let database = database(folder.path());
    let store = open_in(folder.path(), database.clone(), Options::default());
    store.put(written(&store, &uri(1), "first", 3)).await.unwrap();
    store.put(written(&store, &uri(2), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    let whole = store.shared.writer().segment().bytes;
    // The frame of a process that died before it wrote the index.
    let mut group = Group::default();
    group.add(uri(2), 5, &written_lines(&store, 2, 5), Some(Provenance::sample(2)));
    group.add(uri(4), 5, &written_lines(&store, 4, 5), Some(Provenance::sample(4)));
    store.shared.writer().append(2, &group.raw, &group.slip.encode()).unwrap();
    let end = store.shared.writer().segment().bytes;
    let documents = store.shared.index.documents.clone();
    drop(store);

    for cut in whole..=end {
        // One index for all rounds: opening does not change it.
        let segments = folder.path().join(format!("cut-{cut}"));
        fs::create_dir(&segments).unwrap();
        fs::copy(segment_path(&folder.path().join("segments"), 1), segment_path(&segments, 1)).unwrap();
        let file = OpenOptions::new().write(true).open(segment_path(&segments, 1)).unwrap();
        file.set_len(cut).unwrap();

        let store = SegmentStore::open(&segments, documents.clone(), database.clone(), Options::default()).unwrap();

        let kept = if cut == end { end } else { whole };
        assert_eq!(store.shared.writer().segment().bytes, kept, "cut at {cut}");
        assert_eq!(file.metadata().unwrap().len(), kept);
        check(&store, &[(1, "first", 3), (2, "first", 3)]);
    }
}

fn written_lines(store: &SegmentStore, number: usize, quads: usize) -> Vec<u8> {
    match *written(store, &uri(number), "torn", quads).content.downcast().unwrap() {
        Content::Held(lines) => lines,
        _ => unreachable!("five statements are held in memory"),
    }
}

#[tokio::test]
async fn a_torn_store_goes_on_as_if_nothing_had_happened() {
    let (folder, store) = make();
    store.put(written(&store, &uri(1), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    drop(store);
    let path = segment_path(&folder.path().join("segments"), 1);
    let mut torn = fs::read(&path).unwrap();
    torn.extend_from_slice(&torn.clone()[..50]);
    fs::write(&path, torn).unwrap();

    let store = open(folder.path(), SMALL);
    store.put(written(&store, &uri(2), "first", 20_000)).await.unwrap();
    store.put(written(&store, &uri(3), "first", 2)).await.unwrap();
    store.commit().await.unwrap();
    drop(store);

    check(&open(folder.path(), SMALL), &[(1, "first", 3), (2, "first", 20_000), (3, "first", 2)]);
}

#[tokio::test]
async fn a_power_cut_that_takes_a_segments_tail_is_noticed() {
    let (folder, store) = make();
    store.put(written(&store, &uri(1), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    let kept = store.shared.writer().segment().bytes;
    store.put(written(&store, &uri(2), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    drop(store);
    let path = segment_path(&folder.path().join("segments"), 1);
    OpenOptions::new().write(true).open(&path).unwrap().set_len(kept).unwrap();

    let store = open(folder.path(), SMALL);

    assert_eq!(store.lost(), [uri(2).fingerprint()]);
    check(&store, &[(1, "first", 3)]);
    store.put(written(&store, &uri(3), "first", 3)).await.unwrap();
    store.commit().await.unwrap();
    check(&store, &[(1, "first", 3), (3, "first", 3)]);
    drop(store);
    assert!(open(folder.path(), SMALL).lost().is_empty());
}

/// Found by `make fuzz`: all records still began, and the last one came out
/// without its end.
#[tokio::test]
async fn a_spooled_document_that_lost_a_frame_is_lost_and_not_shortened() {
    for cut in [1, 2_000, 4_000] {
        let (folder, store) = make();
        store.put(written(&store, &uri(1), "first", 3)).await.unwrap();
        store.put(written(&store, &uri(2), "first", 2_000)).await.unwrap();
        let whole = store.shared.writer().segment().bytes;
        assert!(whole > 4_000, "{whole}");
        drop(store);
        let path = segment_path(&folder.path().join("segments"), 1);
        OpenOptions::new().write(true).open(&path).unwrap().set_len(whole - cut).unwrap();

        let store = open(folder.path(), SMALL);

        assert_eq!(store.lost(), [uri(2).fingerprint()], "cut {cut}");
        check(&store, &[(1, "first", 3)]);
        store.put(written(&store, &uri(3), "first", 3)).await.unwrap();
        store.commit().await.unwrap();
        check(&store, &[(1, "first", 3), (3, "first", 3)]);
        drop(store);
        assert!(open(folder.path(), SMALL).lost().is_empty());
    }
}

#[tokio::test]
async fn a_segment_that_rots_is_an_error_and_not_a_short_harvest() {
    let (folder, store) = make();
    for number in 0..40 {
        store.put(written(&store, &uri(number), "first", 200)).await.unwrap();
    }
    store.commit().await.unwrap();
    let path = segment_path(&folder.path().join("segments"), 1);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();

    let error = store.export(&mut Vec::new()).unwrap_err();

    assert!(matches!(error, StoreError::Corrupted { .. }), "{error}");
}

#[tokio::test]
async fn left_over_spool_files_are_removed() {
    let (folder, store) = make();
    let stale = folder.path().join("segments/spool/left-over");
    fs::write(&stale, "half a document").unwrap();
    drop(store);

    drop(open(folder.path(), SMALL));

    assert!(!stale.exists());
}

#[tokio::test]
async fn a_draft_that_cannot_be_spooled_says_so_when_it_is_put() {
    let (folder, store) = make();
    fs::remove_dir(folder.path().join("segments/spool")).unwrap();

    let error = store.put(written(&store, &uri(1), "first", 20_000)).await.unwrap_err();

    assert!(error.to_string().ends_with("segments/spool"), "{error}");
    store.commit().await.unwrap();
    check(&store, &[]);
}

#[tokio::test]
async fn a_document_is_found_as_it_was_put_last_with_where_it_comes_from() {
    let (_folder, store) = make();
    let put = async |number: usize, value: &str, quads: usize, provenance: u64| {
        let mut draft = written(&store, &uri(number), value, quads);
        draft.provenance = Some(Provenance::sample(provenance));
        store.put(draft).await.unwrap();
    };
    let lines = |found: &mut Harvested| {
        let mut text = Vec::new();
        found.write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    };

    // In one group, across frames, and too large to hold.
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
