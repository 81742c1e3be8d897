//! Problem documents (RFC 9457): the error responses of the service.

use std::borrow::Cow;
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, StatusCode};
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
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// Declares the codes: name, status, title.
macro_rules! codes {
    ($($(#[$meta:meta])* $Variant:ident = $name:tt, $status:ident, $title:literal;)+) => {
        /// The kind of a problem. Codes are stable: programs may depend on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        pub(crate) enum ProblemCode { $($(#[$meta])* #[serde(rename = $name)] $Variant,)+ }

        impl ProblemCode {
            /// Every code.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$Variant,)+];

            /// The stable name.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name,)+ }
            }

            /// The HTTP status.
            pub(crate) fn status(self) -> StatusCode {
                match self { $(Self::$Variant => StatusCode::$status,)+ }
            }

            /// The title.
            pub(crate) fn title(self) -> &'static str {
                match self { $(Self::$Variant => $title,)+ }
            }
        }
    };
}

codes! {
    /// The request is malformed.
    BadRequest = "bad-request", BAD_REQUEST, "Bad request";
    /// The request has no valid credentials.
    Unauthenticated = "unauthenticated", UNAUTHORIZED, "Authentication required";
    /// The role is not sufficient, or the resource belongs to another user.
    Forbidden = "forbidden", FORBIDDEN, "Permission denied";
    /// The request comes from a page of another site.
    CrossSite = "cross-site", FORBIDDEN, "Cross-site request rejected";
    /// The service does not crawl that domain.
    PolicyViolation = "policy-violation", FORBIDDEN, "Domain not allowed by policy";
    /// The resource does not exist.
    NotFound = "not-found", NOT_FOUND, "Not found";
    /// The resource does not support the method.
    MethodNotAllowed = "method-not-allowed", METHOD_NOT_ALLOWED, "Method not allowed";
    /// The resource has no representation that the client accepts.
    NotAcceptable = "not-acceptable", NOT_ACCEPTABLE, "Not acceptable";
    /// The request took too long to arrive.
    RequestTimeout = "request-timeout", REQUEST_TIMEOUT, "Request timeout";
    /// The state of the resource does not allow the operation.
    Conflict = "conflict", CONFLICT, "Conflict with the current state";
    /// The body is too large.
    ContentTooLarge = "content-too-large", PAYLOAD_TOO_LARGE, "Content too large";
    /// The media type of the body is not supported.
    UnsupportedMediaType = "unsupported-media-type", UNSUPPORTED_MEDIA_TYPE, "Unsupported media type";
    /// The host name is not one of this service.
    Misdirected = "misdirected", MISDIRECTED_REQUEST, "Misdirected request";
    /// The request is well-formed but invalid.
    Unprocessable = "unprocessable", UNPROCESSABLE_ENTITY, "Unprocessable request";
    /// The user has reached a quota.
    QuotaExceeded = "quota-exceeded", TOO_MANY_REQUESTS, "Quota exceeded";
    /// The client sends requests too often.
    RateLimited = "rate-limited", TOO_MANY_REQUESTS, "Rate limit exceeded";
    /// A query exceeded a limit.
    QueryLimit = "query-limit", SERVICE_UNAVAILABLE, "Query limit exceeded";
    /// A request to another server failed.
    BadGateway = "bad-gateway", BAD_GATEWAY, "Upstream server failed";
    /// A bug or a failing disk.
    Internal = "internal", INTERNAL_SERVER_ERROR, "Internal error";
    /// The service is shutting down, or overloaded.
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "Service unavailable";
}

/// The maximum length of a client's text in a problem.
const MAX_ECHOED_CHARS: usize = 100;

/// Text of a client, truncated for use in a problem.
pub(crate) fn truncate_echo(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_ECHOED_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

impl Problem {
    pub(crate) fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), hint: None, headers: Vec::new() }
    }

    /// Adds a hint: what to do about the problem.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { code, detail, hint, headers } = self;
        let (kind, title) = (format!("urn:lodeward:problem:{}", code.name()), code.title().to_owned());
        let status = code.status();
        let document = ProblemDocument { kind, title, status: status.as_u16(), detail, code, hint };
        let body = serde_json::to_string(&document).expect("plain data serializes") + "\n";
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
        let mut names: Vec<_> = ProblemCode::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();

        assert_eq!(names.len(), ProblemCode::ALL.len());
        assert!(ProblemCode::ALL.iter().all(|code| code.status().is_client_error() || code.status().is_server_error()));
    }
}
