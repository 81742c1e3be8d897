//! The document limit of the service.

use serde_json::{Value, json};

use crate::crawl_helpers::{seeds, wait_for_state};
use crate::test_server::{TestOptions, TestServer};

fn with_limit(documents: u32) -> TestOptions {
    let settings = format!("[service]\nmax_documents_per_crawl = {documents}\n");
    TestOptions { no_auth: true, settings, ..TestOptions::default() }
}

async fn create_crawl(server: &TestServer, documents: u32) -> Value {
    let order = json!({"seeds": seeds(server), "strategy": "bfs", "limits": {"max_documents": documents}});
    let (status, created) = server.post("/api/v1/crawls", &order).await;
    assert_eq!(status, 201, "{created}");
    created
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_stops_at_the_limit_and_resumes_after_it_is_raised() {
    let server = TestServer::start(with_limit(20)).await;

    let created = create_crawl(&server, 60).await;
    let remark = created["remarks"][0].as_str().unwrap();
    assert!(remark.contains("allows 20 documents"), "{remark}");
    let stopped = wait_for_state(&server, 1, "stopped").await;
    assert_eq!((&stopped["stop_reason"], &stopped["counters"]["documents"]), (&"max-documents".into(), &20.into()));
    assert!(stopped["stop_detail"].as_str().unwrap().contains("max_documents_per_crawl"), "{stopped}");
    let (status, problem) = server.post("/api/v1/crawls/1/resume", &Value::Null).await;
    assert_eq!((status, &problem["code"]), (409, &"conflict".into()), "{problem}");
    assert!(problem["hint"].as_str().unwrap().contains("max_documents_per_crawl"), "{problem}");

    let server = TestServer::start_in(server.stop().await, with_limit(60)).await;
    let (_, still) = server.get("/api/v1/crawls/1").await;
    assert_eq!((&still["state"], &still["stop_detail"]), (&"stopped".into(), &stopped["stop_detail"]));
    let (status, _) = server.post("/api/v1/crawls/1/resume", &Value::Null).await;
    assert_eq!(status, 200);
    let finished = wait_for_state(&server, 1, "finished").await;
    assert_eq!((&finished["stop_reason"], &finished["counters"]["documents"]), (&"max-documents".into(), &60.into()));
    assert_eq!(finished["stop_detail"], Value::Null);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_above_a_lowered_limit_is_stopped_and_not_finished() {
    let server = TestServer::start(with_limit(1_000_000)).await;
    assert_eq!(create_crawl(&server, 1_000_000).await["remarks"], json!([]));
    crate::crawl_helpers::wait_for_crawl(&server, 1, |crawl| crawl["counters"]["documents"].as_u64() > Some(10)).await;

    let server = TestServer::start_in(server.stop().await, with_limit(10)).await;

    let stopped = wait_for_state(&server, 1, "stopped").await;
    assert!(stopped["counters"]["documents"].as_u64() > Some(10), "{stopped}");
    assert!(stopped["stop_detail"].as_str().unwrap().contains("allows 10 documents"), "{stopped}");
    server.close().await;
}
