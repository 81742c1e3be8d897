//! The gateway: checks every request before its handler runs.
//!
//! In this order: host name (`same_origin`); operation with its access and limits (`operations`,
//! from the OpenAPI document); requests of other sites (`same_origin`); authentication
//! (`authenticate`, `users`); rate (`rate_limits`); role; query parameters and body
//! (`operations`). Then the body is limited and waits for memory (`body_limits`), and the handler runs in limited time. A panic becomes a problem document.
//! Requests that change data are written to the audit log (`crate::audit`).

mod body_limits;
mod rejection_bursts;
mod credential;
mod rate_limits;
mod operations;
mod same_origin;
#[cfg(test)]
mod tests;
mod request_context;
mod authenticate;

use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use hyper::body::Body as _;
use lodeward_app::settings::Config;
use tokio::sync::oneshot;
use tracing::Instrument as _;

pub(crate) use self::authenticate::{COOKIE_NAME, session_fingerprint};
pub(crate) use self::credential::Credential;
pub(crate) use self::request_context::ClientInfo;

use self::authenticate::{AuthenticatedUser, PresentedCredential};
use self::body_limits::BodyBounds;
use self::operations::{OperationSpec, OperationTable};
use self::rate_limits::{RateLimitKey, RateLimits};
use self::rejection_bursts::RejectionBursts;
use self::request_context::RequestContext;
use self::same_origin::SameOriginPolicy;
use crate::json_encoding::AcceptedEncoding;
use crate::limits::{KeyedLimit, MAX_BODY_UNITS, Slots};
use crate::problem::{Problem, ProblemCode};
use crate::role::{Caller, Role};
use crate::route_rules::{BodyClass, RouteAccess, RouteEffect};
use crate::state::Service;
use crate::users::AuthMethod;

/// The size of [`BodyClass::Small`].
const MAX_SMALL_BODY_BYTES: u64 = 64_000;

/// The maximum size of a body that is treated as empty: many clients send `{}` or `null` where no
/// body is expected.
const MAX_EMPTY_BODY_BYTES: u64 = 4;

/// The size of [`BodyClass::Medium`].
const MAX_MEDIUM_BODY_BYTES: u64 = 1_000_000;

/// The status that the audit log contains if the client disconnects before the response.
const CLIENT_CLOSED_REQUEST: u16 = 499;

/// Header fields that are added to every response, unless the handler has set them.
const DEFAULT_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// The state of the gateway.
struct Gateway {
    service: Arc<Service>,
    operations: OperationTable,
    rate_limits: RateLimits,
    bursts: RejectionBursts,
    body_memory: Slots,
    /// Tokens whose use is being recorded.
    token_uses: KeyedLimit<u64>,
}

/// Puts the gateway in front of all routes.
pub(crate) fn with_gateway(router: Router, service: &Arc<Service>, document: &utoipa::openapi::OpenApi) -> Router {
    let rate_limits = RateLimits::new(service.settings.current().config.service.rate_limit_per_minute);
    let gateway = Arc::new(Gateway {
        service: Arc::clone(service),
        operations: OperationTable::from_openapi(document),
        rate_limits,
        bursts: RejectionBursts::default(),
        body_memory: Slots::new(MAX_BODY_UNITS as usize),
        token_uses: KeyedLimit::new(1),
    });
    // The gateway rejects every operation that is not in the OpenAPI document. The layer applies to
    // unmatched paths only if the router has a fallback.
    let router = router.fallback(|| async { Problem::new(ProblemCode::NotFound, "no resource at this path") });
    router.layer(DefaultBodyLimit::disable()).layer(from_fn_with_state(gateway, handle))
}

/// Whether cookies must be `Secure`.
pub(crate) fn is_https(config: &Config) -> bool {
    SameOriginPolicy::new(config.service.public_url.as_deref(), true).is_https()
}

async fn handle(State(gateway): State<Arc<Gateway>>, request: Request, next: Next) -> Response {
    let current = gateway.service.settings.current();
    let context = RequestContext::new(&request, &gateway.operations, current.config.service.public_url.is_some());
    let span = tracing::info_span!("request", id = %context.id, method = %context.method, path = %context.path);
    if !context.is_mutating() {
        return gateway.handle_request(context, &current.config, request, next, pending()).instrument(span).await;
    }
    // If the client disconnects, a change continues in its own task and is audited. Only a query is
    // cancelled.
    let (_connected, disconnected) = oneshot::channel::<()>();
    let is_query = context.operation.as_ref().is_ok_and(|operation| operation.limits.effect == RouteEffect::Queries);
    let disconnected = async move { if is_query { drop(disconnected.await) } else { pending().await } };
    let handling = async move { gateway.handle_request(context, &current.config, request, next, disconnected).await };
    tokio::spawn(handling.instrument(span)).await.unwrap_or_else(|_| internal_error())
}

