//! The database of an archive.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fjall::config::{BlockSizePolicy, CompressionPolicy};
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use crate::error::ArchiveError;
use crate::graves::Graves;
use crate::{Options, keys};

/// The version of the format on disk, as told in [`keys`], `chunk` and `term`.
pub(crate) const FORMAT_VERSION: u32 = 1;

/// The tables; [`keys`] tells what is in each.
pub(crate) struct Tables {
    pub(crate) database: Database,
    pub(crate) meta: Keyspace,
    pub(crate) terms: Keyspace,
    pub(crate) ids: Keyspace,
    pub(crate) chunks: Keyspace,
    pub(crate) graphs: Keyspace,
    pub(crate) postings: Keyspace,
}

impl Tables {
    pub(crate) fn open(path: &Path, options: &Options, graves: &Graves) -> Result<Self, ArchiveError> {
        // On a journal with a changed bit, fjall 3.1 panics.
        let tables = catch_unwind(AssertUnwindSafe(|| Self::open_unguarded(path, options, graves)));
        tables.unwrap_or_else(|_| Err(ArchiveError::corrupted("its database cannot be recovered")))
    }

    fn open_unguarded(path: &Path, options: &Options, graves: &Graves) -> Result<Self, ArchiveError> {
        let filter = graves.filter();
        let database = Database::builder(path)
            .cache_size(options.cache_bytes)
            .max_journaling_size(options.journal_bytes)
            .max_cached_files(Some(128))
            // With more than one worker, fjall 3.1 lets the first one spin for
            // as long as another one compacts.
            .worker_threads(1)
            .with_compaction_filter_factories(Arc::new(move |table| (table == "postings").then(|| Arc::clone(&filter))))
            .open()
            .map_err(|error| match error {
                fjall::Error::Locked => ArchiveError::InUse(path.to_owned()),
                error => error.into(),
            })?;
        let table = |name: &str, share: u64| {
            let compression = CompressionPolicy::all(CompressionType::Lz4);
            let options = || {
                KeyspaceCreateOptions::default()
                    .max_memtable_size((options.buffer_bytes / 16 * share).max(1 << 20))
                    .data_block_compression_policy(compression.clone())
                    .data_block_size_policy(BlockSizePolicy::all(8 << 10))
            };
            database.keyspace(name, options)
        };
        let tables = Self {
            meta: table("meta", 1)?,
            terms: table("terms", 3)?,
            ids: table("ids", 3)?,
            chunks: table("chunks", 3)?,
            graphs: table("graphs", 1)?,
            postings: table("postings", 5)?,
            database,
        };
        tables.check_format(path)?;
        Ok(tables)
    }

    /// All tables and their names.
    pub(crate) fn by_name(&self) -> [(&'static str, &Keyspace); 6] {
        [
            ("meta", &self.meta),
            ("terms", &self.terms),
            ("ids", &self.ids),
            ("chunks", &self.chunks),
            ("graphs", &self.graphs),
            ("postings", &self.postings),
        ]
    }

    /// Waits while more is to be written into tables than should be held in
    /// memory: fjall lets whoever is faster than the disk run ahead of it.
    pub(crate) fn let_catch_up(&self) {
        const SEALED_MAX: usize = 2;
        const PAUSE: Duration = Duration::from_millis(2);
        while self.by_name().iter().map(|(_, table)| table.sealed_memtable_count()).sum::<usize>() > SEALED_MAX {
            std::thread::sleep(PAUSE);
        }
    }

    fn check_format(&self, path: &Path) -> Result<(), ArchiveError> {
        let Some(version) = self.meta.get(keys::FORMAT)? else {
            if self.meta.is_empty()? && self.terms.is_empty()? {
                self.meta.insert(keys::FORMAT, FORMAT_VERSION.to_be_bytes())?;
                return Ok(self.database.persist(PersistMode::SyncAll)?);
            }
            return Err(ArchiveError::corrupted("it does not tell its format"));
        };
        let found = <[u8; 4]>::try_from(&version[..]).map(u32::from_be_bytes);
        let found = found.map_err(|_| ArchiveError::corrupted("the version of its format is no number"))?;
        if found == FORMAT_VERSION {
            Ok(())
        } else {
            Err(ArchiveError::Format { path: path.to_owned(), found, known: FORMAT_VERSION })
        }
    }
}
