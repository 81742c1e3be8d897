//! Whose turn is it?
//!
//! The part of a frontier that needs no storage: which domains have somebody
//! waiting, which of them have rested, and in which order they come. Of a long
//! queue it holds only the head; the rest stays *beyond*, in whatever storage
//! the frontier has, and is fetched in key order when the head runs out.
//!
//! The invariant that makes this work: everything of a domain that waits and is
//! not in its head has a key at or above the domain's `beyond`. A newcomer below
//! that line, or ahead of the head's last member, joins the head, and if the head
//! is full its last member steps back and the line moves down to it. So the
//! storage is only ever read forwards, from the line, past no graveyard of what
//! was taken before (an LSM tree pays for every tombstone it walks over).
//!
//! The converse does not hold: somebody above the line may be in the head, or
//! parked, or settled and not yet removed from storage. All are passed over when
//! storage is read, and a head is refilled only while its domain is not being
//! visited.
//!
//! How scores follow what is learned is in [`scores`].

mod again;
mod domain;
mod hops;
mod key;
mod scores;

pub use domain::Waiting;
pub use key::Key;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};
use std::time::Duration;

use foldhash::fast::RandomState;

use super::Guide;
use crate::model::{DropReason, Moment, Pld};
use crate::select::Order;
use domain::{Domain, Listed, Rank};
use key::descending;
use scores::{RESCORED_AFTER_VISIT, TURNS_LOST_MAX};

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
    /// Domains that rest or are being visited and have somebody waiting whose
    /// score is known, the one with the most urgent candidate first.
    away: BTreeSet<(u32, u32)>,
    /// How many domains are at which hop, if hops are strict.
    hops: BTreeMap<u32, u64>,
    turns: u64,
    waiting_in_memory: usize,
    /// Domains whose visit has ended since somebody was last taken.
    touched: Vec<u32>,
    /// Where scoring all heads in turn has come to.
    sweep: (u32, Key),
    /// Whether only those are taken who are visited again, and the domains that
    /// had nobody of those when it was their turn.
    only_again: bool,
    set_aside: BTreeSet<u32>,
    /// Until when others have their turn as well.
    others_until: Moment,
}

/// Who was taken.
#[derive(Debug, Default)]
pub struct Taken {
    /// Those.
    pub waiting: Vec<Waiting>,
    /// Whether somebody was not taken for being below the floor.
    pub held: bool,
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
            away: BTreeSet::new(),
            hops: BTreeMap::new(),
            turns: 0,
            waiting_in_memory: 0,
            touched: Vec::new(),
            sweep: (0, Key(0)),
            only_again: false,
            set_aside: BTreeSet::new(),
            others_until: Moment::ZERO,
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
        self.domains.push(Domain::new(pld));
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

    /// Says that storage holds a queue that begins with this key.
    pub fn open_queue(&mut self, first: Key, rest_until: Moment) {
        let number = first.domain();
        let domain = &mut self.domains[number as usize];
        domain.beyond = Some(first);
        domain.rest_until = rest_until;
        self.list(number);
        self.note_hop(number);
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
        self.waiting_in_memory -= domain.head.len() + domain.returned.len() + domain.parked.len();
        domain.closed = Some(reason);
        domain.head = BTreeMap::new();
        domain.returned = Vec::new();
        domain.parked = Vec::new();
        domain.beyond = None;
        self.note_hop(number);
    }

    /// Opens a closed domain again, whose queue is in storage.
    pub fn reopen(&mut self, number: u32) {
        self.domains[number as usize].closed = None;
        self.open_queue(Key::first_of(number), self.rest_until(number));
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
        let place = newcomer.place();
        let is_ahead = domain.head.last_key_value().is_some_and(|(last, _)| place < *last);
        if is_ahead || domain.beyond.is_none_or(|line| newcomer.key < line) {
            let is_first = domain.first().is_none_or(|first| place < first);
            domain.head.insert(place, newcomer);
            self.waiting_in_memory += 1;
            self.shrink(number);
            if is_first {
                self.relist(number);
            }
        }
        self.note_hop(number);
    }

    /// Lets the last of a head that is too long step back behind the line.
    fn shrink(&mut self, number: u32) {
        let domain = &mut self.domains[number as usize];
        while domain.head.len() > self.head_max
            && let Some((_, last)) = domain.head.pop_last()
        {
            self.waiting_in_memory -= 1;
            domain.beyond = Some(domain.beyond.map_or(last.key, |line| line.min(last.key)));
        }
    }

