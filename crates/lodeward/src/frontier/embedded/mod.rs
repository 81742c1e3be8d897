//! A frontier on disk, embedded in this process.
//!
//! Five keyspaces of one fjall database (see [`tables`]) hold everything. Memory holds the
//! heads of the queues and the sieve, both of fixed size. Changes are written into two batches,
//! *offers* and *settlements*, which [`Frontier::commit`] hands to the database in that order.
//! A commit is one write to the operating system per batch: a killed process loses nothing that
//! was committed. [`Frontier::sync`] is the fsync.

mod tables;
mod hops;
mod refresh_round;
mod state;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;

use super::{
    Census, CurrentHop, Frontier, FrontierError, Guide, HopShare, LeaseBatch, Offer, OfferSummary, RefreshRound,
    RefreshSelection, Settlement, UriRecord,
};
use crate::frontier::{DomainOrder, Lease, QueueEntry};
use crate::model::{CrawlTime, DropReason, Pld, Uri};
use state::EmbeddedFrontierState;

/// A frontier in a fjall database. Only one process can open it at a time.
pub struct EmbeddedFrontier {
    state: Mutex<EmbeddedFrontierState>,
    database: fjall::Database,
}

/// Memory limits and order of an embedded frontier.
#[derive(Clone, Debug)]
pub struct EmbeddedFrontierOptions {
    /// The order across domains.
    pub order: DomainOrder,
    /// Maximum number of documents per domain. A domain that reaches it is closed.
    pub max_documents_per_domain: Option<u32>,
    /// Delay of every domain when a crawl is resumed: the time of the last request of the previous
    /// process may not be stored.
    pub delay_on_open: Duration,
    /// When the frontier is opened, in milliseconds since the Unix epoch. Delays that an earlier
    /// process stored are converted with this time.
    pub opened_at_ms: u64,
    /// Maximum number of entries in memory, over all domains.
    pub max_heads: usize,
    /// Maximum number of entries in memory per domain.
    pub max_heads_per_domain: usize,
    /// The number of URIs the sieve is sized for.
    pub expected_uris: usize,
}

impl Default for EmbeddedFrontierOptions {
    fn default() -> Self {
        Self {
            order: DomainOrder::RoundRobin,
            max_documents_per_domain: None,
            delay_on_open: Duration::ZERO,
            opened_at_ms: 0,
            max_heads: 65_536,
            max_heads_per_domain: 1_024,
            expected_uris: 10_000_000,
        }
    }
}

/// Opens the database of a crawl.
///
/// Memory is bounded by the cache and the write buffers; each keyspace sets the size of its own
/// write buffer. The journals, which are replayed after a crash, are bounded by `MAX_JOURNALS_MIB`.
pub fn open_database(directory: &Path, cache_mb: u64) -> Result<fjall::Database, fjall::Error> {
    const MIB: u64 = 1 << 20;
    const MAX_JOURNALS_MIB: u64 = 128;
    lodeward_fjall::open(directory, |builder| {
        builder.cache_size(cache_mb * MIB).max_journaling_size(MAX_JOURNALS_MIB * MIB)
    })
}

/// Creates the empty tables of a frontier in a new database.
pub fn create_tables(database: &fjall::Database) -> Result<(), FrontierError> {
    tables::FrontierTables::open(database).map(drop)
}

impl EmbeddedFrontier {
    /// Opens the frontier in this database, or creates it.
    pub fn open(database: &fjall::Database, options: EmbeddedFrontierOptions) -> Result<Self, FrontierError> {
        let state = EmbeddedFrontierState::open(database, options)?;
        Ok(Self { state: Mutex::new(state), database: database.clone() })
    }

    /// Queues settled documents again if their statements were lost, for example after a power
    /// failure. Returns their records.
    pub fn requeue_lost(&self, fingerprints: &[u128]) -> Result<Vec<UriRecord>, FrontierError> {
        self.state().requeue_lost(fingerprints)
    }

    fn state(&self) -> MutexGuard<'_, EmbeddedFrontierState> {
        self.state.lock().expect("the lock is not poisoned")
    }
}

#[async_trait]
impl Frontier for EmbeddedFrontier {
    async fn sift(&self, uris: Vec<Uri>) -> Result<Vec<bool>, FrontierError> {
        self.state().sift(&uris)
    }

    async fn offer(&self, offers: Vec<Offer>) -> Result<OfferSummary, FrontierError> {
        self.state().offer(offers)
    }

    async fn lease(&self, now: CrawlTime, max: usize, guide: &mut dyn Guide) -> Result<LeaseBatch, FrontierError> {
        self.state().lease(now, max, guide)
    }

    async fn settle(&self, lease: Lease, settlement: Settlement) -> Result<u64, FrontierError> {
        self.state().settle(lease, settlement)
    }

    async fn set_start_time(&self, now_ms: u64) -> Result<(), FrontierError> {
        self.state().set_start_time(now_ms);
        Ok(())
    }

    async fn set_crawl_delay(&self, pld: &Pld, delay: Duration) -> Result<(), FrontierError> {
        self.state().set_crawl_delay(pld, delay);
        Ok(())
    }

    async fn close(&self, pld: &Pld, reason: DropReason) -> Result<u64, FrontierError> {
        self.state().close(pld, reason)
    }

    async fn commit(&self, memo: &[u8]) -> Result<(), FrontierError> {
        self.state().commit(memo)?;
        // A crawl that is faster than its disk waits here; otherwise unwritten data would
        // accumulate in memory.
        while self.state().has_write_backlog() {
            let pause = tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(2)));
            pause.await.expect("the sleeping thread does not panic");
        }
        Ok(())
    }

    async fn sync(&self) -> Result<(), FrontierError> {
        Ok(self.database.persist(fjall::PersistMode::SyncData)?)
    }

    async fn memo(&self) -> Result<Option<Vec<u8>>, FrontierError> {
        self.state().memo()
    }

    async fn uri_record(&self, uri: &Uri) -> Result<Option<UriRecord>, FrontierError> {
        self.state().uri_record(uri)
    }

    async fn census(&self) -> Result<Census, FrontierError> {
        Ok(self.state().census())
    }

    async fn current_hop(&self) -> Result<Option<CurrentHop>, FrontierError> {
        Ok(self.state().current_hop())
    }

    async fn waiting_by_domain(&self) -> Result<Vec<(Pld, u64)>, FrontierError> {
        self.state().waiting_by_pld()
    }

    async fn hop_shares(&self, depth: u16) -> Result<HashMap<Pld, HopShare>, FrontierError> {
        self.state().hop_shares(depth)
    }

    async fn settled_records(&self, from: u64, max: usize) -> Result<Vec<(u64, UriRecord)>, FrontierError> {
        self.state().settled_records(from, max)
    }

    async fn begin_refresh_round(&self, which: RefreshSelection, now_ms: u64) -> Result<RefreshRound, FrontierError> {
        self.state().begin_refresh_round(which, now_ms)
    }

    async fn refresh_round(&self) -> Result<Option<RefreshRound>, FrontierError> {
        self.state().refresh_round()
    }

    async fn requeue(&self, entries: Vec<(u64, QueueEntry)>, next: u64) -> Result<Option<RefreshRound>, FrontierError> {
        self.state().requeue(entries, next)
    }

    async fn end_refresh_round(&self) -> Result<(), FrontierError> {
        self.state().end_refresh_round()
    }
}
