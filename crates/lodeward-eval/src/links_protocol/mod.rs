//! The protocol of link analysis (§IV of the paper).
//!
//! Each site is crawled alone, from its entry page, up to 2000 documents. The protocol measures the
//! precision of the predicted classes (Table I), precision and recall of each heuristic (Table II), and
//! the share of RDF documents among the fetched ones, compared with a crawler that queues all links
//! alike (Fig. 4). The figures are computed for each site, then averaged.
//!
//! Departures from the paper. The sites of the paper have more documents than were fetched. Most sites
//! here would be fetched completely, and then every crawler discovers the same. So the discovery rate is
//! taken after half of the documents of the site, or after 2000 documents. A redirect is a request, but
//! not a document.
//!
//! HR is measured by two definitions: that of the paper, a page with a link to an RDF document; and that
//! of the manifest, which includes pages with embedded RDF.

mod entry_pages;
mod gold;
mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use lodeward::model::Uri;
use lodeward::select::link_analysis::{Heuristic, LinkClass as Predicted, fired_heuristics, predicted_class};
use lodeward::select::{BreadthFirstStrategy, LinkAnalysisOptions, Strategy, StrategyOptions};

use crate::ledger::Ledger;
use crate::numbers::ratio;
use crate::trial::{Trial, TrialError, TrialStart, run};
use crate::web::{GoldClass, PageId, RecordedWeb};
use entry_pages::SiteEntryPages;
use gold::GoldHubPages;

pub use report::{csv, page, render_svg};

/// The parameters of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinksProtocol {
    /// Maximum number of documents fetched per site.
    pub max_documents: usize,
    /// Minimum number of documents reachable from the entry page; smaller sites are skipped.
    pub min_documents: usize,
    /// Minimum number of reachable documents with RDF.
    pub min_rdf_documents: usize,
    /// Whether robots.txt files are obeyed.
    pub obeys_robots: bool,
    /// Where the crawl of a site starts.
    pub entrance: SiteEntrance,
}

/// Where the crawl of a site starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteEntrance {
    /// At its entry page, as in the paper.
    EntryPage,
    /// At its entry page and at all pages that other sites link to. For many sites of a recorded web,
    /// only a small part is reachable from one page.
    AllEntryPages,
}

impl Default for LinksProtocol {
    /// The paper requires 2000 documents and 100 RDF documents; the mini web has hardly any such site.
    fn default() -> Self {
        Self {
            max_documents: 2_000,
            min_documents: 150,
            min_rdf_documents: 10,
            obeys_robots: true,
            entrance: SiteEntrance::EntryPage,
        }
    }
}

/// The crawls of one site.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteCrawl {
    /// Its host.
    pub host: String,
    /// The first URI of its crawls.
    pub entry: Uri,
    /// Number of reachable documents, at most 2000.
    pub documents: usize,
    /// Number of reachable RDF documents (class R).
    pub rdf_documents: usize,
    /// Number of reachable documents with RDF, embedded or not.
    pub rdf: usize,
    /// The number of documents after which discoveries are counted.
    pub counted_at: usize,
    /// The crawl that queues all links alike.
    pub unfocused: SiteDiscovery,
    /// The crawl of the paper.
    pub focused: FocusedSiteCrawl,
    /// The crawl with `strategy.link-analysis.learn_from_embedded`: pages with embedded RDF join `S_HR`, too.
    pub repaired: FocusedSiteCrawl,
}

/// Counts of discovered documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteDiscovery {
    /// Number of documents.
    pub documents: usize,
    /// Number of RDF documents (class R).
    pub rdf_documents: usize,
    /// Number of RDF documents that were predicted as such.
    pub predicted: usize,
    /// Number of documents with RDF, embedded or not.
    pub rdf: usize,
}

/// A crawl by link analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FocusedSiteCrawl {
    /// The discovered documents.
    pub discovery: SiteDiscovery,
    /// Predictions of R.
    pub r: PredictionHits,
    /// Predictions of HR; correct if the page links to an RDF document.
    pub hr_paper: PredictionHits,
    /// Predictions of HR; correct if the page links to an RDF document or has embedded RDF.
    pub hr_ours: PredictionHits,
    /// The hits of each heuristic, in the order of [`Heuristic::ALL`].
    pub heuristics: Vec<PredictionHits>,
}

/// Counts of predictions and of correct predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PredictionHits {
    /// Number of predictions.
    pub predicted: usize,
    /// Number of correct predictions.
    pub right: usize,
}

impl PredictionHits {
    fn record(&mut self, right: bool) {
        self.predicted += 1;
        self.right += usize::from(right);
    }

    /// The share of correct predictions; `None` without predictions.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        (self.predicted > 0).then(|| ratio(self.right, self.predicted))
    }
}

