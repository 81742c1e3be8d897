//! The state of an embedded frontier, in memory and on disk.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use fjall::OwnedWriteBatch;
use foldhash::fast::RandomState;
use serde::Serialize;

use super::super::schedule::{HeadEntry, QueueKey, Refill, Schedule, TakeProgress, TakenEntries};
use super::super::sieve::{Sieve, SieveResult};
use super::super::{
    Census, Lease, LeaseBatch, LeaseReply, LeaseRequest, LeaseToken, Offer, OfferSummary, QueueEntry, QueueStart,
    ScoreBatch, Settlement, SettlementKind, UriRecord,
};
use super::tables::{self, DomainRecord, FrontierTables, QueueRecord, SeenEntry};
use super::{EmbeddedFrontierOptions, StorageError};
use crate::model::{CrawlTime, DropReason, Outcome, Pld, Uri};

pub(super) struct EmbeddedFrontierState {
    pub(super) tables: FrontierTables,
    options: EmbeddedFrontierOptions,
    pub(super) schedule: Schedule,
    sieve: Sieve,
    /// Changes not yet in the database. Offers may be written at any time, settlements only
    /// with a commit.
    pub(super) offers: OwnedWriteBatch,
    pub(super) settlements: OwnedWriteBatch,
    /// Fingerprints in `offers`, not yet in the database.
    fresh: HashSet<u128, RandomState>,
    /// Keys in `settlements` that are still in the queue of the database.
    pub(super) unremoved: HashSet<QueueKey, RandomState>,
    /// Domains whose record is outdated.
    pub(super) changed_domains: HashSet<u32, RandomState>,
    pub(super) leases: HashMap<LeaseToken, QueueKey>,
    /// When the clock of the conductor was 0, in milliseconds since the Unix epoch.
    started_at_ms: u64,
    pub(super) next_sequence: u64,
    next_lease: u64,
    /// The last request for leases.
    request: LeaseRequest,
    known: u64,
    pub(super) waiting: u64,
    /// The number of revisits waiting or leased.
    pub(super) revisits: u64,
    /// Whether a change failed. The state in memory and on disk may then differ.
    pub(super) is_unusable: bool,
    /// A reused buffer for encoding records.
    pub(super) scratch: Vec<u8>,
}

impl EmbeddedFrontierState {
    pub(super) fn open(database: &fjall::Database, options: EmbeddedFrontierOptions) -> Result<Self, StorageError> {
        let tables = FrontierTables::open(database)?;
        let mut state = Self {
            schedule: Schedule::new(options.max_heads_per_domain),
            sieve: Sieve::new(options.expected_uris),
            offers: tables.batch(),
            settlements: tables.batch(),
            fresh: HashSet::default(),
            unremoved: HashSet::default(),
            changed_domains: HashSet::default(),
            leases: HashMap::new(),
            started_at_ms: options.opened_at_ms,
            next_sequence: 0,
            next_lease: 0,
            request: LeaseRequest::new(CrawlTime::ZERO, 0),
            known: 0,
            waiting: 0,
            revisits: 0,
            is_unusable: false,
            scratch: Vec::new(),
            tables,
            options,
        };
        state.load_seen()?;
        state.load_domains()?;
        state.load_queues()?;
        state.load_revisits()?;
        Ok(state)
    }

    /// Fills the sieve and counts URIs.
    fn load_seen(&mut self) -> Result<(), StorageError> {
        if let Some(bytes) = self.tables.meta.get("sequence")? {
            self.next_sequence = bytes.as_ref().try_into().map_or(0, u64::from_be_bytes);
        }
        for guard in self.tables.seen.iter() {
            let (key, value) = guard.into_inner()?;
            self.sieve.insert(tables::u128_from_bytes(&key));
            self.known += 1;
            // The first byte is the variant: 0 is `Waiting`.
            self.waiting += u64::from(value.first() == Some(&0));
        }
        Ok(())
    }

