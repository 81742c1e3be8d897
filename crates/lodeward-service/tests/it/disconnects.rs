//! A query whose client disconnects is stopped and frees its slot, in every phase.

use std::fmt::Write as _;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::test_server::{TestOptions, TestServer};

/// A test that waits longer than this has failed.
const MAX_WAIT: Duration = Duration::from_mins(2);

/// A service with one slot, whose queries may run for longer than any test.
async fn one_slot(fetch_settings: &str) -> TestServer {
    let settings = format!("{fetch_settings}\n[service]\nmax_concurrent_queries = 1\nquery_timeout = \"3600s\"\n");
    TestServer::start(TestOptions { settings, no_auth: true, is_direct: true, ..TestOptions::default() }).await
}

async fn metric(server: &TestServer, name: &str) -> u64 {
    let text = server.client.get(server.url("/metrics")).send().await.unwrap().text().await.unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is missing: {text}")).parse().unwrap()
}

async fn wait_for_metric(server: &TestServer, name: &str, value: u64, context: &str) {
    let waiting = async { while metric(server, name).await != value {} };
    assert!(timeout(MAX_WAIT, waiting).await.is_ok(), "{context}: {name} is not {value}");
}

/// Sends a request on a connection of its own.
async fn post(server: &TestServer, media_type: &str, body: &str) -> TcpStream {
    let mut client = TcpStream::connect(server.address).await.unwrap();
    let (host, length) = (server.address, body.len());
    let head = format!(
        "POST /sparql HTTP/1.1\r\nhost: {host}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n\r\n"
    );
    client.write_all(head.as_bytes()).await.unwrap();
    client.write_all(body.as_bytes()).await.unwrap();
    client
}

async fn query(server: &TestServer, text: &str) -> TcpStream {
    post(server, "application/sparql-query", text).await
}

/// Waits until the request occupies the slot, disconnects, and waits until the slot is free.
async fn disconnect(server: &TestServer, client: TcpStream, phase: &str) {
    wait_for_metric(server, "lodeward_queries_in_flight", 1, phase).await;
    drop(client);
    wait_for_metric(server, "lodeward_queries_in_flight", 0, phase).await;
}

async fn check_served(server: &TestServer, phase: &str) {
    assert_eq!(server.get("/sparql?query=ASK%7B%7D").await.0, 200, "{phase}");
}

/// Expressions that the parser reads repeatedly, as often as it may.
fn slow_to_parse() -> String {
    let nested = format!("{}'a'{}", "REGEX(".repeat(9), ",'a')".repeat(9));
    let mut text = "SELECT * { ".to_owned();
    for _ in 0..100 {
        let _ = write!(text, "FILTER({nested}) ");
    }
    text + "}"
}

/// A plan that needs almost as many steps as the optimiser may take.
fn slow_to_optimise() -> String {
    let mut text = "SELECT * { ?s ?p ?o ".to_owned();
    for number in 0..75 {
        let _ = write!(text, "OPTIONAL {{ ?s <urn:{number}> ?o{number} }} ");
    }
    text + "}"
}

/// Rows without end.
fn endless_rows() -> String {
    let column = |number: u32| format!("VALUES ?x{number} {{ 0 1 2 3 4 5 6 7 8 9 }} ");
    format!("SELECT * {{ {} }}", (0..14).map(column).collect::<String>())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disconnected_client_frees_its_slot_while_a_query_is_parsed_or_optimised() {
    let server = one_slot("").await;
    // Large but legal.
    let mut large = "INSERT DATA { ".to_owned();
    for number in 0..100_000 {
        let _ = write!(large, "<http://a.example/{number}> <http://a.example/p> 'value {number}' . ");
    }
    large.push('}');

    let (queries, updates) = ("application/sparql-query", "application/sparql-update");
    for (phase, media_type, text) in [
        ("parsing", queries, &slow_to_parse()),
        ("optimising", queries, &slow_to_optimise()),
        ("parsing an update", updates, &large),
    ] {
        let client = post(&server, media_type, text).await;
        disconnect(&server, client, phase).await;
        assert!(metric(&server, "lodeward_query_threads_abandoned").await > 0, "{phase}: the work continues");
        check_served(&server, phase).await;
    }
    let count = "/sparql?query=ASK%7B%3Chttp%3A%2F%2Fa.example%2F0%3E%20%3Fp%20%3Fo%7D";
    assert_eq!(server.get(count).await.1["boolean"], false, "a cancelled update changes nothing");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disconnected_client_frees_its_slot_while_a_query_is_evaluated() {
    let server = one_slot("").await;
    let mut data = "INSERT DATA { ".to_owned();
    let mut optionals = String::new();
    for number in 0..300 {
        let _ = write!(data, "<urn:s> <urn:p{number}> 1, 2 . ");
        let _ = write!(optionals, "OPTIONAL {{ ?s <urn:p{number}> ?o{number} }} ");
    }
    let mut client = post(&server, "application/sparql-update", &(data + "}")).await;
    assert!(client.read(&mut [0; 12]).await.unwrap() > 0, "the response begins");

    let phases = [
        ("300 optionals", format!("SELECT * {{ ?s <urn:p0> 1 {optionals} }} ORDER BY ?o299")),
        ("counting", endless_rows().replace('*', "(COUNT(*) AS ?n)")),
        ("sorting", format!("{} ORDER BY ?x13", endless_rows())),
        ("distinct rows", endless_rows().replace('*', "DISTINCT *")),
    ];
    for (phase, text) in phases {
        let client = query(&server, &text).await;
        disconnect(&server, client, phase).await;
        check_served(&server, phase).await;
    }
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disconnected_client_frees_its_slot_while_a_result_is_written() {
    let server = one_slot("").await;
    let mut client = query(&server, &endless_rows()).await;
    let mut head = vec![0; 100_000];
    client.read_exact(&mut head).await.unwrap();
    assert!(head.starts_with(b"HTTP/1.1 200"));

    disconnect(&server, client, "writing").await;

    check_served(&server, "writing").await;
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disconnected_client_leaves_the_queue() {
    let server = one_slot("").await;
    let running = query(&server, &endless_rows().replace('*', "(COUNT(*) AS ?n)")).await;
    wait_for_metric(&server, "lodeward_queries_in_flight", 1, "running").await;
    let waiting: Vec<TcpStream> =
        vec![query(&server, &endless_rows()).await, query(&server, &slow_to_optimise()).await];

    drop(waiting);
    disconnect(&server, running, "waiting").await;

    check_served(&server, "waiting").await;
    server.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disconnected_client_frees_its_slot_while_another_server_is_called() {
    // A proxy that accepts requests and never responds.
    let stalled = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = one_slot(&format!("proxy = \"http://{}\"", stalled.local_addr().unwrap())).await;
    let calls = [
        ("application/sparql-query", "SELECT * { SERVICE <http://slow.example/sparql> { ?s ?p ?o } }"),
        ("application/sparql-update", "LOAD <http://slow.example/data.ttl>"),
    ];
    for (media_type, text) in calls {
        let client = post(&server, media_type, text).await;
        let connection = stalled.accept().await.unwrap();

        disconnect(&server, client, text).await;

        assert!(metric(&server, "lodeward_query_threads_abandoned").await > 0, "{text}: the call still waits");
        check_served(&server, text).await;
        drop(connection);
    }
    server.close().await;
}
