//! A job: one crawl of the service, running or not.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lodeward::engine::{CrawlCommand, CrawlSnapshot, StopReason, UriWait, WaitReasons};
use lodeward::error_chain;
use lodeward::frontier::RefreshSelection;
use lodeward::model::Uri;
use lodeward::store::follow::FollowerEnds;
use lodeward_app::data_dir::{CrawlRecord, CrawlStatus, DamagedCrawl, DataDir, DataDirError};
use lodeward_app::series::{SeriesPoint, SeriesRecorder};
use lodeward_app::settings::public_settings;
use tokio::sync::{Notify, mpsc};
use toml::Table;

use super::domains::DomainCache;
use super::open_crawls::OpenCrawlSlot;
use super::order::{ORDER_FILE, OrderRecord};
use super::redact::redact_paths;
use super::settings_bounds::CachedSettings;
use super::state::{DesiredState, JobState, JobView};

/// One crawl of the service, running or not.
pub(super) struct Job {
    id: u32,
    record: Mutex<CrawlRecord>,
    /// The settings that the crawl remembers.
    settings: Mutex<Table>,
    /// The error in reading the files of the crawl, if there was one. The bounds of the crawl are
    /// then unknown, so it cannot run.
    damage: Option<String>,
    /// Whether the record of the crawl could be read.
    has_record: bool,
    inner: Mutex<JobInner>,
    /// Serializes changes to the desired state.
    turn: tokio::sync::Mutex<()>,
    /// Serializes exports.
    pub(super) exporting: tokio::sync::Mutex<()>,
    /// Serializes writes of the order.
    writing: Mutex<()>,
    idle: Notify,
    pub(super) open_crawl: tokio::sync::Mutex<OpenCrawlSlot>,
    /// The resolved settings of the crawl.
    pub(super) settled: CachedSettings,
    pub(super) domains: DomainCache,
    /// Sorted fingerprints of the seeds, set at the creation or read at the first use.
    seeds: Mutex<Option<Arc<[u128]>>>,
    /// Read-locked while the files of the crawl are copied or changed; write-locked to delete them.
    pub(super) files: Arc<tokio::sync::RwLock<()>>,
}

/// How long to wait for the followers of a run.
const FOLLOWER_TIMEOUT: Duration = Duration::from_mins(2);

struct JobInner {
    /// Counters over time, of the last run in this process.
    series: Option<SeriesRecorder>,
    order: OrderRecord,
    snapshot: Option<CrawlSnapshot>,
    updated_at_ms: Option<u64>,
    ending: Option<StopReason>,
    /// Requests per second between the last two snapshots.
    request_rate: Option<f64>,
    /// The channel to the running crawl.
    running: Option<mpsc::Sender<CrawlCommand>>,
    /// The followers of the last run.
    followers: Option<FollowerEnds>,
    /// Why domains are delayed; set while the crawl runs.
    wait_reasons: Option<Arc<WaitReasons>>,
}

impl Job {
    /// A new crawl.
    pub(super) fn new(record: CrawlRecord, order: OrderRecord, settings: Table) -> Self {
        let inner = JobInner {
            series: None,
            order,
            snapshot: None,
            updated_at_ms: None,
            ending: None,
            request_rate: None,
            running: None,
            followers: None,
            wait_reasons: None,
        };
        Self {
            id: record.id,
            record: Mutex::new(record),
            settings: Mutex::new(settings),
            damage: None,
            has_record: true,
            inner: Mutex::new(inner),
            turn: tokio::sync::Mutex::default(),
            exporting: tokio::sync::Mutex::default(),
            writing: Mutex::default(),
            idle: Notify::new(),
            open_crawl: tokio::sync::Mutex::default(),
            settled: CachedSettings::default(),
            domains: DomainCache::default(),
            seeds: Mutex::default(),
            files: Arc::default(),
        }
    }

