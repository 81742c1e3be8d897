//! What the evaluator reads: the archive's reader, with a way out and with
//! default graphs that are sets.
//!
//! spareval gives the quads of several default graphs one after the other, so
//! a triple that is in two of them would come twice. SPARQL wants their merge, a
//! set; here the repetitions are left out, at 16 bytes and a little for every
//! triple of a pattern while it is read (the bound on memory counts them).

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::quality::FixedState;
use oxrdf::{NamedNode, Term};
use spareval::{ExpressionTerm, InternalQuad, QueryableDataset};

use super::control::{Control, Left, Reason, tick};
use crate::{ArchiveError, Reader, StoredTerm};

/// A term, copied only while the query may go on.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct Held(StoredTerm);

impl Clone for Held {
    #[inline]
    fn clone(&self) -> Self {
        tick();
        Self(self.0.clone())
    }
}

/// What is seen as the default graph.
pub(super) enum DefaultView {
    /// The archive's own.
    Own,
    /// All graphs, merged.
    Union,
    /// These, merged.
    Graphs(Vec<NamedNode>),
}

/// Whether quads are read at all.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Data,
    /// Only a plan is wanted: everything is empty.
    Nothing,
}

/// The archive, as a query sees it.
pub(super) struct Guarded {
    reader: Reader,
    control: Arc<Control>,
    view: View,
    reading: Reading,
}

enum View {
    Own,
    Union,
    Graphs(Vec<StoredTerm>),
}

impl Guarded {
    pub(super) fn new(reader: Reader, control: Arc<Control>, view: DefaultView) -> Result<Self, ArchiveError> {
        let view = match view {
            DefaultView::Own => View::Own,
            DefaultView::Union => View::Union,
            DefaultView::Graphs(names) => {
                let mut graphs = Vec::with_capacity(names.len());
                for name in names {
                    let name = reader.internalize_term(name.into())?;
                    if !graphs.contains(&name) {
                        graphs.push(name);
                    }
                }
                View::Graphs(graphs)
            }
        };
        Ok(Self { reader, control, view, reading: Reading::Data })
    }

    pub(super) fn reading(self, reading: Reading) -> Self {
        Self { reading, ..self }
    }

    /// Quads of one pattern from one or more places. `None` as graph: all.
    #[expect(clippy::option_option, reason = "spareval tells any graph from the default graph in this way")]
    fn read(&self, pattern: [Option<&Held>; 3], graphs: &[Option<Option<&StoredTerm>>], merge: Merge) -> Quads {
        let [subject, predicate, object] = pattern.map(|term| term.map(|term| &term.0));
        // One place is the rule, and should not pay for the exception.
        let inner: Box<dyn Iterator<Item = Found>> = match graphs {
            _ if self.reading == Reading::Nothing => Box::new(std::iter::empty()),
            [graph] => Box::new(self.reader.internal_quads_for_pattern(subject, predicate, object, *graph)),
            _ => {
                let places: Vec<_> = graphs
                    .iter()
                    .map(|graph| self.reader.internal_quads_for_pattern(subject, predicate, object, *graph))
                    .collect();
                Box::new(places.into_iter().flatten())
            }
        };
        Quads { inner: Some(inner), control: Arc::clone(&self.control), merge, seen: HashSet::default() }
    }

    fn stop<T>(&self, outcome: Result<T, ArchiveError>) -> Result<T, Left> {
        outcome.map_err(|error| self.control.fail(Reason::Archive(error)))
    }
}

type Found = Result<InternalQuad<StoredTerm>, ArchiveError>;

/// Whether quads are those of a merged graph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Merge {
    No,
    /// Into the default graph, though there are no repetitions.
    Plain,
    Set,
}

struct Quads {
    inner: Option<Box<dyn Iterator<Item = Found>>>,
    control: Arc<Control>,
    merge: Merge,
    seen: HashSet<u128, foldhash::fast::FixedState>,
}

