//! Stores the harvest as compressed N-Quads files.
//!
//! A store is a directory of append-only segments, `000001.nq.zst` and so on, and an index. A
//! segment is a sequence of *records*: a comment line that names the document, `# document <URL>
//! quads=N`, and its statements. Records are collected in groups; a group becomes one compressed
//! frame. `zstdcat *.nq.zst` prints everything that was ever put.
//!
//! Nothing is changed in place. The index maps each document to its current record, and an
//! [export](Store::export) skips all other records: versions that have been replaced, and records
//! that were written but not indexed because the process was killed. If a document that had
//! statements is put without statements, a record `# document <URL> quads=0` is written and the
//! document is removed from the index; a document that never had statements leaves no record.
//!
//! **The log.** The segments are a complete history of the harvest. [`SegmentLog`] reads them in
//! order for [followers](super::follow). The provenance of the documents of a frame is in its
//! metadata, a skippable frame that zstd ignores, so `zstdcat` prints valid N-Quads. Directories
//! written before there was metadata, or before removals were recorded, remain readable: frames
//! without metadata have no provenance, and every record of a removed document is reported as a
//! removal, because the index does not have the document.
//!
//! **Durability.** [`Store::commit`] passes first the frame, then the index entries to the
//! operating system. If the process is killed at any time, the index therefore refers only to
//! records that exist; the request is repeated, its document is put again, and the record that was
//! not indexed is skipped. An incomplete frame at the end of the last segment is cut before the
//! next write, and its bytes are kept in a file next to the segment, such as
//! `000003.nq.zst.torn-4711`. [`Store::sync`] does the same for power cuts: segment first, index
//! second. A power cut between two syncs may remove the tail of a segment but not the index
//! entries; [`SegmentStore::lost_documents`] returns the documents concerned.
//!
//! **Damage.** Every frame has a checksum. Readers skip bytes that are not a frame, continue at the
//! next frame, and report the [damage](SegmentStore::damage). Reading changes no file.
//! [`SegmentStore::repair`] sets damaged bytes aside and replaces them with a gap, so that the
//! segment is readable again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use self::damage::DamageLog;
use self::draft::{DraftContent, SegmentDraft};
use self::export::{SegmentExporter, SingleOutput};
use self::index::DocumentIndex;
use self::inner::SegmentStoreInner;
use self::recent_frames::RecentFrames;
use self::segment_reader::SegmentExtent;
use self::writer::{SegmentWriter, segment_path};
use super::follow::Position;
use super::{DocumentRouter, Draft, ExportSummary, FinishedDraft, Store, StoreError};
use crate::model::{StoreReceipt, Uri};

mod damage;
mod draft;
mod export;
mod frame;
mod index;
mod log;
mod document;
mod rdf_patch;
mod recent_frames;
mod record;
mod repair;
mod segment_reader;
mod set_aside;
mod inner;
mod frame_metadata;
mod frame_stream;
mod tail;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod log_tests;
#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod patch_tests;
mod writer;

pub use damage::DamagedRange;
pub use document::StoredDocument;
pub(super) use frame_stream::frame_stream;
pub use log::{LogDistance, LogGroup, LogReader, ReadBounds, SegmentLog};
pub use rdf_patch::{PatchCounts, RdfPatchFile};
pub use repair::DamageReport;
pub(super) use tail::LogEnd;
use tail::LogTail;

/// Options of a [`SegmentStore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentOptions {
    /// Size at which a segment is closed and a new one is created.
    pub max_segment_bytes: u64,
    /// Bytes of N-Quads at which a group is written without waiting for a commit.
    pub max_group_bytes: usize,
    /// Maximum bytes of N-Quads that a draft holds in memory.
    pub max_draft_bytes: usize,
    /// zstd compression level. N-Quads are so repetitive that higher levels gain little.
    pub level: i32,
}

impl Default for SegmentOptions {
    fn default() -> Self {
        Self { max_segment_bytes: 256 << 20, max_group_bytes: 256 << 10, max_draft_bytes: 4 << 20, level: 1 }
    }
}

/// A directory of segments and its index.
pub struct SegmentStore {
    shared: Arc<SegmentStoreInner>,
    lost: Vec<u128>,
    /// Whether the index still has the locations of lost documents.
    has_lost_entries: AtomicBool,
}

impl SegmentStore {
    /// Opens the store in `directory`, or creates it. The keyspace `documents` is its index and
    /// must not be used otherwise.
    pub fn open(
        directory: impl AsRef<Path>,
        documents: fjall::Keyspace,
        database: fjall::Database,
        options: SegmentOptions,
    ) -> Result<Self, StoreError> {
        let directory = directory.as_ref().to_path_buf();
        let spool_directory = directory.join("spool");
        clear_directory(&spool_directory)
            .map_err(|source| StoreError::Write { path: spool_directory.clone(), source })?;
        let index = DocumentIndex { database, documents };
        let expected = index.expected_end()?;
        let (writer, damage) = SegmentWriter::open(&directory, options, expected)?;
        let tail = LogTail::new(writer.segment().number, writer.segment().bytes);
        let lost = index.lost_after(writer.end())?;
        let shared = SegmentStoreInner {
            directory,
            spool_directory: Arc::new(spool_directory),
            options,
            index,
            group: Mutex::default(),
            writer: Mutex::new(writer),
            tail,
            recent: RecentFrames::default(),
            damage: DamageLog::default(),
            patch: Mutex::default(),
        };
        for range in damage {
            shared.damage.add(range);
        }
        if let Some(expected) = expected.filter(|_| !lost.is_empty()) {
            shared.note_lost_end(expected);
        }
        let has_lost_entries = AtomicBool::new(!lost.is_empty());
        Ok(Self { shared: Arc::new(shared), lost, has_lost_entries })
    }

