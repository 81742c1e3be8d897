//! Scans a document before it is sent: its graphs, and the components of its blank nodes.
//!
//! A blank node label is valid in one request only, so all statements about a blank node must be in
//! one request. Statements connected by blank nodes, directly or indirectly, form a *component*. A
//! document too large for one request is split between components, never inside one.

use std::collections::HashMap;

use oxrdf::{GraphName, NamedOrBlankNode, Quad, Term};
use xxhash_rust::xxh3::xxh3_128;

use super::sparql_text::BlankGraphNames;
use lodeward::store::StoreError;
use lodeward::store::follow::DocumentStatements;

/// Result of the scan.
pub(super) struct DocumentScan {
    /// The graphs, in order of first occurrence.
    pub(super) graphs: Vec<GraphName>,
    /// The graphs named by blank nodes.
    pub(super) names: BlankGraphNames,
    pub(super) components: BlankNodeComponents,
}

impl DocumentScan {
    pub(super) fn from_statements(statements: &DocumentStatements) -> Result<Self, StoreError> {
        let mut scan =
            Self { graphs: Vec::new(), names: BlankGraphNames::default(), components: BlankNodeComponents::default() };
        let mut seen = std::collections::HashSet::new();
        for quad in statements.quads()? {
            let quad = quad?;
            scan.components.count_quad(&quad);
            if scan.graphs.last() != Some(&quad.graph_name) && seen.insert(quad.graph_name.clone()) {
                scan.names.add(&quad.graph_name);
                scan.graphs.push(quad.graph_name);
            }
        }
        Ok(scan)
    }
}

/// The components of a document, each with the number of its statements that were not taken yet (a
/// union-find forest).
#[derive(Default)]
pub(super) struct BlankNodeComponents {
    numbers: HashMap<u128, u32, foldhash::fast::RandomState>,
    /// Each node points towards the root of its component.
    parents: Vec<u32>,
    /// At roots: number of statements of the component that were not taken yet.
    pending: Vec<u64>,
}

impl BlankNodeComponents {
    fn count_quad(&mut self, quad: &Quad) {
        let (subject, object) =
            (blank_subject(quad).map(|key| self.node_index(key)), blank_object(quad).map(|key| self.node_index(key)));
        if let Some(root) = match (subject, object) {
            (Some(subject), Some(object)) => Some(self.union(subject, object)),
            (subject, object) => subject.or(object).map(|node| self.find_root(node)),
        } {
            self.pending[root as usize] += 1;
        }
    }

    fn node_index(&mut self, key: u128) -> u32 {
        let next = u32::try_from(self.parents.len()).expect("a document has fewer than 2³² blank nodes");
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.parents.push(next);
            self.pending.push(0);
        }
        number
    }

    fn find_root(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            // Path halving.
            let grandparent = self.parents[self.parents[node as usize] as usize];
            self.parents[node as usize] = grandparent;
            node = grandparent;
        }
        node
    }

    fn union(&mut self, left: u32, right: u32) -> u32 {
        let (left, right) = (self.find_root(left), self.find_root(right));
        if left != right {
            self.parents[right as usize] = left;
            self.pending[left as usize] += std::mem::take(&mut self.pending[right as usize]);
        }
        left
    }

    /// Returns the component of a statement, and whether the statement is the last one of the
    /// component; `None` for a statement without blank nodes. Call once per statement, after all
    /// statements have been counted.
    pub(super) fn take_quad(&mut self, quad: &Quad) -> Option<(u32, bool)> {
        let key = blank_subject(quad).or_else(|| blank_object(quad))?;
        let node = *self.numbers.get(&key)?;
        let root = self.find_root(node);
        let pending = &mut self.pending[root as usize];
        *pending = pending.saturating_sub(1);
        Some((root, *pending == 0))
    }
}

fn blank_subject(quad: &Quad) -> Option<u128> {
    match &quad.subject {
        NamedOrBlankNode::BlankNode(node) => Some(xxh3_128(node.as_str().as_bytes())),
        NamedOrBlankNode::NamedNode(_) => None,
    }
}

fn blank_object(quad: &Quad) -> Option<u128> {
    match &quad.object {
        Term::BlankNode(node) => Some(xxh3_128(node.as_str().as_bytes())),
        Term::NamedNode(_) | Term::Literal(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_connected_by_blank_nodes_are_one_component() {
        let lines = "_:a <http://p.example/> _:b .\n\
                     _:c <http://p.example/> _:d .\n\
                     <http://s.example/> <http://p.example/> <http://o.example/> .\n\
                     _:b <http://p.example/> \"x\" .\n\
                     <http://s.example/> <http://p.example/> _:d <http://g.example/> .\n\
                     _:e <http://p.example/> _:a _:g .\n";
        let statements = DocumentStatements::from_lines(lines);
        let mut scan = DocumentScan::from_statements(&statements).unwrap();

        let quads = statements.quads().unwrap().map(Result::unwrap);
        let taken: Vec<_> = quads.map(|quad| scan.components.take_quad(&quad)).collect();

        let [Some(first), Some(second), None, Some(third), Some(fourth), Some(last)] = taken[..] else {
            panic!("{taken:?}")
        };
        assert_eq!((first.0, first.0), (third.0, last.0));
        assert_eq!(second.0, fourth.0);
        assert_ne!(first.0, second.0);
        assert_eq!([first.1, second.1, third.1, fourth.1, last.1], [false, false, false, true, true]);
        assert_eq!(scan.graphs.len(), 3);
        assert!(scan.names.contains("g"));
    }
}
