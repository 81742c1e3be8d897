//! Who gets the harvest beside the segments: the archive of a data directory,
//! while a crawl runs and between crawls.

use std::path::Path;
use std::sync::Arc;

use lodeward_archive::{Archive, ArchiveError};

use super::{OpenError, Shelf, segments};
use crate::config::{self, Config};
use crate::model::Uri;
use crate::provenance::Names;
use crate::provenance::survey::About;
use crate::registry::{Record, Registry, RegistryError};
use crate::store::ArchiveFollower;
use crate::store::follow::{Describe, FollowError, Follower as _, Followers, Pace, feed_now, survey};
use crate::store::segments::{Bounds, ends_at};

/// An archive cannot be fed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FeedError {
    /// A crawl cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The data directory cannot be used.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The archive cannot be opened.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The harvest cannot be read, or not be taken.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// There is no such crawl.
    #[error("there is no crawl {0} in this data directory")]
    NoSuchCrawl(u32),
}

/// How far a feed has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feeding {
    /// The number of the crawl.
    pub crawl: u32,
    /// Its name.
    pub name: String,
    /// Documents taken so far, those included that have been replaced since.
    pub documents: u64,
    /// Of so many.
    pub documents_total: u64,
    /// Bytes of segments read so far.
    pub bytes: u64,
    /// Of so many.
    pub bytes_total: u64,
    /// Whether the crawl was passed over, because another process has it and
    /// feeds the archive itself.
    pub in_use: bool,
}

/// Opens the archive of a data directory, or makes one.
pub fn archive(config: &Config, data: &Path) -> Result<Archive, ArchiveError> {
    let mut options = lodeward_archive::Options::default();
    options.cache_bytes = config.store.archive_cache_mb << 20;
    // Beside a crawl, which has buffers of its own.
    options.buffer_bytes = 32 << 20;
    options.recent_terms = 100_000;
    Archive::open(data.join("archive"), &options)
}

/// Brings an archive up to date with the segments of all crawls of its data
/// directory. Quick when it already is. Tells after every group how far it has
/// come, and returns how far that was, crawl by crawl.
pub fn catch_up(
    config: &Config,
    data: &Path,
    archive: &Archive,
    progress: &mut dyn FnMut(&Feeding),
) -> Result<Vec<Feeding>, FeedError> {
    let registry = Registry::open(data)?;
    let crawls = registry.list()?;
    crawls.iter().map(|crawl| feed(config, &registry, crawl, archive, Begin::WhereItWas, progress)).collect()
}

/// Makes what an archive has of these crawls, or of all if none is named, anew
/// from their segments. Whatever else is in the archive stays.
pub fn rebuild(
    config: &Config,
    data: &Path,
    archive: &Archive,
    crawls: &[u32],
    progress: &mut dyn FnMut(&Feeding),
) -> Result<Vec<Feeding>, FeedError> {
    let registry = Registry::open(data)?;
    let known = registry.list()?;
    if let Some(missing) = crawls.iter().find(|id| known.iter().all(|crawl| crawl.id != **id)) {
        return Err(FeedError::NoSuchCrawl(*missing));
    }
    let wanted = known.iter().filter(|crawl| crawls.is_empty() || crawls.contains(&crawl.id));
    let fed = wanted.map(|crawl| feed(config, &registry, crawl, archive, Begin::Anew, progress)).collect();
    archive.reclaim()?;
    fed
}

/// The same for one crawl.
pub fn catch_up_crawl(
    config: &Config,
    registry: &Registry,
    crawl: &Record,
    archive: &Archive,
    progress: &mut dyn FnMut(&Feeding),
) -> Result<Feeding, FeedError> {
    feed(config, registry, crawl, archive, Begin::WhereItWas, progress)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    Anew,
    WhereItWas,
}

