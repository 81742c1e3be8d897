//! Notices that a database has lost changes that were synced.
//!
//! If a journal is cut or deleted, fjall opens the database without its changes, or as an empty one.
//! A small file next to it therefore has numbers that only grow, as of the last sync. They are
//! written after the sync, so a kill or a power cut never leaves a file that is ahead of the
//! database.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file with the progress of a database.
#[derive(Clone, Debug)]
pub struct ProgressFile(PathBuf);

/// A database has lost changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("changes are lost: it ends at change {found}, and change {expected} was synced")]
pub struct LostChanges {
    /// The number in the database.
    pub found: u64,
    /// The number as of the last sync.
    pub expected: u64,
}

impl ProgressFile {
    /// The progress file at this path.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Returns an error if a number of the database is less than at the last sync. An unreadable
    /// file is treated as missing.
    pub fn require(&self, found: &[u64]) -> Result<(), LostChanges> {
        let text = fs::read_to_string(&self.0).unwrap_or_default();
        let expected: Option<Vec<u64>> = text.split_whitespace().map(|number| number.parse().ok()).collect();
        let lost = found.iter().zip(expected.unwrap_or_default()).find(|(found, expected)| *found < expected);
        lost.map_or(Ok(()), |(&found, expected)| Err(LostChanges { found, expected }))
    }

    /// Writes the numbers of a database that was just synced. They must have been read before the
    /// sync.
    pub fn write(&self, numbers: &[u64]) -> io::Result<()> {
        let text: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let temporary = self.0.with_extension("new");
        fs::write(&temporary, text.join(" ") + "\n")?;
        fs::rename(temporary, &self.0)
    }

    /// Removes the file: the database is accepted as it is.
    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_below_that_of_the_last_sync_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let file = ProgressFile::new(directory.path().join("progress"));
        assert_eq!(file.require(&[0, 0]), Ok(()));
        file.write(&[3, 5]).unwrap();
        assert_eq!(file.require(&[3, 6]), Ok(()));
        assert_eq!(file.require(&[4, 4]), Err(LostChanges { found: 4, expected: 5 }));

        fs::write(file.path(), "3 x").unwrap();
        assert_eq!(file.require(&[0, 0]), Ok(()));
        file.write(&[3, 5]).unwrap();
        file.remove().unwrap();
        file.remove().unwrap();
        assert_eq!(file.require(&[0, 0]), Ok(()));
    }
}
