//! Link analysis: predicts the class of a link's target.
//!
//! Emamdadi, Kahani, Zarrinkalam, "A Focused Linked Data Crawler based on HTML Link Analysis"
//! (docs/algorithms.md §2). A link is predicted to lead to an RDF document (R), to a page that
//! leads to one (HR), to another page (H), or to something else (N), by its URL and the page around
//! it (`relevancy`), and by which pages have led to RDF so far (`neighbourhood`). R comes before HR
//! before H; N is dropped.
//!
//! Differences from the paper: the paper has one queue for a single site; here there is one queue
//! per domain, served round robin. The parent of a redirect's target is the page that links to the redirect. `S_HR` is bounded.

mod class;
mod term_lists;
mod neighbourhood;
mod relevancy;
mod model;
mod prediction_tally;
mod rdf_pages;
mod terms;
#[cfg(test)]
mod tests;

pub(crate) use class::FiredHeuristics;
pub use class::{Heuristic, LinkClass, fired_heuristics, predicted_class};
use term_lists::RdfTermLists;

use rand::rngs::SmallRng;

use self::class::{LinkPrediction, ReferrerClass};
use self::model::LinkAnalysisModel;
pub(crate) use self::model::describe;
use self::neighbourhood::{MAX_SIBLING_GROUPS, Neighbourhood, SiblingGroup};
use self::prediction_tally::PredictionTally;
use self::rdf_pages::RdfPageNames;
use self::relevancy::relevancy_r;
use super::breadth_first::queue_entry;
use super::{
    Decision, Judgement, LinkAnalysisOptions, LinkContext, RequestEnd, RequestResult, Strategy, StrategyError,
    model_file,
};
use crate::frontier::{FeatureVector, Lease, Offer, QueueEntry};
use crate::model::{DropReason, Link, LinkKind, Promise, Relevance, Uri, Verdict, VerdictAction};
use lodeward_rdf::RdfFormat;

/// Kind of the model files of this strategy.
pub(crate) const KIND: &str = "link-analysis";

/// Priority of seeds: above all links.
const SEED_PRIORITY: f32 = 4.0;

/// The strategy `link-analysis`.
#[derive(Clone, Debug)]
pub(crate) struct LinkAnalysisStrategy {
    lists: RdfTermLists,
    embedded: bool,
    known: Neighbourhood,
    /// The members of `known` that can be named.
    pages: RdfPageNames,
    tally: PredictionTally,
}

impl LinkAnalysisStrategy {
    /// Creates a strategy as in the paper, but round robin over the domains, with the stored model of a
    /// crawl or untrained.
    pub(crate) fn new(options: &LinkAnalysisOptions, model: Option<&[u8]>) -> Result<Self, StrategyError> {
        let lists = match &options.term_lists_dir {
            Some(dir) => RdfTermLists::with_dir(dir)?,
            None => RdfTermLists::built_in(),
        };
        let untrained = Self::untrained(lists, options.learn_from_embedded);
        model.map_or(Ok(untrained.clone()), |model| untrained.resume(model))
    }

    fn untrained(lists: RdfTermLists, embedded: bool) -> Self {
        let known = Neighbourhood::new(MAX_SIBLING_GROUPS);
        Self { lists, embedded, known, pages: RdfPageNames::default(), tally: PredictionTally::default() }
    }

    /// Continues with the stored model of a crawl.
    fn resume(self, model: &[u8]) -> Result<Self, StrategyError> {
        let LinkAnalysisModel { tally, pages, known } = LinkAnalysisModel::read(&model_file::unpack_as(KIND, model)?)?;
        Ok(Self { known, pages, tally, ..self })
    }

    /// `Relevancy_R`, then `Relevancy_HR` (link analysis Fig. 3).
    fn predict(&mut self, found: &LinkContext<'_>, link: &Link) -> LinkPrediction {
        let from_page = is_page_syntax(found.format);
        let (mut class, mut evidence) = relevancy_r(&self.lists, link, from_page);
        if class == LinkClass::H && self.known.contains_similar(&SiblingGroup::from_uri(&link.target)) {
            class = LinkClass::Hr;
            evidence.add(Heuristic::Similar);
        }
        LinkPrediction { class, evidence, parent: if from_page { ReferrerClass::Page } else { ReferrerClass::NoPage } }
    }

    /// Returns the prediction for the target of a redirect: that of the link to the redirect, or a
    /// better one if its own URL gives one. The target is never dropped, because the first request
    /// has been made already. `None` if the redirect was a seed.
    fn predict_redirect(&mut self, lease: &Lease, found: &LinkContext<'_>, link: &Link) -> Option<LinkPrediction> {
        let redirected = LinkPrediction::unpack(&lease.entry.features)?;
        let own = self.predict(found, link);
        let parent = match (redirected.parent, &lease.entry.source) {
            (ReferrerClass::Page, Some(page)) => ReferrerClass::Redirecting(SiblingGroup::from_uri(page)),
            (ReferrerClass::Page, None) => ReferrerClass::NoPage,
            (parent, _) => parent,
        };
        let evidence = FiredHeuristics(redirected.evidence.0 | own.evidence.0);
        Some(LinkPrediction { class: redirected.class.max(own.class), evidence, parent })
    }

