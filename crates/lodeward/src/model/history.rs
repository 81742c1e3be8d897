//! How a document has changed from visit to visit, and when to look again.
//!
//! A document changes now and then, and a visit only tells whether it has changed
//! since the visit before. From that its rate of change is estimated, and from the
//! rate the time of the next visit. Nothing here has a clock: moments are handed
//! in, in milliseconds since the Unix epoch.

use serde::{Deserialize, Serialize};

use super::outcome::Document;
use super::{DropReason, Fault, FaultKind, Outcome};

/// Somebody who is visited again: how it ended before, and all the times before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Again {
    /// How it ended the last time that there was something to tell.
    pub last: Outcome,
    /// What is known of the visits before.
    pub history: History,
}

impl Again {
    /// The document that was had, if it was one.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        match &self.last {
            Outcome::Document(document) => Some(document),
            _ => None,
        }
    }
}

/// What is known of the visits to a URI. Bounded: counts, and the last events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// When it was first visited.
    pub first_at_ms: u64,
    /// When it was last visited and there was an answer.
    pub last_at_ms: u64,
    /// How often it was visited.
    pub visits: u32,
    /// How often it was another than before.
    pub changes: u32,
    /// That it cannot be had lately, if that is so.
    pub failing: Option<Failing>,
    /// What happened last, the oldest first. Of failures in a row, only the first
    /// is there.
    pub events: Vec<Event>,
}

/// Failures in a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failing {
    /// Since when.
    pub since_ms: u64,
    /// When it was tried last.
    pub last_ms: u64,
    /// How many.
    pub visits: u32,
    /// What went wrong the last time.
    pub fault: Fault,
}

/// What a visit found, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// When.
    pub at_ms: u64,
    /// What.
    pub what: What,
}

/// What a visit found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// It was there for the first time.
    Appeared,
    /// It was as before.
    Unchanged,
    /// It was another than before.
    Changed,
    /// It was gone.
    Vanished,
    /// It was there again.
    CameBack,
    /// It could not be had.
    Failed,
}

impl What {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Appeared => "appeared",
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::Vanished => "vanished",
            Self::CameBack => "came back",
            Self::Failed => "failed",
        }
    }

    /// Whether it was another than before.
    #[must_use]
    pub fn is_change(self) -> bool {
        matches!(self, Self::Changed | Self::Vanished | Self::CameBack)
    }
}

impl History {
    /// How many events are kept.
    pub const EVENTS_MAX: usize = 16;

    /// What is known after a first visit that was answered.
    #[must_use]
    pub fn begun(at_ms: u64) -> Self {
        let events = vec![Event { at_ms, what: What::Appeared }];
        Self { first_at_ms: at_ms, last_at_ms: at_ms, visits: 1, events, ..Self::default() }
    }

