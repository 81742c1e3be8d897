//! A fetcher for a toyweb: no sockets, no real time.
//!
//! Every request takes some virtual time, and delivery faults are simulated as a client would see them. Requests are
//! logged as by a server.

#![expect(clippy::disallowed_methods, reason = "a server has its own clock")]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use lodeward::fetch::{
    FetchOutcome, FetchPurpose, FetchRequest, FetchResponse, Fetcher, Representation, ResponseBody, ResponseHead,
};
use lodeward::model::{AcceptProfile, Fault, FaultKind, FetchFailure, ProbeResult, Uri, Validators};
use lodeward_rdf::accept::rdf_accept_field;
use tokio::time::{Instant, sleep, timeout};
use toyweb::access_log::AccessLogEntry;
use toyweb::{DeliveryFault, Web, WebRequest, WebResponse};

const LATENCY: Duration = Duration::from_millis(20);
const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BODY_BYTES: usize = 1 << 20;

pub(crate) struct InProcessFetcher {
    web: Arc<dyn Web>,
    started_at: Instant,
    /// The IP address of a host, if hosts share addresses.
    addresses: Option<fn(&str) -> IpAddr>,
    resumptions: AtomicU64,
    received: AtomicU64,
    pub(crate) log: Mutex<Vec<AccessLogEntry>>,
}

impl InProcessFetcher {
    pub(crate) fn new(web: Arc<dyn Web>) -> Self {
        Self {
            web,
            started_at: Instant::now(),
            addresses: None,
            resumptions: AtomicU64::new(0),
            received: AtomicU64::new(0),
            log: Mutex::default(),
        }
    }

    pub(crate) fn with_addresses(mut self, addresses: fn(&str) -> IpAddr) -> Self {
        self.addresses = Some(addresses);
        self
    }

    fn micros(&self) -> u64 {
        u64::try_from(self.started_at.elapsed().as_micros()).unwrap()
    }

    async fn send(&self, method: http::Method, request: FetchRequest<'_>) -> FetchResponse<WebResponse> {
        let mut web_request = with_headers(WebRequest::get(request.uri.as_str()), request);
        web_request.method = method;
        let start_us = self.micros();
        let response = self.web.respond(&web_request);
        let head = ResponseHead::capture(request.head_detail, response.status, &response.headers);
        let delivered = timeout(TIMEOUT, self.deliver(&response)).await;
        let (status, result) = match delivered {
            Err(_) => (0, Err(failure(FaultKind::Timeout, None))),
            Ok(Err(failure)) => (0, Err(failure)),
            Ok(Ok(())) => (response.status.as_u16(), Ok(response)),
        };
        self.log_request(start_us, &web_request.method, request.uri, status);
        if let Ok(WebResponse { delivery: DeliveryFault::TruncatedAfter(_), .. }) = &result {
            self.resume(request).await;
        }
        FetchResponse { head: head.filter(|_| result.is_ok()), result }
    }

    /// Requests the rest of a truncated body.
    async fn resume(&self, request: FetchRequest<'_>) {
        sleep(request.resume_delay).await;
        self.resumptions.fetch_add(1, Ordering::Relaxed);
        let start_us = self.micros();
        sleep(LATENCY).await;
        self.log_request(start_us, &http::Method::GET, request.uri, 206);
    }

    fn log_request(&self, start_us: u64, method: &http::Method, uri: &Uri, status: u16) {
        self.log.lock().unwrap().push(AccessLogEntry {
            start_us,
            end_us: self.micros(),
            client: ([127, 0, 0, 1], 1).into(),
            method: method.to_string(),
            url: uri.to_string(),
            status,
            bytes: 0,
        });
    }

    async fn deliver(&self, response: &WebResponse) -> Result<(), FetchFailure> {
        sleep(LATENCY).await;
        match response.delivery {
            DeliveryFault::Slow(wait) => sleep(wait).await,
            DeliveryFault::Dripping(_) => sleep(TIMEOUT * 2).await,
            DeliveryFault::Dropped => return Err(failure(FaultKind::Connect, None)),
            DeliveryFault::BrokenTls => return Err(failure(FaultKind::Tls, None)),
            DeliveryFault::Plain
            | DeliveryFault::Truncated
            | DeliveryFault::TruncatedAfter(_)
            | DeliveryFault::UnderstatedLength(_) => {}
        }
        Ok(())
    }
}

#[async_trait]
impl Fetcher for InProcessFetcher {
    async fn locate(&self, uri: &Uri) -> Result<Option<IpAddr>, FetchFailure> {
        Ok(self.addresses.map(|addresses| addresses(uri.host())))
    }

    fn resumptions(&self) -> u64 {
        self.resumptions.load(Ordering::Relaxed)
    }

