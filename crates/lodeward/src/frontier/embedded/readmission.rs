//! URIs of the embedded frontier that are queued although an offer dropped them.

use super::super::{OfferSummary, QueueEntry, UriRecord};
use super::StorageError;
use super::state::EmbeddedFrontierState;
use super::tables::SeenEntry;
use crate::model::{DropReason, Outcome, Uri};

impl EmbeddedFrontierState {
    pub(super) fn drop_reasons(&mut self, uris: &[Uri]) -> Result<Vec<Option<DropReason>>, StorageError> {
        // The latest offers may have dropped one of the URIs.
        self.flush()?;
        uris.iter().map(|uri| Ok(self.dropped(uri.fingerprint())?.map(|(_, reason)| reason))).collect()
    }

    /// Queues a URI that an earlier offer dropped. Does nothing if it waits, has another outcome, or its domain is
    /// closed.
    pub(super) fn readmit(
        &mut self,
        fingerprint: u128,
        entry: QueueEntry,
        offered: &mut OfferSummary,
    ) -> Result<(), StorageError> {
        self.flush()?;
        let Some((age, reason)) = self.dropped(fingerprint)? else { return Ok(()) };
        let number = self.domain_number(&entry.target)?;
        if self.schedule.close_reason(number).is_some() {
            return Ok(());
        }
        // Both changes are in one batch, so that the URI is never without a record.
        self.offers.remove_weak(&self.tables.uris, age.to_be_bytes());
        self.enqueue(number, fingerprint, entry)?;
        offered.queued += 1;
        offered.readmitted.push(reason);
        Ok(())
    }

    /// The age of a dropped URI, and why it was dropped.
    fn dropped(&self, fingerprint: u128) -> Result<Option<(u64, DropReason)>, StorageError> {
        let Some(value) = self.tables.seen.get(fingerprint.to_be_bytes())? else { return Ok(None) };
        let SeenEntry::Settled(age) = postcard::from_bytes(&value)? else { return Ok(None) };
        let Some(record) = self.tables.uris.get(age.to_be_bytes())? else { return Ok(None) };
        match postcard::from_bytes::<UriRecord>(&record)?.outcome {
            Some(Outcome::Dropped(reason)) => Ok(Some((age, reason))),
            _ => Ok(None),
        }
    }
}
