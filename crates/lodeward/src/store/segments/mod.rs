//! The harvest as files that any N-Quads tool can read.
//!
//! A store is a folder of append-only segments, `000001.nq.zst` and so on, and
//! an index. A segment is a sequence of *records*: a comment line that names
//! the document, `# document <URL> quads=N`, and its statements. Records are
//! gathered into groups, and a group becomes one compressed frame, so
//! `zstdcat *.nq.zst` shows everything that was ever put.
//!
//! Nothing is changed in place. The index tells for each document which record
//! is its current one, and an [export](Store::export) leaves out every other:
//! what has been replaced, and what a dying process wrote but did not index.
//! A document that is put without statements after it had some leaves a record
//! of none, `# document <URL> quads=0`, and is no longer in the index; one that
//! never had any leaves nothing at all.
//!
//! **The log.** So the segments tell, from front to back, everything that ever
//! happened, and [`Log`] reads them that way for whoever [follows](super::follow).
//! Beside the statements there is for each frame a [slip](slip) of where its
//! documents come from, which zstd passes over: `zstdcat` shows clean N-Quads.
//! Folders of before there were slips, or records of none, are read like any
//! other: frames without a slip have no provenance, and of a document that was
//! removed without a trace every record says that it is gone, for the index does
//! not have it.
//!
//! **What survives what.** [`Store::commit`] hands the frame to the operating
//! system first and the index entries after it, so when this process is killed
//! at any moment, the index points at nothing that is not there; the visit is
//! repeated, its document is put again, and the record that was never indexed
//! is passed over. A half-written frame is cut off when the store is opened.
//! [`Store::sync`] does the same for power cuts: segment first, index second.
//! A power cut between two syncs can take a segment's tail and spare the index
//! entries for it; [`SegmentStore::lost`]
//! names their documents when the store is opened.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use self::draft::{Content, SegmentDraft};
use self::export::{Exporter, Unsorted};
use self::index::Index;
use self::shared::Shared;
use self::writer::{Writer, segment_path};
use super::follow::Position;
use super::nquads::write_quad;
use super::{Draft, Exported, Finished, Sorter, Store, StoreError};
use crate::model::Uri;
use crate::provenance::Names;

mod draft;
mod export;
mod frame;
mod index;
mod log;
mod one;
mod patch;
mod record;
mod shared;
mod slip;
mod stream;
mod tail;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod log_tests;
#[cfg(test)]
mod patch_tests;
mod writer;

pub use log::{Bounds, Distance, Group as LogGroup, Log, Reader as LogReader};
pub use one::Harvested;
pub use patch::{Patch, Patched};
pub(super) use stream::frame_stream;
pub(super) use tail::End as LogEnd;
use tail::Tail;

/// Bounds of a [`SegmentStore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// A segment that has reached this size is followed by a new one.
    pub segment_bytes_max: u64,
    /// A group of this many bytes of N-Quads is written without waiting for a
    /// commit.
    pub group_bytes_max: usize,
    /// A draft holds at most this many bytes of N-Quads in memory.
    pub draft_bytes_max: usize,
    /// The compression level of zstd. N-Quads repeat themselves so much that
    /// the first level does nearly all there is to do.
    pub level: i32,
}

impl Default for Options {
    fn default() -> Self {
        Self { segment_bytes_max: 256 << 20, group_bytes_max: 256 << 10, draft_bytes_max: 4 << 20, level: 1 }
    }
}

/// A folder of segments and its index.
pub struct SegmentStore {
    shared: Arc<Shared>,
    lost: Vec<u128>,
    /// Whether the index still has those that are lost.
    unforgotten: AtomicBool,
}

impl SegmentStore {
    /// Opens the store in `directory`, or makes one. The keyspace is its index
    /// and belongs to it alone.
    pub fn open(
        directory: impl AsRef<Path>,
        documents: fjall::Keyspace,
        database: fjall::Database,
        options: Options,
    ) -> Result<Self, StoreError> {
        let directory = directory.as_ref().to_path_buf();
        let spool_directory = directory.join("spool");
        empty_directory(&spool_directory).map_err(|source| StoreError::Io { path: spool_directory.clone(), source })?;
        let writer = Writer::open(&directory, options)?;
        let tail = Tail::new(writer.segment().number, writer.segment().bytes);
        let index = Index { database, documents };
        let lost = index.lost_after(writer.end(), writer.segment().may_go_on)?;
        if !lost.is_empty() {
            tracing::warn!(documents = lost.len(), "the disk lost documents that were not yet synced");
        }
        let shared = Shared {
            directory,
            spool_directory: Arc::new(spool_directory),
            options,
            index,
            group: Mutex::default(),
            writer: Mutex::new(writer),
            tail,
            patch: Mutex::default(),
        };
        let unforgotten = AtomicBool::new(!lost.is_empty());
        Ok(Self { shared: Arc::new(shared), lost, unforgotten })
    }

    /// Fingerprints of the documents that a power cut has taken, found when the
    /// store was opened. They are to be visited again.
    #[must_use]
    pub fn lost(&self) -> &[u128] {
        &self.lost
    }

