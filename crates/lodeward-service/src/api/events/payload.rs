//! The data of server-sent events.

use axum::response::sse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::crawls::view::CrawlCounters;
use crate::api::timestamp::Timestamp;
use crate::jobs::events::{BackupEvent, ImportedEvent, JobEvent, JobEventKind, MarkedEvent, RequestEvent};
use crate::jobs::{JobState, JobView};

/// The name of an event.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
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
    /// A user has changed marks.
    Marked,
    /// The crawl was exported to the archive.
    Exported,
    /// The crawl was deleted.
    Deleted,
    /// Instance data was imported.
    Imported,
    /// A backup has ended.
    BackedUp,
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
            Self::Marked => "marked",
            Self::Exported => "exported",
            Self::Deleted => "deleted",
            Self::Imported => "imported",
            Self::BackedUp => "backed-up",
            Self::Lagged => "lagged",
        }
    }
}

/// Data of `snapshot` in the stream of all crawls.
#[derive(Serialize, ToSchema)]
#[schema(as = SnapshotEvent)]
pub(in crate::api) struct SnapshotPayload {
    /// All crawls.
    crawls: Vec<CrawlBrief>,
}

/// A crawl in a snapshot.
#[derive(Serialize, ToSchema)]
struct CrawlBrief {
    /// ID of the crawl.
    id: u32,
    /// Name of the crawl.
    name: String,
    /// State of the crawl.
    state: JobState,
}

pub(super) fn snapshot_payload(views: Vec<JobView>) -> SnapshotPayload {
    let brief = |JobView { id, name, state, .. }: JobView| CrawlBrief { id, name, state };
    SnapshotPayload { crawls: views.into_iter().map(brief).collect() }
}

/// The fields that all events of crawls have, and those of the event.
#[derive(Serialize)]
struct EventPayload<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    crawl: Option<u32>,
    at: Timestamp,
    #[serde(flatten)]
    kind: T,
}

/// Declares the data of an event, with the fields that all events have for the OpenAPI document.
macro_rules! event_data {
    ($(#[$meta:meta])* $Payload:ident as $schema:ident, $Schema:ident { $($(#[$field_meta:meta])* $field:ident: $Type:ty,)* }) => {
        #[derive(Serialize)]
        struct $Payload { $($(#[$field_meta])* $field: $Type,)* }

        $(#[$meta])*
        #[derive(ToSchema)]
        #[schema(as = $schema)]
        #[expect(dead_code, reason = "the struct only describes an event in the OpenAPI document")]
        pub(in crate::api) struct $Schema {
            /// ID of the crawl.
            crawl: u32,
            /// When it happened.
            at: Timestamp,
            $($(#[$field_meta])* $field: $Type,)*
        }
    };
}

event_data! {
    /// Data of `state`.
    StatePayload as StateEvent, StateEventSchema {
        /// State of the crawl.
        state: JobState,
    }
}

event_data! {
    /// Data of `progress`.
    ProgressPayload as ProgressEvent, ProgressEventSchema {
        /// Counters of the crawl.
        counters: CrawlCounters,
    }
}

event_data! {
    /// Data of `request`.
    RequestPayload as RequestEvent, RequestEventSchema {
        /// Requested URI.
        uri: String,
        /// Number of links from the nearest seed.
        depth: u16,
        /// HTTP status, if there was a response.
        status: Option<u16>,
        /// Number of quads in the response.
        quads: u64,
        /// Fault, if there was one.
        fault: Option<String>,
        /// Media type of the response.
        media_type: Option<String>,
        /// Size of the body in bytes, after decompression.
        bytes: u64,
        /// Duration of the request.
        elapsed_seconds: f64,
    }
}

event_data! {
    /// Data of `marked`.
    MarkedPayload as MarkedEvent, MarkedEventSchema {
        /// User that changed the marks.
        by: String,
        /// Mark that was set: `keep` or `drop`; null if marks were removed, or for an undo.
        mark: Option<String>,
        /// Whether an earlier change was undone. Then the client should read the candidates again.
        undo: bool,
        /// Number of changed marks.
        count: usize,
        /// The first 100 changed entities; empty for an undo.
        entities: Vec<String>,
    }
}

event_data! {
    /// Data of `ranked`, `exported` and `deleted`.
    EmptyPayload as CrawlEvent, CrawlEventSchema {}
}

/// Data of `imported`.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportedEvent)]
pub(in crate::api) struct ImportedPayload {
    /// Name of the import.
    name: String,
    /// Number of statements.
    statements: u64,
    /// IDs of the crawls that rules have started.
    crawls: Vec<u32>,
}

/// Data of `backed-up`.
#[derive(Serialize, ToSchema)]
#[schema(as = BackupEvent)]
pub(in crate::api) struct BackupPayload {
    /// Name of the backup.
    name: String,
    /// Whether the backup failed.
    failed: bool,
}

/// Data of `lagged`.
#[derive(Serialize, ToSchema)]
#[schema(as = LaggedEvent)]
pub(in crate::api) struct LaggedPayload {
    /// Number of lost events.
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
        JobEventKind::Marked(marked) => payload_event(event, EventName::Marked, marked_payload(marked)),
        JobEventKind::Exported => payload_event(event, EventName::Exported, EmptyPayload {}),
        JobEventKind::Deleted => payload_event(event, EventName::Deleted, EmptyPayload {}),
        JobEventKind::Imported(imported) => {
            let ImportedEvent { name, statements, crawls } = ImportedEvent::clone(imported);
            payload_event(event, EventName::Imported, ImportedPayload { name, statements, crawls })
        }
        JobEventKind::BackedUp(backup) => {
            let BackupEvent { name, has_failed } = BackupEvent::clone(backup);
            payload_event(event, EventName::BackedUp, BackupPayload { name, failed: has_failed })
        }
    }
}

fn request_payload(event: &RequestEvent) -> RequestPayload {
    let RequestEvent { uri, depth, status, quads, fault, media_type, bytes, elapsed } = event.clone();
    let elapsed_seconds = elapsed.as_secs_f64();
    RequestPayload { uri, depth, status, quads, fault, media_type, bytes, elapsed_seconds }
}

fn marked_payload(event: &MarkedEvent) -> MarkedPayload {
    let MarkedEvent { by, mark, is_undo, count, entities } = event.clone();
    MarkedPayload { by, mark: mark.map(str::to_owned), undo: is_undo, count, entities }
}

fn payload_event(event: &JobEvent, name: EventName, kind: impl Serialize) -> Result<sse::Event, axum::Error> {
    let data = EventPayload { crawl: event.crawl, at: Timestamp::from_ms(event.at_ms), kind };
    sse::Event::default().event(name.as_str()).id(event.number.to_string()).json_data(data)
}

/// The event for a subscriber that was too slow and lost events.
pub(super) fn lagged_event(count: u64, last_id: u64) -> Result<sse::Event, axum::Error> {
    sse::Event::default().event(EventName::Lagged.as_str()).id(last_id.to_string()).json_data(LaggedPayload { count })
}
