//! The model of link analysis: what is stored, and its description.

use super::KIND;
use super::class::{Heuristic, LinkClass};
use super::neighbourhood::{MAX_SIBLING_GROUPS, Neighbourhood};
use super::prediction_tally::PredictionTally;
use super::rdf_pages::RdfPageNames;
use crate::select::StrategyError;
use crate::select::model_summary::{FeatureWeight, ModelSummary};

/// A stored model.
pub(super) struct LinkAnalysisModel {
    pub(super) tally: PredictionTally,
    pub(super) pages: RdfPageNames,
    pub(super) known: Neighbourhood,
}

/// Encodes a model.
pub(super) fn encode(tally: &PredictionTally, pages: &RdfPageNames, known: &Neighbourhood) -> Vec<u8> {
    postcard::to_stdvec(&(tally, pages, known.to_bytes())).expect("serialisation to memory does not fail")
}

impl LinkAnalysisModel {
    /// Decodes a model.
    pub(super) fn read(payload: &[u8]) -> Result<Self, StrategyError> {
        let damaged = |_| StrategyError::Model(format!("the model of strategy {KIND} is corrupted"));
        let (tally, pages, groups): (_, _, &[u8]) = postcard::from_bytes(payload).map_err(damaged)?;
        let known = Neighbourhood::from_bytes(MAX_SIBLING_GROUPS, groups).map_err(damaged)?;
        Ok(Self { tally, pages, known })
    }
}

/// Describes a model: how often each class was right, `S_HR` with its last `top` pages, and the `top`
/// heuristics of each sign.
pub(crate) fn describe(payload: &[u8], top: usize) -> Result<ModelSummary, StrategyError> {
    let LinkAnalysisModel { tally, pages, known } = LinkAnalysisModel::read(payload)?;
    let class_fact = |class: &LinkClass| {
        let (rdf, all) = tally.class_counts(*class);
        (class.name().to_owned(), format!("{rdf} of {all} documents had RDF"))
    };
    let mut facts: Vec<(String, String)> = LinkClass::ALL.iter().rev().map(class_fact).collect();
    let additions = format!("{} additions, {} groups of similar pages", pages.additions, known.len());
    facts.push(("S_HR".to_owned(), additions));
    facts.extend(pages.names.iter().rev().take(top).map(|name| ("S_HR page".to_owned(), name.clone())));
    let fired = tally.fired_heuristics();
    let weight = |&(heuristic, weight): &(Heuristic, f32)| FeatureWeight {
        number: heuristic.number(),
        name: Some(heuristic.description().to_owned()),
        weight,
    };
    let for_rdf = fired.iter().take_while(|(_, weight)| *weight > 0.0).take(top).map(weight).collect();
    let against_rdf = fired.iter().rev().take_while(|(_, weight)| *weight < 0.0).take(top).map(weight).collect();
    Ok(ModelSummary { kind: KIND.to_owned(), facts, for_rdf, against_rdf })
}
