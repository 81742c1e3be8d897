//! Tests of the fetcher against scripted servers.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use lodeward::fetch::{
    FetchOptions, FetchOutcome, FetchPurpose, FetchRequest, Fetcher, HttpFetcher, Representation, ResponseBody,
    SendPermit,
};
use lodeward::model::{Fault, FaultKind, FetchFailure, StreamFault, Uri};

use crate::loopback::{LoopbackServer, ServerAction};

fn options() -> FetchOptions {
    FetchOptions { allow_private_addresses: true, proxy_from_environment: false, ..FetchOptions::default() }
}

fn fetcher() -> HttpFetcher {
    HttpFetcher::new(options()).unwrap()
}

async fn fetch(fetcher: &HttpFetcher, url: &str) -> Result<FetchOutcome, FetchFailure> {
    fetcher.fetch(FetchRequest::harvest(&Uri::parse(url).unwrap())).await.result
}

async fn representation(fetcher: &HttpFetcher, url: &str) -> Representation {
    match fetch(fetcher, url).await {
        Ok(FetchOutcome::Representation(representation)) => *representation,
        other => panic!("not a representation: {other:?}"),
    }
}

async fn fetch_bytes(fetcher: &HttpFetcher, url: &str) -> (Vec<u8>, Option<FaultKind>) {
    match representation(fetcher, url).await.body {
        ResponseBody::Buffered { bytes, truncation } => (bytes.to_vec(), truncation.map(|fault| fault.kind)),
        ResponseBody::Stream(_) => panic!("a stream"),
    }
}

/// Number of bytes of a stream and the fault that truncated it.
async fn read_stream(body: ResponseBody) -> (usize, Option<FaultKind>) {
    let ResponseBody::Stream(mut reader) = body else { panic!("not a stream: {body:?}") };
    let read = move || {
        let (mut count, mut buffer) = (0, [0; 10_000]);
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return (count, None),
                Ok(length) => count += length,
                Err(error) => {
                    let cut = error.get_ref().and_then(|error| error.downcast_ref::<StreamFault>()).unwrap();
                    return (count, Some(cut.0.kind));
                }
            }
        }
    };
    tokio::task::spawn_blocking(read).await.unwrap()
}

async fn fetch_failure(fetcher: &HttpFetcher, url: &str) -> (FaultKind, Option<u16>, Option<u64>, bool) {
    let fetch_failure = fetch(fetcher, url).await.unwrap_err();
    (fetch_failure.fault.kind, fetch_failure.status, fetch_failure.retry_after_s, fetch_failure.sent)
}

