//! Shows the progress of a crawl, and stops it on signals.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lodeward::engine::{CrawlCommand, CrawlSnapshot, EndTask, Tally};
use lodeward_app::data_dir::CrawlStatus;
use lodeward_app::display_text::counted;
use lodeward_app::pause::pause_text;
use lodeward_app::report::run_tally;
use lodeward_app::session::{Session, SessionEnd, SessionMonitor};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use crate::progress::{ProgressMode, ProgressReporter, ProgressSnapshot, ViewSources, print_stderr};

/// How a session is watched.
pub(crate) struct SessionWatch {
    pub(crate) mode: ProgressMode,
    pub(crate) sources: ViewSources,
    /// The counters of earlier runs.
    pub(crate) before: Tally,
}

/// Runs a session to its end. One signal stops it, two stop it at once; the second value of the
/// result is whether it was stopped at once.
pub(crate) async fn run_session(session: Session, watch: SessionWatch) -> anyhow::Result<(SessionEnd, bool)> {
    let (sender, commands) = mpsc::channel(2);
    let is_forced = Arc::new(AtomicBool::new(false));
    let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let seen = SeenProgress::default();
    let quiet = watch.mode == ProgressMode::None;
    let stop = StopRequest { sender, is_forced: Arc::clone(&is_forced), seen: Arc::clone(&seen), quiet };
    let signals = tokio::spawn(stop_on_signals(interrupt, terminate, stop));
    let reporter = ProgressReporter::new(watch.mode, watch.sources);
    let mut monitor = ProgressMonitor::new(reporter, Arc::clone(&is_forced), seen, watch.before);
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
                format!("stopping: {} left for the next run to deliver\n", counted(undelivered, "document"))
            }
            Some(EndTask::Flush) => "stopping: writing the last documents to disk\n".to_owned(),
            Some(EndTask::Requests) | None => match seen.census.uris_in_flight {
                0 => "stopping; press Ctrl-C again to stop at once\n".to_owned(),
                in_flight => format!(
                    "stopping: completing {} in flight; press Ctrl-C again to stop at once\n",
                    counted(in_flight, "request")
                ),
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

/// Shows the counts of a run, and its rates between the last two writes of the status file.
struct ProgressMonitor {
    progress: Option<ProgressReporter>,
    is_forced: Arc<AtomicBool>,
    seen: SeenProgress,
    /// The counters of earlier runs.
    before: Tally,
    last: RateSample,
    /// Documents and bytes per second.
    rates: [f64; 2],
}

/// The counts that the next rates are computed from.
#[derive(Clone, Copy, Default)]
struct RateSample {
    documents: u64,
    bytes: u64,
    elapsed: Duration,
}

impl RateSample {
    fn new(snapshot: &CrawlSnapshot) -> Self {
        Self { documents: snapshot.tally.documents, bytes: snapshot.received_bytes, elapsed: snapshot.elapsed }
    }

    /// Documents and bytes per second since an earlier sample.
    fn rates_since(self, earlier: Self) -> Option<[f64; 2]> {
        let seconds = self.elapsed.saturating_sub(earlier.elapsed).as_secs_f64();
        let counts = [(self.documents, earlier.documents), (self.bytes, earlier.bytes)];
        (seconds > 0.0).then(|| counts.map(|(now, then)| to_f64(now.saturating_sub(then)) / seconds))
    }
}

impl ProgressMonitor {
    fn new(progress: ProgressReporter, is_forced: Arc<AtomicBool>, seen: SeenProgress, before: Tally) -> Self {
        let last = RateSample { documents: before.documents, ..RateSample::default() };
        Self { progress: Some(progress), is_forced, seen, before, last, rates: [0.0; 2] }
    }

    /// The mean rates of this run.
    fn mean_rates(&self, snapshot: &CrawlSnapshot) -> [f64; 2] {
        let start = RateSample { documents: self.before.documents, ..RateSample::default() };
        RateSample::new(snapshot).rates_since(start).unwrap_or_default()
    }

    fn update_rates(&mut self, snapshot: &CrawlSnapshot) {
        let sample = RateSample::new(snapshot);
        if let Some(rates) = sample.rates_since(self.last) {
            self.rates = rates;
        }
        self.last = sample;
    }

    fn to_progress(&self, snapshot: &CrawlSnapshot, [rate, bytes_rate]: [f64; 2]) -> ProgressSnapshot {
        let CrawlSnapshot { tally, census, elapsed, received_bytes, ending, .. } = snapshot;
        let run = run_tally(&self.before, tally);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate is positive and small")]
        let bytes_rate = bytes_rate as u64;
        ProgressSnapshot {
            requests: run.requests(),
            documents: run.documents,
            rdf_documents: run.rdf_documents,
            quads: run.quads,
            bytes: *received_bytes,
            waiting: census.uris_waiting,
            in_flight: census.uris_in_flight,
            domains: census.domains,
            faults_by_kind: run.faults_by_kind,
            elapsed: *elapsed,
            rate,
            bytes_rate,
            pause: pause_text(snapshot),
            ending: *ending,
        }
    }
}

impl SessionMonitor for ProgressMonitor {
    fn progress(&mut self, snapshot: &CrawlSnapshot) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = snapshot.clone();
        let shown = self.to_progress(snapshot, self.rates);
        if let Some(progress) = &mut self.progress {
            progress.show(&shown);
        }
    }

    fn status(&mut self, status: &CrawlStatus) {
        self.update_rates(&status.snapshot);
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = status.snapshot.clone();
        if status.stop_reason.is_some()
            && status.snapshot.ending.is_none()
            && let Some(progress) = self.progress.take()
        {
            progress.finish(&self.to_progress(&status.snapshot, self.mean_rates(&status.snapshot)));
        }
    }

    fn wants_ranking(&self) -> bool {
        !self.is_forced.load(Ordering::SeqCst)
    }

    fn abandons_ranking(&self) -> bool {
        self.is_forced.load(Ordering::SeqCst)
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
    fn rates_and_counts_of_a_resumed_crawl_are_those_of_this_run() {
        let reporter = ProgressReporter::new(ProgressMode::None, ViewSources::default());
        let before = Tally { documents: 100, requests_get: 150, ..Tally::default() };
        let monitor = ProgressMonitor::new(reporter, Arc::default(), SeenProgress::default(), before);
        let mut snapshot = CrawlSnapshot { elapsed: Duration::from_secs(10), ..CrawlSnapshot::default() };
        (snapshot.tally.documents, snapshot.tally.requests_get) = (120, 175);

        let shown = monitor.to_progress(&snapshot, monitor.mean_rates(&snapshot));

        assert!((shown.rate - 2.0).abs() < 1e-9);
        assert_eq!((shown.documents, shown.requests), (20, 25));
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
        check(0, Some((EndTask::Followers, 12)), "stopping: 12 documents left for the next run to deliver");
        check(0, Some((EndTask::Ranking, 0)), "the crawl has ended: completing its ranking");
    }
}
