//! What became of a URI.

use serde::{Deserialize, Serialize};

use crate::discover::Step;
use crate::model::{Again, Candidate, Features, History, How, Outcome, Uri, Visit};
use crate::select::Verdict;

/// The life of a URI so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Life {
    /// Whose.
    pub uri: Uri,
    /// The document it was first found in; `None` for a seed.
    pub source: Option<Uri>,
    /// How it was found there.
    pub how: How,
    /// Hops from the nearest seed.
    pub depth: u16,
    /// The priority it was queued with.
    pub priority: f32,
    /// What the strategy sees of it, while it waits.
    pub features: Features,
    /// What the visit is for, if not for a document.
    pub step: Option<Box<Step>>,
    /// How many visits failed before the last.
    pub attempt: u8,
    /// What the strategy made of it.
    pub verdict: Option<Verdict>,
    /// How it ended; `None` while it waits.
    pub outcome: Option<Outcome>,
    /// What is known of its visits; `None` if there was but one, and it brought a
    /// document, which tells.
    pub history: Option<Box<History>>,
    /// How it ended the last time, while it waits to be visited again.
    pub last: Option<Box<Outcome>>,
}

impl Life {
    /// The life so far of somebody who waits, or was dropped.
    pub(crate) fn of(candidate: &Candidate, outcome: Option<Outcome>) -> Self {
        let is_waiting = outcome.is_none();
        let features = if is_waiting { candidate.features.clone() } else { Features::default() };
        let Candidate { target, source, how, depth, priority, step, again, .. } = candidate.clone();
        let (history, last) = match again {
            Some(again) => {
                let Again { last, history } = *again;
                (Some(Box::new(history)), is_waiting.then(|| Box::new(last)))
            }
            None => (None, None),
        };
        let (attempt, verdict) = (0, None);
        Self { uri: target, source, how, depth, priority, features, step, attempt, verdict, outcome, history, last }
    }

    /// The life of somebody whose visit has ended.
    pub(crate) fn ended(visit: &Visit, outcome: Outcome) -> Self {
        let life = Self::of(&visit.candidate, Some(outcome));
        Self { attempt: visit.attempt, verdict: visit.verdict.clone(), ..life }
    }

    /// The life of somebody who waited when their domain was given up: one that is
    /// visited again is as it was.
    pub(crate) fn given_up(candidate: &Candidate, reason: crate::model::DropReason) -> Self {
        let outcome = candidate.again.as_ref().map_or(Outcome::Dropped(reason), |again| again.last.clone());
        Self::of(candidate, Some(outcome))
    }

    /// What is known of the visits to it.
    #[must_use]
    pub fn history(&self) -> History {
        match (&self.history, &self.outcome) {
            (Some(history), _) => (**history).clone(),
            (None, Some(outcome)) => History::of(outcome),
            (None, None) => History::default(),
        }
    }

    /// Somebody who is settled, as one who is to be visited again.
    #[must_use]
    pub fn again(self, priority: f32) -> Candidate {
        let history = self.history();
        let again = self.outcome.map(|last| Box::new(Again { last, history }));
        let Self { uri: target, source, how, depth, step, .. } = self;
        Candidate { target, source, how, depth, redirects: 0, priority, features: Features::default(), step, again }
    }
}
