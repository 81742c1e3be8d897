//! What LDCOC has learned, as it is kept.

use serde::{Deserialize, Serialize};

use super::{FeatureSet, KIND};
use crate::select::ftrl::Sparse;
use crate::select::models::{Portrait, heaviest};
use crate::select::names::KeptNames;
use crate::select::{StrategyError, model_file};

/// What LDCOC has learned. In a model file it is packed with postcard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Payload {
    /// The feature sets it was learned with, by name.
    pub features: String,
    /// From how many examples.
    pub examples: Examples,
    /// The classifier.
    pub model: Sparse,
    /// What its features are called.
    pub names: KeptNames,
}

/// How many hard URIs were visited, and how they turned out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Examples {
    /// Those that held RDF.
    pub relevant: u64,
    /// Those that did not.
    pub barren: u64,
    /// The sum of the weights of those that did.
    pub relevant_weight: f64,
    /// The sum of the weights of those that did not.
    pub barren_weight: f64,
}

impl Examples {
    /// Counts an example.
    pub fn count(&mut self, is_relevant: bool, weight: f32) {
        if is_relevant {
            self.relevant += 1;
            self.relevant_weight += f64::from(weight);
        } else {
            self.barren += 1;
            self.barren_weight += f64::from(weight);
        }
    }

    /// The ratio of positive to negative examples, as they would be had without
    /// any selection; `None` before there are some of both.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        (self.relevant > 0 && self.barren > 0).then(|| self.relevant_weight / self.barren_weight)
    }

    fn plus(self, sign: i8, other: Self) -> Self {
        let count = |ours: u64, theirs: u64| if sign < 0 { ours.saturating_sub(theirs) } else { ours + theirs };
        let weight = |ours: f64, theirs: f64| (ours + f64::from(sign) * theirs).max(0.0);
        Self {
            relevant: count(self.relevant, other.relevant),
            barren: count(self.barren, other.barren),
            relevant_weight: weight(self.relevant_weight, other.relevant_weight),
            barren_weight: weight(self.barren_weight, other.barren_weight),
        }
    }
}

impl Payload {
    /// Reads an unpacked payload.
    pub fn read(payload: &[u8]) -> Result<Self, StrategyError> {
        postcard::from_bytes(payload).map_err(|_| StrategyError::Model("the model is damaged".to_owned()))
    }

    /// Reads a model file.
    pub fn unpack(file: &[u8]) -> Result<Self, StrategyError> {
        Self::read(&model_file::unpack_as(KIND, file)?)
    }

    /// As a model file.
    #[must_use]
    pub fn pack(&self) -> Vec<u8> {
        model_file::pack(KIND, &postcard::to_stdvec(self).expect("a model is plain data"))
    }

    /// Whether it was learned with these feature sets.
    pub fn require(&self, features: FeatureSet) -> Result<(), StrategyError> {
        let learned = self.features.parse::<FeatureSet>()?;
        if learned == features {
            return Ok(());
        }
        let message = format!(
            "the model was learned with the feature sets {learned}, and select.features says {features}: set it to \
             {learned}, or begin without the model"
        );
        Err(StrategyError::Model(message))
    }

    /// Adds up models, less what they began with.
    pub(in crate::select) fn merge(models: &[Vec<u8>], base: Option<&[u8]>) -> Result<Vec<u8>, StrategyError> {
        let mut models = models.iter().map(|model| Self::unpack(model));
        let mut sum =
            models.next().ok_or_else(|| StrategyError::Setting("there is no model to merge".to_owned()))??;
        let base = base.map(Self::unpack).transpose()?;
        for model in models {
            sum = sum.plus(1, model?)?;
            if let Some(base) = &base {
                sum = sum.plus(-1, base.clone())?;
            }
        }
        Ok(sum.pack())
    }

    fn plus(self, sign: i8, other: Self) -> Result<Self, StrategyError> {
        if self.features != other.features {
            let message = format!(
                "models with the feature sets {} and {} cannot be added: their features mean different things",
                self.features, other.features
            );
            return Err(StrategyError::Model(message));
        }
        Ok(Self {
            examples: self.examples.plus(sign, other.examples),
            model: self.model.plus(f32::from(sign), &other.model)?,
            names: self.names.joined(other.names),
            features: self.features,
        })
    }

    /// The model in words.
    #[must_use]
    pub fn describe(&self, top: usize) -> Portrait {
        let rates = &self.model.rates;
        let (for_rdf, against_rdf) = heaviest(&self.model, &self.names, top);
        let facts = [
            ("feature sets", self.features.clone()),
            ("examples", format!("{} with RDF, {} without", self.examples.relevant, self.examples.barren)),
            ("coordinates", format!("{} of 2^{} have learned", self.model.len(), self.model.bits)),
            ("weights", format!("{} are not zero", self.model.weights().count())),
            ("names", format!("{} are remembered", self.names.iter().count())),
            ("rates", format!("α {}, β {}, λ1 {}, λ2 {}", rates.alpha, rates.beta, rates.l1, rates.l2)),
        ];
        let facts = facts.into_iter().map(|(what, value)| (what.to_owned(), value)).collect();
        Portrait { kind: KIND.to_owned(), facts, for_rdf, against_rdf }
    }
}
