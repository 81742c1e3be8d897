//! One request, one answer, on a runtime of our own.

use std::io::Read;
use std::sync::mpsc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue, USER_AGENT};
use http::{Method, StatusCode};
use reqwest::{Client, Request};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::super::body::{Download, Limits};
use super::super::decode::Decoder;
use super::super::proxy::Proxies;
use super::super::resolver::Resolver;
use super::super::{Body, Options, OptionsError, answer, classify, client, guard, negotiate};
use super::upload::Upload;
use crate::model::{Fault, FaultKind, Uri};

/// Calls services.
///
/// Has a runtime of its own, with one thread: callers have no runtime, or one
/// whose threads must not wait.
pub struct ServiceClient {
    client: Client,
    resolver: Resolver,
    proxies: Proxies,
    options: Options,
    user_agent: HeaderValue,
    /// Taken only when this is dropped.
    runtime: Option<Runtime>,
}

/// A request.
pub struct Call {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub method: Method,
    /// To whom.
    pub uri: Uri,
    /// Fields, besides those every request has.
    pub headers: HeaderMap,
    /// What is sent.
    pub body: CallBody,
    /// The longest time until the head of the answer is here.
    pub time_max: Duration,
    /// The largest body of an answer.
    pub answer_bytes_max: u64,
}

/// What is sent with a request.
pub enum CallBody {
    /// Nothing, or all of it.
    Whole(Bytes),
    /// What is read while it is sent.
    Stream(Box<dyn Read + Send>),
}

/// An answer, whatever its status.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// The fields.
    pub headers: HeaderMap,
    /// How long the service asks to be left alone.
    pub retry_after: Option<Duration>,
    /// The body, read to its end if it is small.
    pub body: Body,
}

impl ServiceClient {
    /// A client with the settings of a fetcher: who we are, whom we trust,
    /// which addresses may be reached.
    pub fn new(options: Options) -> Result<Self, OptionsError> {
        let proxies = Proxies::of(&options)?;
        let resolver = Resolver::new(&options, proxies.hosts());
        let failed = |error: &dyn std::fmt::Display| OptionsError::Client(error.to_string());
        let builder = client::builder(&options, &proxies, &resolver)?.pool_max_idle_per_host(2);
        let client = builder.build().map_err(|error| failed(&error))?;
        let user_agent = options.user_agent();
        let user_agent = HeaderValue::from_str(&user_agent).map_err(|_| OptionsError::HeaderValue(user_agent))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("services")
            .enable_all()
            .build()
            .map_err(|error| failed(&error))?;
        Ok(Self { client, resolver, proxies, options, user_agent, runtime: Some(runtime) })
    }

    /// Makes a request, and waits for the answer.
    pub fn call(&self, call: Call) -> Result<Reply, Fault> {
        let gone = || Fault::new(FaultKind::Protocol, "the client has been shut down");
        let runtime = self.runtime.as_ref().ok_or_else(gone)?;
        let proxied = self.proxies.cover(&call.uri);
        if proxied && !self.options.allow_private {
            guard::check_name(call.uri.host())?;
        }
        let (sender, receiver) = mpsc::sync_channel(1);
        let exchange = Exchange {
            client: self.client.clone(),
            resolver: (!proxied).then(|| self.resolver.clone()),
            limits: self.limits(&call),
            user_agent: self.user_agent.clone(),
        };
        // Spawned, not blocked on: that would panic on a thread of a runtime.
        let task = runtime.spawn(async move {
            let _ = sender.send(exchange.run(call).await);
        });
        let outcome = receiver.recv().map_err(|_| gone());
        drop(task);
        outcome?
    }

    fn limits(&self, call: &Call) -> Limits {
        Limits {
            memory_bytes: self.options.memory_bytes_max,
            bytes: call.answer_bytes_max,
            ratio: self.options.ratio_max,
            read_time: Duration::from_millis(self.options.read_ms_max),
            whole_time: call.time_max,
        }
    }
}

impl Drop for ServiceClient {
    /// Waits for nothing, and so may happen on any thread.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// What one call needs.
struct Exchange {
    client: Client,
    /// Asked first; not behind a proxy, which does the resolving.
    resolver: Option<Resolver>,
    limits: Limits,
    user_agent: HeaderValue,
}

impl Exchange {
    async fn run(self, call: Call) -> Result<Reply, Fault> {
        if let Some(resolver) = &self.resolver {
            resolver.locate(call.uri.host()).await?;
        }
        let mut request = Request::new(call.method, call.uri.to_url());
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, self.user_agent);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(negotiate::ACCEPT_ENCODING));
        headers.extend(call.headers);
        *request.body_mut() = match call.body {
            CallBody::Whole(bytes) if bytes.is_empty() => None,
            CallBody::Whole(bytes) => Some(bytes.into()),
            CallBody::Stream(reader) => Some(reqwest::Body::wrap(Upload::begin(reader))),
        };
        let response = match timeout(call.time_max, self.client.execute(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                if let Some(resolver) = self.resolver.filter(|_| error.is_connect()) {
                    resolver.blame(call.uri.host());
                }
                return Err(classify::classify(&error));
            }
            Err(_) => {
                return Err(Fault::new(FaultKind::Timeout, format!("no answer within {:?}", call.time_max)));
            }
        };
        let (status, headers) = (response.status(), response.headers().clone());
        let body = Download::new(response, Decoder::of(&headers)?, self.limits).receive().await;
        let retry_after = answer::retry_after_s(&headers).map(Duration::from_secs);
        Ok(Reply { status, headers, retry_after, body })
    }
}
