//! The rules of a route: who may call it, what it does, and its limits.
//!
//! They stand where a route is registered, and become part of the OpenAPI document: the role as
//! security requirement, all others as the extension `x-lodeward-limits`. The gateway reads them
//! from the document. A route without rules cannot be called.

use serde::{Deserialize, Serialize};
use utoipa::openapi::PathItem;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::SecurityRequirement;
use utoipa_axum::router::UtoipaMethodRouter;

use crate::role::Role;

/// The extension of an operation that contains its [`RouteLimits`].
pub(crate) const LIMITS_EXTENSION: &str = "x-lodeward-limits";

/// The security schemes, each of which is sufficient.
const SECURITY_SCHEMES: [&str; 3] = ["token", "password", "session"];

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RouteAccess {
    /// Every client, without authentication.
    Public,
    /// Clients with at least this role.
    Role(Role),
}

impl From<Role> for RouteAccess {
    fn from(role: Role) -> Self {
        Self::Role(role)
    }
}

/// What a route does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RouteEffect {
    /// It only reads.
    Reads,
    /// It changes data. It completes and is audited even if the client disconnects.
    Changes,
    /// It runs a query, which may send data to other servers, or an update if the method allows
    /// changes. It is cancelled if the client disconnects.
    Queries,
}

/// The maximum size of a request body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BodyClass {
    /// 64 kB, as for all requests without authentication.
    Small,
    /// 1 MB.
    Medium,
    /// `service.max_body_size`; for readers 1 MB.
    Data,
}

/// The limits of a route, as in the OpenAPI document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RouteLimits {
    pub(crate) effect: RouteEffect,
    pub(crate) body: BodyClass,
    /// Whether `service.request_timeout` limits the time until the response begins.
    pub(crate) timeout: bool,
    /// Whether requests count towards `service.rate_limit_per_minute`.
    pub(crate) rate_limit: bool,
    /// Whether query parameters and bodies that are not in the document are rejected.
    pub(crate) strict: bool,
    /// The query parameter whose value the audit log contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) audited_parameter: Option<String>,
}

/// The rules of a route.
#[derive(Clone, Debug)]
pub(crate) struct RouteRules {
    access: RouteAccess,
    limits: RouteLimits,
}

impl RouteRules {
    /// The rules of a route that only reads.
    pub(crate) fn reads(access: impl Into<RouteAccess>) -> Self {
        Self::new(access, RouteEffect::Reads)
    }

    /// The rules of a route that changes data. The time of a change is not limited: it would
    /// continue after a timeout, so a client that retries would repeat it.
    pub(crate) fn changes(access: impl Into<RouteAccess>) -> Self {
        Self::new(access, RouteEffect::Changes)
    }

    /// The rules of a route for queries, which have their own time limit.
    pub(crate) fn queries(access: impl Into<RouteAccess>) -> Self {
        Self::new(access, RouteEffect::Queries)
    }

    fn new(access: impl Into<RouteAccess>, effect: RouteEffect) -> Self {
        let limits = RouteLimits {
            effect,
            body: BodyClass::Medium,
            timeout: effect == RouteEffect::Reads,
            rate_limit: true,
            strict: true,
            audited_parameter: None,
        };
        Self { access: access.into(), limits }
    }

    /// Sets the maximum size of a body; the default is [`BodyClass::Medium`].
    pub(crate) fn body(mut self, body: BodyClass) -> Self {
        self.limits.body = body;
        self
    }

    /// The handler limits its time itself.
    pub(crate) fn without_timeout(mut self) -> Self {
        self.limits.timeout = false;
        self
    }

    /// Requests are not counted, because monitoring systems send them.
    pub(crate) fn without_rate_limit(mut self) -> Self {
        self.limits.rate_limit = false;
        self
    }

    /// The handler checks parameters and body itself.
    pub(crate) fn lenient(mut self) -> Self {
        self.limits.strict = false;
        self
    }

    /// The audit log contains the value of this query parameter.
    pub(crate) fn audits(mut self, parameter: &str) -> Self {
        self.limits.audited_parameter = Some(parameter.to_owned());
        self
    }

    /// Adds the rules to handlers of one path.
    pub(crate) fn on<S>(&self, (schemas, mut paths, router): UtoipaMethodRouter<S>) -> UtoipaMethodRouter<S> {
        let limits = serde_json::to_value(&self.limits).expect("limits can be serialized");
        let security = match self.access {
            RouteAccess::Public => vec![SecurityRequirement::default()],
            RouteAccess::Role(role) => {
                SECURITY_SCHEMES.map(|name| SecurityRequirement::new(name, [role.name()])).into()
            }
        };
        for operation in paths.paths.values_mut().flat_map(operations) {
            operation.security = Some(security.clone());
            operation.extensions.get_or_insert_default().insert(LIMITS_EXTENSION.to_owned(), limits.clone());
        }
        (schemas, paths, router)
    }
}

/// The operations of a path.
pub(crate) fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, options, head, patch, trace, .. } = item;
    [get, put, post, delete, options, head, patch, trace].into_iter().filter_map(Option::as_mut)
}
