//! Whoever asks for a crawl must not reach what is inside our own network.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::header::{CONTENT_TYPE, LOCATION};
use lodeward::fetch::guard::is_public;
use serde_json::json;
use toyweb::shared::without_tool;
use toyweb::{Body, Conduct, Request, Response, Web};

use crate::house::{House, Plan};
use crate::wait::{begun, crawl_in_state};

/// A server inside, that nobody is to reach.
struct Canary {
    address: SocketAddr,
    visitors: Arc<AtomicUsize>,
}

impl Canary {
    fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let visitors = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&visitors);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                let mut stream = stream;
                let _ = stream.read(&mut [0; 1_000]);
            }
        });
        Self { address, visitors }
    }

    fn visitors(&self) -> usize {
        self.visitors.load(Ordering::SeqCst)
    }
}

/// Pages that lead inward: by a redirect, a link, a JSON-LD context, an endpoint.
struct Inviting(u16);

impl Web for Inviting {
    fn respond(&self, request: &Request) -> Response {
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
        Response {
            status: http::StatusCode::from_u16(status).unwrap(),
            headers: [(name, value.parse().unwrap())].into_iter().collect(),
            body: Body::Whole(body.into()),
            conduct: Conduct::Plain,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn seeds_that_are_inside_are_refused() {
    let house = House::build(Plan { no_auth: true, is_direct: true, ..Plan::default() }).await;
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
        let (status, problem) = house.post("/api/v1/crawls", &json!({"seeds": [seed]})).await;
        assert_eq!((status, &problem["code"]), (403, &"against-policy".into()), "{seed}: {problem}");
    }
    for seed in ["file:///etc/passwd", "@/etc/passwd", "-", "ftp://a.example/", "gopher://127.0.0.1/"] {
        let (status, problem) = house.post("/api/v1/crawls", &json!({"seeds": [seed]})).await;
        assert_eq!((status, &problem["code"]), (422, &"invalid".into()), "{seed}: {problem}");
    }
    assert_eq!(house.get("/api/v1/crawls").await.1["total"], 0);
    assert_eq!(canary.visitors(), 0);
    house.close().await;
}

/// What this machine calls itself or its network, besides localhost: a name like any
/// other, but for where it points.
fn inward_name() -> Option<String> {
    let hosts = std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    let mut names = hosts.lines().flat_map(|line| {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let is_inward = words.next().and_then(|word| word.parse().ok()).is_some_and(|address| !is_public(address));
        words.filter(move |name| is_inward && !name.contains("localhost"))
    });
    names.next().map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_points_inward_is_not_visited() {
    let Some(name) = inward_name() else { return without_tool("a name in /etc/hosts that points inward") };
    let house = House::build(Plan { no_auth: true, is_direct: true, ..Plan::default() }).await;
    let canary = Canary::listen();
    let seed = format!("http://{name}:{}/", canary.address.port());

    let id = begun(&house, json!({"seeds": [seed]})).await;
    let crawl = crawl_in_state(&house, id, "finished").await;

    assert_eq!(crawl["counters"]["documents"], 0, "{crawl}");
    assert_eq!(canary.visitors(), 0);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_leads_inward_is_not_followed() {
    let canary = Canary::listen();
    let web: Arc<dyn Web> = Arc::new(Inviting(canary.address.port()));
    let house = House::build(Plan { no_auth: true, web: Some(web), ..Plan::default() }).await;
    let seeds: Vec<String> = ["redirect", "rebind", "link", "context", "endpoint"]
        .iter()
        .map(|page| format!("http://outside.example/{page}"))
        .collect();

    let settings = json!({"discover": {"endpoints": "harvest", "sitemaps": true, "well_known": true}});
    let id = begun(&house, json!({"seeds": seeds, "settings": settings})).await;
    let crawl = crawl_in_state(&house, id, "finished").await;

    assert_eq!(crawl["counters"]["documents"], 3, "what is outside was read: {crawl}");
    assert_eq!(canary.visitors(), 0);
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_cannot_open_the_door_from_outside() {
    let house = House::build(Plan { no_auth: true, is_direct: true, ..Plan::default() }).await;
    let settings = [
        json!({"fetch": {"allow_private": true}}),
        json!({"fetch": {"proxy": "http://127.0.0.1:1"}}),
        json!({"fetch": {"resolve": ["a.example:127.0.0.1"]}}),
        json!({"focus": {"endpoint": "http://127.0.0.1/sparql"}}),
        json!({"focus": {"reference": "file:/etc/passwd"}}),
        json!({"seeds": {"labels_at": "http://127.0.0.1/sparql"}}),
        json!({"select": {"model": "/etc/passwd"}}),
        json!({"extract": {"contexts": "/etc"}}),
        json!({"politeness": {"delay_ms": 0}}),
        json!({"sparql": {"update": "http://127.0.0.1/update"}}),
        json!({"service": {"deny_domains": []}}),
    ];
    for settings in settings {
        let order = json!({"seeds": ["http://a.example/"], "settings": settings});
        let (status, problem) = house.post("/api/v1/crawls", &order).await;
        assert_eq!((status, &problem["code"]), (422, &"invalid".into()), "{settings}: {problem}");
    }
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn domains_that_are_not_allowed_are_not_crawled() {
    let settings = "[service]\nallow_domains = [\"outside.example\"]\ndeny_domains = [\"secret.outside.example\"]\n";
    let web: Arc<dyn Web> = Arc::new(Inviting(1));
    let plan = Plan { no_auth: true, web: Some(web), settings: settings.to_owned(), ..Plan::default() };
    let house = House::build(plan).await;

    for seed in ["http://elsewhere.example/", "http://x.secret.outside.example/"] {
        let (status, problem) = house.post("/api/v1/crawls", &json!({"seeds": [seed]})).await;
        assert_eq!((status, &problem["code"]), (403, &"against-policy".into()), "{seed}: {problem}");
    }
    let id = begun(&house, json!({"seeds": ["http://outside.example/rebind"]})).await;
    let crawl = crawl_in_state(&house, id, "finished").await;
    assert_eq!(crawl["counters"]["drops"]["policy"], 1, "where the redirect leads is not allowed: {crawl}");
    house.close().await;
}
