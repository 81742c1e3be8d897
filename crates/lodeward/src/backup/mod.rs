//! A data directory as it was at one moment, somewhere else.
//!
//! A backup is taken while crawls run and the archive is written to. The idea is
//! an order: first the small files, then the archive, then of each crawl its state
//! and after that its segments and recordings. Each of them is consistent by itself,
//! and may be older than what comes after it, never newer: a crawl whose order still
//! says that it runs finds that it has ended, an archive that is behind its segments
//! catches up, and a segment that goes on after what the index knows is what a killed
//! process leaves. So restoring is no more than opening after a kill. A crawl that
//! begins meanwhile is not in it, like one that is deleted: its number is taken, and
//! restoring takes it out of the archive.
//!
//! The list of all files, with their checksums, is written last: without it, there
//! is no backup.

mod files;
mod manifest;
mod restore;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward_archive::Archive;
use lodeward_archive::dump::DumpError;

pub use manifest::{Entry, Manifest};
pub use restore::{is_restoring, restore, verify};

use self::manifest::Gone;
use crate::open::{self, OpenError, Shelf};
use crate::provenance::Names;
use crate::registry::{Registry, RegistryError};

/// The folder in a data directory in which a service keeps its backups. It is in
/// no backup.
pub const FOLDER: &str = "backups";

/// The archive, as one file.
const ARCHIVE: &str = "archive.dump.zst";

/// The state of a crawl, as one file.
const STATE: &str = "state.dump.zst";

/// The folder of a crawl with what it was answered.
const RECORDINGS: &str = "warc";

/// A data directory cannot be backed up or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// The operating system said no.
    #[error("cannot use {}", .path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
    /// There is something where there must be nothing.
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// A backup of a folder into itself.
    #[error("{} is inside of the data directory", .0.display())]
    Inside(PathBuf),
    /// A folder that is no backup, or an unfinished one.
    #[error("{} is no backup, or one that was not finished: it has no {}", .0.display(), manifest::NAME)]
    Unfinished(PathBuf),
    /// A backup that is not as it was written.
    #[error("the backup is damaged: {path}: {what}")]
    Damaged {
        /// Which file.
        path: String,
        /// What is wrong with it.
        what: String,
    },
    /// The archive cannot be read or written.
    #[error(transparent)]
    Archive(#[from] lodeward_archive::ArchiveError),
    /// A database cannot be written or read.
    #[error("{}", .path.display())]
    Dump {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: DumpError,
    },
    /// A crawl cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The records of crawls cannot be read.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// Somebody wants it to end.
    #[error("the backup was cut short")]
    CutShort,
}

/// Says of an error of the operating system which file it is about.
fn at(path: &Path) -> impl FnOnce(io::Error) -> BackupError + use<> {
    let path = path.to_owned();
    |source| BackupError::Io { path, source }
}

/// Whoever has crawls opened, or can open them.
pub trait Crawls {
    /// What a crawl has on disk, held so that nobody removes it. `None` if there is
    /// no such crawl any more.
    fn hold(&self, id: u32) -> Result<Option<Box<dyn AsRef<Shelf> + '_>>, BackupError>;

    /// The graph that a crawl of this number is exported to, if that can be said. What
    /// tells of an export is written after it, and goes with the crawl: the archive may
    /// have one of which nothing else tells.
    fn graph_of(&self, _id: u32) -> Option<String> {
        None
    }

    /// Whether this is to end.
    fn is_cut_short(&self) -> bool {
        false
    }
}

/// Writes a backup of a data directory into a new folder.
pub fn write(
    data: &Path,
    archive: &Archive,
    crawls: &dyn Crawls,
    to: &Path,
    now_ms: u64,
) -> Result<Manifest, BackupError> {
    begin(data, to)?;
    let ids = Registry::open(data)?.look()?.ids().into_iter().collect();
    write_listed(data, archive, crawls, to, &ids, now_ms)
}

