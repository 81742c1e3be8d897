//! Crawls that run inside this process.
//!
//! Every crawl has a berth here. What is wanted of it is kept beside it
//! (`order.json`) before anybody is told that it will be done, so that whoever
//! kills this process changes nothing: what was to run runs, what was to go goes.

mod berth;
mod bounds;
mod create;
mod discreet;
pub(crate) mod events;
mod export;
mod order;
mod policy;
mod refused;
mod run;
mod shelves;
mod state;
mod yard;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lodeward::config::Config;
use lodeward::engine::{Command, Rest};
use lodeward::model::Uri;
use lodeward::open::{Now, Shelf};
use lodeward::registry::Registry;
use lodeward_archive::Archive;
use tokio::runtime::Runtime;
use tokio::sync::OwnedRwLockReadGuard;

pub(crate) use export::{Choice, Only};
pub(crate) use lodeward::open::Exported;
pub(crate) use order::{Instance, Order};
pub(crate) use refused::Refused;
pub(crate) use run::REPORT;
pub(crate) use state::{State, View};

use self::berth::Berth;
use self::events::Hub;
use self::shelves::Recent;
use self::state::Wish;
use self::yard::Yard;
use crate::service::{ServiceError, Settings};

/// How long crawls may take to stop before they are stopped at once.
const STOP_TIME: Duration = Duration::from_secs(15);

/// Orders that are looked at at a time.
const PLANS_MAX: usize = 4;

/// All crawls of a data directory.
pub(crate) struct Fleet {
    yard: Arc<Yard>,
    /// Crawls have threads of their own, so that requests are answered while pages
    /// are read. `None` when it is closed.
    runtime: Mutex<Option<Runtime>>,
}

/// What a crawl has on disk, for as long as this lives.
pub(crate) struct Held {
    shelf: Arc<Shelf>,
    _files: OwnedRwLockReadGuard<()>,
}

impl AsRef<Shelf> for Held {
    fn as_ref(&self) -> &Shelf {
        &self.shelf
    }
}

impl Fleet {
    /// Finds all crawls, ends what was not ended, and lets those run that ran.
    pub(crate) fn open(
        data: &Path,
        archive: &Archive,
        settings: &Arc<Settings>,
        now: Now,
    ) -> Result<Self, ServiceError> {
        let registry = Registry::open(data)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().thread_name("crawl").enable_all().build()?;
        let yard = Arc::new(Yard {
            data: data.to_owned(),
            registry,
            archive: archive.clone(),
            settings: Arc::clone(settings),
            now,
            hub: Arc::new(Hub::new(now)),
            manners: Arc::default(),
            berths: Mutex::default(),
            recent: Recent::default(),
            creating: tokio::sync::Mutex::default(),
            plans: tokio::sync::Semaphore::new(PLANS_MAX),
            exports: export::Exports::default(),
            runtime: runtime.handle().clone(),
            closing: AtomicBool::new(false),
        });
        let found = yard.registry.look()?;
        for damaged in &found.damaged {
            yard.remember(Berth::unreadable(&yard.registry, damaged));
        }
        for record in found.records {
            yard.remember(Berth::remembered(&yard.registry, record));
        }
        yard.pump();
        Ok(Self { yard, runtime: Mutex::new(Some(runtime)) })
    }

    /// Begins a crawl that somebody asks for.
    pub(crate) async fn create(&self, order: Order) -> Result<(View, Vec<String>), Refused> {
        self.yard.create(order).await
    }

    /// All crawls, by number.
    pub(crate) fn list(&self) -> Vec<View> {
        let is_there = |berth: &&Arc<Berth>| berth.wish() != Wish::Delete;
        self.yard.berths().values().filter(is_there).map(|berth| berth.view()).collect()
    }

    /// One crawl.
    pub(crate) fn get(&self, id: u32) -> Result<View, Refused> {
        Ok(self.yard.berth(id)?.view())
    }

    /// The seeds of a crawl.
    pub(crate) fn seeds(&self, id: u32) -> Result<Vec<Uri>, Refused> {
        self.yard.berth(id)?;
        Ok(self.yard.registry.seeds(id)?)
    }

    /// How many seeds a crawl has. Blocks when it is asked for the first time.
    pub(crate) fn seeds_count(&self, id: u32) -> Result<usize, Refused> {
        Ok(self.fingerprints(id)?.len())
    }

    /// Whether a crawl has this seed. Blocks when it is asked for the first time.
    pub(crate) fn has_seed(&self, id: u32, seed: &Uri) -> Result<bool, Refused> {
        Ok(self.fingerprints(id)?.binary_search(&seed.fingerprint()).is_ok())
    }

    /// Those of the seeds of a crawl, in order. That they cannot be read is no reason
    /// not to list it, and others; it is told when it runs.
    fn fingerprints(&self, id: u32) -> Result<Arc<[u128]>, Refused> {
        Ok(self.yard.berth(id)?.seeds(&self.yard.registry).unwrap_or_else(|error| {
            tracing::warn!(crawl = id, error = &error as &dyn std::error::Error, "the seeds of a crawl cannot be read");
            Arc::default()
        }))
    }

