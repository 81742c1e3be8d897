//! Known distances of entities from the seeds.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use crate::rank::{FactBase, RankingPlan};
use lodeward::select::Facts;

/// Number of links to the nearest seed, by URL fingerprint. An upper bound of the true distance.
#[derive(Default)]
pub(super) struct SeedDistances(HashMap<u128, u16, RandomState>);

impl SeedDistances {
    /// Records a seed, with distance 0.
    pub(super) fn record_seed(&mut self, url: u128) {
        self.0.insert(url, 0);
    }

    /// Records the distances of a ranking.
    pub(super) fn record_ranking(&mut self, fact_base: &FactBase, plan: &RankingPlan<'_>) {
        for (entity, hop) in plan.candidates.iter().zip(&plan.hops) {
            if let Some(url) = fact_base.url_fingerprint(*entity) {
                self.shorten(url, u16::from(*hop));
            }
        }
    }

    /// Updates the distance of the entity that a document describes: it is at most one link farther
    /// than each of its neighbours.
    pub(super) fn read(&mut self, fact_base: &FactBase, described: u128, facts: &Facts) {
        let names: HashSet<&str> =
            fact_base.entities_at_fingerprint(described).map(|entity| fact_base.name(entity)).collect();
        // Few of the links have the described entity as an end; the other links need no lookup.
        let is_described: Vec<bool> = facts.names.iter().map(|name| names.contains(&**name)).collect();
        let url = |name: u32| fact_base.url_fingerprint(fact_base.find(&facts.names[name as usize])?);
        for &[subject, _, object] in &facts.links {
            let other = match [subject, object].map(|end| is_described[end as usize]) {
                [true, false] => object,
                [false, true] => subject,
                _ => continue,
            };
            if let Some(distance) = url(other).and_then(|url| self.get(url)) {
                self.shorten(described, distance + 1);
            }
        }
    }

    fn shorten(&mut self, url: u128, distance: u16) {
        let known = self.0.entry(url).or_insert(distance);
        *known = distance.min(*known);
    }

    /// The distance of a URL, if it is known.
    pub(super) fn get(&self, url: u128) -> Option<u16> {
        self.0.get(&url).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::terms::Tokeniser;
    use crate::rank::{FactBase, FactLimits};
    use lodeward::model::Uri;

    #[test]
    fn a_shorter_path_reduces_the_distance() {
        let names = ["http://e.example/seed", "http://e.example/far", "http://e.example/beyond", "urn:p"];
        let url = |number: usize| Uri::parse(names[number]).unwrap().fingerprint();
        let facts = |links: Vec<[u32; 3]>| Facts { names: names.map(Into::into).to_vec(), links, ..Facts::default() };
        let mut fact_base = FactBase::new(FactLimits::default(), Tokeniser::default());
        let mut distances = SeedDistances::default();
        let mut read = |described: usize, links: Vec<[u32; 3]>, distances: &mut SeedDistances| {
            let facts = facts(links);
            fact_base.add(&facts);
            distances.read(&fact_base, url(described), &facts);
        };
        distances.record_seed(url(0));

        // No link to an entity with a known distance.
        read(2, vec![[2, 3, 2]], &mut distances);
        assert_eq!(distances.get(url(2)), None);
        // Links count in either direction, and distances never increase.
        read(1, vec![[1, 3, 0]], &mut distances);
        assert_eq!(distances.get(url(1)), Some(1));
        read(2, vec![[1, 3, 2]], &mut distances);
        assert_eq!(distances.get(url(2)), Some(2));
        read(1, vec![[1, 3, 2]], &mut distances);
        assert_eq!(distances.get(url(1)), Some(1));
    }
}
