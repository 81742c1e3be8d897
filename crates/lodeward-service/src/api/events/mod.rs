//! Events of crawls as server-sent events.
//!
//! A subscriber first gets the current state (`snapshot`), then changes. A slow subscriber
//! never delays the service: it loses events, gets their number (`lagged`), and then a new
//! snapshot. So no events have to be replayed after a reconnect.

mod payload;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{self, KeepAlive};
use futures_util::stream::{self, Stream};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use serde::Deserialize;
use tokio::sync::{broadcast, watch};
use tokio::time::{Interval, MissedTickBehavior};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::payload::EventName;
pub(super) use self::payload::{
    BackupPayload, CrawlEventSchema, ImportedPayload, LaggedPayload, MarkedEventSchema, ProgressEventSchema,
    RequestEventSchema, SnapshotPayload, StateEventSchema,
};
use super::crawls::{self, CrawlPath};
use super::extract::{PathParams, QueryParams};
use crate::gateway::Credential;
use crate::jobs::events::{JobEvent, JobEventKind};
use crate::limits::MAX_SUBSCRIBERS;
use crate::problem::{Problem, ProblemCode};
use crate::role::Role;
use crate::route_rules::RouteRules;
use crate::state::Service;

/// How often a comment is sent if there are no events, so that proxies do not close the
/// connection.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// How often the credential of a subscriber is checked.
const CREDENTIAL_CHECK_INTERVAL: Duration = Duration::from_secs(15);

/// The minimum time between two snapshots for a subscriber, because they may be large.
const MIN_SNAPSHOT_INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let reads = RouteRules::reads(Role::Reader);
    OpenApiRouter::new().routes(reads.on(routes!(stream_all_events))).routes(reads.on(routes!(stream_crawl_events)))
}

/// Options of an event stream.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
struct EventsQuery {
    /// Whether to also send an event for every request of a crawl. These events may be frequent.
    requests: bool,
    /// Maximum number of `request` events per second; further ones are left out. Default: no limit.
    #[param(minimum = 1, value_type = Option<u32>)]
    max_requests_per_second: Option<NonZeroU32>,
}

/// An event of a stream.
#[derive(ToSchema)]
#[schema(as = Event)]
#[expect(dead_code, reason = "the struct only describes events in the OpenAPI document")]
struct EventSchema {
    /// Name of the event.
    event: EventName,
    /// Data of the event, as JSON: the schema is `SnapshotEvent` (in the stream of a crawl `Crawl`),
    /// `StateEvent`, `ProgressEvent`, `RequestEvent`, `MarkedEvent`, `ImportedEvent`, `BackupEvent`,
    /// `LaggedEvent`, and `CrawlEvent` for all others.
    data: String,
    /// Number of the event, counted since the service was started.
    id: String,
}

/// Subscribe to the events of all crawls
///
/// Server-sent events, each with an `id` and JSON as its data: `snapshot` (the state of all
/// crawls; the first event), `state`, `progress` (counters, every second), `ranked`, `marked`,
/// `exported`, `deleted`, `imported`, `backed-up`, `lagged` (the number of lost events), and with
/// `requests=true` `request`. `Last-Event-ID` is ignored: the snapshot has the current state.
#[utoipa::path(
    get, path = "/api/v1/events", tag = "events",
    params(EventsQuery),
    responses(
        (status = 200, description = "Events, until the client disconnects", body = EventSchema, content_type = "text/event-stream"),
        (status = 503, description = "Too many subscribers, or the service is shutting down"),
    ),
)]
async fn stream_all_events(
    State(service): State<Arc<Service>>,
    credential: Credential,
    QueryParams(query): QueryParams<EventsQuery>,
) -> Result<Sse<impl Stream<Item = Result<sse::Event, axum::Error>>>, Problem> {
    event_stream(service, None, query, credential, CREDENTIAL_CHECK_INTERVAL)
}

/// Subscribe to the events of a crawl
///
/// The same events as for all crawls; the first one has the whole crawl. The stream ends
/// after `deleted`.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/events", tag = "events",
    params(CrawlPath, EventsQuery),
    responses(
        (status = 200, description = "Events, until the client disconnects", body = EventSchema, content_type = "text/event-stream"),
        (status = 503, description = "Too many subscribers, or the service is shutting down"),
    ),
)]
async fn stream_crawl_events(
    State(service): State<Arc<Service>>,
    credential: Credential,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(query): QueryParams<EventsQuery>,
) -> Result<Sse<impl Stream<Item = Result<sse::Event, axum::Error>>>, Problem> {
    service.jobs.get(id)?;
    event_stream(service, Some(id), query, credential, CREDENTIAL_CHECK_INTERVAL)
}