    /// Takes at most `max` candidates, each of a domain that has rested and is
    /// not being visited; those domains are busy from now on.
    pub fn take<E>(
        &mut self,
        now: Moment,
        max: usize,
        guide: &mut dyn Guide,
        refill: &mut Refill<'_, E>,
    ) -> Result<Taken, E> {
        let touched = std::mem::take(&mut self.touched);
        if self.is_scored() && guide.has_new_order() {
            self.rescore_all(guide);
        } else if self.is_scored() {
            for number in touched {
                self.rescore(number, Key::first_of(number), RESCORED_AFTER_VISIT, guide);
            }
        }
        self.wake(now);
        let (mut taken, mut held, mut turns_lost) = (Vec::new(), false, 0);
        while taken.len() < max {
            let Some((rank, number)) = self.next_turn(guide) else { break };
            if self.only_again && self.domains[number as usize].first().is_none() {
                self.fill(number, guide, refill)?;
            }
            if self.is_set_aside(number, now) {
                continue;
            }
            if self.order == Order::BestFirst && rank.0 > self.lowest(now, guide) {
                held = true;
                break;
            }
            if self.is_ahead(rank.0) {
                break;
            }
            self.ready.remove(&(rank, number));
            debug_assert_eq!(self.domains[number as usize].listed, Listed::Ready(rank));
            self.domains[number as usize].listed = Listed::Nowhere;
            if self.order == Order::BestFirst {
                // What is only now read from storage is scored only now.
                let is_read = self.domains[number as usize].first().is_none() && self.fill(number, guide, refill)?;
                if (is_read || turns_lost < TURNS_LOST_MAX) && self.loses_turn(number, guide) {
                    turns_lost += usize::from(!is_read);
                    continue;
                }
            }
            if self.order == Order::Hops && self.turns_out_ahead(number, now, guide, refill)? {
                continue;
            }
            match self.take_from(number, now, guide, refill)? {
                Some(waiting) => taken.push(waiting),
                None => self.list(number),
            }
            if self.is_scored() {
                self.rescore_in_turn(guide);
            }
        }
        Ok(Taken { waiting: taken, held })
    }

    /// Whether the guide is asked what candidates are worth by now.
    fn is_scored(&self) -> bool {
        matches!(self.order, Order::BestFirst | Order::Drawn)
    }

    /// Whose turn it is.
    fn next_turn(&self, guide: &mut dyn Guide) -> Option<(Rank, u32)> {
        if self.order != Order::Drawn {
            return self.ready.first().copied();
        }
        let mut best = None;
        for &(rank, number) in &self.ready {
            let domain = &self.domains[number as usize];
            let drawn = guide.draw(&domain.pld, descending(rank.0));
            if best.is_none_or(|(most, _)| drawn > most) {
                best = Some((drawn, (rank, number)));
            }
        }
        best.map(|(_, turn)| turn)
    }

    fn make_ready(&mut self, number: u32, rank: Rank) {
        self.domains[number as usize].listed = Listed::Ready(rank);
        self.ready.insert((rank, number));
    }

    /// Gives a domain its new rank, because its foremost candidate has changed.
    fn rerank(&mut self, number: u32) {
        match self.domains[number as usize].listed {
            Listed::Nowhere => {}
            Listed::Ready(_) => {
                self.unlist(number);
                let rank = self.rank(number);
                self.make_ready(number, rank);
            }
            Listed::Resting(_) => self.note_away(number, true),
        }
    }

    fn take_from<E>(
        &mut self,
        number: u32,
        now: Moment,
        guide: &mut dyn Guide,
        refill: &mut Refill<'_, E>,
    ) -> Result<Option<Waiting>, E> {
        let domain = &mut self.domains[number as usize];
        let mut first = None;
        if let Some(place) = domain.parked.iter().position(|(due, _)| *due <= now) {
            first = Some(domain.parked.swap_remove(place).1);
        } else if !domain.returned.is_empty() {
            first = Some(domain.returned.remove(0));
        } else {
            self.fill(number, guide, refill)?;
        }
        let domain = &mut self.domains[number as usize];
        let first = first.or_else(|| domain.head.pop_first().map(|(_, waiting)| waiting));
        if let Some(first) = &first {
            self.waiting_in_memory -= 1;
            domain.busy = true;
            domain.visiting = Some(first.place().urgency());
            self.note_away(number, true);
        }
        self.note_hop(number);
        Ok(first)
    }