    fn offer_link(&mut self, found: &LinkContext<'_>, link: Link) -> Offer {
        let prediction = match (&link.via, found.lease) {
            (LinkKind::Seed, _) => None,
            (LinkKind::Redirect(_), Some(lease)) => self.predict_redirect(lease, found, &link),
            _ => Some(self.predict(found, &link)),
        };
        let Some(prediction) = prediction else {
            return Offer::Queue(queue_entry(found, link, SEED_PRIORITY, FeatureVector::default()));
        };
        let candidate = queue_entry(found, link, prediction.class.priority(), prediction.pack());
        match prediction.class {
            // The paper does not consider dumps.
            LinkClass::N if candidate.found_by.promise() != Some(Promise::Dump) => {
                Offer::Drop(candidate, DropReason::LinkClass)
            }
            LinkClass::N | LinkClass::H | LinkClass::Hr | LinkClass::R => Offer::Queue(candidate),
        }
    }

    /// Adds a page to `S_HR`; its name is not known behind a redirect.
    fn add_page(&mut self, group: &SiblingGroup, page: Option<&Uri>) {
        self.known.add(group);
        self.pages.add(page);
    }

    fn verdict(&self, candidate: &QueueEntry, action: VerdictAction) -> Option<Verdict> {
        let LinkPrediction { class, evidence, .. } = LinkPrediction::unpack(&candidate.features)?;
        let mut reasons: Vec<_> =
            evidence.iter().map(|heuristic| (heuristic.number(), self.tally.log_odds(heuristic))).collect();
        reasons.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
        reasons.insert(0, (class.number(), self.tally.class_log_odds(class)));
        Some(Verdict { action, score: self.tally.rdf_share(class), reasons })
    }
}

impl Strategy for LinkAnalysisStrategy {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        links.into_iter().map(|link| self.offer_link(found, link)).collect()
    }

    fn judge(&mut self, lease: &Lease, _: &mut SmallRng) -> Judgement {
        let is_r =
            LinkPrediction::unpack(&lease.entry.features).is_some_and(|prediction| prediction.class == LinkClass::R);
        // Pages are fetched for their links, not for their RDF.
        let action = if is_r { VerdictAction::Predicted } else { VerdictAction::None };
        Judgement { decision: Decision::Fetch, verdict: self.verdict(&lease.entry, action) }
    }

    /// "If the content type of document is RDF and its parent is an HTML
    /// document, the URI of the parent document is added to `S_HR`" (§III.B).
    fn learn(&mut self, result: &RequestResult<'_>) {
        let candidate = &result.lease.entry;
        let RequestEnd::Document { relevance, media_type, .. } = result.end else { return };
        let prediction = LinkPrediction::unpack(&candidate.features);
        if let Some(LinkPrediction { class, evidence, .. }) = prediction {
            self.tally.record(class, evidence, relevance == Relevance::Rdf);
        }
        if relevance != Relevance::Rdf {
            return;
        }
        if is_page(&candidate.target, media_type) {
            if self.embedded {
                self.add_page(&SiblingGroup::from_uri(&candidate.target), Some(&candidate.target));
            }
            return;
        }
        match (prediction.map(|prediction| prediction.parent), &candidate.source) {
            (Some(ReferrerClass::Page), Some(page)) => self.add_page(&SiblingGroup::from_uri(page), Some(page)),
            (Some(ReferrerClass::Redirecting(page)), _) => self.add_page(&page, None),
            _ => {}
        }
    }

    fn explain(&self, candidate: &QueueEntry) -> Option<Verdict> {
        self.verdict(candidate, VerdictAction::None)
    }

    fn feature_name(&self, feature: u32) -> Option<&str> {
        let heuristic = Heuristic::from_number(feature).map(Heuristic::description);
        heuristic.or_else(|| LinkClass::from_number(feature).map(LinkClass::description))
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(model_file::pack(KIND, &model::encode(&self.tally, &self.pages, &self.known)))
    }
}

/// Whether documents in this format, by its short name, are pages.
fn is_page_syntax(name: &str) -> bool {
    [RdfFormat::Html, RdfFormat::Xhtml].iter().any(|syntax| syntax.name() == name)
}

/// Whether a document with RDF is a page with embedded RDF rather than an RDF document: by its
/// media type, or by its extension if that is an RDF extension or there is no media type (17 % of
/// RDF/XML on the web is mislabelled).
fn is_page(uri: &Uri, media_type: Option<&str>) -> bool {
    let is_html = |syntax| matches!(syntax, RdfFormat::Html | RdfFormat::Xhtml);
    let by_extension = uri.extension().and_then(|extension| RdfFormat::from_extension(&extension));
    match media_type.and_then(RdfFormat::from_media_type) {
        Some(syntax) if is_html(syntax) => !by_extension.is_some_and(RdfFormat::is_rdf),
        Some(_) => false,
        None => by_extension.is_some_and(is_html),
    }
}
