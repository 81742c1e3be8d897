//! Ours: one online model over all evidence, used as a priority.
//!
//! Two heads look at the same evidence: whether a visit yields RDF that is *new*
//! (a redirect or a copy of what is held already is no success: the novelty
//! label, SELECTION-STUDY §7), and whether it leads to links that do (the value
//! of a hub). The score of a candidate is the first and a little of the second
//! (ALGORITHMS.md §2b), with Thompson noise as wide as what is not known. Links
//! that promise something have a head start ([`promises`]).

mod calibration;
mod evidence;
mod head;
mod payload;
pub mod prior;
mod promises;
mod rates;
mod words;

use rand::rngs::SmallRng;

use super::breadth_first::candidate;
use super::ftrl::{self, Ftrl, Sparse};
use super::generations::Generations;
use super::names::Names;
use super::thompson::rough_normal;
use super::{Action, Decision, End, Found, Judgement, Lesson, Order, Strategy, StrategyError, Verdict};
use crate::discover::promise::Promise;
use crate::frontier::Offer;
use crate::model::media_type::{self, Ease};
use crate::model::{Candidate, Features, How, Link, Probe, Relevance, Uri, Visit};
use calibration::Calibration;
use evidence::{Evidence, Key, Observer};
use head::{Answer, Head, log_odds};
pub use payload::KIND;
pub(in crate::select) use payload::Payload;
use promises::Promises;
use rates::Rates;

/// Redirects whose end is awaited, and pages whose links are.
const AWAITED_MAX: usize = 32_768;
/// Documents whose digests are remembered.
const DIGESTS_MAX: usize = 262_144;
/// Seeds are that much more urgent than what was found.
const SEED_PRIORITY: f32 = 100.0;
/// What a redirect to a new document is worth, which costs a second request.
const REDIRECT_WORTH: f32 = 0.5;
/// What is thought of a visit about which nothing is known.
const EVERYTHING_AT_FIRST: f32 = 0.3;
/// What tells the features of one head from those of the other. Even, so that
/// features keep their parity.
const YIELDS_SALT: u32 = 0;
const LEADS_SALT: u32 = 0x5bd1_e994;
/// A probe costs a fifth of a request or so. It is made where at least this share
/// of documents turned out to be of a type without RDF, after so many of them.
const PROBE_SHARE: f32 = 0.3;
const PROBE_TRIALS: f32 = 5.0;

/// How `learned` is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The model has 2 to the power of this many coordinates.
    pub bits: u8,
    /// How many names of features are remembered.
    pub names_max: usize,
    /// How it learns.
    pub rates: ftrl::Rates,
    /// How much a hub is worth, beside a document.
    pub hub_weight: f32,
    /// How much chance there is in the order, in units of the uncertainty.
    pub noise: f32,
    /// How much more a document is worth if its domain was hardly visited.
    pub breadth: f32,
    /// What is worth less than this share of the best waits for it.
    pub hold_share: f32,
}

impl Default for Options {
    fn default() -> Self {
        // Each feature counts for a few tenths, so that regularisation is less, too.
        let rates = ftrl::Rates { l1: 0.02, ..ftrl::Rates::default() };
        Self { bits: 20, names_max: 0, rates, hub_weight: 0.1, noise: 0.5, breadth: 0.35, hold_share: 0.1 }
    }
}

/// The strategy `learned`.
pub struct Learned {
    options: Options,
    observer: Observer,
    table: Ftrl,
    yields: Head,
    leads: Head,
    calibration: Calibration,
    /// How often documents are of a type that cannot hold RDF.
    barren: Rates,
    /// Whether promises were kept.
    promises: Promises,
    /// Who was redirected to a target.
    redirects: Generations<Redirected>,
    /// What was known of the pages that links were found on.
    pages: Generations<Features>,
    /// The digests of documents that are held.
    digests: Generations<()>,
    visits: u64,
    successes: u64,
}

