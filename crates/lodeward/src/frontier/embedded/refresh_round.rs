//! Refresh rounds of the embedded frontier.

use super::super::schedule::QueueKey;
use super::super::{QueueEntry, RefreshRound, RefreshSelection, UriRecord};
use super::StorageError;
use super::state::{EmbeddedFrontierState, encode};
use super::tables::SeenEntry;
use crate::model::{DropReason, Outcome};

impl EmbeddedFrontierState {
    pub(super) fn settled_records(&self, from: u64, max: usize) -> Result<Vec<(u64, UriRecord)>, StorageError> {
        let mut found = Vec::new();
        for guard in self.tables.uris.range(from.to_be_bytes()..).take(max) {
            let (key, value) = guard.into_inner()?;
            let age = key.as_ref().try_into().map_or(0, u64::from_be_bytes);
            found.push((age, postcard::from_bytes(&value)?));
        }
        Ok(found)
    }

    pub(super) fn current_round(&self) -> Result<Option<RefreshRound>, StorageError> {
        self.tables.refresh_round()
    }

    pub(super) fn begin_round(
        &mut self,
        selection: RefreshSelection,
        now_ms: u64,
    ) -> Result<RefreshRound, StorageError> {
        self.flush()?;
        let mut round = RefreshRound::new(selection, now_ms, self.next_sequence);
        for number in 0..u32::try_from(self.schedule.len()).unwrap_or(u32::MAX) {
            let revisits = self.stored_revisits(number);
            let Some(reason) = self.schedule.close_reason(number) else { continue };
            // A domain with revisits left over from the previous round is reopened, too.
            if reason == DropReason::Unreachable || revisits > 0 {
                let waiting = self.reopen_queue(number)?;
                round.count_reopened(reason, waiting.saturating_sub(revisits));
                self.revisits += revisits;
            }
        }
        self.store_refresh_round(&round)?;
        self.flush()?;
        Ok(round)
    }

    /// The number of revisits in a domain's queue. They are at its front.
    pub(super) fn stored_revisits(&self, number: u32) -> u64 {
        let keys = self.tables.queue_from(QueueKey::domain_start(number)).map_while(|record| Some(record.ok()?.0));
        keys.take_while(|key| key.is_revisit()).count() as u64
    }

    /// Reopens a closed domain with its queue. Returns the number of waiting entries.
    fn reopen_queue(&mut self, number: u32) -> Result<u64, StorageError> {
        let waiting = self.tables.queue_from(QueueKey::domain_start(number)).count() as u64;
        self.waiting += waiting;
        self.schedule.reopen(number);
        let value = self.domain_record(number)?;
        self.offers.insert(&self.tables.domains, number.to_be_bytes(), value);
        Ok(waiting)
    }

    fn store_refresh_round(&mut self, round: &RefreshRound) -> Result<(), StorageError> {
        let value = encode(&mut self.scratch, round)?;
        self.offers.insert(&self.tables.meta, "round", value);
        Ok(())
    }

    pub(super) fn requeue(
        &mut self,
        entries: Vec<(u64, QueueEntry)>,
        next: u64,
    ) -> Result<Option<RefreshRound>, StorageError> {
        // Earlier changes are written first, so that the batch contains only this step of the
        // round.
        self.flush()?;
        let (mut queued, mut reopened) = (0, 0);
        for (age, entry) in entries {
            let fingerprint = entry.target.fingerprint();
            if !self.is_settled(fingerprint, age)? {
                continue;
            }
            let number = self.domain_number(&entry.target)?;
            let was_document =
                entry.revisit.as_ref().is_some_and(|revisit| matches!(revisit.last, Outcome::Document(_)));
            if was_document {
                reopened += self.uncount_document(number);
            }
            // URIs of a domain that is still closed are not queued: for example, the domain is at
            // its limit, and the URI never returned a document.
            if self.schedule.close_reason(number).is_some() {
                continue;
            }
            self.offers.remove_weak(&self.tables.uris, age.to_be_bytes());
            self.enqueue(number, fingerprint, entry)?;
            self.changed_domains.insert(number);
            queued += 1;
        }
        for number in std::mem::take(&mut self.changed_domains) {
            let value = self.domain_record(number)?;
            self.offers.insert(&self.tables.domains, number.to_be_bytes(), value);
        }
        let mut round = self.tables.refresh_round()?;
        if let Some(round) = &mut round {
            (round.next, round.queued) = (next, round.queued + queued);
            round.count_reopened(DropReason::DomainLimit, reopened);
            self.store_refresh_round(round)?;
        }
        self.flush()?;
        Ok(round)
    }

    /// Whether a URI is settled and `age` is the age of its current record. Older records are
    /// ignored, so that no URI is queued twice.
    fn is_settled(&self, fingerprint: u128, age: u64) -> Result<bool, StorageError> {
        let Some(value) = self.tables.seen.get(fingerprint.to_be_bytes())? else { return Ok(false) };
        Ok(matches!(postcard::from_bytes(&value)?, SeenEntry::Settled(known) if known == age))
    }

    pub(super) fn end_round(&mut self) -> Result<(), StorageError> {
        self.offers.insert(&self.tables.meta, "round", b"");
        self.flush()
    }

    /// Counts the waiting revisits when a frontier is opened.
    pub(super) fn load_revisits(&mut self) -> Result<(), StorageError> {
        let mut from = 0;
        while let Some(first) = self.tables.next_queue(from)? {
            let number = first.domain();
            if first.is_revisit() && self.schedule.close_reason(number).is_none() {
                self.revisits += self.stored_revisits(number);
            }
            from = number + 1;
        }
        Ok(())
    }
}
