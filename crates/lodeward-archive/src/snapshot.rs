//! Snapshots: a consistent view of the archive at one point in time.

use std::sync::{Arc, Mutex, PoisonError};

use fjall::{Readable, Slice};
use oxrdf::{GraphNameRef, NamedOrBlankNode, NamedOrBlankNodeRef, Quad, Term, TermRef};

use crate::chunk::Chunk;
use crate::direct_cache::DirectCache;
use crate::error::ArchiveError;
use crate::tables::{ArchiveCounters, ArchiveTables};
use crate::term::TermId;
use crate::tombstones::{SnapshotGuard, Tombstones};
use crate::{Collection, dictionary, keys, term, varint};

/// The archive at one point in time. Cheap to clone and to send to other threads.
///
/// While a snapshot exists, everything it sees stays on disk, including graphs that are dropped
/// meanwhile. Keep a snapshot for the duration of a query, not for days.
#[derive(Clone)]
pub struct Snapshot {
    inner: Arc<SnapshotInner>,
}

struct SnapshotInner {
    tables: Arc<ArchiveTables>,
    view: fjall::Snapshot,
    /// Chunks before this one are not visible.
    first: u64,
    /// Chunks from this one on belong to an unfinished bulk load.
    unpublished: u64,
    /// Caches of recently used chunks and terms.
    chunks: Mutex<DirectCache<Arc<Chunk>>>,
    terms: Mutex<DirectCache<Term>>,
    _guard: SnapshotGuard,
}

impl Snapshot {
    /// The current state, without chunks from `unpublished` on.
    pub(crate) fn new(tables: &Arc<ArchiveTables>, tombstones: &Arc<Tombstones>, unpublished: u64) -> Self {
        Self::with_chunk_range(tables, tombstones, 0, unpublished)
    }

    /// The current quads in chunks from `first` on, including those of an unfinished bulk load.
    /// Graph entries are not filtered, so only quads may be read from this snapshot.
    pub(crate) fn with_first_chunk(tables: &Arc<ArchiveTables>, tombstones: &Arc<Tombstones>, first: u64) -> Self {
        Self::with_chunk_range(tables, tombstones, first, u64::MAX)
    }

