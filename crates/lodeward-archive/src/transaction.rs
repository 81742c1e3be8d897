//! Changes that become visible together.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard};

use fjall::Readable;
use oxrdf::{GraphNameRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use crate::archive::{Archive, Writer};
use crate::chunk::Triple;
use crate::commit::Commit;
use crate::dictionary::{Fresh, Interner};
use crate::error::ArchiveError;
use crate::overlay::Overlay;
use crate::reader::Reader;
use crate::snapshot::Snapshot;
use crate::term::{self, TermId};
use crate::{Collection, Committed, keys};

/// Changes that become visible together, or not at all. Dropped without
/// [`commit`](Self::commit), it leaves no trace. At most one at a time: the
/// next one waits. Holds its changes in memory; for more than fits there, see
/// [`Archive::bulk_loader`].
pub struct Transaction<'a> {
    archive: &'a Archive,
    writer: MutexGuard<'a, Writer>,
    base: Snapshot,
    overlay: Arc<Overlay>,
    /// Entries of documents and members, by key: there or not.
    members: BTreeMap<Vec<u8>, bool>,
    notes: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    scratch: Vec<u8>,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(archive: &'a Archive, writer: MutexGuard<'a, Writer>, base: Snapshot) -> Self {
        let fresh = Fresh::new(writer.counters.term_next);
        let overlay = Arc::new(Overlay { fresh, ..Overlay::default() });
        let (members, notes) = (BTreeMap::new(), BTreeMap::new());
        Self { archive, writer, base, overlay, members, notes, scratch: Vec::new() }
    }

    fn intern(&mut self, term: TermRef<'_>) -> Result<TermId, ArchiveError> {
        let (tables, recent) = (self.archive.tables(), &mut self.writer.recent);
        let mut interner = Interner { tables, recent, scratch: &mut self.scratch };
        interner.intern(term, &mut Arc::make_mut(&mut self.overlay).fresh)
    }

    fn find(&mut self, term: TermRef<'_>) -> Result<Option<TermId>, ArchiveError> {
        let (tables, recent) = (self.archive.tables(), &mut self.writer.recent);
        Interner { tables, recent, scratch: &mut self.scratch }.find(term, &self.overlay.fresh)
    }

    fn overlay(&mut self) -> &mut Overlay {
        Arc::make_mut(&mut self.overlay)
    }

    fn intern_graph(&mut self, graph: GraphNameRef<'_>) -> Result<TermId, ArchiveError> {
        term::of_graph(graph).map_or(Ok(TermId::DEFAULT_GRAPH), |name| self.intern(name))
    }

    fn find_graph(&mut self, graph: GraphNameRef<'_>) -> Result<Option<TermId>, ArchiveError> {
        term::of_graph(graph).map_or(Ok(Some(TermId::DEFAULT_GRAPH)), |name| self.find(name))
    }

    fn intern_triple(&mut self, quad: QuadRef<'_>) -> Result<Triple, ArchiveError> {
        let subject = self.intern(quad.subject.into())?;
        let predicate = self.intern(quad.predicate.into())?;
        let object = self.intern(quad.object)?;
        Ok([subject.0, predicate.0, object.0])
    }

    /// Adds a quad, and its graph if there is none yet.
    pub fn insert(&mut self, quad: QuadRef<'_>) -> Result<(), ArchiveError> {
        let triple = self.intern_triple(quad)?;
        let graph = self.intern_graph(quad.graph_name)?;
        let change = self.overlay().graph(graph);
        change.triples.insert(triple, true);
        if graph != TermId::DEFAULT_GRAPH {
            change.exists = Some(true);
        }
        Ok(())
    }

    /// Removes a quad. Its graph stays, if only in name.
    pub fn remove(&mut self, quad: QuadRef<'_>) -> Result<(), ArchiveError> {
        let Some(graph) = self.find_graph(quad.graph_name)? else { return Ok(()) };
        let mut triple = [0; 3];
        let terms = [quad.subject.into(), quad.predicate.into(), quad.object];
        for (id, term) in triple.iter_mut().zip(terms) {
            let Some(found) = self.find(term)? else { return Ok(()) };
            *id = found.0;
        }
        self.overlay().graph(graph).triples.insert(triple, false);
        Ok(())
    }

    /// Whether there is a named graph of this name, with the changes so far.
    pub fn contains_named_graph(&mut self, name: NamedOrBlankNodeRef<'_>) -> Result<bool, ArchiveError> {
        let Some(graph) = self.find(name.into())? else { return Ok(false) };
        match self.overlay.graphs.get(&graph).and_then(|change| change.exists) {
            Some(exists) => Ok(exists),
            None => self.base.has_graph(graph),
        }
    }

    /// Makes a graph exist, even if it is empty.
    pub fn create_graph(&mut self, name: NamedOrBlankNodeRef<'_>) -> Result<(), ArchiveError> {
        let graph = self.intern(name.into())?;
        self.overlay().graph(graph).exists = Some(true);
        Ok(())
    }

    /// Removes all quads of a graph. The graph stays.
    pub fn clear_graph(&mut self, graph: GraphNameRef<'_>) -> Result<(), ArchiveError> {
        if let Some(graph) = self.find_graph(graph)? {
            self.overlay().graph(graph).clear();
        }
        Ok(())
    }

    /// Removes a graph and all its quads. Of the default graph, only the quads.
    pub fn drop_graph(&mut self, graph: GraphNameRef<'_>) -> Result<(), ArchiveError> {
        if let Some(graph) = self.find_graph(graph)? {
            self.drop_graph_id(graph);
        }
        Ok(())
    }

    pub(crate) fn drop_graph_id(&mut self, graph: TermId) {
        let change = self.overlay().graph(graph);
        change.clear();
        if graph != TermId::DEFAULT_GRAPH {
            change.exists = Some(false);
        }
    }

    /// Puts a document into a collection. Its statements replace those it had
    /// before, in every collection; without statements, it is removed from
    /// this one.
    ///
    /// The graph that is named like the document belongs to it. A document may
    /// write into other graphs, too: one that no other document writes into is
    /// replaced as well, in one that is shared the new statements are added,
    /// and the old ones stay.
    pub fn put_document<'q>(
        &mut self,
        collection: Collection,
        document: NamedNodeRef<'_>,
        quads: impl IntoIterator<Item = QuadRef<'q>>,
    ) -> Result<(), ArchiveError> {
        let document = self.intern(document.into())?;
        let mut graphs: BTreeMap<TermId, Vec<Triple>> = BTreeMap::new();
        for quad in quads {
            let triple = self.intern_triple(quad)?;
            let graph = self.intern_graph(quad.graph_name)?;
            graphs.entry(graph).or_default().push(triple);
        }
        for graph in self.document_graphs(collection, document)? {
            self.leave(collection, document, graph)?;
        }
        for (graph, triples) in graphs {
            let own = graph != TermId::DEFAULT_GRAPH && !self.has_members(graph, Some(document))?;
            self.set_member(collection, document, graph, true);
            let change = self.overlay().graph(graph);
            if own || graph == document {
                change.clear();
            }
            if graph != TermId::DEFAULT_GRAPH {
                change.exists = Some(true);
            }
            change.triples.append(&mut triples.into_iter().map(|triple| (triple, true)).collect());
        }
        Ok(())
    }

    /// A document no longer writes into a graph, which goes if nobody else does.
    pub(crate) fn leave(
        &mut self,
        collection: Collection,
        document: TermId,
        graph: TermId,
    ) -> Result<(), ArchiveError> {
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

    /// Entries of members with this prefix, with the changes so far.
    fn member_keys(&self, prefix: &[u8]) -> Result<Vec<Vec<u8>>, ArchiveError> {
        let mut found = Vec::new();
        for entry in self.base.view().prefix(&self.base.tables().graphs, prefix) {
            let key = entry.key()?;
            if !self.members.contains_key(&key[..]) {
                found.push(key.to_vec());
            }
        }
        let changed = self.members.range(prefix.to_vec()..).take_while(|(key, _)| key.starts_with(prefix));
        found.extend(changed.filter(|(_, present)| **present).map(|(key, _)| key.clone()));
        Ok(found)
    }

    fn document_graphs(&self, collection: Collection, document: TermId) -> Result<Vec<TermId>, ArchiveError> {
        let prefix = keys::key(keys::DOCUMENT, &[u64::from(collection.0), document.0]);
        let found = self.member_keys(&prefix)?;
        let graph = |key: &Vec<u8>| keys::numbers(key).map(|[_, _, graph]| TermId(graph));
        found.iter().map(|key| graph(key).ok_or_else(|| ArchiveError::corrupted("a key of a document"))).collect()
    }

    /// Whether any document but this one writes into a graph. Looks no further
    /// than the first: many may share one.
    fn has_members(&self, graph: TermId, but: Option<TermId>) -> Result<bool, ArchiveError> {
        let prefix = keys::key(keys::MEMBER, &[graph.0]);
        let is_other = |key: &[u8]| {
            let document = keys::numbers(key).map(|[_, _, document]| TermId(document));
            but.is_none() || document != but
        };
        let mut changed = self.members.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
        if changed.any(|(key, present)| *present && is_other(key)) {
            return Ok(true);
        }
        for entry in self.base.view().prefix(&self.base.tables().graphs, prefix) {
            let key = entry.key()?;
            if !self.members.contains_key(&key[..]) && is_other(&key) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Writes a note: something small to be kept with what is committed, such
    /// as how far a feed has come. `None` removes it.
    pub fn note(&mut self, name: &[u8], value: Option<&[u8]>) {
        self.notes.insert([&[keys::NOTE], name].concat(), value.map(<[u8]>::to_vec));
    }

    /// What a SPARQL evaluator reads: the archive with the changes so far.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader::with(self.base.clone(), Arc::clone(&self.overlay))
    }

    /// Makes the changes visible to later snapshots, and safe from the end of
    /// this process; from a power cut with the next [`Archive::sync`].
    pub fn commit(mut self) -> Result<Committed, ArchiveError> {
        let mut commit = Commit::new(&self.base, self.writer.counters, self.overlay.fresh.first);
        for (key, present) in &self.members {
            commit.member(key, *present)?;
        }
        for (key, note) in &self.notes {
            commit.note(key, note.as_deref());
        }
        for (graph, change) in &self.overlay.graphs {
            commit.graph(*graph, change)?;
        }
        commit.terms(&self.overlay.fresh);
        let (counters, killed, done) = commit.finish()?;
        self.writer.counters = counters;
        for (hash, id) in self.overlay.fresh.hashes() {
            self.writer.recent.put(hash, id);
        }
        if !killed.is_empty() {
            drop(self.base);
            self.archive.graves().bury(&killed);
        }
        Ok(done)
    }
}
