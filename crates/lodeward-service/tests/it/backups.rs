//! Backups of a service that works meanwhile.

use std::path::Path;
use std::sync::Arc;

use lodeward::backup;
use serde_json::{Value, json};
use toyweb::world::{Parameters, World};

use crate::house::{House, Plan};
use crate::wait::{a_moment, begun, crawl_in_state, crawl_that};

/// A backup, when it is no longer being written.
async fn finished(house: &House, name: &str) -> Value {
    for _ in 0..1_200 {
        let (status, backup) = house.get(&format!("/api/v1/backups/{name}")).await;
        assert_eq!(status, 200, "{backup}");
        if backup["state"] != "running" {
            return backup;
        }
        a_moment().await;
    }
    panic!("the backup is never finished");
}

/// What a crawl has found, as a set.
async fn harvest(house: &House, id: u64) -> Vec<String> {
    let answer = house.client.get(house.url(&format!("/api/v1/crawls/{id}/download/nquads"))).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 200);
    let mut lines: Vec<String> = answer.text().await.unwrap().lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// A world that a crawl visits to its end, whatever the order.
fn small_world() -> Arc<World> {
    let mut parameters = Parameters::preset("demo").unwrap();
    (parameters.hosts, parameters.documents_per_host) = (8, 20);
    parameters.robots.crawl_delay = 0.0;
    Arc::new(World::new(parameters).unwrap())
}

fn plan(world: &Arc<World>) -> Plan {
    Plan { no_auth: true, web: Some(Arc::clone(world) as _), ..Plan::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_goes_on_where_a_backup_is_restored_and_ends_as_the_other() {
    let world = small_world();
    let house = House::build(plan(&world)).await;
    let order = |name: &str| json!({"name": name, "strategy": "bfs", "seeds": world.seeds()});
    let done = begun(&house, order("done")).await;
    crawl_in_state(&house, done, "finished").await;
    let id = begun(&house, order("under way")).await;
    crawl_that(&house, id, |crawl| crawl["counters"]["documents"].as_u64() > Some(20)).await;

    let (status, begun) = house.post("/api/v1/backups", &json!({"name": "meanwhile"})).await;
    assert_eq!((status, &begun["state"]), (202, &"running".into()), "{begun}");
    let written = finished(&house, "meanwhile").await;
    assert_eq!((&written["state"], &written["crawls"]), (&"complete".into(), &2.into()), "{written}");
    crawl_in_state(&house, id, "finished").await;
    let folder = tempfile::tempdir().unwrap();
    let (backup, data) = (house.folder.path().join("data/backups/meanwhile"), folder.path().join("data"));
    tokio::task::spawn_blocking(move || backup::restore(&backup, &data)).await.unwrap().unwrap();
    let other = House::move_in(folder, plan(&world)).await;

    for id in [done, id] {
        crawl_in_state(&other, id, "finished").await;
        let expected = harvest(&house, id).await;
        assert!(expected.len() > 100);
        assert!(harvest(&other, id).await == expected, "the same quads");
    }
    assert_eq!(archived(&other).await, archived(&house).await);
    other.close().await;
    house.close().await;
}

/// How much of documents the archive has, when it has it all. What it knows of
/// requests is another matter: some were made twice.
async fn archived(house: &House) -> u64 {
    let query = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } FILTER(!STRSTARTS(STR(?g), 'urn:lodeward:')) }";
    let mut last = None;
    for _ in 0..600 {
        let request = house.client.post(house.url("/sparql")).header("content-type", "application/sparql-query");
        let answer = request.header("accept", "application/sparql-results+json").body(query).send().await.unwrap();
        let answer: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        let count = answer["results"]["bindings"][0]["n"]["value"].as_str().unwrap().parse().unwrap();
        if last == Some(count) && count > 0 {
            return count;
        }
        last = Some(count);
        for _ in 0..10 {
            a_moment().await;
        }
    }
    panic!("the archive never comes to rest");
}

#[tokio::test(flavor = "multi_thread")]
async fn backups_are_listed_refused_and_removed() {
    let house = House::open().await;

    let (status, named) = house.post("/api/v1/backups", &json!({})).await;
    assert_eq!(status, 202, "{named}");
    let name = named["name"].as_str().unwrap();
    assert_eq!(finished(&house, name).await["state"], "complete");
    let (_, list) = house.get("/api/v1/backups").await;
    assert_eq!((list["backups"].as_array().unwrap().len(), &list["backups"][0]["name"]), (1, &name.into()));

    for (order, status, code) in [
        (json!({"name": name}), 409, "conflict"),
        (json!({"name": "../outside"}), 422, "invalid"),
        (json!({"name": ""}), 422, "invalid"),
        (json!({"folder": "/tmp"}), 422, "invalid"),
    ] {
        let (found, problem) = house.post("/api/v1/backups", &order).await;
        assert_eq!((found, &problem["code"]), (status, &code.into()), "{order}");
    }
    for path in ["nobody", "..%2F..%2Fservice", "A"] {
        assert_eq!(house.get(&format!("/api/v1/backups/{path}")).await.0, 404, "{path}");
    }
    let address = house.url(&format!("/api/v1/backups/{name}"));
    assert_eq!(house.client.delete(&address).send().await.unwrap().status(), 204);
    assert_eq!(house.client.delete(&address).send().await.unwrap().status(), 404);
    assert!(!house.folder.path().join("data/backups").join(name).exists());
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_cannot_be_written_leaves_a_word_and_no_files() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let settings = format!("[service]\nbackup_folder = {:?}\n", file.path());
    let house = House::build(Plan { no_auth: true, settings, ..Plan::default() }).await;

    let (status, begun) = house.post("/api/v1/backups", &json!({"name": "nowhere"})).await;
    assert_eq!(status, 202, "{begun}");
    let failed = finished(&house, "nowhere").await;

    assert_eq!(failed["state"], "failed");
    assert!(failed["failure"].as_str().is_some_and(|failure| failure.contains("cannot use")), "{failed}");
    assert!(Path::new(file.path()).is_file());
    house.close().await;
}
