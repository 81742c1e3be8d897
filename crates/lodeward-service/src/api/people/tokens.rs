//! Tokens: what lets programs in.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::change;
use super::sessions::own_name;
use crate::api::extract::{Json, Path, Query};
use crate::api::moment::Moment;
use crate::door::Pass;
use crate::people::{self, Name, PeopleError, Wanted};
use crate::problem::{Code, Problem};
use crate::role::{Caller, Role};
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list, give)).routes(routes!(revoke))
}

/// A token, without what lets anybody in.
#[derive(Serialize, Deserialize, ToSchema)]
struct Token {
    /// Its number.
    id: u64,
    /// What it is for.
    name: String,
    /// Whose it is.
    user: Name,
    /// What it is good for, unless its owner may do less.
    role: Role,
    /// When it was given.
    created_at: Moment,
    /// When it was used last, give or take an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_at: Option<Moment>,
    /// When it ends; never, if this is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Moment>,
}

impl From<&people::Token> for Token {
    fn from(token: &people::Token) -> Self {
        let people::Token { id, name, user, role, created_at_ms, used_at_ms, expires_at_ms, .. } = token.clone();
        let created_at = Moment::of_ms(created_at_ms);
        let (used_at, expires_at) = (used_at_ms.map(Moment::of_ms), expires_at_ms.map(Moment::of_ms));
        Self { id, name, user, role, created_at, used_at, expires_at }
    }
}

/// Tokens of a user.
#[derive(Serialize, Deserialize, ToSchema)]
struct Tokens {
    /// The first given first.
    tokens: Vec<Token>,
}

/// Whose tokens.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Whose {
    /// Whose; one's own if this is missing. Only admins see those of others.
    user: Option<Name>,
}

/// Tokens of oneself, or for admins those of another user.
#[utoipa::path(
    get, path = "/api/v1/tokens", tag = "people", params(Whose),
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 200, body = Tokens),
        (status = 404, description = "there is no such user"),
        (status = 409, description = "nobody signs in here"),
    ),
)]
async fn list(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Query(Whose { user }): Query<Whose>,
) -> Result<axum::Json<Tokens>, Problem> {
    let user = match user {
        Some(user) => user,
        None => own_name(&service, &caller)?,
    };
    if caller.role != Role::Admin && caller.name != user.as_str() {
        return Err(Problem::new(Code::Forbidden, "only admins see the tokens of others"));
    }
    let roster = service.people.roster();
    if roster.user(&user).is_none() {
        return Err(PeopleError::NoSuchUser(user).into());
    }
    Ok(axum::Json(Tokens { tokens: roster.tokens_of(&user).into_iter().map(Token::from).collect() }))
}

/// A token that is wanted.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewToken {
    /// What it is for.
    #[schema(min_length = 1, max_length = 64, example = "nightly export")]
    name: String,
    /// What it will be good for; what this request is good for, if this is missing.
    role: Option<Role>,
    /// After how many days it ends; never, if this is missing. A token that another
    /// one has made ends with that at the latest.
    #[schema(minimum = 1, maximum = 3650)]
    days: Option<u32>,
}

/// A token as it is told once.
#[derive(Serialize, Deserialize, ToSchema)]
struct GivenToken {
    /// The token itself. Nobody can be told it again.
    secret: String,
    /// What is kept of it.
    token: Token,
}

/// Make a token of one's own.
#[utoipa::path(
    post, path = "/api/v1/tokens", tag = "people", request_body = NewToken,
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 201, body = GivenToken),
        (status = 409, description = "there are too many, or nobody signs in here"),
    ),
)]
async fn give(
    State(service): State<Arc<Service>>,
    caller: Caller,
    pass: Pass,
    Json(NewToken { name, role, days }): Json<NewToken>,
) -> Result<(StatusCode, axum::Json<GivenToken>), Problem> {
    if days.is_some_and(|days| !(1..=3_650).contains(&days)) {
        return Err(Problem::new(Code::Invalid, "a token lives for 1 to 3650 days, or for ever"));
    }
    let role = role.unwrap_or(caller.role);
    // Not what its owner may do: a token for less must not lead to one for more.
    if role > caller.role {
        let detail = format!("you may do what a {} may, and so may the token", caller.role.name());
        return Err(Problem::new(Code::Forbidden, detail));
    }
    let user = own_name(&service, &caller)?;
    let wanted = Wanted { user, name, role, days, by: pass.token() };
    let given = change(&service, move |people| people.give_token(wanted)).await;
    let (token, secret) = given.map_err(|problem| match problem.code() {
        // It was revoked while it was used.
        Code::NotFound => Problem::new(Code::Unauthenticated, "the token is not known, or has ended"),
        _ => problem,
    })?;
    let given = GivenToken { secret: secret.reveal().to_owned(), token: Token::from(&token) };
    Ok((StatusCode::CREATED, axum::Json(given)))
}

/// Revoke a token, also the one that this request shows, and all that were made with
/// it. Admins may revoke those of
/// others.
#[utoipa::path(
    delete, path = "/api/v1/tokens/{id}", tag = "people", params(("id" = u64, Path, description = "its number")),
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 204, description = "it lets nobody in any more"),
        (status = 404, description = "there is no such token"),
    ),
)]
async fn revoke(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(id): Path<u64>,
) -> Result<StatusCode, Problem> {
    let is_theirs = |token: &people::Token| caller.role == Role::Admin || token.user.as_str() == caller.name;
    if !service.people.roster().token(id).is_some_and(is_theirs) {
        return Err(PeopleError::NoSuchToken(id).into());
    }
    change(&service, move |people| people.revoke(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
