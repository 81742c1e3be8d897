//! Whose turn is it?
//!
//! The part of a frontier that needs no storage: which domains have somebody
//! waiting, which of them have rested, and in which order they come. Of a long
//! queue it holds only the head; the rest stays *beyond*, in whatever storage
//! the frontier has, and is fetched in key order when the head runs out.
//!
//! The invariant that makes this work: everything of a domain that waits and is
//! not in its head has a key at or above the domain's `beyond`. A newcomer below
//! that line joins the head, and if the head is full its last member steps back
//! and the line moves down to it. So the storage is only ever read forwards,
//! from the line, past no graveyard of what was taken before (an LSM tree pays
//! for every tombstone it walks over).
//!
//! The converse does not hold: scoring a head again may leave somebody above the
//! line who is not beyond. A head is refilled only when it is empty and its
//! domain is not being visited, so those can only be parked, or settled and not
//! yet removed from storage; both are passed over when storage is read.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use foldhash::fast::RandomState;

use super::Score;
use crate::model::{Candidate, DropReason, Moment, Pld, Probe};
use crate::rank::Order;

/// The place of a candidate in the queue of all: domain, then urgency, then
/// age. Smaller comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u128);

impl Key {
    /// The place of a candidate that arrived as number `sequence`.
    #[must_use]
    pub fn new(domain: u32, priority: f32, sequence: u64) -> Self {
        Self(u128::from(domain) << 96 | u128::from(!ascending(priority)) << 64 | u128::from(sequence))
    }

    /// Before everybody of a domain.
    #[must_use]
    pub fn first_of(domain: u32) -> Self {
        Self(u128::from(domain) << 96)
    }

    /// Just behind this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Which domain.
    #[must_use]
    pub fn domain(self) -> u32 {
        (self.0 >> 96) as u32
    }

    /// The priority, as a number that is smaller for the more urgent.
    #[expect(clippy::cast_possible_truncation, reason = "the 32 bits below the domain")]
    fn urgency(self) -> u32 {
        (self.0 >> 64) as u32
    }

    fn with_priority(self, priority: f32) -> Self {
        Self(self.0 & !(u128::from(u32::MAX) << 64) | u128::from(!ascending(priority)) << 64)
    }
}

/// Maps floats to integers that compare alike.
fn ascending(float: f32) -> u32 {
    let bits = float.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

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
    fn place(&self) -> Key {
        self.key.with_priority(self.candidate.priority)
    }
}

/// Reads the next of a domain's queue from storage: up to `max` of them, in key
/// order, from `from` on, without those that are settled. Fewer than `max` means
/// that there are no more.
pub type Refill<'a, E> = dyn FnMut(Key, usize) -> Result<Vec<Waiting>, E> + 'a;

/// Who waits where, and whose turn it is.
pub struct Schedule {
    order: Order,
    head_max: usize,
    domains: Vec<Domain>,
    by_name: HashMap<Pld, u32, RandomState>,
    /// Domains that have rested, foremost first.
    ready: BTreeSet<(Rank, u32)>,
    /// Domains that rest, and until when. May hold outdated entries, which are
    /// known by not agreeing with the domain's own `listed`.
    resting: BinaryHeap<Reverse<(Moment, u32)>>,
    turns: u64,
    waiting_in_memory: usize,
}

/// The order among domains that have rested.
type Rank = (u32, u64);

#[derive(Debug)]
struct Domain {
    pld: Pld,
    /// The foremost of the queue, in order of their present scores.
    head: VecDeque<Waiting>,
    /// Those who failed and must wait by themselves.
    parked: Vec<(Moment, Waiting)>,
    /// Where the part of the queue begins that is not in `head`; `None` when
    /// there is none.
    beyond: Option<Key>,
    busy: bool,
    rest_until: Moment,
    listed: Listed,
    /// The delay its hosts ask for.
    delay: Duration,
    documents: u32,
    closed: Option<DropReason>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    Nowhere,
    Ready(Rank),
    Resting(Moment),
}

impl Schedule {
    /// An empty schedule that holds at most `head_max` candidates of a domain.
    #[must_use]
    pub fn new(order: Order, head_max: usize) -> Self {
        Self {
            order,
            head_max,
            domains: Vec::new(),
            by_name: HashMap::default(),
            ready: BTreeSet::new(),
            resting: BinaryHeap::new(),
            turns: 0,
            waiting_in_memory: 0,
        }
    }

    /// The number of a domain, if it is known.
    #[must_use]
    pub fn find(&self, pld: &Pld) -> Option<u32> {
        self.by_name.get(pld).copied()
    }

