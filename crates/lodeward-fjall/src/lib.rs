//! Opens the fjall databases of Lodeward: the frontier with the document index, and the archive.
//!
//! fjall 3.1 takes some damage for an interrupted write, and continues with a part of the data or
//! with none. [`open`] therefore verifies a database first, and returns
//! [`DatabaseOpenError::Damaged`] instead:
//!
//! - A journal with a damaged batch before its end: fjall would truncate it there. A torn end, as a
//!   kill leaves it, is no damage; [`open`] cuts it, because fjall panics on some of them.
//! - Missing files of keyspaces: fjall would delete the rest of the keyspace.
//!
//! Journals that were cut or deleted are noticed with a [`ProgressFile`].
//!
//! fjall cannot open a database whose creation was interrupted, for example by `kill -9`: the journal
//! exists, and so it cannot be created again. [`open`] removes such a database first, but only if
//! nothing was written to it.
//!
//! After a failed write, for example on a full disk, fjall rejects all further writes to the
//! database until it is opened again ([`check_writable`]). Its thread that writes memtables to disk
//! ends, so whatever waits for that thread must check this, too ([`wait_for_flushes`]).
//!
//! A [`JournalCutter`] empties the journals of a database that is closed, so that opening it replays
//! nothing. A [`ReplayBound`] limits what is replayed after a kill.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fjall::{Database, DatabaseBuilder, Keyspace, PersistMode};

mod closing;
mod creation;
mod journal;
mod progress;
mod replay;

pub use closing::JournalCutter;
pub use journal::{JournalCut, cut_damage};
pub use progress::{LostChanges, ProgressFile};
pub use replay::ReplayBound;

/// A database cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseOpenError {
    /// Another process uses the database.
    #[error("another process uses the database")]
    Locked,
    /// A file of the database is damaged or missing.
    #[error("{} is damaged: {what}", .path.display())]
    Damaged {
        /// The file or directory.
        path: PathBuf,
        /// The defect.
        what: String,
    },
    /// The database reported an error.
    #[error(transparent)]
    Database(fjall::Error),
}

impl From<fjall::Error> for DatabaseOpenError {
    fn from(error: fjall::Error) -> Self {
        match error {
            fjall::Error::Locked => Self::Locked,
            error => Self::Database(error),
        }
    }
}

impl From<io::Error> for DatabaseOpenError {
    fn from(error: io::Error) -> Self {
        Self::Database(error.into())
    }
}

/// Opens the database in this directory, or creates it. `configure` sets the options that differ
/// between databases.
pub fn open(
    directory: &Path,
    configure: impl FnOnce(DatabaseBuilder<Database>) -> DatabaseBuilder<Database>,
) -> Result<Database, DatabaseOpenError> {
    {
        // The journals of a database that is in use change while they are read.
        let _lock = creation::lock(directory)?;
        creation::remove_incomplete(directory)?;
        replay::remove_flushed(directory)?;
        journal::verify(directory)?;
    }
    let builder = Database::builder(directory)
        .max_cached_files(Some(128))
        // With more than one worker, fjall 3.1 reserves the first one for flushes by letting it
        // requeue compactions in a busy loop while another worker compacts, which costs a fifth
        // of the CPU.
        .worker_threads(1);
    let builder = configure(builder);
    // fjall 3.1 panics on some damage.
    match catch_unwind(AssertUnwindSafe(|| builder.open())) {
        Ok(opened) => opened.map_err(|error| describe(directory, error)),
        Err(_) => {
            Err(DatabaseOpenError::Damaged { path: directory.to_owned(), what: "it cannot be recovered".to_owned() })
        }
    }
}

/// Fails if an earlier write failed: the database then rejects all writes until it is opened again.
pub fn check_writable(database: &Database) -> Result<(), fjall::Error> {
    // Hands buffered bytes to the operating system, of which there are none after a commit.
    database.persist(PersistMode::Buffer)
}

/// Waits while more than `max_sealed` full memtables of these keyspaces are not on disk. fjall does
/// not slow down a writer that is faster than the disk, so memory would grow.
pub fn wait_for_flushes(database: &Database, keyspaces: &[&Keyspace], max_sealed: usize) -> Result<(), fjall::Error> {
    const POLL_INTERVAL: Duration = Duration::from_millis(2);
    while keyspaces.iter().map(|keyspace| keyspace.sealed_memtable_count()).sum::<usize>() > max_sealed {
        check_writable(database)?;
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// Writes the memtable of a keyspace to disk. The function of fjall waits forever if this fails.
pub fn flush(database: &Database, keyspace: &Keyspace) -> Result<(), fjall::Error> {
    check_writable(database)?;
    keyspace.rotate_memtable()?;
    wait_for_flushes(database, &[keyspace], 0)
}

/// Distinguishes damage from other errors.
fn describe(directory: &Path, error: fjall::Error) -> DatabaseOpenError {
    let is_damage = matches!(
        error,
        fjall::Error::Storage(_)
            | fjall::Error::JournalRecovery(_)
            | fjall::Error::InvalidVersion(_)
            | fjall::Error::Decompress(_)
            | fjall::Error::InvalidTrailer
            | fjall::Error::InvalidTag(_)
            | fjall::Error::Unrecoverable
    );
    let what = error.to_string();
    if is_damage { DatabaseOpenError::Damaged { path: directory.to_owned(), what } } else { error.into() }
}

#[cfg(test)]
mod tests;
