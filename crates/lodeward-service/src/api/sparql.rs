//! The routes of the archive, with their OpenAPI descriptions.
//!
//! Handlers pass requests on unchanged: the protocols define their contents.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::problem::Problem;
use crate::role::{Caller, Role};
use crate::route_rules::{BodyClass, RouteRules};
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    // The protocols check their parameters, and all requests have the time limit of queries. The
    // role for updates is a setting.
    let reads = RouteRules::reads(Role::Reader).without_timeout().lenient();
    let changes = RouteRules::changes(Role::Reader).body(BodyClass::Data).lenient();
    let queries = RouteRules::queries(Role::Reader).body(BodyClass::Data).lenient();
    OpenApiRouter::new()
        .routes(queries.on(routes!(query, query_or_update)))
        .routes(changes.on(routes!(update)))
        .routes(reads.on(routes!(read_graph)))
        .routes(changes.on(routes!(put_graph, add_to_graph, drop_graph)))
        .routes(reads.on(routes!(read_own_graph)))
        .routes(changes.on(routes!(put_own_graph, add_to_own_graph, drop_own_graph)))
}

type HandlerResult = Result<Response, Problem>;

async fn handle(service: &Service, caller: &Caller, request: Request) -> HandlerResult {
    service.archive_access.handle(&service.settings.current(), caller, request).await
}

/// A form with a query or an update, not both.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "the fields are only described here; the protocol module parses them")]
struct SparqlForm {
    /// Text of the query.
    query: Option<String>,
    /// Text of the update.
    update: Option<String>,
    /// Default graph of the query.
    #[serde(rename = "default-graph-uri")]
    default_graph_uri: Option<Vec<String>>,
    /// Named graphs of the query.
    #[serde(rename = "named-graph-uri")]
    named_graph_uri: Option<Vec<String>>,
    /// Default graph of the update.
    #[serde(rename = "using-graph-uri")]
    using_graph_uri: Option<Vec<String>>,
    /// Named graphs of the update.
    #[serde(rename = "using-named-graph-uri")]
    using_named_graph_uri: Option<Vec<String>>,
    /// Time limit in seconds, if it is lower than that of the service.
    #[schema(minimum = 1)]
    timeout: Option<f64>,
    /// Whether string functions accept IRIs, as many published queries expect.
    lenient: Option<bool>,
    /// Whether to include the provenance of documents; otherwise only provenance graphs that the request
    /// names are visible.
    #[serde(rename = "with-provenance")]
    with_provenance: Option<bool>,
}

