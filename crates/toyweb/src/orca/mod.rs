//! ORCA worlds: the data web as the ORCA benchmark has it (Röder, de Souza
//! Jr., Kuchelev, Desouki and Ngonga Ngomo, ICSC 2021), written anew from its
//! papers.
//!
//! Nodes of five kinds link to each other: resources that can be looked up,
//! dumps, SPARQL endpoints, CKAN catalogues and sites with RDFa. A crawler is
//! given a few of them as seeds, and is to bring home what all of them say.
//! How well it did is told by the score: how much of what was expected is in
//! its harvest, and whether it kept the delays it was asked for.
//!
//! Like all webs here, a world is a function of its parameters. It remembers
//! how often endpoints and dumps were asked, since some of their faults pass,
//! and the last few endpoints that were asked.

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

pub use cloud::Kind;
pub use pack::{Packing, Syntax};
pub use parameters::{Ckan, Dump, NodeSize, Parameters, Rdfa, RdfaPages, Sparql, Weights};
pub use score::{Delays, Disallowed, NodeScore, Recall, Requests, Score, Scorer};

use crate::accept::Accept;
use crate::conditional::settle;
use crate::elsewhere::bare;
use crate::message::{Body, Conduct, Request, Response, Web};
use crate::sparql::{Endpoint, Manners};
use crate::world::BadParameters;
use crate::world::answer::text;
use cloud::Cloud;
use node::Node;
use suite::Page;

/// How many endpoints are kept at hand, and how many quads they have at most.
const ENDPOINTS_MAX: usize = 32;
const QUADS_MAX: usize = 500_000;

/// An ORCA world.
pub struct OrcaWeb {
    parameters: Parameters,
    nodes: Vec<Node>,
    seeds: Vec<u32>,
    pages: Arc<Vec<Page>>,
    memory: Mutex<Memory>,
}

/// What a world remembers.
#[derive(Default)]
struct Memory {
    /// How often a node's endpoint or dump was asked.
    asked: HashMap<u32, u64>,
    /// Endpoints, the one asked last at the end.
    endpoints: Vec<(u32, Arc<Endpoint>)>,
}

impl OrcaWeb {
    /// The world of these parameters.
    pub fn new(parameters: Parameters) -> Result<Self, BadParameters> {
        parameters.check()?;
        let cloud = Cloud::new(&parameters);
        let nodes = Node::all(&parameters, &cloud);
        let has_rdfa = cloud.kinds.contains(&Kind::Rdfa);
        let pages = if has_rdfa { suite::pages(&parameters.rdfa) } else { Arc::default() };
        Ok(Self { parameters, nodes, seeds: cloud.seeds, pages, memory: Mutex::default() })
    }

    /// What the world was made of.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// URIs from which every node is reached.
    #[must_use]
    pub fn seeds(&self) -> Vec<String> {
        self.seeds.iter().map(|seed| self.nodes[*seed as usize].access()).collect()
    }

    /// What links to each node name: more than seeds, for crawlers that cannot
    /// get past some kind of node.
    #[must_use]
    pub fn entrances(&self) -> Vec<String> {
        self.nodes.iter().map(Node::access).collect()
    }

