//! Documents, the journal and `explain` over HTTP.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cathedral::{self, SEED};
use crate::house::House;
use crate::wait::{begun, crawl_in_state, crawl_that};

/// A house with a crawl that has come to its end. It is crawl 1.
async fn crawled() -> House {
    let house = cathedral::house().await;
    let id = begun(
        &house,
        json!({"seeds": [SEED], "strategy": "bfs", "limits": {"max_depth": 1}, "settings": {"crawl": {"stay": true}}}),
    )
    .await;
    crawl_in_state(&house, id, "finished").await;
    house
}

/// Everything in a list that comes in pages.
async fn all(house: &House, path: &str, field: &str) -> Vec<Value> {
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let (status, page) = house.get(&format!("{path}?limit=2{after}")).await;
        assert_eq!(status, 200, "{page}");
        let part = page[field].as_array().unwrap();
        assert!(part.len() <= 2);
        found.extend(part.iter().cloned());
        match page["next"].as_u64() {
            Some(next) => after = format!("&after={next}"),
            None => return found,
        }
    }
}

fn encoded(uri: &str) -> String {
    uri.replace(':', "%3A").replace('/', "%2F")
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_listed_page_by_page_and_each_once() {
    let house = crawled().await;

    let documents = all(&house, "/api/v1/crawls/1/documents", "documents").await;

    let names: BTreeSet<&str> = documents.iter().map(|document| document["uri"].as_str().unwrap()).collect();
    let expected = ["Cologne", "Cologne_Cathedral", "Germany", "Gothic"].map(|name| format!("http://e.example/{name}"));
    assert_eq!(names, expected.iter().map(String::as_str).collect());
    assert_eq!(names.len(), documents.len());
    assert_eq!((&documents[0]["uri"], &documents[0]["depth"]), (&SEED.into(), &0.into()));
    assert!(documents.iter().all(|document| document["quads"].as_u64() > Some(0)));
    let answer = house.client.get(house.url("/api/v1/crawls/1/documents?limit=1")).send().await.unwrap();
    assert!(answer.headers()["link"].to_str().unwrap().ends_with("&limit=1>; rel=\"next\""));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_tells_where_it_comes_from_and_what_it_says() {
    let house = crawled().await;
    let path = format!("/api/v1/crawls/1/document?uri={}", encoded(SEED));

    let (status, document) = house.get(&path).await;
    let said = house.client.get(house.url(&path)).header("accept", "application/n-quads").send().await.unwrap();

    assert_eq!(status, 200, "{document}");
    assert_eq!(said.headers()["content-type"], "application/n-quads");
    let said = said.text().await.unwrap();
    assert_eq!(document["quads"], said.lines().count());
    assert!(said.lines().all(|line| line.ends_with(&format!("<{SEED}> ."))), "{said}");
    let provenance = &document["provenance"];
    assert!(provenance["status"] == 200 && provenance["user_agent"].as_str().unwrap().starts_with("lodeward/"));
    let (_, list) = house.get("/api/v1/crawls/1/documents").await;
    assert_eq!(house.get(list["documents"][0]["link"].as_str().unwrap()).await.1, document);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_tells_what_became_of_every_uri() {
    let house = crawled().await;

    let entries = all(&house, "/api/v1/crawls/1/journal", "entries").await;

    let numbers: Vec<u64> = entries.iter().map(|entry| entry["number"].as_u64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|one, other| one < other), "{numbers:?}");
    let of = |uri: &str| entries.iter().find(|entry| entry["uri"] == uri).unwrap_or_else(|| panic!("{uri}"));
    assert_eq!((&of(SEED)["outcome"]["kind"], &of(SEED)["source"]), (&"document".into(), &Value::Null));
    let too_far = &of("http://e.example/Ulm")["outcome"];
    assert_eq!(too_far, &json!({"kind": "dropped", "reason": "depth"}));
    assert_eq!(house.get("/api/v1/crawls/1/journal?after=18446744073709551615").await.1["entries"], json!([]));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_became_of_a_uri_is_explained() {
    let house = crawled().await;
    let explain = async |uri: &str| house.get(&format!("/api/v1/crawls/1/explain?uri={}", encoded(uri))).await;

    let (status, seed) = explain(SEED).await;
    assert_eq!((status, &seed["outcome"]["kind"], &seed["depth"]), (200, &"document".into(), &0.into()), "{seed}");
    assert_eq!((&seed["waiting"], &seed["history"]["visits"]), (&false.into(), &1.into()));
    let (_, far) = explain("http://e.example/Ulm").await;
    assert!(far["outcome"]["reason"] == "depth" && far["source"].is_string(), "{far}");
    assert_eq!(explain("http://e.example/Nowhere").await.0, 404);
    for wrong in ["explain", "document", "explain?uri=", "document?uri=x", "explain?uri=x&y=z"] {
        let (status, problem) = house.get(&format!("/api/v1/crawls/1/{wrong}")).await;
        assert_eq!((status, &problem["code"]), (400, &"bad-request".into()), "{wrong}");
    }
    assert_eq!(house.get("/api/v1/crawls/1/document?uri=http%3A%2F%2Fe.example%2FUlm").await.0, 404);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_that_runs_can_be_looked_into() {
    let house = House::open().await;
    let id = begun(&house, json!({})).await;
    crawl_that(&house, id, |crawl| crawl["counters"]["documents"].as_u64() > Some(10)).await;

    let (status, page) = house.get(&format!("/api/v1/crawls/{id}/documents?limit=10")).await;

    assert_eq!((status, page["documents"].as_array().map(Vec::len)), (200, Some(10)));
    let uri = encoded(page["documents"][9]["uri"].as_str().unwrap());
    for path in ["document", "explain"] {
        let (status, told) = house.get(&format!("/api/v1/crawls/{id}/{path}?uri={uri}")).await;
        assert_eq!(status, 200, "{told}");
    }
    assert_eq!(house.get(&format!("/api/v1/crawls/{id}")).await.1["state"], "running");
    house.close().await;
}
