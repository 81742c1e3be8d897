//! The search index of a data directory, which follows the archive.
//!
//! An entity is described across documents, and also by imports and updates, which are only in the
//! archive. So the index reads no log of a crawl: it follows the change feed of the archive
//! ([`Snapshot::visit_changes`](lodeward_archive::Snapshot::visit_changes)), whatever wrote to it.
//! [`Indexing`] describes the changed entities again and stores the position of the feed with the
//! index, in one commit. So the index is always that of one state of the archive, also after a
//! crash, and equal to one that is built from scratch.
//!
//! [`SearchIndex`] is opened with the archive, and its files only when they are needed: by a crawl
//! and by the service, which update it in a thread of its own, and by searches.

mod entities;
mod entity_reader;
mod entity_texts;
mod indexing;
mod node_names;
mod predicates;
mod retrieval;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lodeward::error_chain;
use lodeward_archive::{Archive, ArchiveError};
use lodeward_search::retrieve::RetrievalOptions;
use lodeward_search::text::StemmedLanguages;
use lodeward_search::{EntityIndex, IndexOptions, IndexView, SearchError};

pub use self::entities::ArchiveEntities;
pub(crate) use self::entities::is_of_crawl;
pub use self::indexing::IndexUpdate;
use self::indexing::{Indexing, UpdateEffort, indexed_position, open_index};
pub(crate) use self::predicates::PredicateRole;
use super::archive_index::ArchiveIndex;
use crate::settings::SearchSettings;

/// The directory of the index in a data directory.
pub(crate) const SEARCH_DIR: &str = "search";

/// Shortest time between two updates: a stored document is searchable within two seconds.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// After an update, the thread pauses for this multiple of its duration, up to the longest pause, so
/// that a fast crawl keeps the processor. An entity whose neighbours arrive in one update is described
/// once, so fewer updates cost less.
const PAUSE_FACTOR: u32 = 10;
const MAX_INTERVAL: Duration = Duration::from_mins(10);

/// How long larger updates are postponed: at the end of a burst, they are one update.
const MAX_POSTPONED: Duration = Duration::from_mins(1);

/// A burst has ended when the archive did not change between this many tries.
const QUIET_TRIES: u32 = 2;

/// The search index cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchIndexError {
    /// The index failed.
    #[error(transparent)]
    Index(#[from] SearchError),
    /// The archive cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The directory of the index cannot be created or emptied.
    #[error("cannot write {}", .path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The error.
        #[source]
        source: std::io::Error,
    },
    /// The archive was opened without its change feed.
    #[error("the search index is disabled (`search.index`)")]
    Disabled,
    /// The process ends.
    #[error("the update of the search index was stopped")]
    Stopped,
}

/// The search index of a data directory.
pub struct SearchIndex {
    shared: Arc<SharedIndex>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct SharedIndex {
    directory: PathBuf,
    archive: Archive,
    options: IndexOptions,
    retrieval: RetrievalOptions,
    /// The index, which queries read while it is updated.
    opened: Mutex<Option<Arc<EntityIndex>>>,
    indexing: Mutex<Option<Indexing>>,
    is_stopped: AtomicBool,
    stop_lock: Mutex<()>,
    stopped: Condvar,
}

impl SearchIndex {
    /// The index beside this archive. Nothing is opened yet.
    pub(crate) fn new(data: &Path, archive: &Archive, settings: &SearchSettings) -> Self {
        let tags = settings.stemming.iter().map(String::as_str);
        // The table of settings accepts only languages with a stemmer.
        let stemmed = StemmedLanguages::new(tags).unwrap_or_default();
        let retrieval = retrieval::retrieval_options(settings, &stemmed);
        let options = IndexOptions { stemmed, ..IndexOptions::default() };
        let shared = SharedIndex {
            retrieval,
            directory: data.join(SEARCH_DIR),
            archive: archive.clone(),
            options,
            opened: Mutex::new(None),
            indexing: Mutex::new(None),
            is_stopped: AtomicBool::new(false),
            stop_lock: Mutex::new(()),
            stopped: Condvar::new(),
        };
        Self { shared: Arc::new(shared), thread: Mutex::new(None) }
    }

    /// Updates the index to the current state of the archive. Fast if it is up to date.
    pub fn update_now(&self) -> Result<IndexUpdate, SearchIndexError> {
        self.shared.with(|indexing| indexing.update(UpdateEffort::Any, &self.shared.is_stopped))
    }

    /// Builds the index from scratch. Queries see the old one until this is complete.
    pub fn rebuild_now(&self) -> Result<IndexUpdate, SearchIndexError> {
        self.shared.with(|indexing| indexing.rebuild(&self.shared.is_stopped))
    }

    /// The index as of its last update. Does not wait for an update that runs.
    pub fn view(&self) -> Result<IndexView, SearchIndexError> {
        Ok(self.shared.index()?.view()?)
    }

