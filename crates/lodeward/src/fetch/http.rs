//! The HTTP fetcher: the only module that sends a crawl's requests to the web.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ::http::Method;
use ::http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, USER_AGENT,
};
use async_trait::async_trait;
use reqwest::{Client, Request, Response};
use tokio::time::timeout;

use super::body::{Download, DownloadLimits};
use super::content_coding::ContentDecoder;
use super::proxy::Proxies;
use super::resolver::Resolver;
use super::response::{self, ResponseKind};
use super::resume::RangeResume;
use super::traffic::TrafficMeter;
use super::{
    FetchOptions, FetchOptionsError, FetchOutcome, FetchPurpose, FetchRequest, FetchResponse, Fetcher, ResponseBody,
    ResponseHead,
};
use super::{accept, address_guard, clock, http_client, http_faults, robots};
use crate::model::{AcceptProfile, Fault, FaultKind, FetchFailure, ProbeResult, Uri};
use lodeward_rdf::RdfFormat;
use lodeward_rdf::accept::rdf_accept_field;
use lodeward_rdf::media_type::essence;

/// Maximum size of the body of a failure or redirect that is read to its end, so that the connection can be reused. For
/// a larger body, closing the connection is cheaper.
const MAX_DRAIN_BYTES: usize = 64 * 1_024;
const MAX_DRAIN_TIME: Duration = Duration::from_secs(2);

/// Fetches over HTTP/1.1 and HTTP/2.
pub struct HttpFetcher {
    client: Client,
    resolver: Resolver,
    proxies: Proxies,
    harvest_headers: HeaderMap,
    robots_headers: HeaderMap,
    /// Header fields of the requests of a step, one set per [`AcceptProfile`]: SPARQL results, JSON, XML.
    step_headers: [HeaderMap; 3],
    options: FetchOptions,
    resumptions: Arc<AtomicU64>,
    traffic: Arc<TrafficMeter>,
}

impl HttpFetcher {
    /// Creates a fetcher with these options. No runtime is needed to create it.
    pub fn new(options: FetchOptions) -> Result<Self, FetchOptionsError> {
        let proxies = Proxies::from_options(&options)?;
        let resolver = Resolver::new(&options, proxies.hosts());
        let client = http_client::builder(&options, &proxies, &resolver)?
            .pool_max_idle_per_host(1)
            .http1_ignore_invalid_headers_in_responses(true)
            .build();
        Ok(Self {
            client: client.map_err(|error| FetchOptionsError::Client(error.to_string()))?,
            resolver,
            proxies,
            harvest_headers: default_headers(&options, options.accept.as_deref().unwrap_or(rdf_accept_field()))?,
            robots_headers: default_headers(&options, accept::ACCEPT_ROBOTS)?,
            step_headers: [
                default_headers(&options, accept::ACCEPT_RESULTS)?,
                default_headers(&options, accept::ACCEPT_JSON)?,
                default_headers(&options, accept::ACCEPT_XML)?,
            ],
            traffic: Arc::new(TrafficMeter::new(options.max_bytes_per_second)),
            options,
            resumptions: Arc::default(),
        })
    }

    /// Returns an error if these URIs are requested through proxies and none of the proxies can be reached. Blocks.
    pub fn require_proxy(&self, uris: &[Uri]) -> Result<(), FetchOptionsError> {
        self.proxies.require_reachable(uris, &self.options)
    }

    /// Sends one request and waits for the head of the response.
    async fn send(&self, method: Method, request: FetchRequest<'_>, headers: &HeaderMap) -> FetchResponse<Response> {
        match self.execute(method, request, headers).await {
            Ok(response) => {
                let head = ResponseHead::capture(request.head_detail, response.status(), response.headers());
                FetchResponse { head, result: self.check_header_size(response) }
            }
            Err(failure) => Err(failure).into(),
        }
    }

    async fn execute(
        &self,
        method: Method,
        FetchRequest { uri, permit, .. }: FetchRequest<'_>,
        headers: &HeaderMap,
    ) -> Result<Response, FetchFailure> {
        self.locate(uri).await?;
        if permit.is_some_and(|permit| !permit.is_valid()) {
            let fault = Fault::new(FaultKind::Timeout, "the permit to send requests has expired");
            return Err(FetchFailure { fault, status: None, retry_after_s: None, sent: false });
        }
        let mut request = Request::new(method, uri.to_url());
        request.headers_mut().clone_from(headers);
        let time = self.head_timeout();
        let fault = match timeout(time, self.client.execute(request)).await {
            Ok(Ok(response)) => return Ok(response),
            Ok(Err(error)) => {
                if error.is_connect() {
                    self.resolver.report_unreachable(uri.host());
                }
                http_faults::classify(&error)
            }
            Err(_) => Fault::new(FaultKind::Timeout, format!("no response within {time:?}")),
        };
        let sent = !fault.kind.is_before_request();
        Err(FetchFailure { fault, status: None, retry_after_s: None, sent })
    }