    /// What is known of a URI that was visited once or never.
    #[must_use]
    pub fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Document(document) => Self::begun(document.fetched_at_ms),
            _ => Self::default(),
        }
    }

    /// Notes a visit that was answered.
    pub fn note(&mut self, at_ms: u64, what: What) {
        self.count(at_ms);
        self.last_at_ms = at_ms;
        self.failing = None;
        self.changes = self.changes.saturating_add(u32::from(what.is_change()));
        self.push(Event { at_ms, what });
    }

    /// Notes a visit that failed.
    pub fn fail(&mut self, at_ms: u64, fault: Fault) {
        self.count(at_ms);
        match &mut self.failing {
            Some(failing) => {
                failing.visits = failing.visits.saturating_add(1);
                failing.last_ms = at_ms;
                failing.fault = fault;
            }
            None => {
                self.failing = Some(Failing { since_ms: at_ms, last_ms: at_ms, visits: 1, fault });
                self.push(Event { at_ms, what: What::Failed });
            }
        }
    }

    fn count(&mut self, at_ms: u64) {
        if self.visits == 0 {
            self.first_at_ms = at_ms;
        }
        self.visits = self.visits.saturating_add(1);
    }

    fn push(&mut self, event: Event) {
        if self.events.len() >= Self::EVENTS_MAX {
            self.events.drain(..=self.events.len() - Self::EVENTS_MAX);
        }
        self.events.push(event);
    }

    /// When it last was another than before, as far as is remembered.
    #[must_use]
    pub fn last_change_at_ms(&self) -> Option<u64> {
        self.events.iter().rev().find(|event| event.what.is_change()).map(|event| event.at_ms)
    }

    /// The times between two answers, and whether it had changed in them.
    fn comparisons(&self) -> Vec<(f64, bool)> {
        let answers: Vec<&Event> = self.events.iter().filter(|event| event.what != What::Failed).collect();
        let elapsed = |pair: &[&Event]| real(pair[1].at_ms.saturating_sub(pair[0].at_ms).max(1));
        answers.windows(2).map(|pair| (elapsed(pair), pair[1].what.is_change())).collect()
    }

    /// How often it changes, in changes per millisecond; `None` if it was never
    /// compared.
    ///
    /// The maximum likelihood estimate for visits at irregular times of Cho and
    /// Garcia-Molina (*Estimating frequency of change*, ACM TOIT 3(3), 2003): the
    /// λ for which Σ t/(e^(λt) − 1) over the times t in which there was a change
    /// equals the sum of those in which there was none. That sum is lengthened by
    /// half a mean time, which for regular visits makes it their bias-reduced
    /// estimate −log((n − X + 0.5)/(n + 0.5)); and where no change was ever seen,
    /// half a one is taken to have been.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        let comparisons = self.comparisons();
        let count = real(comparisons.len() as u64);
        if comparisons.is_empty() {
            return None;
        }
        let total: f64 = comparisons.iter().map(|(time, _)| time).sum();
        let half = total / count / 2.0;
        let changed: Vec<f64> = comparisons.iter().filter(|(_, changed)| *changed).map(|(time, _)| *time).collect();
        let unchanged = total - changed.iter().sum::<f64>() + half;
        if changed.is_empty() {
            return Some(0.5 / unchanged);
        }
        Some(solve(&changed, unchanged))
    }
}

/// The λ for which Σ t/(e^(λt) − 1) over `changed` is `unchanged`. The sum falls
/// as λ grows, and is never above count/λ, which bounds the search.
fn solve(changed: &[f64], unchanged: f64) -> f64 {
    const HALVINGS: usize = 64;
    let (mut low, mut high) = (0.0, real(changed.len() as u64) / unchanged);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        let sum: f64 = changed.iter().map(|time| time / (middle * time).exp_m1()).sum();
        if sum > unchanged { low = middle } else { high = middle }
    }
    high
}

#[expect(clippy::cast_precision_loss, reason = "times and counts are far below 2^53")]
fn real(number: u64) -> f64 {
    number as f64
}

/// How long after a visit the next one is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervals {
    /// After the first visit, when nothing is known yet.
    pub first_ms: u64,
    /// Never sooner.
    pub min_ms: u64,
    /// Never later.
    pub max_ms: u64,
    /// The share of the expected time to the next change.
    pub factor: f64,
}

impl Default for Intervals {
    fn default() -> Self {
        const HOUR_MS: u64 = 3_600_000;
        Self { first_ms: 7 * 24 * HOUR_MS, min_ms: 24 * HOUR_MS, max_ms: 90 * 24 * HOUR_MS, factor: 0.5 }
    }
}

impl Intervals {
    /// The time from one visit to the next: a share of the expected time to the
    /// next change, within bounds.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and a cast saturates")]
    pub fn interval_ms(&self, history: &History) -> u64 {
        let wanted = history.rate().map_or(self.first_ms, |rate| (self.factor / rate) as u64);
        self.within(wanted)
    }

    fn within(&self, wanted_ms: u64) -> u64 {
        wanted_ms.max(self.min_ms).min(self.max_ms.max(self.min_ms))
    }

