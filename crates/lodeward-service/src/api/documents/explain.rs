//! What became of a URI, and why.

use std::sync::Arc;

use axum::extract::State;
use lodeward::engine::Rest;
use lodeward::model::history::{Event, Failing};
use lodeward::open::{self, Explanation, Judgment};
use lodeward::select::models::Weighed;
use serde::Serialize;
use tokio::runtime::Handle;
use utoipa::ToSchema;

use super::Meant;
use super::outcome::{Fault, Outcome};
use crate::api::candidates::Reason;
use crate::api::crawls::{CrawlPath, Named};
use crate::api::extract::{Path, Query};
use crate::api::moment::Moment;
use crate::beside::in_turn;
use crate::fleet::State as CrawlState;
use crate::problem::{Code, Problem};
use crate::service::Service;

/// What became of a URI, and why.
#[derive(Serialize, ToSchema)]
#[schema(as = Explanation)]
pub(super) struct Told {
    /// The URI.
    uri: String,
    /// How it was found, in words.
    found: String,
    /// The document in which it was found first; none for a seed.
    source: Option<String>,
    /// What the visit is for, if not for a document.
    step: Option<String>,
    /// Where it comes from, if it is a seed that was not given as an address.
    seeds: Vec<Named>,
    /// Hops from the nearest seed.
    depth: u16,
    /// The priority with which it was queued; none if it is before all others.
    priority: Option<f32>,
    /// What the strategy made of it; of one that waits, what it would make of it now.
    judgment: Option<ToldJudgment>,
    /// Whether it waits to be visited, or to be visited again.
    waiting: bool,
    /// Of one that waits while the crawl runs: until when its server is left alone; none
    /// if it only waits for others who are before it.
    waits_until: Option<Moment>,
    /// Of one that waits: why, in words.
    waits_because: Option<String>,
    /// How it ended, or how it ended the last time.
    outcome: Option<Outcome>,
    /// How many visits failed before the last.
    failed_attempts: u8,
    /// What is known of the visits to it.
    history: History,
    /// When it is to be visited again.
    due_at: Option<Moment>,
    /// Where its entities are in the ranking.
    ranked: Vec<Place>,
    /// How many were ranked.
    candidates: u64,
}

/// What a strategy made of a visit.
#[derive(Serialize, ToSchema)]
#[schema(as = Judgment)]
struct ToldJudgment {
    /// In words.
    words: String,
    /// The predicted probability that it holds RDF; for a focused crawl the share of
    /// candidates that it is better than.
    score: f32,
    /// What spoke for it and against it most, strongest first.
    reasons: Vec<Feature>,
}

/// Something that spoke for a visit, or against it.
#[derive(Serialize, ToSchema)]
struct Feature {
    /// What, in words, if that is remembered.
    words: Option<String>,
    /// What it added to the log-odds.
    weight: f32,
}

/// What is known of the visits to a URI.
#[derive(Serialize, ToSchema)]
#[schema(as = VisitHistory)]
struct History {
    /// How often it was visited.
    visits: u32,
    /// How often it was another than before.
    changes: u32,
    /// What happened last, the oldest first.
    events: Vec<Happened>,
    /// That it cannot be had lately, if that is so.
    failing: Option<Stale>,
}

/// What a visit found.
#[derive(Serialize, ToSchema)]
struct Happened {
    /// When.
    at: Moment,
    /// What: `appeared`, `unchanged`, `changed`, `vanished`, `came back`, `failed`.
    what: String,
}

/// Failures in a row.
#[derive(Serialize, ToSchema)]
struct Stale {
    /// Since when.
    since: Moment,
    /// How many.
    visits: u32,
    /// What went wrong the last time.
    fault: Fault,
}

/// The place of an entity in the ranking.
#[derive(Serialize, ToSchema)]
struct Place {
    /// The entity.
    entity: String,
    /// Its place, from 1.
    #[schema(minimum = 1)]
    rank: u64,
    /// Its score.
    score: f64,
    /// What spoke for it, strongest first.
    why: Vec<Reason>,
}

