//! Creates the strategy of a focused crawl.

use std::sync::Arc;

use super::AssembleError;
use crate::crawl_dir::OpenCrawl;
use crate::data_dir::seed_notes;
use crate::review::MarkFile;
use crate::review::{
    RedirectMap, empty_fact_base, facts_options, load_crawl_reference, load_fact_base, ranking_options,
};
use crate::settings::Config;
use lodeward::model::Uri;
use lodeward::rank::FactBase;
use lodeward::select::focus::{DescriptionEndpoint, FocusOptions};
use lodeward::select::{FocusStrategy, StrategyError};

/// Creates the strategy of a resumed focused crawl, with the facts of its harvest.
pub(super) fn resume(config: &Config, crawl: &OpenCrawl, seeds: &[Uri]) -> Result<FocusStrategy, AssembleError> {
    let facts = load_fact_base(config, &crawl.segments, RedirectMap::default())?;
    let marks = MarkFile::open(crawl.dir.path())?.relevance_labels();
    let notes = seed_notes(crawl.dir.path())?;
    let strategy = focus_strategy(config, seeds, facts)?.with_marks(marks).with_seed_names(notes);
    Ok(match load_crawl_reference(config, crawl, seeds)? {
        Some(reference) => strategy.with_reference(reference.facts),
        None => strategy,
    })
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
