//! What happens, as it happens: server-sent events.
//!
//! A listener hears first how everything is (`snapshot`), then what changes. One that
//! is slow holds nobody up: it misses events, hears how many (`missed`), and then how
//! everything is by now. So there is nothing to replay for whoever comes back.

mod tell;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{self, KeepAlive};
use futures_util::stream::{self, Stream};
use serde::Deserialize;
use tokio::sync::{broadcast, watch};
use tokio::time::{Interval, MissedTickBehavior};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::crawls::{self, CrawlPath};
use super::extract::{Path, Query};
use crate::door::Pass;
use crate::fleet::events::{Event, What};
use crate::problem::{Code, Problem};
use crate::service::Service;

/// How many may listen at a time.
const LISTENERS_MAX: usize = 1_000;

/// When nothing happens, a comment is sent this often, so that nobody in between
/// takes the connection for dead.
const COMMENT_INTERVAL: Duration = Duration::from_secs(15);

/// How often it is looked whether somebody may still listen.
const LOOK_INTERVAL: Duration = Duration::from_secs(15);

/// A listener is told how everything is at most this often: that may be long.
const SNAPSHOT_INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(listen_to_all)).routes(routes!(listen_to_one))
}

/// What somebody wants to hear.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
struct Wanted {
    /// Whether every request of a crawl is told, too: that may be very many.
    visits: bool,
}

/// One event of a stream, field by field.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes what is sent")]
struct OneEvent {
    /// What kind of event it is: `snapshot`, `state`, `progress`.
    event: String,
    /// What happened, as JSON.
    data: String,
    /// Its number: events of a process are numbered.
    id: String,
}

/// Listens to all crawls.
///
/// Server-sent events, each with an `id` and JSON as its data: `snapshot` (how all
/// crawls are; the first one), `state`, `progress` (counters, every second),
/// `ranked`, `exported`, `deleted`, `missed` (how many events were not heard), and
/// `visit` if that is asked for. `Last-Event-ID` is not looked at: the snapshot makes
/// up for what was missed.
#[utoipa::path(
    get, path = "/api/v1/events", tag = "events",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(Wanted),
    responses(
        (status = 200, description = "Events, until somebody hangs up", body = OneEvent, content_type = "text/event-stream"),
        (status = 503, description = "Too many listen already, or the service ends"),
    ),
)]
async fn listen_to_all(
    State(service): State<Arc<Service>>,
    pass: Pass,
    Query(wanted): Query<Wanted>,
) -> Result<Sse<impl Stream<Item = Result<sse::Event, axum::Error>>>, Problem> {
    listen(service, None, wanted, pass, LOOK_INTERVAL)
}

/// Listens to one crawl.
///
/// The same events as for all crawls; the first one is the crawl as it is. After
/// `deleted` there are none.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/events", tag = "events",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(CrawlPath, Wanted),
    responses(
        (status = 200, description = "Events, until somebody hangs up", body = OneEvent, content_type = "text/event-stream"),
        (status = 503, description = "Too many listen already, or the service ends"),
    ),
)]
async fn listen_to_one(
    State(service): State<Arc<Service>>,
    pass: Pass,
    Path(CrawlPath { id }): Path<CrawlPath>,
    Query(wanted): Query<Wanted>,
) -> Result<Sse<impl Stream<Item = Result<sse::Event, axum::Error>>>, Problem> {
    service.fleet.get(id)?;
    listen(service, Some(id), wanted, pass, LOOK_INTERVAL)
}

fn listen(
    service: Arc<Service>,
    crawl: Option<u32>,
    wanted: Wanted,
    pass: Pass,
    look_interval: Duration,
) -> Result<Sse<impl Stream<Item = Result<sse::Event, axum::Error>>>, Problem> {
    let hub = service.fleet.hub();
    if hub.listeners() >= LISTENERS_MAX {
        let problem = Problem::new(Code::Unavailable, format!("{LISTENERS_MAX} listen already"));
        return Err(problem.hint("ask for the crawl itself every few seconds instead"));
    }
    let listener = Listener {
        events: hub.listen(),
        visits: wanted.visits.then(|| hub.listen_to_visits()),
        closing: service.closing.subscribe(),
        service,
        pass,
        looks: every(look_interval),
        crawl,
        next: Next::Snapshot,
        snapshots: every(SNAPSHOT_INTERVAL),
        heard: 0,
    };
    let events = stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((event, listener))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(COMMENT_INTERVAL)))
}

/// Ticks now, and then this often at most.
fn every(time: Duration) -> Interval {
    let mut ticks = tokio::time::interval(time);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Somebody who listens.
struct Listener {
    service: Arc<Service>,
    crawl: Option<u32>,
    events: broadcast::Receiver<Event>,
    visits: Option<broadcast::Receiver<Event>>,
    closing: watch::Receiver<bool>,
    /// What they were let in with. It may end before they leave.
    pass: Pass,
    looks: Interval,
    next: Next,
    /// When a snapshot may be told: whoever is slow needs one again and again.
    snapshots: Interval,
    /// The number of the last event that was heard.
    heard: u64,
}

/// What is told next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// How everything is.
    Snapshot,
    /// What happens.
    Event,
    /// Nothing any more.
    End,
}