fn event_stream(
    service: Arc<Service>,
    crawl: Option<u32>,
    query: EventsQuery,
    credential: Credential,
    check_interval: Duration,
) -> Result<Sse<impl Stream<Item = Result<sse::Event, axum::Error>>>, Problem> {
    let hub = service.jobs.hub();
    if hub.subscriber_count() >= MAX_SUBSCRIBERS {
        let problem = Problem::new(ProblemCode::Unavailable, format!("too many event subscribers ({MAX_SUBSCRIBERS})"));
        return Err(problem.hint("poll the crawl every few seconds instead"));
    }
    let subscriber = EventSubscriber {
        events: hub.subscribe(),
        requests: query.requests.then(|| hub.subscribe_requests()),
        request_rate: query.max_requests_per_second.map(|max| RateLimiter::direct(Quota::per_second(max))),
        closing: service.closing.subscribe(),
        service,
        credential,
        credential_checks: delayed_interval(check_interval),
        crawl,
        next: NextEvent::Snapshot,
        snapshots: delayed_interval(MIN_SNAPSHOT_INTERVAL),
        last_id: 0,
    };
    let events = stream::unfold(subscriber, |mut subscriber| async move {
        let event = subscriber.next().await?;
        Some((event, subscriber))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE_INTERVAL)))
}

/// An interval that ticks at once, and then with at least `time` between two ticks.
fn delayed_interval(time: Duration) -> Interval {
    let mut ticks = tokio::time::interval(time);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// A subscriber of events.
struct EventSubscriber {
    service: Arc<Service>,
    crawl: Option<u32>,
    events: broadcast::Receiver<JobEvent>,
    requests: Option<broadcast::Receiver<JobEvent>>,
    /// Limits the rate of request events.
    request_rate: Option<DefaultDirectRateLimiter>,
    closing: watch::Receiver<bool>,
    /// The credential of the request, which may expire or be revoked.
    credential: Credential,
    credential_checks: Interval,
    next: NextEvent,
    /// Limits the rate of snapshots: a slow subscriber needs a snapshot whenever it has lost events.
    snapshots: Interval,
    /// The ID of the last event sent.
    last_id: u64,
}

/// What the stream sends next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextEvent {
    /// A snapshot.
    Snapshot,
    /// An event.
    Event,
    /// Nothing: the stream has ended.
    End,
}

impl EventSubscriber {
    /// Waits for the next event of the stream; `None` if the stream has ended.
    async fn next(&mut self) -> Option<Result<sse::Event, axum::Error>> {
        match self.next {
            NextEvent::Snapshot => {
                self.next = NextEvent::Event;
                tokio::select! {
                    biased;
                    _ = self.closing.wait_for(|is_closing| *is_closing) => return None,
                    _ = self.snapshots.tick() => {}
                }
                self.snapshot().await
            }
            NextEvent::Event => self.next_event().await,
            NextEvent::End => None,
        }
    }

    async fn snapshot(&self) -> Option<Result<sse::Event, axum::Error>> {
        let event = sse::Event::default().event(EventName::Snapshot.as_str()).id(self.last_id.to_string());
        match self.crawl {
            Some(id) => {
                let view = self.service.jobs.get(id).ok()?;
                Some(event.json_data(crawls::crawl_view(&self.service, view).await.ok()?))
            }
            None => Some(event.json_data(payload::snapshot_payload(self.service.jobs.list()))),
        }
    }

