//! STAND-IN: the whole store in memory, behind the final interface. Replaced by
//! the real thing (fjall) without a change of signatures.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxrdf::{GraphName, GraphNameRef, NamedNodeRef, NamedOrBlankNode, NamedOrBlankNodeRef, Quad, QuadRef, Term};
use spareval::{InternalQuad, QueryableDataset};

/// How an archive is opened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Bytes of memory for blocks that have been read.
    pub cache_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { cache_bytes: 64 << 20 }
    }
}

/// An archive cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Another process has it open.
    #[error("{0} is in use by another process")]
    InUse(PathBuf),
    /// It was written by a version that this one does not know.
    #[error("{path} has the format {found}; this version reads {known}")]
    Format {
        /// Where.
        path: PathBuf,
        /// What it has.
        found: u32,
        /// What we know.
        known: u32,
    },
    /// It holds something that it cannot hold.
    #[error("the archive is corrupted: {0}")]
    Corrupted(String),
    /// The storage engine failed.
    #[error("the archive's database failed")]
    Database(#[from] fjall::Error),
    /// The operating system said no.
    #[error("cannot write {path}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: std::io::Error,
    },
}

/// A set of graphs that can be dropped together: a crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Collection(pub u32);

/// What a commit changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// Quads that were not there before.
    pub inserted: u64,
    /// Quads that are not there any more.
    pub removed: u64,
}

#[derive(Clone, Default)]
struct State {
    quads: BTreeSet<String>,
    parsed: BTreeMap<String, Quad>,
    graphs: BTreeSet<String>,
    members: BTreeSet<(Collection, String)>,
    notes: BTreeMap<Vec<u8>, Vec<u8>>,
}

/// A store of quads in a folder. Cheap to clone; all clones are the same store.
#[derive(Clone)]
pub struct Archive {
    state: Arc<Mutex<Arc<State>>>,
}

impl Archive {
    /// Opens the archive in this folder, or makes one.
    pub fn open(_path: impl AsRef<Path>, _options: &Options) -> Result<Self, ArchiveError> {
        Ok(Self { state: Arc::default() })
    }

    fn state(&self) -> MutexGuard<'_, Arc<State>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The archive as it is now, whatever is written later.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { state: Arc::clone(&self.state()) }
    }

    /// Begins to write. Waits until whoever else is writing has finished.
    #[must_use]
    pub fn begin(&self) -> Transaction<'_> {
        let state = (**self.state()).clone();
        Transaction { archive: self, state, done: Committed::default() }
    }

    /// Begins to load very many quads: quicker than a transaction, and bounded in memory.
    pub fn bulk_loader(&self) -> Result<BulkLoader<'_>, ArchiveError> {
        Ok(BulkLoader { transaction: self.begin() })
    }

    /// Removes what only this collection holds. Tells how many graphs went.
    pub fn drop_collection(&self, collection: Collection) -> Result<u64, ArchiveError> {
        let mut transaction = self.begin();
        let mine: Vec<String> =
            transaction.state.members.iter().filter(|m| m.0 == collection).map(|m| m.1.clone()).collect();
        for graph in &mine {
            transaction.state.members.remove(&(collection, graph.clone()));
            if !transaction.state.members.iter().any(|m| m.1 == *graph) {
                transaction.drop_graph(NamedNodeRef::new_unchecked(graph).into())?;
            }
        }
        transaction.commit()?;
        Ok(mine.len() as u64)
    }

    /// Makes everything committed so far safe from a power cut.
    pub fn sync(&self) -> Result<(), ArchiveError> {
        Ok(())
    }

    /// Gives back the disk space of what was dropped, before this returns.
    pub fn reclaim(&self) -> Result<(), ArchiveError> {
        Ok(())
    }
}

/// The archive at one moment. Cheap to clone; may be sent to other threads.
#[derive(Clone)]
pub struct Snapshot {
    state: Arc<State>,
}