    /// Creates a job from the files of a crawl. A crawl without an order was created on the command
    /// line. If the order cannot be read, only this crawl is marked as failed.
    pub(super) fn from_record(data_dir: &DataDir, record: CrawlRecord) -> Self {
        let order = data_dir.crawl(record.id).read_json::<OrderRecord>(ORDER_FILE);
        let read = order.and_then(|order| Ok((order, data_dir.crawl(record.id).settings()?)));
        let mut damage = None;
        let (order, settings) = read.unwrap_or_else(|error| {
            let message = error_chain::with_causes(&error);
            tracing::error!(crawl = record.id, error = message, "reading the order of a crawl failed");
            damage = Some(redact_paths(&message));
            let (desired_state, error) = (DesiredState::Done, damage.clone());
            (Some(OrderRecord { desired_state, error, ..OrderRecord::default() }), Table::new())
        });
        let status = read_status(data_dir, record.id);
        let ending = status.as_ref().and_then(|status| status.stop_reason);
        let is_done = ending.is_some_and(|ending| ending != StopReason::Stopped);
        let desired_state = if is_done { DesiredState::Done } else { DesiredState::Stop };
        let order = order.unwrap_or_else(|| OrderRecord { desired_state, ..OrderRecord::default() });
        let mut job = Self::new(record, order, settings);
        job.damage = damage;
        job.set_status(status);
        job
    }

    /// Creates a job for a crawl whose record cannot be read. It is listed and can be deleted, but it cannot run.
    pub(super) fn from_damaged(data_dir: &DataDir, DamagedCrawl { id, error }: &DamagedCrawl) -> Self {
        let message = error_chain::with_causes(error);
        tracing::error!(crawl = id, error = message, "reading the record of a crawl failed: the crawl cannot run");
        let damage = redact_paths(&message);
        let mut order: OrderRecord = data_dir.crawl(*id).read_json(ORDER_FILE).ok().flatten().unwrap_or_default();
        if order.desired_state != DesiredState::Delete {
            (order.desired_state, order.error) = (DesiredState::Done, Some(damage.clone()));
        }
        let (name, strategy) = (format!("crawl {id} (damaged)"), "unknown".to_owned());
        let record = CrawlRecord { id: *id, name, strategy, rng_seed: 0, created_at_ms: 0 };
        let mut job = Self::new(record, order, Table::new());
        job.damage = Some(damage);
        job.has_record = false;
        job.set_status(read_status(data_dir, *id));
        job
    }

    /// Sets the counters and stop reason from the stored status of the last run.
    fn set_status(&self, status: Option<CrawlStatus>) {
        if let Some(CrawlStatus { stop_reason, updated_at_ms, snapshot, .. }) = status {
            let mut inner = self.lock();
            inner.ending = stop_reason;
            inner.updated_at_ms = Some(updated_at_ms);
            inner.snapshot = Some(snapshot);
        }
    }

