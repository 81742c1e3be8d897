//! An embedded quad store with SPARQL 1.1, in pure Rust.

mod archive;
pub mod sparql;
#[cfg(feature = "protocol")]
pub mod protocol;

pub use archive::{
    Archive, ArchiveError, BulkLoader, Collection, Committed, Options, Reader, Snapshot, StoredTerm, Transaction,
};
