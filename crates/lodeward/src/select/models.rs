//! Models as people handle them: shown in words, and added up.

use super::ftrl::Sparse;
use super::names::KeptNames;
use super::{StrategyError, ldcoc, learned, model_file};

/// A model in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Portrait {
    /// The strategy that learned it.
    pub kind: String,
    /// What there is to say of it: what, and how much.
    pub facts: Vec<(String, String)>,
    /// The features that speak most for RDF, heaviest first.
    pub for_rdf: Vec<Weighed>,
    /// The features that speak most against it, heaviest first.
    pub against_rdf: Vec<Weighed>,
}

/// A feature and its weight.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Weighed {
    /// Its number.
    pub number: u32,
    /// What it is called, if that is remembered.
    pub words: Option<String>,
    /// What it adds to the log-odds.
    pub weight: f32,
}

/// Describes a model of any kind, with the `top` heaviest features of each sign.
pub fn describe(model: &[u8], top: usize) -> Result<Portrait, StrategyError> {
    let (kind, payload) = model_file::unpack(model)?;
    match kind.as_str() {
        ldcoc::KIND => Ok(ldcoc::Payload::read(&payload)?.describe(top)),
        learned::KIND => Ok(learned::Payload::read(&payload)?.describe(top)),
        _ => Err(StrategyError::Model(format!("this is a model of strategy {kind}, which cannot be shown"))),
    }
}

/// Adds up models of one kind, as [`Sparse`] says. `base` is what all of them
/// began with, which then counts once; without it each began from nothing.
pub fn merge(models: &[Vec<u8>], base: Option<&[u8]>) -> Result<Vec<u8>, StrategyError> {
    let first = models.first().ok_or_else(|| StrategyError::Setting("there is no model to merge".to_owned()))?;
    let (kind, _) = model_file::unpack(first)?;
    match kind.as_str() {
        ldcoc::KIND => ldcoc::Payload::merge(models, base),
        _ => Err(StrategyError::Model(format!("this is a model of strategy {kind}, which cannot be merged"))),
    }
}

/// The heaviest features of a model: those that speak for RDF, and those that
/// speak against it.
#[must_use]
pub fn heaviest(model: &Sparse, names: &KeptNames, top: usize) -> (Vec<Weighed>, Vec<Weighed>) {
    let mut weights: Vec<(u32, f32)> = model.weights().collect();
    // By number where they weigh the same, so that the answer is always the same.
    weights.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let weighed = |&(number, weight): &(u32, f32)| {
        let words = names.get(number).map(str::to_owned);
        Weighed { number, words, weight }
    };
    let for_rdf = weights.iter().take_while(|(_, weight)| *weight > 0.0).take(top).map(weighed).collect();
    let against_rdf = weights.iter().rev().take_while(|(_, weight)| *weight < 0.0).take(top).map(weighed).collect();
    (for_rdf, against_rdf)
}
