//! The data of server-sent events.

use axum::response::sse;
use serde::Serialize;

use crate::api::crawls::view::CrawlCounters;
use crate::api::timestamp::Timestamp;
use crate::jobs::events::{JobEvent, JobEventKind, RequestEvent};
use crate::jobs::{JobState, JobView};

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
        JobEventKind::State(state) => payload_event(event, "state", StatePayload { state: *state }),
        JobEventKind::Progress(snapshot) => {
            payload_event(event, "progress", ProgressPayload { counters: CrawlCounters::from_snapshot(snapshot) })
        }
        JobEventKind::Request(request) => payload_event(event, "request", request_payload(request)),
        JobEventKind::Ranked => payload_event(event, "ranked", EmptyPayload {}),
        JobEventKind::Exported => payload_event(event, "exported", EmptyPayload {}),
        JobEventKind::Deleted => payload_event(event, "deleted", EmptyPayload {}),
    }
}

fn request_payload(event: &RequestEvent) -> RequestPayload<'_> {
    let RequestEvent { uri, depth, status, quads, fault } = event;
    RequestPayload { uri, depth: *depth, status: *status, quads: *quads, fault: fault.as_deref() }
}

fn payload_event(event: &JobEvent, name: &str, kind: impl Serialize) -> Result<sse::Event, axum::Error> {
    let data = EventPayload { crawl: event.crawl, at: Timestamp::from_ms(event.at_ms), kind };
    sse::Event::default().event(name).id(event.number.to_string()).json_data(data)
}

/// The event for a subscriber that was too slow and lost events.
pub(super) fn lagged_event(count: u64, last_id: u64) -> Result<sse::Event, axum::Error> {
    sse::Event::default().event("lagged").id(last_id.to_string()).json_data(LaggedPayload { count })
}
