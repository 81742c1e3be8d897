//! The web itself: the only place that reaches it.

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

use super::answer::{self, Answer};
use super::body::{Download, Limits};
use super::decode::Decoder;
use super::guard;
use super::proxy::Proxies;
use super::resolver::Resolver;
use super::resume::Resumption;
use super::{Body, Fetched, Fetcher, Options, OptionsError, Purpose, Refusal};
use super::{classify, client, heard, negotiate, pace, robots};
use crate::discover::Wish;
use crate::model::media_type::Syntax;
use crate::model::{Fault, FaultKind, Probe, Uri};

/// The body of a refusal or redirect that is read to its end, so that the
/// connection can serve again; a larger one costs less to cut off.
const DRAINED_BYTES_MAX: usize = 64 * 1_024;
const DRAINED_TIME_MAX: Duration = Duration::from_secs(2);

/// Fetches over HTTP/1.1 and HTTP/2.
pub struct HttpFetcher {
    client: Client,
    resolver: Resolver,
    proxies: Proxies,
    harvest_headers: HeaderMap,
    robots_headers: HeaderMap,
    /// By what a step wishes for: results, JSON, XML.
    step_headers: [HeaderMap; 3],
    options: Options,
    resumptions: Arc<AtomicU64>,
}

impl HttpFetcher {
    /// A fetcher with these settings. Needs no runtime yet.
    pub fn new(options: Options) -> Result<Self, OptionsError> {
        let proxies = Proxies::of(&options)?;
        let resolver = Resolver::new(&options, proxies.hosts());
        let client = client::builder(&options, &proxies, &resolver)?
            .pool_max_idle_per_host(1)
            .http1_ignore_invalid_headers_in_responses(true)
            .build();
        Ok(Self {
            client: client.map_err(|error| OptionsError::Client(error.to_string()))?,
            resolver,
            proxies,
            harvest_headers: headers(&options, options.accept.as_deref().unwrap_or(negotiate::accept()))?,
            robots_headers: headers(&options, negotiate::ACCEPT_ROBOTS)?,
            step_headers: [
                headers(&options, negotiate::ACCEPT_RESULTS)?,
                headers(&options, negotiate::ACCEPT_JSON)?,
                headers(&options, negotiate::ACCEPT_XML)?,
            ],
            options,
            resumptions: Arc::default(),
        })
    }

    /// Sends one request and waits for the head of its answer.
    async fn send(&self, method: Method, uri: &Uri, headers: &HeaderMap) -> Result<Response, Refusal> {
        self.locate(uri).await?;
        let mut request = Request::new(method, uri.to_url());
        request.headers_mut().clone_from(headers);
        let time = self.head_time();
        let fault = match timeout(time, self.client.execute(request)).await {
            Ok(Ok(response)) => {
                heard::tell(response.status(), response.headers());
                return self.check_head(response);
            }
            Ok(Err(error)) => {
                if error.is_connect() {
                    self.resolver.blame(uri.host());
                }
                classify::classify(&error)
            }
            Err(_) => Fault::new(FaultKind::Timeout, format!("no answer within {time:?}")),
        };
        let sent = !matches!(fault.kind, FaultKind::Dns | FaultKind::Forbidden);
        Err(Refusal { fault, status: None, retry_after_s: None, sent })
    }

    /// The longest wait for the head of an answer, which is part of the document
    /// and bounded by its time, too.
    fn head_time(&self) -> Duration {
        let time = self.options.connect_ms_max + self.options.read_ms_max;
        Duration::from_millis(time.min(self.options.document_ms_max))
    }

    fn check_head(&self, response: Response) -> Result<Response, Refusal> {
        let size: usize = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        if size <= self.options.header_bytes_max {
            return Ok(response);
        }
        let fault = Fault::new(FaultKind::Protocol, format!("a header of {size} bytes"));
        Err(Refusal { fault, status: Some(response.status().as_u16()), retry_after_s: None, sent: true })
    }

    /// What is sent with a request.
    fn headers(&self, purpose: Purpose<'_>) -> Cow<'_, HeaderMap> {
        let [results, json, xml] = &self.step_headers;
        Cow::Borrowed(match purpose {
            Purpose::Harvest | Purpose::Step(Wish::Document) => &self.harvest_headers,
            Purpose::Robots => &self.robots_headers,
            Purpose::Step(Wish::Results) => results,
            Purpose::Step(Wish::Json) => json,
            Purpose::Step(Wish::Xml) => xml,
            Purpose::Again(validators) => {
                let mut headers = self.harvest_headers.clone();
                let fields = [(IF_NONE_MATCH, &validators.etag), (IF_MODIFIED_SINCE, &validators.last_modified)];
                for (name, value) in fields {
                    if let Some(Ok(value)) = value.as_deref().map(HeaderValue::from_str) {
                        headers.insert(name, value);
                    }
                }
                return Cow::Owned(headers);
            }
        })
    }

    async fn receive(&self, uri: &Uri, purpose: Purpose<'_>, response: Response) -> Fetched {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = match Decoder::of(&headers) {
            Ok(decoder) => {
                let limits = self.limits(uri, purpose, &response);
                let is_resumed = matches!(purpose, Purpose::Harvest | Purpose::Again(_));
                let resumption = is_resumed.then(|| self.resumption(&response)).flatten();
                Download::new(response, decoder, limits).resumed_by(resumption).receive().await
            }
            Err(fault) => Body::Whole { bytes: bytes::Bytes::new(), cut: Some(fault) },
        };
        Fetched::Representation(Box::new(answer::representation(uri, status, &headers, body)))
    }

