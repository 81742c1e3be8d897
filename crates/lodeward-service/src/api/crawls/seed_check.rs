//! Checks of seeds before a crawl starts, and names while typing.

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::State;
use lodeward_app::seeds::SeedProblem;
use lodeward_app::seeds::check::{CheckedLine, SeedCheck, SeedLineState};
use lodeward_app::seeds::labels::LabelMatch;
use lodeward_app::settings::Config;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::error_places::ErrorPlaces;
use super::order::{NewCrawl, complete_order};
use crate::api::extract::{JsonBody, QueryParams};
use crate::blocking::run_bulk_read;
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;
use crate::state::Service;

/// The maximum number of seeds of template and instance data in a response.
const MAX_LISTED_SEEDS: usize = 500;

/// The maximum number of characters of a name to look up.
const MAX_LABEL_CHARS: usize = 200;

/// The result of a check of seeds.
#[derive(Serialize, ToSchema)]
#[schema(as = SeedCheck)]
pub(super) struct SeedCheckView {
    /// The URIs of the request, in order.
    seeds: Vec<SeedLineView>,
    /// The labels of the request, in order.
    labels: Vec<SeedLineView>,
    /// The first 500 seeds of template, instance data and imports.
    others: Vec<OtherSeedView>,
    /// Number of seeds of template, instance data and imports.
    others_total: usize,
    /// Remarks about the seeds of template, instance data and imports.
    remarks: Vec<String>,
    /// Problems with the seeds of template, instance data and imports.
    problems: Vec<String>,
    /// How the seeds are linked in the archive.
    analysis: SeedAnalysisView,
    /// Estimate of the crawl.
    estimate: CrawlEstimateView,
}

/// A checked URI or label.
#[derive(Serialize, ToSchema)]
#[schema(as = SeedLine)]
struct SeedLineView {
    /// URI or label of the request.
    text: String,
    /// State of the line.
    state: SeedLineStateView,
    /// IRI of the entity that becomes a seed.
    entity: Option<String>,
    /// Label of the entity in the archive.
    label: Option<String>,
    /// Entities with this label, the best match first. For an unknown label, entities with similar labels.
    choices: Vec<LabelMatchView>,
    /// What is wrong.
    detail: Option<String>,
    /// What to do about it.
    hint: Option<String>,
}

/// The state of a line.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = SeedLineState)]
enum SeedLineStateView {
    /// The line is a seed.
    Valid,
    /// Several entities have this label equally well; the first one is used.
    Ambiguous,
    /// No entity has this label.
    Unknown,
    /// The line is not a URI that can be fetched.
    Invalid,
    /// The policy of the service forbids this URI.
    Blocked,
    /// An earlier line is the same seed.
    Duplicate,
}

/// An entity whose label matches a text.
#[derive(Serialize, ToSchema)]
#[schema(as = LabelMatch)]
pub(super) struct LabelMatchView {
    /// IRI of the entity.
    entity: String,
    /// Label that matches.
    label: String,
    /// Language of the label; empty if it has none.
    language: String,
    /// Approximate number of statements about the entity; 0 if not counted.
    statements: u64,
}

/// A seed of template, instance data or an import.
#[derive(Serialize, ToSchema)]
#[schema(as = OtherSeed)]
struct OtherSeedView {
    /// IRI of the entity.
    entity: String,
    /// Label of the entity in the archive.
    label: Option<String>,
    /// Where the seed comes from, as text.
    origin: String,
}

/// How seeds are linked in the archive: measured in the statements around them, within limits.
#[derive(Serialize, ToSchema)]
#[schema(as = SeedAnalysis)]
struct SeedAnalysisView {
    /// Coherence Γ of the known seeds: 1 if all are linked to each other; null if fewer than two are known.
    coherence: Option<f64>,
    /// Seeds that the archive has statements about, with their weights.
    known: Vec<KnownSeedView>,
    /// Seeds that the archive has no statements about. They can be crawled.
    unknown: Vec<String>,
    /// Distances between the first 30 known seeds.
    distances: Vec<SeedDistanceView>,
    /// Remarks, such as seeds that are far from the others.
    notes: Vec<String>,
    /// Whether limits were reached, so that some links are missing.
    partial: bool,
}

