//! Opening, locking, dumping and reclaiming an archive.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use fjall::PersistMode;
use oxrdf::NamedNode;

use crate::bulk::{self, BulkLoader, GraphReplacement};
use crate::counters::ArchiveCounters;
use crate::dictionary::RecentTerms;
use crate::dump::{self, DumpError};
use crate::error::ArchiveError;
use crate::snapshot::Snapshot;
use crate::tables::ArchiveTables;
use crate::term::TermId;
use crate::tombstones::Tombstones;
use crate::transaction::Transaction;
use crate::{Collection, Options, keys};

/// A quad store in a directory. Cheap to clone; all clones share one store. Only one process at a
/// time can open it.
#[derive(Clone)]
pub struct Archive {
    inner: Arc<ArchiveInner>,
}

struct ArchiveInner {
    tables: Arc<ArchiveTables>,
    tombstones: Arc<Tombstones>,
    writer: Mutex<WriterState>,
    /// The first chunk of an unfinished bulk load; `u64::MAX` if no bulk load is unfinished.
    /// Snapshots hide this chunk and all later ones.
    unpublished: RwLock<u64>,
    options: Options,
}

/// State that only the current writer may use, behind the writer lock.
pub(crate) struct WriterState {
    pub(crate) counters: ArchiveCounters,
    pub(crate) recent: RecentTerms,
}