    /// When a URI is to be visited again; `None` for never. What cannot be had for
    /// now is tried again after twice as long each time, what is gone after the
    /// longest time.
    #[must_use]
    pub fn due_at_ms(&self, outcome: &Outcome, history: Option<&History>) -> Option<u64> {
        let first = History::of(outcome);
        let history = history.unwrap_or(&first);
        match outcome {
            Outcome::Dropped(DropReason::Unreachable | DropReason::RobotsUnreachable) => Some(0),
            Outcome::Dropped(_) => None,
            Outcome::Failed(fault) if !may_pass(fault) => Some(self.latest(history)),
            Outcome::Vanished { .. } => Some(self.latest(history)),
            Outcome::Failed(_) | Outcome::Document(_) | Outcome::Redirected { .. } => Some(match &history.failing {
                Some(failing) => failing.last_ms.saturating_add(self.patience_ms(failing.visits)),
                None => history.last_at_ms.saturating_add(self.interval_ms(history)),
            }),
        }
    }

    fn latest(&self, history: &History) -> u64 {
        let last = history.failing.as_ref().map_or(0, |failing| failing.last_ms);
        last.max(history.last_at_ms).saturating_add(self.max_ms)
    }

    fn patience_ms(&self, failures: u32) -> u64 {
        let doubled = 1_u64.checked_shl(failures.saturating_sub(1)).and_then(|times| self.min_ms.checked_mul(times));
        self.within(doubled.unwrap_or(u64::MAX))
    }

    /// How likely it is by now that a document has changed, from 0 to 1.
    #[must_use]
    pub fn chance_of_change(&self, outcome: &Outcome, history: Option<&History>, now_ms: u64) -> f64 {
        let first = History::of(outcome);
        let history = history.unwrap_or(&first);
        // Of what was seen once it is expected after twice the first interval, as
        // of anybody who is visited after half the expected time.
        let rate = history.rate().unwrap_or(self.factor / real(self.first_ms.max(1)));
        -(-rate * real(now_ms.saturating_sub(history.last_at_ms))).exp_m1()
    }
}

