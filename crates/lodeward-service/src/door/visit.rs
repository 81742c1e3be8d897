//! One request, as the door sees it.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use axum::extract::{FromRequestParts, MatchedPath, Request};
use http::request::Parts;
use http::{Method, StatusCode};

use super::QUERIES;
use super::address::Address;
use super::audit::Entry;
use super::bursts::Bursts;
use super::pass::Pass;
use super::site::{FACADE, is_changing};
use crate::people::{Name, Roster};
use crate::problem::{Code, Problem};
use crate::role::{Caller, Role};

/// The most of a path that is written down.
const PATH_MAX: usize = 512;

/// Where users, passwords and tokens are changed.
const ABOUT_PEOPLE: [&str; 4] = ["/api/v1/me", "/api/v1/session", "/api/v1/tokens", "/api/v1/users"];

/// Where data are sent, or long lists.
const OF_DATA: [&str; 7] = [
    "/api/v1/crawls",
    "/api/v1/crawls/{id}/candidates/marks",
    "/api/v1/imports/{name}",
    "/sparql",
    "/store",
    "/store/{name}",
    "/update",
];

/// One request, as the door sees it.
pub(super) struct Visit {
    pub(super) id: String,
    pub(super) method: Method,
    pub(super) path: String,
    /// The path as the router has it, with its variables.
    pub(super) matched: Option<String>,
    pub(super) address: Address,
    pub(super) who: Option<(Caller, Pass)>,
    /// Whether it has shown anything.
    pub(super) has_shown: bool,
    pub(super) visitor: Visitor,
    /// Whether the door has handed it on.
    pub(super) is_let_in: bool,
    crawl: Option<String>,
}

/// What handlers need to know of where a request comes from.
#[derive(Clone)]
pub(crate) struct Visitor {
    /// The client.
    pub(crate) address: IpAddr,
    /// Who they say that they are, for the audit log.
    claim: Arc<OnceLock<Option<Name>>>,
}

impl Visitor {
    /// Notes who wants to sign in. Only the names of those who are there: what
    /// somebody types into the wrong field may be a password.
    pub(crate) fn claims_to_be(&self, name: &str, roster: &Roster) {
        let name = name.parse().ok().filter(|name| roster.user(name).is_some());
        let _ = self.claim.set(name);
    }
}

impl Visit {
    pub(super) fn new(request: &Request, has_public_url: bool) -> Self {
        let address = Address::of(request, has_public_url);
        let uri = request.uri();
        let path: String = uri.path().chars().take(PATH_MAX).collect();
        let query = uri.query().filter(|_| path.starts_with(FACADE)).unwrap_or_default();
        let mut crawls = url::form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "crawl_id");
        Self {
            id: random_id(),
            method: request.method().clone(),
            matched: request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned()),
            address,
            who: None,
            has_shown: false,
            is_let_in: false,
            visitor: Visitor { address: address.client, claim: Arc::default() },
            crawl: crawls.next().map(|(_, id)| id.chars().take(20).collect()),
            path,
        }
    }

    pub(super) fn is_changing(&self) -> bool {
        is_changing(&self.method, &self.path)
    }

    /// Whether it need not say much. Nobody should make us hold much in memory before
    /// it is known who that is.
    pub(super) fn takes_little(&self) -> bool {
        let is_about_people = |path: &String| ABOUT_PEOPLE.iter().any(|start| path.starts_with(start));
        self.who.is_none() || self.matched.as_ref().is_some_and(is_about_people)
    }

    /// Whether it may have much to say: data, or orders with data. Whoever may only look
    /// need not.
    pub(super) fn takes_much(&self) -> bool {
        let is_of_data = |path: &String| OF_DATA.contains(&path.as_str());
        self.who.as_ref().is_some_and(|(caller, _)| caller.role > Role::Reader)
            && self.matched.as_ref().is_some_and(is_of_data)
    }

    /// Whether a picture in a page would be enough to make it do something.
    pub(super) fn is_get_with_effects(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD) && (self.path == QUERIES || self.is_changing())
    }

    /// Whether somebody was not let in although they have shown something.
    pub(super) fn is_refused(&self, status: StatusCode) -> bool {
        let has_shown = self.has_shown || self.who.is_some() || self.visitor.claim.get().is_some();
        matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) && has_shown
    }

    /// Whether it was refused as many are that come in a row: who asks or guesses too
    /// often, and what pages of other sites ask for before anybody has looked who it is.
    pub(super) fn is_of_a_burst(&self, status: StatusCode) -> bool {
        match status {
            StatusCode::TOO_MANY_REQUESTS => !self.is_let_in || self.who.is_none(),
            StatusCode::FORBIDDEN => !self.is_let_in && !self.is_refused(status),
            _ => false,
        }
    }

    /// What is written down of it, if anything is: what changes something, who was not
    /// let in although they have shown something, and of bursts the first.
    pub(super) fn entry(&self, status: StatusCode, now_ms: u64, bursts: &Bursts) -> Option<Entry> {
        let is_known = self.who.is_some() || self.visitor.claim.get().is_some();
        let mut unwritten = None;
        if self.is_of_a_burst(status) {
            unwritten = Some(bursts.note(self.address.client, now_ms)?).filter(|count| *count > 0);
        } else if !(self.is_refused(status) || self.is_changing() && is_known) {
            return None;
        }
        let claimed = || self.visitor.claim.get()?.as_ref().map(ToString::to_string);
        Some(Entry {
            at: lodeward::provenance::moment(now_ms),
            request: self.id.clone(),
            address: self.address.client,
            user: self.who.as_ref().map(|(caller, _)| caller.name.clone()).or_else(claimed),
            via: self.who.as_ref().map(|(_, pass)| pass.via()),
            method: self.method.to_string(),
            path: self.path.clone(),
            crawl: self.crawl.clone(),
            status: status.as_u16(),
            unwritten,
        })
    }
}

/// By what a request is found again in the logs. It is no secret.
fn random_id() -> String {
    let mut bytes = [0; 8];
    // Without chance they are all alike, and still answered.
    let _ = getrandom::fill(&mut bytes);
    format!("{:016x}", u64::from_le_bytes(bytes))
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let missing = || Problem::new(Code::Unauthenticated, "nobody knows where this comes from");
        parts.extensions.get::<Self>().cloned().ok_or_else(missing)
    }
}
