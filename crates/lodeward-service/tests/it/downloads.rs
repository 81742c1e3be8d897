//! What crawls have gathered, as files.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use serde_json::json;

use crate::house::House;
use crate::wait::{begun, crawl_in_state};

async fn lines(house: &House, path: &str) -> Vec<String> {
    let answer = house.client.get(house.url(path)).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let packed = answer.headers().get("content-encoding").is_some() || path.contains(".gz");
    let bytes = answer.bytes().await.unwrap();
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
async fn a_harvest_is_downloaded_plain_and_packed() {
    let house = House::open().await;
    let id = begun(&house, json!({"limits": {"max_documents": 300}})).await;
    let finished = crawl_in_state(&house, id, "finished").await;
    let path = format!("/api/v1/crawls/{id}/download/nquads");

    let plain = lines(&house, &path).await;
    let packed = lines(&house, &format!("{path}.gz")).await;
    let asked = house.client.get(house.url(&path)).header("accept-encoding", "gzip").send().await.unwrap();
    assert_eq!(asked.headers()["content-encoding"], "gzip");
    assert_eq!(asked.headers()["content-type"], "application/n-quads");
    let with_provenance = lines(&house, &format!("{path}?provenance=true")).await;

    assert_eq!(plain.len() as u64, finished["counters"]["quads"].as_u64().unwrap());
    assert_eq!(plain, packed);
    assert!(with_provenance.len() > plain.len());
    assert!(with_provenance.iter().any(|line| line.contains("http://www.w3.org/ns/prov#")));
    assert_eq!(house.get(&format!("{path}?provenance=perhaps")).await.0, 400);
    assert_eq!(house.get("/api/v1/crawls/99/download/nquads").await.0, 404);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_are_listed_and_nothing_else_is_sent() {
    let house = House::open().await;
    let id = begun(&house, json!({"warc": true, "limits": {"max_documents": 20}})).await;
    crawl_in_state(&house, id, "finished").await;
    let path = format!("/api/v1/crawls/{id}/download/warc");

    let (status, list) = house.get(&path).await;
    assert_eq!(status, 200);
    let file = &list["files"][0];
    let name = file["name"].as_str().unwrap();
    let answer = house.client.get(house.url(&format!("{path}/{name}"))).send().await.unwrap();
    assert_eq!(answer.headers()["content-length"].to_str().unwrap(), file["bytes"].to_string());
    let mut text = Vec::new();
    MultiGzDecoder::new(&answer.bytes().await.unwrap()[..]).read_to_end(&mut text).unwrap();
    assert!(text.starts_with(b"WARC/1."));

    for outside in ["..%2Fcrawl.json", "..", "%2Fetc%2Fpasswd", "crawl.json", "..%2F..%2F..%2Flodeward.toml", "%00"] {
        let (status, problem) = house.get(&format!("{path}/{outside}")).await;
        assert!(status == 404 || status == 400, "{outside}: {status} {problem}");
    }
    let without = begun(&house, json!({"limits": {"max_documents": 5}})).await;
    crawl_in_state(&house, without, "finished").await;
    assert_eq!(house.get(&format!("/api/v1/crawls/{without}/download/warc")).await.1["files"], json!([]));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_tells_how_a_crawl_went() {
    let house = House::open().await;
    let id = begun(&house, json!({"name": "reported", "limits": {"max_documents": 50}})).await;
    let finished = crawl_in_state(&house, id, "finished").await;

    let (status, report) = house.get(&format!("/api/v1/crawls/{id}/download/report")).await;

    assert_eq!((status, &report["name"]), (200, &json!("reported")));
    assert_eq!(report["documents"], finished["counters"]["documents"]);
    assert_eq!(report["stopped"], "max-documents");
    house.close().await;
}
