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
//! **Scores.** What a strategy learns changes what candidates are worth, and to
//! score all of them after each lesson would cost more the more there are. So
//! they are scored again a few at a time: the foremost of a domain when a visit
//! to it has ended, those of the domain whose turn it is, a few of all the others
//! in turn, and a head that has just been read from storage.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};
use std::time::Duration;

use foldhash::fast::RandomState;

use super::Guide;
use crate::model::{Candidate, DropReason, Moment, Pld, Probe};
use crate::select::Order;

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

/// The float that [`ascending`], turned round, made this of.
fn descending(urgency: u32) -> f32 {
    let bits = !urgency;
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
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
    /// Domains that rest or are being visited and have somebody waiting whose
    /// score is known, the one with the most urgent candidate first.
    away: BTreeSet<(u32, u32)>,
    turns: u64,
    waiting_in_memory: usize,
    /// Domains whose visit has ended since somebody was last taken.
    touched: Vec<u32>,
    /// Where scoring all heads in turn has come to.
    sweep: (u32, Key),
}

/// Candidates scored again of a domain whose visit has ended.
const RESCORED_AFTER_VISIT: usize = 8;
/// Candidates scored again of a domain whose turn it is.
const RESCORED_AT_TURN: usize = 4;
/// Candidates of all domains scored again, in turn, for each that is taken.
const RESCORED_IN_TURN: usize = 8;
/// How often a domain may lose its turn because its candidates turned out to be
/// worth less by now, until somebody is taken.
const TURNS_LOST_MAX: usize = 8;

/// The order among domains that have rested.
type Rank = (u32, u64);

#[derive(Debug)]
struct Domain {
    pld: Pld,
    /// The foremost of the queue, by their present place.
    head: BTreeMap<Key, Waiting>,
    /// Those whose slot was needed for something else: they come first.
    returned: Vec<Waiting>,
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
    /// Its place in `away`.
    away: Option<u32>,
}

impl Domain {
    /// The place of whoever comes first.
    fn first(&self) -> Option<Key> {
        let returned = self.returned.first().map(Waiting::place);
        returned.or_else(|| self.head.first_key_value().map(|(place, _)| *place))
    }

    /// How urgent the foremost candidate is, as a number that is smaller for the
    /// more urgent.
    fn urgency(&self) -> u32 {
        self.first().or(self.beyond).map_or(0, Key::urgency)
    }

    fn rests_until(&self, moment: Moment) -> bool {
        self.listed == Listed::Resting(moment)
    }

    /// Everybody who is in memory.
    fn held(&self) -> impl Iterator<Item = &Waiting> {
        let parked = self.parked.iter().map(|(_, waiting)| waiting);
        self.head.values().chain(&self.returned).chain(parked)
    }
}

/// Who was taken.
#[derive(Debug, Default)]
pub struct Taken {
    /// Those.
    pub waiting: Vec<Waiting>,
    /// Whether somebody was not taken for being below the floor.
    pub held: bool,
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
            away: BTreeSet::new(),
            turns: 0,
            waiting_in_memory: 0,
            touched: Vec::new(),
            sweep: (0, Key(0)),
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
            head: BTreeMap::new(),
            returned: Vec::new(),
            parked: Vec::new(),
            beyond: None,
            busy: false,
            rest_until: Moment::ZERO,
            listed: Listed::Nowhere,
            delay: Duration::ZERO,
            documents: 0,
            closed: None,
            away: None,
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

