//! Rescores entries as the strategy learns, and holds back entries with low scores.
//!
//! Rescoring all entries after each document would take time proportional to their number. So a few
//! entries are rescored at a time: the first entries of a domain when its lease ends or its turn
//! comes, entries that have just been read from storage, and a few entries in a sweep over all
//! domains. If all scores changed ([`LeaseRequest::scores_changed`]), all entries in memory are
//! rescored.

use std::time::Duration;

use super::Schedule;
use super::domain::DomainListing;
use super::queue_key::{QueueKey, priority_from_urgency, sortable_bits};
use super::take::TakeRun;
#[cfg(doc)]
use crate::frontier::LeaseRequest;
use crate::frontier::REVISIT_PRIORITY;
use crate::model::CrawlTime;

/// Number of entries rescored when the lease of a domain ends.
pub(super) const RESCORED_AFTER_VISIT: usize = 8;
/// Number of entries rescored when the turn of a domain comes.
pub(super) const RESCORED_AT_TURN: usize = 4;
/// Number of entries that the sweep over all domains rescores for each entry that is taken.
const RESCORED_IN_TURN: usize = 8;
/// Maximum number of domains that lose their turn because of rescoring before an entry is taken.
pub(super) const MAX_LOST_TURNS: usize = 8;

impl Schedule {
    /// The urgency ([`QueueKey::urgency`]) of the least urgent entry that may be taken. An entry
    /// with a much lower score than the best entry of a delayed or leased domain is held back.
    /// Domains that do not respond are ignored, because their delay is a back-off that may end in
    /// another failure; so are domains delayed for longer than `MAX_REST`.
    pub(super) fn urgency_cutoff(&self, now: CrawlTime, deferral_share: Option<f32>) -> u32 {
        const MAX_REST: Duration = Duration::from_secs(15);
        const MAX_EXAMINED: usize = 32;
        let Some(share) = deferral_share else { return u32::MAX };
        let is_back_soon = |number: u32| {
            let domain = &self.domains[number as usize];
            let ends_soon = match domain.listed {
                DomainListing::Delayed(due) => due <= now + MAX_REST,
                DomainListing::Unlisted | DomainListing::Ready(_) => true,
            };
            domain.responds && ends_soon
        };
        let best = self.unavailable.iter().take(MAX_EXAMINED).find(|(_, number)| is_back_soon(*number));
        let best = best.map(|(urgency, _)| priority_from_urgency(*urgency));
        // A delayed revisit does not hold back other entries.
        let best = best.filter(|best| *best > 0.0 && *best < REVISIT_PRIORITY);
        best.map_or(u32::MAX, |best| !sortable_bits(share * best.min(1.0)))
    }

    /// Returns whether another domain now comes before the domain whose turn it was; the domain is then listed again.
    pub(super) fn loses_turn(&mut self, number: u32) -> bool {
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

    /// Hands out the next few entries in the sweep over all domains.
    pub(super) fn sweep(&mut self, run: &mut TakeRun) {
        let (number, from) = self.sweep;
        let Some(domain) = self.domains.get(number as usize) else {
            self.sweep = (0, QueueKey(0));
            return;
        };
        // A domain with a lease is rescored when the lease ends.
        let next = if domain.is_leased { None } else { self.hand_out(run, number, from, RESCORED_IN_TURN) };
        self.sweep = next.map_or((number + 1, QueueKey::domain_start(number + 1)), |key| (number, key));
    }
}
