//! The SPARQL protocols on an archive, without an HTTP server.
//!
//! A [`ProtocolEndpoint`] handles requests of the SPARQL 1.1 Protocol and of the SPARQL 1.1 Graph
//! Store HTTP Protocol, as types of the `http` crate. It runs them on the calling thread; an async
//! server calls it on a thread for blocking work. Bodies are written while they are evaluated, so
//! memory stays bounded; [`ProtocolEndpoint::answer`] documents what this requires of a server.
//! Errors are problem documents (RFC 9457).
//!
//! A malicious page can make a user's browser send requests to this endpoint. Such a page can read
//! the responses only if [`ProtocolOptions::allow_origin`] permits it, and write requests from pages of
//! another site are rejected.

mod problem;
mod parameters;
mod multipart;
mod rdf_body;
mod response;
mod operation;
mod description;
mod graph_store;

use std::io::{self, Write};

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, HOST, ORIGIN, VARY,
};
use http::response::Parts;
use http::{Method, Request, Response, StatusCode};
use lodeward_rdf::accept::Accept;

pub use problem::ProblemKind;
pub use response::ResponseAborted;

use crate::sparql::{CancellationToken, QueryOptions, UpdateOptions};
use crate::{Archive, ArchiveError};
use operation::AllowedOperations;
use problem::ProtocolProblem;
use response::ProtocolResponse;

/// Whether clients can change the archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteAccess {
    /// Clients can run queries and read graphs.
    #[default]
    ReadOnly,
    /// Clients can also run updates and write graphs.
    ReadWrite,
}

/// When a change becomes durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// A change is durable before the response is sent.
    #[default]
    BeforeResponse,
    /// A change is durable after the next sync of the archive. If the process is killed before the
    /// sync, nothing is lost; after a power failure, recent changes can be lost.
    OnSync,
}

/// Options of a [`ProtocolEndpoint`].
#[derive(Clone)]
#[non_exhaustive]
pub struct ProtocolOptions {
    /// Whether clients can write.
    pub access: WriteAccess,
    /// Why a write is rejected if the endpoint is read-only; default: the archive is read-only.
    pub read_only_detail: Option<String>,
    /// The hint for a client whose write is rejected because the endpoint is read-only.
    pub read_only_hint: Option<String>,
    /// When changes are made durable.
    pub durability: Durability,
    /// The path of queries, and of updates if they are allowed.
    pub sparql_path: String,
    /// The path that accepts only updates.
    pub update_path: String,
    /// The path of the graph store.
    pub store_path: String,
    /// Scheme, host and port by which clients know this server. Set this field if the server is
    /// behind a proxy, where the `Host` header is not reliable.
    pub public_url: Option<String>,
    /// The origin whose pages can read the responses, or `*` for any. Pages of that origin can also
    /// write; with `*`, no page can.
    pub allow_origin: Option<String>,
    /// Limits of queries, and the handler of `SERVICE`.
    pub query: QueryOptions,
    /// Limits of updates, and the handler of `LOAD`.
    pub update: UpdateOptions,
}

impl Default for ProtocolOptions {
    fn default() -> Self {
        Self {
            access: WriteAccess::default(),
            read_only_detail: None,
            read_only_hint: None,
            durability: Durability::default(),
            sparql_path: "/sparql".to_owned(),
            update_path: "/update".to_owned(),
            store_path: "/store".to_owned(),
            public_url: None,
            allow_origin: None,
            query: QueryOptions::default(),
            update: UpdateOptions::default(),
        }
    }
}

/// An archive that handles protocol requests. Cheap to clone.
#[derive(Clone)]
pub struct ProtocolEndpoint {
    archive: Archive,
    options: ProtocolOptions,
}

impl ProtocolEndpoint {
    /// Creates an endpoint of an archive.
    #[must_use]
    pub fn new(archive: Archive, options: ProtocolOptions) -> Self {
        Self { archive, options }
    }

    /// Returns a copy of the endpoint whose requests are cancelled by this token. Use one copy for
    /// each request.
    #[must_use]
    pub fn with_cancel(&self, cancel: &CancellationToken) -> Self {
        let mut endpoint = self.clone();
        endpoint.options.query.cancel = cancel.clone();
        endpoint.options.update.cancel = cancel.clone();
        endpoint
    }

    /// Handles a request. `begin` is called once with the response head, and returns the writer of
    /// the body. If this function returns an error, part of the response has been sent: the server
    /// must then abort the connection instead of ending the body.
    pub fn respond<W: Write>(
        &self,
        request: &Request<Bytes>,
        begin: impl FnOnce(Parts) -> W,
    ) -> Result<(), ResponseAborted> {
        let reply = self.route(request).unwrap_or_else(ProtocolResponse::from);
        let reply = if request.method() == Method::HEAD { reply.without_body() } else { reply };
        self.with_cors(reply).send(begin)
    }

