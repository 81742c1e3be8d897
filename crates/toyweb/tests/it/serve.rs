//! Tests of `toyweb::serve`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use toyweb::access_log::AccessLogEntry;
use toyweb::serve::{RunningServer, ServeOptions, WebServer};
use toyweb::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};

use crate::http_client::{connect, read_response, read_until_closed, secure, send};

/// A web whose paths select the delivery and whose bodies echo the request.
struct EchoWeb;

impl Web for EchoWeb {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        let tick = Duration::from_millis(20);
        let (body, delivery) = match request.url.path() {
            "/slow" => (None, DeliveryFault::Slow(tick)),
            "/dripping" => (None, DeliveryFault::Dripping(Duration::from_millis(2))),
            "/dropped" => (None, DeliveryFault::Dropped),
            "/truncated" => (None, DeliveryFault::Truncated),
            "/cut" => (None, DeliveryFault::TruncatedAfter(7)),
            "/cut-late" => (None, DeliveryFault::TruncatedAfter(1_000)),
            "/posted" => (Some(WebBody::Whole(request.body.clone())), DeliveryFault::Plain),
            "/hard" => panic!("too hard"),
            "/understated" => (None, DeliveryFault::UnderstatedLength(3)),
            "/endless" => (Some(WebBody::Endless(Bytes::from_static(b"abc"))), DeliveryFault::Plain),
            "/repeated" => (Some(WebBody::Repeated(Bytes::from_static(b"abc"), 100_000)), DeliveryFault::Plain),
            _ if request.url.host_str() == Some("broken.example") => (None, DeliveryFault::BrokenTls),
            _ => (None, DeliveryFault::Plain),
        };
        let echo = || WebBody::Whole(format!("{} {}", request.method, request.url).into());
        let body = body.unwrap_or_else(echo);
        let mut headers = HeaderMap::new();
        if request.url.path() == "/divisible" {
            headers.insert(http::header::ACCEPT_RANGES, http::HeaderValue::from_static("bytes"));
        }
        WebResponse { status: StatusCode::OK, headers, body, delivery }
    }

    fn is_expensive(&self, request: &WebRequest) -> bool {
        request.url.path() == "/hard" || request.url.path() == "/posted"
    }
}

async fn open(options: ServeOptions) -> (RunningServer, CertificateDer<'static>) {
    let server = WebServer::bind(Arc::new(EchoWeb), options).await.expect("loopback can be listened on");
    let authority = server.authority().certificate();
    (server.spawn(), authority)
}

async fn raw(request: &str) -> String {
    let (server, _) = open(ServeOptions::default()).await;
    let all = read_until_closed(&mut connect(server.addresses[0]).await, request).await;
    server.stop().await;
    String::from_utf8(all).expect("ASCII responses")
}

fn body_of(raw: &str) -> &str {
    raw.split_once("\r\n\r\n").expect("a whole head").1
}

#[tokio::test]
async fn one_connection_serves_several_requests_however_they_arrive() {
    let (server, _) = open(ServeOptions::default()).await;
    let mut stream = connect(server.addresses[0]).await;

    let first = send(&mut stream, "GET http://a.example/1 HTTP/1.1\r\nHost: a.example\r\n\r\n").await;
    let posted = "POST http://a.example/2 HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";
    let second = send(&mut stream, posted).await;
    let pipelined = "GET http://a.example/3 HTTP/1.1\r\n\r\nGET http://b.example/4 HTTP/1.1\r\n\r\nGET http://c.exa";
    let third = send(&mut stream, pipelined).await;
    let fourth = read_response(&mut stream, false).await;
    let fifth = send(&mut stream, "mple/5 HTTP/1.1\r\n\r\n").await;

    let bodies = [first, second, third, fourth, fifth].map(|response| String::from_utf8(response.body).expect("a URL"));
    let expected = ["GET http://a.example/1", "POST http://a.example/2", "GET http://a.example/3"];
    assert_eq!(bodies[..3], expected);
    assert_eq!(bodies[3..], ["GET http://b.example/4", "GET http://c.example/5"]);
    server.stop().await;
}

#[tokio::test]
async fn the_host_field_selects_the_host_on_every_address() {
    let listen = vec!["127.0.0.1:0".parse().expect("an address"), "127.0.0.2:0".parse().expect("an address")];
    let (server, _) = open(ServeOptions { listen, ..ServeOptions::default() }).await;

    for (address, host) in server.addresses.iter().zip(["a.example", "b.example"]) {
        let request = format!("GET /x?y HTTP/1.1\r\nHost: {host}:{}\r\n\r\n", address.port());
        let response = send(&mut connect(*address).await, &request).await;
        assert_eq!(response.body, format!("GET http://{host}/x?y").as_bytes());
    }
    server.stop().await;
}

