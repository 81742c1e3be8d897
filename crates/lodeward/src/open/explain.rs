//! What became of a URI, and why.

use std::path::Path;

use serde::Serialize;

use super::{Shelf, intervals, kept};
use crate::config::Config;
use crate::frontier::{FrontierError, Life};
use crate::model::{Candidate, Outcome, Uri};
use crate::rank::listing::Row;
use crate::rank::{Listing, ListingError};
use crate::registry::{RegistryError, seed_notes};
use crate::seed::Note;
use crate::select::models::Weighed;
use crate::select::{Action, Strategy, Verdict};

/// What became of a URI, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// Its life so far: how it was found, how it was ranked, how it ended.
    pub life: Life,
    /// What the strategy made of it; of one that waits, what it would make of it now.
    pub judgment: Option<Judgment>,
    /// Why the strategy cannot be asked, though it has written something down.
    pub problem: Option<String>,
    /// Where it comes from, if it is a seed that was not given as an address.
    pub seeds: Vec<Note>,
    /// When it is to be visited again, in milliseconds since the Unix epoch, if it is
    /// known and not queued already.
    pub due_at_ms: Option<u64>,
    /// Where the entities of this address are in the ranking of the crawl.
    pub ranked: Vec<Row>,
    /// How many were ranked.
    pub candidates: u64,
}

/// What a strategy made of a visit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgment {
    /// What was made of it.
    pub action: Action,
    /// The predicted probability that it yields RDF that is new; for a focused crawl
    /// the share of candidates that it is better than.
    pub score: f32,
    /// The same in words.
    pub words: String,
    /// What spoke for it and against it most, strongest first.
    pub reasons: Vec<Weighed>,
}

/// What became of a URI cannot be told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The frontier cannot be read.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// What is known of seeds cannot be read.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The ranking cannot be read.
    #[error(transparent)]
    Listing(#[from] ListingError),
}

/// Tells what became of a URI, as of the last commit; `None` if no document that was
/// read refers to it, and it is no seed. Reads files: belongs on a thread that may
/// block.
pub async fn explain(config: &Config, shelf: &Shelf, uri: &Uri) -> Result<Option<Explanation>, ExplainError> {
    let Some(life) = shelf.frontier.recall(uri).await? else { return Ok(None) };
    let (strategy, problem) = match kept(config, &shelf.directory) {
        Ok(strategy) => (strategy, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let judgment = judgment(&life, strategy.as_deref());
    let seeds = seed_notes(&shelf.directory)?.into_iter().filter(|note| note.uri == *uri).collect();
    let (ranked, candidates) = ranked(uri, &shelf.directory)?;
    let due_at_ms = due_at_ms(&life, config);
    Ok(Some(Explanation { life, judgment, problem, seeds, due_at_ms, ranked, candidates }))
}

fn judgment(life: &Life, strategy: Option<&dyn Strategy>) -> Option<Judgment> {
    let verdict = match (&life.verdict, &life.outcome) {
        (None, None) => strategy?.explain(&candidate(life))?,
        (verdict, _) => verdict.clone()?,
    };
    let name = |feature: u32| Some(strategy?.name_of(feature)?.to_owned());
    let reason = |&(number, weight): &(u32, f32)| Weighed { number, words: name(number), weight };
    let reasons = verdict.reasons.iter().map(reason).collect();
    let words = in_words(&verdict, life.outcome.is_some());
    Some(Judgment { action: verdict.action, score: verdict.score, words, reasons })
}

/// Somebody who waits, as the strategy sees them.
fn candidate(life: &Life) -> Candidate {
    Candidate {
        target: life.uri.clone(),
        source: life.source.clone(),
        how: life.how.clone(),
        depth: life.depth,
        redirects: 0,
        priority: life.priority,
        features: life.features.clone(),
        step: life.step.clone(),
        again: None,
    }
}

/// A verdict, in words.
fn in_words(verdict: &Verdict, is_settled: bool) -> String {
    let score = verdict.score;
    match verdict.action {
        Action::None if is_settled => format!("thought to hold RDF with probability {score:.2}"),
        Action::None => format!("as of now, it holds RDF with probability {score:.2}"),
        Action::Given => "it was asked for, and so visited in any case".to_owned(),
        Action::Easy if score > 0.5 => "its extension or media type says that it is RDF".to_owned(),
        Action::Easy => "its extension or media type says that it holds nothing".to_owned(),
        Action::Predicted => format!("predicted to hold RDF, with probability {score:.2}"),
        Action::Best => format!("the best there was to visit, with RDF at a probability of {score:.2}"),
        Action::Explored => format!("predicted barren (RDF with probability {score:.2}), and visited to learn from it"),
        Action::Skipped => format!("predicted barren (RDF with probability {score:.2})"),
        Action::Matters => format!("it matters to the seeds, more than {:.0} % of the candidates then", score * 100.0),
        Action::MattersLess => "too many of its hop matter more to the seeds, or it is too far from them".to_owned(),
    }
}

/// The entities of this address in the ranking of the crawl, and how many there are.
fn ranked(uri: &Uri, directory: &Path) -> Result<(Vec<Row>, u64), ListingError> {
    let listing = match Listing::open(directory) {
        Err(ListingError::Missing) => return Ok((Vec::new(), 0)),
        listing => listing?,
    };
    let candidates = listing.heading.candidates;
    let mut rows = Vec::new();
    for row in listing {
        let row = row?;
        if Uri::parse(&row.entity).is_ok_and(|address| address == *uri) {
            rows.push(row);
        }
    }
    Ok((rows, candidates))
}

/// When it is to be visited again, unless it waits for that already.
fn due_at_ms(life: &Life, config: &Config) -> Option<u64> {
    let outcome: Option<&Outcome> = life.outcome.as_ref().filter(|_| life.last.is_none());
    outcome.and_then(|outcome| intervals(config).due_at_ms(outcome, Some(&life.history())))
}
