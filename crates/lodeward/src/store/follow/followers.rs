//! All who follow a log.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::watch;

use super::super::segments::Log;
use super::feed::{Feed, Pace, RealTime, Rest};
use super::lag::Lag;
use super::state::State;
use super::{Describe, Follower};

/// Those who follow a crawl's log, each fed on a thread of its own. By default
/// nobody does.
#[derive(Default)]
pub struct Followers {
    log: Option<Log>,
    states: Vec<Arc<State>>,
    /// Holds the channel open, also when nobody follows.
    told: watch::Sender<()>,
}

impl Followers {
    /// Nobody, yet.
    #[must_use]
    pub fn of(log: Log) -> Self {
        Self { log: Some(log), states: Vec::new(), told: watch::Sender::default() }
    }

    /// Begins to feed somebody. `describe` makes a description of the crawl, for
    /// when everything has been taken.
    pub fn add(&mut self, follower: Box<dyn Follower>, pace: Pace, describe: Option<Describe>) {
        self.add_with(follower, pace, describe, Box::new(RealTime));
    }

    pub(super) fn add_with(
        &mut self,
        follower: Box<dyn Follower>,
        pace: Pace,
        describe: Option<Describe>,
        rest: Box<dyn Rest>,
    ) {
        let log = self.log.clone().expect("whoever has followers has a log");
        let state = Arc::new(State::new(follower.name(), follower.remedy(), self.told.clone()));
        self.states.push(Arc::clone(&state));
        let feed = Feed { log, follower, pace, describe, state: Arc::clone(&state), rest };
        let thread = thread::Builder::new().name("follower".to_owned());
        if let Err(error) = thread.spawn(move || feed.run()) {
            state.fail(format!("no thread to be had: {error}"));
        }
    }

    /// How far each is behind.
    #[must_use]
    pub fn lags(&self) -> Vec<Lag> {
        let Some(log) = &self.log else { return Vec::new() };
        let end = log.tail().end();
        self.states.iter().map(|state| state.lag(end)).collect()
    }

    /// Says that nothing more will come: they take what there is, wait at most so
    /// long for whoever cannot be reached, and end.
    pub fn finish(&self, patience: Duration) {
        self.tell(|state| state.finish(patience));
    }

    /// Says that nobody waits any longer. They end as soon as they can, and go on
    /// another day.
    pub fn abandon(&self) {
        self.tell(State::abandon);
    }

    fn tell(&self, tell: impl Fn(&State)) {
        for state in &self.states {
            tell(state);
        }
        if let Some(log) = &self.log {
            log.tail().wake();
        }
    }

    /// Whether all have ended.
    #[must_use]
    pub fn have_ended(&self) -> bool {
        self.states.iter().all(|state| state.has_ended())
    }

    /// Tells whenever something has changed.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.told.subscribe()
    }

    /// Who can be waited for until they have ended, also when these are gone.
    #[must_use]
    pub fn ends(&self) -> Ends {
        Ends { states: self.states.clone(), told: self.told.subscribe() }
    }

    /// Blocks until everybody has what is in the log now. Tells whether all do:
    /// whoever has failed does not.
    #[must_use]
    pub fn catch_up(&self) -> bool {
        let Some(log) = &self.log else { return true };
        let end = log.tail().end();
        self.states.iter().all(|state| {
            state.hurry();
            log.tail().wake();
            state.wait_for(end)
        })
    }
}

/// The ends of followers: whoever has been abandoned may still be about to hand over
/// what was under way.
pub struct Ends {
    states: Vec<Arc<State>>,
    told: watch::Receiver<()>,
}

impl Ends {
    /// Waits until all have ended.
    pub async fn wait(mut self) {
        while !self.states.iter().all(|state| state.has_ended()) {
            // The states themselves hold the channel open.
            if self.told.changed().await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Followers {
    fn drop(&mut self) {
        self.abandon();
    }
}