    fn received_bytes(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    async fn probe(&self, request: FetchRequest<'_>) -> FetchResponse<ProbeResult> {
        let FetchResponse { head, result } = self.send(http::Method::HEAD, request).await;
        FetchResponse { head, result: result.map(|response| probe_result(request.uri, &response)) }
    }

    async fn fetch(&self, request: FetchRequest<'_>) -> FetchResponse {
        let FetchResponse { head, result } = self.send(http::Method::GET, request).await;
        let result = result.and_then(|response| interpret(request.uri, &response));
        if let Ok(FetchOutcome::Representation(representation)) = &result
            && let ResponseBody::Buffered { bytes, .. } = &representation.body
        {
            self.received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        FetchResponse { head, result }
    }
}

fn probe_result(uri: &Uri, response: &WebResponse) -> ProbeResult {
    let media_type = field(response, &http::header::CONTENT_TYPE);
    let location = field(response, &http::header::LOCATION).filter(|_| response.status.is_redirection());
    let location = location.and_then(|location| Uri::resolve(&uri.to_url(), &location).ok());
    ProbeResult { status: response.status.as_u16(), media_type, location, retry_after_s: retry_after_s(response) }
}

fn interpret(uri: &Uri, response: &WebResponse) -> Result<FetchOutcome, FetchFailure> {
    let status = response.status.as_u16();
    match status {
        200 => Ok(FetchOutcome::Representation(Box::new(represent(uri, response)))),
        304 => Ok(FetchOutcome::Unchanged),
        300..400 => {
            let target = field(response, &http::header::LOCATION).unwrap_or_default();
            let target = Uri::resolve(&uri.to_url(), &target);
            let target = target.map_err(|error| Fault::new(FaultKind::Redirect, error));
            Ok(FetchOutcome::Redirect { status, target, retry_after_s: retry_after_s(response) })
        }
        429 | 503 => {
            let retry_after_s = retry_after_s(response);
            Err(FetchFailure { retry_after_s, ..failure(FaultKind::Overloaded, Some(status)) })
        }
        _ => Err(failure(FaultKind::Status, Some(status))),
    }
}

/// A request with header fields that ask for the same formats as those of the HTTP fetcher.
fn with_headers(request: WebRequest, fetch: FetchRequest<'_>) -> WebRequest {
    let accept = match fetch.purpose {
        FetchPurpose::Robots => "text/plain, */*;q=0.5",
        FetchPurpose::Harvest | FetchPurpose::Step(AcceptProfile::Document) => rdf_accept_field(),
        FetchPurpose::Step(AcceptProfile::SparqlResults) => "application/sparql-results+json",
        FetchPurpose::Step(AcceptProfile::Json) => "application/json",
        FetchPurpose::Step(AcceptProfile::Xml) => "application/xml",
    };
    let request = request.with_header(http::header::ACCEPT, accept);
    let Some(validators) = fetch.validators else { return request };
    let fields =
        [(http::header::IF_NONE_MATCH, &validators.etag), (http::header::IF_MODIFIED_SINCE, &validators.last_modified)];
    fields
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)))
        .fold(request, |request, (name, value)| request.with_header(name, value))
}

fn represent(uri: &Uri, response: &WebResponse) -> Representation {
    let (bytes, truncation) = match &response.body {
        toyweb::WebBody::Whole(bytes) => (bytes.clone(), None),
        toyweb::WebBody::Endless(block) | toyweb::WebBody::Repeated(block, _) => {
            let bytes: Vec<u8> = block.iter().copied().cycle().take(MAX_BODY_BYTES).collect();
            (Bytes::from(bytes), Some(Fault::new(FaultKind::TooLarge, "truncated")))
        }
    };
    let (bytes, truncation) = match response.delivery {
        DeliveryFault::Truncated => {
            (bytes.slice(..bytes.len() / 2), Some(Fault::new(FaultKind::Truncated, "truncated")))
        }
        DeliveryFault::UnderstatedLength(by) => (bytes.slice(..bytes.len().saturating_sub(by as usize)), truncation),
        _ => (bytes, truncation),
    };
    let links = response.headers.get_all(http::header::LINK).iter();
    let media_type = field(response, &http::header::CONTENT_TYPE);
    let mut representation = Representation {
        links: links.filter_map(|value| value.to_str().ok().map(str::to_owned)).collect(),
        ..Representation::new(uri.clone(), media_type, ResponseBody::Buffered { bytes, truncation })
    };
    representation.fetch.validators = Validators {
        etag: field(response, &http::header::ETAG),
        last_modified: field(response, &http::header::LAST_MODIFIED),
    };
    representation
}

fn retry_after_s(response: &WebResponse) -> Option<u64> {
    field(response, &http::header::RETRY_AFTER)?.parse().ok()
}

fn field(response: &WebResponse, name: &http::HeaderName) -> Option<String> {
    response.headers.get(name)?.to_str().ok().map(str::to_owned)
}

fn failure(kind: FaultKind, status: Option<u16>) -> FetchFailure {
    FetchFailure { fault: Fault::new(kind, "simulated fault"), status, retry_after_s: None, sent: true }
}

/// Assigns every host of a world one of three IP addresses.
pub(crate) fn three_addresses(host: &str) -> IpAddr {
    let sum: u32 = host.bytes().map(u32::from).sum();
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, (sum % 3) as u8))
}

/// A web defined by a function, for cases that no generated world has.
pub(crate) struct ScriptedWeb(pub(crate) fn(&str) -> toyweb::WebResponse);

impl toyweb::Web for ScriptedWeb {
    fn respond(&self, request: &toyweb::WebRequest) -> toyweb::WebResponse {
        (self.0)(request.url.as_str())
    }
}

pub(crate) fn web_response(status: u16, headers: &[(http::HeaderName, &str)], body: &str) -> toyweb::WebResponse {
    toyweb::WebResponse {
        status: http::StatusCode::from_u16(status).unwrap(),
        headers: headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect(),
        body: toyweb::WebBody::Whole(body.to_owned().into()),
        delivery: toyweb::DeliveryFault::Plain,
    }
}
