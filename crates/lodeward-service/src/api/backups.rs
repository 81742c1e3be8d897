//! Backups: start, list, get, delete.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{JsonBody, PathParams};
use super::timestamp::Timestamp;
use crate::backups::{self, BackupRejection};
use crate::blocking::run_blocking;
use crate::problem::{Problem, ProblemCode};
use crate::role::Role;
use crate::route_rules::RouteRules;
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let (reads, changes) = (RouteRules::reads(Role::Admin), RouteRules::changes(Role::Admin));
    OpenApiRouter::new()
        .routes(reads.on(routes!(list_backups)))
        .routes(changes.on(routes!(begin_backup)))
        .routes(reads.on(routes!(get_backup)))
        .routes(changes.on(routes!(delete_backup)))
}

/// Parameters of a new backup.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewBackup {
    /// Name of the backup; default: the current time.
    #[schema(pattern = "^[a-z0-9][a-z0-9-]{0,63}$", min_length = 1, max_length = 64, example = "before-upgrade")]
    name: Option<String>,
}

/// A backup.
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(as = Backup)]
struct BackupView {
    /// Name of the backup and of its directory.
    name: String,
    /// State of the backup.
    state: BackupStateView,
    /// When the backup was started. Missing unless the backup is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Timestamp>,
    /// Program that wrote the backup.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    /// Size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// Number of files in the backup.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
    /// Number of crawls in the backup.
    #[serde(skip_serializing_if = "Option::is_none")]
    crawls: Option<usize>,
    /// Why the backup failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The state of a backup.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = BackupState)]
enum BackupStateView {
    /// Being written.
    Running,
    /// Complete: `lodeward restore` can read it.
    Complete,
    /// Failed.
    Failed,
}

/// All backups.
#[derive(Serialize, Deserialize, ToSchema)]
struct BackupList {
    /// Backups, by name.
    backups: Vec<BackupView>,
}

/// Path parameter that selects a backup.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct BackupPath {
    /// Name of a backup.
    #[param(pattern = "^[a-z0-9][a-z0-9-]{0,63}$", min_length = 1, max_length = 64, example = "before-upgrade")]
    name: String,
}

/// List backups
#[utoipa::path(
    get, path = "/api/v1/backups", tag = "backups",
    responses((status = 200, description = "All backups", body = BackupList)),
)]
async fn list_backups(State(service): State<Arc<Service>>) -> Result<axum::Json<BackupList>, Problem> {
    let backups = run_blocking(move || Ok(service.backups.list()?)).await?;
    Ok(axum::Json(BackupList {
        backups: backups.into_iter().map(|(name, state)| BackupView::new(name, state)).collect(),
    }))
}

/// Start a backup
///
/// The backup contains the crawls, the archive, the users and the templates, as of one point in
/// time. Crawls continue to run. Poll the backup until its state is `complete`. Only one backup is
/// written at a time.
#[utoipa::path(
    post, path = "/api/v1/backups", tag = "backups",
    request_body = NewBackup,
    responses(
        (status = 202, description = "Started", body = BackupView, headers(("Location" = String))),
        (status = 409, description = "A backup of this name exists, or a backup is being written"),
    ),
)]
async fn begin_backup(
    State(service): State<Arc<Service>>,
    JsonBody(NewBackup { name }): JsonBody<NewBackup>,
) -> Result<Response, Problem> {
    if name.as_deref().is_some_and(|name| !backups::is_backup_name(name)) {
        let problem = Problem::new(ProblemCode::Unprocessable, "invalid backup name");
        return Err(problem.hint("use 1 to 64 of a-z, 0-9 and -, not starting with -"));
    }
    let name = run_blocking(move || Ok(service.backups.begin(name)?)).await?;
    let location = HeaderValue::try_from(format!("/api/v1/backups/{name}")).expect("a valid name");
    let backup = axum::Json(BackupView::new(name, backups::BackupJobState::Running));
    Ok((StatusCode::ACCEPTED, [(LOCATION, location)], backup).into_response())
}

/// Get the state of a backup
#[utoipa::path(
    get, path = "/api/v1/backups/{name}", tag = "backups",
    params(BackupPath),
    responses((status = 200, description = "The backup", body = BackupView)),
)]
async fn get_backup(
    State(service): State<Arc<Service>>,
    PathParams(BackupPath { name }): PathParams<BackupPath>,
) -> Result<axum::Json<BackupView>, Problem> {
    let (name, state) = run_blocking(move || Ok(service.backups.state(&name).map(|state| (name, state))?)).await?;
    Ok(axum::Json(BackupView::new(name, state)))
}

/// Delete a backup
#[utoipa::path(
    delete, path = "/api/v1/backups/{name}", tag = "backups",
    params(BackupPath),
    responses(
        (status = 204, description = "Deleted"),
        (status = 409, description = "The backup is being written"),
    ),
)]
async fn delete_backup(
    State(service): State<Arc<Service>>,
    PathParams(BackupPath { name }): PathParams<BackupPath>,
) -> Result<StatusCode, Problem> {
    run_blocking(move || Ok(service.backups.remove(&name)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl BackupView {
    fn new(name: String, state: backups::BackupJobState) -> Self {
        let (program, created_at, bytes, files, crawls) = Default::default();
        let mut backup =
            Self { name, state: BackupStateView::Running, created_at, program, bytes, files, crawls, error: None };
        match state {
            backups::BackupJobState::Running => {}
            backups::BackupJobState::Failed(error) => {
                backup.state = BackupStateView::Failed;
                backup.error = Some(error);
            }
            backups::BackupJobState::Complete(manifest) => {
                backup.state = BackupStateView::Complete;
                backup.created_at = Some(Timestamp::from_ms(manifest.created_at_ms));
                backup.bytes = Some(manifest.bytes());
                backup.files = Some(manifest.files.len());
                backup.crawls = Some(manifest.crawl_count());
                backup.program = Some(manifest.program);
            }
        }
        backup
    }
}

impl From<BackupRejection> for Problem {
    fn from(rejection: BackupRejection) -> Self {
        let (code, hint) = match &rejection {
            BackupRejection::Busy(_) => (ProblemCode::Conflict, "wait until the running backup is complete"),
            BackupRejection::Taken(_) => (ProblemCode::Conflict, "choose another name, or omit it"),
            BackupRejection::Unknown(_) => (ProblemCode::NotFound, "GET /api/v1/backups lists the backups"),
            BackupRejection::Closing => (ProblemCode::Unavailable, "retry later"),
            BackupRejection::Io(_) => return Self::internal(&rejection),
        };
        Self::new(code, rejection.to_string()).hint(hint)
    }
}
