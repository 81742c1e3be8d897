//! `lodeward crawls`, `lodeward delete`, `lodeward status --domains` and `lodeward log`.

use serde_json::Value;

use crate::web::{TestWeb, succeed};

fn small_web() -> TestWeb {
    TestWeb::new("demo", |parameters| {
        parameters.hosts = 2;
        parameters.documents_per_host = 5;
        parameters.robots.crawl_delay_share = 0.0;
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The crawls as JSON.
fn listed(web: &TestWeb) -> Vec<Value> {
    serde_json::from_slice(&web.lodeward(&["crawls", "--data", "data", "--json"]).stdout).unwrap()
}

/// The number of statements in the archive.
fn archived(web: &TestWeb) -> String {
    let query = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }";
    text(&web.lodeward(&["query", query, "--data", "data", "--format", "csv"]).stdout)
}

#[test]
fn crawls_are_listed_with_their_states() {
    let web = small_web();
    succeed(web.crawl("data", &["--name", "whole"]));
    succeed(web.crawl("data", &["--name", "part", "--max-documents", "3"]));

    let lines = listed(&web);
    let table = text(&web.lodeward(&["crawls", "--data", "data"]).stdout);

    let states: Vec<_> = lines.iter().map(|line| (line["name"].as_str().unwrap(), &line["state"])).collect();
    assert_eq!(states, [("whole", &Value::from("finished")), ("part", &Value::from("max-documents"))]);
    assert_eq!(lines[1]["documents"], 3);
    assert!(lines[0]["quads"].as_u64().unwrap() > 0, "{lines:?}");
    let first_words: Vec<_> = table.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(first_words, ["name", "whole", "part"]);
}

#[test]
fn a_deleted_crawl_is_gone_from_the_list_and_the_archive() {
    let web = small_web();
    succeed(web.crawl("data", &["--name", "first"]));
    succeed(web.crawl("data", &["--name", "second", "--max-documents", "1"]));
    let before = archived(&web);

    let unconfirmed = web.lodeward(&["delete", "first", "--data", "data"]);
    let unknown = web.lodeward(&["delete", "third", "--data", "data", "--yes"]);
    assert_eq!((unconfirmed.status.code(), unknown.status.code()), (Some(2), Some(2)));
    assert!(text(&unconfirmed.stderr).contains("hint: pass --yes"), "{}", text(&unconfirmed.stderr));
    assert!(text(&unknown.stderr).contains("crawls: first, second"), "{}", text(&unknown.stderr));
    assert_eq!(archived(&web), before);

    let deleted = web.lodeward(&["delete", "first", "--data", "data", "--yes"]);
    assert_eq!(text(&deleted.stderr), "deleted crawl `first`\n");
    let names: Vec<_> = listed(&web).iter().map(|line| line["name"].clone()).collect();
    assert_eq!(names, ["second"]);
    assert_ne!(archived(&web), before);

    web.lodeward(&["delete", "second", "--data", "data", "--yes"]);
    assert_eq!(archived(&web), "n\r\n0\r\n");
    assert_eq!(text(&web.lodeward(&["crawls", "--data", "data"]).stdout), "no crawls in data\n");
}

#[test]
fn a_crawl_without_an_archive_is_deleted_and_none_is_created() {
    let web = small_web();
    succeed(web.crawl("data", &["--no-archive", "--max-documents", "1"]));

    let deleted = web.lodeward(&["delete", "default", "--data", "data", "--yes"]);

    assert!(deleted.status.success(), "{}", text(&deleted.stderr));
    assert!(!web.path("data/archive").exists());
    assert_eq!(listed(&web), Vec::<Value>::new());
}

#[test]
fn the_domains_of_a_crawl_are_listed_with_queue_and_delay() {
    let web = small_web();
    succeed(web.crawl("data", &["--strategy", "bfs", "--max-documents", "4"]));

    let output = web.lodeward(&["status", "--data", "data", "--domains", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let table = text(&web.lodeward(&["status", "--data", "data", "--domains"]).stdout);

    let domains = json["domains"].as_array().unwrap();
    let sum = |key: &str| domains.iter().map(|domain| domain[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("documents"), 4, "{json}");
    assert!(sum("queued") > 0 && json["bottleneck"]["queued"].as_u64() > Some(0), "{json}");
    assert!(domains.iter().all(|domain| domain["delay_source"] == "setting"), "{json}");
    let sentence = json["bottleneck"]["text"].as_str().unwrap();
    assert!(table.starts_with(&format!("{sentence}\n\ndomain ")), "{table}");
    assert_eq!(table.lines().count(), domains.len() + 3);
}

#[test]
fn the_log_lists_the_newest_outcomes_first() {
    let web = small_web();
    succeed(web.crawl("data", &["--strategy", "bfs", "--max-documents", "6"]));
    let log = |arguments: &[&str]| -> Vec<Value> {
        let output = web.lodeward(&[&["log", "--data", "data", "--json"], arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };

    let all = log(&["--limit", "0"]);

    let numbers: Vec<u64> = all.iter().map(|entry| entry["number"].as_u64().unwrap()).collect();
    assert!(numbers.len() > 6 && numbers.is_sorted_by(|one, other| one > other), "{numbers:?}");
    assert_eq!(log(&["--limit", "2"]), all[..2]);
    let count = |outcome: &str| all.iter().filter(|entry| entry["outcome"] == outcome).count();
    assert_eq!(log(&["--status", "200", "--limit", "0"]).len(), 6);
    assert_eq!(
        (log(&["--failed"]).len(), log(&["--dropped", "--limit", "0"]).len()),
        (count("failed"), count("dropped"))
    );
    assert!(log(&["--stored"]).iter().all(|entry| entry["quads"].as_u64() > Some(0)));
    assert!(log(&["--domain", "nowhere.example"]).is_empty());
    let queued = log(&["--queued", "--limit", "0"]);
    let status: Value = serde_json::from_slice(&web.lodeward(&["status", "--data", "data", "--json"]).stdout).unwrap();
    assert_eq!(status["status"]["snapshot"]["census"]["uris_waiting"], queued.len());
    let conflict = web.lodeward(&["log", "--data", "data", "--failed", "--dropped"]);
    assert_eq!(conflict.status.code(), Some(2));
}

#[test]
fn an_unknown_uri_is_explained_with_a_forecast() {
    let web = small_web();
    succeed(web.crawl("data", &["--max-documents", "2", "--stay", "domain", "--exclude", "/calendar/"]));
    let seed = web.world.seeds()[0].clone();
    let base = seed.rsplit_once('/').unwrap().0;
    let explain = |uri: &str| {
        let output = web.lodeward(&["explain", uri, "--data", "data"]);
        assert_eq!(output.status.code(), Some(1));
        text(&output.stdout)
    };

    let inside = explain(&format!("{base}/never-linked"));
    assert!(inside.contains("forecast  it would be queued if a fetched document linked to it"), "{inside}");
    assert!(inside.contains("the crawl has reached its limit (crawl.max_documents = 2)"), "{inside}");
    for (uri, reason) in [
        (format!("{base}/calendar/1"), "pattern"),
        (format!("{base}/photo.png"), "extension"),
        ("http://elsewhere.example/".to_owned(), "scope"),
    ] {
        let found = explain(&uri);
        assert!(found.contains(&format!("it would be dropped ({reason})")) && found.contains("because"), "{found}");
    }
}
