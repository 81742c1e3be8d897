//! The archive as a SPARQL evaluator reads it.

use std::sync::Arc;

use oxrdf::Term;
use spareval::{InternalQuad, QueryableDataset};

use crate::error::ArchiveError;
use crate::overlay::{Additions, Overlay};
use crate::scan::Pattern;
use crate::snapshot::Snapshot;
use crate::term::{self, TermId};

/// A term as the archive's readers hold it. Equal if the terms are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoredTerm(Held);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Held {
    /// One that the archive has, or that is short.
    Id(TermId),
    /// One that no quad has: made by an expression, or only in the query.
    Foreign(Arc<Term>),
}

/// What a SPARQL evaluator reads: a snapshot, or a transaction with its changes
/// so far. Where any graph is asked for, the quads of the default graph are
/// among the answers.
pub struct Reader {
    snapshot: Snapshot,
    changes: Option<Arc<Changes>>,
}

struct Changes {
    overlay: Arc<Overlay>,
    additions: Additions,
}

impl Snapshot {
    /// This snapshot as what a SPARQL evaluator reads.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader { snapshot: self.clone(), changes: None }
    }
}

impl Reader {
    /// A snapshot with changes on top.
    pub(crate) fn with(snapshot: Snapshot, overlay: Arc<Overlay>) -> Self {
        if overlay.graphs.is_empty() {
            return Self { snapshot, changes: None };
        }
        let additions = Additions::of(&overlay);
        Self { snapshot, changes: Some(Arc::new(Changes { overlay, additions })) }
    }

    fn quads(&self, pattern: Pattern) -> impl Iterator<Item = Result<[u64; 4], ArchiveError>> + use<> {
        let changes = self.changes.clone();
        let added = changes.as_ref().map_or_else(Vec::new, |changes| changes.additions.matching(&pattern));
        let kept = self.snapshot.scan(pattern).filter(move |quad| match (quad, &changes) {
            (Ok(quad), Some(changes)) => !changes.overlay.hides(*quad),
            _ => true,
        });
        kept.chain(added.into_iter().map(Ok))
    }

    fn fresh(&self, id: TermId) -> Option<Term> {
        let changes = self.changes.as_ref()?;
        changes.overlay.fresh.term(id).and_then(term::decode)
    }
}

fn stored(id: u64) -> StoredTerm {
    StoredTerm(Held::Id(TermId(id)))
}

/// The id to look for; `Err` if nothing has it.
fn wanted(term: Option<&StoredTerm>) -> Result<Option<u64>, ()> {
    match term.map(|term| &term.0) {
        None => Ok(None),
        Some(Held::Id(id)) => Ok(Some(id.0)),
        Some(Held::Foreign(_)) => Err(()),
    }
}

#[expect(clippy::option_option, reason = "spareval tells any graph from the default graph in this way")]
fn pattern(terms: [Option<&StoredTerm>; 3], graph: Option<Option<&StoredTerm>>) -> Result<Pattern, ()> {
    let [subject, predicate, object] = terms;
    let graph = match graph {
        None => None,
        Some(None) => Some(TermId::DEFAULT_GRAPH),
        Some(name) => wanted(name)?.map(TermId),
    };
    Ok(Pattern { terms: [wanted(subject)?, wanted(predicate)?, wanted(object)?], graph })
}

impl QueryableDataset<'static> for Reader {
    type InternalTerm = StoredTerm;
    type Error = ArchiveError;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&StoredTerm>,
        predicate: Option<&StoredTerm>,
        object: Option<&StoredTerm>,
        graph_name: Option<Option<&StoredTerm>>,
    ) -> impl Iterator<Item = Result<InternalQuad<StoredTerm>, ArchiveError>> + use<> {
        let pattern = pattern([subject, predicate, object], graph_name).ok();
        let quads = pattern.map(|pattern| self.quads(pattern));
        quads.into_iter().flatten().map(|quad| {
            let [graph, subject, predicate, object] = quad?;
            Ok(InternalQuad {
                subject: stored(subject),
                predicate: stored(predicate),
                object: stored(object),
                graph_name: (TermId(graph) != TermId::DEFAULT_GRAPH).then(|| stored(graph)),
            })
        })
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<StoredTerm, ArchiveError>> + use<> {
        let changes = self.changes.clone();
        let changed = move |graph: TermId| changes.as_ref()?.overlay.graphs.get(&graph)?.exists;
        let new: Vec<u64> = self
            .changes
            .iter()
            .flat_map(|changes| &changes.overlay.graphs)
            .filter(|(_, change)| change.exists == Some(true))
            .map(|(graph, _)| graph.0)
            .collect();
        let old = self.snapshot.graph_ids().filter(move |graph| match graph {
            Ok(graph) => changed(*graph).is_none(),
            Err(_) => true,
        });
        old.map(|graph| Ok(stored(graph?.0))).chain(new.into_iter().map(|graph| Ok(stored(graph))))
    }

    fn contains_internal_graph_name(&self, graph_name: &StoredTerm) -> Result<bool, ArchiveError> {
        let Held::Id(graph) = graph_name.0 else { return Ok(false) };
        let change = self.changes.as_ref().and_then(|changes| changes.overlay.graphs.get(&graph));
        match change.and_then(|change| change.exists) {
            Some(exists) => Ok(exists),
            None => self.snapshot.has_graph(graph),
        }
    }

    fn internalize_term(&self, term: Term) -> Result<StoredTerm, ArchiveError> {
        let mut id = self.snapshot.find(term.as_ref())?;
        if let (None, Some(changes)) = (id, &self.changes) {
            let mut bytes = Vec::new();
            term::encode(term.as_ref(), &mut bytes);
            id = changes.overlay.fresh.get(crate::dictionary::hash(&bytes));
        }
        Ok(StoredTerm(id.map_or_else(|| Held::Foreign(Arc::new(term)), Held::Id)))
    }

    fn externalize_term(&self, term: StoredTerm) -> Result<Term, ArchiveError> {
        match term.0 {
            Held::Foreign(term) => Ok(Arc::unwrap_or_clone(term)),
            Held::Id(id) => match self.fresh(id) {
                Some(term) => Ok(term),
                None => self.snapshot.term(id),
            },
        }
    }
}
