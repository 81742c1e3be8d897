//! What candidates are worth by now, and who had better wait.
//!
//! What a strategy learns changes what candidates are worth, and to score all of
//! them after each lesson would cost more the more there are. So they are scored
//! again a few at a time: the foremost of a domain when a visit to it has ended,
//! those of the domain whose turn it is, a few of all the others in turn, and a
//! head that has just been read from storage. A strategy that makes its whole
//! order anew, now and then, says so, and everybody in memory is scored again.

use std::time::Duration;

use super::domain::Listed;
use super::key::{Key, ascending, descending};
use super::{Guide, Schedule};
use crate::model::Moment;

/// Candidates scored again of a domain whose visit has ended.
pub(super) const RESCORED_AFTER_VISIT: usize = 8;
/// Candidates scored again of a domain whose turn it is.
const RESCORED_AT_TURN: usize = 4;
/// Candidates of all domains scored again, in turn, for each that is taken.
const RESCORED_IN_TURN: usize = 8;
/// How often a domain may lose its turn because its candidates turned out to be
/// worth less by now, until somebody is taken.
pub(super) const TURNS_LOST_MAX: usize = 8;

impl Schedule {
    /// The least urgent that may be taken, as [`Key::urgency`]: what is worth much
    /// less than the best of those who are away had better wait for it. Nobody
    /// waits for a domain that will rest for long.
    pub(super) fn lowest(&self, now: Moment, guide: &mut dyn Guide) -> u32 {
        const REST_MAX: Duration = Duration::from_secs(15);
        const LOOKED_AT_MAX: usize = 32;
        let is_back_soon = |number: u32| match self.domains[number as usize].listed {
            Listed::Resting(due) => due <= now + REST_MAX,
            Listed::Nowhere | Listed::Ready(_) => true,
        };
        let best = self.away.iter().take(LOOKED_AT_MAX).find(|(_, number)| is_back_soon(*number));
        best.map_or(u32::MAX, |(urgency, _)| !ascending(guide.floor(descending(*urgency))))
    }

    /// Scores the foremost of a domain again whose turn it is, and whether it is
    /// another's turn after that; then it is listed again.
    pub(super) fn loses_turn(&mut self, number: u32, guide: &mut dyn Guide) -> bool {
        self.rescore(number, Key::first_of(number), RESCORED_AT_TURN, guide);
        let rank = self.rank(number);
        let loses = self.ready.first().is_some_and(|(next, _)| rank.0 > next.0);
        if loses {
            self.make_ready(number, rank);
        }
        loses
    }

    /// Notes whether a domain rests or is being visited.
    pub(super) fn note_away(&mut self, number: u32, is_away: bool) {
        let domain = &mut self.domains[number as usize];
        let urgency = domain.first().filter(|_| is_away).map(Key::urgency);
        if let Some(before) = std::mem::replace(&mut domain.away, urgency) {
            self.away.remove(&(before, number));
        }
        if let Some(urgency) = urgency {
            self.away.insert((urgency, number));
        }
    }

    /// Scores some of a domain again, from a place on. Returns the place behind
    /// the last, if there are more.
    ///
    /// Keys stay what they were, because storage knows them; only the order in
    /// memory changes, and `insert` compares newcomers with the new order.
    pub(super) fn rescore(&mut self, number: u32, from: Key, count: usize, guide: &mut dyn Guide) -> Option<Key> {
        let domain = &mut self.domains[number as usize];
        let before = domain.first();
        let places: Vec<Key> = domain.head.range(from..).take(count + 1).map(|(place, _)| *place).collect();
        for place in places.iter().take(count) {
            let Some(mut waiting) = domain.head.remove(place) else { continue };
            waiting.candidate.priority = guide.score(&waiting.candidate);
            domain.head.insert(waiting.place(), waiting);
        }
        if domain.first() != before {
            self.rerank(number);
        }
        places.get(count).copied()
    }

    /// Scores everybody in memory again: the order was made anew.
    pub(super) fn rescore_all(&mut self, guide: &mut dyn Guide) {
        for number in 0..u32::try_from(self.domains.len()).expect("domains are numbered") {
            let waiting = self.domains[number as usize].head.len();
            self.rescore(number, Key::first_of(number), waiting, guide);
        }
    }

    /// Scores a few of all candidates again, going round.
    pub(super) fn rescore_in_turn(&mut self, guide: &mut dyn Guide) {
        let (number, from) = self.sweep;
        let Some(domain) = self.domains.get(number as usize) else {
            self.sweep = (0, Key(0));
            return;
        };
        // A domain that is being visited is scored when it comes back.
        let next = if domain.busy { None } else { self.rescore(number, from, RESCORED_IN_TURN, guide) };
        self.sweep = next.map_or((number + 1, Key::first_of(number + 1)), |place| (number, place));
    }
}
