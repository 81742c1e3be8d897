//! Loads the facts about entities from the segments of a crawl.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::fast::RandomState;

use crate::settings::Config;
use lodeward::frontier::{FrontierError, Journal};
use lodeward::model::{Outcome, Uri};
use lodeward::select::FactsOptions;
use lodeward::select::facts::FactsReader;
use lodeward::store::StoreError;
use lodeward::store::follow::DocumentChange;
use lodeward::store::segments::{ReadBounds, SegmentStore};
use lodeward_focus::rank::FactBase;
use lodeward_focus::rank::terms::Tokeniser;
use lodeward_focus::strategy::queried_names;

/// Number of records that are read at a time.
const PAGE_SIZE: usize = 1_024;

/// Maximum length of a chain of redirects. Longer chains are ignored.
const MAX_REDIRECTS: usize = 20;

/// Returns the options for reading facts, as configured.
#[must_use]
pub(crate) fn facts_options(config: &Config) -> FactsOptions {
    let default = FactsOptions::default();
    FactsOptions {
        text_properties: config.ranking.text_properties.clone().unwrap_or(default.text_properties),
        languages: config.ranking.languages.clone(),
        ..default
    }
}

/// Creates an empty fact base with the configured limits.
#[must_use]
pub(crate) fn empty_fact_base(config: &Config) -> FactBase {
    let ranking = &config.ranking;
    // A text without a language is assumed to be in the preferred one.
    let language = ranking.languages.first().map_or("en", String::as_str);
    FactBase::new(ranking.limits, Tokeniser::new(language, &ranking.stop_words))
}

/// The number of documents that a ranking has yet to read. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RankingProgress(Arc<AtomicU64>);

impl RankingProgress {
    /// The number of documents, including versions that were replaced.
    #[must_use]
    pub fn documents_left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether both are the progress of the same ranking.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn set(&self, documents: u64) {
        self.0.store(documents, Ordering::Relaxed);
    }

    fn subtract(&self, documents: u64) {
        self.set(self.documents_left().saturating_sub(documents));
    }
}

/// Maps the fingerprint of each redirected URI to the fingerprint of its target.
///
/// The harvest contains the redirects through which each document was found first. The frontier
/// contains the redirects to documents that were already known.
#[derive(Clone, Debug, Default)]
pub struct RedirectMap(HashMap<u128, u128, RandomState>);

impl RedirectMap {
    /// Returns the redirects recorded in the frontier, at most `max`.
    pub async fn from_frontier(journal: &dyn Journal, max: usize) -> Result<Self, FrontierError> {
        let mut redirects = Self::default();
        let mut next = 0;
        while redirects.0.len() < max {
            let records = journal.settled_records(next, PAGE_SIZE).await?;
            let Some((last, _)) = records.last() else { break };
            next = last + 1;
            for (_, record) in &records {
                if redirects.0.len() == max {
                    break;
                }
                if let Some(Outcome::Redirected { target: Some(target), .. }) = &record.outcome {
                    redirects.0.insert(record.uri.fingerprint(), target.fingerprint());
                }
            }
        }
        Ok(redirects)
    }

    fn add(&mut self, from: &Uri, to: &Uri) {
        self.0.entry(from.fingerprint()).or_insert_with(|| to.fingerprint());
    }

    /// Whether the redirects of a URI lead to one of the URIs in `to`.
    fn leads_to_any(&self, mut from: u128, to: &HashSet<u128, RandomState>) -> bool {
        for _ in 0..MAX_REDIRECTS {
            if to.contains(&from) {
                return true;
            }
            match self.0.get(&from) {
                Some(next) => from = *next,
                None => return false,
            }
        }
        false
    }
}

/// Loads the facts of the current documents of a harvest, in one pass over its segments. Holds the
/// fact base and the facts of one document in memory.
///
/// An entity is described if a request for its IRI returns a document of the harvest,
/// directly or through redirects.
pub(crate) fn load_fact_base(
    config: &Config,
    segments: &SegmentStore,
    mut redirects: RedirectMap,
    progress: &RankingProgress,
) -> Result<FactBase, StoreError> {
    let options = Arc::new(facts_options(config));
    let mut fact_base = empty_fact_base(config);
    let mut read = HashSet::default();
    let mut reader = segments.log().read(None)?;
    progress.set(reader.distance()?.records);
    while let Some(group) = reader.next_group(ReadBounds::default())? {
        for change in group.changes.iter().filter(|change| !change.is_removal()) {
            let mut facts = FactsReader::new(Arc::clone(&options));
            for quad in change.statements.quads()? {
                facts.add_quad(quad?.as_ref());
            }
            let redirected = change.provenance.iter().flat_map(|provenance| &provenance.redirects);
            let requested: Vec<Uri> = redirected.map(|redirect| redirect.from.clone()).collect();
            fact_base.add_document(&change.document, &requested, &facts.finish());
            // The result of a query describes the entities that the query names.
            for entity in
                queried_names(&change.document).iter().filter_map(|name| fact_base.find(name)).collect::<Vec<_>>()
            {
                fact_base.mark_described(entity);
            }
            read.insert(change.document.fingerprint());
            add_redirects(change, &mut redirects);
        }
        progress.subtract(group.records);
    }
    progress.set(0);
    mark_described(&mut fact_base, &read, &redirects);
    fact_base.dedup();
    Ok(fact_base)
}

fn add_redirects(change: &DocumentChange, redirects: &mut RedirectMap) {
    for redirect in change.provenance.iter().flat_map(|provenance| &provenance.redirects) {
        // Every URI of a redirect chain leads to the document at its end.
        redirects.add(&redirect.from, &change.document);
    }
}

fn mark_described(fact_base: &mut FactBase, read: &HashSet<u128, RandomState>, redirects: &RedirectMap) {
    for entity in fact_base.entities() {
        let document = Uri::parse_stored(fact_base.name(entity));
        if document.is_ok_and(|document| redirects.leads_to_any(document.fingerprint(), read)) {
            fact_base.mark_described(entity);
        }
    }
}

#[cfg(test)]
#[path = "load_facts_tests.rs"]
pub(crate) mod tests;
