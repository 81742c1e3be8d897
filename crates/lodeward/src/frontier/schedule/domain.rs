//! A domain: who waits there, and whether it may be visited.

use std::collections::BTreeMap;
use std::time::Duration;

use super::key::Key;
use crate::model::{Candidate, DropReason, Moment, Pld, Probe};

/// Somebody at the head of a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// The place under which storage knows it.
    pub key: Key,
    /// Who waits.
    pub candidate: Candidate,
    /// How many visits have failed.
    pub attempt: u8,
    /// What a probe said.
    pub probe: Option<Probe>,
}

impl Waiting {
    /// Its place by its present score, which may differ from the one it was
    /// queued with.
    pub(super) fn place(&self) -> Key {
        self.key.with_priority(self.candidate.priority)
    }
}

/// The order among domains that have rested.
pub(super) type Rank = (u32, u64);

#[derive(Debug)]
pub(super) struct Domain {
    pub(super) pld: Pld,
    /// The foremost of the queue, by their present place.
    pub(super) head: BTreeMap<Key, Waiting>,
    /// Those whose slot was needed for something else: they come first.
    pub(super) returned: Vec<Waiting>,
    /// Those who failed and must wait by themselves.
    pub(super) parked: Vec<(Moment, Waiting)>,
    /// Where the part of the queue begins that is not in `head`; `None` when
    /// there is none.
    pub(super) beyond: Option<Key>,
    pub(super) busy: bool,
    /// How urgent whoever is being visited was.
    pub(super) visiting: Option<u32>,
    /// The earliest hop that anybody of it is of, as it is counted.
    pub(super) hop: Option<u32>,
    pub(super) rest_until: Moment,
    pub(super) listed: Listed,
    /// The delay its hosts ask for.
    pub(super) delay: Duration,
    pub(super) documents: u32,
    pub(super) closed: Option<DropReason>,
    /// Its place in `away`.
    pub(super) away: Option<u32>,
}

impl Domain {
    /// A domain of which nothing is known yet.
    pub(super) fn new(pld: Pld) -> Self {
        Self {
            pld,
            head: BTreeMap::new(),
            returned: Vec::new(),
            parked: Vec::new(),
            beyond: None,
            busy: false,
            visiting: None,
            hop: None,
            rest_until: Moment::ZERO,
            listed: Listed::Nowhere,
            delay: Duration::ZERO,
            documents: 0,
            closed: None,
            away: None,
        }
    }

    /// The place of whoever comes first.
    pub(super) fn first(&self) -> Option<Key> {
        let returned = self.returned.first().map(Waiting::place);
        returned.or_else(|| self.head.first_key_value().map(|(place, _)| *place))
    }

    /// How urgent the foremost candidate is, as a number that is smaller for the
    /// more urgent.
    pub(super) fn urgency(&self) -> u32 {
        self.first().or(self.beyond).map_or(0, Key::urgency)
    }

    pub(super) fn rests_until(&self, moment: Moment) -> bool {
        self.listed == Listed::Resting(moment)
    }

    /// Everybody who is in memory.
    pub(super) fn held(&self) -> impl Iterator<Item = &Waiting> {
        let parked = self.parked.iter().map(|(_, waiting)| waiting);
        self.head.values().chain(&self.returned).chain(parked)
    }
}

/// Where a domain is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    Nowhere,
    Ready(Rank),
    Resting(Moment),
}
