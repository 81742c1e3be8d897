//! Which entities matter to a seed list.
//!
//! What documents say of entities is [gathered](Gathering) as [`Facts`], and seen
//! as a graph ([`EntityGraph`]). A [`Ranker`] is asked a [`Question`] (these
//! seeds, those candidates), and answers with a score for each candidate, and
//! with its reasons. Nothing here has a clock, or depends on chance: the same
//! facts, in whatever order they came, give the same ranking up to the numbers of
//! entities, which break ties. Nothing does I/O but [`listing`] and [`marks`],
//! which are files beside a crawl: its ranking, and what its user thinks of it; a
//! [`Filter`] says what of them is wanted.
//!
//! The formulas are DURAARK D3.6 §2; where we depart from them, the place says so.

mod addresses;
pub mod answer;
mod bag;
pub mod bayes;
pub mod choice;
mod distinct;
pub mod facts;
pub mod filter;
pub mod gather;
pub mod graph;
pub mod hops;
pub mod hybrid;
pub mod jaccard;
pub mod kind;
pub mod listing;
pub mod marks;
pub mod njsim;
pub mod options;
pub mod pagerank;
#[cfg(test)]
mod random;
pub mod reference;
pub mod seeds;
pub mod terms;
mod texts;
mod topic;
pub mod walk;

pub use answer::{Answer, answer};
pub use choice::Choice;
pub use facts::{Facts, FactsOptions};
pub use filter::{Filter, FilterError};
pub use gather::{Gathering, Limits};
pub use graph::{EntityGraph, EntityId, Neighbour, PredicateId, TermId};
pub use hops::{Hop, candidates, hops};
pub use kind::RankerKind;
pub use listing::{Listing, ListingError};
pub use marks::{Marks, MarksError, Opinion};
pub use options::{Attrition, Jaccard, Katz, Options, Rings, TextScope};
pub use reference::{Reference, ReferenceProblem};
pub use seeds::{AnalysedSeed, Measures, SeedAnalysis};
pub use walk::{Steps, walk};

use serde::{Deserialize, Serialize};

/// What a ranker is asked.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// What is known.
    pub graph: &'a EntityGraph<'a>,
    /// What it is about. May be empty, if no seed is in the graph.
    pub seeds: &'a [Seed],
    /// Who is to be ranked. No seed is among them.
    pub candidates: &'a [EntityId],
    /// How far from the nearest seed each candidate is, in the same order.
    pub hops: &'a [Hop],
    /// What the user has marked, seeds aside.
    pub marks: &'a [Mark],
}

/// A seed that is in the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed {
    /// Which entity.
    pub entity: EntityId,
    /// How much it counts: its attrition, 1 on average. Rankers that the paper
    /// defines without it pass over it.
    pub weight: f64,
}

/// What a user thinks of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Of which.
    pub entity: EntityId,
    /// Whether it is relevant.
    pub keep: bool,
}

/// Orders candidates by how much they matter to seeds.
pub trait Ranker: Send + Sync {
    /// Answers a question.
    fn rank<'q>(&self, question: Question<'q>) -> Box<dyn Ranking + 'q>;
}

/// The answer of a ranker.
pub trait Ranking {
    /// A score for each candidate, in the order of the question: finite, and the
    /// higher the better. Scores of two rankers cannot be compared.
    fn scores(&self) -> &[f64];

    /// What spoke for the candidate at this place of the question, strongest
    /// first. Empty if there is nothing to say.
    fn explain(&self, place: usize) -> Vec<Reason>;
}

/// Something that speaks for a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// What, in words that finish the sentence “because it …”: `is 1 hop from
    /// Cologne`, `shares architect Gerhard with 2 seeds`.
    pub words: String,
    /// How much it added to the score, in the ranker's own measure.
    pub weight: f64,
}

/// The places of a question's candidates, the best first; who is as good as
/// another comes in the order of names.
#[must_use]
pub fn best_first(question: &Question<'_>, scores: &[f64]) -> Vec<usize> {
    let name = |place: &usize| question.graph.name(question.candidates[*place]);
    let mut places: Vec<usize> = (0..scores.len()).collect();
    places.sort_by(|one, other| {
        let by_score = scores[*other].total_cmp(&scores[*one]);
        by_score.then_with(|| name(one).cmp(name(other)))
    });
    places
}

/// A count, to reckon with.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn real(count: u64) -> f64 {
    count as f64
}

/// `a`, `a and b`, `a, b and c`.
fn said(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}