    /// Fingerprints of documents lost in a power cut, determined when the store was opened. They
    /// have to be fetched again. Empty after [`acknowledge_lost`](Self::acknowledge_lost).
    #[must_use]
    pub fn lost_documents(&self) -> &[u128] {
        if self.has_lost_entries.load(Ordering::Acquire) { &self.lost } else { &[] }
    }

    /// The damaged parts of segments that were found since the store was opened. Opening reads the
    /// last segment; [`verify`](Self::verify) reads all.
    #[must_use]
    pub fn damage(&self) -> Vec<DamagedRange> {
        self.shared.damage.ranges()
    }

    /// Returns the segments as a log that followers can read.
    #[must_use]
    pub fn log(&self) -> SegmentLog {
        SegmentLog::new(&self.shared)
    }

    /// Finds a document as of the last commit; `None` if it is not stored.
    pub fn find(&self, document: &Uri) -> Result<Option<StoredDocument>, StoreError> {
        StoredDocument::find(&self.shared, document)
    }

    /// Writes all further changes to an RDF Patch, each before it takes effect.
    pub fn start_patch(&self, into: RdfPatchFile) {
        *self.shared.patch() = Some(into);
    }

    /// Stops writing changes. Returns their counts.
    pub fn finish_patch(&self) -> Option<PatchCounts> {
        self.shared.patch().take().map(|patch| patch.counts())
    }

    /// Removes the locations of lost documents from the index. Until then, opening the store
    /// reports them again. Called before anything is put, because a new record may get the location
    /// of a lost one.
    pub fn acknowledge_lost(&self) -> Result<(), StoreError> {
        if self.has_lost_entries.swap(false, Ordering::AcqRel) {
            let end = self.shared.writer().end();
            self.shared.index.mark_lost(end, &self.lost)?;
            self.shared.damage.remove_from(end.segment, end.bytes);
        }
        Ok(())
    }

    /// Writes the harvest as [`Store::export`] does, document by document.
    pub fn export_by_document(&self, into: &mut dyn DocumentRouter) -> Result<ExportSummary, StoreError> {
        // The snapshot is taken before the end is read, so that all records of the snapshot are
        // before the end.
        let snapshot = self.shared.index.snapshot();
        let end = self.shared.writer().end();
        let mut exporter = SegmentExporter { shared: &self.shared, snapshot, into, written: ExportSummary::default() };
        for segment in 1..end.segment {
            exporter.export(segment, self.shared.closed_extent(segment)?)?;
        }
        exporter.export(end.segment, SegmentExtent::complete(end.bytes))?;
        Ok(exporter.written)
    }

    /// The database of the index.
    pub fn database(&self) -> &fjall::Database {
        &self.shared.index.database
    }

    /// Returns the segment files, each with the length up to which it is complete. These bytes
    /// include all records of the current index, and do not change.
    pub fn files(&self) -> Result<Vec<(PathBuf, u64)>, StoreError> {
        let end = self.shared.writer().end();
        let mut files = Vec::new();
        for number in 1..=end.segment {
            let is_last = number == end.segment;
            let bytes = if is_last { end.bytes } else { self.shared.closed_extent(number)?.readable };
            let path = segment_path(&self.shared.directory, number);
            // A missing file is reported when it is read.
            if path.exists() {
                files.push((path, bytes));
            }
        }
        Ok(files)
    }

    /// Runs `work` on a blocking thread: compression and disk writes would delay the conductor.
    async fn run_blocking(
        &self,
        work: impl FnOnce(&SegmentStoreInner) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        let done = tokio::task::spawn_blocking(move || work(&shared)).await;
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }
}

#[async_trait]
impl Store for SegmentStore {
    fn draft(&self, document: &Uri) -> Box<dyn Draft> {
        Box::new(SegmentDraft::new(document, self.shared.options, Arc::clone(&self.shared.spool_directory)))
    }

    async fn put(&self, draft: FinishedDraft) -> Result<(), StoreError> {
        self.acknowledge_lost()?;
        let FinishedDraft { document, quads, provenance, content, .. } = draft;
        match *content.downcast().expect("a draft is put into the store that made it") {
            DraftContent::InMemory(lines) => {
                let group_bytes = self.shared.group().add(document, quads, &lines, provenance);
                let is_full = group_bytes >= self.shared.options.max_group_bytes;
                if is_full { self.run_blocking(SegmentStoreInner::write_group).await } else { Ok(()) }
            }
            DraftContent::Spooled(mut file) => {
                self.run_blocking(move |shared| shared.write_spool(&document, quads, provenance, &mut file)).await
            }
            DraftContent::Failed(failure) => {
                self.shared.writer().set_unusable();
                Err(failure)
            }
        }
    }

    async fn commit(&self) -> Result<StoreReceipt, StoreError> {
        self.run_blocking(SegmentStoreInner::write_group).await?;
        Ok(StoreReceipt::issue())
    }

    async fn sync(&self) -> Result<(), StoreError> {
        self.run_blocking(SegmentStoreInner::sync).await
    }

    fn export(&self, into: &mut dyn Write) -> Result<ExportSummary, StoreError> {
        self.export_by_document(&mut SingleOutput(into))
    }
}

/// Whether the log in this directory ends at this position, judged by the lengths of its files
/// only.
#[must_use]
pub fn ends_at(directory: &Path, position: Position) -> bool {
    let length = || segment_path(directory, position.segment).metadata().map(|metadata| metadata.len());
    writer::last_segment(directory).is_ok_and(|last| last == position.segment)
        && length().is_ok_and(|length| length == position.offset)
}

/// Creates an empty directory, deleting existing content.
fn clear_directory(path: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => fs::create_dir_all(path),
    }
}
