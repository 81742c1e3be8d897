//! What may be chosen for one query or one update.

use std::sync::Arc;
use std::time::Duration;

use oxrdf::NamedNode;

use super::cancel::CancellationToken;
use super::services::Services;

/// Which quads a query sees where it names no graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultGraph {
    /// The archive's own default graph, as SPARQL says.
    #[default]
    Own,
    /// All graphs together, as a set: a triple that is in two graphs comes once.
    Union,
}

/// How a query is answered, and what bounds it. Without bounds by default.
#[derive(Clone, Default)]
pub struct QueryOptions {
    /// What relative IRIs in the query are resolved against, if it has no `BASE`.
    pub base_iri: Option<String>,
    /// For how long it may run, until its last row has been read.
    pub timeout: Option<Duration>,
    /// How many rows (or triples) it may have. One more is an error.
    pub rows_max: Option<u64>,
    /// By how much the resident memory of this process may grow while it runs.
    pub memory_bytes_max: Option<u64>,
    /// What it sees where it names no graph, and has no dataset of its own.
    pub default_graph: DefaultGraph,
    /// The protocol's `default-graph-uri`s. If this or the next is not empty,
    /// they replace the query's `FROM`.
    pub default_graph_uris: Vec<NamedNode>,
    /// The protocol's `named-graph-uri`s.
    pub named_graph_uris: Vec<NamedNode>,
    /// Whether string functions take an IRI for its text.
    pub lenient: bool,
    /// Who answers `SERVICE`. Without, it is an error.
    pub services: Option<Arc<dyn Services>>,
    /// Stops it from outside.
    pub cancel: CancellationToken,
}

/// How an update is done, and what bounds it. Without bounds by default.
#[derive(Clone, Default)]
pub struct UpdateOptions {
    /// What relative IRIs are resolved against, if there is no `BASE`.
    pub base_iri: Option<String>,
    /// For how long it may run.
    pub timeout: Option<Duration>,
    /// By how much the resident memory of this process may grow while it runs.
    pub memory_bytes_max: Option<u64>,
    /// What `WHERE` sees where it names no graph, and has no dataset of its own.
    pub default_graph: DefaultGraph,
    /// The protocol's `using-graph-uri`s. With this or the next, the request
    /// may not have `USING` or `WITH`.
    pub using_graph_uris: Vec<NamedNode>,
    /// The protocol's `using-named-graph-uri`s.
    pub using_named_graph_uris: Vec<NamedNode>,
    /// Whether string functions take an IRI for its text.
    pub lenient: bool,
    /// Who answers `SERVICE` and `LOAD`. Without, they are errors.
    pub services: Option<Arc<dyn Services>>,
    /// Stops it from outside. Then nothing of it is done.
    pub cancel: CancellationToken,
}
