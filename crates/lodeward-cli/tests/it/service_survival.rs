//! Killed at any moment, a service forgets nothing that it has confirmed, and its
//! crawls end with the same harvest.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};

use crate::served::{Answer, Served, send};
use crate::web::{Box as Web, sorted_lines, succeed};

/// Few in `make test`, fifty in `make torture`.
fn kills() -> u32 {
    if std::env::var_os("LODEWARD_TORTURE").is_some() { 50 } else { 6 }
}

/// Crawls that there are at a time.
const CRAWLS_MAX: usize = 3;

/// What was confirmed, and what may be or may not be.
#[derive(Default)]
struct Ledger {
    crawls: BTreeMap<u64, Crawl>,
    gone: BTreeSet<u64>,
    templates: BTreeMap<String, String>,
    users: BTreeSet<String>,
    tokens: BTreeSet<u64>,
    /// By number: imports, rules, and graphs of one statement that were written.
    brought: BTreeMap<u32, Brought>,
    actions: u32,
}

#[derive(Clone, Copy)]
enum Brought {
    Import,
    Rule,
    Update,
}

#[derive(Default)]
struct Crawl {
    /// Statements of its graph in the archive.
    exported: Option<u64>,
    marked: BTreeSet<String>,
    is_paused: bool,
    /// Somebody wanted it to go, and never heard whether it has.
    may_be_gone: bool,
}

/// A small world, what a crawl of it finds, and how it is served.
fn small_web() -> (Web, Vec<String>) {
    let web = Web::new("demo", |parameters| {
        (parameters.hosts, parameters.documents_per_host) = (8, 20);
        parameters.robots.crawl_delay = 0.0;
    });
    succeed(web.crawl("undisturbed", &["--strategy", "bfs", "-o", "undisturbed.nq"]));
    let settings = format!(
        "[politeness]\ndelay_ms = 0\n[fetch]\nproxy = {:?}\nca_certs = [\"ca.pem\"]\n[service]\ncrawls_running = \
         {CRAWLS_MAX}\nrequests_per_minute = 100_000\n",
        web.proxy()
    );
    std::fs::write(web.path("service.toml"), settings).unwrap();
    let undisturbed = sorted_lines(&web.path("undisturbed.nq"));
    (web, undisturbed)
}

