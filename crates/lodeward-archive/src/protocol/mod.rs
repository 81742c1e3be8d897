//! An archive behind HTTP, without a server.
//!
//! An [`Endpoint`] takes requests of the SPARQL 1.1 Protocol and of the
//! SPARQL 1.1 Graph Store HTTP Protocol, as types of the `http` crate, and
//! answers them on the thread that asks: in an async server, on one for
//! blocking work. Bodies are written while they are evaluated, so that memory
//! stays bounded; [`Endpoint::answer`] says what that asks of a server.
//! Problems are told as RFC 9457 wants it.
//!
//! Somebody's browser can be made to send requests to this machine. Reading
//! the answers takes their consent ([`Options::allow_origin`]), and a request
//! that would write is refused if it comes from another site's page.

mod problem;
mod parameters;
mod media;
mod multipart;
mod reply;
mod write;
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

pub use reply::Interrupted;

use crate::sparql::{CancellationToken, QueryOptions, UpdateOptions};
use crate::{Archive, ArchiveError};
use operation::Allowed;
use problem::Problem;
use reply::Reply;

/// Whether an archive can be changed from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Queries, and graphs to be read.
    #[default]
    ReadOnly,
    /// Updates, and graphs to be written, too.
    ReadWrite,
}

/// When a change is safe from a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Before it is confirmed.
    #[default]
    Confirmed,
    /// Whenever the archive is synced; a killed process loses nothing even so.
    Later,
}

/// What an [`Endpoint`] does.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// Whether it may be written to.
    pub access: Access,
    /// What to do for whoever may not write, if there is something.
    pub read_only_hint: Option<String>,
    /// When changes are made durable.
    pub durability: Durability,
    /// Where queries are asked, and updates if they are allowed.
    pub sparql_path: String,
    /// Where only updates are done.
    pub update_path: String,
    /// Where the graph store is.
    pub store_path: String,
    /// Scheme, host and port by which clients know this server, if the `Host`
    /// they send is not to be believed: behind a proxy.
    pub public_url: Option<String>,
    /// The origin whose pages may read the answers, or `*` for any; a page of
    /// that origin may write, too, but never one of `*`.
    pub allow_origin: Option<String>,
    /// Bounds of queries, and what answers `SERVICE`.
    pub query: QueryOptions,
    /// Bounds of updates, and what answers `LOAD`.
    pub update: UpdateOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            access: Access::default(),
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

/// An archive that answers requests. Cheap to clone.
#[derive(Clone)]
pub struct Endpoint {
    archive: Archive,
    options: Options,
}

impl Endpoint {
    /// An archive, and how it is to be asked.
    #[must_use]
    pub fn new(archive: Archive, options: Options) -> Self {
        Self { archive, options }
    }

    /// The same, but stopped by this token: for one request.
    #[must_use]
    pub fn stopped_by(&self, cancel: &CancellationToken) -> Self {
        let mut endpoint = self.clone();
        endpoint.options.query.cancel = cancel.clone();
        endpoint.options.update.cancel = cancel.clone();
        endpoint
    }

    /// Answers a request. `begin` is called once, with the head of the answer,
    /// and returns where its body goes. If this returns an error, part of an
    /// answer has been sent, and the server must break off the connection
    /// rather than end the body.
    pub fn answer<W: Write>(
        &self,
        request: &Request<Bytes>,
        begin: impl FnOnce(Parts) -> W,
    ) -> Result<(), Interrupted> {
        let reply = self.route(request).unwrap_or_else(Reply::from);
        let reply = if request.method() == Method::HEAD { reply.head_only() } else { reply };
        self.with_cors(reply).send(begin)
    }

