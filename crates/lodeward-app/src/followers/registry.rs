//! The registry of followers: what the harvests of crawls are applied to.
//!
//! Everything that concerns all followers goes over the registry: starting them with a crawl,
//! catching up and rebuilding (`catch_up.rs`), dropping and deleting crawls, backup and restore. A
//! satellite crate implements [`FollowerTarget`] and [`Follower`](lodeward::store::follow::Follower),
//! and is named only in [`FollowerRegistry::default`], behind a feature.

use std::any::Any;
use std::error::Error;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::provenance::survey::{CrawlDescription, HarvestSurvey};
use lodeward::model::Uri;
use lodeward::store::follow::{
    AfterDrop, CrawlDescriber, FeedOptions, FollowedCrawl, FollowerError, FollowerTarget, Followers,
};
use lodeward::store::segments::SegmentLog;
use lodeward_archive::{Archive, ArchiveError};
use oxrdf::NamedNodeRef;

use super::archive_index::ArchiveIndex;
use super::archive_target::{self, ArchiveTarget};
use super::remote_store;
use crate::data_dir::CrawlDir;
use crate::provenance::GraphNames;
use crate::settings::{Config, graph_names};

/// A target cannot be opened or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// Another process uses the target.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// The archive cannot be opened.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// Another target cannot be opened.
    #[error(transparent)]
    Other(#[from] Box<dyn Error + Send + Sync>),
}

impl TargetError {
    fn is_in_use(&self) -> bool {
        matches!(self, Self::InUse(_) | Self::Archive(ArchiveError::InUse(_)))
    }
}

/// What fails if a target cannot be opened. Otherwise the failure is logged, and the target catches
/// up later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredBy {
    /// Nothing: the target is skipped.
    Nothing,
    /// Commands that use the data directory, and the service. Crawls run without the target.
    Commands,
    /// The crawls that it is enabled for.
    Crawls,
}

/// Opens a target in a data directory, or creates it.
pub type OpenTarget = fn(&Config, &Path) -> Result<Arc<dyn FollowerTarget>, TargetError>;

/// Creates a target in a data directory from what [`FollowerTarget::dump`] wrote.
pub type RestoreTarget = fn(&Path, &mut dyn Read) -> Result<Arc<dyn FollowerTarget>, TargetError>;

/// A kind of follower: one row of the registry.
#[derive(Clone, Copy, Debug)]
pub struct FollowerEntry {
    /// The unique name. If the target is local, its data is in the directory with this name in the
    /// data directory.
    pub name: &'static str,
    /// What fails if the target cannot be opened.
    pub required_by: RequiredBy,
    /// Whether the settings of a crawl enable it.
    pub is_enabled: fn(&Config) -> bool,
    /// Opens the target.
    pub open: OpenTarget,
    /// Restores the target from a backup. `None` if the target is not local: then it is fed only
    /// by running crawls, and not part of a backup.
    pub restore: Option<RestoreTarget>,
}

/// The kinds of followers.
#[derive(Clone, Debug)]
pub struct FollowerRegistry(Arc<[FollowerEntry]>);

impl Default for FollowerRegistry {
    /// All followers of the product. Satellite crates are named here, and only here.
    fn default() -> Self {
        Self([archive_target::ENTRY, remote_store::target::ENTRY].into())
    }
}

impl FollowerRegistry {
    /// Adds a kind of follower.
    #[must_use]
    pub fn with(&self, entry: FollowerEntry) -> Self {
        Self(self.0.iter().copied().chain([entry]).collect())
    }

    /// The kinds of followers that store data in the data directory.
    pub(crate) fn local(&self) -> impl Iterator<Item = &FollowerEntry> {
        self.0.iter().filter(|entry| entry.restore.is_some())
    }
}

/// A target that was opened, with its row of the registry.
#[derive(Clone)]
pub(crate) struct OpenedTarget {
    pub(crate) entry: FollowerEntry,
    pub(crate) target: Arc<dyn FollowerTarget>,
}

/// The targets of a data directory. A target can be opened only once, so targets that were opened
/// are shared by all crawls of the process. By default, no target is open; a crawl then opens its
/// own.
#[derive(Clone, Default)]
pub struct FollowerTargets {
    registry: FollowerRegistry,
    opened: Vec<OpenedTarget>,
}

impl FollowerTargets {
    /// Targets that are not open yet.
    #[must_use]
    pub fn closed(registry: FollowerRegistry) -> Self {
        Self { registry, opened: Vec::new() }
    }

    /// Opens the local targets of a data directory: the archive always, others if they are enabled
    /// and can be opened. Returns the archive, too.
    pub fn open(registry: FollowerRegistry, config: &Config, data: &Path) -> Result<(Self, Archive), TargetError> {
        let mut opened = Vec::new();
        for &entry in registry.local() {
            let is_required = entry.required_by == RequiredBy::Commands;
            if !is_required && !(entry.is_enabled)(config) {
                continue;
            }
            match (entry.open)(config, data) {
                Ok(target) => opened.push(OpenedTarget { entry, target }),
                Err(error) if is_required => return Err(error),
                Err(error) => log_skipped(entry.name, &error),
            }
        }
        let targets = Self { registry, opened };
        let archive = targets.archive().cloned().expect("the registry contains the archive, which commands require");
        Ok((targets, archive))
    }

