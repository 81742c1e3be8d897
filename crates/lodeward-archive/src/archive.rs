//! An archive, opened.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use fjall::PersistMode;
use oxrdf::NamedNode;

use crate::bulk::{self, BulkLoader, Replacement};
use crate::counters::Counters;
use crate::dictionary::Recent;
use crate::dump::{self, DumpError};
use crate::error::ArchiveError;
use crate::graves::Graves;
use crate::snapshot::Snapshot;
use crate::tables::Tables;
use crate::term::TermId;
use crate::transaction::Transaction;
use crate::{Collection, Options, keys};

/// A store of quads in a folder. Cheap to clone; all clones are the same store.
/// One process at a time can have it open.
#[derive(Clone)]
pub struct Archive {
    inner: Arc<Inner>,
}

struct Inner {
    tables: Arc<Tables>,
    graves: Arc<Graves>,
    writer: Mutex<Writer>,
    /// Chunks from here on belong to a bulk load that is not finished.
    unpublished: RwLock<u64>,
    options: Options,
}

/// What whoever writes needs.
pub(crate) struct Writer {
    pub(crate) counters: Counters,
    pub(crate) recent: Recent,
}

impl Archive {
    /// Opens the archive in this folder, or makes one.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self, ArchiveError> {
        let graves = Arc::new(Graves::default());
        let tables = Arc::new(Tables::open(path.as_ref(), options, &graves)?);
        let counters = Counters::read(tables.meta.get(keys::COUNTERS)?)?;
        let writer = Writer { counters, recent: Recent::new(options.recent_terms) };
        let (writer, unpublished) = (Mutex::new(writer), RwLock::new(u64::MAX));
        let inner = Inner { tables, graves, writer, unpublished, options: options.clone() };
        let archive = Self { inner: Arc::new(inner) };
        let graves = archive.persisted_graves()?;
        if !graves.is_empty() {
            archive.inner.graves.bury(&graves);
            // What a killed process dropped may be no further than its journal.
            archive.sync()?;
        }
        bulk::undo_unfinished(&archive, &mut archive.writer())?;
        Ok(archive)
    }

    /// Chunks whose postings were not yet gone when the archive was closed.
    fn persisted_graves(&self) -> Result<Vec<(u64, u64)>, ArchiveError> {
        let entries = self.tables().meta.prefix([keys::GRAVE]);
        entries
            .map(|entry| {
                let (key, last) = entry.into_inner()?;
                let last = <[u8; 8]>::try_from(&last[..]).ok().map(u64::from_be_bytes);
                let range = keys::numbers(&key).zip(last).map(|([first], last)| (first, last));
                range.ok_or_else(|| ArchiveError::corrupted("an entry of what is gone"))
            })
            .collect()
    }

    pub(crate) fn tables(&self) -> &Arc<Tables> {
        &self.inner.tables
    }

    pub(crate) fn graves(&self) -> &Arc<Graves> {
        &self.inner.graves
    }

    pub(crate) fn options(&self) -> &Options {
        &self.inner.options
    }

    pub(crate) fn writer(&self) -> MutexGuard<'_, Writer> {
        self.inner.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The archive as it is now, whatever is written later.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let unpublished = self.inner.unpublished.read().unwrap_or_else(PoisonError::into_inner);
        Snapshot::new(self.tables(), self.graves(), *unpublished)
    }

    /// From now on, chunks from this one on are hidden; `None`: none is.
    /// `meanwhile` is done before anybody can look.
    pub(crate) fn hide<T>(&self, from: Option<u64>, meanwhile: impl FnOnce() -> T) -> T {
        let mut unpublished = self.inner.unpublished.write().unwrap_or_else(PoisonError::into_inner);
        *unpublished = from.unwrap_or(u64::MAX);
        meanwhile()
    }

    /// Begins to write. Waits until whoever else is writing has finished.
    #[must_use]
    pub fn begin(&self) -> Transaction<'_> {
        let writer = self.writer();
        let base = self.snapshot();
        Transaction::new(self, writer, base)
    }

    /// Begins to load very many quads: quicker than a transaction, in bounded
    /// memory. Waits until whoever else is writing has finished.
    #[must_use]
    pub fn bulk_loader(&self) -> BulkLoader<'_> {
        BulkLoader::new(self, self.writer())
    }

    /// Begins to put other statements in the place of all that a graph has, in
    /// bounded memory. Others write meanwhile, unless there are very many.
    #[must_use]
    pub fn replace_graph(&self, graph: NamedNode) -> Replacement<'_> {
        Replacement::new(self, graph)
    }

    /// Removes a collection: all graphs that none of the others has. Tells how
    /// many documents went. Not one step but many: when it is cut short, what
    /// is left can be dropped again.
    pub fn drop_collection(&self, collection: Collection) -> Result<u64, ArchiveError> {
        const DOCUMENTS_AT_ONCE: usize = 10_000;
        let mut dropped = 0;
        loop {
            let snapshot = self.snapshot();
            let entries: Vec<_> =
                snapshot.collection_entries(collection).take(DOCUMENTS_AT_ONCE).collect::<Result<_, _>>()?;
            drop(snapshot);
            if entries.is_empty() {
                return Ok(dropped);
            }
            let mut transaction = self.begin();
            let mut documents: Vec<u64> = entries.iter().map(|entry| entry.0).collect();
            for (document, graph) in entries {
                transaction.leave(collection, TermId(document), TermId(graph))?;
            }
            transaction.commit()?;
            documents.dedup();
            dropped += documents.len() as u64;
        }
    }

    /// Makes everything committed so far safe from a power cut.
    pub fn sync(&self) -> Result<(), ArchiveError> {
        let buried = self.graves().generation();
        self.tables().database.persist(PersistMode::SyncAll)?;
        self.graves().synced(buried);
        Ok(())
    }

    /// Writes everything that is in the archive now as one file; it may be written
    /// to meanwhile. [`Archive::restore`] reads it.
    pub fn dump(&self, into: impl Write) -> Result<(), DumpError> {
        // Everything: what a bulk load has not finished is undone when it is read.
        let snapshot = self.snapshot();
        dump::write(snapshot.view(), &self.tables().by_name(), into)
    }

    /// Makes an archive in a new folder from what [`Archive::dump`] has written.
    pub fn restore(path: impl AsRef<Path>, from: impl Read, options: &Options) -> Result<Self, ArchiveError> {
        let path = path.as_ref();
        let tables = Tables::open(path, options, &Graves::default())?;
        let by_name = tables.by_name();
        let known = |name: &str| by_name.iter().find(|(known, _)| *known == name).map(|(_, table)| (*table).clone());
        dump::read(from, |name| match known(name) {
            Some(table) => Ok(table),
            None => tables.database.keyspace(name, Default::default),
        })?;
        tables.database.persist(PersistMode::SyncAll)?;
        drop(tables);
        Self::reopen(path, options)
    }

    /// Opens an archive that was closed just now: threads of its database may take a
    /// moment to let go of it.
    fn reopen(path: &Path, options: &Options) -> Result<Self, ArchiveError> {
        const TRIES: u32 = 100;
        for _ in 1..TRIES {
            match Self::open(path, options) {
                Err(ArchiveError::InUse(_)) => std::thread::sleep(Duration::from_millis(10)),
                opened => return opened,
            }
        }
        Self::open(path, options)
    }

    /// Gives back the disk space of what was dropped, before this returns; of
    /// what snapshots still see, later. Without it, space is given back as the
    /// archive is written to.
    pub fn reclaim(&self) -> Result<(), ArchiveError> {
        let _writer = self.writer();
        self.sync()?;
        let tables = self.tables();
        for table in [&tables.postings, &tables.chunks, &tables.graphs] {
            table.rotate_memtable_and_wait()?;
            table.major_compact()?;
        }
        let mut batch = tables.database.batch().durability(Some(PersistMode::Buffer));
        for range in self.persisted_graves()?.into_iter().filter(|&range| self.graves().are_dead(range)) {
            batch.remove(&tables.meta, keys::key(keys::GRAVE, &[range.0]));
        }
        batch.commit()?;
        self.graves().forget();
        Ok(())
    }
}
