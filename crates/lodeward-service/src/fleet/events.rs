//! What happens, told to whoever listens.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lodeward::engine::{Came, Observer, Request, Snapshot, Visited};
use lodeward::open::Now;
use tokio::sync::broadcast;

use super::state::State;

/// Events that a slow listener may be behind; one that is more misses some.
const BEHIND_MAX: usize = 1_024;

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// Events of a process are numbered from 1.
    pub(crate) number: u64,
    /// To which crawl.
    pub(crate) crawl: u32,
    /// When, in milliseconds since the Unix epoch.
    pub(crate) at_ms: u64,
    /// What.
    pub(crate) what: What,
}

/// What happened.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// It is in another state.
    State(State),
    /// Its counts, every second.
    Progress(Arc<Snapshot>),
    /// A request has ended.
    Visit(Arc<Visit>),
    /// Its candidates were ranked.
    Ranked,
    /// It was put into the archive as its graph.
    Exported,
    /// It is gone.
    Deleted,
}

/// A request that has ended.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    /// What was asked for.
    pub(crate) uri: String,
    /// Hops from a seed.
    pub(crate) depth: u16,
    /// The status code, if there was an answer.
    pub(crate) status: Option<u16>,
    /// Quads that were read.
    pub(crate) quads: u64,
    /// What went wrong, if something did.
    pub(crate) fault: Option<String>,
}

/// Where events are told. Nobody who listens holds up anybody.
pub(crate) struct Hub {
    now: Now,
    number: AtomicU64,
    sender: broadcast::Sender<Event>,
    /// Apart, for they are very many and few want them.
    visits: broadcast::Sender<Event>,
}

impl Hub {
    pub(super) fn new(now: Now) -> Self {
        let channel = || broadcast::channel(BEHIND_MAX).0;
        Self { now, number: AtomicU64::new(0), sender: channel(), visits: channel() }
    }

    /// Everything from now on but visits.
    pub(crate) fn listen(&self) -> broadcast::Receiver<Event> {
        self.sender.subscribe()
    }

    /// Visits from now on.
    pub(crate) fn listen_to_visits(&self) -> broadcast::Receiver<Event> {
        self.visits.subscribe()
    }

    /// How many listen.
    pub(crate) fn listeners(&self) -> usize {
        self.sender.receiver_count()
    }

    pub(crate) fn tell(&self, crawl: u32, what: What) {
        let sender = if matches!(what, What::Visit(_)) { &self.visits } else { &self.sender };
        if sender.receiver_count() == 0 {
            return;
        }
        let number = 1 + self.number.fetch_add(1, Ordering::Relaxed);
        // Somebody who has just gone needs no telling.
        let _ = sender.send(Event { number, crawl, at_ms: (self.now)(), what });
    }
}

/// Tells of every request of a crawl.
pub(super) struct Teller {
    pub(super) hub: Arc<Hub>,
    pub(super) crawl: u32,
}

impl Observer for Teller {
    fn visited(&mut self, visited: &Visited<'_>) {
        if visited.request == Request::Robots || self.hub.visits.receiver_count() == 0 {
            return;
        }
        let (quads, fault) = match visited.came {
            Came::Document { quads, .. } => (quads, None),
            Came::Refusal(fault) => (0, Some(fault.to_string())),
            Came::Redirect(_) | Came::Answer => (0, None),
        };
        let uri = visited.uri.as_str().to_owned();
        let visit = Visit { uri, depth: visited.depth, status: visited.status, quads, fault };
        self.hub.tell(self.crawl, What::Visit(Arc::new(visit)));
    }
}
