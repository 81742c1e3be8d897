//! `hybrid`: links, walks, texts and kinds together (ours).
//!
//! No measure of the paper knows enough alone: texts find what is *alike*, links
//! what is *connected* (D3.6 §2.8 says so, and leaves it there). This ranker asks
//! five, brings each to the same scale over the candidates, and adds them:
//!
//! ```text
//! score(c) =     z( ( Σ_s ln(1 + shared(c, s)) )^1.5 )     links in common      (shared)
//!          +     z( ln(walk(c) + 10⁻⁶) )                   close by many ways   (walk)
//!          +     z( Σ_s ln(1 + BM25(around c, around s)) ) texts of surroundings (texts)
//!          + ¾ · z( signature(c) )                         of the same kind     (signature)
//!          + ½ · z( Σ_s ln(1 + BM25(text of c, text of s)) )  own texts         (texts)
//! ```
//!
//! z is the standard score over the candidates, 0 for all if they are all the same.
//! Logarithms before sums over seeds make a candidate that has something of each
//! seed better than one that has all of a single one. Everything is weighed by how
//! rare it is, so that what everybody has (a scheme, a class) says next to nothing,
//! and walks are damped by degree at both ends.
//!
//! Departures from the sketch in the notes on algorithms (§3), chosen in simulation
//! on the 64 public tasks (NDCG@100 on `DBpedia`, nomisma, nomisma without schemes):
//! sums of logarithms to the power 1.5 instead of “the sum times the square of the
//! seeds matched” (+.023, +.007, +.006 together with what follows); `ln(1 + x)`
//! instead of geometric means, which hang on how zeros are avoided; six steps of a
//! walk that returns early instead of one to the end (nomisma, which has a hub:
//! +.011). Shapes that were tried instead differ by about .01, less than 14 or 50
//! tasks can tell apart. The weights are the sketch's: in a grid around them, what
//! gained (at most .008 on `DBpedia`) lost on nomisma. The weights of seeds
//! (attrition) are not used: how central a seed is does not tell how useful it is.
//!
//! The same ranker steers crawls, while most candidates are [not described
//! yet](is_known): it counts what is known of them. The surroundings of whoever is
//! not described are those who mention it, and one page with the right words would
//! lift all its links; so that part is left open (z = 0) for it. Walks have a rule
//! of their own for it.
//!
//! Time is linear in the graph and in the terms of all neighbourhoods, plus the
//! seeds that candidates have something in common with; memory is linear in the
//! graph, whatever the number of seeds.

mod reasons;
mod shared;
mod signature;
mod standard;
mod texts;
mod walk;

use self::shared::SharedLinks;
use self::signature::Signature;
use self::standard::Standard;
use self::texts::Texts;
use super::options::TextScope;
use super::{EntityGraph, EntityId, Question, Ranker, Ranking, Reason};

/// Ranks by links, walks, texts and kinds together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hybrid;

/// What each part counts, in the order of [`Parts`].
const WEIGHTS: [f64; 5] = [1.0, 1.0, 1.0, 0.75, 0.5];

/// Whether somebody has described an entity, rather than just mentioned it: a
/// document about it was read, or it has a label at least.
fn is_known(graph: &EntityGraph<'_>, entity: EntityId) -> bool {
    graph.is_described(entity) || graph.label(entity).is_some()
}

/// Without the last digits, which depend on the order of sums, and so on the order
/// in which documents came: who is as good as another shall stay so.
fn rounded(score: f64) -> f64 {
    const DIGITS: f64 = 1e9;
    (score * DIGITS).round() / DIGITS
}

/// The five parts of a score, for all candidates.
struct Parts {
    shared: Standard,
    walk: Standard,
    around: Standard,
    signature: Standard,
    own: Standard,
}

impl Parts {
    /// The parts in the order of their weights.
    fn all(&self) -> [&Standard; 5] {
        [&self.shared, &self.walk, &self.around, &self.signature, &self.own]
    }
}

/// The answer of [`Hybrid`]; it keeps what it takes to say why.
struct HybridRanking<'q> {
    question: Question<'q>,
    shared: SharedLinks<'q>,
    around: Texts<'q>,
    own: Texts<'q>,
    signature: Signature<'q>,
    parts: Parts,
    scores: Vec<f64>,
}

impl Ranker for Hybrid {
    fn rank<'q>(&self, question: Question<'q>) -> Box<dyn Ranking + 'q> {
        let Question { graph, seeds, candidates, .. } = question;
        let shared = SharedLinks::new(graph, seeds);
        let is_any_known = candidates.iter().any(|&candidate| is_known(graph, candidate));
        let around = Texts::new(graph, if is_any_known { seeds } else { &[] }, TextScope::WithNeighbours);
        let own = Texts::new(graph, seeds, TextScope::Own);
        let signature = Signature::new(graph, seeds);
        let walked = walk::walk(graph, seeds);
        let parts = Parts {
            shared: Standard::new(shared.scores(candidates)),
            walk: Standard::new(candidates.iter().map(|&candidate| walk::score(walked[candidate as usize]))),
            around: Standard::new(around.scores(candidates, |candidate| is_known(graph, candidate))),
            signature: Standard::new(signature.scores(candidates)),
            own: Standard::new(own.scores(candidates, |_| true)),
        };
        let weighed = |place| parts.all().into_iter().zip(WEIGHTS).map(move |(part, weight)| weight * part.z(place));
        let scores = (0..candidates.len()).map(|place| rounded(weighed(place).sum())).collect();
        Box::new(HybridRanking { question, shared, around, own, signature, parts, scores })
    }
}

impl Ranking for HybridRanking<'_> {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn explain(&self, place: usize) -> Vec<Reason> {
        self.reasons(place)
    }
}

#[cfg(test)]
mod tests;