/// A known seed.
#[derive(Serialize, ToSchema)]
#[schema(as = KnownSeed)]
struct KnownSeedView {
    /// IRI of the seed.
    entity: String,
    /// Weight of the seed. The mean weight of all seeds is 1.
    weight: f64,
}

/// The distance of two seeds.
#[derive(Serialize, ToSchema)]
#[schema(as = SeedDistance)]
struct SeedDistanceView {
    /// IRI of the first seed.
    from: String,
    /// IRI of the second seed.
    to: String,
    /// Number of links between them; null if they are more than 4 links apart.
    links: Option<u8>,
}

/// An estimate of the crawl.
#[derive(Serialize, ToSchema)]
#[schema(as = CrawlEstimate)]
struct CrawlEstimateView {
    /// Number of documents of seeds.
    documents: usize,
    /// Number of domains of seeds.
    domains: usize,
    /// Maximum number of requests, from the limits of the crawl; null if it has none.
    max_requests: Option<u64>,
    /// Delay between two requests to a domain.
    delay_seconds: f64,
    /// Time for the maximum number of requests, if all go to the domains of the seeds; null without a limit. Links
    /// to other domains shorten it, slow servers and crawl delays of robots.txt lengthen it.
    seconds: Option<f64>,
}

/// Check seeds
///
/// Takes the request for a crawl and starts nothing: the state of each URI and label, the seeds of template and
/// instance data, how the seeds are linked in the archive, and an estimate. Sends no request to the web, unless
/// `seeds.labels_endpoint` is set.
#[utoipa::path(
    post, path = "/api/v1/seeds/check", tag = "crawls",
    request_body = NewCrawl,
    responses((status = 200, description = "The result", body = SeedCheckView)),
)]
pub(super) async fn check(
    State(service): State<Arc<Service>>,
    caller: Caller,
    JsonBody(request): JsonBody<NewCrawl>,
) -> Result<axum::Json<SeedCheckView>, Problem> {
    let places = ErrorPlaces::new(&request);
    let order = complete_order(&service, &caller, request).await?;
    let checking = move || service.jobs.check_seeds(&order).map_err(|error| places.locate(error));
    let (check, config) = run_bulk_read(checking).await?;
    Ok(axum::Json(SeedCheckView::new(check, &config)))
}

impl SeedCheckView {
    fn new(check: SeedCheck, config: &Config) -> Self {
        let label = |entity: &str| check.names.get(entity).cloned();
        let line = |line: &CheckedLine| {
            let CheckedLine { text, state, entity, choices, detail, hint } = line.clone();
            let choices = choices.into_iter().map(LabelMatchView::from).collect();
            let label = entity.as_deref().and_then(label);
            SeedLineView { text, state: state.into(), entity, label, choices, detail, hint }
        };
        let other = check.others.iter().take(MAX_LISTED_SEEDS).map(|note| OtherSeedView {
            entity: note.entity().to_owned(),
            label: label(note.entity()),
            origin: note.to_string(),
        });
        let problem = |SeedProblem { location, message, hint, .. }: &SeedProblem| {
            let location = location.as_ref().map_or_else(String::new, |location| format!("{location}: "));
            let hint = hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
            format!("{location}{message}{hint}")
        };
        Self {
            seeds: check.uris.iter().map(line).collect(),
            labels: check.labels.iter().map(line).collect(),
            others: other.collect(),
            others_total: check.others.len(),
            remarks: check.warnings.iter().map(ToString::to_string).collect(),
            problems: check.problems.first().iter().map(problem).collect(),
            estimate: CrawlEstimateView::new(&check, config),
            analysis: SeedAnalysisView::new(check),
        }
    }
}

