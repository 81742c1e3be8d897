//! Counts the documents of a ledger that were fetched up to a given cost.

use crate::ledger::{Ledger, LedgerEntryKind};
use crate::numbers::ratio;
use crate::web::{GoldLabel, PageId, RecordedWeb};

/// The documents of a ledger, in order, with their costs and labels.
#[derive(Clone, Debug, Default)]
pub struct LedgerHarvest {
    documents: Vec<HarvestedDocument>,
}

/// A fetched document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HarvestedDocument {
    /// The page of the document.
    pub page: PageId,
    /// The cost so far, including this document.
    pub cost: f64,
    /// Whether it has RDF.
    pub is_rdf: bool,
    /// Whether it has only `og:` and similar terms.
    pub is_og: bool,
    /// Whether it is hard.
    pub is_hard: bool,
}

/// Counts of documents by label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HarvestCounts {
    /// Number of documents.
    pub documents: usize,
    /// Number of documents with RDF.
    pub rdf: usize,
    /// Number of documents with `og:` only.
    pub og: usize,
    /// Number of hard documents.
    pub hard: usize,
    /// Number of hard documents with RDF.
    pub hard_rdf: usize,
    /// Number of hard documents with `og:` only.
    pub hard_og: usize,
}

impl HarvestCounts {
    /// Counts a document by its labels.
    pub fn add(&mut self, document: &HarvestedDocument) {
        let HarvestedDocument { is_rdf, is_og, is_hard, .. } = *document;
        self.documents += 1;
        self.rdf += usize::from(is_rdf);
        self.og += usize::from(is_og);
        self.hard += usize::from(is_hard);
        self.hard_rdf += usize::from(is_hard && is_rdf);
        self.hard_og += usize::from(is_hard && is_og);
    }

    /// The share of documents with RDF.
    #[must_use]
    pub fn share(&self) -> f64 {
        ratio(self.rdf, self.documents)
    }

    /// The share of hard documents that have RDF: the `percentage` of LDCOC.
    #[must_use]
    pub fn hard_share(&self) -> f64 {
        ratio(self.hard_rdf, self.hard)
    }

    /// The share of hard documents that have RDF, if documents with `og:` only are counted as RDF.
    #[must_use]
    pub fn hard_share_with_og(&self) -> f64 {
        ratio(self.hard_rdf + self.hard_og, self.hard)
    }
}

impl FromIterator<HarvestedDocument> for HarvestCounts {
    fn from_iter<I: IntoIterator<Item = HarvestedDocument>>(documents: I) -> Self {
        let mut counts = Self::default();
        documents.into_iter().for_each(|document| counts.add(&document));
        counts
    }
}

impl LedgerHarvest {
    /// The harvest of a ledger.
    #[must_use]
    pub fn from_ledger(web: &RecordedWeb, ledger: &Ledger) -> Self {
        let documents = ledger.steps.iter().filter(|step| step.kind == LedgerEntryKind::Document);
        let documents = documents.filter_map(|step| Some(HarvestedDocument::new(web, step.page?, step.cost)));
        Self { documents: documents.collect() }
    }

    /// The documents, in the order in which they were fetched.
    #[must_use]
    pub fn documents(&self) -> &[HarvestedDocument] {
        &self.documents
    }

    /// The documents fetched up to this cost.
    #[must_use]
    pub fn up_to_cost(&self, cost: f64) -> &[HarvestedDocument] {
        /// Tolerance for rounding errors: sums of 0.2 are not exact.
        const COST_TOLERANCE: f64 = 1e-6;
        let end = self.documents.partition_point(|document| document.cost <= cost + COST_TOLERANCE);
        &self.documents[..end]
    }

    /// Counts of the documents fetched up to this cost.
    #[must_use]
    pub fn counts(&self, cost: f64) -> HarvestCounts {
        self.up_to_cost(cost).iter().copied().collect()
    }

    /// The area under the number of RDF documents over cost, from 0 to `cost`.
    #[must_use]
    pub fn area(&self, cost: f64) -> f64 {
        self.weighted_area(cost, |_| 1.0)
    }

    /// Like [`area`](Self::area), with a weight for each RDF document.
    #[must_use]
    pub fn weighted_area(&self, cost: f64, weight: impl Fn(PageId) -> f64) -> f64 {
        let rdf = self.up_to_cost(cost).iter().filter(|document| document.is_rdf);
        rdf.map(|document| weight(document.page) * (cost - document.cost).max(0.0)).sum()
    }
}

impl HarvestedDocument {
    /// A page as a document fetched at this cost.
    #[must_use]
    pub fn new(web: &RecordedWeb, id: PageId, cost: f64) -> Self {
        let page = web.page(id);
        Self { page: id, cost, is_rdf: page.is_rdf(), is_og: page.label == GoldLabel::OgOnly, is_hard: page.is_hard }
    }
}