/// The response if the client has disconnected; it is never sent.
fn client_closed_request() -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::from_u16(CLIENT_CLOSED_REQUEST).expect("499 is a valid status code");
    response
}

fn internal_error() -> Response {
    Problem::new(ProblemCode::Internal, "internal error of the service; the log has the details").into_response()
}

impl Gateway {
    async fn handle_request(
        self: &Arc<Self>,
        mut context: RequestContext,
        config: &Config,
        request: Request,
        next: Next,
        disconnected: impl Future<Output = ()> + Send,
    ) -> Response {
        let started_ms = (self.service.now)();
        let (parts, body) = request.into_parts();
        let encoding = AcceptedEncoding::from_request(&parts.method, &parts.headers);
        let is_empty = body.size_hint().upper().is_some_and(|bytes| bytes <= MAX_EMPTY_BODY_BYTES);
        let admitted = self.check_request(&mut context, config, &parts, is_empty).await;
        context.is_admitted = admitted.is_ok();
        let response = match admitted {
            Ok(operation) => tokio::select! {
                response = self.run_handler(&context, &operation, config, Request::from_parts(parts, body), next) => response,
                () = disconnected => client_closed_request(),
            },
            Err(problem) => problem.into_response(),
        };
        let (status, now_ms) = (response.status(), (self.service.now)());
        // The query string is not logged, because it may contain personal data.
        let (method, path, took_ms) = (&context.method, &context.path, now_ms.saturating_sub(started_ms));
        tracing::debug!(%method, path, status = status.as_u16(), took_ms, "request completed");
        if let Some(entry) = context.audit_entry(status, now_ms, &self.bursts) {
            if context.is_rejected_credential(status) || context.counts_as_burst(status) {
                tracing::info!(user = entry.user, address = %entry.address, status = entry.status, "request rejected");
            }
            let service = Arc::clone(&self.service);
            // The entry is written before the change is confirmed.
            let _ = tokio::task::spawn_blocking(move || service.audit.record(&entry)).await;
        }
        let mut response = encoding.encode(response).await;
        let fields = response.headers_mut();
        for (name, value) in DEFAULT_HEADERS {
            fields.entry(name).or_insert(value);
        }
        let id = HeaderValue::from_str(&context.id).expect("hexadecimal digits are valid in a header field");
        fields.insert("x-request-id", id);
        response
    }

    async fn check_request(
        self: &Arc<Self>,
        context: &mut RequestContext,
        config: &Config,
        parts: &Parts,
        is_empty: bool,
    ) -> Result<Arc<OperationSpec>, Problem> {
        let policy = SameOriginPolicy::new(config.service.public_url.as_deref(), context.address.is_local);
        policy.check_host(&parts.headers, &parts.uri)?;
        let operation = context.operation.clone()?;
        self.authorize(context, config, &parts.headers, &policy, &operation).await?;
        operation.check_query(parts.uri.query())?;
        operation.check_body(is_empty)?;
        Ok(operation)
    }

    async fn authorize(
        self: &Arc<Self>,
        context: &mut RequestContext,
        config: &Config,
        headers: &HeaderMap,
        policy: &SameOriginPolicy,
        operation: &OperationSpec,
    ) -> Result<(), Problem> {
        // This check includes requests that only read: a federated query can send data to other
        // servers. Public resources may be linked from other sites.
        if context.is_mutating() || operation.access != RouteAccess::Public {
            policy.check_same_origin(headers)?;
        }
        let RouteAccess::Role(role) = operation.access else {
            return self.check_rate(context, config);
        };
        self.authenticate(context, config, headers).await?;
        let Some((caller, credential)) = &context.identity else {
            return Err(authenticate::unauthenticated(headers, "authentication required"));
        };
        if credential.auth_method() == AuthMethod::Session && context.is_mutating() {
            policy.check_session_origin(&context.method, headers)?;
        }
        if credential.auth_method() != AuthMethod::Token && operation.is_get_with_effects(&context.method) {
            same_origin::require_page_origin(headers)?;
        }
        if caller.role < role {
            let detail = format!("this operation needs the role `{}`; yours is `{}`", role.name(), caller.role.name());
            return Err(Problem::new(ProblemCode::Forbidden, detail).hint("an admin can change your role"));
        }
        Ok(())
    }

