//! Takes entries from the queues, in steps between which the caller scores entries.
//!
//! The schedule does not know the strategy. When it needs scores, it hands out a [`ScoreBatch`] and continues when the
//! batch comes back, exactly where it stopped. The entries of a batch are moved, not copied.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::domain::{DomainListing, DomainRank, HeadEntry};
use super::queue_key::{QueueKey, priority_from_urgency};
use super::rescore::{MAX_LOST_TURNS, RESCORED_AFTER_VISIT, RESCORED_AT_TURN};
use super::{Refill, Schedule};
use crate::frontier::{DomainOrder, LeaseRequest, ScoreBatch};

/// The progress of taking entries.
#[derive(Debug)]
pub(crate) enum TakeProgress {
    /// Entries and domains to score. Continue with [`Schedule::continue_take`].
    Score(ScoreBatch),
    /// The result.
    Taken(TakenEntries),
}

/// The entries taken.
#[derive(Debug, Default)]
pub(crate) struct TakenEntries {
    /// The taken entries.
    pub entries: Vec<HeadEntry>,
    /// Whether an entry was held back because of its low score.
    pub held_back: bool,
}

/// A request for entries, and how far it is.
pub(super) struct TakeRun {
    pub(super) request: LeaseRequest,
    /// Whether first visits are taken if no revisit can be taken.
    pub(super) allows_first_visits: bool,
    pub(super) taken: TakenEntries,
    turns_lost: usize,
    phase: TakePhase,
    /// Entries that are being scored, and the buffer for the next ones.
    scores: ScoreBatch,
    /// The domains of the entries that are being rescored, each with its first key before.
    first_keys: Vec<(u32, Option<QueueKey>)>,
}

impl TakeRun {
    pub(super) fn new(request: LeaseRequest, allows_first_visits: bool) -> Self {
        Self {
            request,
            allows_first_visits,
            taken: TakenEntries::default(),
            turns_lost: 0,
            phase: TakePhase::Start,
            scores: ScoreBatch::default(),
            first_keys: Vec::new(),
        }
    }

    /// Goes to a phase that needs the scores of the entries handed out, if there are any.
    fn score_then(&mut self, phase: TakePhase) -> StepResult {
        self.phase = phase;
        if self.scores.entries.is_empty() { StepResult::Next } else { StepResult::Score }
    }

    fn go_to(&mut self, phase: TakePhase) -> StepResult {
        self.phase = phase;
        StepResult::Next
    }
}

/// What comes next in a run.
#[derive(Clone, Copy)]
enum TakePhase {
    /// Rescore the domains whose lease ended.
    Start,
    /// They are rescored.
    Started,
    /// Choose the domain whose turn is next.
    Choose,
    /// The domains are sampled.
    Sampled,
    /// It is the turn of this domain.
    Turn(DomainRank, u32),
    /// The first entries of the domain are to be rescored.
    Rescore { number: u32, is_read: bool },
    /// They are rescored.
    Rescored { number: u32, is_read: bool },
    /// Take an entry of the domain.
    Take(u32),
    /// Take an entry of its head.
    Pop(u32),
    /// A few entries in the sweep over all domains are rescored.
    Swept,
    /// Read the queue of the domain from storage, as far as needed.
    Read { number: u32, is_read: bool, then: AfterRead },
}

/// What follows after a queue was read from storage.
#[derive(Clone, Copy)]
enum AfterRead {
    Turn(DomainRank),
    Rescore,
    Pop,
}

enum StepResult {
    Next,
    Score,
    Done,
}

impl Schedule {
    /// Takes entries, each of a domain that is ready and has no lease. These domains are busy from now on.
    pub(crate) fn take<E>(&mut self, request: LeaseRequest, refill: &mut Refill<'_, E>) -> Result<TakeProgress, E> {
        self.set_revisits_only(false);
        self.advance(TakeRun::new(request, false), refill)
    }

