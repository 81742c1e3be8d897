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

/// Runs a session to its end. One signal stops it, two stop it at once; the second value of the
/// result is whether it was stopped at once.
pub(crate) async fn run_session(
    session: Session,
    measure: ProgressMeasure,
    quiet: bool,
) -> anyhow::Result<(SessionEnd, bool)> {
    let (sender, commands) = mpsc::channel(2);
    let is_forced = Arc::new(AtomicBool::new(false));
    let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let signals = tokio::spawn(stop_on_signals(interrupt, terminate, sender, Arc::clone(&is_forced), quiet));
    let mut monitor = ProgressMonitor::new(ProgressReporter::new(measure, quiet), Arc::clone(&is_forced));
    let end = session.run(commands, &mut monitor).await;
    signals.abort();
    Ok((end?, is_forced.load(Ordering::SeqCst)))
}

async fn stop_on_signals(
    mut interrupt: Signal,
    mut terminate: Signal,
    sender: mpsc::Sender<CrawlCommand>,
    is_forced: Arc<AtomicBool>,
    quiet: bool,
) {
    // If the crawl has just ended, a send fails, which is not an error.
    next(&mut interrupt, &mut terminate).await;
    let _ = sender.try_send(CrawlCommand::Stop);
    if !quiet {
        print_stderr("stopping: completing the requests in flight; press Ctrl-C again to stop at once\n");
    }
    next(&mut interrupt, &mut terminate).await;
    is_forced.store(true, Ordering::SeqCst);
    let _ = sender.try_send(CrawlCommand::StopNow);
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
    documents: u64,
    elapsed: Duration,
    rate: f64,
}

impl ProgressMonitor {
    fn new(progress: ProgressReporter, is_forced: Arc<AtomicBool>) -> Self {
        Self { progress: Some(progress), is_forced, documents: 0, elapsed: Duration::ZERO, rate: 0.0 }
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
            let seconds = status.snapshot.elapsed.as_secs_f64();
            let rate = if seconds > 0.0 { to_f64(status.snapshot.tally.documents) / seconds } else { 0.0 };
            progress.finish(&to_progress(&status.snapshot, rate));
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