    fn with_chunk_range(
        tables: &Arc<ArchiveTables>,
        tombstones: &Arc<Tombstones>,
        first: u64,
        unpublished: u64,
    ) -> Self {
        // The guard is created before the view, so that it protects every chunk that the view can
        // see.
        let guard = tombstones.snapshot_guard();
        let inner = SnapshotInner {
            view: tables.database.snapshot(),
            tables: Arc::clone(tables),
            first,
            unpublished,
            chunks: Mutex::new(DirectCache::new(256)),
            terms: Mutex::new(DirectCache::new(1_024)),
            _guard: guard,
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn tables(&self) -> &ArchiveTables {
        &self.inner.tables
    }

    pub(crate) fn view(&self) -> &fjall::Snapshot {
        &self.inner.view
    }

    /// Whether this snapshot includes the chunk, if it exists.
    pub(crate) fn is_published(&self, chunk: u64) -> bool {
        (self.inner.first..self.inner.unpublished).contains(&chunk)
    }

    /// A chunk; `None` if it is removed.
    pub(crate) fn chunk(&self, number: u64) -> Result<Option<Arc<Chunk>>, ArchiveError> {
        let cache = || self.inner.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_published(number) {
            return Ok(None);
        }
        if let Some(chunk) = cache().get(number) {
            return Ok(Some(Arc::clone(chunk)));
        }
        let Some(bytes) = self.encoded_chunk(number)? else { return Ok(None) };
        let chunk = Arc::new(decode_chunk(number, &bytes)?);
        cache().put(number, Arc::clone(&chunk));
        Ok(Some(chunk))
    }

    pub(crate) fn encoded_chunk(&self, number: u64) -> Result<Option<Slice>, ArchiveError> {
        Ok(self.inner.view.get(&self.inner.tables.chunks, keys::number_key(number))?)
    }

    /// The id of a term; `None` if no quad ever contained it.
    pub(crate) fn find(&self, term: TermRef<'_>) -> Result<Option<TermId>, ArchiveError> {
        if let Some(id) = TermId::try_inline(term) {
            return Ok(Some(id));
        }
        let mut bytes = Vec::new();
        term::encode(term, &mut bytes);
        let hash = dictionary::hash(&bytes);
        dictionary::decode_id(self.inner.view.get(&self.inner.tables.ids, hash.to_be_bytes())?)
    }

    pub(crate) fn find_graph(&self, graph: GraphNameRef<'_>) -> Result<Option<TermId>, ArchiveError> {
        term::from_graph_name(graph).map_or(Ok(Some(TermId::DEFAULT_GRAPH)), |name| self.find(name))
    }

    /// The term of an id.
    pub(crate) fn term(&self, id: TermId) -> Result<Term, ArchiveError> {
        if let Some(term) = id.as_inline() {
            return Ok(term);
        }
        let cache = || self.inner.terms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(term) = cache().get(id.0) {
            return Ok(term.clone());
        }
        let bytes = self.inner.view.get(&self.inner.tables.terms, keys::number_key(id.0))?;
        let term = bytes.and_then(|bytes| term::decode(&bytes));
        let term = term.ok_or_else(|| ArchiveError::corrupted(format!("term {} is missing", id.0)))?;
        cache().put(id.0, term.clone());
        Ok(term)
    }

    /// Whether a term is in memory.
    pub(crate) fn is_term_cached(&self, number: u64) -> bool {
        self.inner.terms.lock().unwrap_or_else(PoisonError::into_inner).get(number).is_some()
    }

    /// Keeps a term in memory.
    pub(crate) fn cache_term(&self, number: u64, term: Term) {
        self.inner.terms.lock().unwrap_or_else(PoisonError::into_inner).put(number, term);
    }

    fn node(&self, id: TermId) -> Result<NamedOrBlankNode, ArchiveError> {
        match self.term(id)? {
            Term::NamedNode(node) => Ok(node.into()),
            Term::BlankNode(node) => Ok(node.into()),
            other @ Term::Literal(_) => {
                Err(ArchiveError::corrupted(format!("literal {other} is used as a subject or graph name")))
            }
        }
    }

    /// The quad of these ids: graph, subject, predicate, object.
    pub(crate) fn quad(&self, [graph, subject, predicate, object]: [u64; 4]) -> Result<Quad, ArchiveError> {
        let predicate = match self.term(TermId(predicate))? {
            Term::NamedNode(node) => node,
            other => return Err(ArchiveError::corrupted(format!("term {other} is used as a predicate"))),
        };
        let graph_name = match TermId(graph) {
            TermId::DEFAULT_GRAPH => oxrdf::GraphName::DefaultGraph,
            name => self.node(name)?.into(),
        };
        Ok(Quad { subject: self.node(TermId(subject))?, predicate, object: self.term(TermId(object))?, graph_name })
    }

    fn counters(&self) -> Result<ArchiveCounters, ArchiveError> {
        ArchiveCounters::read(self.inner.view.get(&self.inner.tables.meta, keys::COUNTERS)?)
    }

    /// The number after that of the last chunk that this snapshot includes.
    pub(crate) fn next_published_chunk(&self) -> Result<u64, ArchiveError> {
        Ok(self.counters()?.next_chunk.min(self.inner.unpublished))
    }

    /// The number of quads, in constant time.
    pub fn len(&self) -> Result<u64, ArchiveError> {
        Ok(self.counters()?.quads)
    }

    /// Whether the archive contains no quads.
    pub fn is_empty(&self) -> Result<bool, ArchiveError> {
        Ok(self.len()? == 0)
    }

    /// The ids of the named graphs.
    pub(crate) fn graph_ids(&self) -> impl Iterator<Item = Result<TermId, ArchiveError>> + use<> {
        let snapshot = self.clone();
        self.inner.view.prefix(&self.inner.tables.graphs, [keys::GRAPH]).filter_map(move |entry| {
            let entry = entry.into_inner().map_err(ArchiveError::from);
            let graph = entry.and_then(|(key, since)| {
                let [graph] = keys::parse_numbers(&key).ok_or_else(|| ArchiveError::corrupted("invalid graph key"))?;
                Ok(snapshot.is_graph_visible(&since).then_some(TermId(graph)))
            });
            graph.transpose()
        })
    }

    /// Whether this snapshot includes a graph. `since` is the value of its entry: the chunk since
    /// which the graph exists, or nothing.
    fn is_graph_visible(&self, since: &[u8]) -> bool {
        varint::take(&mut &*since).is_none_or(|chunk| self.is_published(chunk))
    }

    pub(crate) fn has_graph(&self, graph: TermId) -> Result<bool, ArchiveError> {
        let since = self.inner.view.get(&self.inner.tables.graphs, keys::key(keys::GRAPH, &[graph.0]))?;
        Ok(since.is_some_and(|since| self.is_graph_visible(&since)))
    }

    /// The chunks of a graph, each with its number of quads.
    pub(crate) fn graph_chunks(&self, graph: TermId) -> impl Iterator<Item = Result<(u64, u64), ArchiveError>> + use<> {
        let snapshot = self.clone();
        let prefix = keys::key(keys::GRAPH_CHUNK, &[graph.0]);
        let entries = self.inner.view.prefix(&self.inner.tables.graphs, prefix).map(|entry| {
            let (key, count) = entry.into_inner()?;
            let entry = keys::parse_chunk(&key).zip(varint::take(&mut &count[..]));
            entry.ok_or_else(|| ArchiveError::corrupted("invalid graph entry"))
        });
        entries.filter(move |entry| entry.as_ref().map_or(true, |entry| snapshot.is_published(entry.0)))
    }

    /// The named graphs, including empty ones, in no particular order.
    pub fn named_graphs(&self) -> impl Iterator<Item = Result<NamedOrBlankNode, ArchiveError>> + use<> {
        let snapshot = self.clone();
        self.graph_ids().map(move |graph| snapshot.node(graph?))
    }

    /// Whether a named graph exists.
    pub fn contains_named_graph(&self, name: NamedOrBlankNodeRef<'_>) -> Result<bool, ArchiveError> {
        match self.find(name.into())? {
            Some(graph) => self.has_graph(graph),
            None => Ok(false),
        }
    }

    /// The number of quads of a graph.
    pub fn graph_len(&self, graph: GraphNameRef<'_>) -> Result<u64, ArchiveError> {
        let Some(graph) = self.find_graph(graph)? else { return Ok(0) };
        self.graph_chunks(graph).map(|entry| Ok(entry?.1)).sum()
    }

    pub(crate) fn predicate_count(&self, predicate: TermId) -> Result<u64, ArchiveError> {
        let count = self.inner.view.get(&self.inner.tables.meta, keys::key(keys::PREDICATE, &[predicate.0]))?;
        Ok(count.and_then(|count| varint::take(&mut &count[..])).unwrap_or(0))
    }

    /// All predicates, each with its number of quads, in no particular order.
    pub fn predicates(&self) -> impl Iterator<Item = Result<(oxrdf::NamedNode, u64), ArchiveError>> + use<> {
        let snapshot = self.clone();
        self.inner.view.prefix(&self.inner.tables.meta, [keys::PREDICATE]).map(move |entry| {
            let (key, count) = entry.into_inner()?;
            let entry = keys::parse_numbers::<1>(&key).zip(varint::take(&mut &count[..]));
            let ([predicate], count) = entry.ok_or_else(|| ArchiveError::corrupted("invalid predicate count"))?;
            match snapshot.term(TermId(predicate))? {
                Term::NamedNode(predicate) => Ok((predicate, count)),
                other => Err(ArchiveError::corrupted(format!("term {other} is used as a predicate"))),
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

    /// The documents of a collection, each with each graph it wrote into.
    pub(crate) fn collection_entries(
        &self,
        collection: Collection,
    ) -> impl Iterator<Item = Result<(u64, u64), ArchiveError>> + use<> {
        let prefix = keys::key(keys::DOCUMENT, &[u64::from(collection.0)]);
        self.inner.view.prefix(&self.inner.tables.graphs, prefix).map(|entry| {
            let numbers = keys::parse_numbers(&entry.key()?);
            let [_, document, graph] = numbers.ok_or_else(|| ArchiveError::corrupted("invalid document key"))?;
            Ok((document, graph))
        })
    }

    /// A note that was stored with [`Transaction::set_note`](crate::Transaction::set_note).
    pub fn note(&self, name: &[u8]) -> Result<Option<Vec<u8>>, ArchiveError> {
        let key = [&[keys::NOTE], name].concat();
        Ok(self.inner.view.get(&self.inner.tables.meta, key)?.map(|note| note.to_vec()))
    }
}

/// Unpacks a chunk; an invalid one is an error.
pub(crate) fn decode_chunk(number: u64, bytes: &[u8]) -> Result<Chunk, ArchiveError> {
    Chunk::decode(bytes).ok_or_else(|| ArchiveError::corrupted(format!("cannot decode chunk {number}")))
}
