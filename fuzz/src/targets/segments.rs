//! A segment store whose last file was damaged while it was closed.
//!
//! An input is a scenario: how many documents of which size are put and committed, and how the last
//! segment is damaged. The guarantee is that every document is read as it was put, or is reported
//! as lost.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use fjall::{Database, KeyspaceCreateOptions};
use lodeward::model::Uri;
use lodeward::store::segments::SegmentOptions;
use lodeward::store::{SegmentStore, Store, StoreError};
use oxrdf::{Literal, NamedNode, Quad};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::{Target, scratch};

/// Small, so that a short scenario reaches every limit.
const SMALL: SegmentOptions =
    SegmentOptions { max_segment_bytes: 2 << 10, max_group_bytes: 2 << 10, max_draft_bytes: 4 << 10, level: 1 };
/// Number of scenarios after which the database is replaced, because deleted keyspaces slow it
/// down.
const SCENARIOS_PER_INDEX: u64 = 100;
/// Maximum number of puts per scenario.
const MAX_PUTS: usize = 16;

pub(super) struct Segments {
    index: RefCell<(Database, TempDir)>,
    runtime: Runtime,
    scenarios: Cell<u64>,
}

fn new_index() -> (Database, TempDir) {
    let temp_dir = scratch();
    let database = Database::builder(temp_dir.path().join("index")).worker_threads(1).open().expect("a database");
    (database, temp_dir)
}

/// The versions of each document, in the order in which they were put; the last one is committed at
/// the end.
type Versions = HashMap<u8, Vec<Vec<String>>>;

impl Segments {
    pub(super) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        Self { index: RefCell::new(new_index()), runtime, scenarios: Cell::new(0) }
    }

    fn put(&self, store: &SegmentStore, puts: &[[u8; 2]], versions: &mut Versions) {
        for (version, [document, size]) in puts.iter().enumerate() {
            let document = document % 8;
            let uri = uri(document);
            let mut draft = store.draft(&uri);
            let mut lines = Vec::new();
            for number in 0..usize::from(*size) {
                let name = |text: &str| NamedNode::new_unchecked(text);
                let text = format!("{version} {}", number.wrapping_mul(0x9E37_79B9) % 0xFFFF_FFFB);
                let quad = Quad::new(name("http://s/"), name("http://p/"), Literal::from(text), name(uri.as_str()));
                draft.append(quad.as_ref());
                lines.push(format!("{quad} ."));
            }
            self.runtime.block_on(store.put(draft.finish())).expect("a put");
            versions.entry(document).or_default().push(lines);
            if size % 3 == 0 {
                self.runtime.block_on(store.commit()).expect("a commit");
            }
        }
        self.runtime.block_on(store.commit()).expect("a commit");
    }

    fn run_scenario(&self, scenario: &[u8], open: impl Fn() -> Result<SegmentStore, StoreError>, directory: &Path) {
        let (puts, damage) = scenario.as_chunks().0.split_at((scenario.len() / 4).min(MAX_PUTS));
        let mut versions = Versions::new();
        self.put(&open().expect("a new store"), puts, &mut versions);
        damage_last_file(directory, damage);
        let Ok(store) = open() else { return };
        let lost = store.lost_documents().to_vec();
        check(&store, &versions, &lost);
        self.put(&store, &[[7, 5], [6, 0], [5, 90]], &mut versions);
        let lost: Vec<u128> =
            lost.into_iter().filter(|lost| (5..8).all(|new| uri(new).fingerprint() != *lost)).collect();
        check(&store, &versions, &lost);
    }
}

