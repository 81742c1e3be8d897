//! A store that writes to segments and exports from the archive that follows them.

use std::io::Write;
use std::sync::Arc;

use async_trait::async_trait;
use lodeward_archive::{Archive, ArchiveError, Collection};
use oxrdf::NamedOrBlankNode;

use super::super::follow::{FeedOptions, Followers};
use super::super::segments::SegmentStore;
use super::super::{Draft, ExportSummary, FinishedDraft, Store, StoreError};
use super::ArchiveFollower;
use crate::model::Uri;
use crate::provenance::GraphNames;
use lodeward_rdf::write::n_quads::write_quad;

/// Writes drafts to segments and exports the harvest from an archive that follows them. Used to
/// test the archive against the store contract.
pub struct ArchiveStore {
    segments: Arc<SegmentStore>,
    archive: Archive,
    collection: Collection,
    names: GraphNames,
    followers: Followers,
}

impl ArchiveStore {
    /// Starts to feed the archive from the segments of the crawl with this number.
    #[must_use]
    pub fn new(segments: Arc<SegmentStore>, archive: Archive, crawl: u32, names: GraphNames) -> Self {
        let mut followers = Followers::new(segments.log());
        let follower = ArchiveFollower::new(archive.clone(), crawl, Some(names.clone()));
        followers.add(Box::new(follower), FeedOptions::default(), None);
        Self { segments, archive, collection: Collection(crawl), names, followers }
    }

    /// Writes one graph. Returns its number of quads.
    fn export_graph(&self, graph: &NamedOrBlankNode, into: &mut dyn Write) -> Result<u64, StoreError> {
        let snapshot = self.archive.snapshot();
        let mut lines = Vec::new();
        let mut quads = 0;
        for quad in snapshot.quads(None, None, None, Some(graph.as_ref().into())) {
            write_quad(&mut lines, quad.map_err(unreadable)?.as_ref());
            quads += 1;
            if lines.len() >= MAX_LINES_BYTES {
                into.write_all(&lines).map_err(StoreError::Export)?;
                lines.clear();
            }
        }
        into.write_all(&lines).map_err(StoreError::Export)?;
        Ok(quads)
    }

    /// Whether a graph was harvested, not generated.
    fn is_harvest(&self, graph: &NamedOrBlankNode) -> bool {
        match graph {
            NamedOrBlankNode::NamedNode(name) => !self.names.is_generated(name.as_str()),
            NamedOrBlankNode::BlankNode(_) => true,
        }
    }
}

/// Number of bytes that are buffered before they are written.
const MAX_LINES_BYTES: usize = 64 << 10;

#[async_trait]
impl Store for ArchiveStore {
    fn draft(&self, document: &Uri) -> Box<dyn Draft> {
        self.segments.draft(document)
    }

    async fn put(&self, draft: FinishedDraft) -> Result<(), StoreError> {
        self.segments.put(draft).await
    }

    async fn commit(&self) -> Result<(), StoreError> {
        self.segments.commit().await
    }

    async fn sync(&self) -> Result<(), StoreError> {
        self.segments.sync().await
    }

    fn export(&self, into: &mut dyn Write) -> Result<ExportSummary, StoreError> {
        if !self.followers.catch_up() {
            let error = self.followers.lags().into_iter().find_map(|lag| lag.error).unwrap_or_default();
            return Err(StoreError::Incomplete(error));
        }
        let mut exported = ExportSummary::default();
        for graph in self.archive.snapshot().collection_graphs(self.collection) {
            let graph = graph.map_err(unreadable)?;
            if self.is_harvest(&graph) {
                exported.documents += 1;
                exported.quads += self.export_graph(&graph, into)?;
            }
        }
        Ok(exported)
    }

    fn export_provenance(&self, names: &GraphNames, into: &mut dyn Write) -> Result<u64, StoreError> {
        self.segments.export_provenance(names, into)
    }
}

fn unreadable(error: ArchiveError) -> StoreError {
    StoreError::Archive(Box::new(error))
}
