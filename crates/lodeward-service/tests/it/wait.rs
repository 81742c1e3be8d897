//! Waiting for something to become true.

use std::time::Duration;

use serde_json::{Value, json};

use crate::house::House;

/// Tries for something to become true.
const TRIES_MAX: u32 = 600;

/// Waits before looking again.
#[expect(clippy::disallowed_methods, reason = "what is waited for happens in its own time")]
pub(crate) async fn a_moment() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// A crawl, when it is as wanted.
pub(crate) async fn crawl_that(house: &House, id: u64, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut looks = tokio::time::interval(Duration::from_millis(50));
    let mut last = Value::Null;
    for _ in 0..TRIES_MAX {
        looks.tick().await;
        let (status, crawl) = house.get(&format!("/api/v1/crawls/{id}")).await;
        assert_eq!(status, 200, "{crawl}");
        assert!(crawl["state"] != "failed", "{crawl}");
        if is_so(&crawl) {
            return crawl;
        }
        last = crawl;
    }
    panic!("the crawl never was as wanted: {last}");
}

/// A crawl, when it is in this state.
pub(crate) async fn crawl_in_state(house: &House, id: u64, state: &str) -> Value {
    crawl_that(house, id, |crawl| crawl["state"] == state).await
}

/// Begins a crawl of the house's world. Returns its number.
pub(crate) async fn begun(house: &House, mut order: Value) -> u64 {
    if order.get("seeds").is_none() {
        order["seeds"] = json!(seeds(house));
    }
    let (status, begun) = house.post("/api/v1/crawls", &order).await;
    assert_eq!(status, 201, "{begun}");
    begun["crawl"]["id"].as_u64().unwrap()
}

/// The seeds of the house's world.
pub(crate) fn seeds(house: &House) -> Vec<String> {
    house.world.seeds().iter().map(ToString::to_string).collect()
}
