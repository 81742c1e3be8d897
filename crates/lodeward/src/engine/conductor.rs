//! The one task that owns the crawl.

#![expect(clippy::disallowed_methods, reason = "the engine is where time enters the crawl")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep_until};

use super::address_book::AddressBook;
use super::errand::Return;
use super::hops::Hops;
use super::manners::Guest;
use super::origin::RecentRedirects;
use super::robots_cache::RobotsCache;
use super::servers::Servers;
use super::tally::{Place, Snapshot, Tally};
use super::traps::Traps;
use super::{Command, Crawl, CrawlError, Ending};
use crate::model::{Link, Moment, Outcome, Relevance, Uri, Via};
use crate::select::Found;
use crate::store::follow::Lag;

/// How long errands may still take once a crawl has been told to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Everything that can happen to a crawl.
enum Event {
    Returned(Box<Return>),
    Told(Command),
    Woke,
}

/// A crawl, under way.
pub(super) struct Conductor {
    pub(super) crawl: Crawl,
    pub(super) rng: SmallRng,
    pub(super) tally: Tally,
    pub(super) gates: Guest,
    pub(super) addresses: AddressBook,
    pub(super) robots: RobotsCache,
    pub(super) servers: Servers,
    pub(super) traps: Traps,
    pub(super) recent_redirects: RecentRedirects,
    pub(super) hops: Hops,
    pub(super) errands: JoinSet<Return>,
    /// The number of the next errand; they are numbered as they depart.
    pub(super) departures: u64,
    commands: mpsc::Receiver<Command>,
    progress: watch::Sender<Snapshot>,
    started_at: Instant,
    /// The same, in milliseconds since the Unix epoch.
    started_at_ms: u64,
    /// What came back before its turn, when order matters.
    early: BTreeMap<u64, Return>,
    next_arrival: u64,
    /// Since when it is told to stop; and whether that is not to wait for anybody.
    pub(super) stopping: Option<Moment>,
    at_once: bool,
    last_commit: Moment,
    last_sync: Moment,
    last_note: Moment,
    /// When somebody last left.
    pub(super) last_departure: Moment,
    /// Something was said since the last commit.
    pub(super) uncommitted: bool,
    pub(super) documents_since_commit: u64,
    syncing: Option<JoinHandle<Result<(), CrawlError>>>,
    /// Whether a round of visits to those who were visited before is under way.
    pub(super) refreshing: bool,
    /// Requests of the fetcher to go on with bodies that are counted already.
    resumptions: u64,
}

impl Conductor {
    pub(super) async fn new(
        crawl: Crawl,
        commands: mpsc::Receiver<Command>,
        progress: watch::Sender<Snapshot>,
    ) -> Result<Self, CrawlError> {
        let settings = &crawl.settings;
        let memo = crawl.frontier.memo().await?.unwrap_or_default();
        let mut tally: Tally = serde_json::from_slice(&memo).unwrap_or_default();
        for life in &crawl.revived {
            if let Some(Outcome::Document(document)) = &life.outcome {
                tally.take_back(Place::of_life(life), document);
            }
        }
        let (started_at, started_at_ms) = (Instant::now(), (settings.now_ms)());
        crawl.frontier.begin(started_at_ms).await?;
        Ok(Self {
            rng: SmallRng::seed_from_u64(settings.seed),
            tally,
            gates: crawl.manners.join(started_at),
            addresses: AddressBook::new(settings.hosts_remembered_max),
            robots: RobotsCache::new(settings.robots_ttl, settings.hosts_remembered_max),
            servers: Servers::new(settings),
            traps: Traps::default(),
            recent_redirects: RecentRedirects::default(),
            hops: Hops::remembered(&memo),
            errands: JoinSet::new(),
            departures: 0,
            commands,
            progress,
            started_at,
            started_at_ms,
            early: BTreeMap::new(),
            next_arrival: 0,
            stopping: None,
            at_once: false,
            last_commit: Moment::ZERO,
            last_sync: Moment::ZERO,
            last_note: Moment::ZERO,
            last_departure: Moment::ZERO,
            uncommitted: false,
            documents_since_commit: 0,
            syncing: None,
            refreshing: false,
            resumptions: crawl.fetcher.resumptions(),
            crawl,
        })
    }

