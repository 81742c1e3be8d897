//! Writes records to files: one gzip member per record, a new file when one is full.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::model::Uri;
use crate::time::format_iso8601;

/// Where to write recordings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WarcOptions {
    /// The directory of the files; created if it does not exist.
    pub dir: PathBuf,
    /// Prefix of the file names: `PREFIX-00001.warc.gz` and so on. Existing files are not changed.
    pub prefix: String,
    /// Maximum size of a file before a new one is started. One gigabyte is the convention of web archives.
    pub max_file_bytes: u64,
}

impl Default for WarcOptions {
    fn default() -> Self {
        Self { dir: "warc".into(), prefix: "lodeward".to_owned(), max_file_bytes: 1_000_000_000 }
    }
}

/// A response to be written.
pub(super) struct WarcResponse<'a> {
    pub(super) uri: &'a Uri,
    pub(super) date_ms: u64,
    /// Status line and fields, without the blank line.
    pub(super) http_head: &'a str,
    /// The value of `WARC-Truncated`, if the body is not complete.
    pub(super) truncated: Option<&'static str>,
    pub(super) body_bytes: u64,
}

/// Writes records. Each is passed to the operating system when it is complete, so that a crash loses at most the record
/// being written.
pub(super) struct WarcWriter {
    options: WarcOptions,
    file: File,
    file_name: String,
    file_bytes: u64,
    files: u32,
    records: u64,
}

impl WarcWriter {
    pub(super) fn open(options: WarcOptions, date_ms: u64) -> io::Result<Self> {
        std::fs::create_dir_all(&options.dir)?;
        let (file, file_name, files) = next_file(&options, 1)?;
        let mut writer = Self { options, file, file_name, file_bytes: 0, files, records: 0 };
        writer.write_info(date_ms)?;
        Ok(writer)
    }

    /// A temporary file for a body of unknown length.
    pub(super) fn spool_file(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.options.dir)
    }

    /// Writes one response; its body is read to the end.
    pub(super) fn write(&mut self, response: &WarcResponse<'_>, body: &mut dyn Read) -> io::Result<()> {
        if self.file_bytes >= self.options.max_file_bytes {
            (self.file, self.file_name, self.files) = next_file(&self.options, self.files + 1)?;
            self.file_bytes = 0;
            self.write_info(response.date_ms)?;
        }
        let http_head = format!(
            "{}Content-Length: {}\r\nX-Lodeward-Note: content and transfer codings removed\r\n\r\n",
            response.http_head, response.body_bytes
        );
        let truncated = response.truncated.map(|reason| format!("WARC-Truncated: {reason}\r\n")).unwrap_or_default();
        let fields = format!(
            "WARC-Type: response\r\nWARC-Target-URI: {}\r\n{truncated}Content-Type: application/http; msgtype=response\r\n",
            response.uri
        );
        let length = http_head.len() as u64 + response.body_bytes;
        self.append(&fields, response.date_ms, length, &mut http_head.as_bytes().chain(body.take(response.body_bytes)))
    }

    fn write_info(&mut self, date_ms: u64) -> io::Result<()> {
        let block = concat!("software: lodeward/", env!("CARGO_PKG_VERSION"), "\r\nformat: WARC File Format 1.1\r\n");
        let fields = format!(
            "WARC-Type: warcinfo\r\nWARC-Filename: {}\r\nContent-Type: application/warc-fields\r\n",
            self.file_name
        );
        self.append(&fields, date_ms, block.len() as u64, &mut block.as_bytes())
    }

    fn append(&mut self, fields: &str, date_ms: u64, length: u64, block: &mut dyn Read) -> io::Result<()> {
        self.records += 1;
        let head = format!(
            "WARC/1.1\r\nWARC-Record-ID: {}\r\nWARC-Date: {}\r\n{fields}Content-Length: {length}\r\n\r\n",
            self.record_id(fields, date_ms),
            format_iso8601(date_ms),
        );
        let mut counted = CountingFile { file: &mut self.file, bytes: 0 };
        // Uses the fastest compression level, so that recording does not slow down the crawl.
        let mut gzip = GzEncoder::new(io::BufWriter::with_capacity(64 * 1_024, &mut counted), Compression::fast());
        gzip.write_all(head.as_bytes())?;
        let copied = io::copy(block, &mut gzip)?;
        // If the body is shorter than declared, it is padded with zeros; otherwise all following records would be
        // shifted.
        io::copy(&mut io::repeat(0).take(length.saturating_sub(copied)), &mut gzip)?;
        gzip.write_all(b"\r\n\r\n")?;
        gzip.finish()?.flush()?;
        self.file_bytes += counted.bytes;
        Ok(())
    }

    /// A record ID that is unique without randomness: a hash of the file name, the number of the record, its date and
    /// its fields, in the form of a custom UUID (RFC 9562, version 8).
    fn record_id(&self, fields: &str, date_ms: u64) -> String {
        let key = format!("{}\n{}\n{date_ms}\n{fields}", self.file_name, self.records);
        let hash = xxhash_rust::xxh3::xxh3_128(key.as_bytes());
        let bits = hash & !(0xf << 76) & !(0b11 << 62) | 8 << 76 | 0b10 << 62;
        let hex = format!("{bits:032x}");
        format!("<urn:uuid:{}-{}-{}-{}-{}>", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }
}

/// Creates the first file numbered `from` or higher that does not exist yet.
fn next_file(options: &WarcOptions, from: u32) -> io::Result<(File, String, u32)> {
    for number in from.. {
        let name = format!("{}-{number:05}.warc.gz", options.prefix);
        match File::create_new(options.dir.join(&name)) {
            Ok(file) => return Ok((file, name, number)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

struct CountingFile<'a> {
    file: &'a mut File,
    bytes: u64,
}

impl Write for CountingFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.file.write(bytes)?;
        self.bytes += length as u64;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
