//! Records how a document changes between fetches and computes when to fetch it next.
//!
//! A fetch shows only whether the document has changed since the previous fetch. The change rate is estimated from
//! these comparisons, and the time of the next fetch from the rate. This module reads no clock: timestamps are
//! parameters, in milliseconds since the Unix epoch.

use serde::{Deserialize, Serialize};

use super::outcome::DocumentSummary;
use super::stored_enum::stored_enum;
use super::{DropReason, Fault, Outcome};

/// What is known of a URI that is fetched again: its last outcome and its history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revisit {
    /// The last outcome that was not a transient failure.
    pub last: Outcome,
    /// The previous fetches.
    pub history: FetchHistory,
}

impl Revisit {
    /// The stored document, if the last outcome was one.
    #[must_use]
    pub(crate) fn document(&self) -> Option<&DocumentSummary> {
        match &self.last {
            Outcome::Document(document) => Some(document),
            _ => None,
        }
    }
}

/// The history of the fetches of a URI. Its size is bounded: it stores counts and the last events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchHistory {
    /// Time of the first fetch.
    pub first_at_ms: u64,
    /// Time of the last fetch that returned a response.
    pub last_at_ms: u64,
    /// Number of fetches.
    pub fetches: u32,
    /// Number of fetches that found a change.
    pub changes: u32,
    /// The current series of failures, if the last fetch failed.
    pub failing: Option<FailureStreak>,
    /// The last events, oldest first. A series of failures has one event, for its first failure.
    pub events: Vec<FetchEvent>,
}

/// Consecutive failures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureStreak {
    /// Time of the first failure.
    pub since_ms: u64,
    /// Time of the last failure.
    pub last_ms: u64,
    /// Number of failures.
    pub failures: u32,
    /// The last fault.
    pub fault: Fault,
}

/// The result of a fetch, with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchEvent {
    /// Time of the fetch.
    pub at_ms: u64,
    /// Result of the fetch.
    pub change: ChangeKind,
}

stored_enum! {
    /// The result of a fetch, compared with the fetch before. Stored by number: append only.
    ChangeKind {
        /// Fetched for the first time.
        Added = 0 "added",
        /// Same content as before.
        Unchanged = 1 "unchanged",
        /// Different content.
        Changed = 2 "changed",
        /// Deleted by its server.
        Deleted = 3 "deleted",
        /// Available again after a deletion.
        Restored = 4 "restored",
        /// The fetch failed.
        Failed = 5 "failed",
    }
}

impl ChangeKind {
    /// Whether the content differs from the previous fetch.
    #[must_use]
    pub(crate) fn is_change(self) -> bool {
        matches!(self, Self::Changed | Self::Deleted | Self::Restored)
    }
}

impl FetchHistory {
    /// Maximum number of stored events.
    pub(crate) const MAX_EVENTS: usize = 16;

    /// The history after a first fetch that returned a response.
    #[must_use]
    pub(crate) fn from_first_fetch(at_ms: u64) -> Self {
        let events = vec![FetchEvent { at_ms, change: ChangeKind::Added }];
        Self { first_at_ms: at_ms, last_at_ms: at_ms, fetches: 1, events, ..Self::default() }
    }

