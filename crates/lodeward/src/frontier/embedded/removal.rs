//! Waiting URIs of the embedded frontier that are dropped after a change of the scope.

use std::collections::{HashMap, HashSet};

use super::super::schedule::QueueKey;
use super::super::{OfferSummary, UriRecord};
use super::StorageError;
use super::state::EmbeddedFrontierState;
use super::tables::{self, QueueRecord, SeenEntry};
use crate::model::{DropReason, Outcome, Uri};

impl EmbeddedFrontierState {
    pub(super) fn drop_waiting(
        &mut self,
        dropped: Vec<(Uri, DropReason)>,
    ) -> Result<Vec<(DropReason, u64)>, StorageError> {
        self.flush()?;
        let leased: HashSet<QueueKey> = self.leases.values().copied().collect();
        let mut keys: HashMap<u32, HashSet<QueueKey>> = HashMap::new();
        let mut summary = OfferSummary::default();
        for (uri, reason) in dropped {
            let Some(key) = self.waiting_key(&uri)?.filter(|key| !leased.contains(key)) else { continue };
            let Some(value) = self.tables.queue.get(tables::key_bytes(key))? else { continue };
            let QueueRecord { entry } = postcard::from_bytes(&value)?;
            let (age, seen_entry, record) =
                self.encode_settled(&UriRecord::from_entry(&entry, Some(Outcome::Dropped(reason))))?;
            self.settlements.insert(&self.tables.uris, age.to_be_bytes(), record);
            self.settlements.insert(&self.tables.seen, uri.fingerprint().to_be_bytes(), seen_entry);
            self.settlements.remove_weak(&self.tables.queue, tables::key_bytes(key));
            self.unremoved.insert(key);
            self.waiting = self.waiting.saturating_sub(1);
            keys.entry(key.domain()).or_default().insert(key);
            summary.count_drop(reason);
        }
        for (number, keys) in keys {
            self.schedule.remove(number, &keys);
        }
        Ok(summary.dropped)
    }

    /// The key of a URI that waits for its first request, in a domain that is not closed.
    fn waiting_key(&self, uri: &Uri) -> Result<Option<QueueKey>, StorageError> {
        let Some(value) = self.tables.seen.get(uri.fingerprint().to_be_bytes())? else { return Ok(None) };
        let SeenEntry::Waiting(key) = postcard::from_bytes(&value)? else { return Ok(None) };
        let key = QueueKey(key);
        let is_waiting =
            !key.is_revisit() && !self.unremoved.contains(&key) && self.schedule.close_reason(key.domain()).is_none();
        Ok(is_waiting.then_some(key))
    }
}
