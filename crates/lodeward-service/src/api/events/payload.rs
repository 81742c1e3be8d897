//! The data of server-sent events.

use axum::response::sse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::crawls::view::CrawlCounters;
use crate::api::timestamp::Timestamp;
use crate::jobs::events::{JobEvent, JobEventKind, RequestEvent};
use crate::jobs::{JobState, JobView};

/// The name of an event.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum EventName {
    /// The current state of all crawls, or of the crawl.
    Snapshot,
    /// The state of a crawl changed.
    State,
    /// The counters of a running crawl.
    Progress,
    /// A request ended.
    Request,
    /// The candidates were ranked.
    Ranked,
    /// The crawl was exported to the archive.
    Exported,
    /// The crawl was deleted.
    Deleted,
    /// Events were lost, because the client was too slow.
    Lagged,
}

impl EventName {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::State => "state",
            Self::Progress => "progress",
            Self::Request => "request",
            Self::Ranked => "ranked",
            Self::Exported => "exported",
            Self::Deleted => "deleted",
            Self::Lagged => "lagged",
        }
    }
}

/// The data of a snapshot: the state of all crawls.
#[derive(Serialize)]
pub(super) struct SnapshotPayload<'a> {
    crawls: Vec<CrawlBrief<'a>>,
}

#[derive(Serialize)]
struct CrawlBrief<'a> {
    id: u32,
    name: &'a str,
    state: JobState,
}

pub(super) fn snapshot_payload(views: &[JobView]) -> SnapshotPayload<'_> {
    SnapshotPayload { crawls: views.iter().map(CrawlBrief::from_view).collect() }
}

impl<'a> CrawlBrief<'a> {
    fn from_view(view: &'a JobView) -> Self {
        Self { id: view.id, name: &view.name, state: view.state }
    }
}

/// The fields that all events have: crawl and time.
#[derive(Serialize)]
struct EventPayload<T> {
    crawl: u32,
    at: Timestamp,
    #[serde(flatten)]
    kind: T,
}

#[derive(Serialize)]
struct StatePayload {
    state: JobState,
}

#[derive(Serialize)]
struct ProgressPayload {
    counters: CrawlCounters,
}

#[derive(Serialize)]
struct RequestPayload<'a> {
    uri: &'a str,
    depth: u16,
    status: Option<u16>,
    quads: u64,
    fault: Option<&'a str>,
}

#[derive(Serialize)]
struct EmptyPayload {}

#[derive(Serialize)]
struct LaggedPayload {
    count: u64,
}

/// An event with its name, ID and data.
pub(super) fn sse_event(event: &JobEvent) -> Result<sse::Event, axum::Error> {
    match &event.kind {
        JobEventKind::State(state) => payload_event(event, EventName::State, StatePayload { state: *state }),
        JobEventKind::Progress(snapshot) => payload_event(
            event,
            EventName::Progress,
            ProgressPayload { counters: CrawlCounters::from_snapshot(snapshot) },
        ),
        JobEventKind::Request(request) => payload_event(event, EventName::Request, request_payload(request)),
        JobEventKind::Ranked => payload_event(event, EventName::Ranked, EmptyPayload {}),
        JobEventKind::Exported => payload_event(event, EventName::Exported, EmptyPayload {}),
        JobEventKind::Deleted => payload_event(event, EventName::Deleted, EmptyPayload {}),
    }
}

fn request_payload(event: &RequestEvent) -> RequestPayload<'_> {
    let RequestEvent { uri, depth, status, quads, fault } = event;
    RequestPayload { uri, depth: *depth, status: *status, quads: *quads, fault: fault.as_deref() }
}

fn payload_event(event: &JobEvent, name: EventName, kind: impl Serialize) -> Result<sse::Event, axum::Error> {
    let data = EventPayload { crawl: event.crawl, at: Timestamp::from_ms(event.at_ms), kind };
    sse::Event::default().event(name.as_str()).id(event.number.to_string()).json_data(data)
}

/// The event for a subscriber that was too slow and lost events.
pub(super) fn lagged_event(count: u64, last_id: u64) -> Result<sse::Event, axum::Error> {
    sse::Event::default().event(EventName::Lagged.as_str()).id(last_id.to_string()).json_data(LaggedPayload { count })
}
