//! Shows the progress of a crawl, and stops it on signals.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lodeward::engine::{CrawlCommand, CrawlSnapshot, EndTask};
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
    let seen = SeenProgress::default();
    let stop = StopRequest { sender, is_forced: Arc::clone(&is_forced), seen: Arc::clone(&seen), quiet };
    let signals = tokio::spawn(stop_on_signals(interrupt, terminate, stop));
    let reporter = ProgressReporter::new(measure, quiet);
    let mut monitor = ProgressMonitor::new(reporter, Arc::clone(&is_forced), seen, documents_before);
    let end = session.run(commands, &mut monitor).await;
    signals.abort();
    Ok((end?, is_forced.load(Ordering::SeqCst)))
}

/// The last snapshot of the crawl.
type SeenProgress = Arc<Mutex<CrawlSnapshot>>;

/// What a signal does to a crawl.
struct StopRequest {
    sender: mpsc::Sender<CrawlCommand>,
    is_forced: Arc<AtomicBool>,
    seen: SeenProgress,
    quiet: bool,
}

impl StopRequest {
    /// What the first signal causes.
    fn message(&self) -> String {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.ending.map(|ending| ending.task) {
            Some(EndTask::Ranking) => {
                "the crawl has ended: completing its ranking and its report; press Ctrl-C again to leave out the ranking\n"
                    .to_owned()
            }
            Some(EndTask::Followers) => {
                let undelivered = seen.ending.map_or(0, |ending| ending.remaining);
                format!("stopping: {undelivered} documents are delivered by the next run\n")
            }
            Some(EndTask::Flush) => "stopping: writing the last documents to disk\n".to_owned(),
            Some(EndTask::Requests) | None => match seen.census.uris_in_flight {
                0 => "stopping; press Ctrl-C again to stop at once\n".to_owned(),
                1 => "stopping: completing 1 request in flight; press Ctrl-C again to stop at once\n".to_owned(),
                many => {
                    format!("stopping: completing {many} requests in flight; press Ctrl-C again to stop at once\n")
                }
            },
        }
    }
}

async fn stop_on_signals(mut interrupt: Signal, mut terminate: Signal, stop: StopRequest) {
    // If the crawl has just ended, a send fails, which is not an error.
    next(&mut interrupt, &mut terminate).await;
    let _ = stop.sender.try_send(CrawlCommand::Stop);
    if !stop.quiet {
        print_stderr(&stop.message());
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
    seen: SeenProgress,
    /// Documents of earlier runs.
    documents_before: u64,
    documents: u64,
    elapsed: Duration,
    rate: f64,
}

impl ProgressMonitor {
    fn new(progress: ProgressReporter, is_forced: Arc<AtomicBool>, seen: SeenProgress, documents_before: u64) -> Self {
        Self {
            progress: Some(progress),
            is_forced,
            seen,
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
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = snapshot.clone();
        if let Some(progress) = &mut self.progress {
            progress.show(&to_progress(snapshot, self.rate));
        }
    }

    fn status(&mut self, status: &CrawlStatus) {
        self.update_rate(&status.snapshot);
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = status.snapshot.clone();
        if status.stop_reason.is_some()
            && status.snapshot.ending.is_none()
            && let Some(progress) = self.progress.take()
        {
            progress.finish(&to_progress(&status.snapshot, self.mean_rate(&status.snapshot)));
        }
    }

    fn wants_ranking(&self) -> bool {
        !self.is_forced.load(Ordering::SeqCst)
    }

    fn abandons_ranking(&self) -> bool {
        self.is_forced.load(Ordering::SeqCst)
    }
}

fn to_progress(snapshot: &CrawlSnapshot, rate: f64) -> progress::ProgressSnapshot {
    let CrawlSnapshot { tally, census, elapsed, disk_shortage, ending, .. } = snapshot;
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
        ending: *ending,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^53")]
fn to_f64(documents: u64) -> f64 {
    documents as f64
}

#[cfg(test)]
mod tests {
    use lodeward::engine::EndProgress;

    use super::*;

    #[test]
    fn the_rate_of_a_resumed_crawl_counts_documents_of_this_run() {
        let reporter = ProgressReporter::new(ProgressMeasure::Endless, true);
        let monitor = ProgressMonitor::new(reporter, Arc::default(), SeenProgress::default(), 100);
        let mut snapshot = CrawlSnapshot { elapsed: Duration::from_secs(10), ..CrawlSnapshot::default() };
        snapshot.tally.documents = 120;

        assert!((monitor.mean_rate(&snapshot) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_signal_names_what_the_crawl_waits_for() {
        let (sender, _commands) = mpsc::channel(2);
        let seen = SeenProgress::default();
        let stop = StopRequest { sender, is_forced: Arc::default(), seen: Arc::clone(&seen), quiet: false };
        let check = |in_flight: u64, ending: Option<(EndTask, u64)>, expected: &str| {
            {
                let mut seen = seen.lock().unwrap();
                seen.census.uris_in_flight = in_flight;
                seen.ending = ending.map(|(task, remaining)| EndProgress { task, remaining });
            }
            assert!(stop.message().starts_with(expected), "{}", stop.message());
        };

        check(0, None, "stopping; press Ctrl-C again");
        check(1, None, "stopping: completing 1 request in flight;");
        check(7, Some((EndTask::Requests, 7)), "stopping: completing 7 requests in flight;");
        check(0, Some((EndTask::Flush, 3)), "stopping: writing the last documents to disk");
        check(0, Some((EndTask::Followers, 12)), "stopping: 12 documents are delivered by the next run");
        check(0, Some((EndTask::Ranking, 0)), "the crawl has ended: completing its ranking");
    }
}
