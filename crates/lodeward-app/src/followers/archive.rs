//! Applies the harvest to an archive, where it can be queried.
//!
//! An archive holds the harvests of all crawls of a data directory; each crawl is a [`Collection`],
//! numbered as the crawl. [`ArchiveFollower`] follows the log of one crawl: it replaces the graph
//! of each changed document, stores its provenance as a record beside the quads, and stores the log
//! position as a note in the same transaction. At any time, also after a crash, the archive
//! therefore holds the harvest as of one known position of the log.
//!
//! A group of many statements is written as sorted tables, without the journal of the archive
//! (`Options::min_ingested_quads`); a small one, as in a polite crawl, through the journal.
//!
//! A document larger than a few megabytes is written in several transactions, so that memory stays
//! bounded; queries may see part of it meanwhile. The position is stored with the last transaction.
//!
//! **Blank nodes** need no treatment here: they are labelled by document (`lodeward-rdf`, `blank_nodes.rs`), so
//! labels of two documents never collide, and a document that is put again has the same labels.
//!
//! **A document in two crawls** is one graph. It holds the version put last, and is deleted with
//! the last crawl that has the document.

use std::time::Duration;

use foldhash::HashSet;
use lodeward_archive::{Archive, ArchiveError, Collection, Transaction};
use oxrdf::{GraphName, GraphNameRef, NamedNode, NamedNodeRef, Quad, QuadRef};

use crate::provenance::{GeneratedGraph, GraphNames, document_fingerprint, encode_description, encode_provenance};
use lodeward::error_chain;
use lodeward::store::follow::{AfterDrop, DocumentChange, Follower, FollowerError, Position};

use super::provenance_expander::record_key;

/// Keys of notes: the log position applied, and the position at which the crawl was last described.
const POSITION_KEY: &str = "position";
const DESCRIPTION_KEY: &str = "description";

/// Number of quads of a large document that are written per transaction.
const QUADS_PER_TRANSACTION: usize = 200_000;

/// Maximum number of graphs that are recorded as belonging to one large document. A document has
/// one graph, unless the crawl keeps named graphs.
const MAX_GRAPHS_PER_DOCUMENT: usize = 100_000;

/// How long queries that still read an archive are waited for before it is opened again.
const MAX_RECOVERY_WAIT: Duration = Duration::from_secs(10);

/// Paths, relative to the base IRI, of the graphs that Lodeward generates.
const RESERVED_PATHS: [&str; 2] = ["crawl/", "import/"];

/// Applies the harvest of one crawl to an archive.
pub struct ArchiveFollower {
    archive: Archive,
    collection: Collection,
    /// Names of provenance graphs; `None` if provenance is not stored.
    names: Option<GraphNames>,
    /// IRI prefixes of graphs that no document may write to.
    reserved: Vec<String>,
    quads_per_transaction: usize,
}

impl ArchiveFollower {
    /// Creates a follower for the crawl with this number. Provenance is written if `names` is
    /// given.
    #[must_use]
    pub fn new(archive: Archive, crawl: u32, names: Option<GraphNames>) -> Self {
        let quads_per_transaction = QUADS_PER_TRANSACTION;
        Self { archive, collection: Collection(crawl), names, reserved: Vec::new(), quads_per_transaction }
    }

    /// Prevents documents from writing to generated graphs: exports, imports, descriptions and
    /// provenance, whose names begin with `base`. These graphs belong to no document, so the first
    /// document that names one would replace it.
    #[must_use]
    pub fn with_reserved_base(self, base: &str) -> Self {
        Self { reserved: RESERVED_PATHS.iter().map(|kind| format!("{base}{kind}")).collect(), ..self }
    }

    fn may_write(&self, graph: GraphNameRef<'_>) -> bool {
        let GraphNameRef::NamedNode(graph) = graph else { return true };
        !self.reserved.iter().any(|prefix| graph.as_str().starts_with(prefix))
    }

    /// Passes the quads of a document that are in graphs the document may write to.
    fn for_each_writable_quad(
        &self,
        change: &DocumentChange,
        mut take: impl FnMut(QuadRef<'_>) -> Result<(), FollowerError>,
    ) -> Result<(), FollowerError> {
        change.statements.for_each_quad(&mut |quad| if self.may_write(quad.graph_name) { take(quad) } else { Ok(()) })
    }

    /// Removes the graphs of the crawl. Returns the number of removed documents.
    pub(super) fn drop_crawl(&self, after: AfterDrop) -> Result<u64, FollowerError> {
        if after == AfterDrop::StartOver {
            // The position is reset first: if the process is killed before the graphs are dropped,
            // the whole log is applied again.
            let mut transaction = self.archive.begin();
            transaction.set_note(&self.note_key(POSITION_KEY), None);
            transaction.set_note(&self.note_key(DESCRIPTION_KEY), None);
            transaction.commit().map_err(follower_error)?;
        }
        self.archive.drop_collection(self.collection).map_err(follower_error)
    }

    /// Returns the key of a note of this crawl.
    fn note_key(&self, what: &str) -> Vec<u8> {
        format!("lodeward/crawl/{}/{what}", self.collection.0).into_bytes()
    }

    fn put(&self, transaction: &mut Transaction<'_>, change: &DocumentChange) -> Result<(), FollowerError> {
        let graph = change.graph();
        let mut document = transaction.document_writer(self.collection, graph.as_ref()).map_err(follower_error)?;
        self.for_each_writable_quad(change, |quad| document.add(quad).map_err(follower_error))?;
        document.finish().map_err(follower_error)?;
        self.put_provenance(transaction, change);
        Ok(())
    }

    /// Replaces the provenance record of a document. If the document was removed, removes the record.
    fn put_provenance(&self, transaction: &mut Transaction<'_>, change: &DocumentChange) {
        let Some(names) = &self.names else { return };
        let fingerprint = document_fingerprint(change.graph().as_str());
        let key = record_key(self.collection.0, GeneratedGraph::Provenance(fingerprint));
        let record = change.provenance.as_ref();
        let record = record.map(|provenance| encode_provenance(provenance, names, &change.document, change.quads));
        transaction.put_provenance(key, record.as_deref());
    }

    fn replace_graph<'q>(
        &self,
        transaction: &mut Transaction<'_>,
        graph: NamedNodeRef<'_>,
        quads: impl IntoIterator<Item = QuadRef<'q>>,
    ) -> Result<(), FollowerError> {
        transaction.put_document(self.collection, graph, quads).map_err(follower_error)
    }

