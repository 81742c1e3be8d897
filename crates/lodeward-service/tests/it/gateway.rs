//! Authentication and authorization of all operations, generated from the OpenAPI document.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};

use lodeward_service::Role;
use serde_json::Value;

use crate::test_server::{ROLES, TestOptions, TestServer, password_of};

/// All public operations. A new public operation must be added here, too.
const PUBLIC: &[&str] = &[
    "GET /",
    "GET /api/v1/docs",
    "GET /api/v1/docs/style.css",
    "GET /api/v1/openapi.json",
    "GET /assets/{file}",
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
    is_about_users: bool,
}

impl Operation {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// A URL of it, with `1` for all variables.
    fn url(&self) -> String {
        let mut url = String::new();
        for part in self.path.split_inclusive('/') {
            let is_variable = part.starts_with('{');
            url += if is_variable { "1" } else { part };
            url += if is_variable && part.ends_with('/') { "/" } else { "" };
        }
        url
    }

    fn is_changing(&self) -> bool {
        self.method != "GET" || self.path.starts_with("/CrawlAPI/")
    }
}

async fn operations(server: &TestServer) -> Vec<Operation> {
    let (_, document) = server.get("/api/v1/openapi.json").await;
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let (method, path) = (method.to_uppercase(), path.clone());
            let schemes = operation["security"]
                .as_array()
                .unwrap_or_else(|| panic!("{method} {path} has no security requirement"));
            let scope = schemes[0].as_object().unwrap().values().next();
            // All security schemes need the same role.
            let scopes = |scheme: &Value| scheme.as_object().unwrap().values().next().cloned();
            assert!(schemes.iter().all(|scheme| scopes(scheme) == scope.cloned()), "{method} {path}");
            let role = scope.map(|scope| serde_json::from_value(scope[0].clone()).unwrap());
            let is_about_users = operation["tags"][0] == "users";
            operations.push(Operation { method, path, role, is_about_users });
        }
    }
    assert!(operations.len() >= 60, "{}", operations.len());
    operations
}

async fn problem(request: reqwest::RequestBuilder) -> (u16, String) {
    // A pooled connection may have been closed meanwhile.
    let again = request.try_clone().unwrap();
    let response = match request.send().await {
        Err(error) if error.is_request() => again.send().await.unwrap(),
        response => response.unwrap(),
    };
    let status = response.status().as_u16();
    let document: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default();
    (status, document["code"].as_str().unwrap_or_default().to_owned())
}

/// Sends these bytes, and reads the response until the server closes the connection.
async fn raw(server: &TestServer, request: String) -> String {
    let address = server.address;
    let exchange = move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = Vec::new();
        // The server may reset the connection if it has not read the whole request.
        let _ = stream.read_to_end(&mut response);
        String::from_utf8_lossy(&response).into_owned()
    };
    tokio::task::spawn_blocking(exchange).await.unwrap()
}

