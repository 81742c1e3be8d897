//! The archive of a data directory as a target of followers.

use std::error::Error;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use crate::provenance::GraphNames;
use lodeward::store::follow::{AfterDrop, FollowedCrawl, Follower, FollowerError, FollowerTarget};
use lodeward_archive::{Archive, ArchiveError};
use oxrdf::NamedNodeRef;

use super::archive::{ArchiveFollower, follower_error};
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
    open: |config, data| Ok(Arc::new(ArchiveTarget(open_archive(config, data)?))),
    restore: Some(restore),
};

/// Opens the archive of a data directory, or creates it.
pub fn open_archive(config: &Config, data: &Path) -> Result<Archive, ArchiveError> {
    let mut options = archive_options();
    options.cache_bytes = config.store.archive_cache.0;
    // These buffers are smaller than the default, because a crawl needs memory for its own buffers.
    options.buffer_bytes = 32 << 20;
    // Term numbers save more reads per byte than cached blocks (decision 62).
    options.recent_terms = 600_000;
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
    Ok(Arc::new(ArchiveTarget(Archive::restore(data.join(ARCHIVE_DIR), dump, &archive_options())?)))
}

/// The archive of a data directory.
pub struct ArchiveTarget(pub(super) Archive);

impl FollowerTarget for ArchiveTarget {
    fn follower(&self, crawl: &FollowedCrawl<'_>) -> Result<Box<dyn Follower>, Box<dyn Error + Send + Sync>> {
        let follower = ArchiveFollower::new(self.0.clone(), crawl.id, GraphNames::of_followed(crawl));
        Ok(Box::new(follower.with_reserved_base(crawl.graph_base_iri)))
    }

    fn stores_description(&self, crawl: &FollowedCrawl<'_>) -> bool {
        crawl.has_provenance
    }

    fn drop_crawl(&self, crawl: u32, after: AfterDrop) -> Result<u64, FollowerError> {
        let follower = ArchiveFollower::new(self.0.clone(), crawl, None);
        let dropped = follower.drop_crawl(after)?;
        self.0.sync().map_err(follower_error)?;
        Ok(dropped)
    }

    fn drop_graph(&self, graph: NamedNodeRef<'_>) -> Result<(), FollowerError> {
        let drop = || {
            let mut transaction = self.0.begin();
            transaction.drop_graph(graph.into())?;
            transaction.commit()?;
            self.0.sync()
        };
        drop().map_err(follower_error)
    }

    fn reclaim(&self) -> Result<(), FollowerError> {
        self.0.reclaim().map(drop).map_err(follower_error)
    }

    fn dump(&self, into: &mut dyn Write) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.0.dump(into)?)
    }
}
