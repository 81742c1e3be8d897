//! What is asked of a frontier when a hop begins, or when it is gone on with.

use std::collections::HashMap;

use super::super::schedule::Key;
use super::super::{FrontierError, Hop, Life, Share};
use super::disk::{self, Entry};
use super::state::State;
use crate::model::Pld;

impl State {
    pub(super) fn hop(&self) -> Option<Hop> {
        self.schedule.hop()
    }

    pub(super) fn waiting_by_pld(&mut self) -> Result<Vec<(Pld, u64)>, FrontierError> {
        self.flush()?;
        // Those are still in the queues of the database, and wait no more.
        let gone = self.unremoved.iter().chain(self.leases.values());
        let mut gone_by_domain: HashMap<u32, u64> = HashMap::new();
        for key in gone {
            *gone_by_domain.entry(key.domain()).or_default() += 1;
        }
        let mut waiting = Vec::new();
        let mut from = 0;
        while let Some(first) = self.disk.next_queue(from)? {
            let number = first.domain();
            from = number + 1;
            if self.schedule.closed(number).is_some() {
                continue;
            }
            let recorded = self.disk.queue_from(Key::first_of(number)).count() as u64;
            let count = recorded.saturating_sub(gone_by_domain.get(&number).copied().unwrap_or_default());
            if count > 0 {
                waiting.push((self.schedule.pld(number).clone(), count));
            }
        }
        Ok(waiting)
    }

    pub(super) fn shares_of_hop(&self, depth: u16) -> Result<HashMap<Pld, Share>, FrontierError> {
        let mut shares: HashMap<Pld, Share> = HashMap::new();
        for guard in self.disk.lives.iter() {
            let (age, life) = guard.into_inner()?;
            let life: Life = postcard::from_bytes(&life)?;
            let Some(outcome) = life.outcome.as_ref().filter(|_| life.depth == depth) else { continue };
            // A document that was lost waits again, and its old life is of no account.
            let entry = self.disk.seen.get(life.uri.fingerprint().to_be_bytes())?;
            let entry = entry.map(|entry| postcard::from_bytes(&entry)).transpose()?;
            if matches!(entry, Some(Entry::Settled(settled)) if settled == disk::age(&age)) {
                shares.entry(life.uri.pld()).or_default().count(outcome);
            }
        }
        Ok(shares)
    }
}
