//! Interrupted downloads, resumed with range requests.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lodeward::extract::{DocumentReader, ExtractSink, Extractor as _};
use lodeward::fetch::{FetchOptions, FetchOutcome, FetchRequest, Fetcher as _, HttpFetcher, ResponseBody};
use lodeward::model::{Fault, FaultKind, Link, StreamFault, Uri, Validators};
use oxrdf::QuadRef;

use crate::loopback::{LoopbackServer, ServerAction};

fn fetcher() -> HttpFetcher {
    let options = FetchOptions {
        allow_private_addresses: true,
        proxy_from_environment: false,
        resume_delay_ms: 1,
        read_timeout_ms: 2_000,
        ..FetchOptions::default()
    };
    HttpFetcher::new(options).unwrap()
}

const STRONG: &str = "Accept-Ranges: bytes\r\nETag: \"1\"\r\n";

/// A server of one file that closes the connection after `bytes_per_response` bytes.
/// `range_head` makes the heads of range responses.
async fn interrupting_server(
    content: Vec<u8>,
    bytes_per_response: usize,
    fields: &str,
    range_head: impl Fn(usize, usize) -> String + Send + Sync + 'static,
) -> LoopbackServer {
    let fields = fields.to_owned();
    LoopbackServer::new(move |request| {
        let request = request.to_ascii_lowercase();
        let range = request.split("range: bytes=").nth(1).and_then(|rest| rest.split('-').next()?.parse().ok());
        let start: usize = range.unwrap_or(0);
        let head = match range {
            Some(start) => range_head(start, content.len()),
            None => format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{fields}\r\n", content.len()),
        };
        let end = content.len().min(start + bytes_per_response);
        let part = &content[start.min(end)..end];
        vec![ServerAction::Send([head.as_bytes(), part].concat()), ServerAction::Close]
    })
    .await
}

fn partial(start: usize, len: usize) -> String {
    let (last, rest) = (len - 1, len - start);
    format!("HTTP/1.1 206 Rest\r\nContent-Length: {rest}\r\nContent-Range: bytes {start}-{last}/{len}\r\n{STRONG}\r\n")
}

/// The bytes of a file, and the fault that truncated it.
async fn fetch(fetcher: &HttpFetcher, url: &str) -> (Vec<u8>, Option<Fault>) {
    fetch_request(fetcher, FetchRequest::harvest(&Uri::parse(url).unwrap())).await
}

async fn fetch_request(fetcher: &HttpFetcher, request: FetchRequest<'_>) -> (Vec<u8>, Option<Fault>) {
    let outcome = fetcher.fetch(request).await.result.unwrap();
    let FetchOutcome::Representation(representation) = outcome else { panic!("not a representation") };
    match representation.body {
        ResponseBody::Buffered { bytes, truncation } => (bytes.to_vec(), truncation),
        ResponseBody::Stream(mut stream) => {
            let read = move || {
                let mut bytes = Vec::new();
                let truncation = stream.read_to_end(&mut bytes).err().map(|error| {
                    error.get_ref().and_then(|error| error.downcast_ref::<StreamFault>()).unwrap().0.clone()
                });
                (bytes, truncation)
            };
            tokio::task::spawn_blocking(read).await.unwrap()
        }
    }
}

