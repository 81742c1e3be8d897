//! Users, for admins.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::change;
use crate::api::extract::{Json, Path};
use crate::api::moment::Moment;
use crate::people::{Name, Password, PeopleError};
use crate::problem::Problem;
use crate::role::Role;
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list, add)).routes(routes!(show, amend, remove))
}

/// Somebody who may sign in.
#[derive(Serialize, Deserialize, ToSchema)]
struct User {
    /// Who it is.
    name: Name,
    /// What they may do.
    role: Role,
    /// Whether they are kept out.
    disabled: bool,
    /// When they were added.
    created_at: Moment,
}

impl User {
    fn new(name: Name, user: &crate::people::User) -> Self {
        Self { name, role: user.role, disabled: user.disabled, created_at: Moment::of_ms(user.created_at_ms) }
    }
}

/// Everybody.
#[derive(Serialize, Deserialize, ToSchema)]
struct Users {
    /// By name.
    users: Vec<User>,
}

/// All users.
#[utoipa::path(
    get, path = "/api/v1/users", tag = "people",
    security(("token" = ["admin"]), ("password" = ["admin"]), ("session" = ["admin"])),
    responses((status = 200, body = Users)),
)]
async fn list(State(service): State<Arc<Service>>) -> axum::Json<Users> {
    let roster = service.people.roster();
    axum::Json(Users { users: roster.users().map(|(name, user)| User::new(name.clone(), user)).collect() })
}

/// Somebody new.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewUser {
    /// Who it is.
    name: Name,
    /// What they may do.
    role: Role,
    /// Their password, which they should change.
    password: Password,
}

/// Add a user.
#[utoipa::path(
    post, path = "/api/v1/users", tag = "people", request_body = NewUser,
    security(("token" = ["admin"]), ("password" = ["admin"]), ("session" = ["admin"])),
    responses(
        (status = 201, body = User),
        (status = 409, description = "the name is taken"),
    ),
)]
async fn add(
    State(service): State<Arc<Service>>,
    Json(NewUser { name, role, password }): Json<NewUser>,
) -> Result<(StatusCode, axum::Json<User>), Problem> {
    let user = change(&service, move |people| Ok(User::new(name.clone(), &people.add(&name, role, &password)?)));
    Ok((StatusCode::CREATED, axum::Json(user.await?)))
}

/// One user.
#[utoipa::path(
    get, path = "/api/v1/users/{name}", tag = "people", params(("name" = Name, Path, description = "who")),
    security(("token" = ["admin"]), ("password" = ["admin"]), ("session" = ["admin"])),
    responses(
        (status = 200, body = User),
        (status = 404, description = "there is no such user"),
    ),
)]
async fn show(State(service): State<Arc<Service>>, Path(name): Path<Name>) -> Result<axum::Json<User>, Problem> {
    let roster = service.people.roster();
    let missing = || PeopleError::NoSuchUser(name.clone());
    let user = roster.user(&name).ok_or_else(missing)?;
    Ok(axum::Json(User::new(name, user)))
}

/// What becomes different about a user. What is missing stays as it is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Amended {
    /// What they may do.
    role: Option<Role>,
    /// Whether they are kept out; this ends their sessions.
    disabled: Option<bool>,
    /// A new password; this ends their sessions.
    password: Option<Password>,
}

/// Change a user.
#[utoipa::path(
    patch, path = "/api/v1/users/{name}", tag = "people", params(("name" = Name, Path, description = "who")),
    request_body = Amended,
    security(("token" = ["admin"]), ("password" = ["admin"]), ("session" = ["admin"])),
    responses(
        (status = 200, body = User),
        (status = 404, description = "there is no such user"),
        (status = 409, description = "no admin would be left"),
    ),
)]
async fn amend(
    State(service): State<Arc<Service>>,
    Path(name): Path<Name>,
    Json(Amended { role, disabled, password }): Json<Amended>,
) -> Result<axum::Json<User>, Problem> {
    let user = change(&service, move |people| {
        let user = people.amend(&name, role, disabled, password.as_ref())?;
        Ok(User::new(name, &user))
    });
    Ok(axum::Json(user.await?))
}

/// Take a user away, with their tokens and sessions. Their crawls stay.
#[utoipa::path(
    delete, path = "/api/v1/users/{name}", tag = "people", params(("name" = Name, Path, description = "who")),
    security(("token" = ["admin"]), ("password" = ["admin"]), ("session" = ["admin"])),
    responses(
        (status = 204, description = "they are gone"),
        (status = 404, description = "there is no such user"),
        (status = 409, description = "no admin would be left"),
    ),
)]
async fn remove(State(service): State<Arc<Service>>, Path(name): Path<Name>) -> Result<StatusCode, Problem> {
    change(&service, move |people| people.remove(&name)).await?;
    Ok(StatusCode::NO_CONTENT)
}
