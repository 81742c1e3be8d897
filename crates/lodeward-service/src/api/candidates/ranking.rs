//! Rankings of candidates.

use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use lodeward_app::review;
use lodeward_app::review::ranking_file::{self, RankingHeader};
use lodeward_app::review::{CandidateError, RankingProgress, RedirectMap};
use lodeward_app::review::{MAX_NAMED_RANKINGS, RankingDepth, RankingFile, RankingName, named_rankings, ranking_path};
use lodeward_app::settings::Config;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use utoipa::{IntoParams, ToSchema};

use crate::api::crawls::{CrawlPath, require_owned_crawl};
use crate::api::extract::{PathParams, QueryParams};
use crate::api::timestamp::Timestamp;
use crate::blocking::run_blocking;
use crate::jobs::events::JobEventKind;
use crate::limits::MAX_CONCURRENT_RANKINGS;
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;
use crate::state::Service;

/// Slots for concurrent rankings.
static RANKING_SLOTS: Semaphore = Semaphore::const_new(MAX_CONCURRENT_RANKINGS);

/// The maximum number of seeds in a response.
const MAX_LISTED_SEEDS: usize = 1_000;

/// A ranking of the candidates of a crawl.
#[derive(Serialize, ToSchema)]
#[schema(as = Ranking)]
pub(super) struct RankingView {
    /// Name of the ranker.
    ranker: String,
    /// Maximum number of links between a candidate and a seed.
    max_hops: u8,
    /// Value of `max_hops` in the ranking at the end of the crawl, if there was one.
    crawl_max_hops: Option<u8>,
    /// Why the service chose this ranker and this number of hops, as text.
    reason: String,
    /// Number of ranked candidates.
    candidates: u64,
    /// Number of entities in the stored list: the best candidates, and all kept entities.
    listed: u64,
    /// Number of known entities in the harvest.
    entities: u64,
    /// Number of links between known entities.
    links: u64,
    /// Number of facts that the ranking ignored because of its size limits.
    facts_omitted: u64,
    /// Number of marks that the ranker used.
    marks: u64,
    /// Number of seeds that the harvest has statements about.
    seeds_known: u64,
    /// Number of seeds that the harvest has no statements about.
    seeds_missing: u64,
    /// Coherence of the seeds: 1 if all are linked to each other, less the farther apart they are.
    coherence: f64,
    /// Remarks about the seeds.
    notes: Vec<String>,
    /// When the ranking was created.
    created_at: Timestamp,
}

/// A ranking with the weights of its seeds.
#[derive(Serialize, ToSchema)]
pub(super) struct RankingDetail {
    /// The ranking.
    ranking: RankingView,
    /// The first 1,000 seeds that the harvest has statements about, with their weights.
    seeds: Vec<SeedWeightView>,
    /// The first 1,000 seeds that the harvest has no statements about. They have no weight.
    missing: Vec<String>,
}

/// A seed and its weight.
#[derive(Serialize, ToSchema)]
#[schema(as = SeedWeight)]
struct SeedWeightView {
    /// IRI of the seed.
    entity: String,
    /// Katz centrality, if it could be computed.
    katz: Option<f64>,
    /// Weight of the seed. The mean weight of all seeds is 1.
    weight: f64,
}

impl RankingView {
    pub(super) fn from_header(header: &RankingHeader) -> Self {
        let RankingHeader {
            max_hops, candidates, listed, entities, links, facts_omitted, marks, crawl_max_hops, ..
        } = *header;
        Self {
            ranker: header.ranker.clone(),
            max_hops,
            crawl_max_hops,
            reason: header.reason.clone(),
            candidates,
            listed,
            entities,
            links,
            facts_omitted,
            marks,
            seeds_known: header.seeds.seeds.len() as u64 + header.unlisted_seeds,
            seeds_missing: header.seeds.missing.len() as u64 + header.unlisted_missing_seeds,
            coherence: header.seeds.coherence,
            notes: header.seeds.notes.clone(),
            created_at: Timestamp::from_ms(header.created_at_ms),
        }
    }
}

impl RankingDetail {
    fn from_heading(header: RankingHeader) -> Self {
        let ranking = RankingView::from_header(&header);
        let seeds = header.seeds.seeds.into_iter().take(MAX_LISTED_SEEDS);
        let seeds = seeds.map(|seed| SeedWeightView { entity: seed.name, katz: seed.katz, weight: seed.weight });
        let missing = header.seeds.missing.into_iter().take(MAX_LISTED_SEEDS);
        Self { ranking, seeds: seeds.collect(), missing: missing.collect() }
    }
}

/// Get the ranking
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/ranking", tag = "candidates",
    params(CrawlPath),
    responses(
        (status = 200, description = "The ranking", body = RankingDetail),
        (status = 409, description = "There is no ranking yet"),
    ),
)]
pub(super) async fn get_ranking(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
) -> Result<axum::Json<RankingDetail>, Problem> {
    let directory = service.jobs.crawl_dir(id)?;
    let opened = tokio::task::spawn_blocking(move || RankingFile::open(&directory).map(|listing| listing.header));
    let header = opened.await.expect("reading a ranking does not panic").map_err(CandidateError::from)?;
    Ok(axum::Json(RankingDetail::from_heading(header)))
}