    fn lock(&self) -> MutexGuard<'_, JobInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// The record; a placeholder if it could not be read.
    pub(super) fn record(&self) -> CrawlRecord {
        self.record.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The settings that the crawl remembers.
    pub(super) fn settings(&self) -> Table {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the name and the settings, which are stored, and forgets what follows from them.
    pub(super) fn replace(&self, record: CrawlRecord, settings: Table) {
        *self.record.lock().unwrap_or_else(PoisonError::into_inner) = record;
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = settings;
        self.settled.clear();
    }

    /// Stores that the scope was changed at this time.
    pub(super) fn record_scope_change(&self, data_dir: &DataDir, now_ms: u64) -> Result<(), DataDirError> {
        self.persist_then_apply(data_dir, |order| order.scope_changed_at_ms = Some(now_ms))
    }

    /// Records that a run has applied the change of the scope at this time, unless there was a later one.
    pub(super) fn record_scope_applied(&self, data_dir: &DataDir, changed_at_ms: u64) -> Result<(), DataDirError> {
        self.apply_then_persist(data_dir, |order| {
            order.scope_changed_at_ms = order.scope_changed_at_ms.filter(|at_ms| *at_ms != changed_at_ms);
        })
    }

    /// The channel to the running crawl.
    pub(super) fn command_sender(&self) -> Option<mpsc::Sender<CrawlCommand>> {
        self.lock().running.clone()
    }

    /// Whether the record could be read.
    pub(super) fn has_record(&self) -> bool {
        self.has_record
    }

    /// The error in reading the files of the crawl, if there was one.
    pub(super) fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    pub(super) fn order_record(&self) -> OrderRecord {
        self.lock().order.clone()
    }

    pub(super) fn desired_state(&self) -> DesiredState {
        self.lock().order.desired_state
    }

    /// Waits for the lock on changes to the desired state.
    pub(super) async fn lock_changes(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Stores the desired state.
    pub(super) fn set_desired_state(
        &self,
        data_dir: &DataDir,
        desired_state: DesiredState,
    ) -> Result<(), DataDirError> {
        self.persist_then_apply(data_dir, |order| {
            *order = OrderRecord { desired_state, error: None, stop_detail: None, ..order.clone() }
        })
    }

    /// Records that the crawl failed. Its state changes even if it cannot be stored: otherwise the
    /// crawl would start and fail again at once.
    pub(super) fn record_failure(&self, data_dir: &DataDir, failure: String) -> Result<(), DataDirError> {
        self.apply_then_persist(data_dir, |order| {
            order.error = Some(failure);
            if order.desired_state != DesiredState::Delete {
                order.desired_state = DesiredState::Done;
            }
        })
    }

    /// Records that the crawl has ended, unless the desired state has changed. `detail` is why it fetched no document.
    pub(super) fn record_finished(&self, data_dir: &DataDir, detail: Option<String>) -> Result<(), DataDirError> {
        self.apply_then_persist(data_dir, |order| {
            if order.desired_state == DesiredState::Run {
                (order.desired_state, order.stop_detail) = (DesiredState::Done, detail);
                order.refresh = None;
            }
        })
    }

    /// Records that the service has stopped the crawl, unless the desired state has changed.
    pub(super) fn record_stopped(&self, data_dir: &DataDir, reason: String) -> Result<(), DataDirError> {
        self.apply_then_persist(data_dir, |order| {
            if order.desired_state == DesiredState::Run {
                (order.desired_state, order.stop_detail) = (DesiredState::Stop, Some(reason));
            }
        })
    }

    /// Changes the order on disk, then in memory, so that a confirmed change is durable. Readers do
    /// not wait for the disk.
    fn persist_then_apply(
        &self,
        data_dir: &DataDir,
        change: impl FnOnce(&mut OrderRecord),
    ) -> Result<(), DataDirError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut order = self.order_record();
        change(&mut order);
        data_dir.crawl(self.id).write_json(ORDER_FILE, &order)?;
        self.lock().order = order;
        Ok(())
    }

    /// Changes the order in memory, then on disk. After a run, the change applies even if it cannot be stored.
    fn apply_then_persist(
        &self,
        data_dir: &DataDir,
        change: impl FnOnce(&mut OrderRecord),
    ) -> Result<(), DataDirError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut order = self.order_record();
        change(&mut order);
        self.lock().order = order.clone();
        data_dir.crawl(self.id).write_json(ORDER_FILE, &order)
    }

    /// Sets the users besides the owner that may mark candidates. Blocks.
    pub(super) fn set_reviewers(&self, data_dir: &DataDir, reviewers: Vec<String>) -> Result<(), DataDirError> {
        self.persist_then_apply(data_dir, |order| order.reviewers = reviewers)
    }

    /// Sets which documents the next run revalidates. Blocks.
    pub(super) fn set_refresh(&self, data_dir: &DataDir, selection: RefreshSelection) -> Result<(), DataDirError> {
        self.persist_then_apply(data_dir, |order| order.refresh = Some(selection))
    }

    /// Sets the followers of a run.
    pub(super) fn set_followers(&self, ends: FollowerEnds) {
        self.lock().followers = Some(ends);
    }

    /// Sets the shared record of why domains are delayed.
    pub(super) fn set_wait_reasons(&self, wait_reasons: Arc<WaitReasons>) {
        self.lock().wait_reasons = Some(wait_reasons);
    }

    /// Until when the domain of a URI is delayed, and why.
    pub(super) fn uri_wait(&self, uri: &Uri, now_ms: u64) -> Option<UriWait> {
        let wait_reasons = self.lock().wait_reasons.clone();
        wait_reasons?.find(uri, now_ms)
    }

    /// The number of domains that delay the crawl, while it runs.
    pub(super) fn delayed_domains(&self, now_ms: u64) -> usize {
        let wait_reasons = self.lock().wait_reasons.clone();
        wait_reasons.map_or(0, |waits| waits.delayed_domains(now_ms))
    }

    /// Waits until the followers of the last run have ended.
    pub(super) async fn wait_for_followers(&self) {
        let followers = self.lock().followers.take();
        if let Some(ends) = followers {
            // A remote store may not respond. The remaining documents are then sent to it in a later run.
            let _ = tokio::time::timeout(FOLLOWER_TIMEOUT, ends.wait()).await;
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.lock().running.is_some()
    }

    /// Starts a run if the desired state is `Run` and no run is in progress.
    pub(super) fn begin_run(&self) -> Option<mpsc::Receiver<CrawlCommand>> {
        let mut inner = self.lock();
        if inner.running.is_some() || inner.order.desired_state != DesiredState::Run {
            return None;
        }
        let (sender, commands) = mpsc::channel(8);
        inner.running = Some(sender);
        inner.ending = None;
        if let Some(snapshot) = &mut inner.snapshot {
            // The elapsed time starts again at 0 for the new run.
            snapshot.elapsed = std::time::Duration::ZERO;
        }
        Some(commands)
    }

    /// Ends a run.
    pub(super) fn end_run(&self) {
        let mut inner = self.lock();
        (inner.running, inner.request_rate, inner.wait_reasons) = (None, None, None);
        if let Some(Err(error)) = inner.series.as_mut().map(SeriesRecorder::finish) {
            tracing::warn!(crawl = self.id, %error, "storing counters over time failed");
        }
        drop(inner);
        self.idle.notify_waiters();
    }

    /// Sends a command to the running crawl.
    pub(super) fn send_command(&self, command: CrawlCommand) {
        if let Some(sender) = &self.lock().running {
            // If the channel is full, eight commands are already waiting, so another one is not
            // needed.
            let _ = sender.try_send(command);
        }
    }

    pub(super) async fn wait_until_idle(&self) {
        loop {
            let idle = self.idle.notified();
            if !self.is_running() {
                return;
            }
            idle.await;
        }
    }

    /// Starts to record the counters over time.
    pub(super) fn record_series(&self, series: SeriesRecorder) {
        self.lock().series = Some(series);
    }

    /// The counters of the last minutes of the run.
    pub(super) fn recent_series(&self) -> Vec<SeriesPoint> {
        self.lock().series.as_ref().map(|series| series.recent().collect()).unwrap_or_default()
    }

    /// Stores a snapshot of the running crawl.
    pub(super) fn record_progress(&self, snapshot: CrawlSnapshot, ending: Option<StopReason>, now_ms: u64) {
        let mut inner = self.lock();
        inner.request_rate = inner.snapshot.as_ref().and_then(|before| request_rate(before, &snapshot));
        if let Some(series) = &mut inner.series
            && let Err(error) = series.record(now_ms, &snapshot)
        {
            tracing::warn!(crawl = self.id, %error, "storing counters over time failed");
        }
        inner.snapshot = Some(snapshot);
        inner.updated_at_ms = Some(now_ms);
        inner.ending = ending;
    }

    /// The sorted fingerprints of the seeds. They are read at the first use.
    pub(super) fn seed_fingerprints(&self, data_dir: &DataDir) -> Result<Arc<[u128]>, DataDirError> {
        let known = self.seeds.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match known {
            Some(seeds) => Ok(seeds),
            None => Ok(self.set_seeds(&data_dir.crawl(self.id).seeds()?)),
        }
    }

    /// Sets the fingerprints of the seeds.
    pub(super) fn set_seeds(&self, seeds: &[Uri]) -> Arc<[u128]> {
        let mut fingerprints: Vec<u128> = seeds.iter().map(Uri::fingerprint).collect();
        fingerprints.sort_unstable();
        let fingerprints: Arc<[u128]> = fingerprints.into();
        *self.seeds.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&fingerprints));
        fingerprints
    }