impl Target for Segments {
    fn name(&self) -> &'static str {
        "segments"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        // Sizes below 90 are held in memory, those above are spooled.
        vec![
            vec![1, 3, 2, 4, 3, 5, 0, 0, 0x80, 0x10, 0x90, 0, 0x90, 1, 0, 0],
            vec![1, 250, 2, 7, 3, 200, 0, 255, 0x80, 0xF0, 0x80, 7, 0x80, 7, 0x80, 9],
            vec![1, 3, 1, 6, 2, 0, 1, 255, 4, 9, 4, 0, 0, 200, 0xC0, 0x20, 0xD0, 0x01, 0xD0, 2, 0xD0, 3, 0, 0, 0, 0],
        ]
    }

    fn run(&self, input: &[u8]) {
        let number = self.scenarios.replace(self.scenarios.get() + 1);
        if number % SCENARIOS_PER_INDEX == SCENARIOS_PER_INDEX - 1 {
            self.index.replace(new_index());
        }
        let (database, temp_dir) = &*self.index.borrow();
        let directory = temp_dir.path().join(format!("scenario-{number}"));
        let name = format!("documents-{number}");
        let documents = database.keyspace(&name, KeyspaceCreateOptions::default).expect("a keyspace");
        let open = || SegmentStore::open(&directory, documents.clone(), database.clone(), SMALL);
        self.run_scenario(input, open, &directory);
        database.delete_keyspace(documents).expect("a keyspace can be deleted");
        fs::remove_dir_all(directory).expect("a directory can be removed");
    }
}

fn uri(document: u8) -> Uri {
    Uri::parse(&format!("http://a.example/{document}")).expect("a valid URL")
}

/// Damages the last segment: truncates it, flips bits, or appends bytes.
fn damage_last_file(directory: &Path, damage: &[[u8; 2]]) {
    let entries = fs::read_dir(directory).expect("a directory").flatten().map(|entry| entry.path());
    let last = entries.filter(|path| path.extension().is_some_and(|extension| extension == "zst")).max();
    let last = last.expect("a store has a segment");
    let mut bytes = fs::read(&last).expect("a segment");
    for [kind, position] in damage.iter().take(4) {
        let at = (usize::from(*kind & 15) << 8 | usize::from(*position)) * bytes.len() / (16 << 8);
        match kind >> 6 {
            0 => {}
            // Never a valid frame: a disk does not write one by accident, and a valid frame that is
            // not indexed would be recovered.
            1 => {
                let tail: Vec<u8> = bytes[at..].iter().enumerate().map(|(n, byte)| byte ^ u8::from(n == 0)).collect();
                bytes.extend(tail);
            }
            2 => bytes.truncate(at),
            _ => bytes[at..].iter_mut().take(1).for_each(|byte| *byte ^= 1 << (kind >> 4 & 3)),
        }
    }
    fs::write(last, bytes).expect("a segment can be written");
}

/// Checks that every document is as it was last put, or lost, or reported as damaged, or that the whole store
/// reports corruption.
fn check(store: &SegmentStore, versions: &Versions, lost: &[u128]) {
    let mut exported = Vec::new();
    let Ok(counted) = store.export(&mut exported) else { return };
    let Ok(report) = store.verify() else { return };
    let mut found = BTreeMap::<&str, Vec<&str>>::new();
    let text = str::from_utf8(&exported).expect("a harvest is text");
    for line in text.lines() {
        let graph = line.rsplit(' ').nth(1).expect("a line ends with its graph");
        found.entry(graph).or_default().push(line);
    }
    assert_eq!(counted.documents, found.len() as u64, "documents are counted");
    assert_eq!(counted.quads, text.lines().count() as u64, "quads are counted");
    for (document, versions) in versions {
        let uri = uri(*document);
        let lines = found.remove(format!("<{uri}>").as_str()).unwrap_or_default();
        let is_lost = lost.contains(&uri.fingerprint()) || report.documents.contains(&uri.fingerprint());
        let expected = if is_lost { &Vec::new() } else { versions.last().expect("it was put") };
        assert_eq!(&lines, expected, "{uri} (lost: {is_lost}) is as it was put");
    }
    assert!(found.is_empty(), "only documents that were put are read");
}
