//! What a disk, or somebody at it, has damaged.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::house::{House, Plan};
use crate::wait::{begun, crawl_in_state};

/// A service that has two crawls, of which the second was stopped, and whose file of
/// this name was emptied while nobody served it.
async fn damaged(file: &str) -> House {
    let house = House::open().await;
    begun(&house, json!({"name": "whole", "limits": {"max_documents": 5}})).await;
    let id = begun(&house, json!({"name": "hurt", "limits": {"max_documents": 3_000}})).await;
    crawl_in_state(&house, 1, "finished").await;
    house.post(&format!("/api/v1/crawls/{id}/stop"), &Value::Null).await;
    crawl_in_state(&house, id, "stopped").await;
    let folder = house.leave().await;
    let path: PathBuf = folder.path().join("data/crawls").join(id.to_string()).join(file);
    assert!(path.exists());
    std::fs::write(path, "").unwrap();
    House::move_in(folder, Plan { no_auth: true, ..Plan::default() }).await
}

/// It is there, failed, says why, cannot go on, and can be deleted.
async fn check_can_only_be_deleted(house: &House, file: &str) {
    let (status, crawl) = house.get("/api/v1/crawls/2").await;
    assert_eq!((status, &crawl["state"]), (200, &"failed".into()), "{crawl}");
    let failure = crawl["failure"].as_str().unwrap();
    assert!(failure.starts_with(&format!("cannot read …/{file}: ")), "{failure}");

    let (status, problem) = house.post("/api/v1/crawls/2/resume", &Value::Null).await;
    assert_eq!((status, &problem["code"]), (409, &"conflict".into()), "{problem}");
    assert!(problem["hint"].as_str().unwrap().contains("from a backup"), "{problem}");
    assert_eq!(house.get("/api/v1/crawls/2").await.1["state"], "failed");

    let deleted = house.ask("DELETE", "/api/v1/crawls/2").send().await.unwrap();
    assert_eq!(deleted.status(), 204);
    assert_eq!(house.get("/api/v1/crawls/2").await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_whose_order_is_damaged_never_runs_without_its_bounds() {
    let house = damaged("order.json").await;

    check_can_only_be_deleted(&house, "order.json").await;

    assert_eq!(house.get("/api/v1/crawls/1").await.1["state"], "finished");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_whose_record_is_damaged_holds_up_no_other_and_is_told_of() {
    let house = damaged("crawl.json").await;
    let (_, listed) = house.get("/api/v1/crawls").await;
    let states: Vec<&Value> = listed["crawls"].as_array().unwrap().iter().map(|crawl| &crawl["state"]).collect();
    assert_eq!(states.iter().filter(|state| **state == "failed").count(), 1, "{listed}");
    assert_eq!(house.ask("GET", "/ready").send().await.unwrap().status(), 200);
    let metrics = house.ask("GET", "/metrics").send().await.unwrap().text().await.unwrap();
    assert!(metrics.contains("lodeward_crawls{state=\"failed\"} 1"), "{metrics}");

    let id = begun(&house, json!({"name": "another", "limits": {"max_documents": 5}})).await;
    crawl_in_state(&house, id, "finished").await;

    check_can_only_be_deleted(&house, "crawl.json").await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_whose_record_is_damaged_is_itself_again_when_that_was_restored() {
    let house = House::open().await;
    let id = begun(&house, json!({"name": "hurt", "limits": {"max_documents": 5}})).await;
    crawl_in_state(&house, id, "finished").await;
    let folder = house.leave().await;
    let path = folder.path().join("data/crawls/1/crawl.json");
    let record = std::fs::read(&path).unwrap();
    std::fs::write(&path, &record[..9]).unwrap();
    let house = House::move_in(folder, Plan { no_auth: true, ..Plan::default() }).await;
    assert_eq!(house.get("/api/v1/crawls/1").await.1["state"], "failed");
    let folder = house.leave().await;

    std::fs::write(&path, &record).unwrap();
    let house = House::move_in(folder, Plan { no_auth: true, ..Plan::default() }).await;

    let (_, crawl) = house.get("/api/v1/crawls/1").await;
    assert_eq!((&crawl["name"], &crawl["state"]), (&"hurt".into(), &"finished".into()));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn seeds_and_rules_that_are_damaged_hide_nothing_else() {
    let house = House::open().await;
    let id = begun(&house, json!({"limits": {"max_documents": 2}})).await;
    crawl_in_state(&house, id, "finished").await;
    let rule = json!({"roles": ["places"]}).to_string();
    for name in ["hurt", "whole"] {
        let put = house.ask("PUT", &format!("/api/v1/rules/{name}")).header("content-type", "application/json");
        assert_eq!(put.body(rule.clone()).send().await.unwrap().status(), 201);
    }
    let data = house.service.data();
    std::fs::write(data.join("service/rules/hurt.json"), "{").unwrap();
    let folder = house.leave().await;
    std::fs::write(folder.path().join("data/crawls/1/seeds.txt"), [0xff, b'\n']).unwrap();
    let house = House::move_in(folder, Plan { no_auth: true, ..Plan::default() }).await;

    for listing in ["/api/v1/crawls", "/api/v1/crawls?seed=http://a.example/", "/api/v1/crawls/1"] {
        assert_eq!(house.get(listing).await.0, 200, "{listing}");
    }
    let (_, rules) = house.get("/api/v1/rules").await;
    assert_eq!((rules["rules"].as_array().unwrap().len(), &rules["rules"][0]["name"]), (1, &"whole".into()));
    let records = "<http://a.example/1> a <http://a.example/A> .";
    let put = house.ask("PUT", "/api/v1/imports/records").header("content-type", "text/turtle").body(records);
    assert_eq!(put.send().await.unwrap().status(), 201);
    house.close().await;
}
