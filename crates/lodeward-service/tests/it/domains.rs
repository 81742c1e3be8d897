//! The domains of a crawl over HTTP.

use std::fmt::Write as _;
use std::sync::Arc;

use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, StatusCode};
use serde_json::{Value, json};
use toyweb::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};

use crate::crawl_helpers::{poll_delay, start_crawl, wait_for_state};
use crate::test_server::{TestOptions, TestServer};

/// A crawl delay in robots.txt, a server that is busy, a page with many links, and one domain with RDF.
pub(crate) struct DelayedWeb;

pub(crate) const ROBOTS_TXT: &str = "User-agent: *\nCrawl-delay: 600\nDisallow: /private\n";

impl Web for DelayedWeb {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        let (host, path) = (request.url.host_str().unwrap_or_default(), request.url.path());
        let (status, kind, body) = match (host, path) {
            ("slow.example", "/robots.txt") => (StatusCode::OK, "text/plain", ROBOTS_TXT.to_owned()),
            ("busy.example", "/1") => (StatusCode::SERVICE_UNAVAILABLE, "text/plain", String::new()),
            ("slow.example", "/1") => {
                let links = (2..12).fold(String::new(), |mut links, number| {
                    let _ = write!(links, "<a href=\"/{number}\">x</a>");
                    links
                });
                (StatusCode::OK, "text/html", links)
            }
            ("fast.example", "/1") => (StatusCode::OK, "text/turtle", "<#it> <#see> <2>.".into()),
            _ => (StatusCode::NOT_FOUND, "text/plain", String::new()),
        };
        let mut headers = vec![(CONTENT_TYPE, HeaderValue::from_static(kind))];
        if host == "busy.example" && status == StatusCode::SERVICE_UNAVAILABLE {
            headers.push((RETRY_AFTER, HeaderValue::from_static("600")));
        }
        let headers = headers.into_iter().collect();
        WebResponse { status, headers, body: WebBody::Whole(body.into()), delivery: DeliveryFault::Plain }
    }
}

const SEEDS: [&str; 3] = ["http://slow.example/1", "http://busy.example/1", "http://fast.example/1"];

async fn with_waiting_crawl() -> TestServer {
    let server = TestServer::with_web(
        Some(Arc::new(DelayedWeb)),
        TestOptions { no_auth: true, delay_ms: 0, ..TestOptions::default() },
    )
    .await;
    start_crawl(&server, json!({"seeds": SEEDS, "strategy": "bfs"})).await;
    server
}

/// The list of domains when it matches.
async fn wait_for_domains(server: &TestServer, matches: impl Fn(&Value) -> bool) -> Value {
    let mut last = Value::Null;
    for _ in 0..600 {
        let (status, page) = server.get("/api/v1/crawls/1/domains").await;
        assert_eq!(status, 200, "{page}");
        if matches(&page) {
            return page;
        }
        last = page;
        poll_delay().await;
    }
    panic!("timeout: {last}")
}

/// Waits until the metrics have these texts.
async fn wait_for_metrics(server: &TestServer, expected: &[&str]) {
    let mut metrics = String::new();
    for _ in 0..600 {
        metrics = server.client.get(server.url("/metrics")).send().await.unwrap().text().await.unwrap();
        if expected.iter().all(|line| metrics.contains(line)) {
            return;
        }
        poll_delay().await;
    }
    panic!("timeout: {metrics}")
}

fn find<'a>(page: &'a Value, domain: &str) -> &'a Value {
    page["domains"].as_array().unwrap().iter().find(|found| found["domain"] == domain).unwrap_or(&Value::Null)
}

