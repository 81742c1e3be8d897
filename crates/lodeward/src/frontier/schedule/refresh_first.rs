//! Revisits are leased before first visits.
//!
//! Their priority puts revisits at the front of the queue of their domain. Across domains, a
//! domain without revisits is set aside until all revisits are done, so a limit on new
//! documents does not have to count known ones. While all revisits are delayed or wait for a
//! retry, first visits are leased for a while, as many as the request allows: a crawl does not
//! wait for one slow server.

use std::time::Duration;

use super::domain::{DomainListing, DomainQueue};
use super::queue_key::{QueueKey, sortable_bits};
use super::take::TakeRun;
use super::{Refill, Schedule, TakeProgress};
use crate::frontier::{DomainOrder, LeaseRequest, REVISIT_PRIORITY};
use crate::model::CrawlTime;

/// Minimum duration of a period in which first visits are leased. Setting the domains aside again
/// takes time proportional to their number.
const MIN_FIRST_VISIT_WINDOW: Duration = Duration::from_secs(5);

impl QueueKey {
    /// Whether this is the key of a revisit.
    #[must_use]
    pub(crate) fn is_revisit(self) -> bool {
        self.urgency() <= !sortable_bits(REVISIT_PRIORITY)
    }
}

impl DomainQueue {
    /// Whether a revisit can be leased now.
    fn has_due_revisit(&self, now: CrawlTime) -> bool {
        let is_retried = self.retries.iter().any(|(due, waiting)| *due <= now && waiting.key.is_revisit());
        is_retried || self.first_key().is_some_and(QueueKey::is_revisit)
    }
}

impl Schedule {
    /// Whether a revisit waits in a domain.
    #[must_use]
    pub(crate) fn has_revisit(&self, number: u32) -> bool {
        let domain = &self.domains[number as usize];
        domain.in_memory().any(|waiting| waiting.key.is_revisit()) || domain.beyond.is_some_and(QueueKey::is_revisit)
    }

    /// Reopens a closed domain that has nothing in storage.
    pub(crate) fn reopen_empty(&mut self, number: u32) {
        self.domains[number as usize].closed = None;
    }

    /// Takes entries while revisits are waiting. Takes first visits only if no revisit can be taken
    /// and none is in flight.
    pub(crate) fn take_revisits_first<E>(
        &mut self,
        request: LeaseRequest,
        revisit_in_flight: bool,
        refill: &mut Refill<'_, E>,
    ) -> Result<TakeProgress, E> {
        // With strict hops, first visits wait for all revisits.
        let max_first_visits = if self.order == DomainOrder::Hops { 0 } else { request.max_first_visits };
        let allows_first_visits = max_first_visits > 0;
        if allows_first_visits && request.now < self.first_visits_until {
            return self.take(LeaseRequest { max: request.max.min(max_first_visits), ..request }, refill);
        }
        self.set_revisits_only(true);
        self.advance(TakeRun::new(request, allows_first_visits && !revisit_in_flight), refill)
    }

    /// The request for first visits, if a request for revisits found none that can be taken now.
    pub(super) fn first_visits_instead(&mut self, run: &TakeRun) -> Option<LeaseRequest> {
        if !run.allows_first_visits || !run.taken.entries.is_empty() {
            return None;
        }
        let request = run.request;
        self.first_visits_until = self.next_wake()?.max(request.now + MIN_FIRST_VISIT_WINDOW);
        self.set_revisits_only(false);
        let max = request.max.min(request.max_first_visits);
        Some(LeaseRequest { max, scores_changed: false, ..request })
    }

    /// Sets whether only revisits are taken.
    pub(crate) fn set_revisits_only(&mut self, only_again: bool) {
        self.revisits_only = only_again;
        if !only_again {
            for number in std::mem::take(&mut self.set_aside) {
                self.list(number);
            }
        }
    }

    /// Sets a domain aside if it must wait for the revisits of other domains. If the domain has a
    /// revisit to be retried, it is set aside until that retry is due. Returns whether it was set
    /// aside.
    pub(super) fn try_set_aside(&mut self, number: u32, now: CrawlTime) -> bool {
        let domain = &self.domains[number as usize];
        let retried = domain.retries.iter().filter(|(_, waiting)| waiting.key.is_revisit());
        let retried = retried.map(|(due, _)| *due).min();
        if domain.has_due_revisit(now) || !self.revisits_only && retried.is_none() {
            return false;
        }
        self.unlist(number);
        let domain = &mut self.domains[number as usize];
        match retried {
            Some(due) => {
                let due = due.max(domain.delayed_until);
                domain.listed = DomainListing::Delayed(due);
                self.delayed.push(std::cmp::Reverse((due, number)));
            }
            None => {
                self.set_aside.insert(number);
            }
        }
        true
    }
}
