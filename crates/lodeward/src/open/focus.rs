//! Creates the strategy of a focused crawl.

use std::sync::Arc;

use super::load_facts::{RedirectMap, empty_fact_base, facts_options, load_fact_base};
use super::{CrawlOpenError, OpenCrawl, ReferenceError, ReferenceGraph, load_reference};
use crate::config::{self, Config};
use crate::data_dir::seed_notes;
use crate::model::Uri;
use crate::rank::options::{KatzOptions, RankingOptions, RingOptions};
use crate::rank::ranker_kind::RankerKind;
use crate::rank::{FactBase, MarkFile};
use crate::select::focus::{DescriptionEndpoint, FocusOptions};
use crate::select::{FocusStrategy, StrategyError};

/// Creates the strategy of a resumed focused crawl, with the facts of its harvest.
pub(super) fn resume(config: &Config, crawl: &OpenCrawl, seeds: &[Uri]) -> Result<FocusStrategy, CrawlOpenError> {
    let facts = load_fact_base(config, &crawl.segments, RedirectMap::default())?;
    let marks = MarkFile::open(&crawl.directory)?.relevance_labels();
    let notes = seed_notes(&crawl.directory)?;
    let strategy = focus_strategy(config, seeds, facts)?.with_marks(marks).with_seed_names(notes);
    Ok(match load_crawl_reference(config, crawl, seeds)? {
        Some(reference) => strategy.with_reference(reference.facts),
        None => strategy,
    })
}

/// Returns the reference graph of a crawl, if it is not the crawl itself, and logs its notes.
pub(super) fn load_crawl_reference(
    config: &Config,
    crawl: &OpenCrawl,
    seeds: &[Uri],
) -> Result<Option<ReferenceGraph>, ReferenceError> {
    let data = crawl.location().map_or(crawl.directory.as_path(), |(data, _)| data);
    let seeds: Vec<&str> = seeds.iter().map(Uri::as_str).collect();
    let found = load_reference(config, data, crawl.archive.as_ref(), &seeds)?;
    for note in found.iter().flat_map(|reference| &reference.notes) {
        tracing::warn!("{note}");
    }
    Ok(found)
}

/// Creates the strategy of a new focused crawl.
pub(super) fn start(config: &Config) -> Result<FocusStrategy, StrategyError> {
    focus_strategy(config, &[], empty_fact_base(config))
}

fn focus_strategy(config: &Config, seeds: &[Uri], facts: FactBase) -> Result<FocusStrategy, StrategyError> {
    let descriptions = config.ranking.descriptions_endpoint.as_deref().map(DescriptionEndpoint::new).transpose();
    let settings = FocusOptions {
        ranking: ranking_options(config),
        max_candidates_per_hop: config.ranking.max_candidates_per_hop,
        strict_hops: config.crawl.has_strict_hops(),
        facts: Arc::new(facts_options(config)),
        descriptions_endpoint: descriptions
            .map_err(|error| StrategyError::Setting(format!("ranking.descriptions_endpoint: {error}")))?,
    };
    Ok(FocusStrategy::new(settings, seeds.to_vec(), facts))
}

/// Whether a crawl has a limit of requests or documents. With strict hops the result is false,
/// because distant entities are then fetched regardless of their rank.
fn is_budgeted(crawl: &config::CrawlSettings) -> bool {
    let is_bounded = crawl.max_requests.is_some() || crawl.max_documents.is_some() || crawl.max_rdf_documents.is_some();
    is_bounded && !crawl.has_strict_hops()
}

/// Returns the ranking options of the settings.
#[must_use]
pub fn ranking_options(config: &Config) -> RankingOptions {
    let config::RankingSettings { ranker, max_hops, published, .. } = &config.ranking;
    RankingOptions {
        ranker: match ranker {
            config::RankerSetting::Auto => None,
            config::RankerSetting::Hybrid => Some(RankerKind::Hybrid),
            config::RankerSetting::EjsimPlus => Some(RankerKind::EjsimPlus),
            config::RankerSetting::Ejsim => Some(RankerKind::Ejsim),
            config::RankerSetting::Njsim => Some(RankerKind::Njsim),
            config::RankerSetting::Pagerank => Some(RankerKind::Pagerank),
            config::RankerSetting::Ppr => Some(RankerKind::Ppr),
            config::RankerSetting::Nb => Some(RankerKind::Nb),
        },
        max_hops: *max_hops,
        is_budgeted: is_budgeted(&config.crawl),
        attrition: published.attrition,
        jaccard: published.jaccard,
        texts: published.text,
        katz: KatzOptions { alpha: published.katz_alpha, length: published.katz_length },
        path_max: published.path_max,
        rings: RingOptions { alpha: published.njsim_alpha, length: published.njsim_tau },
        damping: published.pagerank_damping,
        steps: published.pagerank_direction,
    }
}
