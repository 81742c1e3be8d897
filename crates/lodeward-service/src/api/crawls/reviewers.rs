//! The users besides the owner that may mark candidates of a crawl.

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use super::view::CrawlView;
use super::{CrawlPath, crawl_view, require_owned_crawl};
use crate::api::extract::{JsonBody, PathParams};
use crate::blocking::run_blocking;
use crate::jobs::JobView;
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;
use crate::state::Service;
use crate::users::UserName;

/// The maximum number of reviewers of a crawl.
const MAX_REVIEWERS: usize = 100;

/// The reviewers of a crawl.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewReviewers {
    /// Names of users.
    #[schema(max_items = 100)]
    users: Vec<String>,
}

/// Set the reviewers of a crawl
///
/// Reviewers may mark its candidates, whatever their role, and undo their own changes. The owner and
/// admins need not be listed.
#[utoipa::path(
    put, path = "/api/v1/crawls/{id}/reviewers", tag = "crawls",
    params(CrawlPath), request_body = NewReviewers,
    responses(
        (status = 200, description = "The crawl", body = CrawlView),
        (status = 422, description = "A user does not exist"),
    ),
)]
pub(super) async fn set_reviewers(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    JsonBody(NewReviewers { mut users }): JsonBody<NewReviewers>,
) -> Result<axum::Json<CrawlView>, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    if users.len() > MAX_REVIEWERS {
        let detail = format!("too many reviewers: {}, at most {MAX_REVIEWERS} are allowed", users.len());
        return Err(Problem::new(ProblemCode::Unprocessable, detail).at("/users"));
    }
    let known = service.users.snapshot();
    let is_user = |name: &str| name.parse::<UserName>().is_ok_and(|name| known.user(&name).is_some());
    if let Some(index) = users.iter().position(|name| !is_user(name)) {
        let problem = Problem::new(ProblemCode::Unprocessable, format!("no user `{}`", users[index]));
        return Err(problem.hint("an admin can add users: POST /api/v1/users").at(format!("/users/{index}")));
    }
    users.sort_unstable();
    users.dedup();
    let shared = Arc::clone(&service);
    let view = run_blocking(move || Ok(shared.jobs.set_reviewers(id, users)?)).await?;
    Ok(axum::Json(crawl_view(&service, view).await?))
}

/// Returns a crawl if the caller may mark its candidates.
pub(crate) fn require_reviewer(service: &Service, caller: &Caller, id: u32) -> Result<JobView, Problem> {
    let view = service.jobs.get(id)?;
    if caller.may_change(view.user.as_deref()) || view.reviewers.contains(&caller.name) {
        return Ok(view);
    }
    let problem = Problem::new(ProblemCode::Forbidden, format!("you are not a reviewer of crawl {id}"));
    Err(problem.hint("its owner or an admin can add you: PUT …/reviewers"))
}
