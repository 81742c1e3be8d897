//! The ranked candidates of a crawl, and the marks of users.

mod facets;
mod list;
mod mark_changes;
mod marks;
mod ranking;
mod rankings;

pub(crate) use list::ReasonView;
pub(in crate::api) use marks::{MarkHistoryPage, MarkHistoryQuery, MarkView, NewMarkKind, history_page};

use std::sync::Arc;

use lodeward::store::SegmentStore;
use lodeward_app::review::CandidateError;
use lodeward_app::review::{CandidateFilter, MarksError, RankingFileError};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::problem::{Problem, ProblemCode, ProblemError};
use crate::role::Role;
use crate::route_rules::{BodyClass, RouteRules};
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let (reads, changes) = (RouteRules::reads(Role::Reader), RouteRules::changes(Role::Operator));
    // Readers may mark the candidates of a crawl whose reviewers they are.
    let reviews = RouteRules::changes(Role::Reader);
    OpenApiRouter::new()
        .routes(reads.on(routes!(list::list_candidates)))
        .routes(reads.on(routes!(list::download_candidates)))
        .routes(reads.on(routes!(facets::candidate_facets)))
        // Lists of entities may be long.
        .routes(reviews.clone().body(BodyClass::Data).on(routes!(marks::mark_candidates)))
        .routes(reviews.on(routes!(marks::undo_marks)))
        .routes(reads.on(routes!(marks::mark_history)))
        .routes(reads.on(routes!(mark_changes::list_mark_changes)))
        .routes(reads.on(routes!(rankings::list_rankings)))
        .routes(changes.on(routes!(rankings::delete_named_ranking)))
        .routes(reads.on(routes!(ranking::get_ranking)))
        .routes(changes.on(routes!(ranking::rank_candidates)))
}

/// The maximum length of a filter. A character has at most twelve bytes in a URL, so every
/// filter fits into the query string.
const MAX_FILTER_CHARS: usize = 4_000;

/// Parses a filter. If `text` is missing, all candidates match.
pub(crate) fn parse_filter(text: Option<&str>) -> Result<CandidateFilter, Problem> {
    parse_filter_at(text, "?filter")
}

/// Like [`parse_filter`]; `at` is the place of the filter in the request.
pub(crate) fn parse_filter_at(text: Option<&str>, at: &str) -> Result<CandidateFilter, Problem> {
    let text = text.unwrap_or_default();
    if text.chars().nth(MAX_FILTER_CHARS).is_some() {
        let detail = format!("filter: longer than {MAX_FILTER_CHARS} characters");
        let problem = Problem::new(ProblemCode::Unprocessable, detail);
        return Err(problem.hint("use a regular expression instead of a long list").at(at));
    }
    CandidateFilter::parse(text).map_err(|error| {
        let problem = Problem::new(ProblemCode::Unprocessable, format!("filter: {error}"));
        let (from, to) = error.character_range();
        let problem = problem.with_errors([ProblemError {
            at: at.to_owned(),
            detail: error.message,
            hint: error.hint.clone(),
            from: Some(from),
            to: Some(to),
        }]);
        error.hint.map_or(problem.clone(), |hint| problem.hint(hint))
    })
}

/// Opens the harvest of a crawl if the filter needs statements about candidates.
async fn lazy_harvest(service: &Service, id: u32, filter: &CandidateFilter) -> Result<LazyHarvest, Problem> {
    if !filter.needs_statements() {
        return Ok(LazyHarvest(None));
    }
    Ok(LazyHarvest(Some(Arc::clone(&service.jobs.open_crawl(id).await?.segments))))
}

/// The harvest of a crawl; `None` if the filter needs no statements.
struct LazyHarvest(Option<Arc<SegmentStore>>);

impl LazyHarvest {
    fn into_store(self) -> Arc<SegmentStore> {
        self.0.expect("the harvest is opened if the filter needs statements")
    }
}

/// Converts an error in reading candidates into a problem.
impl From<CandidateError> for Problem {
    fn from(error: CandidateError) -> Self {
        let detail = match &error {
            CandidateError::Ranking(RankingFileError::Missing) => "the crawl has not been ranked yet",
            CandidateError::Ranking(RankingFileError::Damaged { .. } | RankingFileError::Version { .. }) => {
                tracing::warn!(%error, "reading a ranking failed");
                "the ranking cannot be read"
            }
            CandidateError::NotCandidate(error) => {
                let hint = error.did_you_mean();
                let hint = hint.unwrap_or_else(|| "GET …/candidates lists the candidates".to_owned());
                return Self::new(ProblemCode::Unprocessable, error.to_string()).hint(hint);
            }
            CandidateError::Marks(MarksError::Entity(_)) => {
                return Self::new(ProblemCode::Unprocessable, error.to_string());
            }
            _ => return Self::internal(&error),
        };
        Self::new(ProblemCode::Conflict, detail).hint("call POST …/ranking; a focused crawl is ranked when it ends")
    }
}
