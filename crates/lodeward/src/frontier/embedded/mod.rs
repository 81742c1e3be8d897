//! A frontier on disk, embedded in this process.
//!
//! Six keyspaces of one fjall database (see `tables`) hold everything. Memory holds the
//! heads of the queues and the sieve, both of fixed size. Changes are written into two batches,
//! *offers* and *settlements*, which [`Queue::commit`] hands to the database in that order.
//! A commit is one write to the operating system per batch: a killed process loses nothing that
//! was committed. [`Queue::sync`] is the fsync.

mod tables;
mod hops;
mod removal;
mod readmission;
mod refresh_round;
mod state;
mod views;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use fjall::Readable as _;

use super::{
    Census, CurrentHop, DomainQueueState, FrontierError, HopShare, Journal, Lease, LeaseReply, LeaseRequest, Offer,
    OfferSummary, Queue, QueueEntry, QueueStart, RefreshRound, RefreshSelection, RobotsCopy, Rounds, ScoreBatch,
    SettleSummary, SettledRecords, Settlement, UriRecord,
};
use crate::model::{DropReason, Pld, StoreReceipt, Uri};
pub use lodeward_fjall::{DatabaseOpenError, JournalCut, ProgressFile, cut_damage};
use state::EmbeddedFrontierState;

/// A frontier in a fjall database. Only one process can open it at a time.
pub struct EmbeddedFrontier {
    state: Mutex<EmbeddedFrontierState>,
    database: fjall::Database,
    progress: Option<ProgressFile>,
}

/// Limits of an embedded frontier.
#[derive(Clone, Debug)]
pub struct EmbeddedFrontierOptions {
    /// Maximum number of documents per domain. A domain that reaches it is closed.
    pub max_documents_per_domain: Option<u32>,
    /// Delay of every domain when a crawl is resumed: the time of the last request of the previous
    /// process may not be stored.
    pub delay_on_open: Duration,
    /// When the frontier is opened, in milliseconds since the Unix epoch. Delays that an earlier
    /// process stored are converted with this time.
    pub opened_at_ms: u64,
    /// The longest delay of a domain. A stored time that is further in the future was written with
    /// a wrong clock.
    pub max_delay: Duration,
    /// Maximum number of entries in memory, over all domains.
    pub max_heads: usize,
    /// Maximum number of entries in memory per domain.
    pub max_heads_per_domain: usize,
    /// The number of URIs the sieve is sized for.
    pub expected_uris: usize,
    /// Where the progress of the frontier is written after each sync, if anywhere.
    pub progress: Option<ProgressFile>,
}

impl Default for EmbeddedFrontierOptions {
    fn default() -> Self {
        Self {
            max_documents_per_domain: None,
            delay_on_open: Duration::ZERO,
            opened_at_ms: 0,
            max_delay: Duration::from_hours(24),
            max_heads: 65_536,
            max_heads_per_domain: 1_024,
            expected_uris: 10_000_000,
            progress: None,
        }
    }
}

/// Opens the database of a crawl.
///
/// Memory is bounded by the cache and the write buffers; each keyspace sets the size of its own
/// write buffer. The journals, which are replayed after a crash, are bounded by `MAX_JOURNALS_MIB`.
pub fn open_database(directory: &Path, cache_mb: u64) -> Result<fjall::Database, DatabaseOpenError> {
    const MIB: u64 = 1 << 20;
    const MAX_JOURNALS_MIB: u64 = 128;
    lodeward_fjall::open(directory, |builder| {
        builder.cache_size(cache_mb * MIB).max_journaling_size(MAX_JOURNALS_MIB * MIB)
    })
}

/// Returns an error if the database has a frontier of another format version.
pub fn require_version(database: &fjall::Database) -> Result<(), FrontierError> {
    Ok(tables::require_version(database)?)
}

/// Returns an error if the frontier in this database has lost changes that were synced.
pub fn require_progress(database: &fjall::Database, progress: &ProgressFile) -> Result<(), FrontierError> {
    let sequence = tables::stored_sequence(database)?;
    progress.require(&[sequence]).map_err(FrontierError::lost)
}

/// Creates the empty tables of a frontier in a new database.
pub fn create_tables(database: &fjall::Database) -> Result<(), FrontierError> {
    Ok(tables::FrontierTables::open(database).map(drop)?)
}

impl EmbeddedFrontier {
    /// Opens the frontier in this database, or creates it.
    pub fn open(database: &fjall::Database, options: EmbeddedFrontierOptions) -> Result<Self, FrontierError> {
        let progress = options.progress.clone();
        let state = EmbeddedFrontierState::open(database, options)?;
        Ok(Self { state: Mutex::new(state), database: database.clone(), progress })
    }

