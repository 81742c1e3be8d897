//! Explains the scores of `hybrid`.
//!
//! The weight of a reason is the difference between the score of the candidate and that of a
//! candidate without the evidence, in standard deviations. Reasons therefore never have a negative
//! weight.

use super::shared_links::{DirectedLink, LinkDirection};
use super::signature::KindTrait;
use super::texts::SeedTexts;
use super::{HybridRanking, WEIGHTS, walk};
use crate::rank::graph::{EntityGraph, EntityId, PredicateId};
use crate::rank::hops::UNREACHED;
use crate::rank::terms::iri_text;
use crate::rank::{RankingReason, join_with_and};

/// Maximum number of shared links that are named, each in its own reason.
const MAX_EXPLAINED_LINKS: usize = 3;
/// Maximum number of seeds, terms and predicates named in a reason.
const MAX_NAMES: usize = 3;
/// Maximum length of a name in characters; longer names are truncated.
const MAX_NAME_CHARS: usize = 60;

impl HybridRanking<'_> {
    /// Reasons for the score of a candidate, strongest first.
    pub(super) fn reasons(&self, index: usize) -> Vec<RankingReason> {
        let [shared, walked, around, signature, own] = self.contributions(index);
        let candidate = self.query.candidates[index];
        let mut reasons = self.link_reasons(candidate, shared);
        let single = [
            (walked, self.distance_reason(index)),
            (around, self.term_reason(&self.around, candidate, "has neighbours that mention")),
            (signature, self.kind_reason(candidate)),
            (own, self.term_reason(&self.own, candidate, "mentions")),
        ];
        reasons.extend(single.into_iter().filter_map(|(weight, text)| Some(RankingReason { text: text?, weight })));
        reasons.retain(|reason| reason.weight > 0.0);
        reasons.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        reasons
    }

    /// Returns the contribution of each part, compared with a candidate without the evidence.
    fn contributions(&self, index: usize) -> [f64; 5] {
        let nothing = [0.0, walk::score(0.0), 0.0, 0.0, 0.0];
        let parts = self.parts.all();
        std::array::from_fn(|part| WEIGHTS[part] * parts[part].deviations_above(index, nothing[part]))
    }

    /// Names the rarest shared links, and divides their contribution among them.
    fn link_reasons(&self, candidate: EntityId, lift: f64) -> Vec<RankingReason> {
        let shared = self.shared.explain(candidate);
        let total: f64 = shared.iter().map(|(_, _, weight)| weight).sum();
        let reason = |(arc, seeds, weight): &(DirectedLink, &[u32], f64)| {
            let (direction, link) = arc;
            let predicate = predicate_name(self.query.graph, link.predicate);
            let end = short_name(self.query.graph, link.entity);
            let seeds = self.seed_names(seeds);
            let text = match direction {
                LinkDirection::Out => format!("shares {predicate} {end} with {seeds}"),
                LinkDirection::In => format!("is {predicate} of {end}, like {seeds}"),
            };
            RankingReason { text, weight: lift * weight / total }
        };
        shared.iter().take(MAX_EXPLAINED_LINKS).map(reason).collect()
    }

    /// Returns a reason that states the distance of the nearest seeds.
    fn distance_reason(&self, index: usize) -> Option<String> {
        let hop = *self.query.hops.get(index)?;
        let candidate = self.query.candidates[index];
        match hop {
            UNREACHED | 0 => None,
            1 => Some(format!("is 1 hop from {}", self.seed_names(&self.neighbouring_seeds(candidate)))),
            2 => {
                let (through, seeds) = self.smallest_connector(candidate)?;
                let through = short_name(self.query.graph, through);
                Some(format!("is 2 hops from {} through {through}", self.seed_names(&seeds)))
            }
            hop => Some(format!("is {hop} hops from the nearest seed")),
        }
    }

    /// Indices of the seeds that are neighbours of an entity.
    fn neighbouring_seeds(&self, entity: EntityId) -> Vec<u32> {
        let neighbours = self.query.graph.neighbours(entity);
        let seeds = (0..).zip(&self.seeds);
        seeds.filter(|(_, seed)| neighbours.binary_search(&seed.entity).is_ok()).map(|(index, _)| index).collect()
    }

    /// Returns the neighbour with the fewest links that is also a neighbour of a seed.
    fn smallest_connector(&self, candidate: EntityId) -> Option<(EntityId, Vec<u32>)> {
        let graph = self.query.graph;
        let mut ways = graph.neighbours(candidate).to_vec();
        ways.sort_by_key(|way| (graph.neighbours(*way).len(), *way));
        let mut ways = ways.into_iter().map(|way| (way, self.neighbouring_seeds(way)));
        ways.find(|(_, seeds)| !seeds.is_empty())
    }

    /// The terms that a candidate shares with seeds.
    fn term_reason(&self, texts: &SeedTexts<'_>, candidate: EntityId, begin: &str) -> Option<String> {
        let shared = texts.explain(candidate);
        let strongest = &shared[..shared.len().min(MAX_NAMES)];
        let mut seeds: Vec<u32> = strongest.iter().flat_map(|(_, seeds)| *seeds).copied().collect();
        seeds.sort_unstable();
        seeds.dedup();
        let terms: Vec<&str> = strongest.iter().map(|(term, _)| self.query.graph.term(*term)).collect();
        let does = if seeds.len() == 1 { "does" } else { "do" };
        (!terms.is_empty()).then(|| format!("{begin} {}, as {does} {}", join_with_and(&terms), self.seed_names(&seeds)))
    }

    /// The traits that a candidate shares with the seeds.
    fn kind_reason(&self, candidate: EntityId) -> Option<String> {
        let graph = self.query.graph;
        let text = |kind_trait: KindTrait| match kind_trait {
            KindTrait::Class(class) => format!("class {}", short_name(graph, class)),
            KindTrait::Has(number) => predicate_name(graph, number),
            KindTrait::IsOf(number) => format!("{} of something", predicate_name(graph, number)),
        };
        let traits: Vec<String> = self.signature.explain(candidate).into_iter().take(MAX_NAMES).map(text).collect();
        let traits: Vec<&str> = traits.iter().map(String::as_str).collect();
        (!traits.is_empty()).then(|| format!("is of the same kind as the seeds: {}", join_with_and(&traits)))
    }

    /// Names of seeds, by index.
    fn seed_names(&self, indices: &[u32]) -> String {
        let name = |index: &u32| short_name(self.query.graph, self.seeds[*index as usize].entity);
        let mut names: Vec<String> = indices.iter().take(MAX_NAMES).map(name).collect();
        if let Some(more @ 1..) = indices.len().checked_sub(MAX_NAMES) {
            names.push(format!("{more} more"));
        }
        join_with_and(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

/// Name of an entity, truncated.
fn short_name(graph: &EntityGraph<'_>, entity: EntityId) -> String {
    shorten_name(&graph.display_name(entity))
}

/// Name of a predicate, truncated.
fn predicate_name(graph: &EntityGraph<'_>, predicate: PredicateId) -> String {
    shorten_name(&iri_text(graph.predicate(predicate)).to_lowercase())
}

fn shorten_name(name: &str) -> String {
    let mut characters = name.chars().map(|character| if character.is_control() { ' ' } else { character });
    let mut short: String = characters.by_ref().take(MAX_NAME_CHARS).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}
