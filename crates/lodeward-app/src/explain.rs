//! Explains the state and history of a URI.

use std::path::Path;

use serde::Serialize;

use crate::assemble::saved_strategy;
use crate::crawl_dir::OpenCrawl;
use crate::data_dir::DataDirError;
use crate::review::ranking_file::RankingRow;
use crate::review::{RankingFile, RankingFileError};
use crate::seed_note::SeedNote;
use crate::settings::{Config, refresh_intervals};
use lodeward::frontier::{FrontierError, QueueEntry, UriRecord};
use lodeward::model::{Outcome, Uri, Verdict, VerdictAction};
use lodeward::select::Strategy;
use lodeward::select::model_summary::FeatureWeight;

/// The state and history of a URI.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UriExplanation {
    /// The record of the URI in the frontier: how the URI was found, its priority, its outcome.
    pub record: UriRecord,
    /// The decision of the strategy; for a waiting URI, what the strategy would decide now.
    pub judgment: Option<JudgementSummary>,
    /// Why the saved model of the strategy cannot be used.
    pub problem: Option<String>,
    /// The origins of the URI, if it is a seed that was not given as a URI.
    pub seeds: Vec<SeedNote>,
    /// When the URI is due for revalidation, in milliseconds since the Unix epoch; `None` if it was
    /// not fetched yet or is queued already.
    pub due_at_ms: Option<u64>,
    /// The entities in the ranking of the crawl whose URL is this URI.
    pub ranked: Vec<RankingRow>,
    /// Number of entities that were ranked.
    pub candidates: u64,
}

/// The decision of a strategy on a URI.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgementSummary {
    /// Whether the URI is fetched, and why.
    pub action: VerdictAction,
    /// The predicted probability of new RDF; for a focused crawl the share of candidates with
    /// a lower rank.
    pub score: f32,
    /// The decision as text for the user.
    pub text: String,
    /// The features with the largest weights, strongest first.
    pub reasons: Vec<FeatureWeight>,
}

/// A URI cannot be explained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The frontier cannot be read.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The origins of seeds cannot be read.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The ranking cannot be read.
    #[error(transparent)]
    Ranking(#[from] RankingFileError),
}

/// Explains a URI, as of the last commit; `None` if it is not a seed and no fetched document
/// links to it. Blocks.
pub async fn explain(config: &Config, crawl: &OpenCrawl, uri: &Uri) -> Result<Option<UriExplanation>, ExplainError> {
    let Some(record) = crawl.frontier.uri_record(uri).await? else { return Ok(None) };
    let (strategy, problem) = match saved_strategy(config, crawl.dir.path()) {
        Ok(strategy) => (strategy, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let judgment = judgment(&record, strategy.as_deref());
    let seeds = crawl.dir.seed_notes()?.into_iter().filter(|note| note.uri == *uri).collect();
    let (ranked, candidates) = ranking_rows(uri, crawl.dir.path())?;
    let due_at_ms = due_at_ms(&record, config);
    Ok(Some(UriExplanation { record, judgment, problem, seeds, due_at_ms, ranked, candidates }))
}

fn judgment(life: &UriRecord, strategy: Option<&dyn Strategy>) -> Option<JudgementSummary> {
    let verdict = match (&life.verdict, &life.outcome) {
        (None, None) => strategy?.explain(&queue_entry(life))?,
        (verdict, _) => verdict.clone()?,
    };
    let name = |feature: u32| Some(strategy?.feature_name(feature)?.to_owned());
    let reason = |&(number, weight): &(u32, f32)| FeatureWeight { number, name: name(number), weight };
    let reasons = verdict.reasons.iter().map(reason).collect();
    let text = describe_verdict(&verdict, life.outcome.is_some());
    Some(JudgementSummary { action: verdict.action, score: verdict.score, text, reasons })
}

/// Returns a waiting URI in the form that the strategy receives.
fn queue_entry(life: &UriRecord) -> QueueEntry {
    QueueEntry {
        target: life.uri.clone(),
        source: life.source.clone(),
        found_by: life.found_by.clone(),
        depth: life.depth,
        redirects: 0,
        priority: life.priority,
        features: life.features.clone(),
        step: life.step.clone(),
        revisit: None,
    }
}

/// A verdict as text.
fn describe_verdict(verdict: &Verdict, is_settled: bool) -> String {
    let score = verdict.score;
    match verdict.action {
        VerdictAction::None if is_settled => format!("estimated to contain RDF with probability {score:.2}"),
        VerdictAction::None => format!("now estimated to contain RDF with probability {score:.2}"),
        VerdictAction::Requested => "a seed: always fetched".to_owned(),
        VerdictAction::Easy if score > 0.5 => "its extension or media type indicates RDF".to_owned(),
        VerdictAction::Easy => "its extension or media type indicates no RDF".to_owned(),
        VerdictAction::Predicted => format!("predicted to contain RDF with probability {score:.2}"),
        VerdictAction::Best => {
            format!("the best URI at the time, estimated to contain RDF with probability {score:.2}")
        }
        VerdictAction::Explored => {
            format!("predicted to contain no RDF (probability {score:.2}), and fetched for exploration")
        }
        VerdictAction::Skipped => format!("predicted to contain no RDF (probability {score:.2})"),
        VerdictAction::Relevant => {
            format!("relevant to the seeds, more than {:.0} % of the candidates at the time", score * 100.0)
        }
        VerdictAction::LessRelevant => {
            "too many candidates of its hop are more relevant, or it is too far from the seeds".to_owned()
        }
    }
}

/// Returns the entities with this URL in the ranking of the crawl, and the total number of
/// candidates.
fn ranking_rows(uri: &Uri, directory: &Path) -> Result<(Vec<RankingRow>, u64), RankingFileError> {
    let listing = match RankingFile::open(directory) {
        Err(RankingFileError::Missing) => return Ok((Vec::new(), 0)),
        listing => listing?,
    };
    let candidates = listing.header.candidates;
    let mut rows = Vec::new();
    for row in listing {
        let row = row?;
        if Uri::parse(&row.entity).is_ok_and(|document| document == *uri) {
            rows.push(row);
        }
    }
    Ok((rows, candidates))
}

/// Returns when a URI is due for revalidation; `None` if it was not fetched yet or is queued
/// already.
fn due_at_ms(life: &UriRecord, config: &Config) -> Option<u64> {
    let outcome: Option<&Outcome> = life.outcome.as_ref().filter(|_| life.previous_outcome.is_none());
    outcome.and_then(|outcome| refresh_intervals(config).due_at_ms(outcome, Some(&life.history())))
}
