//! The place of one crawl.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use lodeward::engine::{Command, Ending, Rest, Rests, Snapshot};
use lodeward::model::Uri;
use lodeward::registry::{Damaged, Record, Registry, RegistryError, Status};
use lodeward::store::follow::Ends;
use lodeward::told;
use tokio::sync::{Notify, mpsc};

use super::bounds::Settled;
use super::discreet::discreet;
use super::order::{FILE, Kept};
use super::shelves::Place;
use super::state::{State, View, Wish};

/// The place of one crawl: whether it runs or not.
pub(super) struct Berth {
    record: Record,
    /// What of its files could not be read. Nobody knows then within what bounds it
    /// was to run.
    damage: Option<String>,
    /// Whether its record could be read.
    has_record: bool,
    inside: Mutex<Inside>,
    /// Whoever changes what is wanted of it has their turn.
    turn: tokio::sync::Mutex<()>,
    /// Whoever exports it has their turn.
    pub(super) exporting: tokio::sync::Mutex<()>,
    /// One writes what is kept at a time.
    writing: Mutex<()>,
    idle: Notify,
    pub(super) shelf: tokio::sync::Mutex<Place>,
    /// The settings under which it runs.
    pub(super) settled: Settled,
    /// Fingerprints of its seeds, in order, when somebody has asked for them.
    seeds: OnceLock<Arc<[u128]>>,
    /// Whoever copies or changes its files reads this; whoever erases them writes it.
    pub(super) files: Arc<tokio::sync::RwLock<()>>,
}

/// How long it is waited for those who get what was harvested.
const FOLLOWERS_TIME: Duration = Duration::from_mins(2);

struct Inside {
    kept: Kept,
    snapshot: Option<Snapshot>,
    updated_at_ms: Option<u64>,
    ending: Option<Ending>,
    /// Requests in a second, as of the last two looks at this run.
    pace: Option<f64>,
    /// Who runs it can be told something.
    running: Option<mpsc::Sender<Command>>,
    /// Who gets what its last run harvested.
    following: Option<Ends>,
    /// Why domains rest, while it runs.
    rests: Option<Arc<Rests>>,
}

impl Berth {
    /// A crawl that is new.
    pub(super) fn new(record: Record, kept: Kept) -> Self {
        let inside = Inside {
            kept,
            snapshot: None,
            updated_at_ms: None,
            ending: None,
            pace: None,
            running: None,
            following: None,
            rests: None,
        };
        Self {
            record,
            damage: None,
            has_record: true,
            inside: Mutex::new(inside),
            turn: tokio::sync::Mutex::default(),
            exporting: tokio::sync::Mutex::default(),
            writing: Mutex::default(),
            idle: Notify::new(),
            shelf: tokio::sync::Mutex::default(),
            settled: Settled::default(),
            seeds: OnceLock::new(),
            files: Arc::default(),
        }
    }

    /// A crawl as its files tell. One without an order was begun on the command
    /// line. What cannot be read of one crawl is no reason not to run others.
    pub(super) fn remembered(registry: &Registry, record: Record) -> Self {
        let mut damage = None;
        let kept: Option<Kept> = registry.kept(record.id, FILE).unwrap_or_else(|error| {
            let what = told::with_causes(&error);
            tracing::error!(crawl = record.id, error = what, "what is wanted of a crawl cannot be read");
            damage = Some(discreet(&what));
            Some(Kept { wish: Wish::Done, failure: damage.clone(), ..Kept::default() })
        });
        let status = status_of(registry, record.id);
        let ending = status.as_ref().and_then(|status| status.ending);
        let is_done = ending.is_some_and(|ending| ending != Ending::Stopped);
        let wish = if is_done { Wish::Done } else { Wish::Stop };
        let mut berth = Self::new(record, kept.unwrap_or_else(|| Kept { wish, ..Kept::default() }));
        berth.damage = damage;
        berth.tell_status(status);
        berth
    }

    /// A crawl that nobody knows much of, for its record cannot be read. It can be
    /// looked at, and deleted.
    pub(super) fn unreadable(registry: &Registry, Damaged { id, error }: &Damaged) -> Self {
        let what = told::with_causes(error);
        tracing::error!(crawl = id, error = what, "the record of a crawl cannot be read: it is there, and cannot run");
        let damage = discreet(&what);
        let mut kept: Kept = registry.kept(*id, FILE).ok().flatten().unwrap_or_default();
        if kept.wish != Wish::Delete {
            (kept.wish, kept.failure) = (Wish::Done, Some(damage.clone()));
        }
        let (name, strategy) = (format!("crawl {id} (damaged)"), "unknown".to_owned());
        let mut berth = Self::new(Record { id: *id, name, strategy, seed: 0, created_at_ms: 0 }, kept);
        berth.damage = Some(damage);
        berth.has_record = false;
        berth.tell_status(status_of(registry, *id));
        berth
    }

