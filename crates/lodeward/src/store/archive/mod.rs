//! The harvest in an archive, where it can be queried.
//!
//! An archive holds the harvests of all crawls of a data directory, each a
//! [`Collection`] by the number of its crawl. [`ArchiveFollower`] takes the log
//! of one of them: a document's graph is replaced by what the document says now,
//! its provenance goes into a graph of its own beside it, and how far it has come
//! is a note in the same transaction. So at any moment, also after a crash, the
//! archive holds the harvest as it was at some position of the log, and knows
//! which.
//!
//! A document that is larger than a few megabytes is taken in several
//! transactions, so that memory stays bounded: it may be seen in part while it
//! comes in. The note goes with the last of them.
//!
//! **Blank nodes** need no care here: they are labelled by document
//! (`extract/blank.rs`), so those of two documents never meet, and a document
//! that is put again has the same ones.
//!
//! **The same document in two crawls** is one graph: the version that was put
//! last counts, and it stays as long as one of the crawls is there.

use foldhash::HashSet;
use lodeward_archive::{Archive, ArchiveError, Collection, Transaction};
use oxrdf::{GraphName, NamedNode, NamedNodeRef, Quad, QuadRef};

use super::StoreError;
use super::follow::{Change, FollowError, Follower, Position};
use crate::provenance::Names;

mod store;
#[cfg(test)]
mod tests;

pub use store::ArchiveStore;

/// Notes: how far it has come, and how far it had when it was described.
const POSITION: &str = "position";
const DESCRIBED: &str = "description";

/// Quads of a large document that are taken together.
const QUADS_PER_TRANSACTION: usize = 20_000;

/// Graphs of a large document that are known as its own. Documents have one,
/// unless the crawl keeps the graphs they name.
const GRAPHS_PER_DOCUMENT_MAX: usize = 100_000;

/// What is behind the base in the names of graphs that are made here.
const RESERVED: [&str; 2] = ["crawl/", "import/"];

/// Takes the harvest of one crawl into an archive.
pub struct ArchiveFollower {
    archive: Archive,
    collection: Collection,
    /// How provenance is named, if it is wanted.
    names: Option<Names>,
    /// Beginnings of the names of graphs that no document may write into.
    reserved: Vec<String>,
    quads_per_transaction: usize,
}

impl ArchiveFollower {
    /// For the crawl of this number. Provenance is written if names for it are
    /// given.
    #[must_use]
    pub fn new(archive: Archive, crawl: u32, names: Option<Names>) -> Self {
        let quads_per_transaction = QUADS_PER_TRANSACTION;
        Self { archive, collection: Collection(crawl), names, reserved: Vec::new(), quads_per_transaction }
    }

    /// Keeps documents out of the graphs that are made here, not harvested: with
    /// `base` begin the names of exports, imports, descriptions and provenance. They
    /// belong to no document, and so would be replaced by the first that names one.
    #[must_use]
    pub fn reserving(self, base: &str) -> Self {
        Self { reserved: RESERVED.iter().map(|kind| format!("{base}{kind}")).collect(), ..self }
    }

    fn may_write(&self, graph: &GraphName) -> bool {
        let GraphName::NamedNode(graph) = graph else { return true };
        !self.reserved.iter().any(|begin| graph.as_str().starts_with(begin))
    }

