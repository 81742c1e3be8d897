//! `learned`: one online model over all evidence, used as a priority (this project).
//!
//! Two heads use the same evidence. One predicts whether a request yields *new* RDF: redirects and
//! duplicates of stored documents are not successes (the novelty label, docs/algorithms.md §2c).
//! The other predicts whether the document links to new RDF (the value of a hub). The score of a
//! candidate is the first value and a small share of the second (docs/algorithms.md §2b), with
//! Thompson noise proportional to the uncertainty. Links with a promise get a bonus (`promises`).

mod calibration;
mod evidence;
mod head;
mod model;
pub mod prior;
mod promises;
mod rates;
mod words;

use rand::rngs::SmallRng;

use super::breadth_first::queue_entry;
use super::feature_names::FeatureNames;
use super::ftrl::{self, Ftrl, SparseFtrl};
use super::generational_cache::GenerationalCache;
use super::thompson::sample_approx_normal;
use super::{Decision, Judgement, LinkContext, RequestEnd, RequestResult, Strategy, StrategyError};
use crate::frontier::{DomainOrder, FeatureVector, Lease, Offer, QueueEntry};
use crate::model::rdf_likelihood::{RdfLikelihood, rdf_likelihood};
use crate::model::{FoundBy, Link, ProbeResult, Promise, Relevance, Uri, Verdict, VerdictAction};
use calibration::PlattCalibration;
use evidence::{EvidenceExtractor, EvidenceKey, LinkEvidence};
use head::{HeadPrediction, ModelHead, log_odds};
pub(crate) use model::KIND;
pub(in crate::select) use model::LearnedModel;
use promises::PromiseStats;
use rates::RateTable;

/// Maximum number of redirects whose target is not fetched yet, and of pages whose links are not fetched yet.
const MAX_PENDING: usize = 32_768;
/// Maximum number of documents whose digests are stored.
const MAX_DIGESTS: usize = 262_144;
/// Value added to the priority of seeds.
const SEED_PRIORITY: f32 = 100.0;
/// Value of a redirect to a new document. It is less than 1, because the target needs a second
/// request.
const REDIRECT_DISCOUNT: f32 = 0.5;
/// Probability predicted by an untrained head without evidence.
const PRIOR_PROBABILITY: f32 = 0.3;
/// Salts that separate the features of the two heads. They are even, so that features keep their parity.
const YIELDS_SALT: u32 = 0;
const LEADS_SALT: u32 = 0x5bd1_e994;
/// A probe, which costs about a fifth of a request, is sent only if at least this share of similar
/// documents had a media type that cannot hold RDF, and if there were at least this many of them.
const MIN_PROBE_SHARE: f32 = 0.3;
const MIN_PROBE_TRIALS: f32 = 5.0;

/// Options of `learned`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnedOptions {
    /// Whether an untrained strategy starts with the bundled model.
    pub prior: bool,
    /// Number of bits: the model has 2 to the power of `bits` coordinates.
    pub bits: u8,
    /// Maximum number of feature names stored.
    pub max_names: usize,
    /// Parameters of the learner.
    pub rates: ftrl::FtrlOptions,
    /// Weight of the hub value, relative to that of a document.
    pub hub_weight: f32,
    /// Randomness of the order, as a multiple of the uncertainty.
    pub noise: f32,
    /// Bonus for documents of domains with few requests.
    pub breadth: f32,
    /// Candidates whose score is less than this share of the best score are deferred.
    pub hold_share: f32,
}

impl Default for LearnedOptions {
    fn default() -> Self {
        // The value of each feature is scaled to a few tenths, so `l1` is also smaller than its
        // default.
        let rates = ftrl::FtrlOptions { l1: 0.02, ..ftrl::FtrlOptions::default() };
        Self {
            prior: false,
            bits: 20,
            max_names: 0,
            rates,
            hub_weight: 0.1,
            noise: 0.5,
            breadth: 0.35,
            hold_share: 0.1,
        }
    }
}

/// The strategy `learned`.
pub(crate) struct LearnedStrategy {
    options: LearnedOptions,
    extractor: EvidenceExtractor,
    table: Ftrl,
    yields: ModelHead,
    leads: ModelHead,
    calibration: PlattCalibration,
    /// Shares of documents with a media type that cannot hold RDF, by host and path shape.
    non_rdf_types: RateTable,
    /// Counts of promises made and kept.
    promises: PromiseStats,
    /// Redirects whose target is not fetched yet, by target.
    redirects: GenerationalCache<PendingRedirect>,
    /// Evidence of fetched pages, from which their hub value is learned when their links are fetched.
    pages: GenerationalCache<FeatureVector>,
    /// Digests of the stored documents.
    digests: GenerationalCache<()>,
    requests: u64,
    successes: u64,
}