#[tokio::test]
async fn a_tunnel_reaches_a_host_with_a_trusted_certificate() {
    let (server, authority) = open(ServeOptions::default()).await;
    let mut stream = connect(server.addresses[0]).await;

    let established = send(&mut stream, "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n").await;
    let mut stream = secure(stream, "a.example", authority, "http/1.1").await.expect("a trusted handshake");
    let first = send(&mut stream, "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n").await;
    let second = send(&mut stream, "GET /y HTTP/1.1\r\nHost: a.example\r\n\r\n").await;

    assert_eq!(established.status, 200);
    assert_eq!(first.body, b"GET https://a.example/x");
    assert_eq!(second.body, b"GET https://a.example/y");
    server.stop().await;
}

#[tokio::test]
async fn the_same_port_speaks_tls_and_http_2_without_a_tunnel() {
    let (server, authority) = open(ServeOptions::default()).await;
    let stream = secure(connect(server.addresses[0]).await, "a.example", authority, "h2").await.expect("a handshake");
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.expect("HTTP/2");
    let connection = tokio::spawn(connection);

    let mut fetch = async |path: &str| {
        let uri = format!("https://a.example{path}");
        let request = http::Request::get(uri).body(http_body_util::Empty::<Bytes>::new()).expect("a request");
        let response = sender.send_request(request).await.expect("a response");
        let length = response.headers().get("content-length").cloned();
        let body = http_body_util::BodyExt::collect(response.into_body()).await;
        (length, body.map(http_body_util::Collected::to_bytes))
    };

    assert_eq!(fetch("/x").await.1.expect("a body"), "GET https://a.example/x");
    assert_eq!(fetch("/dripping").await.1.expect("a body"), "GET https://a.example/dripping");
    assert_eq!(fetch("/repeated").await.1.expect("a body").len(), 300_000);
    let (length, body) = fetch("/truncated").await;
    assert_eq!(length.expect("a declared length"), "31");
    assert!(body.is_err());
    drop(sender);
    let _ = connection.await;
    server.stop().await;
}

#[tokio::test]
async fn broken_tls_fails_the_handshake_and_does_not_affect_plain_http() {
    let (server, authority) = open(ServeOptions::default()).await;

    let mut stream = connect(server.addresses[0]).await;
    let plain = send(&mut stream, "GET http://broken.example/ HTTP/1.1\r\n\r\n").await;
    send(&mut stream, "CONNECT broken.example:443 HTTP/1.1\r\n\r\n").await;
    let handshake = secure(stream, "broken.example", authority, "http/1.1").await;

    assert_eq!(plain.status, 200);
    assert!(handshake.is_err());
    server.stop().await;
}

#[tokio::test]
async fn a_head_request_gets_the_length_and_no_body() {
    let response = raw("HEAD http://a.example/ HTTP/1.1\r\nConnection: close\r\n\r\n").await;

    assert!(response.contains("\r\ncontent-length: 22\r\n"), "{response}");
    assert_eq!(body_of(&response), "");
}

#[tokio::test]
async fn a_slow_response_is_delayed() {
    #[expect(clippy::disallowed_methods, reason = "the delay is measured")]
    let start = Instant::now();
    let response = raw("GET http://a.example/slow HTTP/1.1\r\nConnection: close\r\n\r\n").await;

    assert!(start.elapsed() >= Duration::from_millis(20));
    assert_eq!(body_of(&response), "GET http://a.example/slow");
}

