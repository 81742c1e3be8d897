//! The DURAARK API.

use lodeward_service::Role;
use serde_json::Value;

use crate::cathedral::{self, SEED};
use crate::crawl_helpers;
use crate::test_server::{TestOptions, TestServer, password_of};

/// Calls a method as published.
async fn call(server: &TestServer, method: &str, parameters: &[(&str, &str)]) -> (u16, Value) {
    let query = serde_urlencoded::to_string(parameters).unwrap();
    server.get(&format!("/CrawlAPI/{method}?{query}")).await
}

/// Calls a method with a form.
async fn post(server: &TestServer, method: &str, form: &str) -> (u16, Value) {
    let request = server.client.post(server.url(&format!("/CrawlAPI/{method}")));
    let request = request.header("content-type", "application/x-www-form-urlencoded").body(form.to_owned());
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap())
}

/// Starts a crawl, and waits until it is finished.
async fn finished_crawl(server: &TestServer, parameters: &[(&str, &str)]) -> String {
    let (status, started) = call(server, "crawl", parameters).await;
    assert_eq!(status, 200, "{started}");
    let id = started["crawl_id"].as_u64().unwrap();
    crawl_helpers::wait_for_state(server, id, "finished").await;
    id.to_string()
}

fn ids(crawls: &Value) -> Vec<String> {
    crawls.as_array().unwrap().iter().map(|crawl| crawl["crawl_id"].to_string()).collect()
}

