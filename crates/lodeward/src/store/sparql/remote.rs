//! The server: requests, and what its answers mean for us.

use std::io::Read;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, StatusCode};

use super::options::{Options, OptionsError};
use crate::fetch::service::{Call, CallBody, Reply, ServiceClient};
use crate::fetch::{self, Body};
use crate::model::{Fault, FaultKind, Uri};

/// Bytes of an answer that are read: nobody has much to say about an update.
const ANSWER_BYTES_MAX: u64 = 16 << 20;
/// The slowest upload of a large document that is waited for, in bytes per second.
const UPLOAD_BYTES_PER_S_MIN: u64 = 50_000;

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The server has confirmed it.
    Done,
    /// Not now.
    Busy {
        after: Option<Duration>,
        why: String,
        /// Whether the server said that it has stumbled (status 500), which may
        /// be the fault of what it was sent.
        stumbled: bool,
    },
    /// Not this.
    Refused { status: StatusCode, why: String },
    /// Nothing at all, until somebody changes something.
    Unusable(String),
}

pub(super) struct Remote {
    client: ServiceClient,
    update: Option<Uri>,
    graph_store: Option<Uri>,
    authorization: Option<HeaderValue>,
    timeout: Duration,
}

impl Remote {
    /// A server with these addresses. It may be at a private address: the user
    /// said where it is.
    pub(super) fn new(options: &Options, fetch: fetch::Options) -> Result<Self, super::OpenError> {
        let (update, graph_store) = (options.update_uri()?, options.graph_store_uri()?);
        if update.is_none() && graph_store.is_none() {
            return Err(OptionsError::NoAddress.into());
        }
        let fetch = fetch::Options { allow_private: true, ..fetch };
        let client = ServiceClient::new(fetch)?;
        let authorization = options.authorization()?;
        Ok(Self { client, update, graph_store, authorization, timeout: options.timeout() })
    }

    /// What it is called in logs.
    pub(super) fn name(&self) -> &str {
        self.update.as_ref().or(self.graph_store.as_ref()).map_or("", Uri::as_str)
    }

    /// Everything that tells this server from others.
    pub(super) fn identity(&self) -> String {
        let addresses = [&self.update, &self.graph_store].map(|uri| uri.as_ref().map_or("", Uri::as_str));
        addresses.join(" ")
    }

    pub(super) fn takes_updates(&self) -> bool {
        self.update.is_some()
    }

    pub(super) fn takes_graphs(&self) -> bool {
        self.graph_store.is_some()
    }

    /// Does an update.
    pub(super) fn update(&self, update: String) -> Verdict {
        let uri = self.update.as_ref().expect("whoever sends an update has asked whether they are taken");
        let time = self.time_for(update.len() as u64);
        let body = CallBody::Whole(Bytes::from(update));
        verdict(self.send(Method::POST, uri, Some("application/sparql-update; charset=utf-8"), body, time))
    }

    /// Replaces a graph by these N-Triples.
    pub(super) fn put(&self, graph: &str, triples: Box<dyn Read + Send>, bytes: u64) -> Verdict {
        let time = self.time_for(bytes);
        verdict(self.graph(Method::PUT, graph, Some("application/n-triples"), CallBody::Stream(triples), time))
    }

    /// Removes a graph, if there is one.
    pub(super) fn delete(&self, graph: &str) -> Verdict {
        match self.graph(Method::DELETE, graph, None, CallBody::Whole(Bytes::new()), self.timeout) {
            Ok(reply) if reply.status == StatusCode::NOT_FOUND => Verdict::Done,
            reply => verdict(reply),
        }
    }

    fn graph(
        &self,
        method: Method,
        graph: &str,
        media_type: Option<&'static str>,
        body: CallBody,
        time_max: Duration,
    ) -> Result<Reply, Fault> {
        let uri = self.graph_store.as_ref().expect("whoever asks for a graph store has asked whether there is one");
        let mut url = uri.to_url();
        url.query_pairs_mut().append_pair("graph", graph);
        let uri = Uri::from_url(url).map_err(|error| Fault::new(FaultKind::Protocol, error))?;
        self.send(method, &uri, media_type, body, time_max)
    }

    fn time_for(&self, bytes: u64) -> Duration {
        self.timeout + Duration::from_secs(bytes / UPLOAD_BYTES_PER_S_MIN)
    }

    fn send(
        &self,
        method: Method,
        uri: &Uri,
        media_type: Option<&'static str>,
        body: CallBody,
        time_max: Duration,
    ) -> Result<Reply, Fault> {
        let mut headers = HeaderMap::new();
        headers.extend(media_type.map(|media_type| (CONTENT_TYPE, HeaderValue::from_static(media_type))));
        headers.extend(self.authorization.clone().map(|value| (AUTHORIZATION, value)));
        let call = Call { method, uri: uri.clone(), headers, body, time_max, answer_bytes_max: ANSWER_BYTES_MAX };
        self.client.call(call)
    }
}

/// What an answer means. Half an answer means nothing: whoever says that it
/// was done must have said all of it.
fn verdict(reply: Result<Reply, Fault>) -> Verdict {
    let reply = match reply {
        Ok(reply) => reply,
        Err(fault) => return Verdict::Busy { after: None, why: fault.to_string(), stumbled: false },
    };
    let (status, after) = (reply.status, reply.retry_after);
    if status.is_success() {
        return match read_to_end(reply.body) {
            Ok(()) => Verdict::Done,
            Err(why) => Verdict::Busy { after: None, why, stumbled: false },
        };
    }
    let location = reply.headers.get(http::header::LOCATION).and_then(|value| value.to_str().ok());
    let location = location.map(|location| format!(" to {location}")).unwrap_or_default();
    let why = format!("{status}{}", fetch::service::said(reply.body));
    match status.as_u16() {
        300..=399 => Verdict::Unusable(format!("it redirects{location}: give that address instead ({why})")),
        401 | 407 => Verdict::Unusable(format!("{why}; check user and password, or the token")),
        403 => Verdict::Unusable(format!("{why}; it does not let us write")),
        404 | 410 => Verdict::Unusable(format!("{why}; check the address, and that the data set exists")),
        405 | 406 | 415 | 501 => Verdict::Unusable(format!("{why}; is this its address for updates?")),
        408 | 425 | 429 | 500..=599 => Verdict::Busy { after, why, stumbled: status.as_u16() == 500 },
        _ => Verdict::Refused { status, why },
    }
}

fn read_to_end(body: Body) -> Result<(), String> {
    match body {
        Body::Whole { cut: None, .. } => Ok(()),
        Body::Whole { cut: Some(fault), .. } => Err(format!("half an answer: {fault}")),
        Body::Stream(mut reader) => match std::io::copy(&mut reader, &mut std::io::sink()) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("half an answer: {error}")),
        },
    }
}