#[tokio::test(flavor = "multi_thread")]
async fn domains_have_queues_outcomes_and_delays() {
    let server = with_waiting_crawl().await;

    let page = wait_for_domains(&server, |page| {
        find(page, "slow.example")["limited"]["reason"] == "crawl-delay"
            && find(page, "busy.example")["limited"]["reason"] == "retry-after"
            && find(page, "fast.example")["counts"]["statuses"]["404"] == 1
    })
    .await;

    assert_eq!(page["total"], 3);
    let slow = find(&page, "slow.example");
    assert_eq!((&slow["delay_seconds"], &slow["delay_source"]), (&600.0.into(), &"robots-txt".into()), "{slow}");
    let busy = find(&page, "busy.example");
    assert_eq!((&busy["delay_seconds"], &busy["delay_source"]), (&0.0.into(), &"setting".into()), "{busy}");
    let fast = &find(&page, "fast.example")["counts"];
    assert_eq!((&fast["documents"], &fast["rdf_share"], &fast["quads"]), (&1.into(), &1.0.into(), &1.into()), "{fast}");
    assert_eq!(fast["statuses_by_class"], json!({"2xx": 1, "4xx": 1}));
    assert_eq!(fast["faults_by_kind"], json!({"status": 1}));
    assert_eq!(page["sums"]["documents"], 1);
    let text = page["bottleneck"]["text"].as_str().unwrap();
    assert!(text.contains("of 3 domains are rate-limited; "), "{text}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_has_its_robots_txt_and_the_uris_that_are_next() {
    let server = with_waiting_crawl().await;
    wait_for_domains(&server, |page| find(page, "slow.example")["delay_source"] == "robots-txt").await;

    let (status, slow) = server.get("/api/v1/crawls/1/domains/slow.example").await;

    assert_eq!(status, 200, "{slow}");
    assert_eq!(
        (&slow["robots"][0]["uri"], &slow["robots"][0]["text"]),
        (&"http://slow.example/robots.txt".into(), &ROBOTS_TXT.into())
    );
    assert_eq!((&slow["next"][0]["uri"], &slow["next"][0]["depth"]), (&SEEDS[0].into(), &0.into()), "{slow}");
    assert!(slow["next"][0]["not_before"].is_string(), "{slow}");
    let (_, fast) = server.get("/api/v1/crawls/1/domains/fast.example").await;
    assert_eq!(fast["robots"][0]["text"], Value::Null, "{fast}");
    let (status, problem) = server.get("/api/v1/crawls/1/domains/missing.example").await;
    assert_eq!((status, &problem["code"]), (404, &"not-found".into()));
    let expected = [
        "lodeward_crawl_domains_delayed 2",
        "lodeward_crawl_faults{kind=\"status\"} 1",
        "lodeward_archive_lag_documents ",
        "lodeward_crawl_request_duration_seconds_bucket",
    ];
    // The counters of a running crawl are a second old.
    wait_for_metrics(&server, &expected).await;

    // The robots.txt is stored with the crawl.
    server.post("/api/v1/crawls/1/pause", &Value::Null).await;
    wait_for_state(&server, 1, "paused").await;
    let dir = server.stop().await;
    let options = TestOptions { no_auth: true, ..TestOptions::default() };
    let server = TestServer::start_in(dir, options).await;
    let (_, slow) = server.get("/api/v1/crawls/1/domains/slow.example").await;
    assert_eq!(slow["robots"][0]["text"], ROBOTS_TXT, "{slow}");
    assert_eq!((&slow["domain"]["limited"], &slow["domain"]["queued"]), (&Value::Null, &1.into()), "{slow}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn domains_are_sorted_filtered_and_paged() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"limits": {"max_documents": 30}})).await;
    wait_for_state(&server, id, "finished").await;
    let names = async |query: &str| -> Vec<String> {
        let (status, page) = server.get(&format!("/api/v1/crawls/{id}/domains?{query}")).await;
        assert_eq!(status, 200, "{page}");
        let domains = page["domains"].as_array().unwrap().iter();
        domains.map(|domain| domain["domain"].as_str().unwrap().to_owned()).collect()
    };

    let all = names("order=name&limit=500").await;

    assert!(all.len() > 2 && all.is_sorted(), "{all:?}");
    assert_eq!(names("order=name&offset=1&limit=1").await, all[1..2]);
    assert_eq!(names(&format!("filter={}", all[0])).await, all[..1]);
    let (_, page) = server.get(&format!("/api/v1/crawls/{id}/domains?order=documents&limit=500")).await;
    let documents: Vec<u64> = page["domains"]
        .as_array()
        .unwrap()
        .iter()
        .map(|domain| domain["counts"]["documents"].as_u64().unwrap())
        .collect();
    assert!(documents.is_sorted_by(|one, other| one >= other), "{documents:?}");
    assert_eq!((documents.iter().sum::<u64>(), &page["sums"]["documents"]), (30, &30.into()));
    let (status, problem) = server.get(&format!("/api/v1/crawls/{id}/domains?order=size")).await;
    assert_eq!((status, &problem["errors"][0]["at"]), (400, &"?order".into()), "{problem}");
    server.close().await;
}
