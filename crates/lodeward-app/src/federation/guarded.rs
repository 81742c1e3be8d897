//! Executes `SERVICE` and `LOAD`: requests caused by a query.
//!
//! The author of a query chooses the URLs, so every IP address passes the guard, at each redirect too. The request
//! contains nothing that identifies the user, and the response is bounded in size and time.

use std::io::{Cursor, Read};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use lodeward_archive::sparql::{ServiceCallError, ServiceCallResponse, ServiceHandler};

use lodeward::fetch::sparql_client::{SparqlClient, SparqlRequest, SparqlRequestBody, SparqlResponse, error_excerpt};
use lodeward::fetch::{FetchOptions, FetchOptionsError, ResponseBody};
use lodeward::model::{Fault, FaultKind, StreamFault, Uri};

const ACCEPT_RESULTS: &str = "application/sparql-results+json, application/sparql-results+xml;q=0.9, \
                              text/tab-separated-values;q=0.6, text/csv;q=0.3";
const ACCEPT_RDF: &str = "text/turtle, application/n-triples, application/rdf+xml;q=0.9, application/trig;q=0.8, \
                          application/n-quads;q=0.8";
/// The limits of `SERVICE` and `LOAD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FederationOptions {
    /// Whether private IP addresses are allowed.
    pub allow_private_addresses: bool,
    /// Timeout for one request, including its response.
    pub timeout: Duration,
    /// Maximum size of a response, after decompression.
    pub max_bytes: u64,
    /// Maximum number of redirects.
    pub max_redirects: u8,
}

impl Default for FederationOptions {
    fn default() -> Self {
        Self {
            allow_private_addresses: false,
            timeout: Duration::from_mins(1),
            max_bytes: 100_000_000,
            max_redirects: 5,
        }
    }
}

/// Why a request to a service failed.
#[derive(Debug, thiserror::Error)]
enum FederationError {
    #[error("{0}")]
    Address(#[from] lodeward::model::UriError),
    #[error("{0}; use --allow-private if you trust the query")]
    Private(String),
    #[error("{0}")]
    Fault(Fault),
    #[error("service returned {status}{body}; retry later{}", .wait.map(format_retry_wait).unwrap_or_default())]
    Busy { status: StatusCode, body: String, wait: Option<Duration> },
    #[error("service returned {status}{body}")]
    Status { status: StatusCode, body: String },
    #[error("more than {0} redirects")]
    Redirects(u8),
}

impl From<Fault> for FederationError {
    fn from(fault: Fault) -> Self {
        match fault.kind {
            FaultKind::ForbiddenAddress => Self::Private(fault.detail),
            _ => Self::Fault(fault),
        }
    }
}

/// Executes `SERVICE` and `LOAD` through the address guard.
pub struct GuardedFederation {
    client: SparqlClient,
    options: FederationOptions,
}

impl GuardedFederation {
    /// Uses the limits in `options`; user agent, proxies and certificates come from the fetcher.
    pub fn new(fetch: FetchOptions, options: FederationOptions) -> Result<Self, FetchOptionsError> {
        let fetch = FetchOptions { allow_private_addresses: options.allow_private_addresses, ..fetch };
        Ok(Self { client: SparqlClient::new(fetch)?, options })
    }

    fn request(
        &self,
        url: &str,
        mut body: Bytes,
        accept: &'static str,
    ) -> Result<ServiceCallResponse, FederationError> {
        let mut uri = Uri::parse(url)?;
        for _ in 0..=self.options.max_redirects {
            let reply = self.client.call(self.call(&uri, &body, accept))?;
            if !reply.status.is_redirection() {
                return check_response(reply);
            }
            // The method is preserved, as with 307 and 308: a 301 means that an endpoint moved. Only 303 changes it to
            // GET.
            if reply.status == StatusCode::SEE_OTHER {
                body = Bytes::new();
            }
            uri = reply.redirect_target(&uri)?;
        }
        Err(FederationError::Redirects(self.options.max_redirects))
    }

    fn call(&self, uri: &Uri, body: &Bytes, accept: &'static str) -> SparqlRequest {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if !body.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        }
        SparqlRequest {
            method: if body.is_empty() { Method::GET } else { Method::POST },
            uri: uri.clone(),
            headers,
            body: SparqlRequestBody::Buffered(body.clone()),
            timeout: self.options.timeout,
            max_response_bytes: self.options.max_bytes,
        }
    }
}

impl From<FederationError> for ServiceCallError {
    fn from(error: FederationError) -> Self {
        match error {
            FederationError::Private(_) => Self::forbidden(error.to_string()),
            error => Self(error.into()),
        }
    }
}

impl ServiceHandler for GuardedFederation {
    fn query(&self, endpoint: &str, query: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        // Sent as a form, because older endpoints support nothing else.
        let form = url::form_urlencoded::Serializer::new(String::new()).append_pair("query", query).finish();
        self.request(endpoint, form.into(), ACCEPT_RESULTS).map_err(ServiceCallError::from)
    }

    fn load(&self, url: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.request(url, Bytes::new(), ACCEPT_RDF).map_err(ServiceCallError::from)
    }
}

fn format_retry_wait(wait: Duration) -> String {
    format!(", after {} s", wait.as_secs())
}

fn check_response(reply: SparqlResponse) -> Result<ServiceCallResponse, FederationError> {
    if matches!(reply.status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return Err(FederationError::Busy {
            status: reply.status,
            body: error_excerpt(reply.body),
            wait: reply.retry_after,
        });
    }
    if !reply.status.is_success() {
        return Err(FederationError::Status { status: reply.status, body: error_excerpt(reply.body) });
    }
    let media_type = reply.media_type();
    let body: Box<dyn Read + Send> = match reply.body {
        ResponseBody::Buffered { bytes, truncation: None } => Box::new(Cursor::new(bytes)),
        // A truncated response must not be taken for a complete one.
        ResponseBody::Buffered { bytes, truncation: Some(fault) } => {
            Box::new(Cursor::new(bytes).chain(FaultReader(fault)))
        }
        ResponseBody::Stream(reader) => reader,
    };
    Ok(ServiceCallResponse { media_type, body })
}

/// A reader that fails with the fault that truncated the body.
struct FaultReader(Fault);

impl Read for FaultReader {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other(StreamFault(self.0.clone())))
    }
}
