//! Opening, locking, dumping, reclaiming and recovering an archive.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use fjall::PersistMode;

use crate::dictionary::RecentTerms;
use crate::dump::{self, DumpError};
use crate::error::ArchiveError;
use crate::snapshot::Snapshot;
use crate::tables::{ArchiveCounters, ArchiveTables};
use crate::tombstones::Tombstones;
use crate::{Options, chunk, keys, varint};

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
        archive.undo_bulk_load(&mut archive.writer())?;
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

    /// Removes the chunks of an unfinished bulk load.
    pub(crate) fn undo_bulk_load(&self, writer: &mut WriterState) -> Result<(), ArchiveError> {
        const CHUNKS_PER_BATCH: usize = 1_000;
        let tables = self.tables();
        let Some(first) = tables.meta.get(keys::BULK)? else { return Ok(()) };
        let first = first.as_ref().try_into().map(u64::from_be_bytes);
        let first = first.map_err(|_| ArchiveError::corrupted("invalid bulk load mark"))?;
        self.set_unpublished(Some(first), || ());
        loop {
            let found: Vec<_> = tables.chunks.range(keys::number_key(first)..).take(CHUNKS_PER_BATCH).collect();
            if found.is_empty() {
                break;
            }
            let mut batch = tables.database.batch().durability(Some(PersistMode::Buffer));
            let mut graphs = Vec::new();
            for entry in found {
                let (key, bytes) = entry.into_inner()?;
                let graph =
                    chunk::decode_graph(&bytes).ok_or_else(|| ArchiveError::corrupted("a chunk has no graph"))?;
                let number = keys::parse_number_key(&key)?;
                batch.remove(&tables.chunks, key);
                batch.remove(&tables.graphs, keys::key(keys::GRAPH_CHUNK, &[graph, number]));
                graphs.push(graph);
            }
            graphs.sort_unstable();
            graphs.dedup();
            for graph in graphs {
                let key = keys::key(keys::GRAPH, &[graph]);
                let since = tables.graphs.get(&key)?.and_then(|since| varint::take(&mut &since[..]));
                if since.is_some_and(|since| since >= first) {
                    batch.remove(&tables.graphs, key);
                }
            }
            batch.commit()?;
        }
        // The stored counter covers all chunks of the load, because it is written before them. If no
        // chunk was written, one number is skipped, so that the tombstone range is not empty.
        writer.counters.next_chunk = writer.counters.next_chunk.max(first + 1);
        let last = writer.counters.next_chunk - 1;
        let mut batch = tables.database.batch().durability(Some(PersistMode::SyncAll));
        batch.insert(&tables.meta, keys::key(keys::TOMBSTONE, &[first]), last.to_be_bytes());
        batch.insert(&tables.meta, keys::COUNTERS, writer.counters.encode());
        batch.remove(&tables.meta, keys::BULK);
        batch.commit()?;
        self.set_unpublished(None, || ());
        self.tombstones().add(&[(first, last)]);
        self.sync()
    }
}
