//! Explains the outcome of a URI.

use std::sync::Arc;

use axum::extract::State;
use lodeward::engine::UriWait;
use lodeward::model::history::{FailureStreak, FetchEvent};
use lodeward::select::model_summary::FeatureWeight;
use lodeward_app::explain;
use lodeward_app::explain::{JudgementSummary, UriExplanation};
use lodeward_app::forecast::forecast;
use serde::Serialize;
use tokio::runtime::Handle;
use utoipa::ToSchema;

use super::UriQuery;
use super::outcome::{FaultView, OutcomeView};
use crate::api::candidates::ReasonView;
use crate::api::crawls::{CrawlPath, SeedEntityView};
use crate::api::extract::{PathParams, QueryParams};
use crate::api::timestamp::Timestamp;
use crate::blocking::run_bulk_read;
use crate::jobs::JobState as CrawlState;
use crate::problem::{Problem, ProblemCode};
use crate::state::Service;

/// How a URI was found and judged, and its outcome.
#[derive(Serialize, ToSchema)]
#[schema(as = Explanation)]
pub(super) struct ExplanationView {
    /// The URI.
    uri: String,
    /// How the URI was found, as text.
    found_by: String,
    /// Document in which the URI was found first; null for a seed.
    source: Option<String>,
    /// Step of the service harvest that the request belongs to; null if the request is for a document.
    step: Option<String>,
    /// Entities that the URI is a seed for. Empty if the URI is not a seed, or was given as a URI.
    seeds: Vec<SeedEntityView>,
    /// Number of links from the nearest seed.
    depth: u16,
    /// Priority of the URI in the queue; null if the URI is fetched before all URIs with a priority.
    priority: Option<f32>,
    /// Judgment of the URI by the strategy. While the URI is waiting, this is the current judgment.
    judgment: Option<JudgementView>,
    /// Whether the URI is waiting to be fetched, for the first time or again.
    waiting: bool,
    /// If the URI is waiting and the crawl runs: the time until which its domain is delayed. Null
    /// if the domain is not delayed and only other URIs have a higher priority.
    waiting_until: Option<Timestamp>,
    /// Why the URI is waiting, as text; null if it is not waiting.
    waiting_reason: Option<String>,
    /// Last outcome of the URI; null if the URI has no outcome yet.
    outcome: Option<OutcomeView>,
    /// Number of failed attempts before the last one.
    failed_attempts: u8,
    /// Results of earlier requests.
    history: FetchHistoryView,
    /// When the document is fetched again.
    due_at: Option<Timestamp>,
    /// Ranks of the entities that the document describes.
    ranked: Vec<RankedEntityView>,
    /// Total number of ranked candidates.
    candidates: u64,
}

/// The judgment of a strategy about a URI.
#[derive(Serialize, ToSchema)]
#[schema(as = Judgment)]
struct JudgementView {
    /// Judgment as text.
    text: String,
    /// Predicted probability that the document has RDF; for a focused crawl, the share of
    /// candidates with a lower score.
    score: f32,
    /// Features with the highest weights, the strongest first.
    reasons: Vec<FeatureView>,
}

/// A feature that contributed to a judgment.
#[derive(Serialize, ToSchema)]
#[schema(as = Feature)]
struct FeatureView {
    /// The feature as text, if its name is known.
    text: Option<String>,
    /// Contribution to the log-odds.
    weight: f32,
}

/// Results of the requests for a URI.
#[derive(Serialize, ToSchema)]
#[schema(as = FetchHistory)]
struct FetchHistoryView {
    /// Number of requests.
    requests: u32,
    /// Number of times the document has changed.
    changes: u32,
    /// The last changes, the oldest first.
    events: Vec<FetchEventView>,
    /// Failures since the last success, if there are any.
    failing: Option<FailureStreakView>,
}

/// The result of one request for a URI.
#[derive(Serialize, ToSchema)]
#[schema(as = FetchEvent)]
struct FetchEventView {
    /// Time of the request.
    at: Timestamp,
    /// Result: `added`, `unchanged`, `changed`, `deleted`, `restored` or `failed`.
    kind: String,
}

/// Consecutive failures.
#[derive(Serialize, ToSchema)]
#[schema(as = FailureStreak)]
struct FailureStreakView {
    /// Time of the first failure.
    since: Timestamp,
    /// Number of failed requests.
    requests: u32,
    /// The fault of the last failed request.
    fault: FaultView,
}

/// The rank of an entity.
#[derive(Serialize, ToSchema)]
#[schema(as = RankedEntity)]
struct RankedEntityView {
    /// IRI of the entity.
    entity: String,
    /// Rank, from 1.
    #[schema(minimum = 1)]
    rank: u64,
    /// Score of the entity; `null` if it is kept, but not in the last ranking.
    score: Option<f64>,
    /// Contributions to the score of the entity, the strongest first.
    reasons: Vec<ReasonView>,
}

