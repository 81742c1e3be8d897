//! The database of an archive: its tables, its counters, and the check of its format version.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use fjall::compaction::Leveled;
use fjall::config::{BlockSizePolicy, CompressionPolicy, FilterPolicy};
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode, Slice};
use lodeward_fjall::{DatabaseOpenError, JournalCutter, ProgressFile};

use crate::error::ArchiveError;
use crate::provenance::ProvenanceExpander;
use crate::term::TermId;
use crate::tombstones::Tombstones;
use crate::{Options, keys};

/// The version of the on-disk format, which [`keys`], `chunk` and `term` define.
pub(crate) const FORMAT_VERSION: u32 = 2;

/// The tables; [`keys`] documents their entries.
pub(crate) struct ArchiveTables {
    progress: ProgressFile,
    pub(crate) database: Database,
    pub(crate) meta: Keyspace,
    pub(crate) terms: Keyspace,
    pub(crate) ids: Keyspace,
    pub(crate) chunks: Keyspace,
    pub(crate) graphs: Keyspace,
    pub(crate) postings: Keyspace,
    pub(crate) provenance: Keyspace,
    pub(crate) provenance_expander: Option<Arc<dyn ProvenanceExpander>>,
    /// Dropped last, after the database is closed.
    journals: JournalCutter,
}

/// How a table is read, which determines its filters: they save lookups of keys that do not exist,
/// and cost memory and time while tables are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TableAccess {
    /// Keys are looked up, and many do not exist.
    AnyKey,
    /// Keys are looked up, and most exist.
    KnownKeys,
    /// Keys are read in ranges, or new keys are always the greatest.
    Ranges,
}

impl ArchiveTables {
    pub(crate) fn open(path: &Path, options: &Options, tombstones: &Tombstones) -> Result<Self, ArchiveError> {
        // fjall 3.1 panics if the journal is corrupted; the panic is reported as an error.
        let tables = catch_unwind(AssertUnwindSafe(|| Self::open_unguarded(path, options, tombstones)));
        tables.unwrap_or_else(|_| Err(ArchiveError::corrupted("cannot recover the database")))
    }

    fn open_unguarded(path: &Path, options: &Options, tombstones: &Tombstones) -> Result<Self, ArchiveError> {
        let filter = tombstones.compaction_filter();
        let database = lodeward_fjall::open(path, |builder| {
            builder
                .cache_size(options.cache_bytes)
                .max_journaling_size(options.journal_bytes)
                .with_compaction_filter_factories(Arc::new(move |table| {
                    (table == "postings").then(|| Arc::clone(&filter))
                }))
        })
        .map_err(|error| match error {
            DatabaseOpenError::Locked => ArchiveError::InUse(path.to_owned()),
            DatabaseOpenError::Database(error) => error.into(),
            damaged => ArchiveError::corrupted(damaged.to_string()),
        })?;
        let table = |name: &str, share: u64, access: TableAccess| {
            let memtable_bytes = (options.buffer_bytes / 16 * share).max(1 << 20);
            database.keyspace(name, || table_options(memtable_bytes, access))
        };
        let tables = Self {
            meta: table("meta", 1, TableAccess::AnyKey)?,
            terms: table("terms", 3, TableAccess::Ranges)?,
            ids: table("ids", 3, TableAccess::AnyKey)?,
            chunks: table("chunks", 3, TableAccess::KnownKeys)?,
            graphs: table("graphs", 1, TableAccess::AnyKey)?,
            postings: table("postings", 5, TableAccess::Ranges)?,
            provenance: table("provenance", 1, TableAccess::AnyKey)?,
            provenance_expander: options.provenance_expander.clone(),
            progress: ProgressFile::new(path.join("progress")),
            journals: JournalCutter::new(path),
            database,
        };
        tables.check_progress()?;
        tables.check_format(path)?;
        Ok(tables)
    }

    /// The counters as of the last commit.
    pub(crate) fn stored_counters(&self) -> Result<ArchiveCounters, ArchiveError> {
        ArchiveCounters::read(self.meta.get(keys::COUNTERS)?)
    }

    /// Returns an error if the archive has lost changes that were synced.
    fn check_progress(&self) -> Result<(), ArchiveError> {
        let ArchiveCounters { next_term, next_chunk, .. } = self.stored_counters()?;
        self.progress.require(&[next_term, next_chunk]).map_err(|lost| ArchiveError::corrupted(lost.to_string()))
    }

