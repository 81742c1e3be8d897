//! Training examples from a breadth-first crawl.

use std::sync::{Arc, Mutex, PoisonError};

use lodeward::model::Uri;
use lodeward::select::baselines::offline::{CollectedExample, ExampleCollector, TrainingExample};
use lodeward::select::ldcoc::FeatureSet;

use crate::trial::{Trial, TrialError, run};
use crate::web::RecordedWeb;

/// A fetched URI as an example.
#[derive(Clone, Debug, PartialEq)]
pub struct UriExample {
    /// The URI that was fetched.
    pub uri: Uri,
    /// Its features before the request, and whether it has RDF according to the manifest.
    pub example: TrainingExample,
}

/// Fetches everything that a trial can reach, breadth first. Returns the hard URIs in the order of their
/// requests, with the features known when they were found.
pub fn collect(
    web: &Arc<RecordedWeb>,
    trial: &Trial,
    set: FeatureSet,
    bits: u8,
) -> Result<Vec<UriExample>, TrialError> {
    let collected: Arc<Mutex<Vec<CollectedExample>>> = Arc::default();
    run(web, trial, Box::new(ExampleCollector::new(set, bits, Arc::clone(&collected))))?;
    let collected = std::mem::take(&mut *collected.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(collected.into_iter().filter_map(|one| label_example(web, one)).collect())
}

/// Takes label and hardness from the manifest, not from the crawler.
fn label_example(web: &RecordedWeb, collected: CollectedExample) -> Option<UriExample> {
    let page = web.page(web.find(&collected.uri)?);
    let example = TrainingExample { label: page.is_rdf(), ..collected.example };
    page.is_hard.then_some(UriExample { uri: collected.uri, example })
}
