//! The dataset that the evaluator reads: stoppable, and with default graphs that are sets.
//!
//! spareval returns the quads of several default graphs one after another, so a triple in two of
//! them would occur twice. SPARQL requires their merge, which is a set. This module omits
//! repetitions, at the cost of about 30 bytes per triple of a pattern while it is read (the memory
//! limit includes them).

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::quality::FixedState;
use oxrdf::{NamedNode, Term};
use spareval::{InternalQuad, QueryableDataset};

use super::provenance_graphs::{ProvenanceGraphs, ProvenanceScope};
use super::query_control::{EvaluationAborted, QueryControl, StopCause, tick};
use crate::lookup::{self, LookupTables};
use crate::reader::{stored_quad, to_id_pattern};
use crate::{ArchiveError, QuadReader, StoredTerm};

/// A term that checks whether the query is stopped whenever it is copied.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct GuardedTerm(StoredTerm);

impl Clone for GuardedTerm {
    #[inline]
    fn clone(&self) -> Self {
        tick();
        Self(self.0.clone())
    }
}

/// The default graph of the query.
pub(super) enum DefaultGraphView {
    /// The archive's default graph.
    Own,
    /// All graphs, merged.
    Union,
    /// These graphs, merged.
    Graphs(Vec<NamedNode>),
}

/// Whether patterns read quads from the archive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadMode {
    Data,
    /// Patterns match nothing, because only a plan is needed.
    Nothing,
}

/// The archive as a query sees it.
pub(super) struct GuardedDataset {
    reader: QuadReader,
    control: Arc<QueryControl>,
    view: GraphView,
    provenance: ProvenanceGraphs,
    lookups: LookupTables,
    reading: ReadMode,
}

enum GraphView {
    Own,
    Union,
    Graphs(Vec<StoredTerm>),
}

impl GuardedDataset {
    pub(super) fn new(
        reader: QuadReader,
        control: Arc<QueryControl>,
        view: DefaultGraphView,
        provenance: ProvenanceScope,
    ) -> Result<Self, ArchiveError> {
        let view = match view {
            DefaultGraphView::Own => GraphView::Own,
            DefaultGraphView::Union => GraphView::Union,
            DefaultGraphView::Graphs(names) => {
                let mut graphs = Vec::with_capacity(names.len());
                for name in names {
                    let name = reader.internalize_term(name.into())?;
                    if !graphs.contains(&name) {
                        graphs.push(name);
                    }
                }
                GraphView::Graphs(graphs)
            }
        };
        let provenance = ProvenanceGraphs::new(provenance, reader.clone(), Arc::clone(&control));
        let lookups = LookupTables::new(reader.clone(), control.max_table_bytes() / lookup::BYTES_PER_QUAD);
        Ok(Self { reader, control, view, provenance, lookups, reading: ReadMode::Data })
    }

    pub(super) fn with_read_mode(self, reading: ReadMode) -> Self {
        Self { reading, ..self }
    }

    /// The quads of one pattern in one or more graphs. `None` as graph stands for all.
    #[expect(clippy::option_option, reason = "in spareval, `None` is any graph, and `Some(None)` is the default graph")]
    fn read(
        &self,
        pattern: [Option<&GuardedTerm>; 3],
        graphs: &[Option<Option<&StoredTerm>>],
        merge: GraphMerge,
    ) -> GuardedQuads {
        let terms @ [subject, predicate, object] = pattern.map(|term| term.map(|term| &term.0));
        // A single graph is the common case and avoids the extra iterator.
        let mut inner: Box<dyn Iterator<Item = QuadResult>> = match graphs {
            _ if self.reading == ReadMode::Nothing => Box::new(std::iter::empty()),
            [graph] => {
                if self.provenance.is_empty()
                    && let Some(found) = self.look_up(terms, *graph, merge)
                {
                    return found;
                }
                Box::new(self.reader.internal_quads_for_pattern(subject, predicate, object, *graph))
            }
            _ => {
                let iterators: Vec<_> = graphs
                    .iter()
                    .map(|graph| self.reader.internal_quads_for_pattern(subject, predicate, object, *graph))
                    .collect();
                Box::new(iterators.into_iter().flatten())
            }
        };
        if self.reading == ReadMode::Data && !self.provenance.is_empty() {
            inner = Box::new(inner.chain(self.read_provenance([subject, predicate, object], graphs, merge)));
        }
        self.guarded(inner, merge)
    }

