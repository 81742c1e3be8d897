//! Memory and disk of an embedded frontier, together.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use fjall::OwnedWriteBatch;
use foldhash::fast::RandomState;
use serde::Serialize;

use super::super::schedule::{Key, Schedule, Taken, Waiting};
use super::super::sieve::{Glance, Sieve};
use super::super::{Census, Fate, FrontierError, Guide, Leased, Life, Offer, Offered, Settlement};
use super::Options;
use super::disk::{self, Disk, Entry, PldRecord, QueueRecord};
use crate::model::{Candidate, DropReason, Link, Moment, Outcome, Pld, Uri, Visit};

pub(super) struct State {
    pub(super) disk: Disk,
    options: Options,
    pub(super) schedule: Schedule,
    sieve: Sieve,
    /// Said but not yet in the database. Offers may go there at any time;
    /// settlements only with a commit.
    pub(super) offers: OwnedWriteBatch,
    settlements: OwnedWriteBatch,
    /// Fingerprints in `offers`, which the database does not know yet.
    fresh: HashSet<u128, RandomState>,
    /// Keys in `settlements`, which the database still has in the queue.
    pub(super) unremoved: HashSet<Key, RandomState>,
    /// Domains whose record is outdated.
    pub(super) changed_plds: HashSet<u32, RandomState>,
    pub(super) leases: HashMap<u64, Key>,
    /// When the conductor's moment zero is, in milliseconds since the epoch.
    began_at_ms: u64,
    pub(super) next_sequence: u64,
    next_lease: u64,
    known: u64,
    pub(super) waiting: u64,
    /// Of those who wait or are leased, how many are visited again.
    pub(super) again: u64,
    /// Reused to encode records.
    pub(super) scratch: Vec<u8>,
}

impl State {
    pub(super) fn open(database: &fjall::Database, options: Options) -> Result<Self, FrontierError> {
        let disk = Disk::open(database)?;
        let mut state = Self {
            schedule: Schedule::new(options.order, options.heads_per_pld_max),
            sieve: Sieve::new(options.known_expected),
            offers: disk.batch(),
            settlements: disk.batch(),
            fresh: HashSet::default(),
            unremoved: HashSet::default(),
            changed_plds: HashSet::default(),
            leases: HashMap::new(),
            began_at_ms: options.opened_at_ms,
            next_sequence: 0,
            next_lease: 0,
            known: 0,
            waiting: 0,
            again: 0,
            scratch: Vec::new(),
            disk,
            options,
        };
        state.load_seen()?;
        state.load_plds()?;
        state.load_queues()?;
        state.load_again()?;
        Ok(state)
    }

    /// Fills the sieve, and counts.
    fn load_seen(&mut self) -> Result<(), FrontierError> {
        if let Some(bytes) = self.disk.meta.get("sequence")? {
            self.next_sequence = bytes.as_ref().try_into().map_or(0, u64::from_be_bytes);
        }
        for guard in self.disk.seen.iter() {
            let (key, value) = guard.into_inner()?;
            self.sieve.remember(disk::number(&key));
            self.known += 1;
            // The first byte tells the waiting from the settled.
            self.waiting += u64::from(value.first() == Some(&0));
        }
        Ok(())
    }

    fn load_plds(&mut self) -> Result<(), FrontierError> {
        for guard in self.disk.plds.iter() {
            let record: PldRecord = postcard::from_bytes(&guard.value()?)?;
            let number = self.schedule.add(Pld::of_host(&record.name));
            self.schedule.set_documents(number, record.documents);
            let rest = Duration::from_millis(record.rest_until_ms.saturating_sub(self.options.opened_at_ms));
            // Who was under way when the last process ended is not on record.
            let delay = Duration::from_millis(record.delay_ms);
            self.schedule.slow_down(number, delay);
            self.schedule.release(number, rest.max(delay).max(self.options.rest_on_open));
            if let Some(reason) = record.closed {
                self.schedule.close(number, reason);
            }
        }
        self.share_heads();
        Ok(())
    }

