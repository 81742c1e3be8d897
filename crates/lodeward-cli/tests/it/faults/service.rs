//! A service on a full disk: it reports it, loses nothing, and continues without a restart.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use super::injector::FaultInjector;
use super::is_torture;
use crate::running_service::RunningService;
use crate::web::{TestWeb, sorted_lines, succeed};

/// After how many operations of a crawl the disk is full, as a share of all its operations, in percent.
const FULL_AFTER: [u64; 3] = [20, 50, 80];

const MAX_POLLS: u32 = 1_200;
const POLL_INTERVAL: Duration = Duration::from_millis(50);

struct FullDiskRun {
    web: TestWeb,
    injector: FaultInjector,
    /// The harvest of an undisturbed crawl.
    expected: Vec<String>,
}

impl FullDiskRun {
    fn new() -> Option<Self> {
        let web = TestWeb::new("demo", |parameters| {
            (parameters.hosts, parameters.documents_per_host) = (4, 10);
            parameters.robots.crawl_delay_share = 0.0;
        });
        let injector = FaultInjector::new(web.directory.path(), "data")?;
        succeed(web.crawl("undisturbed", &["--strategy", "bfs", "-o", "undisturbed.nq"]));
        let settings = format!(
            "[politeness]\ndelay = 0\n[fetch]\nproxy = {:?}\nca_certificates = [\"ca.pem\"]\n[service]\n\
             rate_limit_per_minute = 100_000\n",
            web.proxy()
        );
        fs::write(web.path("service.toml"), settings).unwrap();
        let expected = sorted_lines(&web.path("undisturbed.nq"));
        Some(Self { web, injector, expected })
    }

    fn start(&self) -> RunningService {
        RunningService::start_with(&self.web, "data", &["--no-auth"], |command| self.injector.watch(command))
    }

    fn create(&self, service: &RunningService) -> Option<u64> {
        let seeds = self.web.world.seeds();
        let order = json!({"seeds": seeds, "settings": {"crawl": {"strategy": "bfs"}}});
        let created = service.post("/api/v1/crawls", &order).unwrap();
        (created.status == 201).then(|| created.json()["crawl"]["id"].as_u64().unwrap())
    }

    /// Checks that the harvest and the archive of a crawl are complete.
    fn check_harvest(&self, service: &RunningService, id: u64, context: &str) {
        let harvest = service.get(&format!("/api/v1/crawls/{id}/download/nquads")).unwrap();
        let mut lines: Vec<&str> = harvest.text.lines().collect();
        lines.sort_unstable();
        assert_eq!((harvest.status, lines.len()), (200, self.expected.len()), "{context}: the harvest is complete");
        assert!(lines == self.expected, "{context}: the same quads");
        let query = "/sparql?query=SELECT%20(COUNT(*)%20AS%20%3Fn)%20%7B%20GRAPH%20%3Fg%20%7B%20%3Fs%20%3Fp%20%3Fo%20%7D\
                     %20FILTER(!STRSTARTS(STR(%3Fg),%22urn:lodeward:%22))%20%7D";
        let counted = service.get(query).unwrap();
        let count = &counted.json()["results"]["bindings"][0]["n"]["value"];
        assert_eq!(*count, json!(self.expected.len().to_string()), "{context}: the archive is complete");
    }
}

fn state(service: &RunningService, id: u64) -> String {
    let crawl: Value = service.get(&format!("/api/v1/crawls/{id}")).unwrap().json();
    crawl["state"].as_str().unwrap_or_default().to_owned()
}

/// Polls until a condition holds.
pub(super) fn wait_until(context: &str, mut is_done: impl FnMut() -> bool) {
    for _ in 0..MAX_POLLS {
        if is_done() {
            return;
        }
        // The service is another process, so there is nothing to wait for but time.
        std::thread::sleep(POLL_INTERVAL);
    }
    panic!("{context}: nothing happens");
}

fn wait_for_end(service: &RunningService, id: u64, context: &str) -> String {
    wait_until(context, || !matches!(&*state(service, id), "running" | "queued"));
    state(service, id)
}

/// The operations of a crawl of the service, from its creation to its end.
fn operations_of_a_crawl(run: &FullDiskRun) -> u64 {
    let service = run.start();
    let before = run.injector.operations();
    let id = run.create(&service).unwrap();
    assert_eq!(wait_for_end(&service, id, "undisturbed"), "finished");
    run.check_harvest(&service, id, "undisturbed");
    run.injector.operations() - before
}

#[test]
fn a_crawl_of_a_service_on_a_full_disk_loses_nothing() {
    let Some(run) = FullDiskRun::new() else { return };
    let operations = operations_of_a_crawl(&run);
    let shares: Vec<u64> = if is_torture() { (1..100).collect() } else { FULL_AFTER.to_vec() };
    let (mut failed, mut injected) = (0, 0);
    for share in shares {
        fs::remove_dir_all(run.web.path("data")).unwrap();
        let context = format!("the disk is full after {share} % of the operations");
        let mut service = run.start();
        // Only operations that need space count now, which are about half of all.
        run.injector.fill_disk(operations * share / 200 + 1);
        let Some(id) = run.create(&service) else {
            run.injector.disarm();
            continue;
        };
        let ended = wait_for_end(&service, id, &context);
        if ended == "failed" {
            failed += 1;
            let ready = service.get("/ready").unwrap();
            assert_eq!(ready.status, 503, "{context}: {}", ready.text);
        }
        injected += run.injector.injected();

        // There is room again.
        run.injector.disarm();
        wait_until(&context, || service.get("/ready").unwrap().status == 200);
        if ended == "failed" {
            let resumed = service.post(&format!("/api/v1/crawls/{id}/resume"), &Value::Null).unwrap();
            assert_eq!(resumed.status, 200, "{context}: {}", resumed.text);
        }
        assert_eq!(wait_for_end(&service, id, &context), "finished", "{context}");
        run.check_harvest(&service, id, &context);
        service.signal("TERM");
        assert_eq!(service.wait(), Some(0), "{context}");
        let service = run.start();
        run.check_harvest(&service, id, &format!("{context}, after a restart"));
    }
    assert!(failed > 0, "no crawl failed");
    eprintln!("service: {injected} operations failed in {failed} failed crawls, 0 losses");
}