    /// Until when a URI waits for its server, and why, while its crawl runs.
    pub(crate) fn rest_of(&self, id: u32, uri: &Uri) -> Result<Option<Rest>, Refused> {
        Ok(self.yard.berth(id)?.rest_of(uri, (self.yard.now)()))
    }

    /// The settings under which a crawl runs.
    pub(crate) fn config(&self, id: u32) -> Result<Config, Refused> {
        Ok(self.yard.config_of(&*self.yard.berth(id)?)?.config)
    }

    /// Where a crawl keeps everything.
    pub(crate) fn directory(&self, id: u32) -> Result<PathBuf, Refused> {
        self.yard.berth(id)?;
        Ok(self.yard.registry.directory_of(id))
    }

    /// Says what is wrong with a template and settings for crawls to come.
    pub(crate) fn check_settings(&self, template: Option<&str>, settings: &toml::Table) -> Result<(), Refused> {
        self.yard.check_settings(template, settings)
    }

    /// The crawls of this data directory as records.
    pub(crate) fn registry(&self) -> &Registry {
        &self.yard.registry
    }

    /// What a crawl keeps on disk, opened: of one that runs, what it uses itself.
    /// Let go of it soon.
    pub(crate) async fn shelf(&self, id: u32) -> Result<Arc<Shelf>, Refused> {
        let berth = self.yard.berth(id)?;
        self.yard.shelf(&berth).await
    }

    /// The same, for whoever copies it: until they let go, nobody erases it.
    pub(crate) async fn hold(&self, id: u32) -> Result<Held, Refused> {
        let files = Arc::clone(&self.yard.berth(id)?.files).read_owned().await;
        let shelf = self.shelf(id).await?;
        Ok(Held { shelf, _files: files })
    }

    /// Where a crawl keeps everything, for whoever changes something there: until they let
    /// go, nobody erases it.
    pub(crate) async fn files(&self, id: u32) -> Result<(PathBuf, OwnedRwLockReadGuard<()>), Refused> {
        let files = Arc::clone(&self.yard.berth(id)?.files).read_owned().await;
        // It may have been deleted meanwhile.
        Ok((self.directory(id)?, files))
    }

    /// Where events are told.
    pub(crate) fn hub(&self) -> &Hub {
        &self.yard.hub
    }

    /// Lets a crawl wait to be resumed.
    pub(crate) async fn pause(&self, id: u32) -> Result<View, Refused> {
        self.yard.change(id, Wish::Pause, |state| matches!(state, State::Queued | State::Running)).await
    }

    /// Lets a crawl go on that was paused or stopped, or could not go on.
    pub(crate) async fn resume(&self, id: u32) -> Result<View, Refused> {
        let may = |state| !matches!(state, State::Queued | State::Running | State::Finished);
        self.yard.change(id, Wish::Run, may).await
    }

    /// Ends a crawl before its end.
    pub(crate) async fn stop(&self, id: u32) -> Result<View, Refused> {
        let may = |state| matches!(state, State::Queued | State::Running | State::Pausing | State::Paused);
        self.yard.change(id, Wish::Stop, may).await
    }

    /// Removes a crawl, and what the archive has of it.
    pub(crate) async fn delete(&self, id: u32) -> Result<(), Refused> {
        let yard = Arc::clone(&self.yard);
        // Whoever asked may have gone: it goes on all the same.
        let deleting = tokio::spawn(async move { yard.delete(id).await });
        deleting.await.unwrap_or(Err(Refused::Closing))
    }

    /// Lets those run whose turn it is.
    pub(crate) fn pump(&self) {
        self.yard.pump();
    }

    /// Whether the service ends.
    pub(crate) fn is_closing(&self) -> bool {
        self.yard.closing.load(Ordering::SeqCst)
    }

    /// Stops all crawls; what is wanted of them stays.
    pub(crate) async fn close(&self) {
        self.yard.closing.store(true, Ordering::SeqCst);
        let berths: Vec<_> = self.yard.berths().values().cloned().collect();
        for berth in &berths {
            berth.tell(Command::Stop);
        }
        let idle = async {
            for berth in &berths {
                berth.wait_until_idle().await;
            }
        };
        if tokio::time::timeout(STOP_TIME, idle).await.is_err() {
            for berth in &berths {
                berth.tell(Command::StopNow);
            }
            let idle = async {
                for berth in &berths {
                    berth.wait_until_idle().await;
                }
            };
            // A ranking under way is not waited for: it can be made again.
            let _ = tokio::time::timeout(STOP_TIME, idle).await;
        }
        for berth in &berths {
            berth.close_shelf().await;
        }
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        // A runtime that is dropped where others run would wait, and may not.
        if let Some(runtime) = self.runtime.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            runtime.shutdown_background();
        }
    }
}