    /// The number of documents fetched.
    pub(super) fn document_count(&self) -> u64 {
        self.lock().snapshot.as_ref().map_or(0, |snapshot| snapshot.tally.documents)
    }

    pub(super) fn state(&self) -> JobState {
        self.lock().state()
    }

    pub(super) fn view(&self) -> JobView {
        let CrawlRecord { id, name, strategy, created_at_ms, .. } = self.record();
        let inner = self.lock();
        let OrderRecord { user, on_behalf_of, template, error, stop_detail, record_warc, reviewers, .. } =
            inner.order.clone();
        let (state, snapshot, updated_at_ms) = (inner.state(), inner.snapshot.clone(), inner.updated_at_ms);
        let (stop_reason, requests_per_second) = (inner.ending, inner.request_rate);
        JobView {
            id,
            name,
            user,
            on_behalf_of,
            strategy,
            state,
            created_at_ms,
            template,
            settings: public_settings(&self.settings()),
            snapshot,
            updated_at_ms,
            requests_per_second,
            stop_reason,
            error,
            stop_detail,
            record_warc,
            reviewers,
        }
    }
}

/// The stored status of the last run, if it can be read.
fn read_status(data_dir: &DataDir, id: u32) -> Option<CrawlStatus> {
    data_dir.crawl(id).status().unwrap_or_else(|error| {
        tracing::warn!(crawl = id, %error, "reading the status of a crawl failed");
        None
    })
}

