//! Settings of retrieval as options of `lodeward-search`.

use std::sync::Arc;

use lodeward_search::retrieve::published::{
    AffinityForm, AffinityOptions, ContextFields, ContextOptions, ExpansionKind, ExpansionOptions, PublishedOptions,
    PublishedParts, ScoreNormalisation, StringDistance, TypeGranularity,
};
use lodeward_search::retrieve::{RankedWeights, RelationLexicon, RetrievalOptions};
use lodeward_search::text::StemmedLanguages;

use crate::settings::{PublishedSearchSettings, SearchSettings};

/// The options of all searches of an index.
pub(super) fn retrieval_options(settings: &SearchSettings, stemmed: &StemmedLanguages) -> RetrievalOptions {
    let published = published_options(&settings.published);
    if settings.relation_words {
        let lexicon = Arc::new(RelationLexicon::of_languages(stemmed));
        return RetrievalOptions { lexicon, published, ..RetrievalOptions::default() };
    }
    let lexicon = Arc::new(RelationLexicon::empty());
    RetrievalOptions { lexicon, weights: RankedWeights::WITHOUT_LEXICON, published, ..RetrievalOptions::default() }
}

/// The table of settings accepts only the names below; the last of each match is the default.
fn published_options(settings: &PublishedSearchSettings) -> PublishedOptions {
    let has = |part: &str| settings.parts.iter().any(|name| name == part);
    PublishedOptions {
        parts: PublishedParts { expansion: has("expansion"), affinity: has("affinity"), context: has("context") },
        base_results: settings.base_results,
        normalisation: match settings.normalisation.as_str() {
            "range" => ScoreNormalisation::Range,
            "none" => ScoreNormalisation::None,
            _ => ScoreNormalisation::Maximum,
        },
        expansion: ExpansionOptions {
            kind: match settings.expand_by.as_str() {
                "links" => ExpansionKind::Links,
                "both" => ExpansionKind::Both,
                _ => ExpansionKind::Clusters,
            },
            max_cluster_size: settings.max_cluster_size,
            max_entities: settings.max_added,
            lambda: settings.expansion_lambda,
            distance: match settings.string_distance.as_str() {
                "words" => StringDistance::Words,
                _ => StringDistance::Edits,
            },
            ..ExpansionOptions::default()
        },
        affinity: AffinityOptions {
            form: match settings.affinity.as_str() {
                "scaled" => AffinityForm::Scaled,
                "lift" => AffinityForm::Lift,
                _ => AffinityForm::Published,
            },
            granularity: if settings.query_types == "broad" { TypeGranularity::Broad } else { TypeGranularity::Fine },
            power: settings.affinity_power,
            ..AffinityOptions::default()
        },
        context: ContextOptions {
            fields: match settings.context_fields.as_str() {
                "names" => ContextFields::Names,
                "all" => ContextFields::All,
                _ => ContextFields::Literals,
            },
            max_literal_words: settings.max_literal_words,
        },
        lambda: settings.lambda,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_settings_are_the_default_options() {
        let options = published_options(&PublishedSearchSettings::default());

        assert_eq!(format!("{options:?}"), format!("{:?}", PublishedOptions::default()));
    }

    #[test]
    fn without_relation_words_their_weights_are_used() {
        let settings = SearchSettings { relation_words: false, ..SearchSettings::default() };

        let options = retrieval_options(&settings, &StemmedLanguages::default());

        assert_eq!(options.weights, RankedWeights::WITHOUT_LEXICON);
    }
}