impl Snapshot {
    /// How many quads there are.
    pub fn len(&self) -> Result<u64, ArchiveError> {
        Ok(self.state.quads.len() as u64)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> Result<bool, ArchiveError> {
        Ok(self.len()? == 0)
    }

    /// Whether this quad is there.
    pub fn contains(&self, quad: QuadRef<'_>) -> Result<bool, ArchiveError> {
        Ok(self.state.quads.contains(&quad.to_string()))
    }

    /// The quads that match; `None` matches anything (for the graph: the default graph, too).
    pub fn quads(
        &self,
        subject: Option<NamedOrBlankNodeRef<'_>>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<oxrdf::TermRef<'_>>,
        graph: Option<GraphNameRef<'_>>,
    ) -> impl Iterator<Item = Result<Quad, ArchiveError>> + use<> {
        let found: Vec<Quad> = self
            .state
            .parsed
            .values()
            .filter(|q| {
                subject.is_none_or(|s| s == q.subject.as_ref())
                    && predicate.is_none_or(|p| p == q.predicate)
                    && object.is_none_or(|o| o == q.object.as_ref())
                    && graph.is_none_or(|g| g == q.graph_name.as_ref())
            })
            .cloned()
            .collect();
        found.into_iter().map(Ok)
    }

    /// The named graphs, also empty ones that were created.
    pub fn named_graphs(&self) -> impl Iterator<Item = Result<NamedOrBlankNode, ArchiveError>> + use<> {
        let graphs: Vec<_> = self.state.graphs.iter().map(|g| node(g)).collect();
        graphs.into_iter().map(Ok)
    }

    /// Whether there is a named graph of this name.
    pub fn contains_named_graph(&self, name: NamedOrBlankNodeRef<'_>) -> Result<bool, ArchiveError> {
        Ok(self.state.graphs.contains(&text(name)))
    }

    /// How many quads a graph has.
    pub fn graph_len(&self, graph: GraphNameRef<'_>) -> Result<u64, ArchiveError> {
        Ok(self.quads(None, None, None, Some(graph)).count() as u64)
    }

    /// How many quads have this predicate, roughly.
    pub fn predicate_len(&self, predicate: NamedNodeRef<'_>) -> Result<u64, ArchiveError> {
        Ok(self.quads(None, Some(predicate), None, None).count() as u64)
    }

    /// About how many quads match: never 0 where there is one, quick, from the
    /// statistics and short looks into the indexes. For the order of joins.
    pub fn estimate(
        &self,
        subject: Option<NamedOrBlankNodeRef<'_>>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<oxrdf::TermRef<'_>>,
        graph: Option<GraphNameRef<'_>>,
    ) -> Result<u64, ArchiveError> {
        Ok(self.quads(subject, predicate, object, graph).count() as u64)
    }

    /// The graphs of a collection, in no particular order.
    pub fn collection_graphs(
        &self,
        collection: Collection,
    ) -> impl Iterator<Item = Result<NamedOrBlankNode, ArchiveError>> + use<> {
        let graphs: Vec<_> = self.state.members.iter().filter(|m| m.0 == collection).map(|m| node(&m.1)).collect();
        graphs.into_iter().map(Ok)
    }

    /// A note that was written with [`Transaction::note`].
    pub fn note(&self, key: &[u8]) -> Result<Option<Vec<u8>>, ArchiveError> {
        Ok(self.state.notes.get(key).cloned())
    }

    /// This snapshot as what a SPARQL evaluator reads.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader { state: Arc::clone(&self.state) }
    }
}

fn text(name: NamedOrBlankNodeRef<'_>) -> String {
    match name {
        NamedOrBlankNodeRef::NamedNode(n) => n.as_str().to_owned(),
        NamedOrBlankNodeRef::BlankNode(b) => format!("_:{}", b.as_str()),
    }
}

fn node(text: &str) -> NamedOrBlankNode {
    match text.strip_prefix("_:") {
        Some(b) => oxrdf::BlankNode::new_unchecked(b).into(),
        None => oxrdf::NamedNode::new_unchecked(text).into(),
    }
}

/// Changes that become visible together, or not at all. Dropped without
/// [`commit`](Self::commit), it leaves no trace. At most one at a time.
pub struct Transaction<'a> {
    archive: &'a Archive,
    state: State,
    done: Committed,
}