/// Requests per second between two snapshots of the same run.
fn request_rate(before: &CrawlSnapshot, now: &CrawlSnapshot) -> Option<f64> {
    let time = now.elapsed.checked_sub(before.elapsed).filter(|time| !time.is_zero())?;
    let requests = now.tally.requests().checked_sub(before.tally.requests())?;
    // More than `u32::MAX` requests within a second do not occur.
    Some(u32::try_from(requests).map_or(f64::MAX, f64::from) / time.as_secs_f64())
}

impl JobInner {
    fn state(&self) -> JobState {
        match (self.order.desired_state, self.running.is_some()) {
            (DesiredState::Run | DesiredState::Done, true) => JobState::Running,
            (DesiredState::Run, false) => JobState::Queued,
            (DesiredState::Pause, true) => JobState::Pausing,
            (DesiredState::Pause, false) => JobState::Paused,
            (DesiredState::Stop | DesiredState::Delete, true) => JobState::Stopping,
            (DesiredState::Stop | DesiredState::Delete, false) => JobState::Stopped,
            (DesiredState::Done, false) if self.order.error.is_some() => JobState::Failed,
            (DesiredState::Done, false) => JobState::Finished,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture() -> (tempfile::TempDir, DataDir, CrawlRecord) {
        let dir = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(dir.path()).unwrap();
        let record = data_dir.create("one", "bfs", 0, 1).unwrap();
        (dir, data_dir, record)
    }

    #[test]
    fn a_crawl_with_damaged_files_is_failed_and_listed() {
        let (_dir, data_dir, record) = fixture();
        let directory = data_dir.crawl(record.id).into_path();
        std::fs::write(directory.join("status.json"), "").unwrap();
        assert_eq!(Job::from_record(&data_dir, record.clone()).state(), JobState::Stopped);
        std::fs::write(directory.join(ORDER_FILE), "{").unwrap();

        let job = Job::from_record(&data_dir, record);

        assert_eq!(job.state(), JobState::Failed);
        let failure = job.view().error.unwrap();
        assert!(failure.starts_with("cannot read …/order.json: EOF"), "{failure}");
        assert_eq!(job.damage(), Some(&*failure));
    }

    #[test]
    fn the_order_of_an_older_version_is_rejected() {
        let (_dir, data_dir, record) = fixture();
        std::fs::write(data_dir.crawl(record.id).path().join(ORDER_FILE), r#"{"user": "alice", "wish": "run"}"#)
            .unwrap();

        let job = Job::from_record(&data_dir, record);

        assert_eq!(job.state(), JobState::Failed);
        let error = job.view().error.unwrap();
        assert!(error.starts_with("cannot read …/order.json: unknown field `wish`"), "{error}");
    }

    #[test]
    fn a_failed_crawl_does_not_restart_even_if_the_failure_cannot_be_stored() {
        let (dir, data_dir, record) = fixture();
        let job =
            Job::new(record, OrderRecord { desired_state: DesiredState::Run, ..OrderRecord::default() }, Table::new());
        let commands = job.begin_run();
        assert!(commands.is_some());
        drop(dir);

        assert!(job.record_failure(&data_dir, "the disk is full".to_owned()).is_err());
        job.end_run();

        assert_eq!(job.state(), JobState::Failed);
        assert!(job.begin_run().is_none());
    }

    #[test]
    fn a_crawl_that_fails_while_it_is_deleted_stays_deleted() {
        let (_dir, data_dir, record) = fixture();
        let job = Job::new(
            record.clone(),
            OrderRecord { desired_state: DesiredState::Run, ..OrderRecord::default() },
            Table::new(),
        );
        job.set_desired_state(&data_dir, DesiredState::Delete).unwrap();

        job.record_failure(&data_dir, "a test failure".to_owned()).unwrap();

        assert_eq!(Job::from_record(&data_dir, record).desired_state(), DesiredState::Delete);
    }
}