    /// How it was doing when it last ran.
    fn tell_status(&self, status: Option<Status>) {
        if let Some(Status { ending, updated_at_ms, snapshot, .. }) = status {
            let mut inside = self.inside();
            inside.ending = ending;
            inside.updated_at_ms = Some(updated_at_ms);
            inside.snapshot = Some(snapshot);
        }
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn id(&self) -> u32 {
        self.record.id
    }

    /// Who it is; made up if that cannot be read.
    pub(super) fn record(&self) -> &Record {
        &self.record
    }

    /// Whether that could be read.
    pub(super) fn has_record(&self) -> bool {
        self.has_record
    }

    /// What of its files could not be read.
    pub(super) fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    pub(super) fn kept(&self) -> Kept {
        self.inside().kept.clone()
    }

    pub(super) fn wish(&self) -> Wish {
        self.inside().kept.wish
    }

    /// Waits for one's turn to change what is wanted.
    pub(super) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Keeps what is wanted from now on.
    pub(super) fn wish_for(&self, registry: &Registry, wish: Wish) -> Result<(), RegistryError> {
        self.keep(registry, |kept| *kept = Kept { wish, failure: None, stopped_because: None, ..kept.clone() })
    }

    /// Keeps that it could not go on. Even if that cannot be kept it is so: it would
    /// begin again at once, and fail again.
    pub(super) fn fail(&self, registry: &Registry, failure: String) -> Result<(), RegistryError> {
        self.end(registry, |kept| {
            kept.failure = Some(failure);
            if kept.wish != Wish::Delete {
                kept.wish = Wish::Done;
            }
        })
    }

    /// Keeps that it has come to its end, unless something else is wanted by now.
    pub(super) fn done(&self, registry: &Registry) -> Result<(), RegistryError> {
        self.end(registry, |kept| {
            if kept.wish == Wish::Run {
                kept.wish = Wish::Done;
            }
        })
    }

    /// Keeps that the service has stopped it, unless something else is wanted by now.
    pub(super) fn stopped(&self, registry: &Registry, because: String) -> Result<(), RegistryError> {
        self.end(registry, |kept| {
            if kept.wish == Wish::Run {
                (kept.wish, kept.stopped_because) = (Wish::Stop, Some(because));
            }
        })
    }

    /// Changes what is kept, on disk first: who is told of it can rely on it. Nobody
    /// who looks has to wait for the disk.
    fn keep(&self, registry: &Registry, change: impl FnOnce(&mut Kept)) -> Result<(), RegistryError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = self.kept();
        change(&mut kept);
        registry.keep(self.record.id, FILE, &kept)?;
        self.inside().kept = kept;
        Ok(())
    }

