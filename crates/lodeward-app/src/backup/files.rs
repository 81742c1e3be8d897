//! Copies the files of a data directory.

use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::path::Path;

use super::{BACKUPS_DIR, BackupError, RECORDINGS_DIR, io_error};
use crate::atomic_file;
use crate::data_dir::FIRST_PASSWORD_FILE;
use crate::followers::FollowerRegistry;

/// The zstd level. Higher levels are slower and save little space.
const ZSTD_LEVEL: i32 = 3;

/// The directories of a crawl that may be large. They are copied separately.
const LARGE_CRAWL_DIRS: [&str; 3] = ["state", "segments", RECORDINGS_DIR];

/// Files that backups omit: those of a running process, and the one file with a secret in plain
/// text. A backup is stored in other places and read by other programs, where the password of an
/// admin must not be found.
const OMITTED_FILES: [&str; 4] = ["service/lock", "service/users.lock", "service/service.json", FIRST_PASSWORD_FILE];

/// Copies everything except the targets of followers, other backups, and the state, segments and
/// recordings of crawls. The empty directory of a deleted crawl is copied, because its number is never reused.
pub(super) fn copy_small_files(data: &Path, to: &Path, registry: &FollowerRegistry) -> Result<(), BackupError> {
    copy_dir_except(data, to, &|path| {
        let is_large = match path.split_once('/') {
            None => path == BACKUPS_DIR || registry.local().any(|entry| path == entry.name),
            Some(("crawls", rest)) => rest.split_once('/').is_some_and(|(_, name)| LARGE_CRAWL_DIRS.contains(&name)),
            Some(_) => false,
        };
        let is_temporary =
            Path::new(path).extension().is_some_and(|extension| extension == atomic_file::TEMP_EXTENSION);
        is_large || OMITTED_FILES.contains(&path) || is_temporary
    })
}

/// Copies a directory.
pub(super) fn copy_dir(from: &Path, to: &Path) -> Result<(), BackupError> {
    copy_dir_except(from, to, &|_| false)
}

/// Copies a directory without the excluded relative paths.
fn copy_dir_except(from: &Path, to: &Path, is_excluded: &dyn Fn(&str) -> bool) -> Result<(), BackupError> {
    let mut dirs = vec![String::new()];
    while let Some(dir) = dirs.pop() {
        let (source, target) = (from.join(&dir), to.join(&dir));
        let entries = match fs::read_dir(&source) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(io_error(&source)(error)),
        };
        fs::create_dir_all(&target).map_err(io_error(&target))?;
        for entry in entries {
            let entry = entry.map_err(io_error(&source))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if dir.is_empty() { name } else { format!("{dir}/{name}") };
            if is_excluded(&path) {
                continue;
            }
            let file_type = entry.file_type().map_err(io_error(&entry.path()))?;
            if file_type.is_dir() {
                dirs.push(path);
            } else {
                copy_file_if_exists(&entry.path(), &to.join(&path))?;
            }
        }
    }
    Ok(())
}

/// Copies a file at its current length, if it exists and is a regular file.
fn copy_file_if_exists(from: &Path, to: &Path) -> Result<(), BackupError> {
    match fs::metadata(from) {
        Ok(metadata) if metadata.is_file() => match copy_file(from, to, metadata.len()) {
            Err(BackupError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(()),
            outcome => outcome,
        },
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(io_error(from)(error)),
    }
}

/// Copies the first bytes of a file, with its permissions.
pub(super) fn copy_file(from: &Path, to: &Path, bytes: u64) -> Result<(), BackupError> {
    let source = File::open(from).map_err(io_error(from))?;
    let permissions = source.metadata().map_err(io_error(from))?.permissions();
    let mut target = File::create(to).map_err(io_error(to))?;
    target.set_permissions(permissions).map_err(io_error(to))?;
    let copied = io::copy(&mut source.take(bytes), &mut target).map_err(io_error(to))?;
    if copied < bytes {
        return Err(io_error(from)(io::Error::from(io::ErrorKind::UnexpectedEof)));
    }
    Ok(())
}

/// Writes a database to one file, unless the backup is cancelled.
pub(super) fn dump(
    path: &Path,
    is_cancelled: &dyn Fn() -> bool,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Box<dyn std::error::Error + Send + Sync>>,
) -> Result<(), BackupError> {
    let file = File::create(path).map_err(io_error(path))?;
    let packed = zstd::Encoder::new(file, ZSTD_LEVEL).map_err(io_error(path))?;
    let mut stoppable = StoppableWriter { inner: packed, is_cancelled };
    match write(&mut stoppable) {
        Ok(()) => stoppable.inner.finish().map(drop).map_err(io_error(path)),
        Err(_) if is_cancelled() => Err(BackupError::Cancelled),
        Err(source) => Err(BackupError::Dump { path: path.to_owned(), source }),
    }
}

/// A writer that returns an error after the backup is cancelled.
struct StoppableWriter<'a, W> {
    inner: W,
    is_cancelled: &'a dyn Fn() -> bool,
}

impl<W: Write> Write for StoppableWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.is_cancelled)() { Err(io::Error::other("cancelled")) } else { self.inner.write(bytes) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// The bytes of all files below a directory. Files that vanish are not counted.
pub(super) fn dir_bytes(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else { return 0 };
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => dir_bytes(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(bytes).sum()
}

/// Empties a directory, or creates it.
pub(super) fn clear_dir(path: &Path) -> Result<(), BackupError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error(path)(error)),
        _ => fs::create_dir_all(path).map_err(io_error(path)),
    }
}
