//! Downloads of harvests, recordings and reports.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use serde_json::json;

use crate::crawl_helpers::{start_crawl, wait_for_state};
use crate::test_server::TestServer;

async fn lines(server: &TestServer, path: &str) -> Vec<String> {
    let response = server.client.get(server.url(path)).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let packed = response.headers().get("content-encoding").is_some() || path.contains(".gz");
    let bytes = response.bytes().await.unwrap();
    let mut text = String::new();
    if packed {
        MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    } else {
        (&bytes[..]).read_to_string(&mut text).unwrap();
    }
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn a_harvest_is_downloaded_plain_and_compressed() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"limits": {"max_documents": 300}})).await;
    let finished = wait_for_state(&server, id, "finished").await;
    let path = format!("/api/v1/crawls/{id}/download/nquads");

    let plain = lines(&server, &path).await;
    let packed = lines(&server, &format!("{path}.gz")).await;
    let compressed = server.client.get(server.url(&path)).header("accept-encoding", "gzip").send().await.unwrap();
    assert_eq!(compressed.headers()["content-encoding"], "gzip");
    assert_eq!(compressed.headers()["content-type"], "application/n-quads");
    let with_provenance = lines(&server, &format!("{path}?provenance=true")).await;

    assert_eq!(plain.len() as u64, finished["counters"]["quads"].as_u64().unwrap());
    assert_eq!(plain, packed);
    assert!(with_provenance.len() > plain.len());
    assert!(with_provenance.iter().any(|line| line.contains("http://www.w3.org/ns/prov#")));
    assert_eq!(server.get(&format!("{path}?provenance=perhaps")).await.0, 400);
    assert_eq!(server.get("/api/v1/crawls/99/download/nquads").await.0, 404);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_recordings_can_be_downloaded() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"record_warc": true, "limits": {"max_documents": 20}})).await;
    wait_for_state(&server, id, "finished").await;
    let path = format!("/api/v1/crawls/{id}/download/warc");

    let (status, list) = server.get(&path).await;
    assert_eq!(status, 200);
    let file = &list["files"][0];
    let name = file["name"].as_str().unwrap();
    let response = server.client.get(server.url(&format!("{path}/{name}"))).send().await.unwrap();
    assert_eq!(response.headers()["content-length"].to_str().unwrap(), file["bytes"].to_string());
    let mut text = Vec::new();
    MultiGzDecoder::new(&response.bytes().await.unwrap()[..]).read_to_end(&mut text).unwrap();
    assert!(text.starts_with(b"WARC/1."));

    for outside in ["..%2Fcrawl.json", "..", "%2Fetc%2Fpasswd", "crawl.json", "..%2F..%2F..%2Flodeward.toml", "%00"] {
        let (status, problem) = server.get(&format!("{path}/{outside}")).await;
        assert!(status == 404 || status == 400, "{outside}: {status} {problem}");
    }
    let without = start_crawl(&server, json!({"limits": {"max_documents": 5}})).await;
    wait_for_state(&server, without, "finished").await;
    assert_eq!(server.get(&format!("/api/v1/crawls/{without}/download/warc")).await.1["files"], json!([]));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_has_the_counters_of_the_crawl() {
    let server = TestServer::without_auth().await;
    let id = start_crawl(&server, json!({"name": "reported", "limits": {"max_documents": 50}})).await;
    let finished = wait_for_state(&server, id, "finished").await;

    let (status, report) = server.get(&format!("/api/v1/crawls/{id}/download/report")).await;

    assert_eq!((status, &report["name"]), (200, &json!("reported")));
    assert_eq!(report["documents"], finished["counters"]["documents"]);
    assert_eq!(report["stop_reason"], "max-documents");
    server.close().await;
}
