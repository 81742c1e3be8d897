//! Extractors: body, query and path of a request, with problems for invalid ones.

mod strict_json;

use axum::body::Bytes;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use http::StatusCode;
use http::request::Parts;
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;

use self::strict_json::StrictJson;
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;

/// Extracts a JSON body.
pub(crate) struct JsonBody<T>(pub(crate) T);

/// Extracts the query parameters.
pub(crate) struct QueryParams<T>(pub(crate) T);

/// Extracts the variables of the path.
pub(crate) struct PathParams<T>(pub(crate) T);

/// The maximum length of the text of an error, which may contain a value of the request.
const MAX_DETAIL_CHARS: usize = 400;

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let axum::Json(StrictJson(value)) = axum::Json::from_request(request, state).await?;
        Ok(Self(value))
    }
}

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for QueryParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        read_form(parts.uri.query().unwrap_or_default().as_bytes()).map(Self)
    }
}

/// Parses a query string or a form. An error contains the name of its parameter.
pub(crate) fn read_form<T: DeserializeOwned>(form: &[u8]) -> Result<T, Problem> {
    let pairs = serde_urlencoded::Deserializer::new(url::form_urlencoded::parse(form));
    serde_path_to_error::deserialize(pairs).map_err(|error: serde_path_to_error::Error<_>| {
        let problem = Problem::new(ProblemCode::BadRequest, detail(&error.to_string()));
        match error.path().iter().next() {
            Some(Segment::Map { key }) => problem.at(format!("?{}", detail(key))),
            _ => problem,
        }
    })
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        // If a path parameter cannot be parsed, no resource can have this path, so the status is
        // 404.
        let path = Path::from_request_parts(parts, state).await;
        path.map(|Path(value)| Self(value))
            .map_err(|rejection| Problem::new(ProblemCode::NotFound, detail(&rejection.body_text())))
    }
}

/// The text of an error, truncated.
fn detail(text: &str) -> String {
    text.chars().take(MAX_DETAIL_CHARS).collect()
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        let code = match rejection.status() {
            StatusCode::UNPROCESSABLE_ENTITY => ProblemCode::Unprocessable,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => ProblemCode::UnsupportedMediaType,
            StatusCode::PAYLOAD_TOO_LARGE => ProblemCode::ContentTooLarge,
            _ => ProblemCode::BadRequest,
        };
        let problem = Self::new(code, detail(&without_value(&rejection.body_text())));
        match body_location(&rejection) {
            Some(at) => problem.at(at),
            None => problem,
        }
    }
}

/// The place of an error in a JSON body, as a JSON pointer.
fn body_location(rejection: &JsonRejection) -> Option<String> {
    let mut cause = std::error::Error::source(rejection);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<serde_path_to_error::Error<serde_json::Error>>() {
            return error.inner().is_data().then(|| json_pointer(error.path()));
        }
        cause = error.source();
    }
    None
}

/// A JSON pointer (RFC 6901).
fn json_pointer(path: &serde_path_to_error::Path) -> String {
    let segments = path.iter().filter_map(|segment| match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(detail(key).replace('~', "~0").replace('/', "~1")),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    segments.fold(String::new(), |pointer, segment| pointer + "/" + &segment)
}

/// An error of serde without the value that has the wrong type: it may be a password.
fn without_value(text: &str) -> String {
    for kind in ["string \"", "integer `", "floating point `", "boolean `", "character `"] {
        let start = text.find(&format!(": {kind}")).filter(|start| text[..*start].contains("invalid "));
        if let Some((start, end)) = start.zip(text.rfind(", expected ")).filter(|(start, end)| start < end) {
            let kind_end = start + 2 + kind.trim_end_matches([' ', '"', '`']).len();
            return format!("{}{}", &text[..kind_end], &text[end..]);
        }
    }
    text.to_owned()
}

/// Extracts the authenticated client, which the gateway has attached to the request.
impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let missing = || Problem::new(ProblemCode::Unauthenticated, "the request is not authenticated");
        parts.extensions.get::<Self>().cloned().ok_or_else(missing)
    }
}

/// Extracts a body that is UTF-8 text.
pub(crate) struct TextBody(pub(crate) String);

impl<S: Send + Sync> FromRequest<S> for TextBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let text = String::from_request(request, state).await;
        text.map(Self).map_err(|rejection| body_problem(rejection.status(), rejection.body_text()))
    }
}

/// Extracts a body of any type.
pub(crate) struct RawBody(pub(crate) Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let bytes = Bytes::from_request(request, state).await;
        bytes.map(Self).map_err(|rejection| body_problem(rejection.status(), rejection.body_text()))
    }
}

/// The problem for a body that could not be read.
fn body_problem(status: StatusCode, detail: String) -> Problem {
    let is_too_large = status == StatusCode::PAYLOAD_TOO_LARGE;
    Problem::new(if is_too_large { ProblemCode::ContentTooLarge } else { ProblemCode::BadRequest }, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_the_wrong_type_is_not_shown() {
        let check = |json: &str, expected: &str| {
            let error = serde_json::from_str::<std::collections::BTreeMap<String, u8>>(json).unwrap_err().to_string();
            let shown = without_value(&error);
            assert!(shown.starts_with(expected), "{shown}");
        };

        check(r#"{"a": "4711, expected 4712"}"#, "invalid type: string, expected u8 at line 1");
        check(r#"{"a": 4711}"#, "invalid value: integer, expected u8 at line 1");
        check(r#"{"a": 4.5}"#, "invalid type: floating point, expected u8 at line 1");
        check(r#"{"a": true}"#, "invalid type: boolean, expected u8 at line 1");
        check(r#"{"a": []}"#, "invalid type: sequence, expected u8 at line 1");
    }
}
