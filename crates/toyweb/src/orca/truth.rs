//! What there is to be found in an ORCA world.

use std::io::{self, Write};

use oxigraph::io::{RdfFormat, RdfSerializer};
use oxigraph::model::vocab::rdf;
use oxigraph::model::{BlankNode, Literal, NamedNode, Quad, Triple};

use super::OrcaWeb;
use super::cloud::Kind;
use super::node::Node;
use super::{ckan, rdfa};

pub(super) const DCAT: &str = "http://www.w3.org/ns/dcat#";
pub(super) const TITLE: &str = "http://purl.org/dc/terms/title";

impl OrcaWeb {
    /// Tells every statement of the world, in the graph that is named as its
    /// document, or for endpoints as they name it themselves.
    ///
    /// What catalogues hold is told as DCAT, and what RDFa pages say as far as
    /// it is known: what is expected of those is told by queries.
    pub fn truth(&self, tell: &mut impl FnMut(Quad)) {
        for node in &self.nodes {
            match node.kind {
                Kind::Ckan => catalogue(&self.nodes, node, tell),
                Kind::Rdfa => self.site(node, tell),
                Kind::Dereferencing | Kind::Dump | Kind::Sparql => {
                    for triple in node.triples(&self.nodes) {
                        let document = triple.subject.to_string();
                        let document = document.trim_matches(['<', '>']).split('#').next().unwrap_or_default();
                        let graph = if node.kind == Kind::Sparql { &node.named_graph } else { document };
                        tell(triple.in_graph(NamedNode::new_unchecked(graph)));
                    }
                }
            }
        }
    }

    /// Writes the truth as N-Quads.
    pub fn write_truth(&self, out: &mut impl Write) -> io::Result<()> {
        let mut serializer = RdfSerializer::from_format(RdfFormat::NQuads).for_writer(out);
        let mut outcome = Ok(());
        self.truth(&mut |quad| {
            if outcome.is_ok() {
                outcome = serializer.serialize_quad(&quad);
            }
        });
        outcome?;
        serializer.finish().map(drop)
    }

    /// How many documents there are: resources that can be looked up, dumps,
    /// endpoints, front pages of catalogues, and pages with RDFa.
    #[must_use]
    pub fn documents(&self) -> u64 {
        let of = |node: &Node| match (node.kind, &node.graph) {
            (Kind::Dereferencing, Some(graph)) => u64::from(graph.resources),
            (Kind::Rdfa, _) => self.pages.len() as u64 + 1,
            _ => 1,
        };
        self.nodes.iter().map(of).sum()
    }

    fn site(&self, node: &Node, tell: &mut impl FnMut(Quad)) {
        let entrance = NamedNode::new_unchecked(node.access());
        rdfa::statements(&self.nodes, node, &self.pages).for_each(|it| tell(it.in_graph(entrance.clone())));
        for (page, number) in self.pages.iter().zip(0..) {
            let document = NamedNode::new_unchecked(format!("http://{}{}", node.host(), page.path));
            for triple in page.triples(&node.host()) {
                tell(apart(triple, node.number, number).in_graph(document.clone()));
            }
        }
    }
}

fn catalogue(nodes: &[Node], node: &Node, tell: &mut impl FnMut(Quad)) {
    let graph = NamedNode::new_unchecked(node.access());
    let named = |local: &str| NamedNode::new_unchecked(format!("{DCAT}{local}"));
    for ((_, to), number) in node.links.iter().zip(1..) {
        let target = nodes[*to as usize].access();
        let dataset = BlankNode::new_unchecked(format!("n{}d{number}", node.number));
        let distribution = BlankNode::new_unchecked(format!("n{}r{number}", node.number));
        let title = Literal::new_simple_literal(ckan::title(&target));
        for triple in [
            Triple::new(dataset.clone(), rdf::TYPE, named("Dataset")),
            Triple::new(dataset.clone(), NamedNode::new_unchecked(TITLE), title),
            Triple::new(dataset, named("distribution"), distribution.clone()),
            Triple::new(distribution.clone(), rdf::TYPE, named("Distribution")),
            Triple::new(distribution, named("accessURL"), NamedNode::new_unchecked(target)),
        ] {
            tell(triple.in_graph(graph.clone()));
        }
    }
}

/// The triple with its blank nodes made this page's own.
fn apart(triple: Triple, node: u32, page: u32) -> Triple {
    use oxigraph::model::{NamedOrBlankNode, Term};
    let own = |blank: &BlankNode| BlankNode::new_unchecked(format!("n{node}p{page}{}", blank.as_str()));
    let Triple { subject, predicate, object } = triple;
    let subject = match subject {
        NamedOrBlankNode::BlankNode(blank) => own(&blank).into(),
        NamedOrBlankNode::NamedNode(named) => named.into(),
    };
    let object = match object {
        Term::BlankNode(blank) => own(&blank).into(),
        other => other,
    };
    Triple { subject, predicate, object }
}