impl LearnedStrategy {
    /// Starts with the model in a model file, which keeps its size. Without one, starts with the bundled model if
    /// `options.prior` is set and `options.bits` is the size of that model, otherwise untrained.
    pub(crate) fn new(options: LearnedOptions, model: Option<&[u8]>) -> Result<Self, StrategyError> {
        if model.is_none() && options.prior {
            let learned = Self::with_model(options, Some(prior::BUNDLED_MODEL))?;
            if learned.table.bits() == options.bits {
                return Ok(learned);
            }
        }
        Self::with_model(options, model)
    }

    fn with_model(options: LearnedOptions, model: Option<&[u8]>) -> Result<Self, StrategyError> {
        let stored = model.map(LearnedModel::unpack).transpose()?;
        let table = match &stored {
            Some(stored) => stored.table.to_model()?,
            None => Ftrl::new(options.bits, options.rates),
        };
        let mut learned = Self {
            extractor: EvidenceExtractor::new(table.bits(), FeatureNames::new(table.bits(), options.max_names)),
            table,
            yields: ModelHead::new(YIELDS_SALT, PRIOR_PROBABILITY),
            leads: ModelHead::new(LEADS_SALT, PRIOR_PROBABILITY),
            calibration: PlattCalibration::default(),
            non_rdf_types: RateTable::new(),
            promises: PromiseStats::new(),
            redirects: GenerationalCache::new(MAX_PENDING),
            pages: GenerationalCache::new(MAX_PENDING),
            digests: GenerationalCache::new(MAX_DIGESTS),
            requests: 0,
            successes: 0,
            options,
        };
        if let Some(stored) = stored {
            learned.restore(&stored)?;
        }
        Ok(learned)
    }

    fn restore(&mut self, stored: &LearnedModel) -> Result<(), StrategyError> {
        self.extractor.names.restore(&stored.names);
        (self.requests, self.successes) = (stored.requests, stored.successes);
        let damaged = || StrategyError::Model("the model file is corrupted".to_owned());
        self.calibration = PlattCalibration::from_stored(stored.calibration).ok_or_else(damaged)?;
        let is_valid = self.yields.restore(&stored.yields) && self.leads.restore(&stored.leads);
        is_valid.then_some(()).ok_or_else(damaged)
    }

    /// The expected value of a request, and its uncertainty.
    fn expected_value(&self, features: &FeatureVector) -> (f32, f32) {
        let Some(evidence) = LinkEvidence::from_features(features) else { return (0.5, 0.0) };
        let yields = self.yields.predict(evidence, &self.table);
        let leads = self.leads.predict(evidence, &self.table);
        let (_, probability) = self.apply_promise(evidence, yields.probability);
        let uncertainty = (probability * (1.0 - probability) / (1.0 + yields.observations)).sqrt();
        let breadth = self.options.breadth / (1.0 + yields.in_domain).sqrt();
        (probability + self.options.hub_weight * leads.probability + breadth, uncertainty)
    }

    /// Returns the promise of a link with its bonus in log odds, and the probability after adding the bonus.
    fn apply_promise(&self, evidence: LinkEvidence<'_>, probability: f32) -> (Option<(Promise, f32)>, f32) {
        let Some(promise) = self.extractor.promise(evidence) else { return (None, probability) };
        let bonus = self.promises.log_odds_bonus(promise, evidence);
        let trusted = ftrl::sigmoid(log_odds(probability) + bonus);
        (Some((promise, bonus)), trusted.max(probability))
    }

    /// The priority of a candidate: seeds first, the others with some randomness.
    fn priority(&self, candidate: &QueueEntry, rng: &mut SmallRng) -> f32 {
        let (worth, uncertainty) = self.expected_value(&candidate.features);
        let is_seed = candidate.found_by == FoundBy::Seed;
        worth + self.options.noise * uncertainty * sample_approx_normal(rng) + if is_seed { SEED_PRIORITY } else { 0.0 }
    }

    /// Learns from the result of a request. Returns the prediction.
    fn train(&mut self, features: &FeatureVector, label: f32, weight: f32) -> Option<f32> {
        let evidence = LinkEvidence::from_features(features)?;
        let prediction = self.yields.predict(evidence, &self.table);
        self.yields.learn(evidence, &mut self.table, &prediction, label, weight);
        Some(prediction.probability)
    }

