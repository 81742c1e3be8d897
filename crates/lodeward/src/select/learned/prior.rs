//! The bundled model: the prior of a crawl.
//!
//! [`train`] trains it on a recorded web; `lodeward-eval prior` calls it. It contains no
//! host-specific features, no features that occurred on only a few domains, and no rates, because
//! rates are per host. Its evidence is equivalent to few observations, so the results of a crawl
//! soon outweigh it.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::calibration::PlattCalibration;
use super::evidence::LinkEvidence;
use super::head::ModelHead;
use super::model::LearnedModel;
use super::{LearnedOptions, PRIOR_PROBABILITY, YIELDS_SALT};
use crate::frontier::FeatureVector;
use crate::model::Pld;
use crate::select::StrategyError;
use crate::select::ftrl::{Ftrl, FtrlCoordinate, SparseFtrl, sigmoid};
#[cfg(test)]
use crate::select::model_file;

/// The bundled model, created by `lodeward-eval prior`.
pub(super) const BUNDLED_MODEL: &[u8] = include_bytes!("prior.model");

/// Minimum number of domains on which a feature must occur.
const MIN_DOMAINS: usize = 3;
/// Number of passes over the examples.
const PASSES: usize = 3;
/// Factor by which weights are reduced: in a crawl, rates cover part of the same evidence.
const WEIGHT_FACTOR: f32 = 0.5;
/// Factor by which the number of observations is reduced.
const OBSERVATION_FACTOR: f32 = 0.1;

/// A training example.
#[derive(Clone, Copy, Debug)]
pub struct PriorExample<'a> {
    /// Features extracted by `learned`.
    pub features: &'a FeatureVector,
    /// Domain of the request.
    pub pld: &'a Pld,
    /// Whether the document has RDF.
    pub is_rdf: bool,
}

/// Trains a host-independent model on examples of several hosts. `model` is a model saved by
/// `learned`; the names of features are taken from it.
pub fn train(examples: &[PriorExample<'_>], model: &[u8]) -> Result<Vec<u8>, StrategyError> {
    let known = LearnedModel::unpack(model)?;
    let mut common = common_features(examples);
    let labels = domain_labels(examples);
    let mut predicates: HashSet<u32, FixedState> = HashSet::default();
    for (number, text) in known.names.iter() {
        let (field, word) = text.split_once('=').unwrap_or((text, ""));
        if field == "predicate" {
            predicates.insert(number);
        } else if labels.contains(word) {
            common.remove(&number);
        }
    }
    let mut regression =
        PriorRegression::train(examples, known.table.bits, |feature| common.contains_key(&feature), PASSES);
    shrink_weights(&mut regression.table);
    let table = regression.table;
    let is_shipped = |number| common.contains_key(&number) && table.weight(number) != 0.0;
    // Predicates contain host names, at least those of vocabularies.
    let names = known.names.retain(|number| is_shipped(number) && !predicates.contains(&number));
    let untrained = |salt| ModelHead::new(salt, PRIOR_PROBABILITY).to_stored();
    let (yields, leads) = (untrained(YIELDS_SALT), untrained(super::LEADS_SALT));
    let calibration = PlattCalibration::default().to_stored();
    let payload = LearnedModel {
        requests: 0,
        successes: 0,
        table: SparseFtrl::from_model(&table),
        names,
        yields,
        leads,
        calibration,
    };
    Ok(payload.pack())
}

/// A logistic regression on the features, without rates: applicable to unknown hosts.
#[derive(Clone, Debug)]
pub struct PriorRegression {
    table: Ftrl,
    base: f32,
}

impl PriorRegression {
    /// Trains on examples, in several passes, with the host-independent features that occurred on
    /// several domains.
    #[must_use]
    pub fn train_common_features(examples: &[PriorExample<'_>], passes: usize) -> Self {
        let common = common_features(examples);
        Self::train(examples, LearnedOptions::default().bits, |feature| common.contains_key(&feature), passes)
    }

    fn train(examples: &[PriorExample<'_>], bits: u8, is_used: impl Fn(u32) -> bool, passes: usize) -> Self {
        let mut table = Ftrl::new(bits, LearnedOptions::default().rates);
        let base = ModelHead::new(YIELDS_SALT, PRIOR_PROBABILITY).base_log_odds();
        for example in std::iter::repeat_n(examples, passes).flatten() {
            let Some(evidence) = LinkEvidence::from_features(example.features) else { continue };
            let features: Vec<u32> = evidence.features().filter(|feature| is_used(*feature)).collect();
            let predicted = sigmoid(base + evidence.scale() * table.logit(&features));
            let gradient = predicted - f32::from(u8::from(example.is_rdf));
            for feature in features {
                table.step(feature ^ YIELDS_SALT, gradient * evidence.scale());
            }
        }
        Self { table, base }
    }

    /// The probability that a document with these features has RDF.
    #[must_use]
    pub fn score(&self, features: &FeatureVector) -> f32 {
        let Some(evidence) = LinkEvidence::from_features(features) else { return 0.0 };
        let weights = evidence.features().map(|feature| self.table.weight(feature ^ YIELDS_SALT));
        sigmoid(self.base + evidence.scale() * weights.sum::<f32>())
    }
}

/// The first labels of the domains.
fn domain_labels<'a>(examples: &[PriorExample<'a>]) -> HashSet<&'a str, FixedState> {
    const MIN_LABEL_BYTES: usize = 4;
    let labels = examples.iter().filter_map(|example| example.pld.as_str().split('.').next());
    labels.filter(|label| label.len() >= MIN_LABEL_BYTES).collect()
}

/// The host-independent features that occurred on several domains.
fn common_features(examples: &[PriorExample<'_>]) -> HashMap<u32, Vec<u64>, FixedState> {
    let mut domains: HashMap<u32, Vec<u64>, FixedState> = HashMap::default();
    for example in examples {
        let pld = xxhash_rust::xxh3::xxh3_64(example.pld.as_str().as_bytes());
        let Some(evidence) = LinkEvidence::from_features(example.features) else { continue };
        for feature in evidence.features().filter(|feature| feature % 2 == 0) {
            let seen = domains.entry(feature).or_default();
            if seen.len() < MIN_DOMAINS && !seen.contains(&pld) {
                seen.push(pld);
            }
        }
    }
    domains.retain(|_, seen| seen.len() >= MIN_DOMAINS);
    domains
}

/// Reduces the weights and the number of observations.
fn shrink_weights(table: &mut Ftrl) {
    let rates = table.options();
    for index in 0..u32::try_from(table.coordinates().len()).unwrap_or(u32::MAX) {
        let weight = WEIGHT_FACTOR * table.weight(index);
        if weight == 0.0 {
            table.set(index, FtrlCoordinate::default());
            continue;
        }
        let n = OBSERVATION_FACTOR * table.coordinates()[index as usize].n;
        // The inverse of FTRL's weight of z and n.
        let z = -weight * ((rates.beta + n.sqrt()) / rates.alpha + rates.l2) - weight.signum() * rates.l1;
        table.set(index, FtrlCoordinate { z, n });
    }
}

/// Whether a model has no host-specific features, so that it may be bundled.
#[cfg(test)]
pub(super) fn is_host_independent(model: &[u8]) -> bool {
    let (_, payload) = model_file::unpack(model).expect("a model");
    let payload = LearnedModel::read(&payload).expect("a payload");
    payload.table.states().all(|(number, _)| number % 2 == 0)
}
