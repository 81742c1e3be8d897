//! The archive of a data directory as a target of followers, with the search index that follows it.

use std::error::Error;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use crate::provenance::GraphNames;
use lodeward::error_chain;
use lodeward::store::follow::{
    AfterDrop, DocumentChange, FollowedCrawl, Follower, FollowerError, FollowerTarget, Position,
};
use lodeward_archive::{Archive, ArchiveError};
use oxrdf::{NamedNode, NamedNodeRef, Quad};

use super::archive::{ArchiveFollower, follower_error};
use super::archive_index::ArchiveIndex;
use super::provenance_expander::CrawlProvenance;
use super::registry::{FollowerEntry, RequiredBy, TargetError};
use crate::settings::Config;

/// The directory of the archive in a data directory.
pub(crate) const ARCHIVE_DIR: &str = "archive";

/// The archive, as a row of the registry.
pub(super) const ENTRY: FollowerEntry = FollowerEntry {
    name: ARCHIVE_DIR,
    required_by: RequiredBy::Commands,
    is_enabled: |config| config.store.archive,
    open: |config, data| Ok(Arc::new(ArchiveTarget::open(config, data)?)),
    restore: Some(restore),
};

/// Opens the archive of a data directory, or creates it.
pub fn open_archive(config: &Config, data: &Path) -> Result<Archive, ArchiveError> {
    let mut options = archive_options();
    options.cache_bytes = config.store.archive_cache.0;
    // These buffers are smaller than the default, because a crawl needs memory for its own buffers.
    options.buffer_bytes = 32 << 20;
    // A term number takes 16 bytes, the block that has it 8 kB (decision 62).
    options.recent_terms = 600_000;
    options.record_changes = has_search_index(config);
    Archive::open(data.join(ARCHIVE_DIR), &options)
}

/// Options with which the archive can read the provenance that a crawl stores.
#[must_use]
pub fn archive_options() -> lodeward_archive::Options {
    let mut options = lodeward_archive::Options::default();
    options.provenance_expander = Some(Arc::new(CrawlProvenance));
    options
}

fn restore(data: &Path, dump: &mut dyn Read) -> Result<Arc<dyn FollowerTarget>, TargetError> {
    // Without the change feed: a search index is built again.
    let archive = Archive::restore(data.join(ARCHIVE_DIR), dump, &archive_options())?;
    Ok(Arc::new(ArchiveTarget { archive, index: None }))
}

/// Whether the settings and this build have a search index.
fn has_search_index(config: &Config) -> bool {
    cfg!(feature = "search") && config.search.index
}

/// The archive of a data directory, and its search index if it has one.
pub struct ArchiveTarget {
    pub(super) archive: Archive,
    /// The search index.
    pub(super) index: Option<Arc<dyn ArchiveIndex>>,
}

impl ArchiveTarget {
    fn open(config: &Config, data: &Path) -> Result<Self, ArchiveError> {
        let archive = open_archive(config, data)?;
        let index = if has_search_index(config) { search_index(config, data, &archive) } else { None };
        Ok(Self { archive, index })
    }
}

/// The search index; `None` in a build without it.
#[cfg(feature = "search")]
#[expect(clippy::unnecessary_wraps, reason = "a build without the feature has no index")]
fn search_index(config: &Config, data: &Path, archive: &Archive) -> Option<Arc<dyn ArchiveIndex>> {
    Some(Arc::new(super::search::SearchIndex::new(data, archive, &config.search)))
}

#[cfg(not(feature = "search"))]
fn search_index(_: &Config, _: &Path, _: &Archive) -> Option<Arc<dyn ArchiveIndex>> {
    None
}

impl FollowerTarget for ArchiveTarget {
    fn follower(&self, crawl: &FollowedCrawl<'_>) -> Result<Box<dyn Follower>, Box<dyn Error + Send + Sync>> {
        let follower = ArchiveFollower::new(self.archive.clone(), crawl.id, GraphNames::of_followed(crawl));
        let follower = follower.with_reserved_base(crawl.graph_base_iri);
        Ok(match &self.index {
            Some(index) => Box::new(IndexedFollower { follower, index: Arc::clone(index) }),
            None => Box::new(follower),
        })
    }

    fn stores_description(&self, crawl: &FollowedCrawl<'_>) -> bool {
        crawl.has_provenance
    }

    fn drop_crawl(&self, crawl: u32, after: AfterDrop) -> Result<u64, FollowerError> {
        let follower = ArchiveFollower::new(self.archive.clone(), crawl, None);
        let dropped = follower.drop_crawl(after)?;
        self.archive.sync().map_err(follower_error)?;
        Ok(dropped)
    }

    fn drop_graph(&self, graph: NamedNodeRef<'_>) -> Result<(), FollowerError> {
        let drop = || {
            let mut transaction = self.archive.begin();
            transaction.drop_graph(graph.into())?;
            transaction.commit()?;
            self.archive.sync()
        };
        drop().map_err(follower_error)
    }

    fn reclaim(&self) -> Result<(), FollowerError> {
        self.archive.reclaim().map(drop).map_err(follower_error)
    }

    fn dump(&self, into: &mut dyn Write) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.archive.dump(into)?)
    }
}

/// Applies the harvest of a crawl to the archive. At its end, updates the search index.
struct IndexedFollower {
    follower: ArchiveFollower,
    index: Arc<dyn ArchiveIndex>,
}

impl Follower for IndexedFollower {
    fn name(&self) -> &str {
        self.follower.name()
    }

    fn hint(&self) -> &'static str {
        self.follower.hint()
    }

    fn position(&mut self) -> Result<Option<Position>, FollowerError> {
        self.follower.position()
    }

    fn apply(&mut self, changes: &[DocumentChange], upto: Position) -> Result<(), FollowerError> {
        self.follower.apply(changes, upto)
    }

    fn is_description_current(&mut self) -> Result<bool, FollowerError> {
        self.follower.is_description_current()
    }

    fn put_description(&mut self, graph: &NamedNode, quads: &[Quad]) -> Result<(), FollowerError> {
        self.follower.put_description(graph, quads)
    }

    fn finish(&mut self) -> Result<(), FollowerError> {
        self.follower.finish()?;
        // After a fast crawl, or without one, the next search updates the index.
        if self.index.is_running()
            && let Err(error) = self.index.update_if_small()
        {
            tracing::error!(error = error_chain::with_causes(&*error), "search index not updated");
        }
        Ok(())
    }
}
