//! Downloads that break off, and servers that let them go on.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lodeward::extract::{Extractor as _, Reader, Sink};
use lodeward::fetch::{Body, CutShort, Fetched, Fetcher as _, HttpFetcher, Options, Purpose, Validators, pace};
use lodeward::model::{Fault, FaultKind, Link, Uri};
use oxrdf::QuadRef;

use crate::loopback::{Act, Loopback};

fn fetcher() -> HttpFetcher {
    let options = Options {
        allow_private: true,
        proxy_from_environment: false,
        resume_wait_ms: 1,
        read_ms_max: 2_000,
        ..Options::default()
    };
    HttpFetcher::new(options).unwrap()
}

const STRONG: &str = "Accept-Ranges: bytes\r\nETag: \"1\"\r\n";

/// A server of one file that breaks off after so many bytes of each answer.
/// Answers for ranges have a head of the test's making.
async fn brittle(
    content: Vec<u8>,
    bytes_per_answer: usize,
    fields: &str,
    head_of_range: impl Fn(usize, usize) -> String + Send + Sync + 'static,
) -> Loopback {
    let fields = fields.to_owned();
    Loopback::new(move |request| {
        let request = request.to_ascii_lowercase();
        let range = request.split("range: bytes=").nth(1).and_then(|rest| rest.split('-').next()?.parse().ok());
        let start: usize = range.unwrap_or(0);
        let head = match range {
            Some(start) => head_of_range(start, content.len()),
            None => format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{fields}\r\n", content.len()),
        };
        let end = content.len().min(start + bytes_per_answer);
        let part = &content[start.min(end)..end];
        vec![Act::Say([head.as_bytes(), part].concat()), Act::Close]
    })
    .await
}

fn partial(start: usize, len: usize) -> String {
    let (last, rest) = (len - 1, len - start);
    format!("HTTP/1.1 206 Rest\r\nContent-Length: {rest}\r\nContent-Range: bytes {start}-{last}/{len}\r\n{STRONG}\r\n")
}

/// All bytes of a file, and what cut it.
async fn fetched(fetcher: &HttpFetcher, url: &str) -> (Vec<u8>, Option<Fault>) {
    fetched_for(fetcher, url, Purpose::Harvest).await
}

async fn fetched_for(fetcher: &HttpFetcher, url: &str, purpose: Purpose<'_>) -> (Vec<u8>, Option<Fault>) {
    let fetched = fetcher.fetch(&Uri::parse(url).unwrap(), purpose).await.unwrap();
    let Fetched::Representation(representation) = fetched else { panic!("not a representation") };
    match representation.body {
        Body::Whole { bytes, cut } => (bytes.to_vec(), cut),
        Body::Stream(mut stream) => {
            let read = move || {
                let mut bytes = Vec::new();
                let cut = stream
                    .read_to_end(&mut bytes)
                    .err()
                    .map(|error| error.get_ref().and_then(|error| error.downcast_ref::<CutShort>()).unwrap().0.clone());
                (bytes, cut)
            };
            tokio::task::spawn_blocking(read).await.unwrap()
        }
    }
}

/// Bytes that cannot be told from chance, and so do not compress.
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
async fn a_download_that_breaks_off_goes_on_where_it_did() {
    let check = async |len: usize, bytes_per_answer: usize, resumptions: u64| {
        let content = noise(len);
        let mut server = brittle(content.clone(), bytes_per_answer, STRONG, partial).await;
        let fetcher = fetcher();

        let (bytes, cut) = fetched(&fetcher, &server.url("/dump.nt")).await;

        assert_eq!((bytes == content, cut), (true, None));
        assert_eq!(fetcher.resumptions(), resumptions);
        server.request().await;
        let request = server.request().await.to_ascii_lowercase();
        assert!(request.contains("if-range: \"1\"\r\n"), "{request}");
        assert!(request.contains(&format!("range: bytes={bytes_per_answer}-\r\n")), "{request}");
    };

    // One that is held, and one that is streamed.
    check(5_000, 1_000, 4).await;
    check(5_000_000, 2_000_000, 2).await;
}

#[tokio::test]
async fn a_visit_that_is_not_the_first_goes_on_and_asks_without_conditions() {
    let content = noise(5_000);
    let mut server = brittle(content.clone(), 3_000, STRONG, partial).await;
    let validators = Validators { etag: Some("\"0\"".to_owned()), last_modified: None };

    let (bytes, cut) = fetched_for(&fetcher(), &server.url("/dump.nt"), Purpose::Again(&validators)).await;

    assert_eq!((bytes == content, cut), (true, None));
    assert!(server.request().await.to_ascii_lowercase().contains("if-none-match: \"0\"\r\n"));
    let request = server.request().await.to_ascii_lowercase();
    assert!(request.contains("if-range: \"1\"\r\n") && !request.contains("if-none-match"), "{request}");
}

#[tokio::test]
async fn ranges_are_of_the_bytes_as_they_are_sent() {
    let content = noise(3_000_000);
    let fields = format!("{STRONG}Content-Encoding: gzip\r\n");
    let server = brittle(gzip(&content), 1_000_000, &fields, partial).await;

    let (bytes, cut) = fetched(&fetcher(), &server.url("/dump.nt")).await;

    assert_eq!((bytes == content, cut), (true, None));
}

