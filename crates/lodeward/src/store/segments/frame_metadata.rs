//! Metadata of a frame: the provenance of its documents.

use serde::{Deserialize, Serialize};

use crate::model::Provenance;

/// Version of the metadata format, its first byte. Metadata of an unknown version is ignored: the
/// harvest is complete without it.
const VERSION: u8 = 3;

/// Provenance by index of the record in its frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FrameMetadata {
    provenance: Vec<(u32, Provenance)>,
}

impl FrameMetadata {
    /// Adds the provenance of a record. Records are added in order.
    pub(super) fn add(&mut self, record: u32, provenance: Provenance) {
        self.provenance.push((record, provenance));
    }

    /// Encodes the metadata as bytes; empty if there is no provenance.
    pub(super) fn encode(&self) -> Vec<u8> {
        if self.provenance.is_empty() {
            return Vec::new();
        }
        postcard::to_extend(self, vec![VERSION]).expect("metadata can always be encoded")
    }

    /// Decodes the result of [`encode`](Self::encode). Bytes that cannot be decoded give empty
    /// metadata: their checksum was correct, so another version wrote them.
    pub(super) fn decode(bytes: &[u8]) -> Self {
        match bytes.split_first() {
            None => Self::default(),
            Some((&VERSION, payload)) => postcard::from_bytes(payload).unwrap_or_else(|error| {
                tracing::warn!(%error, "provenance skipped: cannot decode frame metadata");
                Self::default()
            }),
            Some((version, _)) => {
                tracing::warn!(version, "provenance skipped: unknown version of frame metadata");
                Self::default()
            }
        }
    }

    /// Removes and returns the provenance of a record.
    pub(super) fn take(&mut self, record: u32) -> Option<Provenance> {
        let index = self.provenance.binary_search_by_key(&record, |(record, _)| *record).ok()?;
        Some(self.provenance.remove(index).1)
    }
}
