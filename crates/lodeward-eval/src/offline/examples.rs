//! Examples from a breadth-first crawl.

use std::sync::{Arc, Mutex, PoisonError};

use lodeward::model::Uri;
use lodeward::select::ldcoc::FeatureSet;
use lodeward::select::offline::{Collected, Collector, Example};

use crate::trial::{Trial, TrialError, run};
use crate::web::Web;

/// Somebody who was visited.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Who.
    pub uri: Uri,
    /// What was known before, and whether it holds RDF, by the manifest.
    pub example: Example,
}

/// Visits everything a trial can reach, breadth first, and keeps the hard URIs
/// with what was known of each where it was found, in the order of the visits.
pub fn collect(web: &Arc<Web>, trial: &Trial, set: FeatureSet, bits: u8) -> Result<Vec<Seen>, TrialError> {
    let collected: Arc<Mutex<Vec<Collected>>> = Arc::default();
    run(web, trial, Box::new(Collector::new(set, bits, Arc::clone(&collected))))?;
    let collected = std::mem::take(&mut *collected.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(collected.into_iter().filter_map(|one| seen(web, one)).collect())
}

/// What is hard and what holds RDF is for the manifest to say, not for the
/// crawler.
fn seen(web: &Web, collected: Collected) -> Option<Seen> {
    let page = web.page(web.find(&collected.uri)?);
    let example = Example { label: page.is_rdf(), ..collected.example };
    page.is_hard.then_some(Seen { uri: collected.uri, example })
}
