//! A frontier in memory, lost at the end of the process.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use foldhash::fast::RandomState;

use super::schedule::{HeadEntry, QueueKey, Schedule, TakeProgress, TakenEntries};
use super::{
    Census, CurrentHop, DomainQueueState, FrontierError, HopShare, Journal, Lease, LeaseBatch, LeaseReply,
    LeaseRequest, LeaseToken, Offer, OfferSummary, Queue, QueueEntry, QueueStart, RefreshRound, RefreshSelection,
    RobotsCopy, Rounds, ScoreBatch, SettleSummary, SettledRecords, Settlement, SettlementKind, UriRecord,
};
use crate::model::{CrawlTime, DropReason, Outcome, Pld, StoreReceipt, Uri};

/// A frontier in memory, for tests and for crawls that are small enough to repeat.
pub struct MemoryFrontier(Mutex<MemoryFrontierState>);

struct MemoryFrontierState {
    records: HashMap<Uri, UriRecord, RandomState>,
    /// Settled URIs by age.
    settled: BTreeMap<u64, Uri>,
    round: Option<RefreshRound>,
    /// The number of revisits waiting or leased.
    revisits: u64,
    schedule: Schedule,
    leases: HashMap<LeaseToken, QueueKey>,
    sequence: u64,
    lease: u64,
    waiting: u64,
    memo: Option<Vec<u8>>,
    robots: BTreeMap<String, RobotsCopy>,
    /// When the clock of the conductor was 0, in milliseconds since the Unix epoch.
    started_at_ms: u64,
    max_documents_per_domain: u32,
}

impl MemoryFrontier {
    /// An empty frontier.
    #[must_use]
    pub fn new(max_documents_per_domain: Option<u32>) -> Self {
        Self(Mutex::new(MemoryFrontierState {
            records: HashMap::default(),
            settled: BTreeMap::new(),
            round: None,
            revisits: 0,
            schedule: Schedule::new(usize::MAX),
            leases: HashMap::new(),
            sequence: 0,
            lease: 0,
            waiting: 0,
            memo: None,
            robots: BTreeMap::new(),
            started_at_ms: 0,
            max_documents_per_domain: max_documents_per_domain.unwrap_or(u32::MAX),
        }))
    }

    fn state(&self) -> MutexGuard<'_, MemoryFrontierState> {
        self.0.lock().expect("the lock is not poisoned")
    }
}

impl MemoryFrontierState {
    fn drop_reason(&self, uri: &Uri) -> Option<DropReason> {
        match self.records.get(uri)?.outcome {
            Some(Outcome::Dropped(reason)) => Some(reason),
            _ => None,
        }
    }

