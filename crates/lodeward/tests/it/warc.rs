//! Recording a crawl to WARC files and replaying it.

use std::io::{Read, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use lodeward::fetch::warc::{WarcOptions, WarcRecorder, WarcReplay};
use lodeward::fetch::{FetchOutcome, FetchRequest, FetchResponse, Fetcher, Representation, ResponseBody};
use lodeward::model::{Fault, FaultKind, FetchFailure, ProbeResult, StreamFault, Uri};

/// A fetcher whose responses depend on the path.
struct ScriptedFetcher;

fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn failure(kind: FaultKind, status: Option<u16>, retry_after_s: Option<u64>) -> FetchFailure {
    FetchFailure { fault: Fault::new(kind, "scripted"), status, retry_after_s, sent: true }
}

#[async_trait]
impl Fetcher for ScriptedFetcher {
    async fn locate(&self, _: &Uri) -> Result<Option<IpAddr>, FetchFailure> {
        Ok(None)
    }

    async fn probe(&self, _: FetchRequest<'_>) -> FetchResponse<ProbeResult> {
        Ok(ProbeResult::default()).into()
    }

    async fn fetch(&self, request: FetchRequest<'_>) -> FetchResponse {
        Self::respond(request.uri).into()
    }
}

impl ScriptedFetcher {
    fn respond(uri: &Uri) -> Result<FetchOutcome, FetchFailure> {
        let whole = |bytes: Vec<u8>, cut: Option<FaultKind>| ResponseBody::Buffered {
            bytes: bytes.into(),
            truncation: cut.map(|kind| Fault::new(kind, "scripted")),
        };
        let body = match uri.path() {
            "/moved" => {
                return Ok(FetchOutcome::Redirect {
                    status: 303,
                    target: Ok(self::uri("http://b.org/x")),
                    retry_after_s: Some(7),
                });
            }
            "/missing" => return Err(failure(FaultKind::Status, Some(404), None)),
            "/busy" => return Err(failure(FaultKind::Overloaded, Some(503), Some(7))),
            "/silent" => return Err(failure(FaultKind::Timeout, None, None)),
            "/cut" => whole(b"abc".to_vec(), Some(FaultKind::TooLarge)),
            "/large" => ResponseBody::Stream(Box::new(std::io::repeat(b'x').take(3_000_000))),
            path => whole(path.repeat(50).into_bytes(), None),
        };
        let media_type = Some("text/turtle; charset=utf-8".to_owned());
        let mut found = Representation::new(uri.clone(), media_type, body);
        found.fetch.validators.etag = Some("\"e\"".to_owned());
        found.links = vec!["<a>; rel=b".to_owned(), "<c>".to_owned()];
        Ok(FetchOutcome::Representation(Box::new(found)))
    }
}

async fn fetch(fetcher: &dyn Fetcher, url: &str) -> Result<FetchOutcome, FetchFailure> {
    fetcher.fetch(FetchRequest::harvest(&uri(url))).await.result
}

/// The complete response as text, for comparison.
async fn response_text(fetcher: &dyn Fetcher, path: &str) -> String {
    match fetch(fetcher, &format!("http://a.org{path}")).await {
        Err(failure) => format!("{:?} {:?} {:?}", failure.fault.kind, failure.status, failure.retry_after_s),
        Ok(FetchOutcome::Redirect { status, target, .. }) => format!("{status} {:?}", target.unwrap()),
        Ok(FetchOutcome::Unchanged) => "304".to_owned(),
        Ok(FetchOutcome::Representation(found)) => {
            let (bytes, cut) = read(found.body);
            let fields = (found.uri, found.fetch, found.links);
            format!("{fields:?} {} {cut:?}", String::from_utf8_lossy(&bytes))
        }
    }
}

fn read(body: ResponseBody) -> (Vec<u8>, Option<FaultKind>) {
    match body {
        ResponseBody::Buffered { bytes, truncation } => (bytes.to_vec(), truncation.map(|fault| fault.kind)),
        ResponseBody::Stream(mut reader) => {
            let mut bytes = Vec::new();
            let result = reader.read_to_end(&mut bytes);
            let truncation =
                result.err().and_then(|error| Some(error.get_ref()?.downcast_ref::<StreamFault>()?.0.kind));
            (bytes, truncation)
        }
    }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_recorded_crawl_replays_identically() {
    let directory = tempfile::tempdir().unwrap();
    let options = WarcOptions { dir: directory.path().to_owned(), max_file_bytes: 4_000, ..WarcOptions::default() };
    let paths = ["/a", "/moved", "/missing", "/busy", "/cut", "/large", "/empty?q", "/a/%C3%A4", "/z"];

    let recorder = WarcRecorder::new(ScriptedFetcher, options.clone(), || 784_111_777_000).unwrap();
    let mut live = Vec::new();
    for path in paths {
        live.push(response_text(&recorder, path).await);
    }
    response_text(&recorder, "/silent").await;
    recorder.finish().unwrap();

    let files = files(directory.path());
    assert!(files.len() > 1, "files are rotated: {files:?}");
    let replay = WarcReplay::open(files).unwrap();
    assert_eq!(replay.response_count(), paths.len());
    for (path, live) in paths.iter().zip(live) {
        assert!(response_text(&replay, path).await == live, "{path}");
    }
    assert_eq!(
        replay.probe(FetchRequest::harvest(&uri("http://a.org/a"))).await.result.unwrap().media_type.as_deref(),
        Some("text/turtle; charset=utf-8")
    );
    assert_eq!(response_text(&replay, "/silent").await, "Status Some(404) None");
    let unknown_host = fetch(&replay, "http://never.org/").await.unwrap_err();
    assert_eq!((unknown_host.fault.kind, unknown_host.sent), (FaultKind::Dns, false));

    // A second recording adds files to the first.
    let again = WarcRecorder::new(ScriptedFetcher, options, || 0).unwrap();
    response_text(&again, "/new").await;
    assert_eq!(WarcReplay::open(self::files(directory.path())).unwrap().response_count(), paths.len() + 1);
}

#[tokio::test]
async fn a_partly_read_body_is_recorded_as_far_as_it_was_read() {
    let directory = tempfile::tempdir().unwrap();
    let options = WarcOptions { dir: directory.path().to_owned(), ..WarcOptions::default() };
    let recorder = WarcRecorder::new(ScriptedFetcher, options, || 0).unwrap();

    let Ok(FetchOutcome::Representation(found)) = fetch(&recorder, "http://a.org/large").await else {
        panic!("not a representation")
    };
    let ResponseBody::Stream(mut reader) = found.body else { panic!("not a stream") };
    reader.read_exact(&mut [0; 5_000]).unwrap();
    drop(reader);

    let replay = WarcReplay::open(files(directory.path())).unwrap();
    let Ok(FetchOutcome::Representation(found)) = fetch(&replay, "http://a.org/large").await else {
        panic!("not recorded")
    };
    assert_eq!(read(found.body), (vec![b'x'; 5_000], Some(FaultKind::Truncated)));
}

#[tokio::test]
async fn raw_http_recordings_are_replayed() {
    let record = |target: &str, http: &[u8]| {
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {target}\r\nContent-Length: {}\r\n\r\n",
            http.len()
        );
        [head.as_bytes(), http, b"\r\n\r\n"].concat()
    };
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(b"zipped").unwrap();
    let zipped = [&b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"[..], &gzip.finish().unwrap()].concat();
    let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    let warc = [
        record("http://a.org/zipped", &zipped),
        record("http://a.org/chunked", chunked),
        record("http://a.org/", b"HTTP/1.1 200 OK\r\n\r\nroot"),
        record("http://a.org", b"HTTP/1.1 301 Moved\r\nLocation: http://a.org/\r\n\r\n"),
    ];
    let directory = tempfile::tempdir().unwrap();
    let (plain, cut) = (directory.path().join("plain.warc"), directory.path().join("cut.warc"));
    std::fs::write(&plain, warc.concat()).unwrap();
    std::fs::write(&cut, &warc.concat()[..warc[0].len() + 40]).unwrap();

    let replay = WarcReplay::open(vec![plain]).unwrap();
    for (path, expected) in [("/zipped", "zipped"), ("/chunked", "abcde"), ("/", "root")] {
        let response_text = response_text(&replay, path).await;
        assert!(response_text.ends_with(&format!("{expected} None")), "{response_text}");
    }
    assert_eq!(WarcReplay::open(vec![cut]).unwrap().response_count(), 1);
    assert!(WarcReplay::open(vec!["/no/such.warc".into()]).is_err());
    assert!(WarcReplay::open(vec![concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml").into()]).is_err());
}

#[tokio::test]
async fn the_mini_web_is_replayed() {
    let Some(file) = toyweb::test_data::find("data/miniweb/public-1.warc.gz") else { return };

    let replay = WarcReplay::open(vec![file]).unwrap();

    assert!(replay.response_count() > 15_000, "{}", replay.response_count());
    let moved = fetch(&replay, "http://0kelvins.github.io/").await;
    assert!(
        matches!(moved, Ok(FetchOutcome::Redirect { status: 301, target: Ok(target), .. }) if target.scheme() == "https")
    );
    let found = fetch(&replay, "https://0kelvins.github.io/").await;
    let Ok(FetchOutcome::Representation(found)) = found else { panic!("not a document: {found:?}") };
    assert_eq!(read(found.body).0.len(), 86_869);
}
