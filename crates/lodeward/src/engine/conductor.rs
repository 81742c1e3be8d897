//! The conductor: the task that owns the state of a crawl.

use std::sync::Arc;
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep_until;

use super::clock::CrawlClock;
use super::commits::CommitState;
use super::departure::domain_order;
use super::disk::DiskGate;
use super::document_origin::RecentRedirects;
use super::end_progress::EndTask;
use super::errand::ErrandReturn;
use super::flights::Flights;
use super::hops::HopProgress;
use super::hosts::Hosts;
use super::run_limits::RunLimits;
use super::tally::{CrawlSnapshot, Tally};
use super::traps::Traps;
use super::{CrawlBuilder, CrawlCommand, CrawlError, StopReason};
use crate::frontier::QueueStart;
use crate::model::{CrawlTime, Link, LinkKind, Relevance, Uri};
use crate::select::LinkContext;
use crate::store::follow::Lag;

/// How long a stopped crawl waits for errands in flight.
const STOP_GRACE_PERIOD: Duration = Duration::from_secs(10);
/// How long a stopped crawl waits if all errands in flight are reading documents: a reader cannot be
/// interrupted. The documents are fetched again when the crawl is resumed.
const READ_GRACE_PERIOD: Duration = Duration::from_secs(1);
/// How often a stopped crawl checks whether only readers are left.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// The events of a crawl.
enum CrawlEvent {
    Returned(Box<ErrandReturn>),
    Command(CrawlCommand),
    Timer,
}

/// The state of a running crawl.
pub(super) struct Conductor {
    pub(super) crawl: CrawlBuilder,
    pub(super) rng: SmallRng,
    pub(super) tally: Tally,
    pub(super) hosts: Hosts,
    pub(super) traps: Traps,
    pub(super) recent_redirects: RecentRedirects,
    pub(super) hops: HopProgress,
    pub(super) flights: Flights,
    pub(super) commits: CommitState,
    pub(super) disk: DiskGate,
    pub(super) run_limits: RunLimits,
    /// Whether a refresh round is running.
    pub(super) refreshing: bool,
    /// Whether domains were added to the scope after links to them may have been dropped.
    pub(super) scope_grew: bool,
    clock: CrawlClock,
    pub(super) stop: StopState,
    progress: watch::Sender<CrawlSnapshot>,
}

/// The end of a crawl: the commands that may stop it, and the task that the end waits for.
pub(super) struct StopState {
    commands: mpsc::Receiver<CrawlCommand>,
    /// When the stop command arrived.
    since: Option<CrawlTime>,
    /// Why it stops.
    reason: StopReason,
    /// Whether to stop without waiting for errands.
    is_immediate: bool,
    /// The task after the last request.
    pub(super) task: Option<EndTask>,
}

impl StopState {
    /// Stops the crawl.
    pub(super) fn begin(&mut self, is_immediate: bool, now: CrawlTime) {
        self.since = Some(now);
        self.is_immediate |= is_immediate;
    }

    /// Stops the run because of a limit.
    pub(super) fn apply_limit(&mut self, limit: StopReason, now: CrawlTime) {
        (self.since, self.reason) = (Some(now), limit);
    }

    /// Until when a stopped crawl waits for errands.
    fn grace_end(&self, is_only_reading: bool) -> Option<CrawlTime> {
        let period = if is_only_reading { READ_GRACE_PERIOD } else { STOP_GRACE_PERIOD };
        self.since.map(|since| since + period)
    }
}

