//! Changes through the API while one file operation fails: what was confirmed survives, and what
//! failed succeeds when it is requested again.
//!
//! After each fault the service is killed and started again, so that only what is on disk counts.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::injector::{FAULT_MODES, FaultInjector};
use super::is_torture;
use super::service::wait_until;
use crate::running_service::{RunningService, ServiceResponse};
use crate::web::{TestWeb, succeed};

/// Number of operations that fail per action in `make test`.
const SAMPLE: u64 = 2;

/// An action, and whether it was done.
struct ServiceAction {
    name: &'static str,
    /// Requests the action. Returns whether it was confirmed.
    request: fn(&RunningService) -> bool,
    is_done: fn(&RunningService) -> bool,
}

fn is_success(response: &ServiceResponse) -> bool {
    (200..300).contains(&response.status)
}

fn get(service: &RunningService, path: &str) -> ServiceResponse {
    service.get(path).unwrap()
}

fn is_deleted(service: &RunningService) -> bool {
    get(service, "/api/v1/crawls/1").status == 404
}

fn is_marked(service: &RunningService) -> bool {
    get(service, "/api/v1/crawls/1/candidates?mark=keep").text.contains(ENTITY)
}

fn is_imported(service: &RunningService) -> bool {
    let query = "/sparql?query=ASK%20%7B%20%3Chttp%3A%2F%2Fi.example%2Fs%3E%20%3Fp%20%3Fo%20%7D";
    get(service, query).json()["boolean"] == true && is_success(&get(service, "/api/v1/imports/records"))
}

/// Waits for the end of the backup. Returns whether it is complete.
fn is_backed_up(service: &RunningService) -> bool {
    wait_until("the backup", || get(service, "/api/v1/backups/b").json()["state"] != "running");
    get(service, "/api/v1/backups/b").json()["state"] == "complete"
}

const ENTITY: &str = "http://h1.example/resource/1";

const ACTIONS: [ServiceAction; 5] = [
    ServiceAction {
        name: "marking a candidate",
        request: |service| {
            let mark = json!({"entities": [ENTITY], "mark": "keep"});
            is_success(&service.post("/api/v1/crawls/1/candidates/marks", &mark).unwrap())
        },
        is_done: is_marked,
    },
    ServiceAction {
        name: "adding a user",
        request: |service| {
            let user = json!({"name": "bob", "role": "reader", "password": "battery staple"});
            let added = service.post("/api/v1/users", &user).unwrap();
            // A request that failed after the user was stored.
            is_success(&added) || added.status == 409
        },
        is_done: |service| is_success(&get(service, "/api/v1/users/bob")),
    },
    ServiceAction {
        name: "importing",
        request: |service| {
            let turtle = Some(("text/turtle", "<http://i.example/s> <http://i.example/p> 1, 2, 3 ."));
            is_success(&service.request("PUT", "/api/v1/imports/records", turtle).unwrap())
        },
        is_done: is_imported,
    },
    ServiceAction {
        name: "a backup",
        request: |service| {
            let _ = service.request("DELETE", "/api/v1/backups/b", None).unwrap();
            let started = service.post("/api/v1/backups", &json!({"name": "b"})).unwrap();
            is_success(&started) && is_backed_up(service)
        },
        is_done: is_backed_up,
    },
    ServiceAction {
        name: "deleting a crawl",
        request: |service| is_success(&service.request("DELETE", "/api/v1/crawls/1", None).unwrap()),
        is_done: is_deleted,
    },
];

struct ActionRun {
    web: TestWeb,
    injector: FaultInjector,
    token: String,
    injected: u64,
    failed: u64,
}

impl ActionRun {
    fn new() -> Option<Self> {
        let web = TestWeb::new("demo", |parameters| {
            (parameters.hosts, parameters.documents_per_host) = (3, 5);
            parameters.robots.crawl_delay_share = 0.0;
        });
        let injector = FaultInjector::new(web.directory.path(), "data")?;
        succeed(web.crawl("data", &["--strategy", "bfs"]));
        let ranked = web.lodeward(&["rank", "--data", "data", "--max-hops", "2"]);
        assert!(ranked.status.success(), "{}", String::from_utf8_lossy(&ranked.stderr));
        fs::write(web.path("service.toml"), "[service]\nrate_limit_per_minute = 100_000\n").unwrap();
        drop(RunningService::start(&web, "data", &[]));
        let token = web.lodeward(&["user", "token", "admin", "--description", "tests", "--data", "data"]);
        let token = String::from_utf8(token.stdout).unwrap().trim().to_owned();
        fs::rename(web.path("data"), web.path("base")).unwrap();
        Some(Self { web, injector, token, injected: 0, failed: 0 })
    }

    /// Starts the service with the data directory before the action.
    fn start_anew(&self) -> RunningService {
        let _ = fs::remove_dir_all(self.web.path("data"));
        // The journals of the database are sparse files.
        let mut copying = Command::new("cp");
        copying.args(["-r", "--sparse=always"]).args([self.web.path("base"), self.web.path("data")]);
        assert!(copying.status().unwrap().success());
        self.start()
    }

    fn start(&self) -> RunningService {
        let mut service = RunningService::start_with(&self.web, "data", &[], |command| self.injector.watch(command));
        service.token = Some(self.token.clone());
        service
    }

    fn check(&mut self, action: &ServiceAction) {
        let service = self.start_anew();
        let before = self.injector.operations();
        assert!((action.request)(&service) && (action.is_done)(&service), "{}: undisturbed", action.name);
        let operations = self.injector.operations() - before;
        drop(service);
        let step = if is_torture() { 1 } else { (operations / SAMPLE).max(1) };
        let first = if is_torture() { 1 } else { 1 + step / 2 };
        for at in (first..=operations).step_by(usize::try_from(step).unwrap()) {
            self.check_one(action, at);
        }
    }

    fn check_one(&mut self, action: &ServiceAction, at: u64) {
        let mode = FAULT_MODES[usize::try_from(at % 3).unwrap()];
        let context = format!("{}: operation {at} fails ({mode:?})", action.name);
        let service = self.start_anew();
        self.injector.fail_once(self.injector.operations() + at, mode);
        let is_confirmed = (action.request)(&service);
        self.injected += self.injector.injected();
        self.injector.disarm();
        service.signal("KILL");
        drop(service);

        let service = self.start();
        let health: Value = get(&service, "/health").json();
        assert_ne!(health, Value::Null, "{context}");
        if is_confirmed {
            assert!((action.is_done)(&service), "{context}: it was confirmed, and is lost");
            return;
        }
        self.failed += 1;
        assert!((action.request)(&service) || (action.is_done)(&service), "{context}: requested again");
        assert!((action.is_done)(&service), "{context}: requested again");
    }
}

#[test]
fn a_confirmed_change_of_a_service_survives_any_fault() {
    let Some(mut run) = ActionRun::new() else { return };
    for action in &ACTIONS {
        let (injected, failed) = (run.injected, run.failed);
        run.check(action);
        let (injected, failed) = (run.injected - injected, run.failed - failed);
        eprintln!("{}: {injected} operations failed, {failed} requests reported it, 0 losses", action.name);
    }
    assert!(run.injected > 0, "no operation failed");
}
