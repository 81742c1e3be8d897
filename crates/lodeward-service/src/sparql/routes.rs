//! The addresses of the archive, as the OpenAPI document tells of them.
//!
//! Handlers hand requests on as they are: the protocols say what is in them.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::problem::Problem;
use crate::role::Caller;
use crate::service::Service;

pub(crate) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(routes!(query, query_or_update))
        .routes(routes!(update))
        .routes(routes!(read_graph, put_graph, add_to_graph, drop_graph))
        .routes(routes!(read_own_graph, put_own_graph, add_to_own_graph, drop_own_graph))
}

type Answer = Result<Response, Problem>;

async fn answer(service: &Service, caller: &Caller, request: Request) -> Answer {
    service.counter.answer(&service.settings.now(), caller, request).await
}

/// A form with a query or an update; never both.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "it is described here, and read where the protocol is")]
struct SparqlForm {
    /// A query.
    query: Option<String>,
    /// An update.
    update: Option<String>,
    /// Graphs that are the default graph of the query.
    #[serde(rename = "default-graph-uri")]
    default_graph_uri: Option<Vec<String>>,
    /// Graphs that the query may name.
    #[serde(rename = "named-graph-uri")]
    named_graph_uri: Option<Vec<String>>,
    /// Graphs that are the default graph of the update.
    #[serde(rename = "using-graph-uri")]
    using_graph_uri: Option<Vec<String>>,
    /// Graphs that the update may name.
    #[serde(rename = "using-named-graph-uri")]
    using_named_graph_uri: Option<Vec<String>>,
    /// Seconds after which it is given up, if that is less than the service allows.
    #[schema(minimum = 1)]
    timeout: Option<f64>,
    /// Whether string functions take IRIs, as published queries expect it.
    lenient: Option<bool>,
}

