//! The store trait and its implementations: where the harvest is written.
//!
//! The task that parses a document writes it into a [`Draft`], concurrently with the conductor. The
//! conductor puts finished drafts and commits them in groups. A draft that is not put leaves no
//! trace. `put` replaces the previous version of the document; a document without statements is
//! removed.

use std::any::Any;
use std::path::PathBuf;

use async_trait::async_trait;
use oxrdf::QuadRef;

use crate::model::{Provenance, StoreReceipt, Uri};

pub mod memory;
pub mod segments;
pub mod follow;
#[cfg(any(test, feature = "test-util"))]
pub mod contract;

pub use memory::MemoryStore;
pub use segments::SegmentStore;

/// Stores the harvest.
#[async_trait]
pub trait Store: Send + Sync {
    /// Starts a draft of a document. May be called from any thread.
    fn draft(&self, document: &Uri) -> Box<dyn Draft>;

    /// Adds a finished draft made by this store. It becomes visible with the next commit.
    async fn put(&self, draft: FinishedDraft) -> Result<(), StoreError>;

    /// Makes all drafts put so far survive the end of this process. If this or any other write has
    /// failed, all further calls of `put` and `commit` fail: the store has to be opened again.
    async fn commit(&self) -> Result<StoreReceipt, StoreError>;

    /// Makes everything committed so far survive a power cut.
    async fn sync(&self) -> Result<(), StoreError>;

    /// Writes the committed harvest as N-Quads, each document once.
    fn export(&self, into: &mut dyn std::io::Write) -> Result<ExportSummary, StoreError>;
}

/// A document being written. Holds a bounded part of it in memory.
pub trait Draft: Send {
    /// Adds a statement, which is in a named graph. A failure (such as a full disk) is reported by
    /// `put`, so that extractors need not handle it.
    fn append(&mut self, quad: QuadRef<'_>);

    /// Completes the document.
    fn finish(self: Box<Self>) -> FinishedDraft;
}

/// A document, written but not yet put.
pub struct FinishedDraft {
    /// URI of the document.
    pub document: Uri,
    /// Number of statements in the document.
    pub quads: u64,
    /// xxh3-64 of the statements as N-Quads; 0 if there are none.
    pub digest: u64,
    /// Provenance, if it is stored. Set by the caller of `put`.
    pub provenance: Option<Provenance>,
    /// Data private to the store that made the draft.
    pub content: Box<dyn Any + Send + Sync>,
}

/// Splits an exported harvest by document.
pub trait DocumentRouter: std::io::Write {
    /// Starts a document; all following bytes belong to it. Returns `false` if the document is to
    /// be skipped, in which case none of its bytes are written.
    fn start_document(&mut self, document: &Uri) -> std::io::Result<bool>;
}

/// Counts of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportSummary {
    /// Documents with at least one quad.
    pub documents: u64,
    /// Number of quads.
    pub quads: u64,
}

/// A store could not be read or written. Stops the crawl.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A write failed.
    #[error("cannot write {path}")]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// An earlier write failed, so it is not known what the store contains until it is opened again.
    #[error("cannot write {path}: an earlier write failed")]
    Unusable {
        /// Path of the file.
        path: PathBuf,
    },
    /// A read failed.
    #[error("cannot read {path}")]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The output of an export could not be written.
    #[error("cannot write the harvest")]
    Export(#[source] std::io::Error),
    /// The document index could not be read or written.
    #[error("cannot access the document index")]
    Index(#[from] fjall::Error),
    /// The archive that serves the export failed.
    #[error("cannot read the archive")]
    Archive(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The archive that serves the export has not applied the whole log.
    #[error("the harvest is incomplete: {0}")]
    Incomplete(String),
    /// Stored data is invalid.
    #[error("{path} is corrupted: {what}")]
    Corrupted {
        /// Path of the file.
        path: PathBuf,
        /// Description of the defect.
        what: String,
    },
}