    /// Number of changes of the archive that the index does not contain yet, each of up to 128
    /// statements; 0 if it is up to date.
    pub fn pending(&self) -> Result<u64, SearchIndexError> {
        self.shared.pending()
    }

    /// Updates the index as far as a request can wait for it: if a thread updates it, only if little has
    /// changed.
    pub(crate) fn update_for_request(&self) -> Result<(), SearchIndexError> {
        let effort = if self.is_running() { UpdateEffort::Small } else { UpdateEffort::Any };
        self.shared.with(|indexing| indexing.update(effort, &self.shared.is_stopped)).map(drop)
    }

    /// The options of searches.
    pub(crate) fn retrieval_options(&self) -> &RetrievalOptions {
        &self.shared.retrieval
    }

    /// The archive that the index follows.
    #[must_use]
    pub fn archive(&self) -> &Archive {
        &self.shared.archive
    }
}

impl ArchiveIndex for SearchIndex {
    fn start(&self) {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            let shared = Arc::clone(&self.shared);
            let spawned = std::thread::Builder::new().name("search index".to_owned()).spawn(move || shared.run());
            match spawned {
                Ok(running) => *thread = Some(running),
                Err(error) => tracing::error!(%error, "search index not updated: cannot start a thread"),
            }
        }
    }

    fn is_running(&self) -> bool {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn update_if_small(&self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.shared.with(|indexing| indexing.update(UpdateEffort::Small, &self.shared.is_stopped)).map(drop)?)
    }

    fn rebuild(&self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.rebuild_now().map(drop)?)
    }
}

impl SharedIndex {
    /// The index, which is opened first if necessary.
    fn index(&self) -> Result<Arc<EntityIndex>, SearchIndexError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let index = match &*opened {
            Some(index) => index,
            None => opened.insert(Arc::new(open_index(&self.directory, &self.options)?)),
        };
        Ok(Arc::clone(index))
    }

    fn pending(&self) -> Result<u64, SearchIndexError> {
        let Some(end) = self.archive.snapshot().change_position()? else { return Err(SearchIndexError::Disabled) };
        let languages: Vec<String> = self.options.stemmed.tags().map(str::to_owned).collect();
        let indexed = indexed_position(&*self.index()?, &languages)?.filter(|indexed| indexed.feed == end.feed);
        Ok(end.number - indexed.map_or(0, |indexed| indexed.number.min(end.number)))
    }

    /// Calls `action` with the state of updates.
    fn with<T>(
        &self,
        action: impl FnOnce(&mut Indexing) -> Result<T, SearchIndexError>,
    ) -> Result<T, SearchIndexError> {
        let mut guard = self.indexing.lock().unwrap_or_else(PoisonError::into_inner);
        let indexing = match &mut *guard {
            Some(indexing) => indexing,
            none => none.insert(Indexing::new(&self.archive, self.index()?, &self.options)),
        };
        let done = action(indexing);
        // After a failed write the state of the writer is unknown: the index is opened again.
        if matches!(done, Err(SearchIndexError::Index(_))) {
            *guard = None;
            *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        done
    }

    #[expect(clippy::disallowed_methods, reason = "the pause depends on the duration of the update")]
    fn run(&self) {
        let mut has_failed = false;
        let mut updated_at: Option<Instant> = None;
        let (mut pending, mut quiet_tries) = (0, 0);
        while !self.is_stopped.load(Ordering::Acquire) {
            let start = Instant::now();
            let before = std::mem::replace(&mut pending, self.pending().unwrap_or(0));
            quiet_tries = if pending == before { quiet_tries + 1 } else { 0 };
            let is_due = updated_at.is_none_or(|at| at.elapsed() >= MAX_POSTPONED);
            let effort = if is_due || quiet_tries >= QUIET_TRIES { UpdateEffort::Any } else { UpdateEffort::Small };
            match self.with(|indexing| indexing.update(effort, &self.is_stopped)) {
                Ok(IndexUpdate { is_postponed: true, .. }) => has_failed = false,
                Ok(_) => (has_failed, updated_at) = (false, Some(Instant::now())),
                Err(SearchIndexError::Stopped) => return,
                // A failure that lasts, as on a full disk, is logged once.
                Err(error) if !has_failed => {
                    has_failed = true;
                    tracing::error!(error = error_chain::with_causes(&error), "search index not updated");
                }
                Err(_) => {}
            }
            self.pause((start.elapsed() * PAUSE_FACTOR).clamp(MIN_INTERVAL, MAX_INTERVAL));
        }
    }

    fn pause(&self, time: Duration) {
        let guard = self.stop_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = |(): &mut ()| !self.is_stopped.load(Ordering::Acquire);
        drop(self.stopped.wait_timeout_while(guard, time, waiting));
    }
}

impl Drop for SearchIndex {
    fn drop(&mut self) {
        let guard = self.shared.stop_lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.is_stopped.store(true, Ordering::Release);
        drop(guard);
        self.shared.stopped.notify_all();
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("search index: thread panicked");
        }
    }
}