    /// The rest is asked for without conditions: it is wanted even if what was
    /// begun is no news.
    fn resumption(&self, response: &Response) -> Option<Resumption> {
        let wait = Duration::from_millis(self.options.resume_wait_ms).max(pace::delay());
        let times = [wait, self.head_time()];
        Resumption::of(&self.client, &self.harvest_headers, response, times, &self.resumptions)
    }

    fn limits(&self, uri: &Uri, purpose: Purpose<'_>, response: &Response) -> Limits {
        let options = &self.options;
        let (bytes, milliseconds) = match purpose {
            Purpose::Robots => (robots::ROBOTS_BYTES_MAX as u64, options.document_ms_max),
            Purpose::Harvest | Purpose::Again(_) if is_dump(uri, response) => {
                (options.dump_bytes_max, options.dump_ms_max)
            }
            Purpose::Harvest | Purpose::Again(_) | Purpose::Step(_) => {
                (options.body_bytes_max, options.document_ms_max)
            }
        };
        Limits {
            memory_bytes: if purpose == Purpose::Robots { robots::ROBOTS_BYTES_MAX } else { options.memory_bytes_max },
            bytes,
            ratio: options.ratio_max,
            read_time: Duration::from_millis(options.read_ms_max),
            whole_time: Duration::from_millis(milliseconds),
        }
    }
}

#[async_trait]
impl Fetcher for HttpFetcher {
    async fn locate(&self, uri: &Uri) -> Result<Option<IpAddr>, Refusal> {
        let refuse = |fault| Refusal { fault, status: None, retry_after_s: None, sent: false };
        if self.proxies.cover(uri) {
            let checked = if self.options.allow_private { Ok(()) } else { guard::check_name(uri.host()) };
            return checked.map(|()| None).map_err(refuse);
        }
        self.resolver.locate(uri.host()).await.map(Some).map_err(|error| refuse(Fault::from(error)))
    }

    async fn probe(&self, uri: &Uri) -> Result<Probe, Refusal> {
        let response = self.send(Method::HEAD, uri, &self.harvest_headers).await?;
        answer::probe(response.url(), response.status(), response.headers())
    }

    fn resumptions(&self) -> u64 {
        self.resumptions.load(Ordering::Relaxed)
    }

    async fn fetch(&self, uri: &Uri, purpose: Purpose<'_>) -> Result<Fetched, Refusal> {
        let headers = self.headers(purpose);
        let response = self.send(Method::GET, uri, &headers).await?;
        let status = response.status();
        match answer::sort(response.url(), status, response.headers(), purpose) {
            Answer::Document => Ok(self.receive(uri, purpose, response).await),
            Answer::Unchanged => {
                drain(response).await;
                Ok(Fetched::Unchanged)
            }
            Answer::Redirect(target) => {
                drain(response).await;
                Ok(Fetched::Redirect { status: status.as_u16(), target })
            }
            Answer::Refusal(refusal) => {
                drain(response).await;
                Err(refusal)
            }
        }
    }
}

fn headers(options: &Options, accept: &str) -> Result<HeaderMap, OptionsError> {
    let value = |text: &str| HeaderValue::from_str(text).map_err(|_| OptionsError::HeaderValue(text.to_owned()));
    Ok(HeaderMap::from_iter([
        (USER_AGENT, value(&options.user_agent())?),
        (ACCEPT, value(accept)?),
        (ACCEPT_ENCODING, HeaderValue::from_static(negotiate::ACCEPT_ENCODING)),
    ]))
}

/// Whether a body says beforehand that it is a dump: an archive, or RDF of a
/// syntax that can be read as a stream and whose length is announced. A stream
/// without end announces nothing, and is cut as any document is.
fn is_dump(uri: &Uri, response: &Response) -> bool {
    const ARCHIVES: &[&str] = &["gz", "tgz", "bz2", "tbz", "tbz2", "zst", "tzst", "xz", "txz", "br", "zip", "tar"];
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
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if ARCHIVE_TYPES.contains(&&*essence) {
        return true;
    }
    let extension = uri.extension();
    if extension.as_deref().is_some_and(|extension| ARCHIVES.contains(&extension)) {
        return !essence.starts_with("text/html");
    }
    let syntax = Syntax::of_media_type(&essence).or_else(|| Syntax::of_extension(&extension?));
    response.content_length().is_some()
        && syntax.is_some_and(|syntax| syntax.is_rdf() && !matches!(syntax, Syntax::JsonLd | Syntax::N3))
}

/// Reads what is left of an answer, if it is little.
async fn drain(mut response: Response) {
    if response.content_length().is_some_and(|length| length > DRAINED_BYTES_MAX as u64) {
        return;
    }
    let rest = async {
        let mut drained = 0;
        while let Ok(Some(chunk)) = response.chunk().await {
            drained += chunk.len();
            if drained > DRAINED_BYTES_MAX {
                break;
            }
        }
    };
    let _ = timeout(DRAINED_TIME_MAX, rest).await;
}
