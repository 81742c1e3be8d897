//! Events as listeners get them.

use axum::response::sse;
use serde::Serialize;

use crate::api::crawls::view::Counters;
use crate::api::moment::Moment;
use crate::fleet::events::{Event, Visit, What};
use crate::fleet::{State, View};

/// All crawls, in short.
#[derive(Serialize)]
pub(super) struct All<'a> {
    crawls: Vec<Brief<'a>>,
}

#[derive(Serialize)]
struct Brief<'a> {
    id: u32,
    name: &'a str,
    state: State,
}

pub(super) fn all(views: &[View]) -> All<'_> {
    All { crawls: views.iter().map(Brief::of).collect() }
}

impl<'a> Brief<'a> {
    fn of(view: &'a View) -> Self {
        Self { id: view.id, name: &view.name, state: view.state }
    }
}

/// What every event says: which crawl, and when.
#[derive(Serialize)]
struct Told<T> {
    crawl: u32,
    at: Moment,
    #[serde(flatten)]
    what: T,
}

#[derive(Serialize)]
struct InState {
    state: State,
}

#[derive(Serialize)]
struct Progress {
    counters: Counters,
}

#[derive(Serialize)]
struct Visited<'a> {
    uri: &'a str,
    depth: u16,
    status: Option<u16>,
    quads: u64,
    fault: Option<&'a str>,
}

#[derive(Serialize)]
struct Nothing {}

#[derive(Serialize)]
struct Missed {
    count: u64,
}

/// An event with its name, its number and its data.
pub(super) fn event(event: &Event) -> Result<sse::Event, axum::Error> {
    match &event.what {
        What::State(state) => told(event, "state", InState { state: *state }),
        What::Progress(snapshot) => told(event, "progress", Progress { counters: Counters::of(snapshot) }),
        What::Visit(visit) => told(event, "visit", visited(visit)),
        What::Ranked => told(event, "ranked", Nothing {}),
        What::Exported => told(event, "exported", Nothing {}),
        What::Deleted => told(event, "deleted", Nothing {}),
    }
}

fn visited(visit: &Visit) -> Visited<'_> {
    let Visit { uri, depth, status, quads, fault } = visit;
    Visited { uri, depth: *depth, status: *status, quads: *quads, fault: fault.as_deref() }
}

fn told(event: &Event, name: &str, what: impl Serialize) -> Result<sse::Event, axum::Error> {
    let data = Told { crawl: event.crawl, at: Moment::of_ms(event.at_ms), what };
    sse::Event::default().event(name).id(event.number.to_string()).json_data(data)
}

/// That a listener was too slow for some.
pub(super) fn missed(count: u64, heard: u64) -> Result<sse::Event, axum::Error> {
    sse::Event::default().event("missed").id(heard.to_string()).json_data(Missed { count })
}
