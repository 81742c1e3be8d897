//! The door in front of handlers that break.

use axum::body::Body;
use axum::routing::get;
use http::{Request, StatusCode};
use lodeward::config::Sources;
use serde_json::json;
use tower::ServiceExt as _;

use super::*;
use crate::service::Options;

async fn breaks() -> &'static str {
    panic!("it breaks")
}

/// A door in front of `/breaks`, which is in the document, and `/hidden`, which is
/// not.
async fn answer_of(path: &str) -> Response {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_owned();
    let open = || Service::open(Options { data, sources: Sources::default(), now: || 0, no_auth: true }).unwrap();
    let service = tokio::task::spawn_blocking(open).await.unwrap();
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
