//! WARC recordings. The first byte of an input selects whether it is compressed before it is
//! read: a mutated compressed file rarely passes its checksum.

use std::fs;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use lodeward::fetch::warc::WarcReplay;
use lodeward::fetch::{FetchOutcome, FetchRequest, Fetcher as _, ResponseBody};
use lodeward::model::Uri;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::seeds::RECORDING;
use super::{Target, scratch};

pub(super) struct Recordings {
    temp_dir: TempDir,
    runtime: Runtime,
}

impl Recordings {
    pub(super) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        Self { temp_dir: scratch(), runtime }
    }
}

impl Target for Recordings {
    fn name(&self) -> &'static str {
        "warc"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let plain = RECORDING.as_bytes();
        let encoded_record = |coding: &str, body: &[u8]| {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Type: text/plain\r\n\r\n");
            let length = head.len() + body.len();
            let record = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.org/1\r\n";
            let head = format!("{record}Content-Length: {length}\r\n\r\n{head}");
            [b"\0", head.as_bytes(), body, b"\r\n\r\n"].concat()
        };
        let compressed = zstd::encode_all(plain, 1).expect("writing to memory succeeds");
        vec![
            [b"\0", plain].concat(),
            [b"\x01", plain].concat(),
            [&[0], gzip(plain).as_slice()].concat(),
            encoded_record("gzip", &gzip(&plain.repeat(5))),
            encoded_record("zstd", &compressed),
            encoded_record("br", b"\x0b\x02\x80hello\x03"),
            encoded_record("deflate", b"x\x9c\xcbH\xcd\xc9\xc9\x07\x00\x06,\x02\x15"),
        ]
    }

    fn run(&self, input: &[u8]) {
        let Some((flags, bytes)) = input.split_first() else { return };
        let path = self.temp_dir.path().join("fuzz.warc");
        let bytes = if flags & 1 == 1 { records(bytes).flat_map(gzip).collect() } else { bytes.to_vec() };
        fs::write(&path, bytes).expect("a temporary file can be written");
        let Ok(replay) = WarcReplay::open(vec![path]) else { return };
        for number in 1..4 {
            let uri = Uri::parse(&format!("http://a.org/{number}")).expect("a valid URL");
            let request = FetchRequest::harvest(&uri);
            let _ = self.runtime.block_on(replay.probe(request));
            let fetched = self.runtime.block_on(replay.fetch(request)).result;
            if let Ok(FetchOutcome::Representation(representation)) = fetched
                && let ResponseBody::Stream(stream) = representation.body
            {
                // A decompression bomb can be very long, so only a part is read.
                let _ = std::io::copy(&mut stream.take(32 << 20), &mut std::io::sink());
            }
        }
    }
}

/// The records of a possibly broken recording.
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
    encoder.write_all(bytes).expect("writing to memory succeeds");
    encoder.finish().expect("writing to memory succeeds")
}
