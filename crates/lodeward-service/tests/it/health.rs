//! Whether the service says how it is.

use serde_json::json;

use crate::house::House;
use crate::wait::{begun, crawl_in_state};

#[tokio::test(flavor = "multi_thread")]
async fn a_service_lives_and_is_ready_without_being_asked_who_asks() {
    let house = House::guarded().await;

    for path in ["/health", "/ready"] {
        let (status, health) = house.get(path).await;
        assert_eq!((status, &health["status"]), (200, &"ok".into()));
    }
    assert_eq!(house.get("/metrics").await.0, 401);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_cannot_write_is_not_ready() {
    let house = House::open().await;
    std::fs::rename(house.folder.path().join("data"), house.folder.path().join("moved")).unwrap();

    let (status, problem) = house.get("/ready").await;
    assert_eq!((status, &problem["code"]), (503, &json!("unavailable")), "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("data directory"), "{problem}");

    std::fs::rename(house.folder.path().join("moved"), house.folder.path().join("data")).unwrap();
    assert_eq!(house.get("/health").await.0, 200, "it lives all the same");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_tell_what_was_crawled_and_what_was_asked() {
    let house = House::open().await;
    let id = begun(&house, json!({"limits": {"max_documents": 30}})).await;
    let finished = crawl_in_state(&house, id, "finished").await;
    house.get("/there/is/no/such/path").await;
    house.get("/api/v1/crawls/999").await;

    let answer = house.client.get(house.url("/metrics")).send().await.unwrap();
    assert!(answer.headers()["content-type"].to_str().unwrap().starts_with("application/openmetrics-text"));
    let numbers = answer.text().await.unwrap();

    let documents = finished["counters"]["documents"].as_u64().unwrap();
    for line in [
        format!("lodeward_crawl_documents {documents}"),
        "lodeward_crawls{state=\"finished\"} 1".to_owned(),
        "lodeward_crawls{state=\"running\"} 0".to_owned(),
        "lodeward_http_requests_total{route=\"/api/v1/crawls/{id}\",method=\"GET\",status=\"404\"} 1".to_owned(),
        "lodeward_http_requests_total{route=\"none\",method=\"GET\",status=\"404\"} 1".to_owned(),
        "lodeward_http_requests_total{route=\"/api/v1/crawls\",method=\"POST\",status=\"201\"} 1".to_owned(),
        "# EOF".to_owned(),
    ] {
        assert!(numbers.lines().any(|told| told == line), "{line} is not in\n{numbers}");
    }
    assert!(numbers.contains("lodeward_http_answer_seconds_bucket{"), "{numbers}");
    assert!(numbers.contains("lodeward_build_info{version="), "{numbers}");
    house.close().await;
}