    /// Makes all commits so far survive a power cut.
    pub(crate) fn sync(&self) -> Result<(), ArchiveError> {
        let ArchiveCounters { next_term, next_chunk, .. } = self.stored_counters()?;
        self.database.persist(PersistMode::SyncAll)?;
        // Without the file, only a loss of changes is noticed later, so a failure is no error.
        if let Err(error) = self.progress.write(&[next_term, next_chunk]) {
            tracing::warn!(%error, "cannot write the progress of the archive");
        }
        Ok(())
    }

    /// All tables with their names.
    pub(crate) fn named_tables(&self) -> [(&'static str, &Keyspace); 7] {
        [
            ("meta", &self.meta),
            ("terms", &self.terms),
            ("ids", &self.ids),
            ("chunks", &self.chunks),
            ("graphs", &self.graphs),
            ("postings", &self.postings),
            ("provenance", &self.provenance),
        ]
    }

    /// Waits while too many full memtables are not flushed.
    pub(crate) fn wait_for_flushes(&self) -> Result<(), ArchiveError> {
        const MAX_SEALED_MEMTABLES: usize = 2;
        let tables = self.named_tables().map(|(_, table)| table);
        Ok(lodeward_fjall::wait_for_flushes(&self.database, &tables, MAX_SEALED_MEMTABLES)?)
    }

    fn check_format(&self, path: &Path) -> Result<(), ArchiveError> {
        let Some(version) = self.meta.get(keys::FORMAT)? else {
            if self.meta.is_empty()? && self.terms.is_empty()? {
                self.meta.insert(keys::FORMAT, FORMAT_VERSION.to_be_bytes())?;
                return Ok(self.database.persist(PersistMode::SyncAll)?);
            }
            return Err(ArchiveError::corrupted("format version is missing"));
        };
        let found = <[u8; 4]>::try_from(&version[..]).map(u32::from_be_bytes);
        let found = found.map_err(|_| ArchiveError::corrupted("invalid format version"))?;
        if found == FORMAT_VERSION {
            Ok(())
        } else {
            Err(ArchiveError::Format { path: path.to_owned(), found, known: FORMAT_VERSION })
        }
    }
}

impl Drop for ArchiveTables {
    /// Flushes everything, so that opening the archive again replays nothing. If this fails, the
    /// journal has the changes.
    fn drop(&mut self) {
        let mut journals = std::mem::take(&mut self.journals);
        let tables = self.named_tables().map(|(_, table)| table);
        if let Err(error) = journals.flush(&self.database, &tables) {
            tracing::debug!(%error, "cannot flush the archive; its journal is replayed when it is opened");
        }
        self.journals = journals;
    }
}

/// Options of a table. A compaction holds hashes of all keys of a table that it writes in memory, so
/// memory depends on the size of tables, not on that of the archive.
fn table_options(memtable_bytes: u64, access: TableAccess) -> KeyspaceCreateOptions {
    const TABLE_BYTES: u64 = 16 << 20;
    let options = KeyspaceCreateOptions::default()
        .max_memtable_size(memtable_bytes)
        .data_block_compression_policy(CompressionPolicy::all(CompressionType::Lz4))
        .data_block_size_policy(BlockSizePolicy::all(8 << 10))
        .compaction_strategy(Arc::new(Leveled::default().with_table_target_size(TABLE_BYTES)));
    match access {
        TableAccess::AnyKey => options,
        TableAccess::KnownKeys => options.expect_point_read_hits(true),
        TableAccess::Ranges => options.filter_policy(FilterPolicy::disabled()),
    }
}

/// The counters, which are written with every commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArchiveCounters {
    pub(crate) next_term: u64,
    pub(crate) next_chunk: u64,
    pub(crate) quads: u64,
}

impl ArchiveCounters {
    /// Decodes stored counters; if none are stored, returns the counters of an empty archive.
    pub(crate) fn read(bytes: Option<Slice>) -> Result<Self, ArchiveError> {
        let Some(bytes) = bytes else {
            return Ok(Self { next_term: TermId::FIRST, next_chunk: 1, quads: 0 });
        };
        match bytes.as_chunks() {
            ([term_next, chunk_next, quads], []) => Ok(Self {
                next_term: u64::from_be_bytes(*term_next),
                next_chunk: u64::from_be_bytes(*chunk_next),
                quads: u64::from_be_bytes(*quads),
            }),
            _ => Err(ArchiveError::corrupted("invalid counters")),
        }
    }

    pub(crate) fn encode(self) -> Vec<u8> {
        [self.next_term, self.next_chunk, self.quads].map(u64::to_be_bytes).concat()
    }
}
