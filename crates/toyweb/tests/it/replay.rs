//! Tests of `toyweb::replay`.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use toyweb::replay::ReplayWeb;
use toyweb::{DeliveryFault, UnknownHosts, Web, WebBody, WebRequest, WebResponse};

fn record(url: &str, extra_field: &str, response: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n{extra_field}\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{response}\r\n\r\n",
        response.len()
    )
}

fn records() -> Vec<String> {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    let variant = "X-Accept-Variant: text/html\r\n";
    vec![
        "WARC/1.1\r\nWARC-Type: warcinfo\r\nContent-Length: 3\r\n\r\na:b\r\n\r\n".to_owned(),
        record("http://a.example/", "", "HTTP/1.1 200 OK\r\nContent-Type: text/turtle\r\nContent-Length: 3\r\n\r\n# a"),
        record("http://a.example", "", "HTTP/1.1 301 Moved\r\nLocation: http://a.example/\r\n\r\n"),
        record("http://a.example/x", "", "HTTP/1.1 303 See Other\r\nLocation: /x.ttl\r\n\r\n"),
        record("http://a.example/x", variant, "HTTP/1.1 303 See Other\r\nLocation: /x.html\r\n\r\n"),
        record("http://a.example/chunked", "", chunked),
        record("http://a.example/n%C3%A9#f", "", "HTTP/1.1 200 Fine\r\n\r\n\u{e9}"),
    ]
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("memory can be written to");
    encoder.finish().expect("memory can be written to")
}

fn check(path: &Path) {
    let replay = ReplayWeb::open(&[path.to_owned()], UnknownHosts::Dropped).expect("a WARC file");
    assert_eq!(replay.faults(), &[] as &[String]);

    let home = replay.respond(&WebRequest::get("http://a.example/"));
    assert_eq!(home.status, StatusCode::OK);
    assert_eq!(home.headers[CONTENT_TYPE], "text/turtle");
    assert_eq!(home.headers.len(), 1);
    assert_eq!(whole(home), b"# a");
    assert_eq!(whole(replay.respond(&WebRequest::get("http://a.example/chunked"))), b"abc");
    assert_eq!(whole(replay.respond(&WebRequest::get("http://a.example/n\u{e9}"))), "\u{e9}".as_bytes());

    let data = replay.respond(&WebRequest::get("http://a.example/x").with_header(ACCEPT, "text/turtle"));
    let page = replay.respond(&WebRequest::get("http://a.example/x").with_header(ACCEPT, "text/html,*/*;q=0.8"));
    assert_eq!([&data.headers[LOCATION], &page.headers[LOCATION]], ["/x.ttl", "/x.html"]);

    assert_eq!(replay.respond(&WebRequest::get("http://a.example/unknown")).status, StatusCode::NOT_FOUND);
    assert_eq!(replay.respond(&WebRequest::get("http://b.example/")).delivery, DeliveryFault::Dropped);
}

fn whole(response: WebResponse) -> Vec<u8> {
    match response.body {
        WebBody::Whole(body) => body.to_vec(),
        body => panic!("a recorded body is whole, not {body:?}"),
    }
}

#[test]
fn a_recording_is_replayed_with_any_compression() {
    let directory = tempfile::tempdir().expect("a directory");
    let by_record: Vec<u8> = records().iter().flat_map(|record| gzip(record)).collect();
    for (name, bytes) in [
        ("by-record.warc.gz", by_record),
        ("as-a-whole.warc.gz", gzip(&records().concat())),
        ("not.warc", records().concat().into_bytes()),
    ] {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).expect("a file can be written");
        check(&path);
    }
}

#[test]
fn a_truncated_recording_is_replayed_up_to_the_damage() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("broken.warc.gz");
    let mut bytes: Vec<u8> = records().iter().flat_map(|record| gzip(record)).collect();
    bytes.truncate(bytes.len() - 20);
    std::fs::write(&path, bytes).expect("a file can be written");

    let replay = ReplayWeb::open(&[path], UnknownHosts::BadGateway).expect("half a WARC file");

    assert_eq!(replay.faults().len(), 1);
    assert_eq!(replay.respond(&WebRequest::get("http://a.example/")).status, StatusCode::OK);
    assert_eq!(replay.respond(&WebRequest::get("http://b.example/")).status, StatusCode::BAD_GATEWAY);
}

#[test]
fn other_files_are_rejected() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("notes.txt");
    std::fs::write(&path, "not a recording").expect("a file can be written");

    assert!(ReplayWeb::open(&[path], UnknownHosts::default()).is_err());
    assert!(ReplayWeb::open(&[directory.path().join("missing")], UnknownHosts::default()).is_err());
}

#[test]
fn the_miniweb_is_replayed_as_recorded() {
    let Some(directory) = toyweb::test_data::find("data/miniweb") else { return };
    let files: Vec<PathBuf> = ["public-1.warc.gz", "public-2.warc.gz"].map(|name| directory.join(name)).into();

    let replay = ReplayWeb::open(&files, UnknownHosts::BadGateway).expect("WARC files");

    assert_eq!(replay.faults(), &[] as &[String]);
    for (url, status, bytes) in [
        ("https://0382.github.io", 200, 51_370),
        ("https://0382.github.io/2019/09/06/hexo/", 200, 25_252),
        ("http://0kelvins.github.io/", 301, 0),
        ("https://0382.github.io/not-there", 404, 9),
        ("https://not-there.example/", 502, 11),
    ] {
        let response = replay.respond(&WebRequest::get(url));
        assert_eq!((response.status.as_u16(), whole(response).len()), (status, bytes), "{url}");
    }
    let locations = ["application/ld+json", "text/html"].map(|accept| {
        let response = replay.respond(&WebRequest::get("http://w3id.org/bpo/1-1/").with_header(ACCEPT, accept));
        response.headers[LOCATION].to_str().expect("ASCII").to_owned()
    });
    let archive = "https://annawagner.github.io/bpo/archive/1-1/";
    assert_eq!(locations, [format!("{archive}/bpo.json"), archive.to_owned()]);
}
