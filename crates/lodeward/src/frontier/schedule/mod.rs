//! Decides which domain and which of its entries is leased next.
//!
//! This is the part of a frontier that needs no storage: which domains have waiting entries, which
//! of them are ready, and in which order they come. It holds only the head of a long queue. The
//! rest stays *beyond*, in the storage of the frontier, and is read in key order when the head is
//! empty.
//!
//! Invariant: every waiting entry of a domain that is not in its head has a key at or above the
//! domain's `beyond`. A new entry below that line, or before the last entry of the head, joins
//! the head. If the head is full, its last entry leaves it and the line moves down to that
//! entry. So storage is only read forwards from the line, and never past entries that were
//! removed before (an LSM tree has to skip every tombstone it passes).
//!
//! The converse does not hold: an entry above the line may be in the head, to be retried, or
//! settled and not yet removed from storage. These are skipped when storage is read, and a head
//! is refilled only while its domain has no lease.
//!
//! Taking entries is in [`take`], and which entries are scored again is in [`rescore`].

mod refresh_first;
mod domain;
mod hops;
mod queue_key;
mod rescore;
mod take;

pub use domain::HeadEntry;
pub use queue_key::QueueKey;
pub(crate) use take::{TakeProgress, TakenEntries};

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};
use std::time::Duration;

use foldhash::fast::RandomState;

use crate::frontier::DomainOrder;
use crate::model::{CrawlTime, DropReason, Pld};
use domain::{DomainListing, DomainQueue, DomainRank};
use take::TakeRun;

/// Reads a domain's queue from storage: up to `max` entries in key order from `from` on, without
/// settled ones. If it returns fewer than `max` entries, the queue ends there.
pub(crate) type Refill<'a, E> = dyn FnMut(QueueKey, usize) -> Result<Vec<HeadEntry>, E> + 'a;

/// The queues of all domains, and the order of their turns.
pub(crate) struct Schedule {
    order: DomainOrder,
    max_head: usize,
    domains: Vec<DomainQueue>,
    by_name: HashMap<Pld, u32, RandomState>,
    /// Domains whose delay is over, in the order of their turns.
    ready: BTreeSet<(DomainRank, u32)>,
    /// Delayed domains and the ends of their delays. An entry is outdated if it differs from the
    /// domain's own `listed`.
    delayed: BinaryHeap<Reverse<(CrawlTime, u32)>>,
    /// Domains that are delayed or have a lease, with a scored entry waiting; the most urgent
    /// first.
    unavailable: BTreeSet<(u32, u32)>,
    /// The number of domains at each hop, if hops are strict.
    hops: BTreeMap<u32, u64>,
    turns: u64,
    waiting_in_memory: usize,
    /// Domains whose lease ended since the last entry was taken.
    released: Vec<u32>,
    /// The position of the sweep that rescores all domains in turn.
    sweep: (u32, QueueKey),
    /// Whether only revisits are taken.
    revisits_only: bool,
    /// Domains that were set aside because they had no revisit when their turn came.
    set_aside: BTreeSet<u32>,
    /// Until this time, first visits are taken, too.
    first_visits_until: CrawlTime,
    /// The request that waits for scores.
    run: Option<TakeRun>,
}

impl Schedule {
    /// An empty schedule that holds at most `max_head` entries of a domain in memory.
    #[must_use]
    pub(crate) fn new(max_head: usize) -> Self {
        Self {
            order: DomainOrder::default(),
            max_head,
            domains: Vec::new(),
            by_name: HashMap::default(),
            ready: BTreeSet::new(),
            delayed: BinaryHeap::new(),
            unavailable: BTreeSet::new(),
            hops: BTreeMap::new(),
            turns: 0,
            waiting_in_memory: 0,
            released: Vec::new(),
            sweep: (0, QueueKey(0)),
            revisits_only: false,
            set_aside: BTreeSet::new(),
            first_visits_until: CrawlTime::ZERO,
            run: None,
        }
    }

