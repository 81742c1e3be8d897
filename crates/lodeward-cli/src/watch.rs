//! Runs a crawl: shows progress, writes the status file, and handles signals.

use std::time::Duration;

use lodeward::crawl::Crawl;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, StopReason};
use lodeward::model::Uri;
use lodeward_app::data_dir::{CrawlRecord, CrawlStatus, DataDir};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use crate::clock;
use crate::progress::{self, ProgressMeasure, ProgressReporter, print_stderr};

/// Time between two polls of the crawl.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Number of polls between two writes of the status file, which is written once per second.
const POLLS_PER_STATUS: u32 = 4;

/// A crawl to run, and how to report it.
pub(crate) struct CrawlRun<'a> {
    pub(crate) data_dir: &'a DataDir,
    pub(crate) record: &'a CrawlRecord,
    pub(crate) measure: ProgressMeasure,
    pub(crate) quiet: bool,
}

/// The result of a run.
pub(crate) struct CrawlRunResult {
    pub(crate) stop_reason: StopReason,
    pub(crate) last_snapshot: CrawlSnapshot,
    /// Whether a second signal stopped the crawl at once.
    pub(crate) is_forced: bool,
}

impl CrawlRun<'_> {
    /// Runs a crawl to its end. One signal stops it, two stop it at once.
    pub(crate) async fn run_to_end(&self, crawl: Crawl, seeds: Vec<Uri>) -> anyhow::Result<CrawlRunResult> {
        let (sender, commands) = mpsc::channel(2);
        let (progress, snapshots) = watch::channel(CrawlSnapshot::default());
        let mut running = tokio::spawn(crawl.run(seeds, commands, progress));
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut counts = ShownCounts::new(ProgressReporter::new(self.measure, self.quiet));
        let mut polls = interval(POLL_INTERVAL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut signals = 0;
        let finished = loop {
            tokio::select! {
                finished = &mut running => break finished,
                () = next(&mut interrupt, &mut terminate) => {
                    signals += 1;
                    self.stop(&sender, signals);
                }
                _ = polls.tick() => {
                    let snapshot = snapshots.borrow().clone();
                    if counts.update(&snapshot) {
                        self.write_status(snapshot, None);
                    }
                }
            }
        };
        let (stop_reason, last_snapshot) = finished??;
        counts.finish(&last_snapshot);
        self.write_status(last_snapshot.clone(), Some(stop_reason));
        Ok(CrawlRunResult { stop_reason, last_snapshot, is_forced: signals > 1 })
    }

    fn stop(&self, sender: &mpsc::Sender<CrawlCommand>, signals: u32) {
        let command = if signals == 1 { CrawlCommand::Stop } else { CrawlCommand::StopNow };
        // If the crawl has just ended, the send fails, which is not an error.
        let _ = sender.try_send(command);
        if signals == 1 && !self.quiet {
            print_stderr("stopping: completing the requests in flight; press Ctrl-C again to stop at once\n");
        }
    }

    /// Writes the status file. A failure is logged and does not stop the crawl.
    fn write_status(&self, snapshot: CrawlSnapshot, stop_reason: Option<StopReason>) {
        let status = CrawlStatus { process: std::process::id(), updated_at_ms: clock::now_ms(), stop_reason, snapshot };
        if let Err(error) = self.data_dir.set_status(self.record.id, &status) {
            tracing::warn!(%error, "cannot write the status file");
        }
    }
}

async fn next(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

/// The counts that were shown last, to compute rates.
struct ShownCounts {
    progress: ProgressReporter,
    polls: u32,
    documents: u64,
    elapsed: Duration,
    rate: f64,
}

impl ShownCounts {
    fn new(progress: ProgressReporter) -> Self {
        Self { progress, polls: 0, documents: 0, elapsed: Duration::ZERO, rate: 0.0 }
    }

    /// Shows a snapshot. Returns whether the status is due.
    fn update(&mut self, snapshot: &CrawlSnapshot) -> bool {
        self.polls += 1;
        let is_due = self.polls % POLLS_PER_STATUS == 1;
        if is_due {
            self.update_rate(snapshot);
        }
        self.progress.show(&to_progress(snapshot, self.rate));
        is_due
    }

    fn update_rate(&mut self, snapshot: &CrawlSnapshot) {
        let seconds = snapshot.elapsed.saturating_sub(self.elapsed).as_secs_f64();
        let documents = snapshot.tally.documents.saturating_sub(self.documents);
        if self.elapsed > Duration::ZERO && seconds > 0.0 {
            self.rate = to_f64(documents) / seconds;
        }
        (self.documents, self.elapsed) = (snapshot.tally.documents, snapshot.elapsed);
    }

    fn finish(self, last: &CrawlSnapshot) {
        let seconds = last.elapsed.as_secs_f64();
        let rate = if seconds > 0.0 { to_f64(last.tally.documents) / seconds } else { 0.0 };
        self.progress.finish(&to_progress(last, rate));
    }
}

fn to_progress(snapshot: &CrawlSnapshot, rate: f64) -> progress::ProgressSnapshot {
    let CrawlSnapshot { tally, census, elapsed, .. } = snapshot;
    progress::ProgressSnapshot {
        requests: tally.requests(),
        documents: tally.documents,
        rdf_documents: tally.rdf_documents,
        quads: tally.quads,
        waiting: census.uris_waiting,
        faults: tally.faults_by_kind.values().sum(),
        elapsed: *elapsed,
        rate,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^53")]
fn to_f64(documents: u64) -> f64 {
    documents as f64
}
