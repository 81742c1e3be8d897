//! Why somebody has to wait, told while a crawl runs.

use std::sync::Arc;

use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};
use toyweb::{Body, Conduct, Request, Response, Web};

use crate::house::{House, Plan};
use crate::wait::{a_moment, begun};

/// Servers that let others wait, each in its own way.
struct Slow;

impl Web for Slow {
    fn respond(&self, request: &Request) -> Response {
        let (host, path) = (request.url.host_str().unwrap_or_default(), request.url.path());
        let (status, retry_after, body) = match (host, path) {
            ("slow.example", "/robots.txt") => (StatusCode::OK, None, "User-agent: *\nCrawl-delay: 600\n"),
            ("broken.example", _) => (StatusCode::SERVICE_UNAVAILABLE, None, ""),
            ("busy.example", "/1") => (StatusCode::SERVICE_UNAVAILABLE, Some("600"), ""),
            _ => (StatusCode::NOT_FOUND, None, ""),
        };
        let headers = retry_after.map(|seconds| (RETRY_AFTER, HeaderValue::from_static(seconds)));
        Response {
            status,
            headers: headers.into_iter().collect(),
            body: Body::Whole(body.into()),
            conduct: Conduct::Plain,
        }
    }
}

/// A service whose crawls let domains rest for so long, with one that has these seeds.
async fn waiting(delay_ms: u64, seeds: &[&str]) -> House {
    let house = House::beside(Some(Arc::new(Slow)), Plan { no_auth: true, delay_ms, ..Plan::default() }).await;
    begun(&house, json!({"seeds": seeds})).await;
    house
}

/// What is told of a URI when it has to wait for its server.
async fn explained(house: &House, uri: &str) -> Value {
    for _ in 0..600 {
        let (status, told) = house.get(&format!("/api/v1/crawls/1/explain?uri={uri}")).await;
        // Seeds are there when the crawl has begun.
        if status == 200 && told["waits_until"].is_string() {
            assert_eq!(told["waiting"], true, "{told}");
            return told;
        }
        a_moment().await;
    }
    panic!("nobody says why {uri} waits");
}

async fn check(house: &House, uri: &str, expected: &str) {
    let told = explained(house, uri).await;
    let why = told["waits_because"].as_str().unwrap();
    assert!(why.contains(expected), "{uri}: {why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_a_domain_that_rests_is_told_so() {
    let seeds = ["http://quiet.example/1", "http://quiet.example/2", "http://slow.example/1"];
    let house = waiting(60_000, &seeds).await;

    check(&house, seeds[0], "politeness.delay_ms").await;
    check(&house, seeds[1], "politeness.delay_ms").await;
    check(&house, seeds[2], "Crawl-delay").await;

    house.post("/api/v1/crawls/1/pause", &Value::Null).await;
    crate::wait::crawl_in_state(&house, 1, "paused").await;
    let (_, paused) = house.get(&format!("/api/v1/crawls/1/explain?uri={}", seeds[0])).await;
    assert_eq!((&paused["waits_until"], &paused["waits_because"]), (&Value::Null, &"the crawl is paused".into()));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_a_server_that_does_not_answer_is_told_so() {
    let seeds = ["http://broken.example/1", "http://busy.example/1"];
    let house = waiting(0, &seeds).await;

    check(&house, seeds[0], "robots.txt").await;
    check(&house, seeds[1], "Retry-After").await;

    house.close().await;
}
