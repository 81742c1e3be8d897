//! Scores crawls.
//!
//! A score compares the truth about the web, the server's access log and the N-Quads of the crawl. None of these
//! depends on the crawler, so any crawler can be scored.

mod harvest;
mod politeness;
mod report;
mod request_log;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Context as _;
use url::Url;

pub use harvest::CrawlHarvest;
pub use politeness::PolitenessScore;
pub use report::{DocumentRecall, Fidelity, RequestCounts, ScoreReport};
pub use request_log::RequestLog;

use crate::truth::{TruthDocument, TruthMode, for_each_document};
use crate::world::World;

/// The crawl rules of a web: delays and robots.txt.
pub trait WebRules {
    /// The `Crawl-delay` of a host, in seconds.
    fn crawl_delay_s(&self, host: &str) -> Option<f64>;
    /// Whether robots.txt allows a request.
    fn allows(&self, url: &Url) -> bool;
}

impl WebRules for World {
    fn crawl_delay_s(&self, host: &str) -> Option<f64> {
        Self::crawl_delay_s(self, host)
    }

    fn allows(&self, url: &Url) -> bool {
        Self::allows(self, url)
    }
}

/// The delays that the crawler promises to keep.
#[derive(Clone, Debug, Default)]
pub struct CrawlerPromises {
    /// The minimum delay between two requests to one pay-level domain, in seconds. A longer `Crawl-delay` overrides it.
    pub min_delay_s: f64,
    /// The IP address of each host, if the delay is scored per IP address as well.
    pub addresses: HashMap<String, String>,
}

/// Scores a crawl document by document.
pub struct CrawlScorer {
    request_log: RequestLog,
    harvest: Option<CrawlHarvest>,
    report: ScoreReport,
}

impl CrawlScorer {
    /// A scorer for these requests and, if there is a harvest, for its quads.
    #[must_use]
    pub fn new(request_log: RequestLog, harvest: Option<CrawlHarvest>) -> Self {
        Self { request_log, harvest, report: ScoreReport::default() }
    }

    /// Compares the crawl with the truth about one document.
    pub fn score_document(&mut self, document: &TruthDocument) {
        let fetched = self.request_log.check_document(document);
        let found = self.harvest.as_mut().and_then(|harvest| harvest.take(&document.url));
        let report = &mut self.report;
        if !document.is_expected() {
            // If a document cannot be fetched completely, its harvested quads are not scored. Quads from a document
            // without RDF are errors.
            report.fidelity.extra_quads += match found {
                Some(graph) if !document.relevant => graph.len(),
                _ => 0,
            };
            return;
        }
        let extracted = found.is_some();
        report.rdf_documents.add(fetched, extracted);
        if document.kind.is_serialisation() {
            report.serialisations.add(fetched, extracted);
        }
        if let Some(graph) = found {
            report.fidelity.add(graph.diff(document));
        }
    }

    /// The final score. Call it after all documents are scored.
    #[must_use]
    pub fn finish(self, rules: &dyn WebRules, promises: &CrawlerPromises) -> ScoreReport {
        let mut report = self.report;
        if let Some(harvest) = self.harvest {
            report.fidelity.unreadable_lines = harvest.unreadable_lines;
            report.fidelity.unknown_documents = harvest.graph_count();
            report.fidelity.extra_quads += harvest.quad_count();
        }
        report.requests = self.request_log.request_counts(rules);
        report.politeness_per_domain = self.request_log.politeness_per_domain(rules, promises.min_delay_s);
        report.politeness_per_address = (!promises.addresses.is_empty())
            .then(|| self.request_log.politeness_per_address(&promises.addresses, promises.min_delay_s));
        report.compute_shares();
        report
    }
}

/// Scores a crawl of a world from its files.
pub fn score_world(
    world: &World,
    mode: TruthMode,
    log: &Path,
    harvest: Option<&Path>,
    promises: &CrawlerPromises,
) -> anyhow::Result<ScoreReport> {
    let mut scorer = scorer_from_files(log, harvest)?;
    for_each_document(world, mode, &mut |document| scorer.score_document(&document));
    Ok(scorer.finish(world, promises))
}

fn scorer_from_files(log: &Path, harvest: Option<&Path>) -> anyhow::Result<CrawlScorer> {
    let request_log = RequestLog::read(open(log)?).with_context(|| format!("cannot read `{}`", log.display()))?;
    let harvest = harvest.map(open).transpose()?.map(CrawlHarvest::read);
    Ok(CrawlScorer::new(request_log, harvest))
}

/// Opens a file, which may be compressed, according to its extension (`.gz`, `.zst`).
pub fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    let file = File::open(path).with_context(|| format!("cannot open `{}`", path.display()))?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    Ok(match extension {
        Some("gz") => Box::new(BufReader::new(flate2::read::MultiGzDecoder::new(BufReader::new(file)))),
        Some("zst") => Box::new(BufReader::new(zstd::Decoder::new(file)?)),
        _ => Box::new(BufReader::new(file)),
    })
}