    async fn next_event(&mut self) -> Option<Result<sse::Event, axum::Error>> {
        loop {
            let Self { events, requests, closing, credential_checks, .. } = self;
            let received = tokio::select! {
                biased;
                _ = closing.wait_for(|is_closing| *is_closing) => return None,
                _ = credential_checks.tick() => {
                    if !self.credential.is_valid(&self.service) {
                        return None;
                    }
                    continue;
                }
                received = events.recv() => received,
                received = next_request(requests) => received,
            };
            match received {
                Err(broadcast::error::RecvError::Closed) => return None,
                Err(broadcast::error::RecvError::Lagged(count)) => {
                    self.next = NextEvent::Snapshot;
                    return Some(payload::lagged_event(count, self.last_id));
                }
                Ok(event) if self.crawl.is_some_and(|crawl| event.crawl != Some(crawl)) => {}
                Ok(event) if self.is_above_rate(&event) => {}
                Ok(event) => {
                    self.last_id = event.number;
                    if self.crawl.is_some() && matches!(event.kind, JobEventKind::Deleted) {
                        self.next = NextEvent::End;
                    }
                    return Some(payload::sse_event(&event));
                }
            }
        }
    }
}

impl EventSubscriber {
    /// Whether the event is a request above the rate of this subscriber.
    fn is_above_rate(&self, event: &JobEvent) -> bool {
        let is_request = matches!(event.kind, JobEventKind::Request(_));
        is_request && self.request_rate.as_ref().is_some_and(|rate| rate.check().is_err())
    }
}

/// Waits for the next request event. Never returns if the subscriber has not enabled request
/// events.
async fn next_request(
    requests: &mut Option<broadcast::Receiver<JobEvent>>,
) -> Result<JobEvent, broadcast::error::RecvError> {
    match requests {
        Some(requests) => requests.recv().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::jobs::JobState as CrawlState;
    use crate::state::ServiceOptions;
    use crate::users::{self, Fingerprint, Password, UserName};

    /// The number of events a subscriber may be behind.
    const MAX_LAG: usize = 1_024;

    fn subscribe(service: &Arc<Service>, credential: Credential) -> axum::body::Body {
        let check_interval = Duration::from_millis(20);
        let stream = event_stream(Arc::clone(service), None, EventsQuery::default(), credential, check_interval);
        stream.map(|events| events.into_response().into_body()).unwrap()
    }

    async fn service_in(dir: &std::path::Path) -> Arc<Service> {
        let data_dir = dir.to_owned();
        let options = ServiceOptions {
            data_dir,
            sources: lodeward_app::settings::SettingSources::default(),
            now: || 0,
            no_auth: true,
        };
        tokio::task::spawn_blocking(|| Service::open(options).unwrap()).await.unwrap()
    }

    async fn next(body: &mut axum::body::Body) -> String {
        let frame = body.frame().await.unwrap().unwrap();
        String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_slow_subscriber_gets_the_number_of_lost_events_and_a_snapshot() {
        let dir = tempfile::tempdir().unwrap();
        let service = service_in(dir.path()).await;
        let mut slow = subscribe(&service, Credential::AuthDisabled);
        assert!(next(&mut slow).await.starts_with("event: snapshot\n"));

        for _ in 0..MAX_LAG + 7 {
            service.jobs.hub().publish(1, JobEventKind::State(CrawlState::Running));
        }

        assert_eq!(next(&mut slow).await, "event: lagged\nid: 0\ndata: {\"count\":7}\n\n");
        assert!(next(&mut slow).await.starts_with("event: snapshot\n"));
        assert!(next(&mut slow).await.starts_with("event: state\nid: 8\n"));
        service.close().await;
    }

    #[tokio::test]
    async fn revoking_a_token_ends_its_event_streams() {
        let dir = tempfile::tempdir().unwrap();
        let service = service_in(dir.path()).await;
        let user: UserName = "alice".parse().unwrap();
        service.users.add(&user, Role::Admin, &Password::try_from("battery staple".to_owned()).unwrap()).unwrap();
        let spec = users::TokenSpec { user, name: "t".to_owned(), role: Role::Reader, days: None, parent: None };
        let (token, secret) = service.users.issue_token(spec).unwrap();
        let mut body = subscribe(&service, Credential::Token(Fingerprint::from_secret(secret.reveal()), token.id));
        assert!(next(&mut body).await.starts_with("event: snapshot\n"));
        service.jobs.hub().publish(1, JobEventKind::State(CrawlState::Running));
        assert!(next(&mut body).await.starts_with("event: state\n"));

        service.users.revoke(token.id).unwrap();

        let end = tokio::time::timeout(Duration::from_mins(1), body.frame()).await.expect("the stream ends");
        assert!(end.is_none());
        service.close().await;
    }
}
