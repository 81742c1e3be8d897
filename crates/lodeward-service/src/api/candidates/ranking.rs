//! How candidates are ranked.

use std::sync::Arc;

use axum::extract::State;
use lodeward::config::{Config, Ranker};
use lodeward::open::{self, CandidatesError, Redirects};
use lodeward::rank::Listing;
use lodeward::rank::listing::Heading;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use utoipa::{IntoParams, ToSchema};

use crate::api::crawls::{CrawlPath, changeable};
use crate::api::extract::{Path, Query};
use crate::api::moment::Moment;
use crate::beside::beside;
use crate::fleet::events::What;
use crate::problem::{Code, Problem};
use crate::role::Caller;
use crate::service::Service;

/// Rankings that are made at a time: each holds a graph in memory.
static SEATS: Semaphore = Semaphore::const_new(2);

/// How many seeds are told one by one.
const SEEDS_TOLD: usize = 1_000;

/// How a ranking came about.
#[derive(Serialize, ToSchema)]
pub(super) struct Ranking {
    /// The ranker that was used.
    ranker: String,
    /// Candidates are at most this many links from a seed.
    depth: u8,
    /// Why that ranker and that depth, in words.
    reason: String,
    /// How many candidates were ranked.
    candidates: u64,
    /// How many of them are listed: the best ones.
    listed: u64,
    /// How many entities were known.
    entities: u64,
    /// How many links between them.
    links: u64,
    /// Facts that did not fit into the bounds of a ranking.
    left_out: u64,
    /// Marks that were known.
    marks: u64,
    /// How many seeds some document speaks of.
    seeds_known: u64,
    /// How many seeds none does.
    seeds_missing: u64,
    /// 1 if each seed is linked to each, less the farther apart they are.
    coherence: f64,
    /// What is odd about the seeds, in words.
    notes: Vec<String>,
    /// When it was made.
    made_at: Moment,
}

/// How a ranking came about, and how much its seeds count.
#[derive(Serialize, ToSchema)]
pub(super) struct RankingWithSeeds {
    /// How it came about.
    ranking: Ranking,
    /// The first 1,000 seeds that some document speaks of.
    seeds: Vec<WeighedSeed>,
    /// The first 1,000 seeds that none speaks of: they count for nothing.
    missing: Vec<String>,
}

/// A seed, and how much it counts.
#[derive(Serialize, ToSchema)]
struct WeighedSeed {
    /// Its IRI.
    entity: String,
    /// Its Katz centrality, if that could be measured.
    katz: Option<f64>,
    /// How much it weighs: 1 on average.
    weight: f64,
}

impl Ranking {
    pub(super) fn of(heading: &Heading) -> Self {
        let Heading { depth, candidates, listed, entities, links, left_out, marks, .. } = *heading;
        Self {
            ranker: heading.ranker.clone(),
            depth,
            reason: heading.reason.clone(),
            candidates,
            listed,
            entities,
            links,
            left_out,
            marks,
            seeds_known: heading.seeds.seeds.len() as u64 + heading.seeds_unlisted,
            seeds_missing: heading.seeds.missing.len() as u64 + heading.missing_unlisted,
            coherence: heading.seeds.coherence,
            notes: heading.seeds.notes.clone(),
            made_at: Moment::of_ms(heading.made_at_ms),
        }
    }
}

impl RankingWithSeeds {
    fn of(heading: Heading) -> Self {
        let ranking = Ranking::of(&heading);
        let seeds = heading.seeds.seeds.into_iter().take(SEEDS_TOLD);
        let seeds = seeds.map(|seed| WeighedSeed { entity: seed.name, katz: seed.katz, weight: seed.weight });
        let missing = heading.seeds.missing.into_iter().take(SEEDS_TOLD);
        Self { ranking, seeds: seeds.collect(), missing: missing.collect() }
    }
}

