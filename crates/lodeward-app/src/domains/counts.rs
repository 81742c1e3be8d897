//! Counts of the outcomes of URIs.

use std::collections::BTreeMap;

use lodeward::frontier::UriRecord;
use lodeward::model::{DropReason, Fault, Outcome, Relevance};
use serde::Serialize;

/// The outcomes of the URIs of a domain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DomainCounts {
    /// Number of documents fetched.
    pub documents: u64,
    /// Number of documents with RDF.
    pub rdf_documents: u64,
    /// Number of quads stored.
    pub quads: u64,
    /// Size of the documents after decompression, in bytes.
    pub bytes: u64,
    /// Number of redirects.
    pub redirected: u64,
    /// Number of URIs that failed.
    pub failed: u64,
    /// Number of documents that were deleted on their server.
    pub deleted: u64,
    /// Number of last responses by status code.
    pub statuses: BTreeMap<u16, u64>,
    /// Number of faults by kind: of failed URIs, and those found in documents.
    pub faults_by_kind: BTreeMap<String, u64>,
    /// Number of URIs that were not requested, by reason.
    pub dropped_by_reason: BTreeMap<String, u64>,
}

impl DomainCounts {
    /// Adds the outcome of a URI.
    pub(super) fn add(&mut self, record: &UriRecord) {
        match record.outcome.as_ref() {
            Some(Outcome::Document(document)) => {
                self.documents += 1;
                self.rdf_documents += u64::from(document.relevance == Relevance::Rdf);
                self.quads += document.quads;
                self.bytes += document.fetch.bytes;
                self.add_status(document.fetch.status);
                for fault in &document.fetch.faults {
                    self.add_fault(fault);
                }
            }
            Some(Outcome::Redirected { status, .. }) => {
                self.redirected += 1;
                self.add_status(*status);
            }
            Some(Outcome::Failed(fault)) => {
                self.failed += 1;
                self.add_failure(fault);
            }
            Some(Outcome::Deleted { fault, .. }) => {
                self.deleted += 1;
                self.add_failure(fault);
            }
            Some(Outcome::Dropped(reason)) => self.add_drops(*reason, 1),
            None => {}
        }
    }

    /// Adds URIs that were not requested.
    pub(super) fn add_drops(&mut self, reason: DropReason, count: u64) {
        if count > 0 {
            *self.dropped_by_reason.entry(reason.name().to_owned()).or_default() += count;
        }
    }

    fn add_failure(&mut self, fault: &Fault) {
        self.add_fault(fault);
        if let Some(status) = fault.status() {
            self.add_status(status);
        }
    }

    fn add_fault(&mut self, fault: &Fault) {
        *self.faults_by_kind.entry(fault.kind.name().to_owned()).or_default() += 1;
    }

    fn add_status(&mut self, status: u16) {
        *self.statuses.entry(status).or_default() += 1;
    }

    /// Number of last responses by class, as `2xx`.
    #[must_use]
    pub fn statuses_by_class(&self) -> BTreeMap<String, u64> {
        let mut classes = BTreeMap::new();
        for (status, count) in &self.statuses {
            *classes.entry(format!("{}xx", status / 100)).or_default() += count;
        }
        classes
    }

    /// The share of documents with RDF, from 0 to 1; `None` if there are no documents.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of documents are far below 2^53")]
    pub fn rdf_share(&self) -> Option<f64> {
        (self.documents > 0).then(|| self.rdf_documents as f64 / self.documents as f64)
    }

    /// Number of all faults.
    #[must_use]
    pub fn faults(&self) -> u64 {
        self.faults_by_kind.values().sum()
    }

    /// Number of all URIs that were not requested.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped_by_reason.values().sum()
    }

    /// Adds the counts of another domain.
    pub(super) fn merge(&mut self, other: &Self) {
        self.documents += other.documents;
        self.rdf_documents += other.rdf_documents;
        self.quads += other.quads;
        self.bytes += other.bytes;
        self.redirected += other.redirected;
        self.failed += other.failed;
        self.deleted += other.deleted;
        for (status, count) in &other.statuses {
            *self.statuses.entry(*status).or_default() += count;
        }
        let maps = [
            (&mut self.faults_by_kind, &other.faults_by_kind),
            (&mut self.dropped_by_reason, &other.dropped_by_reason),
        ];
        for (sums, counts) in maps {
            for (name, count) in counts {
                *sums.entry(name.clone()).or_default() += count;
            }
        }
    }
}
