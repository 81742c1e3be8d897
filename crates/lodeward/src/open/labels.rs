//! Who knows what entities are called.

use lodeward_archive::Archive;

use super::OpenError;
use super::services::paced_services;
use crate::config::Config;
use crate::rank::FactsOptions;
use crate::seed::labels::{ArchiveLabels, EndpointLabels, LabelIndex, Naming};

/// The labels of an archive, as they are now.
#[must_use]
pub fn labels(config: &Config, archive: &Archive) -> Box<dyn LabelIndex> {
    Box::new(ArchiveLabels::new(archive.snapshot(), naming(config)))
}

/// The labels of a SPARQL endpoint.
pub fn labels_at(config: &Config, endpoint: &str) -> Result<Box<dyn LabelIndex>, OpenError> {
    let services = paced_services(config)?;
    Ok(Box::new(EndpointLabels::new(endpoint, services, naming(config))))
}

/// What counts as a label: what does in the ranking of entities.
fn naming(config: &Config) -> Naming {
    let usual = FactsOptions::default();
    let text_properties = config.focus.text_properties.clone().unwrap_or_else(|| usual.text_properties.clone());
    Naming::of(&FactsOptions { text_properties, languages: config.focus.languages.clone(), ..usual })
}
