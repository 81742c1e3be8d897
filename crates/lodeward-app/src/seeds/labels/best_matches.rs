//! Selects the best matches of a text in bounded memory.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::LabelMatch;

/// Maximum number of matches held per text.
pub(super) const MAX_HELD: usize = 64;

/// The best matches so far, one per entity.
#[derive(Debug, Default)]
pub(super) struct BestMatches(HashMap<String, LabelMatch, RandomState>);

impl BestMatches {
    pub(super) fn add(&mut self, found: LabelMatch) {
        match self.0.get_mut(&found.entity) {
            Some(known) if found.sort_key() < known.sort_key() => *known = found,
            Some(_) => {}
            None => {
                self.0.insert(found.entity.clone(), found);
            }
        }
        // Matches are sorted and discarded only when there are twice as many as `MAX_HELD`, so that
        // sorting is rare.
        if self.0.len() >= 2 * MAX_HELD {
            let kept = std::mem::take(self).into_sorted();
            self.0.extend(kept.into_iter().take(MAX_HELD).map(|found| (found.entity.clone(), found)));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The matches, best first.
    pub(super) fn into_sorted(self) -> Vec<LabelMatch> {
        let mut all: Vec<LabelMatch> = self.0.into_values().collect();
        all.sort_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        all.truncate(MAX_HELD);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::MatchQuality;
    use super::*;

    fn found(entity: &str, quality: MatchQuality, label_rank: u8, language_rank: u8, statements: u64) -> LabelMatch {
        let (entity, label, language) = (entity.to_owned(), String::new(), String::new());
        LabelMatch { entity, label, language, quality, label_rank, language_rank, statements }
    }

    fn order(matches: Vec<LabelMatch>) -> Vec<String> {
        let mut best = BestMatches::default();
        for found in matches {
            best.add(found);
        }
        best.into_sorted().into_iter().map(|found| found.entity).collect()
    }

    #[test]
    fn matches_are_ordered_by_quality_property_language_and_statements() {
        let matches = vec![
            found("e", MatchQuality::Words(2), 0, 0, 900),
            found("d", MatchQuality::Words(1), 5, 5, 0),
            found("c2", MatchQuality::Folded, 0, 0, 7),
            found("c1", MatchQuality::Folded, 0, 0, 8),
            found("b", MatchQuality::Exact, 1, 0, 9),
            found("a2", MatchQuality::Exact, 0, 1, 9),
            found("a1", MatchQuality::Exact, 0, 0, 0),
        ];

        assert_eq!(order(matches), ["a1", "a2", "b", "c1", "c2", "d", "e"]);
    }

    #[test]
    fn an_entity_is_listed_once_with_its_best_label() {
        let matches = vec![found("a", MatchQuality::Words(3), 0, 0, 0), found("b", MatchQuality::Words(1), 0, 0, 0), {
            found("a", MatchQuality::Exact, 7, 0, 0)
        }];

        assert_eq!(order(matches), ["a", "b"]);
    }

    #[test]
    fn the_best_of_many_matches_are_held() {
        let name = |number: u32| format!("{number:06}");
        let matches = (0..10_000).rev().map(|number| found(&name(number), MatchQuality::Exact, 0, 0, 0)).collect();

        let held = order(matches);

        assert_eq!(held.len(), MAX_HELD);
        assert_eq!((held[0].as_str(), held[MAX_HELD - 1].as_str()), ("000000", "000063"));
    }
}
