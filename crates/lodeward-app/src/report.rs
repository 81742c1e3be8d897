//! The report of a crawl, as one JSON document.

use serde::{Deserialize, Serialize};

use crate::failed_seeds::FailedSeed;
use crate::review::ranking_file::RankingHeader;
use lodeward::engine::{CrawlSnapshot, StopReason, Tally};
use lodeward::store::follow::Lag;

/// The content of `--report`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrawlReport {
    /// The program and its version.
    pub program: String,
    /// The crawl's name.
    pub name: String,
    /// The strategy.
    pub strategy: String,
    /// The seed of the random number generator.
    pub rng_seed: u64,
    /// Why the crawl stopped.
    pub stop_reason: StopReason,
    /// Number of requests.
    pub requests: u64,
    /// Number of domains of all known URIs.
    pub domains: u64,
    /// Number of known URIs.
    pub uris_known: u64,
    /// Number of URIs still waiting.
    pub uris_waiting: u64,
    /// Duration of this run in seconds.
    pub elapsed_seconds: f64,
    /// Peak memory of the process in bytes, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// The followers of the harvest (archive, remote store) and how far they were behind at the
    /// end.
    #[serde(default)]
    pub followers: Vec<Lag>,
    /// The ranking of the candidates of a focused crawl.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<RankingHeader>,
    /// Seeds that yielded no document, at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_seeds: Vec<FailedSeed>,
    /// The counters, over all runs of this crawl.
    #[serde(flatten)]
    pub tally: Tally,
}

impl CrawlReport {
    /// The report of a crawl that ended.
    #[must_use]
    pub fn new(name: &str, strategy: &str, rng_seed: u64, stop_reason: StopReason, last: CrawlSnapshot) -> Self {
        let CrawlSnapshot { tally, census, elapsed, followers, .. } = last;
        Self {
            program: concat!("lodeward ", env!("CARGO_PKG_VERSION")).to_owned(),
            name: name.to_owned(),
            strategy: strategy.to_owned(),
            rng_seed,
            stop_reason,
            requests: tally.requests(),
            domains: census.domains,
            uris_known: census.uris_known,
            uris_waiting: census.uris_waiting,
            elapsed_seconds: elapsed.as_secs_f64(),
            peak_memory_bytes: None,
            followers,
            ranking: None,
            failed_seeds: Vec::new(),
            tally,
        }
    }

    /// Whether the crawl has ended and never fetched a document. A crawl that was stopped may fetch documents when it is
    /// resumed; a crawl whose documents were all deleted has fetched them.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stop_reason != StopReason::Stopped && self.tally.documents == 0 && self.tally.deleted == 0
    }
}