impl SeedAnalysisView {
    fn new(check: SeedCheck) -> Self {
        let measured = check.neighbourhood;
        let known = measured.weights.into_iter();
        let distances = measured.distances.into_iter();
        Self {
            coherence: measured.coherence,
            known: known.map(|seed| KnownSeedView { entity: seed.name, weight: seed.weight }).collect(),
            unknown: measured.unknown,
            distances: distances
                .map(|pair| SeedDistanceView { from: pair.from, to: pair.to, links: pair.links })
                .collect(),
            notes: measured.notes,
            partial: measured.is_partial,
        }
    }
}

impl CrawlEstimateView {
    #[expect(clippy::cast_precision_loss, reason = "an estimate need not be exact")]
    fn new(check: &SeedCheck, config: &Config) -> Self {
        let domains: HashSet<String> = check.documents.iter().map(|uri| uri.pld().as_str().to_owned()).collect();
        let limits = [config.crawl.max_requests, config.crawl.max_documents];
        let max_requests = limits.into_iter().flatten().min();
        let delay_seconds = config.politeness.delay.as_secs_f64();
        let seconds = max_requests.map(|requests| requests as f64 * delay_seconds / domains.len().max(1) as f64);
        Self { documents: check.documents.len(), domains: domains.len(), max_requests, delay_seconds, seconds }
    }
}

impl From<SeedLineState> for SeedLineStateView {
    fn from(state: SeedLineState) -> Self {
        match state {
            SeedLineState::Valid => Self::Valid,
            SeedLineState::Ambiguous => Self::Ambiguous,
            SeedLineState::Unknown => Self::Unknown,
            SeedLineState::Invalid => Self::Invalid,
            SeedLineState::Blocked => Self::Blocked,
            SeedLineState::Duplicate => Self::Duplicate,
        }
    }
}

impl From<LabelMatch> for LabelMatchView {
    fn from(LabelMatch { entity, label, language, statements, .. }: LabelMatch) -> Self {
        Self { entity, label, language, statements }
    }
}

/// Query parameters of a search for names.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LabelQuery {
    /// Text that labels contain.
    #[param(min_length = 1, max_length = 200)]
    text: String,
    /// Maximum number of entities; default 10.
    #[serde(default)]
    #[param(minimum = 1, maximum = 50)]
    limit: Option<usize>,
}

/// Entities whose labels match a text.
#[derive(Serialize, ToSchema)]
pub(super) struct LabelMatchList {
    /// The entities, the best match first.
    matches: Vec<LabelMatchView>,
}

/// Find entities by their names
///
/// Entities of the archive whose label contains all words of the text, the best match first.
#[utoipa::path(
    get, path = "/api/v1/labels", tag = "crawls",
    params(LabelQuery), responses((status = 200, description = "The entities", body = LabelMatchList)),
)]
pub(super) async fn find_labels(
    State(service): State<Arc<Service>>,
    QueryParams(LabelQuery { text, limit }): QueryParams<LabelQuery>,
) -> Result<axum::Json<LabelMatchList>, Problem> {
    let limit = limit.unwrap_or(10);
    let is_valid = !text.trim().is_empty() && text.chars().count() <= MAX_LABEL_CHARS;
    if !is_valid || !(1..=50).contains(&limit) {
        let detail = format!("`text` must have 1 to {MAX_LABEL_CHARS} characters, `limit` must be 1 to 50");
        return Err(Problem::new(ProblemCode::BadRequest, detail).at(if is_valid { "?limit" } else { "?text" }));
    }
    let found = run_bulk_read(move || {
        let config = &service.settings.current().config;
        let found = service.jobs.label_index(config)?.look_up(&[text], limit).map_err(crate::jobs::JobError::from)?;
        Ok(found.into_iter().next().unwrap_or_default())
    })
    .await?;
    Ok(axum::Json(LabelMatchList { matches: found.into_iter().take(limit).map(LabelMatchView::from).collect() }))
}