    fn load_domains(&mut self) -> Result<(), StorageError> {
        for guard in self.tables.domains.iter() {
            let record: DomainRecord = postcard::from_bytes(&guard.value()?)?;
            let number = self.schedule.add(Pld::from_host(&record.name));
            self.schedule.set_documents(number, record.documents);
            let rest = Duration::from_millis(record.delayed_until_ms.saturating_sub(self.options.opened_at_ms));
            let rest = rest.min(self.options.max_delay);
            // The times of requests in flight when the previous process ended are not stored, so
            // every domain is delayed by at least its crawl delay.
            let delay = Duration::from_millis(record.delay_ms).min(self.options.max_delay);
            self.schedule.set_crawl_delay(number, delay);
            self.schedule.release(number, rest.max(delay).max(self.options.delay_on_open));
            if let Some(reason) = record.closed {
                self.schedule.close(number, reason);
            }
        }
        self.share_heads();
        Ok(())
    }

    /// Sets the maximum number of entries per domain in memory: an equal share of the total. If the
    /// limit per domain is not below the total, each domain may instead hold half of the total
    /// until half of the total is in use.
    fn share_heads(&mut self) {
        let super::EmbeddedFrontierOptions { max_heads, max_heads_per_domain, .. } = self.options;
        let is_plenty = max_heads_per_domain >= max_heads && self.schedule.waiting_in_memory() < max_heads / 2;
        let share = if is_plenty { max_heads / 2 } else { max_heads / self.schedule.len().max(1) };
        self.schedule.set_max_head(share.clamp(1, max_heads_per_domain.max(1)));
    }

    /// Finds the domains that have a queue, with one seek per domain.
    fn load_queues(&mut self) -> Result<(), StorageError> {
        let mut from = 0;
        while let Some(first) = self.tables.next_queue(from)? {
            let number = first.domain();
            if self.schedule.close_reason(number).is_none() {
                let rest = self.schedule.delayed_until(number);
                self.schedule.open_queue(first, rest);
            } else {
                self.subtract_waiting(self.tables.queue_from(QueueKey::domain_start(number)).count());
            }
            from = number + 1;
        }
        Ok(())
    }

    pub(super) fn sift(&self, uris: &[Uri]) -> Result<Vec<bool>, StorageError> {
        uris.iter().map(|uri| Ok(!self.is_known(uri.fingerprint())?)).collect()
    }

    fn is_known(&self, fingerprint: u128) -> Result<bool, StorageError> {
        match self.sieve.check(fingerprint) {
            SieveResult::Known => Ok(true),
            SieveResult::New => Ok(false),
            SieveResult::Undecided => {
                Ok(self.fresh.contains(&fingerprint) || self.tables.seen.contains_key(fingerprint.to_be_bytes())?)
            }
        }
    }

    pub(super) fn offer(&mut self, offers: Vec<Offer>) -> Result<OfferSummary, StorageError> {
        let mut offered = OfferSummary::default();
        self.share_heads();
        for offer in offers {
            let fingerprint = offer.entry().target.fingerprint();
            if self.is_known(fingerprint)? {
                if let Offer::Readmit(entry) = offer {
                    self.readmit(fingerprint, entry, &mut offered)?;
                }
                continue;
            }
            self.sieve.insert(fingerprint);
            self.fresh.insert(fingerprint);
            self.known += 1;
            match offer {
                Offer::Drop(entry, reason) => {
                    self.drop_offer(fingerprint, &entry, reason)?;
                    offered.count_drop(reason);
                }
                Offer::Queue(entry) | Offer::Readmit(entry) => self.queue_offer(fingerprint, entry, &mut offered)?,
            }
        }
        Ok(offered)
    }

    fn queue_offer(
        &mut self,
        fingerprint: u128,
        entry: QueueEntry,
        offered: &mut OfferSummary,
    ) -> Result<(), StorageError> {
        let number = self.domain_number(&entry.target)?;
        if let Some(reason) = self.schedule.close_reason(number) {
            offered.count_drop(reason);
            return self.drop_offer(fingerprint, &entry, reason);
        }
        offered.queued += 1;
        self.enqueue(number, fingerprint, entry)
    }

