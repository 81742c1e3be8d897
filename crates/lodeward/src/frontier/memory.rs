//! A frontier that forgets everything at the end of the process.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use foldhash::fast::RandomState;

use super::schedule::{Key, Schedule, Taken, Waiting};
use super::{
    Census, Fate, Frontier, FrontierError, Guide, Hop, Leased, Life, Offer, Offered, Round, Settlement, Share, Which,
};
use crate::model::{Candidate, DropReason, Link, Moment, Outcome, Pld, Uri, Visit};
use crate::select::Order;

/// For tests, and for crawls small enough to be repeated.
pub struct MemoryFrontier(Mutex<Queues>);

struct Queues {
    lives: HashMap<Uri, Life, RandomState>,
    /// The settled, by age.
    settled: BTreeMap<u64, Uri>,
    round: Option<Round>,
    /// Of those who wait or are leased, how many are visited again.
    again: u64,
    schedule: Schedule,
    leases: HashMap<u64, Key>,
    sequence: u64,
    lease: u64,
    waiting: u64,
    memo: Option<Vec<u8>>,
    documents_per_pld_max: u32,
}

impl MemoryFrontier {
    /// An empty frontier.
    #[must_use]
    pub fn new(order: Order, documents_per_pld_max: Option<u32>) -> Self {
        Self(Mutex::new(Queues {
            lives: HashMap::default(),
            settled: BTreeMap::new(),
            round: None,
            again: 0,
            schedule: Schedule::new(order, usize::MAX),
            leases: HashMap::new(),
            sequence: 0,
            lease: 0,
            waiting: 0,
            memo: None,
            documents_per_pld_max: documents_per_pld_max.unwrap_or(u32::MAX),
        }))
    }

    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.0.lock().expect("no thread panics while it holds the queues")
    }
}

impl Queues {
    fn offer_one(&mut self, offer: Offer, offered: &mut Offered) {
        if self.lives.contains_key(&offer.candidate().target) {
            return;
        }
        let pld = offer.candidate().pld();
        let number = self.schedule.find(&pld).unwrap_or_else(|| self.schedule.add(pld));
        let reason = match &offer {
            Offer::Drop(_, reason) => Some(*reason),
            Offer::Queue(_) => self.schedule.closed(number),
        };
        let candidate = match offer {
            Offer::Queue(candidate) | Offer::Drop(candidate, _) => candidate,
        };
        let life = Life::of(&candidate, reason.map(Outcome::Dropped));
        self.lives.insert(candidate.target.clone(), life);
        match reason {
            Some(reason) => {
                self.note_settled(candidate.target);
                offered.drop_one(reason);
            }
            None => {
                self.queue(number, candidate);
                offered.queued += 1;
            }
        }
    }

    fn queue(&mut self, number: u32, candidate: Candidate) {
        let key = Key::new(number, candidate.priority, self.sequence);
        self.sequence += 1;
        self.waiting += 1;
        self.again += u64::from(key.is_again());
        self.schedule.insert(Waiting { key, candidate, attempt: 0, probe: None });
    }

    fn note_settled(&mut self, uri: Uri) {
        self.settled.insert(self.sequence, uri);
        self.sequence += 1;
    }

    fn close(&mut self, number: u32, reason: DropReason) -> u64 {
        if self.schedule.closed(number).is_some() {
            return 0;
        }
        let pld = self.schedule.pld(number).clone();
        self.schedule.close(number, reason);
        let leased = self.leases.values().find(|key| key.domain() == number).copied();
        let (mut dropped, mut kept, mut settled) = (0, 0, Vec::new());
        for (uri, life) in &mut self.lives {
            // What is being visited goes on: its lease will be settled.
            if life.outcome.is_none() && uri.pld() == pld {
                // Who is visited again is left as it is.
                kept += u64::from(life.last.is_some());
                dropped += 1;
                life.outcome = Some(life.last.take().map_or(Outcome::Dropped(reason), |last| *last));
                settled.push(uri.clone());
            }
        }
        settled.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
        for uri in settled {
            self.note_settled(uri);
        }
        dropped -= u64::from(leased.is_some());
        kept -= u64::from(leased.is_some_and(Key::is_again));
        self.waiting -= dropped;
        self.again -= kept;
        dropped - kept
    }

