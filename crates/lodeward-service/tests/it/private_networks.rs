//! Crawls do not reach private networks.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::header::{CONTENT_TYPE, LOCATION};
use lodeward::fetch::address_guard::is_public;
use serde_json::json;
use toyweb::test_data::note_missing_tool;
use toyweb::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};

use crate::crawl_helpers::{start_crawl, wait_for_state};
use crate::test_server::{TestOptions, TestServer};

/// A server on loopback that must not be reached.
struct Canary {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Canary {
    fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                let mut stream = stream;
                let _ = stream.read(&mut [0; 1_000]);
            }
        });
        Self { address, connections }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// Pages that refer to loopback: by a redirect, a link, a JSON-LD context, an endpoint.
struct InwardWeb(u16);

impl Web for InwardWeb {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        let inside = format!("http://127.0.0.1:{}", self.0);
        let (status, name, value, body) = match request.url.path() {
            "/redirect" => (302, LOCATION, format!("{inside}/redirected"), String::new()),
            "/rebind" => (302, LOCATION, "http://inward.localhost/".to_owned(), String::new()),
            "/link" => (200, CONTENT_TYPE, "text/html".to_owned(), format!("<a href=\"{inside}/link\">in</a>")),
            "/context" => {
                let body = format!("{{\"@context\": \"{inside}/context\", \"name\": \"x\"}}");
                (200, CONTENT_TYPE, "application/ld+json".to_owned(), body)
            }
            "/endpoint" => {
                let void = "http://rdfs.org/ns/void#sparqlEndpoint";
                (200, CONTENT_TYPE, "text/turtle".to_owned(), format!("<#d> <{void}> <{inside}/sparql> ."))
            }
            _ => (404, CONTENT_TYPE, "text/plain".to_owned(), String::new()),
        };
        WebResponse {
            status: http::StatusCode::from_u16(status).unwrap(),
            headers: [(name, value.parse().unwrap())].into_iter().collect(),
            body: WebBody::Whole(body.into()),
            delivery: DeliveryFault::Plain,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn private_seeds_are_rejected() {
    let server = TestServer::start(TestOptions { no_auth: true, is_direct: true, ..TestOptions::default() }).await;
    let canary = Canary::listen();
    let port = canary.address.port();

    let inside = [
        format!("http://127.0.0.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://0x7f.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://x.localhost:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://0.0.0.0:{port}/"),
        "http://10.0.0.1/".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ];
    for seed in inside {
        let (status, problem) = server.post("/api/v1/crawls", &json!({"seeds": [seed]})).await;
        assert_eq!((status, &problem["code"]), (403, &"policy-violation".into()), "{seed}: {problem}");
    }
    for seed in ["file:///etc/passwd", "@/etc/passwd", "-", "ftp://a.example/", "gopher://127.0.0.1/"] {
        let (status, problem) = server.post("/api/v1/crawls", &json!({"seeds": [seed]})).await;
        assert_eq!((status, &problem["code"]), (422, &"unprocessable".into()), "{seed}: {problem}");
    }
    assert_eq!(server.get("/api/v1/crawls").await.1["total"], 0);
    assert_eq!(canary.connections(), 0);
    server.close().await;
}

/// A name in /etc/hosts, other than localhost, that resolves to a private address.
fn private_name() -> Option<String> {
    let hosts = std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    let mut names = hosts.lines().flat_map(|line| {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let is_private = words.next().and_then(|word| word.parse().ok()).is_some_and(|address| !is_public(address));
        words.filter(move |name| is_private && !name.contains("localhost"))
    });
    names.next().map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_with_a_private_address_is_not_fetched() {
    let Some(name) = private_name() else { return note_missing_tool("a name in /etc/hosts with a private address") };
    let server = TestServer::start(TestOptions { no_auth: true, is_direct: true, ..TestOptions::default() }).await;
    let canary = Canary::listen();
    let seed = format!("http://{name}:{}/", canary.address.port());

    let id = start_crawl(&server, json!({"seeds": [seed]})).await;
    let crawl = wait_for_state(&server, id, "finished").await;

    assert_eq!(crawl["counters"]["documents"], 0, "{crawl}");
    assert_eq!(canary.connections(), 0);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn references_to_private_addresses_are_not_followed() {
    let canary = Canary::listen();
    let web: Arc<dyn Web> = Arc::new(InwardWeb(canary.address.port()));
    let server = TestServer::start(TestOptions { no_auth: true, web: Some(web), ..TestOptions::default() }).await;
    let seeds: Vec<String> = ["redirect", "rebind", "link", "context", "endpoint"]
        .iter()
        .map(|page| format!("http://outside.example/{page}"))
        .collect();

    let settings = json!({"discover": {"sparql_endpoints": "harvest", "sitemaps": true, "well_known_void": true}});
    let id = start_crawl(&server, json!({"seeds": seeds, "settings": settings})).await;
    let crawl = wait_for_state(&server, id, "finished").await;

    assert_eq!(crawl["counters"]["documents"], 3, "public pages are fetched: {crawl}");
    assert_eq!(canary.connections(), 0);
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_a_crawl_cannot_allow_private_addresses() {
    let server = TestServer::start(TestOptions { no_auth: true, is_direct: true, ..TestOptions::default() }).await;
    let settings = [
        json!({"fetch": {"allow_private_addresses": true}}),
        json!({"fetch": {"proxy": "http://127.0.0.1:1"}}),
        json!({"fetch": {"resolve": ["a.example:127.0.0.1"]}}),
        json!({"ranking": {"descriptions_endpoint": "http://127.0.0.1/sparql"}}),
        json!({"ranking": {"reference_graph": "file:/etc/passwd"}}),
        json!({"seeds": {"labels_endpoint": "http://127.0.0.1/sparql"}}),
        json!({"strategy": {"initial_model": "/etc/passwd"}}),
        json!({"extract": {"contexts": "/etc"}}),
        json!({"politeness": {"delay": 0}}),
        json!({"remote_store": {"update_url": "http://127.0.0.1/update"}}),
        json!({"service": {"denied_domains": []}}),
    ];
    for settings in settings {
        let order = json!({"seeds": ["http://a.example/"], "settings": settings});
        let (status, problem) = server.post("/api/v1/crawls", &order).await;
        assert_eq!((status, &problem["code"]), (422, &"unprocessable".into()), "{settings}: {problem}");
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_domains_are_not_crawled() {
    let settings =
        "[service]\nallowed_domains = [\"outside.example\"]\ndenied_domains = [\"secret.outside.example\"]\n";
    let web: Arc<dyn Web> = Arc::new(InwardWeb(1));
    let options =
        TestOptions { no_auth: true, web: Some(web), settings: settings.to_owned(), ..TestOptions::default() };
    let server = TestServer::start(options).await;

    for seed in ["http://elsewhere.example/", "http://x.secret.outside.example/"] {
        let (status, problem) = server.post("/api/v1/crawls", &json!({"seeds": [seed]})).await;
        assert_eq!((status, &problem["code"]), (403, &"policy-violation".into()), "{seed}: {problem}");
    }
    let id = start_crawl(&server, json!({"seeds": ["http://outside.example/rebind"]})).await;
    let crawl = wait_for_state(&server, id, "finished").await;
    assert_eq!(
        crawl["counters"]["dropped_by_reason"]["policy"], 1,
        "the target of the redirect is not allowed: {crawl}"
    );
    server.close().await;
}
