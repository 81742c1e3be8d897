//! What the server itself promises: bounds, and an orderly stop.

use std::time::Duration;

use lodeward::config::{FILE_NAME, Sources};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::house::{House, Plan};
use crate::wait::{begun, crawl_that};

/// Sends bytes, and reads until the other side closes, which it may do before it has
/// read all of them.
async fn exchange(house: &House, request: &str) -> String {
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let _ = stream.write_all(request.as_bytes()).await;
    let mut answer = Vec::new();
    let reading = stream.read_to_end(&mut answer);
    let _ = tokio::time::timeout(Duration::from_mins(1), reading).await.expect("it never closes");
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let settings = "[service]\nrequest_timeout_s = 1\n".to_owned();
    let house = House::build(Plan { no_auth: true, settings, ..Plan::default() }).await;

    let head = format!(
        "POST /api/v1/crawls HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        house.address
    );
    let answer = exchange(&house, &head).await;

    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("request-timeout"), "{answer}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_is_too_large_is_refused() {
    let house = House::open().await;

    let answer = exchange(&house, &format!("GET /health HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(1_000_000))).await;

    // What it says may be lost, because it does not listen to the end.
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
    assert_eq!(house.get("/health").await.0, 200);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_listens_or_idles_does_not_hold_up_the_end_and_crawls_go_on_later() {
    let house = House::open().await;
    let id = begun(&house, json!({"name": "long", "strategy": "bfs"})).await;
    crawl_that(&house, id, |crawl| crawl["counters"]["documents"].as_u64() > Some(0)).await;
    let mut events = house.client.get(house.url("/api/v1/events")).send().await.unwrap();
    assert_eq!(events.status(), 200);
    let mut idle = TcpStream::connect(house.address).await.unwrap();
    let request = format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", house.address);
    idle.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    idle.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");

    let folder = tokio::time::timeout(Duration::from_mins(1), house.leave()).await.expect("it ends");

    let ended = async { while events.chunk().await.is_ok_and(|chunk| chunk.is_some()) {} };
    tokio::time::timeout(Duration::from_secs(10), ended).await.expect("the events end");
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(10), idle.read_to_end(&mut rest)).await;
    assert!(closed.is_ok(), "an idle connection is closed");
    assert!(!folder.path().join("data/service/running.json").exists());
    let house = House::move_in(folder, Plan { no_auth: true, ..Plan::default() }).await;
    crawl_that(&house, id, |crawl| crawl["state"] == "running" || crawl["state"] == "finished").await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_read_again_and_what_cannot_change_is_named() {
    let house = House::open().await;
    let sources = |text: &str| Sources { file: Some((FILE_NAME.into(), text.to_owned())), ..Sources::default() };

    let fixed = house.service.reload(sources("[service]\nlisten = \"127.0.0.1:1\"\ndeny_domains = [\"a.example\"]\n"));
    let wrong = house.service.reload(sources("[service]\ndeny_domains = 7\nlisten = \"here\"\n"));
    let (status, problem) = house.post("/api/v1/crawls", &json!({"seeds": ["http://a.example/"]})).await;

    assert_eq!(fixed.unwrap(), ["service.listen"]);
    assert!(wrong.unwrap_err().to_string().contains("deny_domains"));
    assert_eq!((status, &problem["code"]), (403, &Value::from("against-policy")), "{problem}");
    house.close().await;
}