impl From<UriExplanation> for ExplanationView {
    fn from(explanation: UriExplanation) -> Self {
        let UriExplanation { record, judgment, seeds, due_at_ms, ranked, candidates, .. } = explanation;
        let history = record.history();
        let outcome = record.outcome.as_ref().or(record.previous_outcome.as_deref());
        let ranked_entity = |row: lodeward_app::review::ranking_file::RankingRow| RankedEntityView {
            entity: row.entity,
            rank: row.rank,
            score: row.score,
            reasons: row.reasons.into_iter().map(ReasonView::from).collect(),
        };
        Self {
            uri: record.uri.as_str().to_owned(),
            found_by: record.found_by.to_string(),
            source: record.source.as_ref().map(|source| source.as_str().to_owned()),
            step: record.step.as_ref().map(ToString::to_string),
            seeds: seeds.iter().map(SeedEntityView::from_note).collect(),
            depth: record.depth,
            priority: Some(record.priority).filter(|priority| priority.is_finite()),
            judgment: judgment.map(JudgementView::from),
            waiting: record.outcome.is_none(),
            waiting_until: None,
            waiting_reason: None,
            outcome: outcome.map(OutcomeView::from),
            failed_attempts: record.attempt,
            history: history.into(),
            due_at: due_at_ms.map(Timestamp::from_ms),
            ranked: ranked.into_iter().map(ranked_entity).collect(),
            candidates,
        }
    }
}

impl From<JudgementSummary> for JudgementView {
    fn from(JudgementSummary { text, score, reasons, .. }: JudgementSummary) -> Self {
        let feature = |FeatureWeight { name: text, weight, .. }| FeatureView { text, weight };
        Self { text, score, reasons: reasons.into_iter().map(feature).collect() }
    }
}

impl From<lodeward::model::FetchHistory> for FetchHistoryView {
    fn from(history: lodeward::model::FetchHistory) -> Self {
        let event = |event: &FetchEvent| FetchEventView {
            at: Timestamp::from_ms(event.at_ms),
            kind: event.change.name().to_owned(),
        };
        let failure_streak = |failing: &FailureStreak| FailureStreakView {
            since: Timestamp::from_ms(failing.since_ms),
            requests: failing.failures,
            fault: (&failing.fault).into(),
        };
        Self {
            requests: history.fetches,
            changes: history.changes,
            events: history.events.iter().map(event).collect(),
            failing: history.failing.as_ref().map(failure_streak),
        }
    }
}

/// Explain a URI
///
/// How it was found, how the strategy judged it, its outcome, and the ranks of its entities.
/// While the crawl runs, also why it is still waiting. For a URI that was not found, the `hint` of the problem says what
/// the crawl would do with it.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/explain", tag = "documents",
    params(CrawlPath, UriQuery),
    responses(
        (status = 200, description = "The explanation", body = ExplanationView),
        (status = 409, description = "The crawl is in use by another process"),
    ),
)]
pub(super) async fn explain_uri(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(query): QueryParams<UriQuery>,
) -> Result<axum::Json<ExplanationView>, Problem> {
    let uri = query.uri()?;
    let (config, open_crawl) = (service.jobs.config(id)?, service.jobs.open_crawl(id).await?);
    let requested = uri.clone();
    let explained = run_bulk_read(move || {
        let explained = Handle::current().block_on(explain::explain(&config, &open_crawl, &requested));
        if let Some(explained) = explained.map_err(|error| Problem::internal(&error))? {
            return Ok(explained);
        }
        let forecast = forecast(&config, &open_crawl, &requested).map_err(|error| Problem::internal(&error))?;
        let detail =
            format!("crawl {id} has not found {requested}: it is not a seed, and no fetched document links to it");
        Err(Problem::new(ProblemCode::NotFound, detail).hint(forecast.to_string()))
    })
    .await?;
    let mut explanation: ExplanationView = explained.into();
    if explanation.waiting {
        let (wait, state) = (service.jobs.uri_wait(id, &uri)?, service.jobs.get(id)?.state);
        explanation.waiting_until = wait.map(|wait| Timestamp::from_ms(wait.until_ms));
        explanation.waiting_reason = Some(wait_reason(wait, state));
    }
    Ok(axum::Json(explanation))
}

/// Why a URI waits, as text.
fn wait_reason(wait: Option<UriWait>, state: CrawlState) -> String {
    match (wait, state) {
        (Some(wait), _) => wait.reason.description().to_owned(),
        (None, CrawlState::Running) => "it is being fetched, or other URIs have a higher priority".to_owned(),
        (None, state) => format!("the crawl is {}", state.name()),
    }
}
