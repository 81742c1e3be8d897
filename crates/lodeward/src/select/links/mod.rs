//! Link analysis: what class is the target of this link?
//!
//! Emamdadi, Kahani, Zarrinkalam, "A Focused Linked Data Crawler based on HTML
//! Link Analysis" (ALGORITHMS.md §2). A link is predicted to lead to an RDF
//! document (R), to a page that leads to one (HR), to another page (H), or to
//! something else (N), from what its address and the page around it say
//! (`relevancy`), and from which pages have led to RDF so far (`neighbourhood`).
//! R comes before HR before H; N is dropped.
//!
//! Where this is not the paper: its queue is one for a single site, where ours has
//! one for each domain, in turn, unless [`LinkAnalysis::best_first`] is asked for;
//! the parent of a document at the end of a redirect is the page that links to
//! its beginning; and `S_HR` is bounded.

mod class;
mod lists;
mod neighbourhood;
mod relevancy;
mod tally;
mod terms;
#[cfg(test)]
mod tests;

pub use class::{Class, Evidence, Heuristic, class_of, heuristics_of};
pub use lists::Lists;

use rand::rngs::SmallRng;

use self::class::{Parent, Prediction};
use self::neighbourhood::{Neighbourhood, PLACES_MAX, Place};
use self::relevancy::relevancy_r;
use self::tally::Tally;
use super::breadth_first::candidate;
use super::{Action, Decision, End, Found, Judgement, Lesson, Order, Strategy, StrategyError, Verdict, model_file};
use crate::discover::promise::Promise;
use crate::frontier::Offer;
use crate::model::media_type::Syntax;
use crate::model::{Candidate, DropReason, Features, Link, Relevance, Uri, Via, Visit};

/// The kind of models that hold what link analysis has learned.
pub const KIND: &str = "links";

/// Seeds come before everything that was found.
const SEED_PRIORITY: f32 = 4.0;

/// The strategy `links`.
#[derive(Clone, Debug)]
pub struct LinkAnalysis {
    lists: Lists,
    embedded: bool,
    order: Order,
    known: Neighbourhood,
    tally: Tally,
}

impl LinkAnalysis {
    /// As the paper has it, in turn over the domains.
    #[must_use]
    pub fn new(lists: Lists) -> Self {
        let known = Neighbourhood::new(PLACES_MAX);
        Self { lists, embedded: false, order: Order::RoundRobin, known, tally: Tally::default() }
    }

    /// Whether `S_HR` is repaired: a page with RDF inside joins it, too. The
    /// paper's rule sees RDF files below pages only, and so hardly ever fires
    /// where RDF is embedded (SELECTION-STUDY §6–7).
    #[must_use]
    pub fn embedded(self, embedded: bool) -> Self {
        Self { embedded, ..self }
    }

    /// With one queue for all domains, as the paper's crawler has for its one
    /// site. Pages that wait as H become HR as soon as a page like them has led
    /// to RDF; the paper looks at a link only once.
    #[must_use]
    pub fn best_first(self) -> Self {
        Self { order: Order::BestFirst, ..self }
    }

    /// Goes on with what a crawl has learned before.
    pub fn resume(self, kept: &[u8]) -> Result<Self, StrategyError> {
        let payload = model_file::unpack_as(KIND, kept)?;
        let damaged = |_| StrategyError::Model("the model of strategy links is damaged".to_owned());
        let (tally, places): (Tally, &[u8]) = postcard::from_bytes(&payload).map_err(damaged)?;
        let known = Neighbourhood::from_bytes(PLACES_MAX, places).map_err(damaged)?;
        Ok(Self { known, tally, ..self })
    }

    /// `Relevancy_R`, then `Relevancy_HR` (link analysis Fig. 3).
    fn predict(&mut self, found: &Found<'_>, link: &Link) -> Prediction {
        let from_page = is_page_syntax(found.syntax);
        let (mut class, mut evidence) = relevancy_r(&self.lists, link, from_page);
        if class == Class::H && self.known.has_like(&Place::of(&link.target)) {
            class = Class::Hr;
            evidence.add(Heuristic::Similar);
        }
        Prediction { class, evidence, parent: if from_page { Parent::Page } else { Parent::NoPage } }
    }

    /// What is thought of the end of a redirect: what was thought of its
    /// beginning, or better if its own address speaks for it. It is not dropped,
    /// for half of it is paid already. `None` if it began with a seed.
    fn predict_redirected(&mut self, visit: &Visit, found: &Found<'_>, link: &Link) -> Option<Prediction> {
        let begun = Prediction::unpack(&visit.candidate.features)?;
        let own = self.predict(found, link);
        let parent = match (begun.parent, &visit.candidate.source) {
            (Parent::Page, Some(page)) => Parent::Redirecting(Place::of(page)),
            (Parent::Page, None) => Parent::NoPage,
            (parent, _) => parent,
        };
        let evidence = Evidence(begun.evidence.0 | own.evidence.0);
        Some(Prediction { class: begun.class.max(own.class), evidence, parent })
    }

