//! Classifiers that were trained before the crawl and learn nothing in it: the
//! contenders of LDCOC's Tables 1 and 2.
//!
//! A [`Collector`] crawls breadth first and notes what it sees; [`Model::train`]
//! makes a classifier of that; and [`Offline`] crawls with it.

pub mod collector;
pub mod gate;
pub mod knn;
pub mod nb;
pub mod svm;

pub use collector::{Collected, Collector};
pub use gate::Offline;
pub use knn::Knn;
pub use svm::Svm;

use crate::select::ldcoc::FeatureSet;
use crate::select::naive_bayes::NaiveBayes;
use crate::select::{StrategyError, model_file};

/// Tells RDF from what is not, by binary features.
pub trait Classifier: Send + Sync {
    /// Between 0 and 1; what is above [`THRESHOLD`] is RDF.
    fn score(&self, features: &[u32]) -> f32;

    /// What a feature adds to the log-odds, where that can be told.
    fn weight(&self, _feature: u32) -> f32 {
        0.0
    }
}

/// Where RDF begins.
pub const THRESHOLD: f32 = 0.5;

/// How large models may be: 2 to the power of these.
const BITS: std::ops::RangeInclusive<u8> = 1..=28;
/// More features than any model has.
const DIMENSIONS_MAX: usize = 1 << 28;

/// Something to learn from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// The features that are there, in ascending order.
    pub features: Vec<u32>,
    /// Whether it holds RDF.
    pub label: bool,
}

/// The sorts of classifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Naive Bayes.
    Nb,
    /// A linear support vector machine.
    Svm,
    /// The five nearest neighbours.
    Knn,
}

impl Sort {
    /// Every sort.
    pub const ALL: [Self; 3] = [Self::Nb, Self::Svm, Self::Knn];

    /// The name of the strategy that uses it, and the kind of its models.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nb => "nb",
            Self::Svm => "svm",
            Self::Knn => "knn",
        }
    }
}

/// A classifier, and what its features are.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The feature sets of LDCOC that it looks at.
    pub features: FeatureSet,
    /// Features are below 2 to the power of this.
    pub bits: u8,
    /// The classifier itself.
    pub trained: Trained,
}

/// A classifier of some sort.
#[derive(Clone, Debug, PartialEq)]
pub enum Trained {
    /// Naive Bayes.
    Nb(NaiveBayes),
    /// A linear support vector machine.
    Svm(Svm),
    /// The nearest neighbours.
    Knn(Knn),
}

impl Trained {
    fn sort(&self) -> Sort {
        match self {
            Self::Nb(_) => Sort::Nb,
            Self::Svm(_) => Sort::Svm,
            Self::Knn(_) => Sort::Knn,
        }
    }

    fn classifier(&self) -> &dyn Classifier {
        match self {
            Self::Nb(model) => model,
            Self::Svm(model) => model,
            Self::Knn(model) => model,
        }
    }
}

impl Model {
    /// Trains a classifier with examples of these feature sets, whose features
    /// are below 2 to the power of `bits`. The same examples give the same model.
    ///
    /// # Panics
    ///
    /// If there are more than 28 bits, or a feature is not below their power.
    #[must_use]
    pub fn train(sort: Sort, features: FeatureSet, bits: u8, examples: &[Example]) -> Self {
        assert!(BITS.contains(&bits), "models have at most 28 bits");
        let dimensions = 1 << bits;
        let trained = match sort {
            Sort::Nb => Trained::Nb(nb::train(dimensions, examples)),
            Sort::Svm => Trained::Svm(Svm::train(dimensions, examples, svm::Training::default())),
            Sort::Knn => Trained::Knn(Knn::train(examples)),
        };
        Self { features, bits, trained }
    }

    /// The model as a file.
    #[must_use]
    pub fn pack(&self) -> Vec<u8> {
        let trained = match &self.trained {
            Trained::Nb(model) => model.to_bytes(),
            Trained::Svm(model) => model.to_bytes(),
            Trained::Knn(model) => model.to_bytes(),
        };
        let payload =
            postcard::to_stdvec(&(self.features.to_string(), self.bits, trained)).expect("bytes can be written");
        model_file::pack(self.trained.sort().name(), &payload)
    }

    /// Reads a model file of this sort.
    pub fn unpack(sort: Sort, bytes: &[u8]) -> Result<Self, StrategyError> {
        let payload = model_file::unpack_as(sort.name(), bytes)?;
        let damaged = |_| StrategyError::Model(format!("the model of strategy {} is damaged", sort.name()));
        let (features, bits, trained): (String, u8, &[u8]) = postcard::from_bytes(&payload).map_err(damaged)?;
        if !BITS.contains(&bits) {
            return Err(StrategyError::Model(format!("a model of 2 to the power of {bits} features is none")));
        }
        let trained = match sort {
            Sort::Nb => Trained::Nb(NaiveBayes::from_bytes(trained).map_err(damaged)?),
            Sort::Svm => Trained::Svm(Svm::from_bytes(trained).map_err(damaged)?),
            Sort::Knn => Trained::Knn(Knn::from_bytes(trained).map_err(damaged)?),
        };
        Ok(Self { features: features.parse()?, bits, trained })
    }
}

impl Classifier for Model {
    fn score(&self, features: &[u32]) -> f32 {
        self.trained.classifier().score(features)
    }

    fn weight(&self, feature: u32) -> f32 {
        self.trained.classifier().weight(feature)
    }
}

#[cfg(test)]
fn examples(all: &[(&[u32], bool)]) -> Vec<Example> {
    all.iter().map(|(features, label)| Example { features: features.to_vec(), label: *label }).collect()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod model_tests {
    use super::*;

    /// Feature 0 goes with RDF, feature 1 without, and the others with both.
    fn taught() -> Vec<Example> {
        let one = |number: u32| Example { features: vec![number % 2, 2 + number % 7], label: number.is_multiple_of(2) };
        (0..60).map(one).collect()
    }

    #[test]
    fn every_classifier_learns_what_is_plain() {
        for sort in Sort::ALL {
            let model = Model::train(sort, FeatureSet::default(), 10, &taught());

            assert!(model.score(&[0, 5]) > THRESHOLD, "{sort:?}");
            assert!(model.score(&[1, 5]) < THRESHOLD, "{sort:?}");
        }
    }

    #[test]
    fn a_model_is_the_same_when_it_comes_back_and_is_not_taken_for_another() {
        for sort in Sort::ALL {
            let features: FeatureSet = "+t+r".parse().unwrap();
            let model = Model::train(sort, features, 10, &taught());

            let bytes = model.pack();

            assert_eq!(Model::unpack(sort, &bytes).unwrap(), model);
            assert_eq!(bytes, Model::train(sort, features, 10, &taught()).pack(), "{sort:?} is deterministic");
            for other in Sort::ALL.into_iter().filter(|other| *other != sort) {
                assert!(Model::unpack(other, &bytes).is_err());
            }
            assert!(Model::unpack(sort, &model_file::pack(sort.name(), &[1, 2, 3])).is_err());
        }
    }
}
