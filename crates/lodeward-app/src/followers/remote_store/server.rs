//! HTTP requests to the remote store, and the classification of its responses.

use std::io::Read;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, StatusCode};

use super::options::{RemoteStoreOptions, RemoteStoreOptionsError};
use lodeward::fetch::sparql_client::{SparqlClient, SparqlRequest, SparqlRequestBody, SparqlResponse};
use lodeward::fetch::{self, ResponseBody};
use lodeward::model::{Fault, FaultKind, Uri};

/// Maximum number of bytes read from the response to an update.
const MAX_RESPONSE_BYTES: u64 = 16 << 20;
/// Minimum speed of the upload of a large document, in bytes per second. Slower uploads time out.
const MIN_UPLOAD_BYTES_PER_S: u64 = 50_000;

/// The outcome of a request, as derived from the response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UpdateResult {
    /// The server confirmed the request.
    Done,
    /// Temporary failure: retry.
    Busy {
        after: Option<Duration>,
        why: String,
        /// Whether the status was 500, which the content sent may have caused.
        is_server_error: bool,
    },
    /// The content was rejected.
    Rejected { status: StatusCode, why: String },
    /// Permanent failure: the settings or the server have to be changed.
    Unusable(String),
}

pub(super) struct RemoteServer {
    client: SparqlClient,
    update: Option<Uri>,
    graph_store: Option<Uri>,
    authorization: Option<HeaderValue>,
    timeout: Duration,
}

impl RemoteServer {
    /// Creates the client. Private IP addresses are allowed, because the user configured the URLs.
    pub(super) fn new(
        options: &RemoteStoreOptions,
        fetch: fetch::FetchOptions,
    ) -> Result<Self, super::RemoteStoreError> {
        let (update, graph_store) = (options.update_uri()?, options.graph_store_uri()?);
        if update.is_none() && graph_store.is_none() {
            return Err(RemoteStoreOptionsError::MissingUrl.into());
        }
        let fetch = fetch::FetchOptions { allow_private_addresses: true, ..fetch };
        let client = SparqlClient::new(fetch)?;
        let authorization = options.authorization()?;
        Ok(Self { client, update, graph_store, authorization, timeout: options.timeout() })
    }

    /// Name in logs.
    pub(super) fn name(&self) -> &str {
        self.update.as_ref().or(self.graph_store.as_ref()).map_or("", Uri::as_str)
    }

    /// URLs of the server, which identify it.
    pub(super) fn identity(&self) -> String {
        let urls = [&self.update, &self.graph_store].map(|uri| uri.as_ref().map_or("", Uri::as_str));
        urls.join(" ")
    }

    pub(super) fn supports_update(&self) -> bool {
        self.update.is_some()
    }

    pub(super) fn supports_graph_store(&self) -> bool {
        self.graph_store.is_some()
    }

    /// Sends an update.
    pub(super) fn update(&self, update: String) -> UpdateResult {
        let uri = self.update.as_ref().expect("`supports_update` was checked");
        let time = self.upload_timeout(update.len() as u64);
        let body = SparqlRequestBody::Buffered(Bytes::from(update));
        classify_response(self.send(Method::POST, uri, Some("application/sparql-update; charset=utf-8"), body, time))
    }

    /// Replaces the content of a graph with N-Triples.
    pub(super) fn put(&self, graph: &str, triples: Box<dyn Read + Send>, bytes: u64) -> UpdateResult {
        let time = self.upload_timeout(bytes);
        classify_response(self.send_graph(
            Method::PUT,
            graph,
            Some("application/n-triples"),
            SparqlRequestBody::Stream(triples),
            time,
        ))
    }

    /// Deletes a graph, if it exists.
    pub(super) fn delete(&self, graph: &str) -> UpdateResult {
        match self.send_graph(Method::DELETE, graph, None, SparqlRequestBody::Buffered(Bytes::new()), self.timeout) {
            Ok(response) if response.status == StatusCode::NOT_FOUND => UpdateResult::Done,
            response => classify_response(response),
        }
    }

    fn send_graph(
        &self,
        method: Method,
        graph: &str,
        media_type: Option<&'static str>,
        body: SparqlRequestBody,
        time_max: Duration,
    ) -> Result<SparqlResponse, Fault> {
        let uri = self.graph_store.as_ref().expect("`supports_graph_store` was checked");
        let mut url = uri.to_url();
        url.query_pairs_mut().append_pair("graph", graph);
        let uri = Uri::from_url(url).map_err(|error| Fault::new(FaultKind::Protocol, error))?;
        self.send(method, &uri, media_type, body, time_max)
    }

    fn upload_timeout(&self, bytes: u64) -> Duration {
        self.timeout + Duration::from_secs(bytes / MIN_UPLOAD_BYTES_PER_S)
    }

    fn send(
        &self,
        method: Method,
        uri: &Uri,
        media_type: Option<&'static str>,
        body: SparqlRequestBody,
        timeout: Duration,
    ) -> Result<SparqlResponse, Fault> {
        let mut headers = HeaderMap::new();
        headers.extend(media_type.map(|media_type| (CONTENT_TYPE, HeaderValue::from_static(media_type))));
        headers.extend(self.authorization.clone().map(|value| (AUTHORIZATION, value)));
        let call =
            SparqlRequest { method, uri: uri.clone(), headers, body, timeout, max_response_bytes: MAX_RESPONSE_BYTES };
        self.client.call(call)
    }
}

/// Classifies a response. A success counts only if its body is complete: a truncated response does
/// not prove that the update was executed.
fn classify_response(response: Result<SparqlResponse, Fault>) -> UpdateResult {
    let response = match response {
        Ok(response) => response,
        Err(fault) => return UpdateResult::Busy { after: None, why: fault.to_string(), is_server_error: false },
    };
    let (status, after) = (response.status, response.retry_after);
    if status.is_success() {
        return match read_to_end(response.body) {
            Ok(()) => UpdateResult::Done,
            Err(why) => UpdateResult::Busy { after: None, why, is_server_error: false },
        };
    }
    let location = response.headers.get(http::header::LOCATION).and_then(|value| value.to_str().ok());
    let location = location.map(|location| format!(" to {location}")).unwrap_or_default();
    let why = format!("{status}{}", lodeward::fetch::sparql_client::error_excerpt(response.body));
    match status.as_u16() {
        300..=399 => UpdateResult::Unusable(format!(
            "redirected{location} ({why}); hint: change `remote_store.update_url` or `remote_store.graph_store_url`"
        )),
        401 | 407 => UpdateResult::Unusable(format!("{why}; hint: check the credentials in [remote_store]")),
        403 => UpdateResult::Unusable(format!("{why}; hint: give the user of [remote_store] permission to write")),
        404 | 410 => UpdateResult::Unusable(format!("{why}; hint: check that the URLs in [remote_store] exist")),
        405 | 406 | 415 | 501 => UpdateResult::Unusable(format!(
            "{why}; hint: check `remote_store.update_url` and `remote_store.graph_store_url`"
        )),
        408 | 425 | 429 | 500..=599 => UpdateResult::Busy { after, why, is_server_error: status.as_u16() == 500 },
        _ => UpdateResult::Rejected { status, why },
    }
}

fn read_to_end(body: ResponseBody) -> Result<(), String> {
    match body {
        ResponseBody::Buffered { truncation: None, .. } => Ok(()),
        ResponseBody::Buffered { truncation: Some(fault), .. } => Err(format!("truncated response: {fault}")),
        ResponseBody::Stream(mut reader) => match std::io::copy(&mut reader, &mut std::io::sink()) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("truncated response: {error}")),
        },
    }
}
