//! One node: a host, what it knows, and how things on it are called.

use oxigraph::model::{NamedNode, Triple};

use super::cloud::{Cloud, Kind};
use super::graph::Graph;
use super::pack::{Packing, Syntax};
use super::parameters::{NodeSize, Parameters};
use crate::world::chance::{Chance, Matter};
use crate::world::site::number;

/// One node.
pub(crate) struct Node {
    pub(crate) number: u32,
    pub(crate) kind: Kind,
    /// Its resources; catalogues and RDFa sites have none.
    pub(crate) graph: Option<Graph>,
    /// Links to other nodes: the resource that has the link, and the node it
    /// leads to.
    pub(crate) links: Vec<(u32, u32)>,
    /// The resources that lead to those robots.txt forbids, one for each. The
    /// forbidden ones have the numbers after all others.
    pub(crate) disallowed: Vec<u32>,
    /// What its dump is written in.
    pub(crate) syntax: Syntax,
    /// How its dump is packed.
    pub(crate) packing: Option<Packing>,
    /// Whether the first download of its dump is cut off.
    pub(crate) cuts: bool,
    /// The name of the graph in which an endpoint has its triples.
    pub(crate) named_graph: String,
}

impl Node {
    /// The nodes of a world.
    pub(crate) fn all(parameters: &Parameters, cloud: &Cloud) -> Vec<Self> {
        let kinds = cloud.kinds.iter().zip(&cloud.links).zip(0..);
        kinds.map(|((kind, links), number)| Self::new(parameters, number, *kind, links)).collect()
    }

    fn new(parameters: &Parameters, number: u32, kind: Kind, targets: &[u32]) -> Self {
        let chance = &mut Chance::of(parameters.seed, Matter::Graph, number, 0);
        let graph = matches!(kind, Kind::Dereferencing | Kind::Dump | Kind::Sparql)
            .then(|| Graph::new(triples(parameters, kind, chance), parameters.rdf_degree, chance));
        let resources = graph.as_ref().map_or(1, |graph| graph.resources);
        let links = targets.iter().map(|target| (chance.below(resources), *target)).collect();
        let disallowed = if kind == Kind::Dereferencing { disallowed(parameters, resources) } else { 0 };
        let disallowed = (0..disallowed).map(|_| chance.below(resources)).collect();
        let manner = &mut Chance::of(parameters.seed, Matter::Manner, number, 0);
        let syntax = manner.pick(&parameters.dump.syntaxes);
        let packed = manner.happens(parameters.compressed_ratio);
        let packing = packed.then(|| manner.pick(&parameters.dump.compressions));
        let cuts = manner.happens(parameters.dump.cut_share);
        let named_graph = format!("urn:uuid:{}", uuid(manner));
        Self { number, kind, graph, links, disallowed, syntax, packing, cuts, named_graph }
    }

    /// Its host.
    pub(crate) fn host(&self) -> String {
        format!("{}-{}.example", self.kind.name(), self.number)
    }

