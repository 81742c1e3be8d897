//! Tests of the log as followers see it, with damaged and old segments.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Read as _;
use std::path::Path;

use fjall::{Database, KeyspaceCreateOptions};
use tempfile::TempDir;

use super::super::follow::Position;
use super::export::write_record_header;
use super::frame_metadata::FrameMetadata;
use super::*;
use crate::model::Provenance;
use crate::store::contract::{lines, sample_draft, uri};

const SMALL: SegmentOptions =
    SegmentOptions { max_segment_bytes: 4 << 10, max_group_bytes: 2 << 10, max_draft_bytes: 16 << 10, level: 1 };
const ALL: ReadBounds = ReadBounds { max_records: 1_000, max_bytes: 1 << 20 };

fn open(dir: &Path) -> SegmentStore {
    let database = Database::builder(dir.join("index")).open().unwrap();
    let documents = database.keyspace("documents", KeyspaceCreateOptions::default).unwrap();
    SegmentStore::open(dir.join("segments"), documents, database, SMALL).unwrap()
}

fn make() -> (TempDir, SegmentStore) {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    (dir, store)
}

async fn put(store: &SegmentStore, number: usize, version: &str, quads: usize) {
    let mut draft = sample_draft(store, &uri(number), version, quads);
    draft.provenance = Some(Provenance::sample(number as u64));
    store.put(draft).await.unwrap();
}

/// The documents of a follower that applied every change.
#[derive(Debug, Default, PartialEq)]
struct FollowerCopy(BTreeMap<String, (Vec<String>, Option<Provenance>)>);

impl FollowerCopy {
    fn apply(&mut self, group: &LogGroup) {
        for change in &group.changes {
            let mut text = String::new();
            change.statements.read().unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text.lines().count() as u64, change.quads);
            if change.is_removal() {
                self.0.remove(change.document.as_str());
            } else {
                let lines = text.lines().map(str::to_owned).collect();
                self.0.insert(change.document.to_string(), (lines, change.provenance.clone()));
            }
        }
    }

    /// Reads to the end. Returns the position.
    fn follow(&mut self, store: &SegmentStore, from: Option<Position>, bounds: ReadBounds) -> Position {
        let mut reader = store.log().read(from).unwrap();
        while let Some(group) = reader.next_group(bounds).unwrap() {
            self.apply(&group);
            assert_eq!(group.upto, reader.position());
        }
        assert_eq!(reader.distance().unwrap(), LogDistance::default());
        reader.position()
    }

    fn check(&self, expected: &[(usize, &str, usize)]) {
        let expected = expected.iter().map(|&(number, version, quads)| {
            let uri = uri(number);
            let lines = lines(&uri, version, quads);
            (uri.to_string(), (lines, Some(Provenance::sample(number as u64))))
        });
        let expected: BTreeMap<_, _> = expected.collect();
        assert_eq!(self.0.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (document, expected) in expected {
            assert!(self.0[&document] == expected, "{document}: {:?} {}", expected.0.first(), expected.0.len());
        }
    }
}

#[tokio::test]
async fn a_follower_gets_the_current_documents_with_any_bounds() {
    let (_dir, store) = make();
    let mut current = BTreeMap::new();
    for number in 0..60 {
        let again = match number % 5 {
            0 => (number / 2, "second", 2),
            1 => (number, "large", 700),
            2 => (number, "none", 0),
            _ => (number, "again", 5),
        };
        for (number, version, quads) in [(number, "first", 1 + number % 20), again] {
            put(&store, number, version, quads).await;
            current.insert(number, (number, version, quads));
        }
    }
    store.commit().await.unwrap();
    let expected: Vec<_> = current.into_values().filter(|(_, _, quads)| *quads > 0).collect();

    for bounds in [ALL, ReadBounds { max_records: 1, max_bytes: 1 }] {
        let mut copy = FollowerCopy::default();
        copy.follow(&store, None, bounds);
        copy.check(&expected);
    }
    assert!(store.shared.writer().segment().number > 3);
}

