//! The queue and the state of one domain.

use std::collections::BTreeMap;
use std::time::Duration;

use super::queue_key::QueueKey;
use crate::frontier::QueueEntry;
use crate::model::{CrawlTime, DropReason, Pld, ProbeResult};

/// An entry at the head of a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadEntry {
    /// The key of its record in storage.
    pub key: QueueKey,
    /// The entry.
    pub entry: QueueEntry,
    /// Number of failed attempts.
    pub attempt: u8,
    /// The result of the HEAD request, if one was sent.
    pub probe: Option<ProbeResult>,
}

impl HeadEntry {
    /// The key of the entry by its current score, which may differ from the score it was queued with.
    pub(super) fn current_key(&self) -> QueueKey {
        self.key.with_priority(self.entry.priority)
    }
}

/// The rank of a domain among ready domains.
pub(super) type DomainRank = (u32, u64);

#[derive(Debug)]
pub(super) struct DomainQueue {
    pub(super) pld: Pld,
    /// The first entries of the queue, by their current keys.
    pub(super) head: BTreeMap<QueueKey, HeadEntry>,
    /// Entries whose slot was used for another request. They are leased before the entries in `head`.
    pub(super) returned: Vec<HeadEntry>,
    /// Failed entries, each with the time of its retry.
    pub(super) retries: Vec<(CrawlTime, HeadEntry)>,
    /// The first key that is only in storage; `None` if all entries are in memory.
    pub(super) beyond: Option<QueueKey>,
    pub(super) is_leased: bool,
    /// The urgency of the leased entry.
    pub(super) leased_urgency: Option<u32>,
    /// The earliest hop of the domain's entries, as counted in `Schedule::hops`.
    pub(super) hop: Option<u32>,
    pub(super) delayed_until: CrawlTime,
    /// Whether a server of the domain responded to the last request; `false` before the first one.
    pub(super) responds: bool,
    pub(super) listed: DomainListing,
    /// The crawl delay that the hosts of the domain request.
    pub(super) delay: Duration,
    pub(super) documents: u32,
    pub(super) closed: Option<DropReason>,
    /// The urgency with which the domain is listed in `Schedule::unavailable`; `None` if it is not listed there.
    pub(super) unavailable: Option<u32>,
}

impl DomainQueue {
    /// An empty queue for this domain.
    pub(super) fn new(pld: Pld) -> Self {
        Self {
            pld,
            head: BTreeMap::new(),
            returned: Vec::new(),
            retries: Vec::new(),
            beyond: None,
            is_leased: false,
            leased_urgency: None,
            hop: None,
            delayed_until: CrawlTime::ZERO,
            responds: false,
            listed: DomainListing::Unlisted,
            delay: Duration::ZERO,
            documents: 0,
            closed: None,
            unavailable: None,
        }
    }

    /// The key of the first entry.
    pub(super) fn first_key(&self) -> Option<QueueKey> {
        let returned = self.returned.first().map(HeadEntry::current_key);
        returned.or_else(|| self.head.first_key_value().map(|(key, _)| *key))
    }

    /// The urgency of the first entry; smaller is more urgent.
    pub(super) fn urgency(&self) -> u32 {
        self.first_key().or(self.beyond).map_or(0, QueueKey::urgency)
    }

    pub(super) fn is_delayed_until(&self, until: CrawlTime) -> bool {
        self.listed == DomainListing::Delayed(until)
    }

    /// Whether entries wait, in memory or in storage.
    pub(super) fn has_waiting(&self) -> bool {
        self.beyond.is_some() || self.in_memory().next().is_some()
    }

    /// All entries in memory.
    pub(super) fn in_memory(&self) -> impl Iterator<Item = &HeadEntry> {
        let parked = self.retries.iter().map(|(_, waiting)| waiting);
        self.head.values().chain(&self.returned).chain(parked)
    }
}

/// The list that contains a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DomainListing {
    Unlisted,
    Ready(DomainRank),
    Delayed(CrawlTime),
}
