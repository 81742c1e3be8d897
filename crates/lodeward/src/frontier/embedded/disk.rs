//! What is on disk, byte by byte.
//!
//! | keyspace | key | value |
//! |---|---|---|
//! | `meta` | a word | `version`: u32; `sequence`: u64, the next age; `memo`: the conductor's; `round`: [`Round`], the one under way |
//! | `plds` | domain number, u32 | [`PldRecord`] |
//! | `seen` | fingerprint of a URI, u128 | [`Entry`]: where to find the rest |
//! | `queue` | [`Key`]: domain, urgency, age | [`QueueRecord`] |
//! | `lives` | age of the settlement, u64 | [`Life`] |
//!
//! Numbers in keys are big-endian, so that byte order is their order; values are
//! postcard. A record of `queue` is written once, when its URI is offered, and
//! removed once, when it is settled, so that weak deletes are allowed; ages are
//! never used twice. A life is removed when its URI is queued again, and its
//! record in the queue has then all there is to tell. The keys of `seen` are random, so it is rewritten again and
//! again as it grows: its values are small, and what there is to tell about the
//! settled is in `lives`, whose keys only grow.

use fjall::config::{FilterPolicy, PinningPolicy};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, KvSeparationOptions, PersistMode};
use serde::{Deserialize, Serialize};

use super::super::FrontierError;
#[cfg(doc)]
use super::super::Life;
use super::super::Round;
use super::super::schedule::Key;
use crate::model::{Candidate, DropReason};

/// Changes whenever an older program could not read what this one writes.
pub(super) const FORMAT_VERSION: u32 = 4;

/// A domain.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PldRecord {
    pub(super) name: String,
    pub(super) documents: u32,
    pub(super) closed: Option<DropReason>,
    /// Milliseconds since the Unix epoch: a `Retry-After` outlives a process.
    pub(super) rest_until_ms: u64,
    /// The delay its hosts ask for, in milliseconds.
    pub(super) delay_ms: u64,
}

/// A URI that is known.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Entry {
    /// Its record is in the queue under this key.
    Waiting(u128),
    /// It is done with; its life is told under this age.
    Settled(u64),
}

/// A URI that waits. Attempts and probes are not kept: they begin anew with the
/// next process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct QueueRecord {
    pub(super) candidate: Candidate,
}

/// The keyspaces.
pub(super) struct Disk {
    pub(super) database: Database,
    pub(super) meta: Keyspace,
    pub(super) plds: Keyspace,
    pub(super) seen: Keyspace,
    pub(super) queue: Keyspace,
    pub(super) lives: Keyspace,
}

impl Disk {
    pub(super) fn open(database: &Database) -> Result<Self, FrontierError> {
        const MIB: u64 = 1 << 20;
        // Indexes and filters stay in memory, some ten bits for each URI: they are
        // needed for every question, and large to read again.
        let options = |memtable_mib: u64| {
            KeyspaceCreateOptions::default()
                .max_memtable_size(memtable_mib * MIB)
                .index_block_pinning_policy(PinningPolicy::all(true))
                .filter_block_pinning_policy(PinningPolicy::all(true))
        };
        // Values of records are written once, beside the tree, and stay out of its
        // merges; and nobody asks for records that are not there.
        let records = |memtable_mib: u64| {
            let values = KvSeparationOptions::default().separation_threshold(64);
            options(memtable_mib).filter_policy(FilterPolicy::disabled()).with_kv_separation(Some(values))
        };
        let disk = Self {
            database: database.clone(),
            meta: database.keyspace("meta", || options(1))?,
            plds: database.keyspace("plds", || options(1))?,
            seen: database.keyspace("seen", || options(8))?,
            queue: database.keyspace("queue", || records(8))?,
            lives: database.keyspace("lives", || records(4))?,
        };
        disk.check_version()?;
        Ok(disk)
    }

    fn check_version(&self) -> Result<(), FrontierError> {
        match self.meta.get("version")? {
            None => Ok(self.meta.insert("version", FORMAT_VERSION.to_be_bytes())?),
            Some(bytes) => {
                let found = bytes.as_ref().try_into().map_or(0, u32::from_be_bytes);
                if found == FORMAT_VERSION {
                    Ok(())
                } else {
                    Err(FrontierError::Version { found, expected: FORMAT_VERSION })
                }
            }
        }
    }

    /// Whether more waits to be written to disk than should be held in memory.
    pub(super) fn is_behind(&self) -> bool {
        const SEALED_MAX: usize = 4;
        let sealed = [&self.seen, &self.queue, &self.lives].map(Keyspace::sealed_memtable_count);
        sealed.iter().sum::<usize>() > SEALED_MAX
    }

    /// The round that is under way.
    pub(super) fn round(&self) -> Result<Option<Round>, FrontierError> {
        let bytes = self.meta.get("round")?;
        Ok(bytes.filter(|bytes| !bytes.is_empty()).map(|bytes| postcard::from_bytes(&bytes)).transpose()?)
    }

    /// A batch that reaches the operating system when it is committed.
    pub(super) fn batch(&self) -> fjall::OwnedWriteBatch {
        self.database.batch().durability(Some(PersistMode::Buffer))
    }

    /// The records of one domain's queue, from a key on.
    pub(super) fn queue_from(
        &self,
        from: Key,
    ) -> impl Iterator<Item = Result<(Key, fjall::UserValue), FrontierError>> + use<> {
        let end = Key::first_of(from.domain() + 1);
        self.queue.range(bytes(from)..bytes(end)).map(|guard| {
            let (key, value) = guard.into_inner()?;
            Ok((Key(number(&key)), value))
        })
    }

    /// The key of the first record at or behind a domain.
    pub(super) fn next_queue(&self, domain: u32) -> Result<Option<Key>, FrontierError> {
        match self.queue.range(bytes(Key::first_of(domain))..).next() {
            Some(guard) => Ok(Some(Key(number(&guard.key()?)))),
            None => Ok(None),
        }
    }
}

/// A key as it is on disk.
pub(super) fn bytes(key: Key) -> [u8; 16] {
    key.0.to_be_bytes()
}

/// Eight bytes as the age of a settlement.
pub(super) fn age(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_be_bytes)
}

/// Sixteen bytes as a number; what is not sixteen bytes long is zero, and no
/// key of ours.
pub(super) fn number(bytes: &[u8]) -> u128 {
    bytes.try_into().map_or(0, u128::from_be_bytes)
}
