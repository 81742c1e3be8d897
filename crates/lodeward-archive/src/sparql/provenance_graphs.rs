//! The provenance graphs that a query sees.
//!
//! A query sees all provenance graphs if its options request them. Otherwise it sees those that it
//! names, with `GRAPH <…>`, `FROM`, `FROM NAMED` or the parameters of the protocol, and only where a
//! pattern is evaluated in that graph: they are not in the union, and `GRAPH ?g` finds only those of
//! `FROM NAMED`. The names are collected before the query is evaluated, so the result does not depend
//! on the order of joins.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;
use oxrdf::{GraphName, NamedNode, Quad, Term};
use spareval::{InternalQuad, QueryableDataset as _};
use spargebra::algebra::GraphPattern;
use spargebra::term::NamedNodePattern;

use super::algebra::AlgebraNode;
use super::query_control::QueryControl;
use crate::provenance_reader::ProvenancePattern;
use crate::{ArchiveError, QuadReader, StoredTerm};

/// The provenance graphs that a query can read.
#[derive(Clone, Debug)]
pub(super) enum ProvenanceScope {
    /// Those with these names, where a pattern names them.
    Named(HashSet<NamedNode>),
    /// All.
    All,
}

impl ProvenanceScope {
    /// The scope of a query with this pattern, whose dataset has the graphs `given`.
    pub(super) fn new<'a>(
        with_provenance: bool,
        pattern: &mut GraphPattern,
        given: impl IntoIterator<Item = &'a NamedNode>,
    ) -> Self {
        if with_provenance {
            return Self::All;
        }
        let mut names: HashSet<NamedNode> = given.into_iter().cloned().collect();
        let mut nodes = vec![AlgebraNode::Pattern(pattern)];
        while let Some(node) = nodes.pop() {
            if let AlgebraNode::Pattern(GraphPattern::Graph { name: NamedNodePattern::NamedNode(name), .. }) = &node {
                names.insert(name.clone());
            }
            nodes.extend(node.children());
        }
        Self::Named(names)
    }

    pub(super) fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Whether no pattern can match a provenance quad.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Named(names) if names.is_empty())
    }

    fn includes(&self, graph: &NamedNode) -> bool {
        match self {
            Self::Named(names) => names.contains(graph),
            Self::All => true,
        }
    }
}

/// The provenance graphs of a query, as a part of its dataset.
pub(super) struct ProvenanceGraphs {
    scope: ProvenanceScope,
    reader: QuadReader,
    control: Arc<QueryControl>,
    /// Triples about subjects that occur in many records, such as the user agent. Without this, a join
    /// would expand all records for each of its rows.
    shared: Mutex<HashMap<TriplePatternKey, Arc<Vec<[StoredTerm; 3]>>>>,
}

type TriplePatternKey = [Option<StoredTerm>; 3];
type QuadResults = Box<dyn Iterator<Item = Result<InternalQuad<StoredTerm>, ArchiveError>>>;

/// Maximum number of patterns with remembered triples, and of triples of each.
const MAX_SHARED: usize = 1_000;

impl ProvenanceGraphs {
    pub(super) fn new(scope: ProvenanceScope, reader: QuadReader, control: Arc<QueryControl>) -> Self {
        Self { scope, reader, control, shared: Mutex::default() }
    }

    /// Whether no pattern can match a provenance quad.
    pub(super) fn is_empty(&self) -> bool {
        self.scope.is_empty()
    }

    fn pattern(
        &self,
        terms: [Option<&StoredTerm>; 3],
        graph: Option<NamedNode>,
    ) -> Result<ProvenancePattern, ArchiveError> {
        let term = |term: Option<&StoredTerm>| term.map(|term| self.reader.externalize_term(term.clone())).transpose();
        let [subject, predicate, object] = terms.map(term);
        Ok(ProvenancePattern { subject: subject?, predicate: predicate?, object: object?, graph })
    }

    /// The quads that match in this graph; in any graph if it is `None`.
    pub(super) fn quads(
        &self,
        terms: [Option<&StoredTerm>; 3],
        graph: Option<&StoredTerm>,
    ) -> Result<QuadResults, ArchiveError> {
        let graph = match (graph, &self.scope) {
            (None, ProvenanceScope::Named(_)) => return Ok(Box::new(std::iter::empty())),
            (None, ProvenanceScope::All) => None,
            (Some(name), scope) => match self.reader.externalize_term(name.clone())? {
                Term::NamedNode(name) if scope.includes(&name) => Some(name),
                _ => return Ok(Box::new(std::iter::empty())),
            },
        };
        self.scan(self.pattern(terms, graph)?)
    }

