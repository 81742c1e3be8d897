//! A service that is killed at any time loses nothing that it has confirmed, and its crawls end with the
//! same harvest.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::running_service::{RunningService, ServiceResponse, send};
use crate::web::{TestWeb, sorted_lines, succeed};

/// Six kills in `make test`, fifty in `make torture`.
fn kills() -> u32 {
    if std::env::var_os("LODEWARD_TEST_TORTURE").is_some() { 50 } else { 6 }
}

/// Maximum number of crawls at a time.
const MAX_CRAWLS: usize = 3;

/// What the service has confirmed, and what is undecided.
#[derive(Default)]
struct ConfirmedState {
    crawls: BTreeMap<u64, ConfirmedCrawl>,
    deleted: BTreeSet<u64>,
    templates: BTreeMap<String, String>,
    users: BTreeSet<String>,
    tokens: BTreeSet<u64>,
    /// By number: imports, rules, and graphs of one statement.
    items: BTreeMap<u32, StoredItem>,
    actions: u32,
}

#[derive(Clone, Copy)]
enum StoredItem {
    Import,
    Rule,
    Update,
}

#[derive(Default)]
struct ConfirmedCrawl {
    /// Statements of its graph in the archive.
    exported: Option<u64>,
    marked: BTreeSet<String>,
    is_paused: bool,
    /// A deletion was requested, but the response was lost.
    may_be_deleted: bool,
}

/// A small generated web, the harvest of an undisturbed crawl, and the settings of the service.
fn small_web() -> (TestWeb, Vec<String>) {
    let web = TestWeb::new("demo", |parameters| {
        (parameters.hosts, parameters.documents_per_host) = (8, 20);
        parameters.robots.crawl_delay_share = 0.0;
    });
    succeed(web.crawl("undisturbed", &["--strategy", "bfs", "-o", "undisturbed.nq"]));
    let settings = format!(
        "[politeness]\ndelay = 0\n[fetch]\nproxy = {:?}\nca_certificates = [\"ca.pem\"]\n[service]\nmax_running_crawls = \
         {MAX_CRAWLS}\nrate_limit_per_minute = 100_000\n",
        web.proxy()
    );
    std::fs::write(web.path("service.toml"), settings).unwrap();
    let undisturbed = sorted_lines(&web.path("undisturbed.nq"));
    (web, undisturbed)
}