    /// The history of a URI with this outcome that was fetched at most once.
    #[must_use]
    pub(crate) fn from_outcome(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Document(document) => Self::from_first_fetch(document.fetch.fetched_at_ms),
            _ => Self::default(),
        }
    }

    /// Records a fetch that returned a response.
    pub(crate) fn record_fetch(&mut self, at_ms: u64, change: ChangeKind) {
        self.count(at_ms);
        self.last_at_ms = at_ms;
        self.failing = None;
        self.changes = self.changes.saturating_add(u32::from(change.is_change()));
        self.push(FetchEvent { at_ms, change });
    }

    /// Records a failed fetch.
    pub(crate) fn record_failure(&mut self, at_ms: u64, fault: Fault) {
        self.count(at_ms);
        match &mut self.failing {
            Some(failing) => {
                failing.failures = failing.failures.saturating_add(1);
                failing.last_ms = at_ms;
                failing.fault = fault;
            }
            None => {
                self.failing = Some(FailureStreak { since_ms: at_ms, last_ms: at_ms, failures: 1, fault });
                self.push(FetchEvent { at_ms, change: ChangeKind::Failed });
            }
        }
    }

    fn count(&mut self, at_ms: u64) {
        if self.fetches == 0 {
            self.first_at_ms = at_ms;
        }
        self.fetches = self.fetches.saturating_add(1);
    }

    fn push(&mut self, event: FetchEvent) {
        if self.events.len() >= Self::MAX_EVENTS {
            self.events.drain(..=self.events.len() - Self::MAX_EVENTS);
        }
        self.events.push(event);
    }

    /// Time of the last change among the stored events.
    #[must_use]
    pub fn last_change_at_ms(&self) -> Option<u64> {
        self.events.iter().rev().find(|event| event.change.is_change()).map(|event| event.at_ms)
    }

    /// The intervals between two responses, and whether the content changed in each.
    fn comparisons(&self) -> Vec<(f64, bool)> {
        let responses: Vec<&FetchEvent> =
            self.events.iter().filter(|event| event.change != ChangeKind::Failed).collect();
        let elapsed = |pair: &[&FetchEvent]| to_f64(pair[1].at_ms.saturating_sub(pair[0].at_ms).max(1));
        responses.windows(2).map(|pair| (elapsed(pair), pair[1].change.is_change())).collect()
    }

    /// The estimated change rate, in changes per millisecond; `None` if no two fetches can be compared.
    ///
    /// The maximum likelihood estimate for irregular fetches of Cho and Garcia-Molina (*Estimating frequency of
    /// change*, ACM TOIT 3(3), 2003): the λ for which Σ t/(e^(λt) − 1) over the intervals t with a change equals the
    /// sum of the intervals without one. Half a mean interval is added to that sum; for regular fetches this gives
    /// their bias-reduced estimate −log((n − X + 0.5)/(n + 0.5)). If no change was ever observed, half a change is
    /// assumed.
    #[must_use]
    pub(crate) fn change_rate(&self) -> Option<f64> {
        let comparisons = self.comparisons();
        let count = to_f64(comparisons.len() as u64);
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

/// The λ for which Σ t/(e^(λt) − 1) over `changed` is `unchanged`. The sum falls as λ grows and is never above count/λ,
/// which bounds the search.
fn solve(changed: &[f64], unchanged: f64) -> f64 {
    const HALVINGS: usize = 64;
    let (mut low, mut high) = (0.0, to_f64(changed.len() as u64) / unchanged);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        let sum: f64 = changed.iter().map(|time| time / (middle * time).exp_m1()).sum();
        if sum > unchanged { low = middle } else { high = middle }
    }
    high
}

#[expect(clippy::cast_precision_loss, reason = "times and counts are far below 2^53")]
fn to_f64(number: u64) -> f64 {
    number as f64
}

/// Settings from which the interval between two fetches of a URI is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefreshIntervals {
    /// Interval after the first fetch, when no change rate is known.
    pub first_ms: u64,
    /// Minimum interval.
    pub min_ms: u64,
    /// Maximum interval.
    pub max_ms: u64,
    /// The interval as a fraction of the expected time to the next change.
    pub factor: f64,
}

impl Default for RefreshIntervals {
    fn default() -> Self {
        const HOUR_MS: u64 = 3_600_000;
        Self { first_ms: 7 * 24 * HOUR_MS, min_ms: 24 * HOUR_MS, max_ms: 90 * 24 * HOUR_MS, factor: 0.5 }
    }
}

impl RefreshIntervals {
    /// The interval to the next fetch: a fraction of the expected time to the next change, within the bounds.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates at 0 and u64::MAX")]
    pub(crate) fn interval_ms(&self, history: &FetchHistory) -> u64 {
        let unbounded_ms = history.change_rate().map_or(self.first_ms, |rate| (self.factor / rate) as u64);
        self.clamp_ms(unbounded_ms)
    }

    fn clamp_ms(&self, interval_ms: u64) -> u64 {
        interval_ms.max(self.min_ms).min(self.max_ms.max(self.min_ms))
    }

    /// Whether a URI that is due at `due_at_ms` is due now. A time that is further in the future than
    /// any interval was computed with a wrong clock, and does not delay the URI.
    #[must_use]
    pub(crate) fn is_due(&self, due_at_ms: u64, now_ms: u64) -> bool {
        due_at_ms <= now_ms || due_at_ms > now_ms.saturating_add(self.clamp_ms(u64::MAX))
    }

