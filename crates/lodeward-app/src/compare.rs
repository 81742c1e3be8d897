//! Compares two crawls: their documents, domains and rankings.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use lodeward::frontier::FrontierError;
use lodeward::model::Outcome;

use crate::crawl_dir::OpenCrawl;
use crate::review::CandidateIndex;

/// The depths at which the overlap of two rankings is measured.
const DEPTHS: [usize; 3] = [10, 100, 1_000];

/// What two crawls have in common, and what only one of them has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverlapCounts {
    /// In both.
    pub both: u64,
    /// Only in the first.
    pub only_a: u64,
    /// Only in the second.
    pub only_b: u64,
}

/// Two crawls beside each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrawlComparison {
    /// Documents.
    pub documents: OverlapCounts,
    /// Domains with documents.
    pub domains: OverlapCounts,
    /// Domains that only the first crawl has, with the number of documents; the largest first.
    pub domains_only_a: Vec<(String, u64)>,
    /// Domains that only the second crawl has.
    pub domains_only_b: Vec<(String, u64)>,
    /// The rankings, if both crawls have one.
    pub rankings: Option<RankingComparison>,
}

/// Two rankings beside each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankingComparison {
    /// Depth, and number of candidates that both rankings have down to it.
    pub overlaps: Vec<(usize, u64)>,
    /// Candidates of both rankings among the first `max` of one of them, the largest change of rank first.
    pub moved: Vec<RankChange>,
    /// The first candidates that only the first ranking has.
    pub only_a: Vec<RankChange>,
    /// The first candidates that only the second ranking has.
    pub only_b: Vec<RankChange>,
}

/// The ranks of a candidate in two rankings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankChange {
    /// IRI of the candidate.
    pub entity: String,
    /// Its label.
    pub label: Option<String>,
    /// Its rank in the first ranking.
    pub rank_a: Option<u64>,
    /// Its rank in the second ranking.
    pub rank_b: Option<u64>,
}

/// Compares two crawls. Lists have at most `max` entries. Reads the records of all URIs. Blocks.
pub fn compare_crawls(
    (a, ranking_a): (&OpenCrawl, Option<&CandidateIndex>),
    (b, ranking_b): (&OpenCrawl, Option<&CandidateIndex>),
    max: usize,
) -> Result<CrawlComparison, FrontierError> {
    let ((documents_a, domains_a), (documents_b, domains_b)) = (harvest(a)?, harvest(b)?);
    let names = |domains: &HashMap<String, u64>| domains.keys().cloned().collect::<HashSet<String>>();
    Ok(CrawlComparison {
        documents: overlap(&documents_a, &documents_b),
        domains: overlap(&names(&domains_a), &names(&domains_b)),
        domains_only_a: only_in(&domains_a, &domains_b, max),
        domains_only_b: only_in(&domains_b, &domains_a, max),
        rankings: ranking_a.zip(ranking_b).map(|(a, b)| compare_rankings(a, b, max)),
    })
}

/// The fingerprints of the documents of a crawl, and their number by domain.
fn harvest(crawl: &OpenCrawl) -> Result<(HashSet<u128>, HashMap<String, u64>), FrontierError> {
    let (mut documents, mut domains) = (HashSet::new(), HashMap::new());
    for record in crawl.frontier.settled_snapshot() {
        let record = record?;
        if matches!(record.outcome, Some(Outcome::Document(_))) {
            documents.insert(record.uri.fingerprint());
            *domains.entry(record.uri.pld().as_str().to_owned()).or_default() += 1;
        }
    }
    Ok((documents, domains))
}

fn overlap<T: Eq + std::hash::Hash>(a: &HashSet<T>, b: &HashSet<T>) -> OverlapCounts {
    let both = a.intersection(b).count() as u64;
    OverlapCounts { both, only_a: a.len() as u64 - both, only_b: b.len() as u64 - both }
}

fn only_in(domains: &HashMap<String, u64>, others: &HashMap<String, u64>, max: usize) -> Vec<(String, u64)> {
    let only = domains.iter().filter(|(name, _)| !others.contains_key(*name));
    let mut only: Vec<(String, u64)> = only.map(|(name, count)| (name.clone(), *count)).collect();
    only.sort_by(|one, other| (Reverse(one.1), &one.0).cmp(&(Reverse(other.1), &other.0)));
    only.truncate(max);
    only
}

fn compare_rankings(a: &CandidateIndex, b: &CandidateIndex, max: usize) -> RankingComparison {
    let first = |index: &CandidateIndex, depth: usize| -> HashSet<String> {
        index.rows().take(depth).map(|row| row.entity.clone()).collect()
    };
    let overlaps =
        DEPTHS.into_iter().map(|depth| (depth, first(a, depth).intersection(&first(b, depth)).count() as u64));
    let change = |entity: &str| {
        let (in_a, in_b) = (a.row(entity), b.row(entity));
        let label = in_a.or(in_b).and_then(|row| row.label.clone());
        let (rank_a, rank_b) = (in_a.map(|row| row.rank), in_b.map(|row| row.rank));
        RankChange { entity: entity.to_owned(), label, rank_a, rank_b }
    };
    let only = |index: &CandidateIndex, other: &CandidateIndex| -> Vec<RankChange> {
        let rows = index.rows().filter(|row| other.row(&row.entity).is_none());
        rows.take(max).map(|row| change(&row.entity)).collect()
    };
    let mut entities: Vec<String> = first(a, max).union(&first(b, max)).cloned().collect();
    entities.sort_unstable();
    let distance = |change: &RankChange| change.rank_a.unwrap_or(0).abs_diff(change.rank_b.unwrap_or(0));
    let mut moved: Vec<RankChange> = entities.iter().map(|entity| change(entity)).collect();
    moved.retain(|change| change.rank_a.is_some() && change.rank_b.is_some() && distance(change) > 0);
    moved.sort_by_key(|change| (Reverse(distance(change)), change.rank_a));
    moved.truncate(max);
    RankingComparison { overlaps: overlaps.collect(), moved, only_a: only(a, b), only_b: only(b, a) }
}