fn response(fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{fields}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn document_has_its_header_fields() {
    let fields = "Content-Type: text/turtle\r\nETag: \"1\"\r\nLast-Modified: x\r\nLink: <a>; rel=b\r\nLink: <c>\r\n";
    let mut server = LoopbackServer::responding_with(response(fields, b"<a> <b> <c> .")).await;

    let document = representation(&fetcher(), &server.url("/x?y")).await;

    assert_eq!(document.fetch.declared_media_type.as_deref(), Some("text/turtle"));
    let validators = document.fetch.validators;
    assert_eq!((validators.etag.as_deref(), validators.last_modified.as_deref()), (Some("\"1\""), Some("x")));
    assert_eq!(document.links, ["<a>; rel=b", "<c>"]);
    assert!(matches!(document.body, ResponseBody::Buffered { bytes, truncation: None } if bytes == "<a> <b> <c> ."));
    let request = server.request().await.to_ascii_lowercase();
    assert!(request.starts_with("get /x?y http/1.1\r\n"), "{request}");
    assert!(request.contains("accept: text/turtle, application/rdf+xml;q=0.9"), "{request}");
    assert!(request.contains("accept-encoding: gzip, br, zstd, deflate"), "{request}");
    assert!(request.contains(concat!("user-agent: lodeward/", env!("CARGO_PKG_VERSION"))), "{request}");
    assert_eq!(request.lines().count(), 6, "no additional fields: {request}");
}

#[tokio::test]
async fn failure_statuses_are_classified() {
    let check = async |head: &str, expected: (FaultKind, Option<u16>, Option<u64>)| {
        let server = LoopbackServer::responding_with(format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n")).await;
        let (kind, status, retry_after_s, sent) = fetch_failure(&fetcher(), &server.url("/")).await;
        assert_eq!((kind, status, retry_after_s, sent), (expected.0, expected.1, expected.2, true), "{head}");
    };

    check("404 Not Found", (FaultKind::Status, Some(404), None)).await;
    check("410 Gone", (FaultKind::Status, Some(410), None)).await;
    check("500 Oops", (FaultKind::Status, Some(500), None)).await;
    check("206 Partial Content", (FaultKind::Status, Some(206), None)).await;
    check("304 Not Modified", (FaultKind::Status, Some(304), None)).await;
    check("300 Multiple Choices", (FaultKind::Status, Some(300), None)).await;
    check("429 Too Many Requests\r\nRetry-After: 17", (FaultKind::Overloaded, Some(429), Some(17))).await;
    check("503 Unavailable", (FaultKind::Overloaded, Some(503), None)).await;
    let dates = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:50:07 GMT";
    check(&format!("503 Unavailable\r\n{dates}"), (FaultKind::Overloaded, Some(503), Some(30))).await;
}

#[tokio::test]
async fn redirect_is_returned_and_not_followed() {
    let check = async |head: &str, expected: Result<&str, FaultKind>| {
        let server = LoopbackServer::responding_with(format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n")).await;
        let FetchOutcome::Redirect { status, target, .. } = fetch(&fetcher(), &server.url("/a/b")).await.unwrap()
        else {
            panic!("not a redirect: {head}")
        };
        let target = target.map(|target| target.path_and_query().to_owned()).map_err(|fault| fault.kind);
        assert_eq!(target, expected.map(ToOwned::to_owned), "{head}");
        assert!(head.starts_with(&status.to_string()));
        assert_eq!(server.connections(), 1);
    };

    for status in [300, 301, 302, 303, 307, 308] {
        check(&format!("{status} Elsewhere\r\nLocation: ../c?d#e"), Ok("/c?d")).await;
    }
    check("303 See Other\r\nLocation: /\u{e4}", Ok("/%C3%A4")).await;
    check("302 Found", Err(FaultKind::Redirect)).await;
    check("302 Found\r\nLocation: mailto:a@b", Err(FaultKind::Redirect)).await;
}

#[tokio::test]
async fn connection_failures_are_classified() {
    let options = FetchOptions { read_timeout_ms: 200, connect_timeout_ms: 400, ..options() };
    let fetcher = HttpFetcher::new(options).unwrap();
    let check = async |acts: Vec<ServerAction>, expected: FaultKind| {
        let server = LoopbackServer::new(move |_| acts.clone()).await;
        let (kind, status, _, sent) = fetch_failure(&fetcher, &server.url("/")).await;
        assert_eq!((kind, status, sent), (expected, None, true));
    };
    let closed_port = { std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap() };

    check(vec![ServerAction::Close], FaultKind::Connect).await;
    check(vec![ServerAction::Send(b"HTTP/1.1 200 O".to_vec()), ServerAction::Close], FaultKind::Connect).await;
    check(vec![ServerAction::Wait(Duration::from_secs(5))], FaultKind::Timeout).await;
    check(vec![ServerAction::Send(b"220 smtp.example ESMTP\r\n\r\n".to_vec())], FaultKind::Protocol).await;
    check(vec![ServerAction::Send(b"\x15\x03\x01\0\x02\x02\x50 and so on and on".to_vec())], FaultKind::Protocol).await;
    assert_eq!(
        fetch_failure(&fetcher, &format!("http://{closed_port}/")).await,
        (FaultKind::Connect, None, None, true)
    );
    assert_eq!(fetch_failure(&fetcher, "http://no.such.invalid/").await, (FaultKind::Dns, None, None, false));
    let deaf = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let tls_server = format!("https://{}/", deaf.local_addr().unwrap());
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (mut plain, _) = deaf.accept().await.unwrap();
        plain.write_all(b"HTTP/1.1 400 Plain words only\r\n\r\n").await.unwrap();
        let (mut silent, _) = deaf.accept().await.unwrap();
        let _ = silent.read(&mut [0; 8_192]).await;
    });
    assert_eq!(fetch_failure(&fetcher, &tls_server).await.0, FaultKind::Tls);
    assert_eq!(fetch_failure(&fetcher, &tls_server).await.0, FaultKind::Tls);
}

#[tokio::test]
async fn header_size_is_limited() {
    let check = async |fields: String| {
        let server = LoopbackServer::responding_with(response(&fields, b"x")).await;
        assert_eq!(fetch_failure(&fetcher(), &server.url("/")).await.0, FaultKind::TooLarge);
    };

    check(format!("X: {}\r\n", "x".repeat(70_000))).await;
    check(format!("X: {}\r\n", "x".repeat(700_000))).await;
    check("X: y\r\n".repeat(300)).await;
}

/// A certificate for `a.test` in a PEM file, and the TLS acceptor of a server.
fn tls_server(protocol: &[u8]) -> (tempfile::NamedTempFile, tokio_rustls::TlsAcceptor) {
    let key = rcgen::generate_simple_self_signed(["a.test".to_owned()]).unwrap();
    let private_key = rustls::pki_types::PrivateKeyDer::try_from(key.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let builder = builder.with_no_client_auth();
    let mut configuration = builder.with_single_cert(vec![key.cert.der().clone()], private_key).unwrap();
    configuration.alpn_protocols = vec![protocol.to_vec()];
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(key.cert.pem().as_bytes()).unwrap();
    (file, tokio_rustls::TlsAcceptor::from(Arc::new(configuration)))
}

#[tokio::test]
async fn unknown_certificate_is_rejected() {
    let (file, acceptor) = tls_server(b"http/1.1");
    let server = LoopbackServer::with_tls(|_| vec![ServerAction::Send(response("", b"x"))], acceptor).await;
    let resolve = vec![format!("a.test:127.0.0.1:{}", server.port).parse().unwrap()];
    let strict = FetchOptions { allow_private_addresses: false, resolve, ..options() };
    let permissive = FetchOptions { ca_certificates: vec![file.path().to_owned()], ..strict.clone() };

    assert_eq!(fetch_failure(&HttpFetcher::new(strict).unwrap(), "https://a.test/").await.0, FaultKind::Tls);
    assert_eq!(fetch_bytes(&HttpFetcher::new(permissive).unwrap(), "https://a.test/").await, (b"x".to_vec(), None));
    let missing = FetchOptions { ca_certificates: vec!["/no/such/file.pem".into()], ..options() };
    assert!(HttpFetcher::new(missing).is_err());
}

#[tokio::test]
async fn http_2_is_used_if_offered() {
    let (file, acceptor) = tls_server(b"h2");
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let resolve = vec![format!("a.test:{}", listener.local_addr().unwrap()).parse().unwrap()];
    tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let socket = hyper_util::rt::TokioIo::new(acceptor.accept(socket).await.unwrap());
        let service = hyper::service::service_fn(async |request: hyper::Request<_>| {
            let _: hyper::body::Incoming = request.into_body();
            Ok::<_, std::convert::Infallible>(hyper::Response::new("two".to_owned()))
        });
        let executor = hyper_util::rt::TokioExecutor::new();
        hyper::server::conn::http2::Builder::new(executor).serve_connection(socket, service).await.unwrap();
    });
    let options = FetchOptions { resolve, ca_certificates: vec![file.path().to_owned()], ..options() };
    let fetcher = HttpFetcher::new(options).unwrap();

    for _ in 0..3 {
        assert_eq!(fetch_bytes(&fetcher, "https://a.test/").await, (b"two".to_vec(), None));
    }
}

