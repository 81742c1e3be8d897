//! Lists and downloads of candidates.

use std::io;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use lodeward_app::review;
use lodeward_app::review::{Candidate, CandidateError, CandidatePageRequest, CandidateQuery, MarkFilter};
use lodeward_app::review::{MarkKind, RankingFile};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::marks::MarkView;
use super::ranking::RankingView;
use super::rankings::{open_index, parse_ranking_name};
use super::{lazy_harvest, parse_filter};
use crate::api::accept;
use crate::api::crawls::CrawlPath;
use crate::api::extract::{PathParams, QueryParams};
use crate::api::pagination::{PageLimit, PageUrl, offset_links};
use crate::api::streaming::{download_slot, stream_body};
use crate::blocking::run_bulk_read;
use crate::problem::{Problem, ProblemCode};
use crate::state::Service;

const JSON: &str = "application/json";
const CSV: &str = "text/csv";

/// Query parameters for a page of candidates.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct CandidateListQuery {
    /// Only candidates that match this filter expression.
    #[param(max_length = 4_000, example = "type = dbo:Building and score >= 0.3")]
    filter: Option<String>,
    /// Only candidates with this mark.
    #[param(inline)]
    mark: MarkFilterParam,
    /// Name of a further ranking; default: the ranking of the crawl.
    #[param(max_length = 40)]
    ranking: Option<String>,
    /// IRI of a selected candidate: the page that contains it is returned, and `offset` is ignored.
    at: Option<String>,
    /// Whether candidates have reasons; default `true`.
    reasons: Option<bool>,
    /// Number of candidates to skip.
    offset: u32,
    /// Maximum number of candidates.
    #[param(inline)]
    limit: PageLimit,
}

/// Query parameters for a download of candidates.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct CandidateDownloadQuery {
    /// Only candidates that match this filter expression.
    #[param(max_length = 4_000, example = "type = dbo:Building and score >= 0.3")]
    filter: Option<String>,
    /// Only candidates with this mark.
    #[param(inline)]
    mark: MarkFilterParam,
}

/// Selection of candidates by mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum MarkFilterParam {
    /// Candidates that are not dropped. If the filter refers to marks, only the filter applies.
    #[default]
    Undropped,
    /// All candidates.
    All,
    /// Candidates marked `keep`.
    Keep,
    /// Candidates marked `drop`.
    Drop,
    /// Candidates without a mark.
    None,
}

impl MarkFilterParam {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Undropped => None,
            Self::All => Some("all"),
            Self::Keep => Some("keep"),
            Self::Drop => Some("drop"),
            Self::None => Some("none"),
        }
    }

    pub(super) fn to_mark_filter(self) -> MarkFilter {
        match self {
            Self::Undropped => MarkFilter::Undropped,
            Self::All => MarkFilter::All,
            Self::Keep => MarkFilter::Only(Some(MarkKind::Keep)),
            Self::Drop => MarkFilter::Only(Some(MarkKind::Drop)),
            Self::None => MarkFilter::Only(None),
        }
    }
}

/// A page of candidates, the best first.
#[derive(Serialize, ToSchema)]
struct CandidateListPage {
    /// The ranking of the candidates.
    ranking: RankingView,
    /// Total number of candidates that match the query.
    total: u64,
    /// Number of further candidates that are not listed because they are dropped.
    dropped: u64,
    /// Number of skipped candidates.
    offset: u64,
    /// Maximum number of candidates in this page.
    #[schema(value_type = u16)]
    limit: PageLimit,
    /// The candidates.
    candidates: Vec<CandidateView>,
}

/// An entity that may be relevant to the seeds.
#[derive(Serialize, ToSchema)]
#[schema(as = Candidate)]
struct CandidateView {
    /// Rank, from 1.
    #[schema(minimum = 1)]
    rank: u64,
    /// IRI of the entity.
    entity: String,
    /// Score. Scores of different rankers cannot be compared. `null` if the entity is listed only
    /// because it is kept: it is not in this ranking.
    score: Option<f64>,
    /// Number of links from the nearest seed; `null` if the entity is not in this ranking.
    hop: Option<u8>,
    /// Label, if it is known.
    label: Option<String>,
    /// Classes of the entity.
    types: Vec<String>,
    /// Whether a document about the entity was fetched.
    described: bool,
    /// Contributions to the score of the candidate, the strongest first.
    reasons: Vec<ReasonView>,
    /// Mark of the candidate, if a user has set one.
    mark: Option<MarkView>,
}

/// A contribution to the score of a candidate.
#[derive(Serialize, ToSchema)]
#[schema(as = Reason)]
pub(crate) struct ReasonView {
    /// Text that completes the sentence “because it …”.
    text: String,
    /// Contribution to the score, in the unit of the ranker.
    weight: f64,
}

impl From<lodeward_focus::rank::RankingReason> for ReasonView {
    fn from(lodeward_focus::rank::RankingReason { text, weight }: lodeward_focus::rank::RankingReason) -> Self {
        Self { text, weight }
    }
}

impl From<Candidate> for CandidateView {
    fn from(Candidate { row, mark }: Candidate) -> Self {
        let lodeward_app::review::ranking_file::RankingRow {
            rank,
            entity,
            score,
            hop,
            label,
            types,
            described,
            reasons: why,
        } = row;
        let reasons = why.into_iter().map(ReasonView::from).collect();
        Self { rank, entity, score, hop, label, types, described, reasons, mark: mark.map(MarkView::from) }
    }
}