    /// The hosts of all nodes, and of what kind they are.
    pub fn hosts(&self) -> impl Iterator<Item = (String, Kind)> + '_ {
        self.nodes.iter().map(|node| (node.host(), node.kind))
    }

    /// The `Crawl-delay` a host asks for, in seconds.
    #[must_use]
    pub fn crawl_delay_s(&self, host: &str) -> Option<u32> {
        match Node::of_host(&self.nodes, host)?.kind {
            Kind::Dereferencing => Some(self.parameters.crawl_delay_s).filter(|delay| *delay > 0),
            Kind::Ckan if self.parameters.ckan.robots => Some(ckan::CRAWL_DELAY_S),
            _ => None,
        }
    }

    /// Whether robots.txt allows a visit.
    #[must_use]
    pub fn allows(&self, url: &Url) -> bool {
        let Some(node) = Node::of_host(&self.nodes, url.host_str().unwrap_or_default()) else { return true };
        match node.kind {
            Kind::Dereferencing => !node.disallows(url.path()),
            Kind::Ckan => !(self.parameters.ckan.robots && url.path().starts_with("/api/")),
            _ => true,
        }
    }

    fn of_node(&self, node: &Node, request: &Request) -> Response {
        let (path, accept) = (request.url.path(), Accept::of(&request.headers));
        match node.kind {
            Kind::Dereferencing => dereferencing::respond(&self.parameters, &self.nodes, node, path, &accept),
            Kind::Dump => dump::respond(&self.nodes, node, path, if node.cuts { self.count(node) } else { 1 }),
            Kind::Rdfa => rdfa::respond(&self.parameters.rdfa, &self.nodes, node, &self.pages, path),
            Kind::Ckan => ckan::respond(&self.parameters.ckan, &self.nodes, node, request),
            Kind::Sparql if path == "/sparql" => {
                let asked = self.count(node);
                self.endpoint(node).respond(request, asked)
            }
            Kind::Sparql => bare(StatusCode::NOT_FOUND),
        }
    }

    /// How often a node was asked before.
    fn count(&self, node: &Node) -> u64 {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = memory.asked.entry(node.number).or_default();
        *asked += 1;
        *asked - 1
    }

    fn endpoint(&self, node: &Node) -> Arc<Endpoint> {
        let known = {
            let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
            let place = memory.endpoints.iter().position(|(number, _)| *number == node.number);
            place.map(|place| {
                let found = memory.endpoints.remove(place);
                memory.endpoints.push(found.clone());
                found.1
            })
        };
        known.unwrap_or_else(|| {
            // Filled outside of the lock: two threads may both do the work.
            let made = Arc::new(self.make_endpoint(node));
            let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
            memory.endpoints.push((node.number, Arc::clone(&made)));
            let quads = |memory: &Memory| memory.endpoints.iter().map(|(_, it)| it.quads()).sum::<usize>();
            while memory.endpoints.len() > 1 && (memory.endpoints.len() > ENDPOINTS_MAX || quads(&memory) > QUADS_MAX) {
                memory.endpoints.remove(0);
            }
            made
        })
    }

    fn make_endpoint(&self, node: &Node) -> Endpoint {
        let sparql = &self.parameters.sparql;
        let bound = |bound: u32| (bound > 0).then_some(bound as usize);
        let manners = Manners {
            row_cap: bound(sparql.row_cap),
            sorted_rows_max: bound(sparql.sorted_rows_max),
            error_share: sparql.error_share,
            union_default_graph: sparql.union_default_graph,
            timeout: Duration::from_secs(sparql.timeout_s.into()),
            seed: self.parameters.seed ^ u64::from(node.number) << 32,
        };
        let graph = NamedNode::new_unchecked(&node.named_graph);
        let quads = node.triples(&self.nodes).map(|triple| triple.in_graph(graph.clone()));
        Endpoint::new(&node.access(), quads, manners)
    }
}

/// The port on which a node listens.
fn port(kind: Kind) -> u16 {
    match kind {
        Kind::Ckan => 5000,
        Kind::Sparql => 8890,
        Kind::Dereferencing | Kind::Dump | Kind::Rdfa => 80,
    }
}

impl Web for OrcaWeb {
    fn respond(&self, request: &Request) -> Response {
        let host = request.url.host_str().unwrap_or_default();
        let Some(node) = Node::of_host(&self.nodes, host) else { return elsewhere(request) };
        if request.url.port_or_known_default() != Some(port(node.kind)) {
            // Nobody listens.
            return Response { conduct: Conduct::Dropped, ..bare(StatusCode::BAD_GATEWAY) };
        }
        let readable = request.method == http::Method::GET || request.method == http::Method::HEAD;
        if !readable && !matches!(node.kind, Kind::Ckan | Kind::Sparql) {
            return bare(StatusCode::METHOD_NOT_ALLOWED);
        }
        settle(request, self.of_node(node, request))
    }

    fn is_laborious(&self, request: &Request) -> bool {
        let node = Node::of_host(&self.nodes, request.url.host_str().unwrap_or_default());
        node.is_some_and(|node| matches!(node.kind, Kind::Sparql | Kind::Dump))
    }
}

/// Hosts of vocabularies and the like have a robots.txt, and nothing else.
fn elsewhere(request: &Request) -> Response {
    match request.url.path() {
        "/robots.txt" => text(Some("text/plain"), "User-agent: *\nDisallow:\n".to_owned()),
        _ => Response { body: Body::Whole("".into()), ..bare(StatusCode::NOT_FOUND) },
    }
}
