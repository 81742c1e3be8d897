//! Events of crawls, broadcast to subscribers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lodeward::engine::{CrawlSnapshot, Observer, RequestKind, RequestOutcome, RequestRecord};
use lodeward_app::crawl_dir::NowMs;
use prometheus_client::metrics::histogram::Histogram;
use tokio::sync::broadcast;

use super::state::JobState;

/// The number of events that a slow subscriber may lag behind before it loses events.
const MAX_LAG: usize = 1_024;

/// The maximum length of a media type in an event: it comes from a crawled server.
const MAX_MEDIA_TYPE_CHARS: usize = 100;

/// An event of a crawl.
#[derive(Clone, Debug)]
pub(crate) struct JobEvent {
    /// Number of the event in this process, from 1.
    pub(crate) number: u64,
    /// ID of the crawl; `None` if the event is about the whole service.
    pub(crate) crawl: Option<u32>,
    /// Time of the event, in milliseconds since the Unix epoch.
    pub(crate) at_ms: u64,
    /// What happened.
    pub(crate) kind: JobEventKind,
}

/// The kinds of events.
#[derive(Clone, Debug)]
pub(crate) enum JobEventKind {
    /// The state of the crawl changed.
    State(JobState),
    /// The counters of a running crawl, published every second.
    Progress(Arc<CrawlSnapshot>),
    /// A request ended.
    Request(Arc<RequestEvent>),
    /// The candidates were ranked.
    Ranked,
    /// A user has changed marks.
    Marked(Arc<MarkedEvent>),
    /// The crawl was exported to the archive.
    Exported,
    /// The crawl was deleted.
    Deleted,
    /// Instance data was imported.
    Imported(Arc<ImportedEvent>),
    /// A backup was written, or failed.
    BackedUp(Arc<BackupEvent>),
}

/// An import.
#[derive(Clone, Debug)]
pub(crate) struct ImportedEvent {
    /// Name of the import.
    pub(crate) name: String,
    /// Number of statements.
    pub(crate) statements: u64,
    /// The crawls that rules have started.
    pub(crate) crawls: Vec<u32>,
}

/// The end of a backup.
#[derive(Clone, Debug)]
pub(crate) struct BackupEvent {
    /// Name of the backup.
    pub(crate) name: String,
    /// Whether the backup failed.
    pub(crate) has_failed: bool,
}

/// A change of marks.
#[derive(Clone, Debug)]
pub(crate) struct MarkedEvent {
    /// The user.
    pub(crate) by: String,
    /// The mark that was set: `keep` or `drop`; `None` if marks were removed, or for an undo.
    pub(crate) mark: Option<&'static str>,
    /// Whether an earlier change was undone.
    pub(crate) is_undo: bool,
    /// Number of changed marks.
    pub(crate) count: usize,
    /// The first changed entities; empty for an undo.
    pub(crate) entities: Vec<String>,
}

/// A request that ended.
#[derive(Clone, Debug)]
pub(crate) struct RequestEvent {
    /// The requested URI.
    pub(crate) uri: String,
    /// Number of links from the nearest seed.
    pub(crate) depth: u16,
    /// The status code, if there was a response.
    pub(crate) status: Option<u16>,
    /// Number of quads extracted from the response.
    pub(crate) quads: u64,
    /// The fault, if there was one.
    pub(crate) fault: Option<String>,
    /// The `Content-Type` field, without parameters.
    pub(crate) media_type: Option<String>,
    /// Size of the body in bytes.
    pub(crate) bytes: u64,
    /// Duration of the request.
    pub(crate) elapsed: Duration,
}

/// Broadcasts events. A slow subscriber never blocks a crawl.
pub(crate) struct EventHub {
    now: NowMs,
    number: AtomicU64,
    sender: broadcast::Sender<JobEvent>,
    /// Request events have their own channel, because they are frequent and few subscribers use
    /// them.
    requests: broadcast::Sender<JobEvent>,
}

impl EventHub {
    pub(super) fn new(now: NowMs) -> Self {
        let channel = || broadcast::channel(MAX_LAG).0;
        Self { now, number: AtomicU64::new(0), sender: channel(), requests: channel() }
    }

    /// Subscribes to all events from now on, except request events.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<JobEvent> {
        self.sender.subscribe()
    }

    /// Subscribes to request events from now on.
    pub(crate) fn subscribe_requests(&self) -> broadcast::Receiver<JobEvent> {
        self.requests.subscribe()
    }

    /// The number of subscribers.
    pub(crate) fn subscriber_count(&self) -> usize {
        self.sender.receiver_count()
    }

    pub(crate) fn publish(&self, crawl: impl Into<Option<u32>>, kind: JobEventKind) {
        let sender = if matches!(kind, JobEventKind::Request(_)) { &self.requests } else { &self.sender };
        if sender.receiver_count() == 0 {
            return;
        }
        let number = 1 + self.number.fetch_add(1, Ordering::Relaxed);
        // Sending fails only if the last subscriber has just disconnected.
        let _ = sender.send(JobEvent { number, crawl: crawl.into(), at_ms: (self.now)(), kind });
    }
}

/// Publishes every request of a crawl.
pub(super) struct EventObserver {
    pub(super) hub: Arc<EventHub>,
    pub(super) crawl: u32,
    /// Durations of requests.
    pub(super) seconds: Histogram,
}

impl Observer for EventObserver {
    fn request_finished(&mut self, record: &RequestRecord<'_>) {
        self.seconds.observe(record.elapsed.as_secs_f64());
        if record.kind == RequestKind::Robots || self.hub.requests.receiver_count() == 0 {
            return;
        }
        let (quads, fault) = match record.outcome {
            RequestOutcome::Document { quads, .. } => (quads, None),
            RequestOutcome::Failure(fault) => (0, Some(fault.to_string())),
            RequestOutcome::Redirect(_) | RequestOutcome::Response => (0, None),
        };
        let uri = record.uri.as_str().to_owned();
        let media_type = record.content_type.map(|field| field.split(';').next().unwrap_or_default().trim().to_owned());
        let event = RequestEvent {
            uri,
            depth: record.depth,
            status: record.status,
            quads,
            fault,
            media_type: media_type.map(|name| name.chars().take(MAX_MEDIA_TYPE_CHARS).collect()),
            bytes: record.bytes,
            elapsed: record.elapsed,
        };
        self.hub.publish(self.crawl, JobEventKind::Request(Arc::new(event)));
    }
}
