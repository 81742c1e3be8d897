//! The SPARQL 1.1 Graph Store HTTP Protocol.
//!
//! Graphs are named by `?graph=IRI`, `?default`, or by the address itself, if
//! it is below that of the store. The store's own address stands for all of
//! it: `GET` gives every quad, `POST` of triples makes a graph with a new
//! name, and `POST` of quads adds them where they say (these two readings of
//! the store's address are ours and Oxigraph's; the protocol has but the
//! middle one).

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::LOCATION;
use http::{Method, Request, StatusCode};
use oxrdf::{GraphName, GraphNameRef, NamedNode, NamedOrBlankNodeRef, Quad};

use super::media::{MediaType, Syntax, fresh_graph, salt};
use super::multipart;
use super::operation::timeout;
use super::parameters::{Parameters, graph_name};
use super::problem::Problem;
use super::reply::{Reply, gone};
use super::write::{Shape, Writer, negotiate};
use super::{Endpoint, accepted, failed};
use crate::sparql::{CancellationToken, Stopped};
use crate::{ArchiveError, Snapshot};

/// What a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    Graph(NamedNode),
    DefaultGraph,
    Store,
}

impl Subject {
    fn of(url: &str, store_url: &str, parameters: &Parameters) -> Result<Self, Problem> {
        match (parameters.one("graph")?, parameters.contains("default")) {
            (Some(_), true) => Err(Problem::bad_request("give either `graph` or `default`, not both")),
            (Some(graph), false) => Ok(Self::Graph(graph_name("graph", graph)?)),
            (None, true) => Ok(Self::DefaultGraph),
            (None, false) if url.trim_end_matches('/') == store_url => Ok(Self::Store),
            (None, false) => Ok(Self::Graph(graph_name("the address", url)?)),
        }
    }

    fn exists(&self, snapshot: &Snapshot) -> Result<bool, ArchiveError> {
        match self {
            Self::Graph(graph) => snapshot.contains_named_graph(graph.as_ref().into()),
            Self::DefaultGraph => Ok(snapshot.graph_len(GraphNameRef::DefaultGraph)? > 0),
            Self::Store => Ok(true),
        }
    }

    fn missing(&self) -> Problem {
        let detail = match self {
            Self::Graph(graph) => format!("there is no graph {graph}"),
            Self::DefaultGraph | Self::Store => "there is nothing".to_owned(),
        };
        Problem::new(StatusCode::NOT_FOUND, detail)
    }
}

/// Answers a request to a graph store at this address.
pub(super) fn answer(endpoint: &Endpoint, request: &Request<Bytes>, url: &str) -> Result<Reply, Problem> {
    let store_url = endpoint.url_of(request, &endpoint.options.store_path);
    let parameters = Parameters::parse(request.uri().query().unwrap_or_default())?;
    let subject = Subject::of(url, &store_url, &parameters)?;
    match *request.method() {
        Method::GET => read(endpoint, request, &subject, &parameters),
        Method::HEAD => read(endpoint, request, &subject, &parameters).map(Reply::head_only),
        Method::PUT | Method::POST | Method::DELETE => {
            endpoint.check_writing(request)?;
            match *request.method() {
                Method::PUT => put(endpoint, request, url, &subject),
                Method::POST => post(endpoint, request, url, &subject),
                _ => delete(endpoint, &subject),
            }
        }
        _ => Err(Problem::method("GET, HEAD, PUT, POST, DELETE, OPTIONS")),
    }
}

fn read(
    endpoint: &Endpoint,
    request: &Request<Bytes>,
    subject: &Subject,
    parameters: &Parameters,
) -> Result<Reply, Problem> {
    let options = &endpoint.options.query;
    let patience = Patience::new(options.cancel.clone(), timeout(parameters, options.timeout)?);
    let snapshot = endpoint.archive.snapshot();
    if *subject != Subject::DefaultGraph && !subject.exists(&snapshot).map_err(|error| failed(&error))? {
        return Err(subject.missing());
    }
    let shape = if *subject == Subject::Store { Shape::Quads } else { Shape::Triples };
    let format = negotiate(&accepted(request), shape)?;
    let graph = match subject {
        Subject::Graph(graph) => Some(GraphName::from(graph.clone())),
        Subject::DefaultGraph => Some(GraphName::DefaultGraph),
        Subject::Store => None,
    };
    let body = move |into: &mut dyn std::io::Write| {
        let mut writer = Writer::new(format, shape, into);
        for quad in snapshot.quads(None, None, None, graph.as_ref().map(GraphName::as_ref)) {
            patience.check().map_err(|stopped| Problem::stopped(format!("reading was stopped: {stopped}")))?;
            let quad = quad.map_err(|error| failed(&error))?;
            writer.write(quad.as_ref()).map_err(|error| gone(&error))?;
        }
        writer.finish().map_err(|error| gone(&error))
    };
    Ok(Reply::written(format.media_type(), Box::new(body)))
}

/// For how long a graph is read: it takes a seat among queries, and no longer than they.
struct Patience {
    cancel: CancellationToken,
    /// A moment too far away to be counted is none.
    deadline: Option<(Instant, Duration)>,
}

impl Patience {
    fn new(cancel: CancellationToken, timeout: Option<Duration>) -> Self {
        Self { cancel, deadline: timeout.and_then(|timeout| Some((now().checked_add(timeout)?, timeout))) }
    }

