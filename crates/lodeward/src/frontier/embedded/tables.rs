//! The format of the frontier on disk.
//!
//! | keyspace | key | value |
//! |---|---|---|
//! | `meta` | a word | `version`: u32; `sequence`: u64, the next age; `memo`: the memo of the conductor; `round`: the running [`RefreshRound`] |
//! | `domains` | domain number, u32 | [`DomainRecord`] |
//! | `seen` | fingerprint of a URI, u128 | [`SeenEntry`]: the key of its record |
//! | `queue` | [`QueueKey`]: domain, urgency, age | [`QueueRecord`] |
//! | `uris` | age of the settlement, u64 | [`UriRecord`] |
//! | `robots` | domain, a zero byte, URI of a robots.txt | [`RobotsCopy`] |
//!
//! Numbers in keys are big-endian, so that byte order is numeric order; values are postcard.
//! A record of `queue` is written once, when its URI is offered, and removed once, when it is
//! settled, so that weak deletes are allowed. Ages are never reused. A record of `uris` is
//! removed when its URI is queued again; its record in `queue` then contains everything.
//! The keys of `seen` are random, so its tables are merged often as it grows. Its values are
//! therefore small, and the records of settled URIs are in `uris`, whose keys only grow.

use fjall::config::{FilterPolicy, PinningPolicy};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, KvSeparationOptions, PersistMode};
use serde::{Deserialize, Serialize};

use super::super::schedule::QueueKey;
use super::super::{FrontierError, QueueEntry, RefreshRound};
#[cfg(doc)]
use super::super::{RobotsCopy, UriRecord};
use super::StorageError;
use crate::model::DropReason;

/// The format version. Increase it if older programs cannot read the new format, or if this program
/// cannot read the old one.
pub(super) const FORMAT_VERSION: u32 = 9;

/// The stored state of a domain.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DomainRecord {
    pub(super) name: String,
    pub(super) documents: u32,
    pub(super) closed: Option<DropReason>,
    /// End of the domain's delay in milliseconds since the Unix epoch, so that a `Retry-After`
    /// applies after a restart, too.
    pub(super) delayed_until_ms: u64,
    /// The crawl delay that the hosts of the domain request, in milliseconds.
    pub(super) delay_ms: u64,
}

/// Where the record of a known URI is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum SeenEntry {
    /// In `queue`, under this key.
    Waiting(u128),
    /// In `uris`, under this age.
    Settled(u64),
}

/// A waiting URI. Attempts and probe results are not stored, so a new process starts without them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct QueueRecord {
    pub(super) entry: QueueEntry,
}

/// The keyspaces of a frontier.
pub(super) struct FrontierTables {
    pub(super) database: Database,
    pub(super) meta: Keyspace,
    pub(super) domains: Keyspace,
    pub(super) seen: Keyspace,
    pub(super) queue: Keyspace,
    pub(super) uris: Keyspace,
    pub(super) robots: Keyspace,
}

impl FrontierTables {
    pub(super) fn open(database: &Database) -> Result<Self, StorageError> {
        const MIB: u64 = 1 << 20;
        // Indexes and filters stay in memory, about ten bits per URI: every lookup needs them,
        // and reading them again is expensive.
        let options = |memtable_mib: u64| {
            KeyspaceCreateOptions::default()
                .max_memtable_size(memtable_mib * MIB)
                .index_block_pinning_policy(PinningPolicy::all(true))
                .filter_block_pinning_policy(PinningPolicy::all(true))
        };
        // Values are written once, outside the tree, and take no part in its merges. Only existing
        // records are looked up, so no filter is needed.
        let records = |memtable_mib: u64| {
            let values = KvSeparationOptions::default().separation_threshold(64);
            options(memtable_mib).filter_policy(FilterPolicy::disabled()).with_kv_separation(Some(values))
        };
        let meta = database.keyspace("meta", || options(1))?;
        // Checked before the other keyspaces are created, so that a database of another version is
        // not changed.
        check_version(&meta)?;
        Ok(Self {
            database: database.clone(),
            meta,
            domains: database.keyspace("domains", || options(1))?,
            seen: database.keyspace("seen", || options(8))?,
            queue: database.keyspace("queue", || records(8))?,
            uris: database.keyspace("uris", || records(4))?,
            robots: database.keyspace("robots", || records(1))?,
        })
    }

