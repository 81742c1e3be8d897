//! The conductor: the task that owns the state of a crawl.

#![expect(clippy::disallowed_methods, reason = "only the engine of a crawl reads the clock")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep_until};

use super::addresses::HostAddresses;
use super::departure::domain_order;
use super::document_origin::RecentRedirects;
use super::errand::ErrandReturn;
use super::health::ServerHealth;
use super::hops::HopProgress;
use super::robots::RobotsCache;
use super::shared::CrawlGates;
use super::tally::{CrawlSnapshot, Tally, TallyKey};
use super::traps::Traps;
use super::{Crawl, CrawlCommand, CrawlError, StopReason};
use crate::frontier::QueueStart;
use crate::model::{CrawlTime, Link, LinkKind, Outcome, Relevance, Uri};
use crate::select::LinkContext;
use crate::store::follow::Lag;

/// How long a stopped crawl waits for errands in flight.
const STOP_GRACE_PERIOD: Duration = Duration::from_secs(10);

/// The events of a crawl.
enum CrawlEvent {
    Returned(Box<ErrandReturn>),
    Command(CrawlCommand),
    Timer,
}

/// The state of a running crawl.
pub(super) struct Conductor {
    pub(super) crawl: Crawl,
    pub(super) rng: SmallRng,
    pub(super) tally: Tally,
    pub(super) gates: CrawlGates,
    pub(super) addresses: HostAddresses,
    pub(super) robots: RobotsCache,
    pub(super) servers: ServerHealth,
    pub(super) traps: Traps,
    pub(super) recent_redirects: RecentRedirects,
    pub(super) hops: HopProgress,
    pub(super) errands: JoinSet<ErrandReturn>,
    /// The number of the next errand. Errands are numbered in the order of their start.
    pub(super) next_errand: u64,
    commands: mpsc::Receiver<CrawlCommand>,
    progress: watch::Sender<CrawlSnapshot>,
    started_at: Instant,
    /// `started_at` in milliseconds since the Unix epoch.
    started_at_ms: u64,
    /// Errands that returned before earlier ones, if responses are processed in order.
    early_returns: BTreeMap<u64, ErrandReturn>,
    next_arrival: u64,
    /// When the stop command arrived.
    pub(super) stopping: Option<CrawlTime>,
    /// Whether to stop without waiting for errands.
    stop_now: bool,
    last_commit: CrawlTime,
    last_sync: CrawlTime,
    last_model_save: CrawlTime,
    /// When the last errand started.
    pub(super) last_departure: CrawlTime,
    /// Whether there are changes since the last commit.
    pub(super) uncommitted: bool,
    pub(super) documents_since_commit: u64,
    syncing: Option<JoinHandle<Result<(), CrawlError>>>,
    /// Whether a refresh round is running.
    pub(super) refreshing: bool,
    /// Number of requests that resumed an interrupted body and are already in the tally.
    resumptions: u64,
}

impl Conductor {
    pub(super) async fn new(
        crawl: Crawl,
        commands: mpsc::Receiver<CrawlCommand>,
        progress: watch::Sender<CrawlSnapshot>,
    ) -> Result<Self, CrawlError> {
        let settings = &crawl.options;
        let memo = crawl.frontier.memo().await?.unwrap_or_default();
        let mut tally: Tally = serde_json::from_slice(&memo).unwrap_or_default();
        for record in &crawl.requeued {
            if let Some(Outcome::Document(document)) = &record.outcome {
                tally.uncount_document(TallyKey::from_record(record), document);
            }
        }
        let (started_at, started_at_ms) = (Instant::now(), (settings.now_ms)());
        crawl.frontier.start(QueueStart { started_at_ms, order: domain_order(&crawl) }).await?;
        Ok(Self {
            rng: SmallRng::seed_from_u64(settings.rng_seed),
            tally,
            gates: crawl.politeness.register_crawl(started_at),
            addresses: HostAddresses::new(settings.max_cached_hosts),
            robots: RobotsCache::new(settings.robots_ttl, settings.max_cached_hosts),
            servers: ServerHealth::new(settings),
            traps: Traps::default(),
            recent_redirects: RecentRedirects::default(),
            hops: HopProgress::from_memo(&memo),
            errands: JoinSet::new(),
            next_errand: 0,
            commands,
            progress,
            started_at,
            started_at_ms,
            early_returns: BTreeMap::new(),
            next_arrival: 0,
            stopping: None,
            stop_now: false,
            last_commit: CrawlTime::ZERO,
            last_sync: CrawlTime::ZERO,
            last_model_save: CrawlTime::ZERO,
            last_departure: CrawlTime::ZERO,
            uncommitted: false,
            documents_since_commit: 0,
            syncing: None,
            refreshing: false,
            resumptions: crawl.fetcher.resumptions(),
            crawl,
        })
    }

