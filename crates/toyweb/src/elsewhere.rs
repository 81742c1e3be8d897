//! Answers where there is nothing to answer with.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::message::{Body, Conduct, Response};

/// What becomes of requests to hosts that a web does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Elsewhere {
    /// A 502, as a proxy gives that cannot reach the host.
    #[default]
    BadGateway,
    /// The connection is closed without a byte.
    Dropped,
}

impl Elsewhere {
    pub(crate) fn response(self) -> Response {
        let conduct = if self == Self::Dropped { Conduct::Dropped } else { Conduct::Plain };
        Response { conduct, ..bare(StatusCode::BAD_GATEWAY) }
    }
}

/// A status and its name, and no more.
pub(crate) fn bare(status: StatusCode) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    let body = Body::Whole(Bytes::from_static(status.canonical_reason().unwrap_or_default().as_bytes()));
    Response { status, headers, body, conduct: Conduct::Plain }
}