    /// Divides the candidates that may be held in memory among the domains. Where
    /// one domain may have all of them, nobody has to share before they get scarce.
    fn share_heads(&mut self) {
        let super::Options { heads_total_max, heads_per_pld_max, .. } = self.options;
        let is_plenty = heads_per_pld_max >= heads_total_max && self.schedule.waiting_in_memory() < heads_total_max / 2;
        let share = if is_plenty { heads_total_max / 2 } else { heads_total_max / self.schedule.len().max(1) };
        self.schedule.set_head_max(share.clamp(1, heads_per_pld_max.max(1)));
    }

    /// Finds the domains that have a queue, by leaping from one to the next.
    fn load_queues(&mut self) -> Result<(), FrontierError> {
        let mut from = 0;
        while let Some(first) = self.disk.next_queue(from)? {
            let number = first.domain();
            if self.schedule.closed(number).is_none() {
                let rest = self.schedule.rest_until(number);
                self.schedule.open_queue(first, rest);
            } else {
                self.forget_waiting(self.disk.queue_from(Key::first_of(number)).count());
            }
            from = number + 1;
        }
        Ok(())
    }

    pub(super) fn sift(&self, mut links: Vec<Link>) -> Result<Vec<Link>, FrontierError> {
        let mut failure = None;
        links.retain(|link| match self.is_known(link.target.fingerprint()) {
            Ok(known) => !known,
            Err(error) => {
                failure = Some(error);
                false
            }
        });
        failure.map_or(Ok(links), Err)
    }

    fn is_known(&self, fingerprint: u128) -> Result<bool, FrontierError> {
        match self.sieve.glance(fingerprint) {
            Glance::Seen => Ok(true),
            Glance::New => Ok(false),
            Glance::Perhaps => {
                Ok(self.fresh.contains(&fingerprint) || self.disk.seen.contains_key(fingerprint.to_be_bytes())?)
            }
        }
    }

    pub(super) fn offer(&mut self, offers: Vec<Offer>) -> Result<Offered, FrontierError> {
        let mut offered = Offered::default();
        self.share_heads();
        for offer in offers {
            let fingerprint = offer.candidate().target.fingerprint();
            if self.is_known(fingerprint)? {
                continue;
            }
            self.sieve.remember(fingerprint);
            self.fresh.insert(fingerprint);
            self.known += 1;
            match offer {
                Offer::Drop(candidate, reason) => {
                    self.dismiss(fingerprint, &candidate, reason)?;
                    offered.drop_one(reason);
                }
                Offer::Queue(candidate) => self.queue(fingerprint, candidate, &mut offered)?,
            }
        }
        Ok(offered)
    }

    fn queue(&mut self, fingerprint: u128, candidate: Candidate, offered: &mut Offered) -> Result<(), FrontierError> {
        let number = self.domain_of(&candidate.target)?;
        if let Some(reason) = self.schedule.closed(number) {
            offered.drop_one(reason);
            return self.dismiss(fingerprint, &candidate, reason);
        }
        offered.queued += 1;
        self.enqueue(number, fingerprint, candidate)
    }

    pub(super) fn enqueue(
        &mut self,
        number: u32,
        fingerprint: u128,
        candidate: Candidate,
    ) -> Result<(), FrontierError> {
        let key = Key::new(number, candidate.priority, self.next_sequence);
        self.next_sequence += 1;
        self.waiting += 1;
        self.again += u64::from(key.is_again());
        let record = QueueRecord { candidate };
        let value = encode(&mut self.scratch, &record)?;
        self.offers.insert(&self.disk.queue, disk::bytes(key), value);
        let value = encode(&mut self.scratch, &Entry::Waiting(key.0))?;
        self.offers.insert(&self.disk.seen, fingerprint.to_be_bytes(), value);
        self.schedule.insert(Waiting { key, candidate: record.candidate, attempt: 0, probe: None });
        Ok(())
    }

    pub(super) fn revive(&mut self, fingerprints: &[u128]) -> Result<Vec<Life>, FrontierError> {
        let mut revived = Vec::new();
        for fingerprint in fingerprints {
            let Some(life) = self.settled_life(*fingerprint)? else { continue };
            let number = self.domain_of(&life.uri)?;
            self.uncount_document(number);
            // Not as one who is visited again: there is nothing left to compare
            // with.
            let candidate = Candidate { again: None, ..life.clone().again(life.priority) };
            self.enqueue(number, *fingerprint, candidate)?;
            let value = self.pld_record(number)?;
            self.offers.insert(&self.disk.plds, number.to_be_bytes(), value);
            revived.push(life);
        }
        self.flush()?;
        Ok(revived)
    }

