//! What crawls share, and what is done with them there.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodeward::engine::{Command, Manners};
use lodeward::open::{self, FeedError, Feeding, Now};
use lodeward::registry::Registry;
use lodeward_archive::{Archive, Collection};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::Refused;
use super::berth::Berth;
use super::events::{Hub, What};
use super::export::Exports;
use super::run::run;
use super::shelves::Recent;
use super::state::{State, View, Wish};
use crate::service::Settings;

/// What crawls share.
pub(super) struct Yard {
    pub(super) data: PathBuf,
    pub(super) registry: Registry,
    pub(super) archive: Archive,
    pub(super) settings: Arc<Settings>,
    pub(super) now: Now,
    pub(super) hub: Arc<Hub>,
    pub(super) manners: Arc<Manners>,
    pub(super) berths: Mutex<BTreeMap<u32, Arc<Berth>>>,
    pub(super) recent: Recent,
    /// One crawl is created at a time: names and quotas are counted.
    pub(super) creating: tokio::sync::Mutex<()>,
    /// Orders that are looked at: each may take long, and is in memory meanwhile.
    pub(super) plans: Semaphore,
    /// Exports take turns.
    pub(super) exports: Exports,
    pub(super) runtime: Handle,
    pub(super) closing: AtomicBool,
}

impl Yard {
    pub(super) fn berths(&self) -> MutexGuard<'_, BTreeMap<u32, Arc<Berth>>> {
        self.berths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn berth(&self, id: u32) -> Result<Arc<Berth>, Refused> {
        let berth = self.berths().get(&id).cloned();
        berth.filter(|berth| berth.wish() != Wish::Delete).ok_or(Refused::Unknown(id))
    }

    /// Keeps what is wanted of a crawl from now on, and sees to it.
    pub(super) async fn change(
        self: &Arc<Self>,
        id: u32,
        wish: Wish,
        may: impl Fn(State) -> bool,
    ) -> Result<View, Refused> {
        let berth = self.berth(id)?;
        let turn = berth.turn().await;
        // Somebody may have deleted it meanwhile.
        let berth = self.berth(id)?;
        let state = berth.state();
        if !may(state) {
            return Err(Refused::State { id, state });
        }
        // Who resumes is counted, and so has their turn as who creates has.
        let counting = if wish == Wish::Run { Some(self.creating.lock().await) } else { None };
        if counting.is_some() {
            self.check_resumable(&berth, state)?;
        }
        self.wish_for(&berth, wish).await?;
        drop(counting);
        if wish != Wish::Run {
            berth.tell(Command::Stop);
        }
        drop(turn);
        self.hub.tell(id, What::State(berth.state()));
        self.pump();
        Ok(berth.view())
    }

    /// Says why a crawl cannot go on.
    fn check_resumable(&self, berth: &Berth, state: State) -> Result<(), Refused> {
        let id = berth.id();
        if let Some(damage) = berth.damage() {
            return Err(Refused::Damaged { id, damage: damage.to_owned() });
        }
        // It would run for nothing. What else may be wrong with its settings is told
        // when it runs.
        let cap = self.config_of(berth).ok().and_then(|bounded| bounded.cap);
        if let Some(cap) = cap.filter(|cap| berth.documents() >= *cap) {
            return Err(Refused::Full { id, cap });
        }
        let kept = berth.kept();
        if kept.has_quota && !state.is_open() {
            self.check_quota(kept.user.as_deref())?;
        }
        Ok(())
    }

    /// Lets those run whose turn it is, the oldest first.
    pub(super) fn pump(self: &Arc<Self>) {
        if self.closing.load(Ordering::SeqCst) {
            return;
        }
        let berths = self.berths();
        let running_max = self.settings.now().config.service.crawls_running.max(1);
        let mut running = berths.values().filter(|berth| berth.is_running()).count();
        for berth in berths.values() {
            if running >= running_max {
                break;
            }
            if let Some(commands) = berth.begin_run() {
                running += 1;
                self.runtime.spawn(run(Arc::clone(self), Arc::clone(berth), commands));
            }
        }
    }

    pub(super) async fn delete(self: &Arc<Self>, id: u32) -> Result<(), Refused> {
        let berth = self.berth(id)?;
        let _turn = berth.turn().await;
        if berth.wish() == Wish::Delete {
            return Err(Refused::Unknown(id));
        }
        self.wish_for(&berth, Wish::Delete).await?;
        berth.tell(Command::StopNow);
        berth.wait_until_idle().await;
        // What is being exported comes to its end, so that it can be removed.
        let _exporting = berth.exporting.lock().await;
        let _files = berth.files.write().await;
        berth.empty_shelf().await;
        let (yard, gone) = (Arc::clone(self), Arc::clone(&berth));
        let erasing = tokio::task::spawn_blocking(move || yard.erase(&gone));
        if let Err(refused) = erasing.await.expect("erasing does not panic") {
            tracing::error!(crawl = id, error = &refused as &dyn std::error::Error, "a crawl is not gone yet");
            return Err(refused);
        }
        self.berths().remove(&id);
        self.hub.tell(id, What::Deleted);
        self.pump();
        Ok(())
    }

    /// Finds the place of a crawl, and ends what was not ended. What is wrong with one
    /// crawl is no reason not to run others.
    pub(super) fn remember(&self, berth: Berth) {
        let id = berth.id();
        let told = |error: &dyn std::error::Error, what: &str| tracing::error!(crawl = id, error = %error, "{what}");
        if berth.wish() == Wish::Delete {
            match self.erase(&berth) {
                Ok(()) => return,
                Err(refused) => told(&refused, "a crawl that was deleted cannot be removed"),
            }
        } else if berth.has_record() {
            match self.catch_up(&berth) {
                Ok(fed) if fed.documents > 0 => {
                    tracing::info!(crawl = id, documents = fed.documents, "the archive has caught up");
                }
                Ok(_) => {}
                Err(error) => told(&error, "the archive could not be brought up to date with a crawl"),
            }
        }
        self.berths().insert(id, Arc::new(berth));
    }

    /// Brings the archive up to date with a crawl. That may take long, and nobody is
    /// let in meanwhile: the log says when it begins.
    fn catch_up(&self, berth: &Berth) -> Result<Feeding, FeedError> {
        let config = &self.settings.now().config;
        let mut look = |feeding: &Feeding| {
            if feeding.documents == 0 && feeding.documents_total > 0 {
                let documents = feeding.documents_total;
                tracing::info!(crawl = feeding.crawl, documents, "the archive catches up with a crawl");
            }
        };
        open::catch_up_crawl(config, &self.registry, berth.record(), &self.archive, &mut look)
    }

    /// Keeps what is wanted of a crawl; the disk may take its time.
    async fn wish_for(self: &Arc<Self>, berth: &Arc<Berth>, wish: Wish) -> Result<(), Refused> {
        let (yard, berth) = (Arc::clone(self), Arc::clone(berth));
        let keeping = tokio::task::spawn_blocking(move || berth.wish_for(&yard.registry, wish));
        Ok(keeping.await.expect("keeping does not panic")?)
    }

    /// Removes what there is of a crawl: first from the archive, then its files. Cut
    /// short, it is done again when the service is opened.
    fn erase(&self, berth: &Berth) -> Result<(), Refused> {
        self.remove_export(berth.id())?;
        self.archive.drop_collection(Collection(berth.id()))?;
        self.archive.sync()?;
        Ok(self.registry.remove(berth.id())?)
    }
}
