//! Feeding one follower, on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use super::super::segments::{Bounds, Log, LogGroup, LogReader};
use super::backoff::Backoff;
use super::state::State;
use super::{Describe, FollowError, Follower};
use crate::told;

/// How a follower is fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// While there are fewer documents than this, it waits for more.
    pub group_documents: u64,
    /// But not longer than this.
    pub group_time: Duration,
    /// How much it is given at a time.
    pub bounds: Bounds,
}

impl Default for Pace {
    fn default() -> Self {
        Self { group_documents: 64, group_time: Duration::from_secs(1), bounds: Bounds::default() }
    }
}

/// Waits between two attempts. Apart, so that tests need not.
pub(super) trait Rest: Send {
    /// Waits so long, or until there is a reason not to.
    fn rest(&mut self, time: Duration, state: &State);
}

/// Waits in real time.
pub(super) struct RealTime;

impl Rest for RealTime {
    fn rest(&mut self, time: Duration, state: &State) {
        state.rest(time);
    }
}

/// Why a feed came to its end, if nothing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// Everything has been taken.
    Done,
    /// Nobody has the time to wait any longer.
    Left,
}

pub(super) struct Feed {
    pub(super) log: Log,
    pub(super) follower: Box<dyn Follower>,
    pub(super) pace: Pace,
    pub(super) describe: Option<Describe>,
    pub(super) state: Arc<State>,
    pub(super) rest: Box<dyn Rest>,
}

impl Feed {
    /// Feeds until told to finish, or to leave.
    pub(super) fn run(mut self) {
        let followed = catch_unwind(AssertUnwindSafe(|| self.follow()));
        let followed = followed.unwrap_or_else(|_| {
            Err(FollowError::Fatal { what: "it broke: this is a bug of ours".to_owned(), source: None })
        });
        let Self { follower, state, .. } = self;
        // First: whoever waits for the end may want to open it again.
        drop(follower);
        match followed {
            Ok(stop) => state.end(stop == Stop::Done),
            Err(error) => {
                let why = told::with_causes(&error);
                tracing::error!(follower = state.name(), %why, "a follower is left behind; the crawl goes on");
                state.fail(why);
            }
        }
    }

    fn follow(&mut self) -> Result<Stop, FollowError> {
        let Some(position) = self.patiently(|follower| follower.position())? else { return Ok(Stop::Left) };
        let mut reader = self.log.read(position)?;
        let end = self.log.tail().end();
        self.state.begin(reader.distance_to(end)?, end);
        let Some(mut is_described) = self.patiently(|follower| follower.is_described())? else { return Ok(Stop::Left) };
        loop {
            if self.state.is_abandoned() {
                return Ok(Stop::Left);
            }
            // Asked first: what is written before the end is told, is read after.
            let is_finishing = self.state.is_finishing();
            match reader.next_group(self.pace.bounds)? {
                Some(group) => {
                    if self.patiently(|follower| follower.apply(&group.changes, group.upto))?.is_none() {
                        return Ok(Stop::Left);
                    }
                    is_described = false;
                    self.state.applied(&group);
                }
                None if is_finishing => return self.finish(is_described),
                None => self.wait_for_more(&reader),
            }
        }
    }

    fn finish(&mut self, is_described: bool) -> Result<Stop, FollowError> {
        if !is_described && let Some(describe) = self.describe.clone() {
            let (graph, quads) = describe(&self.log)?;
            if self.patiently(|follower| follower.describe(&graph, &quads))?.is_none() {
                return Ok(Stop::Left);
            }
        }
        Ok(self.patiently(|follower| follower.finish())?.map_or(Stop::Left, |()| Stop::Done))
    }

    /// Waits until there is something, and then a moment for others to come.
    fn wait_for_more(&self, reader: &LogReader) {
        let state = &self.state;
        let begin = self.log.tail().end().records;
        self.log.tail().wait_while(None, |end| !reader.has_more_before(end) && !state.is_in_hurry());
        let more = self.pace.group_documents;
        self.log
            .tail()
            .wait_while(Some(self.pace.group_time), |end| end.records - begin < more && !state.is_in_hurry());
    }

    /// Does something with the follower, again and again while it cannot be
    /// reached. `None` if nobody waits for it any longer.
    fn patiently<T>(
        &mut self,
        mut attempt: impl FnMut(&mut dyn Follower) -> Result<T, FollowError>,
    ) -> Result<Option<T>, FollowError> {
        let mut backoff = Backoff::new();
        loop {
            let (after, why) = match attempt(&mut *self.follower) {
                Err(FollowError::Retry { after, why }) => (after, why),
                other => {
                    self.state.reached();
                    return other.map(Some);
                }
            };
            let wait = backoff.failed(after);
            tracing::warn!(follower = self.state.name(), %why, wait_s = wait.as_secs(), "a follower cannot be reached");
            let Some(wait) = self.state.unreached(why, wait) else { return Ok(None) };
            self.rest.rest(wait, &self.state);
        }
    }
}

/// Feeds a follower everything there is, here and now. Tells after every group.
///
/// Fails where it cannot be reached: whoever calls this is waiting.
pub fn feed_now(
    log: &Log,
    follower: &mut dyn Follower,
    bounds: Bounds,
    progress: &mut dyn FnMut(&LogGroup),
) -> Result<(), FollowError> {
    let mut reader = log.read(follower.position()?)?;
    while let Some(group) = reader.next_group(bounds)? {
        follower.apply(&group.changes, group.upto)?;
        progress(&group);
    }
    follower.finish()
}
