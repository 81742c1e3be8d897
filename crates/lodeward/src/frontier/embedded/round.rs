//! Visiting again, on disk.

use super::super::schedule::Key;
use super::super::{FrontierError, Life, Round, Which};
use super::disk::Entry;
use super::state::{State, encode};
use crate::model::{Candidate, DropReason, Outcome};

impl State {
    pub(super) fn settled(&self, from: u64, max: usize) -> Result<Vec<(u64, Life)>, FrontierError> {
        let mut found = Vec::new();
        for guard in self.disk.lives.range(from.to_be_bytes()..).take(max) {
            let (key, value) = guard.into_inner()?;
            let age = key.as_ref().try_into().map_or(0, u64::from_be_bytes);
            found.push((age, postcard::from_bytes(&value)?));
        }
        Ok(found)
    }

    pub(super) fn round(&self) -> Result<Option<Round>, FrontierError> {
        self.disk.round()
    }

    pub(super) fn begin_round(&mut self, which: Which, now_ms: u64) -> Result<Round, FrontierError> {
        self.flush()?;
        let mut round = Round::new(which, now_ms, self.next_sequence);
        for number in 0..u32::try_from(self.schedule.len()).unwrap_or(u32::MAX) {
            let again = self.waiting_again_on_disk(number);
            let Some(reason) = self.schedule.closed(number) else { continue };
            // Or somebody did not have their turn in the round before.
            if reason == DropReason::Unreachable || again > 0 {
                let waiting = self.reopen_queue(number)?;
                round.reopen(reason, waiting.saturating_sub(again));
                self.again += again;
            }
        }
        self.note_round(&round)?;
        self.flush()?;
        Ok(round)
    }

    /// How many of a domain's queue are visited again. They stand in front.
    pub(super) fn waiting_again_on_disk(&self, number: u32) -> u64 {
        let keys = self.disk.queue_from(Key::first_of(number)).map_while(|record| Some(record.ok()?.0));
        keys.take_while(|key| key.is_again()).count() as u64
    }

    /// Opens a closed domain, and what waits there. Returns how many.
    fn reopen_queue(&mut self, number: u32) -> Result<u64, FrontierError> {
        let waiting = self.disk.queue_from(Key::first_of(number)).count() as u64;
        self.waiting += waiting;
        self.schedule.reopen(number);
        let value = self.pld_record(number)?;
        self.offers.insert(&self.disk.plds, number.to_be_bytes(), value);
        Ok(waiting)
    }

    fn note_round(&mut self, round: &Round) -> Result<(), FrontierError> {
        let value = encode(&mut self.scratch, round)?;
        self.offers.insert(&self.disk.meta, "round", value);
        Ok(())
    }

    pub(super) fn requeue(
        &mut self,
        candidates: Vec<(u64, Candidate)>,
        next: u64,
    ) -> Result<Option<Round>, FrontierError> {
        // What was said before is not to be torn apart from this.
        self.flush()?;
        let (mut queued, mut reopened) = (0, 0);
        for (age, candidate) in candidates {
            let fingerprint = candidate.target.fingerprint();
            if !self.is_settled(fingerprint, age)? {
                continue;
            }
            let number = self.domain_of(&candidate.target)?;
            let was_document = candidate.again.as_ref().is_some_and(|again| matches!(again.last, Outcome::Document(_)));
            if was_document {
                reopened += self.uncount_document(number);
            }
            // A domain that has had its share is not asked for what it never had.
            if self.schedule.closed(number).is_some() {
                continue;
            }
            self.offers.remove_weak(&self.disk.lives, age.to_be_bytes());
            self.enqueue(number, fingerprint, candidate)?;
            self.changed_plds.insert(number);
            queued += 1;
        }
        for number in std::mem::take(&mut self.changed_plds) {
            let value = self.pld_record(number)?;
            self.offers.insert(&self.disk.plds, number.to_be_bytes(), value);
        }
        let mut round = self.disk.round()?;
        if let Some(round) = &mut round {
            (round.next, round.queued) = (next, round.queued + queued);
            round.reopen(DropReason::PldLimit, reopened);
            self.note_round(round)?;
        }
        self.flush()?;
        Ok(round)
    }

    /// Whether a URI is settled, and this is its life. One whose life is told
    /// elsewhere is not queued twice.
    fn is_settled(&self, fingerprint: u128, age: u64) -> Result<bool, FrontierError> {
        let Some(value) = self.disk.seen.get(fingerprint.to_be_bytes())? else { return Ok(false) };
        Ok(matches!(postcard::from_bytes(&value)?, Entry::Settled(known) if known == age))
    }

    pub(super) fn end_round(&mut self) -> Result<(), FrontierError> {
        self.offers.insert(&self.disk.meta, "round", b"");
        self.flush()
    }

    /// Counts, when a frontier is opened, who waits to be visited again.
    pub(super) fn load_again(&mut self) -> Result<(), FrontierError> {
        let mut from = 0;
        while let Some(first) = self.disk.next_queue(from)? {
            let number = first.domain();
            if first.is_again() && self.schedule.closed(number).is_none() {
                self.again += self.waiting_again_on_disk(number);
            }
            from = number + 1;
        }
        Ok(())
    }
}
