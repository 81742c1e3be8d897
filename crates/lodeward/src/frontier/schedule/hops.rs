//! Strict hops: nobody of a hop is taken before all of the hop before are done
//! with.
//!
//! With [`Order::Hops`] the urgency of a candidate is its hop. A domain belongs
//! to the earliest hop that anybody of it is of: whoever waits, whoever failed and
//! waits alone, and whoever is being visited. How many domains belong to which hop
//! is counted whenever that changes, so that the earliest of all is known at any
//! time, and no domain need be looked at to know it.
//!
//! What is only in storage is known by the line where it begins, which may say
//! less than the truth: then a domain is listed too early, and listed again when
//! its turn has come and its queue has been read.

use super::domain::{Domain, Waiting};
use super::key::{Key, descending};
use super::{Guide, Refill, Schedule};
use crate::frontier::Hop;
use crate::model::Moment;
use crate::select::Order;

impl Domain {
    /// The earliest hop that anybody of it is of, as [`Key::urgency`].
    fn earliest(&self) -> Option<u32> {
        let waiting = [self.visiting, self.first().map(Key::urgency), self.beyond.map(Key::urgency), self.retried()];
        waiting.into_iter().flatten().min()
    }

    /// The earliest hop of those who failed.
    fn retried(&self) -> Option<u32> {
        self.parked.iter().map(|(_, waiting)| urgency(waiting)).min()
    }

    /// Whether those who failed are of an earlier hop than all the others: then
    /// nobody else may be visited before they are due.
    pub(super) fn waits_for_retries(&self) -> bool {
        let next = self.first().or(self.beyond).map(Key::urgency);
        self.retried().is_some_and(|retried| next.is_some_and(|next| retried < next))
    }

    /// The hop of whoever would be taken now.
    fn next_hop(&self, now: Moment) -> Option<u32> {
        let due = self.parked.iter().find(|(due, _)| *due <= now).map(|(_, waiting)| urgency(waiting));
        due.or_else(|| self.first().map(Key::urgency))
    }
}

fn urgency(waiting: &Waiting) -> u32 {
    waiting.place().urgency()
}

impl Schedule {
    /// The hop that is under way, if hops are strict and anybody is left.
    #[must_use]
    pub fn hop(&self) -> Option<Hop> {
        let (hop, domains) = self.hops.first_key_value()?;
        Some(Hop { depth: depth(*hop), domains: *domains })
    }

    /// Counts a domain for the hop that it is at by now.
    pub(super) fn note_hop(&mut self, number: u32) {
        if self.order != Order::Hops {
            return;
        }
        let domain = &mut self.domains[number as usize];
        let now = domain.earliest();
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

    /// The rank of a domain among those that have rested.
    pub(super) fn hop_of(&self, number: u32) -> u32 {
        self.domains[number as usize].earliest().unwrap_or_default()
    }

    /// Whether this hop has to wait for an earlier one.
    pub(super) fn is_ahead(&self, hop: u32) -> bool {
        self.order == Order::Hops && self.hops.first_key_value().is_some_and(|(earliest, _)| hop > *earliest)
    }

    /// Whether a domain has its turn in vain, because it turns out that whoever
    /// would be taken has to wait for an earlier hop. Then it is listed again.
    pub(super) fn turns_out_ahead<E>(
        &mut self,
        number: u32,
        now: Moment,
        guide: &mut dyn Guide,
        refill: &mut Refill<'_, E>,
    ) -> Result<bool, E> {
        if self.domains[number as usize].next_hop(now).is_none() {
            self.fill(number, guide, refill)?;
            self.note_hop(number);
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

/// The hop of a priority made by `breadth_first::by_depth`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a depth, negated")]
fn depth(urgency: u32) -> u16 {
    (-descending(urgency)) as u16
}