#[tokio::test]
async fn a_dripping_response_arrives_whole_in_many_pieces() {
    let (server, _) = open(ServeOptions::default()).await;
    let mut stream = connect(server.addresses[0]).await;
    let path = "x".repeat(100);
    let request = format!("GET http://a.example/dripping?{path} HTTP/1.1\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("a request can be written");

    let (mut reads, mut all) = (0, Vec::new());
    while stream.read_buf(&mut all).await.expect("a read") > 0 {
        reads += 1;
    }

    assert!(reads > 3, "{reads} reads");
    let all = String::from_utf8(all).expect("ASCII");
    assert_eq!(body_of(&all), format!("GET http://a.example/dripping?{path}"));
    server.stop().await;
}

#[tokio::test]
async fn a_dropped_connection_sends_no_bytes() {
    assert_eq!(raw("GET http://a.example/dropped HTTP/1.1\r\n\r\n").await, "");
}

#[tokio::test]
async fn a_truncated_response_stops_at_half_of_its_declared_length() {
    let response = raw("GET http://a.example/truncated HTTP/1.1\r\n\r\n").await;

    assert!(response.contains("\r\ncontent-length: 30\r\n"), "{response}");
    assert_eq!(body_of(&response), "GET http://a.ex");
}

#[tokio::test]
async fn a_response_is_truncated_at_the_given_length_unless_it_is_shorter() {
    let response = raw("GET http://a.example/cut HTTP/1.1\r\n\r\n").await;
    assert!(response.contains("\r\ncontent-length: 24\r\n"), "{response}");
    assert_eq!(body_of(&response), "GET htt");

    let response = raw("GET http://a.example/cut-late HTTP/1.1\r\nConnection: close\r\n\r\n").await;
    assert_eq!(body_of(&response), "GET http://a.example/cut-late");
}

#[tokio::test]
async fn a_range_is_sent_if_the_response_accepts_ranges() {
    let fetch = |path: &str| {
        raw_owned(format!("GET http://a.example/{path} HTTP/1.1\r\nRange: bytes=4-7\r\nConnection: close\r\n\r\n"))
    };

    let part = fetch("divisible").await;
    assert!(part.starts_with("HTTP/1.1 206 ") && part.contains("\r\ncontent-range: bytes 4-7/30\r\n"), "{part}");
    assert_eq!(body_of(&part), "http");
    assert!(fetch("other").await.starts_with("HTTP/1.1 200 "));
}

async fn raw_owned(request: String) -> String {
    raw(&request).await
}

#[tokio::test]
async fn a_posted_body_reaches_the_web_in_any_number_of_reads() {
    let (server, _) = open(ServeOptions::default()).await;
    let mut stream = connect(server.addresses[0]).await;
    let content = "query=".to_owned() + &"x".repeat(30_000);
    let request =
        format!("POST http://a.example/posted HTTP/1.1\r\nContent-Length: {}\r\n\r\n{content}", content.len());

    assert_eq!(send(&mut stream, &request).await.body, content.as_bytes());
    assert_eq!(send(&mut stream, "GET http://a.example/x HTTP/1.1\r\n\r\n").await.body, b"GET http://a.example/x");
    server.stop().await;
}

#[tokio::test]
async fn a_panic_of_the_web_is_a_500_and_the_connection_stays_open() {
    let (server, _) = open(ServeOptions::default()).await;
    let mut stream = connect(server.addresses[0]).await;

    assert_eq!(send(&mut stream, "GET http://a.example/hard HTTP/1.1\r\n\r\n").await.status, 500);
    assert_eq!(send(&mut stream, "GET http://a.example/x HTTP/1.1\r\n\r\n").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn an_understated_length_is_followed_by_the_whole_body() {
    let response = raw("GET http://a.example/understated HTTP/1.1\r\n\r\n").await;

    assert!(response.contains("\r\ncontent-length: 29\r\n"), "{response}");
    assert_eq!(body_of(&response), "GET http://a.example/understated");
}

#[tokio::test]
async fn an_endless_body_continues_until_the_client_disconnects() {
    let (server, _) = open(ServeOptions::default()).await;
    for (version, framing) in [("1.1", "transfer-encoding: chunked"), ("1.0", "connection: close")] {
        let mut stream = connect(server.addresses[0]).await;
        let request = format!("GET http://a.example/endless HTTP/{version}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("a request can be written");

        let mut some = vec![0; 1_000_000];
        stream.read_exact(&mut some).await.expect("a million bytes");

        let head = String::from_utf8_lossy(&some[..200]);
        assert!(head.contains(framing), "{head}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_repeated_body_has_its_declared_length() {
    let response = raw("GET http://a.example/repeated HTTP/1.1\r\nConnection: close\r\n\r\n").await;

    assert!(response.contains("\r\ncontent-length: 300000\r\n"));
    assert_eq!(body_of(&response), "abc".repeat(100_000));
}

#[tokio::test]
async fn malformed_requests_are_rejected() {
    assert!(raw("what?\r\n\r\n").await.starts_with("HTTP/1.1 400 "));
    let endless_head = format!("GET http://a.example/ HTTP/1.1\r\nX: {}", "x".repeat(70_000));
    let response = raw(&endless_head).await;
    assert!(response.starts_with("HTTP/1.1 431 ") || response.is_empty(), "{response}");
}

#[tokio::test]
async fn the_log_has_a_line_for_every_request() {
    let directory = tempfile::tempdir().expect("a directory");
    let log = directory.path().join("access.tsv");
    let (server, _) = open(ServeOptions { log: Some(log.clone()), ..ServeOptions::default() }).await;
    let mut stream = connect(server.addresses[0]).await;

    send(&mut stream, "GET http://a.example/x HTTP/1.1\r\n\r\n").await;
    read_until_closed(&mut stream, "GET http://a.example/dropped HTTP/1.1\r\n\r\n").await;
    server.stop().await;

    let lines = std::fs::read_to_string(&log).expect("a log");
    let entries: Vec<_> = lines.lines().map(|line| AccessLogEntry::parse(line).expect("a log line")).collect();
    let logged: Vec<_> = entries.iter().map(|entry| (entry.url.as_str(), entry.status, entry.bytes)).collect();
    assert_eq!(logged, [("http://a.example/x", 200, 22), ("http://a.example/dropped", 0, 0)]);
    assert!(entries.iter().all(|entry| entry.start_us <= entry.end_us));
}

#[tokio::test]
async fn binding_to_a_public_address_is_rejected() {
    let listen = vec!["0.0.0.0:0".parse().expect("an address")];

    let rejected = WebServer::bind(Arc::new(EchoWeb), ServeOptions { listen, ..ServeOptions::default() }).await;

    assert!(rejected.is_err_and(|error| error.to_string().contains("not a loopback address")));
}
