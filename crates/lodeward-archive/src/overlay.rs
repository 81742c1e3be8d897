//! Changes that are not yet committed, and the archive as it looks with them.

use std::collections::{BTreeMap, BTreeSet};

use crate::chunk::Triple;
use crate::dictionary::Fresh;
use crate::scan::Pattern;
use crate::term::TermId;

/// What a transaction has changed so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    pub(crate) graphs: BTreeMap<TermId, GraphChange>,
    pub(crate) fresh: Fresh,
}

/// What becomes of a graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphChange {
    /// Whether all that was in it before is gone.
    pub(crate) cleared: bool,
    /// Whether there is such a graph now, if that is new.
    pub(crate) exists: Option<bool>,
    /// Whether these are in it now.
    pub(crate) triples: BTreeMap<Triple, bool>,
}

impl GraphChange {
    /// Empties the graph.
    pub(crate) fn clear(&mut self) {
        self.cleared = true;
        self.triples.clear();
    }

    /// What is added, in order.
    pub(crate) fn present(&self) -> impl Iterator<Item = Triple> + '_ {
        self.triples.iter().filter(|(_, present)| **present).map(|(triple, _)| *triple)
    }
}

impl Overlay {
    pub(crate) fn graph(&mut self, graph: TermId) -> &mut GraphChange {
        self.graphs.entry(graph).or_default()
    }

    /// Whether a quad that was there before is so no longer, or is said by
    /// [`Additions`] as well.
    pub(crate) fn hides(&self, [graph, subject, predicate, object]: [u64; 4]) -> bool {
        let Some(change) = self.graphs.get(&TermId(graph)) else { return false };
        change.cleared || change.triples.contains_key(&[subject, predicate, object])
    }
}

/// What an overlay adds, made to be searched.
#[derive(Default)]
pub(crate) struct Additions {
    /// Subject, predicate, object, graph.
    by_subject: BTreeSet<[u64; 4]>,
    /// Object, subject, predicate, graph.
    by_object: BTreeSet<[u64; 4]>,
}

impl Additions {
    pub(crate) fn of(overlay: &Overlay) -> Self {
        let mut additions = Self::default();
        for (graph, change) in &overlay.graphs {
            for [subject, predicate, object] in change.present() {
                additions.by_subject.insert([subject, predicate, object, graph.0]);
                additions.by_object.insert([object, subject, predicate, graph.0]);
            }
        }
        additions
    }

    /// The added quads that match: graph, subject, predicate, object.
    pub(crate) fn matching(&self, pattern: &Pattern) -> Vec<[u64; 4]> {
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
