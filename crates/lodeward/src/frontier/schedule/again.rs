//! Those who are visited again come before those who never were.
//!
//! Their priority puts them at the front of the queue of their domain. Across
//! domains, whoever has nobody to visit again is set aside until all have been:
//! so a limit that is meant for new documents need not count the known ones.

use super::Schedule;
use super::domain::{Domain, Listed};
use super::key::{Key, ascending};
use crate::frontier::AGAIN_PRIORITY;
use crate::model::Moment;

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
    /// have been. Then it is set aside; with somebody who failed and is tried
    /// again later, until that time.
    pub(super) fn is_set_aside(&mut self, number: u32, now: Moment) -> bool {
        if !self.only_again || self.domains[number as usize].has_again(now) {
            return false;
        }
        self.unlist(number);
        let domain = &mut self.domains[number as usize];
        match domain.parked.iter().map(|(due, _)| *due).min() {
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