    /// Handles a request, and returns the whole response at once.
    pub fn respond_buffered(&self, request: &Request<Bytes>) -> Result<Response<Bytes>, ResponseAborted> {
        let mut head = None;
        let mut body = Vec::new();
        self.respond(request, |parts| {
            head = Some(parts);
            BodyBuffer(&mut body)
        })?;
        let head = head.ok_or_else(|| ResponseAborted("no response was sent".to_owned()))?;
        Ok(Response::from_parts(head, Bytes::from(body)))
    }

    fn route(&self, request: &Request<Bytes>) -> Result<ProtocolResponse, ProtocolProblem> {
        let path = request.uri().path();
        let is = |known: &str| path == known || path.strip_suffix('/') == Some(known);
        let options = &self.options;
        let is_store = is(&options.store_path) || path.starts_with(&format!("{}/", options.store_path));
        if !is(&options.sparql_path) && !is(&options.update_path) && !is_store {
            let known = format!("{}, {} and {}", options.sparql_path, options.update_path, options.store_path);
            return Err(ProtocolProblem::new(StatusCode::NOT_FOUND, format!("no such path; paths are {known}")));
        }
        if request.method() == Method::OPTIONS {
            return Ok(ProtocolResponse::empty(StatusCode::NO_CONTENT));
        }
        let url = self.request_url(request, path);
        if is_store {
            graph_store::handle(self, request, &url)
        } else if is(&options.sparql_path) {
            operation::handle(self, request, &url, AllowedOperations::QueryAndUpdate)
        } else {
            operation::handle(self, request, &url, AllowedOperations::Update)
        }
    }

    /// The URL of a path, as the client knows it.
    fn request_url(&self, request: &Request<Bytes>, path: &str) -> String {
        if let Some(public) = &self.options.public_url {
            return format!("{}{path}", public.trim_end_matches('/'));
        }
        let scheme = request.uri().scheme_str().unwrap_or("http");
        let authority = request.uri().authority().map(http::uri::Authority::as_str);
        let host = || request.headers().get(HOST).and_then(|host| host.to_str().ok());
        format!("{scheme}://{}{path}", authority.or_else(host).unwrap_or("localhost"))
    }

    /// Checks that this request can change the archive.
    fn check_write_access(&self, request: &Request<Bytes>) -> Result<(), ProtocolProblem> {
        let forbidden = |detail: &str| ProtocolProblem::new(StatusCode::FORBIDDEN, detail);
        if self.options.access == WriteAccess::ReadOnly {
            let problem = forbidden(self.options.read_only_detail.as_deref().unwrap_or("the archive is read-only"));
            return Err(match &self.options.read_only_hint {
                Some(hint) => problem.with_hint(hint),
                None => problem,
            });
        }
        let Some(origin) = request.headers().get(ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().unwrap_or("null");
        if self.is_same_origin(origin, request) || self.options.allow_origin.as_deref() == Some(origin) {
            return Ok(());
        }
        Err(forbidden("write requests from pages of another site are not allowed"))
    }

    /// Whether an `Origin` header names this server.
    fn is_same_origin(&self, origin: &str, request: &Request<Bytes>) -> bool {
        let own = self.request_url(request, "");
        if self.options.public_url.is_some() {
            return origin == own;
        }
        // A proxy can terminate TLS, so both `http` and `https` origins are accepted. The default
        // port of the scheme can be omitted.
        let (Some((scheme, page)), Some((_, host))) = (origin.split_once("://"), own.split_once("://")) else {
            return false;
        };
        let port = match scheme {
            "http" => ":80",
            "https" => ":443",
            _ => return false,
        };
        let bare = |authority: &str| authority.strip_suffix(port).unwrap_or(authority).to_ascii_lowercase();
        bare(page) == bare(host)
    }

    fn make_durable(&self) -> Result<(), ArchiveError> {
        match self.options.durability {
            Durability::BeforeResponse => self.archive.sync(),
            Durability::OnSync => Ok(()),
        }
    }

    fn with_cors(&self, reply: ProtocolResponse) -> ProtocolResponse {
        let Some(origin) = &self.options.allow_origin else { return reply };
        reply
            .with_header(ACCESS_CONTROL_ALLOW_ORIGIN, origin)
            .with_header(ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, PUT, POST, DELETE")
            .with_header(ACCESS_CONTROL_ALLOW_HEADERS, "accept, authorization, content-type")
            .with_header(VARY, "accept, origin")
    }
}

/// The values of all `Accept` headers, joined.
fn accept_header(request: &Request<Bytes>) -> Accept {
    Accept::parse(request.headers().get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()))
}

/// Logs an archive failure, and reports it as a problem.
fn archive_problem(error: &ArchiveError) -> ProtocolProblem {
    tracing::error!(%error, "request failed: archive error");
    ProtocolProblem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

/// A response body in memory.
struct BodyBuffer<'a>(&'a mut Vec<u8>);

impl Write for BodyBuffer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
