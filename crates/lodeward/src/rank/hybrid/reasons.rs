//! Why a candidate has its score, in words.
//!
//! A part counts for what it lifts a candidate above one that has nothing of it,
//! in the deviations that the score is made of; so reasons never speak against
//! anybody.

use super::shared::{Arc, Direction};
use super::signature::Trait;
use super::texts::Texts;
use super::{HybridRanking, WEIGHTS, walk};
use crate::rank::graph::{EntityGraph, EntityId, PredicateId};
use crate::rank::hops::FAR;
use crate::rank::terms::text_of_iri;
use crate::rank::{Reason, said};

/// Shared links that are named, each in a reason of its own.
const LINKS_NAMED: usize = 3;
/// Seeds, terms and predicates that a reason names.
const NAMED: usize = 3;
/// Longer names are cut.
const NAME_CHARACTERS_MAX: usize = 60;

impl HybridRanking<'_> {
    /// What speaks for the candidate at a place, strongest first.
    pub(super) fn reasons(&self, place: usize) -> Vec<Reason> {
        let [shared, walked, around, signature, own] = self.lifts(place);
        let candidate = self.question.candidates[place];
        let mut reasons = self.links(candidate, shared);
        let single = [
            (walked, self.closeness(place)),
            (around, self.terms(&self.around, candidate, "has surroundings that speak")),
            (signature, self.kind(candidate)),
            (own, self.terms(&self.own, candidate, "speaks")),
        ];
        reasons.extend(single.into_iter().filter_map(|(weight, words)| Some(Reason { words: words?, weight })));
        reasons.retain(|reason| reason.weight > 0.0);
        reasons.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        reasons
    }

    /// By how much each part lifts a candidate above who has nothing of it.
    fn lifts(&self, place: usize) -> [f64; 5] {
        let nothing = [0.0, walk::score(0.0), 0.0, 0.0, 0.0];
        let parts = self.parts.all();
        std::array::from_fn(|part| WEIGHTS[part] * parts[part].above(place, nothing[part]))
    }

    /// The rarest of the shared links; each is due its share of what they count.
    fn links(&self, candidate: EntityId, lift: f64) -> Vec<Reason> {
        let shared = self.shared.explain(candidate);
        let total: f64 = shared.iter().map(|(_, _, weight)| weight).sum();
        let reason = |(arc, seeds, weight): &(Arc, &[u32], f64)| {
            let (direction, link) = arc;
            let predicate = predicate(self.question.graph, link.predicate);
            let end = called(self.question.graph, link.entity);
            let seeds = self.seeds(seeds);
            let words = match direction {
                Direction::Out => format!("shares {predicate} {end} with {seeds}"),
                Direction::In => format!("is {predicate} of {end}, like {seeds}"),
            };
            Reason { words, weight: lift * weight / total }
        };
        shared.iter().take(LINKS_NAMED).map(reason).collect()
    }

    /// How far the nearest seeds are.
    fn closeness(&self, place: usize) -> Option<String> {
        let hop = *self.question.hops.get(place)?;
        let candidate = self.question.candidates[place];
        match hop {
            FAR | 0 => None,
            1 => Some(format!("is 1 hop from {}", self.seeds(&self.seeds_beside(candidate)))),
            2 => {
                let (through, seeds) = self.quietest_way(candidate)?;
                let through = called(self.question.graph, through);
                Some(format!("is 2 hops from {} through {through}", self.seeds(&seeds)))
            }
            hop => Some(format!("is {hop} hops from the nearest seed")),
        }
    }

    /// The places of the seeds that are neighbours of an entity.
    fn seeds_beside(&self, entity: EntityId) -> Vec<u32> {
        let neighbours = self.question.graph.neighbours(entity);
        let seeds = (0..).zip(self.question.seeds);
        seeds.filter(|(_, seed)| neighbours.binary_search(&seed.entity).is_ok()).map(|(place, _)| place).collect()
    }

    /// The neighbour with the fewest neighbours that has seeds beside it.
    fn quietest_way(&self, candidate: EntityId) -> Option<(EntityId, Vec<u32>)> {
        let graph = self.question.graph;
        let mut ways = graph.neighbours(candidate).to_vec();
        ways.sort_by_key(|way| (graph.neighbours(*way).len(), *way));
        let mut ways = ways.into_iter().map(|way| (way, self.seeds_beside(way)));
        ways.find(|(_, seeds)| !seeds.is_empty())
    }

    /// The terms that a text of a candidate shares with seeds.
    fn terms(&self, texts: &Texts<'_>, candidate: EntityId, begin: &str) -> Option<String> {
        let shared = texts.explain(candidate);
        let strongest = &shared[..shared.len().min(NAMED)];
        let mut seeds: Vec<u32> = strongest.iter().flat_map(|(_, seeds)| *seeds).copied().collect();
        seeds.sort_unstable();
        seeds.dedup();
        let terms: Vec<&str> = strongest.iter().map(|(term, _)| self.question.graph.term(*term)).collect();
        let is_one = seeds.len() == 1;
        let does = if is_one { "does" } else { "do" };
        (!terms.is_empty()).then(|| format!("{begin} of {}, as {} {does}", said(&terms), self.seeds(&seeds)))
    }

    /// What the candidate has of the seeds' kind.
    fn kind(&self, candidate: EntityId) -> Option<String> {
        let graph = self.question.graph;
        let told = |told: Trait| match told {
            Trait::Class(class) => format!("class {}", called(graph, class)),
            Trait::Has(number) => predicate(graph, number),
            Trait::IsOf(number) => format!("{} of something", predicate(graph, number)),
        };
        let traits: Vec<String> = self.signature.explain(candidate).into_iter().take(NAMED).map(told).collect();
        let traits: Vec<&str> = traits.iter().map(String::as_str).collect();
        (!traits.is_empty()).then(|| format!("is of the kind of the seeds: {}", said(&traits)))
    }

    /// Seeds by their places.
    fn seeds(&self, places: &[u32]) -> String {
        let name = |place: &u32| called(self.question.graph, self.question.seeds[*place as usize].entity);
        let mut names: Vec<String> = places.iter().take(NAMED).map(name).collect();
        if let Some(more @ 1..) = places.len().checked_sub(NAMED) {
            names.push(format!("{more} more"));
        }
        said(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// What an entity is called, in few characters.
fn called(graph: &EntityGraph<'_>, entity: EntityId) -> String {
    shortened(&graph.called(entity))
}

/// What a predicate is called.
fn predicate(graph: &EntityGraph<'_>, predicate: PredicateId) -> String {
    shortened(&text_of_iri(graph.predicate(predicate)).to_lowercase())
}

fn shortened(name: &str) -> String {
    let mut characters = name.chars().map(|character| if character.is_control() { ' ' } else { character });
    let mut short: String = characters.by_ref().take(NAME_CHARACTERS_MAX).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
