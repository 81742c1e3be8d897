//! Responses without content: bare status codes, and the response for unknown hosts.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, StatusCode};

use crate::message::{DeliveryFault, WebBody, WebResponse};

/// The response to requests for hosts that a web does not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownHosts {
    /// A 502, as sent by a proxy that cannot reach the host.
    #[default]
    BadGateway,
    /// The connection is closed without a byte.
    Dropped,
}

impl UnknownHosts {
    pub(crate) fn response(self) -> WebResponse {
        let delivery = if self == Self::Dropped { DeliveryFault::Dropped } else { DeliveryFault::Plain };
        WebResponse { delivery, ..status_response(StatusCode::BAD_GATEWAY) }
    }
}

/// A response with this status, and its reason phrase as text.
pub(crate) fn status_response(status: StatusCode) -> WebResponse {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    let body = WebBody::Whole(Bytes::from_static(status.canonical_reason().unwrap_or_default().as_bytes()));
    WebResponse { status, headers, body, delivery: DeliveryFault::Plain }
}
