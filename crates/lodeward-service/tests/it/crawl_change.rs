//! Changes of a crawl after its start, and its queue.

use std::sync::Arc;

use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use lodeward_service::Role;
use serde_json::{Value, json};
use toyweb::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};

use crate::crawl_helpers::{start_crawl, wait_for_crawl, wait_for_state};
use crate::test_server::{TestOptions, TestServer};

/// One page with ten links into a domain that may be requested once per hour, and a chain of documents in another.
struct QueueWeb;

impl Web for QueueWeb {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        let (host, path) = (request.url.host_str().unwrap_or_default(), request.url.path());
        let (kind, body) = match (host, path) {
            ("slow.example", "/robots.txt") => ("text/plain", "User-agent: *\nCrawl-delay: 3600\n".to_owned()),
            (_, "/robots.txt") => return response(StatusCode::NOT_FOUND, "text/plain", String::new()),
            ("a.example", "/list") => {
                let link = |number: u32| format!("<> <#see> <http://slow.example/{number}>.\n");
                ("text/turtle", (0..10).map(link).collect())
            }
            ("a.example", path) => {
                let next = path.trim_start_matches('/').parse::<u32>().map_or(1, |number| number + 1);
                ("text/turtle", format!("<> <#next> <http://a.example/{next}>."))
            }
            _ => ("text/turtle", "<> <#is> \"a thing\".".to_owned()),
        };
        response(StatusCode::OK, kind, body)
    }
}

fn response(status: StatusCode, kind: &'static str, body: String) -> WebResponse {
    let headers = [(CONTENT_TYPE, HeaderValue::from_static(kind))].into_iter().collect();
    WebResponse { status, headers, body: WebBody::Whole(body.into()), delivery: DeliveryFault::Plain }
}

async fn with_web() -> TestServer {
    TestServer::with_web(Some(Arc::new(QueueWeb)), TestOptions { no_auth: true, ..TestOptions::default() }).await
}

