//! Changes of the scope and of the limits of a crawl after its start: what they drop, and how a running crawl learns of them.

use std::cmp::Reverse;
use std::collections::HashMap;

use lodeward::engine::CrawlCommand;
use lodeward::frontier::FrontierError;
use lodeward::model::Uri;

use crate::crawl_dir::{NowMs, OpenCrawl};
use crate::settings::{Config, engine_options, scope};

/// Maximum number of URIs and of domains that a preview names.
const MAX_EXAMPLES: usize = 10;

/// The settings that can be changed after the start of a crawl: keys of the section `crawl`.
pub const CHANGEABLE_LIMITS: [&str; 4] = ["max_requests", "max_documents", "max_rdf_documents", "max_depth"];

/// What a change drops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangePreview {
    /// Number of URIs in the queue that are out of scope after the change.
    pub dropped: u64,
    /// The domains with the most of them, each with their number.
    pub domains: Vec<(String, u64)>,
    /// Some of them.
    pub examples: Vec<String>,
}

/// A change cannot be applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// A pattern is not a regular expression.
    #[error("invalid regular expression")]
    Pattern(#[from] regex::Error),
    /// The queue cannot be read.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
}

/// What a crawl with these settings would drop of its queue. Reads the whole queue. Blocks.
pub fn preview_change(config: &Config, seeds: &[Uri], crawl: &OpenCrawl) -> Result<ChangePreview, ChangeError> {
    let scope = scope(config, seeds)?;
    let (mut preview, mut domains) = (ChangePreview::default(), HashMap::new());
    for entry in crawl.frontier.waiting_snapshot() {
        let entry = entry?;
        if scope.reason_to_drop_queued(&entry).is_none() {
            continue;
        }
        preview.dropped += 1;
        *domains.entry(entry.target.pld()).or_default() += 1;
        if preview.examples.len() < MAX_EXAMPLES {
            preview.examples.push(entry.target.as_str().to_owned());
        }
    }
    preview.domains = domains.into_iter().map(|(pld, count): (_, u64)| (pld.as_str().to_owned(), count)).collect();
    preview.domains.sort_by(|one, other| (Reverse(one.1), &one.0).cmp(&(Reverse(other.1), &other.0)));
    preview.domains.truncate(MAX_EXAMPLES);
    Ok(preview)
}

/// The command that applies the patterns and limits of these settings to a running crawl.
pub fn change_command(config: &Config, seeds: &[Uri], now: NowMs) -> Result<CrawlCommand, regex::Error> {
    // A running crawl takes only patterns and limits from the options.
    Ok(CrawlCommand::Change(Box::new((scope(config, seeds)?, engine_options(config, String::new(), now)))))
}
