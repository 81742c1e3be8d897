//! Describes and merges models.

use super::feature_names::StoredFeatureNames;
use super::ftrl::SparseFtrl;
use super::{StrategyError, ldcoc, learned, link_analysis, model_file};

/// Description of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSummary {
    /// The strategy that trained it.
    pub kind: String,
    /// Facts about the model: name and value.
    pub facts: Vec<(String, String)>,
    /// The features with the largest positive weights, largest first.
    pub for_rdf: Vec<FeatureWeight>,
    /// The features with the largest negative weights, largest first.
    pub against_rdf: Vec<FeatureWeight>,
}

/// A feature and its weight.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FeatureWeight {
    /// Number of the feature.
    pub number: u32,
    /// Name of the feature, if it is stored.
    pub name: Option<String>,
    /// Contribution to the log odds.
    pub weight: f32,
}

/// Describes a model of any kind, with the `top` features of the largest weights of each sign.
pub fn describe(model: &[u8], top: usize) -> Result<ModelSummary, StrategyError> {
    let (kind, payload) = model_file::unpack(model)?;
    match kind.as_str() {
        ldcoc::KIND => Ok(ldcoc::LdcocModel::read(&payload)?.describe(top)),
        learned::KIND => Ok(learned::LearnedModel::read(&payload)?.describe(top)),
        link_analysis::KIND => link_analysis::describe(&payload, top),
        _ => Err(StrategyError::Model(format!("models of strategy `{kind}` cannot be shown"))),
    }
}

/// Adds models of one kind (see `SparseFtrl`). `base` is the model that all of them started from,
/// if any; it is counted only once. Without it, all models must have started untrained.
pub fn merge(models: &[Vec<u8>], base: Option<&[u8]>) -> Result<Vec<u8>, StrategyError> {
    let first = models.first().ok_or_else(|| StrategyError::Setting("no models to merge".to_owned()))?;
    let (kind, _) = model_file::unpack(first)?;
    match kind.as_str() {
        ldcoc::KIND => ldcoc::LdcocModel::merge(models, base),
        _ => Err(StrategyError::Model(format!("models of strategy `{kind}` cannot be merged"))),
    }
}

/// The heaviest features of a model: with positive weights, and with negative weights.
#[must_use]
pub(crate) fn top_features(
    model: &SparseFtrl,
    names: &StoredFeatureNames,
    top: usize,
) -> (Vec<FeatureWeight>, Vec<FeatureWeight>) {
    let mut weights: Vec<(u32, f32)> = model.weights().collect();
    // Ties are ordered by number, so that the result is deterministic.
    weights.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let weighed = |&(number, weight): &(u32, f32)| {
        let name = names.get(number).map(str::to_owned);
        FeatureWeight { number, name, weight }
    };
    let for_rdf = weights.iter().take_while(|(_, weight)| *weight > 0.0).take(top).map(weighed).collect();
    let against_rdf = weights.iter().rev().take_while(|(_, weight)| *weight < 0.0).take(top).map(weighed).collect();
    (for_rdf, against_rdf)
}