impl Quads {
    fn is_new(&mut self, quad: &InternalQuad<StoredTerm>) -> bool {
        if self.merge != Merge::Set {
            return true;
        }
        // Two independent hashes: a triple that is taken for another would be lost.
        let triple = (&quad.subject, &quad.predicate, &quad.object);
        let high = FixedState::with_seed(0x243f_6a88_85a3_08d3).hash_one(triple);
        let low = FixedState::with_seed(0x1319_8a2e_0370_7344).hash_one(triple);
        self.seen.insert(u128::from(high) << 64 | u128::from(low))
    }
}

impl Iterator for Quads {
    type Item = Result<InternalQuad<Held>, Left>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let found = self.inner.as_mut()?.next()?;
            let checked =
                self.control.check().and_then(|()| found.map_err(|error| self.control.fail(Reason::Archive(error))));
            let quad = match checked {
                Ok(quad) => quad,
                Err(left) => {
                    // Without this, spareval would collect one error for every further quad.
                    self.inner = None;
                    return Some(Err(left));
                }
            };
            if self.is_new(&quad) {
                let graph_name = if self.merge == Merge::No { quad.graph_name.map(Held) } else { None };
                return Some(Ok(InternalQuad {
                    subject: Held(quad.subject),
                    predicate: Held(quad.predicate),
                    object: Held(quad.object),
                    graph_name,
                }));
            }
        }
    }
}

impl QueryableDataset<'static> for Guarded {
    type InternalTerm = Held;
    type Error = Left;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&Held>,
        predicate: Option<&Held>,
        object: Option<&Held>,
        graph_name: Option<Option<&Held>>,
    ) -> impl Iterator<Item = Result<InternalQuad<Held>, Left>> + use<> {
        let pattern = [subject, predicate, object];
        match (graph_name, &self.view) {
            (None, _) => self.read(pattern, &[None], Merge::No),
            (Some(Some(name)), _) => self.read(pattern, &[Some(Some(&name.0))], Merge::No),
            (Some(None), View::Own) => self.read(pattern, &[Some(None)], Merge::Plain),
            (Some(None), View::Union) => self.read(pattern, &[None], Merge::Set),
            (Some(None), View::Graphs(graphs)) => {
                let merge = if graphs.len() > 1 { Merge::Set } else { Merge::Plain };
                let graphs: Vec<_> = graphs.iter().map(|graph| Some(Some(graph))).collect();
                self.read(pattern, &graphs, merge)
            }
        }
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<Held, Left>> + use<> {
        let control = Arc::clone(&self.control);
        self.reader.internal_named_graphs().map(move |name| {
            control.check()?;
            name.map(Held).map_err(|error| control.fail(Reason::Archive(error)))
        })
    }

    fn contains_internal_graph_name(&self, graph_name: &Held) -> Result<bool, Left> {
        self.stop(self.reader.contains_internal_graph_name(&graph_name.0))
    }

    fn internalize_term(&self, term: Term) -> Result<Held, Left> {
        self.control.check()?;
        self.stop(self.reader.internalize_term(term)).map(Held)
    }

    fn externalize_term(&self, term: Held) -> Result<Term, Left> {
        self.control.check()?;
        self.stop(self.reader.externalize_term(term.0))
    }

    fn externalize_expression_term(&self, term: Held) -> Result<ExpressionTerm, Left> {
        self.control.check()?;
        self.stop(self.reader.externalize_expression_term(term.0))
    }

    fn internalize_expression_term(&self, term: ExpressionTerm) -> Result<Held, Left> {
        self.control.check()?;
        self.stop(self.reader.internalize_expression_term(term)).map(Held)
    }

    fn internal_term_effective_boolean_value(&self, term: Held) -> Result<Option<bool>, Left> {
        self.control.check()?;
        self.stop(self.reader.internal_term_effective_boolean_value(term.0))
    }
}
