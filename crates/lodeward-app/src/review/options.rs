//! Converts settings into the options of a ranking.

use lodeward_focus::rank::options::{KatzOptions, RankingOptions, RingOptions};

use crate::settings::{self, Config};

/// Whether a crawl has a limit of requests or documents. With strict hops the result is false,
/// because distant entities are then fetched regardless of their rank.
fn is_budgeted(crawl: &settings::CrawlSettings) -> bool {
    let is_bounded = crawl.max_requests.is_some() || crawl.max_documents.is_some() || crawl.max_rdf_documents.is_some();
    is_bounded && !crawl.has_strict_hops()
}

/// Returns the ranking options of the settings.
#[must_use]
pub fn ranking_options(config: &Config) -> RankingOptions {
    let settings::RankingSettings { ranker, max_hops, published, .. } = &config.ranking;
    RankingOptions {
        ranker: ranker.0,
        max_hops: *max_hops,
        found: Vec::new(),
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