fn entities(candidates: &Value) -> Vec<&str> {
    candidates.as_array().unwrap().iter().map(|candidate| candidate["entity"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_started_listed_and_deleted() {
    let server = cathedral::start_service().await;

    let id = finished_crawl(&server, &[("seeds", SEED), ("user", "jane"), ("depth", "2")]).await;

    let (_, crawls) = call(&server, "loadAllRegisteredCrawls", &[]).await;
    let crawl = &crawls[0];
    assert_eq!((&crawl["user"], &crawl["owner"]), (&"jane".into(), &"local".into()));
    for (user, total) in [("jane", 1), ("local", 1), ("joan", 0)] {
        assert_eq!(server.get(&format!("/api/v1/crawls?user={user}")).await.1["total"], total, "{user}");
    }
    assert_eq!((&crawl["state"], &crawl["depth"]), (&"finished".into(), &2.into()));
    assert_eq!((&crawl["seeds"], &crawl["strategy"]), (&vec![SEED].into(), &"focus".into()));
    assert!(crawl["documents"].as_u64().unwrap() > 3, "{crawl}");
    assert_eq!(call(&server, "loadAllCrawls", &[]).await, (200, Value::Array(Vec::new())));
    let (_, deleted) = call(&server, "deleteCrawl", &[("crawl_id", &id)]).await;
    assert_eq!(deleted["crawl_id"].to_string(), id);
    assert_eq!(call(&server, "loadAllRegisteredCrawls", &[]).await, (200, Value::Array(Vec::new())));
    assert_eq!(call(&server, "deleteCrawl", &[("crawl_id", &id)]).await.0, 404);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_that_are_filtered_out_are_no_longer_listed() {
    let server = cathedral::start_service().await;
    let id = finished_crawl(&server, &[("seeds", SEED), ("depth", "2")]).await;
    let (_, before) = call(&server, "loadCrawl", &[("crawl_id", &id)]).await;
    let before = entities(&before);
    assert!(
        before.contains(&"http://e.example/Beer") && before.contains(&"http://e.example/Ulm_Minster"),
        "{before:?}"
    );

    let filter = "entity ~ \"Beer$\"";
    let (status, filtered) =
        call(&server, "filterCrawlCandidates", &[("crawl_id", &id), ("crawl_filter", filter)]).await;

    assert_eq!((status, &filtered["filtered"], &filtered["left"]), (200, &1.into(), &(before.len() - 1).into()));
    let (_, after) = call(&server, "loadCrawl", &[("crawl_id", &id)]).await;
    let left: Vec<&str> = before.iter().copied().filter(|entity| !entity.ends_with("/Beer")).collect();
    assert_eq!(entities(&after), left);
    let page = [("crawl_id", id.as_str()), ("offset", "1"), ("limit", "2")];
    assert_eq!(entities(&call(&server, "loadCrawl", &page).await.1), left[1..3]);
    // Conditions on properties need the harvest.
    let filter = "has <http://e.example/p/style>";
    let (_, filtered) = call(&server, "filterCrawlCandidates", &[("crawl_id", &id), ("crawl_filter", filter)]).await;
    assert_eq!(filtered["filtered"], 1, "{filtered}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crawls_are_found_by_user_and_by_seed() {
    let server = cathedral::start_service().await;
    let other = "http://e.example/Beer";
    let first = finished_crawl(&server, &[("seeds", SEED), ("user", "jane"), ("depth", "1")]).await;
    let both = format!("{other};{SEED}");
    let second = finished_crawl(&server, &[("seeds", &both), ("user", "joe"), ("depth", "1")]).await;

    let found = async |method: &str, name: &str, value: &str| {
        let (status, crawls) = call(&server, method, &[(name, value)]).await;
        assert_eq!(status, 200, "{crawls}");
        ids(&crawls)
    };

    assert_eq!(found("loadCrawlsByUser", "user", "jane").await, [first.as_str()]);
    assert_eq!(found("loadCrawlsByUser", "user", "joe").await, [second.as_str()]);
    assert_eq!(found("loadCrawlsByUser", "user", "local").await, [second.as_str(), &first]);
    assert_eq!(found("loadCrawlsByUser", "user", "unknown").await, [""; 0]);
    assert_eq!(found("loadCrawlsBySeed", "seeds", SEED).await, [second.as_str(), &first]);
    assert_eq!(found("loadCrawlsBySeed", "seeds", other).await, [second.as_str()]);
    assert_eq!(found("loadCrawlsBySeed", "seeds", "http://e.example/").await, [""; 0]);
    let (_, page) = call(&server, "loadFinishedCrawls", &[("offset", "1"), ("limit", "1")]).await;
    assert_eq!(ids(&page), [first]);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_can_be_disabled() {
    let settings = "[service]\nduraark_api = false\n".to_owned();
    let server = TestServer::start(TestOptions { no_auth: true, settings, ..TestOptions::default() }).await;

    for method in ["crawl", "loadAllCrawls"] {
        let (status, problem) = call(&server, method, &[("seeds", SEED)]).await;
        assert_eq!((status, &problem["code"]), (404, &"not-found".into()), "{method}: {problem}");
        assert!(problem["hint"].as_str().unwrap().contains("service.duraark_api"), "{problem}");
    }
    assert_eq!(server.get("/api/v1/crawls").await.1["total"], 0);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_may_be_sent_as_a_form() {
    let server = cathedral::start_service().await;

    let (status, started) = post(&server, "crawl", &format!("seeds={SEED}&user=jane&depth=1")).await;
    let (_, crawls) = post(&server, "loadCrawlsByUser", "user=jane").await;

    assert_eq!(status, 200, "{started}");
    assert_eq!(ids(&crawls), [started["crawl_id"].to_string()]);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_calls_are_problems() {
    let server = cathedral::start_service().await;
    let id = finished_crawl(&server, &[("seeds", SEED), ("depth", "1")]).await;
    let id = id.as_str();

    for (method, parameters, status, code) in [
        ("crawl", &[][..], 400, "bad-request"),
        ("crawl", &[("seeds", " ; ")][..], 422, "unprocessable"),
        ("crawl", &[("seeds", "ftp://e.example/")], 422, "unprocessable"),
        ("crawl", &[("seeds", "http://127.0.0.1/")], 403, "policy-violation"),
        ("crawl", &[("seeds", SEED), ("depth", "0")], 422, "unprocessable"),
        ("crawl", &[("seeds", SEED), ("depth", "999")], 400, "bad-request"),
        ("crawl", &[("seeds", SEED), ("user", "a\nb")], 422, "unprocessable"),
        ("loadCrawl", &[("crawl_id", "77")], 404, "not-found"),
        ("loadCrawl", &[("crawl_id", "-1")], 400, "bad-request"),
        ("exportToSDA", &[("crawl_id", "77")], 404, "not-found"),
        ("filterCrawlCandidates", &[("crawl_id", id), ("crawl_filter", " ")], 422, "unprocessable"),
        ("filterCrawlCandidates", &[("crawl_id", id), ("crawl_filter", "scor > 3")], 422, "unprocessable"),
        ("loadCrawlsBySeed", &[("seeds", "")], 422, "unprocessable"),
        ("loadAllCrawls", &[("limit", "1001")], 422, "unprocessable"),
    ] {
        let (found, problem) = call(&server, method, parameters).await;
        assert_eq!((found, problem["code"].as_str()), (status, Some(code)), "{method} {parameters:?}: {problem}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_without_a_ranking_are_a_conflict() {
    let server = cathedral::start_service().await;
    let id = finished_crawl(&server, &[("seeds", SEED), ("depth", "1")]).await;
    std::fs::remove_file(server.service.data_dir().join("crawls").join(&id).join("ranking.jsonl")).unwrap();

    let (status, problem) = call(&server, "loadCrawl", &[("crawl_id", &id)]).await;

    assert_eq!((status, &problem["code"]), (409, &"conflict".into()), "{problem}");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_belongs_to_the_authenticated_user_not_to_the_named_one() {
    let server = TestServer::with_web(Some(cathedral::web()), TestOptions::default()).await;
    let call = async |role: Role, path: &str| {
        let request = server.anonymous("GET", &format!("/CrawlAPI/{path}"));
        let response = request.basic_auth(role.name(), Some(password_of(role))).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    };

    let (status, text) = call(Role::Admin, &format!("crawl?seeds={SEED}&user=operator")).await;
    assert_eq!(status, 200, "{text}");
    assert_eq!(call(Role::Reader, &format!("crawl?seeds={SEED}")).await.0, 403);

    assert_eq!(call(Role::Operator, "deleteCrawl?crawl_id=1").await.0, 403);
    assert_eq!(call(Role::Operator, "exportToSDA?crawl_id=1").await.0, 403);
    assert_eq!(call(Role::Operator, "filterCrawlCandidates?crawl_id=1&crawl_filter=hop%3D1").await.0, 403);
    let (_, crawls) = call(Role::Reader, "loadCrawlsByUser?user=operator").await;
    assert!(crawls.contains(r#""owner":"admin""#), "{crawls}");
    assert_eq!(call(Role::Admin, "deleteCrawl?crawl_id=1").await.0, 200);
    server.close().await;
}
