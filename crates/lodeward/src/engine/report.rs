//! The summary of a crawl, as one JSON document.

use serde::{Deserialize, Serialize};

use super::{Ending, Snapshot, Tally};
use crate::rank::listing::Heading;
use crate::store::follow::Lag;

/// What `--report` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The program and its version.
    pub program: String,
    /// The crawl's name.
    pub name: String,
    /// The strategy.
    pub strategy: String,
    /// The seed of chance.
    pub seed: u64,
    /// Why it stopped.
    pub stopped: Ending,
    /// Requests in all.
    pub requests: u64,
    /// RDF-relevant hard URIs retrieved ÷ hard URIs retrieved (LDCOC §5), in
    /// percent; `None` when there were none.
    pub hard_relevant_percentage: Option<f64>,
    /// The same if pages count that hold mere metadata (`og-only`, `xhv-only`).
    pub hard_relevant_or_metadata_percentage: Option<f64>,
    /// Pay-level domains seen.
    pub plds: u64,
    /// URIs known.
    pub known: u64,
    /// URIs still waiting.
    pub waiting: u64,
    /// Seconds of this run.
    pub elapsed_s: f64,
    /// The most memory this process has had, in bytes, if the system tells.
    pub peak_memory_bytes: Option<u64>,
    /// How far those were behind in the end who get the harvest from the
    /// segments: the archive, an endpoint.
    #[serde(default)]
    pub followers: Vec<Lag>,
    /// How the candidates of a focused crawl were ranked in the end, and why so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Heading>,
    /// Everything counted, over all runs of this crawl.
    #[serde(flatten)]
    pub tally: Tally,
}

impl Report {
    /// Sums up a crawl.
    #[must_use]
    pub fn new(name: &str, strategy: &str, seed: u64, stopped: Ending, last: Snapshot) -> Self {
        let Snapshot { tally, census, elapsed, followers } = last;
        Self {
            program: concat!("lodeward ", env!("CARGO_PKG_VERSION")).to_owned(),
            name: name.to_owned(),
            strategy: strategy.to_owned(),
            seed,
            stopped,
            requests: tally.requests(),
            hard_relevant_percentage: percentage(tally.hard_relevant, tally.hard),
            hard_relevant_or_metadata_percentage: percentage(tally.hard_relevant + tally.hard_metadata, tally.hard),
            plds: census.plds,
            known: census.known,
            waiting: census.waiting,
            elapsed_s: elapsed.as_secs_f64(),
            peak_memory_bytes: None,
            followers,
            ranking: None,
            tally,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^53")]
fn percentage(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}
