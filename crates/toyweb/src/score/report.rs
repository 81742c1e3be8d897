//! The score report, as JSON and as text.

use std::fmt;

use serde::Serialize;

use super::politeness::PolitenessScore;

/// The score of a crawl.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ScoreReport {
    /// Recall of documents in an RDF syntax.
    pub serialisations: DocumentRecall,
    /// Recall of all documents that contain RDF.
    pub rdf_documents: DocumentRecall,
    /// Comparison of the harvested quads with the truth.
    pub fidelity: Fidelity,
    /// Counts of requests.
    pub requests: RequestCounts,
    /// Delays between requests to one pay-level domain.
    pub politeness_per_domain: PolitenessScore,
    /// Delays between requests to one IP address, if IP addresses are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub politeness_per_address: Option<PolitenessScore>,
}

/// Recall of documents.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DocumentRecall {
    /// Documents that are reachable and obtainable.
    pub expected: u64,
    /// Expected documents that were fetched, according to the access log.
    pub fetched: u64,
    /// Expected documents with at least one harvested quad.
    pub extracted: u64,
    /// Share of expected documents that were fetched.
    pub fetched_share: f64,
    /// Share of expected documents with harvested quads.
    pub extracted_share: f64,
}

impl DocumentRecall {
    pub(super) fn add(&mut self, fetched: bool, extracted: bool) {
        self.expected += 1;
        self.fetched += u64::from(fetched);
        self.extracted += u64::from(extracted);
    }

    fn compute_shares(&mut self) {
        self.fetched_share = share(self.fetched, self.expected);
        self.extracted_share = share(self.extracted, self.expected);
    }
}

/// Comparison of the harvested quads with the truth.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Fidelity {
    /// Documents with at least one harvested quad.
    pub compared: u64,
    /// Documents whose quads equal the truth, up to blank node labels.
    pub equal: u64,
    /// Share of compared documents that are equal.
    pub equal_share: f64,
    /// Quads of compared documents that were not harvested; an upper bound if blank nodes differ.
    pub missing_quads: u64,
    /// Harvested quads that are not in the truth.
    pub extra_quads: u64,
    /// Graphs that belong to no document of the web.
    pub unknown_documents: u64,
    /// Lines that are not N-Quads.
    pub unreadable_lines: u64,
    /// Examples of documents that differ.
    pub examples: Vec<String>,
}

/// The difference between one document and the truth.
pub(super) struct DocumentDifference {
    pub(super) url: String,
    pub(super) missing: u64,
    pub(super) extra: u64,
}

const MAX_EXAMPLES: usize = 10;

impl Fidelity {
    pub(super) fn add(&mut self, DocumentDifference { url, missing, extra }: DocumentDifference) {
        self.compared += 1;
        self.missing_quads += missing;
        self.extra_quads += extra;
        if missing == 0 && extra == 0 {
            self.equal += 1;
        } else if self.examples.len() < MAX_EXAMPLES {
            self.examples.push(format!("{url} (missing {missing}, extra {extra})"));
        }
    }
}

/// Counts of requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RequestCounts {
    /// All requests.
    pub all: u64,
    /// Requests with `GET`.
    pub get: u64,
    /// Requests with `HEAD`.
    pub head: u64,
    /// Requests for robots.txt.
    pub robots: u64,
    /// Requests that were answered with a redirect.
    pub redirected: u64,
    /// Wasted requests: responses with 404 or 410, except for robots.txt.
    pub not_found: u64,
    /// Wasted requests: responses without RDF.
    pub without_rdf: u64,
    /// Distinct documents fetched.
    pub documents: u64,
    /// Documents fetched more than once.
    pub documents_repeated: u64,
    /// Fetches beyond the first of each document.
    pub repetitions: u64,
    /// Requests that robots.txt disallows.
    pub disallowed: u64,
    /// Total size of all bodies, in bytes.
    pub bytes: u64,
}

impl ScoreReport {
    pub(super) fn compute_shares(&mut self) {
        self.serialisations.compute_shares();
        self.rdf_documents.compute_shares();
        self.fidelity.equal_share = share(self.fidelity.equal, self.fidelity.compared);
    }

    /// The score as indented JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and strings can be serialised")
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^53")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

impl fmt::Display for ScoreReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = |name: &str, value: String| writeln!(formatter, "{name:<34}{value}");
        for (name, recall) in
            [("RDF serialisations", &self.serialisations), ("documents with RDF", &self.rdf_documents)]
        {
            let DocumentRecall { expected, fetched, extracted, fetched_share, extracted_share } = recall;
            row(&format!("{name}: fetched"), format!("{fetched} of {expected} ({:.2} %)", fetched_share * 100.0))?;
            row(
                &format!("{name}: extracted"),
                format!("{extracted} of {expected} ({:.2} %)", extracted_share * 100.0),
            )?;
        }
        let fidelity = &self.fidelity;
        row(
            "documents equal to the truth",
            format!("{} of {} ({:.2} %)", fidelity.equal, fidelity.compared, fidelity.equal_share * 100.0),
        )?;
        row("quads missing / extra", format!("{} / {}", fidelity.missing_quads, fidelity.extra_quads))?;
        row(
            "unknown graphs / unreadable lines",
            format!("{} / {}", fidelity.unknown_documents, fidelity.unreadable_lines),
        )?;
        let requests = &self.requests;
        row(
            "requests (GET, HEAD, robots)",
            format!("{} ({}, {}, {})", requests.all, requests.get, requests.head, requests.robots),
        )?;
        row("wasted: not found / without RDF", format!("{} / {}", requests.not_found, requests.without_rdf))?;
        row("documents fetched / repeated", format!("{} / {}", requests.documents, requests.documents_repeated))?;
        row("disallowed requests", requests.disallowed.to_string())?;
        row("politeness per domain", self.politeness_per_domain.to_string())?;
        if let Some(politeness) = &self.politeness_per_address {
            row("politeness per IP address", politeness.to_string())?;
        }
        for example in &fidelity.examples {
            row("  differs", example.clone())?;
        }
        Ok(())
    }
}
