//! The archive at one moment.

use std::sync::{Arc, Mutex, PoisonError};

use fjall::{Readable, Slice};
use oxrdf::{GraphNameRef, NamedNodeRef, NamedOrBlankNode, NamedOrBlankNodeRef, Quad, QuadRef, Term, TermRef};

use crate::chunk::Chunk;
use crate::error::ArchiveError;
use crate::graves::{Graves, Witness};
use crate::scan::{Pattern, Scan};
use crate::shelf::Shelf;
use crate::tables::Tables;
use crate::term::TermId;
use crate::{Collection, counters::Counters, dictionary, keys, number, term};

/// The archive at one moment. Cheap to clone; may be sent to other threads.
///
/// While it lives, what it sees is kept on disk, also what has been dropped
/// since: keep it for a query, not for a day.
#[derive(Clone)]
pub struct Snapshot {
    inner: Arc<Inner>,
}

struct Inner {
    tables: Arc<Tables>,
    view: fjall::Snapshot,
    /// Chunks before this one are passed over.
    first: u64,
    /// Chunks from here on belong to a bulk load that is not finished.
    unpublished: u64,
    /// Chunks and terms that were looked at lately.
    chunks: Mutex<Shelf<Arc<Chunk>>>,
    terms: Mutex<Shelf<Term>>,
    _witness: Witness,
}

impl Snapshot {
    /// What there is now, but for chunks from `unpublished` on.
    pub(crate) fn new(tables: &Arc<Tables>, graves: &Arc<Graves>, unpublished: u64) -> Self {
        Self::between(tables, graves, 0, unpublished)
    }

    /// What there is now in chunks from `first` on, also of a bulk load that is not
    /// finished. It has quads, and knows nothing of graphs.
    pub(crate) fn since(tables: &Arc<Tables>, graves: &Arc<Graves>, first: u64) -> Self {
        Self::between(tables, graves, first, u64::MAX)
    }