    /// Reads more of a queue from storage if its head is empty; or if it is half
    /// empty, and what is beyond was queued as more urgent than what is left.
    /// Whether something was read.
    fn fill<E>(&mut self, number: u32, guide: &mut dyn Guide, refill: &mut Refill<'_, E>) -> Result<bool, E> {
        let mut is_read = false;
        loop {
            let domain = &mut self.domains[number as usize];
            let Some(line) = domain.beyond else { return Ok(is_read) };
            let is_better = |first: &Key| first.urgency() > line.urgency() && domain.head.len() < self.head_max / 2;
            if !domain.head.first_key_value().is_none_or(|(first, _)| is_better(first)) {
                return Ok(is_read);
            }
            is_read = true;
            let mut more = refill(line, self.head_max)?;
            domain.beyond = if more.len() < self.head_max { None } else { more.last().map(|last| last.key.next()) };
            let held: HashSet<Key, RandomState> = domain.held().map(|waiting| waiting.key).collect();
            more.retain(|waiting| !held.contains(&waiting.key));
            self.waiting_in_memory += more.len();
            for mut waiting in more {
                if matches!(self.order, Order::BestFirst | Order::Drawn) {
                    waiting.candidate.priority = guide.score(&waiting.candidate);
                }
                domain.head.insert(waiting.place(), waiting);
            }
            self.shrink(number);
        }
    }

    /// When the next resting domain will have rested.
    #[must_use]
    pub fn next_wake(&mut self) -> Option<Moment> {
        while let Some(Reverse((due, number))) = self.resting.peek() {
            if self.domains[*number as usize].rests_until(*due) {
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
        domain.visiting = None;
        domain.rest_until = domain.rest_until.max(rest_until);
        self.touched.push(number);
        self.list(number);
        self.note_hop(number);
    }

    /// Puts somebody back at the very front.
    pub fn put_back(&mut self, waiting: Waiting) {
        let domain = &mut self.domains[waiting.key.domain() as usize];
        if domain.closed.is_none() {
            domain.returned.push(waiting);
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

    /// Moves everybody who has rested from `resting` to `ready`.
    fn wake(&mut self, now: Moment) {
        while let Some(Reverse((due, number))) = self.resting.peek().copied() {
            if due > now {
                break;
            }
            self.resting.pop();
            if self.domains[number as usize].rests_until(due) {
                self.unlist(number);
                let rank = self.rank(number);
                self.make_ready(number, rank);
            }
        }
    }

    fn rank(&mut self, number: u32) -> Rank {
        self.turns += 1;
        match self.order {
            Order::RoundRobin => (0, self.turns),
            Order::Hops => (self.hop_of(number), self.turns),
            Order::BestFirst | Order::Drawn => (self.domains[number as usize].urgency(), self.turns),
        }
    }

    /// Lists a domain that is not listed, if it has anybody waiting.
    fn list(&mut self, number: u32) {
        let domain = &mut self.domains[number as usize];
        if domain.busy || domain.listed != Listed::Nowhere {
            return;
        }
        let is_only_retried = domain.first().is_none() && domain.beyond.is_none();
        let due = if is_only_retried || self.order == Order::Hops && domain.waits_for_retries() {
            domain.parked.iter().map(|(due, _)| *due).min()
        } else {
            Some(Moment::ZERO)
        };
        if let Some(due) = due {
            let due = due.max(domain.rest_until);
            domain.listed = Listed::Resting(due);
            self.resting.push(Reverse((due, number)));
            self.note_away(number, true);
        }
    }

    fn unlist(&mut self, number: u32) {
        let domain = &mut self.domains[number as usize];
        if let Listed::Ready(rank) = domain.listed {
            self.ready.remove(&(rank, number));
        }
        domain.listed = Listed::Nowhere;
        self.note_away(number, false);
    }

    /// Lists a domain anew because its foremost candidate has changed. In a
    /// round robin a domain keeps its turn.
    fn relist(&mut self, number: u32) {
        match self.domains[number as usize].listed {
            Listed::Ready(_) if self.order == Order::RoundRobin => {}
            Listed::Ready(_) => self.rerank(number),
            Listed::Nowhere | Listed::Resting(_) => {
                self.unlist(number);
                self.list(number);
            }
        }
    }
}
