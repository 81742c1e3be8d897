//! Further rankings of a crawl, which are compared with its ranking.

use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use lodeward_app::review::{
    CandidateError, CandidateIndex, RankingFile, RankingFileError, RankingName, delete_ranking, named_rankings,
    ranking_path,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::ranking::RankingView;
use crate::api::crawls::{CrawlPath, require_owned_crawl};
use crate::api::extract::PathParams;
use crate::blocking::run_blocking;
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;
use crate::state::Service;

/// The rankings of a crawl.
#[derive(Serialize, ToSchema)]
pub(super) struct RankingList {
    /// The ranking of the crawl first, if there is one; then further rankings, by name.
    rankings: Vec<NamedRankingView>,
    /// Rankings that run or wait.
    running: Vec<RunningRankingView>,
}

/// A ranking with its name.
#[derive(Serialize, ToSchema)]
#[schema(as = NamedRanking)]
struct NamedRankingView {
    /// Name of the further ranking; `null` for the ranking of the crawl.
    name: Option<String>,
    /// The ranking.
    ranking: RankingView,
}

/// A ranking that runs or waits.
#[derive(Serialize, ToSchema)]
#[schema(as = RunningRanking)]
struct RunningRankingView {
    /// Name of the further ranking; `null` for the ranking of the crawl.
    name: Option<String>,
    /// Number of documents to read; 0 before the ranking starts, and when all are read.
    documents_left: u64,
}

/// Path parameters that select a further ranking.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct NamedRankingPath {
    /// ID of a crawl.
    #[param(minimum = 1)]
    id: u32,
    /// Name of a further ranking.
    #[param(max_length = 40)]
    name: String,
}

/// List rankings
///
/// The ranking of the crawl, further rankings (`POST …/ranking?as=NAME`), and rankings that run, with
/// their progress.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/rankings", tag = "candidates",
    params(CrawlPath), responses((status = 200, description = "The rankings", body = RankingList)),
)]
pub(super) async fn list_rankings(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
) -> Result<axum::Json<RankingList>, Problem> {
    let directory = service.jobs.crawl_dir(id)?;
    let running = service.running_rankings.of_crawl(id).into_iter();
    let running = running.map(|(name, documents_left)| RunningRankingView { name, documents_left }).collect();
    let rankings = run_blocking(move || {
        let own = match RankingFile::open(&directory) {
            Ok(ranking) => Some((None, ranking.header)),
            Err(RankingFileError::Missing) => None,
            Err(error) => return Err(CandidateError::from(error).into()),
        };
        let named = named_rankings(&directory).map_err(CandidateError::from)?;
        let named = named.into_iter().map(|(name, header)| (Some(name.to_string()), header));
        let view = |(name, header)| NamedRankingView { name, ranking: RankingView::from_header(&header) };
        Ok(own.into_iter().chain(named).map(view).collect())
    })
    .await?;
    Ok(axum::Json(RankingList { rankings, running }))
}

/// Delete a further ranking
#[utoipa::path(
    delete, path = "/api/v1/crawls/{id}/rankings/{name}", tag = "candidates",
    params(NamedRankingPath), responses((status = 204, description = "Deleted")),
)]
pub(super) async fn delete_named_ranking(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(NamedRankingPath { id, name }): PathParams<NamedRankingPath>,
) -> Result<StatusCode, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    let missing = move || Problem::new(ProblemCode::NotFound, "no such ranking").hint("GET …/rankings lists them");
    let name: RankingName = name.parse().map_err(|_| missing())?;
    let (directory, files) = service.jobs.lock_files(id).await?;
    run_blocking(move || {
        let _files = files;
        let was_deleted = delete_ranking(&directory, &name).map_err(CandidateError::from)?;
        if was_deleted { Ok(StatusCode::NO_CONTENT) } else { Err(missing()) }
    })
    .await
}

/// Parses the name of a further ranking in a query parameter.
pub(super) fn parse_ranking_name(name: Option<&str>) -> Result<Option<RankingName>, Problem> {
    let invalid = |error: String| {
        Problem::new(ProblemCode::BadRequest, format!("invalid name of a ranking: {error}")).at("?ranking")
    };
    name.map(str::parse).transpose().map_err(invalid)
}

/// The index of a ranking. Blocks.
pub(super) fn open_index(
    service: &Service,
    directory: &Path,
    name: Option<&RankingName>,
) -> Result<Arc<CandidateIndex>, Problem> {
    match (service.candidates.index(&ranking_path(directory, name)), name) {
        (Err(CandidateError::Ranking(RankingFileError::Missing)), Some(name)) => {
            let problem = Problem::new(ProblemCode::NotFound, format!("no ranking with the name `{name}`"));
            Err(problem.hint("GET …/rankings lists the rankings"))
        }
        (index, _) => Ok(index?),
    }
}
