//! The file `users.json`: read, replaced atomically, and locked for changes.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use lodeward::atomic_file::{self, FileAccess};

use super::{UserDb, UserError};

/// Identifies a version of the file. Every change creates a new file, so a changed file has another
/// stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileStamp {
    inode: u64,
    modified: (i64, i64),
    length: u64,
}

impl FileStamp {
    /// The stamp of the file; `None` if the file does not exist.
    pub(super) fn from_path(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let modified = (metadata.mtime(), metadata.mtime_nsec());
        Some(Self { inode: metadata.ino(), modified, length: metadata.len() })
    }
}

/// Creates a directory that only its owner can access.
pub(super) fn create_private_dir(path: &Path) -> Result<(), UserError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(io_error(path))
}

/// Reads the users from the file; empty if the file does not exist.
pub(super) fn read(path: &Path) -> Result<UserDb, UserError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(UserDb::default()),
        Err(error) => return Err(io_error(path)(error)),
    };
    serde_json::from_slice(&bytes).map_err(|source| UserError::Format { path: path.to_owned(), source })
}

/// Writes the users. When it returns, the change is durable.
pub(super) fn replace(path: &Path, users: &UserDb) -> Result<(), UserError> {
    let bytes = serde_json::to_vec_pretty(users).expect("the users can be serialized");
    write_private(path, &bytes)
}

/// Writes a file that only its owner can read.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), UserError> {
    atomic_file::replace(path, FileAccess::Owner, bytes).map_err(io_error(path))
}

/// Removes a file, if it exists.
pub(super) fn remove(path: &Path) -> Result<(), UserError> {
    atomic_file::remove_if_exists(path).map_err(io_error(path))
}

/// Locks the users of this directory against changes by other processes. Blocks.
pub(super) fn lock(dir: &Path) -> Result<File, UserError> {
    let path = dir.join("users.lock");
    let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let file = opened.map_err(io_error(&path))?;
    file.lock().map_err(io_error(&path))?;
    Ok(file)
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> UserError {
    move |source| UserError::Io { path: path.to_owned(), source }
}
