//! The front door: every request passes it.
//!
//! In this order: is it for us (`site`); is there such an operation, and what does it
//! take (`routes`, from the OpenAPI document); does a page of another site ask
//! (`site`); who asks (`who`, `passwords`); how often (`rates`); may they; do the
//! query and the body say only what the operation reads (`routes`). Then the body is
//! bounded (`arrival`), waits until there is room for it (`luggage`), and the handler
//! runs. Whatever comes out of it is told to nobody but the client, and what changes
//! something is written down (`audit`).

mod address;
mod arrival;
mod audit;
mod bursts;
mod failures;
mod luggage;
mod pass;
mod passwords;
mod rates;
mod routes;
mod site;
#[cfg(test)]
mod tests;
mod visit;
mod who;

use std::collections::HashSet;
use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
use lodeward::config::Config;
use tokio::sync::oneshot;
use tracing::Instrument as _;

pub(crate) use self::address::network;
pub(crate) use self::audit::Audit;
pub(crate) use self::pass::Pass;
pub(crate) use self::passwords::Passwords;
pub(crate) use self::visit::Visitor;
pub(crate) use self::who::{COOKIE_NAME, Via, session};

use self::arrival::Bounds;
use self::bursts::Bursts;
use self::luggage::Luggage;
use self::rates::{Key, Rates};
use self::routes::{Access, Routes};
use self::site::Site;
use self::visit::Visit;
use self::who::{Known, Shown};
use crate::problem::{Code, Problem};
use crate::role::{Caller, Role};
use crate::service::Service;

/// What machines ask again and again to know whether we live.
const UNCOUNTED: [&str; 2] = ["/health", "/ready"];

/// Where queries are asked, and updates may be.
const QUERIES: &str = "/sparql";

/// The largest body from somebody who is not known, or about people: it is a few names.
const LITTLE_BYTES_MAX: u64 = 64_000;

/// The largest body that says nothing: many clients send `{}` or `null` where nothing is
/// to be sent.
const NOTHING_BYTES_MAX: u64 = 4;

/// The largest body of most operations, and of all for whoever may only look.
const SOME_BYTES_MAX: u64 = 1_000_000;

/// What the audit log says where somebody hung up before there was an answer.
const HUNG_UP: u16 = 499;

/// What every answer says, unless it says something else itself.
const FIELDS: [(HeaderName, HeaderValue); 5] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// The front door.
struct Door {
    service: Arc<Service>,
    routes: Routes,
    rates: Rates,
    bursts: Bursts,
    luggage: Luggage,
    /// Tokens whose use is being noted.
    noted: Mutex<HashSet<u64>>,
}

/// Puts the door in front of everything.
pub(crate) fn guard(router: Router, service: &Arc<Service>, document: &utoipa::openapi::OpenApi) -> Router {
    let rates = Rates::new(service.settings.now().config.service.requests_per_minute);
    let door = Arc::new(Door {
        service: Arc::clone(service),
        routes: Routes::of(document),
        rates,
        bursts: Bursts::default(),
        luggage: Luggage::default(),
        noted: Mutex::default(),
    });
    // What the document does not have, the door refuses before the router can; a
    // fallback of its own makes the door stand in front of that as well.
    let router = router.fallback(|| async { Problem::new(Code::NotFound, "there is nothing at this path") });
    router.layer(DefaultBodyLimit::disable()).layer(from_fn_with_state(door, pass))
}

/// Whether cookies must not travel in the open.
pub(crate) fn is_https(config: &Config) -> bool {
    Site::new(config.service.public_url.as_deref(), true).is_https()
}

async fn pass(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    let current = door.service.settings.now();
    let visit = Visit::new(&request, current.config.service.public_url.is_some());
    let span = tracing::info_span!("request", id = %visit.id, method = %visit.method, path = %visit.path);
    if !visit.is_changing() {
        return door.answer(visit, &current.config, request, next, pending()).instrument(span).await;
    }
    // Who hangs up takes nothing back: what they have asked for is done, and written
    // down, in a task of its own. Only a query is of no use any more.
    let (_waiting, gone) = oneshot::channel::<()>();
    let is_query = visit.path == QUERIES;
    let gone = async move { if is_query { drop(gone.await) } else { pending().await } };
    let answering = async move { door.answer(visit, &current.config, request, next, gone).await };
    tokio::spawn(answering.instrument(span)).await.unwrap_or_else(|_| broken())
}