fn status(response: &str) -> &str {
    response.split(' ').nth(1).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_credentials_only_public_operations_succeed() {
    let server = TestServer::with_auth().await;

    for operation in operations(&server).await {
        let response = server.anonymous(&operation.method, &operation.url()).send().await.unwrap();
        let (name, status) = (operation.name(), response.status().as_u16());
        if operation.role.is_none() {
            assert!(PUBLIC.contains(&name.as_str()), "{name} is public, and not in the list");
            assert_ne!(status, 401, "{name}");
            continue;
        }
        assert_eq!(status, 401, "{name}");
        assert_eq!(response.headers()["content-type"], "application/problem+json", "{name}");
        assert!(response.headers().contains_key("www-authenticate"), "{name}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_needs_its_role() {
    let server = TestServer::with_auth().await;

    for operation in operations(&server).await {
        let Some(needed) = operation.role else { continue };
        for role in ROLES {
            let request = || server.request(role, &operation.method, &operation.url());
            if role < needed {
                assert_eq!(problem(request()).await, (403, "forbidden".to_owned()), "{} {role:?}", operation.name());
            } else if !operation.is_changing() {
                let status = request().send().await.unwrap().status().as_u16();
                assert!(![401, 403, 500].contains(&status), "{} {role:?}: {status}", operation.name());
            }
        }
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_credentials_are_rejected_everywhere() {
    let server = TestServer::with_auth().await;

    for operation in operations(&server).await.iter().filter(|operation| operation.role.is_some()) {
        for wrong in ["Bearer lw_wrong", "Bearer", "Basic ?", "Basic YWRtaW4=", "Negotiate x", "lodeward"] {
            let request = server.anonymous(&operation.method, &operation.url()).header("authorization", wrong);
            assert_eq!(problem(request).await.0, 401, "{} {wrong}", operation.name());
        }
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cross_site_requests_are_rejected_even_without_authentication() {
    let server = TestServer::without_auth().await;
    let own = server.url("");

    let is_guarded = |operation: &&Operation| operation.is_changing() || operation.role.is_some();
    for operation in operations(&server).await.iter().filter(is_guarded) {
        let cross_site = [
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("origin", "http://127.0.0.1:1"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ];
        for (field, value) in cross_site {
            let request = server.anonymous(&operation.method, &operation.url()).header(field, value);
            assert_eq!(problem(request).await, (403, "cross-site".to_owned()), "{} {value}", operation.name());
        }
    }
    let response = server.anonymous("DELETE", "/api/v1/session").header("origin", own).send().await.unwrap();
    assert_eq!(response.status(), 204);
    assert!(response.headers().keys().all(|name| !name.as_str().starts_with("access-control-")));
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_in_a_page_deletes_nothing_with_a_stored_password() {
    let server = TestServer::with_auth().await;
    let delete = || {
        let request = server.anonymous("GET", "/CrawlAPI/deleteCrawl?crawl_id=1");
        request.basic_auth("operator", Some(password_of(Role::Operator)))
    };
    let browser = || delete().header("user-agent", "Mozilla/5.0");
    let rejected = (403, "cross-site".to_owned());

    assert_eq!(problem(browser()).await, rejected);
    assert_eq!(problem(delete().header("referer", "http://evil.example/page")).await, rejected);
    assert_ne!(problem(browser().header("referer", server.url("/"))).await, rejected);
    assert_ne!(problem(delete()).await, rejected);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_host_names_are_misdirected() {
    let server = TestServer::without_auth().await;
    let get =
        |host: &str| raw(&server, format!("GET /api/v1/me HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));

    for host in ["evil.example", "localhost.evil.example:7474", "127.0.0.1.evil.example"] {
        assert_eq!(status(&get(host).await), "421", "{host}");
    }
    assert_eq!(status(&get("localhost:7474").await), "200");
    let absolute = "GET http://evil.example/api/v1/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(status(&raw(&server, absolute.to_owned()).await), "421");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_bodies_are_rejected_with_and_without_content_length() {
    let server = TestServer::start(TestOptions {
        settings: "[service]\nmax_body_size = \"1MB\"\n".to_owned(),
        ..TestOptions::default()
    })
    .await;
    let head =
        "POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n";

    let announced = raw(&server, format!("{head}Content-Length: 999999999999\r\n\r\n")).await;
    let body = "x".repeat(1_000_001);
    let streamed =
        raw(&server, format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n", body.len())).await;

    for response in [announced, streamed] {
        assert_eq!(status(&response), "413", "{response}");
        assert!(response.contains("\"content-too-large\""), "{response}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn public_operations_and_those_about_users_take_small_bodies_only() {
    let server = TestServer::with_auth().await;
    let large = "x".repeat(64_001);

    for operation in operations(&server).await {
        if operation.role.is_none() || operation.is_about_users {
            let request = server.request(Role::Admin, &operation.method, &operation.url());
            let rejected = problem(request.body(large.clone())).await;
            // Operations without a body reject any body.
            let expected = [(413, "content-too-large".to_owned()), (400, "bad-request".to_owned())];
            assert!(expected.contains(&rejected), "{}: {rejected:?}", operation.name());
        }
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_leads_out_of_the_api() {
    let server = TestServer::with_auth().await;
    let token = server.token(Role::Admin);
    let paths = [
        "/api/v1/crawls/..%2f..%2fservice%2fusers.json",
        "/api/v1/crawls/../../service/users.json",
        "/api/v1/users/..%2fusers.json",
        "/api/v1/users/%2e%2e",
        "/api/v1/users/a%0d%0aX-Evil:%201",
        "/api/v1/users/%00",
        "/api/v1/users/%ff",
        "/api/v1/tokens/..%2f1",
        "/service/users.json",
        "/..%2f..%2fetc%2fpasswd",
        "//api/v1/me",
        "/api/v1/me/",
        "/API/v1/me",
    ];

    for path in paths {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        let response = raw(&server, request).await;
        assert!(["400", "404", "405"].contains(&status(&response)), "{path}: {response}");
        assert!(!response.to_lowercase().contains("\nx-evil") && !response.contains("argon2"), "{path}: {response}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_logins_are_delayed_and_reveal_nothing() {
    // The clock stands still, so no delay ends.
    let server = TestServer::start(TestOptions { now: Some(|| 1_800_000_000_000), ..TestOptions::default() }).await;
    let login = |name: &str, password: &str| {
        let body = serde_json::json!({ "name": name, "password": password });
        let request = server.anonymous("POST", "/api/v1/session").header("content-type", "application/json");
        request.body(body.to_string()).send()
    };

    let mut responses = Vec::new();
    for name in ["admin", "unknown", "admin", "..", "reader"] {
        let response = login(name, "wrong password").await.unwrap();
        responses.push((response.status().as_u16(), response.text().await.unwrap()));
    }
    let right = login("operator", &password_of(Role::Operator)).await.unwrap();
    let basic = server.anonymous("GET", "/api/v1/me").basic_auth("operator", Some(password_of(Role::Operator)));
    let basic = basic.send().await.unwrap();

    assert!(responses.iter().all(|response| *response == responses[0] && response.0 == 401), "{responses:?}");
    for response in [right, basic] {
        assert_eq!(response.status(), 429);
        assert_eq!(response.headers()["retry-after"], "1");
    }
    let with_token = server.request(Role::Operator, "GET", "/api/v1/me").send().await.unwrap();
    assert_eq!(with_token.status(), 200);
    server.close().await;
}

/// The lines of the audit log: status and number of unwritten requests.
fn audited(server: &TestServer) -> Vec<(u64, Option<u64>)> {
    let text = std::fs::read_to_string(server.dir.path().join("data/service/audit.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| (line["status"].as_u64().unwrap(), line["unwritten"].as_u64())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn bursts_of_rejected_requests_are_audited_once_a_minute() {
    static NOW: AtomicU64 = AtomicU64::new(1_800_000_000_000);
    let server =
        TestServer::start(TestOptions { now: Some(|| NOW.load(Ordering::Relaxed)), ..TestOptions::default() }).await;
    let guess = || server.anonymous("GET", "/api/v1/me").basic_auth("admin", Some("wrong password")).send();
    let mut statuses = Vec::new();
    for _ in 0..9 {
        statuses.push(guess().await.unwrap().status().as_u16());
    }
    let before = [401, 401, 401, 401, 401, 429, 429, 429, 429];
    assert_eq!(statuses, before);
    assert_eq!(audited(&server), [401, 401, 401, 401, 401, 429].map(|status| (status, None)));

    NOW.fetch_add(60_000, Ordering::Relaxed);
    for _ in 0..2 {
        let cross_site = server.anonymous("POST", "/api/v1/crawls").header("origin", "http://evil.example");
        assert_eq!(problem(cross_site).await.0, 403);
    }

    assert_eq!(audited(&server)[6..], [(403, Some(3))]);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rate_limit_of_one_user_does_not_affect_others() {
    let settings = "[service]\nrate_limit_per_minute = 1\n".to_owned();
    let server = TestServer::start(TestOptions { settings, ..TestOptions::default() }).await;
    let me = |role| server.request(role, "GET", "/api/v1/me").send();
    assert_eq!(me(Role::Reader).await.unwrap().status(), 200);

    let rejected = me(Role::Reader).await.unwrap();

    assert_eq!(rejected.status(), 429);
    let wait: u32 = rejected.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    assert_eq!(me(Role::Operator).await.unwrap().status(), 200);
    for _ in 0..3 {
        assert_eq!(server.get("/health").await.0, 200);
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_paths_and_methods_are_problems() {
    let server = TestServer::without_auth().await;

    assert_eq!(problem(server.anonymous("GET", "/nowhere")).await, (404, "not-found".to_owned()));
    let response = server.anonymous("PUT", "/api/v1/session").send().await.unwrap();
    assert_eq!((response.status().as_u16(), &response.headers()["allow"]), (405, &"DELETE, POST".parse().unwrap()));
    assert_eq!(problem(server.anonymous("TRACE", "/api/v1/me")).await, (405, "method-not-allowed".to_owned()));
    for name in
        ["x-content-type-options", "content-security-policy", "cache-control", "x-request-id", "referrer-policy"]
    {
        assert!(response.headers().contains_key(name), "{name}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn urls_in_responses_have_the_path_of_the_public_url() {
    let settings = "[service]\npublic_url = \"http://crawls.example/tools/lodeward/\"\n".to_owned();
    let server = TestServer::start(TestOptions { settings, ..TestOptions::default() }).await;
    let json = ("content-type", "application/json");
    let order = serde_json::json!({"seeds": crate::crawl_helpers::seeds(&server), "limits": {"max_documents": 3}});
    let request = server.request(Role::Admin, "POST", "/api/v1/crawls").header(json.0, json.1).body(order.to_string());

    let created = request.send().await.unwrap();

    assert_eq!(created.headers()["location"], "/tools/lodeward/api/v1/crawls/1");
    let created: serde_json::Value = serde_json::from_slice(&created.bytes().await.unwrap()).unwrap();
    assert_eq!(created["crawl"]["links"]["documents"], "/tools/lodeward/api/v1/crawls/1/documents", "{created}");
    let seeds = server.request(Role::Admin, "GET", "/api/v1/crawls/1/seeds?limit=1&offset=1").send().await.unwrap();
    let link = seeds.headers()["link"].to_str().unwrap();
    assert!(link.contains("</tools/lodeward/api/v1/crawls/1/seeds?") && !link.contains("</api/"), "{link}");
    let login = serde_json::json!({"name": "reader", "password": crate::test_server::password_of(Role::Reader)});
    let request = server.anonymous("POST", "/api/v1/session").header(json.0, json.1).body(login.to_string());
    let response = request.send().await.unwrap();
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    assert!(cookie.contains("; Path=/tools/lodeward/;"), "{cookie}");
    let docs = server.anonymous("GET", "/api/v1/docs").send().await.unwrap().text().await.unwrap();
    assert!(docs.contains("href=\"docs/style.css\"") && !docs.contains("href=\"/"), "absolute links leave the path");
    server.close().await;
}