    /// Says that storage holds a queue that begins with this key.
    pub fn open_queue(&mut self, first: Key, rest_until: Moment) {
        let number = first.domain();
        let domain = &mut self.domains[number as usize];
        domain.beyond = Some(first);
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
        self.waiting_in_memory -= domain.head.len() + domain.returned.len() + domain.parked.len();
        domain.closed = Some(reason);
        domain.head = BTreeMap::new();
        domain.returned = Vec::new();
        domain.parked = Vec::new();
        domain.beyond = None;
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
        if self.order != Order::RoundRobin {
            for number in touched {
                self.rescore(number, Key::first_of(number), RESCORED_AFTER_VISIT, guide);
            }
        }
        self.wake(now);
        let (mut taken, mut held, mut turns_lost) = (Vec::new(), false, 0);
        while taken.len() < max {
            let Some((rank, number)) = self.next_turn(guide) else { break };
            if self.order == Order::BestFirst && rank.0 > self.lowest(now, guide) {
                held = true;
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
            match self.take_from(number, now, guide, refill)? {
                Some(waiting) => taken.push(waiting),
                None => self.list(number),
            }
            if self.order != Order::RoundRobin {
                self.rescore_in_turn(guide);
            }
        }
        Ok(Taken { waiting: taken, held })
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

    /// The least urgent that may be taken, as [`Key::urgency`]: what is worth much
    /// less than the best of those who are away had better wait for it. Nobody
    /// waits for a domain that will rest for long.
    fn lowest(&self, now: Moment, guide: &mut dyn Guide) -> u32 {
        const REST_MAX: Duration = Duration::from_secs(15);
        const LOOKED_AT_MAX: usize = 32;
        let is_back_soon = |number: u32| match self.domains[number as usize].listed {
            Listed::Resting(due) => due <= now + REST_MAX,
            Listed::Nowhere | Listed::Ready(_) => true,
        };
        let best = self.away.iter().take(LOOKED_AT_MAX).find(|(_, number)| is_back_soon(*number));
        best.map_or(u32::MAX, |(urgency, _)| !ascending(guide.floor(descending(*urgency))))
    }

    /// Scores the foremost of a domain again whose turn it is, and whether it is
    /// another's turn after that; then it is listed again.
    fn loses_turn(&mut self, number: u32, guide: &mut dyn Guide) -> bool {
        self.rescore(number, Key::first_of(number), RESCORED_AT_TURN, guide);
        let rank = self.rank(number);
        let loses = self.ready.first().is_some_and(|(next, _)| rank.0 > next.0);
        if loses {
            self.make_ready(number, rank);
        }
        loses
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
        if first.is_some() {
            self.waiting_in_memory -= 1;
            domain.busy = true;
            self.note_away(number, true);
        }
        Ok(first)
    }

    /// Notes whether a domain rests or is being visited.
    fn note_away(&mut self, number: u32, is_away: bool) {
        let domain = &mut self.domains[number as usize];
        let urgency = domain.first().filter(|_| is_away).map(Key::urgency);
        if let Some(before) = std::mem::replace(&mut domain.away, urgency) {
            self.away.remove(&(before, number));
        }
        if let Some(urgency) = urgency {
            self.away.insert((urgency, number));
        }
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
                if self.order != Order::RoundRobin {
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
        domain.rest_until = domain.rest_until.max(rest_until);
        self.touched.push(number);
        self.list(number);
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

    /// Scores some of a domain again, from a place on. Returns the place behind
    /// the last, if there are more.
    ///
    /// Keys stay what they were, because storage knows them; only the order in
    /// memory changes, and `insert` compares newcomers with the new order.
    fn rescore(&mut self, number: u32, from: Key, count: usize, guide: &mut dyn Guide) -> Option<Key> {
        let domain = &mut self.domains[number as usize];
        let before = domain.first();
        let places: Vec<Key> = domain.head.range(from..).take(count + 1).map(|(place, _)| *place).collect();
        for place in places.iter().take(count) {
            let Some(mut waiting) = domain.head.remove(place) else { continue };
            waiting.candidate.priority = guide.score(&waiting.candidate);
            domain.head.insert(waiting.place(), waiting);
        }
        if domain.first() != before {
            self.rerank(number);
        }
        places.get(count).copied()
    }

    /// Scores a few of all candidates again, going round.
    fn rescore_in_turn(&mut self, guide: &mut dyn Guide) {
        let (number, from) = self.sweep;
        let Some(domain) = self.domains.get(number as usize) else {
            self.sweep = (0, Key(0));
            return;
        };
        // A domain that is being visited is scored when it comes back.
        let next = if domain.busy { None } else { self.rescore(number, from, RESCORED_IN_TURN, guide) };
        self.sweep = next.map_or((number + 1, Key::first_of(number + 1)), |place| (number, place));
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
            Order::BestFirst | Order::Drawn => (self.domains[number as usize].urgency(), self.turns),
        }
    }

    /// Lists a domain that is not listed, if it has anybody waiting.
    fn list(&mut self, number: u32) {
        let domain = &mut self.domains[number as usize];
        if domain.busy || domain.listed != Listed::Nowhere {
            return;
        }
        let due = if domain.first().is_none() && domain.beyond.is_none() {
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
