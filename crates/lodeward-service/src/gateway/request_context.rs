//! The context of one request in the gateway, and its audit entry.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use axum::extract::{FromRequestParts, MatchedPath, Request};
use http::request::Parts;
use http::{Method, StatusCode};

use super::credential::Credential;
use super::operations::{OperationSpec, OperationTable};
use super::rejection_bursts::RejectionBursts;
use crate::audit::AuditEntry;
use crate::client_address::ClientAddress;
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;
use crate::users::{UserDb, UserName};

/// The maximum length of a path in the audit log.
const MAX_PATH_CHARS: usize = 512;

/// A request while the gateway handles it.
pub(super) struct RequestContext {
    pub(super) id: String,
    pub(super) method: Method,
    pub(super) path: String,
    /// The requested operation, or why there is none.
    pub(super) operation: Result<Arc<OperationSpec>, Problem>,
    pub(super) address: ClientAddress,
    pub(super) identity: Option<(Caller, Credential)>,
    /// Whether the request has a credential.
    pub(super) has_credential: bool,
    pub(super) client: ClientInfo,
    /// Whether the gateway has passed the request to its handler.
    pub(super) is_admitted: bool,
    /// The value of the audited parameter.
    crawl: Option<String>,
}

/// The client of a request, which handlers can extract.
#[derive(Clone)]
pub(crate) struct ClientInfo {
    /// The IP address.
    pub(crate) address: IpAddr,
    /// The user name in a login, for the audit log.
    claimed_name: Arc<OnceLock<Option<UserName>>>,
}

impl ClientInfo {
    /// Sets the user name of a login. Names of unknown users are not recorded: a password may
    /// have been typed into the wrong field.
    pub(crate) fn set_claimed_name(&self, name: &str, db: &UserDb) {
        let name = name.parse().ok().filter(|name| db.user(name).is_some());
        let _ = self.claimed_name.set(name);
    }
}

impl RequestContext {
    pub(super) fn new(request: &Request, operations: &OperationTable, has_public_url: bool) -> Self {
        let address = ClientAddress::from_request(request, has_public_url);
        let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        let operation = operations.operation(route, request.method());
        let uri = request.uri();
        let audited = operation.as_ref().ok().and_then(|operation| operation.limits.audited_parameter.as_deref());
        let query = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        let mut crawls =
            query.filter(|(name, _)| Some(&**name) == audited).map(|(_, value)| value.chars().take(20).collect());
        Self {
            id: random_id(),
            method: request.method().clone(),
            address,
            identity: None,
            has_credential: false,
            is_admitted: false,
            client: ClientInfo { address: address.client, claimed_name: Arc::default() },
            crawl: crawls.next(),
            path: uri.path().chars().take(MAX_PATH_CHARS).collect(),
            operation,
        }
    }

    pub(super) fn is_mutating(&self) -> bool {
        self.operation.as_ref().is_ok_and(|operation| operation.is_mutating(&self.method))
    }

    /// Whether the request was rejected although it has a credential.
    pub(super) fn is_rejected_credential(&self, status: StatusCode) -> bool {
        let has_credential = self.has_credential || self.identity.is_some() || self.client.claimed_name.get().is_some();
        matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) && has_credential
    }

    /// Whether the request was rejected for a reason that occurs in bursts: rate limits, failed
    /// logins, and requests of other sites before authentication.
    pub(super) fn counts_as_burst(&self, status: StatusCode) -> bool {
        match status {
            StatusCode::TOO_MANY_REQUESTS => !self.is_admitted || self.identity.is_none(),
            StatusCode::FORBIDDEN => !self.is_admitted && !self.is_rejected_credential(status),
            _ => false,
        }
    }

    /// The audit entry of the request, if it needs one. Entries are written for requests that
    /// change data, for rejected credentials, and for the first rejection of a burst.
    pub(super) fn audit_entry(&self, status: StatusCode, now_ms: u64, bursts: &RejectionBursts) -> Option<AuditEntry> {
        let is_known = self.identity.is_some() || self.client.claimed_name.get().is_some();
        let mut unwritten = None;
        if self.counts_as_burst(status) {
            unwritten = Some(bursts.record(self.address.client, now_ms)?).filter(|count| *count > 0);
        } else if !(self.is_rejected_credential(status) || self.is_mutating() && is_known) {
            return None;
        }
        let claimed = || self.client.claimed_name.get()?.as_ref().map(ToString::to_string);
        Some(AuditEntry {
            at: lodeward::time::format_iso8601(now_ms),
            request: self.id.clone(),
            address: self.address.client,
            user: self.identity.as_ref().map(|(caller, _)| caller.name.clone()).or_else(claimed),
            via: self.identity.as_ref().map(|(_, credential)| credential.auth_method()),
            method: self.method.to_string(),
            path: self.path.clone(),
            crawl: self.crawl.clone(),
            status: status.as_u16(),
            unwritten,
        })
    }
}

/// A random ID that identifies a request in the logs. It is not secret.
fn random_id() -> String {
    let mut bytes = [0; 8];
    // If random numbers are not available, IDs repeat, which is not fatal.
    let _ = getrandom::fill(&mut bytes);
    format!("{:016x}", u64::from_le_bytes(bytes))
}

impl<S: Sync> FromRequestParts<S> for ClientInfo {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let missing = || Problem::new(ProblemCode::Unauthenticated, "the client of the request is unknown");
        parts.extensions.get::<Self>().cloned().ok_or_else(missing)
    }
}
