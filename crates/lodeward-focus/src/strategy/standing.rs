//! The standing of candidates in the last ranking.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::rank::hops::UNREACHED;
use crate::rank::{FactBase, RankingPlan};

/// The standing of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CandidateStanding {
    /// Rank among all candidates, scaled to 0–1; the best has 1.
    pub(super) score: f32,
    /// Number of better candidates of its hop.
    pub(super) rank_in_hop: usize,
}

/// Standings of all candidates, by URL fingerprint.
#[derive(Default)]
pub(super) struct CandidateStandings {
    standings: HashMap<u128, CandidateStanding, RandomState>,
    of_hop: Vec<usize>,
}

impl CandidateStandings {
    /// Ranks the candidates of a plan. If several entities have the same URL, the best one is used.
    pub(super) fn new(fact_base: &FactBase, plan: &RankingPlan<'_>) -> Self {
        let indices = plan.best_first(plan.ranking().scores());
        let mut standings = HashMap::with_capacity_and_hasher(indices.len(), RandomState::default());
        let mut of_hop = vec![0_usize; usize::from(UNREACHED) + 1];
        let count = indices.len();
        for (rank, index) in indices.into_iter().enumerate() {
            let Some(url) = fact_base.url_fingerprint(plan.candidates[index]) else { continue };
            let rank_in_hop = &mut of_hop[usize::from(plan.hops[index])];
            standings.entry(url).or_insert_with(|| {
                let standing = CandidateStanding { score: ratio(count - rank, count), rank_in_hop: *rank_in_hop };
                *rank_in_hop += 1;
                standing
            });
        }
        Self { standings, of_hop }
    }

    pub(super) fn find(&self, url: u128) -> Option<CandidateStanding> {
        self.standings.get(&url).copied()
    }

    /// Number of ranked candidates of a hop.
    pub(super) fn ranked_in_hop(&self, hop: u16) -> usize {
        self.of_hop.get(usize::from(hop)).copied().unwrap_or(0)
    }
}

/// The admitted candidates, by URL fingerprint, with their hop. The best candidates change as more
/// facts are known, but the limit per hop applies to all candidates ever admitted.
///
/// The hop of a candidate is the number of documents on the path by which the crawl found it. Its
/// distance in the graph may differ. A candidate counts once, in the hop in which it was admitted.
#[derive(Default)]
pub(super) struct AdmittedCandidates {
    hops: HashMap<u128, u16, RandomState>,
    /// Number of admitted candidates per hop, and how many of them were unranked.
    counts: HashMap<u16, [usize; 2]>,
}

impl AdmittedCandidates {
    /// Admits a candidate, unless `max` other candidates of its hop were admitted. Returns whether it is admitted.
    pub(super) fn admit(&mut self, hop: u16, url: u128, max: usize) -> bool {
        self.admit_with(hop, url, max, None)
    }

    /// Admits an unranked candidate, if `max` also leaves places for the `ranked` candidates of its hop.
    pub(super) fn admit_unranked(&mut self, hop: u16, url: u128, max: usize, ranked: usize) -> bool {
        self.admit_with(hop, url, max, Some(ranked))
    }

    fn admit_with(&mut self, hop: u16, url: u128, max: usize, ranked: Option<usize>) -> bool {
        if self.hops.contains_key(&url) {
            return true;
        }
        let [all, unranked] = self.counts.entry(hop).or_default();
        let has_space = *all < max && ranked.is_none_or(|ranked| *unranked + ranked < max);
        if has_space {
            *all += 1;
            *unranked += usize::from(ranked.is_some());
            self.hops.insert(url, hop);
        }
        has_space
    }

    /// Admits the candidates that were fetched before the crawl was resumed: their documents are in the harvest.
    pub(super) fn admit_described(&mut self, fact_base: &FactBase, plan: &RankingPlan<'_>) {
        for (entity, hop) in plan.candidates.iter().zip(&plan.hops) {
            if let (true, Some(url)) = (fact_base.is_described(*entity), fact_base.url_fingerprint(*entity)) {
                self.admit(u16::from(*hop), url, usize::MAX);
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "f32 suffices to order candidates")]
fn ratio(part: usize, whole: usize) -> f32 {
    (part as f64 / whole as f64) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limited_number_of_candidates_is_admitted_per_hop() {
        let mut admitted = AdmittedCandidates::default();
        assert!(admitted.admit(1, 10, 2) && admitted.admit(1, 11, 2));
        assert!(!admitted.admit(1, 12, 2), "the limit is reached");
        assert!(admitted.admit(1, 10, 2), "an admitted candidate stays admitted");
        assert!(admitted.admit(2, 11, 1), "also in another hop");
        assert!(admitted.admit(2, 20, 1) && !admitted.admit(2, 21, 1), "and does not count twice");
    }

    #[test]
    fn unranked_candidates_get_the_space_left_by_ranked_ones() {
        let mut admitted = AdmittedCandidates::default();
        assert!(admitted.admit_unranked(1, 10, 3, 2));
        assert!(!admitted.admit_unranked(1, 11, 3, 2));
        assert!(admitted.admit(1, 20, 3) && admitted.admit(1, 21, 3));
        assert!(!admitted.admit(1, 22, 3));
    }
}
