//! Tests of the gateway with handlers that panic, and clients that disconnect.

use std::path::Path;
use std::time::Duration;

use axum::body::Body;
use axum::routing::{get, post};
use http::{Request, StatusCode};
use lodeward_app::settings::SettingSources;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tower::ServiceExt as _;

use super::*;
use crate::route_rules::LIMITS_EXTENSION;
use crate::state::ServiceOptions;

async fn panics() -> &'static str {
    panic!("a panic of the test")
}

/// A service without authentication.
async fn service_in(dir: &Path) -> Arc<Service> {
    let data_dir = dir.to_owned();
    let open = || {
        Service::open(ServiceOptions { data_dir, sources: SettingSources::default(), now: || 0, no_auth: true })
            .unwrap()
    };
    tokio::task::spawn_blocking(open).await.unwrap()
}

/// An operation of the document.
fn operation(effect: &str) -> Value {
    let limits = json!({ "effect": effect, "body": "medium", "timeout": true, "rate_limit": true, "strict": true });
    json!({ "security": [{ "token": ["reader"] }], LIMITS_EXTENSION: limits, "responses": {} })
}

/// The response of a gateway with the routes `/panics`, which is in the document, and
/// `/hidden`, which is not.
async fn response_of(path: &str) -> Response {
    let dir = tempfile::tempdir().unwrap();
    let service = service_in(dir.path()).await;
    let document = json!({
        "openapi": "3.1.0",
        "info": { "title": "", "version": "" },
        "paths": { "/panics": { "get": operation("reads") } },
    });
    let router = Router::new().route("/panics", get(panics)).route("/hidden", get(|| async { "open" }));
    let router = with_gateway(router, &service, &serde_json::from_value(document).unwrap());
    let response = router.oneshot(Request::builder().uri(path).body(Body::empty()).unwrap()).await.unwrap();
    service.close().await;
    response
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_of_a_handler_becomes_a_problem() {
    let response = response_of("/panics").await;

    assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(response.headers()["content-type"], crate::problem::MEDIA_TYPE);
    assert!(response.headers().contains_key("x-request-id"));
}

#[tokio::test]
async fn a_response_that_does_not_begin_in_time_becomes_a_problem() {
    let late = respond_in_time(pending(), Some(Duration::ZERO)).await;

    assert_eq!(
        (late.status(), late.headers()["retry-after"].as_bytes()),
        (StatusCode::SERVICE_UNAVAILABLE, &b"10"[..])
    );
    assert_eq!(respond_in_time(async { Response::default() }, None).await.status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_route_that_is_not_in_the_document_is_not_found() {
    assert_eq!(response_of("/hidden").await.status(), StatusCode::NOT_FOUND);
}

/// The audit line of a request whose client disconnects while the handler runs. The handler
/// completes only if `completes`.
async fn audit_line_of(path: &'static str, effect: &str, completes: bool) -> Value {
    let dir = tempfile::tempdir().unwrap();
    let service = service_in(dir.path()).await;
    let operation = json!({ "post": operation(effect) });
    let info = json!({ "title": "", "version": "" });
    let document = json!({ "openapi": "3.1.0", "info": info, "paths": { path: operation } });
    let (started, resumed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handler = {
        let (started, resumed) = (Arc::clone(&started), Arc::clone(&resumed));
        || async move {
            started.notify_one();
            resumed.notified().await;
            StatusCode::CREATED
        }
    };
    let router =
        with_gateway(Router::new().route(path, post(handler)), &service, &serde_json::from_value(document).unwrap());
    let request = Request::builder().method("POST").uri(path).body(Body::empty()).unwrap();
    tokio::select! {
        _ = router.oneshot(request) => panic!("the handler waits"),
        () = started.notified() => {}
    }
    if completes {
        resumed.notify_one();
    }
    let log = dir.path().join("service/audit.jsonl");
    for _ in 0..600 {
        if let Some(line) = std::fs::read_to_string(&log).unwrap_or_default().lines().next() {
            service.close().await;
            return serde_json::from_str(line).unwrap();
        }
        tokio::time::timeout(Duration::from_millis(20), pending::<()>()).await.unwrap_err();
    }
    panic!("no audit line was written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_completes_and_is_audited_if_the_client_disconnects() {
    let line = audit_line_of("/changes", "changes", true).await;

    assert_eq!((&line["path"], &line["status"], &line["user"]), (&json!("/changes"), &json!(201), &json!("local")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_cancelled_and_audited_if_the_client_disconnects() {
    let line = audit_line_of("/sparql", "queries", false).await;

    assert_eq!((&line["path"], &line["status"]), (&json!("/sparql"), &json!(499)));
}
