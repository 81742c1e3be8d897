//! From a backup to a data directory.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use lodeward_archive::{Archive, Collection};
use oxrdf::NamedNodeRef;

use super::{ARCHIVE, BackupError, Manifest, STATE, at, files};
use crate::{durable, open};

/// In a data directory: everything, until all of it is there.
const UNFINISHED: &str = "restoring";

/// Whether somebody restores this data directory, or was cut short while doing so.
#[must_use]
pub fn is_restoring(data: &Path) -> bool {
    data.join(UNFINISHED).exists()
}

/// Checks that a backup is as it was written.
pub fn verify(backup: &Path) -> Result<Manifest, BackupError> {
    let manifest = Manifest::read(backup)?;
    manifest.files.iter().try_for_each(|file| file.check(backup))?;
    Ok(manifest)
}

/// Makes a data directory of a backup, after it was checked. The directory must be
/// empty, or not be there. Whoever cuts this short leaves a folder `restoring` and
/// nothing else in it, and can do it again.
pub fn restore(backup: &Path, data: &Path) -> Result<Manifest, BackupError> {
    let manifest = verify(backup)?;
    fs::create_dir_all(data).map_err(at(data))?;
    let unfinished = data.join(UNFINISHED);
    let is_other = |path: &PathBuf| *path != unfinished && !path.ends_with("lost+found");
    if entries(data)?.iter().any(is_other) {
        return Err(BackupError::NotEmpty(data.to_owned()));
    }
    files::empty(&unfinished)?;
    for folder in &manifest.folders {
        let path = unfinished.join(folder);
        fs::create_dir_all(&path).map_err(at(&path))?;
    }
    for file in &manifest.files {
        put(backup, &unfinished, file)?;
    }
    if let Some(path) = manifest.files.iter().find(|file| file.path == ARCHIVE).map(|file| backup.join(&file.path)) {
        let archive =
            Archive::restore(unfinished.join("archive"), opened(&path)?, &lodeward_archive::Options::default())?;
        for crawl in &manifest.gone {
            archive.drop_collection(Collection(*crawl))?;
        }
        let mut transaction = archive.begin();
        for graph in &manifest.gone_graphs {
            transaction.drop_graph(NamedNodeRef::new_unchecked(graph).into())?;
        }
        transaction.commit()?;
        archive.sync()?;
    }
    // Within one folder, and so quickly; crawls last, for without them nobody
    // takes the rest for a whole.
    let mut whole = entries(&unfinished)?;
    whole.sort_by_key(|path| path.ends_with("crawls"));
    for path in whole {
        let name = path.file_name().expect("an entry has a name");
        fs::rename(&path, data.join(name)).map_err(at(&path))?;
    }
    fs::remove_dir(&unfinished).map_err(at(&unfinished))?;
    durable::sync_folder(data).map_err(at(data))?;
    Ok(manifest)
}

/// Puts a file of a backup where it belongs.
fn put(backup: &Path, data: &Path, file: &super::Entry) -> Result<(), BackupError> {
    let (from, to) = (backup.join(&file.path), data.join(&file.path));
    if file.path == ARCHIVE {
        return Ok(());
    }
    if file.path.starts_with("crawls/") && to.ends_with(STATE) {
        return Ok(open::load_state(to.parent().unwrap_or(data), opened(&from)?)?);
    }
    files::copy_file(&from, &to, file.bytes)?;
    File::open(&to).and_then(|file| file.sync_all()).map_err(at(&to))
}

fn opened(path: &Path) -> Result<impl Read + use<>, BackupError> {
    let file = File::open(path).map_err(at(path))?;
    zstd::Decoder::new(file).map_err(at(path))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, BackupError> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    entries.map_err(at(folder))
}
