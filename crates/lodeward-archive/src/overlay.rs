//! Uncommitted changes of a transaction, and queries over them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::chunk::IdTriple;
use crate::dictionary::NewTerms;
use crate::scan::IdPattern;
use crate::term::TermId;

/// The changes of a transaction so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    pub(crate) graphs: BTreeMap<TermId, GraphChange>,
    pub(crate) new_terms: NewTerms,
}

/// The changes of one graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphChange {
    /// Whether all earlier triples of the graph are removed.
    pub(crate) cleared: bool,
    /// Whether the graph exists after the change; `None` if the change does not affect this.
    pub(crate) exists: Option<bool>,
    pub(crate) triples: TripleChanges,
}

/// Triples that are added or removed.
#[derive(Clone, Debug)]
pub(crate) enum TripleChanges {
    /// Triples that are added, sorted and distinct: those of a document, which are many.
    Added(Vec<IdTriple>),
    /// Triples that are added (`true`) or removed (`false`).
    Mixed(BTreeMap<IdTriple, bool>),
}

impl Default for TripleChanges {
    fn default() -> Self {
        Self::Added(Vec::new())
    }
}

impl TripleChanges {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Added(added) => added.is_empty(),
            Self::Mixed(changes) => changes.is_empty(),
        }
    }

    /// Whether a triple is added (`true`) or removed (`false`); `None` if it is not changed.
    pub(crate) fn get(&self, triple: &IdTriple) -> Option<bool> {
        match self {
            Self::Added(added) => added.binary_search(triple).is_ok().then_some(true),
            Self::Mixed(changes) => changes.get(triple).copied(),
        }
    }

    /// The changes, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (IdTriple, bool)> + '_ {
        let (added, changes) = match self {
            Self::Added(added) => (&added[..], None),
            Self::Mixed(changes) => (&[][..], Some(changes)),
        };
        let changes = changes.into_iter().flatten().map(|(triple, present)| (*triple, *present));
        added.iter().map(|triple| (*triple, true)).chain(changes)
    }

    /// Adds (`true`) or removes (`false`) a triple.
    pub(crate) fn set(&mut self, triple: IdTriple, present: bool) {
        self.mixed().insert(triple, present);
    }

    /// Adds triples.
    pub(crate) fn add_all(&mut self, mut triples: Vec<IdTriple>) {
        if self.is_empty() {
            triples.sort_unstable();
            triples.dedup();
            *self = Self::Added(triples);
        } else {
            self.mixed().extend(triples.into_iter().map(|triple| (triple, true)));
        }
    }

    fn mixed(&mut self) -> &mut BTreeMap<IdTriple, bool> {
        if let Self::Added(added) = self {
            let changes = std::mem::take(added).into_iter().map(|triple| (triple, true)).collect();
            *self = Self::Mixed(changes);
        }
        match self {
            Self::Mixed(changes) => changes,
            Self::Added(_) => unreachable!("the additions were converted"),
        }
    }
}

impl GraphChange {
    /// Records that all triples of the graph are removed.
    pub(crate) fn clear(&mut self) {
        self.cleared = true;
        self.triples = TripleChanges::default();
    }

    /// The added triples, in order.
    pub(crate) fn added_triples(&self) -> Cow<'_, [IdTriple]> {
        match &self.triples {
            TripleChanges::Added(added) => Cow::Borrowed(added),
            TripleChanges::Mixed(changes) => {
                changes.iter().filter(|(_, present)| **present).map(|(triple, _)| *triple).collect()
            }
        }
    }
}

impl Overlay {
    pub(crate) fn graph_mut(&mut self, graph: TermId) -> &mut GraphChange {
        self.graphs.entry(graph).or_default()
    }

    /// Whether to skip a quad of the base snapshot: it is removed, or [`OverlayAdditions`] returns
    /// it as well.
    pub(crate) fn hides(&self, [graph, subject, predicate, object]: [u64; 4]) -> bool {
        let Some(change) = self.graphs.get(&TermId(graph)) else { return false };
        change.cleared || change.triples.get(&[subject, predicate, object]).is_some()
    }
}

/// The quads that an overlay adds, indexed by subject and by object.
#[derive(Default)]
pub(crate) struct OverlayAdditions {
    /// Subject, predicate, object, graph.
    by_subject: BTreeSet<[u64; 4]>,
    /// Object, subject, predicate, graph.
    by_object: BTreeSet<[u64; 4]>,
}

impl OverlayAdditions {
    pub(crate) fn from_overlay(overlay: &Overlay) -> Self {
        let mut additions = Self::default();
        for (graph, change) in &overlay.graphs {
            for &[subject, predicate, object] in &*change.added_triples() {
                additions.by_subject.insert([subject, predicate, object, graph.0]);
                additions.by_object.insert([object, subject, predicate, graph.0]);
            }
        }
        additions
    }

    /// The added quads that match: graph, subject, predicate, object.
    pub(crate) fn matching(&self, pattern: &IdPattern) -> Vec<[u64; 4]> {
        let [subject, predicate, object] = pattern.terms;
        let matches = |&[s, p, o, g]: &[u64; 4]| {
            subject.is_none_or(|term| term == s)
                && predicate.is_none_or(|term| term == p)
                && object.is_none_or(|term| term == o)
                && pattern.graph.is_none_or(|graph| graph.0 == g)
        };
        let with = |first: u64| [first, 0, 0, 0]..=[first, u64::MAX, u64::MAX, u64::MAX];
        let quads: Vec<[u64; 4]> = match (subject, object) {
            (Some(subject), _) => self.by_subject.range(with(subject)).copied().filter(matches).collect(),
            (None, Some(object)) => {
                self.by_object.range(with(object)).map(|&[o, s, p, g]| [s, p, o, g]).filter(matches).collect()
            }
            (None, None) => self.by_subject.iter().copied().filter(matches).collect(),
        };
        quads.into_iter().map(|[s, p, o, g]| [g, s, p, o]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{GraphChange, TripleChanges};

    #[test]
    fn additions_of_documents_and_single_changes_are_combined() {
        let mut change = GraphChange::default();
        change.triples.add_all(vec![[3, 1, 1], [1, 1, 1], [3, 1, 1], [2, 1, 1]]);
        assert!(matches!(change.triples, TripleChanges::Added(_)));
        assert_eq!(*change.added_triples(), [[1, 1, 1], [2, 1, 1], [3, 1, 1]]);

        change.triples.set([2, 1, 1], false);
        change.triples.add_all(vec![[9, 1, 1], [0, 1, 1]]);

        assert_eq!(*change.added_triples(), [[0, 1, 1], [1, 1, 1], [3, 1, 1], [9, 1, 1]]);
        let state = |triple| change.triples.get(&triple);
        assert_eq!([state([1, 1, 1]), state([2, 1, 1]), state([4, 1, 1])], [Some(true), Some(false), None]);
        assert_eq!(change.triples.iter().count(), 5);

        change.clear();
        assert!(change.cleared && change.triples.is_empty());
    }
}
