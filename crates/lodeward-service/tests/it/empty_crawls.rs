//! Crawls that fetch no document.

use serde_json::json;

use crate::crawl_helpers::wait_for_state;
use crate::test_server::{TestOptions, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_without_a_document_is_finished_and_says_why() {
    let server = TestServer::start(TestOptions { no_auth: true, ..TestOptions::default() }).await;

    let (status, created) = server.post("/api/v1/crawls", &json!({"seeds": ["http://missing.example/"]})).await;
    assert_eq!(status, 201, "{created}");

    let finished = wait_for_state(&server, 1, "finished").await;
    let detail = finished["stop_detail"].as_str().unwrap();
    assert!(detail.starts_with("no document was fetched: http://missing.example/: "), "{detail}");
    server.close().await;
}
