//! Backups while the service runs.

use std::path::Path;
use std::sync::Arc;

use lodeward_app::backup;
use lodeward_app::followers::FollowerRegistry;
use serde_json::{Value, json};
use toyweb::world::{World, WorldParameters};

use crate::crawl_helpers::{poll_delay, start_crawl, wait_for_crawl, wait_for_state};
use crate::test_server::{TestOptions, TestServer};

/// Waits until a backup is complete or failed.
async fn finished(server: &TestServer, name: &str) -> Value {
    for _ in 0..1_200 {
        let (status, backup) = server.get(&format!("/api/v1/backups/{name}")).await;
        assert_eq!(status, 200, "{backup}");
        if backup["state"] != "running" {
            return backup;
        }
        poll_delay().await;
    }
    panic!("timeout: the backup is not finished");
}

/// The harvest of a crawl, sorted.
async fn harvest(server: &TestServer, id: u64) -> Vec<String> {
    let response = server.client.get(server.url(&format!("/api/v1/crawls/{id}/download/nquads"))).send().await.unwrap();
    assert_eq!(response.status().as_u16(), 200);
    let mut lines: Vec<String> = response.text().await.unwrap().lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// A world that is small enough for a complete crawl.
fn small_world() -> Arc<World> {
    let mut parameters = WorldParameters::preset("demo").unwrap();
    (parameters.hosts, parameters.documents_per_host) = (8, 20);
    parameters.robots.crawl_delay_share = 0.0;
    Arc::new(World::new(parameters).unwrap())
}

fn options(world: &Arc<World>) -> TestOptions {
    TestOptions { no_auth: true, web: Some(Arc::clone(world) as _), ..TestOptions::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_crawl_resumes_and_has_the_same_result() {
    let world = small_world();
    let server = TestServer::start(options(&world)).await;
    let order = |name: &str| json!({"name": name, "strategy": "bfs", "seeds": world.seeds()});
    let done = start_crawl(&server, order("done")).await;
    wait_for_state(&server, done, "finished").await;
    let id = start_crawl(&server, order("running")).await;
    wait_for_crawl(&server, id, |crawl| crawl["counters"]["documents"].as_u64() > Some(20)).await;

    let (status, started) = server.post("/api/v1/backups", &json!({"name": "meanwhile"})).await;
    assert_eq!((status, &started["state"]), (202, &"running".into()), "{started}");
    let written = finished(&server, "meanwhile").await;
    assert_eq!((&written["state"], &written["crawls"]), (&"complete".into(), &2.into()), "{written}");
    wait_for_state(&server, id, "finished").await;
    let dir = tempfile::tempdir().unwrap();
    let (backup, data) = (server.dir.path().join("data/backups/meanwhile"), dir.path().join("data"));
    tokio::task::spawn_blocking(move || backup::restore(&backup, &data, &FollowerRegistry::default()))
        .await
        .unwrap()
        .unwrap();
    let other = TestServer::start_in(dir, options(&world)).await;

    for id in [done, id] {
        wait_for_state(&other, id, "finished").await;
        let expected = harvest(&server, id).await;
        assert!(expected.len() > 100);
        assert!(harvest(&other, id).await == expected, "the same quads");
    }
    assert_eq!(archived(&other).await, archived(&server).await);
    other.close().await;
    server.close().await;
}

/// Waits until the archive is up to date. Returns the number of statements from documents;
/// provenance may differ, because some requests were sent twice.
async fn archived(server: &TestServer) -> u64 {
    let query = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } FILTER(!STRSTARTS(STR(?g), 'urn:lodeward:')) }";
    let mut last = None;
    for _ in 0..600 {
        let request = server.client.post(server.url("/sparql")).header("content-type", "application/sparql-query");
        let response = request.header("accept", "application/sparql-results+json").body(query).send().await.unwrap();
        let response: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
        let count = response["results"]["bindings"][0]["n"]["value"].as_str().unwrap().parse().unwrap();
        if last == Some(count) && count > 0 {
            return count;
        }
        last = Some(count);
        for _ in 0..10 {
            poll_delay().await;
        }
    }
    panic!("timeout: the archive still changes");
}

#[tokio::test(flavor = "multi_thread")]
async fn backups_are_listed_rejected_and_deleted() {
    let server = TestServer::without_auth().await;

    let (status, named) = server.post("/api/v1/backups", &json!({})).await;
    assert_eq!(status, 202, "{named}");
    let name = named["name"].as_str().unwrap();
    assert_eq!(finished(&server, name).await["state"], "complete");
    let (_, list) = server.get("/api/v1/backups").await;
    assert_eq!((list["backups"].as_array().unwrap().len(), &list["backups"][0]["name"]), (1, &name.into()));

    for (order, status, code) in [
        (json!({"name": name}), 409, "conflict"),
        (json!({"name": "../outside"}), 422, "unprocessable"),
        (json!({"name": ""}), 422, "unprocessable"),
        (json!({"dir": "/tmp"}), 422, "unprocessable"),
    ] {
        let (found, problem) = server.post("/api/v1/backups", &order).await;
        assert_eq!((found, &problem["code"]), (status, &code.into()), "{order}");
    }
    for path in ["unknown", "..%2F..%2Fservice", "A"] {
        assert_eq!(server.get(&format!("/api/v1/backups/{path}")).await.0, 404, "{path}");
    }
    let address = server.url(&format!("/api/v1/backups/{name}"));
    assert_eq!(server.client.delete(&address).send().await.unwrap().status(), 204);
    assert_eq!(server.client.delete(&address).send().await.unwrap().status(), 404);
    assert!(!server.dir.path().join("data/backups").join(name).exists());
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_backup_has_an_error_and_leaves_no_files() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let settings = format!("[service]\nbackup_dir = {:?}\n", file.path());
    let server = TestServer::start(TestOptions { no_auth: true, settings, ..TestOptions::default() }).await;

    let (status, started) = server.post("/api/v1/backups", &json!({"name": "nowhere"})).await;
    assert_eq!(status, 202, "{started}");
    let failed = finished(&server, "nowhere").await;

    assert_eq!(failed["state"], "failed");
    assert!(failed["error"].as_str().is_some_and(|error| error.contains("cannot")), "{failed}");
    assert!(Path::new(file.path()).is_file());
    server.close().await;
}
