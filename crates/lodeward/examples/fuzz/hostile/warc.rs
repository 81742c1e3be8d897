//! Recordings. The first byte of an input says whether it is compressed before
//! it is read; a compressed file that is changed by itself rarely gets past its
//! checksum.

use std::fs;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use lodeward::fetch::warc::Replay;
use lodeward::fetch::{Body, Fetched, Fetcher as _, Purpose};
use lodeward::model::Uri;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::seeds::RECORDING;
use super::{Target, scratch};

pub(super) struct Recordings {
    folder: TempDir,
    runtime: Runtime,
}

impl Recordings {
    pub(super) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        Self { folder: scratch(), runtime }
    }
}

impl Target for Recordings {
    fn name(&self) -> &'static str {
        "warc"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let plain = RECORDING.as_bytes();
        let coded = |coding: &str, body: &[u8]| {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Type: text/plain\r\n\r\n");
            let length = head.len() + body.len();
            let record = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.org/1\r\n";
            let head = format!("{record}Content-Length: {length}\r\n\r\n{head}");
            [b"\0", head.as_bytes(), body, b"\r\n\r\n"].concat()
        };
        let pressed = zstd::encode_all(plain, 1).expect("memory takes anything");
        vec![
            [b"\0", plain].concat(),
            [b"\x01", plain].concat(),
            [&[0], gzip(plain).as_slice()].concat(),
            coded("gzip", &gzip(&plain.repeat(5))),
            coded("zstd", &pressed),
            coded("br", b"\x0b\x02\x80hello\x03"),
            coded("deflate", b"x\x9c\xcbH\xcd\xc9\xc9\x07\x00\x06,\x02\x15"),
        ]
    }

    fn run(&self, input: &[u8]) {
        let Some((way, bytes)) = input.split_first() else { return };
        let path = self.folder.path().join("fuzz.warc");
        let bytes = if way & 1 == 1 { records(bytes).flat_map(gzip).collect() } else { bytes.to_vec() };
        fs::write(&path, bytes).expect("a temporary file can be written");
        let Ok(replay) = Replay::open(vec![path]) else { return };
        for number in 1..4 {
            let uri = Uri::parse(&format!("http://a.org/{number}")).expect("an address of ours");
            let _ = self.runtime.block_on(replay.probe(&uri));
            let fetched = self.runtime.block_on(replay.fetch(&uri, Purpose::Harvest));
            if let Ok(Fetched::Representation(representation)) = fetched
                && let Body::Stream(stream) = representation.body
            {
                // A bomb may be long, and is cut short where it is read.
                let _ = std::io::copy(&mut stream.take(32 << 20), &mut std::io::sink());
            }
        }
    }
}

/// The records of a recording that may be broken.
fn records(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let starts = memchr::memmem::find_iter(bytes, b"WARC/1").chain([bytes.len()]);
    let mut begin = 0;
    starts.filter_map(move |end| {
        let record = &bytes[begin..end];
        begin = end;
        (!record.is_empty()).then_some(record)
    })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes anything");
    encoder.finish().expect("memory takes anything")
}