impl Learned {
    /// Begins with a model file, or from nothing. A model brings its own size.
    pub fn new(options: Options, model: Option<&[u8]>) -> Result<Self, StrategyError> {
        let kept = model.map(Payload::unpack).transpose()?;
        let table = match &kept {
            Some(kept) => kept.table.to_model()?,
            None => Ftrl::new(options.bits, options.rates),
        };
        let mut learned = Self {
            observer: Observer::new(table.bits(), Names::new(table.bits(), options.names_max)),
            table,
            yields: Head::new(YIELDS_SALT, EVERYTHING_AT_FIRST),
            leads: Head::new(LEADS_SALT, EVERYTHING_AT_FIRST),
            calibration: Calibration::default(),
            barren: Rates::new(),
            promises: Promises::new(),
            redirects: Generations::new(AWAITED_MAX),
            pages: Generations::new(AWAITED_MAX),
            digests: Generations::new(DIGESTS_MAX),
            visits: 0,
            successes: 0,
            options,
        };
        if let Some(kept) = kept {
            learned.recall(&kept)?;
        }
        Ok(learned)
    }

    /// Begins with the model that is shipped, if it is of this size.
    pub fn with_prior(options: Options) -> Result<Self, StrategyError> {
        let learned = Self::new(options, Some(prior::SHIPPED))?;
        if learned.table.bits() == options.bits { Ok(learned) } else { Self::new(options, None) }
    }

    fn recall(&mut self, kept: &Payload) -> Result<(), StrategyError> {
        self.observer.names.recall(&kept.names);
        (self.visits, self.successes) = (kept.visits, kept.successes);
        let damaged = || StrategyError::Model("the model is damaged".to_owned());
        self.calibration = Calibration::of_kept(kept.calibration).ok_or_else(damaged)?;
        let is_sound = self.yields.recall(&kept.yields) && self.leads.recall(&kept.leads);
        is_sound.then_some(()).ok_or_else(damaged)
    }

    /// The worth of a visit, and how uncertain it is.
    fn worth(&self, features: &Features) -> (f32, f32) {
        let Some(evidence) = Evidence::of(features) else { return (0.5, 0.0) };
        let yields = self.yields.answer(evidence, &self.table);
        let leads = self.leads.answer(evidence, &self.table);
        let (_, probability) = self.trusted(evidence, yields.probability);
        let uncertainty = (probability * (1.0 - probability) / (1.0 + yields.observations)).sqrt();
        let breadth = self.options.breadth / (1.0 + yields.in_domain).sqrt();
        (probability + self.options.hub_weight * leads.probability + breadth, uncertainty)
    }

    /// What a promise adds to the log-odds of a candidate, and what becomes of its
    /// probability by that.
    fn trusted(&self, evidence: Evidence<'_>, probability: f32) -> (Option<(Promise, f32)>, f32) {
        let Some(promise) = self.observer.promise(evidence) else { return (None, probability) };
        let head_start = self.promises.head_start(promise, evidence);
        let trusted = ftrl::sigmoid(log_odds(probability) + head_start);
        (Some((promise, head_start)), trusted.max(probability))
    }

    /// The place of a candidate: what the user gave comes first, and chance has
    /// its part in the rest.
    fn priority(&self, candidate: &Candidate, rng: &mut SmallRng) -> f32 {
        let (worth, uncertainty) = self.worth(&candidate.features);
        let is_seed = candidate.how == How::Seed;
        worth + self.options.noise * uncertainty * rough_normal(rng) + if is_seed { SEED_PRIORITY } else { 0.0 }
    }

    /// Learns what a visit was worth by itself. Returns what was predicted of it.
    fn teach(&mut self, features: &Features, label: f32, weight: f32) -> Option<f32> {
        let evidence = Evidence::of(features)?;
        let answer = self.yields.answer(evidence, &self.table);
        self.yields.learn(evidence, &mut self.table, &answer, label, weight);
        Some(answer.probability)
    }