    /// Runs a change. If it fails, a part of it may be missing on disk or in memory, so all further
    /// changes fail, too: a later commit would settle URIs whose links were lost.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut EmbeddedFrontierState) -> Result<T, StorageError>,
    ) -> Result<T, FrontierError> {
        let mut state = self.state();
        if state.is_unusable {
            return Err(FrontierError::unusable());
        }
        let changed = change(&mut state);
        state.is_unusable = changed.is_err();
        Ok(changed?)
    }

    /// Hands all commits so far to the operating system or the disk.
    fn persist(&self, mode: fjall::PersistMode) -> Result<(), FrontierError> {
        // Without the lock: an fsync may take long.
        let persisted = self.database.persist(mode).map_err(StorageError::from);
        if persisted.is_err() {
            self.state().is_unusable = true;
        }
        Ok(persisted?)
    }

    fn state(&self) -> MutexGuard<'_, EmbeddedFrontierState> {
        self.state.lock().expect("the lock is not poisoned")
    }
}

/// An error of the database, or of a record in it. Keeps the storage engine out of the public error.
struct StorageError(FrontierError);

impl From<fjall::Error> for StorageError {
    fn from(error: fjall::Error) -> Self {
        Self(FrontierError::new("cannot access the frontier database", error))
    }
}

impl From<postcard::Error> for StorageError {
    fn from(error: postcard::Error) -> Self {
        Self(FrontierError::new("cannot decode a record of the frontier", error))
    }
}

impl From<FrontierError> for StorageError {
    fn from(error: FrontierError) -> Self {
        Self(error)
    }
}

impl From<StorageError> for FrontierError {
    fn from(StorageError(error): StorageError) -> Self {
        error
    }
}

#[async_trait]
impl Queue for EmbeddedFrontier {
    async fn start(&self, start: QueueStart) -> Result<(), FrontierError> {
        self.state().start(start);
        Ok(())
    }

    async fn sift(&self, uris: Vec<Uri>) -> Result<Vec<bool>, FrontierError> {
        Ok(self.state().sift(&uris)?)
    }

    async fn drop_reasons(&self, uris: Vec<Uri>) -> Result<Vec<Option<DropReason>>, FrontierError> {
        Ok(self.state().drop_reasons(&uris)?)
    }

    async fn offer(&self, offers: Vec<Offer>) -> Result<OfferSummary, FrontierError> {
        self.change(|state| state.offer(offers))
    }

    async fn lease(&self, request: LeaseRequest) -> Result<LeaseReply, FrontierError> {
        self.change(|state| state.lease(request))
    }

    async fn rescored(&self, scores: ScoreBatch) -> Result<LeaseReply, FrontierError> {
        self.change(|state| state.rescored(scores))
    }

    async fn settle(&self, settled: Vec<(Lease, Settlement)>) -> Result<SettleSummary, FrontierError> {
        self.change(|state| {
            let mut summary = SettleSummary::default();
            for (lease, settlement) in settled {
                summary.count(state.settle(lease, settlement)?);
            }
            Ok(summary)
        })
    }

    async fn set_crawl_delay(&self, pld: &Pld, delay: Duration) -> Result<(), FrontierError> {
        self.state().set_crawl_delay(pld, delay);
        Ok(())
    }

    async fn store_robots(&self, copy: RobotsCopy) -> Result<(), FrontierError> {
        self.change(|state| state.store_robots(&copy))
    }

    async fn drop_waiting(&self, dropped: Vec<(Uri, DropReason)>) -> Result<Vec<(DropReason, u64)>, FrontierError> {
        self.change(|state| state.drop_waiting(dropped))
    }

    async fn close(&self, pld: &Pld, reason: DropReason) -> Result<u64, FrontierError> {
        self.change(|state| state.close(pld, reason))
    }

    async fn commit(&self, memo: &[u8], _: StoreReceipt) -> Result<(), FrontierError> {
        self.change(|state| state.commit(memo))?;
        // A crawl that is faster than its disk waits here; otherwise unwritten data would
        // accumulate in memory.
        while self.state().has_write_backlog() {
            // If the thread that writes the data has failed, the backlog never ends.
            self.persist(fjall::PersistMode::Buffer)?;
            let pause = tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(2)));
            pause.await.expect("the sleeping thread does not panic");
        }
        Ok(())
    }

    async fn sync(&self) -> Result<(), FrontierError> {
        let sequence = tables::stored_sequence(&self.database)?;
        self.persist(fjall::PersistMode::SyncData)?;
        // Without the file, only a loss of changes is noticed later, so a failure is no error.
        if let Some(Err(error)) = self.progress.as_ref().map(|progress| progress.write(&[sequence])) {
            tracing::warn!(%error, "cannot write the progress of the frontier");
        }
        Ok(())
    }
}

