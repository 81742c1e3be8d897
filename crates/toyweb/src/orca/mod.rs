//! ORCA worlds: the data web of the ORCA benchmark (Röder, de Souza Jr., Kuchelev, Desouki and Ngonga Ngomo, ICSC
//! 2021), reimplemented from its papers.
//!
//! Nodes of five kinds link to each other: dereferenceable resources, dumps, SPARQL endpoints, CKAN catalogues and
//! sites with RDFa. A crawler starts from a few seeds and harvests the statements of all nodes. The score measures the
//! share of expected statements in the harvest, and whether the crawler kept the requested delays.
//!
//! A world is a function of its parameters. Its only state is the number of requests to each endpoint and dump, because
//! some of their faults are transient, and a cache of endpoints.

mod attachment;
mod ckan;
mod cloud;
mod dereferencing;
mod dump;
mod graph;
mod node;
mod pack;
mod parameters;
mod rdfa;
mod score;
mod suite;
mod truth;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;
use oxigraph::model::NamedNode;
use url::Url;

pub use cloud::NodeKind;
pub use pack::{DumpPacking, DumpSyntax};
pub use parameters::{
    CkanParameters, DumpParameters, NodeSize, NodeWeights, OrcaParameters, RdfaPageSource, RdfaParameters,
    SparqlParameters,
};
pub use score::{DelayScore, DisallowedScore, NodeRequests, NodeScore, OrcaRecall, OrcaScore, OrcaScorer};

use crate::accept::AcceptHeader;
use crate::conditional::apply_preconditions;
use crate::message::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};
use crate::sparql::{EndpointBehaviour, SparqlEndpoint};
use crate::unknown_hosts::status_response;
use crate::world::WorldParametersError;
use crate::world::responses::text_response;
use cloud::NodeCloud;
use node::OrcaNode;
use suite::SuitePage;

/// The maximum numbers of endpoints and of quads in the endpoint cache.
const MAX_CACHED_ENDPOINTS: usize = 32;
const MAX_CACHED_QUADS: usize = 500_000;

/// An ORCA world.
pub struct OrcaWeb {
    parameters: OrcaParameters,
    nodes: Vec<OrcaNode>,
    seeds: Vec<u32>,
    pages: Arc<Vec<SuitePage>>,
    memory: Mutex<OrcaMemory>,
}

/// The mutable state of a world.
#[derive(Default)]
struct OrcaMemory {
    /// The number of requests to the endpoint or dump of each node.
    request_counts: HashMap<u32, u64>,
    /// Cached endpoints, the most recently used one last.
    endpoints: Vec<(u32, Arc<SparqlEndpoint>)>,
}

impl OrcaWeb {
    /// Generates the world with these parameters.
    pub fn new(parameters: OrcaParameters) -> Result<Self, WorldParametersError> {
        parameters.check()?;
        let cloud = NodeCloud::new(&parameters);
        let nodes = OrcaNode::generate(&parameters, &cloud);
        let has_rdfa = cloud.kinds.contains(&NodeKind::Rdfa);
        let pages = if has_rdfa { suite::pages(&parameters.rdfa) } else { Arc::default() };
        Ok(Self { parameters, nodes, seeds: cloud.seeds, pages, memory: Mutex::default() })
    }

    /// The parameters of the world.
    #[must_use]
    pub fn parameters(&self) -> &OrcaParameters {
        &self.parameters
    }

    /// URIs from which every node is reachable.
    #[must_use]
    pub fn seeds(&self) -> Vec<String> {
        self.seeds.iter().map(|seed| self.nodes[*seed as usize].entry_uri()).collect()
    }

    /// A URI of each node, not only of the seeds; for crawlers that do not support some kind of node.
    #[must_use]
    pub fn entry_uris(&self) -> Vec<String> {
        self.nodes.iter().map(OrcaNode::entry_uri).collect()
    }

