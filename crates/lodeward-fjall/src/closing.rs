//! Empties the journals of a database that is closed.
//!
//! fjall rotates a journal only when it has 64 MB, and replays what is left when the database is
//! opened: up to a second of CPU time for changes that are in tables already. A database that was
//! closed after all its memtables were flushed needs no journal.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fjall::{Database, Keyspace};

use crate::creation::{journals, lock};
use crate::journal::cut;
use crate::{check_writable, wait_for_flushes};

/// Number of tables at which fjall merges the newest tables of a keyspace.
const MERGED_TABLES: usize = 4;

/// Maximum time to wait for merges.
const MAX_MERGE_TIME: Duration = Duration::from_secs(10);

/// Empties the journals of a database when this is dropped, if they are not needed. Drop it after
/// the database and all its keyspaces.
#[derive(Debug, Default)]
pub struct JournalCutter {
    directory: PathBuf,
    flushed: Vec<JournalState>,
}

/// A journal whose changes are all in tables.
#[derive(Debug, PartialEq, Eq)]
struct JournalState {
    path: PathBuf,
    bytes: u64,
    modified: Option<SystemTime>,
}

impl JournalCutter {
    /// Creates a cutter for the database in this directory. Without [`flush`](Self::flush), it does
    /// nothing.
    #[must_use]
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), flushed: Vec::new() }
    }

    /// Flushes these keyspaces. Nothing may be written afterwards. If the database has others, the
    /// journals stay, because they may have changes of those.
    pub fn flush(&mut self, database: &Database, keyspaces: &[&Keyspace]) -> Result<(), fjall::Error> {
        check_writable(database)?;
        let mut is_changed = false;
        for keyspace in keyspaces {
            is_changed |= keyspace.rotate_memtable()?;
        }
        wait_for_flushes(database, keyspaces, 0)?;
        if is_changed {
            wait_for_merges(keyspaces);
        }
        if keyspaces.len() == database.keyspace_count() {
            self.flushed = journals(&self.directory)?.into_iter().filter_map(state).collect();
        }
        Ok(())
    }
}

/// Waits until the newest tables are merged. Otherwise every later opening of the database would
/// begin to merge them, and give up when it is closed.
fn wait_for_merges(keyspaces: &[&Keyspace]) {
    const POLL_INTERVAL: Duration = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    while waited < MAX_MERGE_TIME && keyspaces.iter().any(|keyspace| keyspace.l0_table_count() >= MERGED_TABLES) {
        std::thread::sleep(POLL_INTERVAL);
        waited += POLL_INTERVAL;
    }
}

fn state(path: PathBuf) -> Option<JournalState> {
    let metadata = path.metadata().ok()?;
    Some(JournalState { path, bytes: metadata.len(), modified: metadata.modified().ok() })
}

impl Drop for JournalCutter {
    fn drop(&mut self) {
        if self.flushed.iter().all(|journal| journal.bytes == 0) {
            return;
        }
        // Another process may have opened the database meanwhile.
        let Ok(Some(_lock)) = lock(&self.directory) else { return };
        let current: Vec<JournalState> =
            journals(&self.directory).unwrap_or_default().into_iter().filter_map(state).collect();
        if current != self.flushed {
            return;
        }
        for journal in &self.flushed {
            // If this fails, the next opening replays the journal, which changes nothing.
            let _ = cut(&journal.path, 0);
        }
    }
}
