//! A crawl that is killed at any time and resumed ends with the same harvest.

use std::path::Path;
use std::time::Duration;

use lodeward_app::followers::{FollowerRegistry, FollowerTargets};
use lodeward_app::settings::Config;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::web::{TestWeb, sorted_lines, start, succeed};

/// The index is killed with the crawl.
/// Six kills in `make test`, fifty in `make torture`.
fn kills() -> u32 {
    if std::env::var_os("LODEWARD_TEST_TORTURE").is_some() { 50 } else { 6 }
}

#[test]
fn a_repeatedly_killed_crawl_loses_and_duplicates_nothing() {
    let (hosts, documents) = if kills() > 10 { (20, 60) } else { (8, 20) };
    let web = TestWeb::new("demo", |parameters| {
        parameters.hosts = hosts;
        parameters.documents_per_host = documents;
        parameters.robots.crawl_delay_share = 0.0;
    });
    succeed(web.crawl("undisturbed", &["-o", "undisturbed.nq"]));
    let requests_of_a_crawl = web.requests_served();

    // The process is killed after a random number of further responses, up to 5 ms later.
    let mut rng = SmallRng::seed_from_u64(7);
    let mut survived = 0;
    for _ in 0..kills() {
        let until = web.requests_served() + rng.random_range(0..requests_of_a_crawl / u64::from(kills() / 2));
        let mut child = start(web.crawl("killed", &[]));
        while web.requests_served() < until && child.try_wait().unwrap().is_none() {
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
    assert_eq!(undisturbed.len(), killed.len(), "same number of quads");
    assert!(undisturbed == killed, "same quads");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(web.path("report.json")).unwrap()).unwrap();
    assert_eq!(report["stop_reason"], "drained");
    assert_index_like_rebuilt(&web.path("killed"));
}

/// The search index that was killed with the crawl equals one that is built from scratch.
fn assert_index_like_rebuilt(data: &Path) {
    let config = Config::default();
    let (targets, _) = FollowerTargets::open(FollowerRegistry::default(), &config, data).unwrap();
    let index = targets.search().unwrap();
    index.update_now().unwrap();
    let updated = index.view().unwrap().contents().unwrap();
    index.rebuild_now().unwrap();
    assert!(updated.len() > 10, "{}", updated.len());
    assert!(updated == index.view().unwrap().contents().unwrap(), "the index differs from one built from scratch");
}