    /// Learns the hub value of a page from the result of one of its links.
    fn train_hub(&mut self, page: u64, label: f32) {
        let Some(features) = self.pages.get(page) else { return };
        let Some(evidence) = LinkEvidence::from_features(features) else { return };
        let prediction = self.leads.predict(evidence, &self.table);
        self.leads.learn(evidence, &mut self.table, &prediction, label, 1.0);
    }

    /// Whether a probe of the media type is worth its cost.
    fn should_probe(&self, lease: &Lease) -> bool {
        let Some(evidence) = LinkEvidence::from_features(&lease.entry.features) else { return false };
        let rate = self.non_rdf_types.get(evidence.keys[EvidenceKey::Shape as usize]);
        let is_open = rdf_likelihood(&lease.entry.target, None) == RdfLikelihood::Hard;
        is_open && rate.trials >= MIN_PROBE_TRIALS && rate.mean(0.0) >= MIN_PROBE_SHARE
    }

    /// Whether a probe shows that there is no RDF. If so, the model learns from it, because the
    /// document is not fetched.
    fn is_without_rdf(&mut self, candidate: &QueueEntry, probe: &ProbeResult) -> bool {
        let is_gone = matches!(probe.status, 404 | 410);
        let declared = probe.media_type.as_deref().filter(|_| (200..300).contains(&probe.status));
        let is_without_rdf = match rdf_likelihood(&candidate.target, declared) {
            _ if is_gone => true,
            RdfLikelihood::NonRdf => true,
            // Similar archives had no RDF, so an archive is fetched only if the link promises a dump.
            RdfLikelihood::Archive => {
                LinkEvidence::from_features(&candidate.features).and_then(|it| self.extractor.promise(it))
                    != Some(Promise::Dump)
            }
            RdfLikelihood::Rdf | RdfLikelihood::Hard => false,
        };
        if is_without_rdf {
            self.record_media_type(candidate, declared, false);
            self.train(&candidate.features, 0.0, 1.0);
        }
        is_without_rdf
    }

    /// Trains the redirects that led to a fetched document with its discounted label.
    fn train_redirects(&mut self, target: &Uri, label: f32, weight: f32) {
        let mut fetched = short_fingerprint(target);
        while let Some(redirect) = self.redirects.remove(fetched) {
            self.train(&redirect.features, label * REDIRECT_DISCOUNT, weight);
            if let Some(page) = redirect.page {
                self.train_hub(page, label * REDIRECT_DISCOUNT);
            }
            fetched = redirect.source;
        }
    }

    /// Counts whether a document has a type that cannot hold RDF, or is an archive without RDF.
    fn record_media_type(&mut self, candidate: &QueueEntry, declared: Option<&str>, is_rdf: bool) {
        let likelihood = rdf_likelihood(&candidate.target, declared);
        if let Some(evidence) = LinkEvidence::from_features(&candidate.features) {
            let is_without_rdf = likelihood == RdfLikelihood::NonRdf || likelihood == RdfLikelihood::Archive && !is_rdf;
            let label = f32::from(u8::from(is_without_rdf));
            self.non_rdf_types.observe(evidence.keys[EvidenceKey::Shape as usize], label, 1.0);
        }
    }
}

