//! The lock of a data directory for crawls of the command line.
//!
//! Crawls of one process share their delays per domain and IP address; crawls of two processes would
//! not, and servers would get twice the requests. So one process at a time runs crawls of a data
//! directory. Commands that only read do not need the lock.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

/// The file that is locked, in the data directory. It names the crawl and its process.
pub const CRAWL_LOCK_FILE: &str = "crawl.lock";

/// The lock, held until this value is dropped. It is a lock of the operating system, so it is also
/// released if the process is killed.
#[derive(Debug)]
pub struct CrawlLock {
    _lock: File,
}

/// Another process runs a crawl of the data directory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlLockError {
    /// Another process holds the lock.
    #[error("another process runs a crawl of this data directory: {0}")]
    Held(String),
    /// The file cannot be used.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl CrawlLock {
    /// Locks a data directory for the crawl of this name.
    pub fn acquire(data: &Path, crawl: &str) -> Result<Self, CrawlLockError> {
        let path = data.join(CRAWL_LOCK_FILE);
        let lock = File::options().create(true).truncate(false).write(true).open(&path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(CrawlLockError::Held(fs::read_to_string(&path)?.trim().to_owned()));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        fs::write(&path, format!("crawl `{crawl}`, process {}\n", std::process::id()))?;
        Ok(Self { _lock: lock })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_at_a_time_runs_crawls_of_a_data_directory() {
        let directory = tempfile::tempdir().unwrap();
        let lock = CrawlLock::acquire(directory.path(), "first").unwrap();

        let held = CrawlLock::acquire(directory.path(), "second").unwrap_err().to_string();
        drop(lock);

        assert!(held.ends_with(&format!("crawl `first`, process {}", std::process::id())), "{held}");
        CrawlLock::acquire(directory.path(), "second").unwrap();
    }
}
