//! What `toyweb::serve` sends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use toyweb::access_log::Entry;
use toyweb::serve::{Options, Running, Server};
use toyweb::{Body, Conduct, Request, Response, Web};

use crate::visitor::{ask, connect, read_answer, secure, until_closed};

/// A web in which the path says how to behave and the body says what was asked.
struct Obedient;

impl Web for Obedient {
    fn respond(&self, request: &Request) -> Response {
        let tick = Duration::from_millis(20);
        let (body, conduct) = match request.url.path() {
            "/slow" => (None, Conduct::Slow(tick)),
            "/dripping" => (None, Conduct::Dripping(Duration::from_millis(2))),
            "/dropped" => (None, Conduct::Dropped),
            "/truncated" => (None, Conduct::Truncated),
            "/cut" => (None, Conduct::Cut(7)),
            "/cut-late" => (None, Conduct::Cut(1_000)),
            "/posted" => (Some(Body::Whole(request.body.clone())), Conduct::Plain),
            "/hard" => panic!("too hard"),
            "/understated" => (None, Conduct::UnderstatedLength(3)),
            "/endless" => (Some(Body::Endless(Bytes::from_static(b"abc"))), Conduct::Plain),
            "/repeated" => (Some(Body::Repeated(Bytes::from_static(b"abc"), 100_000)), Conduct::Plain),
            _ if request.url.host_str() == Some("broken.example") => (None, Conduct::BrokenTls),
            _ => (None, Conduct::Plain),
        };
        let echo = || Body::Whole(format!("{} {}", request.method, request.url).into());
        let body = body.unwrap_or_else(echo);
        let mut headers = HeaderMap::new();
        if request.url.path() == "/divisible" {
            headers.insert(http::header::ACCEPT_RANGES, http::HeaderValue::from_static("bytes"));
        }
        Response { status: StatusCode::OK, headers, body, conduct }
    }

    fn is_laborious(&self, request: &Request) -> bool {
        request.url.path() == "/hard" || request.url.path() == "/posted"
    }
}

async fn open(options: Options) -> (Running, CertificateDer<'static>) {
    let server = Server::bind(Arc::new(Obedient), options).await.expect("loopback can be listened on");
    let authority = server.authority().certificate();
    (server.spawn(), authority)
}

async fn raw(request: &str) -> String {
    let (server, _) = open(Options::default()).await;
    let all = until_closed(&mut connect(server.addresses[0]).await, request).await;
    server.stop().await;
    String::from_utf8(all).expect("ASCII answers")
}

fn body_of(raw: &str) -> &str {
    raw.split_once("\r\n\r\n").expect("a whole head").1
}

#[tokio::test]
async fn one_connection_serves_several_requests_however_they_arrive() {
    let (server, _) = open(Options::default()).await;
    let mut stream = connect(server.addresses[0]).await;

    let first = ask(&mut stream, "GET http://a.example/1 HTTP/1.1\r\nHost: a.example\r\n\r\n").await;
    let posted = "POST http://a.example/2 HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";
    let second = ask(&mut stream, posted).await;
    let pipelined = "GET http://a.example/3 HTTP/1.1\r\n\r\nGET http://b.example/4 HTTP/1.1\r\n\r\nGET http://c.exa";
    let third = ask(&mut stream, pipelined).await;
    let fourth = read_answer(&mut stream, false).await;
    let fifth = ask(&mut stream, "mple/5 HTTP/1.1\r\n\r\n").await;

    let bodies = [first, second, third, fourth, fifth].map(|answer| String::from_utf8(answer.body).expect("a URL"));
    let expected = ["GET http://a.example/1", "POST http://a.example/2", "GET http://a.example/3"];
    assert_eq!(bodies[..3], expected);
    assert_eq!(bodies[3..], ["GET http://b.example/4", "GET http://c.example/5"]);
    server.stop().await;
}

#[tokio::test]
async fn hosts_are_told_apart_by_the_host_field_on_every_address() {
    let listen = vec!["127.0.0.1:0".parse().expect("an address"), "127.0.0.2:0".parse().expect("an address")];
    let (server, _) = open(Options { listen, ..Options::default() }).await;

    for (address, host) in server.addresses.iter().zip(["a.example", "b.example"]) {
        let request = format!("GET /x?y HTTP/1.1\r\nHost: {host}:{}\r\n\r\n", address.port());
        let answer = ask(&mut connect(*address).await, &request).await;
        assert_eq!(answer.body, format!("GET http://{host}/x?y").as_bytes());
    }
    server.stop().await;
}

