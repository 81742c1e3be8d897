//! Converts rows to statements.

use oxrdf::{GraphName, NamedNode, NamedOrBlankNode, Quad, Term};

use super::question::{StatementPage, StatementSource};
use super::results::SolutionRow;

/// Whether a statement has a blank node.
pub(super) fn has_blank_node(quad: &Quad) -> bool {
    matches!(quad.subject, NamedOrBlankNode::BlankNode(_)) || matches!(quad.object, Term::BlankNode(_))
}

/// Converts a row to a statement. Terms that the query fixes are not in the row; they are taken from `page`.
pub(super) fn row_to_quad(page: &StatementPage, row: SolutionRow) -> Option<Quad> {
    let subject = match page.position.subject() {
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
        (None, StatementSource::Graphs(_)) => match row.graph? {
            Term::NamedNode(node) => GraphName::from(node),
            _ => return None,
        },
        _ => GraphName::DefaultGraph,
    };
    Some(Quad { subject, predicate, object: row.object?, graph_name })
}