    /// Takes one document off a domain's count, which may open it again. Returns
    /// how many wait again for that.
    pub(super) fn uncount_document(&mut self, number: u32) -> u64 {
        self.schedule.set_documents(number, self.schedule.documents(number).saturating_sub(1));
        if self.schedule.closed(number) != Some(DropReason::PldLimit) {
            return 0;
        }
        self.schedule.reopen(number);
        let waiting = self.disk.queue_from(Key::first_of(number)).count() as u64;
        self.waiting += waiting;
        waiting
    }

    fn settled_life(&self, fingerprint: u128) -> Result<Option<Life>, FrontierError> {
        let Some(value) = self.disk.seen.get(fingerprint.to_be_bytes())? else { return Ok(None) };
        match postcard::from_bytes(&value)? {
            Entry::Waiting(_) => Ok(None),
            Entry::Settled(age) => {
                let life = self.disk.lives.get(age.to_be_bytes())?;
                Ok(life.map(|life| postcard::from_bytes(&life)).transpose()?)
            }
        }
    }

    fn dismiss(&mut self, fingerprint: u128, candidate: &Candidate, reason: DropReason) -> Result<(), FrontierError> {
        let (age, entry, life) = self.end(&Life::of(candidate, Some(Outcome::Dropped(reason))))?;
        self.offers.insert(&self.disk.lives, age.to_be_bytes(), life);
        self.offers.insert(&self.disk.seen, fingerprint.to_be_bytes(), entry);
        Ok(())
    }

    /// The end of a life: its age, its entry, its record.
    fn end(&mut self, life: &Life) -> Result<(u64, fjall::UserValue, fjall::UserValue), FrontierError> {
        let age = self.next_sequence;
        self.next_sequence += 1;
        let entry = encode(&mut self.scratch, &Entry::Settled(age))?;
        let life = encode(&mut self.scratch, life)?;
        Ok((age, entry, life))
    }

    /// The number of a URI's domain, which is made known if it is new.
    pub(super) fn domain_of(&mut self, uri: &Uri) -> Result<u32, FrontierError> {
        let pld = uri.pld();
        if let Some(number) = self.schedule.find(&pld) {
            return Ok(number);
        }
        let number = self.schedule.add(pld);
        self.share_heads();
        let value = self.pld_record(number)?;
        self.offers.insert(&self.disk.plds, number.to_be_bytes(), value);
        Ok(number)
    }

    pub(super) fn pld_record(&mut self, number: u32) -> Result<fjall::UserValue, FrontierError> {
        let rest = self.schedule.rest_until(number);
        let rest_ms = u64::try_from(rest.as_millis()).unwrap_or(u64::MAX);
        let record = PldRecord {
            name: self.schedule.pld(number).as_str().to_owned(),
            documents: self.schedule.documents(number),
            closed: self.schedule.closed(number),
            rest_until_ms: self.began_at_ms.saturating_add(rest_ms),
            delay_ms: u64::try_from(self.schedule.delay(number).as_millis()).unwrap_or(u64::MAX),
        };
        encode(&mut self.scratch, &record)
    }

    pub(super) fn lease(&mut self, now: Moment, max: usize, guide: &mut dyn Guide) -> Result<Leased, FrontierError> {
        let is_visiting_again = self.again > 0 && self.leases.values().any(|key| key.is_again());
        let Self { schedule, disk, offers, fresh, unremoved, next_sequence, .. } = self;
        let mut refill = |from: Key, max: usize| {
            // The newest offers may belong to this very queue.
            flush(offers, disk, fresh, *next_sequence)?;
            read_queue(disk, unremoved, from, max)
        };
        let mut taken = if self.again > 0 {
            schedule.take_again_first(now, max, is_visiting_again, guide, &mut refill)?
        } else {
            schedule.take_only_again(false);
            schedule.take(now, max, guide, &mut refill)?
        };
        // Should the count of those who are visited again ever be wrong, nobody is
        // to wait for them.
        if taken.waiting.is_empty() && self.leases.is_empty() && self.again > 0 && schedule.next_wake().is_none() {
            self.again = 0;
            schedule.take_only_again(false);
            taken = schedule.take(now, max, guide, &mut refill)?;
        }
        let Taken { waiting: taken, held } = taken;
        let mut visits = Vec::with_capacity(taken.len());
        for Waiting { key, candidate, attempt, probe } in taken {
            let lease = self.next_lease;
            self.next_lease += 1;
            self.waiting = self.waiting.saturating_sub(1);
            self.leases.insert(lease, key);
            visits.push(Visit { lease, candidate, attempt, probe, verdict: None });
        }
        Ok(Leased { visits, not_before: self.schedule.next_wake(), held })
    }

