//! Files of a data directory, copied.

use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::path::Path;

use lodeward_archive::dump::DumpError;

use super::{BackupError, FOLDER, RECORDINGS, at};
use crate::durable;

/// The level of zstd: quick, and most of what there is to win.
const LEVEL: i32 = 3;

/// What a crawl has that may be big.
const OF_A_CRAWL: [&str; 3] = ["state", "segments", RECORDINGS];

/// What belongs to a process, not to its data: it is in no backup.
const OF_A_PROCESS: [&str; 2] = ["service/lock", "service/running.json"];

/// Copies everything but the archive, the state, segments and recordings of crawls,
/// and other backups. The folder of a crawl stays if nothing is in it: its number is taken.
pub(super) fn copy_small(data: &Path, to: &Path) -> Result<(), BackupError> {
    copy_but(data, to, &|path| {
        let is_big = match path.split_once('/') {
            None => path == "archive" || path == FOLDER,
            Some(("crawls", rest)) => rest.split_once('/').is_some_and(|(_, name)| OF_A_CRAWL.contains(&name)),
            Some(_) => false,
        };
        let is_half_written = Path::new(path).extension().is_some_and(|extension| extension == durable::UNFINISHED);
        is_big || OF_A_PROCESS.contains(&path) || is_half_written
    })
}

/// Copies a folder as it is.
pub(super) fn copy_folder(from: &Path, to: &Path) -> Result<(), BackupError> {
    copy_but(from, to, &|_| false)
}

/// Copies a folder, without those whose path in it is left out.
fn copy_but(from: &Path, to: &Path, is_left_out: &dyn Fn(&str) -> bool) -> Result<(), BackupError> {
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let (source, target) = (from.join(&folder), to.join(&folder));
        let entries = match fs::read_dir(&source) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(at(&source)(error)),
        };
        fs::create_dir_all(&target).map_err(at(&target))?;
        for entry in entries {
            let entry = entry.map_err(at(&source))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            if is_left_out(&path) {
                continue;
            }
            let file_type = entry.file_type().map_err(at(&entry.path()))?;
            if file_type.is_dir() {
                folders.push(path);
            } else {
                copy_if_there(&entry.path(), &to.join(&path))?;
            }
        }
    }
    Ok(())
}

/// Copies a file as long as it is now, if it still is there, and if it is a file.
fn copy_if_there(from: &Path, to: &Path) -> Result<(), BackupError> {
    match fs::metadata(from) {
        Ok(about) if about.is_file() => match copy_file(from, to, about.len()) {
            Err(BackupError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(()),
            outcome => outcome,
        },
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(at(from)(error)),
    }
}

/// Copies so many bytes of a file; who may read it stays.
pub(super) fn copy_file(from: &Path, to: &Path, bytes: u64) -> Result<(), BackupError> {
    let source = File::open(from).map_err(at(from))?;
    let permissions = source.metadata().map_err(at(from))?.permissions();
    let mut target = File::create(to).map_err(at(to))?;
    target.set_permissions(permissions).map_err(at(to))?;
    let copied = io::copy(&mut source.take(bytes), &mut target).map_err(at(to))?;
    if copied < bytes {
        return Err(at(from)(io::Error::from(io::ErrorKind::UnexpectedEof)));
    }
    Ok(())
}

/// Writes a database as one file, unless it is cut short.
pub(super) fn dump(
    path: &Path,
    is_cut_short: &dyn Fn() -> bool,
    write: impl FnOnce(&mut dyn Write) -> Result<(), DumpError>,
) -> Result<(), BackupError> {
    let file = File::create(path).map_err(at(path))?;
    let packed = zstd::Encoder::new(file, LEVEL).map_err(at(path))?;
    let mut stoppable = Stoppable { inner: packed, is_cut_short };
    match write(&mut stoppable) {
        Ok(()) => stoppable.inner.finish().map(drop).map_err(at(path)),
        Err(_) if is_cut_short() => Err(BackupError::CutShort),
        Err(source) => Err(BackupError::Dump { path: path.to_owned(), source }),
    }
}

/// Writes until somebody wants it to end.
struct Stoppable<'a, W> {
    inner: W,
    is_cut_short: &'a dyn Fn() -> bool,
}

impl<W: Write> Write for Stoppable<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.is_cut_short)() { Err(io::Error::other("cut short")) } else { self.inner.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Empties a folder, or makes it.
pub(super) fn empty(path: &Path) -> Result<(), BackupError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => fs::create_dir_all(path).map_err(at(path)),
    }
}
