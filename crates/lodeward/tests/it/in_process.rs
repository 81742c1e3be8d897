//! A toyweb as a fetcher: no socket, no real time.
//!
//! Every request takes a while of virtual time, and misbehaviour is acted out
//! as a client would see it. What happened is written down as a server would.

#![expect(clippy::disallowed_methods, reason = "a server has a clock of its own")]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use lodeward::discover::Wish;
use lodeward::fetch::{Body, Fetched, Fetcher, Purpose, Refusal, Representation, negotiate, pace};
use lodeward::model::{Fault, FaultKind, Probe, Uri};
use tokio::time::{Instant, sleep, timeout};
use toyweb::access_log::Entry;
use toyweb::{Conduct, Request, Response, Web};

const LATENCY: Duration = Duration::from_millis(20);
const TIMEOUT: Duration = Duration::from_secs(5);
const BODY_BYTES_MAX: usize = 1 << 20;

pub(crate) struct InProcess {
    web: Arc<dyn Web>,
    started_at: Instant,
    /// The address of a host, when hosts are to share some.
    addresses: Option<fn(&str) -> IpAddr>,
    resumptions: AtomicU64,
    pub(crate) log: Mutex<Vec<Entry>>,
}

impl InProcess {
    pub(crate) fn new(web: Arc<dyn Web>) -> Self {
        Self { web, started_at: Instant::now(), addresses: None, resumptions: AtomicU64::new(0), log: Mutex::default() }
    }

    pub(crate) fn with_addresses(mut self, addresses: fn(&str) -> IpAddr) -> Self {
        self.addresses = Some(addresses);
        self
    }

    fn micros(&self) -> u64 {
        u64::try_from(self.started_at.elapsed().as_micros()).unwrap()
    }

    async fn ask(&self, method: http::Method, uri: &Uri, purpose: Purpose<'_>) -> Result<Response, Refusal> {
        let mut request = with_wishes(Request::get(uri.as_str()), purpose);
        request.method = method;
        let start_us = self.micros();
        let response = self.web.respond(&request);
        let answered = timeout(TIMEOUT, self.deliver(&response)).await;
        let (status, result) = match answered {
            Err(_) => (0, Err(refusal(FaultKind::Timeout, None))),
            Ok(Err(refusal)) => (0, Err(refusal)),
            Ok(Ok(())) => {
                lodeward::fetch::heard::tell(response.status, &response.headers);
                (response.status.as_u16(), Ok(response))
            }
        };
        self.note(start_us, &request.method, uri, status);
        if let Ok(Response { conduct: Conduct::Cut(_), .. }) = &result {
            self.go_on(uri).await;
        }
        result
    }

    /// Asks for the rest of a body that broke off.
    async fn go_on(&self, uri: &Uri) {
        sleep(pace::delay()).await;
        self.resumptions.fetch_add(1, Ordering::Relaxed);
        let start_us = self.micros();
        sleep(LATENCY).await;
        self.note(start_us, &http::Method::GET, uri, 206);
    }

    fn note(&self, start_us: u64, method: &http::Method, uri: &Uri, status: u16) {
        self.log.lock().unwrap().push(Entry {
            start_us,
            end_us: self.micros(),
            client: ([127, 0, 0, 1], 1).into(),
            method: method.to_string(),
            url: uri.to_string(),
            status,
            bytes: 0,
        });
    }

    async fn deliver(&self, response: &Response) -> Result<(), Refusal> {
        sleep(LATENCY).await;
        match response.conduct {
            Conduct::Slow(wait) => sleep(wait).await,
            Conduct::Dripping(_) => sleep(TIMEOUT * 2).await,
            Conduct::Dropped => return Err(refusal(FaultKind::Connect, None)),
            Conduct::BrokenTls => return Err(refusal(FaultKind::Tls, None)),
            Conduct::Plain | Conduct::Truncated | Conduct::Cut(_) | Conduct::UnderstatedLength(_) => {}
        }
        Ok(())
    }
}

#[async_trait]
impl Fetcher for InProcess {
    async fn locate(&self, uri: &Uri) -> Result<Option<IpAddr>, Refusal> {
        Ok(self.addresses.map(|addresses| addresses(uri.host())))
    }

    fn resumptions(&self) -> u64 {
        self.resumptions.load(Ordering::Relaxed)
    }

    async fn probe(&self, uri: &Uri) -> Result<Probe, Refusal> {
        let response = self.ask(http::Method::HEAD, uri, Purpose::Harvest).await?;
        let media_type = field(&response, &http::header::CONTENT_TYPE);
        let location = field(&response, &http::header::LOCATION).filter(|_| response.status.is_redirection());
        let location = location.and_then(|location| Uri::resolve(&uri.to_url(), &location).ok());
        Ok(Probe { status: response.status.as_u16(), media_type, location })
    }