async fn patch(server: &TestServer, path: &str, body: &Value) -> (u16, Value) {
    let request = server.client.patch(server.url(path)).header("content-type", "application/json");
    let response = request.body(body.to_string()).send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_crawl_drops_what_a_new_pattern_excludes() {
    let server = with_web().await;
    start_crawl(&server, json!({"seeds": ["http://a.example/list"], "strategy": "bfs"})).await;
    wait_for_crawl(&server, 1, |crawl| crawl["counters"]["uris_waiting"] == 10).await;

    let (status, frontier) = server.get("/api/v1/crawls/1/frontier?domain=slow.example&limit=3").await;
    assert_eq!((status, &frontier["queued"]), (200, &10.into()), "{frontier}");
    assert_eq!(frontier["next"].as_array().unwrap().len(), 3);
    let exclude = json!({"exclude": ["slow[.]example/[3-9]"]});
    let (status, preview) = patch(&server, "/api/v1/crawls/1?dry_run=true", &exclude).await;
    assert_eq!((status, &preview["dropped"], &preview["dry_run"]), (200, &7.into(), &true.into()), "{preview}");
    assert_eq!(preview["dropped_by_domain"], json!({"slow.example": 7}));
    assert_eq!(server.get("/api/v1/crawls/1").await.1["settings"]["crawl"]["exclude"], Value::Null);

    let (_, changed) = patch(&server, "/api/v1/crawls/1", &exclude).await;

    assert_eq!((&changed["dropped"], &changed["crawl"]["state"]), (&7.into(), &"running".into()), "{changed}");
    let crawl = wait_for_crawl(&server, 1, |crawl| crawl["counters"]["uris_waiting"] == 3).await;
    assert_eq!(crawl["counters"]["dropped_by_reason"]["pattern"], 7, "{crawl}");
    assert_eq!(crawl["settings"]["crawl"]["exclude"], exclude["exclude"]);

    // Without the pattern, the dropped links are queued again when nothing else waits.
    let (_, changed) = patch(&server, "/api/v1/crawls/1", &json!({"exclude": ["slow"]})).await;
    assert_eq!(changed["dropped"], 3, "{changed}");
    wait_for_state(&server, 1, "finished").await;
    let (status, changed) = patch(&server, "/api/v1/crawls/1", &json!({"exclude": [], "name": "all of it"})).await;
    assert_eq!((status, &changed["crawl"]["name"]), (200, &"all of it".into()), "{changed}");
    let (status, resumed) = server.post("/api/v1/crawls/1/resume", &Value::Null).await;
    assert_eq!(status, 200, "{resumed}");
    wait_for_crawl(&server, 1, |crawl| crawl["counters"]["uris_waiting"] == 10).await;
    let dir = server.stop().await;
    let server = TestServer::start_in(dir, TestOptions { no_auth: true, ..TestOptions::default() }).await;
    assert_eq!(server.get("/api/v1/crawls/1").await.1["name"], "all of it");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_raised_limit_lets_a_finished_crawl_go_on() {
    let server = with_web().await;
    let order = json!({"seeds": ["http://a.example/1"], "strategy": "bfs", "limits": {"max_documents": 3}});
    start_crawl(&server, order).await;
    wait_for_state(&server, 1, "finished").await;
    assert_eq!(server.post("/api/v1/crawls/1/resume", &Value::Null).await.0, 409);

    let (status, changed) = patch(&server, "/api/v1/crawls/1", &json!({"limits": {"max_documents": 5}})).await;

    assert_eq!((status, &changed["changes"]), (200, &json!(["max-documents 3 → 5"])), "{changed}");
    assert_eq!(server.post("/api/v1/crawls/1/resume", &Value::Null).await.0, 200);
    let crawl = wait_for_crawl(&server, 1, |crawl| crawl["counters"]["documents"] == 5).await;
    assert_eq!(crawl["counters"]["documents"], 5);
    wait_for_state(&server, 1, "finished").await;
    // A raised depth readmits links that were too far.
    let (_, _) = patch(&server, "/api/v1/crawls/1", &json!({"limits": {"max_documents": null, "max_depth": 6}})).await;
    assert_eq!(server.post("/api/v1/crawls/1/resume", &Value::Null).await.0, 200);
    wait_for_crawl(&server, 1, |crawl| crawl["state"] == "finished" && crawl["counters"]["documents"] == 7).await;
    let (_, _) = patch(&server, "/api/v1/crawls/1", &json!({"limits": {"max_depth": 7}})).await;
    assert_eq!(server.post("/api/v1/crawls/1/resume", &Value::Null).await.0, 200);
    wait_for_crawl(&server, 1, |crawl| crawl["state"] == "finished" && crawl["counters"]["documents"] == 8).await;
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_uri_can_be_requested_at_once() {
    let server = with_web().await;
    let order = json!({"seeds": ["http://a.example/list"], "strategy": "bfs", "settings": {"crawl": {"stay": "host"}}});
    start_crawl(&server, order).await;
    wait_for_state(&server, 1, "finished").await;

    let (status, crawl) = server.post("/api/v1/crawls/1/fetch?uri=http%3A%2F%2Fb.example%2F7", &Value::Null).await;

    assert_eq!((status, &crawl["seeds"]), (200, &2.into()), "{crawl}");
    assert_eq!(server.post("/api/v1/crawls/1/resume", &Value::Null).await.0, 200);
    wait_for_crawl(&server, 1, |crawl| crawl["state"] == "finished" && crawl["counters"]["documents"] == 2).await;
    let (status, problem) = server.post("/api/v1/crawls/1/fetch?uri=x", &Value::Null).await;
    assert_eq!((status, &problem["errors"][0]["at"]), (400, &"?uri".into()));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_change_names_its_cause() {
    let server = with_web().await;
    for name in ["one", "two"] {
        let order = json!({"seeds": ["http://a.example/1"], "name": name, "limits": {"max_documents": 1}});
        let id = start_crawl(&server, order).await;
        wait_for_state(&server, id, "finished").await;
    }
    for (body, status, at) in [
        (json!({"exclude": ["a", "("]}), 422, "/exclude/1"),
        (json!({"limits": {"max_requests": 0}}), 422, "/limits/max_requests"),
        (json!({"name": "two"}), 409, "/name"),
    ] {
        let (found, problem) = patch(&server, "/api/v1/crawls/1", &body).await;
        assert_eq!((found, &problem["errors"][0]["at"]), (status, &at.into()), "{body}: {problem}");
    }
    assert_eq!(patch(&server, "/api/v1/crawls/1", &json!({"limits": {"hops": 2}})).await.0, 422);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_owner_changes_a_crawl() {
    let server = TestServer::with_auth().await;
    let order = json!({"seeds": crate::crawl_helpers::seeds(&server), "limits": {"max_documents": 1}}).to_string();
    let json = ("content-type", "application/json");
    let request = server.request(Role::Admin, "POST", "/api/v1/crawls").header(json.0, json.1).body(order);
    assert_eq!(request.send().await.unwrap().status().as_u16(), 201);

    for role in [Role::Reader, Role::Operator] {
        let request = server.request(role, "PATCH", "/api/v1/crawls/1").header(json.0, json.1).body("{}");
        assert_eq!(request.send().await.unwrap().status().as_u16(), 403, "{}", role.name());
    }
    server.close().await;
}
