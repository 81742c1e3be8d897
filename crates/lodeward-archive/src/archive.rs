//! Opening, locking, dumping, reclaiming and recovering an archive.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use std::time::Duration;

use fjall::PersistMode;
use lodeward_fjall::ReplayBound;

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
    path: PathBuf,
    /// The open database; `None` if it was closed and could not be opened again.
    open: RwLock<Option<OpenTables>>,
    writer: Mutex<WriterState>,
    /// The first chunk of an unfinished bulk load; `u64::MAX` if no bulk load is unfinished.
    /// Snapshots hide this chunk and all later ones.
    unpublished: RwLock<u64>,
    /// Whether nothing may be written until the archive is opened again.
    is_unusable: AtomicBool,
    options: Options,
}

/// The tables of an archive, and which of their chunks are removed.
#[derive(Clone)]
struct OpenTables {
    tables: Arc<ArchiveTables>,
    tombstones: Arc<Tombstones>,
}

impl OpenTables {
    fn open(path: &Path, options: &Options) -> Result<Self, ArchiveError> {
        let tombstones = Arc::new(Tombstones::default());
        let tables = Arc::new(ArchiveTables::open(path, options, &tombstones)?);
        let removed = persisted_tombstones(&tables)?;
        if !removed.is_empty() {
            tombstones.add(&removed);
            // A killed process may have written these tombstones only to an unsynced journal.
            let generation = tombstones.generation();
            tables.database.persist(PersistMode::SyncAll)?;
            tombstones.mark_synced(generation);
        }
        Ok(Self { tables, tombstones })
    }

    /// Opens tables that were just closed. Retries, because the threads of their database may still
    /// hold the lock.
    fn reopen(path: &Path, options: &Options) -> Result<Self, ArchiveError> {
        const MAX_ATTEMPTS: u32 = 100;
        for _ in 1..MAX_ATTEMPTS {
            match Self::open(path, options) {
                Err(ArchiveError::InUse(_)) => std::thread::sleep(REOPEN_INTERVAL),
                opened => return opened,
            }
        }
        Self::open(path, options)
    }
}

/// Time between two attempts to open an archive again.
const REOPEN_INTERVAL: Duration = Duration::from_millis(10);

/// State that only the current writer may use, behind the writer lock.
pub(crate) struct WriterState {
    pub(crate) counters: ArchiveCounters,
    pub(crate) recent: RecentTerms,
    replay: ReplayBound,
}

impl WriterState {
    fn read(path: &Path, tables: &ArchiveTables, options: &Options) -> Result<Self, ArchiveError> {
        let counters = ArchiveCounters::read(tables.meta.get(keys::COUNTERS)?)?;
        let replay = ReplayBound::new(path, options.replayed_bytes);
        Ok(Self { counters, recent: RecentTerms::new(options.recent_terms), replay })
    }

    /// Bounds memory and the journal after a commit.
    pub(crate) fn after_commit(&mut self, tables: &ArchiveTables) -> Result<(), ArchiveError> {
        tables.wait_for_flushes()?;
        let keyspaces = tables.named_tables().map(|(_, table)| table);
        Ok(self.replay.advance(&tables.database, &keyspaces)?)
    }
}

