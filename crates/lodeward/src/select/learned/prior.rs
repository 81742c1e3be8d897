//! What is known before the first visit: a model that is shipped.
//!
//! It is learned from a recorded web by [`train`], which `lodeward eval prior`
//! calls. It holds no feature that says which host it is about, none that was met
//! on fewer than a few domains, and no rates at all, for those are of hosts. What
//! it holds counts for little: a crawl soon knows better.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::calibration::Calibration;
use super::evidence::Evidence;
use super::head::Head;
use super::payload::Payload;
use super::{EVERYTHING_AT_FIRST, Options, YIELDS_SALT};
use crate::model::{Features, Pld};
use crate::select::StrategyError;
use crate::select::ftrl::{Coordinate, Ftrl, Sparse, sigmoid};
#[cfg(test)]
use crate::select::model_file;

/// The model that is shipped: `lodeward eval prior` made it.
pub(super) const SHIPPED: &[u8] = include_bytes!("prior.model");

/// Domains a feature must have been met on.
const DOMAINS_MIN: usize = 3;
/// How often the examples are gone through.
const PASSES: usize = 3;
/// How much of the weights is kept: in a crawl, rates say part of the same.
const WEIGHT_KEPT: f32 = 0.5;
/// How much of what was observed a crawl takes for its own observation.
const SHARE_KEPT: f32 = 0.1;

/// A visit that was made.
#[derive(Clone, Copy, Debug)]
pub struct Example<'a> {
    /// What `learned` saw of it.
    pub features: &'a Features,
    /// The domain that was visited.
    pub pld: &'a Pld,
    /// Whether it held RDF.
    pub is_rdf: bool,
}

/// Learns what holds on every host from examples of several. `model` is one
/// that `learned` kept, for the names of features.
pub fn train(examples: &[Example<'_>], model: &[u8]) -> Result<Vec<u8>, StrategyError> {
    let known = Payload::unpack(model)?;
    let mut common = common(examples);
    let labels = labels(examples);
    let mut predicates: HashSet<u32, FixedState> = HashSet::default();
    for (number, words) in known.names.iter() {
        let (field, word) = words.split_once('=').unwrap_or((words, ""));
        if field == "predicate" {
            predicates.insert(number);
        } else if labels.contains(word) {
            common.remove(&number);
        }
    }
    let mut regression = Regression::train(examples, known.table.bits, |feature| common.contains_key(&feature), PASSES);
    faded(&mut regression.table);
    let table = regression.table;
    let is_shipped = |number| common.contains_key(&number) && table.weight(number) != 0.0;
    // Predicates have hosts in their names, if only those of vocabularies.
    let names = known.names.retain(|number| is_shipped(number) && !predicates.contains(&number));
    let nothing = |salt| Head::new(salt, EVERYTHING_AT_FIRST).to_kept();
    let (yields, leads) = (nothing(YIELDS_SALT), nothing(super::LEADS_SALT));
    let calibration = Calibration::default().to_kept();
    let payload = Payload { visits: 0, successes: 0, table: Sparse::of(&table), names, yields, leads, calibration };
    Ok(payload.pack())
}

/// A logistic regression on the features alone, without rates: what can be said
/// of hosts that were never visited.
#[derive(Clone, Debug)]
pub struct Regression {
    table: Ftrl,
    base: f32,
}

impl Regression {
    /// Learns from examples, going through them several times: the features
    /// that were met on several domains and mean the same on every host.
    #[must_use]
    pub fn of_several_domains(examples: &[Example<'_>], passes: usize) -> Self {
        let common = common(examples);
        Self::train(examples, Options::default().bits, |feature| common.contains_key(&feature), passes)
    }

    fn train(examples: &[Example<'_>], bits: u8, is_wanted: impl Fn(u32) -> bool, passes: usize) -> Self {
        let mut table = Ftrl::new(bits, Options::default().rates);
        let base = Head::new(YIELDS_SALT, EVERYTHING_AT_FIRST).base();
        for example in std::iter::repeat_n(examples, passes).flatten() {
            let Some(evidence) = Evidence::of(example.features) else { continue };
            let features: Vec<u32> = evidence.features().filter(|feature| is_wanted(*feature)).collect();
            let predicted = sigmoid(base + evidence.scale() * table.logit(&features));
            let gradient = predicted - f32::from(u8::from(example.is_rdf));
            for feature in features {
                table.step(feature ^ YIELDS_SALT, gradient * evidence.scale());
            }
        }
        Self { table, base }
    }

    /// The probability that something with these features holds RDF.
    #[must_use]
    pub fn score(&self, features: &Features) -> f32 {
        let Some(evidence) = Evidence::of(features) else { return 0.0 };
        let weights = evidence.features().map(|feature| self.table.weight(feature ^ YIELDS_SALT));
        sigmoid(self.base + evidence.scale() * weights.sum::<f32>())
    }
}

/// The words by which the domains are known.
fn labels<'a>(examples: &[Example<'a>]) -> HashSet<&'a str, FixedState> {
    const LABEL_BYTES_MIN: usize = 4;
    let labels = examples.iter().filter_map(|example| example.pld.as_str().split('.').next());
    labels.filter(|label| label.len() >= LABEL_BYTES_MIN).collect()
}

/// The features that mean the same on every host and were met on several.
fn common(examples: &[Example<'_>]) -> HashMap<u32, Vec<u64>, FixedState> {
    let mut domains: HashMap<u32, Vec<u64>, FixedState> = HashMap::default();
    for example in examples {
        let pld = xxhash_rust::xxh3::xxh3_64(example.pld.as_str().as_bytes());
        let Some(evidence) = Evidence::of(example.features) else { continue };
        for feature in evidence.features().filter(|feature| feature % 2 == 0) {
            let met = domains.entry(feature).or_default();
            if met.len() < DOMAINS_MIN && !met.contains(&pld) {
                met.push(pld);
            }
        }
    }
    domains.retain(|_, met| met.len() >= DOMAINS_MIN);
    domains
}

/// Lets weights be smaller, and what was observed count for less.
fn faded(table: &mut Ftrl) {
    let rates = table.rates();
    for index in 0..u32::try_from(table.coordinates().len()).unwrap_or(u32::MAX) {
        let weight = WEIGHT_KEPT * table.weight(index);
        if weight == 0.0 {
            table.set(index, Coordinate::default());
            continue;
        }
        let n = SHARE_KEPT * table.coordinates()[index as usize].n;
        // Solved for z from the weight that FTRL gives to z and n.
        let z = -weight * ((rates.beta + n.sqrt()) / rates.alpha + rates.l2) - weight.signum() * rates.l1;
        table.set(index, Coordinate { z, n });
    }
}

/// Whether a model is one that may be shipped: no feature of a host.
#[cfg(test)]
pub(super) fn is_of_no_host(model: &[u8]) -> bool {
    let (_, payload) = model_file::unpack(model).expect("a model");
    let payload = Payload::read(&payload).expect("a payload");
    payload.table.states().all(|(number, _)| number % 2 == 0)
}
