//! Options of queries and updates.

use std::sync::Arc;
use std::time::Duration;

use oxrdf::NamedNode;

use super::cancel::CancellationToken;
use super::service_handler::ServiceHandler;
use super::text_search::TextSearch;

/// The default graph of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultGraph {
    /// The archive's own default graph, as in SPARQL 1.1.
    #[default]
    Own,
    /// The union of all graphs, as a set: a triple in two graphs occurs once.
    Union,
}

/// Finds the namespace of a usual prefix.
pub type PrefixLookup = fn(&str) -> Option<&'static str>;

/// Options and limits of a query. There are no limits by default.
#[derive(Clone, Default)]
pub struct QueryOptions {
    /// The base of relative IRIs, if the query has no `BASE`.
    pub base_iri: Option<String>,
    /// Prefixes that the query need not declare. SPARQL 1.1 has none.
    pub usual_prefixes: Option<PrefixLookup>,
    /// The time limit, until the last row has been read.
    pub timeout: Option<Duration>,
    /// The maximum number of rows or triples. One row more is an error.
    pub max_rows: Option<u64>,
    /// By how many bytes the resident memory of this process can grow while the query runs.
    pub max_memory_bytes: Option<u64>,
    /// The default graph, if the query specifies no dataset.
    pub default_graph: DefaultGraph,
    /// The `default-graph-uri`s of the protocol. If these or `named_graph_uris` are set, they
    /// override the query's `FROM`.
    pub default_graph_uris: Vec<NamedNode>,
    /// The `named-graph-uri`s of the protocol.
    pub named_graph_uris: Vec<NamedNode>,
    /// Whether string functions accept IRIs and use their text.
    pub lenient: bool,
    /// Whether the union and `GRAPH ?g` include all provenance graphs. Without it, a query sees those
    /// that it names.
    pub with_provenance: bool,
    /// The handler of `SERVICE`. Without one, `SERVICE` is an error.
    pub services: Option<Arc<dyn ServiceHandler>>,
    /// The search of `lodeward:search`. Without one, it is an error.
    pub search: Option<Arc<dyn TextSearch>>,
    /// Cancels the query.
    pub cancel: CancellationToken,
}

/// Options and limits of an update. There are no limits by default.
#[derive(Clone, Default)]
pub struct UpdateOptions {
    /// The base of relative IRIs, if the update has no `BASE`.
    pub base_iri: Option<String>,
    /// Prefixes that the update need not declare. SPARQL 1.1 has none.
    pub usual_prefixes: Option<PrefixLookup>,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// By how many bytes the resident memory of this process can grow while the update runs.
    pub max_memory_bytes: Option<u64>,
    /// The default graph of `WHERE`, if the update specifies no dataset.
    pub default_graph: DefaultGraph,
    /// The `using-graph-uri`s of the protocol. If these or `using_named_graph_uris` are set, the
    /// update cannot contain `USING` or `WITH`.
    pub using_graph_uris: Vec<NamedNode>,
    /// The `using-named-graph-uri`s of the protocol.
    pub using_named_graph_uris: Vec<NamedNode>,
    /// Whether string functions accept IRIs and use their text.
    pub lenient: bool,
    /// Whether `WHERE` sees all provenance graphs. Without it, it sees those that it names.
    pub with_provenance: bool,
    /// The handler of `SERVICE` and `LOAD`. Without one, they are errors.
    pub services: Option<Arc<dyn ServiceHandler>>,
    /// The search of `lodeward:search`. Without one, it is an error.
    pub search: Option<Arc<dyn TextSearch>>,
    /// Cancels the update. A cancelled update changes nothing.
    pub cancel: CancellationToken,
}
