//! The file `users.json`: read, replaced atomically, and locked for changes.

use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use lodeward_app::atomic_file::{self, FileAccess};
use lodeward_app::json_file;
use lodeward_app::json_file::FileError;

use super::{UserDb, UserError};

/// Creates a directory that only its owner can access.
pub(super) fn create_private_dir(path: &Path) -> Result<(), UserError> {
    Ok(DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(FileError::for_path(path))?)
}

/// Reads the users from the file; empty if the file does not exist.
pub(super) fn read(path: &Path) -> Result<UserDb, UserError> {
    Ok(json_file::read(path)?.unwrap_or_default())
}

/// Writes the users. When it returns, the change is durable.
pub(super) fn replace(path: &Path, users: &UserDb) -> Result<(), UserError> {
    Ok(json_file::write_with_access(path, FileAccess::Owner, users)?)
}

/// Writes a file that only its owner can read.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), UserError> {
    Ok(atomic_file::replace(path, FileAccess::Owner, bytes).map_err(FileError::for_path(path))?)
}

/// Removes a file, if it exists.
pub(super) fn remove(path: &Path) -> Result<(), UserError> {
    Ok(atomic_file::remove_if_exists(path).map_err(FileError::for_path(path))?)
}

/// Locks the users of this directory against changes by other processes. Blocks.
pub(super) fn lock(dir: &Path) -> Result<File, UserError> {
    let path = dir.join("users.lock");
    let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let file = opened.map_err(FileError::for_path(&path))?;
    file.lock().map_err(FileError::for_path(&path))?;
    Ok(file)
}