    /// Queues somebody again who is settled. Whether that was done.
    fn requeue(&mut self, age: u64, candidate: Candidate) -> bool {
        let Some(number) = self.schedule.find(&candidate.pld()) else { return false };
        if self.settled.get(&age) != Some(&candidate.target) {
            return false;
        }
        if candidate.again.as_ref().is_some_and(|again| matches!(again.last, Outcome::Document(_))) {
            self.schedule.set_documents(number, self.schedule.documents(number).saturating_sub(1));
            if self.schedule.closed(number) == Some(DropReason::PldLimit) {
                self.schedule.reopen_empty(number);
            }
        }
        let is_open = self.schedule.closed(number).is_none();
        if is_open {
            self.settled.remove(&age);
            self.lives.insert(candidate.target.clone(), Life::of(&candidate, None));
            self.queue(number, candidate);
        }
        is_open
    }

    fn settle(&mut self, visit: Visit, settlement: Settlement) -> u64 {
        let mut dropped = 0;
        let key = self.leases.remove(&visit.lease).expect("a settled visit was leased");
        let is_lost = self.schedule.closed(key.domain()).is_some() || matches!(settlement.fate, Fate::Done(_));
        self.again -= u64::from(is_lost && key.is_again());
        match settlement.fate {
            Fate::Done(outcome) => dropped = self.finish(key, &visit, outcome),
            Fate::Again(told) => {
                let Visit { candidate, attempt, probe, .. } = visit;
                self.waiting += u64::from(self.schedule.closed(key.domain()).is_none());
                self.schedule.put_back(Waiting { key, candidate, attempt, probe: told.or(probe) });
            }
            Fate::Retry(due) => {
                let Visit { candidate, attempt, probe, .. } = visit;
                self.waiting += u64::from(self.schedule.closed(key.domain()).is_none());
                self.schedule.park(Waiting { key, candidate, attempt: attempt.saturating_add(1), probe }, due);
            }
        }
        self.schedule.release(key.domain(), settlement.rest_until);
        dropped
    }

    fn finish(&mut self, key: Key, visit: &Visit, outcome: Outcome) -> u64 {
        let number = key.domain();
        let is_document = matches!(outcome, Outcome::Document(_));
        let uri = visit.candidate.target.clone();
        if self.schedule.closed(number).is_some() {
            // Closing its domain has settled it before, as what it was.
            self.settled.retain(|_, known| *known != uri);
        }
        self.note_settled(uri.clone());
        self.lives.insert(uri, Life::ended(visit, outcome));
        if is_document {
            let documents = self.schedule.documents(number) + 1;
            self.schedule.set_documents(number, documents);
            if documents >= self.documents_per_pld_max && !self.schedule.has_again(number) {
                return self.close(number, DropReason::PldLimit);
            }
        }
        0
    }
}

#[async_trait]
impl Frontier for MemoryFrontier {
    async fn sift(&self, mut links: Vec<Link>) -> Result<Vec<Link>, FrontierError> {
        let queues = self.queues();
        links.retain(|link| !queues.lives.contains_key(&link.target));
        Ok(links)
    }

    async fn offer(&self, offers: Vec<Offer>) -> Result<Offered, FrontierError> {
        let mut queues = self.queues();
        let mut offered = Offered::default();
        for offer in offers {
            queues.offer_one(offer, &mut offered);
        }
        Ok(offered)
    }

    async fn lease(&self, now: Moment, max: usize, guide: &mut dyn Guide) -> Result<Leased, FrontierError> {
        let mut queues = self.queues();
        let mut refill = |_, _| Ok::<_, Infallible>(Vec::new());
        let taken = if queues.again > 0 {
            let is_visiting_again = queues.leases.values().any(|key| key.is_again());
            queues.schedule.take_again_first(now, max, is_visiting_again, guide, &mut refill)
        } else {
            queues.schedule.take_only_again(false);
            queues.schedule.take(now, max, guide, &mut refill)
        };
        let Ok(Taken { waiting: taken, held }) = taken;
        let mut visits = Vec::with_capacity(taken.len());
        for Waiting { key, candidate, attempt, probe } in taken {
            let lease = queues.lease;
            queues.lease += 1;
            queues.waiting -= 1;
            queues.leases.insert(lease, key);
            visits.push(Visit { lease, candidate, attempt, probe, verdict: None });
        }
        Ok(Leased { visits, not_before: queues.schedule.next_wake(), held })
    }

