//! Retrieval: every method on every collection, with the shipped parameters.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lodeward_search::retrieve::{Method, RankedWeights, RelationLexicon, RetrievalOptions};
use lodeward_search::{EntityIndex, IndexOptions, IndexView, SearchError};

use super::collection::EntityCollection;
use super::heatmap::Heatmap;
use super::measures::RankingFigures;
use super::page::{SearchSection, share};
use super::topics::SearchTopic;
use crate::focus::BootstrapDifference;

/// Number of entities of a ranking.
pub(super) const RANKS: usize = 100;

/// The sets of queries.
pub(super) const QUERY_SETS: [&str; 4] = ["SemSearch_ES", "INEX_LD", "QALD2", "ListSearch"];

/// A method with its parameters.
pub struct RetrievalEntry {
    /// Name in reports.
    pub name: &'static str,
    method: Method,
    options: RetrievalOptions,
}

/// All methods; the first is the baseline of the comparison.
#[must_use]
pub fn entries() -> Vec<RetrievalEntry> {
    let without_lexicon = RetrievalOptions {
        lexicon: Arc::new(RelationLexicon::empty()),
        weights: RankedWeights::WITHOUT_LEXICON,
        ..RetrievalOptions::default()
    };
    let entry = |name, method, options| RetrievalEntry { name, method, options };
    vec![
        entry("bm25f", Method::Bm25f, RetrievalOptions::default()),
        entry("ranked", Method::Ranked, RetrievalOptions::default()),
        entry("ranked, without lexicon", Method::Ranked, without_lexicon),
    ]
}

/// Indexes a collection in memory.
pub fn index(collection: &EntityCollection) -> Result<IndexView, SearchError> {
    let index = EntityIndex::in_memory(IndexOptions::default())?;
    for entity in &collection.entities {
        index.put(entity)?;
    }
    index.commit("")?;
    index.view()
}

/// Figures of all queries by method.
pub(super) type MethodFigures = Vec<(&'static str, Vec<RankingFigures>)>;

/// Measures all methods on a collection.
pub(super) fn evaluate(
    section: &mut SearchSection,
    name: &str,
    view: &IndexView,
    topics: &[SearchTopic],
    seed: u64,
) -> Result<MethodFigures, SearchError> {
    let mut measured = MethodFigures::new();
    for entry in entries() {
        let (figures, p95) = run(view, topics, &entry)?;
        for (topic, figures) in topics.iter().zip(&figures) {
            for (measure, value) in RankingFigures::NAMES.iter().zip(figures.values()) {
                section.figure(name, entry.name, &topic.id, measure, value);
            }
        }
        let base = measured.first().map_or(&figures, |(_, base)| base);
        let mut cells = vec![name.to_owned(), entry.name.to_owned()];
        cells.extend(RankingFigures::mean(&figures).values().map(share));
        cells.push(gain(base, &figures, |figures| figures.ndcg_10, seed));
        cells.push(gain(base, &figures, |figures| figures.ndcg_100, seed));
        cells.extend(QUERY_SETS.map(|set| share(mean_of_set(topics, &figures, set).ndcg_10)));
        cells.push(format!("{:.1} ms", p95.as_secs_f64() * 1e3));
        section.row(&cells);
        measured.push((entry.name, figures));
    }
    Ok(measured)
}

/// nDCG@10 of all methods by query set, as a picture.
pub(super) fn plot(measured: &[(&str, &[SearchTopic], &MethodFigures)]) -> String {
    let (mut rows, mut cells) = (Vec::new(), Vec::new());
    for (name, topics, methods) in measured {
        for (method, figures) in *methods {
            rows.push(format!("{name} {method}"));
            let by_set = QUERY_SETS.map(|set| mean_of_set(topics, figures, set).ndcg_10);
            cells.push([RankingFigures::mean(figures).ndcg_10].into_iter().chain(by_set).collect());
        }
    }
    let columns = ["all queries"].into_iter().chain(QUERY_SETS).map(str::to_owned).collect();
    Heatmap { title: "nDCG@10 by method and query set".to_owned(), rows, columns, cells }.draw()
}

/// Gains over `bm25f`, with the queries of all collections together.
pub(super) fn write_pooled(section: &mut SearchSection, measured: &[MethodFigures], seed: u64) {
    let pooled = |at: usize| measured.iter().flat_map(|methods| methods[at].1.clone()).collect::<Vec<_>>();
    let base = pooled(0);
    section.table(&["pooled", "queries", "gain @10", "gain @100"]);
    for (at, entry) in entries().iter().enumerate().skip(1) {
        let ours = pooled(at);
        section.row(&[
            entry.name.to_owned(),
            ours.len().to_string(),
            gain(&base, &ours, |figures| figures.ndcg_10, seed),
            gain(&base, &ours, |figures| figures.ndcg_100, seed),
        ]);
    }
    section.end_table();
}

pub(super) fn mean_of_set(topics: &[SearchTopic], figures: &[RankingFigures], set: &str) -> RankingFigures {
    let own = topics.iter().zip(figures).filter(|(topic, _)| topic.set() == set);
    RankingFigures::mean(&own.map(|(_, figures)| *figures).collect::<Vec<_>>())
}

/// The mean gain in a measure with its interval; an asterisk if the interval excludes 0.
pub(super) fn gain(
    base: &[RankingFigures],
    ours: &[RankingFigures],
    value: fn(&RankingFigures) -> f64,
    seed: u64,
) -> String {
    let of = |figures: &[RankingFigures]| figures.iter().map(value).collect::<Vec<f64>>();
    let difference = BootstrapDifference::paired(&of(ours), &of(base), seed);
    let mark = if difference.is_significant() { "*" } else { "" };
    format!("{:+.3} [{:+.3}, {:+.3}]{mark}", difference.mean, difference.low, difference.high)
}

#[expect(clippy::disallowed_methods, reason = "it measures time")]
fn run(
    view: &IndexView,
    topics: &[SearchTopic],
    entry: &RetrievalEntry,
) -> Result<(Vec<RankingFigures>, Duration), SearchError> {
    let (mut figures, mut times) = (Vec::new(), Vec::new());
    for topic in topics {
        let start = Instant::now();
        let hits = view.search(&topic.query, entry.method, &entry.options, RANKS)?;
        times.push(start.elapsed());
        figures.push(RankingFigures::new(hits.iter().map(|hit| hit.iri.as_str()), &topic.grades));
    }
    times.sort_unstable();
    let p95 = times.get(times.len() * 95 / 100).copied().unwrap_or_default();
    Ok((figures, p95))
}
