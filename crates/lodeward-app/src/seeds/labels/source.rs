//! Sources of labels of entities.

use std::collections::HashMap;

use lodeward_archive::{Archive, ArchiveError, Snapshot};

use super::archive::EntityFinder;
use super::{ArchiveLabels, EndpointLabels, LabelIndex, LabelProperties};
use crate::federation::paced_service_handler;
use crate::followers::FollowerTargets;
use crate::settings::Config;
use lodeward::fetch::FetchOptionsError;
use lodeward::select::FactsOptions;

/// Returns the labels in a snapshot of the archive. Words are looked up in its search index, if these
/// targets have one.
#[must_use]
pub fn archive_labels(config: &Config, archive: &Archive, targets: &FollowerTargets) -> Box<dyn LabelIndex> {
    Box::new(ArchiveLabels::new(archive.snapshot(), label_properties(config), entity_finder(targets)))
}

/// Number of entities whose labels are compared with a text.
#[cfg(feature = "search")]
const MAX_FOUND: usize = 100;

/// Finds entities with the search index. It is brought up to date once, unless a thread of the service
/// is doing that and much has changed.
#[cfg(feature = "search")]
fn entity_finder(targets: &FollowerTargets) -> Option<EntityFinder> {
    use lodeward_search::retrieve::{Method, RetrievalOptions};

    let index = targets.search()?;
    let view = std::cell::OnceCell::new();
    Some(Box::new(move |text| {
        let view = match view.get() {
            Some(view) => view,
            None => {
                index.update_for_request()?;
                let opened = index.view()?;
                view.get_or_init(|| opened)
            }
        };
        let found = view.search(text, Method::Bm25f, &RetrievalOptions::default(), MAX_FOUND);
        let found = found.map_err(crate::followers::search::SearchIndexError::from)?;
        Ok(found.into_iter().map(|hit| hit.iri).collect())
    }))
}

#[cfg(not(feature = "search"))]
fn entity_finder(_: &FollowerTargets) -> Option<EntityFinder> {
    None
}

/// Returns the labels at a SPARQL endpoint.
pub fn endpoint_labels(config: &Config, endpoint: &str) -> Result<Box<dyn LabelIndex>, FetchOptionsError> {
    let services = paced_service_handler(config)?;
    Ok(Box::new(EndpointLabels::new(endpoint, services, label_properties(config))))
}

/// The best labels of entities, as far as the archive has them.
pub fn labels_of_entities<'e>(
    config: &Config,
    snapshot: &Snapshot,
    entities: impl IntoIterator<Item = &'e String>,
) -> Result<HashMap<String, String>, ArchiveError> {
    let labels = ArchiveLabels::new(snapshot.clone(), label_properties(config), None);
    let mut found = HashMap::new();
    for entity in entities {
        if let Some(label) = labels.label_of(entity)? {
            found.insert(entity.clone(), label);
        }
    }
    Ok(found)
}

/// Returns the label properties, which are those of the ranking.
fn label_properties(config: &Config) -> LabelProperties {
    let default = FactsOptions::default();
    let text_properties = config.ranking.text_properties.clone().unwrap_or_else(|| default.text_properties.clone());
    LabelProperties::from_facts_options(&FactsOptions {
        text_properties,
        languages: config.ranking.languages.clone(),
        ..default
    })
}
