//! Whether a candidate is of the same kind as the seeds: has the same classes, and
//! is linked by the same predicates, to whomever.
//!
//! ```text
//! signature(c) = 1/n · Σ_s  r(F_c ∩ F_s) / √(r(F_c) · r(F_s))
//! ```
//!
//! F are the classes of an entity and the predicates it has, told apart by their
//! direction; r is the sum of their rarities ln((N + 1) / (entities with it + ½)).

use crate::rank::graph::{EntityGraph, EntityId, PredicateId};
use crate::rank::{Seed, real};

/// Something that tells the kind of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trait {
    /// It is the subject of such links.
    Has(PredicateId),
    /// It is the object of such links.
    IsOf(PredicateId),
    /// It is of this class.
    Class(EntityId),
}

/// The kinds of the seeds, ready to be compared with those of candidates.
pub(super) struct Signature<'g> {
    graph: &'g EntityGraph<'g>,
    /// By the number of a trait: how rare it is.
    rarities: Vec<f64>,
    /// By the number of a trait: what having it adds, before it is divided by what
    /// the candidate has.
    gains: Vec<f64>,
}

impl<'g> Signature<'g> {
    /// The kinds of these seeds.
    pub(super) fn new(graph: &'g EntityGraph<'g>, seeds: &[Seed]) -> Self {
        let count = 2 * graph.predicates_len() + graph.len();
        let mut traits = Traits::new(count);
        let mut holders = vec![0_u64; count];
        for entity in (0..).take(graph.len()) {
            for &found in traits.of(graph, entity) {
                holders[found] += 1;
            }
        }
        let entities = real(graph.len() as u64);
        let rarities: Vec<f64> = holders.iter().map(|&held| ((entities + 1.0) / (real(held) + 0.5)).ln()).collect();
        let mut gains = vec![0.0; count];
        for seed in seeds {
            let found = traits.of(graph, seed.entity);
            let size: f64 = found.iter().map(|&found| rarities[found]).sum();
            for &found in found {
                gains[found] += rarities[found] / size.sqrt() / real(seeds.len() as u64);
            }
        }
        Self { graph, rarities, gains }
    }

    /// The fourth part of the score: one for each candidate, from 0 to 1.
    pub(super) fn scores(&self, candidates: &[EntityId]) -> Vec<f64> {
        let mut traits = Traits::new(self.gains.len());
        let score = |candidate: &EntityId| {
            let found = traits.of(self.graph, *candidate);
            let size: f64 = found.iter().map(|&found| self.rarities[found]).sum();
            let gain: f64 = found.iter().map(|&found| self.gains[found]).sum();
            if gain > 0.0 { gain / size.sqrt() } else { 0.0 }
        };
        candidates.iter().map(score).collect()
    }

    /// What makes a candidate of the seeds' kind, what tells most first.
    pub(super) fn explain(&self, candidate: EntityId) -> Vec<Trait> {
        let mut traits = Traits::new(self.gains.len());
        let mut found: Vec<usize> = traits.of(self.graph, candidate).to_vec();
        found.retain(|&found| self.gains[found] > 0.0);
        found.sort_by(|&one, &other| self.gains[other].total_cmp(&self.gains[one]).then(one.cmp(&other)));
        found.into_iter().map(|number| self.told(number)).collect()
    }

    /// The trait of a number: predicates in both directions, then classes.
    fn told(&self, number: usize) -> Trait {
        let id = |number: usize| u32::try_from(number).expect("numbers of traits come from numbers of 32 bits");
        match number.checked_sub(2 * self.graph.predicates_len()) {
            Some(class) => Trait::Class(id(class)),
            None if number.is_multiple_of(2) => Trait::Has(id(number / 2)),
            None => Trait::IsOf(id(number / 2)),
        }
    }
}

/// The traits of one entity after the other, in memory that is used again.
struct Traits {
    is_found: Vec<bool>,
    found: Vec<usize>,
}

impl Traits {
    fn new(count: usize) -> Self {
        Self { is_found: vec![false; count], found: Vec::new() }
    }

    /// The traits of an entity, each once.
    fn of(&mut self, graph: &EntityGraph<'_>, entity: EntityId) -> &[usize] {
        for found in self.found.drain(..) {
            self.is_found[found] = false;
        }
        let has = graph.outgoing(entity).iter().map(|link| 2 * link.predicate as usize);
        let is_of = graph.incoming(entity).iter().map(|link| 2 * link.predicate as usize + 1);
        let classes = graph.types(entity).iter().map(|class| 2 * graph.predicates_len() + *class as usize);
        for number in has.chain(is_of).chain(classes) {
            if !std::mem::replace(&mut self.is_found[number], true) {
                self.found.push(number);
            }
        }
        &self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::gather::tests::gathering;

    #[test]
    fn whoever_has_the_same_predicates_and_classes_is_of_the_same_kind() {
        let gathered = gathering(&["s by g", "s by h", "s a T", "a by x", "a a T", "b a T", "b at y", "z by a"]);
        let graph = gathered.graph();
        let seed = Seed { entity: graph.find("s").unwrap(), weight: 1.0 };
        let signature = Signature::new(&graph, &[seed]);
        let check = |name: &str, expected: f64| {
            let [score] = signature.scores(&[graph.find(name).unwrap()])[..] else { panic!("one score") };
            assert!((score - expected).abs() < 1e-12, "{name}: {score} instead of {expected}");
        };

        // Nine entities, T among them: s, a and z are by somebody, four are
        // somebody's (g, h, x, a), three are T, b is at a place.
        assert_eq!(graph.len(), 9);
        let rarity = |holders: f64| (10.0 / (holders + 0.5)).ln();
        let (by, is_of, class, at) = (rarity(3.0), rarity(4.0), rarity(3.0), rarity(1.0));
        check("a", (by + class) / ((by + class) * (by + class + is_of)).sqrt());
        check("b", class / ((by + class) * (class + at)).sqrt());
        check("z", by / ((by + class) * by).sqrt());
        check("g", 0.0);
        let a = graph.find("a").unwrap();
        let class = Trait::Class(graph.find("T").unwrap());
        assert_eq!(signature.explain(a), [Trait::Has(graph.outgoing(a)[0].predicate), class]);
    }
}