    /// When a URI is due; `None` for never. After a transient failure the interval doubles with each failure. After a
    /// permanent failure or a deletion the maximum interval applies.
    #[must_use]
    pub fn due_at_ms(&self, outcome: &Outcome, history: Option<&FetchHistory>) -> Option<u64> {
        let first = FetchHistory::from_outcome(outcome);
        let history = history.unwrap_or(&first);
        match outcome {
            Outcome::Dropped(DropReason::Unreachable | DropReason::RobotsUnreachable) => Some(0),
            Outcome::Dropped(_) => None,
            Outcome::Failed(fault) if !fault.is_transient() => Some(self.latest_due_ms(history)),
            Outcome::Deleted { .. } => Some(self.latest_due_ms(history)),
            Outcome::Failed(_) | Outcome::Document(_) | Outcome::Redirected { .. } => Some(match &history.failing {
                Some(failing) => failing.last_ms.saturating_add(self.retry_delay_ms(failing.failures)),
                None => history.last_at_ms.saturating_add(self.interval_ms(history)),
            }),
        }
    }

    fn latest_due_ms(&self, history: &FetchHistory) -> u64 {
        let last = history.failing.as_ref().map_or(0, |failing| failing.last_ms);
        last.max(history.last_at_ms).saturating_add(self.max_ms)
    }

    fn retry_delay_ms(&self, failures: u32) -> u64 {
        let doubled = 1_u64.checked_shl(failures.saturating_sub(1)).and_then(|times| self.min_ms.checked_mul(times));
        self.clamp_ms(doubled.unwrap_or(u64::MAX))
    }