    /// Authenticates the request and checks its rate. If only a password check can identify the
    /// user, the request is counted by its IP address, before the check.
    async fn authenticate(
        self: &Arc<Self>,
        context: &mut RequestContext,
        config: &Config,
        headers: &HeaderMap,
    ) -> Result<(), Problem> {
        let service = &self.service;
        if service.no_auth {
            context.identity = Some((Caller { name: "local".to_owned(), role: Role::Admin }, Credential::AuthDisabled));
            return self.check_rate(context, config);
        }
        let presented = PresentedCredential::from_headers(headers);
        context.has_credential = presented != PresentedCredential::Missing;
        let authenticated = presented.authenticate(&service.users.snapshot(), (service.now)());
        if let Some(AuthenticatedUser { caller, pass, used }) = authenticated {
            context.identity = Some((caller, pass));
            self.check_rate(context, config)?;
            if let Some(id) = used {
                self.record_token_use(id);
            }
            return Ok(());
        }
        self.check_rate(context, config)?;
        let PresentedCredential::Password { name, password } = presented else {
            let detail = match presented {
                PresentedCredential::Missing => "authentication required",
                PresentedCredential::Session(_) => "the session has expired",
                _ => "the token is unknown, expired or revoked",
            };
            return Err(authenticate::unauthenticated(headers, detail));
        };
        context.client.set_claimed_name(&name, &service.users.snapshot());
        let checked = service.passwords.check(&name, &password, context.address.client).await;
        let verified = checked.map_err(|problem| match problem.code() {
            ProblemCode::Unauthenticated => authenticate::with_challenge(headers, problem),
            _ => problem,
        })?;
        let caller = Caller { name: verified.name.to_string(), role: verified.user.role };
        context.identity = Some((caller, Credential::Password(verified.name, verified.user.password)));
        Ok(())
    }

    fn check_rate(&self, context: &RequestContext, config: &Config) -> Result<(), Problem> {
        if context.operation.as_ref().is_ok_and(|operation| !operation.limits.rate_limit) {
            return Ok(());
        }
        let key = match &context.identity {
            Some((caller, _)) => RateLimitKey::Caller(caller.name.clone()),
            None => RateLimitKey::from_address(context.address.client),
        };
        self.rate_limits.check(&key, config.service.rate_limit_per_minute)
    }

    /// Records the use of a token in the background. Concurrent requests with the same token record it once.
    fn record_token_use(&self, token: u64) {
        let Some(permit) = self.token_uses.try_acquire(token) else { return };
        let users = Arc::clone(&self.service.users);
        tokio::task::spawn_blocking(move || {
            if let Err(error) = users.record_token_use(token) {
                tracing::warn!(error = &error as &dyn std::error::Error, "recording the use of a token failed");
            }
            drop(permit);
        });
    }

    /// Runs the handler with a limited body and a limited time.
    async fn run_handler(
        &self,
        context: &RequestContext,
        operation: &OperationSpec,
        config: &Config,
        request: Request,
        next: Next,
    ) -> Response {
        let timeout = config.service.request_timeout;
        let caller = context.identity.as_ref().map(|(caller, _)| caller);
        let bounds = BodyBounds { max_bytes: max_body_bytes(operation.limits.body, caller, config), timeout };
        let (mut request, outcome) = match body_limits::limit_body(request, bounds) {
            Ok(limited) => limited,
            Err(problem) => return problem.into_response(),
        };
        // The memory permit is held until the response begins, because the body is in memory until then.
        let length = request.body().size_hint().upper();
        let _permits = match body_limits::reserve_memory(&self.body_memory, length, bounds).await {
            Ok(permits) => permits,
            Err(problem) => return problem.into_response(),
        };
        let extensions = request.extensions_mut();
        extensions.insert(context.client.clone());
        if let Some((caller, credential)) = &context.identity {
            extensions.insert(caller.clone());
            extensions.insert(credential.clone());
        }
        let response = respond_in_time(next.run(request), operation.limits.timeout.then_some(timeout)).await;
        match outcome.problem() {
            Some(problem) if !response.status().is_success() => problem.into_response(),
            _ => response,
        }
    }
}

/// The response of a handler, or a problem if the handler panics or the response does not begin in
/// time. The body that follows may take longer.
async fn respond_in_time(response: impl Future<Output = Response>, time: Option<Duration>) -> Response {
    let response = AssertUnwindSafe(response).catch_unwind();
    let outcome = match time {
        Some(time) => tokio::time::timeout(time, response).await,
        None => Ok(response.await),
    };
    match outcome {
        Ok(Ok(response)) => response,
        // The panic hook has logged the panic message.
        Ok(Err(_)) => {
            tracing::error!("handler panicked");
            internal_error()
        }
        Err(_) => Problem::busy("the response took too long", 10).into_response(),
    }
}

/// The maximum size of the body of a request.
fn max_body_bytes(class: BodyClass, caller: Option<&Caller>, config: &Config) -> u64 {
    let bytes = config.service.max_body_size.0;
    match (class, caller) {
        // Clients without authentication cannot use much memory.
        (BodyClass::Small, _) | (_, None) => bytes.min(MAX_SMALL_BODY_BYTES),
        (BodyClass::Data, Some(caller)) if caller.role > Role::Reader => bytes,
        _ => bytes.min(MAX_MEDIUM_BODY_BYTES),
    }
}