    pub(super) fn enqueue(&mut self, number: u32, fingerprint: u128, entry: QueueEntry) -> Result<(), StorageError> {
        let key = QueueKey::new(number, entry.priority, self.next_sequence);
        self.next_sequence += 1;
        self.waiting += 1;
        self.revisits += u64::from(key.is_revisit());
        let record = QueueRecord { entry };
        let value = encode(&mut self.scratch, &record)?;
        self.offers.insert(&self.tables.queue, tables::key_bytes(key), value);
        let value = encode(&mut self.scratch, &SeenEntry::Waiting(key.0))?;
        self.offers.insert(&self.tables.seen, fingerprint.to_be_bytes(), value);
        self.schedule.insert(HeadEntry { key, entry: record.entry, attempt: 0, probe: None });
        Ok(())
    }

    pub(super) fn requeue_lost(&mut self, fingerprints: &[u128]) -> Result<Vec<UriRecord>, StorageError> {
        let mut requeued = Vec::new();
        for fingerprint in fingerprints {
            let Some(record) = self.settled_record(*fingerprint)? else { continue };
            let number = self.domain_number(&record.uri)?;
            self.uncount_document(number);
            // The entry is not a revisit, because there is no stored document to compare with.
            let entry = QueueEntry { revisit: None, ..record.clone().into_revisit(record.priority) };
            self.enqueue(number, *fingerprint, entry)?;
            let value = self.domain_record(number)?;
            self.offers.insert(&self.tables.domains, number.to_be_bytes(), value);
            requeued.push(record);
        }
        self.flush()?;
        Ok(requeued)
    }

    /// Subtracts one document from a domain's count, which may reopen the domain. Returns the
    /// number of entries that wait again because the domain was reopened.
    pub(super) fn uncount_document(&mut self, number: u32) -> u64 {
        self.schedule.set_documents(number, self.schedule.documents(number).saturating_sub(1));
        if self.schedule.close_reason(number) != Some(DropReason::DomainLimit) {
            return 0;
        }
        self.schedule.reopen(number);
        let waiting = self.tables.queue_from(QueueKey::domain_start(number)).count() as u64;
        self.waiting += waiting;
        waiting
    }

    fn settled_record(&self, fingerprint: u128) -> Result<Option<UriRecord>, StorageError> {
        let Some(value) = self.tables.seen.get(fingerprint.to_be_bytes())? else { return Ok(None) };
        match postcard::from_bytes(&value)? {
            SeenEntry::Waiting(_) => Ok(None),
            SeenEntry::Settled(age) => {
                let record = self.tables.uris.get(age.to_be_bytes())?;
                Ok(record.map(|record| postcard::from_bytes(&record)).transpose()?)
            }
        }
    }

    fn drop_offer(&mut self, fingerprint: u128, entry: &QueueEntry, reason: DropReason) -> Result<(), StorageError> {
        let (age, seen_entry, record) =
            self.encode_settled(&UriRecord::from_entry(entry, Some(Outcome::Dropped(reason))))?;
        self.offers.insert(&self.tables.uris, age.to_be_bytes(), record);
        self.offers.insert(&self.tables.seen, fingerprint.to_be_bytes(), seen_entry);
        Ok(())
    }

    /// Returns the age, the entry of `seen` and the record of a settled URI.
    pub(super) fn encode_settled(
        &mut self,
        record: &UriRecord,
    ) -> Result<(u64, fjall::UserValue, fjall::UserValue), StorageError> {
        let age = self.next_sequence;
        self.next_sequence += 1;
        let seen_entry = encode(&mut self.scratch, &SeenEntry::Settled(age))?;
        let record = encode(&mut self.scratch, record)?;
        Ok((age, seen_entry, record))
    }

    /// Returns the number of a URI's domain. A new domain is added first.
    pub(super) fn domain_number(&mut self, uri: &Uri) -> Result<u32, StorageError> {
        let pld = uri.pld();
        if let Some(number) = self.schedule.find(&pld) {
            return Ok(number);
        }
        let number = self.schedule.add(pld);
        self.share_heads();
        let value = self.domain_record(number)?;
        self.offers.insert(&self.tables.domains, number.to_be_bytes(), value);
        Ok(number)
    }

