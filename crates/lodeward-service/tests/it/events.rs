//! Events over HTTP.

use std::time::Duration;

use serde_json::{Value, json};

use crate::house::House;
use crate::wait::{begun, crawl_in_state};

/// Somebody who listens.
struct Listener {
    answer: reqwest::Response,
    text: String,
}

/// An event: its name, its number, its data.
type Event = (String, u64, Value);

impl Listener {
    async fn to(house: &House, path: &str) -> Self {
        let answer = house.client.get(house.url(path)).send().await.unwrap();
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["content-type"]),
            (200, &"text/event-stream".parse().unwrap())
        );
        Self { answer, text: String::new() }
    }

    /// The next event; `None` if the stream has ended.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                if let Some(event) = parsed(&event) {
                    return Some(event);
                }
                continue;
            }
            let chunk = tokio::time::timeout(Duration::from_mins(1), self.answer.chunk()).await.unwrap().unwrap()?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// The first event of which this is true; those before it are passed over.
    async fn until(&mut self, is_so: impl Fn(&Event) -> bool) -> Event {
        loop {
            let event = self.next().await.expect("the stream goes on");
            if is_so(&event) {
                return event;
            }
        }
    }
}

/// An event from its lines; `None` for a comment.
fn parsed(text: &str) -> Option<Event> {
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let data = serde_json::from_str(field("data")?).unwrap();
    Some((field("event")?.to_owned(), field("id")?.parse().unwrap(), data))
}

#[tokio::test(flavor = "multi_thread")]
async fn listeners_hear_how_it_is_and_what_changes() {
    let house = House::open().await;
    let mut all = Listener::to(&house, "/api/v1/events?visits=true").await;
    assert_eq!(all.next().await.unwrap(), ("snapshot".to_owned(), 0, json!({"crawls": []})));

    let id = begun(&house, json!({"limits": {"max_documents": 1_000}})).await;
    let mut one = Listener::to(&house, &format!("/api/v1/crawls/{id}/events")).await;

    let (name, _, snapshot) = one.next().await.unwrap();
    assert_eq!((name.as_str(), &snapshot["id"]), ("snapshot", &id.into()));
    let (_, _, visit) = all.until(|(name, ..)| name == "visit").await;
    assert!(visit["crawl"] == id && visit["uri"].is_string() && visit["at"].is_string(), "{visit}");
    let (_, _, progress) = one.until(|(name, ..)| name == "progress").await;
    assert!(progress["counters"]["requests"].is_u64(), "{progress}");
    for listener in [&mut all, &mut one] {
        listener.until(|(name, _, data)| name == "state" && data["state"] == "finished").await;
    }
    let deleted = house.client.delete(house.url(&format!("/api/v1/crawls/{id}"))).send().await.unwrap();
    assert_eq!(deleted.status(), 204);
    one.until(|(name, ..)| name == "deleted").await;
    assert_eq!(one.next().await, None);
    all.until(|(name, _, data)| name == "deleted" && data["crawl"] == id).await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_that_does_not_listen_holds_nobody_up() {
    let house = House::open().await;
    let _deaf = Listener::to(&house, "/api/v1/events?visits=true").await;
    let mut other = Listener::to(&house, "/api/v1/events").await;

    let id = begun(&house, json!({"limits": {"max_documents": 1_500}})).await;

    crawl_in_state(&house, id, "finished").await;
    let mut numbers = Vec::new();
    loop {
        let (name, number, data) = other.next().await.unwrap();
        assert!(name != "visit" && name != "missed", "{name}: {data}");
        numbers.push(number);
        if data["state"] == "finished" {
            break;
        }
    }
    assert!(numbers.is_sorted(), "{numbers:?}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_ends_does_not_wait_for_listeners() {
    let house = House::open().await;
    let mut listener = Listener::to(&house, "/api/v1/events").await;
    listener.next().await.unwrap();

    let (ended, ()) = tokio::join!(listener.next(), house.close());

    assert_eq!(ended, None);
}
