//! Helpers that start crawls and wait for their states.

use std::time::Duration;

use serde_json::{Value, json};

use crate::test_server::TestServer;

/// The maximum number of polls.
const MAX_POLLS: u32 = 600;

/// The delay between two polls.
#[expect(clippy::disallowed_methods, reason = "the tests poll a running service")]
pub(crate) async fn poll_delay() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Waits until a crawl matches.
pub(crate) async fn wait_for_crawl(server: &TestServer, id: u64, matches: impl Fn(&Value) -> bool) -> Value {
    let mut ticks = tokio::time::interval(Duration::from_millis(50));
    let mut last = Value::Null;
    for _ in 0..MAX_POLLS {
        ticks.tick().await;
        let (status, crawl) = server.get(&format!("/api/v1/crawls/{id}")).await;
        assert_eq!(status, 200, "{crawl}");
        assert!(crawl["state"] != "failed", "{crawl}");
        if matches(&crawl) {
            return crawl;
        }
        last = crawl;
    }
    panic!("timeout: {last}");
}

/// Waits until a crawl is in this state.
pub(crate) async fn wait_for_state(server: &TestServer, id: u64, state: &str) -> Value {
    wait_for_crawl(server, id, |crawl| crawl["state"] == state).await
}

/// Starts a crawl of the world. Returns its ID.
pub(crate) async fn start_crawl(server: &TestServer, mut order: Value) -> u64 {
    if order.get("seeds").is_none() {
        order["seeds"] = json!(seeds(server));
    }
    let (status, started) = server.post("/api/v1/crawls", &order).await;
    assert_eq!(status, 201, "{started}");
    started["crawl"]["id"].as_u64().unwrap()
}

/// The seeds of the world.
pub(crate) fn seeds(server: &TestServer) -> Vec<String> {
    server.world.seeds().iter().map(ToString::to_string).collect()
}
