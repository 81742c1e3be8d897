//! Damaged files of crawls and rules.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::crawl_helpers::{start_crawl, wait_for_state};
use crate::test_server::{TestOptions, TestServer};

/// A service with two crawls. The second was stopped, and its file of this name was
/// truncated while no service ran.
async fn with_damaged_crawl(file: &str) -> TestServer {
    let server = TestServer::without_auth().await;
    start_crawl(&server, json!({"name": "intact", "limits": {"max_documents": 5}})).await;
    let id = start_crawl(&server, json!({"name": "damaged", "limits": {"max_documents": 3_000}})).await;
    wait_for_state(&server, 1, "finished").await;
    server.post(&format!("/api/v1/crawls/{id}/stop"), &Value::Null).await;
    wait_for_state(&server, id, "stopped").await;
    let dir = server.stop().await;
    let path: PathBuf = dir.path().join("data/crawls").join(id.to_string()).join(file);
    assert!(path.exists());
    std::fs::write(path, "").unwrap();
    TestServer::start_in(dir, TestOptions { no_auth: true, ..TestOptions::default() }).await
}

/// The crawl is listed as failed with its error, and can be deleted, but not resumed.
async fn check_can_only_be_deleted(server: &TestServer, file: &str) {
    let (status, crawl) = server.get("/api/v1/crawls/2").await;
    assert_eq!((status, &crawl["state"]), (200, &"failed".into()), "{crawl}");
    let error = crawl["error"].as_str().unwrap();
    assert!(error.starts_with(&format!("cannot read …/{file}: ")), "{error}");

    let (status, problem) = server.post("/api/v1/crawls/2/resume", &Value::Null).await;
    assert_eq!((status, &problem["code"]), (409, &"conflict".into()), "{problem}");
    assert!(problem["hint"].as_str().unwrap().contains("from a backup"), "{problem}");
    assert_eq!(server.get("/api/v1/crawls/2").await.1["state"], "failed");

    let deleted = server.anonymous("DELETE", "/api/v1/crawls/2").send().await.unwrap();
    assert_eq!(deleted.status(), 204);
    assert_eq!(server.get("/api/v1/crawls/2").await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_with_a_damaged_order_does_not_run() {
    let server = with_damaged_crawl("order.json").await;

    check_can_only_be_deleted(&server, "order.json").await;

    assert_eq!(server.get("/api/v1/crawls/1").await.1["state"], "finished");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_with_a_damaged_record_is_listed_and_affects_no_other() {
    let server = with_damaged_crawl("crawl.json").await;
    let (_, listed) = server.get("/api/v1/crawls").await;
    let states: Vec<&Value> = listed["crawls"].as_array().unwrap().iter().map(|crawl| &crawl["state"]).collect();
    assert_eq!(states.iter().filter(|state| **state == "failed").count(), 1, "{listed}");
    assert_eq!(server.anonymous("GET", "/ready").send().await.unwrap().status(), 200);
    let metrics = server.anonymous("GET", "/metrics").send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("lodeward_crawls{state=\"failed\"} 1"), "{metrics}");

    let id = start_crawl(&server, json!({"name": "another", "limits": {"max_documents": 5}})).await;
    wait_for_state(&server, id, "finished").await;

    check_can_only_be_deleted(&server, "crawl.json").await;
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_complete_again_after_its_record_is_restored() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"name": "damaged", "limits": {"max_documents": 5}})).await;
    wait_for_state(&server, id, "finished").await;
    let dir = server.stop().await;
    let path = dir.path().join("data/crawls/1/crawl.json");
    let record = std::fs::read(&path).unwrap();
    std::fs::write(&path, &record[..9]).unwrap();
    let server = TestServer::start_in(dir, TestOptions { no_auth: true, ..TestOptions::default() }).await;
    assert_eq!(server.get("/api/v1/crawls/1").await.1["state"], "failed");
    let dir = server.stop().await;

    std::fs::write(&path, &record).unwrap();
    let server = TestServer::start_in(dir, TestOptions { no_auth: true, ..TestOptions::default() }).await;

    let (_, crawl) = server.get("/api/v1/crawls/1").await;
    assert_eq!((&crawl["name"], &crawl["state"]), (&"damaged".into(), &"finished".into()));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_seeds_and_rules_do_not_hide_others() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"limits": {"max_documents": 2}})).await;
    wait_for_state(&server, id, "finished").await;
    let rule = json!({"roles": ["places"]}).to_string();
    for name in ["damaged", "intact"] {
        let put = server.anonymous("PUT", &format!("/api/v1/rules/{name}")).header("content-type", "application/json");
        assert_eq!(put.body(rule.clone()).send().await.unwrap().status(), 201);
    }
    let data = server.service.data_dir();
    std::fs::write(data.join("service/rules/damaged.json"), "{").unwrap();
    let dir = server.stop().await;
    std::fs::write(dir.path().join("data/crawls/1/seeds.txt"), [0xff, b'\n']).unwrap();
    let server = TestServer::start_in(dir, TestOptions { no_auth: true, ..TestOptions::default() }).await;

    for listing in ["/api/v1/crawls", "/api/v1/crawls?seed=http://a.example/", "/api/v1/crawls/1"] {
        assert_eq!(server.get(listing).await.0, 200, "{listing}");
    }
    let (_, rules) = server.get("/api/v1/rules").await;
    assert_eq!((rules["rules"].as_array().unwrap().len(), &rules["rules"][0]["name"]), (1, &"intact".into()));
    let records = "<http://a.example/1> a <http://a.example/A> .";
    let put = server.anonymous("PUT", "/api/v1/imports/records").header("content-type", "text/turtle").body(records);
    assert_eq!(put.send().await.unwrap().status(), 201);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_with_damaged_settings_does_not_run() {
    let server = with_damaged_crawl("settings.json").await;

    check_can_only_be_deleted(&server, "settings.json").await;

    assert_eq!(server.get("/api/v1/crawls/1").await.1["state"], "finished");
    server.close().await;
}
