//! The fetcher against servers that do what servers do.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use lodeward::fetch::{Body, CutShort, Fetched, Fetcher, HttpFetcher, Options, Purpose, Refusal, Representation};
use lodeward::model::{Fault, FaultKind, Uri};

use crate::loopback::{Act, Loopback};

fn options() -> Options {
    Options { allow_private: true, proxy_from_environment: false, ..Options::default() }
}

fn fetcher() -> HttpFetcher {
    HttpFetcher::new(options()).unwrap()
}

async fn fetch(fetcher: &HttpFetcher, url: &str) -> Result<Fetched, Refusal> {
    fetcher.fetch(&Uri::parse(url).unwrap(), Purpose::Harvest).await
}

async fn representation(fetcher: &HttpFetcher, url: &str) -> Representation {
    match fetch(fetcher, url).await {
        Ok(Fetched::Representation(representation)) => *representation,
        other => panic!("not a representation: {other:?}"),
    }
}

async fn whole(fetcher: &HttpFetcher, url: &str) -> (Vec<u8>, Option<FaultKind>) {
    match representation(fetcher, url).await.body {
        Body::Whole { bytes, cut } => (bytes.to_vec(), cut.map(|fault| fault.kind)),
        Body::Stream(_) => panic!("a stream"),
    }
}

/// All bytes of a stream and what cut it.
async fn drained(body: Body) -> (usize, Option<FaultKind>) {
    let Body::Stream(mut reader) = body else { panic!("not a stream: {body:?}") };
    let read = move || {
        let (mut count, mut buffer) = (0, [0; 10_000]);
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return (count, None),
                Ok(length) => count += length,
                Err(error) => {
                    let cut = error.get_ref().and_then(|error| error.downcast_ref::<CutShort>()).unwrap();
                    return (count, Some(cut.0.kind));
                }
            }
        }
    };
    tokio::task::spawn_blocking(read).await.unwrap()
}

async fn refusal(fetcher: &HttpFetcher, url: &str) -> (FaultKind, Option<u16>, Option<u64>, bool) {
    let refusal = fetch(fetcher, url).await.unwrap_err();
    (refusal.fault.kind, refusal.status, refusal.retry_after_s, refusal.sent)
}