impl Listener {
    /// The next event, whenever it comes; `None` if there will be none.
    async fn next(&mut self) -> Option<Result<sse::Event, axum::Error>> {
        match self.next {
            Next::Snapshot => {
                self.next = Next::Event;
                tokio::select! {
                    biased;
                    _ = self.closing.wait_for(|is_closing| *is_closing) => return None,
                    _ = self.snapshots.tick() => {}
                }
                self.snapshot().await
            }
            Next::Event => self.event().await,
            Next::End => None,
        }
    }

    async fn snapshot(&self) -> Option<Result<sse::Event, axum::Error>> {
        let event = sse::Event::default().event("snapshot").id(self.heard.to_string());
        match self.crawl {
            Some(id) => {
                let view = self.service.fleet.get(id).ok()?;
                Some(event.json_data(crawls::told(&self.service, view).await.ok()?))
            }
            None => Some(event.json_data(tell::all(&self.service.fleet.list()))),
        }
    }

    async fn event(&mut self) -> Option<Result<sse::Event, axum::Error>> {
        loop {
            let Self { events, visits, closing, looks, .. } = self;
            let received = tokio::select! {
                biased;
                _ = closing.wait_for(|is_closing| *is_closing) => return None,
                _ = looks.tick() => {
                    if !self.pass.holds(&self.service) {
                        return None;
                    }
                    continue;
                }
                received = events.recv() => received,
                received = heard(visits) => received,
            };
            match received {
                Err(broadcast::error::RecvError::Closed) => return None,
                Err(broadcast::error::RecvError::Lagged(count)) => {
                    self.next = Next::Snapshot;
                    return Some(tell::missed(count, self.heard));
                }
                Ok(event) if self.crawl.is_some_and(|crawl| crawl != event.crawl) => {}
                Ok(event) => {
                    self.heard = event.number;
                    if self.crawl.is_some() && matches!(event.what, What::Deleted) {
                        self.next = Next::End;
                    }
                    return Some(tell::event(&event));
                }
            }
        }
    }
}

/// The next visit; never, for who does not want to hear of them.
async fn heard(visits: &mut Option<broadcast::Receiver<Event>>) -> Result<Event, broadcast::error::RecvError> {
    match visits {
        Some(visits) => visits.recv().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::fleet::State as CrawlState;
    use crate::people::{self, Fingerprint, Name, Password};
    use crate::role::Role;
    use crate::service::Options;

    /// Events that a listener may be behind.
    const BEHIND_MAX: usize = 1_024;

    fn listener(service: &Arc<Service>, pass: Pass) -> axum::body::Body {
        let listening = listen(Arc::clone(service), None, Wanted::default(), pass, Duration::from_millis(20));
        listening.map(|events| events.into_response().into_body()).unwrap()
    }

    async fn service_in(folder: &std::path::Path) -> Arc<Service> {
        let data = folder.to_owned();
        let options = Options { data, sources: lodeward::config::Sources::default(), now: || 0, no_auth: true };
        tokio::task::spawn_blocking(|| Service::open(options).unwrap()).await.unwrap()
    }

    async fn next(body: &mut axum::body::Body) -> String {
        let frame = body.frame().await.unwrap().unwrap();
        String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn who_is_slow_hears_how_many_were_missed_and_how_it_is_by_now() {
        let folder = tempfile::tempdir().unwrap();
        let service = service_in(folder.path()).await;
        let mut slow = listener(&service, Pass::Machine);
        assert!(next(&mut slow).await.starts_with("event: snapshot\n"));

        for _ in 0..BEHIND_MAX + 7 {
            service.fleet.hub().tell(1, What::State(CrawlState::Running));
        }

        assert_eq!(next(&mut slow).await, "event: missed\nid: 0\ndata: {\"count\":7}\n\n");
        assert!(next(&mut slow).await.starts_with("event: snapshot\n"));
        assert!(next(&mut slow).await.starts_with("event: state\nid: 8\n"));
        service.close().await;
    }

    #[tokio::test]
    async fn whose_token_is_revoked_hears_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let service = service_in(folder.path()).await;
        let user: Name = "alice".parse().unwrap();
        service.people.add(&user, Role::Admin, &Password::try_from("battery staple".to_owned()).unwrap()).unwrap();
        let wanted = people::Wanted { user, name: "t".to_owned(), role: Role::Reader, days: None, by: None };
        let (token, secret) = service.people.give_token(wanted).unwrap();
        let mut body = listener(&service, Pass::Token(Fingerprint::of(secret.reveal()), token.id));
        assert!(next(&mut body).await.starts_with("event: snapshot\n"));
        service.fleet.hub().tell(1, What::State(CrawlState::Running));
        assert!(next(&mut body).await.starts_with("event: state\n"));

        service.people.revoke(token.id).unwrap();

        let end = tokio::time::timeout(Duration::from_mins(1), body.frame()).await.expect("it ends");
        assert!(end.is_none());
        service.close().await;
    }
}