    pub(super) fn settle(&mut self, visit: Visit, settlement: Settlement) -> Result<u64, FrontierError> {
        let key = self.leases.remove(&visit.lease).expect("a settled visit was leased");
        let number = key.domain();
        let open = self.schedule.closed(number).is_none();
        let is_done = matches!(settlement.fate, Fate::Done(_));
        let mut dropped = 0;
        match settlement.fate {
            Fate::Done(outcome) => dropped = self.finish(key, &visit, outcome)?,
            Fate::Again(told) => {
                let Visit { candidate, attempt, probe, .. } = visit;
                self.waiting += u64::from(open);
                self.schedule.put_back(Waiting { key, candidate, attempt, probe: told.or(probe) });
            }
            Fate::Retry(due) => {
                let Visit { candidate, attempt, probe, .. } = visit;
                self.waiting += u64::from(open);
                self.schedule.park(Waiting { key, candidate, attempt: attempt.saturating_add(1), probe }, due);
            }
        }
        if !open && !is_done && key.is_again() {
            self.again = self.again.saturating_sub(1);
        }
        self.schedule.release(number, settlement.rest_until);
        self.changed_plds.insert(number);
        Ok(dropped)
    }

    /// Settles for good. Returns how many others that drops.
    fn finish(&mut self, key: Key, visit: &Visit, outcome: Outcome) -> Result<u64, FrontierError> {
        self.again = self.again.saturating_sub(u64::from(key.is_again()));
        let is_document = matches!(outcome, Outcome::Document(_));
        let (age, entry, life) = self.end(&Life::ended(visit, outcome))?;
        self.settlements.insert(&self.disk.lives, age.to_be_bytes(), life);
        self.settlements.insert(&self.disk.seen, visit.candidate.target.fingerprint().to_be_bytes(), entry);
        self.settlements.remove_weak(&self.disk.queue, disk::bytes(key));
        self.unremoved.insert(key);
        if is_document { self.count_document(key.domain()) } else { Ok(0) }
    }

    fn count_document(&mut self, number: u32) -> Result<u64, FrontierError> {
        let documents = self.schedule.documents(number) + 1;
        self.schedule.set_documents(number, documents);
        // Those who are visited again have had their share before.
        if self.options.documents_per_pld_max.is_some_and(|max| documents >= max) && !self.schedule.has_again(number) {
            return self.close_domain(number, DropReason::PldLimit);
        }
        Ok(0)
    }

    pub(super) fn begin(&mut self, now_ms: u64) {
        self.began_at_ms = now_ms;
    }

    pub(super) fn slow_down(&mut self, pld: &Pld, delay: Duration) {
        if let Some(number) = self.schedule.find(pld) {
            self.schedule.slow_down(number, delay);
            self.changed_plds.insert(number);
        }
    }

    pub(super) fn close(&mut self, pld: &Pld, reason: DropReason) -> Result<u64, FrontierError> {
        match self.schedule.find(pld) {
            Some(number) => self.close_domain(number, reason),
            None => Ok(0),
        }
    }

    /// Closes a domain. Its records stay in the queue, where nobody looks any
    /// more: deleting them one by one would cost what closing is to save.
    fn close_domain(&mut self, number: u32, reason: DropReason) -> Result<u64, FrontierError> {
        if self.schedule.closed(number).is_some() {
            return Ok(0);
        }
        self.schedule.close(number, reason);
        self.changed_plds.insert(number);
        self.flush()?;
        let leased = self.leases.values().filter(|key| key.domain() == number).count();
        let removed = self.unremoved.iter().filter(|key| key.domain() == number).count();
        let recorded = self.disk.queue_from(Key::first_of(number)).count();
        let dropped = recorded.saturating_sub(leased + removed);
        self.forget_waiting(dropped);
        // Who is visited again is not dropped, but left as it is.
        let is_again = |key: &&Key| key.domain() == number && key.is_again();
        let leased = self.leases.values().filter(is_again).count() as u64;
        let removed = self.unremoved.iter().filter(is_again).count() as u64;
        let kept = self.waiting_again_on_disk(number).saturating_sub(leased + removed);
        self.again = self.again.saturating_sub(kept);
        Ok((dropped as u64).saturating_sub(kept))
    }

