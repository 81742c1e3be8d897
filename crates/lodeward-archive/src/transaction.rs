//! Transactions: changes that become visible together.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use fjall::Readable;
use oxrdf::{GraphName, GraphNameRef, NamedNodeRef, NamedOrBlankNode, NamedOrBlankNodeRef, QuadRef, TermRef};

use crate::archive::{Archive, WriterState};
use crate::chunk::IdTriple;
use crate::commit::CommitBatch;
use crate::dictionary::{Interner, NewTerms};
use crate::error::ArchiveError;
use crate::overlay::Overlay;
use crate::provenance::RecordKey;
use crate::reader::QuadReader;
use crate::snapshot::Snapshot;
use crate::term::{self, TermId};
use crate::{Collection, CommitSummary, keys};

impl Archive {
    /// Starts a transaction. Waits until the current writer has finished.
    #[must_use]
    pub fn begin(&self) -> Transaction<'_> {
        let writer = self.writer();
        let base = self.snapshot();
        Transaction::new(self, writer, base)
    }

    /// Starts a transaction. Waits until the current writer has finished, or until `check` fails,
    /// which is called every few milliseconds.
    pub(crate) fn begin_unless<E>(&self, check: impl Fn() -> Result<(), E>) -> Result<Transaction<'_>, E> {
        const CHECK_INTERVAL: Duration = Duration::from_millis(2);
        loop {
            check()?;
            if let Some(writer) = self.try_writer() {
                let base = self.snapshot();
                return Ok(Transaction::new(self, writer, base));
            }
            std::thread::sleep(CHECK_INTERVAL);
        }
    }

    /// Removes a collection, its provenance, and all its graphs that no other document writes into.
    /// Returns the number of removed documents. The removal is not atomic. If it is interrupted, call it again
    /// to remove the rest.
    pub fn drop_collection(&self, collection: Collection) -> Result<u64, ArchiveError> {
        const DOCUMENTS_PER_BATCH: usize = 10_000;
        let mut dropped = 0;
        loop {
            let snapshot = self.snapshot();
            let entries: Vec<_> =
                snapshot.collection_entries(collection).take(DOCUMENTS_PER_BATCH).collect::<Result<_, _>>()?;
            drop(snapshot);
            if entries.is_empty() {
                self.drop_provenance(collection)?;
                return Ok(dropped);
            }
            let mut transaction = self.begin();
            let mut documents: Vec<u64> = entries.iter().map(|entry| entry.0).collect();
            for (document, graph) in entries {
                transaction.detach_document(collection, TermId(document), TermId(graph))?;
            }
            transaction.commit()?;
            documents.dedup();
            dropped += documents.len() as u64;
        }
    }

    fn drop_provenance(&self, collection: Collection) -> Result<(), ArchiveError> {
        const RECORDS_PER_BATCH: usize = 10_000;
        loop {
            let keys = self.snapshot().record_keys(collection, RECORDS_PER_BATCH)?;
            if keys.is_empty() {
                return Ok(());
            }
            let mut transaction = self.begin();
            for key in keys {
                transaction.put_provenance(key, None);
            }
            transaction.commit()?;
        }
    }
}

/// Changes that become visible together, or not at all. If a transaction is dropped without
/// [`commit`](Self::commit), nothing changes. Only one transaction runs at a time; the next one
/// waits. Changes are held in memory; for larger loads use [`Archive::bulk_loader`].
pub struct Transaction<'a> {
    archive: &'a Archive,
    writer: MutexGuard<'a, WriterState>,
    base: Snapshot,
    overlay: Arc<Overlay>,
    /// Changed document and member entries, by key: present or removed.
    members: BTreeMap<Vec<u8>, bool>,
    notes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    provenance: BTreeMap<RecordKey, Option<Vec<u8>>>,
    scratch: Vec<u8>,
}

impl<'a> Transaction<'a> {
    fn new(archive: &'a Archive, writer: MutexGuard<'a, WriterState>, base: Snapshot) -> Self {
        let new_terms = NewTerms::new(writer.counters.next_term);
        let overlay = Arc::new(Overlay { new_terms, ..Overlay::default() });
        Self {
            archive,
            writer,
            base,
            overlay,
            members: BTreeMap::new(),
            notes: BTreeMap::new(),
            provenance: BTreeMap::new(),
            scratch: Vec::new(),
        }
    }