    /// The triples that match in any graph, as a set if that is cheap to find.
    pub(super) fn merged_quads(&self, terms: [Option<&StoredTerm>; 3]) -> Result<QuadResults, ArchiveError> {
        if !self.scope.is_all() {
            return Ok(Box::new(std::iter::empty()));
        }
        let pattern = self.pattern(terms, None)?;
        if !matches!(&pattern.subject, Some(Term::NamedNode(name)) if self.reader.snapshot().is_in_any_record(name)) {
            return self.scan(pattern);
        }
        let key = terms.map(Option::<&StoredTerm>::cloned);
        let shared = || self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let known = shared().get(&key).cloned();
        let triples = match known {
            Some(triples) => triples,
            None => {
                let triples = Arc::new(self.distinct_triples(pattern)?);
                if triples.len() <= MAX_SHARED && shared().len() < MAX_SHARED {
                    shared().insert(key, Arc::clone(&triples));
                }
                triples
            }
        };
        Ok(Box::new((0..triples.len()).map(move |at| {
            let [subject, predicate, object] = triples[at].clone();
            Ok(InternalQuad { subject, predicate, object, graph_name: None })
        })))
    }

    fn distinct_triples(&self, pattern: ProvenancePattern) -> Result<Vec<[StoredTerm; 3]>, ArchiveError> {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        for quad in self.scan(pattern)? {
            let quad = quad?;
            let triple = [quad.subject, quad.predicate, quad.object];
            if seen.insert(triple.clone()) {
                found.push(triple);
            }
        }
        Ok(found)
    }

    fn scan(&self, pattern: ProvenancePattern) -> Result<QuadResults, ArchiveError> {
        let (reader, control) = (self.reader.clone(), Arc::clone(&self.control));
        let records = self.reader.snapshot().match_provenance(pattern)?;
        // Records without a match are checked as well: a query can read many of them before a quad.
        let records = records.take_while(move |_| control.check().is_ok());
        Ok(Box::new(records.flat_map(move |quads| match quads {
            Ok(quads) => quads.into_iter().map(|quad| internalize(&reader, quad)).collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        })))
    }

    /// The names of all provenance graphs, if the query sees all of them.
    pub(super) fn names(&self) -> Option<impl Iterator<Item = Result<StoredTerm, ArchiveError>> + use<>> {
        let (reader, control) = (self.reader.clone(), Arc::clone(&self.control));
        let graphs = self.scope.is_all().then(|| self.reader.snapshot().provenance_graphs(None))?;
        Some(graphs.take_while(move |_| control.check().is_ok()).filter_map(move |quads| {
            let name = quads.map(|quads| quads.into_iter().next().map(|quad| quad.graph_name));
            match name.transpose()? {
                Ok(GraphName::NamedNode(name)) => Some(reader.internalize_term(name.into())),
                Ok(_) => None,
                Err(error) => Some(Err(error)),
            }
        }))
    }

    /// Whether this is a provenance graph that the query sees.
    pub(super) fn contains_graph(&self, graph: &StoredTerm) -> Result<bool, ArchiveError> {
        if self.is_empty() {
            return Ok(false);
        }
        match self.reader.externalize_term(graph.clone())? {
            Term::NamedNode(name) if self.scope.includes(&name) => {
                Ok(self.reader.snapshot().provenance_graph(name.as_ref())?.is_some())
            }
            _ => Ok(false),
        }
    }
}

fn internalize(reader: &QuadReader, quad: Quad) -> Result<InternalQuad<StoredTerm>, ArchiveError> {
    let graph_name = match quad.graph_name {
        GraphName::NamedNode(name) => Some(reader.internalize_term(name.into())?),
        GraphName::BlankNode(name) => Some(reader.internalize_term(name.into())?),
        GraphName::DefaultGraph => None,
    };
    Ok(InternalQuad {
        subject: reader.internalize_term(quad.subject.into())?,
        predicate: reader.internalize_term(quad.predicate.into())?,
        object: reader.internalize_term(quad.object)?,
        graph_name,
    })
}
