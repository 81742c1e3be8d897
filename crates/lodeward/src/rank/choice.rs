//! Who ranks, and how far candidates may be: chosen by the seeds.
//!
//! The paper chooses by the size of the list (“after the seed list size reaches a
//! certain threshold (20 in our case), the graph-based methods seem to perform
//! better”, §2.7) and found depth 2 better than 3 (§2.6). What combines links and
//! texts has no need to choose between them; so `hybrid` is chosen wherever there
//! is something to walk along, and the reason says what it had.

use serde::Serialize;

use super::graph::EntityGraph;
use super::hops::{FAR, Hop, hops};
use super::kind::RankerKind;
use super::options::Options;
use super::seeds::SeedAnalysis;
use super::{Mark, real};

/// From so many seeds on links tell more than texts (§2.7).
const SEEDS_MANY: usize = 20;
/// Above this a seed list is coherent (§2.3.2); Table 2 of the paper counts those
/// in that have it exactly.
pub const COHERENT: f64 = 0.5;
/// As far as is usually worth going (§2.6).
pub const DEPTH: Hop = 2;
/// As far as is worth going where there is little within that.
pub const DEPTH_FARTHER: Hop = DEPTH + 1;
/// As far as is worth going where the best come first and the crawl ends when its
/// budget is spent (eval/results/focus.md).
pub const DEPTH_BUDGETED: Hop = 4;
/// Within which there should be so many candidates; if not, one link more is
/// worth its while.
const CANDIDATES_FEW: usize = 100;
/// Below this share of seeds with a text, texts tell nothing.
const TEXT_SHARE_MIN: f64 = 0.5;

/// Who ranks, how far candidates may be, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// Who ranks.
    pub ranker: RankerKind,
    /// How far candidates may be.
    pub depth: Hop,
    /// Why, in a sentence or two.
    pub reason: String,
}

/// Chooses what the options leave open.
#[must_use]
pub fn choose(graph: &EntityGraph<'_>, analysis: &SeedAnalysis, options: &Options, marks: &[Mark]) -> Choice {
    let (ranker, why_ranker) = ranker(graph, analysis, options, marks);
    let (depth, why_depth) = depth(graph, analysis, options);
    Choice { ranker, depth, reason: format!("{ranker}, since {why_ranker}; depth {depth}, since {why_depth}") }
}

fn ranker(graph: &EntityGraph<'_>, analysis: &SeedAnalysis, options: &Options, marks: &[Mark]) -> (RankerKind, String) {
    let is_of_both_kinds = has_both_kinds(analysis, marks);
    match options.ranker {
        Some(RankerKind::Nb) if !is_of_both_kinds => {
            let reason = "nb has nothing to learn from before something was marked as dropped";
            return (RankerKind::Hybrid, reason.to_owned());
        }
        Some(asked) => return (asked, "it was asked for".to_owned()),
        None => {}
    }
    let seeds = analysis.seeds.len();
    let with_text = analysis.seeds.iter().filter(|seed| graph.label(seed.entity).is_some()).count();
    let has_text = real(with_text as u64) >= TEXT_SHARE_MIN * real(seeds as u64);
    let close = if analysis.coherence > COHERENT { "close to each other" } else { "far from each other" };
    let (evidence, remark) = match (has_text, seeds >= SEEDS_MANY) {
        (true, true) => ("links and texts", ", of which links tell more with so many seeds"),
        (true, false) => ("links and texts", ""),
        (false, _) => ("links alone, for most seeds have no text", ""),
    };
    let reason = match seeds {
        0 => "no seed was reached".to_owned(),
        1 => format!("there is one seed, with {evidence}"),
        _ => format!("there are {seeds} seeds, {close} (Γ {:.2}), with {evidence}{remark}", analysis.coherence),
    };
    (RankerKind::Hybrid, reason)
}

/// Whether something is known to be relevant, and something not to be. Seeds are
/// relevant.
pub(super) fn has_both_kinds(analysis: &SeedAnalysis, marks: &[Mark]) -> bool {
    let is_kept = !analysis.seeds.is_empty() || marks.iter().any(|mark| mark.keep);
    is_kept && marks.iter().any(|mark| !mark.keep)
}

fn depth(graph: &EntityGraph<'_>, analysis: &SeedAnalysis, options: &Options) -> (Hop, String) {
    if let Some(asked) = options.depth {
        return (asked, "it was asked for".to_owned());
    }
    if options.is_budgeted {
        let reason = "the crawl is bounded, and who is far away has its turn only if it ranks high";
        return (DEPTH_BUDGETED, reason.to_owned());
    }
    let hops = hops(graph, analysis.seeds.iter().map(|seed| seed.entity), DEPTH);
    let near = hops.iter().filter(|hop| **hop != FAR && **hop > 0).count();
    if near < CANDIDATES_FEW {
        (DEPTH_FARTHER, format!("there are only {near} entities within {DEPTH} links"))
    } else {
        (DEPTH, format!("there are {near} entities within {DEPTH} links, and farther ones are seldom relevant"))
    }
}
