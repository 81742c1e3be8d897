//! The score itself, for programs and for people.

use std::fmt;

use serde::Serialize;

use super::politeness::Politeness;

/// How well a crawler did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Documents in an RDF syntax of their own.
    pub serialisations: Recall,
    /// All documents that hold RDF.
    pub bearing: Recall,
    /// Whether what was brought home is what was there.
    pub fidelity: Fidelity,
    /// What was asked.
    pub requests: Requests,
    /// Gaps between requests to one pay-level domain.
    pub politeness_per_domain: Politeness,
    /// Gaps between requests to one address, if addresses were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub politeness_per_address: Option<Politeness>,
}

/// How many of the documents there are were had.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Recall {
    /// Documents that can be reached and had.
    pub expected: u64,
    /// Those that were fetched, as the access log says.
    pub fetched: u64,
    /// Those of which something was brought home.
    pub extracted: u64,
    /// Fetched of expected.
    pub fetched_share: f64,
    /// Brought home of expected.
    pub extracted_share: f64,
}

impl Recall {
    pub(super) fn add(&mut self, fetched: bool, extracted: bool) {
        self.expected += 1;
        self.fetched += u64::from(fetched);
        self.extracted += u64::from(extracted);
    }

    fn settle(&mut self) {
        self.fetched_share = share(self.fetched, self.expected);
        self.extracted_share = share(self.extracted, self.expected);
    }
}

/// Whether what was brought home is what was there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Fidelity {
    /// Documents of which something was brought home.
    pub compared: u64,
    /// Those whose quads are exactly the truth, up to names of blank nodes.
    pub equal: u64,
    /// Equal of compared.
    pub equal_share: f64,
    /// Quads of compared documents that were not brought home. Where blank
    /// nodes differ, a bound from above.
    pub missing_quads: u64,
    /// Quads that were brought home and are not there.
    pub extra_quads: u64,
    /// Graphs that no document of the web accounts for.
    pub unknown_documents: u64,
    /// Lines that are no N-Quads.
    pub unreadable_lines: u64,
    /// Some documents that differ, to look into.
    pub examples: Vec<String>,
}

/// How one document differs from the truth.
pub(super) struct Difference {
    pub(super) url: String,
    pub(super) missing: u64,
    pub(super) extra: u64,
}

const EXAMPLES_MAX: usize = 10;

impl Fidelity {
    pub(super) fn add(&mut self, Difference { url, missing, extra }: Difference) {
        self.compared += 1;
        self.missing_quads += missing;
        self.extra_quads += extra;
        if missing == 0 && extra == 0 {
            self.equal += 1;
        } else if self.examples.len() < EXAMPLES_MAX {
            self.examples.push(format!("{url} (missing {missing}, extra {extra})"));
        }
    }
}

/// What was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Requests {
    /// All requests.
    pub all: u64,
    /// With `GET`.
    pub get: u64,
    /// With `HEAD`.
    pub head: u64,
    /// For robots.txt.
    pub robots: u64,
    /// Answered with a redirect.
    pub redirected: u64,
    /// Answered 404 or 410, robots.txt aside: wasted.
    pub not_found: u64,
    /// Answered with a document that holds no RDF: wasted.
    pub barren: u64,
    /// Distinct documents fetched.
    pub documents: u64,
    /// Documents fetched more than once.
    pub documents_repeated: u64,
    /// Fetches beyond the first of each document.
    pub repetitions: u64,
    /// Requests robots.txt forbids.
    pub disallowed: u64,
    /// Bytes of all bodies.
    pub bytes: u64,
}

impl Report {
    pub(super) fn settle(&mut self) {
        self.serialisations.settle();
        self.bearing.settle();
        self.fidelity.equal_share = share(self.fidelity.equal, self.fidelity.compared);
    }

    /// The score as indented JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and names")
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^53")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut row = |name: &str, value: String| writeln!(formatter, "{name:<34}{value}");
        for (name, recall) in [("RDF serialisations", &self.serialisations), ("RDF-bearing documents", &self.bearing)] {
            let Recall { expected, fetched, extracted, fetched_share, extracted_share } = recall;
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
        row("wasted: not found / barren", format!("{} / {}", requests.not_found, requests.barren))?;
        row("documents fetched / repeated", format!("{} / {}", requests.documents, requests.documents_repeated))?;
        row("disallowed requests", requests.disallowed.to_string())?;
        row("politeness per domain", self.politeness_per_domain.to_string())?;
        if let Some(politeness) = &self.politeness_per_address {
            row("politeness per address", politeness.to_string())?;
        }
        for example in &fidelity.examples {
            row("  differs", example.clone())?;
        }
        Ok(())
    }
}