    /// Continues with the requested scores.
    pub(crate) fn continue_take<E>(
        &mut self,
        scores: ScoreBatch,
        refill: &mut Refill<'_, E>,
    ) -> Result<TakeProgress, E> {
        let Some(mut run) = self.run.take() else { return Ok(TakeProgress::Taken(TakenEntries::default())) };
        run.scores = scores;
        self.advance(run, refill)
    }

    /// Continues a run until it needs scores or is done.
    pub(super) fn advance<E>(&mut self, mut run: TakeRun, refill: &mut Refill<'_, E>) -> Result<TakeProgress, E> {
        loop {
            match self.step(&mut run, refill)? {
                StepResult::Next => {}
                StepResult::Score => {
                    let scores = std::mem::take(&mut run.scores);
                    self.run = Some(run);
                    return Ok(TakeProgress::Score(scores));
                }
                StepResult::Done => match self.first_visits_instead(&run) {
                    Some(request) => run = TakeRun::new(request, false),
                    None => return Ok(TakeProgress::Taken(run.taken)),
                },
            }
        }
    }

    fn step<E>(&mut self, run: &mut TakeRun, refill: &mut Refill<'_, E>) -> Result<StepResult, E> {
        Ok(match run.phase {
            TakePhase::Start => self.rescore_released(run),
            TakePhase::Started => {
                self.put_scored(run);
                self.wake(run.request.now);
                run.go_to(TakePhase::Choose)
            }
            TakePhase::Choose => self.choose(run),
            TakePhase::Sampled => self.choose_sampled(run),
            TakePhase::Turn(rank, number) => self.begin_turn(run, rank, number),
            TakePhase::Rescore { number, is_read } => {
                if !is_read && run.turns_lost >= MAX_LOST_TURNS {
                    return Ok(run.go_to(TakePhase::Take(number)));
                }
                self.hand_out(run, number, QueueKey::domain_start(number), RESCORED_AT_TURN);
                run.score_then(TakePhase::Rescored { number, is_read })
            }
            TakePhase::Rescored { number, is_read } => {
                self.put_scored(run);
                if !self.loses_turn(number) {
                    return Ok(run.go_to(TakePhase::Take(number)));
                }
                run.turns_lost += usize::from(!is_read);
                run.go_to(TakePhase::Choose)
            }
            TakePhase::Take(number) => self.take_parked(run, number, refill)?,
            TakePhase::Pop(number) => {
                let first = self.domains[number as usize].head.pop_first().map(|(_, waiting)| waiting);
                self.end_turn(run, number, first)
            }
            TakePhase::Swept => {
                self.put_scored(run);
                run.go_to(TakePhase::Choose)
            }
            TakePhase::Read { number, is_read, then } => self.read_more(run, number, is_read, then, refill)?,
        })
    }

    fn rescore_released(&mut self, run: &mut TakeRun) -> StepResult {
        let released = std::mem::take(&mut self.released);
        if self.order.is_scored() && run.request.scores_changed {
            for number in 0..u32::try_from(self.domains.len()).expect("domain numbers are u32") {
                self.hand_out(run, number, QueueKey::domain_start(number), usize::MAX);
            }
        } else if self.order.is_scored() {
            for number in released {
                self.hand_out(run, number, QueueKey::domain_start(number), RESCORED_AFTER_VISIT);
            }
        }
        run.score_then(TakePhase::Started)
    }

    /// Chooses the ready domain whose turn is next.
    fn choose(&mut self, run: &mut TakeRun) -> StepResult {
        if run.taken.entries.len() >= run.request.max {
            return StepResult::Done;
        }
        if self.order == DomainOrder::Sampled && !self.ready.is_empty() {
            let domain = |(rank, number): &(DomainRank, u32)| {
                (self.domains[*number as usize].pld.clone(), priority_from_urgency(rank.0))
            };
            run.scores.domains.clear();
            run.scores.domains.extend(self.ready.iter().map(domain));
            run.phase = TakePhase::Sampled;
            return StepResult::Score;
        }
        match self.ready.first() {
            Some((rank, number)) => self.call_domain(run, *rank, *number),
            None => StepResult::Done,
        }
    }