/// A token of the admin that the first start creates.
fn token(web: &TestWeb) -> String {
    drop(RunningService::start(web, "data", &[]));
    let output = web.lodeward(&["user", "token", "admin", "--description", "tests", "--data", "data"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_repeatedly_killed_service_loses_nothing_and_its_crawls_complete() {
    let (web, undisturbed) = small_web();
    let mut rng = SmallRng::seed_from_u64(8);
    let mut confirmed = ConfirmedState::default();
    let token = token(&web);
    let start = || {
        let mut service = RunningService::start(&web, "data", &[]);
        service.token = Some(token.clone());
        service
    };

    for _ in 0..kills() {
        let mut service = start();
        confirmed.check(&service);
        let (pid, wait) = (service.pid(), Duration::from_micros(rng.random_range(0..1_500_000)));
        let killer = std::thread::spawn(move || {
            std::thread::sleep(wait);
            send(pid, "KILL");
        });
        while confirmed.act(&service, &mut rng, &web.world.seeds()).is_ok() {}
        killer.join().unwrap();
        assert_eq!(service.wait(), None, "the service was killed and did not exit");
    }
    let mut service = start();
    confirmed.check(&service);
    let ended = confirmed.end(&service);

    assert!(confirmed.actions >= 2 * kills(), "only {} actions were confirmed", confirmed.actions);
    for id in ended {
        let harvest = service.get(&format!("/api/v1/crawls/{id}/download/nquads")).unwrap();
        let mut lines: Vec<&str> = harvest.text.lines().collect();
        lines.sort_unstable();
        assert_eq!((harvest.status, lines.len()), (200, undisturbed.len()), "as many quads of crawl {id}");
        assert!(lines == undisturbed, "same quads of crawl {id}");
    }
    service.signal("TERM");
    assert_eq!(service.wait(), Some(0));
}

impl ConfirmedState {
    /// Sends a random request and records it if it is confirmed. An error if the service has ended.
    fn act(&mut self, service: &RunningService, rng: &mut SmallRng, seeds: &[impl AsRef<str>]) -> io::Result<()> {
        // Every request has its own number: an unconfirmed one may have been executed.
        self.actions += 1;
        let number = self.actions;
        let some = |crawls: &BTreeMap<u64, ConfirmedCrawl>, rng: &mut SmallRng| {
            let ids: Vec<u64> = crawls.iter().filter(|(_, crawl)| !crawl.may_be_deleted).map(|(id, _)| *id).collect();
            (!ids.is_empty()).then(|| ids[rng.random_range(0..ids.len())])
        };
        let id = some(&self.crawls, rng);
        match (rng.random_range(0..13), id) {
            (0..4, _) if self.crawls.len() < MAX_CRAWLS => self.create(service, seeds)?,
            (0, Some(id)) => self.delete(service, id)?,
            (1 | 2, Some(id)) => self.export(service, id)?,
            (3 | 4, Some(id)) => self.mark(service, id)?,
            (5 | 6, Some(id)) => self.pause_or_resume(service, id)?,
            (7, _) => {
                let text = format!("name = \"t{number}\"\ntitle = \"T\"\n[[seeds]]\niri = \"http://a.example/\"\n");
                let path = format!("/api/v1/templates/t{number}");
                expect(&service.request("PUT", &path, Some(("application/toml", &text)))?, &[201]);
                self.templates.insert(format!("t{number}"), text);
            }
            (8, _) => {
                let user = json!({"name": format!("u{number}"), "role": "reader", "password": "open sesame, please"});
                expect(&service.post("/api/v1/users", &user)?, &[201]);
                self.users.insert(format!("u{number}"));
            }
            (9, _) => {
                let created = service.post("/api/v1/tokens", &json!({"name": format!("for {number}")}))?;
                expect(&created, &[201]);
                self.tokens.insert(created.json()["token"]["id"].as_u64().unwrap());
            }
            (10, _) => self.store_item(service, number, StoredItem::Import)?,
            (11, _) => self.store_item(service, number, StoredItem::Rule)?,
            (12, _) => self.store_item(service, number, StoredItem::Update)?,
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
        Ok(())
    }

    fn store_item(&mut self, service: &RunningService, number: u32, what: StoredItem) -> io::Result<()> {
        let statement = "<http://a.example/1> <http://a.example/p> <http://a.example/2> .";
        let response = match what {
            StoredItem::Import => service.request(
                "PUT",
                &format!("/api/v1/imports/i{number}"),
                Some(("application/n-triples", statement)),
            )?,
            StoredItem::Rule => {
                // Matches no import, so that it starts no crawl.
                let rule = json!({"types": ["http://a.example/Nothing"]}).to_string();
                service.request("PUT", &format!("/api/v1/rules/r{number}"), Some(("application/json", &rule)))?
            }
            StoredItem::Update => {
                let update = format!("INSERT DATA {{ GRAPH <urn:test:{number}> {{ {statement} }} }}");
                service.request("POST", "/update", Some(("application/sparql-update", &update)))?
            }
        };
        expect(&response, &[200, 201, 204]);
        self.items.insert(number, what);
        Ok(())
    }

    fn check_items(&self, service: &RunningService) {
        for (number, what) in &self.items {
            match what {
                StoredItem::Import => {
                    let import = service.get(&format!("/api/v1/imports/i{number}")).unwrap().json();
                    assert_eq!(import["statements"], 1, "{import}");
                    assert_eq!(size(service, &format!("urn:lodeward:import/i{number}")), 1, "import {number}");
                }
                StoredItem::Rule => expect(&service.get(&format!("/api/v1/rules/r{number}")).unwrap(), &[200]),
                StoredItem::Update => assert_eq!(size(service, &format!("urn:test:{number}")), 1, "update {number}"),
            }
        }
    }

    fn create(&mut self, service: &RunningService, seeds: &[impl AsRef<str>]) -> io::Result<()> {
        let seeds: Vec<&str> = seeds.iter().map(AsRef::as_ref).collect();
        let created = service.post("/api/v1/crawls", &json!({"seeds": seeds, "strategy": "bfs"}))?;
        expect(&created, &[201]);
        self.crawls.insert(created.json()["crawl"]["id"].as_u64().unwrap(), ConfirmedCrawl::default());
        Ok(())
    }

    fn delete(&mut self, service: &RunningService, id: u64) -> io::Result<()> {
        self.crawls.get_mut(&id).unwrap().may_be_deleted = true;
        expect(&service.request("DELETE", &format!("/api/v1/crawls/{id}"), None)?, &[204]);
        self.crawls.remove(&id);
        self.deleted.insert(id);
        Ok(())
    }

    fn export(&mut self, service: &RunningService, id: u64) -> io::Result<()> {
        // An interrupted export may have replaced the previous one.
        let before = self.crawls.get_mut(&id).unwrap().exported.take();
        let exported = service.request("POST", &format!("/api/v1/crawls/{id}/export"), None)?;
        expect(&exported, &[200]);
        let statements = exported.json()["statements"].as_u64().unwrap();
        assert!(statements >= before.unwrap_or(0), "a crawl does not shrink");
        self.crawls.get_mut(&id).unwrap().exported = Some(statements);
        Ok(())
    }

    /// Keeps a candidate without a mark, if a ranking of the harvest so far has one.
    fn mark(&mut self, service: &RunningService, id: u64) -> io::Result<()> {
        let _ = service.request("POST", &format!("/api/v1/crawls/{id}/ranking"), None)?;
        let unmarked = service.get(&format!("/api/v1/crawls/{id}/candidates?mark=none&limit=1"))?;
        if unmarked.status != 200 {
            return Ok(());
        }
        if let Some(entity) = unmarked.json()["candidates"][0]["entity"].as_str() {
            expect(&mark(service, id, entity)?, &[200]);
            self.crawls.get_mut(&id).unwrap().marked.insert(entity.to_owned());
        }
        Ok(())
    }

    fn pause_or_resume(&mut self, service: &RunningService, id: u64) -> io::Result<()> {
        let crawl = self.crawls.get_mut(&id).unwrap();
        let action = if crawl.is_paused { "resume" } else { "pause" };
        // Until it is confirmed, either state is possible; a resumed crawl may also be finished.
        crawl.is_paused = false;
        let response = service.request("POST", &format!("/api/v1/crawls/{id}/{action}"), None)?;
        expect(&response, &[200, 409]);
        crawl.is_paused = action == "pause" && response.status == 200;
        Ok(())
    }

    /// Checks that everything confirmed is still there.
    fn check(&mut self, service: &RunningService) {
        let get = |path: String| service.get(&path).unwrap();
        let (crawls, deleted) = (std::mem::take(&mut self.crawls), &mut self.deleted);
        for (id, mut crawl) in crawls {
            let found = get(format!("/api/v1/crawls/{id}"));
            if crawl.may_be_deleted && found.status == 404 {
                deleted.insert(id);
                continue;
            }
            // Either it was deleted before the response was sent, or not at all.
            crawl.may_be_deleted = false;
            expect(&found, &[200]);
            let state = found.json()["state"].clone();
            assert_ne!(state, "failed", "{}", found.text);
            assert!(!crawl.is_paused || state == "paused", "crawl {id} is {state}");
            if let Some(statements) = crawl.exported {
                assert_eq!(count(service, id), statements, "the graph of crawl {id}");
                assert_eq!(get(format!("/api/v1/crawls/{id}/export")).json()["statements"], statements);
            }
            for entity in &crawl.marked {
                assert_eq!(mark(service, id, entity).unwrap().json()["changed"], 0, "{entity} was marked");
            }
            self.crawls.insert(id, crawl);
        }
        for id in &*deleted {
            expect(&get(format!("/api/v1/crawls/{id}")), &[404]);
            assert_eq!(count(service, *id), 0, "nothing is left of crawl {id}");
        }
        for (name, text) in &self.templates {
            assert_eq!(get(format!("/api/v1/templates/{name}")).json()["text"], **text);
        }
        for user in &self.users {
            expect(&get(format!("/api/v1/users/{user}")), &[200]);
        }
        self.check_items(service);
        let tokens = ids(&get("/api/v1/tokens".to_owned()).json()["tokens"]);
        assert!(self.tokens.is_subset(&tokens), "{:?} are not all in {tokens:?}", self.tokens);
    }

    /// Waits for the end of all crawls, including those whose creation was not confirmed.
    fn end(&self, service: &RunningService) -> BTreeSet<u64> {
        let all = ids(&service.get("/api/v1/crawls").unwrap().json()["crawls"]);
        assert!(self.crawls.keys().all(|id| all.contains(id)));
        for id in &all {
            let _ = service.request("POST", &format!("/api/v1/crawls/{id}/resume"), None).unwrap();
            let is_done = || {
                let crawl = service.get(&format!("/api/v1/crawls/{id}")).unwrap().json();
                assert_ne!(crawl["state"], "failed", "{crawl}");
                crawl["state"] == "finished"
            };
            let is_finished = (0..6_000).any(|_| {
                std::thread::sleep(Duration::from_millis(20));
                is_done()
            });
            assert!(is_finished, "crawl {id} does not end");
        }
        all
    }
}

fn expect(response: &ServiceResponse, statuses: &[u16]) {
    assert!(statuses.contains(&response.status), "{}: {}", response.status, response.text);
}

fn ids(list: &Value) -> BTreeSet<u64> {
    list.as_array().unwrap().iter().map(|item| item["id"].as_u64().unwrap()).collect()
}

fn mark(service: &RunningService, id: u64, entity: &str) -> io::Result<ServiceResponse> {
    let marks = json!({"entities": [entity], "mark": "keep"});
    service.post(&format!("/api/v1/crawls/{id}/candidates/marks"), &marks)
}

/// Number of statements in the graph of a crawl.
fn count(service: &RunningService, id: u64) -> u64 {
    size(service, &format!("urn:lodeward:crawl/{id}"))
}

/// Number of statements in a graph.
fn size(service: &RunningService, graph: &str) -> u64 {
    let query = format!("SELECT (COUNT(*) AS ?n) {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}");
    let response = service.request("POST", "/sparql", Some(("application/sparql-query", &query))).unwrap();
    response.json()["results"]["bindings"][0]["n"]["value"].as_str().unwrap().parse().unwrap()
}
