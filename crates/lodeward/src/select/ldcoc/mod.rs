//! LDCOC: an online classifier decides which URIs are fetched.
//!
//! Huang and Gandon, "Learning URI Selection Criteria to Improve the Crawling of Linked Open Data"
//! (ESWC 2019), Algorithms 1 and 2; docs/algorithms.md §1. The order is breadth first, round robin
//! over the domains. URIs that are decided by extension or media type are *easy*; for the others,
//! the *hard* URIs, a HEAD request gets the media type, and FTRL-proximal predicts whether the
//! document has RDF. URIs predicted to have no RDF are fetched with probability ε, and their
//! results have weight 1/ε.
//!
//! Interpretations where the paper is not specific, and departures:
//! - An untrained model predicts 0.5, which is not above τ, so by Alg. 2 even most seeds would be
//!   skipped. Seeds, and the targets of their redirects, are always fetched, because the user
//!   requested them.
//! - Whether a URI is explored depends only on the seed of the crawl and the URI. A lease may be
//!   judged several times (robots.txt, a busy server), and must not be sampled again each time.
//! - If the response to HEAD is 404 or 410, GET is not sent.
//! - The learning rates of FTRL-proximal are per coordinate, and there is an L2 term
//!   ([`super::ftrl`]).

mod feature_set;
mod features;
mod url_parts;
mod model;
mod extractor;
#[cfg(test)]
mod tests;

pub(crate) use extractor::{LdcocFeatures, LdcocInput};
pub use feature_set::FeatureSet;
pub(crate) use model::{ExampleCounts, LdcocModel};

use rand::Rng;
use rand::rngs::SmallRng;

use super::ftrl::{Ftrl, FtrlOptions, SparseFtrl};
use super::media_type_memory::{URIS_PER_FILTER, essence};
use super::{Decision, FeatureNames, Judgement, LinkContext, RequestResult, Strategy, StrategyError};
use crate::frontier::{Lease, Offer, QueueEntry};
use crate::model::rdf_likelihood::RdfLikelihood;
use crate::model::{Link, ProbeResult, Uri, Verdict, VerdictAction};

/// Kind of its model files.
pub(crate) const KIND: &str = "ldcoc";
/// Maximum number of siblings of a link for `+x`.
pub const MAX_SIBLINGS: usize = 8;
/// Minimum ε if it is computed from the ratio of examples. Below it, one result would have more
/// than a hundred times the weight of another.
const MIN_EPSILON: f64 = 0.01;

/// Options of LDCOC.
#[derive(Clone, Debug, PartialEq)]
pub struct LdcocOptions {
    /// The feature sets.
    pub features: FeatureSet,
    /// Number of bits: a new model has 2 to the power of `bits` coordinates.
    pub bits: u8,
    /// Maximum number of feature names stored.
    pub max_names: usize,
    /// Threshold of the prediction above which a URI is fetched (τ).
    pub tau: f32,
    /// Share of the other URIs that are fetched (ε).
    pub epsilon: f64,
    /// Whether ε is computed as the ratio of positive to negative examples.
    pub epsilon_by_ratio: bool,
    /// Number of URIs per filter of media types.
    pub max_remembered_uris: usize,
    /// Parameters of the learner.
    pub rates: FtrlOptions,
}

impl Default for LdcocOptions {
    fn default() -> Self {
        Self {
            features: FeatureSet::default(),
            bits: 22,
            max_names: 65_536,
            tau: 0.5,
            epsilon: 0.17,
            epsilon_by_ratio: false,
            max_remembered_uris: URIS_PER_FILTER,
            rates: FtrlOptions::default(),
        }
    }
}

/// The strategy `ldcoc`.
pub(crate) struct LdcocStrategy {
    options: LdcocOptions,
    model: Ftrl,
    examples: ExampleCounts,
    extractor: LdcocFeatures,
    /// Seed of the exploration hash; sampled on first use.
    exploration_seed: Option<u64>,
}

/// Media type of a document whose server does not state one.
const NO_MEDIA_TYPE: &str = "";

impl LdcocStrategy {
    /// Starts with a model file, or untrained. A model keeps its own size; its feature sets must be
    /// those of the options.
    pub(crate) fn new(options: LdcocOptions, model: Option<&[u8]>) -> Result<Self, StrategyError> {
        let payload = model.map(LdcocModel::unpack).transpose()?;
        let mut model = match &payload {
            Some(payload) => {
                payload.check_feature_set(options.features)?;
                payload.model.to_model()?
            }
            None => Ftrl::new(options.bits, options.rates),
        };
        model.set_options(options.rates);
        let mut names = FeatureNames::new(model.bits(), options.max_names);
        if let Some(payload) = &payload {
            names.restore(&payload.names);
        }
        let mut extractor =
            LdcocFeatures::with_names(options.features, model.bits(), names, options.max_remembered_uris);
        let mut examples = ExampleCounts::default();
        if let Some(payload) = payload {
            extractor.restore_memory(payload.memory);
            examples = payload.examples;
        }
        Ok(Self { extractor, examples, options, model, exploration_seed: None })
    }