#[async_trait]
impl Journal for EmbeddedFrontier {
    async fn memo(&self) -> Result<Option<Vec<u8>>, FrontierError> {
        Ok(self.state().memo()?)
    }

    async fn uri_record(&self, uri: &Uri) -> Result<Option<UriRecord>, FrontierError> {
        Ok(self.state().uri_record(uri)?)
    }

    async fn find_records(&self, fingerprints: &[u128]) -> Result<Vec<Option<UriRecord>>, FrontierError> {
        let state = self.state();
        let records = fingerprints.iter().map(|fingerprint| state.find_record(*fingerprint));
        Ok(records.collect::<Result<_, StorageError>>()?)
    }

    async fn settled_records(&self, from: u64, max: usize) -> Result<Vec<(u64, UriRecord)>, FrontierError> {
        Ok(self.state().settled_records(from, max)?)
    }

    async fn settled_records_before(&self, before: u64, max: usize) -> Result<Vec<(u64, UriRecord)>, FrontierError> {
        Ok(self.state().settled_records_before(before, max)?)
    }

    fn settled_snapshot(&self) -> SettledRecords {
        // The lock is held only for this line, so that a reader never delays the crawl.
        let uris = self.state().tables.uris.clone();
        let records = self.database.snapshot().iter(&uris).map(|guard| {
            let (_, value) = guard.into_inner().map_err(StorageError::from)?;
            Ok(postcard::from_bytes(&value).map_err(StorageError::from)?)
        });
        Box::new(records)
    }

    async fn census(&self) -> Result<Census, FrontierError> {
        Ok(self.state().census())
    }

    async fn current_hop(&self) -> Result<Option<CurrentHop>, FrontierError> {
        Ok(self.state().current_hop())
    }

    async fn domain_queues(&self) -> Result<Vec<DomainQueueState>, FrontierError> {
        // The lock is held only for this line, so that a reader never delays the crawl.
        let (queue, mut domains) = self.state().domains_without_counts();
        views::count_queues(&self.database.snapshot(), &queue, &mut domains)?;
        Ok(domains)
    }

    async fn next_entries(&self, pld: Option<&Pld>, max: usize) -> Result<Vec<(QueueEntry, u64)>, FrontierError> {
        self.change(|state| state.next_entries(pld, max))
    }

    fn waiting_snapshot(&self) -> Box<dyn Iterator<Item = Result<QueueEntry, FrontierError>> + Send> {
        let (queue, closed) = self.state().queue_and_closed_domains();
        views::waiting_entries(&self.database.snapshot(), &queue, closed)
    }

    async fn robots_copies(&self, pld: &Pld) -> Result<Vec<RobotsCopy>, FrontierError> {
        Ok(self.state().robots_copies(pld)?)
    }

    async fn waiting_by_domain(&self) -> Result<Vec<(Pld, u64)>, FrontierError> {
        Ok(self.state().waiting_by_pld()?)
    }

    async fn hop_shares(&self, depth: u16) -> Result<HashMap<Pld, HopShare>, FrontierError> {
        Ok(self.state().hop_shares(depth)?)
    }
}

#[async_trait]
impl Rounds for EmbeddedFrontier {
    async fn begin_round(&self, selection: RefreshSelection, now_ms: u64) -> Result<RefreshRound, FrontierError> {
        self.change(|state| state.begin_round(selection, now_ms))
    }

    async fn current_round(&self) -> Result<Option<RefreshRound>, FrontierError> {
        Ok(self.state().current_round()?)
    }

    async fn requeue(&self, entries: Vec<(u64, QueueEntry)>, next: u64) -> Result<Option<RefreshRound>, FrontierError> {
        self.change(|state| state.requeue(entries, next))
    }

    async fn requeue_lost(&self, fingerprints: &[u128]) -> Result<Vec<UriRecord>, FrontierError> {
        self.change(|state| state.requeue_lost(fingerprints))
    }

    async fn end_round(&self) -> Result<(), FrontierError> {
        self.change(state::EmbeddedFrontierState::end_round)
    }
}