fn answer(fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{fields}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_document_comes_with_its_fields() {
    let fields = "Content-Type: text/turtle\r\nETag: \"1\"\r\nLast-Modified: x\r\nLink: <a>; rel=b\r\nLink: <c>\r\n";
    let mut server = Loopback::saying(answer(fields, b"<a> <b> <c> .")).await;

    let found = representation(&fetcher(), &server.url("/x?y")).await;

    assert_eq!(found.content_type.as_deref(), Some("text/turtle"));
    assert_eq!((found.etag.as_deref(), found.last_modified.as_deref()), (Some("\"1\""), Some("x")));
    assert_eq!(found.links, ["<a>; rel=b", "<c>"]);
    assert!(matches!(found.body, Body::Whole { bytes, cut: None } if bytes == "<a> <b> <c> ."));
    let request = server.request().await.to_ascii_lowercase();
    assert!(request.starts_with("get /x?y http/1.1\r\n"), "{request}");
    assert!(request.contains("accept: text/turtle, application/rdf+xml;q=0.9"), "{request}");
    assert!(request.contains("accept-encoding: gzip, br, zstd, deflate"), "{request}");
    assert!(request.contains(concat!("user-agent: lodeward/", env!("CARGO_PKG_VERSION"))), "{request}");
    assert_eq!(request.lines().count(), 6, "nothing but what is needed: {request}");
}

#[tokio::test]
async fn statuses_are_sorted() {
    let check = async |head: &str, expected: (FaultKind, Option<u16>, Option<u64>)| {
        let server = Loopback::saying(format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n")).await;
        let (kind, status, retry_after_s, sent) = refusal(&fetcher(), &server.url("/")).await;
        assert_eq!((kind, status, retry_after_s, sent), (expected.0, expected.1, expected.2, true), "{head}");
    };

    check("404 Not Found", (FaultKind::Status, Some(404), None)).await;
    check("410 Gone", (FaultKind::Status, Some(410), None)).await;
    check("500 Oops", (FaultKind::Status, Some(500), None)).await;
    check("206 Partial Content", (FaultKind::Status, Some(206), None)).await;
    check("304 Not Modified", (FaultKind::Status, Some(304), None)).await;
    check("300 Multiple Choices", (FaultKind::Status, Some(300), None)).await;
    check("429 Too Many Requests\r\nRetry-After: 17", (FaultKind::Busy, Some(429), Some(17))).await;
    check("503 Unavailable", (FaultKind::Busy, Some(503), None)).await;
    let dates = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:50:07 GMT";
    check(&format!("503 Unavailable\r\n{dates}"), (FaultKind::Busy, Some(503), Some(30))).await;
}

#[tokio::test]
async fn redirects_are_told_and_not_followed() {
    let check = async |head: &str, expected: Result<&str, FaultKind>| {
        let server = Loopback::saying(format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n")).await;
        let Fetched::Redirect { status, target } = fetch(&fetcher(), &server.url("/a/b")).await.unwrap() else {
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
async fn failures_are_told_apart() {
    let options = Options { read_ms_max: 200, connect_ms_max: 400, ..options() };
    let fetcher = HttpFetcher::new(options).unwrap();
    let check = async |acts: Vec<Act>, expected: FaultKind| {
        let server = Loopback::new(move |_| acts.clone()).await;
        let (kind, status, _, sent) = refusal(&fetcher, &server.url("/")).await;
        assert_eq!((kind, status, sent), (expected, None, true));
    };
    let nobody = { std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap() };

    check(vec![Act::Close], FaultKind::Connect).await;
    check(vec![Act::Say(b"HTTP/1.1 200 O".to_vec()), Act::Close], FaultKind::Connect).await;
    check(vec![Act::Wait(Duration::from_secs(5))], FaultKind::Timeout).await;
    check(vec![Act::Say(b"220 smtp.example ESMTP\r\n\r\n".to_vec())], FaultKind::Protocol).await;
    check(vec![Act::Say(b"\x15\x03\x01\0\x02\x02\x50 and so on and on".to_vec())], FaultKind::Protocol).await;
    assert_eq!(refusal(&fetcher, &format!("http://{nobody}/")).await, (FaultKind::Connect, None, None, true));
    assert_eq!(refusal(&fetcher, "http://no.such.invalid/").await, (FaultKind::Dns, None, None, false));
    let deaf = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let secure = format!("https://{}/", deaf.local_addr().unwrap());
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (mut plain, _) = deaf.accept().await.unwrap();
        plain.write_all(b"HTTP/1.1 400 Plain words only\r\n\r\n").await.unwrap();
        let (mut silent, _) = deaf.accept().await.unwrap();
        let _ = silent.read(&mut [0; 8_192]).await;
    });
    assert_eq!(refusal(&fetcher, &secure).await.0, FaultKind::Tls);
    assert_eq!(refusal(&fetcher, &secure).await.0, FaultKind::Tls);
}

#[tokio::test]
async fn headers_are_bounded() {
    let check = async |fields: String| {
        let server = Loopback::saying(answer(&fields, b"x")).await;
        assert_eq!(refusal(&fetcher(), &server.url("/")).await.0, FaultKind::Protocol);
    };

    check(format!("X: {}\r\n", "x".repeat(70_000))).await;
    check(format!("X: {}\r\n", "x".repeat(700_000))).await;
    check("X: y\r\n".repeat(300)).await;
}

/// A certificate for `a.test` in a PEM file, and a server's end of TLS.
fn secure(protocol: &[u8]) -> (tempfile::NamedTempFile, tokio_rustls::TlsAcceptor) {
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
async fn certificates_must_be_known() {
    let (file, acceptor) = secure(b"http/1.1");
    let server = Loopback::with_tls(|_| vec![Act::Say(answer("", b"x"))], acceptor).await;
    let resolve = vec![format!("a.test:127.0.0.1:{}", server.port).parse().unwrap()];
    let careful = Options { allow_private: false, resolve, ..options() };
    let trusting = Options { ca_certificates: vec![file.path().to_owned()], ..careful.clone() };

    assert_eq!(refusal(&HttpFetcher::new(careful).unwrap(), "https://a.test/").await.0, FaultKind::Tls);
    assert_eq!(whole(&HttpFetcher::new(trusting).unwrap(), "https://a.test/").await, (b"x".to_vec(), None));
    let missing = Options { ca_certificates: vec!["/no/such/file.pem".into()], ..options() };
    assert!(HttpFetcher::new(missing).is_err());
}

#[tokio::test]
async fn http_2_is_spoken_where_it_is_offered() {
    let (file, acceptor) = secure(b"h2");
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
    let options = Options { resolve, ca_certificates: vec![file.path().to_owned()], ..options() };
    let fetcher = HttpFetcher::new(options).unwrap();

    for _ in 0..3 {
        assert_eq!(whole(&fetcher, "https://a.test/").await, (b"two".to_vec(), None));
    }
}

#[tokio::test]
async fn what_came_before_the_end_is_kept() {
    let check = async |acts: Vec<Act>, expected: (&str, Option<FaultKind>)| {
        let server = Loopback::new(move |_| acts.clone()).await;
        let fetcher = HttpFetcher::new(Options { read_ms_max: 200, ..options() }).unwrap();
        let (bytes, cut) = whole(&fetcher, &server.url("/")).await;
        assert_eq!((&*String::from_utf8_lossy(&bytes), cut), expected);
    };
    let say = |text: &str| Act::Say(text.as_bytes().to_vec());
    let part = || say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    let chunk = || say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");

    check(vec![part(), Act::Close], ("abc", Some(FaultKind::Truncated))).await;
    check(vec![part(), Act::Wait(Duration::from_secs(5))], ("abc", Some(FaultKind::Timeout))).await;
    check(vec![chunk(), Act::Close], ("abc", Some(FaultKind::Truncated))).await;
    check(vec![chunk(), say("0\r\n\r\n")], ("abc", None)).await;
    check(vec![say("HTTP/1.0 200 OK\r\n\r\nabc"), Act::Close], ("abc", None)).await;
    check(
        vec![say("HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 3\r\n\r\nnop")],
        ("", Some(FaultKind::Encoding)),
    )
    .await;
    check(
        vec![say("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")],
        ("", Some(FaultKind::Encoding)),
    )
    .await;
}

#[tokio::test]
async fn a_document_takes_no_longer_than_allowed() {
    let drip = [Act::Say(b"x".to_vec()), Act::Wait(Duration::from_millis(50))];
    let script = move |_: &str| {
        let head = Act::Say(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n".to_vec());
        std::iter::once(head).chain(drip.iter().cycle().take(100).cloned()).collect()
    };
    let server = Loopback::new(script).await;
    let fetcher = HttpFetcher::new(Options { document_ms_max: 300, ..options() }).unwrap();

    let (bytes, cut) = whole(&fetcher, &server.url("/")).await;

    assert!(!bytes.is_empty() && bytes.len() < 30, "{}", bytes.len());
    assert_eq!(cut, Some(FaultKind::Timeout));
}

#[tokio::test]
async fn compressed_documents_are_decoded() {
    let text = b"<a> <b> <c> .\n".repeat(20_000);
    let check = async |coding: &str, coded: Vec<u8>, expected: (&[u8], Option<FaultKind>)| {
        let server = Loopback::saying(answer(&format!("Content-Encoding: {coding}\r\n"), &coded)).await;
        let (bytes, cut) = whole(&fetcher(), &server.url("/")).await;
        assert_eq!((bytes.len(), cut), (expected.0.len(), expected.1), "{coding}");
        assert_eq!(bytes, expected.0, "{coding}");
    };

    check("gzip", gzip(&text), (&text, None)).await;
    check("zstd", zstd::encode_all(&text[..], 3).unwrap(), (&text, None)).await;
    // Random enough that half of the coded bytes are half of the text.
    let noise: Vec<u8> = (0..50_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let coded = gzip(&noise);
    let server = Loopback::saying(answer("Content-Encoding: gzip\r\n", &coded[..coded.len() / 2])).await;
    let (half, cut) = whole(&fetcher(), &server.url("/")).await;
    assert!(half.len() > noise.len() / 3 && noise.starts_with(&half));
    assert_eq!(cut, Some(FaultKind::Truncated));
}

#[tokio::test]
async fn bodies_are_bounded_and_bombs_defused() {
    let bomb = gzip(&vec![b' '; 6_000_000]);
    let check = async |options: Options,
                       answer: Vec<u8>,
                       bytes: std::ops::RangeInclusive<usize>,
                       expected: Option<FaultKind>| {
        let server = Loopback::saying(answer).await;
        let body = representation(&HttpFetcher::new(options).unwrap(), &server.url("/")).await.body;
        let (length, cut) = match body {
            Body::Whole { bytes, cut } => (bytes.len(), cut.map(|fault: Fault| fault.kind)),
            stream @ Body::Stream(_) => drained(stream).await,
        };
        assert_eq!(cut, expected);
        assert!(bytes.contains(&length), "{length}");
    };
    let gzipped = |bytes: &[u8]| answer("Content-Encoding: gzip\r\n", bytes);
    let small = || Options { body_bytes_max: 1_000, ..options() };

    check(small(), answer("", &[b'x'; 5_000]), 1_000..=1_000, Some(FaultKind::TooLarge)).await;
    check(small(), answer("", &[b'x'; 1_000]), 1_000..=1_000, None).await;
    check(small(), gzipped(&gzip(&[b'x'; 5_000])), 1_000..=1_000, Some(FaultKind::TooLarge)).await;
    // 900 kB of blanks are no bomb, 6 MB are.
    check(options(), gzipped(&gzip(&vec![b' '; 900_000])), 900_000..=900_000, None).await;
    check(options(), gzipped(&bomb), 1_000_000..=3_500_000, Some(FaultKind::Bomb)).await;
    let streamed = Options { body_bytes_max: 2_500_000, ..options() };
    check(streamed, answer("", &vec![b'x'; 5_000_000]), 2_500_000..=2_500_000, Some(FaultKind::TooLarge)).await;
}

#[tokio::test]
async fn a_dump_may_be_larger_if_it_says_so() {
    let options = || Options { body_bytes_max: 1_000_000, dump_bytes_max: 4_000_000, ..options() };
    let check = async |path: &str, fields: &str, expected: (usize, Option<FaultKind>)| {
        let server = Loopback::saying(answer(fields, &vec![b'x'; 5_000_000])).await;
        let body = representation(&HttpFetcher::new(options()).unwrap(), &server.url(path)).await.body;
        let found = match body {
            Body::Whole { bytes, cut } => (bytes.len(), cut.map(|fault| fault.kind)),
            stream @ Body::Stream(_) => drained(stream).await,
        };
        assert_eq!(found, expected, "{path} {fields}");
    };
    let too_large = Some(FaultKind::TooLarge);

    check("/page", "Content-Type: text/html\r\n", (1_000_000, too_large)).await;
    check("/dump", "Content-Type: application/n-triples\r\n", (4_000_000, too_large)).await;
    check("/dump.nt.gz", "", (4_000_000, too_large)).await;
    check("/x", "Content-Type: application/gzip\r\n", (4_000_000, too_large)).await;
}

#[tokio::test]
async fn a_stream_is_held_back_and_ends_with_its_reader() {
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
    let Body::Stream(mut reader) = body else { panic!("not a stream") };
    let mut seen = vec![0; 100_000];
    let reader = tokio::task::spawn_blocking(move || {
        reader.read_exact(&mut seen).unwrap();
        reader
    });
    let reader = reader.await.unwrap();
    let waiting = tokio::time::timeout(Duration::from_millis(300), ended.recv()).await;

    // The server is still there, but was held back: what it wrote lies in the
    // kernel's buffers, which loopback makes large.
    assert!(waiting.is_err());
    let before = written.load(std::sync::atomic::Ordering::SeqCst);
    assert!(before < 20_000_000, "{before}");
    drop(reader);
    tokio::time::timeout(Duration::from_secs(5), ended.recv()).await.expect("the download ends").unwrap();
}

#[tokio::test]
async fn connections_are_used_again() {
    let answers = |head: &str| {
        vec![Act::Say(if head.contains("/missing") {
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nnot found".to_vec()
        } else if head.contains("/moved") {
            b"HTTP/1.1 303 See Other\r\nLocation: /x\r\nContent-Length: 4\r\n\r\nhere".to_vec()
        } else {
            answer("", b"abc")
        })]
    };
    let server = Loopback::new(answers).await;
    let fetcher = fetcher();

    for _ in 0..5 {
        assert_eq!(whole(&fetcher, &server.url("/x")).await.0, b"abc");
        assert_eq!(refusal(&fetcher, &server.url("/missing")).await.1, Some(404));
        assert!(matches!(fetch(&fetcher, &server.url("/moved")).await, Ok(Fetched::Redirect { status: 303, .. })));
    }

    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_body_longer_than_announced_does_not_poison_the_next() {
    let answers = |head: &str| {
        let body = if head.contains("/long") { "abcHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil" } else { "xyz" };
        vec![Act::Say(format!("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{body}").into_bytes())]
    };
    let server = Loopback::new(answers).await;
    let fetcher = fetcher();

    for _ in 0..10 {
        assert_eq!(whole(&fetcher, &server.url("/long")).await, (b"abc".to_vec(), None));
        assert_eq!(whole(&fetcher, &server.url("/next")).await, (b"xyz".to_vec(), None));
    }
}

#[tokio::test]
async fn a_proxy_is_asked_with_the_whole_address() {
    let mut proxy = Loopback::saying(answer("", b"from the proxy")).await;
    let options = Options { proxy: Some(proxy.url("")), allow_private: false, ..options() };
    let fetcher = HttpFetcher::new(options).unwrap();
    let uri = Uri::parse("http://no.such.invalid/x?y").unwrap();

    assert_eq!(fetcher.locate(&uri).await, Ok(None));
    assert_eq!(whole(&fetcher, uri.as_str()).await, (b"from the proxy".to_vec(), None));
    assert!(proxy.request().await.starts_with("GET http://no.such.invalid/x?y HTTP/1.1\r\n"));

    // A name for the proxy itself is resolved, though its address is private.
    let by_name = format!("http://localhost:{}", proxy.port);
    let options = Options { proxy: Some(by_name), allow_private: false, ..self::options() };
    let fetcher = HttpFetcher::new(options).unwrap();
    assert_eq!(whole(&fetcher, uri.as_str()).await, (b"from the proxy".to_vec(), None));

    assert!(HttpFetcher::new(Options { proxy: Some("no proxy".to_owned()), ..self::options() }).is_err());
}

#[tokio::test]
async fn private_addresses_are_not_knocked_at() {
    let server = Loopback::saying(answer("", b"secret")).await;
    let fetcher = HttpFetcher::new(Options { allow_private: false, ..options() }).unwrap();

    let forbidden = (FaultKind::Forbidden, None, None, false);
    assert_eq!(refusal(&fetcher, &server.url("/")).await, forbidden);
    assert_eq!(refusal(&fetcher, &format!("http://localhost:{}/", server.port)).await, forbidden);
    assert_eq!(refusal(&fetcher, &format!("http://[::ffff:127.0.0.1]:{}/", server.port)).await, forbidden);
    assert_eq!(refusal(&fetcher, &format!("http://0x7f000001:{}/", server.port)).await, forbidden);
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn names_can_be_given_addresses() {
    let mut server = Loopback::saying(answer("", b"abc")).await;
    let resolve = vec![format!("*:127.0.0.1:{}", server.port).parse().unwrap()];
    let fetcher = HttpFetcher::new(Options { allow_private: false, resolve, ..options() }).unwrap();
    let uri = Uri::parse("http://any.example/x").unwrap();

    assert_eq!(fetcher.locate(&uri).await, Ok(Some([127, 0, 0, 1].into())));
    assert_eq!(whole(&fetcher, uri.as_str()).await, (b"abc".to_vec(), None));
    assert!(server.request().await.contains("host: any.example\r\n"));
}

#[tokio::test]
async fn a_probe_asks_for_the_head() {
    let mut server =
        Loopback::saying("HTTP/1.1 200 OK\r\nContent-Type: text/turtle\r\nContent-Length: 99\r\n\r\n").await;
    let busy = Loopback::saying("HTTP/1.1 429 Slow Down\r\nRetry-After: 3\r\n\r\n").await;
    let moved = Loopback::saying("HTTP/1.1 303 See Other\r\nLocation: /there\r\n\r\n").await;
    let fetcher = fetcher();
    let probe = async |server: &Loopback| fetcher.probe(&Uri::parse(&server.url("/x")).unwrap()).await;

    let found = probe(&server).await.unwrap();
    assert_eq!((found.status, found.media_type.as_deref(), found.location), (200, Some("text/turtle"), None));
    assert!(server.request().await.starts_with("HEAD /x "));
    assert_eq!(probe(&busy).await.unwrap_err().retry_after_s, Some(3));
    assert_eq!(probe(&moved).await.unwrap().location.unwrap().path(), "/there");
}

#[tokio::test]
async fn robots_are_asked_for_in_plain_text_and_cut() {
    let mut server = Loopback::saying(answer("", &vec![b'#'; 2_000_000])).await;
    let uri = Uri::parse(&server.url("/robots.txt")).unwrap();

    let Ok(Fetched::Representation(found)) = fetcher().fetch(&uri, Purpose::Robots).await else { panic!() };

    assert!(matches!(found.body, Body::Whole { bytes, cut: Some(_) } if bytes.len() == 512_000));
    assert!(server.request().await.contains("accept: text/plain, */*;q=0.5\r\n"));
}
