//! The stored model of `learned`.

use serde::{Deserialize, Serialize};

use super::head::StoredHead;
use crate::select::feature_names::StoredFeatureNames;
use crate::select::ftrl::SparseFtrl;
use crate::select::model_summary::{ModelSummary, top_features};
use crate::select::{StrategyError, model_file};

/// Kind of the model files of `learned`.
pub(crate) const KIND: &str = "learned";

/// The trained model of `learned`. Encoded with postcard in a model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::select) struct LearnedModel {
    /// Number of requests it was trained on.
    pub(super) requests: u64,
    /// Number of requests that yielded new RDF.
    pub(super) successes: u64,
    /// Weights of features, of both heads.
    pub(super) table: SparseFtrl,
    /// Names of features.
    pub(super) names: StoredFeatureNames,
    /// The head that predicts whether a request yields RDF.
    pub(super) yields: StoredHead,
    /// The head that predicts whether a document links to RDF.
    pub(super) leads: StoredHead,
    /// Calibration of predictions.
    pub(super) calibration: [(f32, f32); 2],
}

impl LearnedModel {
    /// Decodes an unpacked payload.
    pub(in crate::select) fn read(payload: &[u8]) -> Result<Self, StrategyError> {
        postcard::from_bytes(payload).map_err(|_| StrategyError::Model("the model file is corrupted".to_owned()))
    }

    /// Decodes a model file.
    pub(super) fn unpack(file: &[u8]) -> Result<Self, StrategyError> {
        Self::read(&model_file::unpack_as(KIND, file)?)
    }

    /// Encodes a model file.
    pub(super) fn pack(&self) -> Vec<u8> {
        model_file::pack(KIND, &postcard::to_stdvec(self).expect("serialisation to memory does not fail"))
    }

    /// Describes the model.
    pub(in crate::select) fn describe(&self, top: usize) -> ModelSummary {
        // The table is shared by both heads. Names are stored only for features of the head that
        // predicts RDF.
        let (mut for_rdf, mut against_rdf) = top_features(&self.table, &self.names, usize::MAX);
        for features in [&mut for_rdf, &mut against_rdf] {
            features.retain(|feature| feature.name.is_some());
            features.truncate(top);
        }
        let facts = [
            ("requests", format!("{}, {} of them with new RDF", self.requests, self.successes)),
            ("coordinates", format!("{} of 2^{} trained", self.table.len(), self.table.bits)),
            ("weights", format!("{} not zero", self.table.weights().count())),
            ("names", format!("{} stored", self.names.iter().count())),
        ];
        let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        ModelSummary { kind: KIND.to_owned(), facts, for_rdf, against_rdf }
    }
}