    /// Learns what a link of a page was worth: what the page is worth as a hub.
    fn teach_hub(&mut self, page: u64, label: f32) {
        let Some(features) = self.pages.get(page) else { return };
        let Some(evidence) = Evidence::of(features) else { return };
        let answer = self.leads.answer(evidence, &self.table);
        self.leads.learn(evidence, &mut self.table, &answer, label, 1.0);
    }

    /// Whether it pays to ask for the media type first.
    fn pays_to_probe(&self, visit: &Visit) -> bool {
        let Some(evidence) = Evidence::of(&visit.candidate.features) else { return false };
        let rate = self.barren.get(evidence.keys[Key::Shape as usize]);
        let is_open = media_type::ease(&visit.candidate.target, None) == Ease::Hard;
        is_open && rate.trials >= PROBE_TRIALS && rate.mean(0.0) >= PROBE_SHARE
    }

    /// Whether a probe says that there is nothing to be had; learns from it if so,
    /// because no other lesson will come.
    fn is_barren(&mut self, candidate: &Candidate, probe: &Probe) -> bool {
        let is_gone = matches!(probe.status, 404 | 410);
        let declared = probe.media_type.as_deref().filter(|_| (200..300).contains(&probe.status));
        let is_barren = match media_type::ease(&candidate.target, declared) {
            _ if is_gone => true,
            Ease::Barren => true,
            // Documents like it were archives of nothing that is read, and nobody
            // says that this one is a dump.
            Ease::Archive => {
                Evidence::of(&candidate.features).and_then(|it| self.observer.promise(it)) != Some(Promise::Dump)
            }
            Ease::Rdf | Ease::Hard => false,
        };
        if is_barren {
            self.note_type(candidate, declared, false);
            self.teach(&candidate.features, 0.0, 1.0);
        }
        is_barren
    }

    /// Notes whether a document is of a type that cannot hold RDF, or an archive
    /// that holds none.
    fn note_type(&mut self, candidate: &Candidate, declared: Option<&str>, is_rdf: bool) {
        let ease = media_type::ease(&candidate.target, declared);
        if let Some(evidence) = Evidence::of(&candidate.features) {
            let is_barren = ease == Ease::Barren || ease == Ease::Archive && !is_rdf;
            self.barren.observe(evidence.keys[Key::Shape as usize], f32::from(u8::from(is_barren)), 1.0);
        }
    }
}