    pub(super) async fn run(mut self, seeds: Vec<Uri>) -> Result<(StopReason, CrawlSnapshot), CrawlError> {
        self.offer_seeds(seeds).await?;
        self.begin_refresh().await?;
        let stop_reason = loop {
            let wake_at = if self.stopping.is_none() { self.dispatch().await? } else { None };
            if self.end_refresh_if_done().await? {
                continue;
            }
            if let Some(stop_reason) = self.stop_reason().await? {
                break stop_reason;
            }
            if self.in_flight() == 0 && wake_at.is_none() && self.stopping.is_none() {
                return Err(CrawlError::Stuck(self.crawl.frontier.census().await?.uris_waiting));
            }
            match self.next_event(wake_at).await {
                CrawlEvent::Returned(back) => self.receive_return(*back).await?,
                CrawlEvent::Command(command) => self.apply_command(command),
                CrawlEvent::Timer => {}
            }
            if self.stop_now {
                break StopReason::Stopped;
            }
            self.commit_if_due().await?;
        };
        self.errands.abort_all();
        self.commit().await?;
        self.crawl.store.sync().await?;
        self.crawl.frontier.sync().await?;
        // A running sync may be storing the model, so the conductor waits for the sync before it
        // stores the model again.
        if let Some(syncing) = self.syncing.take() {
            syncing.await.expect("the sync task does not panic")?;
        }
        if let Some(save) = self.save_model() {
            spawn_blocking(save).await.expect("storing the model does not panic");
        }
        self.finish_followers(self.stop_now).await?;
        Ok((stop_reason, self.snapshot().await?))
    }

    fn apply_command(&mut self, command: CrawlCommand) {
        self.stopping = Some(self.now());
        self.stop_now |= matches!(command, CrawlCommand::StopNow);
    }

    /// Applies the commands received so far, without waiting.
    pub(super) fn apply_pending_commands(&mut self) {
        while let Ok(command) = self.commands.try_recv() {
            self.apply_command(command);
        }
    }

    /// Waits until every follower has received the whole harvest, the timeout for unreachable
    /// followers expires, or a command ends the wait.
    async fn finish_followers(&mut self, stop_now: bool) -> Result<(), CrawlError> {
        let mut changes = self.crawl.followers.changes();
        if stop_now {
            self.crawl.followers.abandon();
        } else {
            self.crawl.followers.finish(self.crawl.options.follower_timeout);
        }
        while !stop_now && !self.crawl.followers.all_ended() {
            tokio::select! {
                biased;
                Some(_) = self.commands.recv() => {
                    self.crawl.followers.abandon();
                    break;
                }
                _ = changes.changed() => {
                    self.progress.send_replace(self.snapshot().await?);
                }
            }
        }
        for warning in self.crawl.followers.lags().iter().filter_map(Lag::warning) {
            tracing::warn!("{warning}");
        }
        Ok(())
    }

    async fn offer_seeds(&mut self, seeds: Vec<Uri>) -> Result<(), CrawlError> {
        let links = seeds.into_iter().map(|target| Link { target, via: LinkKind::Seed }).collect();
        let relevance = Relevance::None;
        let found = LinkContext { source: None, lease: None, format: "", relevance, depth: 0, redirects: 0 };
        self.offer(&found, links).await?;
        self.commit().await
    }

    /// The number of leases in flight: errands that are running, or that returned before an earlier one.
    pub(super) fn in_flight(&self) -> usize {
        self.errands.len() + self.early_returns.len()
    }

    pub(super) fn now(&self) -> CrawlTime {
        self.started_at.elapsed()
    }

    pub(super) fn epoch_ms(&self) -> u64 {
        self.to_epoch_ms(self.now())
    }

    pub(super) fn to_epoch_ms(&self, time: CrawlTime) -> u64 {
        let elapsed = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.started_at_ms.saturating_add(elapsed)
    }

    /// Why the crawl ends; `None` to continue.
    async fn stop_reason(&self) -> Result<Option<StopReason>, CrawlError> {
        let is_busy = self.in_flight() > 0;
        if let Some(since) = self.stopping {
            let in_grace_period = self.now() < since + STOP_GRACE_PERIOD;
            return Ok((!is_busy || !in_grace_period).then_some(StopReason::Stopped));
        }
        if is_busy {
            return Ok(None);
        }
        let settings = &self.crawl.options;
        if settings.max_requests.is_some_and(|max| self.tally.requests_since_refresh() >= max) {
            return Ok(Some(StopReason::MaxRequests));
        }
        if !self.refreshing && settings.max_documents.is_some_and(|max| self.tally.documents >= max) {
            return Ok(Some(StopReason::MaxDocuments));
        }
        if !self.refreshing && settings.max_rdf_documents.is_some_and(|max| self.tally.rdf_documents >= max) {
            return Ok(Some(StopReason::MaxRdfDocuments));
        }
        let census = self.crawl.frontier.census().await?;
        Ok((census.uris_waiting == 0).then_some(StopReason::Drained))
    }

