//! The terms of an entity, counted.

use super::graph::{EntityGraph, EntityId, TermId};
use super::options::TextScope;

/// Of a neighbour with more terms only the first ones count: a book beside a
/// hub would be read once for everybody else who is there.
const TERMS_OF_NEIGHBOUR_MAX: usize = 200;

/// The terms of one entity after the other, in memory that is used again.
pub(super) struct Bag {
    scope: TextScope,
    counts: Vec<u32>,
    terms: Vec<TermId>,
    total: u64,
}

impl Bag {
    /// An empty bag for the entities of a graph.
    pub(super) fn new(graph: &EntityGraph<'_>, scope: TextScope) -> Self {
        Self { scope, counts: vec![0; graph.terms_len()], terms: Vec::new(), total: 0 }
    }

    /// Empties the bag, and puts the terms of an entity into it.
    pub(super) fn fill(&mut self, graph: &EntityGraph<'_>, entity: EntityId) {
        for term in self.terms.drain(..) {
            self.counts[term as usize] = 0;
        }
        self.total = 0;
        for terms in texts(graph, self.scope, entity) {
            self.add(terms);
        }
    }

    fn add(&mut self, terms: &[(TermId, u32)]) {
        for &(term, count) in terms {
            let counted = &mut self.counts[term as usize];
            if *counted == 0 {
                self.terms.push(term);
            }
            *counted = counted.saturating_add(count);
            self.total += u64::from(count);
        }
    }

    /// The terms, and how often each is there.
    pub(super) fn iter(&self) -> impl Iterator<Item = (TermId, u32)> {
        self.terms.iter().map(|term| (*term, self.counts[*term as usize]))
    }

    /// How many different terms there are.
    pub(super) fn distinct(&self) -> u64 {
        self.terms.len() as u64
    }

    /// How many terms there are, each as often as it is there.
    pub(super) fn total(&self) -> u64 {
        self.total
    }
}

/// The terms of an entity as they are put into a bag: text by text, so that a term
/// may be there more than once.
pub(super) fn texts<'g>(
    graph: &'g EntityGraph<'_>,
    scope: TextScope,
    entity: EntityId,
) -> impl Iterator<Item = &'g [(TermId, u32)]> {
    let neighbours = match scope {
        TextScope::Own => &[],
        TextScope::WithNeighbours => graph.neighbours(entity),
    };
    let theirs = neighbours.iter().map(|&neighbour| graph.terms(neighbour));
    let theirs = theirs.map(|terms| &terms[..terms.len().min(TERMS_OF_NEIGHBOUR_MAX)]);
    std::iter::once(graph.terms(entity)).chain(theirs)
}
