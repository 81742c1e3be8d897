//! Updates the targets of followers from the harvests of crawls that do not run.

use std::path::Path;

use crate::crawl_dir::{CrawlOpenError, open_segments};
use crate::damage_record::{self, DamageRecord};
use crate::data_dir::{CrawlDir, CrawlRecord, DataDir, DataDirError};
use crate::followers::FollowerTargets;
use crate::followers::registry::{OpenedTarget, RequiredBy, crawl_describer, followed_crawl};
use crate::provenance::survey::CrawlDescription;
use crate::settings::Config;
use lodeward::model::Uri;
use lodeward::store::follow::{AfterDrop, Follower, FollowerError, feed_all};
use lodeward::store::segments::{ReadBounds, SegmentLog, ends_at};

/// A target cannot be updated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatchUpError {
    /// A crawl cannot be opened.
    #[error(transparent)]
    Crawl(#[from] CrawlOpenError),
    /// The data directory cannot be used.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The harvest cannot be read, or the target cannot be written.
    #[error(transparent)]
    Follow(#[from] FollowerError),
    /// The follower of a crawl cannot be opened.
    #[error(transparent)]
    Open(#[from] Box<dyn std::error::Error + Send + Sync>),
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
    /// The name of the target: `archive`, for example. In the final progress of a crawl, the target
    /// that most documents were applied to.
    pub target: &'static str,
    /// Number of documents applied so far, including versions that were replaced later.
    pub documents: u64,
    /// Number of documents to apply.
    pub documents_total: u64,
    /// Number of bytes of segments read so far.
    pub bytes: u64,
    /// Number of bytes of segments to read.
    pub bytes_total: u64,
    /// Whether the crawl was skipped, because another process runs it and feeds the targets.
    pub in_use: bool,
    /// Damaged parts of the segments, which the targets may lack.
    pub damage: Vec<DamageRecord>,
}

/// Updates all open targets from the segments of all crawls of their data directory. Fast if they
/// are up to date. Calls `progress` after every group, and returns the final progress of each crawl.
pub fn catch_up(
    config: &Config,
    data: &Path,
    targets: &FollowerTargets,
    progress: &mut dyn FnMut(&FeedProgress),
) -> Result<Vec<FeedProgress>, CatchUpError> {
    let data_dir = DataDir::open(data)?;
    let feeder = Feeder { config, data_dir: &data_dir, targets, start: FeedStart::LastPosition };
    data_dir.list()?.iter().map(|crawl| feeder.feed(crawl, progress)).collect()
}

/// Applies the whole harvest of these crawls, or of all crawls if the list is empty, again. Data of
/// the targets that belongs to no crawl stays.
pub fn rebuild(
    config: &Config,
    data: &Path,
    targets: &FollowerTargets,
    crawls: &[u32],
    progress: &mut dyn FnMut(&FeedProgress),
) -> Result<Vec<FeedProgress>, CatchUpError> {
    let data_dir = DataDir::open(data)?;
    let known = data_dir.list()?;
    if let Some(missing) = crawls.iter().find(|id| known.iter().all(|crawl| crawl.id != **id)) {
        return Err(CatchUpError::NoSuchCrawl(*missing));
    }
    let feeder = Feeder { config, data_dir: &data_dir, targets, start: FeedStart::Beginning };
    let selected = known.iter().filter(|crawl| crawls.is_empty() || crawls.contains(&crawl.id));
    let fed = selected.map(|crawl| feeder.feed(crawl, progress)).collect();
    targets.reclaim()?;
    if let Some(index) = targets.index() {
        index.rebuild()?;
    }
    fed
}

/// Updates all open targets from the segments of one crawl.
pub fn catch_up_crawl(
    config: &Config,
    data_dir: &DataDir,
    crawl: &CrawlRecord,
    targets: &FollowerTargets,
    progress: &mut dyn FnMut(&FeedProgress),
) -> Result<FeedProgress, CatchUpError> {
    Feeder { config, data_dir, targets, start: FeedStart::LastPosition }.feed(crawl, progress)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FeedStart {
    Beginning,
    LastPosition,
}

/// Feeds the local targets of a data directory.
struct Feeder<'a> {
    config: &'a Config,
    data_dir: &'a DataDir,
    targets: &'a FollowerTargets,
    start: FeedStart,
}

impl Feeder<'_> {
    /// Feeds the targets that are behind. The segments are opened once, and only if a target is
    /// behind.
    fn feed(&self, crawl: &CrawlRecord, progress: &mut dyn FnMut(&FeedProgress)) -> Result<FeedProgress, CatchUpError> {
        let dir = self.data_dir.crawl(crawl.id);
        let mut fed = FeedProgress { crawl: crawl.id, name: crawl.name.clone(), ..FeedProgress::default() };
        let mut opened = None;
        for target in self.targets.local() {
            let outcome = self.feed_target(target, crawl, &dir, &mut opened, progress);
            match outcome {
                Ok(feed) if feed.in_use => return Ok(feed),
                Ok(feed) if feed.documents > fed.documents => fed = feed,
                Ok(_) => {}
                Err(error) if target.entry.required_by == RequiredBy::Commands => return Err(error),
                Err(error) => {
                    let (follower, error) = (target.entry.name, &error as &dyn std::error::Error);
                    tracing::error!(crawl = crawl.id, follower, error, "follower cannot be updated");
                }
            }
        }
        fed.damage = match &opened {
            Some(log) => damage_record::add(self.data_dir, crawl.id, &log.damage())?,
            None => damage_record::read(self.data_dir, crawl.id),
        };
        Ok(fed)
    }

    fn feed_target(
        &self,
        OpenedTarget { entry, target }: &OpenedTarget,
        crawl: &CrawlRecord,
        dir: &CrawlDir,
        opened: &mut Option<SegmentLog>,
        progress: &mut dyn FnMut(&FeedProgress),
    ) -> Result<FeedProgress, CatchUpError> {
        let followed = followed_crawl(self.config, dir);
        let mut feed =
            FeedProgress { crawl: crawl.id, name: crawl.name.clone(), target: entry.name, ..FeedProgress::default() };
        let mut follower = target.follower(&followed)?;
        if self.start == FeedStart::LastPosition && is_up_to_date(&dir.path().join("segments"), &mut *follower)? {
            return Ok(feed);
        }
        let log = match opened {
            Some(log) => log,
            None => match open_segments(dir.path()) {
                Ok((store, _)) => opened.insert(store.log()),
                Err(CrawlOpenError::InUse(_)) => return Ok(FeedProgress { in_use: true, ..feed }),
                Err(error) => return Err(error.into()),
            },
        };
        if self.start == FeedStart::Beginning {
            // The data is dropped only after the crawl was opened: if another process uses the
            // crawl, its data must stay.
            target.drop_crawl(crawl.id, AfterDrop::StartOver)?;
            damage_record::remove(self.data_dir, crawl.id)?;
        }
        let position = follower.position()?;
        let distance = log.read(position).and_then(|reader| reader.distance()).map_err(FollowerError::from)?;
        (feed.documents_total, feed.bytes_total) = (distance.records, distance.bytes);
        progress(&feed);
        feed_all(log, &mut *follower, ReadBounds::default(), &mut |group| {
            feed.documents += group.records;
            feed.bytes += group.bytes;
            progress(&feed);
        })?;
        if !follower.is_description_current()? {
            let seeds = described_seeds(dir)?;
            let about = || CrawlDescription { title: crawl.name.clone(), seeds };
            if let Some(describe) = crawl_describer(&**target, &followed, about) {
                let (graph, quads) = describe(log).map_err(FollowerError::from)?;
                follower.put_description(&graph, &quads)?;
                follower.finish()?;
            }
        }
        Ok(feed)
    }
}

/// The seeds for the description of a crawl. If their file is missing, the harvest can be queried
/// nevertheless.
fn described_seeds(dir: &CrawlDir) -> Result<Vec<Uri>, DataDirError> {
    match dir.seeds() {
        Err(error @ DataDirError::MissingSeeds(_)) => {
            tracing::warn!(crawl = dir.id(), %error, "crawl described without its seeds");
            Ok(Vec::new())
        }
        seeds => seeds,
    }
}

/// Whether a target is up to date, without opening the crawl. This is the common case before a
/// query.
fn is_up_to_date(segments: &Path, follower: &mut dyn Follower) -> Result<bool, FollowerError> {
    let position = follower.position()?;
    let is_at_end = position.is_some_and(|position| ends_at(segments, position));
    Ok(!segments.is_dir() || (is_at_end && follower.is_description_current()?))
}

#[cfg(test)]
#[path = "catch_up_tests.rs"]
mod tests;