/// List candidates
///
/// The candidates of the last ranking, the best first. A running crawl can be ranked, too.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/candidates", tag = "candidates",
    params(CrawlPath, CandidateListQuery),
    responses(
        (
            status = 200, description = "A page of candidates",
            content((CandidateListPage = "application/json"), (String = "text/csv")),
            headers(("Link" = String, description = "The previous (`prev`) and next (`next`) page")),
        ),
        (status = 404, description = "There is no such crawl or ranking, or the entity `at` is not selected"),
        (status = 406, description = "Neither JSON nor CSV is acceptable"),
        (status = 409, description = "There is no ranking yet"),
        (status = 422, description = "The filter is invalid"),
    ),
)]
pub(super) async fn list_candidates(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(query): QueryParams<CandidateListQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let directory = service.jobs.crawl_dir(id)?;
    let media_type = accept::negotiate(&headers, &[JSON, CSV])?;
    let filter = parse_filter(query.filter.as_deref())?;
    let harvest = lazy_harvest(&service, id, &filter).await?;
    let ranking = parse_ranking_name(query.ranking.as_deref())?;
    let (offset, limit) = (u64::from(query.offset), u64::from(query.limit.get()));
    let marks = query.mark.to_mark_filter();
    let (shared, at, has_reasons) = (Arc::clone(&service), query.at.clone(), query.reasons.unwrap_or(true));
    let found = run_bulk_read(move || {
        let index = open_index(&shared, &directory, ranking.as_ref())?;
        let selection = CandidateQuery { filter: &filter, marks, offset, limit };
        let request = CandidatePageRequest { query: selection, at: at.as_deref(), has_reasons };
        let page = index.page(&*shared.candidates.marks(&directory)?, &request, || Ok(harvest.into_store()))?;
        page.ok_or_else(|| {
            let problem = Problem::new(ProblemCode::NotFound, "the entity `at` is not among the selected candidates");
            problem.at("?at")
        })
    })
    .await?;
    let offset = found.offset;
    let url = PageUrl::new(format!("/api/v1/crawls/{id}/candidates"))
        .with_param("filter", query.filter.as_ref())
        .with_param("mark", query.mark.name())
        .with_param("ranking", query.ranking.as_ref())
        .with_param("reasons", query.reasons);
    let links = offset_links(&url, offset, query.limit, found.total);
    if media_type == CSV {
        return Ok(links.attach_to(csv_response(&found.candidates)?));
    }
    Ok(links.attach_to(axum::Json(CandidateListPage {
        ranking: RankingView::from_header(&found.header),
        total: found.total,
        dropped: found.dropped,
        offset,
        limit: query.limit,
        candidates: found.candidates.into_iter().map(CandidateView::from).collect(),
    })))
}

fn csv_response(found: &[Candidate]) -> Result<Response, Problem> {
    let mut text = Vec::new();
    let written = review::write_csv_head(&mut text)
        .and_then(|()| found.iter().try_for_each(|candidate| review::write_csv_line(candidate, &mut text)));
    written.map_err(|error| Problem::internal(&error))?;
    Ok(([(axum::http::header::CONTENT_TYPE, CSV)], text).into_response())
}

/// Download candidates
///
/// All selected candidates as CSV, the best first. Values that look like a formula are prefixed
/// with `'`, so that spreadsheets do not evaluate them.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/candidates.csv", tag = "candidates",
    params(CrawlPath, CandidateDownloadQuery),
    responses(
        (status = 200, description = "All selected candidates", body = String, content_type = "text/csv"),
        (status = 409, description = "There is no ranking yet"),
        (status = 422, description = "The filter is invalid"),
    ),
)]
pub(super) async fn download_candidates(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(query): QueryParams<CandidateDownloadQuery>,
) -> Result<Response, Problem> {
    let directory = service.jobs.crawl_dir(id)?;
    let filter = parse_filter(query.filter.as_deref())?;
    let harvest = lazy_harvest(&service, id, &filter).await?;
    let ranked_dir = directory.clone();
    // The ranking is opened once before the response begins, so that errors get an error status.
    let checked = tokio::task::spawn_blocking(move || RankingFile::open(&ranked_dir).map(drop));
    checked.await.expect("opening a ranking does not panic").map_err(CandidateError::from)?;
    let marks = query.mark.to_mark_filter();
    let body = stream_body(download_slot(&service.downloads)?, move |out| {
        review::write_csv_head(out)?;
        let selection = CandidateQuery { filter: &filter, marks, offset: 0, limit: u64::MAX };
        review::for_each_candidate::<DownloadError>(
            &directory,
            &filter,
            || Ok(harvest.into_store()),
            &mut |candidate| {
                if selection.includes(&candidate) {
                    review::write_csv_line(&candidate, out)?;
                }
                Ok(())
            },
        )
        .map(drop)
        .map_err(|DownloadError(error)| error)
    });
    Ok(([(axum::http::header::CONTENT_TYPE, CSV)], body).into_response())
}

/// Why a download failed.
struct DownloadError(io::Error);

impl From<io::Error> for DownloadError {
    fn from(error: io::Error) -> Self {
        Self(error)
    }
}

impl From<CandidateError> for DownloadError {
    fn from(error: CandidateError) -> Self {
        Self(io::Error::other(error))
    }
}
