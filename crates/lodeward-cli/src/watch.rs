//! Running a crawl while somebody watches, and may want it to stop.

use std::time::Duration;

use lodeward::engine::{Command, Crawl, Ending, Snapshot};
use lodeward::model::Uri;
use lodeward::registry::{Record, Registry, Status};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use crate::clock;
use crate::progress::{self, Measure, Progress, say};

/// From one look at the crawl to the next.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);

/// Looks from one status file to the next: a second.
const LOOKS_PER_STATUS: u32 = 4;

/// A crawl to be run.
pub(crate) struct Run<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) record: &'a Record,
    pub(crate) measure: Measure,
    pub(crate) quiet: bool,
}

/// How it went.
pub(crate) struct Watched {
    pub(crate) ending: Ending,
    pub(crate) last: Snapshot,
    /// Whether it was stopped by a second signal.
    pub(crate) at_once: bool,
}

impl Run<'_> {
    /// Runs a crawl to its end. One signal stops it, two stop it at once.
    pub(crate) async fn watch(&self, crawl: Crawl, seeds: Vec<Uri>) -> anyhow::Result<Watched> {
        let (operator, commands) = mpsc::channel(2);
        let (progress, snapshots) = watch::channel(Snapshot::default());
        let mut running = tokio::spawn(crawl.run(seeds, commands, progress));
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut shown = Shown::new(Progress::begin(self.measure, self.quiet));
        let mut looks = interval(LOOK_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut signals = 0;
        let finished = loop {
            tokio::select! {
                finished = &mut running => break finished,
                () = next(&mut interrupt, &mut terminate) => {
                    signals += 1;
                    self.stop(&operator, signals);
                }
                _ = looks.tick() => {
                    let snapshot = snapshots.borrow().clone();
                    if shown.look(&snapshot) {
                        self.write_status(snapshot, None);
                    }
                }
            }
        };
        let (ending, last) = finished??;
        shown.finish(&last);
        self.write_status(last.clone(), Some(ending));
        Ok(Watched { ending, last, at_once: signals > 1 })
    }

    fn stop(&self, operator: &mpsc::Sender<Command>, signals: u32) {
        let command = if signals == 1 { Command::Stop } else { Command::StopNow };
        // A crawl that has just ended needs no telling.
        let _ = operator.try_send(command);
        if signals == 1 && !self.quiet {
            say("stopping: waiting for what is under way; once more to stop at once\n");
        }
    }

    /// A status that cannot be written is no reason to stop a crawl.
    fn write_status(&self, snapshot: Snapshot, ending: Option<Ending>) {
        let status = Status { process: std::process::id(), updated_at_ms: clock::now_ms(), ending, snapshot };
        if let Err(error) = self.registry.set_status(self.record.id, &status) {
            tracing::warn!(%error, "cannot write the status");
        }
    }
}

async fn next(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

/// What has been shown, for rates.
struct Shown {
    progress: Progress,
    looks: u32,
    documents: u64,
    elapsed: Duration,
    rate: f64,
}

impl Shown {
    fn new(progress: Progress) -> Self {
        Self { progress, looks: 0, documents: 0, elapsed: Duration::ZERO, rate: 0.0 }
    }

    /// Shows a snapshot. Returns whether the status is due.
    fn look(&mut self, snapshot: &Snapshot) -> bool {
        self.looks += 1;
        let is_due = self.looks % LOOKS_PER_STATUS == 1;
        if is_due {
            self.measure(snapshot);
        }
        self.progress.show(&told(snapshot, self.rate));
        is_due
    }

    fn measure(&mut self, snapshot: &Snapshot) {
        let seconds = snapshot.elapsed.saturating_sub(self.elapsed).as_secs_f64();
        let documents = snapshot.tally.documents.saturating_sub(self.documents);
        if self.elapsed > Duration::ZERO && seconds > 0.0 {
            self.rate = count(documents) / seconds;
        }
        (self.documents, self.elapsed) = (snapshot.tally.documents, snapshot.elapsed);
    }

    fn finish(self, last: &Snapshot) {
        let seconds = last.elapsed.as_secs_f64();
        let rate = if seconds > 0.0 { count(last.tally.documents) / seconds } else { 0.0 };
        self.progress.finish(&told(last, rate));
    }
}

fn told(snapshot: &Snapshot, rate: f64) -> progress::Snapshot {
    let Snapshot { tally, census, elapsed, .. } = snapshot;
    progress::Snapshot {
        requests: tally.requests(),
        documents: tally.documents,
        relevant: tally.relevant,
        quads: tally.quads,
        waiting: census.waiting,
        faults: tally.faults.values().sum(),
        elapsed: *elapsed,
        rate,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^53")]
fn count(documents: u64) -> f64 {
    documents as f64
}
