//! The door in front of handlers that break, or are not waited for.

use std::path::Path;

use axum::body::Body;
use axum::routing::{get, post};
use http::{Request, StatusCode};
use lodeward::config::Sources;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tower::ServiceExt as _;

use super::*;
use crate::service::Options;

async fn breaks() -> &'static str {
    panic!("it breaks")
}

/// A service that lets everybody in.
async fn service_in(folder: &Path) -> Arc<Service> {
    let data = folder.to_owned();
    let open = || Service::open(Options { data, sources: Sources::default(), now: || 0, no_auth: true }).unwrap();
    tokio::task::spawn_blocking(open).await.unwrap()
}

/// A door in front of `/breaks`, which is in the document, and `/hidden`, which is
/// not.
async fn answer_of(path: &str) -> Response {
    let folder = tempfile::tempdir().unwrap();
    let service = service_in(folder.path()).await;
    let document = json!({
        "openapi": "3.1.0",
        "info": { "title": "", "version": "" },
        "paths": { "/breaks": { "get": { "security": [{ "token": ["reader"] }], "responses": {} } } },
    });
    let router = Router::new().route("/breaks", get(breaks)).route("/hidden", get(|| async { "open" }));
    let router = guard(router, &service, &serde_json::from_value(document).unwrap());
    let response = router.oneshot(Request::builder().uri(path).body(Body::empty()).unwrap()).await.unwrap();
    service.close().await;
    response
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_breaks_is_a_problem_of_its_own() {
    let response = answer_of("/breaks").await;

    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(response.headers()["content-type"], crate::problem::MEDIA_TYPE);
    assert!(response.headers().contains_key("x-request-id"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_route_that_is_not_in_the_document_is_not_there() {
    assert_eq!(answer_of("/hidden").await.status(), StatusCode::NOT_FOUND);
}

/// What stands in the audit log when somebody has hung up before the handler at this
/// path has done what it does.
async fn noted_of(path: &'static str, is_done: bool) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let service = service_in(folder.path()).await;
    let operation = json!({ "post": { "security": [{ "token": ["reader"] }], "responses": {} } });
    let info = json!({ "title": "", "version": "" });
    let document = json!({ "openapi": "3.1.0", "info": info, "paths": { path: operation } });
    let (begun, goes_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handler = {
        let (begun, goes_on) = (Arc::clone(&begun), Arc::clone(&goes_on));
        || async move {
            begun.notify_one();
            goes_on.notified().await;
            StatusCode::CREATED
        }
    };
    let router = guard(Router::new().route(path, post(handler)), &service, &serde_json::from_value(document).unwrap());
    let request = Request::builder().method("POST").uri(path).body(Body::empty()).unwrap();
    tokio::select! {
        _ = router.oneshot(request) => panic!("the handler waits"),
        () = begun.notified() => {}
    }
    if is_done {
        goes_on.notify_one();
    }
    let log = folder.path().join("service/audit.jsonl");
    for _ in 0..600 {
        if let Some(line) = std::fs::read_to_string(&log).unwrap_or_default().lines().next() {
            service.close().await;
            return serde_json::from_str(line).unwrap();
        }
        tokio::time::timeout(Duration::from_millis(20), pending::<()>()).await.unwrap_err();
    }
    panic!("nothing is written down");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_hangs_up_changes_nothing_unseen() {
    let noted = noted_of("/changes", true).await;

    assert_eq!((&noted["path"], &noted["status"], &noted["user"]), (&json!("/changes"), &json!(201), &json!("local")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_nobody_waits_for_is_given_up_and_written_down() {
    let noted = noted_of("/sparql", false).await;

    assert_eq!((&noted["path"], &noted["status"]), (&json!("/sparql"), &json!(499)));
}