    pub(super) async fn run(mut self, seeds: Vec<Uri>) -> Result<(Ending, Snapshot), CrawlError> {
        self.plant(seeds).await?;
        self.begin_refresh().await?;
        let ending = loop {
            let wake_at = if self.stopping.is_none() { self.depart().await? } else { None };
            if self.end_refresh_if_done().await? {
                continue;
            }
            if let Some(ending) = self.ending().await? {
                break ending;
            }
            if self.under_way() == 0 && wake_at.is_none() && self.stopping.is_none() {
                return Err(CrawlError::Stuck(self.crawl.frontier.census().await?.waiting));
            }
            match self.next_event(wake_at).await {
                Event::Returned(back) => self.returned(*back).await?,
                Event::Told(command) => self.obey(command),
                Event::Woke => {}
            }
            if self.at_once {
                break Ending::Stopped;
            }
            self.commit_if_due().await?;
        };
        self.errands.abort_all();
        self.commit().await?;
        self.crawl.store.sync().await?;
        self.crawl.frontier.sync().await?;
        // Two must not write into one notebook.
        if let Some(syncing) = self.syncing.take() {
            syncing.await.expect("a sync does not panic")?;
        }
        if let Some(note) = self.note() {
            spawn_blocking(note).await.expect("a note does not panic");
        }
        self.see_off_followers(self.at_once).await?;
        Ok((ending, self.snapshot().await?))
    }

    fn obey(&mut self, command: Command) {
        self.stopping = Some(self.now());
        self.at_once |= matches!(command, Command::StopNow);
    }

    /// Obeys what has been said by now, without waiting for more.
    pub(super) fn hear(&mut self) {
        while let Ok(command) = self.commands.try_recv() {
            self.obey(command);
        }
    }

