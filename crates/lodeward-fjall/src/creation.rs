//! Recognises databases whose creation was interrupted, and those that have lost files.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;
use std::time::Duration;

use crate::DatabaseOpenError;

/// The file that fjall writes last when it creates a database.
pub(crate) const VERSION_FILE: &str = "version";
pub(crate) const LOCK_FILE: &str = "lock";
/// The file that says which part of the journals is in tables.
pub(crate) const MARK_FILE: &str = "flushed";
const KEYSPACES_DIR: &str = "keyspaces";
/// The file that names the current version of a keyspace.
const CURRENT_FILE: &str = "current";
/// Length of a complete version file: three magic bytes and the version.
const VERSION_FILE_LEN: u64 = 4;

/// How often a lock is tried, and the time between two tries.
const LOCK_TRIES: u32 = 50;
const LOCK_INTERVAL: Duration = Duration::from_millis(10);

/// Locks the database in this directory as fjall does; `None` if there is no database. The lock is
/// released when the file is dropped.
///
/// A database that this process has just closed can be locked for a moment: its worker thread ends
/// later, and a child process has the open files until it starts its program.
pub(crate) fn lock(directory: &Path) -> Result<Option<File>, DatabaseOpenError> {
    let file = match File::options().read(true).write(true).open(directory.join(LOCK_FILE)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_INTERVAL),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
    Err(DatabaseOpenError::Locked)
}

/// Removes a database whose creation was interrupted. Nothing was written to it yet, because its
/// version file is incomplete, and it has neither keyspaces nor entries in its journal. If there is
/// any data, files are missing, and the result is an error. The database must be locked.
pub(crate) fn remove_incomplete(directory: &Path) -> Result<(), DatabaseOpenError> {
    if is_complete(directory)? {
        return require_keyspaces(directory);
    }
    if has_data(directory)? {
        let what = "the file is missing or incomplete, but the database has data".to_owned();
        return Err(DatabaseOpenError::Damaged { path: directory.join(VERSION_FILE), what });
    }
    Ok(remove_contents(directory)?)
}

fn is_complete(directory: &Path) -> io::Result<bool> {
    match fs::metadata(directory.join(VERSION_FILE)) {
        Ok(metadata) => Ok(metadata.len() >= VERSION_FILE_LEN),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a database without a version file has a keyspace, or a journal that is not empty.
fn has_data(directory: &Path) -> io::Result<bool> {
    if !subdirectories(&directory.join(KEYSPACES_DIR))?.is_empty() {
        return Ok(true);
    }
    for path in journals(directory)? {
        // fjall preallocates a journal with zeros.
        let mut first = [0];
        if File::open(path)?.read(&mut first)? == 1 && first != [0] {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Rejects a database in which fjall would delete a keyspace: one that has tables but no current
/// version, or all of them if the first keyspace, which lists the others, is missing.
fn require_keyspaces(directory: &Path) -> Result<(), DatabaseOpenError> {
    let keyspaces = directory.join(KEYSPACES_DIR);
    let damaged = |path: &Path| {
        let what = "the file is missing, but the database has data".to_owned();
        Err(DatabaseOpenError::Damaged { path: path.join(CURRENT_FILE), what })
    };
    let names = subdirectories(&keyspaces)?;
    let is_current = |name: &str| keyspaces.join(name).join(CURRENT_FILE).try_exists();
    if names.iter().any(|name| name != "0") && !is_current("0")? {
        return damaged(&keyspaces.join("0"));
    }
    for name in &names {
        let keyspace = keyspaces.join(name);
        if !is_current(name)? && has_tables(&keyspace)? {
            return damaged(&keyspace);
        }
    }
    Ok(())
}

/// Whether a keyspace has files in its subdirectories.
fn has_tables(keyspace: &Path) -> io::Result<bool> {
    for name in subdirectories(keyspace)? {
        if fs::read_dir(keyspace.join(name))?.next().is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn subdirectories(directory: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(names),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.extend(entry.file_name().into_string());
        }
    }
    Ok(names)
}

/// The journals of a database, oldest first.
pub(crate) fn journals(directory: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let is_journal = path.extension().is_some_and(|extension| extension == "jnl");
        let number = path.file_stem().and_then(|name| name.to_str()).and_then(|name| name.parse::<u64>().ok());
        found.extend(number.filter(|_| is_journal).map(|number| (number, path)));
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Removes the journals with their mark, the keyspaces and the version file, but not the lock.
fn remove_contents(directory: &Path) -> io::Result<()> {
    for path in journals(directory)? {
        fs::remove_file(path)?;
    }
    for (name, is_dir) in [(KEYSPACES_DIR, true), (VERSION_FILE, false), (MARK_FILE, false)] {
        let path = directory.join(name);
        let removed = if is_dir { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        match removed {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
