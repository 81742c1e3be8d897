//! The SPARQL 1.1 Graph Store HTTP Protocol.
//!
//! A graph is identified by `?graph=IRI`, by `?default`, or by the request URL if that is below the
//! URL of the store. The URL of the store itself stands for the whole store: `GET` returns every
//! quad, `POST` of triples creates a graph with a new name, and `POST` of quads adds them to the
//! graphs they name. The protocol defines only `POST` of triples; the other two are extensions,
//! shared with Oxigraph.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::LOCATION;
use http::{Method, Request, StatusCode};
use lodeward_rdf::{QuadWriter, RdfFormat};
use oxrdf::{GraphName, GraphNameRef, NamedNode, NamedOrBlankNodeRef, Quad, QuadRef};

use super::multipart;
use super::operation::parse_timeout;
use super::parameters::{ProtocolParameters, parse_graph_name};
use super::problem::ProtocolProblem;
use super::rdf_body::{body_format, body_type, new_graph_name, parse_rdf, response_format};
use super::response::{ProtocolResponse, write_problem};
use super::{ProtocolEndpoint, accept_header, archive_problem};
use crate::sparql::{CancellationToken, QueryLimit, ResultFormat, UpdateError};
use crate::{ArchiveError, Snapshot};

/// The part of the archive that a request reads or changes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum GraphStoreTarget {
    Graph(NamedNode),
    DefaultGraph,
    Store,
}

impl GraphStoreTarget {
    fn from_request(url: &str, store_url: &str, parameters: &ProtocolParameters) -> Result<Self, ProtocolProblem> {
        match (parameters.single("graph")?, parameters.contains("default")) {
            (Some(_), true) => Err(ProtocolProblem::bad_request("`graph` and `default` cannot be combined")),
            (Some(graph), false) => Ok(Self::Graph(parse_graph_name("graph", graph)?)),
            (None, true) => Ok(Self::DefaultGraph),
            (None, false) if url.trim_end_matches('/') == store_url => Ok(Self::Store),
            (None, false) => Ok(Self::Graph(parse_graph_name("the request URL", url)?)),
        }
    }

    fn exists(&self, snapshot: &Snapshot) -> Result<bool, ArchiveError> {
        match self {
            Self::Graph(graph) => Ok(snapshot.contains_named_graph(graph.as_ref().into())?
                || snapshot.provenance_graph(graph.as_ref())?.is_some()),
            Self::DefaultGraph => Ok(snapshot.graph_len(GraphNameRef::DefaultGraph)? > 0),
            Self::Store => Ok(true),
        }
    }

    /// Provenance graphs cannot be changed.
    fn check_changeable(&self, snapshot: &Snapshot) -> Result<(), ProtocolProblem> {
        let Self::Graph(graph) = self else { return Ok(()) };
        match snapshot.provenance_graph(graph.as_ref()).map_err(|error| archive_problem(&error))? {
            Some(_) => {
                let detail = UpdateError::ProvenanceGraph(graph.clone()).to_string();
                Err(ProtocolProblem::new(StatusCode::CONFLICT, detail))
            }
            None => Ok(()),
        }
    }

    fn not_found(&self) -> ProtocolProblem {
        let detail = match self {
            Self::Graph(graph) => format!("graph {graph} does not exist"),
            Self::DefaultGraph | Self::Store => "the default graph is empty".to_owned(),
        };
        ProtocolProblem::new(StatusCode::NOT_FOUND, detail)
    }
}

/// Handles a request to the graph store.
pub(super) fn handle(
    endpoint: &ProtocolEndpoint,
    request: &Request<Bytes>,
    url: &str,
) -> Result<ProtocolResponse, ProtocolProblem> {
    let store_url = endpoint.request_url(request, &endpoint.options.store_path);
    let parameters = ProtocolParameters::parse(request.uri().query().unwrap_or_default())?;
    let target = GraphStoreTarget::from_request(url, &store_url, &parameters)?;
    match *request.method() {
        Method::GET => read(endpoint, request, &target, &parameters),
        Method::HEAD => read(endpoint, request, &target, &parameters).map(ProtocolResponse::without_body),
        Method::PUT | Method::POST | Method::DELETE => {
            endpoint.check_write_access(request)?;
            target.check_changeable(&endpoint.archive.snapshot())?;
            match *request.method() {
                Method::PUT => put(endpoint, request, url, &target),
                Method::POST => post(endpoint, request, url, &target),
                _ => delete(endpoint, &target),
            }
        }
        _ => Err(ProtocolProblem::method_not_allowed("GET, HEAD, PUT, POST, DELETE, OPTIONS")),
    }
}

