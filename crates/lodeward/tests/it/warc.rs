//! A web that is recorded and replayed is the same web.

use std::io::{Read, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use lodeward::fetch::warc::{Recorder, Replay, WriterOptions};
use lodeward::fetch::{Body, CutShort, Fetched, Fetcher, Purpose, Refusal, Representation};
use lodeward::model::{Fault, FaultKind, Probe, Uri};

/// A web whose answers are in their paths.
struct Invented;

fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn refusal(kind: FaultKind, status: Option<u16>, retry_after_s: Option<u64>) -> Refusal {
    Refusal { fault: Fault::new(kind, "invented"), status, retry_after_s, sent: true }
}

#[async_trait]
impl Fetcher for Invented {
    async fn locate(&self, _: &Uri) -> Result<Option<IpAddr>, Refusal> {
        Ok(None)
    }

    async fn probe(&self, _: &Uri) -> Result<Probe, Refusal> {
        Ok(Probe::default())
    }

    async fn fetch(&self, uri: &Uri, _: Purpose<'_>) -> Result<Fetched, Refusal> {
        let whole = |bytes: Vec<u8>, cut: Option<FaultKind>| Body::Whole {
            bytes: bytes.into(),
            cut: cut.map(|kind| Fault::new(kind, "invented")),
        };
        let body = match uri.path() {
            "/moved" => return Ok(Fetched::Redirect { status: 303, target: Ok(self::uri("http://b.org/x")) }),
            "/missing" => return Err(refusal(FaultKind::Status, Some(404), None)),
            "/busy" => return Err(refusal(FaultKind::Busy, Some(503), Some(7))),
            "/silent" => return Err(refusal(FaultKind::Timeout, None, None)),
            "/cut" => whole(b"abc".to_vec(), Some(FaultKind::TooLarge)),
            "/large" => Body::Stream(Box::new(std::io::repeat(b'x').take(3_000_000))),
            path => whole(path.repeat(50).into_bytes(), None),
        };
        Ok(Fetched::Representation(Box::new(Representation {
            uri: uri.clone(),
            status: 200,
            content_type: Some("text/turtle; charset=utf-8".to_owned()),
            etag: Some("\"e\"".to_owned()),
            last_modified: None,
            links: vec!["<a>; rel=b".to_owned(), "<c>".to_owned()],
            body,
        })))
    }
}

/// All of an answer as text, so that two can be compared.
async fn told(fetcher: &dyn Fetcher, path: &str) -> String {
    match fetcher.fetch(&uri(&format!("http://a.org{path}")), Purpose::Harvest).await {
        Err(refusal) => format!("{:?} {:?} {:?}", refusal.fault.kind, refusal.status, refusal.retry_after_s),
        Ok(Fetched::Redirect { status, target }) => format!("{status} {:?}", target.unwrap()),
        Ok(Fetched::Unchanged) => "304".to_owned(),
        Ok(Fetched::Representation(found)) => {
            let (bytes, cut) = read(found.body);
            let fields = (found.uri, found.content_type, found.etag, found.last_modified, found.links);
            format!("{fields:?} {} {cut:?}", String::from_utf8_lossy(&bytes))
        }
    }
}

fn read(body: Body) -> (Vec<u8>, Option<FaultKind>) {
    match body {
        Body::Whole { bytes, cut } => (bytes.to_vec(), cut.map(|fault| fault.kind)),
        Body::Stream(mut reader) => {
            let mut bytes = Vec::new();
            let result = reader.read_to_end(&mut bytes);
            let cut = result.err().and_then(|error| Some(error.get_ref()?.downcast_ref::<CutShort>()?.0.kind));
            (bytes, cut)
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_recorded_web_replays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let options = WriterOptions { folder: folder.path().to_owned(), file_bytes_max: 4_000, ..WriterOptions::default() };
    let paths = ["/a", "/moved", "/missing", "/busy", "/cut", "/large", "/empty?q", "/a/%C3%A4", "/z"];

    let recorder = Recorder::new(Invented, options.clone(), || 784_111_777_000).unwrap();
    let mut live = Vec::new();
    for path in paths {
        live.push(told(&recorder, path).await);
    }
    told(&recorder, "/silent").await;
    recorder.finish().unwrap();

    let files = files(folder.path());
    assert!(files.len() > 1, "files are rotated: {files:?}");
    let replay = Replay::open(files).unwrap();
    assert_eq!(replay.recorded(), paths.len());
    for (path, live) in paths.iter().zip(live) {
        assert!(told(&replay, path).await == live, "{path}");
    }
    assert_eq!(
        replay.probe(&uri("http://a.org/a")).await.unwrap().media_type.as_deref(),
        Some("text/turtle; charset=utf-8")
    );
    assert_eq!(told(&replay, "/silent").await, "Status Some(404) None");
    let elsewhere = replay.fetch(&uri("http://never.org/"), Purpose::Harvest).await.unwrap_err();
    assert_eq!((elsewhere.fault.kind, elsewhere.sent), (FaultKind::Dns, false));

    // A second recording continues beside the first.
    let again = Recorder::new(Invented, options, || 0).unwrap();
    told(&again, "/new").await;
    assert_eq!(Replay::open(self::files(folder.path())).unwrap().recorded(), paths.len() + 1);
}

#[tokio::test]
async fn a_reader_that_had_enough_leaves_what_it_saw() {
    let folder = tempfile::tempdir().unwrap();
    let options = WriterOptions { folder: folder.path().to_owned(), ..WriterOptions::default() };
    let recorder = Recorder::new(Invented, options, || 0).unwrap();

    let Ok(Fetched::Representation(found)) = recorder.fetch(&uri("http://a.org/large"), Purpose::Harvest).await else {
        panic!("not a representation")
    };
    let Body::Stream(mut reader) = found.body else { panic!("not a stream") };
    reader.read_exact(&mut [0; 5_000]).unwrap();
    drop(reader);

    let replay = Replay::open(files(folder.path())).unwrap();
    let Ok(Fetched::Representation(found)) = replay.fetch(&uri("http://a.org/large"), Purpose::Harvest).await else {
        panic!("not recorded")
    };
    assert_eq!(read(found.body), (vec![b'x'; 5_000], Some(FaultKind::Truncated)));
}

#[tokio::test]
async fn recordings_of_the_wire_are_understood() {
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
    let folder = tempfile::tempdir().unwrap();
    let (plain, cut) = (folder.path().join("plain.warc"), folder.path().join("cut.warc"));
    std::fs::write(&plain, warc.concat()).unwrap();
    std::fs::write(&cut, &warc.concat()[..warc[0].len() + 40]).unwrap();

    let replay = Replay::open(vec![plain]).unwrap();
    for (path, expected) in [("/zipped", "zipped"), ("/chunked", "abcde"), ("/", "root")] {
        let told = told(&replay, path).await;
        assert!(told.ends_with(&format!("{expected} None")), "{told}");
    }
    assert_eq!(Replay::open(vec![cut]).unwrap().recorded(), 1);
    assert!(Replay::open(vec!["/no/such.warc".into()]).is_err());
    assert!(Replay::open(vec![concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml").into()]).is_err());
}

#[tokio::test]
async fn the_mini_web_replays() {
    let Some(file) = toyweb::shared::find("data/miniweb/public-1.warc.gz") else { return };

    let replay = Replay::open(vec![file]).unwrap();

    assert!(replay.recorded() > 15_000, "{}", replay.recorded());
    let moved = replay.fetch(&uri("http://0kelvins.github.io/"), Purpose::Harvest).await;
    assert!(matches!(moved, Ok(Fetched::Redirect { status: 301, target: Ok(target) }) if target.scheme() == "https"));
    let found = replay.fetch(&uri("https://0kelvins.github.io/"), Purpose::Harvest).await;
    let Ok(Fetched::Representation(found)) = found else { panic!("not a document: {found:?}") };
    assert_eq!(read(found.body).0.len(), 86_869);
}
