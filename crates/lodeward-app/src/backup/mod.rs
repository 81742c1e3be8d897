//! Backups of a data directory.
//!
//! A backup is written while crawls run and the archive changes. Files are copied in this order:
//! the small files, the targets of followers (the archive), and for each crawl its state, then its segments and its
//! recordings. Each part is consistent by itself, and is never newer than the parts copied after
//! it. The differences are those that a kill leaves, and are repaired when the restored directory
//! is opened: a crawl that is recorded as running but has ended is marked as ended, an archive that
//! is behind its segments catches up, and segments that are ahead of their index are skipped. A
//! crawl that is created or deleted during the backup is omitted: its number is not reused, and
//! restoring removes it from the archive.
//!
//! The manifest with all checksums is written last. A directory without it is not a backup.

mod files;
mod manifest;
mod restore;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use manifest::{BackupFile, BackupManifest};
pub use restore::{is_restoring, restore, verify};

use self::manifest::OmittedCrawls;
use crate::crawl_dir::{self, CrawlOpenError, NowMs, OpenCrawl, StateRestoreError};
use crate::data_dir::{CrawlDir, DataDir, DataDirError};
use crate::followers::registry::OpenedTarget;
use crate::followers::{FollowerTargets, TargetError};
use crate::graph_export;
use crate::provenance::GraphNames;
use lodeward::store::follow::FollowerError;

/// The directory for the backups of a service, in the data directory. Backups omit it.
pub const BACKUPS_DIR: &str = "backups";

/// The end of the name of the file that a target of followers, such as the archive, is dumped to.
const TARGET_SUFFIX: &str = ".dump.zst";

/// The file that the state of a crawl is dumped to.
const STATE_FILE: &str = "state.dump.zst";

/// The directory of the WARC files of a crawl.
const RECORDINGS_DIR: &str = "warc";

