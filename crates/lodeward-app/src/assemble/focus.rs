//! Creates the strategy of a focused crawl.

use std::sync::Arc;

use super::AssembleError;
use crate::crawl_dir::OpenCrawl;
use crate::review::MarkFile;
use crate::review::{
    FoundCandidates, RankingProgress, RedirectMap, empty_fact_base, facts_options, load_crawl_reference,
    load_fact_base, ranking_options,
};
use crate::settings::Config;
use lodeward::model::Uri;
use lodeward::select::StrategyError;
use lodeward_focus::rank::RankingOptions;
use lodeward_focus::strategy::FocusStrategy;
use lodeward_focus::strategy::{DescriptionEndpoint, FocusOptions, FocusStart};

/// Creates the strategy of a resumed focused crawl, with the facts of its harvest.
pub(super) fn resume(config: &Config, crawl: &OpenCrawl, seeds: &[Uri]) -> Result<FocusStrategy, AssembleError> {
    let fact_base = load_fact_base(config, &crawl.segments, RedirectMap::default(), &RankingProgress::default())?;
    let marks = MarkFile::open(crawl.dir.path())?.relevance_labels();
    let seed_entities = crawl.dir.seed_entities()?;
    let reference = load_crawl_reference(config, crawl, seeds)?.map(|reference| reference.facts);
    let start = FocusStart { seeds: seeds.to_vec(), seed_entities, marks, fact_base, reference };
    Ok(focus_strategy(config, FoundCandidates::read(&crawl.dir)?.entities, start)?)
}

/// Creates the strategy of a new focused crawl.
pub(super) fn start(config: &Config) -> Result<FocusStrategy, StrategyError> {
    let fact_base = empty_fact_base(config);
    let (seeds, seed_entities, marks) = (Vec::new(), Vec::new(), Vec::new());
    let start = FocusStart { seeds, seed_entities, marks, fact_base, reference: None };
    focus_strategy(config, Vec::new(), start)
}

fn focus_strategy(config: &Config, found: Vec<String>, start: FocusStart) -> Result<FocusStrategy, StrategyError> {
    let descriptions = config.ranking.descriptions_endpoint.as_deref().map(DescriptionEndpoint::new).transpose();
    let settings = FocusOptions {
        ranking: RankingOptions { found, ..ranking_options(config) },
        max_candidates_per_hop: config.ranking.max_candidates_per_hop,
        strict_hops: config.crawl.has_strict_hops(),
        facts: Arc::new(facts_options(config)),
        descriptions_endpoint: descriptions
            .map_err(|error| StrategyError::Setting(format!("ranking.descriptions_endpoint: {error}")))?,
    };
    Ok(FocusStrategy::new(settings, start))
}
