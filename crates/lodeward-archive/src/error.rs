//! What can go wrong with an archive.

use std::path::PathBuf;

/// An archive cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Another process has it open.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// It was written by a version that this one does not know.
    #[error("{} has the format {found}; this version reads {known}", .path.display())]
    Format {
        /// Where.
        path: PathBuf,
        /// What it has.
        found: u32,
        /// What we know.
        known: u32,
    },
    /// It holds something that it cannot hold.
    #[error("the archive is corrupted: {0}")]
    Corrupted(String),
    /// The storage engine failed.
    #[error("the archive's database failed")]
    Database(#[from] fjall::Error),
    /// A dump of it cannot be read.
    #[error("the archive cannot be restored")]
    Dump(#[from] crate::dump::DumpError),
    /// The operating system said no.
    #[error("cannot write {}", .path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: std::io::Error,
    },
}

impl ArchiveError {
    pub(crate) fn corrupted(what: impl Into<String>) -> Self {
        Self::Corrupted(what.into())
    }
}