#[tokio::test]
async fn a_follower_resumes_from_any_position() {
    let (dir, store) = make();
    for number in 0..30 {
        put(&store, number % 12, "first", 3 + number).await;
        if number % 3 == 0 {
            store.commit().await.unwrap();
        }
    }
    store.commit().await.unwrap();
    let mut positions = vec![None];
    let mut reader = store.log().read(None).unwrap();
    while let Some(group) = reader.next_group(ReadBounds { max_records: 1, max_bytes: 1 }).unwrap() {
        positions.push(Some(group.upto));
    }
    assert!(positions.len() > 6, "{positions:?}");
    drop(reader);
    drop(store);
    let store = open(dir.path());

    for from in &positions {
        let mut copy = FollowerCopy::default();
        let mut reader = store.log().read(None).unwrap();
        while Some(reader.position()) < *from {
            copy.apply(&reader.next_group(ReadBounds { max_records: 1, max_bytes: 1 }).unwrap().unwrap());
        }
        let stored = from.map(|position| Position::decode(&position.encode()).unwrap());

        copy.follow(&store, stored, ALL);

        copy.check(
            &(0..12)
                .map(|number| (number, "first", if number < 6 { 27 + number } else { 15 + number }))
                .collect::<Vec<_>>(),
        );
    }
}

#[tokio::test]
async fn a_removed_document_leaves_a_record_and_an_unknown_one_does_not() {
    let (_dir, store) = make();
    put(&store, 1, "first", 3).await;
    store.commit().await.unwrap();
    let mut copy = FollowerCopy::default();
    let position = copy.follow(&store, None, ALL);

    put(&store, 1, "none", 0).await;
    put(&store, 2, "none", 0).await;
    store.commit().await.unwrap();

    let mut reader = store.log().read(Some(position)).unwrap();
    assert_eq!(reader.distance().unwrap().records, 1);
    let group = reader.next_group(ALL).unwrap().unwrap();
    let removals: Vec<_> = group.changes.iter().map(|change| (change.document.clone(), change.is_removal())).collect();
    assert_eq!(removals, [(uri(1), true)]);
    copy.apply(&group);
    copy.check(&[]);
}

#[tokio::test]
async fn a_document_removed_and_put_again_within_a_group_is_current() {
    let (_dir, store) = make();
    put(&store, 1, "first", 3).await;
    store.commit().await.unwrap();
    put(&store, 1, "none", 0).await;
    put(&store, 1, "second", 2).await;
    put(&store, 2, "first", 2).await;
    put(&store, 2, "none", 0).await;
    store.commit().await.unwrap();

    let mut copy = FollowerCopy::default();
    copy.follow(&store, None, ALL);

    copy.check(&[(1, "second", 2)]);
    crate::store::contract::check(&store, &[(1, "second", 2)]);
}

#[tokio::test]
async fn records_that_were_not_indexed_are_skipped() {
    let (dir, store) = make();
    put(&store, 1, "first", 3).await;
    put(&store, 2, "first", 3).await;
    store.commit().await.unwrap();
    // A new document, a new version, a removal; none of them is indexed.
    let mut orphans = Vec::new();
    for (number, quads) in [(3, 1), (1, 1), (2, 0)] {
        write_record_header(&mut orphans, &uri(number), quads);
        if quads > 0 {
            orphans.extend_from_slice(b"<http://a.example/s> <http://a.example/p> \"orphan\" .\n");
        }
    }
    store.shared.writer().append(3, &orphans, &[]).unwrap();
    // A large document that is incomplete.
    let mut first_line = Vec::new();
    write_record_header(&mut first_line, &uri(4), 9);
    store.shared.writer().append(1, &first_line, &[]).unwrap();
    store.shared.writer().append(0, b"<http://a.example/s> <http://a.example/p> \"orphan\" .\n", &[]).unwrap();
    drop(store);

    let store = open(dir.path());
    put(&store, 5, "large", 700).await;
    put(&store, 6, "first", 1).await;
    store.commit().await.unwrap();
    let mut copy = FollowerCopy::default();
    copy.follow(&store, None, ALL);

    copy.check(&[(1, "first", 3), (2, "first", 3), (5, "large", 700), (6, "first", 1)]);
}

