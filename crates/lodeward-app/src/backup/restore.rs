//! Restores a data directory from a backup.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use lodeward_archive::{Archive, Collection};
use oxrdf::NamedNodeRef;

use super::{ARCHIVE_FILE, BackupError, BackupManifest, STATE_FILE, files, io_error};
use lodeward::atomic_file;

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
pub fn restore(backup: &Path, data: &Path) -> Result<BackupManifest, BackupError> {
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
        restore_file(backup, &unfinished, file)?;
    }
    if let Some(path) = manifest.files.iter().find(|file| file.path == ARCHIVE_FILE).map(|file| backup.join(&file.path))
    {
        let archive =
            Archive::restore(unfinished.join("archive"), open_file(&path)?, &lodeward_archive::Options::default())?;
        for crawl in &manifest.omitted_crawls {
            archive.drop_collection(Collection(*crawl))?;
        }
        let mut transaction = archive.begin();
        for graph in &manifest.omitted_graphs {
            transaction.drop_graph(NamedNodeRef::new_unchecked(graph).into())?;
        }
        transaction.commit()?;
        archive.sync()?;
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

/// Restores a file.
fn restore_file(backup: &Path, data: &Path, file: &super::BackupFile) -> Result<(), BackupError> {
    let (from, to) = (backup.join(&file.path), data.join(&file.path));
    if file.path == ARCHIVE_FILE {
        return Ok(());
    }
    if file.path.starts_with("crawls/") && to.ends_with(STATE_FILE) {
        return super::state_dump::load_state(to.parent().unwrap_or(data), open_file(&from)?);
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
