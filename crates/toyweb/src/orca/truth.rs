//! The ground truth of an ORCA world.

use std::io::{self, Write};

use oxigraph::io::{RdfFormat, RdfSerializer};
use oxigraph::model::vocab::rdf;
use oxigraph::model::{BlankNode, Literal, NamedNode, Quad, Triple};

use super::OrcaWeb;
use super::cloud::NodeKind;
use super::node::OrcaNode;
use super::{ckan, rdfa};

pub(super) const DCAT: &str = "http://www.w3.org/ns/dcat#";
pub(super) const TITLE: &str = "http://purl.org/dc/terms/title";

impl OrcaWeb {
    /// Calls `emit` with every statement of the world, in the graph named by its document's URL, or, for endpoints, in
    /// the endpoint's own named graph.
    ///
    /// Catalogues are described with DCAT. The statements of RDFa pages are included as far as they are known; the
    /// score uses queries for them.
    pub fn for_each_quad(&self, emit: &mut impl FnMut(Quad)) {
        for node in &self.nodes {
            match node.kind {
                NodeKind::Ckan => for_each_catalogue_quad(&self.nodes, node, emit),
                NodeKind::Rdfa => self.for_each_site_quad(node, emit),
                NodeKind::Dereferencing | NodeKind::Dump | NodeKind::Sparql => {
                    for triple in node.triples(&self.nodes) {
                        let document = triple.subject.to_string();
                        let document = document.trim_matches(['<', '>']).split('#').next().unwrap_or_default();
                        let graph = if node.kind == NodeKind::Sparql { &node.named_graph } else { document };
                        emit(triple.in_graph(NamedNode::new_unchecked(graph)));
                    }
                }
            }
        }
    }

    /// Writes the truth as N-Quads.
    pub fn write_truth(&self, out: &mut impl Write) -> io::Result<()> {
        let mut serializer = RdfSerializer::from_format(RdfFormat::NQuads).for_writer(out);
        let mut outcome = Ok(());
        self.for_each_quad(&mut |quad| {
            if outcome.is_ok() {
                outcome = serializer.serialize_quad(&quad);
            }
        });
        outcome?;
        serializer.finish().map(drop)
    }

    /// The number of documents: dereferenceable resources, dumps, endpoints, start pages of catalogues, and RDFa pages.
    #[must_use]
    pub fn document_count(&self) -> u64 {
        let documents_of = |node: &OrcaNode| match (node.kind, &node.graph) {
            (NodeKind::Dereferencing, Some(graph)) => u64::from(graph.resources),
            (NodeKind::Rdfa, _) => self.pages.len() as u64 + 1,
            _ => 1,
        };
        self.nodes.iter().map(documents_of).sum()
    }

    fn for_each_site_quad(&self, node: &OrcaNode, emit: &mut impl FnMut(Quad)) {
        let entry = NamedNode::new_unchecked(node.entry_uri());
        rdfa::statements(&self.nodes, node, &self.pages).for_each(|it| emit(it.in_graph(entry.clone())));
        for (page, number) in self.pages.iter().zip(0..) {
            let document = NamedNode::new_unchecked(format!("http://{}{}", node.host(), page.path));
            for triple in page.triples(&node.host()) {
                emit(scope_blank_nodes(triple, node.number, number).in_graph(document.clone()));
            }
        }
    }
}

fn for_each_catalogue_quad(nodes: &[OrcaNode], node: &OrcaNode, emit: &mut impl FnMut(Quad)) {
    let graph = NamedNode::new_unchecked(node.entry_uri());
    let named = |local: &str| NamedNode::new_unchecked(format!("{DCAT}{local}"));
    for ((_, to), number) in node.links.iter().zip(1..) {
        let target = nodes[*to as usize].entry_uri();
        let dataset = BlankNode::new_unchecked(format!("n{}d{number}", node.number));
        let distribution = BlankNode::new_unchecked(format!("n{}r{number}", node.number));
        let title = Literal::new_simple_literal(ckan::dataset_title(&target));
        for triple in [
            Triple::new(dataset.clone(), rdf::TYPE, named("Dataset")),
            Triple::new(dataset.clone(), NamedNode::new_unchecked(TITLE), title),
            Triple::new(dataset, named("distribution"), distribution.clone()),
            Triple::new(distribution.clone(), rdf::TYPE, named("Distribution")),
            Triple::new(distribution, named("accessURL"), NamedNode::new_unchecked(target)),
        ] {
            emit(triple.in_graph(graph.clone()));
        }
    }
}

/// The triple with blank nodes that are unique to this page.
fn scope_blank_nodes(triple: Triple, node: u32, page: u32) -> Triple {
    use oxigraph::model::{NamedOrBlankNode, Term};
    let scoped = |blank: &BlankNode| BlankNode::new_unchecked(format!("n{node}p{page}{}", blank.as_str()));
    let Triple { subject, predicate, object } = triple;
    let subject = match subject {
        NamedOrBlankNode::BlankNode(blank) => scoped(&blank).into(),
        NamedOrBlankNode::NamedNode(named) => named.into(),
    };
    let object = match object {
        Term::BlankNode(blank) => scoped(&blank).into(),
        other => other,
    };
    Triple { subject, predicate, object }
}
