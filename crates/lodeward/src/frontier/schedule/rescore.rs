//! Rescores entries as the strategy learns, and holds back entries with low scores.
//!
//! Rescoring all entries after each document would take time proportional to their number. So a few
//! entries are rescored at a time: the first entries of a domain when its lease ends or its turn
//! comes, entries that have just been read from storage, and a few entries in a sweep over all
//! domains. If a strategy reports that all scores changed ([`Guide::scores_changed`]), all entries
//! in memory are rescored.

use std::time::Duration;

use super::domain::DomainListing;
use super::queue_key::{QueueKey, priority_from_urgency, sortable_bits};
use super::{Guide, Schedule};
use crate::model::CrawlTime;

/// Number of entries rescored when the lease of a domain ends.
pub(super) const RESCORED_AFTER_VISIT: usize = 8;
/// Number of entries rescored when the turn of a domain comes.
const RESCORED_AT_TURN: usize = 4;
/// Number of entries that the sweep over all domains rescores for each entry that is taken.
const RESCORED_IN_TURN: usize = 8;
/// Maximum number of domains that lose their turn because of rescoring before an entry is taken.
pub(super) const MAX_LOST_TURNS: usize = 8;

impl Schedule {
    /// The urgency ([`QueueKey::urgency`]) of the least urgent entry that may be taken. An entry
    /// with a much lower score than the best entry of a delayed or leased domain is held back.
    /// Domains delayed for longer than `MAX_REST` are ignored.
    pub(super) fn urgency_cutoff(&self, now: CrawlTime, guide: &mut dyn Guide) -> u32 {
        const MAX_REST: Duration = Duration::from_secs(15);
        const MAX_EXAMINED: usize = 32;
        let is_back_soon = |number: u32| match self.domains[number as usize].listed {
            DomainListing::Delayed(due) => due <= now + MAX_REST,
            DomainListing::Unlisted | DomainListing::Ready(_) => true,
        };
        let best = self.unavailable.iter().take(MAX_EXAMINED).find(|(_, number)| is_back_soon(*number));
        best.map_or(u32::MAX, |(urgency, _)| !sortable_bits(guide.deferral_threshold(priority_from_urgency(*urgency))))
    }

    /// Rescores the first entries of the domain whose turn it is. Returns whether another
    /// domain now comes first; the domain is then listed again.
    pub(super) fn loses_turn(&mut self, number: u32, guide: &mut dyn Guide) -> bool {
        self.rescore(number, QueueKey::domain_start(number), RESCORED_AT_TURN, guide);
        let rank = self.rank(number);
        let is_behind = self.ready.first().is_some_and(|(next, _)| rank.0 > next.0);
        if is_behind {
            self.make_ready(number, rank);
        }
        is_behind
    }

    /// Records whether a domain is delayed or has a lease.
    pub(super) fn set_unavailable(&mut self, number: u32, is_away: bool) {
        let domain = &mut self.domains[number as usize];
        let urgency = domain.first_key().filter(|_| is_away).map(QueueKey::urgency);
        if let Some(before) = std::mem::replace(&mut domain.unavailable, urgency) {
            self.unavailable.remove(&(before, number));
        }
        if let Some(urgency) = urgency {
            self.unavailable.insert((urgency, number));
        }
    }

    /// Rescores `count` entries of a domain from a key on. Returns the next key, if there are
    /// more entries.
    ///
    /// Keys in storage do not change. Only the order in memory changes, and `insert` compares
    /// new entries with the new order.
    pub(super) fn rescore(
        &mut self,
        number: u32,
        from: QueueKey,
        count: usize,
        guide: &mut dyn Guide,
    ) -> Option<QueueKey> {
        let domain = &mut self.domains[number as usize];
        let before = domain.first_key();
        let keys: Vec<QueueKey> = domain.head.range(from..).take(count + 1).map(|(key, _)| *key).collect();
        for key in keys.iter().take(count) {
            let Some(mut waiting) = domain.head.remove(key) else { continue };
            waiting.entry.priority = guide.score(&waiting.entry);
            domain.head.insert(waiting.current_key(), waiting);
        }
        if domain.first_key() != before {
            self.rerank(number);
        }
        keys.get(count).copied()
    }

    /// Rescores all entries in memory.
    pub(super) fn rescore_all(&mut self, guide: &mut dyn Guide) {
        for number in 0..u32::try_from(self.domains.len()).expect("domain numbers are u32") {
            let waiting = self.domains[number as usize].head.len();
            self.rescore(number, QueueKey::domain_start(number), waiting, guide);
        }
    }

    /// Rescores the next few entries in the sweep over all domains.
    pub(super) fn rescore_in_turn(&mut self, guide: &mut dyn Guide) {
        let (number, from) = self.sweep;
        let Some(domain) = self.domains.get(number as usize) else {
            self.sweep = (0, QueueKey(0));
            return;
        };
        // A domain with a lease is rescored when the lease ends.
        let next = if domain.is_leased { None } else { self.rescore(number, from, RESCORED_IN_TURN, guide) };
        self.sweep = next.map_or((number + 1, QueueKey::domain_start(number + 1)), |key| (number, key));
    }
}