fn read(
    endpoint: &ProtocolEndpoint,
    request: &Request<Bytes>,
    target: &GraphStoreTarget,
    parameters: &ProtocolParameters,
) -> Result<ProtocolResponse, ProtocolProblem> {
    let options = &endpoint.options.query;
    let deadline = ReadDeadline::new(options.cancel.clone(), parse_timeout(parameters, options.timeout)?);
    let snapshot = endpoint.archive.snapshot();
    if *target != GraphStoreTarget::DefaultGraph
        && !target.exists(&snapshot).map_err(|error| archive_problem(&error))?
    {
        return Err(target.not_found());
    }
    let names_graphs = *target == GraphStoreTarget::Store;
    let format = response_format(&accept_header(request), names_graphs)?;
    let graph = match target {
        GraphStoreTarget::Graph(graph) => Some(GraphName::from(graph.clone())),
        GraphStoreTarget::DefaultGraph => Some(GraphName::DefaultGraph),
        GraphStoreTarget::Store => None,
    };
    let body = move |into: &mut dyn std::io::Write| {
        let mut writer = QuadWriter::new(format, into).map_err(|error| write_problem(&error))?;
        let quads = snapshot.quads(None, None, None, graph.as_ref().map(GraphName::as_ref));
        for quad in quads.chain(provenance_quads(&snapshot, graph.as_ref())) {
            deadline.check().map_err(|stopped| ProtocolProblem::query_limit(format!("reading stopped: {stopped}")))?;
            let quad = quad.map_err(|error| archive_problem(&error))?;
            let graph_name = if names_graphs { quad.graph_name.as_ref() } else { GraphNameRef::DefaultGraph };
            writer.write(QuadRef { graph_name, ..quad.as_ref() }).map_err(|error| write_problem(&error))?;
        }
        writer.finish().map(drop).map_err(|error| write_problem(&error))
    };
    Ok(ProtocolResponse::from_writer(ResultFormat::Rdf(format).media_type(), Box::new(body)))
}

/// The provenance quads of a graph.
fn provenance_quads(snapshot: &Snapshot, graph: Option<&GraphName>) -> Vec<Result<Quad, ArchiveError>> {
    let Some(GraphName::NamedNode(name)) = graph else { return Vec::new() };
    match snapshot.provenance_graph(name.as_ref()) {
        Ok(quads) => quads.into_iter().flatten().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    }
}

/// The time limit for reading a graph. It is the time limit of queries, because reading a graph
/// occupies a query slot.
struct ReadDeadline {
    cancel: CancellationToken,
    /// The deadline and its timeout. `None` if there is no timeout, or if the deadline is beyond
    /// the range of `Instant`.
    deadline: Option<(Instant, Duration)>,
}

impl ReadDeadline {
    fn new(cancel: CancellationToken, timeout: Option<Duration>) -> Self {
        Self { cancel, deadline: timeout.and_then(|timeout| Some((now().checked_add(timeout)?, timeout))) }
    }

