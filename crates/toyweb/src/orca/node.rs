//! One node: a host, its graph, its links and its IRIs.

use oxigraph::model::{NamedNode, Triple};

use super::cloud::{NodeCloud, NodeKind};
use super::graph::ResourceGraph;
use super::pack::{DumpPacking, DumpSyntax};
use super::parameters::{NodeSize, OrcaParameters};
use crate::world::chance_stream::{ChanceStream, ChanceTopic};
use crate::world::site::parse_number;

/// One node.
pub(crate) struct OrcaNode {
    pub(crate) number: u32,
    pub(crate) kind: NodeKind,
    /// The resources of the node; `None` for catalogues and RDFa sites.
    pub(crate) graph: Option<ResourceGraph>,
    /// Links to other nodes: the resource with the link, and the target node.
    pub(crate) links: Vec<(u32, u32)>,
    /// For each disallowed resource, the resource that links to it. Disallowed resources have the largest numbers.
    pub(crate) disallowed: Vec<u32>,
    /// The syntax of the dump.
    pub(crate) syntax: DumpSyntax,
    /// The compression of the dump.
    pub(crate) packing: Option<DumpPacking>,
    /// Whether the first download of the dump is truncated.
    pub(crate) truncates_first_download: bool,
    /// The named graph of an endpoint's triples.
    pub(crate) named_graph: String,
}

impl OrcaNode {
    /// The nodes of a world.
    pub(crate) fn generate(parameters: &OrcaParameters, cloud: &NodeCloud) -> Vec<Self> {
        let kinds = cloud.kinds.iter().zip(&cloud.links).zip(0..);
        kinds.map(|((kind, links), number)| Self::new(parameters, number, *kind, links)).collect()
    }

    fn new(parameters: &OrcaParameters, number: u32, kind: NodeKind, targets: &[u32]) -> Self {
        let chance = &mut ChanceStream::new(parameters.seed, ChanceTopic::Graph, number, 0);
        let graph = matches!(kind, NodeKind::Dereferencing | NodeKind::Dump | NodeKind::Sparql)
            .then(|| ResourceGraph::new(triple_count(parameters, kind, chance), parameters.rdf_degree, chance));
        let resources = graph.as_ref().map_or(1, |graph| graph.resources);
        let links = targets.iter().map(|target| (chance.below(resources), *target)).collect();
        let disallowed = if kind == NodeKind::Dereferencing { disallowed_count(parameters, resources) } else { 0 };
        let disallowed = (0..disallowed).map(|_| chance.below(resources)).collect();
        let style = &mut ChanceStream::new(parameters.seed, ChanceTopic::NodeStyle, number, 0);
        let syntax = style.pick(&parameters.dump.syntaxes);
        let packed = style.bernoulli(parameters.compressed_ratio);
        let packing = packed.then(|| style.pick(&parameters.dump.compressions));
        let truncates_first_download = style.bernoulli(parameters.dump.truncated_share);
        let named_graph = format!("urn:uuid:{}", uuid(style));
        Self { number, kind, graph, links, disallowed, syntax, packing, truncates_first_download, named_graph }
    }

    /// The host name of the node.
    pub(crate) fn host(&self) -> String {
        format!("{}-{}.example", self.kind.name(), self.number)
    }

