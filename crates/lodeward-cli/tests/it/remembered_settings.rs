//! A crawl remembers its settings, with the real binary.

use std::collections::BTreeSet;

use crate::web::{TestWeb, succeed};

fn web() -> TestWeb {
    TestWeb::new("demo", |parameters| {
        (parameters.hosts, parameters.documents_per_host) = (4, 10);
        parameters.robots.crawl_delay_share = 0.0;
    })
}

/// `lodeward crawl` without the flags of the first run. Proxies are not remembered.
fn resume(web: &TestWeb, arguments: &[&str]) -> (bool, String) {
    let output = web.lodeward(&[&["crawl", "--data", "data", "--proxy", web.proxy()], arguments].concat());
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

fn settings(web: &TestWeb) -> String {
    let output = web.lodeward(&["config", "--data", "data", "--name", "default"]);
    String::from_utf8(output.stdout).unwrap()
}

/// The hosts of all requests so far.
fn requested_hosts(web: &TestWeb) -> BTreeSet<String> {
    let log = std::fs::read_to_string(web.path("access.log")).unwrap();
    let hosts = log.split("://").skip(1).filter_map(|rest| rest.split(['/', '"', ' ']).next());
    hosts.map(str::to_owned).collect()
}

#[test]
fn a_resumed_and_refreshed_crawl_keeps_its_scope() {
    let web = web();
    let seed = web.world.seeds()[0].clone();
    let scope = ["--stay", "host", "--max-documents", "2", "--exclude", "never-found"];
    succeed(web.crawl_from(&[&seed], "data", &scope));

    let (is_resumed, said) = resume(&web, &["--max-documents", "0"]);
    assert!(is_resumed, "{said}");
    assert!(said.contains("crawl `default` keeps its settings: exclude never-found, stay host"), "{said}");
    assert!(said.contains("crawl `default`: settings changed: max-documents 2 → 0\n"), "{said}");
    let (is_refreshed, said) = resume(&web, &["--refresh", "all"]);
    assert!(is_refreshed, "{said}");
    assert!(said.contains("max-documents 0") && !said.contains("settings changed"), "{said}");
    let hosts = requested_hosts(&web);
    assert_eq!(hosts.len(), 1, "the crawl left its host: {hosts:?}");

    let shown = settings(&web);
    assert!(shown.contains("max_documents = 0") && shown.contains("stay = \"host\""), "{shown}");
    assert!(shown.contains("# crawl `default`\n"), "{shown}");
}

#[test]
fn settings_are_forgotten_on_request_only() {
    let web = web();
    succeed(web.crawl("data", &["--max-depth", "1", "--set", "crawl.links=rdf", "--strategy", "bfs"]));

    let (is_resumed, said) = resume(&web, &["--reset-settings", "--max-depth", "0", "--delay", "0"]);

    assert!(is_resumed, "{said}");
    assert!(said.contains("crawl `default`: settings reset: now max-depth 0, delay 0s\n"), "{said}");
    let shown = settings(&web);
    assert!(shown.contains("max_depth = 0") && shown.contains("links = \"all\""), "{shown}");
    assert!(shown.contains("strategy = \"bfs\""), "the strategy belongs to the record: {shown}");
}

#[test]
fn a_variable_does_not_change_a_remembered_setting() {
    let web = web();
    succeed(web.crawl("data", &["--max-depth", "0"]));

    let mut command = web.crawl_from(&[], "data", &[]);
    let said = command.env("LODEWARD_CRAWL_MAX_DEPTH", "5").output().unwrap();

    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("ignored crawl.max_depth = 5 (LODEWARD_CRAWL_MAX_DEPTH)"), "{said}");
    assert!(settings(&web).contains("max_depth = 0"));
}

#[test]
fn damaged_settings_are_reported_and_can_be_reset() {
    let web = web();
    succeed(web.crawl("data", &["--max-depth", "0"]));
    for (damage, problem) in [
        ("{", "cannot read data/crawls/1/settings.json"),
        (r#"{"crawl": {"max_depth": "far"}}"#, "crawl `default`: crawl.max_depth: invalid type"),
    ] {
        std::fs::write(web.path("data/crawls/1/settings.json"), damage).unwrap();
        let (is_resumed, said) = resume(&web, &[]);
        assert!(!is_resumed && said.contains(problem), "{said}");
    }
    std::fs::remove_file(web.path("data/crawls/1/settings.json")).unwrap();
    let (is_resumed, said) = resume(&web, &[]);
    assert!(!is_resumed && said.contains("the settings of the crawl are missing"), "{said}");
    assert!(said.contains("hint: `lodeward crawl --reset-settings` forgets"), "{said}");

    let (is_resumed, said) = resume(&web, &["--reset-settings", "--max-depth", "0"]);

    assert!(is_resumed, "{said}");
    assert!(resume(&web, &[]).0);
}

#[test]
fn a_resumed_crawl_writes_the_same_files() {
    let web = web();
    succeed(web.crawl("data", &["--max-documents", "3", "-o", "harvest.nq", "--report", "report.json"]));
    let lines = || std::fs::read_to_string(web.path("harvest.nq")).unwrap().lines().count();
    let before = lines();

    let (is_resumed, said) = resume(&web, &["--max-documents", "8"]);
    assert!(is_resumed, "{said}");
    assert!(said.contains("crawl `default` keeps its output file: ") && said.contains("report.json"), "{said}");
    assert!(lines() > before, "the harvest is written again");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(web.path("report.json")).unwrap()).unwrap();
    assert_eq!(report["documents"], 8);

    let (_, said) = resume(&web, &["-o", "other.nt"]);
    assert!(said.contains("output file changed: ") && said.contains("other.nt"), "{said}");
    std::fs::remove_file(web.path("other.nt")).unwrap();
    let (_, said) = resume(&web, &["--reset-settings", "--max-documents", "8"]);
    assert!(!said.contains("output file"), "{said}");
    assert!(!web.path("other.nt").exists(), "the file is forgotten");
}

#[test]
fn flags_without_effect_are_reported() {
    let web = web();
    let flags = ["--strategy", "bfs", "--ranker", "ppr", "--follow-harvested", "--max-documents", "1"];
    let said = String::from_utf8(succeed(web.crawl("data", &flags)).stderr).unwrap();
    assert!(said.contains("note: --ranker has no effect: --strategy is bfs, not focus"), "{said}");
    assert!(said.contains("note: --follow-harvested has no effect: only --endpoints harvest uses it"), "{said}");
}
