//! Where the harvest is kept.
//!
//! A document is written beside the conductor, by the task that reads it, into
//! a [`Draft`]; the conductor puts finished drafts, in the order of its own
//! choosing, and commits them in groups. A draft that is never put leaves no
//! trace. Putting a document replaces what it held before, and putting one
//! without statements removes it.

use std::any::Any;
use std::path::PathBuf;

use async_trait::async_trait;
use oxrdf::QuadRef;

use crate::model::Uri;
use crate::provenance::{Names, Provenance};

pub mod nquads;
pub mod memory;
pub mod segments;
pub mod follow;
pub mod sparql;
pub mod archive;
pub mod output;
#[cfg(test)]
pub(crate) mod contract;

pub use archive::{ArchiveFollower, ArchiveStore};
pub use memory::MemoryStore;
pub use output::{write_harvest, write_harvest_with};
pub use segments::SegmentStore;

/// Keeps what was harvested.
#[async_trait]
pub trait Store: Send + Sync {
    /// Begins to write a document. Called from any thread.
    fn draft(&self, document: &Uri) -> Box<dyn Draft>;

    /// Takes a finished draft made by this store.
    async fn put(&self, draft: Finished) -> Result<(), StoreError>;

    /// Makes everything put so far safe from the end of this process.
    async fn commit(&self) -> Result<(), StoreError>;

    /// Makes everything committed so far safe from a power cut.
    async fn sync(&self) -> Result<(), StoreError>;

    /// Writes the whole harvest as N-Quads, each document once. Includes what
    /// has been committed.
    fn export(&self, into: &mut dyn std::io::Write) -> Result<Exported, StoreError>;

    /// Writes where the documents come from, in graphs of their own, as N-Quads.
    /// Tells how many. A store that does not keep it writes nothing.
    fn export_provenance(&self, names: &Names, into: &mut dyn std::io::Write) -> Result<u64, StoreError> {
        let _ = (names, into);
        Ok(0)
    }
}

/// A document that is being written. Holds a bounded part of it in memory.
pub trait Draft: Send {
    /// Adds a statement, which is in a named graph. A failure (a full disk) is kept and reported when the
    /// draft is put, so that an extractor need not know of it.
    fn append(&mut self, quad: QuadRef<'_>);

    /// No more statements.
    fn finish(self: Box<Self>) -> Finished;
}

/// A document, written but not yet put.
pub struct Finished {
    /// Which one.
    pub document: Uri,
    /// How many statements.
    pub quads: u64,
    /// xxh3-64 of them as N-Quads; 0 if there are none.
    pub digest: u64,
    /// Where they come from, if that is to be kept. Whoever puts the draft says.
    pub provenance: Option<Provenance>,
    /// What its store makes of it.
    pub content: Box<dyn Any + Send + Sync>,
}

/// Takes a harvest apart by documents.
pub trait Sorter: std::io::Write {
    /// What is written from now on is of this document. Tells whether it is wanted;
    /// otherwise nothing of it is written.
    fn turn_to(&mut self, document: &Uri) -> std::io::Result<bool>;
}

/// What an export wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Documents with at least one quad.
    pub documents: u64,
    /// Quads.
    pub quads: u64,
}

/// A store could not be read or written. Ends the crawl.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system said no.
    #[error("cannot write {path}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: std::io::Error,
    },
    /// The operating system said no, and nothing was to be written.
    #[error("cannot read {path}")]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: std::io::Error,
    },
    /// Whoever asked for an export did not take it.
    #[error("cannot write the harvest")]
    Export(#[source] std::io::Error),
    /// The index of documents could not be read or written.
    #[error("the index of documents failed")]
    Index(#[from] fjall::Error),
    /// The archive that the harvest is read from failed.
    #[error("the archive failed")]
    Archive(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Whoever the harvest is read from does not have all of it.
    #[error("what is harvested is not all there: {0}")]
    Behind(String),
    /// The store holds something that it cannot hold.
    #[error("{path} is corrupted: {what}")]
    Corrupted {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}