    async fn settle(&self, visit: Visit, settlement: Settlement) -> Result<u64, FrontierError> {
        Ok(self.queues().settle(visit, settlement))
    }

    async fn begin(&self, _: u64) -> Result<(), FrontierError> {
        Ok(())
    }

    async fn slow_down(&self, _: &Pld, _: Duration) -> Result<(), FrontierError> {
        Ok(())
    }

    async fn close(&self, pld: &Pld, reason: DropReason) -> Result<u64, FrontierError> {
        let mut queues = self.queues();
        Ok(queues.schedule.find(pld).map_or(0, |number| queues.close(number, reason)))
    }

    async fn commit(&self, memo: &[u8]) -> Result<(), FrontierError> {
        self.queues().memo = Some(memo.to_vec());
        Ok(())
    }

    async fn sync(&self) -> Result<(), FrontierError> {
        Ok(())
    }

    async fn memo(&self) -> Result<Option<Vec<u8>>, FrontierError> {
        Ok(self.queues().memo.clone())
    }

    async fn recall(&self, uri: &Uri) -> Result<Option<Life>, FrontierError> {
        Ok(self.queues().lives.get(uri).cloned())
    }

    async fn census(&self) -> Result<Census, FrontierError> {
        let queues = self.queues();
        Ok(Census {
            known: queues.lives.len() as u64,
            waiting: queues.waiting,
            leased: queues.leases.len() as u64,
            plds: queues.schedule.len() as u64,
            again: queues.again,
        })
    }

    async fn hop(&self) -> Result<Option<Hop>, FrontierError> {
        Ok(self.queues().schedule.hop())
    }

    async fn waiting_by_pld(&self) -> Result<Vec<(Pld, u64)>, FrontierError> {
        let queues = self.queues();
        let mut waiting: HashMap<Pld, u64> = HashMap::new();
        for life in queues.lives.values().filter(|life| life.outcome.is_none()) {
            *waiting.entry(life.uri.pld()).or_default() += 1;
        }
        // Who is being visited waits no more.
        for key in queues.leases.values() {
            if let Some(count) = waiting.get_mut(queues.schedule.pld(key.domain())) {
                *count -= 1;
            }
        }
        Ok(waiting.into_iter().filter(|(_, count)| *count > 0).collect())
    }

    async fn shares_of_hop(&self, depth: u16) -> Result<HashMap<Pld, Share>, FrontierError> {
        let queues = self.queues();
        let mut shares: HashMap<Pld, Share> = HashMap::new();
        for life in queues.lives.values().filter(|life| life.depth == depth) {
            if let Some(outcome) = &life.outcome {
                shares.entry(life.uri.pld()).or_default().count(outcome);
            }
        }
        Ok(shares)
    }

    async fn settled(&self, from: u64, max: usize) -> Result<Vec<(u64, Life)>, FrontierError> {
        let queues = self.queues();
        let settled = queues.settled.range(from..).take(max);
        Ok(settled.map(|(age, uri)| (*age, queues.lives[uri].clone())).collect())
    }

    async fn begin_round(&self, which: Which, now_ms: u64) -> Result<Round, FrontierError> {
        let mut queues = self.queues();
        for number in 0..u32::try_from(queues.schedule.len()).unwrap_or(u32::MAX) {
            // Whoever waited there is settled, and looked at like all of them.
            if queues.schedule.closed(number) == Some(DropReason::Unreachable) {
                queues.schedule.reopen_empty(number);
            }
        }
        let round = Round::new(which, now_ms, queues.sequence);
        queues.round = Some(round.clone());
        Ok(round)
    }

    async fn round(&self) -> Result<Option<Round>, FrontierError> {
        Ok(self.queues().round.clone())
    }

    async fn requeue(&self, candidates: Vec<(u64, Candidate)>, next: u64) -> Result<Option<Round>, FrontierError> {
        let mut queues = self.queues();
        let mut queued = 0;
        for (age, candidate) in candidates {
            queued += u64::from(queues.requeue(age, candidate));
        }
        if let Some(round) = &mut queues.round {
            (round.next, round.queued) = (next, round.queued + queued);
        }
        Ok(queues.round.clone())
    }

    async fn end_round(&self) -> Result<(), FrontierError> {
        self.queues().round = None;
        Ok(())
    }
}