    /// Writes a document that is too large for memory, piece by piece.
    fn put_large(&self, change: &DocumentChange) -> Result<(), FollowerError> {
        // The first transaction has one quad of every graph of the document, because only the
        // graphs of this `put` are recorded as belonging to the document.
        let first = self.first_quad_per_graph(change)?;
        let mut transaction = self.archive.begin();
        self.replace_graph(&mut transaction, change.graph().as_ref(), first.iter().map(Quad::as_ref))?;
        self.put_provenance(&mut transaction, change);
        transaction.commit().map_err(follower_error)?;
        let mut transaction: Option<Transaction<'_>> = None;
        let mut held = 0;
        self.for_each_writable_quad(change, |quad| {
            if held == self.quads_per_transaction {
                // The next transaction waits for the writer, so the last one must have ended.
                let full = transaction.take();
                full.map_or(Ok(()), |full| full.commit().map(drop)).map_err(follower_error)?;
                held = 0;
            }
            held += 1;
            let transaction = transaction.get_or_insert_with(|| self.archive.begin());
            transaction.insert(quad).map_err(follower_error)
        })?;
        transaction.map_or(Ok(()), |last| last.commit().map(drop)).map_err(follower_error)
    }

    /// Returns one quad of every graph of a document.
    fn first_quad_per_graph(&self, change: &DocumentChange) -> Result<Vec<Quad>, FollowerError> {
        let mut known: HashSet<GraphName> = HashSet::default();
        let mut found: Vec<Quad> = Vec::new();
        self.for_each_writable_quad(change, |quad| {
            // Usually the next quad is in the same graph as the last one.
            let is_last = found.last().is_some_and(|last| last.graph_name.as_ref() == quad.graph_name);
            if !is_last && known.len() < MAX_GRAPHS_PER_DOCUMENT && known.insert(quad.graph_name.into_owned()) {
                found.push(quad.into_owned());
            }
            Ok(())
        })?;
        Ok(found)
    }
}

impl Follower for ArchiveFollower {
    fn name(&self) -> &'static str {
        "the archive"
    }

    fn hint(&self) -> &'static str {
        "they are applied when the archive is next opened, or by `lodeward archive rebuild`"
    }

    fn position(&mut self) -> Result<Option<Position>, FollowerError> {
        let note = self.archive.snapshot().note(&self.note_key(POSITION_KEY)).map_err(follower_error)?;
        Ok(note.and_then(|note| Position::decode(&note)))
    }

    fn apply(&mut self, changes: &[DocumentChange], upto: Position) -> Result<(), FollowerError> {
        self.archive.recover(MAX_RECOVERY_WAIT).map_err(follower_error)?;
        let (held, large): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.statements.lines().is_some());
        // Large documents are written first: the position is stored with the other documents, and
        // must be stored last.
        for change in large {
            self.put_large(change)?;
        }
        let mut transaction = self.archive.begin();
        for change in held {
            self.put(&mut transaction, change)?;
        }
        transaction.set_note(&self.note_key(POSITION_KEY), Some(&upto.encode()));
        transaction.commit().map_err(follower_error)?;
        Ok(())
    }

    fn is_description_current(&mut self) -> Result<bool, FollowerError> {
        if self.names.is_none() {
            return Ok(true);
        }
        let snapshot = self.archive.snapshot();
        let note = |what| snapshot.note(&self.note_key(what)).map_err(follower_error);
        Ok(note(POSITION_KEY)? == note(DESCRIPTION_KEY)?)
    }

    fn put_description(&mut self, _: &NamedNode, quads: &[Quad]) -> Result<(), FollowerError> {
        self.archive.recover(MAX_RECOVERY_WAIT).map_err(follower_error)?;
        let position = self.archive.snapshot().note(&self.note_key(POSITION_KEY)).map_err(follower_error)?;
        let mut transaction = self.archive.begin();
        let key = record_key(self.collection.0, GeneratedGraph::Description);
        transaction.put_provenance(key, Some(&encode_description(quads)));
        transaction.set_note(&self.note_key(DESCRIPTION_KEY), position.as_deref());
        transaction.commit().map_err(follower_error)?;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), FollowerError> {
        self.archive.recover(MAX_RECOVERY_WAIT).map_err(follower_error)?;
        self.archive.sync().map_err(follower_error)
    }
}

/// A write failure is temporary: the disk may be full. The group is applied again when the archive
/// can be written.
pub(super) fn follower_error(error: ArchiveError) -> FollowerError {
    if error.is_write_failure() {
        return FollowerError::Retry { after: None, why: error_chain::with_causes(&error) };
    }
    let what = "cannot write the archive; hint: if this persists, move its directory away and run \
                `lodeward archive rebuild --all`, which creates it again from the segments"
        .to_owned();
    FollowerError::Fatal { what, source: Some(Box::new(error)) }
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;
