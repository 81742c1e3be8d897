//! Refresh of a harvest, with the real binary.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::web::{TestWeb, sorted_lines, start, succeed};

fn web(revision: u32) -> TestWeb {
    TestWeb::new("demo", |parameters| {
        (parameters.hosts, parameters.documents_per_host) = (6, 12);
        parameters.robots.crawl_delay_share = 0.0;
        parameters.changes.revision = revision;
        (parameters.changes.changed_share, parameters.changes.deleted_share) = (0.2, 0.1);
        parameters.changes.etag_share = 0.8;
    })
}

fn lines(lines: &[String]) -> BTreeSet<&str> {
    lines.iter().map(String::as_str).collect()
}

#[test]
fn a_repeatedly_killed_refresh_reports_exactly_the_changes() {
    let (old, new) = (web(0), web(1));
    let data = old.path("data").display().to_string();
    succeed(old.crawl(&data, &["-o", "before.nq"]));
    let refresh = |arguments: &[&str]| {
        new.crawl(&data, &[&["--refresh", "all", "--rdf-patch", "changes.rdfp"], arguments].concat())
    };

    for kill in 0..4 {
        let until = new.requests_served() + 5 + 10 * kill;
        let mut child = start(refresh(&[]));
        while new.requests_served() < until && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let refreshed = succeed(refresh(&["-o", "after.nq", "--report", "report.json"]));

    let (before, after) = (sorted_lines(&old.path("before.nq")), sorted_lines(&new.path("after.nq")));
    succeed(new.crawl("fresh", &["-o", "fresh.nq"]));
    assert!(after == sorted_lines(&new.path("fresh.nq")), "same as a new crawl");
    let patch = std::fs::read_to_string(new.path("changes.rdfp")).unwrap();
    let signed = |sign: &str| patch.lines().filter_map(|line| line.strip_prefix(sign)).collect::<BTreeSet<_>>();
    let (before, after) = (lines(&before), lines(&after));
    assert!(patch.starts_with("H crawl \"default\" .\nH began "), "{patch}");
    assert!(signed("A ") == &after - &before && signed("D ") == &before - &after);
    let errors = String::from_utf8(refreshed.stderr).unwrap();
    assert!(errors.contains(" revalidated: "), "{errors}");

    let changes = new.lodeward(&["changes", "--data", &data, "--since", "1d"]);
    let changes = String::from_utf8(changes.stdout).unwrap();
    let deleted: Vec<&str> = changes.lines().filter(|line| line.contains("  deleted ")).collect();
    assert!(!deleted.is_empty() && changes.contains("  changed "), "{changes}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(new.path("report.json")).unwrap()).unwrap();
    assert_eq!(report["deleted"], deleted.len());
    let uri = deleted[0].rsplit(' ').next().unwrap();
    let explained = new.lodeward(&["explain", uri, "--data", &data]);
    let explained = String::from_utf8(explained.stdout).unwrap();
    assert!(
        explained.contains("\n  deleted   status: 4") && explained.contains("\n  history   requested 2 times since "),
        "{explained}"
    );
    assert!(explained.contains("\n  next due  "), "{explained}");
}

#[test]
fn a_refresh_needs_an_existing_crawl() {
    let web = web(0);

    let output = web.crawl("nowhere", &["--refresh"]).output().unwrap();

    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("cannot refresh: no crawl `default` in nowhere"), "{errors}");
    assert!(!web.path("nowhere").exists());
}