fn feed(
    config: &Config,
    registry: &Registry,
    crawl: &Record,
    archive: &Archive,
    begin: Begin,
    progress: &mut dyn FnMut(&Feeding),
) -> Result<Feeding, FeedError> {
    let directory = registry.directory_of(crawl.id);
    let mut feeding = Feeding { crawl: crawl.id, name: crawl.name.clone(), ..Feeding::default() };
    let mut follower = follower(config, archive.clone(), crawl.id);
    if begin == Begin::WhereItWas && is_up_to_date(&directory.join("segments"), &mut follower)? {
        return Ok(feeding);
    }
    let store = match segments(config, &directory) {
        Ok((store, _)) => store,
        Err(OpenError::InUse(_)) => return Ok(Feeding { in_use: true, ..feeding }),
        Err(error) => return Err(error.into()),
    };
    if begin == Begin::Anew {
        // Only now: of a crawl that somebody else has, what there is must stay.
        follower.forget()?;
    }
    let log = store.log();
    let position = follower.position()?;
    let distance = log.read(position).and_then(|reader| reader.distance()).map_err(FollowError::from)?;
    (feeding.documents_total, feeding.bytes_total) = (distance.records, distance.bytes);
    progress(&feeding);
    feed_now(&log, &mut follower, Bounds::default(), &mut |group| {
        feeding.documents += group.records;
        feeding.bytes += group.bytes;
        progress(&feeding);
    })?;
    if !follower.is_described()?
        && let Some(names) = names(config, crawl.id)
    {
        let about = About { title: crawl.name.clone(), seeds: registry.seeds(crawl.id)? };
        let (graph, quads) = description(names, about)(&log).map_err(FollowError::from)?;
        follower.describe(&graph, &quads)?;
        follower.finish()?;
    }
    Ok(feeding)
}

/// Whether there is nothing to be taken, without opening the crawl: most queries
/// are asked of an archive that has everything.
fn is_up_to_date(segments: &Path, follower: &mut ArchiveFollower) -> Result<bool, FollowError> {
    let position = follower.position()?;
    let is_at_end = position.is_some_and(|position| ends_at(segments, position));
    Ok(!segments.is_dir() || (is_at_end && follower.is_described()?))
}

/// How provenance is named in what `--output` writes, if it is to be there.
#[must_use]
pub fn names_in_output(config: &Config, crawl: u32) -> Option<Names> {
    names(config, crawl).filter(|_| config.store.provenance == config::Provenance::All)
}

fn follower(config: &Config, archive: Archive, crawl: u32) -> ArchiveFollower {
    ArchiveFollower::new(archive, crawl, names(config, crawl)).reserving(&config.store.base)
}

/// How provenance is named, if it is to be kept.
pub(super) fn names(config: &Config, crawl: u32) -> Option<Names> {
    (config.store.provenance != config::Provenance::Off).then(|| Names::new(&config.store.base, crawl))
}

/// Makes the description of a crawl.
pub(super) fn description(names: Names, about: About) -> Describe {
    Arc::new(move |log| Ok((names.description_graph(), survey(log)?.quads(&names, &about))))
}

/// Begins to feed those whom the configuration names with what a crawl harvests.
///
/// An archive that cannot be opened, because another process has it or because it
/// is broken, is no reason not to crawl: it is told of, and catches up another
/// time.
pub(super) fn followers(config: &Config, shelf: &Shelf, seeds: &[Uri]) -> Followers {
    let mut followers = Followers::of(shelf.segments.log());
    let Some((data, crawl)) = shelf.place().filter(|_| config.store.archive) else { return followers };
    match shelf.archive.clone().map_or_else(|| archive(config, data), Ok) {
        Ok(archive) => {
            let about = About { title: name_of(data, crawl), seeds: seeds.to_vec() };
            let describe = names(config, crawl).map(|names| description(names, about));
            followers.add(Box::new(follower(config, archive, crawl)), Pace::default(), describe);
        }
        Err(ArchiveError::InUse(path)) => {
            tracing::warn!(path = %path.display(), "another process has the archive: it gets this harvest later");
        }
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the archive cannot be opened: it gets this harvest later"
            );
        }
    }
    followers
}

/// The name of a crawl; none if its data directory does not tell.
pub(super) fn name_of(data: &Path, crawl: u32) -> String {
    let records = Registry::open(data).and_then(|registry| registry.list()).unwrap_or_default();
    records.into_iter().find(|record| record.id == crawl).map(|record| record.name).unwrap_or_default()
}

#[cfg(test)]
#[path = "feeds_tests.rs"]
mod tests;