    fn forget_waiting(&mut self, count: usize) {
        debug_assert!(self.waiting >= count as u64, "no more are dropped than wait");
        self.waiting = self.waiting.saturating_sub(count as u64);
    }

    pub(super) fn flush(&mut self) -> Result<(), FrontierError> {
        flush(&mut self.offers, &self.disk, &mut self.fresh, self.next_sequence)
    }

    /// Offers first, settlements second: a crash between the two repeats visits
    /// whose links are known already.
    pub(super) fn commit(&mut self, memo: &[u8]) -> Result<(), FrontierError> {
        self.flush()?;
        for number in std::mem::take(&mut self.changed_plds) {
            let value = self.pld_record(number)?;
            self.settlements.insert(&self.disk.plds, number.to_be_bytes(), value);
        }
        self.settlements.insert(&self.disk.meta, "sequence", self.next_sequence.to_be_bytes());
        self.settlements.insert(&self.disk.meta, "memo", memo);
        std::mem::replace(&mut self.settlements, self.disk.batch()).commit()?;
        self.unremoved.clear();
        Ok(())
    }

    pub(super) fn is_behind(&self) -> bool {
        self.disk.is_behind()
    }

    pub(super) fn memo(&self) -> Result<Option<Vec<u8>>, FrontierError> {
        Ok(self.disk.meta.get("memo")?.map(|bytes| bytes.to_vec()))
    }

    pub(super) fn recall(&self, uri: &Uri) -> Result<Option<Life>, FrontierError> {
        let fingerprint = uri.fingerprint();
        if let Some(life) = self.settled_life(fingerprint)? {
            return Ok(Some(life));
        }
        let Some(value) = self.disk.seen.get(fingerprint.to_be_bytes())? else { return Ok(None) };
        let Entry::Waiting(key) = postcard::from_bytes(&value)? else { return Ok(None) };
        let key = Key(key);
        let Some(record) = self.disk.queue.get(disk::bytes(key))? else { return Ok(None) };
        let QueueRecord { candidate } = postcard::from_bytes(&record)?;
        Ok(Some(match self.schedule.closed(key.domain()) {
            Some(reason) => Life::given_up(&candidate, reason),
            None => Life::of(&candidate, None),
        }))
    }

    pub(super) fn census(&self) -> Census {
        Census {
            known: self.known,
            waiting: self.waiting,
            leased: self.leases.len() as u64,
            plds: self.schedule.len() as u64,
            again: self.again,
        }
    }
}

/// Hands the offers to the database.
fn flush(
    offers: &mut OwnedWriteBatch,
    disk: &Disk,
    fresh: &mut HashSet<u128, RandomState>,
    next_sequence: u64,
) -> Result<(), FrontierError> {
    if !offers.is_empty() {
        offers.insert(&disk.meta, "sequence", next_sequence.to_be_bytes());
    }
    std::mem::replace(offers, disk.batch()).commit()?;
    fresh.clear();
    Ok(())
}

/// Up to `max` records of a queue, without those that are settled.
fn read_queue(
    disk: &Disk,
    unremoved: &HashSet<Key, RandomState>,
    from: Key,
    max: usize,
) -> Result<Vec<Waiting>, FrontierError> {
    let mut found = Vec::new();
    for record in disk.queue_from(from) {
        let (key, value) = record?;
        if unremoved.contains(&key) {
            continue;
        }
        let QueueRecord { candidate } = postcard::from_bytes(&value)?;
        found.push(Waiting { key, candidate, attempt: 0, probe: None });
        if found.len() == max {
            break;
        }
    }
    Ok(found)
}

pub(super) fn encode(scratch: &mut Vec<u8>, value: &impl Serialize) -> Result<fjall::UserValue, FrontierError> {
    scratch.clear();
    *scratch = postcard::to_extend(value, std::mem::take(scratch))?;
    Ok(fjall::UserValue::from(scratch.as_slice()))
}
