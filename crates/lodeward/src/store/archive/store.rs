//! A store whose harvest is read from an archive.

use std::io::Write;
use std::sync::Arc;

use async_trait::async_trait;
use lodeward_archive::{Archive, ArchiveError, Collection};
use oxrdf::NamedOrBlankNode;

use super::super::follow::{Followers, Pace};
use super::super::nquads::write_quad;
use super::super::segments::SegmentStore;
use super::super::{Draft, Exported, Finished, Store, StoreError};
use super::ArchiveFollower;
use crate::model::Uri;
use crate::provenance::Names;

/// Segments, and an archive that follows them. What is put goes into the
/// segments, what is exported comes out of the archive.
pub struct ArchiveStore {
    segments: Arc<SegmentStore>,
    archive: Archive,
    collection: Collection,
    names: Names,
    followers: Followers,
}

impl ArchiveStore {
    /// Begins to feed the archive with the segments of the crawl of this number.
    #[must_use]
    pub fn new(segments: Arc<SegmentStore>, archive: Archive, crawl: u32, names: Names) -> Self {
        let mut followers = Followers::of(segments.log());
        let follower = ArchiveFollower::new(archive.clone(), crawl, Some(names.clone()));
        followers.add(Box::new(follower), Pace::default(), None);
        Self { segments, archive, collection: Collection(crawl), names, followers }
    }

    /// Writes the graph of a document. Tells how many quads it has.
    fn export_graph(&self, graph: &NamedOrBlankNode, into: &mut dyn Write) -> Result<u64, StoreError> {
        let snapshot = self.archive.snapshot();
        let mut lines = Vec::new();
        let mut quads = 0;
        for quad in snapshot.quads(None, None, None, Some(graph.as_ref().into())) {
            write_quad(&mut lines, quad.map_err(unreadable)?.as_ref());
            quads += 1;
            if lines.len() >= LINES_BYTES_MAX {
                into.write_all(&lines).map_err(StoreError::Export)?;
                lines.clear();
            }
        }
        into.write_all(&lines).map_err(StoreError::Export)?;
        Ok(quads)
    }

    /// Whether a graph was harvested, rather than made.
    fn is_harvest(&self, graph: &NamedOrBlankNode) -> bool {
        match graph {
            NamedOrBlankNode::NamedNode(name) => !self.names.is_made(name.as_str()),
            NamedOrBlankNode::BlankNode(_) => true,
        }
    }
}

/// Lines that are written together.
const LINES_BYTES_MAX: usize = 64 << 10;

#[async_trait]
impl Store for ArchiveStore {
    fn draft(&self, document: &Uri) -> Box<dyn Draft> {
        self.segments.draft(document)
    }

    async fn put(&self, draft: Finished) -> Result<(), StoreError> {
        self.segments.put(draft).await
    }

    async fn commit(&self) -> Result<(), StoreError> {
        self.segments.commit().await
    }

    async fn sync(&self) -> Result<(), StoreError> {
        self.segments.sync().await
    }

    fn export(&self, into: &mut dyn Write) -> Result<Exported, StoreError> {
        if !self.followers.catch_up() {
            let why = self.followers.lags().into_iter().find_map(|lag| lag.why).unwrap_or_default();
            return Err(StoreError::Behind(why));
        }
        let mut exported = Exported::default();
        for graph in self.archive.snapshot().collection_graphs(self.collection) {
            let graph = graph.map_err(unreadable)?;
            if self.is_harvest(&graph) {
                exported.documents += 1;
                exported.quads += self.export_graph(&graph, into)?;
            }
        }
        Ok(exported)
    }

    fn export_provenance(&self, names: &Names, into: &mut dyn Write) -> Result<u64, StoreError> {
        self.segments.export_provenance(names, into)
    }
}

fn unreadable(error: ArchiveError) -> StoreError {
    StoreError::Archive(Box::new(error))
}