    /// Whether so much data waits to be written to disk that the crawl must pause.
    pub(super) fn has_write_backlog(&self) -> bool {
        const MAX_SEALED_MEMTABLES: usize = 4;
        let sealed = [&self.seen, &self.queue, &self.uris].map(Keyspace::sealed_memtable_count);
        sealed.iter().sum::<usize>() > MAX_SEALED_MEMTABLES
    }

    /// The running refresh round; `None` if no round is running.
    pub(super) fn refresh_round(&self) -> Result<Option<RefreshRound>, StorageError> {
        let bytes = self.meta.get("round")?;
        Ok(bytes.filter(|bytes| !bytes.is_empty()).map(|bytes| postcard::from_bytes(&bytes)).transpose()?)
    }

    /// A batch that is written to the operating system when it is committed.
    pub(super) fn batch(&self) -> fjall::OwnedWriteBatch {
        self.database.batch().durability(Some(PersistMode::Buffer))
    }

    /// The records of one domain's queue, from a key on.
    pub(super) fn queue_from(
        &self,
        from: QueueKey,
    ) -> impl Iterator<Item = Result<(QueueKey, fjall::UserValue), StorageError>> + use<> {
        let end = QueueKey::domain_start(from.domain() + 1);
        self.queue.range(key_bytes(from)..key_bytes(end)).map(|guard| {
            let (key, value) = guard.into_inner()?;
            Ok((QueueKey(u128_from_bytes(&key)), value))
        })
    }

    /// The key of the first record in the queue of this domain or of a later one.
    pub(super) fn next_queue(&self, domain: u32) -> Result<Option<QueueKey>, StorageError> {
        match self.queue.range(key_bytes(QueueKey::domain_start(domain))..).next() {
            Some(guard) => Ok(Some(QueueKey(u128_from_bytes(&guard.key()?)))),
            None => Ok(None),
        }
    }
}

/// Rejects the database of another version, without changing it. The version also covers the index
/// of the harvest, which is in the same database.
pub(super) fn require_version(database: &Database) -> Result<(), StorageError> {
    if database.keyspace_exists("meta") {
        let meta = database.keyspace("meta", KeyspaceCreateOptions::default)?;
        if meta.contains_key("version")? {
            check_version(&meta)?;
        }
    }
    Ok(())
}

/// The next age as of the last commit; 0 if the database has no frontier.
pub(super) fn stored_sequence(database: &Database) -> Result<u64, StorageError> {
    if !database.keyspace_exists("meta") {
        return Ok(0);
    }
    let bytes = database.keyspace("meta", KeyspaceCreateOptions::default)?.get("sequence")?;
    Ok(bytes.and_then(|bytes| bytes.as_ref().try_into().ok()).map_or(0, u64::from_be_bytes))
}

/// Checks the format version of a database, and writes it into a new one.
fn check_version(meta: &Keyspace) -> Result<(), StorageError> {
    match meta.get("version")? {
        None => Ok(meta.insert("version", FORMAT_VERSION.to_be_bytes())?),
        Some(bytes) => {
            let found = bytes.as_ref().try_into().map_or(0, u32::from_be_bytes);
            if found == FORMAT_VERSION { Ok(()) } else { Err(FrontierError::version(found, FORMAT_VERSION).into()) }
        }
    }
}

/// The bytes of a key on disk.
pub(super) fn key_bytes(key: QueueKey) -> [u8; 16] {
    key.0.to_be_bytes()
}

/// The age of a settlement, from its key.
pub(super) fn age_from_bytes(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_be_bytes)
}

/// Decodes a number of 16 bytes. Returns 0, which is not a valid key, for any other length.
pub(super) fn u128_from_bytes(bytes: &[u8]) -> u128 {
    bytes.try_into().map_or(0, u128::from_be_bytes)
}
