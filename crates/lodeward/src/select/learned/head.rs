//! A head of the model: predicts one property of candidates from evidence.

use serde::{Deserialize, Serialize};

use super::PRIOR_PROBABILITY;
use super::evidence::{EvidenceKey, LinkEvidence};
use super::rates::{RateTable, SuccessRate};
use crate::select::ftrl::{self, Ftrl, FtrlCoordinate, sigmoid};

/// Initial weight of each rate.
const INITIAL_WEIGHTS: [f32; EvidenceKey::COUNT] = [0.8, 0.5, 0.6, 0.3, 0.4, 0.6, 0.4, 0.3, 0.3];
/// Maximum contribution of a rate, in log odds.
const MAX_RATE_LOG_ODDS: f32 = 3.0;

/// Predicts one property from rates and features.
#[derive(Clone, Debug)]
pub(super) struct ModelHead {
    /// Separates its features from those of the other head in the shared table.
    salt: u32,
    overall: SuccessRate,
    rates: RateTable,
    coordinates: [FtrlCoordinate; EvidenceKey::COUNT],
    /// Weights of the rates, computed from the coordinates, because they are read much more often
    /// than changed.
    weights: [f32; EvidenceKey::COUNT],
}

/// Learning parameters of the weights of rates.
const FTRL_OPTIONS: ftrl::FtrlOptions = ftrl::FtrlOptions { alpha: 0.05, beta: 1.0, l1: 0.0, l2: 0.0 };

/// The stored state of a head.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredHead {
    overall: (f32, f32),
    weights: Vec<(f32, f32)>,
    rates: Vec<(u32, f32, f32)>,
}

/// Prediction of a head for a candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadPrediction {
    /// The predicted probability of the property.
    pub(super) probability: f32,
    /// Number of similar requests that the prediction is based on.
    pub(super) observations: f32,
    /// Number of recent requests to the same domain.
    pub(super) in_domain: f32,
    /// Contribution of each rate to the log odds.
    pub(super) contributions: [f32; EvidenceKey::COUNT],
}

impl ModelHead {
    /// Creates an untrained head. `mean` is the prediction without evidence.
    pub(super) fn new(salt: u32, mean: f32) -> Self {
        let overall = SuccessRate { successes: 4.0 * mean, trials: 4.0 };
        let coordinates = [FtrlCoordinate::default(); EvidenceKey::COUNT];
        Self { salt, overall, rates: RateTable::new(), coordinates, weights: rate_weights(&coordinates) }
    }

    /// Encodes the state, without the features.
    pub(super) fn to_stored(&self) -> StoredHead {
        StoredHead {
            overall: (self.overall.successes, self.overall.trials),
            weights: self.coordinates.iter().map(|weight| (weight.z, weight.n)).collect(),
            rates: self.rates.to_stored(),
        }
    }

    /// Restores the state. Returns `false` if it is invalid.
    pub(super) fn restore(&mut self, stored: &StoredHead) -> bool {
        let numbers = stored.weights.iter().flat_map(|(z, n)| [*z, *n]);
        let numbers = numbers.chain([stored.overall.0, stored.overall.1]);
        if stored.weights.len() != EvidenceKey::COUNT || !numbers.into_iter().all(f32::is_finite) {
            return false;
        }
        self.overall = SuccessRate { successes: stored.overall.0, trials: stored.overall.1 };
        for (coordinate, (z, n)) in self.coordinates.iter_mut().zip(&stored.weights) {
            *coordinate = FtrlCoordinate { z: *z, n: n.max(0.0) };
        }
        self.weights = rate_weights(&self.coordinates);
        self.rates.restore(&stored.rates)
    }

    /// Log odds that the head predicts for a candidate without evidence.
    pub(super) fn base_log_odds(&self) -> f32 {
        log_odds(self.overall.mean(PRIOR_PROBABILITY))
    }

    pub(super) fn weight(&self, key: EvidenceKey) -> f32 {
        self.weights[key as usize]
    }

    /// Predicts the property of a candidate.
    pub(super) fn predict(&self, evidence: LinkEvidence<'_>, table: &Ftrl) -> HeadPrediction {
        let overall = self.overall.mean(PRIOR_PROBABILITY);
        let overall_log_odds = log_odds(overall);
        // The mean of each key and its log odds, for the keys whose parent it is.
        let mut estimates = [(overall, overall_log_odds); EvidenceKey::COUNT];
        let mut contributions = [0.0; EvidenceKey::COUNT];
        let mut logit = overall_log_odds;
        let (mut observations, mut in_domain) = (0.0, 0.0);
        for key in EvidenceKey::ALL {
            let rate = self.rates.get(evidence.keys[key as usize]);
            let parent = key.parent().map_or((overall, overall_log_odds), |parent| estimates[parent as usize]);
            estimates[key as usize] = parent;
            if rate.trials > 0.0 {
                let mean = rate.mean(parent.0);
                let mean_log_odds = log_odds(mean);
                estimates[key as usize] = (mean, mean_log_odds);
                contributions[key as usize] = (mean_log_odds - parent.1).clamp(-MAX_RATE_LOG_ODDS, MAX_RATE_LOG_ODDS);
                logit += self.weight(key) * contributions[key as usize];
            }
            if key == EvidenceKey::Domain {
                in_domain = rate.trials;
            }
            observations += match key {
                EvidenceKey::Domain => 0.25 * rate.trials,
                EvidenceKey::Directory | EvidenceKey::Shape | EvidenceKey::Section => rate.trials,
                _ => 0.0,
            };
        }
        let weights = evidence.features().map(|feature| table.weight(feature ^ self.salt));
        logit += evidence.scale() * weights.sum::<f32>();
        HeadPrediction { probability: sigmoid(logit), observations, in_domain, contributions }
    }

    /// Learns from a result.
    pub(super) fn learn(
        &mut self,
        evidence: LinkEvidence<'_>,
        table: &mut Ftrl,
        prediction: &HeadPrediction,
        label: f32,
        weight: f32,
    ) {
        let gradient = weight * (prediction.probability - label);
        let scale = evidence.scale();
        for feature in evidence.features() {
            table.step(feature ^ self.salt, gradient * scale);
        }
        for (coordinate, contribution) in self.coordinates.iter_mut().zip(prediction.contributions) {
            if contribution != 0.0 {
                FTRL_OPTIONS.step(coordinate, gradient * contribution);
            }
        }
        self.weights = rate_weights(&self.coordinates);
        self.overall.successes += label * weight;
        self.overall.trials += weight;
        for key in evidence.keys {
            self.rates.observe(*key, label, weight);
        }
    }
}

/// The weights of the rates.
fn rate_weights(coordinates: &[FtrlCoordinate; EvidenceKey::COUNT]) -> [f32; EvidenceKey::COUNT] {
    std::array::from_fn(|key| INITIAL_WEIGHTS[key] + FTRL_OPTIONS.weight(coordinates[key]))
}

/// Converts a probability to log odds, within bounds.
pub(super) fn log_odds(probability: f32) -> f32 {
    let probability = probability.clamp(0.002, 0.998);
    (probability / (1.0 - probability)).ln()
}
