//! A frontier on disk, in this process: no server to install.
//!
//! Five keyspaces of one fjall database (see [`disk`]) hold everything; memory
//! holds the heads of the queues and the door of the seen set, both of fixed
//! size. What is said is written into two batches, *offers* and *settlements*,
//! which [`Frontier::commit`] hands to the database in that order. A commit is
//! one write to the operating system per batch: a killed process loses nothing
//! committed. [`Frontier::sync`] is the fsync.

mod disk;
mod hops;
mod round;
mod state;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;

use super::{
    Census, Frontier, FrontierError, Guide, Hop, Leased, Life, Offer, Offered, Round, Settlement, Share, Which,
};
use crate::model::{Candidate, DropReason, Link, Moment, Pld, Uri, Visit};
use crate::select::Order;
use state::State;

/// A frontier in a fjall database. One process at a time.
pub struct EmbeddedFrontier {
    state: Mutex<State>,
    database: fjall::Database,
}

/// How much an embedded frontier may use, and how it orders.
#[derive(Clone, Debug)]
pub struct Options {
    /// The order across domains.
    pub order: Order,
    /// Documents after which a domain is closed.
    pub documents_per_pld_max: Option<u32>,
    /// How long every domain rests when a crawl is resumed: whoever was visited
    /// just before the last process ended must not be visited at once.
    pub rest_on_open: Duration,
    /// Milliseconds since the Unix epoch, for rests that outlive a process.
    pub opened_at_ms: u64,
    /// Candidates held in memory, over all domains.
    pub heads_total_max: usize,
    /// Candidates held in memory for one domain.
    pub heads_per_pld_max: usize,
    /// For how many URIs the door of the seen set is built.
    pub known_expected: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            order: Order::RoundRobin,
            documents_per_pld_max: None,
            rest_on_open: Duration::ZERO,
            opened_at_ms: 0,
            heads_total_max: 65_536,
            heads_per_pld_max: 1_024,
            known_expected: 10_000_000,
        }
    }
}

/// Opens the database a crawl keeps its state in.
///
/// Its memory is bounded by the cache and by the write buffers of its keyspaces,
/// each of which states its own; the journals, which must be replayed after a
/// crash, by `JOURNALS_MIB_MAX`.
pub fn open_database(directory: &Path, cache_mb: u64) -> Result<fjall::Database, fjall::Error> {
    const MIB: u64 = 1 << 20;
    const JOURNALS_MIB_MAX: u64 = 128;
    fjall::Database::builder(directory)
        .cache_size(cache_mb * MIB)
        .max_journaling_size(JOURNALS_MIB_MAX * MIB)
        .max_cached_files(Some(128))
        // With more than one worker, fjall 3.1 keeps the first one free for
        // flushes by letting it send compactions round in a circle, at full
        // speed, for as long as another worker compacts: a fifth of the CPU.
        .worker_threads(1)
        .open()
}

/// Makes the tables of a frontier in a new database, for somebody to fill them.
pub(crate) fn make_tables(database: &fjall::Database) -> Result<(), FrontierError> {
    disk::Disk::open(database).map(drop)
}

impl EmbeddedFrontier {
    /// Opens the frontier in this database, or begins one.
    pub fn open(database: &fjall::Database, options: Options) -> Result<Self, FrontierError> {
        let state = State::open(database, options)?;
        Ok(Self { state: Mutex::new(state), database: database.clone() })
    }

    /// Queues documents again that were settled and whose harvest is lost, as
    /// after a power cut. Returns what they were.
    pub fn revive(&self, fingerprints: &[u128]) -> Result<Vec<Life>, FrontierError> {
        self.state().revive(fingerprints)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds the state")
    }
}

#[async_trait]
impl Frontier for EmbeddedFrontier {
    async fn sift(&self, links: Vec<Link>) -> Result<Vec<Link>, FrontierError> {
        self.state().sift(links)
    }

    async fn offer(&self, offers: Vec<Offer>) -> Result<Offered, FrontierError> {
        self.state().offer(offers)
    }

    async fn lease(&self, now: Moment, max: usize, guide: &mut dyn Guide) -> Result<Leased, FrontierError> {
        self.state().lease(now, max, guide)
    }

    async fn settle(&self, visit: Visit, settlement: Settlement) -> Result<u64, FrontierError> {
        self.state().settle(visit, settlement)
    }

    async fn begin(&self, now_ms: u64) -> Result<(), FrontierError> {
        self.state().begin(now_ms);
        Ok(())
    }

    async fn slow_down(&self, pld: &Pld, delay: Duration) -> Result<(), FrontierError> {
        self.state().slow_down(pld, delay);
        Ok(())
    }

    async fn close(&self, pld: &Pld, reason: DropReason) -> Result<u64, FrontierError> {
        self.state().close(pld, reason)
    }

    async fn commit(&self, memo: &[u8]) -> Result<(), FrontierError> {
        self.state().commit(memo)?;
        // A crawl that is faster than its disk waits for it here: otherwise what
        // is to be written would pile up in memory.
        while self.state().is_behind() {
            let pause = tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_millis(2)));
            pause.await.expect("a pause does not panic");
        }
        Ok(())
    }

    async fn sync(&self) -> Result<(), FrontierError> {
        Ok(self.database.persist(fjall::PersistMode::SyncData)?)
    }

    async fn memo(&self) -> Result<Option<Vec<u8>>, FrontierError> {
        self.state().memo()
    }

    async fn recall(&self, uri: &Uri) -> Result<Option<Life>, FrontierError> {
        self.state().recall(uri)
    }

    async fn census(&self) -> Result<Census, FrontierError> {
        Ok(self.state().census())
    }

    async fn hop(&self) -> Result<Option<Hop>, FrontierError> {
        Ok(self.state().hop())
    }

    async fn waiting_by_pld(&self) -> Result<Vec<(Pld, u64)>, FrontierError> {
        self.state().waiting_by_pld()
    }

    async fn shares_of_hop(&self, depth: u16) -> Result<HashMap<Pld, Share>, FrontierError> {
        self.state().shares_of_hop(depth)
    }

    async fn settled(&self, from: u64, max: usize) -> Result<Vec<(u64, Life)>, FrontierError> {
        self.state().settled(from, max)
    }

    async fn begin_round(&self, which: Which, now_ms: u64) -> Result<Round, FrontierError> {
        self.state().begin_round(which, now_ms)
    }

    async fn round(&self) -> Result<Option<Round>, FrontierError> {
        self.state().round()
    }

    async fn requeue(&self, candidates: Vec<(u64, Candidate)>, next: u64) -> Result<Option<Round>, FrontierError> {
        self.state().requeue(candidates, next)
    }

    async fn end_round(&self) -> Result<(), FrontierError> {
        self.state().end_round()
    }
}
