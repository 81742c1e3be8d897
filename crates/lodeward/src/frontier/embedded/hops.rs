//! Computes the current hop, the waiting URIs of each domain, and the requests of each domain in a hop.

use std::collections::HashMap;

use super::super::schedule::QueueKey;
use super::super::{CurrentHop, HopShare, UriRecord};
use super::StorageError;
use super::state::EmbeddedFrontierState;
use super::tables::{self, SeenEntry};
use crate::model::Pld;

impl EmbeddedFrontierState {
    pub(super) fn current_hop(&self) -> Option<CurrentHop> {
        self.schedule.current_hop()
    }

    pub(super) fn waiting_by_pld(&mut self) -> Result<Vec<(Pld, u64)>, StorageError> {
        self.flush()?;
        // Settled and leased entries are still in the queues of the database but no longer wait, so
        // they are subtracted.
        let settled_or_leased = self.unremoved.iter().chain(self.leases.values());
        let mut not_waiting: HashMap<u32, u64> = HashMap::new();
        for key in settled_or_leased {
            *not_waiting.entry(key.domain()).or_default() += 1;
        }
        let mut waiting = Vec::new();
        let mut from = 0;
        while let Some(first) = self.tables.next_queue(from)? {
            let number = first.domain();
            from = number + 1;
            if self.schedule.close_reason(number).is_some() {
                continue;
            }
            let recorded = self.tables.queue_from(QueueKey::domain_start(number)).count() as u64;
            let count = recorded.saturating_sub(not_waiting.get(&number).copied().unwrap_or_default());
            if count > 0 {
                waiting.push((self.schedule.pld(number).clone(), count));
            }
        }
        Ok(waiting)
    }

    pub(super) fn hop_shares(&self, depth: u16) -> Result<HashMap<Pld, HopShare>, StorageError> {
        let mut shares: HashMap<Pld, HopShare> = HashMap::new();
        for guard in self.tables.uris.iter() {
            let (age, record) = guard.into_inner()?;
            let record: UriRecord = postcard::from_bytes(&record)?;
            let Some(outcome) = record.outcome.as_ref().filter(|_| record.depth == depth) else { continue };
            // A URI whose document was lost is queued again; its old record is not counted.
            let entry = self.tables.seen.get(record.uri.fingerprint().to_be_bytes())?;
            let entry = entry.map(|entry| postcard::from_bytes(&entry)).transpose()?;
            if matches!(entry, Some(SeenEntry::Settled(settled)) if settled == tables::age_from_bytes(&age)) {
                shares.entry(record.uri.pld()).or_default().count(outcome);
            }
        }
        Ok(shares)
    }
}
