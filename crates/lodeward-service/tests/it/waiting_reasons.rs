//! The reasons of waiting URIs while a crawl runs.

use std::sync::Arc;

use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};
use toyweb::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};

use crate::crawl_helpers::{poll_delay, start_crawl};
use crate::test_server::{TestOptions, TestServer};

/// Servers that delay the crawl, each in another way.
struct SlowWeb;

impl Web for SlowWeb {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        let (host, path) = (request.url.host_str().unwrap_or_default(), request.url.path());
        let (status, retry_after, body) = match (host, path) {
            ("slow.example", "/robots.txt") => (StatusCode::OK, None, "User-agent: *\nCrawl-delay: 600\n"),
            ("broken.example", _) => (StatusCode::SERVICE_UNAVAILABLE, None, ""),
            ("busy.example", "/1") => (StatusCode::SERVICE_UNAVAILABLE, Some("600"), ""),
            _ => (StatusCode::NOT_FOUND, None, ""),
        };
        let headers = retry_after.map(|seconds| (RETRY_AFTER, HeaderValue::from_static(seconds)));
        WebResponse {
            status,
            headers: headers.into_iter().collect(),
            body: WebBody::Whole(body.into()),
            delivery: DeliveryFault::Plain,
        }
    }
}

/// A service with this delay, and a crawl with these seeds.
async fn service_with_waiting_crawl(delay_ms: u64, seeds: &[&str]) -> TestServer {
    let server = TestServer::with_web(
        Some(Arc::new(SlowWeb)),
        TestOptions { no_auth: true, delay_ms, ..TestOptions::default() },
    )
    .await;
    start_crawl(&server, json!({"seeds": seeds})).await;
    server
}

/// The explanation of a URI while its domain is delayed.
async fn explained(server: &TestServer, uri: &str) -> Value {
    for _ in 0..600 {
        let (status, explanation) = server.get(&format!("/api/v1/crawls/1/explain?uri={uri}")).await;
        // A seed is known after the crawl has started.
        if status == 200 && explanation["waiting_until"].is_string() {
            assert_eq!(explanation["waiting"], true, "{explanation}");
            return explanation;
        }
        poll_delay().await;
    }
    panic!("timeout: {uri} does not wait");
}

async fn check(server: &TestServer, uri: &str, expected: &str) {
    let explanation = explained(server, uri).await;
    let reason = explanation["waiting_reason"].as_str().unwrap();
    assert!(reason.contains(expected), "{uri}: {reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reason_is_the_delay_of_the_domain() {
    let seeds = ["http://quiet.example/1", "http://quiet.example/2", "http://slow.example/1"];
    let server = service_with_waiting_crawl(60_000, &seeds).await;

    check(&server, seeds[0], "politeness.delay").await;
    check(&server, seeds[1], "politeness.delay").await;
    check(&server, seeds[2], "Crawl-delay").await;

    server.post("/api/v1/crawls/1/pause", &Value::Null).await;
    crate::crawl_helpers::wait_for_state(&server, 1, "paused").await;
    let (_, paused) = server.get(&format!("/api/v1/crawls/1/explain?uri={}", seeds[0])).await;
    assert_eq!((&paused["waiting_until"], &paused["waiting_reason"]), (&Value::Null, &"the crawl is paused".into()));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reason_is_an_unavailable_server() {
    let seeds = ["http://broken.example/1", "http://busy.example/1"];
    let server = service_with_waiting_crawl(0, &seeds).await;

    check(&server, seeds[0], "robots.txt").await;
    check(&server, seeds[1], "Retry-After").await;

    server.close().await;
}
