//! Problem documents (RFC 9457): the error responses of the service.

use std::borrow::Cow;
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, StatusCode};
use lodeward_archive::protocol::ProblemKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The media type of problems.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// An error response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    code: ProblemCode,
    detail: String,
    hint: Option<String>,
    errors: Vec<ProblemError>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// A single error of a request, and its place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ProblemError {
    /// Place of the error: a JSON pointer into the body (RFC 6901), such as `/seeds/3`, or `?` and the name of
    /// a query parameter, such as `?filter`.
    #[schema(examples("/seeds/3", "?filter"))]
    pub(crate) at: String,
    /// What is wrong.
    pub(crate) detail: String,
    /// What to do about the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) hint: Option<String>,
    /// First character of the error in the text at `at`, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) from: Option<usize>,
    /// First character after the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) to: Option<usize>,
}

/// Declares the codes with their kinds.
macro_rules! codes {
    ($($(#[$meta:meta])* $Variant:ident = $kind:expr;)+) => {
        /// The kind of a problem. Codes are stable: programs may depend on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "kebab-case")]
        pub(crate) enum ProblemCode { $($(#[$meta])* $Variant,)+ }

        impl ProblemCode {
            /// Every code.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$Variant,)+];

            /// Name, HTTP status and title.
            pub(crate) fn kind(self) -> ProblemKind {
                match self { $(Self::$Variant => $kind,)+ }
            }

            /// The HTTP status.
            pub(crate) fn status(self) -> StatusCode {
                self.kind().status
            }
        }
    };
}

codes! {
    /// The request is malformed.
    BadRequest = ProblemKind::BAD_REQUEST;
    /// The request has no valid credentials.
    Unauthenticated = ProblemKind::new("unauthenticated", StatusCode::UNAUTHORIZED, "Authentication required");
    /// The role is not sufficient, or the resource belongs to another user.
    Forbidden = ProblemKind::FORBIDDEN;
    /// The request comes from a page of another site.
    CrossSite = ProblemKind::new("cross-site", StatusCode::FORBIDDEN, "Cross-site request rejected");
    /// The service does not crawl that domain.
    PolicyViolation = ProblemKind::new("policy-violation", StatusCode::FORBIDDEN, "Domain not allowed by policy");
    /// The resource does not exist.
    NotFound = ProblemKind::NOT_FOUND;
    /// The resource does not support the method.
    MethodNotAllowed = ProblemKind::METHOD_NOT_ALLOWED;
    /// The resource has no representation that the client accepts.
    NotAcceptable = ProblemKind::NOT_ACCEPTABLE;
    /// The request took too long to arrive.
    RequestTimeout = ProblemKind::new("request-timeout", StatusCode::REQUEST_TIMEOUT, "Request timeout");
    /// The state of the resource does not allow the operation.
    Conflict = ProblemKind::CONFLICT;
    /// The body is too large.
    ContentTooLarge = ProblemKind::new("content-too-large", StatusCode::PAYLOAD_TOO_LARGE, "Content too large");
    /// The media type of the body is not supported.
    UnsupportedMediaType = ProblemKind::UNSUPPORTED_MEDIA_TYPE;
    /// The host name is not one of this service.
    Misdirected = ProblemKind::new("misdirected", StatusCode::MISDIRECTED_REQUEST, "Misdirected request");
    /// The request is well-formed but invalid.
    Unprocessable = ProblemKind::new("unprocessable", StatusCode::UNPROCESSABLE_ENTITY, "Unprocessable request");
    /// The user has reached a quota.
    QuotaExceeded = ProblemKind::new("quota-exceeded", StatusCode::TOO_MANY_REQUESTS, "Quota exceeded");
    /// The client sends requests too often.
    RateLimited = ProblemKind::new("rate-limited", StatusCode::TOO_MANY_REQUESTS, "Rate limit exceeded");
    /// A query exceeded a limit.
    QueryLimit = ProblemKind::QUERY_LIMIT;
    /// A request to another server failed.
    BadGateway = ProblemKind::BAD_GATEWAY;
    /// A bug or a failing disk.
    Internal = ProblemKind::INTERNAL;
    /// The service is shutting down, or overloaded.
    Unavailable = ProblemKind::UNAVAILABLE;
}

/// The maximum length of a client's text in a problem.
const MAX_ECHOED_CHARS: usize = 100;

/// The maximum number of single errors in a problem.
const MAX_ERRORS: usize = 100;

/// Text of a client, truncated for use in a problem.
pub(crate) fn truncate_echo(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_ECHOED_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

impl Problem {
    pub(crate) fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), hint: None, errors: Vec::new(), headers: Vec::new() }
    }

    /// Adds a hint: what to do about the problem.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Adds single errors; only the first 100 are sent.
    pub(crate) fn with_errors(mut self, errors: impl IntoIterator<Item = ProblemError>) -> Self {
        self.errors.extend(errors);
        self.errors.truncate(MAX_ERRORS);
        self
    }

    /// Adds an error at this place with the detail and the hint of the problem.
    pub(crate) fn at(self, at: impl Into<String>) -> Self {
        let error =
            ProblemError { at: at.into(), detail: self.detail.clone(), hint: self.hint.clone(), from: None, to: None };
        self.with_errors([error])
    }

    /// Adds a header field that belongs to the status: `Allow`, `Retry-After`.
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// An internal error. The cause is logged; the client only learns that there was an
    /// error.
    pub(crate) fn internal(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error, "request failed");
        Self::new(ProblemCode::Internal, "internal error of the service; the log has the details")
    }

    /// The service is busy: the client should retry after some seconds.
    pub(crate) fn busy(detail: &str, retry_after_seconds: u32) -> Self {
        Self::new(ProblemCode::Unavailable, detail)
            .hint("retry later")
            .with_header(RETRY_AFTER, HeaderValue::from(retry_after_seconds))
    }

    /// The client must wait; `what` was too frequent.
    pub(crate) fn rate_limited(what: &str, wait: Duration) -> Self {
        let seconds = u32::try_from(wait.as_millis().div_ceil(1_000).max(1)).unwrap_or(u32::MAX);
        Self::new(ProblemCode::RateLimited, format!("{what}: retry in {seconds} s"))
            .with_header(RETRY_AFTER, HeaderValue::from(seconds))
    }

    pub(crate) fn code(&self) -> ProblemCode {
        self.code
    }

    /// The description of the error.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }
}

impl From<std::io::Error> for Problem {
    /// An I/O error is internal.
    fn from(error: std::io::Error) -> Self {
        Self::internal(&error)
    }
}

/// A problem (RFC 9457).
#[derive(Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemDocument {
    /// `urn:lodeward:problem:` and the code.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The kind of the problem, in words.
    pub(crate) title: String,
    /// HTTP status code.
    #[schema(minimum = 400, maximum = 599)]
    pub(crate) status: u16,
    /// What is wrong with this request.
    pub(crate) detail: String,
    /// The kind of the problem, for programs.
    pub(crate) code: ProblemCode,
    /// Hint: what to do about the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// The single errors and their places, if the service knows them; at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) errors: Vec<ProblemError>,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { code, detail, hint, errors, headers } = self;
        let body = code.kind().document_with_errors(&detail, hint.as_deref(), &errors);
        let status = code.status();
        let mut response = (status, body).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        response.headers_mut().extend(headers);
        if code == ProblemCode::ContentTooLarge {
            // The rest of the body is not read, so no other request can follow on this connection.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_stable_and_different() {
        for code in ProblemCode::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.kind().code);
        }
        let mut names: Vec<_> = ProblemCode::ALL.iter().map(|code| code.kind().code).collect();
        names.sort_unstable();
        names.dedup();

        assert_eq!(names.len(), ProblemCode::ALL.len());
        assert!(ProblemCode::ALL.iter().all(|code| code.status().is_client_error() || code.status().is_server_error()));
    }
}