    /// The timeout for the head of a response: the read timeout, bounded by the document timeout.
    fn head_timeout(&self) -> Duration {
        let time = self.options.connect_timeout_ms + self.options.read_timeout_ms;
        Duration::from_millis(time.min(self.options.document_timeout_ms))
    }

    fn check_header_size(&self, response: Response) -> Result<Response, FetchFailure> {
        let size: usize = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        if size <= self.options.max_header_bytes {
            return Ok(response);
        }
        let fault = Fault::new(FaultKind::TooLarge, format!("header of {size} bytes is too large"));
        Err(FetchFailure { fault, status: Some(response.status().as_u16()), retry_after_s: None, sent: true })
    }

    /// The header fields of a request.
    fn request_headers(&self, request: FetchRequest<'_>) -> Cow<'_, HeaderMap> {
        let [results, json, xml] = &self.step_headers;
        let headers = match request.purpose {
            FetchPurpose::Harvest | FetchPurpose::Step(AcceptProfile::Document) => &self.harvest_headers,
            FetchPurpose::Robots => &self.robots_headers,
            FetchPurpose::Step(AcceptProfile::SparqlResults) => results,
            FetchPurpose::Step(AcceptProfile::Json) => json,
            FetchPurpose::Step(AcceptProfile::Xml) => xml,
        };
        let Some(validators) = request.validators else { return Cow::Borrowed(headers) };
        let mut headers = headers.clone();
        let fields = [(IF_NONE_MATCH, &validators.etag), (IF_MODIFIED_SINCE, &validators.last_modified)];
        for (name, value) in fields {
            if let Some(Ok(value)) = value.as_deref().map(HeaderValue::from_str) {
                headers.insert(name, value);
            }
        }
        Cow::Owned(headers)
    }

    async fn receive(&self, request: FetchRequest<'_>, response: Response) -> FetchOutcome {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = match ContentDecoder::from_headers(&headers) {
            Ok(decoder) => {
                let limits = self.limits(request, &response);
                let is_resumed = request.purpose == FetchPurpose::Harvest;
                let resumption = is_resumed.then(|| self.range_resume(request, &response)).flatten();
                let download = Download::new(response, decoder, limits).with_traffic(&self.traffic);
                download.with_resume(resumption).receive().await
            }
            Err(fault) => ResponseBody::Buffered { bytes: bytes::Bytes::new(), truncation: Some(fault) },
        };
        FetchOutcome::Representation(Box::new(response::representation(request.uri, status, &headers, body)))
    }

    /// How to resume the body of this response, if that is possible. The rest is requested without conditions, because
    /// it is needed even if the document is unchanged.
    fn range_resume(&self, request: FetchRequest<'_>, response: &Response) -> Option<RangeResume> {
        let wait = Duration::from_millis(self.options.resume_delay_ms).max(request.resume_delay);
        let times = [wait, self.head_timeout()];
        let resume =
            RangeResume::for_response(&self.client, &self.harvest_headers, response, times, &self.resumptions)?;
        Some(resume.with_permit(request.permit.cloned()))
    }

    fn limits(&self, request: FetchRequest<'_>, response: &Response) -> DownloadLimits {
        let options = &self.options;
        let (max_bytes, milliseconds) = match request.purpose {
            FetchPurpose::Robots => (robots::MAX_ROBOTS_BYTES as u64, options.document_timeout_ms),
            FetchPurpose::Harvest if is_dump(request.uri, response) => {
                (options.max_dump_bytes, options.dump_timeout_ms)
            }
            FetchPurpose::Harvest | FetchPurpose::Step(_) => (options.max_body_bytes, options.document_timeout_ms),
        };
        DownloadLimits {
            max_memory_bytes: if request.purpose == FetchPurpose::Robots {
                robots::MAX_ROBOTS_BYTES
            } else {
                options.max_memory_bytes
            },
            max_bytes,
            max_ratio: options.max_decompression_ratio,
            read_timeout: Duration::from_millis(options.read_timeout_ms),
            total_timeout: Duration::from_millis(milliseconds),
        }
    }
}

