//! A triple pattern, with values in place of some of its variables.

use std::collections::HashMap;

use oxrdf::{GraphName, GraphNameRef, NamedNode, NamedOrBlankNode, Quad, Term};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::Places;
use crate::{ArchiveError, Snapshot};

/// A row that was found while ordering: values by the names of variables.
pub(super) type Row = HashMap<String, Term>;

/// One place of a pattern.
pub(super) enum Slot {
    Known(Term),
    Variable(String),
}

/// The three places of a pattern. A blank node is a variable of a name that no
/// variable can have.
pub(super) fn slots(pattern: &TriplePattern) -> [Slot; 3] {
    let term = |term: &TermPattern| match term {
        TermPattern::NamedNode(node) => Slot::Known(node.clone().into()),
        TermPattern::Literal(literal) => Slot::Known(literal.clone().into()),
        TermPattern::BlankNode(node) => Slot::Variable(format!("_:{}", node.as_str())),
        TermPattern::Variable(variable) => Slot::Variable(variable.as_str().to_owned()),
    };
    let predicate = match &pattern.predicate {
        NamedNodePattern::NamedNode(node) => Slot::Known(node.clone().into()),
        NamedNodePattern::Variable(variable) => Slot::Variable(variable.as_str().to_owned()),
    };
    [term(&pattern.subject), predicate, term(&pattern.object)]
}

/// A pattern with the values of a row: what the archive can be asked.
struct Asked {
    subject: Option<NamedOrBlankNode>,
    predicate: Option<NamedNode>,
    object: Option<Term>,
}

/// `None` if a value is where it cannot be, so that nothing matches.
fn asked(slots: &[Slot; 3], row: &Row) -> Option<Asked> {
    let value = |slot: &Slot| match slot {
        Slot::Known(term) => Some(term.clone()),
        Slot::Variable(name) => row.get(name).cloned(),
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
    Some(Asked { subject, predicate, object: value(&slots[2]) })
}

/// About how many quads match with the values of a row.
pub(super) fn estimate(
    snapshot: &Snapshot,
    places: &Places,
    slots: &[Slot; 3],
    row: &Row,
) -> Result<u64, ArchiveError> {
    let Some(asked) = asked(slots, row) else { return Ok(0) };
    let in_graph = |graph: Option<GraphNameRef<'_>>| {
        let subject = asked.subject.as_ref().map(NamedOrBlankNode::as_ref);
        let predicate = asked.predicate.as_ref().map(NamedNode::as_ref);
        snapshot.estimate(subject, predicate, asked.object.as_ref().map(Term::as_ref), graph)
    };
    match places {
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

/// Rows that a pattern makes of a row, a few of them.
pub(super) fn extended(
    snapshot: &Snapshot,
    places: &Places,
    slots: &[Slot; 3],
    row: &Row,
    graph_variable: Option<&str>,
    rows_max: usize,
) -> Result<Vec<Row>, ArchiveError> {
    let Some(asked) = asked(slots, row) else { return Ok(Vec::new()) };
    let graph = places.as_ref().and_then(|graphs| graphs.first());
    let found = snapshot.quads(
        asked.subject.as_ref().map(NamedOrBlankNode::as_ref),
        asked.predicate.as_ref().map(NamedNode::as_ref),
        asked.object.as_ref().map(Term::as_ref),
        graph.map(GraphName::as_ref),
    );
    found.take(rows_max).map(|quad| Ok(with(row, slots, graph_variable, quad?))).collect()
}

fn with(row: &Row, slots: &[Slot; 3], graph_variable: Option<&str>, quad: Quad) -> Row {
    let mut row = row.clone();
    if let (Some(name), GraphName::NamedNode(graph)) = (graph_variable, quad.graph_name) {
        row.entry(name.to_owned()).or_insert(graph.into());
    }
    for (slot, term) in slots.iter().zip([quad.subject.into(), quad.predicate.into(), quad.object]) {
        if let Slot::Variable(name) = slot {
            row.entry(name.clone()).or_insert(term);
        }
    }
    row
}