#[tokio::test]
async fn bytes_before_a_fault_are_returned() {
    let check = async |acts: Vec<ServerAction>, expected: (&str, Option<FaultKind>)| {
        let server = LoopbackServer::new(move |_| acts.clone()).await;
        let fetcher = HttpFetcher::new(FetchOptions { read_timeout_ms: 200, ..options() }).unwrap();
        let (bytes, cut) = fetch_bytes(&fetcher, &server.url("/")).await;
        assert_eq!((&*String::from_utf8_lossy(&bytes), cut), expected);
    };
    let send = |text: &str| ServerAction::Send(text.as_bytes().to_vec());
    let part = || send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    let chunk = || send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");

    check(vec![part(), ServerAction::Close], ("abc", Some(FaultKind::Truncated))).await;
    check(vec![part(), ServerAction::Wait(Duration::from_secs(5))], ("abc", Some(FaultKind::Timeout))).await;
    check(vec![chunk(), ServerAction::Close], ("abc", Some(FaultKind::Truncated))).await;
    check(vec![chunk(), send("0\r\n\r\n")], ("abc", None)).await;
    check(vec![send("HTTP/1.0 200 OK\r\n\r\nabc"), ServerAction::Close], ("abc", None)).await;
    check(
        vec![send("HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 3\r\n\r\nnop")],
        ("", Some(FaultKind::Encoding)),
    )
    .await;
    check(
        vec![send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")],
        ("", Some(FaultKind::Encoding)),
    )
    .await;
}

#[tokio::test]
async fn document_timeout_applies_to_slow_bodies() {
    let drip = [ServerAction::Send(b"x".to_vec()), ServerAction::Wait(Duration::from_millis(50))];
    let script = move |_: &str| {
        let head = ServerAction::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n".to_vec());
        std::iter::once(head).chain(drip.iter().cycle().take(100).cloned()).collect()
    };
    let server = LoopbackServer::new(script).await;
    let fetcher = HttpFetcher::new(FetchOptions { document_timeout_ms: 300, ..options() }).unwrap();

    let (bytes, cut) = fetch_bytes(&fetcher, &server.url("/")).await;

    assert!(!bytes.is_empty() && bytes.len() < 30, "{}", bytes.len());
    assert_eq!(cut, Some(FaultKind::Timeout));
}

#[tokio::test]
async fn compressed_documents_are_decoded() {
    let text = b"<a> <b> <c> .\n".repeat(20_000);
    let check = async |coding: &str, coded: Vec<u8>, expected: (&[u8], Option<FaultKind>)| {
        let server =
            LoopbackServer::responding_with(response(&format!("Content-Encoding: {coding}\r\n"), &coded)).await;
        let (bytes, cut) = fetch_bytes(&fetcher(), &server.url("/")).await;
        assert_eq!((bytes.len(), cut), (expected.0.len(), expected.1), "{coding}");
        assert_eq!(bytes, expected.0, "{coding}");
    };

    check("gzip", gzip(&text), (&text, None)).await;
    check("zstd", zstd::encode_all(&text[..], 3).unwrap(), (&text, None)).await;
    // Incompressible, so that half of the coded bytes are half of the text.
    let noise: Vec<u8> = (0..50_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let coded = gzip(&noise);
    let server =
        LoopbackServer::responding_with(response("Content-Encoding: gzip\r\n", &coded[..coded.len() / 2])).await;
    let (half, cut) = fetch_bytes(&fetcher(), &server.url("/")).await;
    assert!(half.len() > noise.len() / 3 && noise.starts_with(&half));
    assert_eq!(cut, Some(FaultKind::Truncated));
}

#[tokio::test]
async fn body_size_and_decompression_ratio_are_limited() {
    let bomb = gzip(&vec![b' '; 6_000_000]);
    let check = async |options: FetchOptions,
                       response: Vec<u8>,
                       bytes: std::ops::RangeInclusive<usize>,
                       expected: Option<FaultKind>| {
        let server = LoopbackServer::responding_with(response).await;
        let body = representation(&HttpFetcher::new(options).unwrap(), &server.url("/")).await.body;
        let (length, truncation) = match body {
            ResponseBody::Buffered { bytes, truncation } => (bytes.len(), truncation.map(|fault: Fault| fault.kind)),
            stream @ ResponseBody::Stream(_) => read_stream(stream).await,
        };
        assert_eq!(truncation, expected);
        assert!(bytes.contains(&length), "{length}");
    };
    let gzipped = |bytes: &[u8]| response("Content-Encoding: gzip\r\n", bytes);
    let small = || FetchOptions { max_body_bytes: 1_000, ..options() };

    check(small(), response("", &[b'x'; 5_000]), 1_000..=1_000, Some(FaultKind::TooLarge)).await;
    check(small(), response("", &[b'x'; 1_000]), 1_000..=1_000, None).await;
    check(small(), gzipped(&gzip(&[b'x'; 5_000])), 1_000..=1_000, Some(FaultKind::TooLarge)).await;
    // 900 kB of spaces are not a bomb, 6 MB are.
    check(options(), gzipped(&gzip(&vec![b' '; 900_000])), 900_000..=900_000, None).await;
    check(options(), gzipped(&bomb), 1_000_000..=3_500_000, Some(FaultKind::DecompressionBomb)).await;
    let streamed = FetchOptions { max_body_bytes: 2_500_000, ..options() };
    check(streamed, response("", &vec![b'x'; 5_000_000]), 2_500_000..=2_500_000, Some(FaultKind::TooLarge)).await;
}

#[tokio::test]
async fn dump_with_declared_length_may_be_larger() {
    let options = || FetchOptions { max_body_bytes: 1_000_000, max_dump_bytes: 4_000_000, ..options() };
    let check = async |path: &str, fields: &str, expected: (usize, Option<FaultKind>)| {
        let server = LoopbackServer::responding_with(response(fields, &vec![b'x'; 5_000_000])).await;
        let body = representation(&HttpFetcher::new(options()).unwrap(), &server.url(path)).await.body;
        let received = match body {
            ResponseBody::Buffered { bytes, truncation } => (bytes.len(), truncation.map(|fault| fault.kind)),
            stream @ ResponseBody::Stream(_) => read_stream(stream).await,
        };
        assert_eq!(received, expected, "{path} {fields}");
    };
    let too_large = Some(FaultKind::TooLarge);

    check("/page", "Content-Type: text/html\r\n", (1_000_000, too_large)).await;
    check("/dump", "Content-Type: application/n-triples\r\n", (4_000_000, too_large)).await;
    check("/dump.nt.gz", "", (4_000_000, too_large)).await;
    check("/x", "Content-Type: application/gzip\r\n", (4_000_000, too_large)).await;
}

#[tokio::test]
async fn stream_has_backpressure_and_ends_with_its_reader() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n".to_vec();
    let (sent, mut ended) = tokio::sync::mpsc::unbounded_channel::<()>();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let written = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = Arc::clone(&written);
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (mut socket, _) = listener.accept().await.unwrap();
        let _ = socket.read(&mut [0; 4_096]).await;
        socket.write_all(&head).await.unwrap();
        while socket.write_all(&[b'x'; 16_384]).await.is_ok() {
            count.fetch_add(16_384, std::sync::atomic::Ordering::SeqCst);
        }
        sent.send(()).unwrap();
    });

    let body = representation(&fetcher(), &format!("http://{address}/")).await.body;
    let ResponseBody::Stream(mut reader) = body else { panic!("not a stream") };
    let mut buffer = vec![0; 100_000];
    let reader = tokio::task::spawn_blocking(move || {
        reader.read_exact(&mut buffer).unwrap();
        reader
    });
    let reader = reader.await.unwrap();
    let waiting = tokio::time::timeout(Duration::from_millis(300), ended.recv()).await;

    // The server is blocked: what it wrote is in the buffers of the kernel, which are large on loopback.
    assert!(waiting.is_err());
    let before = written.load(std::sync::atomic::Ordering::SeqCst);
    assert!(before < 20_000_000, "{before}");
    drop(reader);
    tokio::time::timeout(Duration::from_secs(5), ended.recv()).await.expect("the download ends").unwrap();
}