impl From<Explanation> for Told {
    fn from(explanation: Explanation) -> Self {
        let Explanation { life, judgment, seeds, due_at_ms, ranked, candidates, .. } = explanation;
        let history = life.history();
        let outcome = life.outcome.as_ref().or(life.last.as_deref());
        let place = |row: lodeward::rank::listing::Row| Place {
            entity: row.entity,
            rank: row.rank,
            score: row.score,
            why: row.why.into_iter().map(Reason::from).collect(),
        };
        Self {
            uri: life.uri.as_str().to_owned(),
            found: life.how.to_string(),
            source: life.source.as_ref().map(|source| source.as_str().to_owned()),
            step: life.step.as_ref().map(ToString::to_string),
            seeds: seeds.iter().map(Named::of).collect(),
            depth: life.depth,
            priority: Some(life.priority).filter(|priority| priority.is_finite()),
            judgment: judgment.map(ToldJudgment::from),
            waiting: life.outcome.is_none(),
            waits_until: None,
            waits_because: None,
            outcome: outcome.map(Outcome::from),
            failed_attempts: life.attempt,
            history: history.into(),
            due_at: due_at_ms.map(Moment::of_ms),
            ranked: ranked.into_iter().map(place).collect(),
            candidates,
        }
    }
}

impl From<Judgment> for ToldJudgment {
    fn from(Judgment { words, score, reasons, .. }: Judgment) -> Self {
        let feature = |Weighed { words, weight, .. }| Feature { words, weight };
        Self { words, score, reasons: reasons.into_iter().map(feature).collect() }
    }
}

impl From<lodeward::model::History> for History {
    fn from(history: lodeward::model::History) -> Self {
        let event = |event: &Event| Happened { at: Moment::of_ms(event.at_ms), what: event.what.name().to_owned() };
        let stale = |failing: &Failing| Stale {
            since: Moment::of_ms(failing.since_ms),
            visits: failing.visits,
            fault: (&failing.fault).into(),
        };
        Self {
            visits: history.visits,
            changes: history.changes,
            events: history.events.iter().map(event).collect(),
            failing: history.failing.as_ref().map(stale),
        }
    }
}

/// Explains what became of a URI.
///
/// How it was found, what the strategy made of it, how it ended, and where its entities
/// are in the ranking. Also while the crawl runs: then, why it still waits.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/explain", tag = "documents",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(CrawlPath, Meant),
    responses(
        (status = 200, description = "What became of it", body = Told),
        (status = 409, description = "Another process has the crawl"),
    ),
)]
pub(super) async fn explain_uri(
    State(service): State<Arc<Service>>,
    Path(CrawlPath { id }): Path<CrawlPath>,
    Query(meant): Query<Meant>,
) -> Result<axum::Json<Told>, Problem> {
    let uri = meant.uri()?;
    let (config, shelf) = (service.fleet.config(id)?, service.fleet.shelf(id).await?);
    let asked = uri.clone();
    let explained = in_turn(move || {
        let explained = Handle::current().block_on(open::explain(&config, &shelf, &asked));
        explained.map_err(|error| Problem::internal(&error))
    })
    .await?;
    let unknown = || format!("no document that the crawl {id} has read refers to {uri}, and it is no seed");
    let mut told: Told = explained.ok_or_else(|| Problem::new(Code::NotFound, unknown()))?.into();
    if told.waiting {
        let (rest, state) = (service.fleet.rest_of(id, &uri)?, service.fleet.get(id)?.state);
        told.waits_until = rest.map(|rest| Moment::of_ms(rest.until_ms));
        told.waits_because = Some(why(rest, state));
    }
    Ok(axum::Json(told))
}

/// Why a URI waits.
fn why(rest: Option<Rest>, state: CrawlState) -> String {
    match (rest, state) {
        (Some(rest), _) => rest.why.words().to_owned(),
        (None, CrawlState::Running) => {
            "it is being visited, or others are before it, of its domain or of domains that have rested".to_owned()
        }
        (None, state) => format!("the crawl is {}", state.name()),
    }
}