    fn check(&self) -> Result<(), QueryLimit> {
        match self.deadline {
            _ if self.cancel.is_cancelled() => Err(QueryLimit::Cancelled),
            Some((deadline, timeout)) if deadline <= now() => Err(QueryLimit::Time(timeout)),
            _ => Ok(()),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "request timeouts use real time, not the clock of a crawl")]
fn now() -> Instant {
    Instant::now()
}

fn put(
    endpoint: &ProtocolEndpoint,
    request: &Request<Bytes>,
    url: &str,
    target: &GraphStoreTarget,
) -> Result<ProtocolResponse, ProtocolProblem> {
    let graph = match target {
        GraphStoreTarget::Graph(graph) => GraphName::from(graph.clone()),
        GraphStoreTarget::DefaultGraph => GraphName::DefaultGraph,
        GraphStoreTarget::Store => return Err(ProtocolProblem::bad_request("no graph: set ?graph=IRI or ?default")),
    };
    let quads = parse_body_into_graph(request, url, &graph)?;
    let existed = apply_change(endpoint, target, |transaction| {
        transaction.clear_graph(graph.as_ref())?;
        create_named_graph(transaction, &graph)?;
        quads.iter().try_for_each(|quad| transaction.insert(quad.as_ref()))
    })?;
    Ok(ProtocolResponse::empty(if existed { StatusCode::NO_CONTENT } else { StatusCode::CREATED }))
}

fn post(
    endpoint: &ProtocolEndpoint,
    request: &Request<Bytes>,
    url: &str,
    target: &GraphStoreTarget,
) -> Result<ProtocolResponse, ProtocolProblem> {
    let has_graphs = body_type(request.headers())?
        .is_some_and(|media_type| body_format(&media_type).is_ok_and(RdfFormat::has_graphs));
    let (target, graph) = match target {
        GraphStoreTarget::Graph(graph) => (target.clone(), GraphName::from(graph.clone())),
        GraphStoreTarget::DefaultGraph => (GraphStoreTarget::DefaultGraph, GraphName::DefaultGraph),
        GraphStoreTarget::Store if has_graphs => (GraphStoreTarget::Store, GraphName::DefaultGraph),
        GraphStoreTarget::Store => {
            let graph = new_graph_name(url);
            (GraphStoreTarget::Graph(graph.clone()), graph.into())
        }
    };
    let quads = if target == GraphStoreTarget::Store {
        parse_body(request, url)?
    } else {
        parse_body_into_graph(request, url, &graph)?
    };
    let existed = apply_change(endpoint, &target, |transaction| {
        create_named_graph(transaction, &graph)?;
        quads.iter().try_for_each(|quad| transaction.insert(quad.as_ref()))
    })?;
    match (existed, &target) {
        (true, _) | (_, GraphStoreTarget::Store) => Ok(ProtocolResponse::empty(StatusCode::OK)),
        (false, GraphStoreTarget::Graph(graph)) => {
            Ok(ProtocolResponse::empty(StatusCode::CREATED).with_header(LOCATION, graph.as_str()))
        }
        (false, GraphStoreTarget::DefaultGraph) => Ok(ProtocolResponse::empty(StatusCode::CREATED)),
    }
}

fn delete(endpoint: &ProtocolEndpoint, target: &GraphStoreTarget) -> Result<ProtocolResponse, ProtocolProblem> {
    let graph = match target {
        GraphStoreTarget::Graph(graph) => GraphName::from(graph.clone()),
        GraphStoreTarget::DefaultGraph => GraphName::DefaultGraph,
        GraphStoreTarget::Store => return Err(ProtocolProblem::bad_request("no graph: set ?graph=IRI or ?default")),
    };
    let existed = apply_change(endpoint, target, |transaction| transaction.drop_graph(graph.as_ref()))?;
    if existed || *target == GraphStoreTarget::DefaultGraph {
        Ok(ProtocolResponse::empty(StatusCode::OK))
    } else {
        Err(target.not_found())
    }
}

/// Changes the archive in one transaction. Returns whether the target existed before.
fn apply_change(
    endpoint: &ProtocolEndpoint,
    target: &GraphStoreTarget,
    change: impl FnOnce(&mut crate::Transaction<'_>) -> Result<(), ArchiveError>,
) -> Result<bool, ProtocolProblem> {
    let deadline = ReadDeadline::new(endpoint.options.update.cancel.clone(), endpoint.options.update.timeout);
    let waiting = |stopped| ProtocolProblem::query_limit(format!("waiting for another writer: {stopped}"));
    let mut transaction = endpoint.archive.begin_unless(|| deadline.check().map_err(waiting))?;
    let attempt = || {
        // The check is reliable: no other writer can run while this transaction exists.
        let existed = target.exists(&endpoint.archive.snapshot())?;
        change(&mut transaction)?;
        transaction.commit()?;
        endpoint.make_durable()?;
        Ok(existed)
    };
    attempt().map_err(|error: ArchiveError| archive_problem(&error))
}

fn create_named_graph(transaction: &mut crate::Transaction<'_>, graph: &GraphName) -> Result<(), ArchiveError> {
    match graph {
        GraphName::NamedNode(graph) => transaction.create_graph(NamedOrBlankNodeRef::from(graph.as_ref())),
        GraphName::BlankNode(_) | GraphName::DefaultGraph => Ok(()),
    }
}

/// The statements of a body, all in one graph.
fn parse_body_into_graph(
    request: &Request<Bytes>,
    base: &str,
    graph: &GraphName,
) -> Result<Vec<Quad>, ProtocolProblem> {
    let mut quads = parse_body(request, base)?;
    for quad in &mut quads {
        if quad.graph_name != GraphName::DefaultGraph && quad.graph_name != *graph {
            return Err(ProtocolProblem::bad_request("the body contains named graphs other than the target graph"));
        }
        quad.graph_name = graph.clone();
    }
    Ok(quads)
}

fn parse_body(request: &Request<Bytes>, base: &str) -> Result<Vec<Quad>, ProtocolProblem> {
    let missing_type = || ProtocolProblem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the body has no Content-Type");
    let media_type = body_type(request.headers())?.ok_or_else(missing_type)?;
    if media_type.essence != "multipart/form-data" {
        return parse_rdf(request.body(), &media_type, base);
    }
    let boundary = media_type.parameter("boundary");
    let boundary = boundary.ok_or_else(|| ProtocolProblem::bad_request("the Content-Type has no boundary"))?;
    let mut quads = Vec::new();
    for part in multipart::parse_parts(request.body(), boundary)? {
        let media_type = part.media_type.ok_or_else(missing_type)?;
        quads.extend(parse_rdf(part.bytes, &media_type, base)?);
    }
    Ok(quads)
}
