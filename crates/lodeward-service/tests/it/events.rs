//! Event streams over HTTP.

use std::time::Duration;

use serde_json::{Value, json};

use crate::crawl_helpers::{start_crawl, wait_for_state};
use crate::test_server::TestServer;

/// A subscriber of an event stream.
struct Subscriber {
    response: reqwest::Response,
    text: String,
}

/// An event: name, ID, data.
type Event = (String, u64, Value);

impl Subscriber {
    async fn new(server: &TestServer, path: &str) -> Self {
        let response = server.client.get(server.url(path)).send().await.unwrap();
        assert_eq!(
            (response.status().as_u16(), &response.headers()["content-type"]),
            (200, &"text/event-stream".parse().unwrap())
        );
        Self { response, text: String::new() }
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
            let chunk = tokio::time::timeout(Duration::from_mins(1), self.response.chunk()).await.unwrap().unwrap()?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// The first event that matches; others are skipped.
    async fn until(&mut self, matches: impl Fn(&Event) -> bool) -> Event {
        loop {
            let event = self.next().await.expect("the stream does not end");
            if matches(&event) {
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
async fn a_subscriber_gets_a_snapshot_and_then_changes() {
    let server = TestServer::without_auth().await;
    let mut all = Subscriber::new(&server, "/api/v1/events?requests=true").await;
    assert_eq!(all.next().await.unwrap(), ("snapshot".to_owned(), 0, json!({"crawls": []})));

    let id = start_crawl(&server, json!({"limits": {"max_documents": 1_000}})).await;
    let mut one = Subscriber::new(&server, &format!("/api/v1/crawls/{id}/events")).await;

    let (name, _, snapshot) = one.next().await.unwrap();
    assert_eq!((name.as_str(), &snapshot["id"]), ("snapshot", &id.into()));
    let (_, _, request) = all.until(|(name, ..)| name == "request").await;
    assert!(request["crawl"] == id && request["uri"].is_string() && request["at"].is_string(), "{request}");
    let (_, _, progress) = one.until(|(name, ..)| name == "progress").await;
    assert!(progress["counters"]["requests"].is_u64(), "{progress}");
    for subscriber in [&mut all, &mut one] {
        subscriber.until(|(name, _, data)| name == "state" && data["state"] == "finished").await;
    }
    let deleted = server.client.delete(server.url(&format!("/api/v1/crawls/{id}"))).send().await.unwrap();
    assert_eq!(deleted.status(), 204);
    one.until(|(name, ..)| name == "deleted").await;
    assert_eq!(one.next().await, None);
    all.until(|(name, _, data)| name == "deleted" && data["crawl"] == id).await;
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_does_not_read_delays_no_other() {
    let server = TestServer::without_auth().await;
    let _unread = Subscriber::new(&server, "/api/v1/events?requests=true").await;
    let mut other = Subscriber::new(&server, "/api/v1/events").await;

    let id = start_crawl(&server, json!({"limits": {"max_documents": 1_500}})).await;

    wait_for_state(&server, id, "finished").await;
    let mut numbers = Vec::new();
    loop {
        let (name, number, data) = other.next().await.unwrap();
        assert!(name != "request" && name != "lagged", "{name}: {data}");
        numbers.push(number);
        if data["state"] == "finished" {
            break;
        }
    }
    assert!(numbers.is_sorted(), "{numbers:?}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_ends_event_streams() {
    let server = TestServer::without_auth().await;
    let mut subscriber = Subscriber::new(&server, "/api/v1/events").await;
    subscriber.next().await.unwrap();

    let (ended, ()) = tokio::join!(subscriber.next(), server.close());

    assert_eq!(ended, None);
}