/// Run a query
///
/// SPARQL 1.1 Protocol. Without parameters, the service description is returned. Outside of
/// `GRAPH`, a query reads the union of all graphs unless it has `FROM`.
#[utoipa::path(
    get, path = "/sparql", tag = "sparql",
    params(
        ("query" = Option<String>, Query, description = "The query"),
        ("default-graph-uri" = Option<Vec<String>>, Query, description = "Default graph"),
        ("named-graph-uri" = Option<Vec<String>>, Query, description = "Named graphs"),
        ("timeout" = Option<f64>, Query, minimum = 1, description = "Time limit in seconds, if it is lower than that of the service"),
        ("lenient" = Option<bool>, Query, description = "Whether string functions accept IRIs, as many published queries expect"),
        ("with-provenance" = Option<bool>, Query, description = "Whether to include the provenance of documents; otherwise only provenance graphs that the request names are visible"),
    ),
    responses(
        (status = 200, description = "The result, or the service description", content(
            (Value = "application/sparql-results+json"), (String = "application/sparql-results+xml"),
            (String = "text/csv"), (String = "text/tab-separated-values"), (String = "text/turtle"),
            (String = "application/n-triples"), (String = "application/rdf+xml"), (Value = "application/ld+json"),
            (String = "application/trig"), (String = "application/n-quads"),
        )),
        (status = 400, description = "The request is not valid SPARQL, or cannot be evaluated"),
        (status = 403, description = "The role of the user does not allow `SERVICE`, or the endpoint is on a private network"),
        (status = 406, description = "The client accepts none of the result formats"),
        (status = 502, description = "A remote endpoint of the request failed"),
        (status = 503, description = "A query limit was exceeded, or too many queries are running"),
    ),
)]
async fn query(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> HandlerResult {
    handle(&service, &caller, request).await
}

/// Run a query or an update
///
/// An update needs the role `service.update_role`. It is atomic, and durable when it is
/// confirmed.
#[utoipa::path(
    post, path = "/sparql", tag = "sparql",
    params(
        ("default-graph-uri" = Option<Vec<String>>, Query, description = "Default graph of a query"),
        ("named-graph-uri" = Option<Vec<String>>, Query, description = "Named graphs of a query"),
        ("using-graph-uri" = Option<Vec<String>>, Query, description = "Default graph of an update"),
        ("using-named-graph-uri" = Option<Vec<String>>, Query, description = "Named graphs of an update"),
        ("timeout" = Option<f64>, Query, minimum = 1, description = "Time limit in seconds, if it is lower than that of the service"),
        ("lenient" = Option<bool>, Query, description = "Whether string functions accept IRIs, as many published queries expect"),
        ("with-provenance" = Option<bool>, Query, description = "Whether to include the provenance of documents; otherwise only provenance graphs that the request names are visible"),
    ),
    request_body(content(
        (String = "application/sparql-query"), (String = "application/sparql-update"),
        (SparqlForm = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "The result of a query", content(
            (Value = "application/sparql-results+json"), (String = "application/sparql-results+xml"),
            (String = "text/csv"), (String = "text/tab-separated-values"), (String = "text/turtle"),
            (String = "application/n-triples"), (String = "application/rdf+xml"), (Value = "application/ld+json"),
            (String = "application/trig"), (String = "application/n-quads"),
        )),
        (status = 204, description = "Updated"),
        (status = 400, description = "The request is not valid SPARQL, or cannot be evaluated"),
        (status = 403, description = "The role of the user does not allow the update, `SERVICE` or `LOAD`"),
        (status = 404, description = "A graph to clear or drop does not exist"),
        (status = 406, description = "The client accepts none of the result formats"),
        (status = 409, description = "A graph to create already exists, or a graph to change is one of provenance"),
        (status = 415, description = "Unsupported media type"),
        (status = 502, description = "A remote endpoint of the request failed"),
        (status = 503, description = "A query limit was exceeded, or too many queries are running"),
    ),
)]
async fn query_or_update(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> HandlerResult {
    handle(&service, &caller, request).await
}

/// Update the archive
///
/// Needs the role `service.update_role`. An update is atomic, and durable when it is
/// confirmed.
#[utoipa::path(
    post, path = "/update", tag = "sparql",
    params(
        ("using-graph-uri" = Option<Vec<String>>, Query, description = "Default graph"),
        ("using-named-graph-uri" = Option<Vec<String>>, Query, description = "Named graphs"),
        ("timeout" = Option<f64>, Query, minimum = 1, description = "Time limit in seconds, if it is lower than that of the service"),
        ("lenient" = Option<bool>, Query, description = "Whether string functions accept IRIs, as many published queries expect"),
        ("with-provenance" = Option<bool>, Query, description = "Whether to include the provenance of documents; otherwise only provenance graphs that the request names are visible"),
    ),
    request_body(content(
        (String = "application/sparql-update"), (SparqlForm = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 204, description = "Updated"),
        (status = 400, description = "The request is not valid SPARQL, or cannot be evaluated"),
        (status = 403, description = "The role of the user does not allow the update, `SERVICE` or `LOAD`"),
        (status = 404, description = "A graph to clear or drop does not exist"),
        (status = 409, description = "A graph to create already exists, or a graph to change is one of provenance"),
        (status = 415, description = "Unsupported media type"),
        (status = 502, description = "A remote server of the request failed"),
        (status = 503, description = "A query limit was exceeded, or too many queries are running"),
    ),
)]
async fn update(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> HandlerResult {
    handle(&service, &caller, request).await
}

/// Declares the four operations of the Graph Store Protocol for a path.
macro_rules! graph_store {
    ($path:literal, $read:ident, $put:ident, $add:ident, $drop:ident, $($params:tt)*) => {
        /// Read a graph
        ///
        /// SPARQL 1.1 Graph Store HTTP Protocol. Without a graph, all graphs are returned, as
        /// quads, except those with provenance.
        #[utoipa::path(
            get, path = $path, tag = "graphs", params($($params)*),
            responses(
                (status = 200, description = "The graph", content(
                    (String = "text/turtle"), (String = "application/n-triples"), (String = "application/rdf+xml"),
                    (Value = "application/ld+json"), (String = "application/trig"), (String = "application/n-quads"),
                )),
                (status = 400, description = "The name of the graph is not an IRI"),
                (status = 404, description = "The graph does not exist"),
                (status = 406, description = "The client accepts none of the RDF formats"),
                (status = 503, description = "Too many queries are running"),
            ),
        )]
        async fn $read(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> HandlerResult {
            handle(&service, &caller, request).await
        }

        /// Create or replace a graph
        ///
        /// Needs the role `service.update_role`. Durable when it is confirmed.
        #[utoipa::path(
            put, path = $path, tag = "graphs", params($($params)*),
            request_body(content(
                (String = "text/turtle"), (String = "application/n-triples"), (String = "application/rdf+xml"),
                (String = "application/trig"), (String = "application/n-quads"),
            )),
            responses(
                (status = 201, description = "Created"),
                (status = 204, description = "Replaced"),
                (status = 400, description = "The body cannot be parsed, or the name of the graph is not an IRI"),
                (status = 403, description = "The role of the user does not allow changes to the archive"),
                (status = 409, description = "The graph is generated from a provenance record"),
                (status = 415, description = "Unsupported media type"),
                (status = 503, description = "Too many queries are running"),
            ),
        )]
        async fn $put(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> HandlerResult {
            handle(&service, &caller, request).await
        }

        /// Add to a graph
        ///
        /// Needs the role `service.update_role`. Without a graph, triples become a new graph
        /// (its URL is in `Location`), and quads are added to the graphs they name. Durable when
        /// it is confirmed.
        #[utoipa::path(
            post, path = $path, tag = "graphs", params($($params)*),
            request_body(content(
                (String = "text/turtle"), (String = "application/n-triples"), (String = "application/rdf+xml"),
                (String = "application/trig"), (String = "application/n-quads"), (String = "multipart/form-data"),
            )),
            responses(
                (status = 200, description = "Added"),
                (status = 201, description = "Created"),
                (status = 400, description = "The body cannot be parsed, or the name of the graph is not an IRI"),
                (status = 403, description = "The role of the user does not allow changes to the archive"),
                (status = 409, description = "The graph is generated from a provenance record"),
                (status = 415, description = "Unsupported media type"),
                (status = 503, description = "Too many queries are running"),
            ),
        )]
        async fn $add(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> HandlerResult {
            handle(&service, &caller, request).await
        }

        /// Delete a graph
        ///
        /// Needs the role `service.update_role`.
        #[utoipa::path(
            delete, path = $path, tag = "graphs", params($($params)*),
            responses(
                (status = 200, description = "Deleted"),
                (status = 400, description = "The name of the graph is not an IRI"),
                (status = 403, description = "The role of the user does not allow changes to the archive"),
                (status = 409, description = "The graph is generated from a provenance record"),
                (status = 404, description = "The graph does not exist"),
                (status = 503, description = "Too many queries are running"),
            ),
        )]
        async fn $drop(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> HandlerResult {
            handle(&service, &caller, request).await
        }
    };
}

graph_store!(
    "/store", read_graph, put_graph, add_to_graph, drop_graph,
    ("graph" = Option<String>, Query, description = "Name of the graph"),
    ("default" = Option<String>, Query, description = "Selects the default graph; the value is ignored")
);

graph_store!(
    "/store/{name}",
    read_own_graph,
    put_own_graph,
    add_to_own_graph,
    drop_own_graph,
    ("name" = String, Path, description = "Name of a graph whose IRI is this URL")
);
