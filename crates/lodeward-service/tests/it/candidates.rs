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

#[tokio::test(flavor = "multi_thread")]
async fn facets_and_the_page_of_an_entity_are_found() {
    let server = with_ranked_crawl().await;
    let all = list(&server, "limit=500").await;

    let (status, facets) = server.get("/api/v1/crawls/1/candidates/facets").await;
    assert_eq!((status, &facets["total"]), (200, &all["total"]), "{facets}");
    assert_eq!(facets["domains"]["values"][0]["value"], "e.example");
    assert_eq!(facets["scores"]["counts"].as_array().unwrap().len(), 20);
    let last = entities(&all).pop().unwrap();
    let page = list(&server, &format!("limit=1&reasons=false&at={last}")).await;
    assert_eq!((entities(&page), page["offset"].as_u64()), (vec![last], all["total"].as_u64().map(|total| total - 1)));
    assert_eq!(page["candidates"][0]["reasons"], json!([]));
    let (status, problem) = server.get("/api/v1/crawls/1/candidates?at=http://e.example/nowhere").await;
    assert_eq!((status, &problem["errors"][0]["at"]), (404, &json!("?at")));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_changes_no_marks_and_a_change_is_undone_by_its_number() {
    let server = with_ranked_crawl().await;
    let marks = "/api/v1/crawls/1/candidates/marks";
    let total = list(&server, "").await["total"].as_u64().unwrap();

    let order = json!({"filter": "", "mark": "drop"});
    let (_, preview) = server.post(&format!("{marks}?dry_run=true"), &order).await;
    assert_eq!(preview, json!({"changed": total, "kept": 0, "dropped": 0}));
    assert_eq!(server.get(&format!("{marks}/changes")).await.1["total"], 0);
    mark(&server, json!({"filter": "label ~ Minster", "mark": "keep"})).await;
    mark(&server, json!({"entities": [GERMANY], "mark": "drop"})).await;
    let (_, changes) = server.get(&format!("{marks}/changes")).await;
    let shown = |change: &Value| (change["change"].as_u64(), change["count"].as_u64(), change["filter"].clone());
    assert_eq!(shown(&changes["changes"][0]), (Some(2), Some(1), Value::Null));
    assert_eq!(shown(&changes["changes"][1]), (Some(1), Some(1), json!("label ~ Minster")));

    let undo = |query: &str| server.anonymous("DELETE", &format!("{marks}{query}")).send();
    let preview: Value =
        serde_json::from_slice(&undo("?change=1&dry_run=true").await.unwrap().bytes().await.unwrap()).unwrap();
    assert_eq!((&preview["changed"], &preview["kept"]), (&json!(1), &json!(1)));
    let undone: Value = serde_json::from_slice(&undo("?change=1").await.unwrap().bytes().await.unwrap()).unwrap();
    assert_eq!((&undone["changed"], &undone["kept"], &undone["dropped"]), (&json!(1), &json!(0), &json!(1)));
    assert_eq!(undo("?change=77").await.unwrap().status(), 404);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn further_rankings_stand_beside_the_ranking_of_the_crawl() {
    let server = with_ranked_crawl().await;
    let own = server.get("/api/v1/crawls/1/ranking").await.1["ranking"]["ranker"].clone();

    let (status, ranked) = server.post("/api/v1/crawls/1/ranking?as=second&ranker=pagerank", &json!(null)).await;
    assert_eq!((status, &ranked["ranking"]["ranker"]), (200, &json!("pagerank")), "{ranked}");

    assert_eq!(server.get("/api/v1/crawls/1/ranking").await.1["ranking"]["ranker"], own);
    assert_eq!(list(&server, "ranking=second").await["ranking"]["ranker"], "pagerank");
    let (_, rankings) = server.get("/api/v1/crawls/1/rankings").await;
    let names: Vec<&Value> = rankings["rankings"].as_array().unwrap().iter().map(|ranking| &ranking["name"]).collect();
    assert_eq!((names, &rankings["running"]), (vec![&Value::Null, &json!("second")], &json!([])));
    assert_eq!(server.get("/api/v1/crawls/1/candidates?ranking=third").await.0, 404);
    assert_eq!(server.get("/api/v1/crawls/1/candidates?ranking=..").await.0, 400);
    let delete = || server.anonymous("DELETE", "/api/v1/crawls/1/rankings/second").send();
    assert_eq!(
        (delete().await.unwrap().status(), delete().await.unwrap().status()),
        (204.try_into().unwrap(), 404.try_into().unwrap())
    );
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reviewers_may_mark_and_others_may_not() {
    let server = TestServer::with_web(Some(cathedral::web()), TestOptions::default()).await;
    let send = |role: Role, method: &str, path: &str, body: Value| {
        let request = server.request(role, method, path).header("content-type", "application/json");
        async move {
            let response = request.body(body.to_string()).send().await.unwrap();
            let status = response.status().as_u16();
            (status, serde_json::from_slice::<Value>(&response.bytes().await.unwrap()).unwrap_or_default())
        }
    };
    let order = json!({"seeds": [SEED], "strategy": "focus"});
    assert_eq!(send(Role::Operator, "POST", "/api/v1/crawls", order).await.0, 201);
    while send(Role::Reader, "GET", "/api/v1/crawls/1", Value::Null).await.1["state"] != "finished" {
        poll_delay().await;
    }
    let keep = json!({"entities": [GERMANY], "mark": "keep"});
    let marks = "/api/v1/crawls/1/candidates/marks";

    assert_eq!(send(Role::Reader, "POST", marks, keep.clone()).await.0, 403);
    let reviewers = "/api/v1/crawls/1/reviewers";
    let (status, problem) = send(Role::Operator, "PUT", reviewers, json!({"users": ["unknown"]})).await;
    assert_eq!((status, &problem["errors"][0]["at"]), (422, &json!("/users/0")));
    let (status, crawl) = send(Role::Operator, "PUT", reviewers, json!({"users": ["reader"]})).await;
    assert_eq!((status, &crawl["reviewers"]), (200, &json!(["reader"])));
    assert_eq!(send(Role::Reader, "POST", marks, keep).await.1["kept"], 1);
    assert_eq!(send(Role::Reader, "PUT", reviewers, json!({"users": []})).await.0, 403);
    let drop = json!({"entities": [GERMANY], "mark": "drop"});
    assert_eq!(send(Role::Operator, "POST", marks, drop).await.1["dropped"], 1);
    let (status, problem) = send(Role::Reader, "DELETE", &format!("{marks}?change=2"), Value::Null).await;
    assert_eq!(status, 403, "{problem}");
    server.close().await;
}
