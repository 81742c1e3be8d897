//! Those who are visited again come before those who never were.
//!
//! Their priority puts them at the front of the queue of their domain. Across
//! domains, whoever has nobody to visit again is set aside until all have been:
//! so a limit that is meant for new documents need not count the known ones. Only
//! when all of those rest, or failed and are tried again later, do the others have
//! their turn for a while, as many as the guide says: nobody is to wait for one
//! server that asks to be left alone.

use std::time::Duration;

use super::domain::{Domain, Listed};
use super::key::{Key, ascending};
use super::{Guide, Refill, Schedule, Taken};
use crate::frontier::AGAIN_PRIORITY;
use crate::model::Moment;
use crate::select::Order;

/// For how long others have their turn at least: setting all of them aside again
/// takes its time.
const TURN_OF_OTHERS: Duration = Duration::from_secs(5);

impl Key {
    /// Whether this is the place of somebody who is visited again.
    #[must_use]
    pub fn is_again(self) -> bool {
        self.urgency() <= !ascending(AGAIN_PRIORITY)
    }
}

impl Domain {
    /// Whether somebody who is visited again can be taken.
    fn has_again(&self, now: Moment) -> bool {
        let is_retried = self.parked.iter().any(|(due, waiting)| *due <= now && waiting.key.is_again());
        is_retried || self.first().is_some_and(Key::is_again)
    }
}

impl Schedule {
    /// Whether somebody who is visited again waits in a domain.
    #[must_use]
    pub fn has_again(&self, number: u32) -> bool {
        let domain = &self.domains[number as usize];
        domain.held().any(|waiting| waiting.key.is_again()) || domain.beyond.is_some_and(Key::is_again)
    }

    /// Opens a closed domain again, of which nothing is in storage.
    pub fn reopen_empty(&mut self, number: u32) {
        self.domains[number as usize].closed = None;
    }

    /// Takes somebody while some wait to be visited again: those if they can be
    /// taken, and others if nobody of those is being visited either.
    pub fn take_again_first<E>(
        &mut self,
        now: Moment,
        max: usize,
        is_visiting_again: bool,
        guide: &mut dyn Guide,
        refill: &mut Refill<'_, E>,
    ) -> Result<Taken, E> {
        // Strict hops are waited for.
        let others_max = if self.order == Order::Hops { 0 } else { guide.others_max() };
        if others_max == 0 || now >= self.others_until {
            self.take_only_again(true);
            let taken = self.take(now, max, guide, refill)?;
            if others_max == 0 || is_visiting_again || !taken.waiting.is_empty() {
                return Ok(taken);
            }
            let Some(wake) = self.next_wake() else { return Ok(taken) };
            self.others_until = wake.max(now + TURN_OF_OTHERS);
        }
        self.take_only_again(false);
        self.take(now, max.min(others_max), guide, refill)
    }

    /// Says whether only those are taken who are visited again.
    pub fn take_only_again(&mut self, only_again: bool) {
        self.only_again = only_again;
        if !only_again {
            for number in std::mem::take(&mut self.set_aside) {
                self.list(number);
            }
        }
    }

    /// Whether a domain whose turn it is must wait until all who are visited again
    /// have been. Then it is set aside; with somebody of those who failed and is
    /// tried again later, until that time.
    pub(super) fn is_set_aside(&mut self, number: u32, now: Moment) -> bool {
        let domain = &self.domains[number as usize];
        let retried = domain.parked.iter().filter(|(_, waiting)| waiting.key.is_again());
        let retried = retried.map(|(due, _)| *due).min();
        if domain.has_again(now) || !self.only_again && retried.is_none() {
            return false;
        }
        self.unlist(number);
        let domain = &mut self.domains[number as usize];
        match retried {
            Some(due) => {
                let due = due.max(domain.rest_until);
                domain.listed = Listed::Resting(due);
                self.resting.push(std::cmp::Reverse((due, number)));
            }
            None => {
                self.set_aside.insert(number);
            }
        }
        true
    }
}