    /// A time of the conductor, in milliseconds since the Unix epoch.
    fn epoch_ms(&self, time: CrawlTime) -> u64 {
        self.started_at_ms.saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    /// Queues a URI that an earlier offer dropped.
    fn readmit(&mut self, entry: QueueEntry, offered: &mut OfferSummary) {
        let Some(reason) = self.drop_reason(&entry.target) else { return };
        let pld = entry.pld();
        let number = self.schedule.find(&pld).unwrap_or_else(|| self.schedule.add(pld));
        if self.schedule.close_reason(number).is_some() {
            return;
        }
        self.settled.retain(|_, known| *known != entry.target);
        self.records.insert(entry.target.clone(), UriRecord::from_entry(&entry, None));
        self.queue(number, entry);
        offered.queued += 1;
        offered.readmitted.push(reason);
    }

    fn offer_one(&mut self, offer: Offer, offered: &mut OfferSummary) {
        if self.records.contains_key(&offer.entry().target) {
            if let Offer::Readmit(entry) = offer {
                self.readmit(entry, offered);
            }
            return;
        }
        let pld = offer.entry().pld();
        let number = self.schedule.find(&pld).unwrap_or_else(|| self.schedule.add(pld));
        let reason = match &offer {
            Offer::Drop(_, reason) => Some(*reason),
            Offer::Queue(_) | Offer::Readmit(_) => self.schedule.close_reason(number),
        };
        let entry = match offer {
            Offer::Queue(entry) | Offer::Readmit(entry) | Offer::Drop(entry, _) => entry,
        };
        let record = UriRecord::from_entry(&entry, reason.map(Outcome::Dropped));
        self.records.insert(entry.target.clone(), record);
        match reason {
            Some(reason) => {
                self.add_settled(entry.target);
                offered.count_drop(reason);
            }
            None => {
                self.queue(number, entry);
                offered.queued += 1;
            }
        }
    }

    fn queue(&mut self, number: u32, entry: QueueEntry) {
        let key = QueueKey::new(number, entry.priority, self.sequence);
        self.sequence += 1;
        self.waiting += 1;
        self.revisits += u64::from(key.is_revisit());
        self.schedule.insert(HeadEntry { key, entry, attempt: 0, probe: None });
    }

    fn add_settled(&mut self, uri: Uri) {
        self.settled.insert(self.sequence, uri);
        self.sequence += 1;
    }

    fn close(&mut self, number: u32, reason: DropReason) -> u64 {
        if self.schedule.close_reason(number).is_some() {
            return 0;
        }
        let pld = self.schedule.pld(number).clone();
        self.schedule.close(number, reason);
        let leased = self.leases.values().find(|key| key.domain() == number).copied();
        let (mut dropped, mut revisits, mut settled) = (0, 0, Vec::new());
        for (uri, record) in &mut self.records {
            // A leased URI is included: its record is replaced when its lease is settled.
            if record.outcome.is_none() && uri.pld() == pld {
                // A revisit keeps its previous outcome.
                revisits += u64::from(record.previous_outcome.is_some());
                dropped += 1;
                record.outcome = Some(record.previous_outcome.take().map_or(Outcome::Dropped(reason), |last| *last));
                settled.push(uri.clone());
            }
        }
        settled.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
        for uri in settled {
            self.add_settled(uri);
        }
        dropped -= u64::from(leased.is_some());
        revisits -= u64::from(leased.is_some_and(QueueKey::is_revisit));
        self.waiting -= dropped;
        self.revisits -= revisits;
        dropped - revisits
    }

    /// Drops a URI that waits for its first request. Returns whether it did.
    fn drop_waiting(&mut self, uri: &Uri, reason: DropReason) -> bool {
        let Some(number) = self.schedule.find(&uri.pld()) else { return false };
        let (mut waiting, _) = self.schedule.waiting_of(number);
        let key = waiting.find(|waiting| waiting.entry.target == *uri).map(|waiting| waiting.key);
        let Some(key) = key.filter(|key| !key.is_revisit()) else { return false };
        drop(waiting);
        self.schedule.remove(number, &HashSet::from([key]));
        self.waiting -= 1;
        if let Some(record) = self.records.get_mut(uri) {
            record.outcome = Some(Outcome::Dropped(reason));
        }
        self.add_settled(uri.clone());
        true
    }

    /// Queues a settled document again whose statements were lost. Returns its former record.
    fn requeue_lost(&mut self, age: u64) -> Option<UriRecord> {
        let record = self.records.get(self.settled.get(&age)?)?.clone();
        let number = self.schedule.find(&record.uri.pld())?;
        self.uncount_document(number);
        self.settled.remove(&age);
        let entry = QueueEntry { revisit: None, ..record.clone().into_revisit(record.priority) };
        self.records.insert(record.uri.clone(), UriRecord::from_entry(&entry, None));
        self.queue(number, entry);
        Some(record)
    }

    /// Subtracts a document from the count of its domain, which may reopen the domain.
    fn uncount_document(&mut self, number: u32) {
        self.schedule.set_documents(number, self.schedule.documents(number).saturating_sub(1));
        if self.schedule.close_reason(number) == Some(DropReason::DomainLimit) {
            self.schedule.reopen_empty(number);
        }
    }

    /// Queues a settled URI again. Returns whether it was queued.
    fn requeue(&mut self, age: u64, entry: QueueEntry) -> bool {
        let Some(number) = self.schedule.find(&entry.pld()) else { return false };
        if self.settled.get(&age) != Some(&entry.target) {
            return false;
        }
        if entry.revisit.as_ref().is_some_and(|revisit| matches!(revisit.last, Outcome::Document(_))) {
            self.uncount_document(number);
        }
        let is_open = self.schedule.close_reason(number).is_none();
        if is_open {
            self.settled.remove(&age);
            self.records.insert(entry.target.clone(), UriRecord::from_entry(&entry, None));
            self.queue(number, entry);
        }
        is_open
    }

    /// Ends a lease. Returns the number of URIs that were dropped because the domain reached its limit, or `None` if the
    /// lease is unknown.
    fn settle(&mut self, lease: Lease, settlement: Settlement) -> Option<u64> {
        let mut dropped = 0;
        let key = self.leases.remove(&lease.token)?;
        let is_lost =
            self.schedule.close_reason(key.domain()).is_some() || matches!(settlement.kind, SettlementKind::Settled(_));
        self.revisits -= u64::from(is_lost && key.is_revisit());
        match settlement.kind {
            SettlementKind::Settled(outcome) => dropped = self.finish(key, &lease, outcome),
            SettlementKind::Postponed(new_probe) => {
                let Lease { entry, attempt, probe, .. } = lease;
                self.waiting += u64::from(self.schedule.close_reason(key.domain()).is_none());
                self.schedule.put_back(HeadEntry { key, entry, attempt, probe: new_probe.or(probe) });
            }
            SettlementKind::Retry(due) => {
                let Lease { entry, attempt, probe, .. } = lease;
                self.waiting += u64::from(self.schedule.close_reason(key.domain()).is_none());
                self.schedule.queue_retry(HeadEntry { key, entry, attempt: attempt.saturating_add(1), probe }, due);
            }
        }
        self.schedule.end_lease(key.domain(), settlement.delayed_until, settlement.responds);
        Some(dropped)
    }

    /// The answer to a request for leases after the schedule has made progress.
    fn lease_reply(&mut self, progress: TakeProgress) -> LeaseReply {
        let TakenEntries { entries, held_back } = match progress {
            TakeProgress::Score(scores) => return LeaseReply::Score(scores),
            TakeProgress::Taken(taken) => taken,
        };
        let mut leases = Vec::with_capacity(entries.len());
        for HeadEntry { key, entry, attempt, probe } in entries {
            let token = LeaseToken::new(self.lease);
            self.lease += 1;
            self.waiting -= 1;
            self.leases.insert(token, key);
            leases.push(Lease { token, entry, attempt, probe, verdict: None });
        }
        LeaseReply::Granted(LeaseBatch { leases, not_before: self.schedule.next_wake(), held_back })
    }

    fn finish(&mut self, key: QueueKey, lease: &Lease, outcome: Outcome) -> u64 {
        let number = key.domain();
        let is_document = matches!(outcome, Outcome::Document(_));
        let uri = lease.entry.target.clone();
        if self.schedule.close_reason(number).is_some() {
            // `close` has already added this leased URI to the settled ones; the entry is replaced.
            self.settled.retain(|_, known| *known != uri);
        }
        self.add_settled(uri.clone());
        self.records.insert(uri, UriRecord::from_lease(lease, outcome));
        if is_document {
            let documents = self.schedule.documents(number) + 1;
            self.schedule.set_documents(number, documents);
            if documents >= self.max_documents_per_domain && !self.schedule.has_revisit(number) {
                return self.close(number, DropReason::DomainLimit);
            }
        }
        0
    }
}

#[async_trait]
impl Queue for MemoryFrontier {
    async fn start(&self, start: QueueStart) -> Result<(), FrontierError> {
        let mut state = self.state();
        state.started_at_ms = start.started_at_ms;
        state.schedule.set_order(start.order);
        Ok(())
    }