impl Conductor {
    pub(super) async fn new(
        crawl: CrawlBuilder,
        commands: mpsc::Receiver<CrawlCommand>,
        progress: watch::Sender<CrawlSnapshot>,
    ) -> Result<Self, CrawlError> {
        let options = &crawl.options;
        let memo = crawl.frontier.memo().await?.unwrap_or_default();
        let tally = Tally::from_memo(&memo, &crawl.requeued);
        let clock = CrawlClock::start((options.now_ms)());
        let start = QueueStart { started_at_ms: clock.started_at_ms(), order: domain_order(&crawl) };
        crawl.frontier.start(start).await?;
        Ok(Self {
            rng: SmallRng::seed_from_u64(options.rng_seed),
            tally,
            hosts: Hosts::new(options, &crawl.politeness, Arc::clone(&crawl.wait_reasons), clock),
            traps: Traps::default(),
            recent_redirects: RecentRedirects::default(),
            hops: HopProgress::from_memo(&memo),
            flights: Flights::new(options.in_order, crawl.fetcher.resumptions()),
            commits: CommitState::default(),
            disk: DiskGate::default(),
            run_limits: RunLimits::new(crawl.fetcher.received_bytes()),
            refreshing: false,
            scope_grew: false,
            clock,
            stop: StopState { commands, since: None, reason: StopReason::Stopped, is_immediate: false, task: None },
            progress,
            crawl,
        })
    }

    pub(super) async fn run(mut self, seeds: Vec<Uri>) -> Result<(StopReason, CrawlSnapshot), CrawlError> {
        self.restore_seed_redirects(&seeds).await?;
        self.offer_seeds(seeds).await?;
        self.begin_refresh().await?;
        if self.crawl.options.scope_changed {
            self.apply_scope_change().await?;
        }
        let stop_reason = loop {
            self.check_run_limits();
            let wake_at = match self.check_pause().await? {
                _ if self.is_stopping() => None,
                Some(paused_until) => Some(paused_until),
                None => self.dispatch().await?,
            };
            if self.end_refresh_if_done().await? || self.queue_links_of_new_domains().await? {
                continue;
            }
            if let Some(stop_reason) = self.stop_reason().await? {
                break stop_reason;
            }
            if self.flights.len() == 0 && wake_at.is_none() && !self.is_stopping() {
                return Err(CrawlError::Stuck(self.frontier().await?.census().await?.uris_waiting));
            }
            match self.next_event(wake_at).await {
                CrawlEvent::Returned(returned) => {
                    self.receive_return(*returned).await?;
                    if self.end_progress().is_some() {
                        self.publish_progress().await?;
                    }
                }
                CrawlEvent::Command(command) => {
                    self.apply_command(command).await?;
                    self.publish_progress().await?;
                }
                CrawlEvent::Timer => {}
            }
            if self.stop.is_immediate {
                break StopReason::Stopped;
            }
            self.commit_if_due().await?;
        };
        self.flights.abort_all();
        self.begin_end_task(EndTask::Flush).await?;
        self.finish_commits().await?;
        self.begin_end_task(EndTask::Followers).await?;
        self.finish_followers().await?;
        Ok((stop_reason, CrawlSnapshot { ending: None, ..self.snapshot().await? }))
    }

    /// Checks whether the crawl may send requests now. Returns when to check again if it may not.
    async fn check_pause(&mut self) -> Result<Option<CrawlTime>, CrawlError> {
        match self.check_hours().await? {
            None => self.check_disk().await,
            paused_until => Ok(paused_until),
        }
    }

    async fn begin_end_task(&mut self, task: EndTask) -> Result<(), CrawlError> {
        self.stop.task = Some(task);
        self.publish_progress().await
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stop.since.is_some()
    }

    /// Applies the commands received so far, without waiting.
    pub(super) async fn apply_pending_commands(&mut self) -> Result<(), CrawlError> {
        while let Ok(command) = self.stop.commands.try_recv() {
            Box::pin(self.apply_command(command)).await?;
        }
        Ok(())
    }

