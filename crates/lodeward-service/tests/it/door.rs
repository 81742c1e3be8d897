//! Who is let in where: generated from the document, so that no route can forget.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};

use lodeward_service::Role;
use serde_json::Value;

use crate::house::{House, Plan, ROLES, password_of};

/// What nobody is asked for. Whoever adds an operation that is public says so here,
/// too.
const PUBLIC: &[&str] = &[
    "GET /api/v1/docs",
    "GET /api/v1/docs/style.css",
    "GET /api/v1/openapi.json",
    "GET /health",
    "GET /ready",
    "POST /api/v1/session",
];

/// An operation of the document.
struct Operation {
    method: String,
    path: String,
    /// `None` if it is public.
    role: Option<Role>,
    is_about_people: bool,
}

impl Operation {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// An address of it: whatever is variable is `1`.
    fn address(&self) -> String {
        let mut address = String::new();
        for part in self.path.split_inclusive('/') {
            let is_variable = part.starts_with('{');
            address += if is_variable { "1" } else { part };
            address += if is_variable && part.ends_with('/') { "/" } else { "" };
        }
        address
    }

    fn is_changing(&self) -> bool {
        self.method != "GET" || self.path.starts_with("/CrawlAPI/")
    }
}

async fn operations(house: &House) -> Vec<Operation> {
    let (_, document) = house.get("/api/v1/openapi.json").await;
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let (method, path) = (method.to_uppercase(), path.clone());
            let ways = operation["security"].as_array().unwrap_or_else(|| panic!("{method} {path} does not say"));
            let scope = ways[0].as_object().unwrap().values().next();
            // Every way in takes the same.
            let scopes = |way: &Value| way.as_object().unwrap().values().next().cloned();
            assert!(ways.iter().all(|way| scopes(way) == scope.cloned()), "{method} {path}");
            let role = scope.map(|scope| serde_json::from_value(scope[0].clone()).unwrap());
            let is_about_people = operation["tags"][0] == "people";
            operations.push(Operation { method, path, role, is_about_people });
        }
    }
    assert!(operations.len() >= 60, "{}", operations.len());
    operations
}

async fn problem(request: reqwest::RequestBuilder) -> (u16, String) {
    // A connection that was kept may have been closed meanwhile.
    let again = request.try_clone().unwrap();
    let answer = match request.send().await {
        Err(error) if error.is_request() => again.send().await.unwrap(),
        answer => answer.unwrap(),
    };
    let status = answer.status().as_u16();
    let document: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default();
    (status, document["code"].as_str().unwrap_or_default().to_owned())
}