impl Archive {
    /// Opens the archive in the directory `path`. If the directory contains no archive, creates
    /// one.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self, ArchiveError> {
        Self::from_tables(path.as_ref(), options, OpenTables::open(path.as_ref(), options)?)
    }

    fn from_tables(path: &Path, options: &Options, open: OpenTables) -> Result<Self, ArchiveError> {
        let writer = Mutex::new(WriterState::read(path, &open.tables, options)?);
        let archive = Self {
            inner: Arc::new(ArchiveInner {
                path: path.to_owned(),
                open: RwLock::new(Some(open)),
                writer,
                unpublished: RwLock::new(u64::MAX),
                is_unusable: AtomicBool::new(false),
                options: options.clone(),
            }),
        };
        archive.undo_bulk_load(&mut archive.writer())?;
        archive.prepare_change_feed()?;
        Ok(archive)
    }

    /// Whether the archive can be written. After a failed write, for example on a full disk, every
    /// further one fails until [`Archive::recover`] opens the archive again.
    pub fn check_writable(&self) -> Result<(), ArchiveError> {
        self.check_usable(&self.tables())
    }

    fn check_usable(&self, tables: &ArchiveTables) -> Result<(), ArchiveError> {
        if self.inner.is_unusable.load(Ordering::Acquire) {
            return Err(ArchiveError::Unusable);
        }
        Ok(lodeward_fjall::check_writable(&tables.database)?)
    }

    /// Records that nothing may be written until the archive is opened again.
    pub(crate) fn set_unusable(&self) {
        self.inner.is_unusable.store(true, Ordering::Release);
    }

    /// If the archive cannot be written because of an earlier failure, closes it and opens it again.
    /// Returns whether it did. Nothing that was committed is lost.
    ///
    /// New snapshots wait meanwhile. Fails if existing ones are in use for longer than `max_wait`, or
    /// if there is still no room to write; the archive can be read then, but not written.
    pub fn recover(&self, max_wait: Duration) -> Result<bool, ArchiveError> {
        let is_open = self.inner.open.read().unwrap_or_else(PoisonError::into_inner).is_some();
        if is_open && self.check_writable().is_ok() {
            return Ok(false);
        }
        self.check_room()?;
        let mut writer = self.writer();
        let mut open = self.inner.open.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(current) = &*open {
            if self.check_usable(&current.tables).is_ok() {
                return Ok(false);
            }
            let mut waited = Duration::ZERO;
            // One use is that of this archive.
            while Arc::strong_count(&current.tables) > 1 {
                if waited >= max_wait {
                    return Err(ArchiveError::BeingRead(Arc::strong_count(&current.tables) - 1));
                }
                std::thread::sleep(REOPEN_INTERVAL);
                waited += REOPEN_INTERVAL;
            }
        }
        *open = None;
        let reopened = OpenTables::reopen(&self.inner.path, &self.inner.options)?;
        *writer = WriterState::read(&self.inner.path, &reopened.tables, &self.inner.options)?;
        if reopened.tables.meta.get(keys::BULK)?.is_none() {
            self.set_unpublished(None);
        }
        *open = Some(reopened);
        drop(open);
        self.undo_bulk_load(&mut writer)?;
        self.inner.is_unusable.store(false, Ordering::Release);
        Ok(true)
    }

    /// Fails if the directory cannot be written: an archive that is closed then may not open again.
    fn check_room(&self) -> Result<(), ArchiveError> {
        const PROBE_BYTES: usize = 1 << 20;
        let path = self.inner.path.join("probe");
        let written = std::fs::write(&path, vec![1; PROBE_BYTES]);
        let removed = std::fs::remove_file(&path);
        written.and(removed).map_err(|source| ArchiveError::Io { path, source })
    }

    /// The open tables. If the archive was closed and could not be opened again, tries again.
    ///
    /// # Panics
    ///
    /// If that fails, too: the caller has no data to continue with.
    fn open_tables(&self) -> OpenTables {
        if let Some(open) = &*self.inner.open.read().unwrap_or_else(PoisonError::into_inner) {
            return open.clone();
        }
        let mut open = self.inner.open.write().unwrap_or_else(PoisonError::into_inner);
        let reopened = open.take().map_or_else(|| OpenTables::reopen(&self.inner.path, &self.inner.options), Ok);
        let reopened = reopened.unwrap_or_else(|error| panic!("cannot open the archive again: {error}"));
        open.insert(reopened).clone()
    }

    pub(crate) fn tables(&self) -> Arc<ArchiveTables> {
        self.open_tables().tables
    }

    pub(crate) fn tombstones(&self) -> Arc<Tombstones> {
        self.open_tables().tombstones
    }

    pub(crate) fn options(&self) -> &Options {
        &self.inner.options
    }

    pub(crate) fn writer(&self) -> MutexGuard<'_, WriterState> {
        self.inner.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The writer, unless there is another one.
    pub(crate) fn try_writer(&self) -> Option<MutexGuard<'_, WriterState>> {
        match self.inner.writer.try_lock() {
            Ok(writer) => Some(writer),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Returns the current state of the archive; later writes do not change the snapshot.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let OpenTables { tables, tombstones } = self.open_tables();
        let unpublished = self.inner.unpublished.read().unwrap_or_else(PoisonError::into_inner);
        Snapshot::new(&tables, &tombstones, *unpublished)
    }

    /// Hides all chunks from this number on; `None` hides none.
    pub(crate) fn set_unpublished(&self, from: Option<u64>) {
        *self.inner.unpublished.write().unwrap_or_else(PoisonError::into_inner) = from.unwrap_or(u64::MAX);
    }

    /// Makes the chunks of a bulk load visible if `commit` succeeds. No snapshot is taken meanwhile.
    pub(crate) fn publish<E>(&self, commit: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let mut unpublished = self.inner.unpublished.write().unwrap_or_else(PoisonError::into_inner);
        commit()?;
        *unpublished = u64::MAX;
        Ok(())
    }

    /// Makes everything committed so far durable across a power failure.
    pub fn sync(&self) -> Result<(), ArchiveError> {
        let OpenTables { tables, tombstones } = self.open_tables();
        let generation = tombstones.generation();
        tables.sync()?;
        tombstones.mark_synced(generation);
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
        Self::from_tables(path, options, OpenTables::reopen(path, options)?)
    }

    /// Frees the disk space of removed quads before it returns; space that open snapshots still
    /// need is freed later. Without this call, space is freed gradually as the archive is written
    /// to.
    pub fn reclaim(&self) -> Result<(), ArchiveError> {
        let _writer = self.writer();
        self.check_writable()?;
        self.sync()?;
        let tables = self.tables();
        for table in [&tables.postings, &tables.chunks, &tables.graphs, &tables.provenance] {
            lodeward_fjall::flush(&tables.database, table)?;
            table.major_compact()?;
        }
        let mut batch = tables.database.batch().durability(Some(PersistMode::Buffer));
        let tombstones = self.tombstones();
        for range in persisted_tombstones(&tables)?.into_iter().filter(|&range| tombstones.are_dead(range)) {
            batch.remove(&tables.meta, keys::key(keys::TOMBSTONE, &[range.0]));
        }
        batch.commit()?;
        tombstones.clear_dead();
        Ok(())
    }

    /// Writes the mark of an unfinished load to disk, with counters that reserve its numbers, and
    /// hides all chunks from `first` on.
    pub(crate) fn mark_load(
        &self,
        tables: &ArchiveTables,
        first: u64,
        counters: ArchiveCounters,
    ) -> Result<(), ArchiveError> {
        self.set_unpublished(Some(first));
        let mut batch = tables.database.batch().durability(Some(PersistMode::SyncAll));
        batch.insert(&tables.meta, keys::BULK, first.to_be_bytes());
        batch.insert(&tables.meta, keys::COUNTERS, counters.encode());
        Ok(batch.commit()?)
    }

    /// Removes the chunks of a load that failed or was dropped.
    pub(crate) fn abort_load(&self, writer: &mut WriterState) {
        // If the load cannot be undone now, the next opening of the archive undoes it. Until then
        // nothing may be written, because that would be undone, too.
        if let Err(error) = self.undo_bulk_load(writer) {
            self.set_unusable();
            tracing::warn!(%error, "cannot undo an unfinished load");
        }
    }

    /// Removes the chunks of an unfinished load.
    pub(crate) fn undo_bulk_load(&self, writer: &mut WriterState) -> Result<(), ArchiveError> {
        const CHUNKS_PER_BATCH: usize = 1_000;
        let tables = self.tables();
        let Some(first) = tables.meta.get(keys::BULK)? else { return Ok(()) };
        let first = first.as_ref().try_into().map(u64::from_be_bytes);
        let first = first.map_err(|_| ArchiveError::corrupted("invalid bulk load mark"))?;
        self.set_unpublished(Some(first));
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
        self.set_unpublished(None);
        self.tombstones().add(&[(first, last)]);
        self.sync()
    }
}

/// Ranges of removed chunks whose postings still existed when the archive was closed.
fn persisted_tombstones(tables: &ArchiveTables) -> Result<Vec<(u64, u64)>, ArchiveError> {
    let entries = tables.meta.prefix([keys::TOMBSTONE]);
    entries
        .map(|entry| {
            let (key, last) = entry.into_inner()?;
            let last = <[u8; 8]>::try_from(&last[..]).ok().map(u64::from_be_bytes);
            let range = keys::parse_numbers(&key).zip(last).map(|([first], last)| (first, last));
            range.ok_or_else(|| ArchiveError::corrupted("invalid tombstone entry"))
        })
        .collect()
}