impl Strategy for LearnedStrategy {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        let page = EvidenceExtractor::page_evidence(found);
        let is_redirect = found.redirects > 0;
        let redirect_evidence =
            found.lease.filter(|_| is_redirect).and_then(|lease| LinkEvidence::from_features(&lease.entry.features));
        if let (Some(lease), false) = (found.lease, is_redirect || links.is_empty()) {
            self.pages.put(short_fingerprint(&lease.entry.target), lease.entry.features.clone());
        }
        let mut offer = |link: Link| {
            let features = self.extractor.extract(&page, &link, redirect_evidence);
            let mut candidate = queue_entry(found, link, 0.0, features);
            candidate.priority = self.priority(&candidate, rng);
            Offer::Queue(candidate)
        };
        links.into_iter().map(&mut offer).collect()
    }

    fn judge(&mut self, lease: &Lease, _: &mut SmallRng) -> Judgement {
        let (decision, action) = match &lease.probe {
            None if self.should_probe(lease) => (Decision::Probe, VerdictAction::None),
            None if lease.entry.found_by == FoundBy::Seed => (Decision::Fetch, VerdictAction::Requested),
            Some(probe) if self.is_without_rdf(&lease.entry, probe) => (Decision::Skip, VerdictAction::Skipped),
            None | Some(_) => (Decision::Fetch, VerdictAction::Predicted),
        };
        let mut verdict = self.explain(&lease.entry).map(|verdict| Verdict { action, ..verdict });
        if let Some(verdict) =
            verdict.as_mut().filter(|verdict| action == VerdictAction::Predicted && verdict.score < 0.5)
        {
            verdict.action = VerdictAction::Best;
        }
        Judgement { decision, verdict }
    }

    fn learn(&mut self, result: &RequestResult<'_>) {
        let QueueEntry { target, features, source, .. } = &result.lease.entry;
        let label = match result.end {
            RequestEnd::Redirect { target: end, is_new: true } => {
                // The label of a redirect is known when its target is fetched.
                let page = source.as_ref().map(short_fingerprint);
                let redirect = PendingRedirect { source: short_fingerprint(target), page, features: features.clone() };
                self.redirects.put(short_fingerprint(end), redirect);
                return;
            }
            RequestEnd::Document { relevance: Relevance::Rdf, digest, .. } => {
                let is_new = digest == 0 || self.digests.peek(digest).is_none();
                self.digests.put(digest, ());
                f32::from(u8::from(is_new))
            }
            RequestEnd::Redirect { .. } | RequestEnd::Document { .. } | RequestEnd::Failure => 0.0,
        };
        if let Some(evidence) = LinkEvidence::from_features(features)
            && let Some(promise) = self.extractor.promise(evidence)
        {
            self.promises.learn(promise, evidence, result.end.is_rdf());
        }
        self.requests += 1;
        self.successes += u64::from(label > 0.0);
        let predicted = self.train(features, label, result.weight);
        if let (RequestEnd::Document { media_type, .. }, Some(predicted)) = (result.end, predicted) {
            self.record_media_type(&result.lease.entry, media_type, result.end.is_rdf());
            self.calibration.learn(predicted, result.end.is_rdf());
        }
        if let Some(source) = source {
            self.train_hub(short_fingerprint(source), label);
        }
        self.train_redirects(target, label, result.weight);
    }

    fn score(&mut self, candidate: &QueueEntry, rng: &mut SmallRng) -> f32 {
        self.priority(candidate, rng)
    }

    fn order(&self) -> DomainOrder {
        DomainOrder::BestFirst
    }

    fn deferral_share(&self) -> Option<f32> {
        Some(self.options.hold_share)
    }

    fn explain(&self, candidate: &QueueEntry) -> Option<Verdict> {
        let evidence = LinkEvidence::from_features(&candidate.features)?;
        let prediction = self.yields.predict(evidence, &self.table);
        let probability = self.calibration.probability(prediction.probability);
        let (promised, probability) = self.apply_promise(evidence, probability);
        let promised = promised.map(|(promise, bonus)| (promises::reason_id(promise), bonus));
        Some(Verdict::new(VerdictAction::None, probability, self.reasons(evidence, &prediction).chain(promised)))
    }

    fn feature_name(&self, feature: u32) -> Option<&str> {
        match EvidenceKey::from_reason_id(feature) {
            Some(key) => Some(key.name()),
            None => promises::reason_name(feature).or_else(|| self.extractor.names.get(feature)),
        }
    }

    fn save(&self) -> Option<Vec<u8>> {
        let payload = LearnedModel {
            requests: self.requests,
            successes: self.successes,
            table: SparseFtrl::from_model(&self.table),
            names: self.extractor.names.to_stored(),
            yields: self.yields.to_stored(),
            leads: self.leads.to_stored(),
            calibration: self.calibration.to_stored(),
        };
        Some(payload.pack())
    }
}

impl LearnedStrategy {
    /// Contribution of each rate and each feature to the log odds.
    fn reasons<'a>(
        &'a self,
        evidence: LinkEvidence<'a>,
        prediction: &'a HeadPrediction,
    ) -> impl Iterator<Item = (u32, f32)> + 'a {
        let contribution = |key: EvidenceKey| self.yields.weight(key) * prediction.contributions[key as usize];
        let rates = EvidenceKey::ALL.into_iter().map(move |key| (key.reason_id(), contribution(key)));
        let scale = evidence.scale();
        rates.chain(evidence.features().map(move |feature| (feature, scale * self.table.weight(feature ^ YIELDS_SALT))))
    }
}

/// A redirect whose target is not fetched yet.
struct PendingRedirect {
    /// Fingerprint of the URL that redirected.
    source: u64,
    /// The page with the link.
    page: Option<u64>,
    /// Evidence of the link.
    features: FeatureVector,
}

/// A short fingerprint, for caches that tolerate collisions.
fn short_fingerprint(uri: &Uri) -> u64 {
    xxhash_rust::xxh3::xxh3_64(uri.as_str().as_bytes())
}

#[cfg(test)]
mod tests;