#[tokio::test]
async fn uncommitted_documents_are_not_read() {
    let (_dir, store) = make();
    put(&store, 1, "first", 3).await;
    store.commit().await.unwrap();
    put(&store, 2, "first", 3).await;

    let mut copy = FollowerCopy::default();
    let position = copy.follow(&store, None, ALL);
    copy.check(&[(1, "first", 3)]);
    store.commit().await.unwrap();
    copy.follow(&store, Some(position), ALL);

    copy.check(&[(1, "first", 3), (2, "first", 3)]);
}

/// After a power cut, the position of the follower was synced, but the segment was not.
#[tokio::test]
async fn a_position_after_the_end_of_a_truncated_log_is_reset() {
    let (dir, store) = make();
    put(&store, 1, "first", 3).await;
    store.commit().await.unwrap();
    let kept_bytes = store.shared.writer().segment().bytes;
    put(&store, 2, "first", 3).await;
    put(&store, 3, "first", 3).await;
    store.commit().await.unwrap();
    let mut copy = FollowerCopy::default();
    let position = copy.follow(&store, None, ALL);
    drop(store);
    let path = segment_path(&dir.path().join("segments"), 1);
    OpenOptions::new().write(true).open(&path).unwrap().set_len(kept_bytes).unwrap();

    // Reopened immediately, as when a crawl is resumed; and after other records were written at the
    // old position of the follower.
    let store = open(dir.path());
    let position = copy.follow(&store, Some(position), ALL);
    assert_eq!(position.offset, kept_bytes);
    put(&store, 2, "none", 0).await;
    put(&store, 3, "again", 1).await;
    put(&store, 4, "first", 1).await;
    store.commit().await.unwrap();
    let late = Position { offset: kept_bytes + 10, ..position };
    for from in [position, late, Position { segment: 7, ..position }, Position { check: 1, ..position }] {
        let mut copy = FollowerCopy(copy.0.clone());
        copy.follow(&store, Some(from), ALL);
        copy.check(&[(1, "first", 3), (3, "again", 1), (4, "first", 1)]);
    }
}

/// Older versions wrote frames without metadata, and no records of removals.
#[tokio::test]
async fn segments_of_older_versions_are_read_as_a_log() {
    let dir = tempfile::tempdir().unwrap();
    let database = Database::builder(dir.path().join("index")).open().unwrap();
    let documents = database.keyspace("documents", KeyspaceCreateOptions::default).unwrap();
    let segments = dir.path().join("segments");
    fs::create_dir_all(&segments).unwrap();
    let raw = [(1, 2), (2, 1), (1, 1)].map(|(number, quads)| {
        let version = if quads == 2 { "old" } else { "new" };
        format!("# document <{}> quads={quads}\n{}\n", uri(number), lines(&uri(number), version, quads).join("\n"))
    });
    let raw = raw.concat();
    let packed = zstd::bulk::compress(raw.as_bytes(), 1).unwrap();
    let checksum = xxhash_rust::xxh3::xxh3_64_with_seed(&packed, 3 << 32 | raw.len() as u64);
    let size = |bytes: usize| u32::try_from(bytes).unwrap();
    let words = [0x184D_2A5D, 24, u32::from_le_bytes(*b"LDW1"), 3, size(raw.len()), size(packed.len())];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(packed);
    fs::write(segment_path(&segments, 1), bytes).unwrap();
    // Document 2 was removed; document 1 is the third record.
    let location = [1, 0, 0, 2, 0, 1_u32].map(u32::to_be_bytes).concat();
    documents.insert(uri(1).fingerprint().to_be_bytes(), location).unwrap();

    let store = SegmentStore::open(&segments, documents, database, SMALL).unwrap();

    assert!(store.lost_documents().is_empty());
    let mut copy = FollowerCopy::default();
    let position = copy.follow(&store, None, ALL);
    assert_eq!(copy.0, BTreeMap::from([(uri(1).to_string(), (lines(&uri(1), "new", 1), None))]));
    put(&store, 3, "first", 1).await;
    store.commit().await.unwrap();
    copy.follow(&store, Some(position), ALL);
    assert_eq!(copy.0.len(), 2);
}

