//! An embedded quad store with SPARQL 1.1, in pure Rust.

mod number;
mod term;
mod chunk;
mod keys;
mod error;
mod counters;
mod graves;
mod tables;
mod shelf;
mod dictionary;
mod scan;
mod snapshot;
mod estimate;
mod overlay;
mod reader;
mod working;
mod commit;
mod transaction;
mod bulk;
mod archive;
mod check;
pub mod dump;
pub mod sparql;
#[cfg(feature = "protocol")]
pub mod protocol;

pub use archive::Archive;
pub use bulk::{BulkLoader, Replacement};
pub use check::Checked;
pub use error::ArchiveError;
pub use reader::{Reader, StoredTerm};
pub use snapshot::Snapshot;
pub use transaction::Transaction;

/// How an archive is opened. The defaults suit a process of a few hundred
/// megabytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Bytes of memory for blocks that have been read.
    pub cache_bytes: u64,
    /// Bytes of memory for what has been written and is not yet in tables.
    pub buffer_bytes: u64,
    /// Bytes of journals on disk; what is in them has to be read again when the
    /// archive is opened after a crash.
    pub journal_bytes: u64,
    /// How many ids of terms are kept in memory, about 50 bytes each.
    pub recent_terms: usize,
    /// How many quads a bulk load sorts in memory at a time, about 150 bytes
    /// each.
    pub run_quads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache_bytes: 64 << 20,
            buffer_bytes: 64 << 20,
            journal_bytes: 128 << 20,
            recent_terms: 500_000,
            run_quads: 1_000_000,
        }
    }
}

/// A set of documents that can be dropped together: a crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Collection(pub u32);

/// What a commit changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Quads that were not there before.
    pub inserted: u64,
    /// Quads that are not there any more.
    pub removed: u64,
}