/// A backup or a restore failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// A file cannot be read or written.
    #[error("cannot read or write {}", .path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The target directory is not empty.
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// The target directory is in the directory to copy.
    #[error("{} is inside of the data directory", .0.display())]
    Inside(PathBuf),
    /// The directory has no manifest, so it is not a complete backup.
    #[error("{} is not a complete backup: it has no {}", .0.display(), manifest::MANIFEST_FILE)]
    Unfinished(PathBuf),
    /// The manifest is invalid, or a file is missing or differs from it.
    #[error("the backup is damaged: {path}: {what}")]
    Damaged {
        /// The path of the file.
        path: String,
        /// What is wrong with the file.
        what: String,
    },
    /// A target of followers cannot be restored.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Data of an omitted crawl cannot be removed from a restored target.
    #[error(transparent)]
    Drop(#[from] FollowerError),
    /// A database cannot be copied.
    #[error("cannot copy the database {}", .path.display())]
    Dump {
        /// The path of the file.
        path: PathBuf,
        /// Why the copy failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A crawl cannot be opened.
    #[error(transparent)]
    Open(#[from] CrawlOpenError),
    /// The state of a crawl cannot be restored.
    #[error(transparent)]
    State(#[from] StateRestoreError),
    /// The records of crawls cannot be read.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The backup was cancelled.
    #[error("backup cancelled")]
    Cancelled,
}

/// Adds the path to an error of the operating system.
fn io_error(path: &Path) -> impl FnOnce(io::Error) -> BackupError + use<> {
    let path = path.to_owned();
    |source| BackupError::Io { path, source }
}

/// Access to the crawls of a data directory.
pub trait CrawlSource {
    /// Opens a crawl, and prevents its removal while the result is held. Returns `None` if the
    /// crawl has been removed.
    fn open_crawl(&self, id: u32) -> Result<Option<Box<dyn AsRef<OpenCrawl> + '_>>, BackupError>;

    /// Returns the graph that the crawl with this number is exported to, if it is known. The record
    /// of an export is written after the graph, and removed with the crawl, so the archive may have
    /// a graph without a record.
    fn export_graph(&self, _id: u32) -> Option<String> {
        None
    }

    /// Whether the backup has been cancelled.
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Called with the bytes of the data directory that have been copied, and those of all its files.
    fn progress(&self, _copied_bytes: u64, _total_bytes: u64) {}
}

/// Writes a backup of a data directory into a new directory.
pub fn write(
    data: &Path,
    targets: &FollowerTargets,
    crawls: &dyn CrawlSource,
    to: &Path,
    now_ms: u64,
) -> Result<BackupManifest, BackupError> {
    create_backup_dir(data, to)?;
    let ids = DataDir::open(data)?.scan()?.ids().into_iter().collect();
    write_crawls(data, targets, crawls, to, &ids, now_ms)
}

/// Writes a backup of the crawls `ids`, which are all crawls that existed when the backup started.
fn write_crawls(
    data: &Path,
    targets: &FollowerTargets,
    crawls: &dyn CrawlSource,
    to: &Path,
    ids: &BTreeSet<u32>,
    now_ms: u64,
) -> Result<BackupManifest, BackupError> {
    let data_dir = DataDir::open(data)?;
    let meter = BackupMeter::start(data, crawls);
    files::copy_small_files(data, to, targets.registry())?;
    let is_cancelled = || crawls.is_cancelled();
    for OpenedTarget { entry, target } in targets.local() {
        files::dump(&to.join(format!("{}{TARGET_SUFFIX}", entry.name)), &is_cancelled, |out| target.dump(out))?;
        meter.add(&data.join(entry.name));
    }
    // The numbers are read after the targets were copied, so that they include every crawl in the
    // copies, also crawls that were created and deleted meanwhile.
    let numbers = &data_dir.used_ids()? | ids;
    let exports = exported_graphs(&data_dir, crawls, to, &numbers)?;
    let mut omitted = OmittedCrawls::default();
    for id in numbers {
        if is_cancelled() {
            return Err(BackupError::Cancelled);
        }
        let opened = if ids.contains(&id) { crawls.open_crawl(id) } else { Ok(None) };
        match opened {
            Ok(Some(crawl)) => {
                copy_crawl((*crawl).as_ref(), &crawl_dir(to, id), &is_cancelled)?;
                files::copy_dir(&crawl_dir(data, id).join(RECORDINGS_DIR), &crawl_dir(to, id).join(RECORDINGS_DIR))?;
                meter.add(&crawl_dir(data, id));
            }
            Ok(None) => {
                omitted.crawls.insert(id);
                omitted.graphs.extend(exports.get(&id).into_iter().flatten().cloned());
                files::clear_dir(&crawl_dir(to, id))?;
            }
            Err(BackupError::Open(error)) if !matches!(error, CrawlOpenError::InUse(_)) => {
                // A crawl that cannot be opened is not being written to, so its files can be
                // copied.
                tracing::warn!(crawl = id, error = &error as &dyn std::error::Error, "damaged crawl copied");
                files::copy_dir(&crawl_dir(data, id), &crawl_dir(to, id))?;
            }
            Err(error) => return Err(error),
        }
    }
    manifest::write(to, now_ms, omitted)
}

/// Reports how much of a data directory has been copied.
struct BackupMeter<'a> {
    crawls: &'a dyn CrawlSource,
    copied: Cell<u64>,
    total: u64,
}

impl<'a> BackupMeter<'a> {
    fn start(data: &Path, crawls: &'a dyn CrawlSource) -> Self {
        let total = files::dir_bytes(data).saturating_sub(files::dir_bytes(&data.join(BACKUPS_DIR)));
        crawls.progress(0, total);
        Self { crawls, copied: Cell::new(0), total }
    }

    /// Counts a directory that has been copied.
    fn add(&self, directory: &Path) {
        self.copied.set(self.copied.get().saturating_add(files::dir_bytes(directory)).min(self.total));
        self.crawls.progress(self.copied.get(), self.total);
    }
}

/// Returns the graphs that crawls are exported to, by crawl: the graph of the last export before
/// the archive was copied, that of the last export now, and that of the next export.
fn exported_graphs(
    data_dir: &DataDir,
    crawls: &dyn CrawlSource,
    to: &Path,
    ids: &BTreeSet<u32>,
) -> Result<BTreeMap<u32, Vec<String>>, BackupError> {
    let copied = DataDir::open(to)?;
    let mut graphs = BTreeMap::new();
    for &id in ids {
        // An unreadable record is treated as missing.
        let known =
            [&copied, data_dir].into_iter().filter_map(|data_dir| graph_export::last_export(data_dir, id).ok()?);
        graphs.insert(id, known.map(|exported| exported.graph).chain(crawls.export_graph(id)).collect());
    }
    Ok(graphs)
}

/// Creates the directory of a backup, readable only by this user.
fn create_backup_dir(data: &Path, to: &Path) -> Result<(), BackupError> {
    DirBuilder::new().recursive(true).mode(0o700).create(to).map_err(io_error(to))?;
    if fs::read_dir(to).map_err(io_error(to))?.next().is_some() {
        return Err(BackupError::NotEmpty(to.to_owned()));
    }
    let (inside, whole) = (to.canonicalize().map_err(io_error(to))?, data.canonicalize().map_err(io_error(data))?);
    if inside.starts_with(&whole) && !inside.starts_with(whole.join(BACKUPS_DIR)) {
        // The directory has just been created and is empty.
        let _ = fs::remove_dir(to);
        return Err(BackupError::Inside(to.to_owned()));
    }
    Ok(())
}

/// The directory of a crawl.
fn crawl_dir(data: &Path, id: u32) -> PathBuf {
    CrawlDir::new(data, id).into_path()
}

/// Copies the state of a crawl, and then its segments: the index must not refer to
/// documents that the segments lack.
fn copy_crawl(crawl: &OpenCrawl, to: &Path, is_cancelled: &dyn Fn() -> bool) -> Result<(), BackupError> {
    files::dump(&to.join(STATE_FILE), is_cancelled, |out| Ok(crawl_dir::dump_state(crawl, out)?))?;
    let segments = to.join("segments");
    fs::create_dir_all(&segments).map_err(io_error(&segments))?;
    for (path, bytes) in crawl.segments.files().map_err(CrawlOpenError::from)? {
        let name = path.file_name().expect("a segment has a file name");
        files::copy_file(&path, &segments.join(name), bytes)?;
    }
    Ok(())
}

/// The crawls of a data directory that no other process uses.
pub struct ExclusiveCrawls<'a> {
    /// The settings with which crawls are opened.
    pub config: &'a crate::settings::Config,
    /// The data directory.
    pub data: &'a Path,
    /// The clock that is passed to opened crawls.
    pub now: NowMs,
}

impl CrawlSource for ExclusiveCrawls<'_> {
    fn open_crawl(&self, id: u32) -> Result<Option<Box<dyn AsRef<OpenCrawl> + '_>>, BackupError> {
        let crawl = crawl_dir::open_crawl(self.config, &CrawlDir::new(self.data, id), self.now)?;
        Ok(Some(Box::new(Arc::new(crawl))))
    }

    fn export_graph(&self, id: u32) -> Option<String> {
        Some(GraphNames::new(&self.config.store.graph_base_iri, id).crawl().into_string())
    }
}
