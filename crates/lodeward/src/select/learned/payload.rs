//! What `learned` has learned, as it is kept.

use serde::{Deserialize, Serialize};

use super::head::Kept;
use crate::select::ftrl::Sparse;
use crate::select::models::{Portrait, heaviest};
use crate::select::names::KeptNames;
use crate::select::{StrategyError, model_file};

/// The kind of its model files.
pub const KIND: &str = "learned";

/// What `learned` has learned. In a model file it is packed with postcard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::select) struct Payload {
    /// From how many visits.
    pub(super) visits: u64,
    /// How many of them brought RDF that was new.
    pub(super) successes: u64,
    /// The weights of features, of both heads.
    pub(super) table: Sparse,
    /// What features are called.
    pub(super) names: KeptNames,
    /// The head that tells whether a visit yields RDF.
    pub(super) yields: Kept,
    /// The head that tells whether it leads to some.
    pub(super) leads: Kept,
    /// What predictions mean.
    pub(super) calibration: [(f32, f32); 2],
}

impl Payload {
    /// Reads an unpacked payload.
    pub(in crate::select) fn read(payload: &[u8]) -> Result<Self, StrategyError> {
        postcard::from_bytes(payload).map_err(|_| StrategyError::Model("the model is damaged".to_owned()))
    }

    /// Reads a model file.
    pub(super) fn unpack(file: &[u8]) -> Result<Self, StrategyError> {
        Self::read(&model_file::unpack_as(KIND, file)?)
    }

    /// As a model file.
    pub(super) fn pack(&self) -> Vec<u8> {
        model_file::pack(KIND, &postcard::to_stdvec(self).expect("a model is plain data"))
    }

    /// The model in words.
    pub(in crate::select) fn describe(&self, top: usize) -> Portrait {
        // The table is of both heads. What has a name is of the one that tells
        // whether a visit yields RDF; of the other, names are not kept.
        let (mut for_rdf, mut against_rdf) = heaviest(&self.table, &self.names, usize::MAX);
        for weighed in [&mut for_rdf, &mut against_rdf] {
            weighed.retain(|one| one.words.is_some());
            weighed.truncate(top);
        }
        let facts = [
            ("visits", format!("{}, of which {} brought RDF that was new", self.visits, self.successes)),
            ("coordinates", format!("{} of 2^{} have learned", self.table.len(), self.table.bits)),
            ("weights", format!("{} are not zero", self.table.weights().count())),
            ("names", format!("{} are remembered", self.names.iter().count())),
        ];
        let facts = facts.into_iter().map(|(what, value)| (what.to_owned(), value)).collect();
        Portrait { kind: KIND.to_owned(), facts, for_rdf, against_rdf }
    }
}
