//! The report of a crawl, as one JSON document.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::failed_seeds::FailedSeed;
use crate::review::ranking_file::RankingHeader;
use lodeward::engine::tally::{SelectionTally, ServiceTally};
use lodeward::engine::{CrawlSnapshot, RefreshTally, StopReason, Tally};
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

/// The counters of a run: what was counted since `before`.
#[must_use]
pub fn run_tally(before: &Tally, after: &Tally) -> Tally {
    let counts = |before: &BTreeMap<String, u64>, after: &BTreeMap<String, u64>| {
        let of_run = |(name, count): (&String, &u64)| {
            let of_run = count.saturating_sub(before.get(name).copied().unwrap_or_default());
            (of_run > 0).then(|| (name.clone(), of_run))
        };
        after.iter().filter_map(of_run).collect::<BTreeMap<_, _>>()
    };
    let hop = |(hop, documents): (usize, &u64)| {
        documents.saturating_sub(before.documents_by_hop.get(hop).copied().unwrap_or_default())
    };
    let service = |(url, tally): (&String, &ServiceTally)| {
        let before = before.services.get(url).copied().unwrap_or_default();
        let requests = tally.requests.saturating_sub(before.requests);
        let quads = tally.quads.saturating_sub(before.quads);
        let failed = tally.failed.saturating_sub(before.failed);
        (requests > 0).then(|| (url.clone(), ServiceTally { requests, quads, failed }))
    };
    Tally {
        requests_get: after.requests_get.saturating_sub(before.requests_get),
        requests_head: after.requests_head.saturating_sub(before.requests_head),
        requests_robots: after.requests_robots.saturating_sub(before.requests_robots),
        bytes: after.bytes.saturating_sub(before.bytes),
        documents: after.documents.saturating_sub(before.documents),
        rdf_documents: after.rdf_documents.saturating_sub(before.rdf_documents),
        documents_by_hop: after.documents_by_hop.iter().enumerate().map(hop).collect(),
        documents_by_relevance: counts(&before.documents_by_relevance, &after.documents_by_relevance),
        documents_by_format: counts(&before.documents_by_format, &after.documents_by_format),
        selection: run_selection(before.selection, after.selection),
        redirects: after.redirects.saturating_sub(before.redirects),
        uris_failed: after.uris_failed.saturating_sub(before.uris_failed),
        deleted: after.deleted.saturating_sub(before.deleted),
        quads: after.quads.saturating_sub(before.quads),
        quads_by_format: counts(&before.quads_by_format, &after.quads_by_format),
        faults_by_kind: counts(&before.faults_by_kind, &after.faults_by_kind),
        dropped_by_reason: counts(&before.dropped_by_reason, &after.dropped_by_reason),
        services: after.services.iter().filter_map(service).collect(),
        refresh: if before.refresh == after.refresh { RefreshTally::default() } else { after.refresh.clone() },
    }
}

fn run_selection(before: SelectionTally, after: SelectionTally) -> SelectionTally {
    SelectionTally {
        hard_documents: after.hard_documents.saturating_sub(before.hard_documents),
        hard_rdf_documents: after.hard_rdf_documents.saturating_sub(before.hard_rdf_documents),
        hard_metadata_documents: after.hard_metadata_documents.saturating_sub(before.hard_metadata_documents),
    }
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
        let continues = matches!(self.stop_reason, StopReason::Stopped | StopReason::MaxTime | StopReason::MaxBytes);
        !continues && self.tally.documents == 0 && self.tally.deleted == 0
    }
}