    /// The node of a host.
    pub(crate) fn find_by_host<'a>(nodes: &'a [Self], host: &str) -> Option<&'a Self> {
        let (kind, rest) = host.strip_suffix(".example")?.split_once('-')?;
        nodes.get(parse_number(rest)? as usize).filter(|node| node.kind.name() == kind)
    }

    /// The file name of the dump, and the name without the extension of its compression.
    pub(crate) fn dump_names(&self) -> (String, String) {
        let inner = format!("dumpFile.{}", self.syntax.extension());
        let outer = self.packing.map_or_else(|| inner.clone(), |packing| format!("{inner}.{}", packing.extension()));
        (outer, inner)
    }

    /// The URI that links to the node use: its resource 0, or its start page.
    pub(crate) fn entry_uri(&self) -> String {
        match self.kind {
            NodeKind::Ckan => format!("http://{}:5000/", self.host()),
            NodeKind::Sparql => format!("http://{}:8890/sparql", self.host()),
            NodeKind::Rdfa => format!("http://{}/dataset-0/resource-0", self.host()),
            NodeKind::Dereferencing | NodeKind::Dump => self.resource_iri(0),
        }
    }

    /// The IRI of a resource.
    pub(crate) fn resource_iri(&self, number: u32) -> String {
        self.term_iri("resource", number)
    }

    /// The IRI of the only property of its triples.
    pub(crate) fn property(&self) -> NamedNode {
        NamedNode::new_unchecked(self.term_iri("property", 0))
    }

    fn term_iri(&self, what: &str, number: u32) -> String {
        let host = self.host();
        match self.kind {
            NodeKind::Dump => format!("http://{host}/{}#dataset-0-{what}-{number}", self.dump_names().0),
            NodeKind::Sparql => format!("http://{host}/data/dataset-0/{what}-{number}"),
            _ => format!("http://{host}/dataset-0/{what}-{number}"),
        }
    }

    /// The triples about one resource.
    pub(crate) fn resource_triples(&self, nodes: &[Self], resource: u32) -> Vec<Triple> {
        let Some(graph) = &self.graph else { return Vec::new() };
        let inner = graph.linked_resources(resource).map(|object| self.resource_iri(object));
        let outer = self.links.iter().filter(|(from, _)| *from == resource);
        let outer = outer.map(|(_, to)| nodes[*to as usize].entry_uri());
        let disallowed = self.disallowed.iter().zip(graph.resources..);
        let disallowed = disallowed.filter(|(from, _)| **from == resource).map(|(_, number)| self.resource_iri(number));
        let subject = NamedNode::new_unchecked(self.resource_iri(resource));
        let property = self.property();
        let objects = inner.chain(outer).chain(disallowed);
        objects.map(|it| Triple::new(subject.clone(), property.clone(), NamedNode::new_unchecked(it))).collect()
    }

    /// All triples, by resource.
    pub(crate) fn triples<'a>(&'a self, nodes: &'a [Self]) -> impl Iterator<Item = Triple> + 'a {
        let resources = self.graph.as_ref().map_or(0, |graph| graph.resources);
        (0..resources).flat_map(move |resource| self.resource_triples(nodes, resource))
    }

    /// Whether robots.txt disallows this path.
    pub(crate) fn disallows(&self, path: &str) -> bool {
        let resources = self.graph.as_ref().map_or(0, |graph| graph.resources);
        resource_number(path).is_some_and(|number| {
            let disallowed =
                number.checked_sub(resources).is_some_and(|extra| (extra as usize) < self.disallowed.len());
            self.kind == NodeKind::Dereferencing && disallowed
        })
    }
}

/// The resource number in a path: 7 in `/dataset-0/resource-7`.
pub(crate) fn resource_number(path: &str) -> Option<u32> {
    parse_number(path.strip_prefix("/dataset-0/resource-")?)
}

fn triple_count(parameters: &OrcaParameters, kind: NodeKind, chance: &mut ChanceStream) -> u32 {
    let mean = match parameters.sparql.triples {
        triples if triples > 0 && kind == NodeKind::Sparql => triples,
        _ => parameters.triples_per_node,
    };
    match parameters.node_size {
        NodeSize::Static => mean,
        NodeSize::Exponential => chance.draw_size(1, mean, u32::MAX >> 8),
    }
}

/// The number of disallowed resources. Their share of all resources is `disallowed_ratio`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates at 0 and u32::MAX")]
fn disallowed_count(parameters: &OrcaParameters, resources: u32) -> u32 {
    let ratio = parameters.disallowed_ratio;
    (f64::from(resources) * ratio / (1.0 - ratio)).round() as u32
}

/// A version 4 UUID.
pub(crate) fn uuid(chance: &mut ChanceStream) -> String {
    let (high, low) = (chance.next_u64(), chance.next_u64());
    let version = (high & 0xfff) | 0x4000;
    let variant = (low >> 48 & 0x3fff) | 0x8000;
    let (first, second, last) = (high >> 32, high >> 16 & 0xffff, low & 0xffff_ffff_ffff);
    format!("{first:08x}-{second:04x}-{version:04x}-{variant:04x}-{last:012x}")
}
