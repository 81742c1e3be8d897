//! Errors of an archive.

use std::path::PathBuf;

/// Why an archive cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Another process has the archive open.
    #[error("cannot open archive `{}`: another process has it open", .0.display())]
    InUse(PathBuf),
    /// The archive has a format version that this program does not support.
    #[error("cannot open archive `{}`: unsupported format version {found} (supported: {known})", .path.display())]
    Format {
        /// The directory of the archive.
        path: PathBuf,
        /// The version on disk.
        found: u32,
        /// The supported version.
        known: u32,
    },
    /// An earlier write failed, so the archive has to be opened again.
    #[error("cannot write to the archive: an earlier write failed")]
    Unusable,
    /// The archive cannot be closed and opened again, because it is read.
    #[error("cannot open the archive again: {0} snapshots are in use")]
    BeingRead(usize),
    /// The archive contains invalid data.
    #[error("archive is corrupted: {0}")]
    Corrupted(String),
    /// The storage engine failed.
    #[error("archive database failed")]
    Database(#[from] fjall::Error),
    /// A dump cannot be read.
    #[error("cannot restore the archive")]
    Dump(#[from] crate::dump::DumpError),
    /// The operating system reported an error.
    #[error("cannot write {}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        #[source]
        source: std::io::Error,
    },
}

impl ArchiveError {
    /// Whether a write failed, as on a full disk. [`Archive::recover`](crate::Archive::recover) may
    /// make the archive writable again.
    #[must_use]
    pub fn is_write_failure(&self) -> bool {
        match self {
            Self::Unusable | Self::BeingRead(_) | Self::Io { .. } => true,
            Self::Database(error) => matches!(
                error,
                fjall::Error::Poisoned | fjall::Error::Io(_) | fjall::Error::Storage(fjall::LsmError::Io(_))
            ),
            _ => false,
        }
    }

    pub(crate) fn corrupted(what: impl Into<String>) -> Self {
        Self::Corrupted(what.into())
    }
}
