//! What went wrong, told as RFC 9457 wants it: a problem document.

use std::fmt::Write as _;

use http::{HeaderName, HeaderValue, StatusCode};

/// A request that cannot be answered as its client wished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    /// For programs: a stable name of the kind.
    code: &'static str,
    /// For people: what is wrong with this very request.
    pub(super) detail: String,
    /// What to do about it.
    hint: Option<String>,
    /// A field that belongs to the status: `Allow`, `Retry-After`.
    pub(super) field: Option<Box<(HeaderName, HeaderValue)>>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, code: code_of(status), detail: detail.into(), hint: None, field: None }
    }

    /// Says what to do about it.
    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// 400, with what the parser said, if it was a parser.
    pub(super) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// 405, with the methods that would do.
    pub(super) fn method(allowed: &'static str) -> Self {
        let detail = format!("this resource knows the methods {allowed}");
        let field = (http::header::ALLOW, HeaderValue::from_static(allowed));
        Self { field: Some(Box::new(field)), ..Self::new(StatusCode::METHOD_NOT_ALLOWED, detail) }
    }

    /// 503, with the seconds after which it is worth another try.
    pub(super) fn busy(detail: impl Into<String>) -> Self {
        let field = (http::header::RETRY_AFTER, HeaderValue::from_static("5"));
        Self { field: Some(Box::new(field)), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, detail) }
    }

    /// 503: a bound has stopped it.
    pub(super) fn stopped(detail: impl Into<String>) -> Self {
        let hint = "ask for less at once, or with a longer `timeout` if it is not the longest yet";
        Self { code: "query-stopped", ..Self::busy(detail) }.hint(hint)
    }

    /// The document.
    pub(super) fn document(&self) -> String {
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

/// The kind in words. A kind has one title, whoever tells of it (RFC 9457, 3.1.3): a
/// service around this says the same.
fn title_of(code: &str) -> &'static str {
    match code {
        "forbidden" => "You may not do this",
        "not-found" => "There is no such thing",
        "method-not-allowed" => "Not with this method",
        "not-acceptable" => "There is no such form of it",
        "conflict" => "It is not in a state for that",
        "unsupported-media-type" => "Not a media type that is read here",
        "query-stopped" => "The query was stopped",
        "internal" => "Something broke",
        "bad-gateway" => "Another server did not answer",
        "unavailable" => "Not now",
        _ => "The request makes no sense",
    }
}

/// The name of the kind that most problems of this status are of.
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
    fn a_detail_cannot_break_the_document() {
        let problem = Problem::bad_request("line 1:\n\t\"\\ \u{1}");

        let expected = r#"{"type":"urn:lodeward:problem:bad-request","title":"The request makes no sense","status":400,"detail":"line 1:\n\u0009\"\\ \u0001","code":"bad-request"}"#;
        assert_eq!(problem.document(), format!("{expected}\n"));
        let document = problem.hint("a \"hint\"").document();
        assert!(document.ends_with(",\"hint\":\"a \\\"hint\\\"\"}\n"), "{document}");
    }
}
