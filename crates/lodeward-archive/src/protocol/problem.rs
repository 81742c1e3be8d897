//! Problem documents (RFC 9457).

use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

/// A kind of problem. A kind has one status and one title wherever it is used (RFC 9457 §3.1.3): a
/// service around this crate uses these kinds, too, and adds its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProblemKind {
    /// A stable name, for programs.
    pub code: &'static str,
    /// The HTTP status.
    pub status: StatusCode,
    /// The kind in words, for users.
    pub title: &'static str,
}

/// A problem document.
#[derive(Serialize)]
struct ProblemJson<'a, E> {
    #[serde(rename = "type")]
    uri: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    #[serde(skip_serializing_if = "<[E]>::is_empty")]
    errors: &'a [E],
}

impl ProblemKind {
    /// The request is malformed.
    pub const BAD_REQUEST: Self = Self::new("bad-request", StatusCode::BAD_REQUEST, "Bad request");
    /// The client may not do this.
    pub const FORBIDDEN: Self = Self::new("forbidden", StatusCode::FORBIDDEN, "Permission denied");
    /// The resource does not exist.
    pub const NOT_FOUND: Self = Self::new("not-found", StatusCode::NOT_FOUND, "Not found");
    /// The resource does not support the method.
    pub const METHOD_NOT_ALLOWED: Self =
        Self::new("method-not-allowed", StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
    /// The resource has no representation that the client accepts.
    pub const NOT_ACCEPTABLE: Self = Self::new("not-acceptable", StatusCode::NOT_ACCEPTABLE, "Not acceptable");
    /// The state of the resource does not allow the operation.
    pub const CONFLICT: Self = Self::new("conflict", StatusCode::CONFLICT, "Conflict with the current state");
    /// The media type of the body is not supported.
    pub const UNSUPPORTED_MEDIA_TYPE: Self =
        Self::new("unsupported-media-type", StatusCode::UNSUPPORTED_MEDIA_TYPE, "Unsupported media type");
    /// A bug or a failing disk.
    pub const INTERNAL: Self = Self::new("internal", StatusCode::INTERNAL_SERVER_ERROR, "Internal error");
    /// A request to another server failed.
    pub const BAD_GATEWAY: Self = Self::new("bad-gateway", StatusCode::BAD_GATEWAY, "Upstream server failed");
    /// The service is shutting down, or overloaded.
    pub const UNAVAILABLE: Self = Self::new("unavailable", StatusCode::SERVICE_UNAVAILABLE, "Service unavailable");
    /// A query exceeded a limit.
    pub const QUERY_LIMIT: Self = Self::new("query-limit", StatusCode::SERVICE_UNAVAILABLE, "Query limit exceeded");

    /// A further kind.
    #[must_use]
    pub const fn new(code: &'static str, status: StatusCode, title: &'static str) -> Self {
        Self { code, status, title }
    }

    /// The document of a problem of this kind, as JSON.
    ///
    /// # Panics
    ///
    /// Never: texts and numbers can be serialized.
    #[must_use]
    pub fn document(self, detail: &str, hint: Option<&str>) -> String {
        self.document_with_errors::<()>(detail, hint, &[])
    }

    /// The document of a problem of this kind, as JSON, with the single errors as `errors`.
    ///
    /// # Panics
    ///
    /// If an error cannot be serialized as JSON.
    #[must_use]
    pub fn document_with_errors<E: Serialize>(self, detail: &str, hint: Option<&str>, errors: &[E]) -> String {
        let Self { code, status, title } = self;
        let uri = format!("urn:lodeward:problem:{code}");
        let document = ProblemJson { uri, title, status: status.as_u16(), detail, code, hint, errors };
        serde_json::to_string(&document).expect("texts and numbers can be serialized") + "\n"
    }

    /// The default kind of a problem with this status.
    fn of(status: StatusCode) -> Self {
        let kinds = [
            Self::FORBIDDEN,
            Self::NOT_FOUND,
            Self::METHOD_NOT_ALLOWED,
            Self::NOT_ACCEPTABLE,
            Self::CONFLICT,
            Self::UNSUPPORTED_MEDIA_TYPE,
            Self::INTERNAL,
            Self::BAD_GATEWAY,
            Self::UNAVAILABLE,
        ];
        kinds.into_iter().find(|kind| kind.status == status).unwrap_or(Self::BAD_REQUEST)
    }
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProtocolProblem {
    pub(super) kind: ProblemKind,
    /// What is wrong with this request, for users.
    pub(super) detail: String,
    /// How to fix the problem.
    hint: Option<String>,
    /// A header that belongs to the status: `Allow`, `Retry-After`.
    pub(super) field: Option<Box<(HeaderName, HeaderValue)>>,
}

impl ProtocolProblem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { kind: ProblemKind::of(status), detail: detail.into(), hint: None, field: None }
    }

    /// Adds a hint.
    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// A problem with status 400.
    pub(super) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// A problem with status 405 that lists the allowed methods.
    pub(super) fn method_not_allowed(allowed: &'static str) -> Self {
        let detail = format!("allowed methods: {allowed}");
        let field = (http::header::ALLOW, HeaderValue::from_static(allowed));
        Self { field: Some(Box::new(field)), ..Self::new(StatusCode::METHOD_NOT_ALLOWED, detail) }
    }

    /// A problem with status 503 and a `Retry-After` header.
    pub(super) fn unavailable(detail: impl Into<String>) -> Self {
        let field = (http::header::RETRY_AFTER, HeaderValue::from_static("5"));
        Self { field: Some(Box::new(field)), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, detail) }
    }

    /// A problem with status 503: a limit stopped the query.
    pub(super) fn query_limit(detail: impl Into<String>) -> Self {
        let hint = "simplify the query, or set a longer `timeout`";
        Self { kind: ProblemKind::QUERY_LIMIT, ..Self::unavailable(detail) }.with_hint(hint)
    }

    /// The document as JSON.
    pub(super) fn to_json(&self) -> String {
        self.kind.document(&self.detail, self.hint.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_and_hints_are_escaped() {
        let problem = ProtocolProblem::bad_request("line 1:\n\t\"\\ \u{1}");

        let expected = r#"{"type":"urn:lodeward:problem:bad-request","title":"Bad request","status":400,"detail":"line 1:\n\t\"\\ \u0001","code":"bad-request"}"#;
        assert_eq!(problem.to_json(), format!("{expected}\n"));
        let document = problem.with_hint("a \"hint\"").to_json();
        assert!(document.ends_with(",\"hint\":\"a \\\"hint\\\"\"}\n"), "{document}");
    }
}
