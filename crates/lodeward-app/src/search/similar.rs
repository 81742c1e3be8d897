//! Entities that are similar to one entity.

use lodeward_search::similar::{SIMILARITY_PART_NAMES, SimilarEntity};
use serde::Serialize;

use super::{EntitySearchError, FeatureShare};
use crate::display_text::single_line;
use crate::followers::search::SearchIndex;
use crate::prefixes::expand_name;

/// An entity that is similar to another one.
#[derive(Clone, Debug, Serialize)]
pub struct SimilarResult {
    /// IRI of the entity.
    pub iri: String,
    /// Its label, or the name in its IRI.
    pub label: String,
    /// Score; comparable within one list.
    pub score: f64,
    /// IRIs of its types.
    pub types: Vec<String>,
    /// What both have in common, from 0 to 1: statements, neighbours, predicates and words.
    pub why: Vec<FeatureShare>,
}

/// Returns the entities that are most similar to one, the best first. The entity is an IRI, or a name
/// with a usual prefix.
pub fn similar(index: &SearchIndex, entity: &str, limit: usize) -> Result<Vec<SimilarResult>, EntitySearchError> {
    let iri = expand_name(entity).ok_or_else(|| EntitySearchError::UnknownPrefix(entity.to_owned()))?;
    let described = index.entities().describe(&iri)?.ok_or(EntitySearchError::UnknownEntity(iri))?;
    let view = index.view()?;
    let mut results = Vec::new();
    for SimilarEntity { key, score, parts, shares } in view.similar(&described, limit)? {
        let Some(summary) = view.summary(key)? else { continue };
        let figures = SIMILARITY_PART_NAMES.into_iter().zip(parts).zip(shares);
        results.push(SimilarResult {
            iri: summary.iri,
            label: single_line(&summary.label).into_owned(),
            score,
            types: summary.types,
            why: figures
                .map(|((feature, value), share)| FeatureShare { feature, value: f64::from(value), share })
                .collect(),
        });
    }
    Ok(results)
}
