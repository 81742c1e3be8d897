//! Targets: what the followers of several crawls apply their harvests to.

use std::any::Any;
use std::error::Error;
use std::io::Write;
use std::path::Path;

use oxrdf::NamedNodeRef;

use super::{Follower, FollowerError};

/// A store that the harvests of crawls are applied to, such as an archive or a search index.
///
/// It is opened once per process and shared by all crawls; [`FollowerTarget::follower`] creates the
/// follower of one crawl. A target that stores data of its own also implements the methods for
/// dropping, dumping and reclaiming.
pub trait FollowerTarget: Any + Send + Sync {
    /// Opens the follower of a crawl.
    fn follower(&self, crawl: &FollowedCrawl<'_>) -> Result<Box<dyn Follower>, Box<dyn Error + Send + Sync>>;

    /// Whether the target stores the description of a crawl.
    fn stores_description(&self, crawl: &FollowedCrawl<'_>) -> bool {
        let _ = crawl;
        false
    }

    /// Removes the harvest of a crawl, durably. Returns the number of removed documents.
    fn drop_crawl(&self, crawl: u32, after: AfterDrop) -> Result<u64, FollowerError> {
        let _ = (crawl, after);
        Ok(0)
    }

    /// Removes a graph that belongs to no document, such as an export.
    fn drop_graph(&self, graph: NamedNodeRef<'_>) -> Result<(), FollowerError> {
        let _ = graph;
        Ok(())
    }

    /// Frees the space of removed data.
    fn reclaim(&self) -> Result<(), FollowerError> {
        Ok(())
    }

    /// Writes the data of the target as one stream, for a backup. Followers may apply changes
    /// meanwhile; the stream must be consistent.
    fn dump(&self, into: &mut dyn Write) -> Result<(), Box<dyn Error + Send + Sync>> {
        let _ = into;
        Ok(())
    }
}

/// A crawl whose harvest a target receives.
#[derive(Clone, Debug)]
pub struct FollowedCrawl<'a> {
    /// Number of the crawl.
    pub id: u32,
    /// Directory of the crawl, where a follower may store small files.
    pub dir: &'a Path,
    /// Base IRI of generated graphs.
    pub graph_base_iri: &'a str,
    /// Whether provenance is stored.
    pub has_provenance: bool,
}

/// Whether the harvest of a dropped crawl is applied again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterDrop {
    /// The position is kept: only what is harvested from now on is applied.
    KeepPosition,
    /// The position is reset: the whole log is applied again.
    StartOver,
}
