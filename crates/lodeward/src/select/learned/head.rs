//! A head of the model: one question about candidates, and what speaks to it.

use serde::{Deserialize, Serialize};

use super::EVERYTHING_AT_FIRST;
use super::evidence::{Evidence, Key};
use super::rates::{Rate, Rates};
use crate::select::ftrl::{self, Coordinate, Ftrl, sigmoid};

/// How much each rate counts before anything is known about that.
const WEIGHTS_AT_FIRST: [f32; Key::COUNT] = [0.8, 0.5, 0.6, 0.3, 0.4, 0.6, 0.4, 0.3, 0.3];
/// No rate says more than this, in log-odds.
const SAID_MAX: f32 = 3.0;

/// One question, answered from rates and features.
#[derive(Clone, Debug)]
pub(super) struct Head {
    /// Tells its features from those of the other head in the table they share.
    salt: u32,
    everything: Rate,
    rates: Rates,
    weights: [Coordinate; Key::COUNT],
}

/// How the weights of rates are learned.
const HOW: ftrl::Rates = ftrl::Rates { alpha: 0.05, beta: 1.0, l1: 0.0, l2: 0.0 };

/// What a head has learned, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    everything: (f32, f32),
    weights: Vec<(f32, f32)>,
    rates: Vec<(u32, f32, f32)>,
}

/// What a head says of a candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// The probability.
    pub(super) probability: f32,
    /// How many visits like this one it rests on.
    pub(super) observations: f32,
    /// How many visits to the same domain there were, of late.
    pub(super) in_domain: f32,
    /// What each rate says.
    pub(super) said: [f32; Key::COUNT],
}

impl Head {
    /// `mean` is what is thought of a candidate about which nothing is known.
    pub(super) fn new(salt: u32, mean: f32) -> Self {
        let everything = Rate { successes: 4.0 * mean, trials: 4.0 };
        Self { salt, everything, rates: Rates::new(), weights: [Coordinate::default(); Key::COUNT] }
    }

    /// What it has learned, but for the features.
    pub(super) fn to_kept(&self) -> Kept {
        Kept {
            everything: (self.everything.successes, self.everything.trials),
            weights: self.weights.iter().map(|weight| (weight.z, weight.n)).collect(),
            rates: self.rates.to_kept(),
        }
    }

    /// Goes on from what was learned. Whether it could have been.
    pub(super) fn recall(&mut self, kept: &Kept) -> bool {
        let numbers = kept.weights.iter().flat_map(|(z, n)| [*z, *n]);
        let numbers = numbers.chain([kept.everything.0, kept.everything.1]);
        if kept.weights.len() != Key::COUNT || !numbers.into_iter().all(f32::is_finite) {
            return false;
        }
        self.everything = Rate { successes: kept.everything.0, trials: kept.everything.1 };
        for (weight, (z, n)) in self.weights.iter_mut().zip(&kept.weights) {
            *weight = Coordinate { z: *z, n: n.max(0.0) };
        }
        self.rates.recall(&kept.rates)
    }

    /// The log-odds of what nothing is known about.
    pub(super) fn base(&self) -> f32 {
        log_odds(self.everything.mean(EVERYTHING_AT_FIRST))
    }

    pub(super) fn weight(&self, key: Key) -> f32 {
        WEIGHTS_AT_FIRST[key as usize] + HOW.weight(self.weights[key as usize])
    }

    /// What this head says.
    pub(super) fn answer(&self, evidence: Evidence<'_>, table: &Ftrl) -> Answer {
        let everything = self.everything.mean(EVERYTHING_AT_FIRST);
        let mut means = [everything; Key::COUNT];
        let mut said = [0.0; Key::COUNT];
        let mut logit = log_odds(everything);
        let (mut observations, mut in_domain) = (0.0, 0.0);
        for key in Key::ALL {
            let rate = self.rates.get(evidence.keys[key as usize]);
            let parent = key.parent().map_or(everything, |parent| means[parent as usize]);
            let mean = rate.mean(parent);
            means[key as usize] = mean;
            if rate.trials > 0.0 {
                said[key as usize] = (log_odds(mean) - log_odds(parent)).clamp(-SAID_MAX, SAID_MAX);
                logit += self.weight(key) * said[key as usize];
            }
            if key == Key::Domain {
                in_domain = rate.trials;
            }
            observations += match key {
                Key::Domain => 0.25 * rate.trials,
                Key::Directory | Key::Shape | Key::Section => rate.trials,
                _ => 0.0,
            };
        }
        let weights = evidence.features().map(|feature| table.weight(feature ^ self.salt));
        logit += evidence.scale() * weights.sum::<f32>();
        Answer { probability: sigmoid(logit), observations, in_domain, said }
    }

    /// Learns how a visit turned out.
    pub(super) fn learn(&mut self, evidence: Evidence<'_>, table: &mut Ftrl, answer: &Answer, label: f32, weight: f32) {
        let gradient = weight * (answer.probability - label);
        let scale = evidence.scale();
        for feature in evidence.features() {
            table.step(feature ^ self.salt, gradient * scale);
        }
        for (coordinate, said) in self.weights.iter_mut().zip(answer.said) {
            if said != 0.0 {
                HOW.step(coordinate, gradient * said);
            }
        }
        self.everything.successes += label * weight;
        self.everything.trials += weight;
        for key in evidence.keys {
            self.rates.observe(*key, label, weight);
        }
    }
}

/// A probability as log-odds, kept within reason.
pub(super) fn log_odds(probability: f32) -> f32 {
    let probability = probability.clamp(0.002, 0.998);
    (probability / (1.0 - probability)).ln()
}
