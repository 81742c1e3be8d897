//! Documents, the log and `explain` over HTTP.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cathedral::{self, SEED};
use crate::crawl_helpers::{start_crawl, wait_for_crawl, wait_for_state};
use crate::test_server::TestServer;

/// A service with a finished crawl, which is crawl 1.
async fn with_finished_crawl() -> TestServer {
    let server = cathedral::start_service().await;
    let id = start_crawl(
        &server,
        json!({"seeds": [SEED], "strategy": "bfs", "limits": {"max_depth": 1}, "settings": {"crawl": {"stay": "domain"}}}),
    )
    .await;
    wait_for_state(&server, id, "finished").await;
    server
}

/// All items of a paged list.
async fn all(server: &TestServer, path: &str, field: &str) -> Vec<Value> {
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let (status, page) = server.get(&format!("{path}?limit=2{after}")).await;
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
async fn documents_are_listed_in_pages_without_duplicates() {
    let server = with_finished_crawl().await;

    let documents = all(&server, "/api/v1/crawls/1/documents", "documents").await;

    let names: BTreeSet<&str> = documents.iter().map(|document| document["uri"].as_str().unwrap()).collect();
    let expected = ["Cologne", "Cologne_Cathedral", "Germany", "Gothic"].map(|name| format!("http://e.example/{name}"));
    assert_eq!(names, expected.iter().map(String::as_str).collect());
    assert_eq!(names.len(), documents.len());
    assert_eq!((&documents[0]["uri"], &documents[0]["depth"]), (&SEED.into(), &0.into()));
    assert!(documents.iter().all(|document| document["quads"].as_u64() > Some(0)));
    let response = server.client.get(server.url("/api/v1/crawls/1/documents?limit=1")).send().await.unwrap();
    assert!(response.headers()["link"].to_str().unwrap().ends_with("&limit=1>; rel=\"next\""));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_has_provenance_and_statements() {
    let server = with_finished_crawl().await;
    let path = format!("/api/v1/crawls/1/document?uri={}", encoded(SEED));

    let (status, document) = server.get(&path).await;
    let response = server.client.get(server.url(&path)).header("accept", "application/n-quads").send().await.unwrap();

    assert_eq!(status, 200, "{document}");
    assert_eq!(response.headers()["content-type"], "application/n-quads");
    let quads = response.text().await.unwrap();
    assert_eq!(document["quads"], quads.lines().count());
    assert!(quads.lines().all(|line| line.ends_with(&format!("<{SEED}> ."))), "{quads}");
    let provenance = &document["provenance"];
    assert!(provenance["status"] == 200 && provenance["user_agent"].as_str().unwrap().starts_with("lodeward/"));
    let (_, list) = server.get("/api/v1/crawls/1/documents").await;
    assert_eq!(server.get(list["documents"][0]["link"].as_str().unwrap()).await.1, document);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_has_the_outcome_of_every_uri() {
    let server = with_finished_crawl().await;

    let entries = all(&server, "/api/v1/crawls/1/log", "entries").await;

    let numbers: Vec<u64> = entries.iter().map(|entry| entry["number"].as_u64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|one, other| one < other), "{numbers:?}");
    let of = |uri: &str| entries.iter().find(|entry| entry["uri"] == uri).unwrap_or_else(|| panic!("{uri}"));
    assert_eq!((&of(SEED)["outcome"]["kind"], &of(SEED)["source"]), (&"document".into(), &Value::Null));
    let too_far = &of("http://e.example/Ulm")["outcome"];
    assert_eq!(too_far, &json!({"kind": "dropped", "reason": "depth"}));
    assert_eq!(server.get("/api/v1/crawls/1/log?after=18446744073709551615").await.1["entries"], json!([]));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_filtered_and_read_from_its_end() {
    let server = with_finished_crawl().await;
    let oldest = all(&server, "/api/v1/crawls/1/log", "entries").await;
    let uris = |entries: &[Value]| -> Vec<String> {
        entries.iter().map(|entry| entry["uri"].as_str().unwrap().to_owned()).collect()
    };
    let read = async |query: &str| {
        let (status, page) = server.get(&format!("/api/v1/crawls/1/log?{query}")).await;
        assert_eq!(status, 200, "{page}");
        page
    };

    let (mut newest, mut before) = (Vec::new(), String::new());
    loop {
        let page = read(&format!("order=newest&limit=2{before}")).await;
        newest.extend(page["entries"].as_array().unwrap().iter().cloned());
        let Some(next) = page["next"].as_u64() else { break };
        before = format!("&before={next}");
    }

    let reversed: Vec<String> = uris(&oldest).into_iter().rev().collect();
    assert_eq!(uris(&newest), reversed);
    let page = read("kind=dropped&reason=depth&totals=true").await;
    let dropped = page["entries"].as_array().unwrap();
    assert!(!dropped.is_empty() && dropped.iter().all(|entry| entry["outcome"]["reason"] == "depth"), "{page}");
    let count = |kind: &str| oldest.iter().filter(|entry| entry["outcome"]["kind"] == kind).count();
    for kind in ["document", "redirected", "failed", "dropped", "deleted"] {
        assert_eq!(page["totals"][kind], count(kind), "{kind}");
    }
    assert_eq!(read("status=200").await["entries"].as_array().unwrap().len(), count("document"));
    assert_eq!(uris(read("text=Ulm_").await["entries"].as_array().unwrap()), ["http://e.example/Ulm_Minster"]);
    assert_eq!(read("domain=f.example").await["entries"], json!([]));
    assert_eq!(read("depth=0").await["entries"].as_array().unwrap().len(), 1);
    let (_, documents) = server.get("/api/v1/crawls/1/documents?order=newest&limit=1&depth=0").await;
    assert_eq!(documents["documents"][0]["uri"], SEED, "{documents}");
    for (query, at) in
        [("kind=x", "?kind"), ("fault=x", "?fault"), ("before=3", "?before"), ("order=newest&after=3", "?after")]
    {
        let (status, problem) = server.get(&format!("/api/v1/crawls/1/log?{query}")).await;
        assert_eq!((status, &problem["errors"][0]["at"]), (400, &at.into()), "{query}: {problem}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_outcome_of_a_uri_is_explained() {
    let server = with_finished_crawl().await;
    let explain = async |uri: &str| server.get(&format!("/api/v1/crawls/1/explain?uri={}", encoded(uri))).await;

    let (status, seed) = explain(SEED).await;
    assert_eq!((status, &seed["outcome"]["kind"], &seed["depth"]), (200, &"document".into(), &0.into()), "{seed}");
    assert_eq!((&seed["waiting"], &seed["history"]["requests"]), (&false.into(), &1.into()));
    let (_, far) = explain("http://e.example/Ulm").await;
    assert!(far["outcome"]["reason"] == "depth" && far["source"].is_string(), "{far}");
    let forecast = async |uri: &str| {
        let (status, problem) = explain(uri).await;
        assert_eq!(status, 404, "{problem}");
        problem["hint"].as_str().unwrap().to_owned()
    };
    assert!(forecast("http://e.example/Nowhere").await.starts_with("it would be queued"));
    assert!(forecast("http://e.example/a.png").await.starts_with("it would be dropped (extension)"));
    assert!(forecast("http://f.example/").await.starts_with("it would be dropped (scope)"));
    for invalid in ["explain", "document", "explain?uri=", "document?uri=x", "explain?uri=x&y=z"] {
        let (status, problem) = server.get(&format!("/api/v1/crawls/1/{invalid}")).await;
        assert_eq!((status, &problem["code"]), (400, &"bad-request".into()), "{invalid}");
    }
    assert_eq!(server.get("/api/v1/crawls/1/document?uri=http%3A%2F%2Fe.example%2FUlm").await.0, 404);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_of_a_running_crawl_can_be_read() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({})).await;
    wait_for_crawl(&server, id, |crawl| crawl["counters"]["documents"].as_u64() > Some(10)).await;

    let (status, page) = server.get(&format!("/api/v1/crawls/{id}/documents?limit=10")).await;

    assert_eq!((status, page["documents"].as_array().map(Vec::len)), (200, Some(10)));
    let uri = encoded(page["documents"][9]["uri"].as_str().unwrap());
    for path in ["document", "explain"] {
        let (status, body) = server.get(&format!("/api/v1/crawls/{id}/{path}?uri={uri}")).await;
        assert_eq!(status, 200, "{body}");
    }
    assert_eq!(server.get(&format!("/api/v1/crawls/{id}")).await.1["state"], "running");
    server.close().await;
}