impl Archive {
    /// Opens the archive in the directory `path`. If the directory contains no archive, creates
    /// one.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self, ArchiveError> {
        let tombstones = Arc::new(Tombstones::default());
        let tables = Arc::new(ArchiveTables::open(path.as_ref(), options, &tombstones)?);
        let counters = ArchiveCounters::read(tables.meta.get(keys::COUNTERS)?)?;
        let writer = WriterState { counters, recent: RecentTerms::new(options.recent_terms) };
        let (writer, unpublished) = (Mutex::new(writer), RwLock::new(u64::MAX));
        let inner = ArchiveInner { tables, tombstones, writer, unpublished, options: options.clone() };
        let archive = Self { inner: Arc::new(inner) };
        let tombstones = archive.persisted_tombstones()?;
        if !tombstones.is_empty() {
            archive.inner.tombstones.add(&tombstones);
            // A killed process may have written these tombstones only to an unsynced journal.
            archive.sync()?;
        }
        bulk::undo_unfinished(&archive, &mut archive.writer())?;
        Ok(archive)
    }

    /// Ranges of removed chunks whose postings still existed when the archive was closed.
    fn persisted_tombstones(&self) -> Result<Vec<(u64, u64)>, ArchiveError> {
        let entries = self.tables().meta.prefix([keys::TOMBSTONE]);
        entries
            .map(|entry| {
                let (key, last) = entry.into_inner()?;
                let last = <[u8; 8]>::try_from(&last[..]).ok().map(u64::from_be_bytes);
                let range = keys::parse_numbers(&key).zip(last).map(|([first], last)| (first, last));
                range.ok_or_else(|| ArchiveError::corrupted("invalid tombstone entry"))
            })
            .collect()
    }

    pub(crate) fn tables(&self) -> &Arc<ArchiveTables> {
        &self.inner.tables
    }

    pub(crate) fn tombstones(&self) -> &Arc<Tombstones> {
        &self.inner.tombstones
    }

    pub(crate) fn options(&self) -> &Options {
        &self.inner.options
    }

    pub(crate) fn writer(&self) -> MutexGuard<'_, WriterState> {
        self.inner.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current state of the archive; later writes do not change the snapshot.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let unpublished = self.inner.unpublished.read().unwrap_or_else(PoisonError::into_inner);
        Snapshot::new(self.tables(), self.tombstones(), *unpublished)
    }

    /// Hides all chunks from this number on; `None` hides none. `meanwhile` runs under the same
    /// lock, so that no snapshot is taken before it returns.
    pub(crate) fn set_unpublished<T>(&self, from: Option<u64>, meanwhile: impl FnOnce() -> T) -> T {
        let mut unpublished = self.inner.unpublished.write().unwrap_or_else(PoisonError::into_inner);
        *unpublished = from.unwrap_or(u64::MAX);
        meanwhile()
    }

    /// Starts a transaction. Waits until the current writer has finished.
    #[must_use]
    pub fn begin(&self) -> Transaction<'_> {
        let writer = self.writer();
        let base = self.snapshot();
        Transaction::new(self, writer, base)
    }

    /// Starts a bulk load: faster than a transaction, and in bounded memory. Waits until the
    /// current writer has finished.
    #[must_use]
    pub fn bulk_loader(&self) -> BulkLoader<'_> {
        BulkLoader::new(self, self.writer())
    }

    /// Starts the replacement of all statements of a graph, in bounded memory. Other writers do not
    /// wait, unless the new statements exceed the buffer.
    #[must_use]
    pub fn replace_graph(&self, graph: NamedNode) -> GraphReplacement<'_> {
        GraphReplacement::new(self, graph)
    }

    /// Removes a collection, and all its graphs that no other document writes into. Returns the
    /// number of removed documents. The removal is not atomic. If it is interrupted, call it again
    /// to remove the rest.
    pub fn drop_collection(&self, collection: Collection) -> Result<u64, ArchiveError> {
        const DOCUMENTS_PER_BATCH: usize = 10_000;
        let mut dropped = 0;
        loop {
            let snapshot = self.snapshot();
            let entries: Vec<_> =
                snapshot.collection_entries(collection).take(DOCUMENTS_PER_BATCH).collect::<Result<_, _>>()?;
            drop(snapshot);
            if entries.is_empty() {
                return Ok(dropped);
            }
            let mut transaction = self.begin();
            let mut documents: Vec<u64> = entries.iter().map(|entry| entry.0).collect();
            for (document, graph) in entries {
                transaction.detach_document(collection, TermId(document), TermId(graph))?;
            }
            transaction.commit()?;
            documents.dedup();
            dropped += documents.len() as u64;
        }
    }

    /// Makes everything committed so far durable across a power failure.
    pub fn sync(&self) -> Result<(), ArchiveError> {
        let generation = self.tombstones().generation();
        self.tables().database.persist(PersistMode::SyncAll)?;
        self.tombstones().mark_synced(generation);
        Ok(())
    }

    /// Writes the current content of the archive as one file, which [`Archive::restore`] reads.
    /// Other threads can change the archive meanwhile.
    pub fn dump(&self, into: impl Write) -> Result<(), DumpError> {
        // The dump includes chunks of an unfinished bulk load; opening the restored archive removes
        // them.
        let snapshot = self.snapshot();
        dump::write(snapshot.view(), &self.tables().named_tables(), into)
    }

    /// Creates an archive in a new directory from a file that [`Archive::dump`] wrote.
    pub fn restore(path: impl AsRef<Path>, from: impl Read, options: &Options) -> Result<Self, ArchiveError> {
        let path = path.as_ref();
        let tables = ArchiveTables::open(path, options, &Tombstones::default())?;
        let by_name = tables.named_tables();
        let known = |name: &str| by_name.iter().find(|(known, _)| *known == name).map(|(_, table)| (*table).clone());
        dump::read(from, |name| match known(name) {
            Some(table) => Ok(table),
            None => tables.database.keyspace(name, Default::default),
        })?;
        tables.database.persist(PersistMode::SyncAll)?;
        drop(tables);
        Self::reopen(path, options)
    }

    /// Opens an archive that was just closed. Retries, because the threads of its database may
    /// still hold the lock.
    fn reopen(path: &Path, options: &Options) -> Result<Self, ArchiveError> {
        const MAX_ATTEMPTS: u32 = 100;
        for _ in 1..MAX_ATTEMPTS {
            match Self::open(path, options) {
                Err(ArchiveError::InUse(_)) => std::thread::sleep(Duration::from_millis(10)),
                opened => return opened,
            }
        }
        Self::open(path, options)
    }

    /// Frees the disk space of removed quads before it returns; space that open snapshots still
    /// need is freed later. Without this call, space is freed gradually as the archive is written
    /// to.
    pub fn reclaim(&self) -> Result<(), ArchiveError> {
        let _writer = self.writer();
        self.sync()?;
        let tables = self.tables();
        for table in [&tables.postings, &tables.chunks, &tables.graphs] {
            table.rotate_memtable_and_wait()?;
            table.major_compact()?;
        }
        let mut batch = tables.database.batch().durability(Some(PersistMode::Buffer));
        for range in self.persisted_tombstones()?.into_iter().filter(|&range| self.tombstones().are_dead(range)) {
            batch.remove(&tables.meta, keys::key(keys::TOMBSTONE, &[range.0]));
        }
        batch.commit()?;
        self.tombstones().clear_dead();
        Ok(())
    }
}
