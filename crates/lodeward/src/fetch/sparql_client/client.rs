//! A blocking HTTP client for services, on its own runtime.

use std::io::{Cursor, Read};
use std::sync::mpsc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use http::{Method, StatusCode};
use reqwest::{Client, Request};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::super::body::{Download, DownloadLimits};
use super::super::content_coding::ContentDecoder;
use super::super::proxy::Proxies;
use super::super::resolver::Resolver;
use super::super::{
    FetchOptions, FetchOptionsError, ResponseBody, accept, address_guard, clock, http_client, http_faults, response,
};
use super::upload::BodyUpload;
use crate::model::{Fault, FaultKind, Uri};

/// Maximum number of bytes quoted from an error response.
const MAX_REASON_BYTES: usize = 500;

/// Sends requests to services.
///
/// It has its own runtime with one thread: callers have no runtime, or one whose threads must not block.
pub struct SparqlClient {
    client: Client,
    resolver: Resolver,
    proxies: Proxies,
    options: FetchOptions,
    user_agent: HeaderValue,
    /// `None` only while the client is being dropped.
    runtime: Option<Runtime>,
}

/// A request to a service.
pub struct SparqlRequest {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub method: Method,
    /// The URL of the service.
    pub uri: Uri,
    /// Additional header fields of this request.
    pub headers: HeaderMap,
    /// The body.
    pub body: SparqlRequestBody,
    /// Timeout for the head of the response.
    pub timeout: Duration,
    /// Maximum size of the response body.
    pub max_response_bytes: u64,
}

/// The body of a request.
pub enum SparqlRequestBody {
    /// Buffered in memory; may be empty.
    Buffered(Bytes),
    /// Read while it is sent.
    Stream(Box<dyn Read + Send>),
}

/// A response with any status.
#[derive(Debug)]
pub struct SparqlResponse {
    /// The status.
    pub status: StatusCode,
    /// The header fields.
    pub headers: HeaderMap,
    /// The `Retry-After` of the service.
    pub retry_after: Option<Duration>,
    /// The body; buffered if it is small.
    pub body: ResponseBody,
}

impl SparqlResponse {
    /// The target of a redirect; `from` is the URI that was requested.
    pub fn redirect_target(&self, from: &Uri) -> Result<Uri, Fault> {
        response::redirect_target(&from.to_url(), &self.headers)
    }

    /// The media type, with its parameters.
    #[must_use]
    pub fn media_type(&self) -> Option<String> {
        response::header_text(&self.headers, &CONTENT_TYPE)
    }
}

/// The beginning of the body of an error response.
#[must_use]
pub fn error_excerpt(body: ResponseBody) -> String {
    let mut bytes = Vec::new();
    let read = match body {
        ResponseBody::Buffered { bytes: whole, .. } => {
            Cursor::new(whole).take(MAX_REASON_BYTES as u64).read_to_end(&mut bytes)
        }
        ResponseBody::Stream(reader) => reader.take(MAX_REASON_BYTES as u64).read_to_end(&mut bytes),
    };
    let text = String::from_utf8_lossy(&bytes);
    match (read, text.split_whitespace().collect::<Vec<_>>().join(" ")) {
        (Ok(_), text) if !text.is_empty() => format!(": {text}"),
        _ => String::new(),
    }
}

impl SparqlClient {
    /// A client with the options of a fetcher: user agent, certificates, allowed IP addresses.
    pub fn new(options: FetchOptions) -> Result<Self, FetchOptionsError> {
        let proxies = Proxies::from_options(&options)?;
        let resolver = Resolver::new(&options, proxies.hosts());
        let failed = |error: &dyn std::fmt::Display| FetchOptionsError::Client(error.to_string());
        let builder = http_client::builder(&options, &proxies, &resolver)?.pool_max_idle_per_host(2);
        let client = builder.build().map_err(|error| failed(&error))?;
        let user_agent = options.user_agent();
        let user_agent = HeaderValue::from_str(&user_agent).map_err(|_| FetchOptionsError::HeaderValue(user_agent))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("services")
            .enable_all()
            .build()
            .map_err(|error| failed(&error))?;
        Ok(Self { client, resolver, proxies, options, user_agent, runtime: Some(runtime) })
    }

    /// Sends a request and waits for the response.
    pub fn call(&self, call: SparqlRequest) -> Result<SparqlResponse, Fault> {
        let shut_down = || Fault::new(FaultKind::Protocol, "the client has been shut down");
        let runtime = self.runtime.as_ref().ok_or_else(shut_down)?;
        let proxied = self.proxies.applies_to(&call.uri);
        if proxied && !self.options.allow_private_addresses {
            address_guard::check_name(call.uri.host())?;
        }
        let (sender, receiver) = mpsc::sync_channel(1);
        let exchange = SparqlExchange {
            client: self.client.clone(),
            resolver: (!proxied).then(|| self.resolver.clone()),
            limits: self.limits(&call),
            user_agent: self.user_agent.clone(),
        };
        // The request is spawned as a task, because `block_on` panics if the caller is on a thread of a runtime.
        let task = runtime.spawn(async move {
            let _ = sender.send(exchange.run(call).await);
        });
        let outcome = receiver.recv().map_err(|_| shut_down());
        drop(task);
        outcome?
    }

    fn limits(&self, call: &SparqlRequest) -> DownloadLimits {
        DownloadLimits {
            max_memory_bytes: self.options.max_memory_bytes,
            max_bytes: call.max_response_bytes,
            max_ratio: self.options.max_decompression_ratio,
            read_timeout: Duration::from_millis(self.options.read_timeout_ms),
            total_timeout: call.timeout,
        }
    }
}

impl Drop for SparqlClient {
    /// Shuts the runtime down without waiting, so that a client may be dropped on any thread.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The parts of a client that one request needs.
struct SparqlExchange {
    client: Client,
    /// Checks the address of the host before the request; `None` behind a proxy, which resolves names itself.
    resolver: Option<Resolver>,
    limits: DownloadLimits,
    user_agent: HeaderValue,
}

impl SparqlExchange {
    async fn run(self, call: SparqlRequest) -> Result<SparqlResponse, Fault> {
        if let Some(resolver) = &self.resolver {
            resolver.locate(call.uri.host()).await?;
        }
        let mut request = Request::new(call.method, call.uri.to_url());
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, self.user_agent);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accept::ACCEPT_ENCODING));
        headers.extend(call.headers);
        *request.body_mut() = match call.body {
            SparqlRequestBody::Buffered(bytes) if bytes.is_empty() => None,
            SparqlRequestBody::Buffered(bytes) => Some(bytes.into()),
            SparqlRequestBody::Stream(reader) => Some(reqwest::Body::wrap(BodyUpload::start(reader))),
        };
        let response = match timeout(call.timeout, self.client.execute(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                if let Some(resolver) = self.resolver.filter(|_| error.is_connect()) {
                    resolver.report_unreachable(call.uri.host());
                }
                return Err(http_faults::classify(&error));
            }
            Err(_) => {
                return Err(Fault::new(FaultKind::Timeout, format!("no response within {:?}", call.timeout)));
            }
        };
        let (status, headers) = (response.status(), response.headers().clone());
        let body = Download::new(response, ContentDecoder::from_headers(&headers)?, self.limits).receive().await;
        let retry_after = response::retry_after_s(&headers, clock::now_ms).map(Duration::from_secs);
        Ok(SparqlResponse { status, headers, retry_after, body })
    }
}
