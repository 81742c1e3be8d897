//! What is said between a visitor and the web in a box.

use std::time::Duration;

use bytes::Bytes;

/// A web: anything that answers requests.
///
/// An answer depends on the request alone, never on time or on earlier
/// requests, with one exception: a fault that passes (a 503 that lasts for the
/// first n requests) counts the requests it has seen.
pub trait Web: Send + Sync {
    /// Answers one request.
    fn respond(&self, request: &Request) -> Response;

    /// Whether an answer may take long enough to hold up others. A server
    /// then makes it on a thread that nobody waits for.
    fn is_laborious(&self, _: &Request) -> bool {
        false
    }
}

/// A request, as a forward proxy sees it: with the absolute URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `HEAD`, …
    pub method: http::Method,
    /// Scheme, host, path and query. No fragment.
    pub url: url::Url,
    /// The header fields.
    pub headers: http::HeaderMap,
    /// The content, such as the query of a `POST`.
    pub body: Bytes,
}

impl Request {
    /// A plain `GET` without header fields.
    ///
    /// # Panics
    /// When `url` is not an absolute URL.
    #[must_use]
    pub fn get(url: &str) -> Self {
        let url = url::Url::parse(url).expect("an absolute URL");
        Self { method: http::Method::GET, url, headers: http::HeaderMap::new(), body: Bytes::new() }
    }

    /// A `POST` of this content.
    ///
    /// # Panics
    /// When `url` is not an absolute URL, or `media_type` no legal field value.
    #[must_use]
    pub fn post(url: &str, media_type: &str, body: impl Into<Bytes>) -> Self {
        let request = Self::get(url).with(http::header::CONTENT_TYPE, media_type);
        Self { method: http::Method::POST, body: body.into(), ..request }
    }

    /// The same request with one more header field.
    ///
    /// # Panics
    /// When `value` is not a legal field value.
    #[must_use]
    pub fn with(mut self, name: http::HeaderName, value: &str) -> Self {
        self.headers.append(name, value.parse().expect("a legal field value"));
        self
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status line's code.
    pub status: http::StatusCode,
    /// The header fields, without `Content-Length` and `Date`, which whoever
    /// puts the answer on a wire adds.
    pub headers: http::HeaderMap,
    /// The content. Present also in the answer to a `HEAD`, so that its length
    /// can be told; not to be sent then.
    pub body: Body,
    /// How the answer is to be delivered.
    pub conduct: Conduct,
}

/// The content of an answer.
#[derive(Clone, Debug)]
pub enum Body {
    /// All of it.
    Whole(Bytes),
    /// This block, over and over, for ever.
    Endless(Bytes),
    /// This block so many times; for bodies better not held in memory.
    Repeated(Bytes, u64),
}

/// How an answer is delivered: the named ways in which servers misbehave on
/// the wire. Without a wire (in process) a wrapper must act them out itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conduct {
    /// As it should be.
    #[default]
    Plain,
    /// Only after this long.
    Slow(Duration),
    /// A few bytes at a time, with this long between them.
    Dripping(Duration),
    /// Not at all: the connection is closed without a byte.
    Dropped,
    /// Half of the announced bytes, then the connection is closed.
    Truncated,
    /// At most this many of the announced bytes, then the connection is closed.
    Cut(u64),
    /// Whole, but the announced length is too small by this many bytes.
    UnderstatedLength(u32),
    /// Over TLS, the handshake fails; over plain HTTP, as it should be.
    BrokenTls,
}