    fn intern(&mut self, term: TermRef<'_>) -> Result<TermId, ArchiveError> {
        let (tables, recent) = (self.base.tables(), &mut self.writer.recent);
        let mut interner = Interner { tables, recent, scratch: &mut self.scratch };
        interner.intern(term, &mut Arc::make_mut(&mut self.overlay).new_terms)
    }

    fn find(&mut self, term: TermRef<'_>) -> Result<Option<TermId>, ArchiveError> {
        let (tables, recent) = (self.base.tables(), &mut self.writer.recent);
        Interner { tables, recent, scratch: &mut self.scratch }.find(term, &self.overlay.new_terms)
    }

    fn overlay(&mut self) -> &mut Overlay {
        Arc::make_mut(&mut self.overlay)
    }

    fn intern_graph(&mut self, graph: GraphNameRef<'_>) -> Result<TermId, ArchiveError> {
        term::from_graph_name(graph).map_or(Ok(TermId::DEFAULT_GRAPH), |name| self.intern(name))
    }

    fn find_graph(&mut self, graph: GraphNameRef<'_>) -> Result<Option<TermId>, ArchiveError> {
        term::from_graph_name(graph).map_or(Ok(Some(TermId::DEFAULT_GRAPH)), |name| self.find(name))
    }

    fn intern_triple(&mut self, quad: QuadRef<'_>) -> Result<IdTriple, ArchiveError> {
        let subject = self.intern(quad.subject.into())?;
        let predicate = self.intern(quad.predicate.into())?;
        let object = self.intern(quad.object)?;
        Ok([subject.0, predicate.0, object.0])
    }

    /// Adds a quad, and creates its graph if it does not exist.
    pub fn insert(&mut self, quad: QuadRef<'_>) -> Result<(), ArchiveError> {
        let triple = self.intern_triple(quad)?;
        let graph = self.intern_graph(quad.graph_name)?;
        let change = self.overlay().graph_mut(graph);
        change.triples.set(triple, true);
        if graph != TermId::DEFAULT_GRAPH {
            change.exists = Some(true);
        }
        Ok(())
    }

    /// Removes a quad. Its graph stays, even if it is empty.
    pub fn remove(&mut self, quad: QuadRef<'_>) -> Result<(), ArchiveError> {
        let Some(graph) = self.find_graph(quad.graph_name)? else { return Ok(()) };
        let mut triple = [0; 3];
        let terms = [quad.subject.into(), quad.predicate.into(), quad.object];
        for (id, term) in triple.iter_mut().zip(terms) {
            let Some(found) = self.find(term)? else { return Ok(()) };
            *id = found.0;
        }
        self.overlay().graph_mut(graph).triples.set(triple, false);
        Ok(())
    }

    /// Whether a named graph exists, including the changes so far.
    pub fn contains_named_graph(&mut self, name: NamedOrBlankNodeRef<'_>) -> Result<bool, ArchiveError> {
        let Some(graph) = self.find(name.into())? else { return Ok(false) };
        match self.overlay.graphs.get(&graph).and_then(|change| change.exists) {
            Some(exists) => Ok(exists),
            None => self.base.has_graph(graph),
        }
    }

    /// Creates a graph, even if it is empty.
    pub fn create_graph(&mut self, name: NamedOrBlankNodeRef<'_>) -> Result<(), ArchiveError> {
        let graph = self.intern(name.into())?;
        self.overlay().graph_mut(graph).exists = Some(true);
        Ok(())
    }

    /// Removes all quads of a graph. The graph continues to exist.
    pub fn clear_graph(&mut self, graph: GraphNameRef<'_>) -> Result<(), ArchiveError> {
        if let Some(graph) = self.find_graph(graph)? {
            self.overlay().graph_mut(graph).clear();
        }
        Ok(())
    }

    /// Removes a graph and all its quads. The default graph is only emptied.
    pub fn drop_graph(&mut self, graph: GraphNameRef<'_>) -> Result<(), ArchiveError> {
        if let Some(graph) = self.find_graph(graph)? {
            self.drop_graph_id(graph);
        }
        Ok(())
    }

    pub(crate) fn drop_graph_id(&mut self, graph: TermId) {
        let change = self.overlay().graph_mut(graph);
        change.clear();
        if graph != TermId::DEFAULT_GRAPH {
            change.exists = Some(false);
        }
    }