/// Nobody waits for the answer any more.
fn hung_up() -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::from_u16(HUNG_UP).expect("it is a status");
    response
}

fn broken() -> Response {
    Problem::new(Code::Internal, "the service could not do this; its log says why").into_response()
}

impl Door {
    async fn answer(
        self: &Arc<Self>,
        mut visit: Visit,
        config: &Config,
        request: Request,
        next: Next,
        gone: impl Future<Output = ()> + Send,
    ) -> Response {
        let begun_ms = (self.service.now)();
        let (parts, body) = request.into_parts();
        let says_nothing = body.size_hint().upper().is_some_and(|bytes| bytes <= NOTHING_BYTES_MAX);
        let admitted = self.admit(&mut visit, config, &parts, says_nothing).await;
        visit.is_let_in = admitted.is_ok();
        let mut response = match admitted {
            Ok(()) => tokio::select! {
                response = self.run(&visit, config, Request::from_parts(parts, body), next) => response,
                () = gone => hung_up(),
            },
            Err(problem) => problem.into_response(),
        };
        let (status, now_ms) = (response.status(), (self.service.now)());
        // Without the query: who knows what people write into it.
        let (method, path, took_ms) = (&visit.method, &visit.path, now_ms.saturating_sub(begun_ms));
        tracing::debug!(%method, path, status = status.as_u16(), took_ms, "a request was answered");
        if let Some(entry) = visit.entry(status, now_ms, &self.bursts) {
            if visit.is_refused(status) || visit.is_of_a_burst(status) {
                tracing::info!(user = entry.user, address = %entry.address, status = entry.status, "not let in");
            }
            let service = Arc::clone(&self.service);
            // What is confirmed stands in the log before it is confirmed.
            let _ = tokio::task::spawn_blocking(move || service.audit.note(&entry)).await;
        }
        let fields = response.headers_mut();
        for (name, value) in FIELDS {
            fields.entry(name).or_insert(value);
        }
        let id = HeaderValue::from_str(&visit.id).expect("it is made of digits");
        fields.insert("x-request-id", id);
        response
    }

    async fn admit(
        self: &Arc<Self>,
        visit: &mut Visit,
        config: &Config,
        parts: &Parts,
        says_nothing: bool,
    ) -> Result<(), Problem> {
        let site = Site::new(config.service.public_url.as_deref(), visit.address.is_near);
        site.check_host(&parts.headers, &parts.uri)?;
        let operation = self.routes.operation(visit.matched.as_deref(), &visit.method)?;
        self.let_in(visit, config, &parts.headers, &site, operation.access).await?;
        operation.check_query(parts.uri.query())?;
        operation.check_body(says_nothing)
    }

    async fn let_in(
        self: &Arc<Self>,
        visit: &mut Visit,
        config: &Config,
        headers: &HeaderMap,
        site: &Site,
        access: Access,
    ) -> Result<(), Problem> {
        // Also what only tells something: a query may make us ask others, and so tell
        // them. What is public may be linked to from anywhere.
        if visit.is_changing() || access != Access::Public {
            site.check_page(headers)?;
        }
        let Access::Role(role) = access else { return self.count(visit, config) };
        self.identify(visit, config, headers).await?;
        let Some((caller, pass)) = &visit.who else { return Err(who::unknown(headers, "this takes a user")) };
        if pass.via() == Via::Session && visit.is_changing() {
            site.check_session(&visit.method, headers)?;
        }
        if pass.via() != Via::Token && visit.is_get_with_effects() {
            site::check_told(headers)?;
        }
        if caller.role < role {
            let detail = format!("this takes the role `{}`; yours is `{}`", role.name(), caller.role.name());
            return Err(Problem::new(Code::Forbidden, detail).hint("an admin can give it to you"));
        }
        Ok(())
    }