#[async_trait]
impl Fetcher for HttpFetcher {
    async fn locate(&self, uri: &Uri) -> Result<Option<IpAddr>, FetchFailure> {
        let refuse = |fault| FetchFailure { fault, status: None, retry_after_s: None, sent: false };
        if self.proxies.applies_to(uri) {
            let checked =
                if self.options.allow_private_addresses { Ok(()) } else { address_guard::check_name(uri.host()) };
            return checked.map(|()| None).map_err(refuse);
        }
        self.resolver.locate(uri.host()).await.map(Some).map_err(|error| refuse(Fault::from(error)))
    }

    async fn probe(&self, request: FetchRequest<'_>) -> FetchResponse<ProbeResult> {
        let FetchResponse { head, result } = self.send(Method::HEAD, request, &self.harvest_headers).await;
        let probe = |response: Response| {
            response::probe_result(response.url(), response.status(), response.headers(), clock::now_ms)
        };
        FetchResponse { head, result: result.and_then(probe) }
    }

    fn resumptions(&self) -> u64 {
        self.resumptions.load(Ordering::Relaxed)
    }

    fn received_bytes(&self) -> u64 {
        self.traffic.received_bytes()
    }

    async fn fetch(&self, request: FetchRequest<'_>) -> FetchResponse {
        let FetchResponse { head, result } = self.send(Method::GET, request, &self.request_headers(request)).await;
        let response = match result {
            Ok(response) => response,
            Err(failure) => return FetchResponse { head, result: Err(failure) },
        };
        let status = response.status();
        let is_conditional = request.validators.is_some();
        let headers = response.headers();
        let result = match response::response_kind(response.url(), status, headers, is_conditional, clock::now_ms) {
            ResponseKind::Document => Ok(self.receive(request, response).await),
            ResponseKind::Unchanged => {
                drain(response).await;
                Ok(FetchOutcome::Unchanged)
            }
            ResponseKind::Redirect { target, retry_after_s } => {
                drain(response).await;
                Ok(FetchOutcome::Redirect { status: status.as_u16(), target, retry_after_s })
            }
            ResponseKind::Failure(failure) => {
                drain(response).await;
                Err(failure)
            }
        };
        FetchResponse { head, result }
    }
}

fn default_headers(options: &FetchOptions, accept: &str) -> Result<HeaderMap, FetchOptionsError> {
    let value = |text: &str| HeaderValue::from_str(text).map_err(|_| FetchOptionsError::HeaderValue(text.to_owned()));
    Ok(HeaderMap::from_iter([
        (USER_AGENT, value(&options.user_agent())?),
        (ACCEPT, value(accept)?),
        (ACCEPT_ENCODING, HeaderValue::from_static(accept::ACCEPT_ENCODING)),
    ]))
}

/// Whether a response is declared as a dump: an archive, or RDF with a `Content-Length` in a format that can be read as
/// a stream. An endless stream has no length and is truncated like any document.
fn is_dump(uri: &Uri, response: &Response) -> bool {
    const ARCHIVE_EXTENSIONS: &[&str] =
        &["gz", "tgz", "bz2", "tbz", "tbz2", "zst", "tzst", "xz", "txz", "br", "zip", "tar"];
    const ARCHIVE_TYPES: &[&str] = &[
        "application/gzip",
        "application/x-gzip",
        "application/x-gzip-compressed",
        "application/x-compressed-tar",
        "application/x-bzip",
        "application/x-bzip2",
        "application/x-bzip-compressed-tar",
        "application/x-bzip2-compressed-tar",
        "application/zstd",
        "application/x-zstd",
        "application/x-xz",
        "application/x-xz-compressed-tar",
        "application/x-brotli",
        "application/zip",
        "application/x-zip",
        "application/x-zip-compressed",
        "application/x-tar",
        "application/x-gtar",
        "application/tar",
    ];
    let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = essence(media_type).to_ascii_lowercase();
    if ARCHIVE_TYPES.contains(&&*essence) {
        return true;
    }
    let extension = uri.extension();
    if extension.as_deref().is_some_and(|extension| ARCHIVE_EXTENSIONS.contains(&extension)) {
        return !essence.starts_with("text/html");
    }
    let syntax = RdfFormat::from_media_type(&essence).or_else(|| RdfFormat::from_extension(&extension?));
    response.content_length().is_some() && syntax.is_some_and(RdfFormat::is_streamed)
}

/// Reads the rest of a response, if it is small.
async fn drain(mut response: Response) {
    if response.content_length().is_some_and(|length| length > MAX_DRAIN_BYTES as u64) {
        return;
    }
    let rest = async {
        let mut drained = 0;
        while let Ok(Some(chunk)) = response.chunk().await {
            drained += chunk.len();
            if drained > MAX_DRAIN_BYTES {
                break;
            }
        }
    };
    let _ = timeout(MAX_DRAIN_TIME, rest).await;
}