    /// Answers a request, the whole answer at once.
    pub fn answer_whole(&self, request: &Request<Bytes>) -> Result<Response<Bytes>, Interrupted> {
        let mut head = None;
        let mut body = Vec::new();
        self.answer(request, |parts| {
            head = Some(parts);
            Gathering(&mut body)
        })?;
        let head = head.ok_or_else(|| Interrupted("it never began".to_owned()))?;
        Ok(Response::from_parts(head, Bytes::from(body)))
    }

    fn route(&self, request: &Request<Bytes>) -> Result<Reply, Problem> {
        let path = request.uri().path();
        let is = |known: &str| path == known || path.strip_suffix('/') == Some(known);
        let options = &self.options;
        let is_store = is(&options.store_path) || path.starts_with(&format!("{}/", options.store_path));
        if !is(&options.sparql_path) && !is(&options.update_path) && !is_store {
            let known = format!("{}, {} and {}", options.sparql_path, options.update_path, options.store_path);
            return Err(Problem::new(StatusCode::NOT_FOUND, format!("there are {known}")));
        }
        if request.method() == Method::OPTIONS {
            return Ok(Reply::empty(StatusCode::NO_CONTENT));
        }
        let url = self.url_of(request, path);
        if is_store {
            graph_store::answer(self, request, &url)
        } else if is(&options.sparql_path) {
            operation::answer(self, request, &url, Allowed::QueryAndUpdate)
        } else {
            operation::answer(self, request, &url, Allowed::Update)
        }
    }

    /// The address of a path, as the client knows it.
    fn url_of(&self, request: &Request<Bytes>, path: &str) -> String {
        if let Some(public) = &self.options.public_url {
            return format!("{}{path}", public.trim_end_matches('/'));
        }
        let scheme = request.uri().scheme_str().unwrap_or("http");
        let authority = request.uri().authority().map(http::uri::Authority::as_str);
        let host = || request.headers().get(HOST).and_then(|host| host.to_str().ok());
        format!("{scheme}://{}{path}", authority.or_else(host).unwrap_or("localhost"))
    }

    /// Whether this request may change the archive.
    fn check_writing(&self, request: &Request<Bytes>) -> Result<(), Problem> {
        let forbidden = |detail: &str| Problem::new(StatusCode::FORBIDDEN, detail);
        if self.options.access == Access::ReadOnly {
            let problem = forbidden("this archive can only be read");
            return Err(match &self.options.read_only_hint {
                Some(hint) => problem.hint(hint),
                None => problem,
            });
        }
        let Some(origin) = request.headers().get(ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().unwrap_or("null");
        if self.is_own(origin, request) || self.options.allow_origin.as_deref() == Some(origin) {
            return Ok(());
        }
        Err(forbidden("a page of another site may not write here"))
    }

    /// Whether pages of this origin are of this server.
    fn is_own(&self, origin: &str, request: &Request<Bytes>) -> bool {
        let own = self.url_of(request, "");
        if self.options.public_url.is_some() {
            return origin == own;
        }
        // A proxy may have taken TLS off: the scheme is whatever the page says, and
        // so is the port that need not be named.
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
            Durability::Confirmed => self.archive.sync(),
            Durability::Later => Ok(()),
        }
    }

    fn with_cors(&self, reply: Reply) -> Reply {
        let Some(origin) = &self.options.allow_origin else { return reply };
        reply
            .with(ACCESS_CONTROL_ALLOW_ORIGIN, origin)
            .with(ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, PUT, POST, DELETE")
            .with(ACCESS_CONTROL_ALLOW_HEADERS, "accept, authorization, content-type")
            .with(VARY, "accept, origin")
    }
}

/// Everything the client accepts, in one line.
fn accepted(request: &Request<Bytes>) -> String {
    let fields = request.headers().get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    fields.collect::<Vec<_>>().join(",")
}

/// An archive that failed.
fn failed(error: &ArchiveError) -> Problem {
    tracing::error!(%error, "the archive failed while it answered a request");
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}

/// A body that is held in memory.
struct Gathering<'a>(&'a mut Vec<u8>);

impl Write for Gathering<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
