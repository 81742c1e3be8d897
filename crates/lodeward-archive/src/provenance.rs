//! Provenance records: what the application knows about its documents, beside the quads.
//!
//! The archive stores one opaque record per document and collection. Only when a record is read, the
//! application's [`ProvenanceExpander`] converts it to a named graph. So storing a record costs one
//! entry instead of dozens of quads, and queries see these graphs only on request: by name, or all of
//! them with [`QueryOptions::with_provenance`](crate::sparql::QueryOptions::with_provenance).
//!
//! There is no index of the expanded quads. A pattern whose graph, subject or object identifies a
//! record reads that record; any other pattern expands all records.

use std::fmt;

use oxrdf::Quad;

use crate::Collection;
use crate::error::ArchiveError;

/// Converts provenance records to graphs. The archive calls it whenever it reads a record.
pub trait ProvenanceExpander: fmt::Debug + Send + Sync {
    /// The quads of a record, all in the same named graph. `None` if the record is invalid.
    fn expand(&self, key: RecordKey, record: &[u8]) -> Option<Vec<Quad>>;

    /// The record of the graph with this name. `None` if no record can have a graph of this name.
    fn record_of_graph(&self, graph: &str) -> Option<RecordKey>;

    /// The records that can contain this IRI as a subject.
    fn records_of_subject(&self, subject: &str) -> RecordCandidates;

    /// The records that can contain this IRI as an object.
    fn records_of_object(&self, object: &str) -> RecordCandidates;
}

/// The key of a provenance record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordKey {
    /// The collection of the record, with which it is dropped.
    pub collection: Collection,
    /// The number of the record in its collection, such as a hash of the document's name.
    pub fingerprint: u128,
}

impl RecordKey {
    const BYTES: usize = 20;

    pub(crate) fn encode(self) -> [u8; Self::BYTES] {
        let mut key = [0; Self::BYTES];
        key[..4].copy_from_slice(&self.collection.0.to_be_bytes());
        key[4..].copy_from_slice(&self.fingerprint.to_be_bytes());
        key
    }

    pub(crate) fn decode(key: &[u8]) -> Result<Self, ArchiveError> {
        let split = key.split_first_chunk().and_then(|(collection, fingerprint)| {
            Some((u32::from_be_bytes(*collection), u128::from_be_bytes(fingerprint.try_into().ok()?)))
        });
        let (collection, fingerprint) = split.ok_or_else(|| ArchiveError::corrupted("invalid provenance key"))?;
        Ok(Self { collection: Collection(collection), fingerprint })
    }
}

/// The records that a term can occur in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordCandidates {
    /// This record.
    One(RecordKey),
    /// The record with this fingerprint, in every collection.
    InEachCollection(u128),
    /// Any record.
    Any,
}