#[tokio::test]
async fn a_tunnel_leads_to_a_host_whose_certificate_the_authority_vouches_for() {
    let (server, authority) = open(Options::default()).await;
    let mut stream = connect(server.addresses[0]).await;

    let established = ask(&mut stream, "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n").await;
    let mut stream = secure(stream, "a.example", authority, "http/1.1").await.expect("a trusted handshake");
    let answer = ask(&mut stream, "GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n").await;
    let again = ask(&mut stream, "GET /y HTTP/1.1\r\nHost: a.example\r\n\r\n").await;

    assert_eq!(established.status, 200);
    assert_eq!(answer.body, b"GET https://a.example/x");
    assert_eq!(again.body, b"GET https://a.example/y");
    server.stop().await;
}

#[tokio::test]
async fn the_same_port_speaks_tls_and_http_2_without_a_tunnel() {
    let (server, authority) = open(Options::default()).await;
    let stream = secure(connect(server.addresses[0]).await, "a.example", authority, "h2").await.expect("a handshake");
    let handshake = hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.expect("HTTP/2");
    let connection = tokio::spawn(connection);

    let mut ask = async |path: &str| {
        let uri = format!("https://a.example{path}");
        let request = http::Request::get(uri).body(http_body_util::Empty::<Bytes>::new()).expect("a request");
        let answer = sender.send_request(request).await.expect("an answer");
        let length = answer.headers().get("content-length").cloned();
        let body = http_body_util::BodyExt::collect(answer.into_body()).await;
        (length, body.map(http_body_util::Collected::to_bytes))
    };

    assert_eq!(ask("/x").await.1.expect("a body"), "GET https://a.example/x");
    assert_eq!(ask("/dripping").await.1.expect("a body"), "GET https://a.example/dripping");
    assert_eq!(ask("/repeated").await.1.expect("a body").len(), 300_000);
    let (length, body) = ask("/truncated").await;
    assert_eq!(length.expect("an announced length"), "31");
    assert!(body.is_err());
    drop(sender);
    let _ = connection.await;
    server.stop().await;
}

#[tokio::test]
async fn broken_tls_fails_the_handshake_and_leaves_plain_http_alone() {
    let (server, authority) = open(Options::default()).await;

    let mut stream = connect(server.addresses[0]).await;
    let plain = ask(&mut stream, "GET http://broken.example/ HTTP/1.1\r\n\r\n").await;
    ask(&mut stream, "CONNECT broken.example:443 HTTP/1.1\r\n\r\n").await;
    let handshake = secure(stream, "broken.example", authority, "http/1.1").await;

    assert_eq!(plain.status, 200);
    assert!(handshake.is_err());
    server.stop().await;
}

#[tokio::test]
async fn a_head_request_gets_the_length_and_no_body() {
    let answer = raw("HEAD http://a.example/ HTTP/1.1\r\nConnection: close\r\n\r\n").await;

    assert!(answer.contains("\r\ncontent-length: 22\r\n"), "{answer}");
    assert_eq!(body_of(&answer), "");
}

#[tokio::test]
async fn a_slow_answer_comes_late() {
    #[expect(clippy::disallowed_methods, reason = "slowness is measured")]
    let start = Instant::now();
    let answer = raw("GET http://a.example/slow HTTP/1.1\r\nConnection: close\r\n\r\n").await;

    assert!(start.elapsed() >= Duration::from_millis(20));
    assert_eq!(body_of(&answer), "GET http://a.example/slow");
}

