//! What went wrong, told as RFC 9457 wants it: a problem document.

use std::fmt::Write as _;

use http::{HeaderName, HeaderValue, StatusCode};

/// A request that cannot be answered as its client wished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    /// For people: what is wrong with this very request.
    pub(super) detail: String,
    /// A field that belongs to the status: `Allow`, `Retry-After`.
    pub(super) field: Option<(HeaderName, HeaderValue)>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), field: None }
    }

    /// 400, with what the parser said, if it was a parser.
    pub(super) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// 405, with the methods that would do.
    pub(super) fn method(allowed: &'static str) -> Self {
        let detail = format!("this resource knows the methods {allowed}");
        let field = (http::header::ALLOW, HeaderValue::from_static(allowed));
        Self { field: Some(field), ..Self::new(StatusCode::METHOD_NOT_ALLOWED, detail) }
    }

    /// 503, with the seconds after which it is worth another try.
    pub(super) fn busy(detail: impl Into<String>) -> Self {
        let field = (http::header::RETRY_AFTER, HeaderValue::from_static("5"));
        Self { field: Some(field), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, detail) }
    }

    /// The document.
    pub(super) fn document(&self) -> String {
        let title = self.status.canonical_reason().unwrap_or("Problem");
        let (title, detail) = (json_string(title), json_string(&self.detail));
        format!(
            "{{\"type\":\"about:blank\",\"title\":{title},\"status\":{},\"detail\":{detail}}}\n",
            self.status.as_u16()
        )
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

        let expected =
            r#"{"type":"about:blank","title":"Bad Request","status":400,"detail":"line 1:\n\u0009\"\\ \u0001"}"#;
        assert_eq!(problem.document(), format!("{expected}\n"));
    }
}
