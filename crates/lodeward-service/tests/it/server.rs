//! Limits of the HTTP server, shutdown and reload.

use std::time::Duration;

use lodeward_app::settings::{FILE_NAME, SettingSources};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::crawl_helpers::{start_crawl, wait_for_crawl};
use crate::test_server::{TestOptions, TestServer};

/// Sends bytes, and reads until the server closes the connection, which may happen before it
/// has read all of them.
async fn exchange(server: &TestServer, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let _ = stream.write_all(request.as_bytes()).await;
    let mut response = Vec::new();
    let reading = stream.read_to_end(&mut response);
    let _ = tokio::time::timeout(Duration::from_mins(1), reading).await.expect("the connection is closed");
    String::from_utf8_lossy(&response).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_arrive_times_out() {
    let settings = "[service]\nrequest_timeout = \"1s\"\n".to_owned();
    let server = TestServer::start(TestOptions { no_auth: true, settings, ..TestOptions::default() }).await;

    let head = format!(
        "POST /api/v1/crawls HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        server.address
    );
    let response = exchange(&server, &head).await;

    assert!(response.starts_with("HTTP/1.1 408 ") && response.contains("request-timeout"), "{response}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_is_too_large_is_rejected() {
    let server = TestServer::without_auth().await;

    let response = exchange(&server, &format!("GET /health HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(1_000_000))).await;

    // The response may be lost, because the server does not read the whole request.
    assert!(response.is_empty() || response.starts_with("HTTP/1.1 431 "), "{response}");
    assert_eq!(server.get("/health").await.0, 200);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ambiguous_request_heads_are_rejected() {
    let server = TestServer::without_auth().await;
    let own = format!("Host: {}\r\n", server.address);
    let get = |fields: &str| format!("GET /api/v1/crawls HTTP/1.1\r\n{fields}Connection: close\r\n\r\n");
    let origin = format!("Origin: http://{}\r\n", server.address);

    for (fields, expected) in [
        (own.clone(), "200"),
        (String::new(), "400"),
        (format!("{own}{own}"), "400"),
        (format!("{own}Host: evil.example\r\n"), "400"),
        (format!("{own}{origin}"), "200"),
        (format!("{own}{origin}Origin: http://evil.example\r\n"), "400"),
        (format!("{own}Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n"), "400"),
        (format!("{own}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"), "400"),
    ] {
        let response = exchange(&server, &get(&fields)).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {expected} ")), "{fields}{response}");
    }
    let old = exchange(&server, "GET /health HTTP/1.0\r\n\r\n").await;
    assert!(old.starts_with("HTTP/1.0 200 "), "{old}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn open_streams_and_idle_connections_do_not_delay_the_shutdown_and_crawls_resume() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"name": "long", "strategy": "bfs"})).await;
    wait_for_crawl(&server, id, |crawl| crawl["counters"]["documents"].as_u64() > Some(0)).await;
    let mut events = server.client.get(server.url("/api/v1/events")).send().await.unwrap();
    assert_eq!(events.status(), 200);
    let mut idle = TcpStream::connect(server.address).await.unwrap();
    let request = format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    idle.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0; 12];
    idle.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");

    let dir = tokio::time::timeout(Duration::from_mins(1), server.stop()).await.expect("the service stops");

    let ended = async { while events.chunk().await.is_ok_and(|chunk| chunk.is_some()) {} };
    tokio::time::timeout(Duration::from_secs(10), ended).await.expect("the event stream ends");
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(10), idle.read_to_end(&mut rest)).await;
    assert!(closed.is_ok(), "an idle connection is closed");
    assert!(!dir.path().join("data/service/service.json").exists());
    let server = TestServer::start_in(dir, TestOptions { no_auth: true, ..TestOptions::default() }).await;
    wait_for_crawl(&server, id, |crawl| crawl["state"] == "running" || crawl["state"] == "finished").await;
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_names_the_settings_that_need_a_restart() {
    let server = TestServer::without_auth().await;
    let sources =
        |text: &str| SettingSources { file: Some((FILE_NAME.into(), text.to_owned())), ..SettingSources::default() };

    let fixed =
        server.service.reload(sources("[service]\nlisten = \"127.0.0.1:1\"\ndenied_domains = [\"a.example\"]\n"));
    let wrong = server.service.reload(sources("[service]\ndenied_domains = 7\nlisten = \"here\"\n"));
    let (status, problem) = server.post("/api/v1/crawls", &json!({"seeds": ["http://a.example/"]})).await;

    assert_eq!(fixed.unwrap(), ["service.listen"]);
    assert!(wrong.unwrap_err().to_string().contains("denied_domains"));
    assert_eq!((status, &problem["code"]), (403, &Value::from("policy-violation")), "{problem}");
    server.close().await;
}