    /// Finds out who asks, and counts them. Whoever cannot be told at once counts by
    /// their address, before anything is done that takes long.
    async fn identify(
        self: &Arc<Self>,
        visit: &mut Visit,
        config: &Config,
        headers: &HeaderMap,
    ) -> Result<(), Problem> {
        let service = &self.service;
        if service.no_auth {
            visit.who = Some((Caller { name: "local".to_owned(), role: Role::Admin }, Pass::Machine));
            return self.count(visit, config);
        }
        let shown = Shown::by(headers);
        visit.has_shown = shown != Shown::Nothing;
        if let Some(Known { caller, pass, used }) = shown.owner(&service.people.roster(), (service.now)()) {
            visit.who = Some((caller, pass));
            self.count(visit, config)?;
            if let Some(id) = used {
                self.note_use(id);
            }
            return Ok(());
        }
        self.count(visit, config)?;
        let Shown::Password { name, password } = shown else {
            let detail = match shown {
                Shown::Nothing => "this takes a user",
                Shown::Session(_) => "the session has ended",
                _ => "the token is not known, or has ended",
            };
            return Err(who::unknown(headers, detail));
        };
        visit.visitor.claims_to_be(&name, &service.people.roster());
        let checked = Passwords::check(service, &name, &password, visit.address.client).await;
        let proven = checked.map_err(|problem| match problem.code() {
            Code::Unauthenticated => who::challenged(headers, problem),
            _ => problem,
        })?;
        let caller = Caller { name: proven.name.to_string(), role: proven.user.role };
        visit.who = Some((caller, Pass::Password(proven.name, proven.user.password)));
        Ok(())
    }

    fn count(&self, visit: &Visit, config: &Config) -> Result<(), Problem> {
        if UNCOUNTED.contains(&visit.path.as_str()) {
            return Ok(());
        }
        let key = match &visit.who {
            Some((caller, _)) => Key::Caller(caller.name.clone()),
            None => Key::address(visit.address.client),
        };
        self.rates.check(&key, config.service.requests_per_minute)
    }

    fn noted(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody waits for this, and it happens once, however many requests come at a
    /// time.
    fn note_use(self: &Arc<Self>, token: u64) {
        if !self.noted().insert(token) {
            return;
        }
        let door = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            if let Err(error) = door.service.people.note_use(token) {
                tracing::warn!(error = &error as &dyn std::error::Error, "the use of a token is not noted");
            }
            door.noted().remove(&token);
        });
    }

    /// Lets the handler answer, whatever happens to it.
    async fn run(&self, visit: &Visit, config: &Config, request: Request, next: Next) -> Response {
        let time = Duration::from_secs(config.service.request_timeout_s);
        let bounds = Bounds { bytes: bytes_max(visit, config), time };
        let (mut request, fate) = match arrival::bound(request, bounds) {
            Ok(bounded) => bounded,
            Err(problem) => return problem.into_response(),
        };
        // Held until there is an answer: that long, what was sent is in memory.
        let told = request.body().size_hint().upper();
        let _room = match self.luggage.room(told, bounds).await {
            Ok(room) => room,
            Err(problem) => return problem.into_response(),
        };
        let extensions = request.extensions_mut();
        extensions.insert(visit.visitor.clone());
        if let Some((caller, pass)) = &visit.who {
            extensions.insert(caller.clone());
            extensions.insert(pass.clone());
        }
        let Ok(response) = AssertUnwindSafe(next.run(request)).catch_unwind().await else {
            tracing::error!("a handler panicked");
            return broken();
        };
        match fate.problem() {
            Some(problem) if !response.status().is_success() => problem.into_response(),
            _ => response,
        }
    }
}

/// How large its body may be.
fn bytes_max(visit: &Visit, config: &Config) -> u64 {
    let bytes = (config.service.body_mb as u64).saturating_mul(1_000_000);
    if visit.takes_little() {
        bytes.min(LITTLE_BYTES_MAX)
    } else if visit.takes_much() {
        bytes
    } else {
        bytes.min(SOME_BYTES_MAX)
    }
}