    /// Waits until all who follow have everything, unless somebody who cannot be
    /// reached keeps us too long, or an operator does not want to wait.
    async fn see_off_followers(&mut self, at_once: bool) -> Result<(), CrawlError> {
        let mut changes = self.crawl.followers.changes();
        if at_once {
            self.crawl.followers.abandon();
        } else {
            self.crawl.followers.finish(self.crawl.settings.patience);
        }
        while !at_once && !self.crawl.followers.have_ended() {
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

    async fn plant(&mut self, seeds: Vec<Uri>) -> Result<(), CrawlError> {
        let links = seeds.into_iter().map(|target| Link { target, via: Via::Seed }).collect();
        let relevance = Relevance::None;
        let found = Found { source: None, visit: None, syntax: "", relevance, depth: 0, redirects: 0 };
        self.offer(&found, links).await?;
        self.commit().await
    }

    /// How many visits are leased.
    pub(super) fn under_way(&self) -> usize {
        self.errands.len() + self.early.len()
    }

    pub(super) fn now(&self) -> Moment {
        self.started_at.elapsed()
    }

    pub(super) fn epoch_ms(&self) -> u64 {
        self.epoch_ms_of(self.now())
    }

    pub(super) fn epoch_ms_of(&self, moment: Moment) -> u64 {
        let elapsed = u64::try_from(moment.as_millis()).unwrap_or(u64::MAX);
        self.started_at_ms.saturating_add(elapsed)
    }

    /// Why the crawl is over, if it is.
    async fn ending(&self) -> Result<Option<Ending>, CrawlError> {
        let under_way = self.under_way() > 0;
        if let Some(since) = self.stopping {
            let patient = self.now() < since + GRACE;
            return Ok((!under_way || !patient).then_some(Ending::Stopped));
        }
        if under_way {
            return Ok(None);
        }
        let settings = &self.crawl.settings;
        if settings.requests_max.is_some_and(|max| self.tally.requests_counted() >= max) {
            return Ok(Some(Ending::MaxRequests));
        }
        if !self.refreshing && settings.documents_max.is_some_and(|max| self.tally.documents >= max) {
            return Ok(Some(Ending::MaxDocuments));
        }
        if !self.refreshing && settings.relevant_max.is_some_and(|max| self.tally.relevant >= max) {
            return Ok(Some(Ending::MaxRelevant));
        }
        let census = self.crawl.frontier.census().await?;
        Ok((census.waiting == 0).then_some(Ending::Drained))
    }

    async fn next_event(&mut self, wake_at: Option<Moment>) -> Event {
        if self.crawl.settings.in_order
            && let Some(back) = self.early.remove(&self.next_arrival)
        {
            return Event::Returned(Box::new(back));
        }
        let group_ends = self.uncommitted.then(|| self.last_commit + self.crawl.settings.group_time);
        let patience_ends = self.stopping.map(|since| since + GRACE);
        let wake_at = [wake_at, group_ends, patience_ends].into_iter().flatten().min();
        let wake_at = wake_at.map(|moment| self.started_at + moment);
        tokio::select! {
            biased;
            Some(command) = self.commands.recv() => Event::Told(command),
            Some(back) = self.errands.join_next() => {
                Event::Returned(Box::new(back.expect("an errand catches its panics")))
            }
            () = sleep_until(wake_at.unwrap_or(self.started_at)), if wake_at.is_some() => Event::Woke,
            else => Event::Woke,
        }
    }

    async fn returned(&mut self, back: Return) -> Result<(), CrawlError> {
        if self.crawl.settings.in_order && back.sent.departure != self.next_arrival {
            self.early.insert(back.sent.departure, back);
            return Ok(());
        }
        self.next_arrival += 1;
        self.uncommitted = true;
        self.arrive(back).await
    }

    async fn commit_if_due(&mut self) -> Result<(), CrawlError> {
        let settings = &self.crawl.settings;
        let due = self.documents_since_commit >= settings.group_documents
            || self.now() >= self.last_commit + settings.group_time;
        if self.uncommitted && due {
            self.commit().await?;
        }
        if self.now() >= self.last_sync + self.crawl.settings.sync_time {
            self.sync().await?;
        }
        Ok(())
    }

    /// Store before frontier: what is settled must have been stored.
    pub(super) async fn commit(&mut self) -> Result<(), CrawlError> {
        self.count_resumptions();
        for observer in &mut self.crawl.observers {
            observer.keep();
        }
        self.crawl.store.commit().await?;
        let memo = self.hops.memo(&self.tally);
        self.crawl.frontier.commit(&memo).await?;
        self.uncommitted = false;
        self.documents_since_commit = 0;
        self.last_commit = self.now();
        self.progress.send_replace(self.snapshot().await?);
        Ok(())
    }

    /// Counts the requests by which errands went on with bodies that broke off:
    /// while they are under way, for a dump may take an hour.
    pub(super) fn count_resumptions(&mut self) {
        let made = self.crawl.fetcher.resumptions();
        self.tally.requests_get += made.saturating_sub(self.resumptions);
        self.resumptions = made;
    }

    /// Begins an fsync beside the crawl, unless the last one is still going on.
    async fn sync(&mut self) -> Result<(), CrawlError> {
        self.last_sync = self.now();
        match self.syncing.take() {
            Some(running) if !running.is_finished() => self.syncing = Some(running),
            finished => {
                if let Some(finished) = finished {
                    finished.await.expect("a sync does not panic")?;
                }
                let (store, frontier) = (Arc::clone(&self.crawl.store), Arc::clone(&self.crawl.frontier));
                // An fsync may take long, and blocks.
                let runtime = Handle::current();
                let note = self.note_if_due();
                self.syncing = Some(spawn_blocking(move || {
                    if let Some(note) = note {
                        note();
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

    fn note_if_due(&mut self) -> Option<impl FnOnce() + use<>> {
        let is_due = self.now() >= self.last_note + self.crawl.settings.notebook_time;
        if is_due { self.note() } else { None }
    }

    /// Writes down what the strategy has learned, when called. A crawl that
    /// cannot keep it goes on: the next run will learn it again.
    fn note(&mut self) -> Option<impl FnOnce() + use<>> {
        let notebook = Arc::clone(self.crawl.notebook.as_ref()?);
        let learned = self.crawl.strategy.save()?;
        self.last_note = self.now();
        Some(move || {
            if let Err(error) = notebook.write(&learned) {
                tracing::warn!(%error, "cannot keep what was learned");
            }
        })
    }

    async fn snapshot(&self) -> Result<Snapshot, CrawlError> {
        let census = self.crawl.frontier.census().await?;
        let followers = self.crawl.followers.lags();
        Ok(Snapshot { tally: self.tally.clone(), census, elapsed: self.now(), followers })
    }
}