    pub(super) fn domain_record(&mut self, number: u32) -> Result<fjall::UserValue, StorageError> {
        let delayed_until_ms = self.epoch_ms(self.schedule.delayed_until(number));
        let record = DomainRecord {
            name: self.schedule.pld(number).as_str().to_owned(),
            documents: self.schedule.documents(number),
            closed: self.schedule.close_reason(number),
            delayed_until_ms,
            delay_ms: u64::try_from(self.schedule.delay(number).as_millis()).unwrap_or(u64::MAX),
        };
        encode(&mut self.scratch, &record)
    }

    /// A time of the conductor, in milliseconds since the Unix epoch.
    pub(super) fn epoch_ms(&self, time: CrawlTime) -> u64 {
        self.started_at_ms.saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn lease(&mut self, request: LeaseRequest) -> Result<LeaseReply, StorageError> {
        self.request = request;
        let has_revisits = self.revisits > 0;
        let revisit_in_flight = has_revisits && self.leases.values().any(|key| key.is_revisit());
        let progress = self.advance(|schedule, refill| {
            if has_revisits {
                schedule.take_revisits_first(request, revisit_in_flight, refill)
            } else {
                schedule.take(request, refill)
            }
        })?;
        self.lease_reply(progress)
    }

    pub(super) fn rescored(&mut self, scores: ScoreBatch) -> Result<LeaseReply, StorageError> {
        let progress = self.advance(|schedule, refill| schedule.continue_take(scores, refill))?;
        self.lease_reply(progress)
    }

    /// Lets the schedule take entries. It reads queues from the database as needed.
    fn advance(
        &mut self,
        take: impl FnOnce(&mut Schedule, &mut Refill<'_, StorageError>) -> Result<TakeProgress, StorageError>,
    ) -> Result<TakeProgress, StorageError> {
        let Self { schedule, tables, offers, fresh, unremoved, next_sequence, .. } = self;
        take(schedule, &mut |from: QueueKey, max: usize| {
            // The newest offers may belong to this queue, so they are written before it is read.
            flush(offers, tables, fresh, *next_sequence)?;
            read_queue(tables, unremoved, from, max)
        })
    }

    /// The answer to a request for leases after the schedule has made progress.
    fn lease_reply(&mut self, progress: TakeProgress) -> Result<LeaseReply, StorageError> {
        let TakenEntries { entries, held_back } = match progress {
            TakeProgress::Score(scores) => return Ok(LeaseReply::Score(scores)),
            TakeProgress::Taken(taken) => taken,
        };
        // If the count of revisits is too high, the crawl would wait forever for revisits that do
        // not exist, so the count is reset.
        if entries.is_empty() && self.leases.is_empty() && self.revisits > 0 && self.schedule.next_wake().is_none() {
            self.revisits = 0;
            return self.lease(LeaseRequest { scores_changed: false, ..self.request });
        }
        let mut leases = Vec::with_capacity(entries.len());
        for HeadEntry { key, entry, attempt, probe } in entries {
            let token = LeaseToken::new(self.next_lease);
            self.next_lease += 1;
            self.waiting = self.waiting.saturating_sub(1);
            self.leases.insert(token, key);
            leases.push(Lease { token, entry, attempt, probe, verdict: None });
        }
        Ok(LeaseReply::Granted(LeaseBatch { leases, not_before: self.schedule.next_wake(), held_back }))
    }

    /// Ends a lease. Returns the number of URIs that were dropped because the domain reached its limit, or `None` if the
    /// lease is unknown.
    pub(super) fn settle(&mut self, lease: Lease, settlement: Settlement) -> Result<Option<u64>, StorageError> {
        let Some(key) = self.leases.remove(&lease.token) else { return Ok(None) };
        let number = key.domain();
        let open = self.schedule.close_reason(number).is_none();
        let is_done = matches!(settlement.kind, SettlementKind::Settled(_));
        let mut dropped = 0;
        match settlement.kind {
            SettlementKind::Settled(outcome) => dropped = self.finish(key, &lease, outcome)?,
            SettlementKind::Postponed(new_probe) => {
                let Lease { entry, attempt, probe, .. } = lease;
                self.waiting += u64::from(open);
                self.schedule.put_back(HeadEntry { key, entry, attempt, probe: new_probe.or(probe) });
            }
            SettlementKind::Retry(due) => {
                let Lease { entry, attempt, probe, .. } = lease;
                self.waiting += u64::from(open);
                self.schedule.queue_retry(HeadEntry { key, entry, attempt: attempt.saturating_add(1), probe }, due);
            }
        }
        if !open && !is_done && key.is_revisit() {
            self.revisits = self.revisits.saturating_sub(1);
        }
        self.schedule.end_lease(number, settlement.delayed_until, settlement.responds);
        self.changed_domains.insert(number);
        Ok(Some(dropped))
    }

    /// Settles a URI. Returns the number of URIs that were dropped because the domain reached its limit.
    fn finish(&mut self, key: QueueKey, lease: &Lease, outcome: Outcome) -> Result<u64, StorageError> {
        self.revisits = self.revisits.saturating_sub(u64::from(key.is_revisit()));
        let is_document = matches!(outcome, Outcome::Document(_));
        let (age, seen_entry, record) = self.encode_settled(&UriRecord::from_lease(lease, outcome))?;
        self.settlements.insert(&self.tables.uris, age.to_be_bytes(), record);
        self.settlements.insert(&self.tables.seen, lease.entry.target.fingerprint().to_be_bytes(), seen_entry);
        self.settlements.remove_weak(&self.tables.queue, tables::key_bytes(key));
        self.unremoved.insert(key);
        if is_document { self.count_document(key.domain()) } else { Ok(0) }
    }

    fn count_document(&mut self, number: u32) -> Result<u64, StorageError> {
        let documents = self.schedule.documents(number) + 1;
        self.schedule.set_documents(number, documents);
        // A domain stays open while revisits wait in it, because revisits are not limited.
        if self.options.max_documents_per_domain.is_some_and(|max| documents >= max)
            && !self.schedule.has_revisit(number)
        {
            return self.close_domain(number, DropReason::DomainLimit);
        }
        Ok(0)
    }

    pub(super) fn start(&mut self, start: QueueStart) {
        self.started_at_ms = start.started_at_ms;
        self.schedule.set_order(start.order);
    }

    pub(super) fn set_crawl_delay(&mut self, pld: &Pld, delay: Duration) {
        if let Some(number) = self.schedule.find(pld) {
            self.schedule.set_crawl_delay(number, delay);
            self.changed_domains.insert(number);
        }
    }

    pub(super) fn close(&mut self, pld: &Pld, reason: DropReason) -> Result<u64, StorageError> {
        match self.schedule.find(pld) {
            Some(number) => self.close_domain(number, reason),
            None => Ok(0),
        }
    }

    /// Closes a domain. Its records stay in the queue but are not read again: deleting them would
    /// take time proportional to their number.
    fn close_domain(&mut self, number: u32, reason: DropReason) -> Result<u64, StorageError> {
        if self.schedule.close_reason(number).is_some() {
            return Ok(0);
        }
        self.schedule.close(number, reason);
        self.changed_domains.insert(number);
        self.flush()?;
        let leased = self.leases.values().filter(|key| key.domain() == number).count();
        let removed = self.unremoved.iter().filter(|key| key.domain() == number).count();
        let recorded = self.tables.queue_from(QueueKey::domain_start(number)).count();
        let dropped = recorded.saturating_sub(leased + removed);
        self.subtract_waiting(dropped);
        // Revisits are not dropped; they keep their previous outcome.
        let is_again = |key: &&QueueKey| key.domain() == number && key.is_revisit();
        let leased = self.leases.values().filter(is_again).count() as u64;
        let removed = self.unremoved.iter().filter(is_again).count() as u64;
        let revisits = self.stored_revisits(number).saturating_sub(leased + removed);
        self.revisits = self.revisits.saturating_sub(revisits);
        Ok((dropped as u64).saturating_sub(revisits))
    }

    fn subtract_waiting(&mut self, count: usize) {
        debug_assert!(self.waiting >= count as u64, "only waiting entries are dropped");
        self.waiting = self.waiting.saturating_sub(count as u64);
    }

    pub(super) fn flush(&mut self) -> Result<(), StorageError> {
        flush(&mut self.offers, &self.tables, &mut self.fresh, self.next_sequence)
    }

    /// Writes offers first, then settlements. After a crash between the two, the requests are
    /// repeated, and their links are already known.
    pub(super) fn commit(&mut self, memo: &[u8]) -> Result<(), StorageError> {
        self.flush()?;
        for number in std::mem::take(&mut self.changed_domains) {
            let value = self.domain_record(number)?;
            self.settlements.insert(&self.tables.domains, number.to_be_bytes(), value);
        }
        self.settlements.insert(&self.tables.meta, "sequence", self.next_sequence.to_be_bytes());
        self.settlements.insert(&self.tables.meta, "memo", memo);
        std::mem::replace(&mut self.settlements, self.tables.batch()).commit()?;
        self.unremoved.clear();
        Ok(())
    }

    pub(super) fn has_write_backlog(&self) -> bool {
        self.tables.has_write_backlog()
    }

    pub(super) fn memo(&self) -> Result<Option<Vec<u8>>, StorageError> {
        Ok(self.tables.meta.get("memo")?.map(|bytes| bytes.to_vec()))
    }

    pub(super) fn uri_record(&self, uri: &Uri) -> Result<Option<UriRecord>, StorageError> {
        self.find_record(uri.fingerprint())
    }

    pub(super) fn find_record(&self, fingerprint: u128) -> Result<Option<UriRecord>, StorageError> {
        if let Some(record) = self.settled_record(fingerprint)? {
            return Ok(Some(record));
        }
        let Some(value) = self.tables.seen.get(fingerprint.to_be_bytes())? else { return Ok(None) };
        let SeenEntry::Waiting(key) = postcard::from_bytes(&value)? else { return Ok(None) };
        let key = QueueKey(key);
        let Some(record) = self.tables.queue.get(tables::key_bytes(key))? else { return Ok(None) };
        let QueueRecord { entry } = postcard::from_bytes(&record)?;
        Ok(Some(match self.schedule.close_reason(key.domain()) {
            Some(reason) => UriRecord::from_closed_domain(&entry, reason),
            None => UriRecord::from_entry(&entry, None),
        }))
    }

    pub(super) fn census(&self) -> Census {
        Census {
            uris_known: self.known,
            uris_waiting: self.waiting,
            uris_in_flight: self.leases.len() as u64,
            domains: self.schedule.len() as u64,
            revisits: self.revisits,
        }
    }
}

/// Writes the offers to the database.
fn flush(
    offers: &mut OwnedWriteBatch,
    disk: &FrontierTables,
    fresh: &mut HashSet<u128, RandomState>,
    next_sequence: u64,
) -> Result<(), StorageError> {
    if !offers.is_empty() {
        offers.insert(&disk.meta, "sequence", next_sequence.to_be_bytes());
    }
    std::mem::replace(offers, disk.batch()).commit()?;
    fresh.clear();
    Ok(())
}

/// Reads up to `max` records of a queue and skips settled ones.
pub(super) fn read_queue(
    disk: &FrontierTables,
    unremoved: &HashSet<QueueKey, RandomState>,
    from: QueueKey,
    max: usize,
) -> Result<Vec<HeadEntry>, StorageError> {
    let mut found = Vec::new();
    for record in disk.queue_from(from) {
        let (key, value) = record?;
        if unremoved.contains(&key) {
            continue;
        }
        let QueueRecord { entry } = postcard::from_bytes(&value)?;
        found.push(HeadEntry { key, entry, attempt: 0, probe: None });
        if found.len() == max {
            break;
        }
    }
    Ok(found)
}

pub(super) fn encode(scratch: &mut Vec<u8>, value: &impl Serialize) -> Result<fjall::UserValue, StorageError> {
    scratch.clear();
    *scratch = postcard::to_extend(value, std::mem::take(scratch))?;
    Ok(fjall::UserValue::from(scratch.as_slice()))
}