    /// Opens the local targets of a data directory that the settings enable, and can be opened. A crawl
    /// tries to open the others again, and reports why it cannot.
    #[must_use]
    pub fn open_enabled(registry: FollowerRegistry, config: &Config, data: &Path) -> Self {
        let enabled = registry.local().filter(|entry| (entry.is_enabled)(config));
        let opened =
            enabled.filter_map(|&entry| Some(OpenedTarget { entry, target: (entry.open)(config, data).ok()? }));
        let opened = opened.collect();
        Self { registry, opened }
    }

    /// The open target of this type.
    #[must_use]
    pub fn get<T: FollowerTarget>(&self) -> Option<&T> {
        self.opened.iter().find_map(|opened| (&*opened.target as &dyn Any).downcast_ref())
    }

    /// The archive, if it is open.
    #[must_use]
    pub fn archive(&self) -> Option<&Archive> {
        self.get::<ArchiveTarget>().map(|target| &target.archive)
    }

    /// The index that follows the archive, if the archive is open and the settings enable the index.
    #[must_use]
    pub fn index(&self) -> Option<&dyn ArchiveIndex> {
        self.get::<ArchiveTarget>()?.index.as_deref()
    }

    /// The search index, if the archive is open and the settings enable the index.
    #[cfg(feature = "search")]
    #[must_use]
    pub fn search(&self) -> Option<Arc<super::search::SearchIndex>> {
        let index: Arc<dyn Any + Send + Sync> = self.get::<ArchiveTarget>()?.index.clone()?;
        index.downcast().ok()
    }

    /// The kinds of followers.
    #[must_use]
    pub fn registry(&self) -> &FollowerRegistry {
        &self.registry
    }

    /// The open targets that store data in the data directory.
    pub(crate) fn local(&self) -> impl Iterator<Item = &OpenedTarget> {
        self.opened.iter().filter(|opened| opened.entry.restore.is_some())
    }

    /// Removes the harvest of a crawl from all open targets. Returns the number of documents
    /// removed from the archive.
    pub fn drop_crawl(&self, crawl: u32, after: AfterDrop) -> Result<u64, FollowerError> {
        let mut dropped = 0;
        for OpenedTarget { entry, target } in &self.opened {
            let documents = target.drop_crawl(crawl, after)?;
            if entry.name == archive_target::ENTRY.name {
                dropped = documents;
            }
        }
        Ok(dropped)
    }

    /// Removes a graph that belongs to no document from all open targets.
    pub fn drop_graph(&self, graph: NamedNodeRef<'_>) -> Result<(), FollowerError> {
        self.opened.iter().try_for_each(|opened| opened.target.drop_graph(graph))
    }

    /// Frees the space of removed data in all open targets.
    pub fn reclaim(&self) -> Result<(), FollowerError> {
        self.opened.iter().try_for_each(|opened| opened.target.reclaim())
    }

    /// Starts the followers that the settings enable for a crawl.
    ///
    /// If a target cannot be opened, because another process uses it or because it is damaged, the
    /// crawl runs without it, unless crawls require it; the target catches up later.
    pub(crate) fn start(
        &self,
        config: &Config,
        crawl: &CrawlDir,
        log: SegmentLog,
        seeds: &[Uri],
    ) -> Result<Followers, TargetError> {
        let mut followers = Followers::new(log);
        let followed = followed_crawl(config, crawl);
        for entry in self.registry.0.iter().filter(|entry| (entry.is_enabled)(config)) {
            let opened = self.opened.iter().find(|opened| opened.entry.name == entry.name);
            let target =
                opened.map_or_else(|| (entry.open)(config, crawl.data()), |found| Ok(Arc::clone(&found.target)));
            let started = target.and_then(|target| {
                let describe = crawl_describer(&*target, &followed, || describe_crawl(crawl, seeds));
                followers.add(target.follower(&followed)?, FeedOptions::default(), describe);
                if let Some(ArchiveTarget { index: Some(index), .. }) = (&*target as &dyn Any).downcast_ref() {
                    index.start();
                }
                Ok(())
            });
            match started {
                Err(error) if entry.required_by == RequiredBy::Crawls => return Err(error),
                Err(error) => log_skipped(entry.name, &error),
                Ok(()) => {}
            }
        }
        Ok(followers)
    }
}

fn log_skipped(follower: &str, error: &TargetError) {
    if error.is_in_use() {
        tracing::warn!(follower, %error, "follower not started, it catches up later");
    } else {
        tracing::error!(follower, error = error as &dyn Error, "follower not started, it catches up later");
    }
}

/// A crawl as its followers see it.
pub(crate) fn followed_crawl<'a>(config: &'a Config, crawl: &'a CrawlDir) -> FollowedCrawl<'a> {
    FollowedCrawl {
        id: crawl.id(),
        dir: crawl.path(),
        graph_base_iri: &config.store.graph_base_iri,
        has_provenance: graph_names(config, crawl.id()).is_some(),
    }
}

/// Generates the description of a crawl, if the target stores descriptions.
pub(crate) fn crawl_describer(
    target: &dyn FollowerTarget,
    crawl: &FollowedCrawl<'_>,
    about: impl FnOnce() -> CrawlDescription,
) -> Option<CrawlDescriber> {
    let names = GraphNames::of_followed(crawl).filter(|_| target.stores_description(crawl))?;
    let about = about();
    Some(Arc::new(move |log| Ok((names.description_graph(), HarvestSurvey::of_log(log)?.to_quads(&names, &about)))))
}

/// The title of a description is empty if the record of the crawl cannot be read.
fn describe_crawl(crawl: &CrawlDir, seeds: &[Uri]) -> CrawlDescription {
    let record = crawl.record().ok().flatten();
    CrawlDescription { title: record.map(|record| record.name).unwrap_or_default(), seeds: seeds.to_vec() }
}
