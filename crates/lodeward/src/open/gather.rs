//! What a crawl's harvest says of entities: gathered anew from its segments.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::config::Config;
use crate::frontier::{Frontier, FrontierError};
use crate::model::{Outcome, Uri};
use crate::rank::facts::FactsReader;
use crate::rank::terms::Tokeniser;
use crate::rank::{FactsOptions, Gathering, Limits};
use crate::select::focus::asked_about;
use crate::store::StoreError;
use crate::store::follow::Change;
use crate::store::segments::{Bounds, SegmentStore};

/// How many of the settled are looked at at a time.
const PAGE: usize = 1_024;

/// Longer chains of redirects lead nowhere.
const REDIRECTS_MAX: usize = 20;

/// Which facts are of interest under this configuration.
#[must_use]
pub fn facts_options(config: &Config) -> FactsOptions {
    let default = FactsOptions::default();
    FactsOptions {
        text_properties: config.focus.text_properties.clone().unwrap_or(default.text_properties),
        languages: config.focus.languages.clone(),
        ..default
    }
}

/// A gathering that knows nothing yet, as large as this configuration allows.
#[must_use]
pub fn empty_gathering(config: &Config) -> Gathering {
    let focus = &config.focus;
    let limits = Limits { entities_max: focus.entities_max, links_max: focus.links_max };
    // What does not say its language is taken to be in the one that is preferred.
    let language = focus.languages.first().map_or("en", String::as_str);
    Gathering::new(limits, Tokeniser::new(language, &focus.stop_words))
}

/// Who pointed where, by fingerprints.
///
/// The harvest knows by which redirects its documents were found first; the
/// frontier knows of everybody else who pointed to one that was known by then.
#[derive(Clone, Debug, Default)]
pub struct Redirects(HashMap<u128, u128, RandomState>);

impl Redirects {
    /// Those of everybody who was visited, `max` of them at most.
    pub async fn of(frontier: &dyn Frontier, max: usize) -> Result<Self, FrontierError> {
        let mut redirects = Self::default();
        let mut next = 0;
        while redirects.0.len() < max {
            let lives = frontier.settled(next, PAGE).await?;
            let Some((last, _)) = lives.last() else { break };
            next = last + 1;
            for (_, life) in &lives {
                if let Some(Outcome::Redirected { target: Some(target), .. }) = &life.outcome {
                    redirects.0.insert(life.uri.fingerprint(), target.fingerprint());
                }
            }
        }
        Ok(redirects)
    }

    fn add(&mut self, from: &Uri, to: &Uri) {
        self.0.entry(from.fingerprint()).or_insert_with(|| to.fingerprint());
    }

    /// Whether somebody who begins here comes to one of these.
    fn lead(&self, mut from: u128, to: &HashSet<u128, RandomState>) -> bool {
        for _ in 0..REDIRECTS_MAX {
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

/// Everything that the current documents of a harvest say of entities, in one
/// pass over its segments. Holds the facts of one document at a time besides
/// what is gathered.
///
/// An entity counts as described if whoever asks for its IRI gets a document:
/// the one of that address, or one that redirects lead to.
pub fn gathering(config: &Config, segments: &SegmentStore, mut redirects: Redirects) -> Result<Gathering, StoreError> {
    let options = Arc::new(facts_options(config));
    let mut gathering = empty_gathering(config);
    let mut read = HashSet::default();
    let mut reader = segments.log().read(None)?;
    while let Some(group) = reader.next_group(Bounds::default())? {
        for change in group.changes.iter().filter(|change| !change.is_removal()) {
            let mut facts = FactsReader::new(Arc::clone(&options));
            for quad in change.statements.quads()? {
                facts.quad(quad?.as_ref());
            }
            let redirected = change.provenance.iter().flat_map(|provenance| &provenance.redirects);
            let asked: Vec<Uri> = redirected.map(|redirect| redirect.from.clone()).collect();
            gathering.add_document(&change.document, &asked, &facts.finish());
            // What an endpoint was asked about is described by its answer.
            for entity in
                asked_about(&change.document).iter().filter_map(|name| gathering.find(name)).collect::<Vec<_>>()
            {
                gathering.note_described(entity);
            }
            read.insert(change.document.fingerprint());
            note_redirects(change, &mut redirects);
        }
    }
    note_described(&mut gathering, &read, &redirects);
    gathering.tidy();
    Ok(gathering)
}

fn note_redirects(change: &Change, redirects: &mut Redirects) {
    for redirect in change.provenance.iter().flat_map(|provenance| &provenance.redirects) {
        // All of them lead here, whoever is between.
        redirects.add(&redirect.from, &change.document);
    }
}

fn note_described(gathering: &mut Gathering, read: &HashSet<u128, RandomState>, redirects: &Redirects) {
    for entity in gathering.entities() {
        let document = Uri::recorded(gathering.name(entity));
        if document.is_ok_and(|document| redirects.lead(document.fingerprint(), read)) {
            gathering.note_described(entity);
        }
    }
}

#[cfg(test)]
#[path = "gather_tests.rs"]
pub(super) mod tests;