    fn place_one(&mut self, found: &Found<'_>, link: Link) -> Offer {
        let prediction = match (&link.via, found.visit) {
            (Via::Seed, _) => None,
            (Via::Redirect(_), Some(visit)) => self.predict_redirected(visit, found, &link),
            _ => Some(self.predict(found, &link)),
        };
        let Some(prediction) = prediction else {
            return Offer::Queue(candidate(found, link, SEED_PRIORITY, Features::default()));
        };
        let candidate = candidate(found, link, prediction.class.priority(), prediction.pack());
        match prediction.class {
            // The paper knows no dumps.
            Class::N if candidate.how.promise() != Some(Promise::Dump) => Offer::Drop(candidate, DropReason::LinkClass),
            Class::N | Class::H | Class::Hr | Class::R => Offer::Queue(candidate),
        }
    }

    /// What is thought of a candidate by now; `None` of a seed.
    fn present(&self, candidate: &Candidate) -> Option<Prediction> {
        let mut prediction = Prediction::unpack(&candidate.features)?;
        let may_rise = prediction.class == Class::H && self.order != Order::RoundRobin;
        if may_rise && self.known.would_have_like(&Place::of(&candidate.target)) {
            prediction.class = Class::Hr;
            prediction.evidence.add(Heuristic::Similar);
        }
        Some(prediction)
    }

    fn verdict(&self, candidate: &Candidate, action: Action) -> Option<Verdict> {
        let Prediction { class, evidence, .. } = self.present(candidate)?;
        let mut reasons: Vec<_> =
            evidence.iter().map(|heuristic| (heuristic.number(), self.tally.log_odds(heuristic))).collect();
        reasons.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
        Some(Verdict { action, score: self.tally.share(class), reasons })
    }
}

impl Strategy for LinkAnalysis {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, _: &mut SmallRng) -> Vec<Offer> {
        links.into_iter().map(|link| self.place_one(found, link)).collect()
    }

    fn judge(&mut self, visit: &Visit, _: &mut SmallRng) -> Judgement {
        let is_r = self.present(&visit.candidate).is_some_and(|prediction| prediction.class == Class::R);
        // Pages are visited for where they lead, and not because they hold RDF.
        let action = if is_r { Action::Predicted } else { Action::None };
        Judgement { decision: Decision::Fetch, verdict: self.verdict(&visit.candidate, action) }
    }

    /// "If the content type of document is RDF and its parent is an HTML
    /// document, the URI of the parent document is added to `S_HR`" (§III.B).
    fn learn(&mut self, lesson: &Lesson<'_>) {
        let candidate = &lesson.visit.candidate;
        let End::Document { relevance, media_type, .. } = lesson.end else { return };
        let prediction = self.present(candidate);
        if let Some(Prediction { class, evidence, .. }) = prediction {
            self.tally.note(class, evidence, relevance == Relevance::Rdf);
        }
        if relevance != Relevance::Rdf {
            return;
        }
        if is_page(&candidate.target, media_type) {
            if self.embedded {
                self.known.add(&Place::of(&candidate.target));
            }
            return;
        }
        match (prediction.map(|prediction| prediction.parent), &candidate.source) {
            (Some(Parent::Page), Some(page)) => self.known.add(&Place::of(page)),
            (Some(Parent::Redirecting(page)), _) => self.known.add(&page),
            _ => {}
        }
    }

    fn score(&mut self, candidate: &Candidate, _: &mut SmallRng) -> f32 {
        self.present(candidate).map_or(SEED_PRIORITY, |prediction| prediction.class.priority())
    }

    fn order(&self) -> Order {
        self.order
    }

    fn explain(&self, candidate: &Candidate) -> Option<Verdict> {
        self.verdict(candidate, Action::None)
    }

    fn name_of(&self, feature: u32) -> Option<&str> {
        Heuristic::numbered(feature).map(Heuristic::words)
    }

    fn save(&self) -> Option<Vec<u8>> {
        let payload = postcard::to_stdvec(&(&self.tally, self.known.to_bytes())).expect("numbers can be written");
        Some(model_file::pack(KIND, &payload))
    }
}

/// Whether documents in this syntax, by its short name, are pages.
fn is_page_syntax(name: &str) -> bool {
    [Syntax::Html, Syntax::Xhtml].iter().any(|syntax| syntax.name() == name)
}

/// Whether a document that holds RDF is a page with RDF inside, rather than an
/// RDF document: by its media type, or by its extension if that says otherwise or
/// there is no media type (17 % of RDF/XML on the web is mislabelled).
fn is_page(uri: &Uri, media_type: Option<&str>) -> bool {
    let is_html = |syntax| matches!(syntax, Syntax::Html | Syntax::Xhtml);
    let by_extension = uri.extension().and_then(|extension| Syntax::of_extension(&extension));
    match media_type.and_then(Syntax::of_media_type) {
        Some(syntax) if is_html(syntax) => !by_extension.is_some_and(Syntax::is_rdf),
        Some(_) => false,
        None => by_extension.is_some_and(is_html),
    }
}
