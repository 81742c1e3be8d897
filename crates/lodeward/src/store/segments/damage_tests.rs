//! Tests of damaged segments: what is lost, what is reported, and what a repair leaves.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use fjall::{Database, Keyspace, KeyspaceCreateOptions};
use tempfile::TempDir;

use super::segment_reader::{SegmentReader, SegmentStep};
use super::*;
use crate::model::Provenance;
use crate::store::contract::{lines, sample_draft, uri};

/// Small, so that a harvest of a few kilobytes has several segments and a document of several
/// frames.
const TINY: SegmentOptions =
    SegmentOptions { max_segment_bytes: 1 << 10, max_group_bytes: 1 << 10, max_draft_bytes: 1 << 10, level: 1 };

/// A store whose segments are copied, damaged and opened with the original index.
struct SampleStore {
    dir: TempDir,
    database: Database,
    documents: Keyspace,
    /// Number of statements of each document.
    expected: BTreeMap<usize, usize>,
}

impl SampleStore {
    async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::builder(dir.path().join("index")).worker_threads(1).open().unwrap();
        let documents = database.keyspace("documents", KeyspaceCreateOptions::default).unwrap();
        let sample = Self { dir, database, documents, expected: BTreeMap::new() };
        let store = sample.open(&sample.segments());
        let mut expected = BTreeMap::new();
        // A document with 40 statements has several frames.
        for (number, quads) in [(1, 2), (2, 1), (3, 40), (4, 1), (5, 3), (6, 40), (7, 2), (8, 1), (9, 2)] {
            let mut draft = sample_draft(&store, &uri(number), "first", quads);
            draft.provenance = Some(Provenance::sample(number as u64));
            store.put(draft).await.unwrap();
            if number != 4 {
                store.commit().await.unwrap();
            }
            expected.insert(number, quads);
        }
        assert!(store.shared.writer().segment().number >= 2, "there are several segments");
        assert!(store.verify().unwrap().ranges.is_empty());
        drop(store);
        Self { expected, ..sample }
    }

    fn segments(&self) -> PathBuf {
        self.dir.path().join("segments")
    }

    fn open(&self, segments: &Path) -> SegmentStore {
        SegmentStore::open(segments, self.documents.clone(), self.database.clone(), TINY).unwrap()
    }

    /// A copy of the segments.
    fn copy(&self) -> TempDir {
        let copy = tempfile::tempdir().unwrap();
        for path in segment_files(&self.segments()) {
            fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
        }
        copy
    }

    /// The documents in the part of a segment that a change of one byte damages: those of its frame,
    /// or one document of several frames.
    fn documents_at(&self, path: &Path, offset: u64) -> Vec<usize> {
        let segment: u32 = path.file_name().unwrap().to_str().unwrap()[..6].parse().unwrap();
        let range = record_ranges(path).into_iter().find(|range| range.contains(&offset)).unwrap();
        let index = DocumentIndex { database: self.database.clone(), documents: self.documents.clone() };
        let snapshot = index.snapshot();
        let is_in = |number: &usize| {
            let at = index.current(&snapshot, uri(*number).fingerprint()).unwrap().unwrap();
            at.segment == segment && range.contains(&at.offset)
        };
        self.expected.keys().copied().filter(is_in).collect()
    }
}

/// The byte ranges of records: frames, each with the frames that continue it.
fn record_ranges(path: &Path) -> Vec<Range<u64>> {
    let extent = SegmentExtent::complete(path.metadata().unwrap().len());
    let mut reader = SegmentReader::open(path, 0, extent).unwrap();
    let mut ranges: Vec<Range<u64>> = Vec::new();
    while let SegmentStep::Frame(label, begin) = reader.step().unwrap() {
        match ranges.last_mut().filter(|_| label.documents == 0) {
            Some(last) => last.end = reader.offset(),
            None => ranges.push(*begin.end()..reader.offset()),
        }
    }
    ranges
}

fn segment_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|name| name == "zst")).collect();
    files.sort();
    files
}

/// All files of a directory with their content.
fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// The documents of an export, which must be complete, in numbers of statements.
fn exported(store: &SegmentStore) -> BTreeMap<usize, usize> {
    let mut text = Vec::new();
    let counts = store.export(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let graph = line.rsplit(['/', '>']).find(|part| !part.is_empty() && part.trim() != ".").unwrap();
        *found.entry(graph.parse().unwrap()).or_default() += 1;
    }
    assert_eq!(counts.documents, found.len() as u64);
    for (&number, &quads) in &found {
        let expected = lines(&uri(number), "first", quads);
        assert!(expected.iter().all(|line| text.contains(line.as_str())), "document {number} is as it was put");
    }
    found
}