    fn check(&self) -> Result<(), Stopped> {
        match self.deadline {
            _ if self.cancel.is_cancelled() => Err(Stopped::Cancelled),
            Some((deadline, timeout)) if deadline <= now() => Err(Stopped::Time(timeout)),
            _ => Ok(()),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the time of a request is that of whoever waits for it, not a crawl's")]
fn now() -> Instant {
    Instant::now()
}

fn put(endpoint: &Endpoint, request: &Request<Bytes>, url: &str, subject: &Subject) -> Result<Reply, Problem> {
    let graph = match subject {
        Subject::Graph(graph) => GraphName::from(graph.clone()),
        Subject::DefaultGraph => GraphName::DefaultGraph,
        Subject::Store => return Err(Problem::bad_request("name a graph: ?graph=IRI or ?default")),
    };
    let quads = body(request, url, &graph)?;
    let existed = change(endpoint, subject, |transaction| {
        transaction.clear_graph(graph.as_ref())?;
        create(transaction, &graph)?;
        quads.iter().try_for_each(|quad| transaction.insert(quad.as_ref()))
    })?;
    Ok(Reply::empty(if existed { StatusCode::NO_CONTENT } else { StatusCode::CREATED }))
}

fn post(endpoint: &Endpoint, request: &Request<Bytes>, url: &str, subject: &Subject) -> Result<Reply, Problem> {
    let has_graphs = MediaType::of(request.headers())?
        .is_some_and(|media_type| Syntax::of(&media_type.essence).is_ok_and(Syntax::has_graphs));
    let (subject, graph) = match subject {
        Subject::Graph(graph) => (subject.clone(), GraphName::from(graph.clone())),
        Subject::DefaultGraph => (Subject::DefaultGraph, GraphName::DefaultGraph),
        Subject::Store if has_graphs => (Subject::Store, GraphName::DefaultGraph),
        Subject::Store => {
            let graph = fresh_graph(url);
            (Subject::Graph(graph.clone()), graph.into())
        }
    };
    let quads = if subject == Subject::Store { whole_body(request, url)? } else { body(request, url, &graph)? };
    let existed = change(endpoint, &subject, |transaction| {
        create(transaction, &graph)?;
        quads.iter().try_for_each(|quad| transaction.insert(quad.as_ref()))
    })?;
    match (existed, &subject) {
        (true, _) | (_, Subject::Store) => Ok(Reply::empty(StatusCode::OK)),
        (false, Subject::Graph(graph)) => Ok(Reply::empty(StatusCode::CREATED).with(LOCATION, graph.as_str())),
        (false, Subject::DefaultGraph) => Ok(Reply::empty(StatusCode::CREATED)),
    }
}

fn delete(endpoint: &Endpoint, subject: &Subject) -> Result<Reply, Problem> {
    let graph = match subject {
        Subject::Graph(graph) => GraphName::from(graph.clone()),
        Subject::DefaultGraph => GraphName::DefaultGraph,
        Subject::Store => return Err(Problem::bad_request("name a graph: ?graph=IRI or ?default")),
    };
    let existed = change(endpoint, subject, |transaction| transaction.drop_graph(graph.as_ref()))?;
    if existed || *subject == Subject::DefaultGraph { Ok(Reply::empty(StatusCode::OK)) } else { Err(subject.missing()) }
}

/// Changes the archive in one transaction. Tells whether the subject existed.
fn change(
    endpoint: &Endpoint,
    subject: &Subject,
    change: impl FnOnce(&mut crate::Transaction<'_>) -> Result<(), ArchiveError>,
) -> Result<bool, Problem> {
    let attempt = || {
        let mut transaction = endpoint.archive.begin();
        // Nobody else writes while this transaction lives.
        let existed = subject.exists(&endpoint.archive.snapshot())?;
        change(&mut transaction)?;
        transaction.commit()?;
        endpoint.make_durable()?;
        Ok(existed)
    };
    attempt().map_err(|error: ArchiveError| failed(&error))
}

fn create(transaction: &mut crate::Transaction<'_>, graph: &GraphName) -> Result<(), ArchiveError> {
    match graph {
        GraphName::NamedNode(graph) => transaction.create_graph(NamedOrBlankNodeRef::from(graph.as_ref())),
        GraphName::BlankNode(_) | GraphName::DefaultGraph => Ok(()),
    }
}

/// The statements of a body, all of which belong to one graph.
fn body(request: &Request<Bytes>, base: &str, graph: &GraphName) -> Result<Vec<Quad>, Problem> {
    let mut quads = whole_body(request, base)?;
    for quad in &mut quads {
        if quad.graph_name != GraphName::DefaultGraph && quad.graph_name != *graph {
            return Err(Problem::bad_request("the body has graphs of its own"));
        }
        quad.graph_name = graph.clone();
    }
    Ok(quads)
}

fn whole_body(request: &Request<Bytes>, base: &str) -> Result<Vec<Quad>, Problem> {
    let untold = || Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body has no content type");
    let media_type = MediaType::of(request.headers())?.ok_or_else(untold)?;
    if media_type.essence != "multipart/form-data" {
        return Syntax::of(&media_type.essence)?.read(request.body(), base, &salt());
    }
    let boundary = media_type.parameter("boundary");
    let boundary = boundary.ok_or_else(|| Problem::bad_request("multipart/form-data without a boundary"))?;
    let mut quads = Vec::new();
    for part in multipart::parts(request.body(), boundary)? {
        let media_type = part.media_type.ok_or_else(untold)?;
        quads.extend(Syntax::of(&media_type.essence)?.read(part.bytes, base, &salt())?);
    }
    Ok(quads)
}
