//! One URI in, one representation out.
//!
//! A fetcher makes exactly one request and never follows a redirect by itself:
//! every URI must pass robots, politeness, sieve and selector, and only the
//! conductor can see to that. What the web does wrong comes back as a
//! [`Fault`]; a fetcher has no other way to fail.

pub mod options;
pub mod negotiate;
pub mod guard;
pub mod resolver;
pub mod heard;
pub mod pace;
pub mod http;
pub mod robots;
pub mod retry;
pub mod warc;
pub mod service;

mod answer;
mod body;
mod classify;
mod client;
pub(crate) mod date;
pub(crate) mod decode;
pub(crate) mod local;
mod proxy;
mod resume;
mod tls;
mod windows;

use std::io::Read;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;

use serde::{Deserialize, Serialize};

use crate::discover::Wish;
use crate::model::{Fault, Probe, Uri};

pub use date::warc_date;
pub use http::HttpFetcher;
pub use options::{Options, OptionsError, ResolveRule};

/// Dereferences URIs.
#[async_trait]
pub trait Fetcher: Send + Sync {
    /// The address that would be asked for this URI, so that politeness can be
    /// kept per server as well as per domain. `Ok(None)` where that cannot be
    /// known: behind a proxy, or in a replay.
    async fn locate(&self, uri: &Uri) -> Result<Option<IpAddr>, Refusal>;

    /// Asks for the media type only (HTTP HEAD).
    async fn probe(&self, uri: &Uri) -> Result<Probe, Refusal>;

    /// Makes one GET request.
    async fn fetch(&self, uri: &Uri, purpose: Purpose<'_>) -> Result<Fetched, Refusal>;

    /// How many requests were made beyond those, to go on with bodies that had
    /// broken off. Before each, its server has rested ([`pace`]).
    fn resumptions(&self) -> u64 {
        0
    }
}

#[async_trait]
impl<F: Fetcher + ?Sized> Fetcher for Arc<F> {
    async fn locate(&self, uri: &Uri) -> Result<Option<IpAddr>, Refusal> {
        (**self).locate(uri).await
    }

    async fn probe(&self, uri: &Uri) -> Result<Probe, Refusal> {
        (**self).probe(uri).await
    }

    async fn fetch(&self, uri: &Uri, purpose: Purpose<'_>) -> Result<Fetched, Refusal> {
        (**self).fetch(uri, purpose).await
    }

    fn resumptions(&self) -> u64 {
        (**self).resumptions()
    }
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose<'a> {
    /// The best RDF representation: negotiated, streamed when large.
    Harvest,
    /// The same, unless it is still as these say.
    Again(&'a Validators),
    /// A step of the harvest of a service.
    Step(Wish),
    /// A robots.txt: plain text, at most 500 KiB of it.
    Robots,
}

/// How a server knows a representation again (RFC 9110, 8.8).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The `ETag` field.
    pub etag: Option<String>,
    /// The `Last-Modified` field.
    pub last_modified: Option<String>,
}

/// What came back.
#[derive(Debug)]
pub enum Fetched {
    /// A representation (status 200, or 203).
    Representation(Box<Representation>),
    /// Look elsewhere (301, 302, 303, 307, 308; 300 with a `Location`).
    Redirect {
        /// The status code.
        status: u16,
        /// The `Location`, resolved; or why it cannot be followed.
        target: Result<Uri, Fault>,
    },
    /// It is still as the validators say (304).
    Unchanged,
}

/// A document, as its server sent it.
#[derive(Debug)]
pub struct Representation {
    /// Where it was found.
    pub uri: Uri,
    /// The status code: 200, or 203.
    pub status: u16,
    /// The `Content-Type` field, as declared: often missing, often wrong.
    pub content_type: Option<String>,
    /// The `ETag` field.
    pub etag: Option<String>,
    /// The `Last-Modified` field.
    pub last_modified: Option<String>,
    /// The `Link` fields, unparsed.
    pub links: Vec<String>,
    /// Its bytes.
    pub body: Body,
}

/// The bytes of a representation, decompressed.
pub enum Body {
    /// All of them, or all that came before `cut`.
    Whole {
        /// The bytes.
        bytes: Bytes,
        /// Why there are no more, if there should have been.
        cut: Option<Fault>,
    },
    /// Too many to hold: they are read while they arrive, on a blocking
    /// thread. A body that is cut ends in an [`std::io::Error`] whose inner
    /// error is a [`CutShort`].
    Stream(Box<dyn Read + Send>),
}

impl std::fmt::Debug for Body {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole { bytes, cut } => write!(formatter, "{} bytes, cut: {cut:?}", bytes.len()),
            Self::Stream(_) => formatter.write_str("a stream"),
        }
    }
}

/// The fault that cut a streamed body short, carried through [`Read`].
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct CutShort(pub Fault);

/// Why a request brought nothing, and what to make of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct Refusal {
    /// What went wrong.
    pub fault: Fault,
    /// The status code, when there was an answer.
    pub status: Option<u16>,
    /// How long the server asks to be left alone (`Retry-After`), in seconds.
    pub retry_after_s: Option<u64>,
    /// Whether a request was sent: a name that does not resolve costs the
    /// server nothing, and its slot is given back.
    pub sent: bool,
}