/// Ask a query
///
/// As the SPARQL 1.1 Protocol says. Without parameters, a description of the service.
/// Outside of `GRAPH`, a query sees all graphs together, unless it names some.
#[utoipa::path(
    get, path = "/sparql", tag = "sparql",
    params(
        ("query" = Option<String>, Query, description = "The query"),
        ("default-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that are the default graph"),
        ("named-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that the query may name"),
        ("timeout" = Option<f64>, Query, minimum = 1, description = "Seconds after which it is given up, if that is less than the service allows"),
        ("lenient" = Option<bool>, Query, description = "Whether string functions take IRIs, as published queries expect it"),
    ),
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 200, description = "The answer, or the description of the service", content(
            (Value = "application/sparql-results+json"), (String = "application/sparql-results+xml"),
            (String = "text/csv"), (String = "text/tab-separated-values"), (String = "text/turtle"),
            (String = "application/n-triples"), (String = "application/rdf+xml"), (Value = "application/ld+json"),
            (String = "application/trig"), (String = "application/n-quads"),
        )),
        (status = 400, description = "It is not SPARQL, or cannot be evaluated"),
        (status = 403, description = "It asks others (SERVICE), which the caller may not, or not these"),
        (status = 406, description = "Its answer cannot be had in a form that the client takes"),
        (status = 502, description = "Another endpoint did not answer"),
        (status = 503, description = "It was stopped at a bound, or too many queries are under way"),
    ),
)]
async fn query(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> Answer {
    answer(&service, &caller, request).await
}

/// Ask a query, or update the archive
///
/// An update takes the role `service.update_role`. It is done as a whole or not at all,
/// and is there to stay when it is answered.
#[utoipa::path(
    post, path = "/sparql", tag = "sparql",
    params(
        ("default-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that are the default graph of a query"),
        ("named-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that a query may name"),
        ("using-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that are the default graph of an update"),
        ("using-named-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that an update may name"),
        ("timeout" = Option<f64>, Query, minimum = 1, description = "Seconds after which it is given up, if that is less than the service allows"),
        ("lenient" = Option<bool>, Query, description = "Whether string functions take IRIs, as published queries expect it"),
    ),
    request_body(content(
        (String = "application/sparql-query"), (String = "application/sparql-update"),
        (SparqlForm = "application/x-www-form-urlencoded"),
    )),
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 200, description = "The answer to a query", content(
            (Value = "application/sparql-results+json"), (String = "application/sparql-results+xml"),
            (String = "text/csv"), (String = "text/tab-separated-values"), (String = "text/turtle"),
            (String = "application/n-triples"), (String = "application/rdf+xml"), (Value = "application/ld+json"),
            (String = "application/trig"), (String = "application/n-quads"),
        )),
        (status = 204, description = "The update is done"),
        (status = 400, description = "It is not SPARQL, or cannot be evaluated"),
        (status = 403, description = "It is an update or asks others, which the caller may not"),
        (status = 404, description = "It clears or drops a graph that there is not"),
        (status = 406, description = "Its answer cannot be had in a form that the client takes"),
        (status = 409, description = "It creates a graph that there is"),
        (status = 415, description = "Not a media type that is read here"),
        (status = 502, description = "Another endpoint did not answer"),
        (status = 503, description = "It was stopped at a bound, or too many queries are under way"),
    ),
)]
async fn query_or_update(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> Answer {
    answer(&service, &caller, request).await
}

/// Update the archive
///
/// Takes the role `service.update_role`. Done as a whole or not at all, and there to
/// stay when it is answered.
#[utoipa::path(
    post, path = "/update", tag = "sparql",
    params(
        ("using-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that are the default graph"),
        ("using-named-graph-uri" = Option<Vec<String>>, Query, description = "Graphs that it may name"),
        ("timeout" = Option<f64>, Query, minimum = 1, description = "Seconds after which it is given up, if that is less than the service allows"),
        ("lenient" = Option<bool>, Query, description = "Whether string functions take IRIs, as published queries expect it"),
    ),
    request_body(content(
        (String = "application/sparql-update"), (SparqlForm = "application/x-www-form-urlencoded"),
    )),
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 204, description = "The update is done"),
        (status = 400, description = "It is not SPARQL, or cannot be evaluated"),
        (status = 403, description = "The caller may not update, or not ask others (LOAD, SERVICE)"),
        (status = 404, description = "It clears or drops a graph that there is not"),
        (status = 409, description = "It creates a graph that there is"),
        (status = 415, description = "Not a media type that is read here"),
        (status = 502, description = "Another server did not answer"),
        (status = 503, description = "It was stopped at a bound, or too many queries are under way"),
    ),
)]
async fn update(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> Answer {
    answer(&service, &caller, request).await
}

/// Declares the four operations of the Graph Store Protocol at an address.
macro_rules! graph_store {
    ($path:literal, $read:ident, $put:ident, $add:ident, $drop:ident, $($params:tt)*) => {
        /// Read a graph
        ///
        /// As the SPARQL 1.1 Graph Store HTTP Protocol says. The address of the store
        /// itself stands for all graphs, as quads.
        #[utoipa::path(
            get, path = $path, tag = "graphs", params($($params)*),
            security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
            responses(
                (status = 200, description = "The graph", content(
                    (String = "text/turtle"), (String = "application/n-triples"), (String = "application/rdf+xml"),
                    (Value = "application/ld+json"), (String = "application/trig"), (String = "application/n-quads"),
                )),
                (status = 400, description = "The graph is not named by an IRI"),
                (status = 404, description = "There is no such graph"),
                (status = 406, description = "It cannot be had in a form that the client takes"),
                (status = 503, description = "Too many queries are under way"),
            ),
        )]
        async fn $read(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> Answer {
            answer(&service, &caller, request).await
        }

        /// Put a graph in the place of what was there
        ///
        /// Takes the role `service.update_role`. There to stay when it is answered.
        #[utoipa::path(
            put, path = $path, tag = "graphs", params($($params)*),
            request_body(content(
                (String = "text/turtle"), (String = "application/n-triples"), (String = "application/rdf+xml"),
                (String = "application/trig"), (String = "application/n-quads"),
            )),
            security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
            responses(
                (status = 201, description = "It is there now"),
                (status = 204, description = "It has taken the place of what was there"),
                (status = 400, description = "The body cannot be read, or the graph is not named by an IRI"),
                (status = 403, description = "The caller may not change the archive"),
                (status = 415, description = "Not a media type that is read here"),
                (status = 503, description = "Too many queries are under way"),
            ),
        )]
        async fn $put(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> Answer {
            answer(&service, &caller, request).await
        }

        /// Add to a graph
        ///
        /// Takes the role `service.update_role`. At the address of the store itself,
        /// triples become a graph with a new name (`Location` says which), and quads go
        /// where they say. There to stay when it is answered.
        #[utoipa::path(
            post, path = $path, tag = "graphs", params($($params)*),
            request_body(content(
                (String = "text/turtle"), (String = "application/n-triples"), (String = "application/rdf+xml"),
                (String = "application/trig"), (String = "application/n-quads"), (String = "multipart/form-data"),
            )),
            security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
            responses(
                (status = 200, description = "It was added"),
                (status = 201, description = "There is a new graph"),
                (status = 400, description = "The body cannot be read, or the graph is not named by an IRI"),
                (status = 403, description = "The caller may not change the archive"),
                (status = 415, description = "Not a media type that is read here"),
                (status = 503, description = "Too many queries are under way"),
            ),
        )]
        async fn $add(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> Answer {
            answer(&service, &caller, request).await
        }

        /// Remove a graph
        ///
        /// Takes the role `service.update_role`.
        #[utoipa::path(
            delete, path = $path, tag = "graphs", params($($params)*),
            security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
            responses(
                (status = 200, description = "It is gone"),
                (status = 400, description = "The graph is not named by an IRI"),
                (status = 403, description = "The caller may not change the archive"),
                (status = 404, description = "There is no such graph"),
                (status = 503, description = "Too many queries are under way"),
            ),
        )]
        async fn $drop(State(service): State<Arc<Service>>, caller: Caller, request: Request) -> Answer {
            answer(&service, &caller, request).await
        }
    };
}

graph_store!(
    "/store", read_graph, put_graph, add_to_graph, drop_graph,
    ("graph" = Option<String>, Query, description = "The name of the graph"),
    ("default" = Option<String>, Query, description = "The default graph is meant; its value does not matter")
);

graph_store!(
    "/store/{name}",
    read_own_graph,
    put_own_graph,
    add_to_own_graph,
    drop_own_graph,
    ("name" = String, Path, description = "A graph that is named by this very address")
);
