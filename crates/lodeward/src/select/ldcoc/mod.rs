//! LDCOC: an online classifier decides which URIs are visited.
//!
//! Huang and Gandon, "Learning URI Selection Criteria to Improve the Crawling of
//! Linked Open Data" (ESWC 2019), Algorithms 1 and 2; ALGORITHMS.md §1. Breadth
//! first and round robin over the domains. What an extension or a media type
//! settles is *easy*; for the rest, the *hard* URIs, the media type is asked for
//! with a HEAD request, and FTRL-proximal predicts whether the document holds
//! RDF. Predicted barren ones are visited with probability ε all the same, and
//! their lesson weighs 1/ε.
//!
//! Readings where the paper leaves some room, and departures:
//! - An ignorant model says 0.5, which is not above τ, so that by Alg. 2 even
//!   most seeds would be skipped. Seeds, and where they redirect to, are visited
//!   in any case: somebody has asked for them.
//! - Whether a barren-looking URI is explored follows from the crawl's seed and
//!   the URI alone. A visit may be judged more than once (robots.txt, a busy
//!   server), and must not need that luck each time.
//! - A HEAD that says that nothing is there spares the GET.
//! - The rates of FTRL-proximal are by coordinate, and there is an L2 term
//!   ([`super::ftrl`]).

mod feature_set;
mod features;
mod parts;
mod payload;
mod sight;
#[cfg(test)]
mod tests;

pub use feature_set::FeatureSet;
pub use payload::{Examples, Payload};
pub use sight::{Look, Sight};

use rand::Rng;
use rand::rngs::SmallRng;

use super::ftrl::{Ftrl, Rates, Sparse};
use super::media_types::essence;
use super::{Action, Decision, Found, Judgement, Lesson, Names, Strategy, StrategyError, Verdict};
use crate::frontier::Offer;
use crate::model::media_type::Ease;
use crate::model::{Candidate, Link, Probe, Uri, Visit};

/// The kind of its models.
pub const KIND: &str = "ldcoc";
/// Siblings of a link that `+x` looks at.
pub const SIBLINGS_MAX: usize = 8;
/// The least ε that a ratio of examples gives: below, a lesson would weigh more
/// than a hundred others.
const EPSILON_MIN: f64 = 0.01;

/// What LDCOC is set to.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The feature sets.
    pub features: FeatureSet,
    /// A model has 2 to the power of this many coordinates, unless one is given.
    pub bits: u8,
    /// How many names of features are remembered.
    pub names_max: usize,
    /// Visited is what is predicted above this (τ).
    pub tau: f32,
    /// The share of the rest that is visited (ε).
    pub epsilon: f64,
    /// Take for ε the ratio of positive to negative examples so far.
    pub epsilon_by_ratio: bool,
    /// How it learns.
    pub rates: Rates,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            features: FeatureSet::default(),
            bits: 22,
            names_max: 65_536,
            tau: 0.5,
            epsilon: 0.17,
            epsilon_by_ratio: false,
            rates: Rates::default(),
        }
    }
}

/// The strategy.
pub struct Ldcoc {
    options: Options,
    model: Ftrl,
    examples: Examples,
    sight: Sight,
    /// Where the chance of each URI comes from; drawn when first needed.
    chance: Option<u64>,
}

/// What a media type is known by, when a server was asked and did not say.
const UNSAID: &str = "";

impl Ldcoc {
    /// Begins with a model file, or from nothing. A model brings its own size;
    /// its feature sets must be those of the options.
    pub fn new(options: Options, model: Option<&[u8]>) -> Result<Self, StrategyError> {
        let payload = model.map(Payload::unpack).transpose()?;
        let mut model = match &payload {
            Some(payload) => {
                payload.require(options.features)?;
                payload.model.to_model()?
            }
            None => Ftrl::new(options.bits, options.rates),
        };
        model.set_rates(options.rates);
        let mut names = Names::new(model.bits(), options.names_max);
        if let Some(payload) = &payload {
            names.recall(&payload.names);
        }
        Ok(Self {
            sight: Sight::with_names(options.features, model.bits(), names),
            examples: payload.map_or(Examples::default(), |payload| payload.examples),
            options,
            model,
            chance: None,
        })
    }

    /// What it was taught so far.
    #[must_use]
    pub fn examples(&self) -> Examples {
        self.examples
    }