    /// Chooses the domain with the highest sampled score.
    fn choose_sampled(&mut self, run: &mut TakeRun) -> StepResult {
        let mut best = None;
        for ((_, score), turn) in run.scores.domains.iter().zip(&self.ready) {
            if best.is_none_or(|(highest, _)| *score > highest) {
                best = Some((*score, *turn));
            }
        }
        run.scores.domains.clear();
        match best {
            Some((_, (rank, number))) => self.call_domain(run, rank, number),
            None => StepResult::Done,
        }
    }

    fn call_domain(&self, run: &mut TakeRun, rank: DomainRank, number: u32) -> StepResult {
        let is_unread = self.domains[number as usize].first_key().is_none();
        run.go_to(if self.revisits_only && is_unread {
            TakePhase::Read { number, is_read: false, then: AfterRead::Turn(rank) }
        } else {
            TakePhase::Turn(rank, number)
        })
    }

    /// Begins the turn of a domain, unless it must wait.
    fn begin_turn(&mut self, run: &mut TakeRun, rank: DomainRank, number: u32) -> StepResult {
        let now = run.request.now;
        if self.try_set_aside(number, now) {
            return run.go_to(TakePhase::Choose);
        }
        if self.order == DomainOrder::BestFirst && rank.0 > self.urgency_cutoff(now, run.request.deferral_share) {
            run.taken.held_back = true;
            return StepResult::Done;
        }
        if self.is_ahead(rank.0) {
            return StepResult::Done;
        }
        self.ready.remove(&(rank, number));
        let domain = &mut self.domains[number as usize];
        debug_assert_eq!(domain.listed, DomainListing::Ready(rank));
        domain.listed = DomainListing::Unlisted;
        run.go_to(match self.order {
            // Entries just read from storage have not been scored yet.
            DomainOrder::BestFirst if domain.first_key().is_none() => {
                TakePhase::Read { number, is_read: false, then: AfterRead::Rescore }
            }
            DomainOrder::BestFirst => TakePhase::Rescore { number, is_read: false },
            _ => TakePhase::Take(number),
        })
    }

    /// Takes an entry that waits beside the head: to be retried, or put back.
    fn take_parked<E>(&mut self, run: &mut TakeRun, number: u32, refill: &mut Refill<'_, E>) -> Result<StepResult, E> {
        let now = run.request.now;
        if self.order == DomainOrder::Hops && self.relist_if_ahead(number, now, refill)? {
            return Ok(run.go_to(TakePhase::Choose));
        }
        let domain = &mut self.domains[number as usize];
        let due = domain.retries.iter().position(|(due, _)| *due <= now);
        let first = match due {
            Some(index) => domain.retries.swap_remove(index).1,
            None if !domain.returned.is_empty() => domain.returned.remove(0),
            None => return Ok(run.go_to(TakePhase::Read { number, is_read: false, then: AfterRead::Pop })),
        };
        Ok(self.end_turn(run, number, Some(first)))
    }

    /// Ends the turn of a domain with the entry that was taken, if there was one.
    fn end_turn(&mut self, run: &mut TakeRun, number: u32, first: Option<HeadEntry>) -> StepResult {
        if let Some(first) = &first {
            self.waiting_in_memory -= 1;
            let domain = &mut self.domains[number as usize];
            domain.is_leased = true;
            domain.leased_urgency = Some(first.current_key().urgency());
            self.set_unavailable(number, true);
        }
        self.update_hop(number);
        match first {
            Some(first) => run.taken.entries.push(first),
            None => self.list(number),
        }
        if self.order.is_scored() {
            self.sweep(run);
        }
        run.score_then(TakePhase::Swept)
    }

