//! Documents whose reader ends the process, or never returns.

use std::collections::BTreeMap;
use std::process::Command;

use crate::web::{TestWeb, sorted_lines, start, succeed};

const HOOK: &str = "LODEWARD_TEST_READER";

/// A web without faults, its undisturbed harvest by graph, and a document that is not a seed.
fn web_and_document() -> (TestWeb, BTreeMap<String, usize>, String) {
    let web = TestWeb::new("demo", |parameters| {
        parameters.hosts = 4;
        parameters.documents_per_host = 10;
        parameters.robots.crawl_delay_share = 0.0;
    });
    succeed(web.crawl("undisturbed", &["-o", "undisturbed.nq"]));
    let graphs = graphs(&web, "undisturbed.nq");
    let seeds = web.world.seeds();
    let is_found = |graph: &&String| !seeds.contains(graph);
    let document = graphs.keys().rfind(is_found).expect("a document that is not a seed").clone();
    (web, graphs, document)
}

/// The number of statements in each graph.
fn graphs(web: &TestWeb, file: &str) -> BTreeMap<String, usize> {
    let mut graphs = BTreeMap::new();
    for line in sorted_lines(&web.path(file)) {
        let graph = line.trim_end_matches(" .").rsplit(' ').next().unwrap_or_default();
        *graphs.entry(graph.trim_matches(['<', '>']).to_owned()).or_default() += 1;
    }
    graphs
}

fn report(web: &TestWeb) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(web.path("report.json")).unwrap()).unwrap()
}

#[test]
fn a_document_that_aborts_the_process_twice_is_quarantined() {
    let (web, undisturbed, document) = web_and_document();
    let hook = format!("abort {document}");

    let crashes: Vec<bool> = (0..3)
        .map(|_| {
            let mut crawl = web.crawl("crashed", &["-o", "crashed.nq", "--report", "report.json"]);
            crawl.env(HOOK, &hook).output().unwrap().status.success()
        })
        .collect();

    assert_eq!(crashes, [false, false, true]);
    assert_eq!(report(&web)["faults_by_kind"]["quarantined"], 1, "{}", report(&web));
    let crashed = graphs(&web, "crashed.nq");
    assert!(!crashed.contains_key(&document));
    assert!(crashed.iter().all(|(graph, statements)| undisturbed.get(graph) == Some(statements)));
    let mut explain = Command::new(env!("CARGO_BIN_EXE_lodeward"));
    explain.current_dir(web.directory.path()).env_clear().args(["explain", &document, "--data", "crashed"]);
    let explained = succeed(explain);
    let text = String::from_utf8_lossy(&explained.stdout);
    assert!(text.contains("quarantined: reading it ended the process twice"), "{text}");

    // Released, it is read again by a refresh.
    let list = web.path("crashed").join("crawls/1/quarantine.txt");
    assert_eq!(std::fs::read_to_string(&list).unwrap().lines().count(), 1);
    std::fs::remove_file(&list).unwrap();
    succeed(web.crawl("crashed", &["--refresh", "all", "-o", "released.nq"]));
    assert_eq!(graphs(&web, "released.nq"), undisturbed);
}

#[test]
fn an_interrupted_crawl_does_not_wait_for_a_reader() {
    let (web, undisturbed, document) = web_and_document();
    let mut crawl = web.crawl("stalled", &[]);
    let mut child = start({
        crawl.env(HOOK, format!("stall {document}"));
        crawl
    });
    let log = web.path("stalled").join("crawls/1/reading.log");
    let is_reading = || std::fs::read_to_string(&log).is_ok_and(|text| text.contains(&format!("+ {document}\n")));
    while !is_reading() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }

    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    // A crawl that waits for its reader never ends.
    let status = child.wait().unwrap();

    assert!(interrupted.success() && status.code().is_some(), "{status}");
    succeed(web.crawl("stalled", &["-o", "stalled.nq"]));
    assert_eq!(graphs(&web, "stalled.nq"), undisturbed);
}