/// The documents that a new follower receives.
fn followed(store: &SegmentStore) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    let mut reader = store.log().read(None).unwrap();
    while let Some(group) = reader.next_group(ReadBounds::default()).unwrap() {
        for change in group.changes {
            let number = change.document.as_str().rsplit('/').next().unwrap().parse().unwrap();
            let statements = std::io::read_to_string(change.statements.read().unwrap()).unwrap();
            assert_eq!(statements.lines().count() as u64, change.quads);
            found.insert(number, statements.lines().count());
        }
    }
    found
}

/// Checks that a damaged copy is read without a change of its files, that only `allowed` documents
/// are missing, and that exactly the missing ones are reported.
fn check_damaged(sample: &SampleStore, copy: &Path, allowed: &[usize], context: &str) -> Vec<usize> {
    let before = contents(copy);
    let store = sample.open(copy);
    let found = exported(&store);
    let missing: Vec<usize> = sample.expected.keys().filter(|number| !found.contains_key(number)).copied().collect();
    assert!(missing.iter().all(|number| allowed.contains(number)), "{context}: {missing:?} of {allowed:?}");
    assert!(found.iter().all(|(number, quads)| sample.expected[number] == *quads), "{context}: {found:?}");
    assert_eq!(followed(&store), found, "{context}");
    assert!(!store.damage().is_empty(), "{context}: the damage is reported");
    let report = store.verify().unwrap();
    let mut reported = report.documents.clone();
    let mut expected: Vec<u128> = missing.iter().map(|number| uri(*number).fingerprint()).collect();
    reported.sort_unstable();
    expected.sort_unstable();
    assert_eq!(reported, expected, "{context}");
    for number in sample.expected.keys() {
        let mut lines = Vec::new();
        let is_read = store.find(&uri(*number)).unwrap().is_some_and(|mut found| found.write(&mut lines).is_ok());
        assert!(is_read || allowed.contains(number), "{context}: document {number}");
    }
    drop(store);
    assert!(contents(copy) == before, "{context}: reading changes no file");
    missing
}

#[tokio::test]
async fn a_changed_bit_costs_at_most_the_documents_of_its_frame() {
    let sample = SampleStore::new().await;
    let copy = sample.copy();
    for path in segment_files(copy.path()) {
        let whole = fs::read(&path).unwrap();
        for offset in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[offset] ^= 1 << (offset % 8);
            fs::write(&path, damaged).unwrap();

            let original = sample.segments().join(path.file_name().unwrap());
            let allowed = sample.documents_at(&original, offset as u64);
            check_damaged(&sample, copy.path(), &allowed, &format!("{} at {offset}", path.display()));
        }
        fs::write(&path, whole).unwrap();
    }
}