/// Tells how candidates were ranked.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/ranking", tag = "candidates",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(CrawlPath),
    responses(
        (status = 200, description = "How it came about", body = RankingWithSeeds),
        (status = 409, description = "There is no ranking yet"),
    ),
)]
pub(super) async fn get_ranking(
    State(service): State<Arc<Service>>,
    Path(CrawlPath { id }): Path<CrawlPath>,
) -> Result<axum::Json<RankingWithSeeds>, Problem> {
    let directory = service.fleet.directory(id)?;
    let opened = tokio::task::spawn_blocking(move || Listing::open(&directory).map(|listing| listing.heading));
    let heading = opened.await.expect("reading does not panic").map_err(CandidatesError::from)?;
    Ok(axum::Json(RankingWithSeeds::of(heading)))
}

/// How to rank. What is not said is as the crawl has it.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Who ranks: `auto`, `hybrid`, `ejsim+`, `ejsim`, `njsim`, `pagerank`, `ppr`, `nb`.
    ranker: Option<String>,
    /// Candidates are up to this many links from a seed.
    #[param(minimum = 1, maximum = 10)]
    depth: Option<u8>,
}

/// Ranks again.
///
/// From all that was harvested so far; nobody is visited for it. Also while the crawl
/// runs, and whatever its strategy. Who hangs up does not stop it: `ranked` is told
/// when it is done.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/ranking", tag = "candidates",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(CrawlPath, Wanted),
    responses(
        (status = 200, description = "How it came about", body = RankingWithSeeds),
        (status = 409, description = "Somebody waits to rank it already, or another process has it"),
    ),
)]
pub(super) async fn rank_again(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(CrawlPath { id }): Path<CrawlPath>,
    Query(wanted): Query<Wanted>,
) -> Result<axum::Json<RankingWithSeeds>, Problem> {
    changeable(&service, &caller, id)?;
    let config = wanted.over(service.fleet.config(id)?)?;
    let place = service.rankings.join(id).ok_or_else(|| {
        let told = format!("the crawl {id} is being ranked, and somebody waits to rank it again");
        Problem::new(Code::Conflict, told).hint("the event `ranked` tells when it is done")
    })?;
    let ranking = tokio::spawn(async move {
        let ranked = rank(&service, id, config).await;
        drop(place);
        ranked
    });
    let heading = ranking.await.unwrap_or_else(|error| Err(Problem::internal(&error)))?;
    Ok(axum::Json(RankingWithSeeds::of(heading)))
}

impl Wanted {
    fn over(self, mut config: Config) -> Result<Config, Problem> {
        if let Some(ranker) = self.ranker {
            let unknown = |error: String| Problem::new(Code::BadRequest, format!("ranker: {error}"));
            config.focus.ranker = Ranker::try_from(ranker).map_err(unknown)?;
        }
        if let Some(depth) = self.depth {
            if !(1..=10).contains(&depth) {
                return Err(Problem::new(Code::BadRequest, "depth: it is 1 to 10"));
            }
            config.focus.depth = Some(depth);
        }
        Ok(config)
    }
}

async fn rank(service: &Arc<Service>, id: u32, config: Config) -> Result<Heading, Problem> {
    let seat = SEATS.acquire().await.expect("seats are never closed");
    let shelf = service.fleet.shelf(id).await?;
    let redirects = Redirects::of(&*shelf.frontier, config.focus.entities_max).await;
    let redirects = redirects.map_err(|error| Problem::internal(&error))?;
    let now_ms = (service.now)();
    let (_, files) = service.fleet.files(id).await?;
    let reader = Arc::clone(service);
    let heading = beside(move || {
        let _files = files;
        let seeds = reader.fleet.seeds(id)?;
        Ok(open::rank(&config, &shelf, redirects, &seeds, now_ms)?.0)
    })
    .await?;
    drop(seat);
    service.fleet.hub().tell(id, What::Ranked);
    Ok(heading)
}
