//! The OpenAPI document and its page.

use crate::test_server::TestServer;

#[tokio::test(flavor = "multi_thread")]
async fn the_document_is_public_and_the_page_shows_all_operations() {
    let server = TestServer::with_auth().await;

    let (status, document) = server.get("/api/v1/openapi.json").await;
    let page = server.client.get(server.url("/api/v1/docs")).send().await.unwrap();

    assert_eq!((status, document["openapi"].as_str().unwrap().starts_with("3.1")), (200, true));
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
    let page = page.text().await.unwrap();
    assert!(!page.contains("<script") && !page.contains("style="));
    assert!(!page.contains("href=\"http") && !page.contains("src="), "the page loads nothing from other sites");
    let mut operations = std::collections::HashSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        assert!(page.contains(&format!("<code>{path}</code>")), "{path}");
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(operations.insert(id.to_owned()), "duplicate operation ID {id} ({method} {path})");
            assert!(operation["summary"].is_string() && operation["security"].is_array(), "{method} {path}");
            assert!(operation["responses"].get("500").is_none(), "{method} {path} declares 500");
        }
    }
    let style = server.client.get(server.url("/api/v1/docs/style.css")).send().await.unwrap();
    assert_eq!(style.headers()["content-type"], "text/css; charset=utf-8");
    server.close().await;
}
