//! A harvest that is brought up to date, by the real binary.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::web::{Box, sorted_lines, start, succeed};

fn web(revision: u32) -> Box {
    Box::new("demo", |parameters| {
        (parameters.hosts, parameters.documents_per_host) = (6, 12);
        parameters.robots.crawl_delay = 0.0;
        parameters.changes.revision = revision;
        (parameters.changes.changed_share, parameters.changes.vanished_share) = (0.2, 0.1);
        parameters.changes.etag_share = 0.8;
    })
}

fn lines(lines: &[String]) -> BTreeSet<&str> {
    lines.iter().map(String::as_str).collect()
}

#[test]
fn a_refresh_killed_again_and_again_yields_exactly_what_has_changed() {
    let (old, new) = (web(0), web(1));
    let data = old.path("data").display().to_string();
    succeed(old.crawl(&data, &["-o", "before.nq"]));
    let refresh = |arguments: &[&str]| {
        new.crawl(&data, &[&["--refresh", "all", "--changes", "changes.rdfp"], arguments].concat())
    };

    for kill in 0..4 {
        let until = new.answered() + 5 + 10 * kill;
        let mut child = start(refresh(&[]));
        while new.answered() < until && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let told = succeed(refresh(&["-o", "after.nq", "--report", "report.json"]));

    let (before, after) = (sorted_lines(&old.path("before.nq")), sorted_lines(&new.path("after.nq")));
    succeed(new.crawl("fresh", &["-o", "fresh.nq"]));
    assert!(after == sorted_lines(&new.path("fresh.nq")), "as if it had been crawled only now");
    let patch = std::fs::read_to_string(new.path("changes.rdfp")).unwrap();
    let signed = |sign: &str| patch.lines().filter_map(|line| line.strip_prefix(sign)).collect::<BTreeSet<_>>();
    let (before, after) = (lines(&before), lines(&after));
    assert!(patch.starts_with("H crawl \"default\" .\nH began "), "{patch}");
    assert!(signed("A ") == &after - &before && signed("D ") == &before - &after);
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains("visited again: "), "{told}");

    let changes = new.lodeward(&["changes", "--data", &data, "--since", "1d"]);
    let changes = String::from_utf8(changes.stdout).unwrap();
    let vanished: Vec<&str> = changes.lines().filter(|line| line.contains("  vanished ")).collect();
    assert!(!vanished.is_empty() && changes.contains("  changed "), "{changes}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(new.path("report.json")).unwrap()).unwrap();
    assert_eq!(report["vanished"], vanished.len());
    let gone = vanished[0].rsplit(' ').next().unwrap();
    let about = new.lodeward(&["explain", gone, "--data", &data]);
    let about = String::from_utf8(about.stdout).unwrap();
    assert!(
        about.contains("\n  vanished  status: 4") && about.contains("\n  history   visited 2 times since "),
        "{about}"
    );
    assert!(about.contains("\n  next due  "), "{about}");
}

#[test]
fn there_must_be_a_crawl_to_refresh() {
    let web = web(0);

    let output = web.crawl("nowhere", &["--refresh"]).output().unwrap();

    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("there is no crawl `default` in nowhere to refresh"), "{told}");
    assert!(!web.path("nowhere").exists());
}