    /// Changes what is kept when a run has ended: that is so, whatever the disk says.
    fn end(&self, registry: &Registry, change: impl FnOnce(&mut Kept)) -> Result<(), RegistryError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = self.kept();
        change(&mut kept);
        self.inside().kept = kept.clone();
        registry.keep(self.record.id, FILE, &kept)
    }

    /// Notes who gets what it harvests.
    pub(super) fn set_following(&self, ends: Ends) {
        self.inside().following = Some(ends);
    }

    /// Notes where it is told why domains rest.
    pub(super) fn set_rests(&self, rests: Arc<Rests>) {
        self.inside().rests = Some(rests);
    }

    /// Until when a URI waits for its server, and why.
    pub(super) fn rest_of(&self, uri: &Uri, now_ms: u64) -> Option<Rest> {
        let rests = self.inside().rests.clone();
        rests?.of(uri, now_ms)
    }

    /// Waits until nobody hands over any more what was harvested.
    pub(super) async fn wait_for_followers(&self) {
        let following = self.inside().following.take();
        if let Some(ends) = following {
            // A remote store may not answer; what it did not get it gets another day.
            let _ = tokio::time::timeout(FOLLOWERS_TIME, ends.wait()).await;
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.inside().running.is_some()
    }

    /// Begins a run if one is wanted and there is none.
    pub(super) fn begin_run(&self) -> Option<mpsc::Receiver<Command>> {
        let mut inside = self.inside();
        if inside.running.is_some() || inside.kept.wish != Wish::Run {
            return None;
        }
        let (operator, commands) = mpsc::channel(8);
        inside.running = Some(operator);
        inside.ending = None;
        if let Some(snapshot) = &mut inside.snapshot {
            // Of a run that has just begun.
            snapshot.elapsed = std::time::Duration::ZERO;
        }
        Some(commands)
    }

    /// Ends a run.
    pub(super) fn end_run(&self) {
        let mut inside = self.inside();
        (inside.running, inside.pace, inside.rests) = (None, None, None);
        drop(inside);
        self.idle.notify_waiters();
    }

    /// Says something to whoever runs it.
    pub(super) fn tell(&self, command: Command) {
        if let Some(operator) = &self.inside().running {
            // Told eight times already, it stops anyway.
            let _ = operator.try_send(command);
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

    /// Notes how it is doing.
    pub(super) fn note(&self, snapshot: Snapshot, ending: Option<Ending>, now_ms: u64) {
        let mut inside = self.inside();
        inside.pace = inside.snapshot.as_ref().and_then(|before| pace(before, &snapshot));
        inside.snapshot = Some(snapshot);
        inside.updated_at_ms = Some(now_ms);
        inside.ending = ending;
    }

    /// The fingerprints of its seeds, in order. They are read once: seeds of a crawl
    /// in this process do not change. Blocks.
    pub(super) fn seeds(&self, registry: &Registry) -> Result<Arc<[u128]>, RegistryError> {
        if let Some(seeds) = self.seeds.get() {
            return Ok(Arc::clone(seeds));
        }
        let mut seeds: Vec<u128> = registry.seeds(self.record.id)?.iter().map(Uri::fingerprint).collect();
        seeds.sort_unstable();
        Ok(Arc::clone(self.seeds.get_or_init(|| seeds.into())))
    }

    /// How many documents it has.
    pub(super) fn documents(&self) -> u64 {
        self.inside().snapshot.as_ref().map_or(0, |snapshot| snapshot.tally.documents)
    }

    pub(super) fn state(&self) -> State {
        self.inside().state()
    }

    pub(super) fn view(&self) -> View {
        let Record { id, name, strategy, created_at_ms, .. } = self.record.clone();
        let inside = self.inside();
        let Kept { user, on_behalf_of, template, settings, failure, stopped_because, warc, .. } = inside.kept.clone();
        let (state, snapshot, updated_at_ms) = (inside.state(), inside.snapshot.clone(), inside.updated_at_ms);
        let (ending, requests_per_second) = (inside.ending, inside.pace);
        View {
            id,
            name,
            user,
            on_behalf_of,
            strategy,
            state,
            created_at_ms,
            template,
            settings,
            snapshot,
            updated_at_ms,
            requests_per_second,
            ending,
            failure,
            stopped_because,
            warc,
        }
    }
}

/// How a crawl was doing, as far as that can be read.
fn status_of(registry: &Registry, id: u32) -> Option<Status> {
    registry.status(id).unwrap_or_else(|error| {
        tracing::warn!(crawl = id, %error, "how a crawl was doing cannot be read");
        None
    })
}

/// Requests in a second, from one look to the next at the same run.
fn pace(before: &Snapshot, now: &Snapshot) -> Option<f64> {
    let time = now.elapsed.checked_sub(before.elapsed).filter(|time| !time.is_zero())?;
    let requests = now.tally.requests().checked_sub(before.tally.requests())?;
    // Nobody makes so many that it matters.
    Some(u32::try_from(requests).map_or(f64::MAX, f64::from) / time.as_secs_f64())
}

impl Inside {
    fn state(&self) -> State {
        match (self.kept.wish, self.running.is_some()) {
            (Wish::Run | Wish::Done, true) => State::Running,
            (Wish::Run, false) => State::Queued,
            (Wish::Pause, true) => State::Pausing,
            (Wish::Pause, false) => State::Paused,
            (Wish::Stop | Wish::Delete, true) => State::Stopping,
            (Wish::Stop | Wish::Delete, false) => State::Stopped,
            (Wish::Done, false) if self.kept.failure.is_some() => State::Failed,
            (Wish::Done, false) => State::Finished,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun() -> (tempfile::TempDir, Registry, Record) {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::open(folder.path()).unwrap();
        let record = registry.create("one", "bfs", 0, 1).unwrap();
        (folder, registry, record)
    }

    #[test]
    fn a_crawl_whose_files_are_damaged_is_failed_and_still_there() {
        let (_folder, registry, record) = begun();
        let directory = registry.directory_of(record.id);
        std::fs::write(directory.join("status.json"), "").unwrap();
        assert_eq!(Berth::remembered(&registry, record.clone()).state(), State::Stopped);
        std::fs::write(directory.join(FILE), "{").unwrap();

        let berth = Berth::remembered(&registry, record);

        assert_eq!(berth.state(), State::Failed);
        let failure = berth.view().failure.unwrap();
        assert!(failure.starts_with("cannot read …/order.json: EOF"), "{failure}");
        assert_eq!(berth.damage(), Some(&*failure));
    }

    #[test]
    fn a_crawl_that_fails_does_not_begin_again_even_if_that_cannot_be_kept() {
        let (folder, registry, record) = begun();
        let berth = Berth::new(record, Kept { wish: Wish::Run, ..Kept::default() });
        let commands = berth.begin_run();
        assert!(commands.is_some());
        drop(folder);

        assert!(berth.fail(&registry, "the disk is full".to_owned()).is_err());
        berth.end_run();

        assert_eq!(berth.state(), State::Failed);
        assert!(berth.begin_run().is_none());
    }

    #[test]
    fn what_is_to_be_deleted_stays_so_when_its_run_fails() {
        let (_folder, registry, record) = begun();
        let berth = Berth::new(record.clone(), Kept { wish: Wish::Run, ..Kept::default() });
        berth.wish_for(&registry, Wish::Delete).unwrap();

        berth.fail(&registry, "it broke".to_owned()).unwrap();

        assert_eq!(Berth::remembered(&registry, record).wish(), Wish::Delete);
    }
}