/// Whether a fault is one that may be gone by another day.
#[must_use]
pub fn may_pass(fault: &Fault) -> bool {
    match fault.kind {
        FaultKind::Status => fault.detail.starts_with('5'),
        FaultKind::Forbidden | FaultKind::Redirect => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 3_600_000;

    /// A history of visits after so many days each.
    fn visited(visits: &[(u64, What)]) -> History {
        let mut at_ms = 1_000 * DAY;
        let mut history = History::begun(at_ms);
        for (days, what) in visits {
            at_ms += days * DAY;
            history.note(at_ms, *what);
        }
        history
    }

    #[test]
    fn the_next_visit_is_due_after_half_the_expected_time_to_a_change() {
        use What::{CameBack, Changed, Unchanged, Vanished};
        let check = |visits: &[(u64, What)], days: f64| {
            let intervals = Intervals { min_ms: 1, max_ms: 1_000 * DAY, ..Intervals::default() };
            let found = real(intervals.interval_ms(&visited(visits))) / real(DAY);
            assert!((found - days).abs() < 0.001, "{visits:?}: {found} instead of {days}");
        };

        // Nothing is known yet.
        check(&[], 7.0);
        // Regular visits: −log((n − X + 0.5)/(n + 0.5)) = −log(2.5/4.5) a day.
        check(&[(1, Changed), (1, Unchanged), (1, Changed), (1, Unchanged)], 0.5 / (4.5_f64 / 2.5).ln());
        check(&[(1, Vanished), (1, Unchanged), (1, CameBack), (1, Unchanged)], 0.5 / (4.5_f64 / 2.5).ln());
        // Always another: −log(0.5/3.5), in weeks.
        check(&[(7, Changed), (7, Changed), (7, Changed)], 7.0 * 0.5 / 7.0_f64.ln());
        // Irregular: 10/(e^10λ − 1) = 2 + 3, so λ = ln 3 / 10.
        check(&[(10, Changed), (2, Unchanged)], 5.0 / 3.0_f64.ln());
        // Never another: half a change in all that time and half a mean time.
        check(&[(4, Unchanged)], 6.0);
        check(&[(4, Unchanged), (8, Unchanged)], 15.0);
    }

    #[test]
    fn intervals_have_bounds() {
        let check = |visits: &[(u64, What)], days: u64| {
            assert_eq!(Intervals::default().interval_ms(&visited(visits)), days * DAY, "{visits:?}");
        };

        check(&[(1, What::Changed), (1, What::Changed)], 1);
        check(&[(80, What::Unchanged), (80, What::Unchanged)], 90);
        let mad = Intervals { min_ms: 5, max_ms: 2, ..Intervals::default() };
        assert_eq!(mad.interval_ms(&visited(&[(1, What::Changed)])), 5);
    }

    #[test]
    fn what_cannot_be_had_is_tried_again_later_and_later() {
        let fault = |kind, detail: &str| Fault::new(kind, detail);
        let check = |outcome: &Outcome, failures: u64, fault: &Fault, due: Option<u64>| {
            let mut history = visited(&[]);
            for day in 1..=failures {
                history.fail((1_000 + day) * DAY, fault.clone());
            }
            let due = due.map(|days| (1_000 + failures + days) * DAY);
            assert_eq!(Intervals::default().due_at_ms(outcome, Some(&history)), due, "{outcome:?} {failures}");
        };
        let timeout = fault(FaultKind::Timeout, "too slow");
        let missing = fault(FaultKind::Status, "404 Not Found");
        let broken = fault(FaultKind::Status, "502 Bad Gateway");
        let document = Outcome::Document(Document::default());

        check(&document, 0, &timeout, Some(7));
        for (failures, days) in [(1, 1), (2, 2), (3, 4), (7, 64), (8, 90), (70, 90)] {
            check(&document, failures, &timeout, Some(days));
            check(&Outcome::Failed(broken.clone()), failures, &broken, Some(days));
        }
        check(&Outcome::Failed(missing.clone()), 1, &missing, Some(90));
        let vanished = Outcome::Vanished { since_ms: 0, last_had_ms: 0, fault: missing.clone() };
        check(&vanished, 0, &missing, Some(90));
        check(&Outcome::Dropped(DropReason::Stay), 0, &missing, None);
    }

    #[test]
    fn a_history_is_bounded_and_counts_on() {
        let mut history = History::begun(0);
        for visit in 1..=100 {
            history.note(visit, if visit % 10 == 0 { What::Changed } else { What::Unchanged });
        }
        for visit in 101..=200 {
            history.fail(visit, Fault::new(FaultKind::Timeout, "too slow"));
        }

        assert_eq!((history.visits, history.changes), (201, 10));
        assert_eq!(history.events.len(), History::EVENTS_MAX);
        assert_eq!((history.first_at_ms, history.last_at_ms), (0, 100));
        assert_eq!(history.last_change_at_ms(), Some(100));
        let failing = history.failing.as_ref().unwrap();
        assert_eq!((failing.since_ms, failing.last_ms, failing.visits), (101, 200, 100));
        history.note(201, What::Unchanged);
        assert_eq!(history.failing, None);
    }

    #[test]
    fn whoever_changes_more_often_is_the_more_likely_to_have_changed() {
        let intervals = Intervals::default();
        let chance = |visits: &[(u64, What)], after_days: u64| {
            let history = visited(visits);
            let now = history.last_at_ms + after_days * DAY;
            intervals.chance_of_change(&Outcome::Document(Document::default()), Some(&history), now)
        };

        let often = chance(&[(7, What::Changed), (7, What::Changed)], 7);
        let unknown = chance(&[], 7);
        let never = chance(&[(70, What::Unchanged), (70, What::Unchanged)], 7);
        assert!(often > unknown && unknown > never && never > 0.0 && often < 1.0, "{often} {unknown} {never}");
        assert!((unknown - (1.0 - (-0.5_f64).exp())).abs() < 1e-9);
    }
}