    /// The node whose host this is.
    pub(crate) fn of_host<'a>(nodes: &'a [Self], host: &str) -> Option<&'a Self> {
        let (kind, rest) = host.strip_suffix(".example")?.split_once('-')?;
        nodes.get(number(rest)? as usize).filter(|node| node.kind.name() == kind)
    }

    /// The file name of its dump, packed and unpacked.
    pub(crate) fn dump_names(&self) -> (String, String) {
        let inner = format!("dumpFile.{}", self.syntax.extension());
        let outer = self.packing.map_or_else(|| inner.clone(), |packing| format!("{inner}.{}", packing.extension()));
        (outer, inner)
    }

    /// What links to it name: its resource 0, or its front door.
    pub(crate) fn access(&self) -> String {
        match self.kind {
            Kind::Ckan => format!("http://{}:5000/", self.host()),
            Kind::Sparql => format!("http://{}:8890/sparql", self.host()),
            Kind::Rdfa => format!("http://{}/dataset-0/resource-0", self.host()),
            Kind::Dereferencing | Kind::Dump => self.resource(0),
        }
    }

    /// The IRI of a resource.
    pub(crate) fn resource(&self, number: u32) -> String {
        self.named("resource", number)
    }

    /// The IRI of the one property that its triples have.
    pub(crate) fn property(&self) -> NamedNode {
        NamedNode::new_unchecked(self.named("property", 0))
    }

    fn named(&self, what: &str, number: u32) -> String {
        let host = self.host();
        match self.kind {
            Kind::Dump => format!("http://{host}/{}#dataset-0-{what}-{number}", self.dump_names().0),
            Kind::Sparql => format!("http://{host}/data/dataset-0/{what}-{number}"),
            _ => format!("http://{host}/dataset-0/{what}-{number}"),
        }
    }

    /// What is said about one resource.
    pub(crate) fn triples_of(&self, nodes: &[Self], resource: u32) -> Vec<Triple> {
        let Some(graph) = &self.graph else { return Vec::new() };
        let inner = graph.of(resource).map(|object| self.resource(object));
        let outer = self.links.iter().filter(|(from, _)| *from == resource);
        let outer = outer.map(|(_, to)| nodes[*to as usize].access());
        let disallowed = self.disallowed.iter().zip(graph.resources..);
        let disallowed = disallowed.filter(|(from, _)| **from == resource).map(|(_, number)| self.resource(number));
        let subject = NamedNode::new_unchecked(self.resource(resource));
        let property = self.property();
        let objects = inner.chain(outer).chain(disallowed);
        objects.map(|it| Triple::new(subject.clone(), property.clone(), NamedNode::new_unchecked(it))).collect()
    }

    /// All it says, by resource.
    pub(crate) fn triples<'a>(&'a self, nodes: &'a [Self]) -> impl Iterator<Item = Triple> + 'a {
        let resources = self.graph.as_ref().map_or(0, |graph| graph.resources);
        (0..resources).flat_map(move |resource| self.triples_of(nodes, resource))
    }

    /// Whether robots.txt forbids this path.
    pub(crate) fn disallows(&self, path: &str) -> bool {
        let resources = self.graph.as_ref().map_or(0, |graph| graph.resources);
        resource_number(path).is_some_and(|number| {
            let forbidden = number.checked_sub(resources).is_some_and(|extra| (extra as usize) < self.disallowed.len());
            self.kind == Kind::Dereferencing && forbidden
        })
    }
}

/// The number in `/dataset-0/resource-7`.
pub(crate) fn resource_number(path: &str) -> Option<u32> {
    number(path.strip_prefix("/dataset-0/resource-")?)
}

fn triples(parameters: &Parameters, kind: Kind, chance: &mut Chance) -> u32 {
    let mean = match parameters.sparql.triples {
        triples if triples > 0 && kind == Kind::Sparql => triples,
        _ => parameters.triples_per_node,
    };
    match parameters.node_size {
        NodeSize::Static => mean,
        NodeSize::Exponential => chance.size(1, mean, u32::MAX >> 8),
    }
}

/// So many more resources that their share of all is the ratio.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a ratio of a 32-bit number below 0.99")]
fn disallowed(parameters: &Parameters, resources: u32) -> u32 {
    let ratio = parameters.disallowed_ratio;
    (f64::from(resources) * ratio / (1.0 - ratio)).round() as u32
}

/// A version 4 UUID.
pub(crate) fn uuid(chance: &mut Chance) -> String {
    let (high, low) = (chance.bits(), chance.bits());
    let version = (high & 0xfff) | 0x4000;
    let variant = (low >> 48 & 0x3fff) | 0x8000;
    let (first, second, last) = (high >> 32, high >> 16 & 0xffff, low & 0xffff_ffff_ffff);
    format!("{first:08x}-{second:04x}-{version:04x}-{variant:04x}-{last:012x}")
}