    async fn fetch(&self, uri: &Uri, purpose: Purpose<'_>) -> Result<Fetched, Refusal> {
        let response = self.ask(http::Method::GET, uri, purpose).await?;
        let status = response.status.as_u16();
        match status {
            200 => Ok(Fetched::Representation(Box::new(represent(uri, &response)))),
            304 => Ok(Fetched::Unchanged),
            300..400 => {
                let target = field(&response, &http::header::LOCATION).unwrap_or_default();
                let target = Uri::resolve(&uri.to_url(), &target);
                let target = target.map_err(|error| Fault::new(FaultKind::Redirect, error));
                Ok(Fetched::Redirect { status, target })
            }
            429 | 503 => {
                let asked = field(&response, &http::header::RETRY_AFTER);
                let retry_after_s = asked.and_then(|asked| asked.parse().ok());
                Err(Refusal { retry_after_s, ..refusal(FaultKind::Busy, Some(status)) })
            }
            _ => Err(refusal(FaultKind::Status, Some(status))),
        }
    }
}

/// A request that says what it wants, as the fetcher of the web says it.
fn with_wishes(request: Request, purpose: Purpose<'_>) -> Request {
    let accept = match purpose {
        Purpose::Robots => negotiate::ACCEPT_ROBOTS,
        Purpose::Harvest | Purpose::Again(_) | Purpose::Step(Wish::Document) => negotiate::accept(),
        Purpose::Step(Wish::Results) => negotiate::ACCEPT_RESULTS,
        Purpose::Step(Wish::Json) => negotiate::ACCEPT_JSON,
        Purpose::Step(Wish::Xml) => negotiate::ACCEPT_XML,
    };
    let request = request.with(http::header::ACCEPT, accept);
    let Purpose::Again(validators) = purpose else { return request };
    let fields =
        [(http::header::IF_NONE_MATCH, &validators.etag), (http::header::IF_MODIFIED_SINCE, &validators.last_modified)];
    fields
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)))
        .fold(request, |request, (name, value)| request.with(name, value))
}

fn represent(uri: &Uri, response: &Response) -> Representation {
    let (bytes, cut) = match &response.body {
        toyweb::Body::Whole(bytes) => (bytes.clone(), None),
        toyweb::Body::Endless(block) | toyweb::Body::Repeated(block, _) => {
            let bytes: Vec<u8> = block.iter().copied().cycle().take(BODY_BYTES_MAX).collect();
            (Bytes::from(bytes), Some(Fault::new(FaultKind::TooLarge, "cut")))
        }
    };
    let (bytes, cut) = match response.conduct {
        Conduct::Truncated => (bytes.slice(..bytes.len() / 2), Some(Fault::new(FaultKind::Truncated, "cut"))),
        Conduct::UnderstatedLength(by) => (bytes.slice(..bytes.len().saturating_sub(by as usize)), cut),
        _ => (bytes, cut),
    };
    let links = response.headers.get_all(http::header::LINK).iter();
    Representation {
        uri: uri.clone(),
        status: 200,
        content_type: field(response, &http::header::CONTENT_TYPE),
        etag: field(response, &http::header::ETAG),
        last_modified: field(response, &http::header::LAST_MODIFIED),
        links: links.filter_map(|value| value.to_str().ok().map(str::to_owned)).collect(),
        body: Body::Whole { bytes, cut },
    }
}

fn field(response: &Response, name: &http::HeaderName) -> Option<String> {
    response.headers.get(name)?.to_str().ok().map(str::to_owned)
}

fn refusal(kind: FaultKind, status: Option<u16>) -> Refusal {
    Refusal { fault: Fault::new(kind, "as the world has it"), status, retry_after_s: None, sent: true }
}

/// Puts every host of a world on one of three addresses.
pub(crate) fn three_addresses(host: &str) -> IpAddr {
    let sum: u32 = host.bytes().map(u32::from).sum();
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, (sum % 3) as u8))
}

/// A web that is a function: for what no generated world does.
pub(crate) struct Scripted(pub(crate) fn(&str) -> toyweb::Response);

impl toyweb::Web for Scripted {
    fn respond(&self, request: &toyweb::Request) -> toyweb::Response {
        (self.0)(request.url.as_str())
    }
}

pub(crate) fn answer(status: u16, headers: &[(http::HeaderName, &str)], body: &str) -> toyweb::Response {
    toyweb::Response {
        status: http::StatusCode::from_u16(status).unwrap(),
        headers: headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect(),
        body: toyweb::Body::Whole(body.to_owned().into()),
        conduct: toyweb::Conduct::Plain,
    }
}
