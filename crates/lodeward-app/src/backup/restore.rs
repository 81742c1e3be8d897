//! Restores a data directory from a backup.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use oxrdf::NamedNodeRef;

use super::{BackupError, BackupManifest, STATE_FILE, TARGET_SUFFIX, files, io_error};
use crate::atomic_file;
use crate::crawl_dir::restore_state;
use crate::followers::FollowerRegistry;
use crate::followers::registry::RestoreTarget;
use lodeward::store::follow::AfterDrop;

/// The directory in the data directory that holds all files until the restore is complete.
const UNFINISHED_DIR: &str = "restoring";

/// Whether a restore of this data directory is running or was interrupted.
#[must_use]
pub fn is_restoring(data: &Path) -> bool {
    data.join(UNFINISHED_DIR).exists()
}

/// Checks the files of a backup.
pub fn verify(backup: &Path) -> Result<BackupManifest, BackupError> {
    let manifest = BackupManifest::read(backup)?;
    manifest.files.iter().try_for_each(|file| file.check(backup))?;
    Ok(manifest)
}

/// Verifies a backup and creates a data directory from it. The directory must be empty or
/// not exist. An interrupted restore leaves only the directory `restoring`, and can be
/// repeated.
pub fn restore(backup: &Path, data: &Path, registry: &FollowerRegistry) -> Result<BackupManifest, BackupError> {
    let manifest = verify(backup)?;
    fs::create_dir_all(data).map_err(io_error(data))?;
    let unfinished = data.join(UNFINISHED_DIR);
    let is_other = |path: &PathBuf| *path != unfinished && !path.ends_with("lost+found");
    if entries(data)?.iter().any(is_other) {
        return Err(BackupError::NotEmpty(data.to_owned()));
    }
    files::clear_dir(&unfinished)?;
    for directory in &manifest.directories {
        let path = unfinished.join(directory);
        fs::create_dir_all(&path).map_err(io_error(&path))?;
    }
    for file in &manifest.files {
        let Some(name) = file.path.strip_suffix(TARGET_SUFFIX).filter(|name| !name.contains('/')) else {
            restore_file(backup, &unfinished, file)?;
            continue;
        };
        match registry.local().find(|entry| entry.name == name).and_then(|entry| entry.restore) {
            Some(restore) => restore_target(&backup.join(&file.path), &unfinished, restore, &manifest)?,
            None => tracing::warn!(follower = name, "not restored: this program has no such follower"),
        }
    }
    // Renaming inside one directory is fast. Crawls are moved last: a data directory without crawls
    // is not used, so an interrupted restore is not mistaken for a complete one.
    let mut whole = entries(&unfinished)?;
    whole.sort_by_key(|path| path.ends_with("crawls"));
    for path in whole {
        let name = path.file_name().expect("an entry has a file name");
        fs::rename(&path, data.join(name)).map_err(io_error(&path))?;
    }
    fs::remove_dir(&unfinished).map_err(io_error(&unfinished))?;
    atomic_file::sync_dir(data).map_err(io_error(data))?;
    Ok(manifest)
}

/// Restores a target of followers, without the crawls that the backup omits.
fn restore_target(
    dump: &Path,
    data: &Path,
    restore: RestoreTarget,
    manifest: &BackupManifest,
) -> Result<(), BackupError> {
    let target = restore(data, &mut open_file(dump)?)?;
    for crawl in &manifest.omitted_crawls {
        target.drop_crawl(*crawl, AfterDrop::StartOver)?;
    }
    for graph in &manifest.omitted_graphs {
        target.drop_graph(NamedNodeRef::new_unchecked(graph))?;
    }
    Ok(())
}

/// Restores a file.
fn restore_file(backup: &Path, data: &Path, file: &super::BackupFile) -> Result<(), BackupError> {
    let (from, to) = (backup.join(&file.path), data.join(&file.path));
    if file.path.starts_with("crawls/") && to.ends_with(STATE_FILE) {
        return Ok(restore_state(to.parent().unwrap_or(data), open_file(&from)?)?);
    }
    files::copy_file(&from, &to, file.bytes)?;
    File::open(&to).and_then(|file| file.sync_all()).map_err(io_error(&to))
}

fn open_file(path: &Path) -> Result<impl Read + use<>, BackupError> {
    let file = File::open(path).map_err(io_error(path))?;
    zstd::Decoder::new(file).map_err(io_error(path))
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, BackupError> {
    let entries = fs::read_dir(dir).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    entries.map_err(io_error(dir))
}
