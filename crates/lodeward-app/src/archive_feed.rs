//! Feeds the archive of a data directory with the harvest of its crawls, while they run and
//! between runs.

use std::path::Path;
use std::sync::Arc;

use lodeward_archive::{Archive, ArchiveError};

use crate::crawl_dir::{CrawlOpenError, OpenCrawl, open_segments};
use crate::data_dir::{CrawlDir, CrawlRecord, DataDir, DataDirError};
use crate::followers::ArchiveFollower;
use crate::settings::graph_names;
use crate::settings::{self, Config};
use lodeward::model::Uri;
use lodeward::provenance::GraphNames;
use lodeward::provenance::survey::CrawlDescription;
use lodeward::store::follow::{CrawlDescriber, FeedOptions, Follower as _, FollowerError, Followers, feed_all, survey};
use lodeward::store::segments::{ReadBounds, ends_at};

/// The archive cannot be fed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveFeedError {
    /// A crawl cannot be opened.
    #[error(transparent)]
    Open(#[from] CrawlOpenError),
    /// The data directory cannot be used.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The archive cannot be opened.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The harvest cannot be read, or the archive cannot be written.
    #[error(transparent)]
    Follow(#[from] FollowerError),
    /// The crawl does not exist.
    #[error("crawl {0} not found in this data directory")]
    NoSuchCrawl(u32),
}

/// The progress of a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedProgress {
    /// The number of the crawl.
    pub crawl: u32,
    /// The name of the crawl.
    pub name: String,
    /// Number of documents applied so far, including versions that were replaced later.
    pub documents: u64,
    /// Number of documents to apply.
    pub documents_total: u64,
    /// Number of bytes of segments read so far.
    pub bytes: u64,
    /// Number of bytes of segments to read.
    pub bytes_total: u64,
    /// Whether the crawl was skipped, because another process runs it and feeds the archive.
    pub in_use: bool,
}

/// Opens the archive of a data directory, or creates it.
pub fn open_archive(config: &Config, data: &Path) -> Result<Archive, ArchiveError> {
    let mut options = lodeward_archive::Options::default();
    options.cache_bytes = config.store.archive_cache;
    // These buffers are smaller than the default, because a crawl needs memory for its own buffers.
    options.buffer_bytes = 32 << 20;
    options.recent_terms = 100_000;
    Archive::open(data.join("archive"), &options)
}

/// Updates an archive from the segments of all crawls of its data directory. Fast if the archive is
/// up to date. Calls `progress` after every group, and returns the final progress of each crawl.
pub fn catch_up(
    config: &Config,
    data: &Path,
    archive: &Archive,
    progress: &mut dyn FnMut(&FeedProgress),
) -> Result<Vec<FeedProgress>, ArchiveFeedError> {
    let data_dir = DataDir::open(data)?;
    let crawls = data_dir.list()?;
    crawls.iter().map(|crawl| feed(config, &data_dir, crawl, archive, FeedStart::LastPosition, progress)).collect()
}

/// Rebuilds the graphs of these crawls, or of all crawls if the list is empty, from their
/// segments. Other graphs of the archive stay.
pub fn rebuild(
    config: &Config,
    data: &Path,
    archive: &Archive,
    crawls: &[u32],
    progress: &mut dyn FnMut(&FeedProgress),
) -> Result<Vec<FeedProgress>, ArchiveFeedError> {
    let data_dir = DataDir::open(data)?;
    let known = data_dir.list()?;
    if let Some(missing) = crawls.iter().find(|id| known.iter().all(|crawl| crawl.id != **id)) {
        return Err(ArchiveFeedError::NoSuchCrawl(*missing));
    }
    let selected = known.iter().filter(|crawl| crawls.is_empty() || crawls.contains(&crawl.id));
    let fed = selected.map(|crawl| feed(config, &data_dir, crawl, archive, FeedStart::Beginning, progress)).collect();
    archive.reclaim()?;
    fed
}

