//! Ours: one online model over all evidence, used as a priority.
//!
//! Two heads look at the same evidence: whether a visit yields RDF that is *new*
//! (a redirect or a copy of what is held already is no success: the novelty
//! label, SELECTION-STUDY §7), and whether it leads to links that do (the value
//! of a hub). The score of a candidate is the first and a little of the second
//! (ALGORITHMS.md §2b), with Thompson noise as wide as what is not known.

mod evidence;
mod head;
mod rates;
mod words;

use std::collections::{HashMap, HashSet, VecDeque};

use foldhash::fast::FixedState;
use rand::Rng;
use rand::rngs::SmallRng;

use super::breadth_first::candidate;
use super::ftrl::{Ftrl, Rates};
use super::{Action, Decision, End, Found, Judgement, Lesson, Order, Strategy, Verdict};
use crate::frontier::Offer;
use crate::model::{Candidate, Features, How, Link, Visit};
use evidence::{Evidence, Observer};
use head::{Answer, Head};

/// Redirects whose end is awaited.
const REDIRECTS_MAX: usize = 65_536;
/// Documents whose digests are remembered.
const DIGESTS_MAX: usize = 262_144;
/// What is worth less than this share of the best waits for it.
const HOLD_SHARE: f32 = 0.25;
/// Seeds are that much more urgent than what was found.
const SEED_PRIORITY: f32 = 100.0;
/// A page is as good a hub as can be if its new links promise much more than
/// this many documents.
const HUB_DOCUMENTS: f32 = 3.0;

/// How `learned` is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The model has 2 to the power of this many coordinates.
    pub bits: u8,
    /// How it learns.
    pub rates: Rates,
    /// How much a hub is worth, beside a document.
    pub hub_weight: f32,
    /// How much chance there is in the order, in units of the uncertainty.
    pub noise: f32,
}

impl Default for Options {
    fn default() -> Self {
        Self { bits: 20, rates: Rates::default(), hub_weight: 0.1, noise: 1.5 }
    }
}

/// The strategy `learned`.
pub struct Learned {
    options: Options,
    observer: Observer,
    table: Ftrl,
    yields: Head,
    leads: Head,
    redirects: Redirects,
    digests: Digests,
}

impl Learned {
    /// A strategy that knows nothing yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            observer: Observer::new(options.bits),
            table: Ftrl::new(options.bits, options.rates),
            yields: Head::new(0, 0.3),
            leads: Head::new(0x5bd1_e995, 0.3),
            redirects: Redirects::default(),
            digests: Digests::default(),
            options,
        }
    }

    fn answers(&self, evidence: Evidence<'_>) -> (Answer, Answer) {
        (self.yields.answer(evidence, &self.table), self.leads.answer(evidence, &self.table))
    }

    /// The worth of a visit, and how uncertain it is.
    fn worth(&self, features: &Features) -> (f32, f32) {
        let Some(evidence) = Evidence::of(features) else { return (0.5, 0.0) };
        let (yields, leads) = self.answers(evidence);
        let probability = yields.probability;
        let uncertainty = (probability * (1.0 - probability) / (1.0 + yields.observations)).sqrt();
        (probability + self.options.hub_weight * leads.probability, uncertainty)
    }

    /// The place of a candidate that is worth so much: what the user gave comes
    /// first, and chance has its part in the rest.
    fn priority(&self, candidate: &Candidate, worth: f32, uncertainty: f32, rng: &mut SmallRng) -> f32 {
        let is_seed = candidate.how == How::Seed;
        worth + self.options.noise * uncertainty * normal(rng) + if is_seed { SEED_PRIORITY } else { 0.0 }
    }

    fn teach(&mut self, features: &Features, label: f32, weight: f32) {
        let Some(evidence) = Evidence::of(features) else { return };
        let answer = self.yields.answer(evidence, &self.table);
        self.yields.learn(evidence, &mut self.table, &answer, label, weight);
    }

    /// Teaches what the page itself was worth as a hub: what its new links promise.
    fn teach_hub(&mut self, found: &Found<'_>, promised: f32) {
        let Some(visit) = found.visit else { return };
        let Some(evidence) = Evidence::of(&visit.candidate.features) else { return };
        let label = promised / (promised + HUB_DOCUMENTS);
        let answer = self.leads.answer(evidence, &self.table);
        self.leads.learn(evidence, &mut self.table, &answer, label, 1.0);
    }
}