    /// Probability that a document has changed since its last fetch, from 0 to 1.
    #[must_use]
    pub(crate) fn change_probability(&self, outcome: &Outcome, history: Option<&FetchHistory>, now_ms: u64) -> f64 {
        let first = FetchHistory::from_outcome(outcome);
        let history = history.unwrap_or(&first);
        // A document fetched once is expected to change after twice the first interval, so that its first interval too
        // is half the expected time.
        let rate = history.change_rate().unwrap_or(self.factor / to_f64(self.first_ms.max(1)));
        -(-rate * to_f64(now_ms.saturating_sub(history.last_at_ms))).exp_m1()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FaultKind;

    const DAY: u64 = 24 * 3_600_000;

    /// A history of fetches with these intervals in days.
    fn history_of(visits: &[(u64, ChangeKind)]) -> FetchHistory {
        let mut at_ms = 1_000 * DAY;
        let mut history = FetchHistory::from_first_fetch(at_ms);
        for (days, what) in visits {
            at_ms += days * DAY;
            history.record_fetch(at_ms, *what);
        }
        history
    }

    #[test]
    fn interval_is_half_the_expected_time_to_a_change() {
        use ChangeKind::{Changed, Deleted, Restored, Unchanged};
        let check = |visits: &[(u64, ChangeKind)], days: f64| {
            let intervals = RefreshIntervals { min_ms: 1, max_ms: 1_000 * DAY, ..RefreshIntervals::default() };
            let found = to_f64(intervals.interval_ms(&history_of(visits))) / to_f64(DAY);
            assert!((found - days).abs() < 0.001, "{visits:?}: {found} instead of {days}");
        };

        // A single fetch cannot be compared.
        check(&[], 7.0);
        // Regular fetches: −log((n − X + 0.5)/(n + 0.5)) = −log(2.5/4.5) a day.
        check(&[(1, Changed), (1, Unchanged), (1, Changed), (1, Unchanged)], 0.5 / (4.5_f64 / 2.5).ln());
        check(&[(1, Deleted), (1, Unchanged), (1, Restored), (1, Unchanged)], 0.5 / (4.5_f64 / 2.5).ln());
        // Changed every time: −log(0.5/3.5), in weeks.
        check(&[(7, Changed), (7, Changed), (7, Changed)], 7.0 * 0.5 / 7.0_f64.ln());
        // Irregular: 10/(e^10λ − 1) = 2 + 3, so λ = ln 3 / 10.
        check(&[(10, Changed), (2, Unchanged)], 5.0 / 3.0_f64.ln());
        // Never changed: half a change in the whole time plus half a mean interval.
        check(&[(4, Unchanged)], 6.0);
        check(&[(4, Unchanged), (8, Unchanged)], 15.0);
    }

    #[test]
    fn interval_stays_within_its_bounds() {
        let check = |visits: &[(u64, ChangeKind)], days: u64| {
            assert_eq!(RefreshIntervals::default().interval_ms(&history_of(visits)), days * DAY, "{visits:?}");
        };

        check(&[(1, ChangeKind::Changed), (1, ChangeKind::Changed)], 1);
        check(&[(80, ChangeKind::Unchanged), (80, ChangeKind::Unchanged)], 90);
        let inverted = RefreshIntervals { min_ms: 5, max_ms: 2, ..RefreshIntervals::default() };
        assert_eq!(inverted.interval_ms(&history_of(&[(1, ChangeKind::Changed)])), 5);
    }

    #[test]
    fn retry_interval_doubles_with_each_failure() {
        let fault = |kind, detail: &str| Fault::new(kind, detail);
        let check = |outcome: &Outcome, failures: u64, fault: &Fault, due: Option<u64>| {
            let mut history = history_of(&[]);
            for day in 1..=failures {
                history.record_failure((1_000 + day) * DAY, fault.clone());
            }
            let due = due.map(|days| (1_000 + failures + days) * DAY);
            assert_eq!(RefreshIntervals::default().due_at_ms(outcome, Some(&history)), due, "{outcome:?} {failures}");
        };
        let timeout = fault(FaultKind::Timeout, "too slow");
        let missing = fault(FaultKind::Status, "404 Not Found");
        let broken = fault(FaultKind::Status, "502 Bad Gateway");
        let document = Outcome::Document(DocumentSummary::default());

        check(&document, 0, &timeout, Some(7));
        for (failures, days) in [(1, 1), (2, 2), (3, 4), (7, 64), (8, 90), (70, 90)] {
            check(&document, failures, &timeout, Some(days));
            check(&Outcome::Failed(broken.clone()), failures, &broken, Some(days));
        }
        check(&Outcome::Failed(missing.clone()), 1, &missing, Some(90));
        let deleted = Outcome::Deleted { since_ms: 0, last_seen_ms: 0, fault: missing.clone() };
        check(&deleted, 0, &missing, Some(90));
        check(&Outcome::Dropped(DropReason::Scope), 0, &missing, None);
    }

    #[test]
    fn history_stores_bounded_events_and_counts_all_fetches() {
        let mut history = FetchHistory::from_first_fetch(0);
        for visit in 1..=100 {
            history.record_fetch(visit, if visit % 10 == 0 { ChangeKind::Changed } else { ChangeKind::Unchanged });
        }
        for visit in 101..=200 {
            history.record_failure(visit, Fault::new(FaultKind::Timeout, "too slow"));
        }

        assert_eq!((history.fetches, history.changes), (201, 10));
        assert_eq!(history.events.len(), FetchHistory::MAX_EVENTS);
        assert_eq!((history.first_at_ms, history.last_at_ms), (0, 100));
        assert_eq!(history.last_change_at_ms(), Some(100));
        let failing = history.failing.as_ref().unwrap();
        assert_eq!((failing.since_ms, failing.last_ms, failing.failures), (101, 200, 100));
        history.record_fetch(201, ChangeKind::Unchanged);
        assert_eq!(history.failing, None);
    }

    #[test]
    fn change_probability_grows_with_the_change_rate() {
        let intervals = RefreshIntervals::default();
        let probability = |visits: &[(u64, ChangeKind)], after_days: u64| {
            let history = history_of(visits);
            let now = history.last_at_ms + after_days * DAY;
            intervals.change_probability(&Outcome::Document(DocumentSummary::default()), Some(&history), now)
        };

        let often = probability(&[(7, ChangeKind::Changed), (7, ChangeKind::Changed)], 7);
        let unknown = probability(&[], 7);
        let never = probability(&[(70, ChangeKind::Unchanged), (70, ChangeKind::Unchanged)], 7);
        assert!(often > unknown && unknown > never && never > 0.0 && often < 1.0, "{often} {unknown} {never}");
        assert!((unknown - (1.0 - (-0.5_f64).exp())).abs() < 1e-9);
    }

    #[test]
    fn a_time_beyond_any_interval_is_due() {
        let intervals = RefreshIntervals { first_ms: 10, min_ms: 5, max_ms: 100, factor: 0.5 };
        let check = |due_at_ms, expected| assert_eq!(intervals.is_due(due_at_ms, 1_000), expected, "{due_at_ms}");

        check(1_000, true);
        check(1_001, false);
        check(1_100, false);
        check(1_101, true);
        check(u64::MAX, true);
    }
}
