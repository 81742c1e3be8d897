//! Triple patterns in which some variables have values.

use std::collections::HashMap;

use oxrdf::{GraphName, GraphNameRef, NamedNode, NamedOrBlankNode, Quad, Term};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::GraphSet;
use crate::provenance_reader::ProvenancePattern;
use crate::{ArchiveError, Snapshot};

/// What is known about the quads that a query sees.
#[derive(Clone, Copy)]
pub(in crate::sparql) struct QuadStatistics<'s> {
    pub(in crate::sparql) snapshot: &'s Snapshot,
    /// Whether the query sees all provenance graphs.
    pub(in crate::sparql) with_provenance: bool,
}

/// A sample row: values by variable name.
pub(super) type BindingRow = HashMap<String, Term>;

/// One position of a pattern.
pub(super) enum PatternSlot {
    Known(Term),
    Variable(String),
}

/// The three positions of a pattern. A blank node is a variable with a name that no variable can
/// have.
pub(super) fn pattern_slots(pattern: &TriplePattern) -> [PatternSlot; 3] {
    let term = |term: &TermPattern| match term {
        TermPattern::NamedNode(node) => PatternSlot::Known(node.clone().into()),
        TermPattern::Literal(literal) => PatternSlot::Known(literal.clone().into()),
        TermPattern::BlankNode(node) => PatternSlot::Variable(format!("_:{}", node.as_str())),
        TermPattern::Variable(variable) => PatternSlot::Variable(variable.as_str().to_owned()),
    };
    let predicate = match &pattern.predicate {
        NamedNodePattern::NamedNode(node) => PatternSlot::Known(node.clone().into()),
        NamedNodePattern::Variable(variable) => PatternSlot::Variable(variable.as_str().to_owned()),
    };
    [term(&pattern.subject), predicate, term(&pattern.object)]
}

/// A pattern with the values of a row, in the form that the archive accepts.
struct BoundPattern {
    subject: Option<NamedOrBlankNode>,
    predicate: Option<NamedNode>,
    object: Option<Term>,
}

/// `None` if a value cannot occur at its position, so that nothing matches.
fn bind_pattern(slots: &[PatternSlot; 3], row: &BindingRow) -> Option<BoundPattern> {
    let value = |slot: &PatternSlot| match slot {
        PatternSlot::Known(term) => Some(term.clone()),
        PatternSlot::Variable(name) => row.get(name).cloned(),
    };
    let subject = match value(&slots[0]) {
        None => None,
        Some(Term::NamedNode(node)) => Some(node.into()),
        Some(Term::BlankNode(node)) => Some(node.into()),
        Some(_) => return None,
    };
    let predicate = match value(&slots[1]) {
        None => None,
        Some(Term::NamedNode(node)) => Some(node),
        Some(_) => return None,
    };
    Some(BoundPattern { subject, predicate, object: value(&slots[2]) })
}

/// The estimated number of quads that match with the values of a row.
pub(super) fn estimate(
    QuadStatistics { snapshot, with_provenance }: QuadStatistics<'_>,
    graphs: &GraphSet,
    slots: &[PatternSlot; 3],
    row: &BindingRow,
) -> Result<u64, ArchiveError> {
    let Some(bound) = bind_pattern(slots, row) else { return Ok(0) };
    let in_graph = |graph: Option<GraphNameRef<'_>>| {
        let subject = bound.subject.as_ref().map(NamedOrBlankNode::as_ref);
        let predicate = bound.predicate.as_ref().map(NamedNode::as_ref);
        snapshot.estimate(subject, predicate, bound.object.as_ref().map(Term::as_ref), graph)
    };
    match graphs {
        None if with_provenance => {
            let pattern = ProvenancePattern {
                subject: bound.subject.clone().map(Term::from),
                predicate: bound.predicate.clone().map(Term::from),
                object: bound.object.clone(),
                graph: None,
            };
            Ok(in_graph(None)?.saturating_add(snapshot.estimate_provenance(&pattern)?))
        }
        None => in_graph(None),
        Some(graphs) => {
            let mut sum = 0u64;
            for graph in graphs {
                sum = sum.saturating_add(in_graph(Some(graph.as_ref()))?);
            }
            Ok(sum)
        }
    }
}

/// Extends a row by the first quads that match a pattern.
pub(super) fn extend_row(
    snapshot: &Snapshot,
    graphs: &GraphSet,
    slots: &[PatternSlot; 3],
    row: &BindingRow,
    graph_variable: Option<&str>,
    max_rows: usize,
) -> Result<Vec<BindingRow>, ArchiveError> {
    let Some(bound) = bind_pattern(slots, row) else { return Ok(Vec::new()) };
    let graph = graphs.as_ref().and_then(|graphs| graphs.first());
    let found = snapshot.quads(
        bound.subject.as_ref().map(NamedOrBlankNode::as_ref),
        bound.predicate.as_ref().map(NamedNode::as_ref),
        bound.object.as_ref().map(Term::as_ref),
        graph.map(GraphName::as_ref),
    );
    found.take(max_rows).map(|quad| Ok(bind_quad(row, slots, graph_variable, quad?))).collect()
}

fn bind_quad(row: &BindingRow, slots: &[PatternSlot; 3], graph_variable: Option<&str>, quad: Quad) -> BindingRow {
    let mut row = row.clone();
    if let (Some(name), GraphName::NamedNode(graph)) = (graph_variable, quad.graph_name) {
        row.entry(name.to_owned()).or_insert(graph.into());
    }
    for (slot, term) in slots.iter().zip([quad.subject.into(), quad.predicate.into(), quad.object]) {
        if let PatternSlot::Variable(name) = slot {
            row.entry(name.clone()).or_insert(term);
        }
    }
    row
}