impl Strategy for Learned {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        let page = Observer::page(found);
        let is_redirect = found.redirects > 0;
        let led = found.visit.filter(|_| is_redirect).and_then(|visit| Evidence::of(&visit.candidate.features));
        if let (Some(visit), false) = (found.visit, is_redirect || links.is_empty()) {
            self.pages.put(brief(&visit.candidate.target), visit.candidate.features.clone());
        }
        let mut place = |link: Link| {
            let features = self.observer.observe(&page, &link, led);
            let mut candidate = candidate(found, link, 0.0, features);
            candidate.priority = self.priority(&candidate, rng);
            Offer::Queue(candidate)
        };
        links.into_iter().map(&mut place).collect()
    }

    fn judge(&mut self, visit: &Visit, _: &mut SmallRng) -> Judgement {
        let (decision, action) = match &visit.probe {
            None if self.pays_to_probe(visit) => (Decision::Probe, Action::None),
            None if visit.candidate.how == How::Seed => (Decision::Fetch, Action::Given),
            Some(probe) if self.is_barren(&visit.candidate, probe) => (Decision::Skip, Action::Skipped),
            None | Some(_) => (Decision::Fetch, Action::Predicted),
        };
        let mut verdict = self.explain(&visit.candidate).map(|verdict| Verdict { action, ..verdict });
        if let Some(verdict) = verdict.as_mut().filter(|verdict| action == Action::Predicted && verdict.score < 0.5) {
            verdict.action = Action::Best;
        }
        Judgement { decision, verdict }
    }

    fn learn(&mut self, lesson: &Lesson<'_>) {
        let Candidate { target, features, source, .. } = &lesson.visit.candidate;
        let label = match lesson.end {
            End::Redirect { target: end, is_new: true } => {
                // What it was worth shows when its end is known.
                let page = source.as_ref().map(brief);
                self.redirects.put(brief(end), Redirected { began: brief(target), page, features: features.clone() });
                return;
            }
            End::Document { relevance: Relevance::Rdf, digest, .. } => {
                let is_new = digest == 0 || self.digests.peek(digest).is_none();
                self.digests.put(digest, ());
                f32::from(u8::from(is_new))
            }
            End::Redirect { .. } | End::Document { .. } | End::Failure => 0.0,
        };
        if let Some(evidence) = Evidence::of(features)
            && let Some(promise) = self.observer.promise(evidence)
        {
            self.promises.learn(promise, evidence, lesson.end.is_rdf());
        }
        self.visits += 1;
        self.successes += u64::from(label > 0.0);
        let predicted = self.teach(features, label, lesson.weight);
        if let (End::Document { media_type, .. }, Some(predicted)) = (lesson.end, predicted) {
            self.note_type(&lesson.visit.candidate, media_type, lesson.end.is_rdf());
            self.calibration.learn(predicted, lesson.end.is_rdf());
        }
        if let Some(source) = source {
            self.teach_hub(brief(source), label);
        }
        let mut ended = brief(target);
        while let Some(redirected) = self.redirects.remove(ended) {
            self.teach(&redirected.features, label * REDIRECT_WORTH, lesson.weight);
            if let Some(page) = redirected.page {
                self.teach_hub(page, label * REDIRECT_WORTH);
            }
            ended = redirected.began;
        }
    }

    fn score(&mut self, candidate: &Candidate, rng: &mut SmallRng) -> f32 {
        self.priority(candidate, rng)
    }

    fn order(&self) -> Order {
        Order::BestFirst
    }

    fn floor(&self, best: f32) -> f32 {
        if best > 0.0 { self.options.hold_share * best.min(1.0) } else { f32::NEG_INFINITY }
    }

    fn explain(&self, candidate: &Candidate) -> Option<Verdict> {
        let evidence = Evidence::of(&candidate.features)?;
        let answer = self.yields.answer(evidence, &self.table);
        let probability = self.calibration.probability(answer.probability);
        let (promised, probability) = self.trusted(evidence, probability);
        let promised = promised.map(|(promise, head_start)| (promises::reason(promise), head_start));
        Some(Verdict::new(Action::None, probability, self.reasons(evidence, &answer).chain(promised)))
    }

    fn name_of(&self, feature: u32) -> Option<&str> {
        match Key::of_reason(feature) {
            Some(key) => Some(key.name()),
            None => promises::name_of_reason(feature).or_else(|| self.observer.names.get(feature)),
        }
    }

    fn save(&self) -> Option<Vec<u8>> {
        let payload = Payload {
            visits: self.visits,
            successes: self.successes,
            table: Sparse::of(&self.table),
            names: self.observer.names.to_kept(),
            yields: self.yields.to_kept(),
            leads: self.leads.to_kept(),
            calibration: self.calibration.to_kept(),
        };
        Some(payload.pack())
    }
}

impl Learned {
    /// What each rate and each feature adds to the log-odds.
    fn reasons<'a>(&'a self, evidence: Evidence<'a>, answer: &'a Answer) -> impl Iterator<Item = (u32, f32)> + 'a {
        let rates = Key::ALL.into_iter().map(|key| (key.reason(), self.yields.weight(key) * answer.said[key as usize]));
        let scale = evidence.scale();
        rates.chain(evidence.features().map(move |feature| (feature, scale * self.table.weight(feature ^ YIELDS_SALT))))
    }
}

/// A visit that was redirected to where nobody had been.
struct Redirected {
    /// Who was visited.
    began: u64,
    /// The page that led there.
    page: Option<u64>,
    /// What was known of it.
    features: Features,
}

/// A short fingerprint, for memories that may err.
fn brief(uri: &Uri) -> u64 {
    xxhash_rust::xxh3::xxh3_64(uri.as_str().as_bytes())
}

#[cfg(test)]
mod tests;
