//! The state of a crawl: its frontier, and the index of its harvest, in one embedded database.
//!
//! Only this module names the implementations: a frontier in another database is opened, dumped,
//! restored and deleted here, too.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use fjall::PersistMode;
use lodeward::frontier::Frontier;
use lodeward::frontier::embedded::{
    self, DatabaseOpenError, EmbeddedFrontier, EmbeddedFrontierOptions, JournalCut, ProgressFile, cut_damage,
};
use lodeward::store::segments::{SegmentOptions, SegmentStore};
use lodeward_archive::dump::{self, DumpError};

use super::{CrawlOpenError, NowMs, OpenCrawl};
use crate::data_dir::{CrawlDir, STATE_DIR};
use crate::json_file::FileError;
use crate::settings::{Config, frontier_options};

/// Cache size, in MiB, of the database of a crawl. A larger cache has little effect, because URIs
/// are read sequentially.
const CACHE_MB: u64 = 32;

/// Cache size, in MiB, of a database that is only loaded.
const LOAD_CACHE_MB: u64 = 8;

/// The state of a crawl cannot be restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateRestoreError {
    /// The state cannot be created.
    #[error(transparent)]
    Open(#[from] CrawlOpenError),
    /// The dump cannot be read.
    #[error("cannot copy the database {}", .path.display())]
    Dump {
        /// The path of the database.
        path: std::path::PathBuf,
        /// Why the dump cannot be read.
        #[source]
        source: DumpError,
    },
}

/// Opens the harvest and the frontier of a crawl, or creates them.
pub(super) fn open(
    config: &Config,
    directory: &Path,
    now: NowMs,
) -> Result<(SegmentStore, Arc<dyn Frontier>), CrawlOpenError> {
    let (segments, database) = open_segments(directory)?;
    let options = EmbeddedFrontierOptions { progress: Some(progress_file(directory)), ..frontier_options(config, now) };
    let frontier = EmbeddedFrontier::open(&database, options)?;
    Ok((segments, Arc::new(frontier)))
}

/// Opens the harvest of a crawl, and the database with its index.
pub(crate) fn open_segments(directory: &Path) -> Result<(SegmentStore, fjall::Database), CrawlOpenError> {
    let path = directory.join(STATE_DIR);
    let database = embedded::open_database(&path, CACHE_MB).map_err(|error| open_error(directory, error))?;
    embedded::require_version(&database)?;
    embedded::require_progress(&database, &progress_file(directory))?;
    let documents = documents_table(&database).map_err(|source| CrawlOpenError::Database { path, source })?;
    let options = SegmentOptions::default();
    let store = SegmentStore::open(directory.join("segments"), documents, database.clone(), options)?;
    Ok((store, database))
}

/// The error of a database that cannot be opened, in the directory of a crawl.
fn open_error(directory: &Path, error: DatabaseOpenError) -> CrawlOpenError {
    match error {
        DatabaseOpenError::Locked => CrawlOpenError::InUse(directory.to_owned()),
        DatabaseOpenError::Damaged { path, what } => CrawlOpenError::Damaged { path, what },
        DatabaseOpenError::Database(source) => CrawlOpenError::Database { path: directory.join(STATE_DIR), source },
        error => CrawlOpenError::Damaged { path: directory.join(STATE_DIR), what: error.to_string() },
    }
}

/// The file with the progress of the frontier in the directory of a crawl.
fn progress_file(directory: &Path) -> ProgressFile {
    ProgressFile::new(directory.join("progress"))
}

/// What was done about a damaged state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateRepair {
    /// The journal was cut at its damage.
    Cut(JournalCut),
    /// The state is accepted without the changes that it has lost.
    Accepted,
}

/// Repairs the state of a crawl that [`open_crawl`](super::open_crawl) rejects as damaged. The crawl
/// goes back to the last change before the damage, and fetches documents that it has stored since
/// then again. Returns `None` if the state has other damage, which cannot be repaired.
pub fn repair_state(dir: &CrawlDir, error: &CrawlOpenError) -> Result<Option<StateRepair>, CrawlOpenError> {
    let repaired = match error {
        CrawlOpenError::Damaged { .. } => {
            let cut = cut_damage(&dir.path().join(STATE_DIR)).map_err(|error| open_error(dir.path(), error))?;
            cut.map(StateRepair::Cut)
        }
        CrawlOpenError::Frontier(error) if error.is_lost() => Some(StateRepair::Accepted),
        _ => None,
    };
    if repaired.is_some() {
        remove_progress(dir.path())?;
    }
    Ok(repaired)
}

/// Accepts the state as it is.
fn remove_progress(directory: &Path) -> Result<(), CrawlOpenError> {
    let progress = progress_file(directory);
    let failed = |error: io::Error| CrawlOpenError::Database { path: progress.path().to_owned(), source: error.into() };
    progress.remove().map_err(failed)
}

/// Opens or creates the database table that holds the index of a harvest.
fn documents_table(database: &fjall::Database) -> Result<fjall::Keyspace, fjall::Error> {
    database.keyspace("documents", || fjall::KeyspaceCreateOptions::default().max_memtable_size(2 << 20))
}

/// Deletes the state of a crawl, which must not be open. The files of the crawl are deleted with its
/// directory.
pub fn delete_state(dir: &CrawlDir) -> Result<(), FileError> {
    let progress = progress_file(dir.path());
    progress.remove().map_err(FileError::for_path(progress.path()))?;
    let path = dir.path().join(STATE_DIR);
    match fs::remove_dir_all(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(FileError::for_path(&path)(error)),
        _ => Ok(()),
    }
}

/// Writes a snapshot of the database of a crawl, with its frontier and its index. The crawl
/// may run meanwhile.
pub(crate) fn dump_state(crawl: &OpenCrawl, into: impl Write) -> Result<(), DumpError> {
    let database = crawl.segments.database();
    let view = database.snapshot();
    let names = database.list_keyspace_names();
    let tables = names.iter().map(|name| Ok((&**name, database.keyspace(name, Default::default)?)));
    let tables: Vec<_> = tables.collect::<Result<_, fjall::Error>>()?;
    let tables: Vec<_> = tables.iter().map(|(name, table)| (*name, table)).collect();
    dump::write(&view, &tables, into)
}

/// Creates the database of a crawl from the output of [`dump_state`]. The directory must not have a
/// database.
pub(crate) fn restore_state(directory: &Path, from: impl Read) -> Result<(), StateRestoreError> {
    let path = directory.join(STATE_DIR);
    let failed = |source| CrawlOpenError::Database { path: path.clone(), source };
    let database = embedded::open_database(&path, LOAD_CACHE_MB).map_err(|error| open_error(directory, error))?;
    // The tables are created before the dump is read, because a table keeps the options it was
    // created with.
    embedded::create_tables(&database).map_err(CrawlOpenError::from)?;
    documents_table(&database).map_err(failed)?;
    dump::read(from, |name| database.keyspace(name, Default::default))
        .map_err(|source| StateRestoreError::Dump { path: path.clone(), source })?;
    Ok(database.persist(PersistMode::SyncAll).map_err(failed)?)
}
