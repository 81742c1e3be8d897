//! `SERVICE` and `LOAD`: what a query makes us ask others.
//!
//! Whoever writes a query decides where we knock, so every address passes the
//! guard, hop by hop when a service redirects; nothing is sent along that could
//! identify the user, and what comes back is bounded in size and time.

use std::io::{Cursor, Read};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use lodeward_archive::sparql::{Fetched, ServiceError, Services};

use super::super::{Body, CutShort, Options, OptionsError, answer};
use super::{Call, CallBody, Reply, ServiceClient};
use crate::model::{Fault, FaultKind, Uri};

const ACCEPT_RESULTS: &str = "application/sparql-results+json, application/sparql-results+xml;q=0.9, \
                              text/tab-separated-values;q=0.6, text/csv;q=0.3";
const ACCEPT_RDF: &str = "text/turtle, application/n-triples, application/rdf+xml;q=0.9, application/trig;q=0.8, \
                          application/n-quads;q=0.8";
/// Bytes of a refusal that are shown.
const REASON_BYTES_MAX: usize = 500;

/// The bounds of `SERVICE` and `LOAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceOptions {
    /// Whether private addresses may be asked.
    pub allow_private: bool,
    /// The longest time for one request, its answer included.
    pub time_max: Duration,
    /// The largest answer, after decompression.
    pub bytes_max: u64,
    /// The most redirects of one request.
    pub redirects_max: u8,
}

impl Default for ServiceOptions {
    fn default() -> Self {
        Self { allow_private: false, time_max: Duration::from_mins(1), bytes_max: 100_000_000, redirects_max: 5 }
    }
}

/// Why a service was of no help.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("{0}")]
    Address(#[from] crate::model::UriError),
    #[error("{0}; allow private addresses with --allow-private if you trust the query")]
    Private(String),
    #[error("{0}")]
    Fault(Fault),
    #[error("it answered {status}{said}; ask it again later{}", .wait.map(waited).unwrap_or_default())]
    Busy { status: StatusCode, said: String, wait: Option<Duration> },
    #[error("it answered {status}{said}")]
    Status { status: StatusCode, said: String },
    #[error("it redirects more than {0} times")]
    Redirects(u8),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        match fault.kind {
            FaultKind::Forbidden => Self::Private(fault.detail),
            _ => Self::Fault(fault),
        }
    }
}

/// Answers `SERVICE` and `LOAD` through the guard.
pub struct GuardedServices {
    client: ServiceClient,
    options: ServiceOptions,
}

impl GuardedServices {
    /// With the bounds of services; who we are, proxies and certificates are
    /// those of the fetcher.
    pub fn new(fetch: Options, options: ServiceOptions) -> Result<Self, OptionsError> {
        let fetch = Options { allow_private: options.allow_private, ..fetch };
        Ok(Self { client: ServiceClient::new(fetch)?, options })
    }

    fn ask(&self, address: &str, mut body: Bytes, accept: &'static str) -> Result<Fetched, Refused> {
        let mut uri = Uri::parse(address)?;
        for _ in 0..=self.options.redirects_max {
            let reply = self.client.call(self.call(&uri, &body, accept))?;
            if !reply.status.is_redirection() {
                return fetched(reply);
            }
            // The method stays, as with 307 and 308: a 301 is an endpoint that
            // moved, not a form that was filled in. Only 303 means the other.
            if reply.status == StatusCode::SEE_OTHER {
                body = Bytes::new();
            }
            uri = answer::target(&uri.to_url(), &reply.headers)?;
        }
        Err(Refused::Redirects(self.options.redirects_max))
    }

    fn call(&self, uri: &Uri, body: &Bytes, accept: &'static str) -> Call {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if !body.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        }
        Call {
            method: if body.is_empty() { Method::GET } else { Method::POST },
            uri: uri.clone(),
            headers,
            body: CallBody::Whole(body.clone()),
            time_max: self.options.time_max,
            answer_bytes_max: self.options.bytes_max,
        }
    }
}

impl From<Refused> for ServiceError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Private(_) => Self::forbidden(refused.to_string()),
            refused => Self(refused.into()),
        }
    }
}

impl Services for GuardedServices {
    fn query(&self, endpoint: &str, query: &str) -> Result<Fetched, ServiceError> {
        // As a form: older endpoints know nothing else.
        let form = url::form_urlencoded::Serializer::new(String::new()).append_pair("query", query).finish();
        self.ask(endpoint, form.into(), ACCEPT_RESULTS).map_err(ServiceError::from)
    }

    fn load(&self, url: &str) -> Result<Fetched, ServiceError> {
        self.ask(url, Bytes::new(), ACCEPT_RDF).map_err(ServiceError::from)
    }
}

fn waited(wait: Duration) -> String {
    format!(", in {} s as it says", wait.as_secs())
}

fn fetched(reply: Reply) -> Result<Fetched, Refused> {
    if matches!(reply.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return Err(Refused::Busy { status: reply.status, said: said(reply.body), wait: reply.retry_after });
    }
    if !reply.status.is_success() {
        return Err(Refused::Status { status: reply.status, said: said(reply.body) });
    }
    let media_type = answer::text(&reply.headers, &CONTENT_TYPE);
    let body: Box<dyn Read + Send> = match reply.body {
        Body::Whole { bytes, cut: None } => Box::new(Cursor::new(bytes)),
        // Half an answer must not pass for a whole one.
        Body::Whole { bytes, cut: Some(fault) } => Box::new(Cursor::new(bytes).chain(Cut(fault))),
        Body::Stream(reader) => reader,
    };
    Ok(Fetched { media_type, body })
}

/// The beginning of what a service said when it refused.
pub(crate) fn said(body: Body) -> String {
    let mut bytes = Vec::new();
    let read = match body {
        Body::Whole { bytes: whole, .. } => Cursor::new(whole).take(REASON_BYTES_MAX as u64).read_to_end(&mut bytes),
        Body::Stream(reader) => reader.take(REASON_BYTES_MAX as u64).read_to_end(&mut bytes),
    };
    let text = String::from_utf8_lossy(&bytes);
    match (read, text.split_whitespace().collect::<Vec<_>>().join(" ")) {
        (Ok(_), text) if !text.is_empty() => format!(": {text}"),
        _ => String::new(),
    }
}

/// Where a body was cut off.
struct Cut(Fault);

impl Read for Cut {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other(CutShort(self.0.clone())))
    }
}