    fn between(tables: &Arc<Tables>, graves: &Arc<Graves>, first: u64, unpublished: u64) -> Self {
        // First the witness, then the view: it must not see less than it guards.
        let witness = graves.witness();
        let inner = Inner {
            view: tables.database.snapshot(),
            tables: Arc::clone(tables),
            first,
            unpublished,
            chunks: Mutex::new(Shelf::new(256)),
            terms: Mutex::new(Shelf::new(1_024)),
            _witness: witness,
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn tables(&self) -> &Tables {
        &self.inner.tables
    }

    pub(crate) fn view(&self) -> &fjall::Snapshot {
        &self.inner.view
    }

    /// Whether a chunk is part of this snapshot, if it exists.
    pub(crate) fn is_published(&self, chunk: u64) -> bool {
        (self.inner.first..self.inner.unpublished).contains(&chunk)
    }

    /// A chunk; `None` if it is gone.
    pub(crate) fn chunk(&self, number: u64) -> Result<Option<Arc<Chunk>>, ArchiveError> {
        let shelf = || self.inner.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_published(number) {
            return Ok(None);
        }
        if let Some(chunk) = shelf().get(number) {
            return Ok(Some(Arc::clone(chunk)));
        }
        let Some(bytes) = self.packed_chunk(number)? else { return Ok(None) };
        let chunk = Arc::new(unpack(number, &bytes)?);
        shelf().put(number, Arc::clone(&chunk));
        Ok(Some(chunk))
    }

    pub(crate) fn packed_chunk(&self, number: u64) -> Result<Option<Slice>, ArchiveError> {
        Ok(self.inner.view.get(&self.inner.tables.chunks, keys::plain(number))?)
    }

    /// The id of a term; `None` if no quad has ever had it.
    pub(crate) fn find(&self, term: TermRef<'_>) -> Result<Option<TermId>, ArchiveError> {
        if let Some(id) = TermId::inline(term) {
            return Ok(Some(id));
        }
        let mut bytes = Vec::new();
        term::encode(term, &mut bytes);
        let hash = dictionary::hash(&bytes);
        dictionary::id(self.inner.view.get(&self.inner.tables.ids, hash.to_be_bytes())?)
    }

    pub(crate) fn find_graph(&self, graph: GraphNameRef<'_>) -> Result<Option<TermId>, ArchiveError> {
        term::of_graph(graph).map_or(Ok(Some(TermId::DEFAULT_GRAPH)), |name| self.find(name))
    }

    /// The term of an id.
    pub(crate) fn term(&self, id: TermId) -> Result<Term, ArchiveError> {
        if let Some(term) = id.as_inline() {
            return Ok(term);
        }
        let shelf = || self.inner.terms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(term) = shelf().get(id.0) {
            return Ok(term.clone());
        }
        let bytes = self.inner.view.get(&self.inner.tables.terms, keys::plain(id.0))?;
        let term = bytes.and_then(|bytes| term::decode(&bytes));
        let term = term.ok_or_else(|| ArchiveError::corrupted(format!("there is no term {}", id.0)))?;
        shelf().put(id.0, term.clone());
        Ok(term)
    }

    fn node(&self, id: TermId) -> Result<NamedOrBlankNode, ArchiveError> {
        match self.term(id)? {
            Term::NamedNode(node) => Ok(node.into()),
            Term::BlankNode(node) => Ok(node.into()),
            other @ Term::Literal(_) => Err(ArchiveError::corrupted(format!("{other} is no node"))),
        }
    }

    /// The quad of these ids: graph, subject, predicate, object.
    pub(crate) fn quad(&self, [graph, subject, predicate, object]: [u64; 4]) -> Result<Quad, ArchiveError> {
        let predicate = match self.term(TermId(predicate))? {
            Term::NamedNode(node) => node,
            other => return Err(ArchiveError::corrupted(format!("{other} is no predicate"))),
        };
        let graph_name = match TermId(graph) {
            TermId::DEFAULT_GRAPH => oxrdf::GraphName::DefaultGraph,
            name => self.node(name)?.into(),
        };
        Ok(Quad { subject: self.node(TermId(subject))?, predicate, object: self.term(TermId(object))?, graph_name })
    }

    pub(crate) fn scan(&self, pattern: Pattern) -> Scan {
        Scan::new(self.clone(), pattern)
    }

    fn counters(&self) -> Result<Counters, ArchiveError> {
        Counters::read(self.inner.view.get(&self.inner.tables.meta, keys::COUNTERS)?)
    }

    /// How many quads there are. Does not count them.
    pub fn len(&self) -> Result<u64, ArchiveError> {
        Ok(self.counters()?.quads)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> Result<bool, ArchiveError> {
        Ok(self.len()? == 0)
    }

    /// Whether this quad is there.
    pub fn contains(&self, quad: QuadRef<'_>) -> Result<bool, ArchiveError> {
        let (subject, predicate) = (Some(quad.subject), Some(quad.predicate));
        match Pattern::find(self, subject, predicate, Some(quad.object), Some(quad.graph_name))? {
            Some(pattern) => self.scan(pattern).next().transpose().map(|found| found.is_some()),
            None => Ok(false),
        }
    }

    /// The quads that match, in no particular order. `None` matches anything;
    /// for the graph that is any graph, the default graph among them.
    pub fn quads(
        &self,
        subject: Option<NamedOrBlankNodeRef<'_>>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<TermRef<'_>>,
        graph: Option<GraphNameRef<'_>>,
    ) -> impl Iterator<Item = Result<Quad, ArchiveError>> + use<> {
        let (scan, failure) = match Pattern::find(self, subject, predicate, object, graph) {
            Ok(pattern) => (pattern.map(|pattern| self.scan(pattern)), None),
            Err(error) => (None, Some(Err(error))),
        };
        let snapshot = self.clone();
        let found = scan.into_iter().flatten().map(move |ids| snapshot.quad(ids?));
        failure.into_iter().chain(found)
    }

    /// The quads of a predicate whose object is wanted, in no particular order.
    /// Of others the subject and the graph are not looked up, which is most of
    /// the work where few are wanted of many.
    pub fn quads_with_object(
        &self,
        predicate: NamedNodeRef<'_>,
        mut is_wanted: impl FnMut(&Term) -> bool,
    ) -> impl Iterator<Item = Result<Quad, ArchiveError>> {
        let (scan, failure) = match Pattern::find(self, None, Some(predicate), None, None) {
            Ok(pattern) => (pattern.map(|pattern| self.scan(pattern)), None),
            Err(error) => (None, Some(Err(error))),
        };
        let found = scan.into_iter().flatten().filter_map(move |ids| {
            let wanted = ids.and_then(|ids| Ok(is_wanted(&self.term(TermId(ids[3]))?).then_some(ids)));
            wanted.and_then(|ids| ids.map(|ids| self.quad(ids)).transpose()).transpose()
        });
        failure.into_iter().chain(found)
    }

    /// The ids of the named graphs.
    pub(crate) fn graph_ids(&self) -> impl Iterator<Item = Result<TermId, ArchiveError>> + use<> {
        let snapshot = self.clone();
        self.inner.view.prefix(&self.inner.tables.graphs, [keys::GRAPH]).filter_map(move |entry| {
            let entry = entry.into_inner().map_err(ArchiveError::from);
            let graph = entry.and_then(|(key, since)| {
                let [graph] = keys::numbers(&key).ok_or_else(|| ArchiveError::corrupted("a key of a graph"))?;
                Ok(snapshot.knows_since(&since).then_some(TermId(graph)))
            });
            graph.transpose()
        })
    }

    /// Whether a graph that exists since this chunk is part of this snapshot.
    fn knows_since(&self, since: &[u8]) -> bool {
        number::take(&mut &*since).is_none_or(|chunk| self.is_published(chunk))
    }

    pub(crate) fn has_graph(&self, graph: TermId) -> Result<bool, ArchiveError> {
        let since = self.inner.view.get(&self.inner.tables.graphs, keys::key(keys::GRAPH, &[graph.0]))?;
        Ok(since.is_some_and(|since| self.knows_since(&since)))
    }

    /// The chunks of a graph, and how many quads each has.
    pub(crate) fn graph_chunks(&self, graph: TermId) -> impl Iterator<Item = Result<(u64, u64), ArchiveError>> + use<> {
        let snapshot = self.clone();
        let prefix = keys::key(keys::GRAPH_CHUNK, &[graph.0]);
        let entries = self.inner.view.prefix(&self.inner.tables.graphs, prefix).map(|entry| {
            let (key, count) = entry.into_inner()?;
            let entry = keys::chunk(&key).zip(number::take(&mut &count[..]));
            entry.ok_or_else(|| ArchiveError::corrupted("an entry of a graph"))
        });
        entries.filter(move |entry| entry.as_ref().map_or(true, |entry| snapshot.is_published(entry.0)))
    }

    /// The named graphs, also empty ones that were created, in no particular
    /// order.
    pub fn named_graphs(&self) -> impl Iterator<Item = Result<NamedOrBlankNode, ArchiveError>> + use<> {
        let snapshot = self.clone();
        self.graph_ids().map(move |graph| snapshot.node(graph?))
    }

    /// Whether there is a named graph of this name.
    pub fn contains_named_graph(&self, name: NamedOrBlankNodeRef<'_>) -> Result<bool, ArchiveError> {
        match self.find(name.into())? {
            Some(graph) => self.has_graph(graph),
            None => Ok(false),
        }
    }

    /// How many quads a graph has.
    pub fn graph_len(&self, graph: GraphNameRef<'_>) -> Result<u64, ArchiveError> {
        let Some(graph) = self.find_graph(graph)? else { return Ok(0) };
        self.graph_chunks(graph).map(|entry| Ok(entry?.1)).sum()
    }

    /// How many quads have this predicate.
    pub fn predicate_len(&self, predicate: NamedNodeRef<'_>) -> Result<u64, ArchiveError> {
        match self.find(predicate.into())? {
            Some(predicate) => self.predicate_count(predicate),
            None => Ok(0),
        }
    }

    pub(crate) fn predicate_count(&self, predicate: TermId) -> Result<u64, ArchiveError> {
        let count = self.inner.view.get(&self.inner.tables.meta, keys::key(keys::PREDICATE, &[predicate.0]))?;
        Ok(count.and_then(|count| number::take(&mut &count[..])).unwrap_or(0))
    }

    /// All predicates and how many quads have each, in no particular order.
    pub fn predicates(&self) -> impl Iterator<Item = Result<(oxrdf::NamedNode, u64), ArchiveError>> + use<> {
        let snapshot = self.clone();
        self.inner.view.prefix(&self.inner.tables.meta, [keys::PREDICATE]).map(move |entry| {
            let (key, count) = entry.into_inner()?;
            let entry = keys::numbers::<1>(&key).zip(number::take(&mut &count[..]));
            let ([predicate], count) = entry.ok_or_else(|| ArchiveError::corrupted("the count of a predicate"))?;
            match snapshot.term(TermId(predicate))? {
                Term::NamedNode(predicate) => Ok((predicate, count)),
                other => Err(ArchiveError::corrupted(format!("{other} is no predicate"))),
            }
        })
    }

    /// The graphs of a collection, in no particular order.
    pub fn collection_graphs(
        &self,
        collection: Collection,
    ) -> impl Iterator<Item = Result<NamedOrBlankNode, ArchiveError>> + use<> {
        let snapshot = self.clone();
        let mut graphs = foldhash::HashSet::default();
        self.collection_entries(collection).filter_map(move |entry| match entry {
            Ok((_, graph)) => graphs.insert(graph).then(|| snapshot.node(TermId(graph))),
            Err(error) => Some(Err(error)),
        })
    }

    /// The documents of a collection, each with each graph that it wrote into.
    pub(crate) fn collection_entries(
        &self,
        collection: Collection,
    ) -> impl Iterator<Item = Result<(u64, u64), ArchiveError>> + use<> {
        let prefix = keys::key(keys::DOCUMENT, &[u64::from(collection.0)]);
        self.inner.view.prefix(&self.inner.tables.graphs, prefix).map(|entry| {
            let numbers = keys::numbers(&entry.key()?);
            let [_, document, graph] = numbers.ok_or_else(|| ArchiveError::corrupted("a key of a document"))?;
            Ok((document, graph))
        })
    }

    /// A note that was written with [`Transaction::note`](crate::Transaction::note).
    pub fn note(&self, name: &[u8]) -> Result<Option<Vec<u8>>, ArchiveError> {
        let key = [&[keys::NOTE], name].concat();
        Ok(self.inner.view.get(&self.inner.tables.meta, key)?.map(|note| note.to_vec()))
    }
}

/// Unpacks a chunk that must be one.
pub(crate) fn unpack(number: u64, bytes: &[u8]) -> Result<Chunk, ArchiveError> {
    Chunk::decode(bytes).ok_or_else(|| ArchiveError::corrupted(format!("chunk {number} cannot be unpacked")))
}