#[tokio::test]
async fn damaged_metadata_costs_no_document() {
    let sample = SampleStore::new().await;
    let copy = sample.copy();
    let path = segment_path(copy.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    bytes[30] ^= 1;
    fs::write(&path, bytes).unwrap();

    let missing = check_damaged(&sample, copy.path(), &[1], "metadata of document 1");

    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(sample.open(copy.path()).verify().unwrap().without_provenance, 1);
}

/// A bit of the last frame of a large document changes, and a copy of the document follows it, as an
/// earlier content of the disk may.
#[tokio::test]
async fn a_damaged_document_before_a_copy_of_it_is_reported() {
    let mut sample = SampleStore::new().await;
    let store = sample.open(&sample.segments());
    store.put(sample_draft(&store, &uri(10), "first", 40)).await.unwrap();
    store.commit().await.unwrap();
    drop(store);
    sample.expected.insert(10, 40);
    let copy = sample.copy();
    let path = segment_files(copy.path()).pop().unwrap();
    let last = record_ranges(&path).pop().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend_from_within(file_offset(last.start)..);
    bytes[file_offset(last.end) - 1] ^= 1;
    fs::write(&path, bytes).unwrap();

    let missing = check_damaged(&sample, copy.path(), &[10], "a copy of document 10");

    assert_eq!(missing, [10]);
}

#[tokio::test]
async fn a_truncated_or_missing_segment_costs_only_the_documents_at_its_end() {
    let sample = SampleStore::new().await;
    let first = segment_path(&sample.segments(), 1);
    let ranges = record_ranges(&first);
    let all = |from: u64| -> Vec<usize> {
        ranges
            .iter()
            .filter(|range| range.end > from)
            .flat_map(|range| sample.documents_at(&first, range.start))
            .collect()
    };
    for cut in (0..first.metadata().unwrap().len()).step_by(7).chain(ranges.iter().map(|range| range.start)) {
        let copy = sample.copy();
        let file = fs::OpenOptions::new().write(true).open(segment_path(copy.path(), 1)).unwrap();
        file.set_len(cut).unwrap();
        check_damaged(&sample, copy.path(), &all(cut), &format!("truncated at {cut}"));
    }
    let copy = sample.copy();
    fs::remove_file(segment_path(copy.path(), 1)).unwrap();

    let missing = check_damaged(&sample, copy.path(), &all(0), "missing");

    assert_eq!(missing, all(0));
}

#[tokio::test]
async fn a_zero_filled_end_is_cut_by_the_writer_and_set_aside() {
    let sample = SampleStore::new().await;
    let copy = sample.copy();
    let path = segment_files(copy.path()).pop().unwrap();
    let last = record_ranges(&path).pop().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[file_offset(last.start) + 3..].fill(0);
    fs::write(&path, &bytes).unwrap();
    let allowed = sample.documents_at(&segment_files(&sample.segments()).pop().unwrap(), last.start);
    let missing = check_damaged(&sample, copy.path(), &allowed, "zero-filled");
    assert_eq!(missing, [9]);

    let store = sample.open(copy.path());
    assert_eq!(store.lost_documents(), [uri(9).fingerprint()]);
    store.put(sample_draft(&store, &uri(9), "first", 2)).await.unwrap();
    store.commit().await.unwrap();

    assert_eq!(exported(&store), sample.expected);
    assert!(store.damage().is_empty() && store.verify().unwrap().ranges.is_empty());
    let mut torn = path.clone().into_os_string();
    torn.push(format!(".torn-{}", last.start));
    assert_eq!(fs::read(torn).unwrap(), bytes[file_offset(last.start)..]);
}

/// Removes the damaged documents and puts them again, as a repair and the next crawl do.
async fn repair(store: &SegmentStore, missing: &[usize]) {
    let report = store.verify().unwrap();
    for number in missing {
        store.put(store.draft(&uri(*number)).finish()).await.unwrap();
    }
    store.commit().await.unwrap();
    store.repair(&report, &[]).unwrap();
}

#[tokio::test]
async fn a_repaired_store_has_no_damage_and_all_other_documents() {
    let numbers = record_ranges(&segment_path(&SampleStore::new().await.segments(), 1)).len();
    for number in 0..numbers {
        for place in [1, 30, 70] {
            let sample = SampleStore::new().await;
            let path = segment_path(&sample.segments(), 1);
            let range = record_ranges(&path).swap_remove(number);
            let allowed = sample.documents_at(&path, range.start);
            let follower = sample.open(&sample.segments()).log();
            let position = {
                let mut reader = follower.read(None).unwrap();
                while reader.next_group(ReadBounds::default()).unwrap().is_some() {}
                reader.position()
            };
            drop(follower);
            let mut bytes = fs::read(&path).unwrap();
            bytes[file_offset(range.start) + place] ^= 4;
            fs::write(&path, &bytes).unwrap();
            let missing = check_damaged(&sample, &sample.segments(), &allowed, &format!("{number} at {place}"));

            let store = sample.open(&sample.segments());
            repair(&store, &missing).await;
            drop(store);
            let store = sample.open(&sample.segments());

            assert!(store.verify().unwrap().ranges.is_empty() && store.damage().is_empty());
            let left = |number: &usize| !missing.contains(number);
            let expected: BTreeMap<_, _> = sample.expected.clone().into_iter().filter(|(n, _)| left(n)).collect();
            assert_eq!(exported(&store), expected);
            let mut reader = store.log().read(Some(position)).unwrap();
            let mut removed = Vec::new();
            while let Some(group) = reader.next_group(ReadBounds::default()).unwrap() {
                removed.extend(
                    group
                        .changes
                        .into_iter()
                        .filter(super::super::follow::DocumentChange::is_removal)
                        .map(|change| change.document),
                );
            }
            removed.dedup();
            assert_eq!(removed, missing.iter().map(|number| uri(*number)).collect::<Vec<_>>());
            zstd::decode_all(fs::File::open(&path).unwrap()).expect("zstd tools can read the segment");
            let aside =
                contents(&sample.segments()).into_keys().find(|path| path.to_string_lossy().contains(".damaged-"));
            assert!(bytes.windows(8).any(|window| fs::read(aside.as_ref().unwrap()).unwrap().starts_with(window)));
        }
    }
}

#[tokio::test]
async fn a_repaired_segment_is_complete_without_its_end_or_file() {
    for cut in [None, Some(0), Some(100)] {
        let sample = SampleStore::new().await;
        let path = segment_path(&sample.segments(), 1);
        match cut {
            Some(cut) => fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(cut).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let store = sample.open(&sample.segments());
        let found = exported(&store);
        let missing: Vec<usize> =
            sample.expected.keys().filter(|number| !found.contains_key(number)).copied().collect();

        repair(&store, &missing).await;
        drop(store);
        let store = sample.open(&sample.segments());

        assert!(store.verify().unwrap().ranges.is_empty(), "{cut:?}");
        assert_eq!(exported(&store), found);
        assert_eq!(followed(&store).into_iter().filter(|(_, quads)| *quads > 0).collect::<BTreeMap<_, _>>(), found);
    }
}

/// A position in a file that is in memory.
fn file_offset(bytes: u64) -> usize {
    usize::try_from(bytes).expect("a test file is small")
}
