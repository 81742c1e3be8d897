//! `ranked`: a weighted sum of five features over a pool of entities (`SEARCH-STUDY.md`, section 4).

use foldhash::HashSet;

use super::filter::AllowedEntities;
use super::matches::{Matches, best};
use super::mention::Mentions;
use super::query::AnalysedQuery;
use super::relations::{Relations, own_share};
use super::request::{RankedEntity, ScorePart};
use super::soft_mention;
use crate::index::{IndexView, SearchError};

/// Number of features.
pub const FEATURE_COUNT: usize = 5;

/// Names of the features.
pub const FEATURE_NAMES: [&str; FEATURE_COUNT] = ["bm25f", "pair2", "relmatch", "pairrel", "mention"];

/// Sizes of the parts of the pool.
const POOL_WORDS: usize = 1000;
const POOL_LABEL: usize = 200;
const POOL_MENTION: usize = 50;
const POOL_PAIR: usize = 300;
const POOL_RELATION: usize = 200;

/// Weights of the features, in the order of [`FEATURE_NAMES`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedWeights(pub [f64; FEATURE_COUNT]);

impl RankedWeights {
    /// Weights that were trained without a lexicon of relations.
    pub const WITHOUT_LEXICON: Self = Self([0.52, 0.17, 0.11, 0.09, 0.11]);
}

impl Default for RankedWeights {
    fn default() -> Self {
        Self([0.50, 0.19, 0.11, 0.10, 0.10])
    }
}

/// Drops entities that may not be results.
struct AllowedOnly<'a>(&'a AllowedEntities);

impl AllowedOnly<'_> {
    fn of(&self, scored: impl Iterator<Item = (u32, f64)>) -> impl Iterator<Item = (u32, f64)> {
        scored.filter(|(number, _)| self.0.contains(*number))
    }
}

/// The entities that are ranked for a query, with their features.
pub(crate) struct Pool {
    pub(crate) entries: Vec<(u32, [f64; FEATURE_COUNT])>,
}

impl Pool {
    pub(crate) fn collect(
        view: &IndexView,
        query: &AnalysedQuery,
        matches: &Matches,
        allowed: &AllowedEntities,
    ) -> Result<Self, SearchError> {
        let mentions = Mentions::find(view, query)?;
        let soft = soft_mention::find(view, matches)?;
        let mut relations = Relations::new(view, matches, &mentions);
        let relation_matches = relations.relation_matches()?;
        let pairs = relations.pairs(&soft)?;
        let mentioned = mentions.scores();
        let allowed_only = AllowedOnly(allowed);
        let parts = [
            matches.best_by_words(POOL_WORDS, allowed),
            matches.best_by_label(POOL_LABEL, allowed),
            best(allowed_only.of(mentioned.iter().map(|(number, score)| (*number, *score))), POOL_MENTION),
            best(allowed_only.of(pairs.iter().map(|(number, scores)| (*number, scores.pair))), POOL_PAIR),
            best(allowed_only.of(relation_matches.iter().map(|(number, score)| (*number, *score))), POOL_RELATION),
        ];
        let pool: HashSet<u32> = parts.into_iter().flatten().map(|(number, _)| number).collect();
        let mut entries: Vec<(u32, [f64; FEATURE_COUNT])> = Vec::with_capacity(pool.len());
        for number in pool {
            let pair = pairs.get(&number).copied().unwrap_or_default();
            entries.push((
                number,
                [
                    f64::from(matches.bm25f[number as usize]),
                    pair.pair.max(0.8 * own_share(matches, number)),
                    relation_matches.get(&number).copied().unwrap_or_default(),
                    pair.pair_relation,
                    mentioned.get(&number).copied().unwrap_or_default(),
                ],
            ));
        }
        entries.sort_unstable_by_key(|(number, _)| *number);
        let mut pool = Self { entries };
        pool.normalise();
        Ok(pool)
    }

    /// Divides each feature by its maximum.
    fn normalise(&mut self) {
        for feature in 0..FEATURE_COUNT {
            let max = self.entries.iter().map(|(_, features)| features[feature]).fold(0.0, f64::max);
            if max > 0.0 {
                for (_, features) in &mut self.entries {
                    features[feature] /= max;
                }
            }
        }
    }

    /// Returns the best entities by the weighted sum of their features.
    pub(super) fn rank(&self, weights: &RankedWeights, limit: usize) -> Vec<RankedEntity> {
        let score = |features: &[f64; FEATURE_COUNT]| {
            features.iter().zip(weights.0).map(|(value, weight)| value * weight).sum()
        };
        let ranked = best(self.entries.iter().map(|(number, features)| (*number, score(features))), limit);
        let parts = |number: u32| {
            let at = self.entries.binary_search_by_key(&number, |(number, _)| *number);
            let features = at.map_or([0.0; FEATURE_COUNT], |at| self.entries[at].1);
            let named = FEATURE_NAMES.into_iter().zip(features).zip(weights.0);
            named.map(|((name, value), weight)| ScorePart { name, value, share: value * weight }).collect()
        };
        ranked.into_iter().map(|(number, score)| (number, score, parts(number))).collect()
    }
}
