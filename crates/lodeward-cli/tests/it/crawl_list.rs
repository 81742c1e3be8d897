//! `lodeward crawls` and `lodeward delete`.

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
