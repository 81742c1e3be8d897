//! Management of users, for admins.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::change_users;
use crate::api::extract::{JsonBody, PathParams};
use crate::api::timestamp::Timestamp;
use crate::problem::Problem;
use crate::role::Role;
use crate::route_rules::{BodyClass, RouteRules};
use crate::state::Service;
use crate::users::{Password, UserError, UserName};

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let (reads, changes) = (RouteRules::reads(Role::Admin), RouteRules::changes(Role::Admin).body(BodyClass::Small));
    OpenApiRouter::new()
        .routes(reads.on(routes!(list)))
        .routes(changes.on(routes!(add)))
        .routes(reads.on(routes!(get)))
        .routes(changes.on(routes!(update, remove)))
}

/// A user.
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(as = User)]
struct UserView {
    /// User name.
    name: UserName,
    /// Role of the user.
    role: Role,
    /// Whether the user is disabled and cannot log in.
    disabled: bool,
    /// When the user was added.
    created_at: Timestamp,
}

impl UserView {
    fn new(name: UserName, user: &crate::users::UserRecord) -> Self {
        Self { name, role: user.role, disabled: user.disabled, created_at: Timestamp::from_ms(user.created_at_ms) }
    }
}

/// All users.
#[derive(Serialize, Deserialize, ToSchema)]
struct UserList {
    /// Users, by name.
    users: Vec<UserView>,
}

/// List all users.
#[utoipa::path(
    get, path = "/api/v1/users", tag = "users",
    responses((status = 200, description = "All users", body = UserList)),
)]
async fn list(State(service): State<Arc<Service>>) -> axum::Json<UserList> {
    let db = service.users.snapshot();
    axum::Json(UserList { users: db.users().map(|(name, user)| UserView::new(name.clone(), user)).collect() })
}

/// A new user.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct UserRequest {
    /// User name.
    name: UserName,
    /// Role of the user.
    role: Role,
    /// Initial password, which the user should change.
    password: Password,
}

/// Add a user.
#[utoipa::path(
    post, path = "/api/v1/users", tag = "users", request_body = UserRequest,
    responses(
        (status = 201, description = "Added", body = UserView),
        (status = 409, description = "The name is taken, or there are too many users"),
    ),
)]
async fn add(
    State(service): State<Arc<Service>>,
    JsonBody(UserRequest { name, role, password }): JsonBody<UserRequest>,
) -> Result<(StatusCode, axum::Json<UserView>), Problem> {
    let user =
        change_users(&service, move |users| Ok(UserView::new(name.clone(), &users.add(&name, role, &password)?)));
    Ok((StatusCode::CREATED, axum::Json(user.await?)))
}

/// Get a user.
#[utoipa::path(
    get, path = "/api/v1/users/{name}", tag = "users", params(("name" = UserName, Path, description = "User name")),
    responses(
        (status = 200, description = "The user", body = UserView),
        (status = 404, description = "No such user"),
    ),
)]
async fn get(
    State(service): State<Arc<Service>>,
    PathParams(name): PathParams<UserName>,
) -> Result<axum::Json<UserView>, Problem> {
    let db = service.users.snapshot();
    let missing = || UserError::NoSuchUser(name.clone());
    let user = db.user(&name).ok_or_else(missing)?;
    Ok(axum::Json(UserView::new(name, user)))
}

/// Changes to a user. Missing fields are not changed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct UserPatch {
    /// New role.
    role: Option<Role>,
    /// Whether the user is disabled and cannot log in. Disabling a user ends all sessions of the user.
    disabled: Option<bool>,
    /// New password. A new password ends all sessions of the user.
    password: Option<Password>,
}

/// Change a user.
#[utoipa::path(
    patch, path = "/api/v1/users/{name}", tag = "users", params(("name" = UserName, Path, description = "User name")),
    request_body = UserPatch,
    responses(
        (status = 200, description = "Changed", body = UserView),
        (status = 404, description = "No such user"),
        (status = 409, description = "No enabled admin would be left"),
    ),
)]
async fn update(
    State(service): State<Arc<Service>>,
    PathParams(name): PathParams<UserName>,
    JsonBody(UserPatch { role, disabled, password }): JsonBody<UserPatch>,
) -> Result<axum::Json<UserView>, Problem> {
    let user = change_users(&service, move |users| {
        let user = users.update(&name, role, disabled, password.as_ref())?;
        Ok(UserView::new(name, &user))
    });
    Ok(axum::Json(user.await?))
}

/// Remove a user, with all tokens and sessions. The crawls of the user stay.
#[utoipa::path(
    delete, path = "/api/v1/users/{name}", tag = "users", params(("name" = UserName, Path, description = "User name")),
    responses(
        (status = 204, description = "Removed"),
        (status = 404, description = "No such user"),
        (status = 409, description = "No enabled admin would be left"),
    ),
)]
async fn remove(
    State(service): State<Arc<Service>>,
    PathParams(name): PathParams<UserName>,
) -> Result<StatusCode, Problem> {
    change_users(&service, move |users| users.remove(&name)).await?;
    Ok(StatusCode::NO_CONTENT)
}