impl Transaction<'_> {
    /// Adds a quad, and its graph.
    pub fn insert(&mut self, quad: QuadRef<'_>) -> Result<(), ArchiveError> {
        if self.state.quads.insert(quad.to_string()) {
            self.done.inserted += 1;
            self.state.parsed.insert(quad.to_string(), quad.into_owned());
        }
        match quad.graph_name {
            GraphNameRef::NamedNode(n) => self.create_graph(n.into()),
            GraphNameRef::BlankNode(n) => self.create_graph(n.into()),
            GraphNameRef::DefaultGraph => Ok(()),
        }
    }

    /// Removes a quad. Its graph stays, if only in name.
    pub fn remove(&mut self, quad: QuadRef<'_>) -> Result<(), ArchiveError> {
        if self.state.quads.remove(&quad.to_string()) {
            self.state.parsed.remove(&quad.to_string());
            self.done.removed += 1;
        }
        Ok(())
    }

    /// Makes a graph exist, even if it is empty.
    pub fn create_graph(&mut self, name: NamedOrBlankNodeRef<'_>) -> Result<(), ArchiveError> {
        self.state.graphs.insert(text(name));
        Ok(())
    }

    /// Removes all quads of a graph. The graph stays.
    pub fn clear_graph(&mut self, graph: GraphNameRef<'_>) -> Result<(), ArchiveError> {
        let doomed: Vec<Quad> =
            self.state.parsed.values().filter(|q| q.graph_name.as_ref() == graph).cloned().collect();
        for quad in doomed {
            self.remove(quad.as_ref())?;
        }
        Ok(())
    }

    /// Removes a graph and all its quads.
    pub fn drop_graph(&mut self, graph: GraphNameRef<'_>) -> Result<(), ArchiveError> {
        self.clear_graph(graph)?;
        match graph {
            GraphNameRef::NamedNode(n) => drop(self.state.graphs.remove(&text(n.into()))),
            GraphNameRef::BlankNode(n) => drop(self.state.graphs.remove(&text(n.into()))),
            GraphNameRef::DefaultGraph => {}
        }
        Ok(())
    }

    /// Puts a document into a collection: its graphs are replaced by these
    /// quads. Of a document that is put again, the graphs that it alone had
    /// are dropped first. Without quads, the document is removed.
    pub fn put_document<'q>(
        &mut self,
        collection: Collection,
        document: NamedNodeRef<'_>,
        quads: impl IntoIterator<Item = QuadRef<'q>>,
    ) -> Result<(), ArchiveError> {
        self.drop_graph(document.into())?;
        self.state.members.remove(&(collection, document.as_str().to_owned()));
        let mut graphs = HashSet::new();
        for quad in quads {
            self.insert(quad)?;
            if let GraphNameRef::NamedNode(name) = quad.graph_name {
                graphs.insert(name.as_str().to_owned());
            }
        }
        self.state.members.extend(graphs.into_iter().map(|graph| (collection, graph)));
        Ok(())
    }

    /// Writes a note: something small to be kept with what is committed, such
    /// as how far a feed has come. `None` removes it.
    pub fn note(&mut self, key: &[u8], value: Option<&[u8]>) {
        match value {
            Some(value) => drop(self.state.notes.insert(key.to_owned(), value.to_owned())),
            None => drop(self.state.notes.remove(key)),
        }
    }

    /// What a SPARQL evaluator reads: the archive with the changes so far.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader { state: Arc::new(self.state.clone()) }
    }

    /// Makes the changes visible to later snapshots, and safe from the end of
    /// this process (not from a power cut: [`Archive::sync`]).
    pub fn commit(self) -> Result<Committed, ArchiveError> {
        *self.archive.state() = Arc::new(self.state);
        Ok(self.done)
    }
}

/// Loads very many quads. What has been added becomes visible all at once, at
/// [`finish`](Self::finish).
pub struct BulkLoader<'a> {
    transaction: Transaction<'a>,
}

impl BulkLoader<'_> {
    /// Adds a quad.
    pub fn add(&mut self, quad: QuadRef<'_>) -> Result<(), ArchiveError> {
        self.transaction.insert(quad)
    }

    /// Makes everything added visible.
    pub fn finish(self) -> Result<Committed, ArchiveError> {
        self.transaction.commit()
    }
}

/// A term as the archive's readers hold it. Equal if the terms are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StoredTerm(Term);

/// What a SPARQL evaluator reads. For `None` as graph, quads of the default
/// graph come, too.
pub struct Reader {
    state: Arc<State>,
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
        let graph = |name: &GraphName| match name {
            GraphName::NamedNode(n) => Some(StoredTerm(n.clone().into())),
            GraphName::BlankNode(n) => Some(StoredTerm(n.clone().into())),
            GraphName::DefaultGraph => None,
        };
        let found: Vec<_> = self
            .state
            .parsed
            .values()
            .map(|q| InternalQuad {
                subject: StoredTerm(q.subject.clone().into()),
                predicate: StoredTerm(q.predicate.clone().into()),
                object: StoredTerm(q.object.clone()),
                graph_name: graph(&q.graph_name),
            })
            .filter(|q| {
                subject.is_none_or(|s| *s == q.subject)
                    && predicate.is_none_or(|p| *p == q.predicate)
                    && object.is_none_or(|o| *o == q.object)
                    && graph_name.is_none_or(|g| g == q.graph_name.as_ref())
            })
            .map(Ok)
            .collect();
        found.into_iter()
    }

    fn internal_named_graphs(&self) -> impl Iterator<Item = Result<StoredTerm, ArchiveError>> + use<> {
        let graphs: Vec<_> = self.state.graphs.iter().map(|g| Ok(StoredTerm(node(g).into()))).collect();
        graphs.into_iter()
    }

    fn contains_internal_graph_name(&self, graph_name: &StoredTerm) -> Result<bool, ArchiveError> {
        Ok(self.state.graphs.iter().any(|g| Term::from(node(g)) == graph_name.0))
    }

    fn internalize_term(&self, term: Term) -> Result<StoredTerm, ArchiveError> {
        Ok(StoredTerm(term))
    }

    fn externalize_term(&self, term: StoredTerm) -> Result<Term, ArchiveError> {
        Ok(term.0)
    }
}
