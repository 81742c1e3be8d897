//! Strict hops: no URI of a hop is leased before all URIs of the previous hop are settled.
//!
//! With [`DomainOrder::Hops`] the urgency of an entry is its hop. A domain belongs to the earliest
//! hop of its entries: waiting, to be retried, or leased. The schedule updates the number of
//! domains of each hop whenever the earliest hop of a domain changes, so the earliest hop is known
//! without examining any domain.
//!
//! If the first entry of a domain is only in storage, the schedule knows only a lower bound of its
//! key. The domain may therefore be listed too early; it is listed again after its queue has been
//! read.

use super::domain::{DomainQueue, HeadEntry};
use super::queue_key::{QueueKey, priority_from_urgency};
use super::{Refill, Schedule};
use crate::frontier::{CurrentHop, DomainOrder};
use crate::model::CrawlTime;

impl DomainQueue {
    /// The earliest hop of the domain's entries, as [`QueueKey::urgency`].
    fn earliest_hop(&self) -> Option<u32> {
        let waiting = [
            self.leased_urgency,
            self.first_key().map(QueueKey::urgency),
            self.beyond.map(QueueKey::urgency),
            self.earliest_retry_hop(),
        ];
        waiting.into_iter().flatten().min()
    }

    /// The earliest hop of entries to be retried.
    fn earliest_retry_hop(&self) -> Option<u32> {
        self.retries.iter().map(|(_, waiting)| urgency(waiting)).min()
    }

    /// Whether an entry to be retried has an earlier hop than the next entry, which must then wait for the retry.
    pub(super) fn waits_for_retries(&self) -> bool {
        let next = self.first_key().or(self.beyond).map(QueueKey::urgency);
        self.earliest_retry_hop().is_some_and(|retried| next.is_some_and(|next| retried < next))
    }

    /// The hop of the entry that would be leased now.
    fn next_hop(&self, now: CrawlTime) -> Option<u32> {
        let due = self.retries.iter().find(|(due, _)| *due <= now).map(|(_, waiting)| urgency(waiting));
        due.or_else(|| self.first_key().map(QueueKey::urgency))
    }
}

fn urgency(waiting: &HeadEntry) -> u32 {
    waiting.current_key().urgency()
}

impl Schedule {
    /// The current hop, if hops are strict and entries are left.
    #[must_use]
    pub(crate) fn current_hop(&self) -> Option<CurrentHop> {
        let (hop, domains) = self.hops.first_key_value()?;
        Some(CurrentHop { depth: depth_from_urgency(*hop), domains: *domains })
    }

    /// Updates the count of domains per hop after this domain changed.
    pub(super) fn update_hop(&mut self, number: u32) {
        if self.order != DomainOrder::Hops {
            return;
        }
        let domain = &mut self.domains[number as usize];
        let now = domain.earliest_hop();
        let before = std::mem::replace(&mut domain.hop, now);
        if before == now {
            return;
        }
        if let Some(before) = before
            && let Some(domains) = self.hops.get_mut(&before)
        {
            *domains -= 1;
            if *domains == 0 {
                self.hops.remove(&before);
            }
        }
        if let Some(now) = now {
            *self.hops.entry(now).or_default() += 1;
        }
    }

    /// The earliest hop of a domain, which is its rank among ready domains.
    pub(super) fn domain_hop(&self, number: u32) -> u32 {
        self.domains[number as usize].earliest_hop().unwrap_or_default()
    }

    /// Whether this hop must wait for an earlier one.
    pub(super) fn is_ahead(&self, hop: u32) -> bool {
        self.order == DomainOrder::Hops && self.hops.first_key_value().is_some_and(|(earliest, _)| hop > *earliest)
    }

    /// Returns whether the next entry of a domain must wait for an earlier hop. If so, the domain is listed again.
    pub(super) fn relist_if_ahead<E>(
        &mut self,
        number: u32,
        now: CrawlTime,
        refill: &mut Refill<'_, E>,
    ) -> Result<bool, E> {
        if self.domains[number as usize].next_hop(now).is_none() {
            self.read_unscored(number, refill)?;
            self.update_hop(number);
        }
        let next = self.domains[number as usize].next_hop(now);
        let is_ahead = next.is_some_and(|next| self.is_ahead(next));
        if is_ahead {
            self.list(number);
            self.wake(now);
        }
        Ok(is_ahead)
    }
}

/// The hop of an entry whose priority was computed by `breadth_first::depth_priority`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the priority is a negated depth")]
fn depth_from_urgency(urgency: u32) -> u16 {
    (-priority_from_urgency(urgency)) as u16
}
