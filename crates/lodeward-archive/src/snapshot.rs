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
    terms: Mutex<TermCache>,
    /// The ids of terms that were looked up: a query looks up its constants for every estimate.
    ids: Mutex<foldhash::HashMap<u128, Option<TermId>>>,
    _guard: SnapshotGuard,
}

/// The number of terms that are read together.
const READ_AHEAD_TERMS: u64 = 32;

/// The number of terms that a snapshot caches, at first and at most.
const MIN_CACHED_TERMS: usize = 1 << 10;
const MAX_CACHED_TERMS: usize = 1 << 16;
/// The size of a term that is cached, so that memory is bounded.
const MAX_CACHED_TERM_BYTES: usize = 1 << 10;

/// The number of ids that a snapshot caches.
const MAX_CACHED_IDS: usize = 1_000;

/// The bytes of recently used terms. A sort compares terms again and again, so the cache grows with
/// the number of terms that were read.
struct TermCache {
    packed: DirectCache<Slice>,
    capacity: usize,
    /// Terms read from disk since the cache has this size.
    reads: usize,
    /// The term that was last read from disk.
    last_read: u64,
}

impl Default for TermCache {
    fn default() -> Self {
        let capacity = MIN_CACHED_TERMS;
        Self { packed: DirectCache::new(capacity), capacity, reads: 0, last_read: 0 }
    }
}

impl TermCache {
    fn put(&mut self, id: u64, packed: &[u8]) {
        if packed.len() > MAX_CACHED_TERM_BYTES {
            return;
        }
        self.reads += 1;
        if self.reads > self.capacity && self.capacity < MAX_CACHED_TERMS {
            self.capacity *= 8;
            self.reads = 0;
            self.packed = DirectCache::new(self.capacity);
        }
        // A copy, because a slice of a block would keep the whole block in memory.
        self.packed.put(id, Slice::from(packed));
    }
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
            terms: Mutex::default(),
            ids: Mutex::default(),
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

    /// Keeps up to this number of chunks in memory.
    pub(crate) fn cache_chunks(&self, capacity: usize) {
        let mut cache = self.inner.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.capacity() < capacity {
            *cache = DirectCache::new(capacity);
        }
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
        let cache = || self.inner.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = cache().get(&hash) {
            return Ok(*id);
        }
        let id = dictionary::decode_id(self.inner.view.get(&self.inner.tables.ids, hash.to_be_bytes())?)?;
        let mut cache = cache();
        if cache.len() < MAX_CACHED_IDS {
            cache.insert(hash, id);
        }
        Ok(id)
    }

    pub(crate) fn find_graph(&self, graph: GraphNameRef<'_>) -> Result<Option<TermId>, ArchiveError> {
        term::from_graph_name(graph).map_or(Ok(Some(TermId::DEFAULT_GRAPH)), |name| self.find(name))
    }

    /// The term of an id.
    pub(crate) fn term(&self, id: TermId) -> Result<Term, ArchiveError> {
        if let Some(term) = id.as_inline() {
            return Ok(term);
        }
        let missing = || ArchiveError::corrupted(format!("term {} is missing", id.0));
        self.packed_term(id)?.and_then(|packed| term::decode(&packed)).ok_or_else(missing)
    }

    /// The bytes of a term that is in the dictionary.
    fn packed_term(&self, id: TermId) -> Result<Option<Slice>, ArchiveError> {
        let cache = || self.inner.terms.lock().unwrap_or_else(PoisonError::into_inner);
        let is_next = {
            let mut cache = cache();
            if let Some(packed) = cache.packed.get(id.0) {
                return Ok(Some(packed.clone()));
            }
            let last = std::mem::replace(&mut cache.last_read, id.0);
            (last + 1..=last.saturating_add(READ_AHEAD_TERMS)).contains(&id.0)
        };
        let terms = &self.inner.tables.terms;
        if !is_next {
            let packed = self.inner.view.get(terms, keys::number_key(id.0))?;
            if let Some(packed) = &packed {
                cache().put(id.0, packed);
            }
            return Ok(packed);
        }
        // Terms get their ids in the order in which they occur, so a scan also reads them in about
        // this order, and a range costs less than its terms one by one.
        let range = keys::number_key(id.0)..keys::number_key(id.0.saturating_add(READ_AHEAD_TERMS));
        let mut found = None;
        for entry in self.inner.view.range(terms, range) {
            let (key, packed) = entry.into_inner()?;
            let number = keys::parse_number_key(&key)?;
            if number == id.0 {
                found = Some(packed.clone());
            }
            cache().put(number, &packed);
        }
        Ok(found)
    }

    /// Whether a term of the dictionary is an IRI or a blank node.
    pub(crate) fn is_node(&self, id: TermId) -> Result<bool, ArchiveError> {
        let missing = || ArchiveError::corrupted(format!("term {} is missing", id.0));
        self.packed_term(id)?.as_deref().and_then(term::is_node).ok_or_else(missing)
    }

    /// Whether a term is in memory.
    pub(crate) fn is_term_cached(&self, number: u64) -> bool {
        self.inner.terms.lock().unwrap_or_else(PoisonError::into_inner).packed.get(number).is_some()
    }

    /// Keeps the bytes of a term in memory, unless they are many.
    pub(crate) fn cache_term(&self, number: u64, packed: &[u8]) {
        self.inner.terms.lock().unwrap_or_else(PoisonError::into_inner).put(number, packed);
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
