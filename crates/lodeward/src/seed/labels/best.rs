//! The best matches of a text, whatever number there is.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::Match;

/// Matches of a text that are remembered; among them is who comes out best.
pub(super) const HELD_MAX: usize = 64;

/// Takes matches as they are found, and keeps the best, one for each entity.
#[derive(Debug, Default)]
pub(super) struct Best(HashMap<String, Match, RandomState>);

impl Best {
    pub(super) fn take(&mut self, found: Match) {
        match self.0.get_mut(&found.entity) {
            Some(known) if found.order() < known.order() => *known = found,
            Some(_) => {}
            None => {
                self.0.insert(found.entity.clone(), found);
            }
        }
        // Twice as many, so that sorting is rare.
        if self.0.len() >= 2 * HELD_MAX {
            let kept = std::mem::take(self).sorted();
            self.0.extend(kept.into_iter().take(HELD_MAX).map(|found| (found.entity.clone(), found)));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The best first.
    pub(super) fn sorted(self) -> Vec<Match> {
        let mut all: Vec<Match> = self.0.into_values().collect();
        all.sort_by(|one, other| one.order().cmp(&other.order()));
        all.truncate(HELD_MAX);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fit;
    use super::*;

    fn found(entity: &str, fit: Fit, label_rank: u8, language_rank: u8, statements: u64) -> Match {
        let (entity, label, language) = (entity.to_owned(), String::new(), String::new());
        Match { entity, label, language, fit, label_rank, language_rank, statements }
    }

    fn order(matches: Vec<Match>) -> Vec<String> {
        let mut best = Best::default();
        for found in matches {
            best.take(found);
        }
        best.sorted().into_iter().map(|found| found.entity).collect()
    }

    #[test]
    fn fit_comes_before_label_before_language_before_size() {
        let matches = vec![
            found("e", Fit::Words(2), 0, 0, 900),
            found("d", Fit::Words(1), 5, 5, 0),
            found("c2", Fit::Folded, 0, 0, 7),
            found("c1", Fit::Folded, 0, 0, 8),
            found("b", Fit::Same, 1, 0, 9),
            found("a2", Fit::Same, 0, 1, 9),
            found("a1", Fit::Same, 0, 0, 0),
        ];

        assert_eq!(order(matches), ["a1", "a2", "b", "c1", "c2", "d", "e"]);
    }

    #[test]
    fn an_entity_counts_once_and_by_its_best_label() {
        let matches = vec![found("a", Fit::Words(3), 0, 0, 0), found("b", Fit::Words(1), 0, 0, 0), {
            found("a", Fit::Same, 7, 0, 0)
        }];

        assert_eq!(order(matches), ["a", "b"]);
    }

    #[test]
    fn of_very_many_the_best_are_held() {
        let name = |number: u32| format!("{number:06}");
        let matches = (0..10_000).rev().map(|number| found(&name(number), Fit::Same, 0, 0, 0)).collect();

        let held = order(matches);

        assert_eq!(held.len(), HELD_MAX);
        assert_eq!((held[0].as_str(), held[HELD_MAX - 1].as_str()), ("000000", "000063"));
    }
}