/// Crawls every site that is large enough.
pub fn crawl(web: &Arc<RecordedWeb>, protocol: &LinksProtocol) -> Result<Vec<SiteCrawl>, TrialError> {
    let (gold, entry_pages) = (GoldHubPages::from_web(web), SiteEntryPages::from_web(web));
    let mut sites = Vec::new();
    for entry in &web.entries {
        let mut start = vec![entry.clone()];
        if protocol.entrance == SiteEntrance::AllEntryPages {
            start.extend(entry_pages.for_host(web, entry.host()).filter(|page| *page != entry).cloned());
        }
        sites.extend(crawl_site(web, &gold, start, protocol)?);
    }
    Ok(sites)
}

fn crawl_site(
    web: &Arc<RecordedWeb>,
    gold: &GoldHubPages,
    start: Vec<Uri>,
    protocol: &LinksProtocol,
) -> Result<Option<SiteCrawl>, TrialError> {
    let entry = start[0].clone();
    let trial = Trial {
        start: TrialStart::Uris(start),
        hosts: Some([entry.host().to_owned()].into()),
        obeys_robots: protocol.obeys_robots,
        ..Trial::default()
    };
    let fetch = |strategy: Box<dyn Strategy>| run(web, &trial, strategy);
    let unfocused = fetch(Box::new(BreadthFirstStrategy))?;
    let pages: Vec<PageId> = unfocused.documents().map(|(page, _)| page).take(protocol.max_documents).collect();
    let rdf = pages.iter().filter(|page| web.page(**page).is_rdf()).count();
    if pages.len() < protocol.min_documents || rdf < protocol.min_rdf_documents {
        return Ok(None);
    }
    let all = unfocused.documents().count();
    let counted_at = (all / 2).min(protocol.max_documents);
    let focused = |learn_from_embedded: bool| -> Result<FocusedSiteCrawl, TrialError> {
        let options = LinkAnalysisOptions { learn_from_embedded, ..LinkAnalysisOptions::default() };
        let strategy = StrategyOptions::LinkAnalysis(options).build(None);
        let ledger = fetch(strategy.expect("the bundled lists are valid"))?;
        Ok(evaluate_crawl(web, gold, &ledger, counted_at, protocol.max_documents))
    };
    Ok(Some(SiteCrawl {
        host: entry.host().to_owned(),
        entry,
        documents: pages.len(),
        rdf_documents: pages.iter().filter(|page| web.page(**page).class == GoldClass::R).count(),
        rdf,
        counted_at,
        unfocused: measure_discovery(web, &unfocused, counted_at),
        focused: focused(false)?,
        repaired: focused(true)?,
    }))
}

fn measure_discovery(web: &RecordedWeb, ledger: &Ledger, counted_at: usize) -> SiteDiscovery {
    let mut discovery = SiteDiscovery::default();
    for (page, step) in ledger.documents().take(counted_at) {
        let page = web.page(page);
        let is_rdf_document = page.class == GoldClass::R;
        discovery.documents += 1;
        discovery.rdf_documents += usize::from(is_rdf_document);
        discovery.predicted += usize::from(is_rdf_document && predicted_class(&step.features) == Some(Predicted::R));
        discovery.rdf += usize::from(page.is_rdf());
    }
    discovery
}

/// Evaluates the ledger of link analysis. Nothing is predicted for the entry page.
fn evaluate_crawl(
    web: &RecordedWeb,
    gold: &GoldHubPages,
    ledger: &Ledger,
    counted_at: usize,
    documents_max: usize,
) -> FocusedSiteCrawl {
    let heuristics = vec![PredictionHits::default(); Heuristic::ALL.len()];
    let mut focused = FocusedSiteCrawl {
        discovery: measure_discovery(web, ledger, counted_at),
        heuristics,
        ..FocusedSiteCrawl::default()
    };
    for (page, step) in ledger.documents().take(documents_max) {
        let predicted = predicted_class(&step.features);
        let right = match predicted {
            Some(Predicted::R) => {
                let right = web.page(page).class == GoldClass::R;
                focused.r.record(right);
                right
            }
            Some(Predicted::Hr) => {
                focused.hr_paper.record(gold.leads_to_rdf(page));
                let right = web.page(page).class == GoldClass::Hr;
                focused.hr_ours.record(right);
                right
            }
            Some(Predicted::H | Predicted::N) | None => continue,
        };
        // After a redirect, heuristics of another class may have fired.
        let is_of_class =
            |heuristic: &Heuristic| (*heuristic == Heuristic::Similar) == (predicted == Some(Predicted::Hr));
        for heuristic in fired_heuristics(&step.features).into_iter().filter(is_of_class) {
            focused.heuristics[heuristic.number() as usize].record(right);
        }
    }
    focused
}

impl FocusedSiteCrawl {
    /// The share of the correct predictions of its class in which a heuristic fired; `None` if there
    /// are none.
    #[must_use]
    pub fn recall(&self, heuristic: Heuristic) -> Option<f64> {
        let of_class = if heuristic == Heuristic::Similar { self.hr_ours } else { self.r };
        let right = self.heuristics.get(heuristic.number() as usize)?.right;
        (of_class.right > 0).then(|| ratio(right, of_class.right))
    }
}