    /// Waits until every follower has received the whole harvest, the timeout for unreachable
    /// followers expires, or a command ends the wait.
    async fn finish_followers(&mut self) -> Result<(), CrawlError> {
        let mut changes = self.crawl.followers.changes();
        let waits = !self.stop.is_immediate;
        if waits {
            self.crawl.followers.finish(self.crawl.options.follower_timeout);
        } else {
            self.crawl.followers.abandon();
        }
        while waits && !self.crawl.followers.all_ended() {
            tokio::select! {
                biased;
                Some(command) = self.stop.commands.recv() => {
                    // Changed limits have no effect after the last request.
                    if matches!(command, CrawlCommand::Stop | CrawlCommand::StopNow) {
                        self.crawl.followers.abandon();
                        break;
                    }
                }
                _ = changes.changed() => self.publish_progress().await?,
            }
        }
        for warning in self.crawl.followers.lags().iter().filter_map(Lag::warning) {
            tracing::warn!("{warning}");
        }
        Ok(())
    }

    pub(super) async fn offer_seeds(&mut self, seeds: Vec<Uri>) -> Result<(), CrawlError> {
        let links = seeds.into_iter().map(|target| Link { target, via: LinkKind::Seed }).collect();
        let relevance = Relevance::None;
        let found = LinkContext { source: None, lease: None, format: "", relevance, depth: 0, redirects: 0 };
        self.offer(&found, links).await?;
        self.commit().await
    }

    pub(super) fn now(&self) -> CrawlTime {
        self.clock.now()
    }

    pub(super) fn epoch_ms(&self) -> u64 {
        self.clock.epoch_ms()
    }

    /// Why the crawl ends; `None` to continue.
    async fn stop_reason(&mut self) -> Result<Option<StopReason>, CrawlError> {
        let is_busy = self.flights.len() > 0;
        let is_only_reading = self.crawl.extractor.reads_in_progress() >= self.flights.len();
        if let Some(grace_end) = self.stop.grace_end(is_only_reading) {
            return Ok((!is_busy || self.now() >= grace_end).then_some(self.stop.reason));
        }
        if is_busy {
            return Ok(None);
        }
        if let Some(limit) = self.reached_limit() {
            return Ok(Some(limit));
        }
        let census = self.frontier().await?.census().await?;
        Ok((census.uris_waiting == 0).then_some(StopReason::Drained))
    }

    async fn next_event(&mut self, wake_at: Option<CrawlTime>) -> CrawlEvent {
        if let Some(returned) = self.flights.take_early() {
            return CrawlEvent::Returned(Box::new(returned));
        }
        let commit_due = self.commits.due(&self.crawl.options);
        let stop_check = self.stop.since.map(|_| self.clock.now() + STOP_CHECK_INTERVAL);
        let wake_at = [wake_at, commit_due, stop_check, self.next_limit_check()].into_iter().flatten().min();
        let started_at = self.clock.started_at();
        tokio::select! {
            biased;
            Some(command) = self.stop.commands.recv() => CrawlEvent::Command(command),
            Some(returned) = self.flights.join_next() => CrawlEvent::Returned(Box::new(returned)),
            () = sleep_until(started_at + wake_at.unwrap_or_default()), if wake_at.is_some() => CrawlEvent::Timer,
            else => CrawlEvent::Timer,
        }
    }

    async fn receive_return(&mut self, returned: ErrandReturn) -> Result<(), CrawlError> {
        let Some(returned) = self.flights.accept(returned) else { return Ok(()) };
        self.commits.record_change();
        self.handle_return(returned).await
    }

    async fn snapshot(&mut self) -> Result<CrawlSnapshot, CrawlError> {
        let census = self.frontier().await?.census().await?;
        let followers = self.crawl.followers.lags();
        let disk_shortage = self.disk.shortage();
        Ok(CrawlSnapshot {
            tally: self.tally.clone(),
            census,
            elapsed: self.now(),
            followers,
            disk_shortage,
            paused_until_ms: self.run_limits.paused_until_ms,
            received_bytes: self.received_bytes(),
            ending: self.end_progress(),
        })
    }

    pub(super) async fn publish_progress(&mut self) -> Result<(), CrawlError> {
        let snapshot = self.snapshot().await?;
        self.progress.send_replace(snapshot);
        Ok(())
    }
}
