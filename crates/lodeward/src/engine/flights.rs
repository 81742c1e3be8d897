//! The errands in flight.

use std::collections::BTreeMap;

use tokio::task::JoinSet;

use super::errand::{ErrandReturn, ErrandTools, RunningErrand};
use crate::model::CrawlTime;

/// The errands that are running, and those that returned before earlier ones.
pub(super) struct Flights {
    running: JoinSet<ErrandReturn>,
    /// The number of the next errand. Errands are numbered in the order of their start.
    next_number: u64,
    /// Whether returns are accepted in the order of the start.
    is_ordered: bool,
    /// Errands that returned before earlier ones, if returns are ordered.
    early: BTreeMap<u64, ErrandReturn>,
    next_arrival: u64,
    last_departure: CrawlTime,
    /// Number of requests that resumed an interrupted body and are already in the tally.
    resumptions: u64,
}

impl Flights {
    /// No errands; `resumptions` is the number of resumed bodies so far.
    pub(super) fn new(is_ordered: bool, resumptions: u64) -> Self {
        Self {
            running: JoinSet::new(),
            next_number: 0,
            is_ordered,
            early: BTreeMap::new(),
            next_arrival: 0,
            last_departure: CrawlTime::ZERO,
            resumptions,
        }
    }

    /// The number of errands that are running, or that returned before an earlier one.
    pub(super) fn len(&self) -> usize {
        self.running.len() + self.early.len()
    }

    /// When the last errand started.
    pub(super) fn last_departure(&self) -> CrawlTime {
        self.last_departure
    }

    /// Starts an errand.
    pub(super) fn start(&mut self, mut errand: RunningErrand, tools: ErrandTools, now: CrawlTime) {
        errand.number = self.next_number;
        self.next_number += 1;
        self.last_departure = now;
        self.running.spawn(errand.run(tools));
    }

    /// The errand whose turn it is, if it returned early.
    pub(super) fn take_early(&mut self) -> Option<ErrandReturn> {
        self.early.remove(&self.next_arrival)
    }

    /// Waits for an errand; `None` if none is running. Cancelling the wait loses nothing.
    pub(super) async fn join_next(&mut self) -> Option<ErrandReturn> {
        let joined = self.running.join_next().await;
        joined.map(|joined| joined.expect("an errand catches its own panics"))
    }

    /// Returns an errand if it is its turn; otherwise stores it.
    pub(super) fn accept(&mut self, returned: ErrandReturn) -> Option<ErrandReturn> {
        if self.is_ordered && returned.sent.number != self.next_arrival {
            self.early.insert(returned.sent.number, returned);
            return None;
        }
        self.next_arrival += 1;
        Some(returned)
    }

    /// The number of resumed bodies since the last call, given the number so far.
    pub(super) fn new_resumptions(&mut self, total: u64) -> u64 {
        let new = total.saturating_sub(self.resumptions);
        self.resumptions = total;
        new
    }

    pub(super) fn abort_all(&mut self) {
        self.running.abort_all();
    }
}
