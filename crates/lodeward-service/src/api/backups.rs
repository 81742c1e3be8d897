//! Backups of everything.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Json, Path};
use super::moment::Moment;
use crate::backups::{self, Declined};
use crate::beside::beside;
use crate::problem::{Code, Problem};
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list_backups, begin_backup)).routes(routes!(get_backup, delete_backup))
}

/// A backup that is to be written.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BackupOrder {
    /// What to call it; by itself it is called after the moment.
    #[schema(pattern = "^[a-z0-9][a-z0-9-]{0,63}$", min_length = 1, max_length = 64, example = "before-upgrade")]
    name: Option<String>,
}

/// A backup.
#[derive(Serialize, Deserialize, ToSchema)]
struct Backup {
    /// What it is called: its folder.
    name: String,
    /// How it is doing.
    state: BackupState,
    /// When it was begun; of one that is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<Moment>,
    /// The program that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    /// Its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// How many files it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
    /// How many crawls are in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    crawls: Option<usize>,
    /// Why it could not be finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

/// How a backup is doing.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum BackupState {
    /// It is being written.
    Running,
    /// `lodeward restore` can read it.
    Complete,
    /// It could not be finished.
    Failed,
}

/// All backups.
#[derive(Serialize, Deserialize, ToSchema)]
struct Backups {
    /// By name.
    backups: Vec<Backup>,
}

/// Which backup is meant.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct BackupPath {
    /// The name of a backup.
    #[param(pattern = "^[a-z0-9][a-z0-9-]{0,63}$", min_length = 1, max_length = 64, example = "before-upgrade")]
    name: String,
}

/// Lists backups.
#[utoipa::path(
    get, path = "/api/v1/backups", tag = "backups",
    security(("token" = ["admin"]), ("password" = ["admin"]), ("session" = ["admin"])),
    responses((status = 200, description = "All of them", body = Backups)),
)]
async fn list_backups(State(service): State<Arc<Service>>) -> Result<axum::Json<Backups>, Problem> {
    let backups = beside(move || Ok(service.list_backups()?)).await?;
    Ok(axum::Json(Backups { backups: backups.into_iter().map(|(name, state)| Backup::new(name, state)).collect() }))
}

/// Begins a backup of everything: crawls, the archive, users, templates.
///
/// It is a picture of one moment, while crawls go on; look at it until it is
/// `complete`. One is written at a time.
#[utoipa::path(
    post, path = "/api/v1/backups", tag = "backups",
    security(("token" = ["admin"]), ("password" = ["admin"]), ("session" = ["admin"])),
    request_body = BackupOrder,
    responses(
        (status = 202, description = "It is being written", body = Backup, headers(("Location" = String))),
        (status = 409, description = "There is one of this name, or one is being written"),
    ),
)]
async fn begin_backup(
    State(service): State<Arc<Service>>,
    Json(BackupOrder { name }): Json<BackupOrder>,
) -> Result<Response, Problem> {
    if name.as_deref().is_some_and(|name| !backups::is_name(name)) {
        let problem = Problem::new(Code::Invalid, "that cannot be the name of a backup");
        return Err(problem.hint("1 to 64 of a-z, 0-9 and -, not - first"));
    }
    let name = beside(move || Ok(service.begin_backup(name)?)).await?;
    let location = HeaderValue::try_from(format!("/api/v1/backups/{name}")).expect("a name is plain");
    let backup = axum::Json(Backup::new(name, backups::State::Running));
    Ok((StatusCode::ACCEPTED, [(LOCATION, location)], backup).into_response())
}

/// Tells how a backup is doing.
#[utoipa::path(
    get, path = "/api/v1/backups/{name}", tag = "backups",
    params(BackupPath),
    security(("token" = ["admin"]), ("password" = ["admin"]), ("session" = ["admin"])),
    responses((status = 200, description = "How it is doing", body = Backup)),
)]
async fn get_backup(
    State(service): State<Arc<Service>>,
    Path(BackupPath { name }): Path<BackupPath>,
) -> Result<axum::Json<Backup>, Problem> {
    let (name, state) = beside(move || Ok(service.backup(&name).map(|state| (name, state))?)).await?;
    Ok(axum::Json(Backup::new(name, state)))
}

/// Removes a backup.
#[utoipa::path(
    delete, path = "/api/v1/backups/{name}", tag = "backups",
    params(BackupPath),
    security(("token" = ["admin"]), ("password" = ["admin"]), ("session" = ["admin"])),
    responses(
        (status = 204, description = "It is gone"),
        (status = 409, description = "It is being written"),
    ),
)]
async fn delete_backup(
    State(service): State<Arc<Service>>,
    Path(BackupPath { name }): Path<BackupPath>,
) -> Result<StatusCode, Problem> {
    beside(move || Ok(service.remove_backup(&name)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl Backup {
    fn new(name: String, state: backups::State) -> Self {
        let (program, created_at, bytes, files, crawls) = Default::default();
        let mut backup =
            Self { name, state: BackupState::Running, created_at, program, bytes, files, crawls, failure: None };
        match state {
            backups::State::Running => {}
            backups::State::Failed(failure) => {
                backup.state = BackupState::Failed;
                backup.failure = Some(failure);
            }
            backups::State::Complete(manifest) => {
                backup.state = BackupState::Complete;
                backup.created_at = Some(Moment::of_ms(manifest.created_at_ms));
                backup.bytes = Some(manifest.bytes());
                backup.files = Some(manifest.files.len());
                backup.crawls = Some(manifest.crawls());
                backup.program = Some(manifest.program);
            }
        }
        backup
    }
}

impl From<Declined> for Problem {
    fn from(declined: Declined) -> Self {
        let (code, hint) = match &declined {
            Declined::Busy(_) => (Code::Conflict, "wait until it is complete"),
            Declined::Taken(_) => (Code::Conflict, "choose another name, or leave it out"),
            Declined::Unknown(_) => (Code::NotFound, "GET /api/v1/backups lists those that there are"),
            Declined::Closing => (Code::Unavailable, "try again in a moment"),
            Declined::Io(_) => return Self::internal(&declined),
        };
        Self::new(code, declined.to_string()).hint(hint)
    }
}
