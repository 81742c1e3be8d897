//! Classifiers that are trained before the crawl: the baselines of LDCOC's Tables 1 and 2.
//!
//! [`ExampleCollector`] crawls breadth first and collects examples; [`TrainedModel::train`] trains
//! a classifier; `OfflineStrategy` crawls with it.

pub(crate) mod collector;
pub(crate) mod strategy;
pub(crate) mod knn;
pub(crate) mod nb;
pub(crate) mod svm;

pub use collector::{CollectedExample, ExampleCollector};
use knn::Knn;
pub(crate) use strategy::OfflineStrategy;
use svm::Svm;

use crate::select::baselines::naive_bayes::NaiveBayesModel;
use crate::select::ldcoc::FeatureSet;
use crate::select::{StrategyError, model_file};

/// Classifies documents as RDF or not, by binary features.
pub trait Classifier: Send + Sync {
    /// Returns a score between 0 and 1. Above [`THRESHOLD`], the document is classified as RDF.
    fn score(&self, features: &[u32]) -> f32;

    /// Contribution of a feature to the log odds, if the classifier has one.
    fn weight(&self, _feature: u32) -> f32 {
        0.0
    }
}

/// Scores above this are classified as RDF.
pub const THRESHOLD: f32 = 0.5;

/// Allowed number of bits of a model.
const BITS: std::ops::RangeInclusive<u8> = 1..=28;
/// Maximum number of dimensions of a model.
const MAX_DIMENSIONS: usize = 1 << 28;

/// A training example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrainingExample {
    /// The present features, in ascending order.
    pub features: Vec<u32>,
    /// Whether the document has RDF.
    pub label: bool,
}

/// Kind of a classifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassifierKind {
    /// Naive Bayes.
    Nb,
    /// A linear support vector machine.
    Svm,
    /// Five nearest neighbours.
    Knn,
}

impl ClassifierKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Nb, Self::Svm, Self::Knn];

    /// Name of its strategy, and kind of its model files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nb => "nb",
            Self::Svm => "svm",
            Self::Knn => "knn",
        }
    }
}

/// A trained classifier with its feature sets.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainedModel {
    /// The feature sets of LDCOC that it uses.
    pub features: FeatureSet,
    /// Number of bits: features are below 2 to the power of `bits`.
    pub bits: u8,
    /// The trained classifier.
    trained: TrainedClassifier,
}

/// A trained classifier.
#[derive(Clone, Debug, PartialEq)]
enum TrainedClassifier {
    /// Naive Bayes.
    Nb(NaiveBayesModel),
    /// A linear support vector machine.
    Svm(Svm),
    /// Nearest neighbours.
    Knn(Knn),
}

impl TrainedClassifier {
    fn kind(&self) -> ClassifierKind {
        match self {
            Self::Nb(_) => ClassifierKind::Nb,
            Self::Svm(_) => ClassifierKind::Svm,
            Self::Knn(_) => ClassifierKind::Knn,
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

impl TrainedModel {
    /// Trains a classifier on examples of these feature sets, whose features are below 2 to the
    /// power of `bits`. The same examples give the same model.
    ///
    /// # Panics
    ///
    /// If there are more than 28 bits, or if a feature is not below 2 to the power of `bits`.
    #[must_use]
    pub fn train(kind: ClassifierKind, features: FeatureSet, bits: u8, examples: &[TrainingExample]) -> Self {
        assert!(BITS.contains(&bits), "a model has at most 28 bits, not {bits}");
        let dimensions = 1 << bits;
        let trained = match kind {
            ClassifierKind::Nb => TrainedClassifier::Nb(nb::train(dimensions, examples)),
            ClassifierKind::Svm => TrainedClassifier::Svm(Svm::train(dimensions, examples, svm::SvmOptions::default())),
            ClassifierKind::Knn => TrainedClassifier::Knn(Knn::train(examples)),
        };
        Self { features, bits, trained }
    }

    /// Encodes a model file.
    #[must_use]
    pub fn pack(&self) -> Vec<u8> {
        let trained = match &self.trained {
            TrainedClassifier::Nb(model) => model.to_bytes(),
            TrainedClassifier::Svm(model) => model.to_bytes(),
            TrainedClassifier::Knn(model) => model.to_bytes(),
        };
        let payload = postcard::to_stdvec(&(self.features.to_string(), self.bits, trained))
            .expect("serialisation to memory does not fail");
        model_file::pack(self.trained.kind().name(), &payload)
    }

    /// Decodes a model file of this kind.
    pub(super) fn unpack(kind: ClassifierKind, bytes: &[u8]) -> Result<Self, StrategyError> {
        let payload = model_file::unpack_as(kind.name(), bytes)?;
        let damaged = |_| StrategyError::Model(format!("the model of strategy {} is corrupted", kind.name()));
        let (features, bits, trained): (String, u8, &[u8]) = postcard::from_bytes(&payload).map_err(damaged)?;
        if !BITS.contains(&bits) {
            return Err(StrategyError::Model(format!("the model has an invalid size: {bits} bits")));
        }
        let trained = match kind {
            ClassifierKind::Nb => TrainedClassifier::Nb(NaiveBayesModel::from_bytes(trained).map_err(damaged)?),
            ClassifierKind::Svm => TrainedClassifier::Svm(Svm::from_bytes(trained).map_err(damaged)?),
            ClassifierKind::Knn => TrainedClassifier::Knn(Knn::from_bytes(trained).map_err(damaged)?),
        };
        Ok(Self { features: features.parse()?, bits, trained })
    }
}

impl Classifier for TrainedModel {
    fn score(&self, features: &[u32]) -> f32 {
        self.trained.classifier().score(features)
    }

    fn weight(&self, feature: u32) -> f32 {
        self.trained.classifier().weight(feature)
    }
}

#[cfg(test)]
fn examples(all: &[(&[u32], bool)]) -> Vec<TrainingExample> {
    all.iter().map(|(features, label)| TrainingExample { features: features.to_vec(), label: *label }).collect()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod model_tests {
    use super::*;

    /// Feature 0 occurs with RDF only, feature 1 without RDF only, the others with both.
    fn training_examples() -> Vec<TrainingExample> {
        let one = |number: u32| TrainingExample {
            features: vec![number % 2, 2 + number % 7],
            label: number.is_multiple_of(2),
        };
        (0..60).map(one).collect()
    }

    #[test]
    fn every_classifier_separates_training_examples() {
        for kind in ClassifierKind::ALL {
            let model = TrainedModel::train(kind, FeatureSet::default(), 10, &training_examples());

            assert!(model.score(&[0, 5]) > THRESHOLD, "{kind:?}");
            assert!(model.score(&[1, 5]) < THRESHOLD, "{kind:?}");
        }
    }

    #[test]
    fn models_round_trip_and_reject_other_kinds() {
        for kind in ClassifierKind::ALL {
            let features: FeatureSet = "+t+r".parse().unwrap();
            let model = TrainedModel::train(kind, features, 10, &training_examples());

            let bytes = model.pack();

            assert_eq!(TrainedModel::unpack(kind, &bytes).unwrap(), model);
            assert_eq!(
                bytes,
                TrainedModel::train(kind, features, 10, &training_examples()).pack(),
                "{kind:?} is deterministic"
            );
            for other in ClassifierKind::ALL.into_iter().filter(|other| *other != kind) {
                assert!(TrainedModel::unpack(other, &bytes).is_err());
            }
            assert!(TrainedModel::unpack(kind, &model_file::pack(kind.name(), &[1, 2, 3])).is_err());
        }
    }
}
