//! What crawls keep on disk, opened once for all who look.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use lodeward::open::{self, OpenError, Shelf};

use super::berth::Berth;
use super::{Refused, Yard};

/// Shelves of crawls that do not run which are left open: each holds some memory.
const OPEN_MAX: usize = 4;

/// Where the shelf of a crawl is.
#[derive(Default)]
pub(super) struct Place {
    /// Open until it is closed.
    pub(super) held: Option<Arc<Shelf>>,
    /// Open for as long as somebody looks: it cannot be opened twice.
    pub(super) last: Weak<Shelf>,
}

/// Those whose shelves were opened last.
#[derive(Default)]
pub(super) struct Recent(Mutex<VecDeque<u32>>);

impl Recent {
    /// Notes that somebody looks. Returns those who may be closed.
    fn note(&self, id: u32) -> Vec<u32> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.retain(|other| *other != id);
        recent.push_back(id);
        let surplus = recent.len().saturating_sub(OPEN_MAX);
        recent.drain(..surplus).collect()
    }
}

/// How often, and after what time, it is tried again to open what is in use: a
/// database that was just closed takes a moment to let go of its files.
const TRIES: u32 = 20;
const TRY_INTERVAL: Duration = Duration::from_millis(100);

/// How often, and after what time, it is looked whether somebody still looks.
const LOOKS: u32 = 100;
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

fn patiently(open: impl Fn() -> Result<Shelf, OpenError>) -> Result<Shelf, OpenError> {
    for _ in 1..TRIES {
        match open() {
            Err(OpenError::InUse(_)) => std::thread::sleep(TRY_INTERVAL),
            opened => return opened,
        }
    }
    open()
}

impl Yard {
    /// The shelf of a crawl, opened if it is not.
    pub(super) async fn shelf(&self, berth: &Arc<Berth>) -> Result<Arc<Shelf>, Refused> {
        let mut place = berth.shelf.lock().await;
        if let Some(shelf) = place.held.clone().or_else(|| place.last.upgrade()) {
            place.held = Some(Arc::clone(&shelf));
            return Ok(shelf);
        }
        let config = self.config_of(berth)?.config;
        let (directory, archive, now) = (self.registry.directory_of(berth.id()), self.archive.clone(), self.now);
        let opened = tokio::task::spawn_blocking(move || {
            let mut shelf = patiently(|| open::shelf(&config, &directory, now))?;
            shelf.archive = Some(archive);
            Ok(Arc::new(shelf))
        });
        let shelf = match opened.await.expect("opening does not panic") {
            Ok(shelf) => shelf,
            Err(OpenError::InUse(_)) => return Err(Refused::InUse(berth.id())),
            Err(error) => return Err(error.into()),
        };
        *place = Place { held: Some(Arc::clone(&shelf)), last: Arc::downgrade(&shelf) };
        drop(place);
        self.close_others(berth.id());
        Ok(shelf)
    }

    /// Closes what nobody has looked at for the longest time.
    pub(super) fn close_others(&self, id: u32) {
        for id in self.recent.note(id) {
            let Some(berth) = self.berths().get(&id).cloned() else { continue };
            if berth.is_running() {
                continue;
            }
            self.runtime.spawn(async move { berth.close_shelf().await });
        }
    }
}

impl Berth {
    /// Closes what is open of it, as soon as nobody looks any more.
    pub(super) async fn close_shelf(&self) {
        let shelf = self.shelf.lock().await.held.take();
        // It closes a database.
        let _ = tokio::task::spawn_blocking(move || drop(shelf)).await;
    }

    /// The same, and waits for those who still look, for some time.
    pub(super) async fn empty_shelf(&self) {
        self.close_shelf().await;
        let mut looks = tokio::time::interval(LOOK_INTERVAL);
        for _ in 0..LOOKS {
            looks.tick().await;
            if self.shelf.lock().await.last.strong_count() == 0 {
                return;
            }
        }
    }
}