/// Pseudo-random bytes, which do not compress.
fn noise(len: usize) -> Vec<u8> {
    let number = |number: u64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(number | 1);
    (0..=len as u64 / 8).flat_map(|index| number(index).to_le_bytes()).take(len).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn an_interrupted_download_resumes() {
    let check = async |len: usize, bytes_per_response: usize, resumptions: u64| {
        let content = noise(len);
        let mut server = interrupting_server(content.clone(), bytes_per_response, STRONG, partial).await;
        let fetcher = fetcher();

        let (bytes, cut) = fetch(&fetcher, &server.url("/dump.nt")).await;

        assert_eq!((bytes == content, cut), (true, None));
        assert_eq!(fetcher.resumptions(), resumptions);
        server.request().await;
        let request = server.request().await.to_ascii_lowercase();
        assert!(request.contains("if-range: \"1\"\r\n"), "{request}");
        assert!(request.contains(&format!("range: bytes={bytes_per_response}-\r\n")), "{request}");
    };

    // One in memory, one streamed.
    check(5_000, 1_000, 4).await;
    check(5_000_000, 2_000_000, 2).await;
}

#[tokio::test]
async fn a_revisit_resumes_without_conditional_headers() {
    let content = noise(5_000);
    let mut server = interrupting_server(content.clone(), 3_000, STRONG, partial).await;
    let validators = Validators { etag: Some("\"0\"".to_owned()), last_modified: None };

    let uri = Uri::parse(&server.url("/dump.nt")).unwrap();
    let request = FetchRequest { validators: Some(&validators), ..FetchRequest::harvest(&uri) };
    let (bytes, cut) = fetch_request(&fetcher(), request).await;

    assert_eq!((bytes == content, cut), (true, None));
    assert!(server.request().await.to_ascii_lowercase().contains("if-none-match: \"0\"\r\n"));
    let request = server.request().await.to_ascii_lowercase();
    assert!(request.contains("if-range: \"1\"\r\n") && !request.contains("if-none-match"), "{request}");
}

#[tokio::test]
async fn ranges_count_encoded_bytes() {
    let content = noise(3_000_000);
    let fields = format!("{STRONG}Content-Encoding: gzip\r\n");
    let server = interrupting_server(gzip(&content), 1_000_000, &fields, partial).await;

    let (bytes, cut) = fetch(&fetcher(), &server.url("/dump.nt")).await;

    assert_eq!((bytes == content, cut), (true, None));
}

#[tokio::test]
async fn an_interrupted_dump_is_read_completely() {
    struct Count(u64, Vec<Fault>);
    impl ExtractSink for Count {
        fn quad(&mut self, _: QuadRef<'_>) {
            self.0 += 1;
        }
        fn link(&mut self, _: Link) {}
        fn fault(&mut self, fault: Fault) {
            self.1.push(fault);
        }
    }
    let line =
        |number: usize| format!("<http://s.example/{}> <http://p.example/> \"{number}\" .\n", number * 7_919 % 10_007);
    let text = (0..20_000).map(line).collect::<Vec<_>>().concat();
    let compressed = gzip(text.as_bytes());
    let server = interrupting_server(compressed.clone(), compressed.len() / 3, STRONG, partial).await;

    let uri = Uri::parse(&server.url("/dump.nt.gz")).unwrap();
    let response = fetcher().fetch(FetchRequest::harvest(&uri)).await;
    let Ok(FetchOutcome::Representation(found)) = response.result else { panic!("no dump") };
    let read = move || {
        let mut count = Count(0, Vec::new());
        DocumentReader::new(lodeward::extract::ExtractOptions::default()).extract(*found, &mut count);
        (count.0, count.1)
    };

    assert_eq!(tokio::task::spawn_blocking(read).await.unwrap(), (20_000, vec![]));
}

#[tokio::test]
async fn a_response_that_is_not_the_rest_is_rejected() {
    let check = async |fields: &str, head: fn(usize, usize) -> String, resumptions: u64, what: &str| {
        let server = interrupting_server(noise(5_000), 2_000, fields, head).await;
        let fetcher = fetcher();

        let (bytes, cut) = fetch(&fetcher, &server.url("/dump.nt")).await;

        let cut = cut.expect("it is truncated");
        assert_eq!((bytes.len(), cut.kind), (2_000, FaultKind::Truncated), "{fields} {cut}");
        assert!(cut.detail.contains(what), "{cut}");
        assert_eq!(fetcher.resumptions(), resumptions, "{fields}");
    };
    let changed = "document changed during the download";
    let whole = |_, len| format!("HTTP/1.1 200 OK\r\nContent-Length: {len}\r\n{STRONG}\r\n");
    let wrong_start = |start, len| partial(start + 1, len);
    let other_etag = |start, len| partial(start, len).replace("\"1\"", "\"2\"");
    let encoded =
        |start, len| partial(start, len).replace("Content-Range", "Content-Encoding: identity, br\r\nContent-Range");
    let not_found = |_, _| "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned();
    let overloaded = |_, _| "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n".to_owned();
    let overloaded_for_long = |_, _| "HTTP/1.1 503 Later\r\nRetry-After: 600\r\nContent-Length: 0\r\n\r\n".to_owned();

    check(STRONG, whole, 1, changed).await;
    check(STRONG, other_etag, 1, changed).await;
    check(STRONG, encoded, 1, changed).await;
    check(STRONG, wrong_start, 1, "").await;
    check(STRONG, not_found, 1, "").await;
    check(STRONG, overloaded, 5, "").await;
    check(STRONG, overloaded_for_long, 1, "").await;
    // The server does not support ranges, or sends no strong validator.
    check("ETag: \"1\"\r\n", partial, 0, "").await;
    check("Accept-Ranges: bytes\r\nETag: W/\"1\"\r\n", partial, 0, "").await;
    check("Accept-Ranges: none\r\nETag: \"1\"\r\n", partial, 0, "").await;
}

#[tokio::test]
async fn resumption_ends_after_too_many_attempts() {
    let server = interrupting_server(noise(5_000), 1, STRONG, partial).await;
    let fetcher = fetcher();

    let (bytes, cut) = fetch(&fetcher, &server.url("/dump.nt")).await;

    assert_eq!((bytes.len(), cut.unwrap().kind, fetcher.resumptions()), (6, FaultKind::Truncated, 5));
}

#[tokio::test]
async fn a_short_range_is_not_the_end() {
    let check = async |part: usize, of: &'static str, expected: (usize, u64, bool)| {
        let head = move |start: usize, len: usize| {
            let (end, size) = (len.min(start + part), part.min(len - start));
            let total = if of.is_empty() { len.to_string() } else { of.to_owned() };
            let range = format!("Content-Range: bytes {start}-{}/{total}", end - 1);
            format!("HTTP/1.1 206 Part\r\nContent-Length: {size}\r\n{range}\r\n{STRONG}\r\n")
        };
        let content = noise(5_000);
        let server = interrupting_server(content.clone(), part, STRONG, head).await;
        let fetcher = fetcher();

        let (bytes, cut) = fetch(&fetcher, &server.url("/dump.nt")).await;

        assert!(content.starts_with(&bytes));
        assert_eq!((bytes.len(), fetcher.resumptions(), cut.is_none()), expected, "{part} of {of}");
        assert!(cut.is_none_or(|cut| cut.kind == FaultKind::Truncated));
    };

    check(1_000, "", (5_000, 4, true)).await;
    check(1_000, "*", (5_000, 4, true)).await;
    // Too many attempts, and another total length than in the first response.
    check(100, "", (600, 5, false)).await;
    check(1_000, "5001", (1_000, 1, false)).await;
}

#[tokio::test]
async fn a_long_delay_prevents_resumption() {
    let server = interrupting_server(noise(5_000), 2_000, STRONG, partial).await;
    let (fetcher, uri) = (fetcher(), Uri::parse(&server.url("/dump.nt")).unwrap());
    let request = FetchRequest { resume_delay: Duration::from_mins(30), ..FetchRequest::harvest(&uri) };

    let (bytes, cut) = fetch_request(&fetcher, request).await;

    assert_eq!((bytes.len(), cut.unwrap().kind, fetcher.resumptions()), (2_000, FaultKind::Truncated, 0));
}

#[tokio::test]
async fn a_failed_resumption_is_retried() {
    let failures = Arc::new(AtomicUsize::new(0));
    let head = move |start, len| match failures.fetch_add(1, Ordering::SeqCst) {
        0 => "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n".to_owned(),
        1 => String::new(),
        _ => partial(start, len),
    };
    let content = noise(5_000);
    let server = interrupting_server(content.clone(), 3_000, STRONG, head).await;

    assert_eq!(fetch(&fetcher(), &server.url("/dump.nt")).await, (content, None));
}