    /// Stores a document in a collection. Its statements replace the document's earlier ones, in
    /// every collection. Without statements, the document is removed from this collection.
    ///
    /// The graph with the document's name belongs to the document. A document can also write into
    /// other graphs. A graph that no other document writes into is replaced as well; in a shared
    /// graph the new statements are added and the old ones stay.
    pub fn put_document<'q>(
        &mut self,
        collection: Collection,
        document: NamedNodeRef<'_>,
        quads: impl IntoIterator<Item = QuadRef<'q>>,
    ) -> Result<(), ArchiveError> {
        let mut writer = self.document_writer(collection, document)?;
        for quad in quads {
            writer.add(quad)?;
        }
        writer.finish()
    }

    /// Starts to store a document statement by statement, as [`put_document`](Self::put_document)
    /// does. If the writer is dropped without a call of `finish`, the document does not change.
    pub fn document_writer(
        &mut self,
        collection: Collection,
        document: NamedNodeRef<'_>,
    ) -> Result<DocumentWriter<'_, 'a>, ArchiveError> {
        let id = self.intern(document.into())?;
        let last_graph = (document.into_owned().into(), id);
        Ok(DocumentWriter {
            transaction: self,
            collection,
            document: id,
            graphs: BTreeMap::from([(id, Vec::new())]),
            last_graph,
            last_subject: None,
        })
    }

    fn replace_document(
        &mut self,
        collection: Collection,
        document: TermId,
        graphs: BTreeMap<TermId, Vec<IdTriple>>,
    ) -> Result<(), ArchiveError> {
        for graph in self.document_graphs(collection, document)? {
            self.detach_document(collection, document, graph)?;
        }
        for (graph, triples) in graphs {
            if triples.is_empty() {
                continue;
            }
            let own = graph != TermId::DEFAULT_GRAPH && !self.has_members(graph, Some(document))?;
            self.set_member(collection, document, graph, true);
            let change = self.overlay().graph_mut(graph);
            if own || graph == document {
                change.clear();
            }
            if graph != TermId::DEFAULT_GRAPH {
                change.exists = Some(true);
            }
            change.triples.add_all(triples);
        }
        Ok(())
    }

    /// Detaches a document from a graph, and drops the graph if no other document writes into it.
    fn detach_document(&mut self, collection: Collection, document: TermId, graph: TermId) -> Result<(), ArchiveError> {
        self.set_member(collection, document, graph, false);
        if graph != TermId::DEFAULT_GRAPH && !self.has_members(graph, None)? {
            self.drop_graph_id(graph);
        }
        Ok(())
    }

    fn set_member(&mut self, collection: Collection, document: TermId, graph: TermId, present: bool) {
        let collection = u64::from(collection.0);
        self.members.insert(keys::key(keys::DOCUMENT, &[collection, document.0, graph.0]), present);
        self.members.insert(keys::key(keys::MEMBER, &[graph.0, collection, document.0]), present);
    }

    /// Member entries with this prefix, including the changes so far. If `is_on_disk` is false, there
    /// are only changes.
    fn member_keys(&self, prefix: &[u8], is_on_disk: bool) -> Result<Vec<Vec<u8>>, ArchiveError> {
        let mut found = Vec::new();
        if is_on_disk {
            for entry in self.base.view().prefix(&self.base.tables().graphs, prefix) {
                let key = entry.key()?;
                if !self.members.contains_key(&key[..]) {
                    found.push(key.to_vec());
                }
            }
        }
        let changed = self.members.range(prefix.to_vec()..).take_while(|(key, _)| key.starts_with(prefix));
        found.extend(changed.filter(|(_, present)| **present).map(|(key, _)| key.clone()));
        Ok(found)
    }

    /// Whether the term is new in this transaction, so that no entry on disk has it.
    fn is_new(&self, term: TermId) -> bool {
        term.is_new(self.overlay.new_terms.first)
    }

    fn document_graphs(&self, collection: Collection, document: TermId) -> Result<Vec<TermId>, ArchiveError> {
        let prefix = keys::key(keys::DOCUMENT, &[u64::from(collection.0), document.0]);
        let found = self.member_keys(&prefix, !self.is_new(document))?;
        let graph = |key: &Vec<u8>| keys::parse_numbers(key).map(|[_, _, graph]| TermId(graph));
        found.iter().map(|key| graph(key).ok_or_else(|| ArchiveError::corrupted("invalid document key"))).collect()
    }

    /// Whether any document except this one writes into a graph. Stops at the first one, as many
    /// documents can share a graph.
    fn has_members(&self, graph: TermId, except: Option<TermId>) -> Result<bool, ArchiveError> {
        let prefix = keys::key(keys::MEMBER, &[graph.0]);
        let is_other = |key: &[u8]| {
            let document = keys::parse_numbers(key).map(|[_, _, document]| TermId(document));
            except.is_none() || document != except
        };
        let mut changed = self.members.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
        if changed.any(|(key, present)| *present && is_other(key)) {
            return Ok(true);
        }
        // A lookup is cheaper than a scan, and most documents are new. The entries of a graph that was
        // dropped do not count.
        if self.is_new(graph) || !self.base.has_graph(graph)? {
            return Ok(false);
        }
        for entry in self.base.view().prefix(&self.base.tables().graphs, prefix) {
            let key = entry.key()?;
            if !self.members.contains_key(&key[..]) && is_other(&key) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Stores a note: a small value that is committed with the changes, such as the position of a
    /// feed. `None` removes it.
    pub fn set_note(&mut self, name: &[u8], value: Option<&[u8]>) {
        self.notes.insert([&[keys::NOTE], name].concat(), value.map(<[u8]>::to_vec));
    }

    /// Stores a provenance record, which replaces the earlier one with the same key. `None` removes
    /// it.
    pub fn put_provenance(&mut self, key: RecordKey, record: Option<&[u8]>) {
        self.provenance.insert(key, record.map(<[u8]>::to_vec));
    }

    /// The archive before this transaction.
    pub(crate) fn base(&self) -> &Snapshot {
        &self.base
    }

    /// The archive with the changes so far, as a dataset for a SPARQL evaluator.
    #[must_use]
    pub fn reader(&self) -> QuadReader {
        QuadReader::with_overlay(self.base.clone(), Arc::clone(&self.overlay))
    }

    /// Makes the changes visible to later snapshots. They survive the end of this process; after
    /// the next [`Archive::sync`] they also survive a power failure.
    pub fn commit(mut self) -> Result<CommitSummary, ArchiveError> {
        self.archive.check_writable()?;
        let mut commit = CommitBatch::new(&self.base, self.writer.counters, self.overlay.new_terms.first);
        for (key, present) in &self.members {
            commit.set_member(key, *present)?;
        }
        for (key, note) in &self.notes {
            commit.set_note(key, note.as_deref());
        }
        for (key, record) in &self.provenance {
            commit.set_provenance(*key, record.as_deref());
        }
        for (graph, change) in &self.overlay.graphs {
            commit.apply_graph_change(*graph, change)?;
        }
        let (removed, summary) = commit.finish(self.archive, &mut self.writer, &self.overlay.new_terms)?;
        for (hash, id) in self.overlay.new_terms.hashes() {
            self.writer.recent.put(hash, id);
        }
        if !removed.is_empty() {
            drop(self.base);
            self.archive.tombstones().add(&removed);
        }
        Ok(summary)
    }
}

/// Stores a document statement by statement.
pub struct DocumentWriter<'t, 'a> {
    transaction: &'t mut Transaction<'a>,
    collection: Collection,
    document: TermId,
    graphs: BTreeMap<TermId, Vec<IdTriple>>,
    /// The graph and the subject of the last statement, because those of the next one are usually
    /// the same.
    last_graph: (GraphName, TermId),
    last_subject: Option<(NamedOrBlankNode, TermId)>,
}

impl DocumentWriter<'_, '_> {
    /// Adds a statement.
    pub fn add(&mut self, quad: QuadRef<'_>) -> Result<(), ArchiveError> {
        if self.last_graph.0.as_ref() != quad.graph_name {
            self.last_graph = (quad.graph_name.into_owned(), self.transaction.intern_graph(quad.graph_name)?);
        }
        let subject = match &self.last_subject {
            Some((last, id)) if last.as_ref() == quad.subject => *id,
            _ => {
                let id = self.transaction.intern(quad.subject.into())?;
                self.last_subject = Some((quad.subject.into_owned(), id));
                id
            }
        };
        let predicate = self.transaction.intern(quad.predicate.into())?;
        let object = self.transaction.intern(quad.object)?;
        self.graphs.entry(self.last_graph.1).or_default().push([subject.0, predicate.0, object.0]);
        Ok(())
    }

    /// Replaces the document.
    pub fn finish(self) -> Result<(), ArchiveError> {
        self.transaction.replace_document(self.collection, self.document, self.graphs)
    }
}
