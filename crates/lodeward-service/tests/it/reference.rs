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

#[tokio::test(flavor = "multi_thread")]
async fn the_browser_interface_is_public_and_cached() {
    let server = TestServer::with_auth().await;

    let page = server.client.get(server.url("/?utm_source=x")).send().await.unwrap();

    assert_eq!(page.status(), 200);
    assert_eq!(page.headers()["content-security-policy"], lodeward_workbench::CONTENT_SECURITY_POLICY);
    assert_eq!(
        (&page.headers()["cache-control"], &page.headers()["vary"]),
        (&"no-cache".parse().unwrap(), &"accept-encoding".parse().unwrap())
    );
    let etag = page.headers()["etag"].clone();
    let again = server.client.get(server.url("/")).header("if-none-match", &etag).send().await.unwrap();
    assert_eq!((again.status(), again.headers().get("content-type")), (http::StatusCode::NOT_MODIFIED, None));
    let file = &lodeward_workbench::assets()[0];
    let asset = server
        .client
        .get(server.url(&format!("/assets/{}", file.name)))
        .header("accept-encoding", "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(asset.headers()["cache-control"], "public, max-age=31536000, immutable");
    assert_eq!(
        (&asset.headers()["content-encoding"], &asset.headers()["content-type"]),
        (&"gzip".parse().unwrap(), &file.media_type.parse().unwrap())
    );
    assert_eq!(asset.bytes().await.unwrap(), file.gzip());
    assert_eq!(server.get("/assets/nothing.js").await.0, 404);
    server.close().await;
}
