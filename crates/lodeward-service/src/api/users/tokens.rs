//! Tokens, for programs.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::change_users;
use super::sessions::caller_name;
use crate::api::extract::{JsonBody, PathParams, QueryParams};
use crate::api::timestamp::Timestamp;
use crate::gateway::Credential;
use crate::problem::{Problem, ProblemCode};
use crate::role::{Caller, Role};
use crate::route_rules::{BodyClass, RouteRules};
use crate::state::Service;
use crate::users::{self, TokenSpec, UserError, UserName};

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(RouteRules::reads(Role::Reader).on(routes!(list)))
        .routes(RouteRules::changes(Role::Reader).body(BodyClass::Small).on(routes!(issue)))
        .routes(RouteRules::changes(Role::Reader).on(routes!(revoke)))
}

/// A token, without its secret.
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(as = Token)]
struct TokenView {
    /// ID of the token.
    id: u64,
    /// Description of the token.
    name: String,
    /// User that owns the token.
    user: UserName,
    /// Role of the token. If the role of the owner is lower, it applies instead.
    role: Role,
    /// When the token was created.
    created_at: Timestamp,
    /// When the token was last used, accurate to an hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_at: Option<Timestamp>,
    /// When the token expires; missing if it never expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
}

impl From<&users::TokenRecord> for TokenView {
    fn from(token: &users::TokenRecord) -> Self {
        let users::TokenRecord { id, name, user, role, created_at_ms, used_at_ms, expires_at_ms, .. } = token.clone();
        let created_at = Timestamp::from_ms(created_at_ms);
        let (used_at, expires_at) = (used_at_ms.map(Timestamp::from_ms), expires_at_ms.map(Timestamp::from_ms));
        Self { id, name, user, role, created_at, used_at, expires_at }
    }
}

/// Tokens of a user.
#[derive(Serialize, Deserialize, ToSchema)]
struct TokenList {
    /// Tokens, the oldest first.
    tokens: Vec<TokenView>,
}

/// Selection of tokens.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct TokenListQuery {
    /// Owner; default: the authenticated user. Only admins may list tokens of other users.
    user: Option<UserName>,
}

/// List your tokens. Admins may list the tokens of another user.
#[utoipa::path(
    get, path = "/api/v1/tokens", tag = "users", params(TokenListQuery),
    responses(
        (status = 200, description = "Tokens", body = TokenList),
        (status = 404, description = "No such user"),
        (status = 409, description = "Authentication is disabled"),
    ),
)]
async fn list(
    State(service): State<Arc<Service>>,
    caller: Caller,
    QueryParams(TokenListQuery { user }): QueryParams<TokenListQuery>,
) -> Result<axum::Json<TokenList>, Problem> {
    let user = match user {
        Some(user) => user,
        None => caller_name(&service, &caller)?,
    };
    if caller.role != Role::Admin && caller.name != user.as_str() {
        return Err(Problem::new(ProblemCode::Forbidden, "only admins may list tokens of other users"));
    }
    let db = service.users.snapshot();
    if db.user(&user).is_none() {
        return Err(UserError::NoSuchUser(user).into());
    }
    Ok(axum::Json(TokenList { tokens: db.user_tokens(&user).into_iter().map(TokenView::from).collect() }))
}

/// A new token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TokenRequest {
    /// Description of the token.
    #[schema(min_length = 1, max_length = 64, example = "nightly export")]
    name: String,
    /// Role of the token; default: the role of this request.
    role: Option<Role>,
    /// Days until the token expires; default: never. If the request is authenticated by a token,
    /// the new token expires no later than that token.
    #[schema(minimum = 1, maximum = 3650)]
    days: Option<u32>,
}

/// A created token.
#[derive(Serialize, Deserialize, ToSchema)]
struct IssuedToken {
    /// The token itself. It cannot be retrieved again.
    secret: String,
    /// ID, role and expiry of the token.
    token: TokenView,
}

/// Create a token.
#[utoipa::path(
    post, path = "/api/v1/tokens", tag = "users", request_body = TokenRequest,
    responses(
        (status = 201, description = "Created", body = IssuedToken),
        (status = 409, description = "There are too many tokens, or authentication is disabled"),
    ),
)]
async fn issue(
    State(service): State<Arc<Service>>,
    caller: Caller,
    credential: Credential,
    JsonBody(TokenRequest { name, role, days }): JsonBody<TokenRequest>,
) -> Result<(StatusCode, axum::Json<IssuedToken>), Problem> {
    if days.is_some_and(|days| !(1..=3_650).contains(&days)) {
        return Err(Problem::new(ProblemCode::Unprocessable, "`days` must be 1 to 3650"));
    }
    let role = role.unwrap_or(caller.role);
    // The new role is compared with the role of the request, not of the owner: a token must not
    // create a token with a higher role.
    if role > caller.role {
        let detail = format!("a token cannot have a higher role than yours, `{}`", caller.role.name());
        return Err(Problem::new(ProblemCode::Forbidden, detail));
    }
    let user = caller_name(&service, &caller)?;
    let spec = TokenSpec { user, name, role, days, parent: credential.token_id() };
    let issued = change_users(&service, move |users| users.issue_token(spec)).await;
    let (token, secret) = issued.map_err(|problem| match problem.code() {
        // The token of this request was revoked meanwhile.
        ProblemCode::NotFound => Problem::new(ProblemCode::Unauthenticated, "the token is unknown, expired or revoked"),
        _ => problem,
    })?;
    let issued = IssuedToken { secret: secret.reveal().to_owned(), token: TokenView::from(&token) };
    Ok((StatusCode::CREATED, axum::Json(issued)))
}

/// Revoke a token, and all tokens created with it. Admins may revoke tokens of other users. A
/// token cannot revoke tokens of a higher role.
#[utoipa::path(
    delete, path = "/api/v1/tokens/{id}", tag = "users", params(("id" = u64, Path, description = "ID of the token")),
    responses(
        (status = 204, description = "Revoked"),
        (status = 403, description = "The token has a higher role than this request"),
        (status = 404, description = "No such token"),
    ),
)]
async fn revoke(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(id): PathParams<u64>,
) -> Result<StatusCode, Problem> {
    let db = service.users.snapshot();
    let is_visible = |token: &&users::TokenRecord| caller.role == Role::Admin || token.user.as_str() == caller.name;
    let token = db.token(id).filter(is_visible).ok_or(UserError::NoSuchToken(id))?;
    // A leaked token must not end the access of more powerful ones, such as that of the admin who
    // would revoke it. Its children never have a higher role than the token itself.
    let role = db.token_role(token);
    if role > caller.role {
        let (theirs, yours) = (role.name(), caller.role.name());
        let detail = format!("token {id} has the role `{theirs}`; with the role `{yours}` you cannot revoke it");
        let problem = Problem::new(ProblemCode::Forbidden, detail);
        return Err(problem.hint("send your password, or a token with the same role or a higher one"));
    }
    change_users(&service, move |users| users.revoke(id)).await?;
    Ok(StatusCode::NO_CONTENT)
}
