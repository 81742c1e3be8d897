//! Health, readiness and metrics.

use serde_json::json;

use crate::crawl_helpers::{start_crawl, wait_for_state};
use crate::test_server::TestServer;

#[tokio::test(flavor = "multi_thread")]
async fn health_and_readiness_are_public() {
    let server = TestServer::with_auth().await;

    for path in ["/health", "/ready"] {
        let (status, health) = server.get(path).await;
        assert_eq!((status, &health["status"]), (200, &"ok".into()));
    }
    assert_eq!(server.get("/metrics").await.0, 401);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_with_an_unwritable_data_directory_is_not_ready() {
    let server = TestServer::without_auth().await;
    std::fs::rename(server.dir.path().join("data"), server.dir.path().join("moved")).unwrap();

    let (status, problem) = server.get("/ready").await;
    assert_eq!((status, &problem["code"]), (503, &json!("unavailable")), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("data directory"), "{problem}");

    std::fs::rename(server.dir.path().join("moved"), server.dir.path().join("data")).unwrap();
    assert_eq!(server.get("/health").await.0, 200, "the process is alive");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_count_crawls_and_requests() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"limits": {"max_documents": 30}})).await;
    let finished = wait_for_state(&server, id, "finished").await;
    server.get("/there/is/no/such/path").await;
    server.get("/api/v1/crawls/999").await;

    let response = server.client.get(server.url("/metrics")).send().await.unwrap();
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("application/openmetrics-text"));
    let metrics = response.text().await.unwrap();

    let documents = finished["counters"]["documents"].as_u64().unwrap();
    for line in [
        format!("lodeward_crawl_documents {documents}"),
        "lodeward_crawls{state=\"finished\"} 1".to_owned(),
        "lodeward_crawls{state=\"running\"} 0".to_owned(),
        "lodeward_http_requests_total{route=\"/api/v1/crawls/{id}\",method=\"GET\",status=\"404\"} 1".to_owned(),
        "lodeward_http_requests_total{route=\"none\",method=\"GET\",status=\"404\"} 1".to_owned(),
        "lodeward_http_requests_total{route=\"/api/v1/crawls\",method=\"POST\",status=\"201\"} 1".to_owned(),
        "lodeward_crawls_paused_by_disk 0".to_owned(),
        "lodeward_archive_writable 1".to_owned(),
        "# EOF".to_owned(),
    ] {
        assert!(metrics.lines().any(|other| other == line), "{line} is not in\n{metrics}");
    }
    assert!(metrics.contains("lodeward_http_request_duration_seconds_bucket{"), "{metrics}");
    for name in ["disk_free", "disk_size", "disk_min_free"] {
        assert!(metrics.contains(&format!("\nlodeward_{name}_bytes ")), "{name} is not in\n{metrics}");
    }
    assert!(metrics.contains("lodeward_build_info{version="), "{metrics}");
    assert!(metrics.contains("\nprocess_resident_memory_bytes "), "{metrics}");
    assert_eq!(metrics.matches("# EOF").count(), 1, "{metrics}");
    server.close().await;
}
