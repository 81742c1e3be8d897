//! From a configuration to a focused crawl.

use std::sync::Arc;

use super::gather::{Redirects, empty_gathering, facts_options, gathering};
use super::{OpenError, ReferenceError, ReferenceGraph, Shelf, reference};
use crate::config::{self, Config};
use crate::model::Uri;
use crate::rank::kind::RankerKind;
use crate::rank::options::{Attrition, Jaccard, Katz, Options};
use crate::rank::{Gathering, Marks};
use crate::registry::seed_notes;
use crate::select::focus::{Describing, Settings};
use crate::select::{Focus, StrategyError};

/// The strategy of a focused crawl, with everything that its harvest says already.
pub(super) fn resumed(config: &Config, shelf: &Shelf, seeds: &[Uri]) -> Result<Focus, OpenError> {
    let gathered = gathering(config, &shelf.segments, Redirects::default())?;
    let marks = Marks::of_crawl(&shelf.directory)?.judgments();
    let named = seed_notes(&shelf.directory)?;
    let strategy = strategy(config, seeds, gathered)?.with_marks(marks).with_names(named);
    Ok(match reference_of(config, shelf, seeds)? {
        Some(reference) => strategy.with_reference(reference.gathering),
        None => strategy,
    })
}

/// Where the seeds of a crawl are measured, if not in what it has crawled. What is
/// to be known of it is said.
pub(super) fn reference_of(
    config: &Config,
    shelf: &Shelf,
    seeds: &[Uri],
) -> Result<Option<ReferenceGraph>, ReferenceError> {
    let data = shelf.place().map_or(shelf.directory.as_path(), |(data, _)| data);
    let seeds: Vec<&str> = seeds.iter().map(Uri::as_str).collect();
    let found = reference(config, data, shelf.archive.as_ref(), &seeds)?;
    for note in found.iter().flat_map(|reference| &reference.notes) {
        tracing::warn!("{note}");
    }
    Ok(found)
}

/// The strategy of a focused crawl that begins.
pub(super) fn begun(config: &Config) -> Result<Focus, StrategyError> {
    strategy(config, &[], empty_gathering(config))
}

fn strategy(config: &Config, seeds: &[Uri], gathered: Gathering) -> Result<Focus, StrategyError> {
    let describing = config.focus.endpoint.as_deref().map(Describing::new).transpose();
    let settings = Settings {
        ranking: ranking_options(config),
        keep: config.focus.keep,
        strict_hops: config.crawl.hops_are_strict(),
        facts: Arc::new(facts_options(config)),
        describing: describing.map_err(|error| StrategyError::Setting(format!("focus.endpoint: {error}")))?,
    };
    Ok(Focus::new(settings, seeds.to_vec(), gathered))
}

/// Whether the user has bounded what a crawl may spend. Hop by hop, far ones do
/// not have to be good to have their turn, so that there it does not count.
fn is_budgeted(crawl: &config::Crawl) -> bool {
    let is_bounded = crawl.max_requests.is_some() || crawl.max_documents.is_some() || crawl.max_relevant.is_some();
    is_bounded && !crawl.hops_are_strict()
}

/// How entities are ranked under this configuration.
#[must_use]
pub fn ranking_options(config: &Config) -> Options {
    let focus = &config.focus;
    Options {
        ranker: match focus.ranker {
            config::Ranker::Auto => None,
            config::Ranker::Hybrid => Some(RankerKind::Hybrid),
            config::Ranker::EjsimPlus => Some(RankerKind::EjsimPlus),
            config::Ranker::Ejsim => Some(RankerKind::Ejsim),
            config::Ranker::Njsim => Some(RankerKind::Njsim),
            config::Ranker::Pagerank => Some(RankerKind::Pagerank),
            config::Ranker::Ppr => Some(RankerKind::Ppr),
            config::Ranker::Nb => Some(RankerKind::Nb),
        },
        depth: focus.depth,
        is_budgeted: is_budgeted(&config.crawl),
        attrition: match focus.attrition {
            config::Attrition::Intent => Attrition::Intent,
            config::Attrition::Published => Attrition::Published,
            config::Attrition::Off => Attrition::Off,
        },
        jaccard: match focus.jaccard {
            config::Jaccard::Set => Jaccard::Set,
            config::Jaccard::Multiset => Jaccard::Multiset,
        },
        katz: Katz { alpha: focus.katz_alpha, length: focus.katz_length },
        path_max: focus.path_max,
        ..Options::default()
    }
}
