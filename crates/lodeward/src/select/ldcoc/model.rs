//! The stored model of LDCOC.

use serde::{Deserialize, Serialize};

use super::extractor::StoredUrlMemory;
use super::{FeatureSet, KIND};
use crate::select::feature_names::StoredFeatureNames;
use crate::select::ftrl::SparseFtrl;
use crate::select::model_summary::{ModelSummary, top_features};
use crate::select::{StrategyError, model_file};

/// The trained model of LDCOC. Encoded with postcard in a model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LdcocModel {
    /// Names of the feature sets it was trained with.
    pub features: String,
    /// Counts of the training examples.
    pub examples: ExampleCounts,
    /// The trained coordinates of the classifier.
    pub model: SparseFtrl,
    /// Names of its features.
    pub names: StoredFeatureNames,
    /// Media types of URIs, so that a resumed crawl sends no HEAD request again.
    pub memory: StoredUrlMemory,
}

/// Counts of hard URIs that were fetched, by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ExampleCounts {
    /// Examples with RDF.
    pub with_rdf: u64,
    /// Examples without RDF.
    pub without_rdf: u64,
    /// Sum of the weights of examples with RDF.
    pub with_rdf_weight: f64,
    /// Sum of the weights of examples without RDF.
    pub without_rdf_weight: f64,
}

impl ExampleCounts {
    /// Counts an example.
    pub(crate) fn add(&mut self, is_relevant: bool, weight: f32) {
        if is_relevant {
            self.with_rdf += 1;
            self.with_rdf_weight += f64::from(weight);
        } else {
            self.without_rdf += 1;
            self.without_rdf_weight += f64::from(weight);
        }
    }

    /// Returns the estimated ratio of positive to negative examples if no URI were skipped; `None`
    /// unless there are examples of both.
    #[must_use]
    pub(crate) fn ratio(&self) -> Option<f64> {
        (self.with_rdf > 0 && self.without_rdf > 0).then(|| self.with_rdf_weight / self.without_rdf_weight)
    }

    fn add_signed(self, sign: i8, other: Self) -> Self {
        let count = |left: u64, right: u64| if sign < 0 { left.saturating_sub(right) } else { left + right };
        let weight = |left: f64, right: f64| (left + f64::from(sign) * right).max(0.0);
        Self {
            with_rdf: count(self.with_rdf, other.with_rdf),
            without_rdf: count(self.without_rdf, other.without_rdf),
            with_rdf_weight: weight(self.with_rdf_weight, other.with_rdf_weight),
            without_rdf_weight: weight(self.without_rdf_weight, other.without_rdf_weight),
        }
    }
}

impl LdcocModel {
    /// Decodes an unpacked payload.
    pub(crate) fn read(payload: &[u8]) -> Result<Self, StrategyError> {
        postcard::from_bytes(payload).map_err(|_| StrategyError::Model("the model file is corrupted".to_owned()))
    }

    /// Decodes a model file.
    pub(crate) fn unpack(file: &[u8]) -> Result<Self, StrategyError> {
        Self::read(&model_file::unpack_as(KIND, file)?)
    }

    /// Encodes a model file.
    #[must_use]
    pub(crate) fn pack(&self) -> Vec<u8> {
        model_file::pack(KIND, &postcard::to_stdvec(self).expect("serialisation to memory does not fail"))
    }

    /// Returns an error unless the model was trained with these feature sets.
    pub(crate) fn check_feature_set(&self, features: FeatureSet) -> Result<(), StrategyError> {
        let trained = self.features.parse::<FeatureSet>()?;
        if trained == features {
            return Ok(());
        }
        let message = format!(
            "the model was trained with the feature sets {trained}, but strategy.ldcoc.features is {features}; \
             hint: set it to {trained}, or start without the model"
        );
        Err(StrategyError::Model(message))
    }

    /// Adds up models. The model that all of them started from, `base`, is counted only once.
    pub(in crate::select) fn merge(models: &[Vec<u8>], base: Option<&[u8]>) -> Result<Vec<u8>, StrategyError> {
        let mut models = models.iter().map(|model| Self::unpack(model));
        let mut sum = models.next().ok_or_else(|| StrategyError::Setting("no models to merge".to_owned()))??;
        let base = base.map(Self::unpack).transpose()?;
        for model in models {
            sum = sum.add_signed(1, model?)?;
            if let Some(base) = &base {
                sum = sum.add_signed(-1, base.clone())?;
            }
        }
        Ok(sum.pack())
    }

    fn add_signed(self, sign: i8, other: Self) -> Result<Self, StrategyError> {
        if self.features != other.features {
            let message = format!(
                "cannot merge models with the feature sets {} and {}: the sets must be equal",
                self.features, other.features
            );
            return Err(StrategyError::Model(message));
        }
        Ok(Self {
            examples: self.examples.add_signed(sign, other.examples),
            model: self.model.add_scaled(f32::from(sign), &other.model)?,
            names: self.names.merge(other.names),
            // The media types of other crawls are of no use to a new one, and filters cannot be subtracted.
            memory: StoredUrlMemory::default(),
            features: self.features,
        })
    }

    /// Describes the model.
    #[must_use]
    pub(crate) fn describe(&self, top: usize) -> ModelSummary {
        let rates = &self.model.rates;
        let (for_rdf, against_rdf) = top_features(&self.model, &self.names, top);
        let facts = [
            ("feature sets", self.features.clone()),
            ("examples", format!("{} with RDF, {} without", self.examples.with_rdf, self.examples.without_rdf)),
            ("coordinates", format!("{} of 2^{} trained", self.model.len(), self.model.bits)),
            ("weights", format!("{} not zero", self.model.weights().count())),
            ("names", format!("{} stored", self.names.iter().count())),
            ("media types", format!("{} remembered, each of many URIs", self.memory.media_types.len())),
            ("parameters", format!("α {}, β {}, λ1 {}, λ2 {}", rates.alpha, rates.beta, rates.l1, rates.l2)),
        ];
        let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        ModelSummary { kind: KIND.to_owned(), facts, for_rdf, against_rdf }
    }
}
