//! What a crawl would do with a URI that it has not found: scope, robots.txt, limits.

use std::fmt;

use lodeward::fetch::robots::RobotsRules;
use lodeward::frontier::FrontierError;
use lodeward::model::{DropReason, LinkKind, Relevance, Uri};
use lodeward::select::LinkContext;

use crate::crawl_dir::{OpenCrawl, wait};
use crate::data_dir::DataDirError;
use crate::settings::{Config, fetch_options, scope};

/// What a crawl would do with a URI if a document linked to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriForecast {
    /// Why it would be dropped; `None` if it would be queued.
    pub reason: Option<DropReason>,
    /// Whether its robots.txt was fetched, and allows it.
    pub robots: RobotsForecast,
    /// The limit that the crawl has reached, as a setting and its value.
    pub limit: Option<(&'static str, u64)>,
}

/// What is known of a robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotsForecast {
    /// It was not requested yet.
    Unknown,
    /// It allows the URI, or the server has none.
    Allows,
    /// It disallows the URI.
    Disallows,
}

/// A forecast cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForecastError {
    /// The frontier cannot be read.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The seeds or the state of the crawl cannot be read.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// A pattern of the settings is not a regular expression.
    #[error("invalid regular expression")]
    Pattern(#[from] regex::Error),
}

impl fmt::Display for UriForecast {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Some(reason) => {
                write!(formatter, "it would be dropped ({}), even if a document linked to it", reason.name())?;
            }
            None => write!(formatter, "it would be queued if a fetched document linked to it")?,
        }
        match self.robots {
            RobotsForecast::Unknown => write!(formatter, "; its robots.txt was not requested yet")?,
            RobotsForecast::Allows => write!(formatter, "; robots.txt allows it")?,
            RobotsForecast::Disallows => write!(formatter, "; robots.txt disallows it")?,
        }
        match self.limit {
            Some((name, value)) => write!(formatter, "; the crawl has reached its limit ({name} = {value})"),
            None => Ok(()),
        }
    }
}

/// Forecasts what a crawl would do with a URI, one link from a document at the depth of the seeds. Blocks.
pub fn forecast(config: &Config, crawl: &OpenCrawl, uri: &Uri) -> Result<UriForecast, ForecastError> {
    let scope = scope(config, &crawl.dir.seeds()?)?;
    let found =
        LinkContext { source: None, lease: None, format: "", relevance: Relevance::None, depth: 1, redirects: 0 };
    // A link with a predicate that is followed, so that the rules about the URI decide.
    let properties = scope.follow_predicates.iter().take(1).map(|predicate| predicate.as_str().into()).collect();
    let via = LinkKind::Triple { properties, vocabulary: false, siblings: Vec::new(), type_hint: None };
    let robots = robots_forecast(config, crawl, uri)?;
    let of_scope = scope.reason_to_drop(uri, Some(&via), &found);
    let of_domain = || -> Result<Option<DropReason>, FrontierError> {
        let queues = wait(crawl.frontier.domain_queues())?;
        Ok(queues.into_iter().find(|queue| queue.pld == uri.pld()).and_then(|queue| queue.closed))
    };
    let reason = match of_scope {
        Some(reason) => Some(reason),
        None if robots == RobotsForecast::Disallows => Some(DropReason::Robots),
        None => of_domain()?,
    };
    Ok(UriForecast { reason, robots, limit: reached_limit(config, crawl)? })
}

fn robots_forecast(config: &Config, crawl: &OpenCrawl, uri: &Uri) -> Result<RobotsForecast, FrontierError> {
    let copies = wait(crawl.frontier.robots_copies(&uri.pld()))?;
    let Some(copy) = copies.into_iter().find(|copy| copy.uri.origin() == uri.origin()) else {
        return Ok(RobotsForecast::Unknown);
    };
    let token = fetch_options(config).map_or_else(|_| "lodeward".to_owned(), |options| options.product_token());
    let rules = RobotsRules::parse(copy.text.unwrap_or_default().as_bytes(), &token);
    let is_allowed = rules.allows(uri.path_and_query());
    Ok(if is_allowed { RobotsForecast::Allows } else { RobotsForecast::Disallows })
}

/// The first limit that the crawl has reached.
fn reached_limit(config: &Config, crawl: &OpenCrawl) -> Result<Option<(&'static str, u64)>, DataDirError> {
    let Some(status) = crawl.dir.status()? else { return Ok(None) };
    let tally = &status.snapshot.tally;
    let limits = [
        ("crawl.max_requests", config.crawl.max_requests, tally.requests()),
        ("crawl.max_documents", config.crawl.effective_max_documents(), tally.documents),
        ("crawl.max_rdf_documents", config.crawl.max_rdf_documents, tally.rdf_documents),
    ];
    let reached =
        limits.into_iter().find_map(|(name, limit, count)| Some((name, limit.filter(|limit| count >= *limit)?)));
    Ok(reached)
}