    /// Adds a domain. Numbers are given in order, from 0.
    ///
    /// # Panics
    /// At four billion domains.
    pub fn add(&mut self, pld: Pld) -> u32 {
        let number = u32::try_from(self.domains.len()).expect("fewer than four billion domains");
        self.by_name.insert(pld.clone(), number);
        self.domains.push(Domain {
            pld,
            head: VecDeque::new(),
            parked: Vec::new(),
            beyond: None,
            busy: false,
            rest_until: Moment::ZERO,
            listed: Listed::Nowhere,
            delay: Duration::ZERO,
            documents: 0,
            closed: None,
        });
        number
    }

    /// How many domains there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.domains.len()
    }

    /// Whether there is no domain at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.domains.is_empty()
    }

    /// Changes how many candidates of a domain are held.
    pub fn set_head_max(&mut self, head_max: usize) {
        self.head_max = head_max;
    }

    /// How many candidates are held in memory.
    #[must_use]
    pub fn waiting_in_memory(&self) -> usize {
        self.waiting_in_memory
    }

    /// Says that storage holds a queue for this domain.
    pub fn open_queue(&mut self, number: u32, rest_until: Moment) {
        let domain = &mut self.domains[number as usize];
        domain.beyond = Some(Key::first_of(number));
        domain.rest_until = rest_until;
        self.list(number);
    }

    /// Why a domain is closed, if it is.
    #[must_use]
    pub fn closed(&self, number: u32) -> Option<DropReason> {
        self.domains[number as usize].closed
    }

    /// Closes a domain: its queue is forgotten.
    pub fn close(&mut self, number: u32, reason: DropReason) {
        self.unlist(number);
        let domain = &mut self.domains[number as usize];
        self.waiting_in_memory -= domain.head.len() + domain.parked.len();
        domain.closed = Some(reason);
        domain.head = VecDeque::new();
        domain.parked = Vec::new();
        domain.beyond = None;
    }

    /// Opens a closed domain again, whose queue is in storage.
    pub fn reopen(&mut self, number: u32) {
        self.domains[number as usize].closed = None;
        self.open_queue(number, self.rest_until(number));
    }

    /// Notes the delay a domain's hosts ask for; the longest counts.
    pub fn slow_down(&mut self, number: u32, delay: Duration) {
        let known = &mut self.domains[number as usize].delay;
        *known = delay.max(*known);
    }

    /// The delay a domain's hosts ask for.
    #[must_use]
    pub fn delay(&self, number: u32) -> Duration {
        self.domains[number as usize].delay
    }

    /// How many documents a domain has yielded.
    #[must_use]
    pub fn documents(&self, number: u32) -> u32 {
        self.domains[number as usize].documents
    }

    /// Sets how many documents a domain has yielded.
    pub fn set_documents(&mut self, number: u32, documents: u32) {
        self.domains[number as usize].documents = documents;
    }

    /// The name of a domain.
    #[must_use]
    pub fn pld(&self, number: u32) -> &Pld {
        &self.domains[number as usize].pld
    }

    /// Until when a domain rests.
    #[must_use]
    pub fn rest_until(&self, number: u32) -> Moment {
        self.domains[number as usize].rest_until
    }

    /// Queues a newcomer, who is in storage already if there is one.
    pub fn insert(&mut self, newcomer: Waiting) {
        let number = newcomer.key.domain();
        let domain = &mut self.domains[number as usize];
        let in_head = domain.beyond.is_none_or(|line| newcomer.key < line);
        if in_head {
            let place = domain.head.partition_point(|other| other.place() < newcomer.place());
            domain.head.insert(place, newcomer);
            self.waiting_in_memory += 1;
            self.shrink(number);
            if place == 0 {
                self.relist(number);
            }
        }
    }

    /// Lets the last of a head that is too long step back behind the line.
    fn shrink(&mut self, number: u32) {
        let domain = &mut self.domains[number as usize];
        while domain.head.len() > self.head_max
            && let Some(last) = domain.head.pop_back()
        {
            self.waiting_in_memory -= 1;
            domain.beyond = Some(domain.beyond.map_or(last.key, |line| line.min(last.key)));
        }
    }

    /// Takes at most `max` candidates, each of a domain that has rested and is
    /// not being visited; those domains are busy from now on.
    pub fn take<E>(&mut self, now: Moment, max: usize, refill: &mut Refill<'_, E>) -> Result<Vec<Waiting>, E> {
        self.wake(now);
        let mut taken = Vec::new();
        while taken.len() < max {
            let Some((rank, number)) = self.ready.pop_first() else { break };
            debug_assert_eq!(self.domains[number as usize].listed, Listed::Ready(rank));
            self.domains[number as usize].listed = Listed::Nowhere;
            match self.take_from(number, now, refill)? {
                Some(waiting) => taken.push(waiting),
                None => self.list(number),
            }
        }
        Ok(taken)
    }

    fn take_from<E>(&mut self, number: u32, now: Moment, refill: &mut Refill<'_, E>) -> Result<Option<Waiting>, E> {
        let domain = &mut self.domains[number as usize];
        if let Some(place) = domain.parked.iter().position(|(due, _)| *due <= now) {
            self.waiting_in_memory -= 1;
            domain.busy = true;
            return Ok(Some(domain.parked.swap_remove(place).1));
        }
        while domain.head.is_empty()
            && let Some(line) = domain.beyond
        {
            let mut more = refill(line, self.head_max)?;
            domain.beyond = if more.len() < self.head_max { None } else { more.last().map(|last| last.key.next()) };
            more.retain(|waiting| domain.parked.iter().all(|(_, parked)| parked.key != waiting.key));
            self.waiting_in_memory += more.len();
            domain.head = more.into();
        }
        let first = domain.head.pop_front();
        if first.is_some() {
            self.waiting_in_memory -= 1;
            domain.busy = true;
        }
        Ok(first)
    }

    /// When the next resting domain will have rested.
    #[must_use]
    pub fn next_wake(&mut self) -> Option<Moment> {
        while let Some(Reverse((due, number))) = self.resting.peek() {
            if self.domains[*number as usize].listed == Listed::Resting(*due) {
                return Some(*due);
            }
            self.resting.pop();
        }
        None
    }

    /// Ends a visit to a domain, which then rests.
    pub fn release(&mut self, number: u32, rest_until: Moment) {
        let domain = &mut self.domains[number as usize];
        domain.busy = false;
        domain.rest_until = domain.rest_until.max(rest_until);
        self.list(number);
    }

    /// Puts somebody back at the very front.
    pub fn put_back(&mut self, waiting: Waiting) {
        let domain = &mut self.domains[waiting.key.domain() as usize];
        if domain.closed.is_none() {
            domain.head.push_front(waiting);
            self.waiting_in_memory += 1;
        }
    }

    /// Lets somebody who failed wait by itself.
    pub fn park(&mut self, waiting: Waiting, due: Moment) {
        let domain = &mut self.domains[waiting.key.domain() as usize];
        if domain.closed.is_none() {
            domain.parked.push((due, waiting));
            self.waiting_in_memory += 1;
        }
    }

    /// Scores everybody in the heads again.
    ///
    /// Keys stay what they were, because storage knows them; only the order in
    /// memory changes, and `insert` compares newcomers with the new order.
    pub fn rescore(&mut self, score: &mut Score<'_>) {
        for number in 0..self.domains.len() {
            let domain = &mut self.domains[number];
            for waiting in &mut domain.head {
                waiting.candidate.priority = score(&waiting.candidate);
            }
            domain.head.make_contiguous().sort_by_key(Waiting::place);
            self.relist(u32::try_from(number).expect("as many as were added"));
        }
    }

    /// Moves everybody who has rested from `resting` to `ready`.
    fn wake(&mut self, now: Moment) {
        while let Some(Reverse((due, number))) = self.resting.peek().copied() {
            if due > now {
                break;
            }
            self.resting.pop();
            if self.domains[number as usize].listed == Listed::Resting(due) {
                let rank = self.rank(number);
                self.domains[number as usize].listed = Listed::Ready(rank);
                self.ready.insert((rank, number));
            }
        }
    }

    fn rank(&mut self, number: u32) -> Rank {
        self.turns += 1;
        match self.order {
            Order::RoundRobin => (0, self.turns),
            Order::BestFirst => {
                let domain = &self.domains[number as usize];
                let best = domain.head.front().map(Waiting::place).or(domain.beyond);
                (best.map_or(0, Key::urgency), self.turns)
            }
        }
    }

    /// Lists a domain that is not listed, if it has anybody waiting.
    fn list(&mut self, number: u32) {
        let domain = &mut self.domains[number as usize];
        if domain.busy || domain.listed != Listed::Nowhere {
            return;
        }
        let due = if domain.head.is_empty() && domain.beyond.is_none() {
            domain.parked.iter().map(|(due, _)| *due).min()
        } else {
            Some(Moment::ZERO)
        };
        if let Some(due) = due {
            let due = due.max(domain.rest_until);
            domain.listed = Listed::Resting(due);
            self.resting.push(Reverse((due, number)));
        }
    }

    fn unlist(&mut self, number: u32) {
        let domain = &mut self.domains[number as usize];
        if let Listed::Ready(rank) = domain.listed {
            self.ready.remove(&(rank, number));
        }
        domain.listed = Listed::Nowhere;
    }

    /// Lists a domain anew because its foremost candidate has changed. In a
    /// round robin a domain keeps its turn.
    fn relist(&mut self, number: u32) {
        let listed = self.domains[number as usize].listed;
        let keeps_turn = self.order == Order::RoundRobin && matches!(listed, Listed::Ready(_));
        if !keeps_turn {
            self.unlist(number);
            self.list(number);
        }
    }
}