    /// What a document says in graphs that it may write into.
    fn quads<'c>(
        &'c self,
        change: &Change,
    ) -> Result<impl Iterator<Item = Result<Quad, StoreError>> + use<'c>, FollowError> {
        let may = |quad: &Result<Quad, StoreError>| quad.as_ref().map_or(true, |quad| self.may_write(&quad.graph_name));
        Ok(change.statements.quads()?.filter(may))
    }

    /// Forgets the crawl: its graphs are dropped, and the next that is applied
    /// is the first.
    pub fn forget(&mut self) -> Result<(), FollowError> {
        // The position first: killed in between, everything is taken anew.
        let mut transaction = self.archive.begin();
        transaction.note(&self.note(POSITION), None);
        transaction.note(&self.note(DESCRIBED), None);
        transaction.commit().map_err(failed)?;
        self.archive.drop_collection(self.collection).map_err(failed)?;
        Ok(())
    }

    /// The key of a note about this crawl.
    fn note(&self, what: &str) -> Vec<u8> {
        format!("lodeward/crawl/{}/{what}", self.collection.0).into_bytes()
    }

    fn put(&self, transaction: &mut Transaction<'_>, change: &Change) -> Result<(), FollowError> {
        let quads = self.quads(change)?.collect::<Result<Vec<_>, _>>()?;
        let refs = quads.iter().map(Quad::as_ref);
        transaction.put_document(self.collection, change.graph().as_ref(), refs).map_err(failed)?;
        self.put_provenance(transaction, change)
    }

    /// Puts what is known of a document beside it; takes it away with it.
    fn put_provenance(&self, transaction: &mut Transaction<'_>, change: &Change) -> Result<(), FollowError> {
        let Some(names) = &self.names else { return Ok(()) };
        let graph = names.provenance_graph(&change.document);
        let quads = match &change.provenance {
            Some(provenance) => provenance.quads(names, &change.document, change.quads),
            None => Vec::new(),
        };
        self.replace(transaction, graph.as_ref(), quads.iter().map(Quad::as_ref))
    }

    fn replace<'q>(
        &self,
        transaction: &mut Transaction<'_>,
        graph: NamedNodeRef<'_>,
        quads: impl IntoIterator<Item = QuadRef<'q>>,
    ) -> Result<(), FollowError> {
        transaction.put_document(self.collection, graph, quads).map_err(failed)
    }

    /// Puts a document that is too large to hold, piece by piece.
    fn put_large(&self, change: &Change) -> Result<(), FollowError> {
        // With its first piece goes one quad of every graph it has: the graphs a
        // document is put with are those that are known as its own.
        let first = graphs_of(self.quads(change)?)?;
        let mut transaction = self.archive.begin();
        self.replace(&mut transaction, change.graph().as_ref(), first.iter().map(Quad::as_ref))?;
        self.put_provenance(&mut transaction, change)?;
        transaction.commit().map_err(failed)?;
        let mut quads = self.quads(change)?;
        loop {
            let piece = quads.by_ref().take(self.quads_per_transaction).collect::<Result<Vec<_>, _>>()?;
            if piece.is_empty() {
                return Ok(());
            }
            let mut transaction = self.archive.begin();
            for quad in &piece {
                transaction.insert(quad.as_ref()).map_err(failed)?;
            }
            transaction.commit().map_err(failed)?;
        }
    }
}

/// One quad of every graph of a document.
fn graphs_of(quads: impl Iterator<Item = Result<Quad, StoreError>>) -> Result<Vec<Quad>, FollowError> {
    let mut known = HashSet::default();
    let mut found = Vec::new();
    for quad in quads {
        let quad = quad?;
        if known.len() < GRAPHS_PER_DOCUMENT_MAX && !known.contains(&quad.graph_name) {
            known.insert(quad.graph_name.clone());
            found.push(quad);
        }
    }
    Ok(found)
}

impl Follower for ArchiveFollower {
    fn name(&self) -> &'static str {
        "the archive"
    }

    fn remedy(&self) -> &'static str {
        "it takes them when it is next opened, or with `lodeward rebuild`"
    }

    fn position(&mut self) -> Result<Option<Position>, FollowError> {
        let note = self.archive.snapshot().note(&self.note(POSITION)).map_err(failed)?;
        Ok(note.and_then(|note| Position::decode(&note)))
    }

    fn apply(&mut self, changes: &[Change], upto: Position) -> Result<(), FollowError> {
        let (held, large): (Vec<_>, Vec<_>) = changes.iter().partition(|change| change.statements.lines().is_some());
        // Large ones first: the note is written with the others, and so after.
        for change in large {
            self.put_large(change)?;
        }
        let mut transaction = self.archive.begin();
        for change in held {
            self.put(&mut transaction, change)?;
        }
        transaction.note(&self.note(POSITION), Some(&upto.encode()));
        transaction.commit().map_err(failed)?;
        Ok(())
    }

    fn is_described(&mut self) -> Result<bool, FollowError> {
        if self.names.is_none() {
            return Ok(true);
        }
        let snapshot = self.archive.snapshot();
        let note = |what| snapshot.note(&self.note(what)).map_err(failed);
        Ok(note(POSITION)? == note(DESCRIBED)?)
    }

    fn describe(&mut self, graph: &NamedNode, quads: &[Quad]) -> Result<(), FollowError> {
        let position = self.archive.snapshot().note(&self.note(POSITION)).map_err(failed)?;
        let mut transaction = self.archive.begin();
        if let Some(names) = self.names.as_ref().filter(|names| names.crawl() != *graph) {
            // Archives of before had it in the graph that crawls are exported to.
            self.replace(&mut transaction, names.crawl().as_ref(), [])?;
        }
        self.replace(&mut transaction, graph.as_ref(), quads.iter().map(Quad::as_ref))?;
        transaction.note(&self.note(DESCRIBED), position.as_deref());
        transaction.commit().map_err(failed)?;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), FollowError> {
        self.archive.sync().map_err(failed)
    }
}

fn failed(error: ArchiveError) -> FollowError {
    let what = "the archive cannot be written; if that lasts, move its folder away: `lodeward rebuild --all` makes a new one from the segments".to_owned();
    FollowError::Fatal { what, source: Some(Box::new(error)) }
}