/// Sends these very bytes, and reads what comes back until the other side is done.
async fn raw(house: &House, request: String) -> String {
    let address = house.address;
    let talk = move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // Who has not read everything may reset the connection behind the answer.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    };
    tokio::task::spawn_blocking(talk).await.unwrap()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_showing_who_asks_only_what_is_public_is_answered() {
    let house = House::guarded().await;

    for operation in operations(&house).await {
        let answer = house.ask(&operation.method, &operation.address()).send().await.unwrap();
        let (name, status) = (operation.name(), answer.status().as_u16());
        if operation.role.is_none() {
            assert!(PUBLIC.contains(&name.as_str()), "{name} is public, and nobody has said so");
            assert_ne!(status, 401, "{name}");
            continue;
        }
        assert_eq!(status, 401, "{name}");
        assert_eq!(answer.headers()["content-type"], "application/problem+json", "{name}");
        assert!(answer.headers().contains_key("www-authenticate"), "{name}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_role_below_nothing_is_answered_and_with_it_everything_can_be_looked_at() {
    let house = House::guarded().await;

    for operation in operations(&house).await {
        let Some(needed) = operation.role else { continue };
        for role in ROLES {
            let request = || house.request(role, &operation.method, &operation.address());
            if role < needed {
                assert_eq!(problem(request()).await, (403, "forbidden".to_owned()), "{} {role:?}", operation.name());
            } else if !operation.is_changing() {
                let status = request().send().await.unwrap().status().as_u16();
                assert!(![401, 403, 500].contains(&status), "{} {role:?}: {status}", operation.name());
            }
        }
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_opens_nothing() {
    let house = House::guarded().await;

    for operation in operations(&house).await.iter().filter(|operation| operation.role.is_some()) {
        for wrong in ["Bearer lw_wrong", "Bearer", "Basic ?", "Basic YWRtaW4=", "Negotiate x", "lodeward"] {
            let request = house.ask(&operation.method, &operation.address()).header("authorization", wrong);
            assert_eq!(problem(request).await.0, 401, "{} {wrong}", operation.name());
        }
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_sites_ask_for_nothing_even_where_everybody_is_let_in() {
    let house = House::open().await;
    let own = house.url("");

    let is_guarded = |operation: &&Operation| operation.is_changing() || operation.role.is_some();
    for operation in operations(&house).await.iter().filter(is_guarded) {
        let foreign = [
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("origin", "http://127.0.0.1:1"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ];
        for (field, value) in foreign {
            let request = house.ask(&operation.method, &operation.address()).header(field, value);
            assert_eq!(problem(request).await, (403, "cross-site".to_owned()), "{} {value}", operation.name());
        }
    }
    let answer = house.ask("DELETE", "/api/v1/session").header("origin", own).send().await.unwrap();
    assert_eq!(answer.status(), 204);
    assert!(answer.headers().keys().all(|name| !name.as_str().starts_with("access-control-")));
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_in_a_page_deletes_nothing_by_a_password_that_a_browser_remembers() {
    let house = House::guarded().await;
    let delete = || {
        let request = house.ask("GET", "/CrawlAPI/deleteCrawl?crawl_id=1");
        request.basic_auth("operator", Some(password_of(Role::Operator)))
    };
    let browser = || delete().header("user-agent", "Mozilla/5.0");
    let refused = (403, "cross-site".to_owned());

    assert_eq!(problem(browser()).await, refused);
    assert_eq!(problem(delete().header("referer", "http://evil.example/page")).await, refused);
    assert_ne!(problem(browser().header("referer", house.url("/"))).await, refused);
    assert_ne!(problem(delete()).await, refused);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_others_control_are_not_ours() {
    let house = House::open().await;
    let ask = |host: &str| raw(&house, format!("GET /api/v1/me HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));

    for host in ["evil.example", "localhost.evil.example:7474", "127.0.0.1.evil.example"] {
        assert_eq!(status(&ask(host).await), "421", "{host}");
    }
    assert_eq!(status(&ask("localhost:7474").await), "200");
    let absolute = "GET http://evil.example/api/v1/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(status(&raw(&house, absolute.to_owned()).await), "421");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_bodies_are_refused_announced_or_not() {
    let house = House::build(Plan { settings: "[service]\nbody_mb = 1\n".to_owned(), ..Plan::default() }).await;
    let head =
        "POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n";

    let announced = raw(&house, format!("{head}Content-Length: 999999999999\r\n\r\n")).await;
    let body = "x".repeat(1_000_001);
    let streamed = raw(&house, format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n", body.len())).await;

    for answer in [announced, streamed] {
        assert_eq!(status(&answer), "413", "{answer}");
        assert!(answer.contains("\"too-large\""), "{answer}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_not_known_and_whatever_is_about_people_says_little() {
    let house = House::guarded().await;
    let much = "x".repeat(64_001);

    for operation in operations(&house).await {
        if operation.role.is_none() || operation.is_about_people {
            let request = house.request(Role::Admin, &operation.method, &operation.address());
            let refused = problem(request.body(much.clone())).await;
            // What reads no body refuses any.
            let expected = [(413, "too-large".to_owned()), (400, "bad-request".to_owned())];
            assert!(expected.contains(&refused), "{}: {refused:?}", operation.name());
        }
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_leads_out_of_the_api() {
    let house = House::guarded().await;
    let token = house.token(Role::Admin);
    let paths = [
        "/api/v1/crawls/..%2f..%2fservice%2fpeople.json",
        "/api/v1/crawls/../../service/people.json",
        "/api/v1/users/..%2fpeople.json",
        "/api/v1/users/%2e%2e",
        "/api/v1/users/a%0d%0aX-Evil:%201",
        "/api/v1/users/%00",
        "/api/v1/users/%ff",
        "/api/v1/tokens/..%2f1",
        "/service/people.json",
        "/..%2f..%2fetc%2fpasswd",
        "//api/v1/me",
        "/api/v1/me/",
        "/API/v1/me",
    ];

    for path in paths {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        let answer = raw(&house, request).await;
        assert!(["400", "404", "405"].contains(&status(&answer)), "{path}: {answer}");
        assert!(!answer.to_lowercase().contains("\nx-evil") && !answer.contains("argon2"), "{path}: {answer}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_passwords_is_slowed_down_and_tells_nothing() {
    // Time stands still, so no wait ever ends.
    let house = House::build(Plan { now: Some(|| 1_800_000_000_000), ..Plan::default() }).await;
    let sign_in = |name: &str, password: &str| {
        let body = serde_json::json!({ "name": name, "password": password });
        let request = house.ask("POST", "/api/v1/session").header("content-type", "application/json");
        request.body(body.to_string()).send()
    };

    let mut told = Vec::new();
    for name in ["admin", "nobody", "admin", "..", "reader"] {
        let answer = sign_in(name, "wrong password").await.unwrap();
        told.push((answer.status().as_u16(), answer.text().await.unwrap()));
    }
    let right = sign_in("operator", &password_of(Role::Operator)).await.unwrap();
    let basic = house.ask("GET", "/api/v1/me").basic_auth("operator", Some(password_of(Role::Operator)));
    let basic = basic.send().await.unwrap();

    assert!(told.iter().all(|answer| *answer == told[0] && answer.0 == 401), "{told:?}");
    for answer in [right, basic] {
        assert_eq!(answer.status(), 429);
        assert_eq!(answer.headers()["retry-after"], "1");
    }
    let with_token = house.request(Role::Operator, "GET", "/api/v1/me").send().await.unwrap();
    assert_eq!(with_token.status(), 200);
    house.close().await;
}

/// What stands in the audit log: status and how many were not written.
fn audited(house: &House) -> Vec<(u64, Option<u64>)> {
    let text = std::fs::read_to_string(house.folder.path().join("data/service/audit.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| (line["status"].as_u64().unwrap(), line["unwritten"].as_u64())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_that_are_not_looked_at_and_foreign_pages_are_written_down_but_fill_nothing() {
    static NOW: AtomicU64 = AtomicU64::new(1_800_000_000_000);
    let house = House::build(Plan { now: Some(|| NOW.load(Ordering::Relaxed)), ..Plan::default() }).await;
    let guess = || house.ask("GET", "/api/v1/me").basic_auth("admin", Some("wrong password")).send();
    let mut statuses = Vec::new();
    for _ in 0..9 {
        statuses.push(guess().await.unwrap().status().as_u16());
    }
    let before = [401, 401, 401, 401, 401, 429, 429, 429, 429];
    assert_eq!(statuses, before);
    assert_eq!(audited(&house), [401, 401, 401, 401, 401, 429].map(|status| (status, None)));

    NOW.fetch_add(60_000, Ordering::Relaxed);
    for _ in 0..2 {
        let foreign = house.ask("POST", "/api/v1/crawls").header("origin", "http://evil.example");
        assert_eq!(problem(foreign).await.0, 403);
    }

    assert_eq!(audited(&house)[6..], [(403, Some(3))]);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_too_often_waits_while_others_do_not() {
    let settings = "[service]\nrequests_per_minute = 1\n".to_owned();
    let house = House::build(Plan { settings, ..Plan::default() }).await;
    let me = |role| house.request(role, "GET", "/api/v1/me").send();
    assert_eq!(me(Role::Reader).await.unwrap().status(), 200);

    let refused = me(Role::Reader).await.unwrap();

    assert_eq!(refused.status(), 429);
    let wait: u32 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    assert_eq!(me(Role::Operator).await.unwrap().status(), 200);
    for _ in 0..3 {
        assert_eq!(house.get("/health").await.0, 200);
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_and_what_is_not_done_so_are_problems() {
    let house = House::open().await;

    assert_eq!(problem(house.ask("GET", "/nowhere")).await, (404, "not-found".to_owned()));
    let answer = house.ask("PUT", "/api/v1/session").send().await.unwrap();
    assert_eq!((answer.status().as_u16(), &answer.headers()["allow"]), (405, &"DELETE, POST".parse().unwrap()));
    assert_eq!(problem(house.ask("TRACE", "/api/v1/me")).await, (405, "method-not-allowed".to_owned()));
    for name in
        ["x-content-type-options", "content-security-policy", "cache-control", "x-request-id", "referrer-policy"]
    {
        assert!(answer.headers().contains_key(name), "{name}");
    }
    house.close().await;
}
