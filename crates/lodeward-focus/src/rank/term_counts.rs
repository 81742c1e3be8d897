//! Counts the terms of an entity.

use super::graph::{EntityGraph, EntityId, WordId};
use super::options::TextScope;

/// Maximum number of terms counted per neighbour. Without a limit, a long text of a hub would be
/// read once for every neighbour of the hub.
const MAX_NEIGHBOUR_TERMS: usize = 200;

/// Counts the terms of one entity at a time; its memory is reused for the next entity.
pub(super) struct TermCounts {
    scope: TextScope,
    counts: Vec<u32>,
    terms: Vec<WordId>,
    total: u64,
}

impl TermCounts {
    /// Creates an empty bag for the entities of a graph.
    pub(super) fn new(graph: &EntityGraph<'_>, scope: TextScope) -> Self {
        Self { scope, counts: vec![0; graph.terms_len()], terms: Vec::new(), total: 0 }
    }

    /// Replaces the content of the bag by the terms of an entity.
    pub(super) fn fill(&mut self, graph: &EntityGraph<'_>, entity: EntityId) {
        for term in self.terms.drain(..) {
            self.counts[term as usize] = 0;
        }
        self.total = 0;
        for terms in entity_terms(graph, self.scope, entity) {
            self.add(terms);
        }
    }

    fn add(&mut self, terms: &[(WordId, u32)]) {
        for &(term, count) in terms {
            let counted = &mut self.counts[term as usize];
            if *counted == 0 {
                self.terms.push(term);
            }
            *counted = counted.saturating_add(count);
            self.total += u64::from(count);
        }
    }

    /// The terms with their counts.
    pub(super) fn iter(&self) -> impl Iterator<Item = (WordId, u32)> {
        self.terms.iter().map(|term| (*term, self.counts[*term as usize]))
    }

    /// Number of distinct terms.
    pub(super) fn distinct(&self) -> u64 {
        self.terms.len() as u64
    }

    /// Number of terms, with repetitions.
    pub(super) fn total(&self) -> u64 {
        self.total
    }
}

/// The terms of an entity: one list for each entity in scope. A term may occur in several lists.
pub(super) fn entity_terms<'g>(
    graph: &'g EntityGraph<'_>,
    scope: TextScope,
    entity: EntityId,
) -> impl Iterator<Item = &'g [(WordId, u32)]> {
    let neighbours = match scope {
        TextScope::Own => &[],
        TextScope::WithNeighbours => graph.neighbours(entity),
    };
    let theirs = neighbours.iter().map(|&neighbour| graph.terms(neighbour));
    let theirs = theirs.map(|terms| &terms[..terms.len().min(MAX_NEIGHBOUR_TERMS)]);
    std::iter::once(graph.terms(entity)).chain(theirs)
}