/// Writes a backup of these crawls, which were all that there were, and of all else.
fn write_listed(
    data: &Path,
    archive: &Archive,
    crawls: &dyn Crawls,
    to: &Path,
    ids: &BTreeSet<u32>,
    now_ms: u64,
) -> Result<Manifest, BackupError> {
    let registry = Registry::open(data)?;
    files::copy_small(data, to)?;
    let is_cut_short = || crawls.is_cut_short();
    files::dump(&to.join(ARCHIVE), &is_cut_short, |out| archive.dump(out))?;
    // After the archive, so that it has no crawl which is not among them; also those
    // that came and went.
    let numbers = &registry.numbers()? | ids;
    let exports = exported_graphs(&registry, crawls, to, &numbers)?;
    let mut gone = Gone::default();
    for id in numbers {
        if is_cut_short() {
            return Err(BackupError::CutShort);
        }
        let held = if ids.contains(&id) { crawls.hold(id) } else { Ok(None) };
        match held {
            Ok(Some(held)) => {
                copy_crawl((*held).as_ref(), &of_crawl(to, id), &is_cut_short)?;
                files::copy_folder(&of_crawl(data, id).join(RECORDINGS), &of_crawl(to, id).join(RECORDINGS))?;
            }
            Ok(None) => {
                gone.crawls.insert(id);
                gone.graphs.extend(exports.get(&id).into_iter().flatten().cloned());
                files::empty(&of_crawl(to, id))?;
            }
            Err(BackupError::Open(error)) if !matches!(error, OpenError::InUse(_)) => {
                // Nobody can open it, so nobody writes it: it is copied as it is.
                tracing::warn!(crawl = id, error = &error as &dyn std::error::Error, "copied a crawl that is broken");
                files::copy_folder(&of_crawl(data, id), &of_crawl(to, id))?;
            }
            Err(error) => return Err(error),
        }
    }
    manifest::write(to, now_ms, gone)
}

/// The graphs that crawls are exported to, by crawl: as it was before the archive was
/// copied, as it is now, and as it would be.
fn exported_graphs(
    registry: &Registry,
    crawls: &dyn Crawls,
    to: &Path,
    ids: &BTreeSet<u32>,
) -> Result<BTreeMap<u32, Vec<String>>, BackupError> {
    let copied = Registry::open(to)?;
    let mut graphs = BTreeMap::new();
    for &id in ids {
        // What cannot be read tells of none.
        let known = [&copied, registry].into_iter().filter_map(|registry| open::exported(registry, id).ok()?);
        graphs.insert(id, known.map(|exported| exported.graph).chain(crawls.graph_of(id)).collect());
    }
    Ok(graphs)
}

/// Makes the folder of a backup: others have no business in it.
fn begin(data: &Path, to: &Path) -> Result<(), BackupError> {
    DirBuilder::new().recursive(true).mode(0o700).create(to).map_err(at(to))?;
    if fs::read_dir(to).map_err(at(to))?.next().is_some() {
        return Err(BackupError::NotEmpty(to.to_owned()));
    }
    let (inside, whole) = (to.canonicalize().map_err(at(to))?, data.canonicalize().map_err(at(data))?);
    if inside.starts_with(&whole) && !inside.starts_with(whole.join(FOLDER)) {
        // It was made just now, and is empty.
        let _ = fs::remove_dir(to);
        return Err(BackupError::Inside(to.to_owned()));
    }
    Ok(())
}

/// The folder of a crawl.
fn of_crawl(data: &Path, id: u32) -> PathBuf {
    data.join("crawls").join(id.to_string())
}

/// Copies the state of a crawl, and then its segments: the index must not know of
/// more than there is.
fn copy_crawl(shelf: &Shelf, to: &Path, is_cut_short: &dyn Fn() -> bool) -> Result<(), BackupError> {
    files::dump(&to.join(STATE), is_cut_short, |out| open::dump_state(shelf, out))?;
    let segments = to.join("segments");
    fs::create_dir_all(&segments).map_err(at(&segments))?;
    for (path, bytes) in shelf.segments.files().map_err(OpenError::from)? {
        let name = path.file_name().expect("a segment has a name");
        files::copy_file(&path, &segments.join(name), bytes)?;
    }
    Ok(())
}

/// Crawls that this process opens one after the other, for nobody else has them.
pub struct Alone<'a> {
    /// How they are opened.
    pub config: &'a crate::config::Config,
    /// Where they are.
    pub data: &'a Path,
    /// Tells the time.
    pub now: open::Now,
}

impl Crawls for Alone<'_> {
    fn hold(&self, id: u32) -> Result<Option<Box<dyn AsRef<Shelf> + '_>>, BackupError> {
        let shelf = open::shelf(self.config, &of_crawl(self.data, id), self.now)?;
        Ok(Some(Box::new(Arc::new(shelf))))
    }

    fn graph_of(&self, id: u32) -> Option<String> {
        Some(Names::new(&self.config.store.base, id).crawl().into_string())
    }
}
