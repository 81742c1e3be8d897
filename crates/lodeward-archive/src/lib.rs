//! An embedded quad store with SPARQL 1.1, in pure Rust.
//!
//! An [`Archive`] is a directory on disk. Writers use a [`Transaction`], a [`BulkLoader`] for many
//! quads, or SPARQL Update; readers use a [`Snapshot`], which later writes do not change. The
//! [`sparql`] module runs queries and updates with limits of time, rows and memory; the `protocol`
//! feature adds the SPARQL protocols for an HTTP server of your choice.
//!
//! ```
//! use lodeward_archive::sparql::{QueryOptions, ResultFormat, UpdateOptions};
//! use lodeward_archive::{Archive, Options};
//! use oxrdf::{GraphNameRef, NamedNodeRef, QuadRef};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path();
//! let archive = Archive::open(path, &Options::default())?;
//!
//! // Write a quad in a transaction.
//! let ada = NamedNodeRef::new("http://example.org/ada")?;
//! let knows = NamedNodeRef::new("http://example.org/knows")?;
//! let mary = NamedNodeRef::new("http://example.org/mary")?;
//! let mut transaction = archive.begin();
//! transaction.insert(QuadRef::new(ada, knows, mary, GraphNameRef::DefaultGraph))?;
//! assert_eq!(transaction.commit()?.inserted, 1);
//!
//! // Change the archive with SPARQL.
//! let update = "INSERT DATA { <http://example.org/mary> <http://example.org/name> 'Mary' }";
//! archive.update(update, &UpdateOptions::default())?;
//!
//! // Query a snapshot.
//! let query = "SELECT ?name { <http://example.org/ada> <http://example.org/knows>/<http://example.org/name> ?name }";
//! let result = archive.snapshot().query(query, &QueryOptions::default())?;
//! let mut csv = Vec::new();
//! result.write(ResultFormat::Csv, &mut csv)?;
//! assert_eq!(csv, b"name\r\nMary\r\n");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - A transaction, a bulk load or an update is atomic: readers see all of it or nothing.
//! - A commit survives the end of the process. After [`Archive::sync`] it also survives a power
//!   failure.
//! - There is one writer at a time; readers never wait for a writer.
//! - Lexical forms are preserved: `"01"^^xsd:integer` stays as written.

use std::sync::Arc;

mod varint;
mod term;
mod chunk;
mod keys;
mod error;
mod tombstones;
mod tables;
mod direct_cache;
mod dictionary;
mod chunk_run;
mod chunk_reader;
mod scan;
mod snapshot;
mod term_batch;
mod provenance;
mod provenance_reader;
mod estimate;
mod entities;
mod node_reader;
mod overlay;
mod reader;
mod lookup;
mod changes;
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
pub use bulk::{BulkLoader, GraphReplacement};
pub use changes::{ChangePosition, TripleChange};
pub use check::CheckSummary;
pub use error::ArchiveError;
pub use node_reader::{IncomingBounds, IncomingStatements, NodeReader};
pub use provenance::{ProvenanceExpander, RecordCandidates, RecordKey};
pub use reader::{QuadReader, StoredTerm};
pub use snapshot::Snapshot;
pub use transaction::{DocumentWriter, Transaction};

/// Options of [`Archive::open`]. The defaults suit a process of a few hundred megabytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Memory for cached blocks, in bytes. Default: 64 MiB.
    pub cache_bytes: u64,
    /// Memory for writes that are not yet flushed to tables, in bytes. Default: 64 MiB.
    pub buffer_bytes: u64,
    /// Maximum size of the journals on disk, in bytes. Default: 128 MiB.
    pub journal_bytes: u64,
    /// Size of the changes after which they are flushed, in bytes of the journal. After a kill,
    /// opening the archive replays at most twice as much, and the last commit. Default: 1 MiB.
    pub replayed_bytes: u64,
    /// Number of term ids cached in memory, 16 bytes each. Default: 500,000.
    pub recent_terms: usize,
    /// Maximum number of quads that a bulk load sorts in memory at a time, about 150 bytes each.
    /// Default: 1,000,000.
    pub run_quads: usize,
    /// Minimum number of new quads of a transaction that are written as sorted tables, without the
    /// journal. Default: 20,000.
    pub min_ingested_quads: usize,
    /// Whether to record changes for [`Snapshot::visit_changes`]. Records are kept until
    /// [`Archive::forget_changes`]. If not, the records of earlier openings are removed. Default: no.
    pub record_changes: bool,
    /// Converts provenance records to graphs. Without it, records are stored but cannot be read.
    /// Default: none.
    pub provenance_expander: Option<Arc<dyn ProvenanceExpander>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cache_bytes: 64 << 20,
            buffer_bytes: 64 << 20,
            journal_bytes: 128 << 20,
            replayed_bytes: 1 << 20,
            recent_terms: 500_000,
            run_quads: 1_000_000,
            min_ingested_quads: 20_000,
            record_changes: false,
            provenance_expander: None,
        }
    }
}

/// A set of documents that can be dropped together, such as those of one crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Collection(pub u32);

/// The numbers of quads that a commit added and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitSummary {
    /// The number of new quads.
    pub inserted: u64,
    /// The number of removed quads.
    pub removed: u64,
}
