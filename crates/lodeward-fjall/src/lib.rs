//! Opens the fjall databases of Lodeward: the frontier with the document index, and the archive.
//!
//! fjall 3.1 cannot open a database whose creation was interrupted, for example by `kill -9`:
//! the journal exists, and so it cannot be created again. [`open`] removes such a database first.
//!
//! After a failed write, for example on a full disk, fjall rejects all further writes to the
//! database until it is opened again ([`check_writable`]). Its thread that writes memtables to disk
//! ends, so whatever waits for that thread must check this, too ([`wait_for_flushes`]).

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use fjall::{Database, DatabaseBuilder, Keyspace, PersistMode};

/// The file that fjall writes last when it creates a database.
const VERSION_FILE: &str = "version";
const LOCK_FILE: &str = "lock";
/// Length of a complete version file: three magic bytes and the version.
const VERSION_FILE_LEN: u64 = 4;

/// Opens the database in this directory, or creates it. `configure` sets the options that differ
/// between databases.
pub fn open(
    directory: &Path,
    configure: impl FnOnce(DatabaseBuilder<Database>) -> DatabaseBuilder<Database>,
) -> Result<Database, fjall::Error> {
    remove_incomplete(directory)?;
    let builder = Database::builder(directory)
        .max_cached_files(Some(128))
        // With more than one worker, fjall 3.1 reserves the first one for flushes by letting it
        // requeue compactions in a busy loop while another worker compacts, which costs a fifth
        // of the CPU.
        .worker_threads(1);
    configure(builder).open()
}

/// Fails if an earlier write failed: the database then rejects all writes until it is opened again.
pub fn check_writable(database: &Database) -> Result<(), fjall::Error> {
    // Hands buffered bytes to the operating system, of which there are none after a commit.
    database.persist(PersistMode::Buffer)
}

/// Waits while more than `max_sealed` full memtables of these keyspaces are not on disk. fjall does
/// not slow down a writer that is faster than the disk, so memory would grow.
pub fn wait_for_flushes<'a>(
    database: &Database,
    keyspaces: impl IntoIterator<Item = &'a Keyspace> + Clone,
    max_sealed: usize,
) -> Result<(), fjall::Error> {
    const POLL_INTERVAL: Duration = Duration::from_millis(2);
    while keyspaces.clone().into_iter().map(Keyspace::sealed_memtable_count).sum::<usize>() > max_sealed {
        check_writable(database)?;
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// Writes the memtable of a keyspace to disk. The function of fjall waits forever if this fails.
pub fn flush(database: &Database, keyspace: &Keyspace) -> Result<(), fjall::Error> {
    check_writable(database)?;
    keyspace.rotate_memtable()?;
    wait_for_flushes(database, [keyspace], 0)
}

/// Removes a database whose creation was interrupted. Nothing was written to it yet, because its
/// version file is incomplete.
fn remove_incomplete(directory: &Path) -> Result<(), fjall::Error> {
    let lock = match File::options().read(true).write(true).open(directory.join(LOCK_FILE)) {
        Ok(lock) => lock,
        // A new directory, or one without a database: `open` creates it or reports the error.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    if is_complete(directory)? {
        return Ok(());
    }
    // Another process may be creating the database at this moment.
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(fjall::Error::Locked),
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    if !is_complete(directory)? {
        remove_contents(directory)?;
    }
    Ok(())
}

fn is_complete(directory: &Path) -> io::Result<bool> {
    match fs::metadata(directory.join(VERSION_FILE)) {
        Ok(metadata) => Ok(metadata.len() >= VERSION_FILE_LEN),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes what fjall creates: the journals, the keyspaces and the version file, but not the lock.
fn remove_contents(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_name() == "keyspaces" {
            fs::remove_dir_all(path)?;
        } else if entry.file_name() == VERSION_FILE || path.extension().is_some_and(|extension| extension == "jnl") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open_and_write(directory: &Path) -> Result<(), fjall::Error> {
        let database = open(directory, |builder| builder)?;
        let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default)?;
        table.insert("key", "value")
    }

    /// A database as it is after `kill -9` during its creation, before the version file is complete.
    fn interrupted_creation(version: Option<&[u8]>) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        drop(open(directory.path(), |builder| builder).unwrap());
        fs::remove_dir_all(directory.path().join("keyspaces/0")).unwrap();
        fs::remove_file(directory.path().join(VERSION_FILE)).unwrap();
        if let Some(version) = version {
            fs::write(directory.path().join(VERSION_FILE), version).unwrap();
        }
        assert!(
            Database::builder(directory.path()).open().is_err(),
            "fjall can open it: `open` is not needed any more"
        );
        directory
    }

    #[test]
    fn a_database_whose_creation_was_interrupted_is_created_again() {
        for version in [None, Some(b"".as_slice()), Some(b"FJL")] {
            let directory = interrupted_creation(version);
            open_and_write(directory.path()).unwrap();
            open_and_write(directory.path()).unwrap();
        }
    }

    #[test]
    fn a_database_without_its_first_keyspace_is_opened() {
        let directory = tempfile::tempdir().unwrap();
        drop(open(directory.path(), |builder| builder).unwrap());
        fs::remove_dir_all(directory.path().join("keyspaces/0")).unwrap();

        open_and_write(directory.path()).unwrap();
    }

    #[test]
    fn a_database_that_another_process_is_creating_is_locked() {
        let directory = interrupted_creation(None);
        let lock = File::options().read(true).write(true).open(directory.path().join(LOCK_FILE)).unwrap();
        lock.try_lock().unwrap();

        assert!(matches!(open(directory.path(), |builder| builder), Err(fjall::Error::Locked)));
        assert!(directory.path().join("0.jnl").exists());
    }

    #[test]
    fn a_database_keeps_its_contents_and_other_files_stay() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("notes.txt"), "mine").unwrap();
        open_and_write(directory.path()).unwrap();
        let database = open(directory.path(), |builder| builder).unwrap();
        let table = database.keyspace("table", fjall::KeyspaceCreateOptions::default).unwrap();

        assert_eq!(table.get("key").unwrap().as_deref(), Some(b"value".as_slice()));
        assert!(directory.path().join("notes.txt").exists());
    }
}
