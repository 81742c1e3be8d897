//! Scores whether a candidate is of the same kind as the seeds: with the same classes, and linked
//! by the same predicates.
//!
//! ```text
//! signature(c) = 1/n · Σ_s  r(F_c ∩ F_s) / √(r(F_c) · r(F_s))
//! ```
//!
//! F are the classes of an entity and its predicates, by direction; r is the sum of their rarities
//! ln((N + 1) / (entities with it + ½)).

use crate::rank::graph::{EntityGraph, EntityId, PredicateId};
use crate::rank::{GraphSeed, to_f64};

/// A trait that indicates the kind of an entity: a class, or a predicate of its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KindTrait {
    /// The entity is the subject of links with this predicate.
    Has(PredicateId),
    /// The entity is the object of links with this predicate.
    IsOf(PredicateId),
    /// The entity is an instance of this class.
    Class(EntityId),
}

/// The kinds of the seeds, indexed for comparison with candidates.
pub(super) struct Signature<'g> {
    graph: &'g EntityGraph<'g>,
    /// Rarity of each trait, by its number.
    rarities: Vec<f64>,
    /// Contribution of each trait, by its number, before it is divided by the size of the
    /// candidate's signature.
    gains: Vec<f64>,
}

impl<'g> Signature<'g> {
    /// Computes the kinds of these seeds.
    pub(super) fn new(graph: &'g EntityGraph<'g>, seeds: &[GraphSeed]) -> Self {
        let count = 2 * graph.predicates_len() + graph.len();
        let mut traits = EntityTraits::new(count);
        let mut holders = vec![0_u64; count];
        for entity in (0..).take(graph.len()) {
            for &found in traits.entity_traits(graph, entity) {
                holders[found] += 1;
            }
        }
        let entities = to_f64(graph.len() as u64);
        let rarities: Vec<f64> = holders.iter().map(|&held| ((entities + 1.0) / (to_f64(held) + 0.5)).ln()).collect();
        let mut gains = vec![0.0; count];
        for seed in seeds {
            let found = traits.entity_traits(graph, seed.entity);
            let size: f64 = found.iter().map(|&found| rarities[found]).sum();
            for &found in found {
                gains[found] += rarities[found] / size.sqrt() / to_f64(seeds.len() as u64);
            }
        }
        Self { graph, rarities, gains }
    }

    /// The score of each candidate, from 0 to 1.
    pub(super) fn scores(&self, candidates: &[EntityId]) -> Vec<f64> {
        let mut traits = EntityTraits::new(self.gains.len());
        let score = |candidate: &EntityId| {
            let found = traits.entity_traits(self.graph, *candidate);
            let size: f64 = found.iter().map(|&found| self.rarities[found]).sum();
            let gain: f64 = found.iter().map(|&found| self.gains[found]).sum();
            if gain > 0.0 { gain / size.sqrt() } else { 0.0 }
        };
        candidates.iter().map(score).collect()
    }

    /// The traits that a candidate shares with the seeds, most important first.
    pub(super) fn explain(&self, candidate: EntityId) -> Vec<KindTrait> {
        let mut traits = EntityTraits::new(self.gains.len());
        let mut found: Vec<usize> = traits.entity_traits(self.graph, candidate).to_vec();
        found.retain(|&found| self.gains[found] > 0.0);
        found.sort_by(|&one, &other| self.gains[other].total_cmp(&self.gains[one]).then(one.cmp(&other)));
        found.into_iter().map(|number| self.trait_from_number(number)).collect()
    }

    /// The trait with this number. Predicates, in both directions, are numbered before classes.
    fn trait_from_number(&self, number: usize) -> KindTrait {
        let id = |number: usize| u32::try_from(number).expect("traits are numbered by 32-bit ids");
        match number.checked_sub(2 * self.graph.predicates_len()) {
            Some(class) => KindTrait::Class(id(class)),
            None if number.is_multiple_of(2) => KindTrait::Has(id(number / 2)),
            None => KindTrait::IsOf(id(number / 2)),
        }
    }
}

/// Collects the traits of one entity at a time; its memory is reused for the next entity.
struct EntityTraits {
    is_found: Vec<bool>,
    found: Vec<usize>,
}

impl EntityTraits {
    fn new(count: usize) -> Self {
        Self { is_found: vec![false; count], found: Vec::new() }
    }

    /// The distinct traits of an entity.
    fn entity_traits(&mut self, graph: &EntityGraph<'_>, entity: EntityId) -> &[usize] {
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
    use crate::rank::fact_base::tests::fact_base_from;

    #[test]
    fn the_same_predicates_and_classes_make_the_same_kind() {
        let fact_base = fact_base_from(&["s by g", "s by h", "s a T", "a by x", "a a T", "b a T", "b at y", "z by a"]);
        let graph = fact_base.graph();
        let seed = GraphSeed { entity: graph.find("s").unwrap(), weight: 1.0 };
        let signature = Signature::new(&graph, &[seed]);
        let check = |name: &str, expected: f64| {
            let [score] = signature.scores(&[graph.find(name).unwrap()])[..] else { panic!("one score") };
            assert!((score - expected).abs() < 1e-12, "{name}: {score} instead of {expected}");
        };

        // Nine entities, T among them: s, a and z are subjects of `by`, four are its objects (g, h,
        // x, a), three are T, b is the subject of `at`.
        assert_eq!(graph.len(), 9);
        let rarity = |holders: f64| (10.0 / (holders + 0.5)).ln();
        let (by, is_of, class, at) = (rarity(3.0), rarity(4.0), rarity(3.0), rarity(1.0));
        check("a", (by + class) / ((by + class) * (by + class + is_of)).sqrt());
        check("b", class / ((by + class) * (class + at)).sqrt());
        check("z", by / ((by + class) * by).sqrt());
        check("g", 0.0);
        let a = graph.find("a").unwrap();
        let class = KindTrait::Class(graph.find("T").unwrap());
        assert_eq!(signature.explain(a), [KindTrait::Has(graph.outgoing(a)[0].predicate), class]);
    }
}
