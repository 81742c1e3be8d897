//! What went wrong, told as RFC 9457 wants it.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use http::header::{CONNECTION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The media type of problems.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// A request that cannot be answered as its client wished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    code: Code,
    detail: String,
    hint: Option<String>,
    fields: Vec<(HeaderName, HeaderValue)>,
}

/// Declares the codes: name, status, title.
macro_rules! codes {
    ($($(#[$meta:meta])* $Variant:ident = $name:tt, $status:ident, $title:literal;)+) => {
        /// What kind of problem it is. Codes are stable: programs may depend on them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        pub(crate) enum Code { $($(#[$meta])* #[serde(rename = $name)] $Variant,)+ }

        impl Code {
            /// Every code.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$Variant,)+];

            /// Its stable name.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name,)+ }
            }

            /// The status it comes with.
            pub(crate) fn status(self) -> StatusCode {
                match self { $(Self::$Variant => StatusCode::$status,)+ }
            }

            /// The kind, in words.
            pub(crate) fn title(self) -> &'static str {
                match self { $(Self::$Variant => $title,)+ }
            }
        }
    };
}

codes! {
    /// The request makes no sense.
    BadRequest = "bad-request", BAD_REQUEST, "The request makes no sense";
    /// Nobody knows who asks.
    Unauthenticated = "unauthenticated", UNAUTHORIZED, "Sign in first";
    /// They may not.
    Forbidden = "forbidden", FORBIDDEN, "You may not do this";
    /// A page of another site asked.
    CrossSite = "cross-site", FORBIDDEN, "A page of another site may not do this";
    /// The targets of a crawl are against the policy of the service.
    AgainstPolicy = "against-policy", FORBIDDEN, "The policy of this service forbids it";
    /// There is no such thing.
    NotFound = "not-found", NOT_FOUND, "There is no such thing";
    /// Not with this method.
    MethodNotAllowed = "method-not-allowed", METHOD_NOT_ALLOWED, "Not with this method";
    /// Not in a form that the client takes.
    NotAcceptable = "not-acceptable", NOT_ACCEPTABLE, "There is no such form of it";
    /// It took too long to arrive.
    RequestTimeout = "request-timeout", REQUEST_TIMEOUT, "The request did not arrive in time";
    /// It is not in a state for that.
    Conflict = "conflict", CONFLICT, "It is not in a state for that";
    /// A body that is too large.
    TooLarge = "too-large", PAYLOAD_TOO_LARGE, "The request is too large";
    /// Not a media type that is read here.
    UnsupportedMediaType = "unsupported-media-type", UNSUPPORTED_MEDIA_TYPE, "Not a media type that is read here";
    /// It was addressed to somebody else.
    Misdirected = "misdirected", MISDIRECTED_REQUEST, "This server has another name";
    /// It can be read, and cannot be done.
    Invalid = "invalid", UNPROCESSABLE_ENTITY, "It cannot be done as it was said";
    /// They have as much as they may have.
    QuotaExceeded = "quota-exceeded", TOO_MANY_REQUESTS, "A quota is used up";
    /// They ask too often.
    TooManyRequests = "too-many-requests", TOO_MANY_REQUESTS, "Too many requests";
    /// A bound has stopped a query.
    QueryStopped = "query-stopped", SERVICE_UNAVAILABLE, "The query was stopped";
    /// Another server was of no help.
    BadGateway = "bad-gateway", BAD_GATEWAY, "Another server did not answer";
    /// A bug of ours, or a broken disk.
    Internal = "internal", INTERNAL_SERVER_ERROR, "Something broke";
    /// Not now.
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "Not now";
}

/// The longest text of a client that is told back to them.
const ECHOED_CHARS_MAX: usize = 100;

/// What somebody has sent, as far as it is told back to them.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(ECHOED_CHARS_MAX) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

impl Problem {
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), hint: None, fields: Vec::new() }
    }

    /// Says what to do about it.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Adds a field that belongs to the status: `Allow`, `Retry-After`.
    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.fields.push((name, value));
        self
    }

    /// Something of ours broke. What, is for the log; the client gets to know that
    /// it did.
    pub(crate) fn internal(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error, "a request could not be answered");
        Self::new(Code::Internal, "the service could not do this; its log says why")
    }

    pub(crate) fn code(&self) -> Code {
        self.code
    }

    /// What is wrong.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }
}

impl From<std::io::Error> for Problem {
    /// A disk that does not do as it is told.
    fn from(error: std::io::Error) -> Self {
        Self::internal(&error)
    }
}

/// A problem (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct Document {
    /// `urn:lodeward:problem:` and the code.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The kind, in words.
    pub(crate) title: String,
    /// The status code.
    #[schema(minimum = 400, maximum = 599)]
    pub(crate) status: u16,
    /// What is wrong with this very request.
    pub(crate) detail: String,
    /// The kind, for programs.
    pub(crate) code: Code,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { code, detail, hint, fields } = self;
        let (kind, title) = (format!("urn:lodeward:problem:{}", code.name()), code.title().to_owned());
        let status = code.status();
        let document = Document { kind, title, status: status.as_u16(), detail, code, hint };
        let body = serde_json::to_string(&document).expect("a problem is plain data") + "\n";
        let mut response = (status, body).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        response.headers_mut().extend(fields);
        if code == Code::TooLarge {
            // The rest of the request is not read, so that no other can follow it.
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
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();

        assert_eq!(names.len(), Code::ALL.len());
        assert!(Code::ALL.iter().all(|code| code.status().is_client_error() || code.status().is_server_error()));
    }
}