/// Options of a ranking. Default: the settings of the crawl.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct RankRequest {
    /// Ranker: `auto`, `hybrid`, `ejsim+`, `ejsim`, `njsim`, `pagerank`, `ppr`, `feedback`, `nb`.
    ranker: Option<String>,
    /// Maximum number of links between a candidate and a seed; default: as in the ranking at the end
    /// of the crawl.
    #[param(minimum = 1, maximum = 10)]
    max_hops: Option<u8>,
    /// Stores the result as a further ranking with this name, instead of replacing the ranking of the
    /// crawl: letters, digits, `-` and `_`.
    #[serde(rename = "as")]
    #[param(max_length = 40)]
    name: Option<String>,
}

/// Rank candidates
///
/// Ranks the entities of the harvest so far, without sending requests. The crawl may be running,
/// and may use any strategy. If the client disconnects, the ranking is still completed, and the
/// event `ranked` is sent.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/ranking", tag = "candidates",
    params(CrawlPath, RankRequest),
    responses(
        (status = 200, description = "The ranking", body = RankingDetail),
        (status = 409, description = "A ranking of the crawl is already waiting, or the crawl is in use by another process"),
    ),
)]
pub(super) async fn rank_candidates(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(request): QueryParams<RankRequest>,
) -> Result<axum::Json<RankingDetail>, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    let depth = request.depth()?;
    let name = request.ranking_name()?;
    let config = request.apply_to(service.jobs.config(id)?)?;
    let permit = service.rankings.try_acquire(id).ok_or_else(|| {
        let detail = format!("crawl {id} is being ranked, and another ranking is waiting");
        Problem::new(ProblemCode::Conflict, detail).hint("the event `ranked` is sent when a ranking is complete")
    })?;
    let ranking = tokio::spawn(async move {
        let progress = service.running_rankings.add(id, name.clone());
        let ranked = rank(&service, id, config, depth, name, progress.clone()).await;
        service.running_rankings.remove(&progress);
        drop(permit);
        ranked
    });
    let header = ranking.await.unwrap_or_else(|error| Err(Problem::internal(&error)))?;
    Ok(axum::Json(RankingDetail::from_heading(header)))
}

impl RankRequest {
    fn ranking_name(&self) -> Result<Option<RankingName>, Problem> {
        let invalid = |error: String| Problem::new(ProblemCode::BadRequest, format!("`as`: {error}")).at("?as");
        self.name.as_deref().map(str::parse).transpose().map_err(invalid)
    }

    fn depth(&self) -> Result<RankingDepth, Problem> {
        match self.max_hops {
            None => Ok(RankingDepth::Last),
            Some(max_hops) if (1..=10).contains(&max_hops) => Ok(RankingDepth::Requested(max_hops)),
            Some(_) => Err(Problem::new(ProblemCode::BadRequest, "`max_hops` must be 1 to 10")),
        }
    }

    fn apply_to(self, mut config: Config) -> Result<Config, Problem> {
        if let Some(ranker) = self.ranker {
            let unknown = |error: String| Problem::new(ProblemCode::BadRequest, format!("ranker: {error}"));
            config.ranking.ranker = ranker.parse().map_err(unknown)?;
        }
        Ok(config)
    }
}

async fn rank(
    service: &Arc<Service>,
    id: u32,
    config: Config,
    depth: RankingDepth,
    name: Option<RankingName>,
    progress: RankingProgress,
) -> Result<RankingHeader, Problem> {
    let slot = RANKING_SLOTS.acquire().await.expect("the semaphore is never closed");
    let open_crawl = service.jobs.open_crawl(id).await?;
    let redirects = RedirectMap::from_frontier(&*open_crawl.frontier, config.ranking.limits.max_entities).await;
    let redirects = redirects.map_err(|error| Problem::internal(&error))?;
    let now_ms = (service.now)();
    let (_, files) = service.jobs.lock_files(id).await?;
    let shared = Arc::clone(service);
    let header = run_blocking(move || {
        let _files = files;
        let seeds = shared.jobs.seeds(id)?;
        let directory = open_crawl.dir.path();
        if let Some(name) = &name {
            check_ranking_count(directory, name)?;
        }
        let (header, rows) =
            review::compute_ranking(&config, &open_crawl, redirects, &seeds, depth, now_ms, &progress)?;
        let path = ranking_path(directory, name.as_ref());
        ranking_file::write(&path, &header, &rows).map_err(CandidateError::from)?;
        Ok(header)
    })
    .await?;
    drop(slot);
    service.jobs.hub().publish(id, JobEventKind::Ranked);
    Ok(header)
}

/// Rejects a further ranking if the crawl has too many.
fn check_ranking_count(directory: &Path, name: &RankingName) -> Result<(), Problem> {
    let named = named_rankings(directory).map_err(CandidateError::from)?;
    if named.len() < MAX_NAMED_RANKINGS || named.iter().any(|(known, _)| known == name) {
        return Ok(());
    }
    let detail = format!("the crawl has {MAX_NAMED_RANKINGS} further rankings");
    Err(Problem::new(ProblemCode::Conflict, detail).hint("delete one: DELETE …/rankings/{name}"))
}
