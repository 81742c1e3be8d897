//! Shows the progress of a crawl, and stops it on signals.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lodeward::engine::{CrawlCommand, CrawlSnapshot};
use lodeward_app::data_dir::CrawlStatus;
use lodeward_app::session::{Session, SessionEnd, SessionMonitor};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::progress::{self, ProgressMeasure, ProgressReporter, print_stderr};

/// Runs a session to its end; `documents_before` were fetched by earlier runs. One signal stops it, two stop it at once; the second value of the
/// result is whether it was stopped at once.
pub(crate) async fn run_session(
    session: Session,
    measure: ProgressMeasure,
    documents_before: u64,
    quiet: bool,
) -> anyhow::Result<(SessionEnd, bool)> {
    let (sender, commands) = mpsc::channel(2);
    let is_forced = Arc::new(AtomicBool::new(false));
    let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let has_ended = Arc::new(AtomicBool::new(false));
    let stop = StopRequest { sender, is_forced: Arc::clone(&is_forced), has_ended: Arc::clone(&has_ended), quiet };
    let signals = tokio::spawn(stop_on_signals(interrupt, terminate, stop));
    let reporter = ProgressReporter::new(measure, quiet);
    let mut monitor = ProgressMonitor::new(reporter, Arc::clone(&is_forced), has_ended, documents_before);
    let end = session.run(commands, &mut monitor).await;
    signals.abort();
    Ok((end?, is_forced.load(Ordering::SeqCst)))
}

/// What a signal does to a crawl.
struct StopRequest {
    sender: mpsc::Sender<CrawlCommand>,
    is_forced: Arc<AtomicBool>,
    /// Whether the crawl itself has ended, so that only its ranking and its report are left.
    has_ended: Arc<AtomicBool>,
    quiet: bool,
}

impl StopRequest {
    /// What the first signal causes.
    fn message(&self) -> &'static str {
        if self.has_ended.load(Ordering::SeqCst) {
            "the crawl has ended: completing its ranking and its report\n"
        } else {
            "stopping: completing the requests in flight; press Ctrl-C again to stop at once\n"
        }
    }
}

async fn stop_on_signals(mut interrupt: Signal, mut terminate: Signal, stop: StopRequest) {
    // If the crawl has just ended, a send fails, which is not an error.
    next(&mut interrupt, &mut terminate).await;
    let _ = stop.sender.try_send(CrawlCommand::Stop);
    if !stop.quiet {
        print_stderr(stop.message());
    }
    next(&mut interrupt, &mut terminate).await;
    stop.is_forced.store(true, Ordering::SeqCst);
    let _ = stop.sender.try_send(CrawlCommand::StopNow);
}

async fn next(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

/// Shows the counts of a crawl, and its rate between the last two writes of the status file.
struct ProgressMonitor {
    progress: Option<ProgressReporter>,
    is_forced: Arc<AtomicBool>,
    has_ended: Arc<AtomicBool>,
    /// Documents of earlier runs.
    documents_before: u64,
    documents: u64,
    elapsed: Duration,
    rate: f64,
}

impl ProgressMonitor {
    fn new(
        progress: ProgressReporter,
        is_forced: Arc<AtomicBool>,
        has_ended: Arc<AtomicBool>,
        documents_before: u64,
    ) -> Self {
        Self {
            progress: Some(progress),
            is_forced,
            has_ended,
            documents_before,
            documents: 0,
            elapsed: Duration::ZERO,
            rate: 0.0,
        }
    }

    /// Documents per second of this run.
    fn mean_rate(&self, snapshot: &CrawlSnapshot) -> f64 {
        let seconds = snapshot.elapsed.as_secs_f64();
        let documents = snapshot.tally.documents.saturating_sub(self.documents_before);
        if seconds > 0.0 { to_f64(documents) / seconds } else { 0.0 }
    }

    fn update_rate(&mut self, snapshot: &CrawlSnapshot) {
        let seconds = snapshot.elapsed.saturating_sub(self.elapsed).as_secs_f64();
        let documents = snapshot.tally.documents.saturating_sub(self.documents);
        if self.elapsed > Duration::ZERO && seconds > 0.0 {
            self.rate = to_f64(documents) / seconds;
        }
        (self.documents, self.elapsed) = (snapshot.tally.documents, snapshot.elapsed);
    }
}

impl SessionMonitor for ProgressMonitor {
    fn progress(&mut self, snapshot: &CrawlSnapshot) {
        if let Some(progress) = &mut self.progress {
            progress.show(&to_progress(snapshot, self.rate));
        }
    }

    fn status(&mut self, status: &CrawlStatus) {
        self.update_rate(&status.snapshot);
        if status.stop_reason.is_some()
            && let Some(progress) = self.progress.take()
        {
            self.has_ended.store(true, Ordering::SeqCst);
            progress.finish(&to_progress(&status.snapshot, self.mean_rate(&status.snapshot)));
        }
    }

    fn wants_ranking(&self) -> bool {
        !self.is_forced.load(Ordering::SeqCst)
    }
}

fn to_progress(snapshot: &CrawlSnapshot, rate: f64) -> progress::ProgressSnapshot {
    let CrawlSnapshot { tally, census, elapsed, disk_shortage, .. } = snapshot;
    progress::ProgressSnapshot {
        requests: tally.requests(),
        documents: tally.documents,
        rdf_documents: tally.rdf_documents,
        quads: tally.quads,
        waiting: census.uris_waiting,
        faults: tally.faults_by_kind.values().sum(),
        elapsed: *elapsed,
        rate,
        disk_shortage: *disk_shortage,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^53")]
fn to_f64(documents: u64) -> f64 {
    documents as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_a_resumed_crawl_counts_documents_of_this_run() {
        let flag = || Arc::new(AtomicBool::new(false));
        let reporter = ProgressReporter::new(ProgressMeasure::Endless, true);
        let monitor = ProgressMonitor::new(reporter, flag(), flag(), 100);
        let mut snapshot = CrawlSnapshot { elapsed: Duration::from_secs(10), ..CrawlSnapshot::default() };
        snapshot.tally.documents = 120;

        assert!((monitor.mean_rate(&snapshot) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_signal_during_the_ranking_does_not_announce_requests() {
        let (sender, _commands) = mpsc::channel(2);
        let has_ended = Arc::new(AtomicBool::new(false));
        let stop = StopRequest { sender, is_forced: Arc::default(), has_ended: Arc::clone(&has_ended), quiet: false };

        assert!(stop.message().contains("requests in flight"));
        has_ended.store(true, Ordering::SeqCst);
        assert!(stop.message().contains("ranking") && !stop.message().contains("requests"));
    }
}