    fn guarded(&self, quads: Box<dyn Iterator<Item = QuadResult>>, merge: GraphMerge) -> GuardedQuads {
        GuardedQuads { inner: Some(quads), control: Arc::clone(&self.control), merge, seen: HashSet::default() }
    }

    /// The quads of a pattern from a table in memory; `None` if there is none.
    #[expect(clippy::option_option, reason = "in spareval, `None` is any graph, and `Some(None)` is the default graph")]
    fn look_up(
        &self,
        terms: [Option<&StoredTerm>; 3],
        graph: Option<Option<&StoredTerm>>,
        merge: GraphMerge,
    ) -> Option<GuardedQuads> {
        let pattern = to_id_pattern(terms, graph).ok()?;
        let rows = match self.lookups.find(pattern, || self.control.is_stopped()) {
            Ok(rows) => rows?,
            Err(error) => return Some(self.guarded(Box::new(std::iter::once(Err(error))), merge)),
        };
        Some(match merge {
            // The quads of one triple follow each other.
            GraphMerge::Set => {
                let mut last = None;
                let rows = rows.filter(move |[_, triple @ ..]| last.replace(*triple) != Some(*triple));
                self.guarded(Box::new(rows.map(|quad| Ok(stored_quad(quad)))), GraphMerge::Plain)
            }
            merge => self.guarded(Box::new(rows.map(|quad| Ok(stored_quad(quad)))), merge),
        })
    }

    /// The provenance quads of one pattern in one or more graphs.
    #[expect(clippy::option_option, reason = "in spareval, `None` is any graph, and `Some(None)` is the default graph")]
    fn read_provenance(
        &self,
        terms: [Option<&StoredTerm>; 3],
        graphs: &[Option<Option<&StoredTerm>>],
        merge: GraphMerge,
    ) -> impl Iterator<Item = QuadResult> + use<> {
        let in_graph = |graph: &Option<Option<&StoredTerm>>| match graph {
            None if merge == GraphMerge::Set => Some(self.provenance.merged_quads(terms)),
            None => Some(self.provenance.quads(terms, None)),
            Some(Some(name)) => Some(self.provenance.quads(terms, Some(name))),
            Some(None) => None,
        };
        let found: Vec<_> = graphs.iter().filter_map(in_graph).collect();
        found.into_iter().flat_map(|quads| quads.unwrap_or_else(|error| Box::new(std::iter::once(Err(error)))))
    }

    fn stop_on_error<T>(&self, outcome: Result<T, ArchiveError>) -> Result<T, EvaluationAborted> {
        outcome.map_err(|error| self.control.fail(StopCause::Archive(error)))
    }
}

/// The bytes of a term's text.
fn term_bytes(term: &Term) -> usize {
    match term {
        Term::NamedNode(node) => node.as_str().len(),
        Term::BlankNode(node) => node.as_str().len(),
        Term::Literal(literal) => literal.value().len(),
    }
}

type QuadResult = Result<InternalQuad<StoredTerm>, ArchiveError>;

/// How quads are merged into one graph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GraphMerge {
    No,
    /// Quads are moved to the default graph. They are distinct, so no repetitions are removed.
    Plain,
    Set,
}

struct GuardedQuads {
    inner: Option<Box<dyn Iterator<Item = QuadResult>>>,
    control: Arc<QueryControl>,
    merge: GraphMerge,
    seen: HashSet<[u64; 3], foldhash::fast::FixedState>,
}

