//! What a client can check before a crawl starts, and crawls from imports and from other crawls.

use serde_json::{Value, json};

use crate::cathedral::{self, SEED};
use crate::crawl_helpers::{start_crawl, wait_for_state};
use crate::test_server::TestServer;

const COLOGNE: &str = "http://e.example/Cologne";

/// A service whose archive has the documents around the cathedral, from crawl 1.
async fn with_archive() -> TestServer {
    let server = cathedral::start_service().await;
    let id = start_crawl(&server, json!({"name": "first", "seeds": [SEED], "strategy": "focus"})).await;
    wait_for_state(&server, id, "finished").await;
    server
}

fn states(lines: &Value) -> Vec<&str> {
    lines.as_array().unwrap().iter().map(|line| line["state"].as_str().unwrap()).collect()
}

async fn put_import(server: &TestServer, records: &str) {
    let request = server.anonymous("PUT", "/api/v1/imports/buildings").header("content-type", "text/turtle");
    assert_eq!(request.body(records.to_owned()).send().await.unwrap().status(), 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_of_a_seed_list_is_checked_before_the_start() {
    let server = with_archive().await;
    let order = json!({
        "seeds": [SEED, "example.org", "http://10.0.0.1/", SEED],
        "labels": ["No Such Place"],
        "limits": {"max_requests": 60},
    });

    let (status, check) = server.post("/api/v1/seeds/check", &order).await;

    assert_eq!(status, 200, "{check}");
    assert_eq!(states(&check["seeds"]), ["valid", "invalid", "blocked", "duplicate"]);
    assert_eq!(states(&check["labels"]), ["unknown"]);
    assert_eq!(check["seeds"][1]["hint"], "did you mean https://example.org/ ?");
    assert_eq!((&check["estimate"]["max_requests"], &check["estimate"]["domains"]), (&json!(60), &json!(1)));
    assert_eq!(server.get("/api/v1/crawls").await.1["total"], 1, "nothing was started");
    let (status, problem) = server.post("/api/v1/seeds/check", &json!({"strategy": "fastest"})).await;
    assert_eq!((status, &problem["errors"][0]["at"]), (422, &json!("/strategy")));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn seeds_are_measured_in_the_archive() {
    let server = with_archive().await;

    let (_, check) = server.post("/api/v1/seeds/check", &json!({"seeds": [SEED, COLOGNE]})).await;

    let analysis = &check["analysis"];
    assert!(analysis["coherence"].as_f64().is_some_and(|gamma| gamma > 0.0 && gamma <= 1.0), "{analysis}");
    assert_eq!(analysis["known"].as_array().unwrap().len(), 2, "{analysis}");
    assert!(analysis["distances"][0]["links"].as_u64().is_some_and(|links| links >= 1), "{analysis}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn entities_are_found_by_their_names() {
    let server = with_archive().await;

    let (status, found) = server.get("/api/v1/labels?text=minster").await;

    assert_eq!((status, &found["matches"][0]["entity"]), (200, &json!("http://e.example/Ulm_Minster")), "{found}");
    assert_eq!(server.get("/api/v1/labels?text=").await.0, 400);
    assert_eq!(server.get("/api/v1/labels?text=a&limit=51").await.0, 400);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn instance_data_is_inspected_and_an_import_becomes_seeds() {
    let server = with_archive().await;
    let location = "http://dbpedia.org/ontology/location";
    let records = format!(
        "<http://r.example/1> a <http://r.example/House> ; <{location}> <{COLOGNE}> ; <http://r.example/p> \"x\" ."
    );

    let request = server.anonymous("POST", "/api/v1/instances/inspect").header("content-type", "text/turtle");
    let response = request.body(records.clone()).send().await.unwrap();
    let found: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
    assert_eq!((&found["records"], &found["classes"][0]["count"]), (&json!(1), &json!(1)), "{found}");
    let properties = found["properties"].as_array().unwrap();
    let place = properties.iter().find(|property| property["property"] == location).unwrap();
    assert_eq!((&place["roles"], &place["iris"]), (&json!(["places"]), &json!(1)), "{place}");
    assert_eq!(server.get("/api/v1/imports").await.1["total"], 0, "nothing was stored");

    put_import(&server, &records).await;
    let order = json!({"imports": ["buildings"], "roles": ["places"], "limits": {"max_documents": 1}});
    let id = start_crawl(&server, merge(order, &json!({"seeds": []}))).await;
    let (_, seeds) = server.get(&format!("/api/v1/crawls/{id}/seeds")).await;
    assert_eq!((&seeds["total"], &seeds["seeds"][0]["uri"]), (&json!(1), &json!(COLOGNE)), "{seeds}");
    let (status, problem) = server.post("/api/v1/crawls", &json!({"imports": ["castles"]})).await;
    assert_eq!((status, &problem["errors"][0]["at"]), (422, &json!("/imports/0")));
    server.close().await;
}

fn merge(mut order: Value, more: &Value) -> Value {
    order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    order
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_like_another_has_its_seeds_and_settings() {
    let server = with_archive().await;

    let id = start_crawl(&server, json!({"seeds": [], "like": 1, "limits": {"max_documents": 1}})).await;

    let (_, crawl) = server.get(&format!("/api/v1/crawls/{id}")).await;
    assert_eq!((&crawl["strategy"], &crawl["seeds"]), (&json!("focus"), &json!(1)), "{crawl}");
    assert_eq!(crawl["settings"]["crawl"]["max_documents"], 1);
    let (_, settings) = server.get(&format!("/api/v1/crawls/{id}/settings")).await;
    let limit = settings["settings"].as_array().unwrap().iter().find(|row| row["key"] == "crawl.max_documents");
    assert_eq!(limit.map(|row| (&row["value"], &row["source"])), Some((&json!(1), &json!("crawl"))));
    let (_, found) = server.get("/api/v1/crawls?text=FIRST").await;
    assert_eq!((&found["total"], &found["crawls"][0]["id"]), (&json!(1), &json!(1)), "{found}");
    let review = &found["crawls"][0]["review"];
    assert!(
        review["candidates"].as_u64().is_some_and(|count| count > 0) && review["ranked_at"].is_string(),
        "{review}"
    );
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_over_time_are_stored_with_the_crawl() {
    let server = with_archive().await;
    let documents = server.get("/api/v1/crawls/1").await.1["counters"]["documents"].clone();

    let (status, series) = server.get("/api/v1/crawls/1/series").await;

    assert_eq!((status, &series["step_seconds"]), (200, &json!(1.0)), "{series}");
    assert_eq!(series["points"].as_array().unwrap().last().unwrap()["documents"], documents);
    assert!(server.dir.path().join("data/crawls/1/series.jsonl").is_file());
    let (_, later) = server.get("/api/v1/crawls/1/series?since=2100-01-01T00:00:00Z").await;
    assert_eq!(later["points"], json!([]));
    assert_eq!(server.get("/api/v1/crawls/1/series?since=yesterday").await.0, 400);
    assert_eq!(server.get("/api/v1/crawls/1/series?step=0").await.0, 400);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_crawl_is_refreshed() {
    let server = with_archive().await;
    let requests = |crawl: &Value| crawl["counters"]["requests_get"].as_u64().unwrap();
    let before = requests(&server.get("/api/v1/crawls/1").await.1);

    let (status, crawl) = server.post("/api/v1/crawls/1/refresh?all=true", &json!(null)).await;

    assert_eq!(status, 200, "{crawl}");
    let after = wait_for_state(&server, 1, "finished").await;
    assert!(requests(&after) > before, "{after}");
    server.close().await;
}
