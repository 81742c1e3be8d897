//! A document, looked through before it is sent: which graphs it has, and
//! which of its statements hang together by blank nodes.
//!
//! A blank node means something else in every request, so all statements
//! about it have to be in one. Those that are connected by blank nodes, over
//! any number of statements, are a *component*; a document that is too large
//! for one request is cut between components, never inside one.

use std::collections::HashMap;

use oxrdf::{GraphName, NamedOrBlankNode, Quad, Term};
use xxhash_rust::xxh3::xxh3_128;

use super::super::StoreError;
use super::super::follow::Statements;
use super::text::GraphNames;

/// What was found.
pub(super) struct Survey {
    /// The graphs, in the order of their appearance.
    pub(super) graphs: Vec<GraphName>,
    /// Those of them that are blank nodes.
    pub(super) names: GraphNames,
    pub(super) components: Components,
}

impl Survey {
    pub(super) fn of(statements: &Statements) -> Result<Self, StoreError> {
        let mut survey = Self { graphs: Vec::new(), names: GraphNames::default(), components: Components::default() };
        let mut seen = std::collections::HashSet::new();
        for quad in statements.quads()? {
            let quad = quad?;
            survey.components.count(&quad);
            if survey.graphs.last() != Some(&quad.graph_name) && seen.insert(quad.graph_name.clone()) {
                survey.names.note(&quad.graph_name);
                survey.graphs.push(quad.graph_name);
            }
        }
        Ok(survey)
    }
}

/// The components of a document, and how many of their statements are to come.
#[derive(Default)]
pub(super) struct Components {
    numbers: HashMap<u128, u32, foldhash::fast::RandomState>,
    /// A forest: every node points towards the root of its component.
    parents: Vec<u32>,
    /// At roots: statements of the component.
    pending: Vec<u64>,
}

impl Components {
    fn count(&mut self, quad: &Quad) {
        let (subject, object) = (subject(quad).map(|key| self.node(key)), object(quad).map(|key| self.node(key)));
        if let Some(root) = match (subject, object) {
            (Some(subject), Some(object)) => Some(self.join(subject, object)),
            (subject, object) => subject.or(object).map(|node| self.root(node)),
        } {
            self.pending[root as usize] += 1;
        }
    }

    fn node(&mut self, key: u128) -> u32 {
        let next = u32::try_from(self.parents.len()).expect("fewer blank nodes than 2³²");
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.parents.push(next);
            self.pending.push(0);
        }
        number
    }

    fn root(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            // Halves the way for whoever comes next.
            let grandparent = self.parents[self.parents[node as usize] as usize];
            self.parents[node as usize] = grandparent;
            node = grandparent;
        }
        node
    }

    fn join(&mut self, left: u32, right: u32) -> u32 {
        let (left, right) = (self.root(left), self.root(right));
        if left != right {
            self.parents[right as usize] = left;
            self.pending[left as usize] += std::mem::take(&mut self.pending[right as usize]);
        }
        left
    }

    /// The component of a statement, and whether this was its last one; `None`
    /// for a statement without blank nodes. To be asked once per statement,
    /// after all have been counted.
    pub(super) fn take(&mut self, quad: &Quad) -> Option<(u32, bool)> {
        let key = subject(quad).or_else(|| object(quad))?;
        let node = *self.numbers.get(&key)?;
        let root = self.root(node);
        let pending = &mut self.pending[root as usize];
        *pending = pending.saturating_sub(1);
        Some((root, *pending == 0))
    }
}

fn subject(quad: &Quad) -> Option<u128> {
    match &quad.subject {
        NamedOrBlankNode::BlankNode(node) => Some(xxh3_128(node.as_str().as_bytes())),
        NamedOrBlankNode::NamedNode(_) => None,
    }
}

fn object(quad: &Quad) -> Option<u128> {
    match &quad.object {
        Term::BlankNode(node) => Some(xxh3_128(node.as_str().as_bytes())),
        Term::NamedNode(_) | Term::Literal(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_together_is_one_component() {
        let lines = "_:a <http://p.example/> _:b .\n\
                     _:c <http://p.example/> _:d .\n\
                     <http://s.example/> <http://p.example/> <http://o.example/> .\n\
                     _:b <http://p.example/> \"x\" .\n\
                     <http://s.example/> <http://p.example/> _:d <http://g.example/> .\n\
                     _:e <http://p.example/> _:a _:g .\n";
        let statements = Statements::from_lines(lines);
        let mut survey = Survey::of(&statements).unwrap();

        let quads = statements.quads().unwrap().map(Result::unwrap);
        let taken: Vec<_> = quads.map(|quad| survey.components.take(&quad)).collect();

        let [Some(first), Some(second), None, Some(third), Some(fourth), Some(last)] = taken[..] else {
            panic!("{taken:?}")
        };
        assert_eq!((first.0, first.0), (third.0, last.0));
        assert_eq!(second.0, fourth.0);
        assert_ne!(first.0, second.0);
        assert_eq!([first.1, second.1, third.1, fourth.1, last.1], [false, false, false, true, true]);
        assert_eq!(survey.graphs.len(), 3);
        assert!(survey.names.contains("g"));
    }
}