impl GuardedQuads {
    fn is_new(&mut self, quad: &InternalQuad<StoredTerm>) -> bool {
        if self.merge != GraphMerge::Set {
            return true;
        }
        let terms = [&quad.subject, &quad.predicate, &quad.object];
        if let [Some(subject), Some(predicate), Some(object)] = terms.map(StoredTerm::id) {
            return self.seen.insert([subject, predicate, object]);
        }
        // Two independent 64-bit hashes, because a collision would omit a triple. Provenance can have
        // terms without an id.
        let high = FixedState::with_seed(0x243f_6a88_85a3_08d3).hash_one(terms);
        let low = FixedState::with_seed(0x1319_8a2e_0370_7344).hash_one(terms);
        self.seen.insert([high, low, 0])
    }
}

impl Iterator for GuardedQuads {
    type Item = Result<InternalQuad<GuardedTerm>, EvaluationAborted>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let found = self.inner.as_mut()?.next()?;
            let checked =
                self.control.check().and_then(|()| found.map_err(|error| self.control.fail(StopCause::Archive(error))));
            let quad = match checked {
                Ok(quad) => quad,
                Err(aborted) => {
                    // The iterator ends here; otherwise spareval collects one error for every
                    // further quad.
                    self.inner = None;
                    return Some(Err(aborted));
                }
            };
            if self.is_new(&quad) {
                let graph_name = if self.merge == GraphMerge::No { quad.graph_name.map(GuardedTerm) } else { None };
                return Some(Ok(InternalQuad {
                    subject: GuardedTerm(quad.subject),
                    predicate: GuardedTerm(quad.predicate),
                    object: GuardedTerm(quad.object),
                    graph_name,
                }));
            }
        }
    }
}

impl QueryableDataset<'static> for GuardedDataset {
    type InternalTerm = GuardedTerm;
    type Error = EvaluationAborted;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&GuardedTerm>,
        predicate: Option<&GuardedTerm>,
        object: Option<&GuardedTerm>,
        graph_name: Option<Option<&GuardedTerm>>,
    ) -> impl Iterator<Item = Result<InternalQuad<GuardedTerm>, EvaluationAborted>> + use<> {
        let pattern = [subject, predicate, object];
        match (graph_name, &self.view) {
            (None, _) => self.read(pattern, &[None], GraphMerge::No),
            (Some(Some(name)), _) => self.read(pattern, &[Some(Some(&name.0))], GraphMerge::No),
            (Some(None), GraphView::Own) => self.read(pattern, &[Some(None)], GraphMerge::Plain),
            (Some(None), GraphView::Union) => self.read(pattern, &[None], GraphMerge::Set),
            (Some(None), GraphView::Graphs(graphs)) => {
                let merge = if graphs.len() > 1 { GraphMerge::Set } else { GraphMerge::Plain };
                let graphs: Vec<_> = graphs.iter().map(|graph| Some(Some(graph))).collect();
                self.read(pattern, &graphs, merge)
            }
        }
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<GuardedTerm, EvaluationAborted>> + use<> {
        let control = Arc::clone(&self.control);
        let names = self.reader.internal_named_graphs().chain(self.provenance.names().into_iter().flatten());
        names.map(move |name| {
            control.check()?;
            name.map(GuardedTerm).map_err(|error| control.fail(StopCause::Archive(error)))
        })
    }

    fn contains_internal_graph_name(&self, graph_name: &GuardedTerm) -> Result<bool, EvaluationAborted> {
        let is_stored = self.stop_on_error(self.reader.contains_internal_graph_name(&graph_name.0))?;
        Ok(is_stored || self.stop_on_error(self.provenance.contains_graph(&graph_name.0))?)
    }

    fn internalize_term(&self, term: Term) -> Result<GuardedTerm, EvaluationAborted> {
        self.control.charge(term_bytes(&term))?;
        self.stop_on_error(self.reader.internalize_term(term)).map(GuardedTerm)
    }

    fn externalize_term(&self, term: GuardedTerm) -> Result<Term, EvaluationAborted> {
        self.control.check()?;
        let term = self.stop_on_error(self.reader.externalize_term(term.0))?;
        self.control.charge(term_bytes(&term))?;
        Ok(term)
    }

    fn internal_term_effective_boolean_value(&self, term: GuardedTerm) -> Result<Option<bool>, EvaluationAborted> {
        self.control.check()?;
        self.stop_on_error(self.reader.internal_term_effective_boolean_value(term.0))
    }
}