#[tokio::test]
async fn provenance_is_in_the_metadata_and_not_among_the_statements() {
    let (dir, store) = make();
    put(&store, 1, "first", 1).await;
    put(&store, 2, "large", 700).await;
    store.commit().await.unwrap();

    let text = zstd::decode_all(fs::File::open(segment_path(&dir.path().join("segments"), 1)).unwrap()).unwrap();

    let quads: Vec<_> = oxttl::NQuadsParser::new().for_slice(&text).collect::<Result<_, _>>().unwrap();
    assert_eq!(quads.len(), 701);
    assert!(!String::from_utf8(text).unwrap().contains("ETag"));
}

#[test]
fn metadata_of_another_version_is_ignored() {
    let mut metadata = FrameMetadata::default();
    metadata.add(3, Provenance::sample(3));
    let mut bytes = metadata.encode();

    assert_eq!(FrameMetadata::decode(&bytes).take(3), Some(Provenance::sample(3)));
    assert_eq!(FrameMetadata::decode(&bytes).take(2), None);
    bytes[0] = 9;
    assert_eq!(FrameMetadata::decode(&bytes), FrameMetadata::default());
}

#[tokio::test]
async fn a_follower_that_is_up_to_date_reads_from_memory() {
    let (dir, store) = make();
    put(&store, 0, "old", 5).await;
    store.commit().await.unwrap();
    let mut reader = store.log().follow(None).unwrap();
    let mut copy = FollowerCopy::default();
    copy.apply(&reader.next_group(ALL).unwrap().unwrap());
    for number in 1..400 {
        put(&store, number, "v", 5).await;
    }
    put(&store, 0, "new", 7).await;
    store.commit().await.unwrap();

    // Without its segments, the log can only be read from memory.
    let segments: Vec<_> =
        fs::read_dir(dir.path().join("segments")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let segments: Vec<_> = segments.into_iter().filter(|path| path.is_file()).collect();
    assert!(segments.len() > 1, "the log has one segment only");
    let hidden = dir.path().join("hidden");
    fs::create_dir(&hidden).unwrap();
    for path in &segments {
        fs::rename(path, hidden.join(path.file_name().unwrap())).unwrap();
    }
    let mut from_memory = Vec::new();
    while let Some(group) = reader.next_group(ALL).unwrap() {
        from_memory.push(group);
    }
    for path in &segments {
        fs::rename(hidden.join(path.file_name().unwrap()), path).unwrap();
    }
    for group in &from_memory {
        copy.apply(group);
    }

    let mut from_segments = FollowerCopy::default();
    let end = from_segments.follow(&store, None, ALL);
    assert_eq!(copy, from_segments);
    assert_eq!(reader.position(), end);
    assert_eq!(copy.0.len(), 400);
}

/// A large document is in the segments only, between frames that are in memory.
#[tokio::test]
async fn frames_in_memory_and_large_documents_alternate() {
    let (_dir, store) = make();
    let mut reader = store.log().follow(None).unwrap();
    for number in 0..12 {
        put(&store, number, "v", if number % 3 == 1 { 900 } else { 6 }).await;
    }
    store.commit().await.unwrap();

    let mut copy = FollowerCopy::default();
    while let Some(group) = reader.next_group(ALL).unwrap() {
        copy.apply(&group);
    }

    let mut from_segments = FollowerCopy::default();
    let end = from_segments.follow(&store, None, ALL);
    assert_eq!((reader.position(), copy.0.len()), (end, 12));
    assert_eq!(copy, from_segments);
}
