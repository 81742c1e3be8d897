//! Killed at any moment and resumed, a crawl ends with the same harvest.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::web::{Box, sorted_lines, start, succeed};

/// Few in `make test`, fifty in `make torture`.
fn kills() -> u32 {
    if std::env::var_os("LODEWARD_TORTURE").is_some() { 50 } else { 6 }
}

#[test]
fn a_crawl_killed_again_and_again_loses_and_doubles_nothing() {
    let (hosts, documents) = if kills() > 10 { (20, 60) } else { (8, 20) };
    let web = Box::new("demo", |parameters| {
        parameters.hosts = hosts;
        parameters.documents_per_host = documents;
        parameters.robots.crawl_delay = 0.0;
    });
    succeed(web.crawl("undisturbed", &["-o", "undisturbed.nq"]));
    let requests_of_a_crawl = web.answered();

    // Each time the process is killed when the server has answered so many
    // requests more, or right at the start, or a moment after.
    let mut rng = SmallRng::seed_from_u64(7);
    let mut survived = 0;
    for _ in 0..kills() {
        let until = web.answered() + rng.random_range(0..requests_of_a_crawl / u64::from(kills() / 2));
        let mut child = start(web.crawl("killed", &[]));
        while web.answered() < until && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(rng.random_range(0..5_000)));
        survived += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    succeed(web.crawl("killed", &["-o", "killed.nq", "--report", "report.json"]));

    assert!(survived >= kills() / 2, "most kills must hit a running crawl, not {survived} of {}", kills());
    let undisturbed = sorted_lines(&web.path("undisturbed.nq"));
    let killed = sorted_lines(&web.path("killed.nq"));
    assert!(!undisturbed.is_empty());
    assert_eq!(undisturbed.len(), killed.len(), "as many quads");
    assert!(undisturbed == killed, "the same quads");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(web.path("report.json")).unwrap()).unwrap();
    assert_eq!(report["stopped"], "drained");
}
