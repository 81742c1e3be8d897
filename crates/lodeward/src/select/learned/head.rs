//! A head of the model: one question about candidates, and what speaks to it.

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
    how: ftrl::Rates,
}

/// What a head says of a candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    /// The probability.
    pub(super) probability: f32,
    /// How many visits like this one it rests on.
    pub(super) observations: f32,
    /// What each rate says.
    pub(super) said: [f32; Key::COUNT],
}

impl Head {
    /// `mean` is what is thought of a candidate about which nothing is known.
    pub(super) fn new(salt: u32, mean: f32) -> Self {
        let everything = Rate { successes: 4.0 * mean, trials: 4.0 };
        let how = ftrl::Rates { alpha: 0.05, beta: 1.0, l1: 0.0, l2: 0.0 };
        Self { salt, everything, rates: Rates::new(), weights: [Coordinate::default(); Key::COUNT], how }
    }

    /// The number of a feature, as this head has it.
    pub(super) fn salted(&self, feature: u32, table: &Ftrl) -> u32 {
        (feature ^ self.salt) & (u32::try_from(table.coordinates().len() - 1).unwrap_or(u32::MAX))
    }

    pub(super) fn weight(&self, key: Key) -> f32 {
        WEIGHTS_AT_FIRST[key as usize] + self.how.weight(self.weights[key as usize])
    }

    /// What this head says.
    pub(super) fn answer(&self, evidence: Evidence<'_>, table: &Ftrl) -> Answer {
        let everything = self.everything.mean(0.3);
        let mut means = [everything; Key::COUNT];
        let mut said = [0.0; Key::COUNT];
        let mut logit = log_odds(everything);
        let mut observations = 0.0;
        for key in Key::ALL {
            let rate = self.rates.get(evidence.keys[key as usize]);
            let parent = key.parent().map_or(everything, |parent| means[parent as usize]);
            let mean = rate.mean(parent);
            means[key as usize] = mean;
            if rate.trials > 0.0 {
                said[key as usize] = (log_odds(mean) - log_odds(parent)).clamp(-SAID_MAX, SAID_MAX);
                logit += self.weight(key) * said[key as usize];
            }
            observations += match key {
                Key::Domain => 0.25 * rate.trials,
                Key::Directory | Key::Shape | Key::Section => rate.trials,
                _ => 0.0,
            };
        }
        logit += evidence.features().map(|feature| table.weight(self.salted(feature, table))).sum::<f32>();
        Answer { probability: sigmoid(logit), observations, said }
    }

    /// Learns how a visit turned out.
    pub(super) fn learn(&mut self, evidence: Evidence<'_>, table: &mut Ftrl, answer: &Answer, label: f32, weight: f32) {
        let gradient = weight * (answer.probability - label);
        for feature in evidence.features() {
            table.step(self.salted(feature, table), gradient);
        }
        for (coordinate, said) in self.weights.iter_mut().zip(answer.said) {
            if said != 0.0 {
                self.how.step(coordinate, gradient * said);
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
fn log_odds(probability: f32) -> f32 {
    let probability = probability.clamp(0.002, 0.998);
    (probability / (1.0 - probability)).ln()
}