    /// ε: the share of URIs predicted to have no RDF that is fetched.
    fn epsilon(&self) -> f64 {
        let ratio = self.examples.ratio().filter(|_| self.options.epsilon_by_ratio);
        ratio.map_or(self.options.epsilon, |ratio| ratio.clamp(MIN_EPSILON, 1.0))
    }

    /// Returns a pseudo-random number for a URI, from 0 to 1, which is the same in every call.
    fn exploration_draw(&mut self, uri: &Uri, rng: &mut SmallRng) -> f64 {
        let seed = *self.exploration_seed.get_or_insert_with(|| rng.random());
        let hash = xxhash_rust::xxh3::xxh3_64_with_seed(uri.as_str().as_bytes(), seed);
        #[expect(clippy::cast_precision_loss, reason = "53 bits are enough")]
        let draw = (hash >> 11) as f64 / (1_u64 << 53) as f64;
        draw
    }

    /// Judges a hard URI whose media type is known: Alg. 2, lines 8 to 29.
    fn predict(&mut self, target: &Uri, features: &[u32], rng: &mut SmallRng) -> Judgement {
        let score = self.model.predict(features);
        let (action, decision) = if score > self.options.tau {
            (VerdictAction::Predicted, Decision::Fetch)
        } else {
            let epsilon = self.epsilon();
            #[expect(clippy::cast_possible_truncation, reason = "a weight of at most a hundred")]
            let weight = (1.0 / epsilon) as f32;
            if self.exploration_draw(target, rng) < epsilon {
                (VerdictAction::Explored, Decision::Explore { weight })
            } else {
                (VerdictAction::Skipped, Decision::Skip)
            }
        };
        Judgement { decision, verdict: Some(self.verdict(action, score, features)) }
    }

    fn verdict(&self, action: VerdictAction, score: f32, features: &[u32]) -> Verdict {
        Verdict::new(action, score, features.iter().map(|&number| (number, self.model.weight(number))))
    }
}

/// The judgement of an easy URI; `None` for a hard one.
fn easy_judgement(ease: RdfLikelihood) -> Option<Judgement> {
    let (decision, score) = match ease {
        RdfLikelihood::Rdf => (Decision::Fetch, 1.0),
        // The paper does not read archives.
        RdfLikelihood::NonRdf | RdfLikelihood::Archive => (Decision::Skip, 0.0),
        RdfLikelihood::Hard => return None,
    };
    Some(Judgement { decision, verdict: Some(Verdict { action: VerdictAction::Easy, score, reasons: Vec::new() }) })
}

/// Returns the media type of a response to HEAD; empty for an error response, whose media type is
/// not that of the document. Some servers reject HEAD.
fn probed_media_type(probe: &ProbeResult) -> String {
    let declared = probe.media_type.as_deref().filter(|_| (200..300).contains(&probe.status));
    declared.map_or(NO_MEDIA_TYPE.to_owned(), essence)
}

fn is_gone(probe: &ProbeResult) -> bool {
    matches!(probe.status, 404 | 410)
}

impl Strategy for LdcocStrategy {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        self.extractor.offer_links(found, links, rng)
    }

    fn judge(&mut self, lease: &Lease, rng: &mut SmallRng) -> Judgement {
        match self.extractor.classify(lease) {
            LdcocInput::Settled(judgement) => judgement,
            LdcocInput::Hard(features) => self.predict(&lease.entry.target, &features, rng),
            LdcocInput::Requested(features) => {
                let score = self.model.predict(&features);
                let verdict = self.verdict(VerdictAction::Requested, score, &features);
                Judgement { decision: Decision::Fetch, verdict: Some(verdict) }
            }
        }
    }

    fn learn(&mut self, result: &RequestResult<'_>) {
        let Some((features, has_rdf)) = self.extractor.training_example(result) else { return };
        let predicted = self.model.predict(&features);
        self.model.learn(&features, predicted, f32::from(u8::from(has_rdf)), result.weight);
        self.examples.add(has_rdf, result.weight);
    }

    fn explain(&self, candidate: &QueueEntry) -> Option<Verdict> {
        let features = self.extractor.current_features(candidate);
        Some(self.verdict(VerdictAction::None, self.model.predict(&features), &features))
    }

    fn feature_name(&self, feature: u32) -> Option<&str> {
        self.extractor.feature_name(feature)
    }

    fn save(&self) -> Option<Vec<u8>> {
        let payload = LdcocModel {
            features: self.options.features.to_string(),
            examples: self.examples,
            model: SparseFtrl::from_model(&self.model),
            names: self.extractor.stored_names(),
            memory: self.extractor.stored_memory(),
        };
        Some(payload.pack())
    }
}