#[tokio::test]
async fn connections_are_reused() {
    let script = |head: &str| {
        vec![ServerAction::Send(if head.contains("/missing") {
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nnot found".to_vec()
        } else if head.contains("/moved") {
            b"HTTP/1.1 303 See Other\r\nLocation: /x\r\nContent-Length: 4\r\n\r\nhere".to_vec()
        } else {
            response("", b"abc")
        })]
    };
    let server = LoopbackServer::new(script).await;
    let fetcher = fetcher();

    for _ in 0..5 {
        assert_eq!(fetch_bytes(&fetcher, &server.url("/x")).await.0, b"abc");
        assert_eq!(fetch_failure(&fetcher, &server.url("/missing")).await.1, Some(404));
        assert!(matches!(fetch(&fetcher, &server.url("/moved")).await, Ok(FetchOutcome::Redirect { status: 303, .. })));
    }

    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn body_longer_than_declared_does_not_affect_the_next_response() {
    let script = |head: &str| {
        let body = if head.contains("/long") { "abcHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil" } else { "xyz" };
        vec![ServerAction::Send(format!("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{body}").into_bytes())]
    };
    let server = LoopbackServer::new(script).await;
    let fetcher = fetcher();

    for _ in 0..10 {
        assert_eq!(fetch_bytes(&fetcher, &server.url("/long")).await, (b"abc".to_vec(), None));
        assert_eq!(fetch_bytes(&fetcher, &server.url("/next")).await, (b"xyz".to_vec(), None));
    }
}

#[tokio::test]
async fn proxy_receives_the_absolute_url() {
    let mut proxy = LoopbackServer::responding_with(response("", b"from the proxy")).await;
    let options = FetchOptions { proxy: Some(proxy.url("")), allow_private_addresses: false, ..options() };
    let fetcher = HttpFetcher::new(options).unwrap();
    let uri = Uri::parse("http://no.such.invalid/x?y").unwrap();

    assert_eq!(fetcher.locate(&uri).await, Ok(None));
    assert_eq!(fetch_bytes(&fetcher, uri.as_str()).await, (b"from the proxy".to_vec(), None));
    assert!(proxy.request().await.starts_with("GET http://no.such.invalid/x?y HTTP/1.1\r\n"));

    // The name of the proxy itself is resolved, although its IP address is private.
    let by_name = format!("http://localhost:{}", proxy.port);
    let options = FetchOptions { proxy: Some(by_name), allow_private_addresses: false, ..self::options() };
    let fetcher = HttpFetcher::new(options).unwrap();
    assert_eq!(fetch_bytes(&fetcher, uri.as_str()).await, (b"from the proxy".to_vec(), None));

    assert!(HttpFetcher::new(FetchOptions { proxy: Some("no proxy".to_owned()), ..self::options() }).is_err());
}

#[tokio::test]
async fn private_addresses_are_not_connected_to() {
    let server = LoopbackServer::responding_with(response("", b"secret")).await;
    let fetcher = HttpFetcher::new(FetchOptions { allow_private_addresses: false, ..options() }).unwrap();

    let forbidden = (FaultKind::ForbiddenAddress, None, None, false);
    assert_eq!(fetch_failure(&fetcher, &server.url("/")).await, forbidden);
    assert_eq!(fetch_failure(&fetcher, &format!("http://localhost:{}/", server.port)).await, forbidden);
    assert_eq!(fetch_failure(&fetcher, &format!("http://[::ffff:127.0.0.1]:{}/", server.port)).await, forbidden);
    assert_eq!(fetch_failure(&fetcher, &format!("http://0x7f000001:{}/", server.port)).await, forbidden);
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn resolve_rules_set_ip_addresses() {
    let mut server = LoopbackServer::responding_with(response("", b"abc")).await;
    let resolve = vec![format!("*:127.0.0.1:{}", server.port).parse().unwrap()];
    let fetcher = HttpFetcher::new(FetchOptions { allow_private_addresses: false, resolve, ..options() }).unwrap();
    let uri = Uri::parse("http://any.example/x").unwrap();

    assert_eq!(fetcher.locate(&uri).await, Ok(Some([127, 0, 0, 1].into())));
    assert_eq!(fetch_bytes(&fetcher, uri.as_str()).await, (b"abc".to_vec(), None));
    assert!(server.request().await.contains("host: any.example\r\n"));
}

#[tokio::test]
async fn probe_sends_a_head_request() {
    let mut server =
        LoopbackServer::responding_with("HTTP/1.1 200 OK\r\nContent-Type: text/turtle\r\nContent-Length: 99\r\n\r\n")
            .await;
    let overloaded = LoopbackServer::responding_with("HTTP/1.1 429 Slow Down\r\nRetry-After: 3\r\n\r\n").await;
    let moved = LoopbackServer::responding_with("HTTP/1.1 303 See Other\r\nLocation: /there\r\n\r\n").await;
    let fetcher = fetcher();
    let probe = async |server: &LoopbackServer| {
        fetcher.probe(FetchRequest::harvest(&Uri::parse(&server.url("/x")).unwrap())).await.result
    };

    let result = probe(&server).await.unwrap();
    assert_eq!((result.status, result.media_type.as_deref(), result.location), (200, Some("text/turtle"), None));
    assert!(server.request().await.starts_with("HEAD /x "));
    assert_eq!(probe(&overloaded).await.unwrap_err().retry_after_s, Some(3));
    assert_eq!(probe(&moved).await.unwrap().location.unwrap().path(), "/there");
}

#[tokio::test]
async fn robots_request_accepts_plain_text_and_is_truncated() {
    let mut server = LoopbackServer::responding_with(response("", &vec![b'#'; 2_000_000])).await;
    let uri = Uri::parse(&server.url("/robots.txt")).unwrap();

    let response = fetcher().fetch(FetchRequest::new(&uri, FetchPurpose::Robots)).await;
    let Ok(FetchOutcome::Representation(document)) = response.result else { panic!() };

    assert!(matches!(document.body, ResponseBody::Buffered { bytes, truncation: Some(_) } if bytes.len() == 512_000));
    assert!(server.request().await.contains("accept: text/plain, */*;q=0.5\r\n"));
}

struct ExpiredPermit;

impl SendPermit for ExpiredPermit {
    fn is_valid(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn no_request_is_sent_after_the_permit_has_expired() {
    let server = LoopbackServer::responding_with(response("", b"abc")).await;
    let uri = Uri::parse(&server.url("/x")).unwrap();
    let permit: Arc<dyn SendPermit> = Arc::new(ExpiredPermit);
    let request = FetchRequest { permit: Some(&permit), ..FetchRequest::harvest(&uri) };

    let failure = fetcher().fetch(request).await.result.unwrap_err();

    assert_eq!((failure.sent, failure.status, server.connections()), (false, None, 0));
}
