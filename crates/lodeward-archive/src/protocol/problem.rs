//! Problem documents (RFC 9457).

use std::fmt::Write as _;

use http::{HeaderName, HeaderValue, StatusCode};

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProtocolProblem {
    pub(super) status: StatusCode,
    /// A stable name of the kind of problem, for programs.
    code: &'static str,
    /// What is wrong with this request, for users.
    pub(super) detail: String,
    /// How to fix the problem.
    hint: Option<String>,
    /// A header that belongs to the status: `Allow`, `Retry-After`.
    pub(super) field: Option<Box<(HeaderName, HeaderValue)>>,
}

impl ProtocolProblem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, code: code_of(status), detail: detail.into(), hint: None, field: None }
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
        Self { code: "query-limit", ..Self::unavailable(detail) }.with_hint(hint)
    }

    /// The document as JSON.
    pub(super) fn to_json(&self) -> String {
        let Self { status, code, detail, hint, .. } = self;
        let title = json_string(title_of(code));
        let (status, detail) = (status.as_u16(), json_string(detail));
        let hint = hint.as_ref().map(|hint| format!(",\"hint\":{}", json_string(hint))).unwrap_or_default();
        format!(
            "{{\"type\":\"urn:lodeward:problem:{code}\",\"title\":{title},\"status\":{status},\"detail\":{detail},\
             \"code\":\"{code}\"{hint}}}\n"
        )
    }
}

/// The title of a kind of problem. A kind has one title wherever it is used (RFC 9457, 3.1.3); a
/// service around this crate must use the same titles.
fn title_of(code: &str) -> &'static str {
    match code {
        "forbidden" => "Permission denied",
        "not-found" => "Not found",
        "method-not-allowed" => "Method not allowed",
        "not-acceptable" => "Not acceptable",
        "conflict" => "Conflict with the current state",
        "unsupported-media-type" => "Unsupported media type",
        "query-limit" => "Query limit exceeded",
        "internal" => "Internal error",
        "bad-gateway" => "Upstream server failed",
        "unavailable" => "Service unavailable",
        _ => "Bad request",
    }
}

/// The default kind of a problem with this status.
fn code_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::FORBIDDEN => "forbidden",
        StatusCode::NOT_FOUND => "not-found",
        StatusCode::METHOD_NOT_ALLOWED => "method-not-allowed",
        StatusCode::NOT_ACCEPTABLE => "not-acceptable",
        StatusCode::CONFLICT => "conflict",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "unsupported-media-type",
        StatusCode::INTERNAL_SERVER_ERROR => "internal",
        StatusCode::BAD_GATEWAY => "bad-gateway",
        StatusCode::SERVICE_UNAVAILABLE => "unavailable",
        _ => "bad-request",
    }
}

fn json_string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\n' => json.push_str("\\n"),
            '\0'..' ' | '\u{7F}' => {
                let _ = write!(json, "\\u{:04x}", u32::from(character));
            }
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_and_hints_are_escaped() {
        let problem = ProtocolProblem::bad_request("line 1:\n\t\"\\ \u{1}");

        let expected = r#"{"type":"urn:lodeward:problem:bad-request","title":"Bad request","status":400,"detail":"line 1:\n\u0009\"\\ \u0001","code":"bad-request"}"#;
        assert_eq!(problem.to_json(), format!("{expected}\n"));
        let document = problem.with_hint("a \"hint\"").to_json();
        assert!(document.ends_with(",\"hint\":\"a \\\"hint\\\"\"}\n"), "{document}");
    }
}