    /// Sets the order of domains.
    pub(crate) fn set_order(&mut self, order: DomainOrder) {
        if order == self.order {
            return;
        }
        self.order = order;
        self.hops.clear();
        for number in 0..u32::try_from(self.domains.len()).expect("domain numbers are u32") {
            let domain = &mut self.domains[number as usize];
            domain.hop = None;
            if matches!(domain.listed, DomainListing::Ready(_)) {
                self.unlist(number);
                self.list(number);
            }
            self.update_hop(number);
        }
    }

    /// The number of a domain; `None` if it is unknown.
    #[must_use]
    pub(crate) fn find(&self, pld: &Pld) -> Option<u32> {
        self.by_name.get(pld).copied()
    }

    /// Adds a domain. Numbers are assigned in order, from 0.
    pub(crate) fn add(&mut self, pld: Pld) -> u32 {
        let number = u32::try_from(self.domains.len()).expect("there are fewer than 2^32 domains");
        self.by_name.insert(pld.clone(), number);
        self.domains.push(DomainQueue::new(pld));
        number
    }

    /// The number of domains.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.domains.len()
    }

    /// Sets how many entries of a domain are held in memory.
    pub(crate) fn set_max_head(&mut self, head_max: usize) {
        self.max_head = head_max;
    }

    /// The number of entries in memory.
    #[must_use]
    pub(crate) fn waiting_in_memory(&self) -> usize {
        self.waiting_in_memory
    }

    /// Adds a domain's queue in storage, which begins with the key `first`.
    pub(crate) fn open_queue(&mut self, first: QueueKey, delayed_until: CrawlTime) {
        let number = first.domain();
        let domain = &mut self.domains[number as usize];
        domain.beyond = Some(first);
        domain.delayed_until = delayed_until;
        self.list(number);
        self.update_hop(number);
    }

    /// Why a domain is closed; `None` if it is open.
    #[must_use]
    pub(crate) fn close_reason(&self, number: u32) -> Option<DropReason> {
        self.domains[number as usize].closed
    }

    /// Closes a domain and discards its queue in memory.
    pub(crate) fn close(&mut self, number: u32, reason: DropReason) {
        self.unlist(number);
        let domain = &mut self.domains[number as usize];
        self.waiting_in_memory -= domain.head.len() + domain.returned.len() + domain.retries.len();
        domain.closed = Some(reason);
        domain.head = BTreeMap::new();
        domain.returned = Vec::new();
        domain.retries = Vec::new();
        domain.beyond = None;
        self.update_hop(number);
    }

    /// Removes waiting entries of a domain from memory. A frontier with storage must remove them there, too.
    pub(crate) fn remove(&mut self, number: u32, keys: &HashSet<QueueKey>) {
        self.unlist(number);
        let domain = &mut self.domains[number as usize];
        let before = domain.in_memory().count();
        domain.head.retain(|_, waiting| !keys.contains(&waiting.key));
        domain.returned.retain(|waiting| !keys.contains(&waiting.key));
        domain.retries.retain(|(_, waiting)| !keys.contains(&waiting.key));
        self.waiting_in_memory -= before - domain.in_memory().count();
        self.list(number);
        self.update_hop(number);
    }

    /// Reopens a closed domain whose queue is in storage.
    pub(crate) fn reopen(&mut self, number: u32) {
        self.domains[number as usize].closed = None;
        self.open_queue(QueueKey::domain_start(number), self.delayed_until(number));
    }

    /// Records a crawl delay that a host of the domain requests. The longest delay applies.
    pub(crate) fn set_crawl_delay(&mut self, number: u32, delay: Duration) {
        let known = &mut self.domains[number as usize].delay;
        *known = delay.max(*known);
    }

    /// The crawl delay the hosts of a domain request.
    #[must_use]
    pub(crate) fn delay(&self, number: u32) -> Duration {
        self.domains[number as usize].delay
    }

    /// The number of documents fetched from a domain.
    #[must_use]
    pub(crate) fn documents(&self, number: u32) -> u32 {
        self.domains[number as usize].documents
    }

    /// Sets the number of documents fetched from a domain.
    pub(crate) fn set_documents(&mut self, number: u32, documents: u32) {
        self.domains[number as usize].documents = documents;
    }

    /// The name of a domain.
    #[must_use]
    pub(crate) fn pld(&self, number: u32) -> &Pld {
        &self.domains[number as usize].pld
    }

    /// Until when a domain is delayed.
    #[must_use]
    pub(crate) fn delayed_until(&self, number: u32) -> CrawlTime {
        self.domains[number as usize].delayed_until
    }

    /// The domains with waiting entries in the order of their turns, each with the end of its delay. Domains with a
    /// lease are last.
    #[must_use]
    pub(crate) fn domains_by_turn(&self) -> Vec<(u32, CrawlTime)> {
        let ready = self.ready.iter().map(|(_, number)| (*number, CrawlTime::ZERO));
        let is_current = |due: CrawlTime, number: u32| self.domains[number as usize].is_delayed_until(due);
        let delayed = self.delayed.iter().map(|Reverse(listed)| *listed);
        let mut delayed: Vec<_> = delayed.filter(|(due, number)| is_current(*due, *number)).collect();
        delayed.sort_unstable();
        delayed.dedup();
        let leased = (0..).zip(&self.domains).filter(|(_, domain)| domain.is_leased && domain.has_waiting());
        let leased = leased.map(|(number, domain)| (number, domain.delayed_until));
        ready.chain(delayed.into_iter().map(|(due, number)| (number, due))).chain(leased).collect()
    }

    /// The entries of a domain in memory, the next one first, and the first key that is only in storage.
    pub(crate) fn waiting_of(&self, number: u32) -> (impl Iterator<Item = &HeadEntry>, Option<QueueKey>) {
        let domain = &self.domains[number as usize];
        let retries = domain.retries.iter().map(|(_, waiting)| waiting);
        (domain.returned.iter().chain(domain.head.values()).chain(retries), domain.beyond)
    }

    /// Queues a new entry. A frontier with storage must store it first.
    pub(crate) fn insert(&mut self, entry: HeadEntry) {
        let number = entry.key.domain();
        let domain = &mut self.domains[number as usize];
        let key = entry.current_key();
        let is_ahead = domain.head.last_key_value().is_some_and(|(last, _)| key < *last);
        if is_ahead || domain.beyond.is_none_or(|line| entry.key < line) {
            let is_first = domain.first_key().is_none_or(|first| key < first);
            domain.head.insert(key, entry);
            self.waiting_in_memory += 1;
            self.trim_head(number);
            if is_first {
                self.relist(number);
            }
        }
        self.update_hop(number);
    }

    /// Shortens a head that is too long: its last entries remain only in storage.
    fn trim_head(&mut self, number: u32) {
        let domain = &mut self.domains[number as usize];
        while domain.head.len() > self.max_head
            && let Some((_, last)) = domain.head.pop_last()
        {
            self.waiting_in_memory -= 1;
            domain.beyond = Some(domain.beyond.map_or(last.key, |line| line.min(last.key)));
        }
    }

    fn make_ready(&mut self, number: u32, rank: DomainRank) {
        self.domains[number as usize].listed = DomainListing::Ready(rank);
        self.ready.insert((rank, number));
    }

    /// Updates the rank of a domain whose first entry changed.
    fn rerank(&mut self, number: u32) {
        match self.domains[number as usize].listed {
            DomainListing::Unlisted => {}
            DomainListing::Ready(_) => {
                self.unlist(number);
                let rank = self.rank(number);
                self.make_ready(number, rank);
            }
            DomainListing::Delayed(_) => self.set_unavailable(number, true),
        }
    }

    /// When the next delay ends.
    #[must_use]
    pub(crate) fn next_wake(&mut self) -> Option<CrawlTime> {
        while let Some(Reverse((due, number))) = self.delayed.peek() {
            if self.domains[*number as usize].is_delayed_until(*due) {
                return Some(*due);
            }
            self.delayed.pop();
        }
        None
    }

    /// Ends the lease of a domain, which is then delayed.
    pub(crate) fn end_lease(&mut self, number: u32, delayed_until: CrawlTime, responds: bool) {
        self.domains[number as usize].responds = responds;
        self.release(number, delayed_until);
    }

    /// Delays a domain that has no lease.
    pub(crate) fn release(&mut self, number: u32, delayed_until: CrawlTime) {
        let domain = &mut self.domains[number as usize];
        domain.is_leased = false;
        domain.leased_urgency = None;
        domain.delayed_until = domain.delayed_until.max(delayed_until);
        self.released.push(number);
        self.list(number);
        self.update_hop(number);
    }

    /// Puts an entry back at the front.
    pub(crate) fn put_back(&mut self, waiting: HeadEntry) {
        let domain = &mut self.domains[waiting.key.domain() as usize];
        if domain.closed.is_none() {
            domain.returned.push(waiting);
            self.waiting_in_memory += 1;
        }
    }

    /// Queues a failed entry for a retry at `due`.
    pub(crate) fn queue_retry(&mut self, waiting: HeadEntry, due: CrawlTime) {
        let domain = &mut self.domains[waiting.key.domain() as usize];
        if domain.closed.is_none() {
            domain.retries.push((due, waiting));
            self.waiting_in_memory += 1;
        }
    }

    /// Moves domains whose delay is over from `delayed` to `ready`.
    fn wake(&mut self, now: CrawlTime) {
        while let Some(Reverse((due, number))) = self.delayed.peek().copied() {
            if due > now {
                break;
            }
            self.delayed.pop();
            if self.domains[number as usize].is_delayed_until(due) {
                self.unlist(number);
                let rank = self.rank(number);
                self.make_ready(number, rank);
            }
        }
    }

    fn rank(&mut self, number: u32) -> DomainRank {
        self.turns += 1;
        match self.order {
            DomainOrder::RoundRobin => (0, self.turns),
            DomainOrder::Hops => (self.domain_hop(number), self.turns),
            DomainOrder::BestFirst | DomainOrder::Sampled => (self.domains[number as usize].urgency(), self.turns),
        }
    }

    /// Adds a domain to `delayed` if it has waiting entries, no lease, and is not listed yet.
    fn list(&mut self, number: u32) {
        let domain = &mut self.domains[number as usize];
        if domain.is_leased || domain.listed != DomainListing::Unlisted {
            return;
        }
        let is_only_retried = domain.first_key().is_none() && domain.beyond.is_none();
        let due = if is_only_retried || self.order == DomainOrder::Hops && domain.waits_for_retries() {
            domain.retries.iter().map(|(due, _)| *due).min()
        } else {
            Some(CrawlTime::ZERO)
        };
        if let Some(due) = due {
            let due = due.max(domain.delayed_until);
            domain.listed = DomainListing::Delayed(due);
            self.delayed.push(Reverse((due, number)));
            self.set_unavailable(number, true);
        }
    }

    fn unlist(&mut self, number: u32) {
        let domain = &mut self.domains[number as usize];
        if let DomainListing::Ready(rank) = domain.listed {
            self.ready.remove(&(rank, number));
        }
        domain.listed = DomainListing::Unlisted;
        self.set_unavailable(number, false);
    }

    /// Lists a domain again because its first entry changed. In a round robin a domain keeps
    /// its turn.
    fn relist(&mut self, number: u32) {
        match self.domains[number as usize].listed {
            DomainListing::Ready(_) if self.order == DomainOrder::RoundRobin => {}
            DomainListing::Ready(_) => self.rerank(number),
            DomainListing::Unlisted | DomainListing::Delayed(_) => {
                self.unlist(number);
                self.list(number);
            }
        }
    }
}
