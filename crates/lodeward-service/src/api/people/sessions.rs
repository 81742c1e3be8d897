//! Signing in and out, and who one is.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::header::SET_COOKIE;
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::change;
use crate::api::extract::Json;
use crate::api::moment::Moment;
use crate::door::{self, COOKIE_NAME, Pass, Passwords, Via, Visitor};
use crate::people::{Name, Password};
use crate::problem::{Code, Problem};
use crate::role::{Caller, Role};
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(sign_in, sign_out)).routes(routes!(me)).routes(routes!(set_password))
}

/// Name and password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SignIn {
    /// The name of a user.
    #[schema(max_length = 256, example = "alice")]
    name: String,
    /// Their password.
    #[schema(format = Password, max_length = 256)]
    password: String,
}

/// Somebody who has signed in.
#[derive(Serialize, Deserialize, ToSchema)]
struct SignedIn {
    /// Who it is.
    name: Name,
    /// What they may do.
    role: Role,
    /// When they have to sign in again.
    expires_at: Moment,
}

/// Sign in, for browsers: the answer sets a cookie. Programs better use a token.
#[utoipa::path(
    post, path = "/api/v1/session", tag = "people", security(()), request_body = SignIn,
    responses(
        (status = 200, body = SignedIn, headers(("set-cookie" = String, description = "the session"))),
        (status = 401, description = "the name or the password is wrong"),
        (status = 403, description = "a page of another site asked"),
    ),
)]
async fn sign_in(
    State(service): State<Arc<Service>>,
    visitor: Visitor,
    Json(SignIn { name, password }): Json<SignIn>,
) -> Result<Response, Problem> {
    visitor.claims_to_be(&name, &service.people.roster());
    let proven = Passwords::check(&service, &name, &password, visitor.address).await?;
    let current = service.settings.now();
    let hours = current.config.service.session_hours;
    let (name, role) = (proven.name.clone(), proven.user.role);
    let begun = change(&service, move |people| people.begin_session(&proven.name, &proven.user.password, hours));
    let changed = || Problem::new(Code::Unauthenticated, "the name or the password is wrong");
    let (session, secret) = begun.await?.ok_or_else(changed)?;
    let seconds = session.expires_at_ms.saturating_sub(session.created_at_ms) / 1_000;
    let cookie = cookie(secret.reveal(), seconds, door::is_https(&current.config));
    let body = axum::Json(SignedIn { name, role, expires_at: Moment::of_ms(session.expires_at_ms) });
    Ok((AppendHeaders([(SET_COOKIE, cookie)]), body).into_response())
}

/// A cookie that no script reads and no other site sends.
fn cookie(value: &str, seconds: u64, is_https: bool) -> String {
    let secure = if is_https { "; Secure" } else { "" };
    format!("{COOKIE_NAME}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}")
}

/// Sign out: the session of the cookie ends.
#[utoipa::path(
    delete, path = "/api/v1/session", tag = "people",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses((status = 204, description = "signed out", headers(("set-cookie" = String, description = "no session")))),
)]
async fn sign_out(State(service): State<Arc<Service>>, headers: HeaderMap) -> Result<Response, Problem> {
    if let Some(session) = door::session(&headers) {
        change(&service, move |people| people.end_session(&session)).await?;
    }
    let cookie = cookie("", 0, door::is_https(&service.settings.now().config));
    Ok((StatusCode::NO_CONTENT, AppendHeaders([(SET_COOKIE, cookie)])).into_response())
}

/// Who asks.
#[derive(Serialize, Deserialize, ToSchema)]
struct Me {
    /// Who it is.
    name: String,
    /// What this request may do: a token may be good for less than its owner.
    role: Role,
    /// How it was shown.
    via: Via,
}

/// Who asks, and what they may do.
#[utoipa::path(
    get, path = "/api/v1/me", tag = "people",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses((status = 200, body = Me)),
)]
async fn me(caller: Caller, pass: Pass) -> axum::Json<Me> {
    axum::Json(Me { name: caller.name, role: caller.role, via: pass.via() })
}

/// A new password for oneself.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewPassword {
    /// The one that holds.
    #[schema(format = Password, max_length = 256)]
    current: String,
    /// The one that will.
    new: Password,
}

/// Change one's password. All of one's sessions end; tokens stay.
#[utoipa::path(
    put, path = "/api/v1/me/password", tag = "people", request_body = NewPassword,
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 204, description = "changed"),
        (status = 403, description = "the current password is wrong"),
        (status = 409, description = "nobody signs in here"),
    ),
)]
async fn set_password(
    State(service): State<Arc<Service>>,
    caller: Caller,
    visitor: Visitor,
    Json(NewPassword { current, new }): Json<NewPassword>,
) -> Result<StatusCode, Problem> {
    let name = own_name(&service, &caller)?;
    // Who has found a browser open must not take it over.
    let checked = Passwords::check(&service, name.as_str(), &current, visitor.address).await;
    checked.map_err(|problem| match problem.code() {
        Code::Unauthenticated => Problem::new(Code::Forbidden, "the current password is wrong"),
        _ => problem,
    })?;
    change(&service, move |people| people.amend(&name, None, None, Some(&new))).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The user who asks; nobody has to be one where everybody is let in.
pub(super) fn own_name(service: &Service, caller: &Caller) -> Result<Name, Problem> {
    let name: Option<Name> = caller.name.parse().ok().filter(|_| !service.no_auth);
    let missing = || Problem::new(Code::Conflict, "everybody is let in here, and nobody is a user");
    name.ok_or_else(|| missing().hint("start the service without --no-auth"))
}
