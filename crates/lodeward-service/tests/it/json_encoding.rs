//! Compression and entity tags of JSON responses.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::test_server::TestServer;

async fn get(server: &TestServer, path: &str, fields: &[(&str, &str)]) -> reqwest::Response {
    let mut request = server.anonymous("GET", path);
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

fn field<'a>(response: &'a reqwest::Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn large_json_is_compressed_if_the_client_accepts_gzip() {
    let server = TestServer::without_auth().await;

    let plain = get(&server, "/api/v1/settings", &[]).await;
    assert_eq!((field(&plain, "content-encoding"), field(&plain, "vary")), (None, Some("accept-encoding")));
    let plain = plain.bytes().await.unwrap();
    let packed = get(&server, "/api/v1/settings", &[("accept-encoding", "gzip")]).await;

    assert_eq!(field(&packed, "content-encoding"), Some("gzip"));
    let packed = packed.bytes().await.unwrap();
    assert!(packed.len() * 3 < plain.len(), "{} and {} bytes", packed.len(), plain.len());
    let mut unpacked = Vec::new();
    GzDecoder::new(&*packed).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
    let small = get(&server, "/health", &[("accept-encoding", "gzip")]).await;
    assert_eq!(field(&small, "content-encoding"), None);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unchanged_response_is_not_sent_again() {
    let server = TestServer::without_auth().await;
    let first = get(&server, "/api/v1/settings", &[]).await;
    let tag = field(&first, "etag").unwrap().to_owned();
    assert_eq!(field(&first, "cache-control"), Some("private, no-cache"));

    let again = get(&server, "/api/v1/settings", &[("if-none-match", &tag), ("accept-encoding", "gzip")]).await;
    assert_eq!((again.status().as_u16(), field(&again, "etag")), (304, Some(&*tag)));
    assert!(again.bytes().await.unwrap().is_empty());
    let other = get(&server, "/api/v1/settings", &[("if-none-match", "W/\"other\"")]).await;
    assert_eq!(other.status(), 200);
    assert!(other.bytes().await.is_ok_and(|body| serde_json::from_slice::<Value>(&body).is_ok()));

    let missing = get(&server, "/api/v1/crawls/99", &[("if-none-match", "*")]).await;
    assert_eq!((missing.status().as_u16(), field(&missing, "cache-control")), (404, Some("no-store")));
    server.close().await;
}
