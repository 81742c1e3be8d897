//! What is told of the documents of a frame beside their statements.

use serde::{Deserialize, Serialize};

use crate::provenance::Provenance;

/// The version of what is on a slip, its first byte. One that is not known is
/// passed over: the harvest is whole without it.
const VERSION: u8 = 1;

/// What is on a slip: by the place of a record in its frame, where it comes from.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Slip {
    provenance: Vec<(u32, Provenance)>,
}

impl Slip {
    /// Adds what is known of a record. Records come in order.
    pub(super) fn add(&mut self, record: u32, provenance: Provenance) {
        self.provenance.push((record, provenance));
    }

    /// As bytes; none if there is nothing to tell.
    pub(super) fn encode(&self) -> Vec<u8> {
        if self.provenance.is_empty() {
            return Vec::new();
        }
        postcard::to_extend(self, vec![VERSION]).expect("a slip is plain data")
    }

    /// What [`encode`](Self::encode) made. Of bytes that are none of ours an
    /// empty slip: their checksum was right, so a newer version wrote them.
    pub(super) fn decode(bytes: &[u8]) -> Self {
        match bytes.split_first() {
            None => Self::default(),
            Some((&VERSION, slip)) => postcard::from_bytes(slip).unwrap_or_else(|error| {
                tracing::warn!(%error, "provenance of a group cannot be read");
                Self::default()
            }),
            Some((version, _)) => {
                tracing::warn!(version, "provenance of a group was written by another version");
                Self::default()
            }
        }
    }

    /// What is known of a record of the frame.
    pub(super) fn take(&mut self, record: u32) -> Option<Provenance> {
        let place = self.provenance.binary_search_by_key(&record, |(record, _)| *record).ok()?;
        Some(self.provenance.remove(place).1)
    }
}