/// A token of the admin that the first start makes.
fn token(web: &Web) -> String {
    drop(Served::start(web, "data", &[]));
    let told = web.lodeward(&["user", "token", "admin", "--for", "tests", "--data", "data"]);
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    String::from_utf8(told.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_service_killed_again_and_again_forgets_nothing_and_its_crawls_end_as_others() {
    let (web, undisturbed) = small_web();
    let mut rng = SmallRng::seed_from_u64(8);
    let mut ledger = Ledger::default();
    let token = token(&web);
    let start = || {
        let mut service = Served::start(&web, "data", &[]);
        service.token = Some(token.clone());
        service
    };

    for _ in 0..kills() {
        let mut service = start();
        ledger.check(&service);
        let (pid, wait) = (service.pid(), Duration::from_micros(rng.random_range(0..1_500_000)));
        let killer = std::thread::spawn(move || {
            std::thread::sleep(wait);
            send(pid, "KILL");
        });
        while ledger.act(&service, &mut rng, &web.world.seeds()).is_ok() {}
        killer.join().unwrap();
        assert_eq!(service.wait(), None, "it was killed, and did not end by itself");
    }
    let mut service = start();
    ledger.check(&service);
    let ended = ledger.end(&service);

    assert!(ledger.actions >= 2 * kills(), "there must be something to forget, not {} actions", ledger.actions);
    for id in ended {
        let harvest = service.get(&format!("/api/v1/crawls/{id}/download/nquads")).unwrap();
        let mut lines: Vec<&str> = harvest.text.lines().collect();
        lines.sort_unstable();
        assert_eq!((harvest.status, lines.len()), (200, undisturbed.len()), "as many quads of crawl {id}");
        assert!(lines == undisturbed, "the same quads of crawl {id}");
    }
    service.signal("TERM");
    assert_eq!(service.wait(), Some(0));
}

impl Ledger {
    /// Does something, and notes it if it is confirmed. An error if the service has
    /// gone.
    fn act(&mut self, service: &Served, rng: &mut SmallRng, seeds: &[impl AsRef<str>]) -> io::Result<()> {
        // Never the same again: what was not confirmed may have been done.
        self.actions += 1;
        let number = self.actions;
        let some = |crawls: &BTreeMap<u64, Crawl>, rng: &mut SmallRng| {
            let ids: Vec<u64> = crawls.iter().filter(|(_, crawl)| !crawl.may_be_gone).map(|(id, _)| *id).collect();
            (!ids.is_empty()).then(|| ids[rng.random_range(0..ids.len())])
        };
        let id = some(&self.crawls, rng);
        match (rng.random_range(0..13), id) {
            (0..4, _) if self.crawls.len() < CRAWLS_MAX => self.create(service, seeds)?,
            (0, Some(id)) => self.delete(service, id)?,
            (1 | 2, Some(id)) => self.export(service, id)?,
            (3 | 4, Some(id)) => self.mark(service, id, number)?,
            (5 | 6, Some(id)) => self.pause_or_resume(service, id)?,
            (7, _) => {
                let text = format!("name = \"t{number}\"\ntitle = \"T\"\n[[seeds]]\niri = \"http://a.example/\"\n");
                let path = format!("/api/v1/templates/t{number}");
                expect(&service.ask("PUT", &path, Some(("application/toml", &text)))?, &[201]);
                self.templates.insert(format!("t{number}"), text);
            }
            (8, _) => {
                let user = json!({"name": format!("u{number}"), "role": "reader", "password": "open sesame, please"});
                expect(&service.post("/api/v1/users", &user)?, &[201]);
                self.users.insert(format!("u{number}"));
            }
            (9, _) => {
                let given = service.post("/api/v1/tokens", &json!({"name": format!("for {number}")}))?;
                expect(&given, &[201]);
                self.tokens.insert(given.json()["token"]["id"].as_u64().unwrap());
            }
            (10, _) => self.bring(service, number, Brought::Import)?,
            (11, _) => self.bring(service, number, Brought::Rule)?,
            (12, _) => self.bring(service, number, Brought::Update)?,
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
        Ok(())
    }

    fn bring(&mut self, service: &Served, number: u32, what: Brought) -> io::Result<()> {
        let statement = "<http://a.example/1> <http://a.example/p> <http://a.example/2> .";
        let answer = match what {
            Brought::Import => {
                service.ask("PUT", &format!("/api/v1/imports/i{number}"), Some(("application/n-triples", statement)))?
            }
            Brought::Rule => {
                // For imports of a kind that there are none of.
                let rule = json!({"types": ["http://a.example/Nothing"]}).to_string();
                service.ask("PUT", &format!("/api/v1/rules/r{number}"), Some(("application/json", &rule)))?
            }
            Brought::Update => {
                let update = format!("INSERT DATA {{ GRAPH <urn:test:{number}> {{ {statement} }} }}");
                service.ask("POST", "/update", Some(("application/sparql-update", &update)))?
            }
        };
        expect(&answer, &[200, 201, 204]);
        self.brought.insert(number, what);
        Ok(())
    }

    fn check_brought(&self, service: &Served) {
        for (number, what) in &self.brought {
            match what {
                Brought::Import => {
                    let import = service.get(&format!("/api/v1/imports/i{number}")).unwrap().json();
                    assert_eq!(import["statements"], 1, "{import}");
                    assert_eq!(size(service, &format!("urn:lodeward:import/i{number}")), 1, "import {number}");
                }
                Brought::Rule => expect(&service.get(&format!("/api/v1/rules/r{number}")).unwrap(), &[200]),
                Brought::Update => assert_eq!(size(service, &format!("urn:test:{number}")), 1, "update {number}"),
            }
        }
    }

    fn create(&mut self, service: &Served, seeds: &[impl AsRef<str>]) -> io::Result<()> {
        let seeds: Vec<&str> = seeds.iter().map(AsRef::as_ref).collect();
        let created = service.post("/api/v1/crawls", &json!({"seeds": seeds, "strategy": "bfs"}))?;
        expect(&created, &[201]);
        self.crawls.insert(created.json()["crawl"]["id"].as_u64().unwrap(), Crawl::default());
        Ok(())
    }

    fn delete(&mut self, service: &Served, id: u64) -> io::Result<()> {
        self.crawls.get_mut(&id).unwrap().may_be_gone = true;
        expect(&service.ask("DELETE", &format!("/api/v1/crawls/{id}"), None)?, &[204]);
        self.crawls.remove(&id);
        self.gone.insert(id);
        Ok(())
    }

    fn export(&mut self, service: &Served, id: u64) -> io::Result<()> {
        // Cut short, it may have replaced what was there before.
        let before = self.crawls.get_mut(&id).unwrap().exported.take();
        let exported = service.ask("POST", &format!("/api/v1/crawls/{id}/export"), None)?;
        expect(&exported, &[200]);
        let statements = exported.json()["statements"].as_u64().unwrap();
        assert!(statements >= before.unwrap_or(0), "a crawl does not shrink");
        self.crawls.get_mut(&id).unwrap().exported = Some(statements);
        Ok(())
    }

    fn mark(&mut self, service: &Served, id: u64, number: u32) -> io::Result<()> {
        let entity = format!("http://a.example/{number}");
        expect(&mark(service, id, &entity)?, &[200]);
        self.crawls.get_mut(&id).unwrap().marked.insert(entity);
        Ok(())
    }

    fn pause_or_resume(&mut self, service: &Served, id: u64) -> io::Result<()> {
        let crawl = self.crawls.get_mut(&id).unwrap();
        let wanted = if crawl.is_paused { "resume" } else { "pause" };
        // Until it is confirmed, either may hold: and resumed it may run or be done.
        crawl.is_paused = false;
        let answer = service.ask("POST", &format!("/api/v1/crawls/{id}/{wanted}"), None)?;
        expect(&answer, &[200, 409]);
        crawl.is_paused = wanted == "pause" && answer.status == 200;
        Ok(())
    }

    /// Finds everything that was confirmed.
    fn check(&mut self, service: &Served) {
        let get = |path: String| service.get(&path).unwrap();
        let (crawls, gone) = (std::mem::take(&mut self.crawls), &mut self.gone);
        for (id, mut crawl) in crawls {
            let found = get(format!("/api/v1/crawls/{id}"));
            if crawl.may_be_gone && found.status == 404 {
                gone.insert(id);
                continue;
            }
            // It was deleted before anybody was told, or not at all.
            crawl.may_be_gone = false;
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
        for id in &*gone {
            expect(&get(format!("/api/v1/crawls/{id}")), &[404]);
            assert_eq!(count(service, *id), 0, "nothing is left of crawl {id}");
        }
        for (name, text) in &self.templates {
            assert_eq!(get(format!("/api/v1/templates/{name}")).json()["text"], **text);
        }
        for user in &self.users {
            expect(&get(format!("/api/v1/users/{user}")), &[200]);
        }
        self.check_brought(service);
        let tokens = ids(&get("/api/v1/tokens".to_owned()).json()["tokens"]);
        assert!(self.tokens.is_subset(&tokens), "{:?} are not all in {tokens:?}", self.tokens);
    }

    /// Lets all crawls come to their end, also those whose creation nobody heard of.
    fn end(&self, service: &Served) -> BTreeSet<u64> {
        let all = ids(&service.get("/api/v1/crawls").unwrap().json()["crawls"]);
        assert!(self.crawls.keys().all(|id| all.contains(id)));
        for id in &all {
            let _ = service.ask("POST", &format!("/api/v1/crawls/{id}/resume"), None).unwrap();
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

fn expect(answer: &Answer, statuses: &[u16]) {
    assert!(statuses.contains(&answer.status), "{}: {}", answer.status, answer.text);
}

fn ids(list: &Value) -> BTreeSet<u64> {
    list.as_array().unwrap().iter().map(|item| item["id"].as_u64().unwrap()).collect()
}

fn mark(service: &Served, id: u64, entity: &str) -> io::Result<Answer> {
    let marks = json!({"entities": [entity], "opinion": "keep"});
    service.post(&format!("/api/v1/crawls/{id}/candidates/marks"), &marks)
}

/// How many statements the graph of a crawl has.
fn count(service: &Served, id: u64) -> u64 {
    size(service, &format!("urn:lodeward:crawl/{id}"))
}

/// How many statements a graph has.
fn size(service: &Served, graph: &str) -> u64 {
    let query = format!("SELECT (COUNT(*) AS ?n) {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}");
    let answer = service.ask("POST", "/sparql", Some(("application/sparql-query", &query))).unwrap();
    answer.json()["results"]["bindings"][0]["n"]["value"].as_str().unwrap().parse().unwrap()
}
