//! Fetches representations: one URI per call.
//!
//! A fetcher requests only the given URI and never follows a redirect itself: every URI must pass robots.txt,
//! politeness, sieve and strategy, and only the conductor can check these. It sends one request; only if the body is
//! interrupted, range requests may fetch the rest. Failures of the web are returned as a [`Fault`]; a fetcher has no
//! other errors.

pub mod options;
mod accept;
pub mod address_guard;
pub(crate) mod resolver;
pub mod request;
pub(crate) mod response_head;
pub mod http;
pub mod robots;
pub(crate) mod retry;
pub mod warc;
pub mod sparql_client;

mod response;
mod body;
mod traffic;
mod http_faults;
mod http_client;
pub(crate) mod content_coding;
mod proxy;
mod clock;
mod resume;
mod tls;
mod decoder_memory;

use std::io::Read;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use crate::model::{Fault, FetchFacts, FetchFailure, ProbeResult, Uri};

pub use http::HttpFetcher;
pub use options::{FetchOptions, FetchOptionsError, ResolveRule};
pub use request::{FetchPurpose, FetchRequest, SendPermit};
pub use response_head::{HeadDetail, ResponseHead};

/// Dereferences URIs.
#[async_trait]
pub trait Fetcher: Send + Sync {
    /// The IP address that requests for this URI connect to, so that politeness applies per server as well as per
    /// domain. `Ok(None)` where it is unknown: behind a proxy, or in a replay.
    async fn locate(&self, uri: &Uri) -> Result<Option<IpAddr>, FetchFailure>;

    /// Requests the media type only (HTTP HEAD).
    async fn probe(&self, request: FetchRequest<'_>) -> FetchResponse<ProbeResult>;

    /// Requests a representation (HTTP GET).
    async fn fetch(&self, request: FetchRequest<'_>) -> FetchResponse;

    /// Number of additional requests sent to resume interrupted bodies. Before each one, the fetcher waits for
    /// [`FetchRequest::resume_delay`].
    fn resumptions(&self) -> u64 {
        0
    }

    /// Number of bytes of bodies received, before decompression.
    fn received_bytes(&self) -> u64 {
        0
    }
}

#[async_trait]
impl<F: Fetcher + ?Sized> Fetcher for Arc<F> {
    async fn locate(&self, uri: &Uri) -> Result<Option<IpAddr>, FetchFailure> {
        (**self).locate(uri).await
    }

    async fn probe(&self, request: FetchRequest<'_>) -> FetchResponse<ProbeResult> {
        (**self).probe(request).await
    }

    async fn fetch(&self, request: FetchRequest<'_>) -> FetchResponse {
        (**self).fetch(request).await
    }

    fn resumptions(&self) -> u64 {
        (**self).resumptions()
    }

    fn received_bytes(&self) -> u64 {
        (**self).received_bytes()
    }
}

/// The response to a [`FetchRequest`].
#[derive(Debug)]
pub struct FetchResponse<T = FetchOutcome> {
    /// The head of the response, if it was requested and there was a response.
    pub head: Option<Box<ResponseHead>>,
    /// What the response means, or why there is none.
    pub result: Result<T, FetchFailure>,
}

/// A response without its head.
impl<T> From<Result<T, FetchFailure>> for FetchResponse<T> {
    fn from(result: Result<T, FetchFailure>) -> Self {
        Self { head: None, result }
    }
}

/// A successful response.
#[derive(Debug)]
pub enum FetchOutcome {
    /// A representation (status 200, or 203).
    Representation(Box<Representation>),
    /// A redirect (301, 302, 303, 307, 308; 300 with a `Location`).
    Redirect {
        /// The status code.
        status: u16,
        /// The `Location`, resolved; or why it cannot be followed.
        target: Result<Uri, Fault>,
        /// The `Retry-After`: how long to wait before the target is requested.
        retry_after_s: Option<u64>,
    },
    /// The representation still matches the validators (304).
    Unchanged,
}

/// A document as sent by its server.
#[derive(Debug)]
pub struct Representation {
    /// The URI that the document was fetched from.
    pub uri: Uri,
    /// The facts of the response, as far as its head has them.
    pub fetch: FetchFacts,
    /// The `Link` fields, unparsed.
    pub links: Vec<String>,
    /// The `X-Robots-Tag` fields, unparsed.
    pub robots_tags: Vec<String>,
    /// The body.
    pub body: ResponseBody,
}

impl Representation {
    /// A representation with status 200 and without other header fields than `Content-Type`.
    #[must_use]
    pub fn new(uri: Uri, declared_media_type: Option<String>, body: ResponseBody) -> Self {
        let fetch = FetchFacts { status: 200, declared_media_type, ..FetchFacts::default() };
        Self { uri, fetch, links: Vec::new(), robots_tags: Vec::new(), body }
    }
}

/// The body of a representation, decompressed.
pub enum ResponseBody {
    /// Buffered in memory, possibly truncated.
    Buffered {
        /// The bytes.
        bytes: Bytes,
        /// The fault that truncated the body, if it is incomplete.
        truncation: Option<Fault>,
    },
    /// Too large to buffer: read on a blocking thread while it arrives. A truncated body ends in an [`std::io::Error`]
    /// whose inner error is a [`StreamFault`](crate::model::StreamFault).
    Stream(Box<dyn Read + Send>),
}

impl std::fmt::Debug for ResponseBody {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Buffered { bytes, truncation } => {
                write!(formatter, "{} bytes, truncation: {truncation:?}", bytes.len())
            }
            Self::Stream(_) => formatter.write_str("a stream"),
        }
    }
}