/// Updates an archive from the segments of one crawl.
pub fn catch_up_crawl(
    config: &Config,
    data_dir: &DataDir,
    crawl: &CrawlRecord,
    archive: &Archive,
    progress: &mut dyn FnMut(&FeedProgress),
) -> Result<FeedProgress, ArchiveFeedError> {
    feed(config, data_dir, crawl, archive, FeedStart::LastPosition, progress)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FeedStart {
    Beginning,
    LastPosition,
}

fn feed(
    config: &Config,
    data_dir: &DataDir,
    crawl: &CrawlRecord,
    archive: &Archive,
    start: FeedStart,
    progress: &mut dyn FnMut(&FeedProgress),
) -> Result<FeedProgress, ArchiveFeedError> {
    let directory = data_dir.crawl(crawl.id).into_path();
    let mut feed = FeedProgress { crawl: crawl.id, name: crawl.name.clone(), ..FeedProgress::default() };
    let mut follower = follower(config, archive.clone(), crawl.id);
    if start == FeedStart::LastPosition && is_up_to_date(&directory.join("segments"), &mut follower)? {
        return Ok(feed);
    }
    let store = match open_segments(config, &directory) {
        Ok((store, _)) => store,
        Err(CrawlOpenError::InUse(_)) => return Ok(FeedProgress { in_use: true, ..feed }),
        Err(error) => return Err(error.into()),
    };
    if start == FeedStart::Beginning {
        // The graphs are deleted only after the crawl was opened: if another process uses the
        // crawl, its graphs must stay.
        follower.delete_crawl()?;
    }
    let log = store.log();
    let position = follower.position()?;
    let distance = log.read(position).and_then(|reader| reader.distance()).map_err(FollowerError::from)?;
    (feed.documents_total, feed.bytes_total) = (distance.records, distance.bytes);
    progress(&feed);
    feed_all(&log, &mut follower, ReadBounds::default(), &mut |group| {
        feed.documents += group.records;
        feed.bytes += group.bytes;
        progress(&feed);
    })?;
    if !follower.is_description_current()?
        && let Some(names) = graph_names(config, crawl.id)
    {
        let about = CrawlDescription { title: crawl.name.clone(), seeds: data_dir.seeds(crawl.id)? };
        let (graph, quads) = crawl_describer(names, about)(&log).map_err(FollowerError::from)?;
        follower.put_description(&graph, &quads)?;
        follower.finish()?;
    }
    Ok(feed)
}

/// Whether the archive is up to date, without opening the crawl. This is the common case
/// before a query.
fn is_up_to_date(segments: &Path, follower: &mut ArchiveFollower) -> Result<bool, FollowerError> {
    let position = follower.position()?;
    let is_at_end = position.is_some_and(|position| ends_at(segments, position));
    Ok(!segments.is_dir() || (is_at_end && follower.is_description_current()?))
}

/// The names of provenance graphs in the file of `--output`, if they are written there.
#[must_use]
pub fn output_graph_names(config: &Config, crawl: u32) -> Option<GraphNames> {
    graph_names(config, crawl).filter(|_| config.store.provenance == settings::ProvenanceStorage::All)
}

fn follower(config: &Config, archive: Archive, crawl: u32) -> ArchiveFollower {
    ArchiveFollower::new(archive, crawl, graph_names(config, crawl)).with_reserved_base(&config.store.graph_base_iri)
}

/// Generates the description of a crawl.
pub(crate) fn crawl_describer(names: GraphNames, about: CrawlDescription) -> CrawlDescriber {
    Arc::new(move |log| Ok((names.description_graph(), survey(log)?.to_quads(&names, &about))))
}

/// Starts the followers that the settings configure for a crawl.
///
/// If the archive cannot be opened, because another process uses it or because it is
/// damaged, the crawl runs without it; the archive catches up later.
pub(crate) fn start_followers(config: &Config, open: &OpenCrawl, seeds: &[Uri]) -> Followers {
    let mut followers = Followers::new(open.segments.log());
    if !config.store.archive {
        return followers;
    }
    let crawl = open.dir.id();
    match open.archive.clone().map_or_else(|| open_archive(config, open.dir.data()), Ok) {
        Ok(archive) => {
            let about = CrawlDescription { title: crawl_name(&open.dir), seeds: seeds.to_vec() };
            let describe = graph_names(config, crawl).map(|names| crawl_describer(names, about));
            followers.add(Box::new(follower(config, archive, crawl)), FeedOptions::default(), describe);
        }
        Err(ArchiveError::InUse(path)) => {
            tracing::warn!(path = %path.display(), "archive is in use by another process and catches up later");
        }
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot open archive, which catches up later");
        }
    }
    followers
}

/// The name of a crawl; empty if its record cannot be read.
pub(crate) fn crawl_name(dir: &CrawlDir) -> String {
    dir.record().ok().flatten().map(|record| record.name).unwrap_or_default()
}

#[cfg(test)]
#[path = "archive_feed_tests.rs"]
mod tests;
