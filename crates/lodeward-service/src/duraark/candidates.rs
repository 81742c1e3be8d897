//! The DURAARK methods `loadCrawl` and `filterCrawlCandidates`.

use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use lodeward_app::review::filter::CandidateFilter;
use lodeward_app::review::marks::MarkAuthor;
use lodeward_app::review::{Candidate, CandidateError, CandidateQuery, MarkFilter, candidates_with};
use lodeward_app::review::{MarkFile, MarkKind, RankingFileError};
use serde::Serialize;
use utoipa::ToSchema;

use super::params::{CandidateParams, FilterParams};
use crate::api::{self, require_owned_crawl};
use crate::blocking::run_bulk_read;
use crate::jobs::JobView;
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;
use crate::state::Service;

/// A candidate of a crawl.
#[derive(Serialize, ToSchema)]
struct DuraarkCandidate {
    /// Rank, from 1.
    #[schema(minimum = 1)]
    rank: u64,
    /// IRI of the entity.
    entity: String,
    /// Relevance to the seeds; missing if the entity is kept, but not in the last ranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    score: Option<f64>,
    /// Number of links from the nearest seed; missing as `score` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    depth: Option<u64>,
    /// Label; missing if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    label: Option<String>,
    /// Classes of the entity.
    types: Vec<String>,
}

/// Candidates, the best first.
#[derive(Serialize, ToSchema)]
pub(super) struct DuraarkCandidates(Vec<DuraarkCandidate>);

/// A page of candidates, and the total number.
pub(super) struct DuraarkCandidatePage {
    ranked: DuraarkCandidates,
    total: u64,
}

impl IntoResponse for DuraarkCandidatePage {
    fn into_response(self) -> Response {
        ([("x-total-count", self.total.to_string())], Json(self.ranked)).into_response()
    }
}

/// The result of filtering candidates out.
#[derive(Serialize, ToSchema)]
pub(super) struct DuraarkFiltered {
    /// ID of the crawl.
    crawl_id: u32,
    /// Number of candidates filtered out by this request.
    filtered: u64,
    /// Number of candidates that are left.
    left: u64,
    /// The result as text.
    message: String,
}

impl IntoResponse for DuraarkFiltered {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

pub(super) async fn load(
    service: &Arc<Service>,
    _: &Caller,
    params: CandidateParams,
) -> Result<DuraarkCandidatePage, Problem> {
    let view = service.jobs.get(params.crawl_id)?;
    let (offset, limit) = (params.offset.unwrap_or(0), params.limit.unwrap_or(u32::MAX));
    if limit == 0 {
        return Err(Problem::new(ProblemCode::Unprocessable, "`limit` must be 1 or more"));
    }
    let directory = service.jobs.crawl_dir(view.id)?;
    let found = run_bulk_read(move || {
        let filter = CandidateFilter::default();
        let query = CandidateQuery {
            filter: &filter,
            marks: MarkFilter::Undropped,
            offset: offset.into(),
            limit: limit.into(),
        };
        let found = candidates_with(&directory, &query, || unreachable!("an empty filter needs no statements"));
        found.map_err(|error| candidates_problem(&view, error))
    });
    let found = found.await?;
    Ok(DuraarkCandidatePage {
        total: found.total,
        ranked: DuraarkCandidates(found.candidates.into_iter().map(to_duraark_candidate).collect()),
    })
}

pub(super) async fn filter(
    service: &Arc<Service>,
    caller: &Caller,
    params: FilterParams,
) -> Result<DuraarkFiltered, Problem> {
    let view = require_owned_crawl(service, caller, params.crawl_id)?;
    let filter = parse_filter(&params.crawl_filter)?;
    // The crawl is opened only if the filter needs statements, because opening it may take long.
    let open_crawl = if filter.needs_statements() { Some(service.jobs.open_crawl(view.id).await?) } else { None };
    let by = MarkAuthor { user: Some(caller.name.clone()), at_ms: Some((service.now)()) };
    let crawl_id = view.id;
    let (directory, files) = service.jobs.lock_files(view.id).await?;
    let (filtered, left) = run_bulk_read(move || {
        let _files = files;
        let to_problem = |error| candidates_problem(&view, error);
        let query = CandidateQuery { filter: &filter, marks: MarkFilter::All, offset: 0, limit: u64::MAX };
        let harvest = || Ok(Arc::clone(&open_crawl.expect("the crawl is open if statements are needed").segments));
        let found = candidates_with(&directory, &query, harvest).map_err(to_problem)?;
        let entities = found.candidates.iter().map(|candidate| candidate.row.entity.as_str());
        let mut marks = MarkFile::open(&directory).map_err(|error| to_problem(error.into()))?;
        let filtered = marks.set(entities, Some(MarkKind::Drop), &by).map_err(|error| to_problem(error.into()))?;
        let all = CandidateFilter::default();
        let query = CandidateQuery { filter: &all, marks: MarkFilter::Undropped, offset: 0, limit: 0 };
        let no_harvest = || unreachable!("an empty filter needs no statements");
        let left = candidates_with(&directory, &query, no_harvest).map_err(to_problem)?;
        Ok((filtered as u64, left.total))
    })
    .await?;
    let message = format!("{filtered} candidates filtered out, {left} left");
    Ok(DuraarkFiltered { crawl_id, filtered, left, message })
}

/// Parses a filter. An empty one is rejected, because it would match all candidates.
fn parse_filter(text: &str) -> Result<CandidateFilter, Problem> {
    if text.trim().is_empty() {
        return Err(Problem::new(
            ProblemCode::Unprocessable,
            "`crawl_filter` is empty and would filter out all candidates",
        )
        .hint("use `rank >= 1` to match all candidates"));
    }
    api::parse_filter(Some(text))
}

fn to_duraark_candidate(Candidate { row, .. }: Candidate) -> DuraarkCandidate {
    let (rank, entity, score, label, types) = (row.rank, row.entity, row.score, row.label, row.types);
    DuraarkCandidate { rank, entity, score, depth: row.hop.map(u64::from), label, types }
}

fn candidates_problem(view: &JobView, error: CandidateError) -> Problem {
    match error {
        CandidateError::Ranking(RankingFileError::Missing) => {
            let detail = format!("crawl {} is {}: its candidates are not ranked yet", view.id, view.state.name());
            Problem::new(ProblemCode::Conflict, detail)
                .hint("candidates are ranked when the crawl ends: wait for it, or stop it")
        }
        other => other.into(),
    }
}
