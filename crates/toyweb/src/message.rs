//! The messages between a client and a web: requests and responses.

use std::time::Duration;

use bytes::Bytes;

/// A web: maps requests to responses.
///
/// A response depends on the request alone, never on time or on earlier requests, with one exception: a transient fault
/// (a 503 for the first n requests) counts its requests.
pub trait Web: Send + Sync {
    /// Responds to one request.
    fn respond(&self, request: &WebRequest) -> WebResponse;

    /// Whether a response may take long enough to delay others. A server then computes it on a blocking thread.
    fn is_expensive(&self, _: &WebRequest) -> bool {
        false
    }
}

/// A request as a forward proxy receives it: with the absolute URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebRequest {
    /// `GET`, `HEAD`, …
    pub method: http::Method,
    /// Scheme, host, path and query. No fragment.
    pub url: url::Url,
    /// The header fields.
    pub headers: http::HeaderMap,
    /// The content, such as the query of a `POST`.
    pub body: Bytes,
}

impl WebRequest {
    /// A plain `GET` without header fields.
    ///
    /// # Panics
    /// When `url` is not an absolute URL.
    #[must_use]
    pub fn get(url: &str) -> Self {
        let url = url::Url::parse(url).expect("`url` is an absolute URL");
        Self { method: http::Method::GET, url, headers: http::HeaderMap::new(), body: Bytes::new() }
    }

    /// A `POST` of this content.
    ///
    /// # Panics
    /// When `url` is not an absolute URL, or `media_type` is not a legal field value.
    #[must_use]
    pub fn post(url: &str, media_type: &str, body: impl Into<Bytes>) -> Self {
        let request = Self::get(url).with_header(http::header::CONTENT_TYPE, media_type);
        Self { method: http::Method::POST, body: body.into(), ..request }
    }

    /// The same request with one more header field.
    ///
    /// # Panics
    /// When `value` is not a legal field value.
    #[must_use]
    pub fn with_header(mut self, name: http::HeaderName, value: &str) -> Self {
        self.headers.append(name, value.parse().expect("`value` is a legal field value"));
        self
    }
}

/// A response.
#[derive(Clone, Debug)]
pub struct WebResponse {
    /// The status code.
    pub status: http::StatusCode,
    /// The header fields, without `Content-Length` and `Date`, which the server adds.
    pub headers: http::HeaderMap,
    /// The content. In the response to a `HEAD` it is not sent, but determines `Content-Length`.
    pub body: WebBody,
    /// How the response is delivered.
    pub delivery: DeliveryFault,
}

/// The content of a response.
#[derive(Clone, Debug)]
pub enum WebBody {
    /// The complete content.
    Whole(Bytes),
    /// This block, repeated without end.
    Endless(Bytes),
    /// This block, repeated this many times; for bodies that are too large for memory.
    Repeated(Bytes, u64),
}

/// How a response is delivered: without a fault, or with a fault on the network. In process there is no network, and a
/// wrapper has to simulate these faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeliveryFault {
    /// The response is sent without a fault.
    #[default]
    Plain,
    /// The response is sent after this delay.
    Slow(Duration),
    /// The response is sent a few bytes at a time, with this interval between them.
    Dripping(Duration),
    /// The connection is closed before a byte is sent.
    Dropped,
    /// The connection is closed after half of the declared bytes.
    Truncated,
    /// The connection is closed after this many of the declared bytes.
    TruncatedAfter(u64),
    /// The response is complete, but the declared length is too small by this many bytes.
    UnderstatedLength(u32),
    /// Over TLS, the handshake fails; over plain HTTP, there is no fault.
    BrokenTls,
}
