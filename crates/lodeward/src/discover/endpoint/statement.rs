//! The statement of a row.

use oxrdf::{GraphName, NamedNode, NamedOrBlankNode, Quad, Term};

use super::question::{Page, Source};
use super::results::Row;

/// Whether a statement has a blank node.
pub(super) fn has_blank(quad: &Quad) -> bool {
    matches!(quad.subject, NamedOrBlankNode::BlankNode(_)) || matches!(quad.object, Term::BlankNode(_))
}

/// The statement of a row; what a query named is not in its answer.
pub(super) fn quad(page: &Page, row: Row) -> Option<Quad> {
    let subject = match page.place.subject() {
        Some(subject) => NamedNode::new_unchecked(subject).into(),
        None => match row.subject? {
            Term::NamedNode(node) => NamedOrBlankNode::from(node),
            Term::BlankNode(node) => node.into(),
            Term::Literal(_) => return None,
        },
    };
    let predicate = match page.part.predicate() {
        Some(predicate) => NamedNode::new_unchecked(predicate),
        None => match row.predicate? {
            Term::NamedNode(node) => node,
            _ => return None,
        },
    };
    let graph_name = match (page.part.source.graph(), &page.part.source) {
        (Some(graph), _) => NamedNode::new_unchecked(graph).into(),
        (None, Source::Graphs(_)) => match row.graph? {
            Term::NamedNode(node) => GraphName::from(node),
            _ => return None,
        },
        _ => GraphName::DefaultGraph,
    };
    Some(Quad { subject, predicate, object: row.object?, graph_name })
}