#[tokio::test]
async fn a_dripping_answer_comes_whole_in_many_pieces() {
    let (server, _) = open(Options::default()).await;
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
async fn a_dropped_connection_carries_not_a_byte() {
    assert_eq!(raw("GET http://a.example/dropped HTTP/1.1\r\n\r\n").await, "");
}

#[tokio::test]
async fn a_truncated_answer_stops_at_half_of_what_it_announced() {
    let answer = raw("GET http://a.example/truncated HTTP/1.1\r\n\r\n").await;

    assert!(answer.contains("\r\ncontent-length: 30\r\n"), "{answer}");
    assert_eq!(body_of(&answer), "GET http://a.ex");
}

#[tokio::test]
async fn an_answer_that_is_cut_stops_where_it_should_and_a_shorter_one_does_not() {
    let answer = raw("GET http://a.example/cut HTTP/1.1\r\n\r\n").await;
    assert!(answer.contains("\r\ncontent-length: 24\r\n"), "{answer}");
    assert_eq!(body_of(&answer), "GET htt");

    let answer = raw("GET http://a.example/cut-late HTTP/1.1\r\nConnection: close\r\n\r\n").await;
    assert_eq!(body_of(&answer), "GET http://a.example/cut-late");
}

#[tokio::test]
async fn a_part_is_sent_of_what_can_be_cut() {
    let ask = |path: &str| {
        raw_owned(format!("GET http://a.example/{path} HTTP/1.1\r\nRange: bytes=4-7\r\nConnection: close\r\n\r\n"))
    };

    let part = ask("divisible").await;
    assert!(part.starts_with("HTTP/1.1 206 ") && part.contains("\r\ncontent-range: bytes 4-7/30\r\n"), "{part}");
    assert_eq!(body_of(&part), "http");
    assert!(ask("other").await.starts_with("HTTP/1.1 200 "));
}

async fn raw_owned(request: String) -> String {
    raw(&request).await
}

#[tokio::test]
async fn what_is_posted_reaches_the_web_however_it_arrives() {
    let (server, _) = open(Options::default()).await;
    let mut stream = connect(server.addresses[0]).await;
    let content = "query=".to_owned() + &"x".repeat(30_000);
    let request =
        format!("POST http://a.example/posted HTTP/1.1\r\nContent-Length: {}\r\n\r\n{content}", content.len());

    assert_eq!(ask(&mut stream, &request).await.body, content.as_bytes());
    assert_eq!(ask(&mut stream, "GET http://a.example/x HTTP/1.1\r\n\r\n").await.body, b"GET http://a.example/x");
    server.stop().await;
}

#[tokio::test]
async fn an_answer_that_is_too_hard_is_a_500_and_the_connection_lives_on() {
    let (server, _) = open(Options::default()).await;
    let mut stream = connect(server.addresses[0]).await;

    assert_eq!(ask(&mut stream, "GET http://a.example/hard HTTP/1.1\r\n\r\n").await.status, 500);
    assert_eq!(ask(&mut stream, "GET http://a.example/x HTTP/1.1\r\n\r\n").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn an_understated_length_is_followed_by_the_whole_body() {
    let answer = raw("GET http://a.example/understated HTTP/1.1\r\n\r\n").await;

    assert!(answer.contains("\r\ncontent-length: 29\r\n"), "{answer}");
    assert_eq!(body_of(&answer), "GET http://a.example/understated");
}

#[tokio::test]
async fn an_endless_body_goes_on_until_the_client_leaves() {
    let (server, _) = open(Options::default()).await;
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
async fn a_repeated_body_has_the_length_it_announces() {
    let answer = raw("GET http://a.example/repeated HTTP/1.1\r\nConnection: close\r\n\r\n").await;

    assert!(answer.contains("\r\ncontent-length: 300000\r\n"));
    assert_eq!(body_of(&answer), "abc".repeat(100_000));
}

#[tokio::test]
async fn what_is_not_http_is_refused() {
    assert!(raw("what?\r\n\r\n").await.starts_with("HTTP/1.1 400 "));
    let endless_head = format!("GET http://a.example/ HTTP/1.1\r\nX: {}", "x".repeat(70_000));
    let answer = raw(&endless_head).await;
    assert!(answer.starts_with("HTTP/1.1 431 ") || answer.is_empty(), "{answer}");
}

#[tokio::test]
async fn the_log_has_a_line_for_every_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("access.tsv");
    let (server, _) = open(Options { log: Some(log.clone()), ..Options::default() }).await;
    let mut stream = connect(server.addresses[0]).await;

    ask(&mut stream, "GET http://a.example/x HTTP/1.1\r\n\r\n").await;
    until_closed(&mut stream, "GET http://a.example/dropped HTTP/1.1\r\n\r\n").await;
    server.stop().await;

    let lines = std::fs::read_to_string(&log).expect("a log");
    let entries: Vec<_> = lines.lines().map(|line| Entry::parse(line).expect("a log line")).collect();
    let seen: Vec<_> = entries.iter().map(|entry| (entry.url.as_str(), entry.status, entry.bytes)).collect();
    assert_eq!(seen, [("http://a.example/x", 200, 22), ("http://a.example/dropped", 0, 0)]);
    assert!(entries.iter().all(|entry| entry.start_us <= entry.end_us));
}

#[tokio::test]
async fn the_open_web_is_not_listened_to() {
    let listen = vec!["0.0.0.0:0".parse().expect("an address")];

    let refused = Server::bind(Arc::new(Obedient), Options { listen, ..Options::default() }).await;

    assert!(refused.is_err_and(|error| error.to_string().contains("loopback only")));
}
