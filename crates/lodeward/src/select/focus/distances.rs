//! How far from the seeds everybody is, as far as is known.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use crate::rank::{Answer, Facts, Gathering};

/// Links from the nearest seed, by address. Only ever too far, never too near.
#[derive(Default)]
pub(super) struct Distances(HashMap<u128, u16, RandomState>);

impl Distances {
    /// A seed is where it begins.
    pub(super) fn note_seed(&mut self, address: u128) {
        self.0.insert(address, 0);
    }

    /// Takes over what a ranking has found.
    pub(super) fn note(&mut self, gathered: &Gathering, answer: &Answer<'_>) {
        for (entity, hop) in answer.candidates.iter().zip(&answer.hops) {
            if let Some(address) = gathered.address(*entity) {
                self.shorten(address, u16::from(*hop));
            }
        }
    }

    /// Takes over what a document says of the neighbours of whom it describes:
    /// whoever is next to somebody near is near.
    pub(super) fn read(&mut self, gathered: &Gathering, described: u128, facts: &Facts) {
        let names: HashSet<&str> = gathered.at_fingerprint(described).map(|entity| gathered.name(entity)).collect();
        // Few of many links: the others are not looked up.
        let is_described: Vec<bool> = facts.names.iter().map(|name| names.contains(&**name)).collect();
        let address = |name: u32| gathered.address(gathered.find(&facts.names[name as usize])?);
        for &[subject, _, object] in &facts.links {
            let other = match [subject, object].map(|end| is_described[end as usize]) {
                [true, false] => object,
                [false, true] => subject,
                _ => continue,
            };
            if let Some(distance) = address(other).and_then(|address| self.of(address)) {
                self.shorten(described, distance + 1);
            }
        }
    }

    fn shorten(&mut self, address: u128, distance: u16) {
        let known = self.0.entry(address).or_insert(distance);
        *known = distance.min(*known);
    }

    /// How far an address is, if that is known.
    pub(super) fn of(&self, address: u128) -> Option<u16> {
        self.0.get(&address).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Uri;
    use crate::rank::terms::Tokeniser;
    use crate::rank::{Gathering, Limits};

    #[test]
    fn who_was_found_by_a_long_way_may_be_near() {
        let names = ["http://e.example/seed", "http://e.example/far", "http://e.example/beyond", "urn:p"];
        let address = |number: usize| Uri::parse(names[number]).unwrap().fingerprint();
        let facts = |links: Vec<[u32; 3]>| Facts { names: names.map(Into::into).to_vec(), links, ..Facts::default() };
        let mut gathered = Gathering::new(Limits::default(), Tokeniser::default());
        let mut distances = Distances::default();
        let mut read = |described: usize, links: Vec<[u32; 3]>, distances: &mut Distances| {
            let facts = facts(links);
            gathered.add(&facts);
            distances.read(&gathered, address(described), &facts);
        };
        distances.note_seed(address(0));

        // Nobody near is spoken of yet.
        read(2, vec![[2, 3, 2]], &mut distances);
        assert_eq!(distances.of(address(2)), None);
        // In either direction, and never farther than before.
        read(1, vec![[1, 3, 0]], &mut distances);
        assert_eq!(distances.of(address(1)), Some(1));
        read(2, vec![[1, 3, 2]], &mut distances);
        assert_eq!(distances.of(address(2)), Some(2));
        read(1, vec![[1, 3, 2]], &mut distances);
        assert_eq!(distances.of(address(1)), Some(1));
    }
}