    /// The segments as a log.
    #[must_use]
    pub fn log(&self) -> Log {
        Log::of(&self.shared)
    }

    /// A document of the harvest, as of the last commit; `None` if it is not there.
    pub fn find(&self, document: &Uri) -> Result<Option<Harvested>, StoreError> {
        self.forget_lost()?;
        Harvested::find(&self.shared, document)
    }

    /// Writes down from now on what changes, before it does.
    pub fn note_changes(&self, into: Patch) {
        *self.shared.patch() = Some(into);
    }

    /// Writes down no more changes. Tells how much was.
    pub fn changes_noted(&self) -> Option<Patched> {
        self.shared.patch().take().map(|patch| patch.written())
    }

    /// Forgets what was lost. Until then, opening the store finds it lost again.
    /// Happens by itself before anything is put or exported, for a new record may
    /// come to stand where a lost one was.
    pub fn forget_lost(&self) -> Result<(), StoreError> {
        if self.unforgotten.swap(false, Ordering::AcqRel) {
            let end = self.shared.writer().end();
            self.shared.index.forget(end, &self.lost)?;
        }
        Ok(())
    }

    /// Writes the harvest as [`Store::export`] does, to whoever takes it apart.
    pub fn export_sorted(&self, into: &mut dyn Sorter) -> Result<Exported, StoreError> {
        self.forget_lost()?;
        let Shared { index, directory, .. } = &*self.shared;
        // The snapshot first: whatever it knows of is then before the end.
        let snapshot = index.snapshot();
        let (last, bytes) = {
            let writer = self.shared.writer();
            (writer.segment().number, writer.segment().bytes)
        };
        let mut exporter = Exporter { index, snapshot, into, written: Exported::default(), current: false };
        for segment in 1..=last {
            exporter.export(directory, segment, (segment == last).then_some(bytes))?;
        }
        Ok(exporter.written)
    }

    /// The database that has the index.
    pub(crate) fn database(&self) -> &fjall::Database {
        &self.shared.index.database
    }

    /// The segments, and how long each is: whatever the index knows of now is in
    /// them, and so long they stay what they are.
    pub(crate) fn files(&self) -> Result<Vec<(PathBuf, u64)>, StoreError> {
        let (last, bytes) = {
            let writer = self.shared.writer();
            (writer.segment().number, writer.segment().bytes)
        };
        let length = |path: &Path| fs::metadata(path).map(|about| about.len());
        let file = |number| {
            let path = segment_path(&self.shared.directory, number);
            let bytes = if number == last { Ok(bytes) } else { length(&path) };
            bytes.map(|bytes| (path.clone(), bytes)).map_err(|source| StoreError::Io { path, source })
        };
        (1..=last).map(file).collect()
    }

    /// Works beside the conductor: compression and the disk may take a while.
    async fn beside(
        &self,
        work: impl FnOnce(&Shared) -> Result<(), StoreError> + Send + 'static,
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

    async fn put(&self, draft: Finished) -> Result<(), StoreError> {
        self.forget_lost()?;
        let Finished { document, quads, provenance, content, .. } = draft;
        match *content.downcast().expect("a draft is put into the store that made it") {
            Content::Held(lines) => {
                let gathered = self.shared.group().add(document, quads, &lines, provenance);
                let full = gathered >= self.shared.options.group_bytes_max;
                if full { self.beside(Shared::write_group).await } else { Ok(()) }
            }
            Content::Spooled(mut file) => {
                self.beside(move |shared| shared.write_spool(&document, quads, provenance, &mut file)).await
            }
            Content::Lost(failure) => Err(failure),
        }
    }

    async fn commit(&self) -> Result<(), StoreError> {
        self.beside(Shared::write_group).await
    }

    async fn sync(&self) -> Result<(), StoreError> {
        self.beside(Shared::sync).await
    }

    fn export(&self, into: &mut dyn Write) -> Result<Exported, StoreError> {
        self.export_sorted(&mut Unsorted(into))
    }

    fn export_provenance(&self, names: &Names, into: &mut dyn Write) -> Result<u64, StoreError> {
        let mut written = 0;
        let mut lines = Vec::new();
        let mut reader = self.log().read(None)?;
        while let Some(group) = reader.next_group(Bounds::default())? {
            for change in &group.changes {
                let Some(provenance) = &change.provenance else { continue };
                let quads = provenance.quads(names, &change.document, change.quads);
                written += quads.len() as u64;
                for quad in &quads {
                    write_quad(&mut lines, quad.as_ref());
                }
            }
            into.write_all(&lines).map_err(StoreError::Export)?;
            lines.clear();
        }
        Ok(written)
    }
}

/// Whether the log in this folder ends at this position, as far as the lengths of
/// its files tell: a quick look that opens nothing.
#[must_use]
pub fn ends_at(directory: &Path, position: Position) -> bool {
    let length = || segment_path(directory, position.segment).metadata().map(|about| about.len());
    writer::last_segment(directory).is_ok_and(|last| last == position.segment)
        && length().is_ok_and(|length| length == position.offset)
}

/// Makes an empty directory of this name, whatever was in it.
fn empty_directory(path: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => fs::create_dir_all(path),
    }
}
