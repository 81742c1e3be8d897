//! How well a crawler did.
//!
//! Three witnesses: the truth about the web, the server's access log, and the
//! N-Quads the crawler brought home. None of them asks the crawler itself, so
//! any crawler can be scored.

mod harvest;
mod politeness;
mod report;
mod visits;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Context as _;
use url::Url;

pub use harvest::Harvest;
pub use politeness::Politeness;
pub use report::{Fidelity, Recall, Report, Requests};
pub use visits::Visits;

use crate::truth::{Document, Mode, read_ndjson, truth};
use crate::world::World;

/// What a web asks of its visitors.
pub trait Rules {
    /// The `Crawl-delay` of a host, in seconds.
    fn crawl_delay_s(&self, host: &str) -> Option<f64>;
    /// Whether robots.txt allows a visit.
    fn allows(&self, url: &Url) -> bool;
}

impl Rules for World {
    fn crawl_delay_s(&self, host: &str) -> Option<f64> {
        Self::crawl_delay_s(self, host)
    }

    fn allows(&self, url: &Url) -> bool {
        Self::allows(self, url)
    }
}

/// A web that asks for nothing.
pub struct NoRules;

impl Rules for NoRules {
    fn crawl_delay_s(&self, _: &str) -> Option<f64> {
        None
    }

    fn allows(&self, _: &Url) -> bool {
        true
    }
}

/// What the crawler had promised.
#[derive(Clone, Debug, Default)]
pub struct Promises {
    /// The least gap it keeps between two requests to one pay-level domain,
    /// in seconds; a longer `Crawl-delay` takes its place.
    pub floor_s: f64,
    /// The address of each host, if gaps are to be kept per address, too.
    pub addresses: HashMap<String, String>,
}

/// Scores a crawl document by document, as the truth is told.
pub struct Scorer {
    visits: Visits,
    harvest: Option<Harvest>,
    report: Report,
}

impl Scorer {
    /// A score for these visits and, if quads were brought home, for them.
    #[must_use]
    pub fn new(visits: Visits, harvest: Option<Harvest>) -> Self {
        Self { visits, harvest, report: Report::default() }
    }

    /// Holds the crawl against the truth about one document.
    pub fn document(&mut self, document: &Document) {
        let fetched = self.visits.meet(document);
        let found = self.harvest.as_mut().and_then(|harvest| harvest.take(&document.url));
        let report = &mut self.report;
        if !document.counts() {
            // What cannot be had or reached whole may be brought home in part;
            // that is neither praised nor blamed. What holds no RDF may not.
            report.fidelity.extra_quads += match found {
                Some(graph) if !document.relevant => graph.len(),
                _ => 0,
            };
            return;
        }
        let extracted = found.is_some();
        report.bearing.add(fetched, extracted);
        if document.kind.is_serialisation() {
            report.serialisations.add(fetched, extracted);
        }
        if let Some(graph) = found {
            report.fidelity.add(graph.differ(document));
        }
    }

    /// The score, when the truth about all documents has been told.
    #[must_use]
    pub fn finish(self, rules: &dyn Rules, promises: &Promises) -> Report {
        let mut report = self.report;
        if let Some(harvest) = self.harvest {
            report.fidelity.unreadable_lines = harvest.unreadable_lines;
            report.fidelity.unknown_documents = harvest.graphs();
            report.fidelity.extra_quads += harvest.quads();
        }
        report.requests = self.visits.requests(rules);
        report.politeness_per_domain = self.visits.politeness_per_domain(rules, promises.floor_s);
        report.politeness_per_address = (!promises.addresses.is_empty())
            .then(|| self.visits.politeness_per_address(&promises.addresses, promises.floor_s));
        report.settle();
        report
    }
}

/// Scores a crawl of a world from the files it left.
pub fn score_world(
    world: &World,
    mode: Mode,
    log: &Path,
    harvest: Option<&Path>,
    promises: &Promises,
) -> anyhow::Result<Report> {
    let mut scorer = scorer_of_files(log, harvest)?;
    truth(world, mode, &mut |document| scorer.document(&document));
    Ok(scorer.finish(world, promises))
}

/// Scores a crawl of any web from the files it left and a file of the truth,
/// as `truth::write_ndjson` writes it.
pub fn score_truth(
    truth: &Path,
    rules: &dyn Rules,
    log: &Path,
    harvest: Option<&Path>,
    promises: &Promises,
) -> anyhow::Result<Report> {
    let mut scorer = scorer_of_files(log, harvest)?;
    for document in read_ndjson(open(truth)?) {
        scorer.document(&document.with_context(|| format!("cannot read `{}`", truth.display()))?);
    }
    Ok(scorer.finish(rules, promises))
}

fn scorer_of_files(log: &Path, harvest: Option<&Path>) -> anyhow::Result<Scorer> {
    let visits = Visits::read(open(log)?).with_context(|| format!("cannot read `{}`", log.display()))?;
    let harvest = harvest.map(open).transpose()?.map(Harvest::read);
    Ok(Scorer::new(visits, harvest))
}

/// Opens a file that may be packed, as its name says (`.gz`, `.zst`).
pub fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    let file = File::open(path).with_context(|| format!("cannot open `{}`", path.display()))?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    Ok(match extension {
        Some("gz") => Box::new(BufReader::new(flate2::read::MultiGzDecoder::new(BufReader::new(file)))),
        Some("zst") => Box::new(BufReader::new(zstd::Decoder::new(file)?)),
        _ => Box::new(BufReader::new(file)),
    })
}