#[tokio::test]
async fn a_dump_is_read_as_if_nothing_had_happened() {
    struct Count(u64, Vec<Fault>);
    impl Sink for Count {
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
    let packed = gzip(text.as_bytes());
    let server = brittle(packed.clone(), packed.len() / 3, STRONG, partial).await;

    let uri = Uri::parse(&server.url("/dump.nt.gz")).unwrap();
    let Ok(Fetched::Representation(found)) = fetcher().fetch(&uri, Purpose::Harvest).await else { panic!("no dump") };
    let read = move || {
        let mut count = Count(0, Vec::new());
        Reader::new(lodeward::extract::Options::default()).extract(*found, &mut count);
        (count.0, count.1)
    };

    assert_eq!(tokio::task::spawn_blocking(read).await.unwrap(), (20_000, vec![]));
}

#[tokio::test]
async fn what_is_not_the_rest_is_not_taken_for_it() {
    let check = async |fields: &str, head: fn(usize, usize) -> String, resumptions: u64, what: &str| {
        let server = brittle(noise(5_000), 2_000, fields, head).await;
        let fetcher = fetcher();

        let (bytes, cut) = fetched(&fetcher, &server.url("/dump.nt")).await;

        let cut = cut.expect("it is cut");
        assert_eq!((bytes.len(), cut.kind), (2_000, FaultKind::Truncated), "{fields} {cut}");
        assert!(cut.detail.contains(what), "{cut}");
        assert_eq!(fetcher.resumptions(), resumptions, "{fields}");
    };
    let changed = "it changed while it was downloaded";
    let whole = |_, len| format!("HTTP/1.1 200 OK\r\nContent-Length: {len}\r\n{STRONG}\r\n");
    let elsewhere = |start, len| partial(start + 1, len);
    let another = |start, len| partial(start, len).replace("\"1\"", "\"2\"");
    let coded =
        |start, len| partial(start, len).replace("Content-Range", "Content-Encoding: identity, br\r\nContent-Range");
    let gone = |_, _| "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned();
    let busy = |_, _| "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n".to_owned();
    let for_long = |_, _| "HTTP/1.1 503 Later\r\nRetry-After: 600\r\nContent-Length: 0\r\n\r\n".to_owned();

    check(STRONG, whole, 1, changed).await;
    check(STRONG, another, 1, changed).await;
    check(STRONG, coded, 1, changed).await;
    check(STRONG, elsewhere, 1, "").await;
    check(STRONG, gone, 1, "").await;
    check(STRONG, busy, 5, "").await;
    check(STRONG, for_long, 1, "").await;
    // Nobody said that it could be.
    check("ETag: \"1\"\r\n", partial, 0, "").await;
    check("Accept-Ranges: bytes\r\nETag: W/\"1\"\r\n", partial, 0, "").await;
    check("Accept-Ranges: none\r\nETag: \"1\"\r\n", partial, 0, "").await;
}

#[tokio::test]
async fn a_server_that_gives_a_byte_at_a_time_is_given_up() {
    let server = brittle(noise(5_000), 1, STRONG, partial).await;
    let fetcher = fetcher();

    let (bytes, cut) = fetched(&fetcher, &server.url("/dump.nt")).await;

    assert_eq!((bytes.len(), cut.unwrap().kind, fetcher.resumptions()), (6, FaultKind::Truncated, 5));
}

#[tokio::test]
async fn a_range_that_is_short_is_not_taken_for_the_end() {
    let check = async |part: usize, of: &'static str, expected: (usize, u64, bool)| {
        let head = move |start: usize, len: usize| {
            let (end, size) = (len.min(start + part), part.min(len - start));
            let total = if of.is_empty() { len.to_string() } else { of.to_owned() };
            let range = format!("Content-Range: bytes {start}-{}/{total}", end - 1);
            format!("HTTP/1.1 206 Part\r\nContent-Length: {size}\r\n{range}\r\n{STRONG}\r\n")
        };
        let content = noise(5_000);
        let server = brittle(content.clone(), part, STRONG, head).await;
        let fetcher = fetcher();

        let (bytes, cut) = fetched(&fetcher, &server.url("/dump.nt")).await;

        assert!(content.starts_with(&bytes));
        assert_eq!((bytes.len(), fetcher.resumptions(), cut.is_none()), expected, "{part} of {of}");
        assert!(cut.is_none_or(|cut| cut.kind == FaultKind::Truncated));
    };

    check(1_000, "", (5_000, 4, true)).await;
    check(1_000, "*", (5_000, 4, true)).await;
    // Too many tries, and another length than the first answer had.
    check(100, "", (600, 5, false)).await;
    check(1_000, "5001", (1_000, 1, false)).await;
}

#[tokio::test]
async fn nobody_waits_for_a_server_that_wants_to_be_left_alone_for_long() {
    let server = brittle(noise(5_000), 2_000, STRONG, partial).await;
    let (fetcher, delay) = (fetcher(), Duration::from_mins(30));

    let (bytes, cut) = pace::keep(delay, fetched(&fetcher, &server.url("/dump.nt"))).await;

    assert_eq!((bytes.len(), cut.unwrap().kind, fetcher.resumptions()), (2_000, FaultKind::Truncated, 0));
}

#[tokio::test]
async fn a_failure_in_between_is_no_end() {
    let failures = Arc::new(AtomicUsize::new(0));
    let head = move |start, len| match failures.fetch_add(1, Ordering::SeqCst) {
        0 => "HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n".to_owned(),
        1 => String::new(),
        _ => partial(start, len),
    };
    let content = noise(5_000);
    let server = brittle(content.clone(), 3_000, STRONG, head).await;

    assert_eq!(fetched(&fetcher(), &server.url("/dump.nt")).await, (content, None));
}