    async fn sift(&self, uris: Vec<Uri>) -> Result<Vec<bool>, FrontierError> {
        let state = self.state();
        Ok(uris.iter().map(|uri| !state.records.contains_key(uri)).collect())
    }

    async fn drop_reasons(&self, uris: Vec<Uri>) -> Result<Vec<Option<DropReason>>, FrontierError> {
        let state = self.state();
        Ok(uris.iter().map(|uri| state.drop_reason(uri)).collect())
    }

    async fn offer(&self, offers: Vec<Offer>) -> Result<OfferSummary, FrontierError> {
        let mut state = self.state();
        let mut offered = OfferSummary::default();
        for offer in offers {
            state.offer_one(offer, &mut offered);
        }
        Ok(offered)
    }

    async fn lease(&self, request: LeaseRequest) -> Result<LeaseReply, FrontierError> {
        let mut state = self.state();
        let mut nothing_stored = |_, _| Ok::<_, Infallible>(Vec::new());
        let Ok(progress) = if state.revisits > 0 {
            let revisit_in_flight = state.leases.values().any(|key| key.is_revisit());
            state.schedule.take_revisits_first(request, revisit_in_flight, &mut nothing_stored)
        } else {
            state.schedule.take(request, &mut nothing_stored)
        };
        Ok(state.lease_reply(progress))
    }

    async fn rescored(&self, scores: ScoreBatch) -> Result<LeaseReply, FrontierError> {
        let mut state = self.state();
        let Ok(progress) = state.schedule.continue_take(scores, &mut |_, _| Ok::<_, Infallible>(Vec::new()));
        Ok(state.lease_reply(progress))
    }

