//! Access to the archive for a SPARQL evaluator.

use std::sync::Arc;

use oxrdf::Term;
use spareval::{InternalQuad, QueryableDataset};

use crate::error::ArchiveError;
use crate::overlay::{Overlay, OverlayAdditions};
use crate::scan::IdPattern;
use crate::snapshot::Snapshot;
use crate::term::{self, TermId};

/// A term in the representation of the evaluator. Two values are equal if and only if their terms
/// are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoredTerm(StoredTermKind);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum StoredTermKind {
    /// A term that is in the dictionary, or is encoded in its id.
    Id(TermId),
    /// A term that no quad contains: it comes from an expression or from the query.
    External(Arc<Term>),
}

/// The dataset that a SPARQL evaluator reads: a snapshot, or a transaction with its changes so far.
/// If a pattern matches any graph, the results include quads of the default graph.
#[derive(Clone)]
pub struct QuadReader {
    snapshot: Snapshot,
    changes: Option<Arc<OverlayView>>,
}

struct OverlayView {
    overlay: Arc<Overlay>,
    additions: OverlayAdditions,
}

impl StoredTerm {
    /// The id of the term; `None` if no quad contains the term.
    pub(crate) fn id(&self) -> Option<u64> {
        match &self.0 {
            StoredTermKind::Id(id) => Some(id.0),
            StoredTermKind::External(_) => None,
        }
    }
}

impl Snapshot {
    /// This snapshot as a dataset for a SPARQL evaluator.
    #[must_use]
    pub fn reader(&self) -> QuadReader {
        QuadReader { snapshot: self.clone(), changes: None }
    }
}

impl QuadReader {
    /// Creates a reader of a snapshot with the changes of a transaction.
    pub(crate) fn with_overlay(snapshot: Snapshot, overlay: Arc<Overlay>) -> Self {
        if overlay.graphs.is_empty() {
            return Self { snapshot, changes: None };
        }
        let additions = OverlayAdditions::from_overlay(&overlay);
        Self { snapshot, changes: Some(Arc::new(OverlayView { overlay, additions })) }
    }

    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The quads that match: graph, subject, predicate, object.
    pub(crate) fn quads(&self, pattern: IdPattern) -> impl Iterator<Item = Result<[u64; 4], ArchiveError>> + use<> {
        let changes = self.changes.clone();
        let added = changes.as_ref().map_or_else(Vec::new, |changes| changes.additions.matching(&pattern));
        let unchanged = self.snapshot.scan(pattern).filter(move |quad| match (quad, &changes) {
            (Ok(quad), Some(changes)) => !changes.overlay.hides(*quad),
            _ => true,
        });
        unchanged.chain(added.into_iter().map(Ok))
    }

    fn overlay_term(&self, id: TermId) -> Option<Term> {
        let changes = self.changes.as_ref()?;
        changes.overlay.new_terms.term(id).and_then(term::decode)
    }
}

fn stored_term(id: u64) -> StoredTerm {
    StoredTerm(StoredTermKind::Id(TermId(id)))
}

/// A quad of ids for the evaluator.
pub(crate) fn stored_quad([graph, subject, predicate, object]: [u64; 4]) -> InternalQuad<StoredTerm> {
    InternalQuad {
        subject: stored_term(subject),
        predicate: stored_term(predicate),
        object: stored_term(object),
        graph_name: (TermId(graph) != TermId::DEFAULT_GRAPH).then(|| stored_term(graph)),
    }
}

/// The id of a term; `Err` if no quad contains the term.
fn lookup_id(term: Option<&StoredTerm>) -> Result<Option<u64>, ()> {
    match term.map(|term| &term.0) {
        None => Ok(None),
        Some(StoredTermKind::Id(id)) => Ok(Some(id.0)),
        Some(StoredTermKind::External(_)) => Err(()),
    }
}

/// A pattern as ids; `Err` if no quad contains one of its terms.
#[expect(clippy::option_option, reason = "in spareval, `None` is any graph, and `Some(None)` is the default graph")]
pub(crate) fn to_id_pattern(
    terms: [Option<&StoredTerm>; 3],
    graph: Option<Option<&StoredTerm>>,
) -> Result<IdPattern, ()> {
    let [subject, predicate, object] = terms;
    let graph = match graph {
        None => None,
        Some(None) => Some(TermId::DEFAULT_GRAPH),
        Some(name) => lookup_id(name)?.map(TermId),
    };
    Ok(IdPattern { terms: [lookup_id(subject)?, lookup_id(predicate)?, lookup_id(object)?], graph })
}

impl QueryableDataset<'static> for QuadReader {
    type InternalTerm = StoredTerm;
    type Error = ArchiveError;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&StoredTerm>,
        predicate: Option<&StoredTerm>,
        object: Option<&StoredTerm>,
        graph_name: Option<Option<&StoredTerm>>,
    ) -> impl Iterator<Item = Result<InternalQuad<StoredTerm>, ArchiveError>> + use<> {
        let pattern = to_id_pattern([subject, predicate, object], graph_name).ok();
        let quads = pattern.map(|pattern| self.quads(pattern));
        quads.into_iter().flatten().map(|quad| Ok(stored_quad(quad?)))
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
        old.map(|graph| Ok(stored_term(graph?.0))).chain(new.into_iter().map(|graph| Ok(stored_term(graph))))
    }

    fn contains_internal_graph_name(&self, graph_name: &StoredTerm) -> Result<bool, ArchiveError> {
        let StoredTermKind::Id(graph) = graph_name.0 else { return Ok(false) };
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
            id = changes.overlay.new_terms.get(crate::dictionary::hash(&bytes));
        }
        Ok(StoredTerm(id.map_or_else(|| StoredTermKind::External(Arc::new(term)), StoredTermKind::Id)))
    }

    fn externalize_term(&self, term: StoredTerm) -> Result<Term, ArchiveError> {
        match term.0 {
            StoredTermKind::External(term) => Ok(Arc::unwrap_or_clone(term)),
            StoredTermKind::Id(id) => match self.overlay_term(id) {
                Some(term) => Ok(term),
                None => self.snapshot.term(id),
            },
        }
    }
}