    /// The hosts of all nodes, with their kinds.
    pub fn hosts(&self) -> impl Iterator<Item = (String, NodeKind)> + '_ {
        self.nodes.iter().map(|node| (node.host(), node.kind))
    }

    /// The `Crawl-delay` of a host, in seconds.
    #[must_use]
    pub fn crawl_delay_s(&self, host: &str) -> Option<u32> {
        match OrcaNode::find_by_host(&self.nodes, host)?.kind {
            NodeKind::Dereferencing => Some(self.parameters.crawl_delay_seconds).filter(|delay| *delay > 0),
            NodeKind::Ckan if self.parameters.ckan.robots => Some(ckan::CRAWL_DELAY_S),
            _ => None,
        }
    }

    /// Whether robots.txt allows a request.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        let Some(node) = OrcaNode::find_by_host(&self.nodes, url.host_str().unwrap_or_default()) else { return true };
        match node.kind {
            NodeKind::Dereferencing => !node.disallows(url.path()),
            NodeKind::Ckan => !(self.parameters.ckan.robots && url.path().starts_with("/api/")),
            _ => true,
        }
    }

    fn node_response(&self, node: &OrcaNode, request: &WebRequest) -> WebResponse {
        let (path, accept) = (request.url.path(), AcceptHeader::from_headers(&request.headers));
        match node.kind {
            NodeKind::Dereferencing => dereferencing::respond(&self.parameters, &self.nodes, node, path, &accept),
            NodeKind::Dump => dump::respond(
                &self.nodes,
                node,
                path,
                if node.truncates_first_download { self.count_request(node) } else { 1 },
            ),
            NodeKind::Rdfa => rdfa::respond(&self.parameters.rdfa, &self.nodes, node, &self.pages, path),
            NodeKind::Ckan => ckan::respond(&self.parameters.ckan, &self.nodes, node, request),
            NodeKind::Sparql if path == "/sparql" => {
                let number = self.count_request(node);
                self.endpoint(node).respond(request, number)
            }
            NodeKind::Sparql => status_response(StatusCode::NOT_FOUND),
        }
    }

    /// Counts a request to a node, and returns the number of earlier ones.
    fn count_request(&self, node: &OrcaNode) -> u64 {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let count = memory.request_counts.entry(node.number).or_default();
        *count += 1;
        *count - 1
    }

    fn endpoint(&self, node: &OrcaNode) -> Arc<SparqlEndpoint> {
        let cached = {
            let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
            let position = memory.endpoints.iter().position(|(number, _)| *number == node.number);
            position.map(|position| {
                let found = memory.endpoints.remove(position);
                memory.endpoints.push(found.clone());
                found.1
            })
        };
        cached.unwrap_or_else(|| {
            // Built without holding the lock: two threads may both build the same endpoint.
            let endpoint = Arc::new(self.make_endpoint(node));
            let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
            memory.endpoints.push((node.number, Arc::clone(&endpoint)));
            let quads = |memory: &OrcaMemory| memory.endpoints.iter().map(|(_, it)| it.quad_count()).sum::<usize>();
            while memory.endpoints.len() > 1
                && (memory.endpoints.len() > MAX_CACHED_ENDPOINTS || quads(&memory) > MAX_CACHED_QUADS)
            {
                memory.endpoints.remove(0);
            }
            endpoint
        })
    }

    fn make_endpoint(&self, node: &OrcaNode) -> SparqlEndpoint {
        let sparql = &self.parameters.sparql;
        let bound = |bound: u32| (bound > 0).then_some(bound as usize);
        let behaviour = EndpointBehaviour {
            max_rows: bound(sparql.max_rows),
            max_sorted_rows: bound(sparql.max_sorted_rows),
            error_share: sparql.error_share,
            union_default_graph: sparql.union_default_graph,
            timeout: Duration::from_secs(sparql.timeout_seconds.into()),
            seed: self.parameters.seed ^ u64::from(node.number) << 32,
        };
        let graph = NamedNode::new_unchecked(&node.named_graph);
        let quads = node.triples(&self.nodes).map(|triple| triple.in_graph(graph.clone()));
        SparqlEndpoint::new(&node.entry_uri(), quads, behaviour)
    }
}

/// The port on which a node listens.
fn port(kind: NodeKind) -> u16 {
    match kind {
        NodeKind::Ckan => 5000,
        NodeKind::Sparql => 8890,
        NodeKind::Dereferencing | NodeKind::Dump | NodeKind::Rdfa => 80,
    }
}

impl Web for OrcaWeb {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        let host = request.url.host_str().unwrap_or_default();
        let Some(node) = OrcaNode::find_by_host(&self.nodes, host) else { return other_host_response(request) };
        if request.url.port_or_known_default() != Some(port(node.kind)) {
            // No server listens on this port.
            return WebResponse { delivery: DeliveryFault::Dropped, ..status_response(StatusCode::BAD_GATEWAY) };
        }
        let is_read = request.method == http::Method::GET || request.method == http::Method::HEAD;
        if !is_read && !matches!(node.kind, NodeKind::Ckan | NodeKind::Sparql) {
            return status_response(StatusCode::METHOD_NOT_ALLOWED);
        }
        apply_preconditions(request, self.node_response(node, request))
    }

    fn is_expensive(&self, request: &WebRequest) -> bool {
        let node = OrcaNode::find_by_host(&self.nodes, request.url.host_str().unwrap_or_default());
        node.is_some_and(|node| matches!(node.kind, NodeKind::Sparql | NodeKind::Dump))
    }
}

/// Hosts without a node, such as those of vocabularies, serve only a robots.txt.
fn other_host_response(request: &WebRequest) -> WebResponse {
    match request.url.path() {
        "/robots.txt" => text_response(Some("text/plain"), "User-agent: *\nDisallow:\n".to_owned()),
        _ => WebResponse { body: WebBody::Whole("".into()), ..status_response(StatusCode::NOT_FOUND) },
    }
}
