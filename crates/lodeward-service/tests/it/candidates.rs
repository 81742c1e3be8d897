//! Candidates over HTTP: ranked, filtered, marked.

use lodeward_service::Role;
use serde_json::{Value, json};

use crate::cathedral::{self, SEED};
use crate::crawl_helpers::{poll_delay, start_crawl, wait_for_state};
use crate::test_server::{TestOptions, TestServer};

const GERMANY: &str = "http://e.example/Germany";
const MINSTER: &str = "http://e.example/Ulm_Minster";

/// A service with a finished focused crawl, which is crawl 1.
async fn with_ranked_crawl() -> TestServer {
    let server = cathedral::start_service().await;
    let order = json!({"seeds": [SEED], "strategy": "focus", "settings": {"ranking": {"max_hops": 2}}});
    let id = start_crawl(&server, order).await;
    wait_for_state(&server, id, "finished").await;
    server
}

/// The entities of a page.
fn entities(page: &Value) -> Vec<&str> {
    page["candidates"].as_array().unwrap().iter().map(|row| row["entity"].as_str().unwrap()).collect()
}

async fn list(server: &TestServer, query: &str) -> Value {
    let (status, page) = server.get(&format!("/api/v1/crawls/1/candidates?{query}")).await;
    assert_eq!(status, 200, "{query}: {page}");
    page
}

