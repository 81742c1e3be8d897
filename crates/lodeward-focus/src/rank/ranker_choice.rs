//! Chooses the ranker and the maximum distance of candidates from properties of the seeds.
//!
//! The paper chooses by the size of the list (“after the seed list size reaches a certain threshold
//! (20 in our case), the graph-based methods seem to perform better”, §2.7) and found depth 2
//! better than 3 (§2.6). `hybrid` combines links and texts, so it is chosen unless the
//! options set another ranker; the reason states which evidence is available.

use serde::Serialize;

use super::graph::EntityGraph;
use super::hops::{HopCount, UNREACHED, hop_distances};
use super::options::RankingOptions;
use super::ranker_kind::RankerKind;
use super::seed_analysis::SeedAnalysis;
use super::{MarkedEntity, to_f64};

/// Number of seeds from which links are more informative than texts (§2.7).
const MANY_SEEDS: usize = 20;
/// Above this value a seed list is coherent (§2.3.2); Table 2 of the paper includes lists with
/// exactly this value.
pub const COHERENCE_THRESHOLD: f64 = 0.5;
/// Default maximum distance of candidates (§2.6).
pub(crate) const DEFAULT_DEPTH: HopCount = 2;
/// Maximum distance if there are few candidates within the default.
pub(crate) const EXTENDED_DEPTH: HopCount = DEFAULT_DEPTH + 1;
/// Maximum distance in a crawl with a budget, which fetches the best candidates first
/// (eval/results/focus.md).
pub(crate) const BUDGETED_DEPTH: HopCount = 4;
/// Number of candidates within the default distance below which the distance is extended by one.
const FEW_CANDIDATES: usize = 100;
/// Minimum share of seeds with texts for texts to be named as evidence.
const MIN_TEXT_SHARE: f64 = 0.5;

/// The chosen ranker and maximum distance, with the reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RankerChoice {
    /// The ranker.
    pub ranker: RankerKind,
    /// Maximum distance of candidates.
    pub max_hops: HopCount,
    /// The reasons, in one or two sentences.
    pub reason: String,
}

/// Chooses the ranker and the distance, unless the options set them.
#[must_use]
pub fn choose(
    graph: &EntityGraph<'_>,
    analysis: &SeedAnalysis,
    options: &RankingOptions,
    marks: &[MarkedEntity],
) -> RankerChoice {
    let (ranker, why_ranker) = choose_ranker(graph, analysis, options, marks);
    let (max_hops, why_depth) = choose_depth(graph, analysis, options);
    RankerChoice {
        ranker,
        max_hops,
        reason: format!("{ranker}, since {why_ranker}; {max_hops} hops, since {why_depth}"),
    }
}

fn choose_ranker(
    graph: &EntityGraph<'_>,
    analysis: &SeedAnalysis,
    options: &RankingOptions,
    marks: &[MarkedEntity],
) -> (RankerKind, String) {
    let has_both_labels = has_both_labels(analysis, marks);
    match options.ranker {
        Some(RankerKind::Nb) if !has_both_labels => {
            let reason = "nb cannot be trained before an entity is marked as dropped";
            return (RankerKind::Hybrid, reason.to_owned());
        }
        Some(requested) => return (requested, "it was requested".to_owned()),
        None => {}
    }
    let seeds = analysis.seeds.len();
    let with_text = analysis.seeds.iter().filter(|seed| graph.label(seed.entity).is_some()).count();
    let has_text = to_f64(with_text as u64) >= MIN_TEXT_SHARE * to_f64(seeds as u64);
    let close = if analysis.coherence > COHERENCE_THRESHOLD { "close to each other" } else { "far from each other" };
    let (evidence, remark) = match (has_text, seeds >= MANY_SEEDS) {
        (true, true) => ("links and texts", "; with that many seeds, links are more informative"),
        (true, false) => ("links and texts", ""),
        (false, _) => ("links only, because most seeds have no text", ""),
    };
    let reason = match seeds {
        0 => "no seed was fetched".to_owned(),
        1 => format!("there is one seed, with {evidence}"),
        _ => format!("there are {seeds} seeds, {close} (Γ {:.2}), with {evidence}{remark}", analysis.coherence),
    };
    (RankerKind::Hybrid, reason)
}

/// Whether `nb` has relevant examples (seeds, marks `keep`) and irrelevant ones (marks `drop`).
pub(super) fn has_both_labels(analysis: &SeedAnalysis, marks: &[MarkedEntity]) -> bool {
    let is_kept = !analysis.seeds.is_empty() || marks.iter().any(|mark| mark.keep);
    is_kept && marks.iter().any(|mark| !mark.keep)
}

fn choose_depth(graph: &EntityGraph<'_>, analysis: &SeedAnalysis, options: &RankingOptions) -> (HopCount, String) {
    if let Some(requested) = options.max_hops {
        return (requested, "it was requested".to_owned());
    }
    if options.is_budgeted {
        let reason = "the crawl has a limit, so distant entities are fetched only if they rank high";
        return (BUDGETED_DEPTH, reason.to_owned());
    }
    let hops = hop_distances(graph, analysis.seeds.iter().map(|seed| seed.entity), &[], DEFAULT_DEPTH);
    let near = hops.iter().filter(|hop| **hop != UNREACHED && **hop > 0).count();
    if near < FEW_CANDIDATES {
        (EXTENDED_DEPTH, format!("there are only {near} entities within {DEFAULT_DEPTH} links"))
    } else {
        let reason =
            format!("there are {near} entities within {DEFAULT_DEPTH} links, and farther ones are seldom relevant");
        (DEFAULT_DEPTH, reason)
    }
}
