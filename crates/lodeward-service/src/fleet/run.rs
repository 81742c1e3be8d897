//! One run of a crawl, from its shelf to its report.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use lodeward::config::{self, Config};
use lodeward::engine::{Command, CrawlError, Ending, Report, Snapshot};
use lodeward::model::Uri;
use lodeward::open::{self, CandidatesError, Redirects, Shelf};
use lodeward::rank::listing::Heading;
use lodeward::registry::Status;
use lodeward::told;
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use super::berth::Berth;
use super::bounds::{self, Bounded};
use super::events::{Teller, What};
use super::state::Wish;
use super::{Refused, Yard};

/// From one status to the next.
const STATUS_INTERVAL: Duration = Duration::from_secs(1);

/// The file with the summary of a crawl.
pub(crate) const REPORT: &str = "report.json";

/// Why a run did not come to an end.
#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Open(#[from] open::OpenError),
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    #[error("the recording is incomplete")]
    Recording(#[source] std::io::Error),
    #[error("the candidates could not be ranked")]
    Ranking(#[from] CandidatesError),
    #[error("it broke: this is a bug of ours")]
    Broke,
}

/// How a run ended.
struct Ended {
    ending: Ending,
    /// Where the service would have stopped it, if that was before its own end.
    cap: Option<u64>,
}

/// Runs a crawl until it ends or is told to.
pub(super) async fn run(yard: Arc<Yard>, berth: Arc<Berth>, commands: mpsc::Receiver<Command>) {
    let id = berth.id();
    yard.hub.tell(id, What::State(berth.state()));
    tracing::info!(crawl = id, name = berth.record().name, "a crawl runs");
    // A task of its own: if it breaks, this one sees to what is left.
    let running = tokio::spawn(drive(Arc::clone(&yard), Arc::clone(&berth), commands));
    let outcome = running.await.unwrap_or(Err(RunError::Broke));
    let kept = match outcome {
        Ok(Ended { ending: Ending::Stopped, .. }) => Ok(()),
        Ok(Ended { ending: Ending::MaxDocuments, cap: Some(cap) }) => {
            tracing::info!(crawl = id, cap, "a crawl has as many documents as service.documents_max allows");
            berth.stopped(&yard.registry, bounds::reason(cap))
        }
        Ok(Ended { ending, .. }) => {
            tracing::info!(crawl = id, ?ending, "a crawl has ended");
            berth.done(&yard.registry)
        }
        Err(error) => {
            tracing::error!(crawl = id, error = &error as &dyn std::error::Error, "a crawl could not go on");
            berth.fail(&yard.registry, super::discreet::discreet(&told::with_causes(&error)))
        }
    };
    if let Err(error) = kept {
        tracing::error!(crawl = id, %error, "it could not be kept how a crawl ended");
    }
    // Whoever deletes it, or runs it again, must not meet those of this run.
    berth.wait_for_followers().await;
    berth.end_run();
    yard.close_others(id);
    yard.hub.tell(id, What::State(berth.state()));
    yard.pump();
}

async fn drive(yard: Arc<Yard>, berth: Arc<Berth>, commands: mpsc::Receiver<Command>) -> Result<Ended, RunError> {
    let id = berth.id();
    let Bounded { config, cap } = yard.config_of(&berth)?;
    let shelf = yard.shelf(&berth).await?;
    let seeds = yard.registry.seeds(id).map_err(Refused::from)?;
    let furnished = {
        let (config, shelf, seeds, now) = (config.clone(), Arc::clone(&shelf), seeds.clone(), yard.now);
        let furnishing = tokio::task::spawn_blocking(move || open::crawl(&config, &shelf, &seeds, now));
        furnishing.await.map_err(|_| RunError::Broke)??
    };
    let open::Furnished { mut crawl, recorder } = furnished;
    crawl.scope.domains = open::domains(&config);
    crawl.manners = Arc::clone(&yard.manners);
    berth.set_following(crawl.followers.ends());
    berth.set_rests(Arc::clone(&crawl.rests));
    crawl.observers.push(Box::new(Teller { hub: Arc::clone(&yard.hub), crawl: id }));
    let (progress, snapshots) = watch::channel(Snapshot::default());
    let mut running = tokio::spawn(crawl.run(seeds.clone(), commands, progress));
    let mut looks = interval(STATUS_INTERVAL);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let finished = loop {
        tokio::select! {
            finished = &mut running => break finished,
            // Until it has told something, what was known before holds.
            _ = looks.tick() => if snapshots.has_changed().unwrap_or(false) {
                let snapshot = snapshots.borrow().clone();
                note(&yard, &berth, snapshot, None);
            },
        }
    };
    let (ending, last) = finished.map_err(|_| RunError::Broke)??;
    note(&yard, &berth, last.clone(), Some(ending));
    if let Some(recorder) = recorder {
        recorder.finish().map_err(RunError::Recording)?;
    }
    let is_hasty = berth.wish() == Wish::Delete || yard.closing.load(Ordering::SeqCst);
    let ranking = if config.crawl.strategy == config::Strategy::Focus && !is_hasty {
        Some(rank(&yard, &config, &shelf, &seeds).await?)
    } else {
        None
    };
    let record = berth.record();
    let mut report = Report::new(&record.name, &record.strategy, record.seed, ending, last);
    report.ranking = ranking;
    yard.registry.keep(id, REPORT, &report).map_err(Refused::from)?;
    if report.ranking.is_some() {
        yard.hub.tell(id, What::Ranked);
    }
    Ok(Ended { ending, cap })
}

/// Ranks the candidates once more, by all that was harvested.
async fn rank(yard: &Yard, config: &Config, shelf: &Arc<Shelf>, seeds: &[Uri]) -> Result<Heading, RunError> {
    let redirects = Redirects::of(&*shelf.frontier, config.focus.entities_max).await;
    let redirects = redirects.map_err(|error| RunError::Open(error.into()))?;
    let (config, shelf, seeds, now) = (config.clone(), Arc::clone(shelf), seeds.to_vec(), yard.now);
    let ranking = tokio::task::spawn_blocking(move || open::rank(&config, &shelf, redirects, &seeds, now()));
    let (heading, _) = ranking.await.map_err(|_| RunError::Broke)??;
    Ok(heading)
}

/// Tells how it is doing. A status that cannot be written is no reason to stop.
fn note(yard: &Yard, berth: &Berth, snapshot: Snapshot, ending: Option<Ending>) {
    let now_ms = (yard.now)();
    berth.note(snapshot.clone(), ending, now_ms);
    yard.hub.tell(berth.id(), What::Progress(Arc::new(snapshot.clone())));
    let status = Status { process: std::process::id(), updated_at_ms: now_ms, ending, snapshot };
    if let Err(error) = yard.registry.set_status(berth.id(), &status) {
        tracing::warn!(%error, "cannot write the status");
    }
}
