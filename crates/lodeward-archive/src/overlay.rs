//! Uncommitted changes of a transaction, and queries over them.

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
    /// Triples that are added (`true`) or removed (`false`).
    pub(crate) triples: BTreeMap<IdTriple, bool>,
}

impl GraphChange {
    /// Records that all triples of the graph are removed.
    pub(crate) fn clear(&mut self) {
        self.cleared = true;
        self.triples.clear();
    }

    /// The added triples, in order.
    pub(crate) fn added_triples(&self) -> impl Iterator<Item = IdTriple> + '_ {
        self.triples.iter().filter(|(_, present)| **present).map(|(triple, _)| *triple)
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
        change.cleared || change.triples.contains_key(&[subject, predicate, object])
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
            for [subject, predicate, object] in change.added_triples() {
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