    async fn settle(&self, settled: Vec<(Lease, Settlement)>) -> Result<SettleSummary, FrontierError> {
        let mut state = self.state();
        let mut summary = SettleSummary::default();
        for (lease, settlement) in settled {
            summary.count(state.settle(lease, settlement));
        }
        Ok(summary)
    }

    async fn set_crawl_delay(&self, pld: &Pld, delay: Duration) -> Result<(), FrontierError> {
        let mut state = self.state();
        if let Some(number) = state.schedule.find(pld) {
            state.schedule.set_crawl_delay(number, delay);
        }
        Ok(())
    }

    async fn store_robots(&self, copy: RobotsCopy) -> Result<(), FrontierError> {
        self.state().robots.insert(copy.uri.as_str().to_owned(), copy);
        Ok(())
    }

    async fn drop_waiting(&self, dropped: Vec<(Uri, DropReason)>) -> Result<Vec<(DropReason, u64)>, FrontierError> {
        let mut state = self.state();
        let mut summary = OfferSummary::default();
        for (uri, reason) in dropped {
            if state.drop_waiting(&uri, reason) {
                summary.count_drop(reason);
            }
        }
        Ok(summary.dropped)
    }

    async fn close(&self, pld: &Pld, reason: DropReason) -> Result<u64, FrontierError> {
        let mut state = self.state();
        Ok(state.schedule.find(pld).map_or(0, |number| state.close(number, reason)))
    }

    async fn commit(&self, memo: &[u8], _: StoreReceipt) -> Result<(), FrontierError> {
        self.state().memo = Some(memo.to_vec());
        Ok(())
    }

    async fn sync(&self) -> Result<(), FrontierError> {
        Ok(())
    }
}

#[async_trait]
impl Journal for MemoryFrontier {
    async fn memo(&self) -> Result<Option<Vec<u8>>, FrontierError> {
        Ok(self.state().memo.clone())
    }

    async fn uri_record(&self, uri: &Uri) -> Result<Option<UriRecord>, FrontierError> {
        Ok(self.state().records.get(uri).cloned())
    }

    async fn find_records(&self, fingerprints: &[u128]) -> Result<Vec<Option<UriRecord>>, FrontierError> {
        let state = self.state();
        let find = |fingerprint| state.records.values().find(|record| record.uri.fingerprint() == fingerprint).cloned();
        Ok(fingerprints.iter().map(|fingerprint| find(*fingerprint)).collect())
    }

    async fn settled_records(&self, from: u64, max: usize) -> Result<Vec<(u64, UriRecord)>, FrontierError> {
        let state = self.state();
        let settled = state.settled.range(from..).take(max);
        Ok(settled.map(|(age, uri)| (*age, state.records[uri].clone())).collect())
    }

    async fn settled_records_before(&self, before: u64, max: usize) -> Result<Vec<(u64, UriRecord)>, FrontierError> {
        let state = self.state();
        let settled = state.settled.range(..before).rev().take(max);
        Ok(settled.map(|(age, uri)| (*age, state.records[uri].clone())).collect())
    }

    fn settled_snapshot(&self) -> SettledRecords {
        let state = self.state();
        let records: Vec<UriRecord> = state.settled.values().map(|uri| state.records[uri].clone()).collect();
        Box::new(records.into_iter().map(Ok))
    }

    async fn census(&self) -> Result<Census, FrontierError> {
        let state = self.state();
        Ok(Census {
            uris_known: state.records.len() as u64,
            uris_waiting: state.waiting,
            uris_in_flight: state.leases.len() as u64,
            domains: state.schedule.len() as u64,
            revisits: state.revisits,
        })
    }

    async fn current_hop(&self) -> Result<Option<CurrentHop>, FrontierError> {
        Ok(self.state().schedule.current_hop())
    }

    async fn domain_queues(&self) -> Result<Vec<DomainQueueState>, FrontierError> {
        let waiting: HashMap<Pld, u64> = self.waiting_by_domain().await?.into_iter().collect();
        let state = self.state();
        let domain = |number: u32| {
            let pld = state.schedule.pld(number).clone();
            let queued = waiting.get(&pld).copied().unwrap_or_default();
            let (closed, crawl_delay) = (state.schedule.close_reason(number), state.schedule.delay(number));
            let delayed_until_ms = state.epoch_ms(state.schedule.delayed_until(number));
            DomainQueueState { pld, queued, closed, crawl_delay, delayed_until_ms }
        };
        Ok((0..u32::try_from(state.schedule.len()).unwrap_or(u32::MAX)).map(domain).collect())
    }

