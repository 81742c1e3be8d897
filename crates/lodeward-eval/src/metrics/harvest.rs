//! What a ledger has harvested by when.

use crate::ledger::{Kind, Ledger};
use crate::web::{Label, PageId, Web};

/// The documents of a ledger, in order, with what they cost and what they are.
#[derive(Clone, Debug, Default)]
pub struct Harvest {
    documents: Vec<Harvested>,
}

/// A document that was had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Harvested {
    /// Which.
    pub page: PageId,
    /// What had been spent by then, this one included.
    pub cost: f64,
    /// Whether it holds RDF.
    pub is_rdf: bool,
    /// Whether it holds nothing but `og:` and its like.
    pub is_og: bool,
    /// Whether nothing told beforehand.
    pub is_hard: bool,
}

/// How many documents of which sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All.
    pub documents: usize,
    /// Those that hold RDF.
    pub rdf: usize,
    /// Those that hold only `og:`.
    pub og: usize,
    /// Those of which nothing told beforehand.
    pub hard: usize,
    /// Of them, those that hold RDF.
    pub hard_rdf: usize,
    /// Of them, those that hold only `og:`.
    pub hard_og: usize,
}

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, document: &Harvested) {
        let Harvested { is_rdf, is_og, is_hard, .. } = *document;
        self.documents += 1;
        self.rdf += usize::from(is_rdf);
        self.og += usize::from(is_og);
        self.hard += usize::from(is_hard);
        self.hard_rdf += usize::from(is_hard && is_rdf);
        self.hard_og += usize::from(is_hard && is_og);
    }

    /// The share of documents that hold RDF.
    #[must_use]
    pub fn share(&self) -> f64 {
        ratio(self.rdf, self.documents)
    }

    /// The same among hard documents: LDCOC's `percentage`.
    #[must_use]
    pub fn hard_share(&self) -> f64 {
        ratio(self.hard_rdf, self.hard)
    }

    /// The same with `og-only` taken for RDF.
    #[must_use]
    pub fn hard_share_with_og(&self) -> f64 {
        ratio(self.hard_rdf + self.hard_og, self.hard)
    }
}

impl FromIterator<Harvested> for Counts {
    fn from_iter<I: IntoIterator<Item = Harvested>>(documents: I) -> Self {
        let mut counts = Self::default();
        documents.into_iter().for_each(|document| counts.add(&document));
        counts
    }
}

impl Harvest {
    /// What a ledger has harvested.
    #[must_use]
    pub fn of(web: &Web, ledger: &Ledger) -> Self {
        let documents = ledger.steps.iter().filter(|step| step.kind == Kind::Document);
        let documents = documents.filter_map(|step| Some(Harvested::new(web, step.page?, step.cost)));
        Self { documents: documents.collect() }
    }

    /// The documents, in order.
    #[must_use]
    pub fn documents(&self) -> &[Harvested] {
        &self.documents
    }

    /// Those that were had by the time this was spent.
    #[must_use]
    pub fn until(&self, cost: f64) -> &[Harvested] {
        /// Sums of fifths are not exact.
        const HAIR: f64 = 1e-6;
        let end = self.documents.partition_point(|document| document.cost <= cost + HAIR);
        &self.documents[..end]
    }

    /// How many there were by then.
    #[must_use]
    pub fn counts(&self, cost: f64) -> Counts {
        self.until(cost).iter().copied().collect()
    }

    /// The area under the number of RDF documents over what was spent, from
    /// nothing to `cost`.
    #[must_use]
    pub fn area(&self, cost: f64) -> f64 {
        self.weighted_area(cost, |_| 1.0)
    }

    /// The same with a weight for each RDF document.
    #[must_use]
    pub fn weighted_area(&self, cost: f64, weight: impl Fn(PageId) -> f64) -> f64 {
        let rdf = self.until(cost).iter().filter(|document| document.is_rdf);
        rdf.map(|document| weight(document.page) * (cost - document.cost).max(0.0)).sum()
    }
}

impl Harvested {
    /// A page as a document that was had at this cost.
    #[must_use]
    pub fn new(web: &Web, id: PageId, cost: f64) -> Self {
        let page = web.page(id);
        Self { page: id, cost, is_rdf: page.is_rdf(), is_og: page.label == Label::OgOnly, is_hard: page.is_hard }
    }
}

/// A ratio, which is 0 of nothing.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts of documents are small")]
pub fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