impl Strategy for Learned {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        let page = Observer::page(found);
        let is_redirect = found.redirects > 0;
        let led = found.visit.filter(|_| is_redirect).and_then(|visit| Evidence::of(&visit.candidate.features));
        let mut promised = 0.0;
        let mut offers = Vec::with_capacity(links.len());
        for link in links {
            let features = self.observer.observe(&page, &link, led);
            let (worth, uncertainty) = self.worth(&features);
            promised += worth.min(1.0);
            let mut candidate = candidate(found, link, 0.0, features);
            candidate.priority = self.priority(&candidate, worth, uncertainty, rng);
            offers.push(Offer::Queue(candidate));
        }
        if !is_redirect {
            self.teach_hub(found, promised);
        }
        offers
    }

    fn judge(&mut self, visit: &Visit, _: &mut SmallRng) -> Judgement {
        let verdict = self.explain(&visit.candidate).map(|verdict| Verdict { action: Action::Predicted, ..verdict });
        Judgement { decision: Decision::Fetch, verdict }
    }

    fn learn(&mut self, lesson: &Lesson<'_>) {
        let Candidate { target, features, .. } = &lesson.visit.candidate;
        let visited = target.fingerprint();
        let label = match lesson.end {
            End::Redirect { target, is_new: true } => {
                // What it was worth shows when its end is known.
                self.redirects.await_end(target.fingerprint(), visited, features.clone());
                return;
            }
            End::Redirect { .. } | End::Failure => 0.0,
            End::Document { digest, .. } if lesson.end.is_rdf() => f32::from(u8::from(self.digests.is_new(digest))),
            End::Document { .. } => 0.0,
        };
        self.teach(features, label, lesson.weight);
        let mut ended = visited;
        while let Some((began, features)) = self.redirects.end(ended) {
            self.teach(&features, label, lesson.weight);
            ended = began;
        }
    }

    fn score(&mut self, candidate: &Candidate, rng: &mut SmallRng) -> f32 {
        let (worth, uncertainty) = self.worth(&candidate.features);
        self.priority(candidate, worth, uncertainty, rng)
    }

    fn order(&self) -> Order {
        Order::BestFirst
    }

    fn floor(&self, best: f32) -> f32 {
        HOLD_SHARE * best.min(1.0)
    }

    fn explain(&self, candidate: &Candidate) -> Option<Verdict> {
        let evidence = Evidence::of(&candidate.features)?;
        let answer = self.yields.answer(evidence, &self.table);
        Some(Verdict { action: Action::None, score: answer.probability, reasons: Vec::new() })
    }
}

/// A number from the standard normal distribution, nearly: the sum of uniform
/// ones.
fn normal(rng: &mut SmallRng) -> f32 {
    let sum: f32 = (0..4).map(|_| rng.random_range(-1.0..1.0_f32)).sum();
    sum * 0.75_f32.sqrt()
}

/// Visits that were redirected to where nobody had been.
#[derive(Default)]
struct Redirects {
    /// Who was redirected here, and what was known of them.
    awaited: HashMap<u128, (u128, Features), FixedState>,
    order: VecDeque<u128>,
}

impl Redirects {
    fn await_end(&mut self, target: u128, visited: u128, features: Features) {
        if self.order.len() >= REDIRECTS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.awaited.remove(&oldest);
        }
        self.awaited.insert(target, (visited, features));
        self.order.push_back(target);
    }

    /// The visit that was redirected here.
    fn end(&mut self, target: u128) -> Option<(u128, Features)> {
        self.awaited.remove(&target)
    }
}

/// The digests of documents that are held.
#[derive(Default)]
struct Digests {
    known: HashSet<u64, FixedState>,
    order: VecDeque<u64>,
}

impl Digests {
    /// Whether nothing like it is held; from now on it is.
    fn is_new(&mut self, digest: u64) -> bool {
        if digest == 0 {
            return true;
        }
        if self.order.len() >= DIGESTS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        let is_new = self.known.insert(digest);
        if is_new {
            self.order.push_back(digest);
        }
        is_new
    }
}

#[cfg(test)]
mod tests;