    async fn next_entries(&self, pld: Option<&Pld>, max: usize) -> Result<Vec<(QueueEntry, u64)>, FrontierError> {
        let state = self.state();
        let is_selected = |number: u32| pld.is_none_or(|pld| state.schedule.pld(number) == pld);
        let mut found = Vec::new();
        for (turn, (number, due)) in state.schedule.domains_by_turn().into_iter().enumerate() {
            if is_selected(number) {
                let waiting = state.schedule.waiting_of(number).0.take(max).enumerate();
                found.extend(waiting.map(|(round, waiting)| ((round, turn), waiting.entry.clone(), due)));
            }
        }
        found.sort_by_key(|(order, ..)| *order);
        Ok(found.into_iter().take(max).map(|(_, entry, due)| (entry, state.epoch_ms(due))).collect())
    }

    fn waiting_snapshot(&self) -> Box<dyn Iterator<Item = Result<QueueEntry, FrontierError>> + Send> {
        let state = self.state();
        let domains = state.schedule.domains_by_turn();
        let entries = domains.iter().flat_map(|(number, _)| state.schedule.waiting_of(*number).0);
        let entries: Vec<QueueEntry> = entries.map(|waiting| waiting.entry.clone()).collect();
        Box::new(entries.into_iter().map(Ok))
    }

    async fn robots_copies(&self, pld: &Pld) -> Result<Vec<RobotsCopy>, FrontierError> {
        Ok(self.state().robots.values().filter(|copy| copy.uri.pld() == *pld).cloned().collect())
    }

    async fn waiting_by_domain(&self) -> Result<Vec<(Pld, u64)>, FrontierError> {
        let state = self.state();
        let mut waiting: HashMap<Pld, u64> = HashMap::new();
        for record in state.records.values().filter(|record| record.outcome.is_none()) {
            *waiting.entry(record.uri.pld()).or_default() += 1;
        }
        // Leased URIs have no outcome yet but do not wait, so they are subtracted.
        for key in state.leases.values() {
            if let Some(count) = waiting.get_mut(state.schedule.pld(key.domain())) {
                *count -= 1;
            }
        }
        Ok(waiting.into_iter().filter(|(_, count)| *count > 0).collect())
    }

    async fn hop_shares(&self, depth: u16) -> Result<HashMap<Pld, HopShare>, FrontierError> {
        let state = self.state();
        let mut shares: HashMap<Pld, HopShare> = HashMap::new();
        for record in state.records.values().filter(|record| record.depth == depth) {
            if let Some(outcome) = &record.outcome {
                shares.entry(record.uri.pld()).or_default().count(outcome);
            }
        }
        Ok(shares)
    }
}

#[async_trait]
impl Rounds for MemoryFrontier {
    async fn begin_round(&self, selection: RefreshSelection, now_ms: u64) -> Result<RefreshRound, FrontierError> {
        let mut state = self.state();
        for number in 0..u32::try_from(state.schedule.len()).unwrap_or(u32::MAX) {
            // The URIs of an abandoned domain were settled when the domain was closed, so its queue
            // is empty, and the round examines these URIs like all others.
            if state.schedule.close_reason(number) == Some(DropReason::Unreachable) {
                state.schedule.reopen_empty(number);
            }
        }
        let round = RefreshRound::new(selection, now_ms, state.sequence);
        state.round = Some(round.clone());
        Ok(round)
    }

    async fn current_round(&self) -> Result<Option<RefreshRound>, FrontierError> {
        Ok(self.state().round.clone())
    }

    async fn requeue(&self, entries: Vec<(u64, QueueEntry)>, next: u64) -> Result<Option<RefreshRound>, FrontierError> {
        let mut state = self.state();
        let mut queued = 0;
        for (age, entry) in entries {
            queued += u64::from(state.requeue(age, entry));
        }
        if let Some(round) = &mut state.round {
            (round.next, round.queued) = (next, round.queued + queued);
        }
        Ok(state.round.clone())
    }

    async fn requeue_lost(&self, fingerprints: &[u128]) -> Result<Vec<UriRecord>, FrontierError> {
        let mut state = self.state();
        let lost = state.settled.iter().filter(|(_, uri)| fingerprints.contains(&uri.fingerprint()));
        let lost: Vec<u64> = lost.map(|(age, _)| *age).collect();
        Ok(lost.into_iter().filter_map(|age| state.requeue_lost(age)).collect())
    }

    async fn end_round(&self) -> Result<(), FrontierError> {
        self.state().round = None;
        Ok(())
    }
}