    /// Its ε: the share of what is predicted barren that is visited.
    fn epsilon(&self) -> f64 {
        let ratio = self.examples.ratio().filter(|_| self.options.epsilon_by_ratio);
        ratio.map_or(self.options.epsilon, |ratio| ratio.clamp(EPSILON_MIN, 1.0))
    }

    /// The luck of a URI, from 0 to 1: the same however often it is asked for.
    fn luck(&mut self, uri: &Uri, rng: &mut SmallRng) -> f64 {
        let seed = *self.chance.get_or_insert_with(|| rng.random());
        let hash = xxhash_rust::xxh3::xxh3_64_with_seed(uri.as_str().as_bytes(), seed);
        #[expect(clippy::cast_precision_loss, reason = "53 bits of chance are plenty")]
        let luck = (hash >> 11) as f64 / (1_u64 << 53) as f64;
        luck
    }

    /// Judges a hard URI whose media type is known: Alg. 2, lines 8 to 29.
    fn predict(&mut self, target: &Uri, features: &[u32], rng: &mut SmallRng) -> Judgement {
        let score = self.model.predict(features);
        let (action, decision) = if score > self.options.tau {
            (Action::Predicted, Decision::Fetch)
        } else {
            let epsilon = self.epsilon();
            #[expect(clippy::cast_possible_truncation, reason = "a weight of at most a hundred")]
            let weight = (1.0 / epsilon) as f32;
            if self.luck(target, rng) < epsilon {
                (Action::Explored, Decision::Explore { weight })
            } else {
                (Action::Skipped, Decision::Skip)
            }
        };
        Judgement { decision, verdict: Some(self.verdict(action, score, features)) }
    }

    fn verdict(&self, action: Action, score: f32, features: &[u32]) -> Verdict {
        Verdict::new(action, score, features.iter().map(|&number| (number, self.model.weight(number))))
    }
}

/// A judgement that needs no model, if there is one.
fn settled(ease: Ease) -> Option<Judgement> {
    let (decision, score) = match ease {
        Ease::Rdf => (Decision::Fetch, 1.0),
        // The paper reads no archives.
        Ease::Barren | Ease::Archive => (Decision::Skip, 0.0),
        Ease::Hard => return None,
    };
    Some(Judgement { decision, verdict: Some(Verdict { action: Action::Easy, score, reasons: Vec::new() }) })
}

/// The media type that a HEAD request told. The type of an error page says
/// nothing of the document, and some servers refuse HEAD.
fn told(probe: &Probe) -> String {
    let declared = probe.media_type.as_deref().filter(|_| (200..300).contains(&probe.status));
    declared.map_or(UNSAID.to_owned(), essence)
}

fn is_gone(probe: &Probe) -> bool {
    matches!(probe.status, 404 | 410)
}

impl Strategy for Ldcoc {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        self.sight.place(found, links, rng)
    }

    fn judge(&mut self, visit: &Visit, rng: &mut SmallRng) -> Judgement {
        match self.sight.look(visit) {
            Look::Settled(judgement) => judgement,
            Look::Hard(features) => self.predict(&visit.candidate.target, &features, rng),
            Look::Given(features) => {
                let score = self.model.predict(&features);
                let verdict = self.verdict(Action::Given, score, &features);
                Judgement { decision: Decision::Fetch, verdict: Some(verdict) }
            }
        }
    }

    fn learn(&mut self, lesson: &Lesson<'_>) {
        let Some((features, is_relevant)) = self.sight.lesson(lesson) else { return };
        let predicted = self.model.predict(&features);
        self.model.learn(&features, predicted, f32::from(u8::from(is_relevant)), lesson.weight);
        self.examples.count(is_relevant, lesson.weight);
    }

    fn explain(&self, candidate: &Candidate) -> Option<Verdict> {
        let features = self.sight.recall(candidate);
        Some(self.verdict(Action::None, self.model.predict(&features), &features))
    }

    fn name_of(&self, feature: u32) -> Option<&str> {
        self.sight.name_of(feature)
    }

    fn save(&self) -> Option<Vec<u8>> {
        let payload = Payload {
            features: self.options.features.to_string(),
            examples: self.examples,
            model: Sparse::of(&self.model),
            names: self.sight.kept_names(),
        };
        Some(payload.pack())
    }
}