    async fn next_event(&mut self, wake_at: Option<CrawlTime>) -> CrawlEvent {
        if self.crawl.options.in_order
            && let Some(back) = self.early_returns.remove(&self.next_arrival)
        {
            return CrawlEvent::Returned(Box::new(back));
        }
        let group_ends = self.uncommitted.then(|| self.last_commit + self.crawl.options.commit_interval);
        let grace_ends = self.stopping.map(|since| since + STOP_GRACE_PERIOD);
        let wake_at = [wake_at, group_ends, grace_ends].into_iter().flatten().min();
        let wake_at = wake_at.map(|time| self.started_at + time);
        tokio::select! {
            biased;
            Some(command) = self.commands.recv() => CrawlEvent::Command(command),
            Some(back) = self.errands.join_next() => {
                CrawlEvent::Returned(Box::new(back.expect("an errand catches its own panics")))
            }
            () = sleep_until(wake_at.unwrap_or(self.started_at)), if wake_at.is_some() => CrawlEvent::Timer,
            else => CrawlEvent::Timer,
        }
    }

    async fn receive_return(&mut self, back: ErrandReturn) -> Result<(), CrawlError> {
        if self.crawl.options.in_order && back.sent.number != self.next_arrival {
            self.early_returns.insert(back.sent.number, back);
            return Ok(());
        }
        self.next_arrival += 1;
        self.uncommitted = true;
        self.handle_return(back).await
    }

    async fn commit_if_due(&mut self) -> Result<(), CrawlError> {
        let settings = &self.crawl.options;
        let due = self.documents_since_commit >= settings.commit_documents
            || self.now() >= self.last_commit + settings.commit_interval;
        if self.uncommitted && due {
            self.commit().await?;
        }
        if self.now() >= self.last_sync + self.crawl.options.sync_interval {
            self.sync().await?;
        }
        Ok(())
    }

    /// Commits the store before the frontier: a document that is settled in the frontier must be in the store.
    pub(super) async fn commit(&mut self) -> Result<(), CrawlError> {
        self.count_resumptions();
        for observer in &mut self.crawl.observers {
            observer.before_commit();
        }
        self.crawl.store.commit().await?;
        let memo = self.hops.to_memo(&self.tally);
        self.crawl.frontier.commit(&memo).await?;
        self.uncommitted = false;
        self.documents_since_commit = 0;
        self.last_commit = self.now();
        self.progress.send_replace(self.snapshot().await?);
        Ok(())
    }

    /// Counts the requests that resumed interrupted bodies. They are counted while the errands
    /// run, because a dump may take an hour.
    pub(super) fn count_resumptions(&mut self) {
        let resumptions = self.crawl.fetcher.resumptions();
        self.tally.requests_get += resumptions.saturating_sub(self.resumptions);
        self.resumptions = resumptions;
    }

    /// Starts an fsync in the background, unless one is running.
    async fn sync(&mut self) -> Result<(), CrawlError> {
        self.last_sync = self.now();
        match self.syncing.take() {
            Some(running) if !running.is_finished() => self.syncing = Some(running),
            finished => {
                if let Some(finished) = finished {
                    finished.await.expect("the sync task does not panic")?;
                }
                let (store, frontier) = (Arc::clone(&self.crawl.store), Arc::clone(&self.crawl.frontier));
                // An fsync blocks and may take long, so it runs on a blocking thread.
                let runtime = Handle::current();
                let save = self.save_model_if_due();
                self.syncing = Some(spawn_blocking(move || {
                    if let Some(save) = save {
                        save();
                    }
                    runtime.block_on(async {
                        store.sync().await?;
                        Ok(frontier.sync().await?)
                    })
                }));
            }
        }
        Ok(())
    }

    fn save_model_if_due(&mut self) -> Option<impl FnOnce() + use<>> {
        let is_due = self.now() >= self.last_model_save + self.crawl.options.model_interval;
        if is_due { self.save_model() } else { None }
    }

    /// Returns a function that stores the model of the strategy. If storing fails, the crawl
    /// continues, and the previously stored model is kept.
    fn save_model(&mut self) -> Option<impl FnOnce() + use<>> {
        let model_store = Arc::clone(self.crawl.model_store.as_ref()?);
        let model = self.crawl.strategy.save()?;
        self.last_model_save = self.now();
        Some(move || {
            if let Err(error) = model_store.write(&model) {
                tracing::warn!(%error, "cannot store the model");
            }
        })
    }

    async fn snapshot(&self) -> Result<CrawlSnapshot, CrawlError> {
        let census = self.crawl.frontier.census().await?;
        let followers = self.crawl.followers.lags();
        Ok(CrawlSnapshot { tally: self.tally.clone(), census, elapsed: self.now(), followers })
    }
}
