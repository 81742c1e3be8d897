//! Views of an embedded frontier for its users: queues of domains, entries that are requested next, copies of robots.txt.

use std::collections::HashSet;

use fjall::{Keyspace, Readable, Snapshot};

use super::super::schedule::QueueKey;
use super::super::{DomainQueueState, FrontierError, QueueEntry, RobotsCopy, UriRecord};
use super::StorageError;
use super::state::{EmbeddedFrontierState, encode, read_queue};
use super::tables::{self, QueueRecord};
use crate::model::Pld;

impl EmbeddedFrontierState {
    pub(super) fn settled_records_before(
        &self,
        before: u64,
        max: usize,
    ) -> Result<Vec<(u64, UriRecord)>, StorageError> {
        let mut found = Vec::new();
        for guard in self.tables.uris.range(..before.to_be_bytes()).rev().take(max) {
            let (key, value) = guard.into_inner()?;
            found.push((tables::age_from_bytes(&key), postcard::from_bytes(&value)?));
        }
        Ok(found)
    }

    /// The domains by number, without the lengths of their queues, and the table of queues.
    pub(super) fn domains_without_counts(&self) -> (Keyspace, Vec<DomainQueueState>) {
        let state = |number: u32| DomainQueueState {
            pld: self.schedule.pld(number).clone(),
            queued: 0,
            closed: self.schedule.close_reason(number),
            crawl_delay: self.schedule.delay(number),
            delayed_until_ms: self.epoch_ms(self.schedule.delayed_until(number)),
        };
        let domains = (0..u32::try_from(self.schedule.len()).unwrap_or(u32::MAX)).map(state);
        (self.tables.queue.clone(), domains.collect())
    }

    /// The table of queues, and the numbers of closed domains.
    pub(super) fn queue_and_closed_domains(&self) -> (Keyspace, HashSet<u32>) {
        let domains = 0..u32::try_from(self.schedule.len()).unwrap_or(u32::MAX);
        let closed = domains.filter(|number| self.schedule.close_reason(*number).is_some());
        (self.tables.queue.clone(), closed.collect())
    }

    /// The entries that are requested next: one per domain and round.
    pub(super) fn next_entries(
        &mut self,
        pld: Option<&Pld>,
        max: usize,
    ) -> Result<Vec<(QueueEntry, u64)>, StorageError> {
        self.flush()?;
        let domains = match pld.map(|pld| self.schedule.find(pld)) {
            None => self.schedule.domains_by_turn(),
            Some(number) => number.map(|number| (number, self.schedule.delayed_until(number))).into_iter().collect(),
        };
        let max_per_domain = max.div_ceil(domains.len().max(1));
        let leased: HashSet<QueueKey> = self.leases.values().copied().collect();
        let mut found = Vec::new();
        for (turn, (number, due)) in domains.into_iter().take(max).enumerate() {
            let entries = self.first_entries(number, max_per_domain, &leased)?;
            let due_ms = self.epoch_ms(due);
            found.extend(entries.into_iter().enumerate().map(|(round, entry)| (round, turn, entry, due_ms)));
        }
        found.sort_by_key(|(round, turn, ..)| (*round, *turn));
        Ok(found.into_iter().take(max).map(|(_, _, entry, due_ms)| (entry, due_ms)).collect())
    }

    /// The first entries of the queue of a domain.
    fn first_entries(
        &self,
        number: u32,
        max: usize,
        leased: &HashSet<QueueKey>,
    ) -> Result<Vec<QueueEntry>, StorageError> {
        let (waiting, beyond) = self.schedule.waiting_of(number);
        let (mut entries, mut in_memory) = (Vec::new(), HashSet::new());
        for waiting in waiting {
            in_memory.insert(waiting.key);
            if entries.len() < max {
                entries.push(waiting.entry.clone());
            }
        }
        // An entry above the line may be in memory, too.
        if let Some(from) = beyond.filter(|_| entries.len() < max) {
            let stored = read_queue(&self.tables, &self.unremoved, from, max + in_memory.len() + 1)?;
            let is_new = |key: &QueueKey| !in_memory.contains(key) && !leased.contains(key);
            let stored = stored.into_iter().filter(|entry| is_new(&entry.key)).map(|entry| entry.entry);
            entries.extend(stored.take(max - entries.len()));
        }
        Ok(entries)
    }

    pub(super) fn store_robots(&mut self, copy: &RobotsCopy) -> Result<(), StorageError> {
        let key = [robots_prefix(&copy.uri.pld()), copy.uri.as_str().as_bytes().to_vec()].concat();
        let value = encode(&mut self.scratch, copy)?;
        self.offers.insert(&self.tables.robots, key, value);
        Ok(())
    }

    pub(super) fn robots_copies(&self, pld: &Pld) -> Result<Vec<RobotsCopy>, StorageError> {
        let copies = self.tables.robots.prefix(robots_prefix(pld));
        copies.map(|guard| Ok(postcard::from_bytes(&guard.value()?)?)).collect()
    }
}

/// The first bytes of the keys of a domain in the table of robots.txt files.
fn robots_prefix(pld: &Pld) -> Vec<u8> {
    [pld.as_str().as_bytes(), &[0]].concat()
}

/// Counts the entries of each queue.
pub(super) fn count_queues(
    view: &Snapshot,
    queue: &Keyspace,
    domains: &mut [DomainQueueState],
) -> Result<(), StorageError> {
    for guard in view.iter(queue) {
        let key = QueueKey(tables::u128_from_bytes(&guard.key()?));
        // A domain that was added since the lock was released is not counted.
        if let Some(domain) = domains.get_mut(key.domain() as usize) {
            domain.queued += 1;
        }
    }
    Ok(())
}

/// The entries of all queues but those of closed domains.
pub(super) fn waiting_entries(
    view: &Snapshot,
    queue: &Keyspace,
    closed: HashSet<u32>,
) -> Box<dyn Iterator<Item = Result<QueueEntry, FrontierError>> + Send> {
    let read = |guard: fjall::Guard| -> Result<(QueueKey, QueueEntry), StorageError> {
        let (key, value) = guard.into_inner()?;
        let QueueRecord { entry } = postcard::from_bytes(&value)?;
        Ok((QueueKey(tables::u128_from_bytes(&key)), entry))
    };
    Box::new(view.iter(queue).filter_map(move |guard| match read(guard) {
        Ok((key, _)) if closed.contains(&key.domain()) => None,
        Ok((_, entry)) => Some(Ok(entry)),
        Err(error) => Some(Err(error.into())),
    }))
}