async fn mark(server: &TestServer, marks: Value) -> Value {
    let (status, changed) = server.post("/api/v1/crawls/1/candidates/marks", &marks).await;
    assert_eq!(status, 200, "{marks}: {changed}");
    changed
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_are_listed_the_best_first_with_reasons() {
    let server = with_ranked_crawl().await;

    let page = list(&server, "").await;

    let ranks: Vec<u64> = page["candidates"].as_array().unwrap().iter().map(|c| c["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks, (1..=ranks.len() as u64).collect::<Vec<_>>());
    assert_eq!(page["total"], ranks.len());
    assert!(entities(&page).contains(&GERMANY) && !entities(&page).contains(&SEED), "{page}");
    let first = &page["candidates"][0];
    assert!(first["reasons"][0]["text"].is_string() && first["score"].is_f64() && first["mark"].is_null(), "{first}");
    assert!(page["ranking"]["reason"].is_string() && page["ranking"]["seeds_known"] == 1, "{page}");
    let second = list(&server, "offset=1&limit=1").await;
    assert_eq!((entities(&second), &second["total"]), (vec![entities(&page)[1]], &page["total"]));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_selects_candidates() {
    let server = with_ranked_crawl().await;

    assert_eq!(entities(&list(&server, "filter=label+~+%22Minster%22").await), [MINSTER]);
    // Conditions on properties need the harvest.
    let styled = list(&server, "filter=has+%3Chttp%3A%2F%2Fe.example%2Fp%2Fstyle%3E").await;
    assert_eq!(entities(&styled), [MINSTER]);
    let (status, problem) = server.get("/api/v1/crawls/1/candidates?filter=colour+%3D+red").await;
    assert_eq!((status, &problem["code"]), (422, &"unprocessable".into()));
    assert!(problem["hint"].as_str().unwrap().contains("label"), "{problem}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_are_set_and_undone() {
    let server = with_ranked_crawl().await;

    assert_eq!(mark(&server, json!({"entities": [GERMANY], "mark": "drop"})).await["dropped"], 1);
    let kept = mark(&server, json!({"filter": "label ~ Minster", "mark": "keep"})).await;
    assert_eq!(kept, json!({"changed": 1, "kept": 1, "dropped": 1}));

    let page = list(&server, "").await;
    assert!(!entities(&page).contains(&GERMANY) && page["dropped"] == 1, "{page}");
    assert_eq!(entities(&list(&server, "mark=drop").await), [GERMANY]);
    let minster = list(&server, "mark=keep").await;
    assert_eq!(minster["candidates"][0]["mark"]["mark"], "keep");
    assert!(minster["candidates"][0]["mark"]["by"].is_string());
    assert_eq!(list(&server, "mark=none").await["total"], page["total"].as_u64().unwrap() - 1);
    // Confirmed marks are on disk.
    let written = std::fs::read_to_string(server.service.data_dir().join("crawls/1/marks.jsonl")).unwrap();
    assert_eq!(written.lines().count(), 2);

    let undo = async || {
        let response = server.client.delete(server.url("/api/v1/crawls/1/candidates/marks")).send().await.unwrap();
        serde_json::from_slice::<Value>(&response.bytes().await.unwrap()).unwrap()
    };
    assert_eq!(undo().await, json!({"changed": 1, "kept": 0, "dropped": 1, "superseded": 0}));
    assert_eq!(undo().await, json!({"changed": 1, "kept": 0, "dropped": 0, "superseded": 0}));
    assert_eq!(undo().await["changed"], 0);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_marks_are_rejected() {
    let server = with_ranked_crawl().await;
    let check = async |marks: Value, status: u16| {
        let (found, problem) = server.post("/api/v1/crawls/1/candidates/marks", &marks).await;
        assert_eq!(found, status, "{marks}: {problem}");
    };

    check(json!({"mark": "keep"}), 422).await;
    check(json!({"entities": [], "mark": "keep"}), 422).await;
    check(json!({"entities": ["no iri"], "mark": "keep"}), 422).await;
    let unknown = json!({"entities": ["http://e.example/Ulm-Minster"], "mark": "keep"});
    let (status, problem) = server.post("/api/v1/crawls/1/candidates/marks", &unknown).await;
    assert_eq!(status, 422, "{problem}");
    assert!(problem["hint"].as_str().unwrap().contains(&format!("did you mean <{MINSTER}>")), "{problem}");
    check(json!({"entities": [GERMANY], "mark": "love"}), 422).await;
    check(json!({"filter": "(", "mark": "keep"}), 422).await;
    check(json!({"entities": vec!["http://e.example/"; 10_001], "mark": "keep"}), 422).await;
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_are_available_as_csv() {
    let server = with_ranked_crawl().await;
    let total = list(&server, "").await["total"].as_u64().unwrap();
    let csv = async |path: &str| {
        let request = server.client.get(server.url(path)).header("accept", "text/csv");
        let response = request.send().await.unwrap();
        assert_eq!(
            (response.status().as_u16(), response.headers()["content-type"].to_str().unwrap()),
            (200, "text/csv")
        );
        response.text().await.unwrap()
    };

    let page = csv("/api/v1/crawls/1/candidates?limit=1").await;
    let all = csv("/api/v1/crawls/1/candidates.csv").await;

    assert!(page.starts_with("rank,entity,score,") && page.lines().count() == 2, "{page}");
    assert!(all.starts_with(&page) && all.lines().count() as u64 == total + 1, "{all}");
    let request = server.client.get(server.url("/api/v1/crawls/1/candidates")).header("accept", "image/png");
    assert_eq!(request.send().await.unwrap().status(), 406);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unranked_crawl_can_be_ranked() {
    let server = cathedral::start_service().await;
    let id =
        start_crawl(&server, json!({"seeds": [SEED], "strategy": "bfs", "settings": {"crawl": {"stay": "domain"}}}))
            .await;
    wait_for_state(&server, id, "finished").await;
    for path in ["candidates", "candidates.csv", "ranking"] {
        let (status, problem) = server.get(&format!("/api/v1/crawls/{id}/{path}")).await;
        assert_eq!((status, &problem["code"]), (409, &"conflict".into()), "{path}");
        assert!(problem["hint"].as_str().unwrap().contains("ranking"), "{problem}");
    }

    let (status, ranked) =
        server.post(&format!("/api/v1/crawls/{id}/ranking?ranker=ppr&max_hops=1"), &Value::Null).await;

    assert_eq!((status, &ranked["ranking"]["ranker"]), (200, &"ppr".into()), "{ranked}");
    assert_eq!(ranked["seeds"][0]["entity"], SEED);
    assert_eq!(server.get(&format!("/api/v1/crawls/{id}/ranking")).await.1, ranked);
    assert!(entities(&list(&server, "").await).contains(&GERMANY));
    for invalid in ["ranker=best", "max_hops=0", "max_hops=11", "colour=red"] {
        let (status, problem) = server.post(&format!("/api/v1/crawls/{id}/ranking?{invalid}"), &Value::Null).await;
        assert_eq!(status, 400, "{invalid}: {problem}");
    }
    server.close().await;
}

/// Sends a request by the user with this role, expecting JSON.
async fn send(server: &TestServer, role: Role, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
    let mut request = server.request(role, method, path);
    if let Some(body) = body {
        request = request.header("content-type", "application/json").body(body.to_string());
    }
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn users_undo_their_own_marks_and_the_history_names_them() {
    let server = TestServer::with_web(Some(cathedral::web()), TestOptions::default()).await;
    let order = json!({"seeds": [SEED], "strategy": "focus", "settings": {"ranking": {"max_hops": 2}}});
    assert_eq!(send(&server, Role::Operator, "POST", "/api/v1/crawls", Some(order)).await.0, 201);
    while send(&server, Role::Reader, "GET", "/api/v1/crawls/1", None).await.1["state"] != "finished" {
        poll_delay().await;
    }
    let path = "/api/v1/crawls/1/candidates/marks";
    let mark = |role, entity: &str, mark: &str| {
        send(&server, role, "POST", path, Some(json!({"entities": [entity], "mark": mark})))
    };

    let (first, second) = tokio::join!(mark(Role::Operator, MINSTER, "keep"), mark(Role::Admin, GERMANY, "drop"));
    assert_eq!((first.0, second.0), (200, 200));
    let (_, undone) = send(&server, Role::Operator, "DELETE", path, None).await;

    assert_eq!(undone, json!({"changed": 1, "kept": 0, "dropped": 1, "superseded": 0}));
    let (_, again) = send(&server, Role::Operator, "DELETE", path, None).await;
    assert_eq!((&again["changed"], &again["dropped"]), (&0.into(), &1.into()), "the mark of the admin stays");
    let (status, history) = send(&server, Role::Reader, "GET", &format!("{path}?limit=2"), None).await;
    assert_eq!((status, &history["total"]), (200, &3.into()), "{history}");
    let last = &history["changes"][0];
    assert_eq!((&last["by"], &last["entity"], &last["undo"]), (&"operator".into(), &MINSTER.into(), &true.into()));
    assert!(last["mark"].is_null() && last["previous"] == "keep" && last["at"].is_string(), "{history}");
    server.close().await;
}
