//! What handlers take from requests, with problems for what they cannot take.

mod pairs;
mod parts;
mod tree;
mod wrong;

use axum::body::Bytes;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use http::StatusCode;
use http::request::Parts;
use serde::de::DeserializeOwned;

pub(crate) use self::pairs::read_form;
use self::tree::Tree;

use crate::problem::{Code, Problem};
use crate::role::Caller;

/// A JSON body.
pub(crate) struct Json<T>(pub(crate) T);

/// The query of an address.
pub(crate) struct Query<T>(pub(crate) T);

/// The variable parts of a path.
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let axum::Json(tree) = axum::Json::<Tree>::from_request(request, state).await?;
        T::deserialize(tree).map(Self).map_err(|wrong| Problem::new(Code::Invalid, wrong.to_string()))
    }
}

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        read_form(query.as_bytes()).map(Self).map_err(|wrong| Problem::new(Code::BadRequest, wrong.to_string()))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        // A path that does not fit names nothing.
        let nothing = |detail| Problem::new(Code::NotFound, detail);
        let raw = RawPathParams::from_request_parts(parts, state).await;
        let raw = raw.map_err(|rejection| nothing(rejection.body_text()))?;
        let pairs = raw.iter().map(|(name, text)| (name.to_owned(), text.to_owned()));
        pairs::read(pairs).map(Self).map_err(|wrong| nothing(wrong.to_string()))
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        let code = match rejection.status() {
            StatusCode::UNPROCESSABLE_ENTITY => Code::Invalid,
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Code::UnsupportedMediaType,
            StatusCode::PAYLOAD_TOO_LARGE => Code::TooLarge,
            _ => Code::BadRequest,
        };
        Self::new(code, rejection.body_text())
    }
}

/// Who asks: the door has said so.
impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let missing = || Problem::new(Code::Unauthenticated, "nobody knows who asks");
        parts.extensions.get::<Self>().cloned().ok_or_else(missing)
    }
}

/// A body that is text.
pub(crate) struct Text(pub(crate) String);

impl<S: Send + Sync> FromRequest<S> for Text {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let text = String::from_request(request, state).await;
        text.map(Self).map_err(|rejection| unread(rejection.status(), rejection.body_text()))
    }
}

/// A body, whatever it is.
pub(crate) struct Whatever(pub(crate) Bytes);

impl<S: Send + Sync> FromRequest<S> for Whatever {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let bytes = Bytes::from_request(request, state).await;
        bytes.map(Self).map_err(|rejection| unread(rejection.status(), rejection.body_text()))
    }
}

/// A body could not be read.
fn unread(status: StatusCode, why: String) -> Problem {
    let is_too_large = status == StatusCode::PAYLOAD_TOO_LARGE;
    Problem::new(if is_too_large { Code::TooLarge } else { Code::BadRequest }, why)
}