    /// Reads more of a queue from storage while it [needs more](Self::read_head).
    fn read_more<E>(
        &mut self,
        run: &mut TakeRun,
        number: u32,
        is_read: bool,
        then: AfterRead,
        refill: &mut Refill<'_, E>,
    ) -> Result<StepResult, E> {
        if is_read {
            self.insert_read(number, &mut run.scores.entries);
        }
        let Some(entries) = self.read_head(number, refill)? else {
            return Ok(run.go_to(match then {
                AfterRead::Turn(rank) => TakePhase::Turn(rank, number),
                AfterRead::Rescore => TakePhase::Rescore { number, is_read },
                AfterRead::Pop => TakePhase::Pop(number),
            }));
        };
        run.scores.entries = entries;
        run.phase = TakePhase::Read { number, is_read: true, then };
        let needs_scores = self.order.is_scored() && !run.scores.entries.is_empty();
        Ok(if needs_scores { StepResult::Score } else { StepResult::Next })
    }

    /// Reads the next entries of a queue from storage if its head is empty, or if it is less than half full and
    /// the next entry in storage is more urgent than its first entry. `None` if nothing needs to be read.
    fn read_head<E>(&mut self, number: u32, refill: &mut Refill<'_, E>) -> Result<Option<Vec<HeadEntry>>, E> {
        let domain = &mut self.domains[number as usize];
        let Some(line) = domain.beyond else { return Ok(None) };
        let is_better = |first: &QueueKey| first.urgency() > line.urgency() && domain.head.len() < self.max_head / 2;
        if !domain.head.first_key_value().is_none_or(|(first, _)| is_better(first)) {
            return Ok(None);
        }
        let mut more = refill(line, self.max_head)?;
        domain.beyond = if more.len() < self.max_head { None } else { more.last().map(|last| last.key.next()) };
        let held: HashSet<QueueKey, RandomState> = domain.in_memory().map(|waiting| waiting.key).collect();
        more.retain(|waiting| !held.contains(&waiting.key));
        self.waiting_in_memory += more.len();
        Ok(Some(more))
    }

    fn insert_read(&mut self, number: u32, entries: &mut Vec<HeadEntry>) {
        let head = &mut self.domains[number as usize].head;
        head.extend(entries.drain(..).map(|waiting| (waiting.current_key(), waiting)));
        self.trim_head(number);
    }

    /// Reads a queue that is not scored, as far as needed.
    pub(super) fn read_unscored<E>(&mut self, number: u32, refill: &mut Refill<'_, E>) -> Result<(), E> {
        while let Some(mut entries) = self.read_head(number, refill)? {
            self.insert_read(number, &mut entries);
        }
        Ok(())
    }

    /// Hands out `count` entries of a domain from a key on, to be scored. Returns the next key, if there are more entries.
    pub(super) fn hand_out(
        &mut self,
        run: &mut TakeRun,
        number: u32,
        from: QueueKey,
        count: usize,
    ) -> Option<QueueKey> {
        let domain = &mut self.domains[number as usize];
        let before = domain.first_key();
        let start = run.scores.entries.len();
        let mut next = domain.head.range(from..).next().map(|(key, _)| *key);
        while let Some(key) = next
            && run.scores.entries.len() - start < count
        {
            run.scores.entries.extend(domain.head.remove(&key));
            next = domain.head.range(key..).next().map(|(key, _)| *key);
        }
        if run.scores.entries.len() > start {
            run.first_keys.push((number, before));
        }
        next
    }

    /// Puts entries back by their new scores.
    ///
    /// Keys in storage do not change. Only the order in memory changes, and `insert` compares
    /// new entries with the new order.
    fn put_scored(&mut self, run: &mut TakeRun) {
        for waiting in run.scores.entries.drain(..) {
            let head = &mut self.domains[waiting.key.domain() as usize].head;
            head.insert(waiting.current_key(), waiting);
        }
        for (number, before) in run.first_keys.drain(..) {
            if self.domains[number as usize].first_key() != before {
                self.rerank(number);
            }
        }
    }
}
