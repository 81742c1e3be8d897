//! Login, logout, and the current user.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::header::SET_COOKIE;
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::change_users;
use crate::api::extract::JsonBody;
use crate::api::timestamp::Timestamp;
use crate::gateway::{self, COOKIE_NAME, ClientInfo, Credential};
use crate::problem::{Problem, ProblemCode};
use crate::public_path::public_path;
use crate::role::{Caller, Role};
use crate::route_rules::{BodyClass, RouteAccess, RouteRules};
use crate::state::Service;
use crate::users::{AuthMethod, Password, UserName};
use lodeward_app::settings::Config;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let changes = RouteRules::changes(Role::Reader).body(BodyClass::Small);
    OpenApiRouter::new()
        .routes(RouteRules::changes(RouteAccess::Public).body(BodyClass::Small).on(routes!(login)))
        .routes(changes.on(routes!(logout)))
        .routes(RouteRules::reads(Role::Reader).on(routes!(get_current_user)))
        .routes(changes.on(routes!(set_password)))
}

/// User name and password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LoginRequest {
    /// User name.
    #[schema(max_length = 256, example = "alice")]
    name: String,
    /// Password.
    #[schema(format = Password, max_length = 256)]
    password: String,
}

/// The user and the expiry of a new session.
#[derive(Serialize, Deserialize, ToSchema)]
struct LoginResponse {
    /// User name.
    name: UserName,
    /// Role of the user.
    role: Role,
    /// When the session expires.
    expires_at: Timestamp,
}

/// Log in, for browsers: the response sets a cookie. Programs should use a token.
#[utoipa::path(
    post, path = "/api/v1/session", tag = "users", request_body = LoginRequest,
    responses(
        (status = 200, description = "Logged in", body = LoginResponse, headers(("set-cookie" = String, description = "The session"))),
        (status = 401, description = "Wrong user name or password"),
        (status = 403, description = "Cross-site request"),
    ),
)]
async fn login(
    State(service): State<Arc<Service>>,
    client: ClientInfo,
    JsonBody(LoginRequest { name, password }): JsonBody<LoginRequest>,
) -> Result<Response, Problem> {
    client.set_claimed_name(&name, &service.users.snapshot());
    let verified = service.passwords.check(&name, &password, client.address).await?;
    let current = service.settings.current();
    let lifetime = current.config.service.session_lifetime;
    let (name, role) = (verified.name.clone(), verified.user.role);
    let started =
        change_users(&service, move |users| users.begin_session(&verified.name, &verified.user.password, lifetime));
    let changed = || Problem::new(ProblemCode::Unauthenticated, "wrong user name or password");
    let (session, secret) = started.await?.ok_or_else(changed)?;
    let seconds = session.expires_at_ms.saturating_sub(session.created_at_ms) / 1_000;
    let cookie = session_cookie(secret.reveal(), seconds, &current.config);
    let body = axum::Json(LoginResponse { name, role, expires_at: Timestamp::from_ms(session.expires_at_ms) });
    Ok((AppendHeaders([(SET_COOKIE, cookie)]), body).into_response())
}

/// The `Set-Cookie` value of a cookie that scripts cannot read, and that browsers do not send with
/// requests from other sites.
fn session_cookie(value: &str, seconds: u64, config: &Config) -> String {
    let path = public_path(config);
    let is_https = gateway::is_https(config);
    let secure = if is_https { "; Secure" } else { "" };
    format!("{COOKIE_NAME}={value}; Path={path}/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

/// Log out: ends the session of the cookie.
#[utoipa::path(
    delete, path = "/api/v1/session", tag = "users",
    responses((status = 204, description = "Logged out", headers(("set-cookie" = String, description = "Deletes the session cookie")))),
)]
async fn logout(State(service): State<Arc<Service>>, headers: HeaderMap) -> Result<Response, Problem> {
    if let Some(session) = gateway::session_fingerprint(&headers) {
        change_users(&service, move |users| users.end_session(&session)).await?;
    }
    let cookie = session_cookie("", 0, &service.settings.current().config);
    Ok((StatusCode::NO_CONTENT, AppendHeaders([(SET_COOKIE, cookie)])).into_response())
}

/// The authenticated user.
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(as = CurrentUser)]
struct CurrentUserView {
    /// User name.
    name: String,
    /// Role of this request: a token may have a lower role than its owner.
    role: Role,
    /// How the request was authenticated.
    via: AuthMethod,
}

/// Get the authenticated user and its role.
#[utoipa::path(
    get, path = "/api/v1/me", tag = "users",
    responses((status = 200, description = "The user", body = CurrentUserView)),
)]
async fn get_current_user(caller: Caller, credential: Credential) -> axum::Json<CurrentUserView> {
    axum::Json(CurrentUserView { name: caller.name, role: caller.role, via: credential.auth_method() })
}

/// Request of a user to change their own password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PasswordChange {
    /// Current password.
    #[schema(format = Password, max_length = 256)]
    current: String,
    /// New password.
    new: Password,
}

/// Change your password. All your sessions end; tokens stay valid.
#[utoipa::path(
    put, path = "/api/v1/me/password", tag = "users", request_body = PasswordChange,
    responses(
        (status = 204, description = "Changed"),
        (status = 403, description = "The current password is wrong"),
        (status = 409, description = "Authentication is disabled"),
    ),
)]
async fn set_password(
    State(service): State<Arc<Service>>,
    caller: Caller,
    client: ClientInfo,
    JsonBody(PasswordChange { current, new }): JsonBody<PasswordChange>,
) -> Result<StatusCode, Problem> {
    let name = caller_name(&service, &caller)?;
    // The current password is required, so that a person at an unattended browser cannot change it.
    let checked = service.passwords.check(name.as_str(), &current, client.address).await;
    checked.map_err(|problem| match problem.code() {
        ProblemCode::Unauthenticated => Problem::new(ProblemCode::Forbidden, "the current password is wrong"),
        _ => problem,
    })?;
    change_users(&service, move |users| users.update(&name, None, None, Some(&new))).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The name of the authenticated user. Fails if authentication is disabled.
pub(super) fn caller_name(service: &Service, caller: &Caller) -> Result<UserName, Problem> {
    let name: Option<UserName> = caller.name.parse().ok().filter(|_| !service.no_auth);
    let missing =
        || Problem::new(ProblemCode::Conflict, "authentication is disabled (`--no-auth`): there are no users");
    name.ok_or_else(|| missing().hint("start the service without `--no-auth`"))
}
