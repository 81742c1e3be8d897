//! Candidates over HTTP: ranked, filtered, marked.

use serde_json::{Value, json};

use crate::cathedral::{self, SEED};
use crate::house::House;
use crate::wait::{begun, crawl_in_state};

const GERMANY: &str = "http://e.example/Germany";
const MINSTER: &str = "http://e.example/Ulm_Minster";

/// A house with a focused crawl that has come to its end. It is crawl 1.
async fn ranked() -> House {
    let house = cathedral::house().await;
    let order = json!({"seeds": [SEED], "strategy": "focus", "settings": {"focus": {"depth": 2}}});
    let id = begun(&house, order).await;
    crawl_in_state(&house, id, "finished").await;
    house
}

/// The entities of a page.
fn entities(page: &Value) -> Vec<&str> {
    page["candidates"].as_array().unwrap().iter().map(|row| row["entity"].as_str().unwrap()).collect()
}

async fn list(house: &House, query: &str) -> Value {
    let (status, page) = house.get(&format!("/api/v1/crawls/1/candidates?{query}")).await;
    assert_eq!(status, 200, "{query}: {page}");
    page
}

async fn mark(house: &House, marks: Value) -> Value {
    let (status, changed) = house.post("/api/v1/crawls/1/candidates/marks", &marks).await;
    assert_eq!(status, 200, "{marks}: {changed}");
    changed
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_are_listed_the_best_first_with_why() {
    let house = ranked().await;

    let page = list(&house, "").await;

    let ranks: Vec<u64> = page["candidates"].as_array().unwrap().iter().map(|c| c["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks, (1..=ranks.len() as u64).collect::<Vec<_>>());
    assert_eq!(page["total"], ranks.len());
    assert!(entities(&page).contains(&GERMANY) && !entities(&page).contains(&SEED), "{page}");
    let first = &page["candidates"][0];
    assert!(first["why"][0]["words"].is_string() && first["score"].is_f64() && first["mark"].is_null(), "{first}");
    assert!(page["ranking"]["reason"].is_string() && page["ranking"]["seeds_known"] == 1, "{page}");
    let second = list(&house, "offset=1&limit=1").await;
    assert_eq!((entities(&second), &second["total"]), (vec![entities(&page)[1]], &page["total"]));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_says_who_is_wanted() {
    let house = ranked().await;

    assert_eq!(entities(&list(&house, "filter=label+~+%22Minster%22").await), [MINSTER]);
    // Properties need the harvest itself.
    let styled = list(&house, "filter=has+%3Chttp%3A%2F%2Fe.example%2Fp%2Fstyle%3E").await;
    assert_eq!(entities(&styled), [MINSTER]);
    let (status, problem) = house.get("/api/v1/crawls/1/candidates?filter=colour+%3D+red").await;
    assert_eq!((status, &problem["code"]), (422, &"invalid".into()));
    assert!(problem["hint"].as_str().unwrap().contains("label"), "{problem}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_are_made_and_taken_back() {
    let house = ranked().await;

    assert_eq!(mark(&house, json!({"entities": [GERMANY], "opinion": "drop"})).await["dropped"], 1);
    let kept = mark(&house, json!({"filter": "label ~ Minster", "opinion": "keep"})).await;
    assert_eq!(kept, json!({"changed": 1, "kept": 1, "dropped": 1}));

    let page = list(&house, "").await;
    assert!(!entities(&page).contains(&GERMANY) && page["dropped"] == 1, "{page}");
    assert_eq!(entities(&list(&house, "marked=dropped").await), [GERMANY]);
    let minster = list(&house, "marked=kept").await;
    assert_eq!(minster["candidates"][0]["mark"]["opinion"], "keep");
    assert!(minster["candidates"][0]["mark"]["by"].is_string());
    assert_eq!(list(&house, "marked=unmarked").await["total"], page["total"].as_u64().unwrap() - 1);
    // What was answered is on disk.
    let written = std::fs::read_to_string(house.service.data().join("crawls/1/marks.jsonl")).unwrap();
    assert_eq!(written.lines().count(), 2);

    let undo = async || {
        let answer = house.client.delete(house.url("/api/v1/crawls/1/candidates/marks")).send().await.unwrap();
        serde_json::from_slice::<Value>(&answer.bytes().await.unwrap()).unwrap()
    };
    assert_eq!(undo().await, json!({"changed": 1, "kept": 0, "dropped": 1}));
    assert_eq!(undo().await, json!({"changed": 1, "kept": 0, "dropped": 0}));
    assert_eq!(undo().await["changed"], 0);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_that_make_no_sense_are_refused() {
    let house = ranked().await;
    let check = async |marks: Value, status: u16| {
        let (answered, problem) = house.post("/api/v1/crawls/1/candidates/marks", &marks).await;
        assert_eq!(answered, status, "{marks}: {problem}");
    };

    check(json!({"opinion": "keep"}), 422).await;
    check(json!({"entities": [], "opinion": "keep"}), 422).await;
    check(json!({"entities": ["no iri"], "opinion": "keep"}), 422).await;
    check(json!({"entities": [GERMANY], "opinion": "love"}), 422).await;
    check(json!({"filter": "(", "opinion": "keep"}), 422).await;
    check(json!({"entities": vec!["http://e.example/"; 10_001], "opinion": "keep"}), 422).await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_come_as_csv_for_spreadsheets() {
    let house = ranked().await;
    let total = list(&house, "").await["total"].as_u64().unwrap();
    let csv = async |path: &str| {
        let request = house.client.get(house.url(path)).header("accept", "text/csv");
        let answer = request.send().await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.headers()["content-type"].to_str().unwrap()), (200, "text/csv"));
        answer.text().await.unwrap()
    };

    let page = csv("/api/v1/crawls/1/candidates?limit=1").await;
    let all = csv("/api/v1/crawls/1/candidates.csv").await;

    assert!(page.starts_with("rank,entity,score,") && page.lines().count() == 2, "{page}");
    assert!(all.starts_with(&page) && all.lines().count() as u64 == total + 1, "{all}");
    let request = house.client.get(house.url("/api/v1/crawls/1/candidates")).header("accept", "image/png");
    assert_eq!(request.send().await.unwrap().status(), 406);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_was_not_ranked_can_be() {
    let house = cathedral::house().await;
    let id = begun(&house, json!({"seeds": [SEED], "strategy": "bfs", "settings": {"crawl": {"stay": true}}})).await;
    crawl_in_state(&house, id, "finished").await;
    for path in ["candidates", "candidates.csv", "ranking"] {
        let (status, problem) = house.get(&format!("/api/v1/crawls/{id}/{path}")).await;
        assert_eq!((status, &problem["code"]), (409, &"conflict".into()), "{path}");
        assert!(problem["hint"].as_str().unwrap().contains("ranking"), "{problem}");
    }

    let (status, made) = house.post(&format!("/api/v1/crawls/{id}/ranking?ranker=ppr&depth=1"), &Value::Null).await;

    assert_eq!((status, &made["ranking"]["ranker"]), (200, &"ppr".into()), "{made}");
    assert_eq!(made["seeds"][0]["entity"], SEED);
    assert_eq!(house.get(&format!("/api/v1/crawls/{id}/ranking")).await.1, made);
    assert!(entities(&list(&house, "").await).contains(&GERMANY));
    for wrong in ["ranker=best", "depth=0", "depth=11", "colour=red"] {
        let (status, problem) = house.post(&format!("/api/v1/crawls/{id}/ranking?{wrong}"), &Value::Null).await;
        assert_eq!(status, 400, "{wrong}: {problem}");
    }
    house.close().await;
}
