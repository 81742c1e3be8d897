//! Writes WARC files with one gzip member per record.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use xxhash_rust::xxh3::xxh3_128;

use crate::message::WebResponse;

/// Number of records per file. Larger recordings have several files, so that several readers can share the work.
const RECORDS_PER_FILE: u32 = 100_000;
/// A world has no time of day, so all records have the same date.
const DATE: &str = "2000-01-01T00:00:00Z";

/// Writes records into `world-1.warc.gz` and its successors.
pub(super) struct WarcFileWriter {
    directory: PathBuf,
    file: Option<BufWriter<File>>,
    files: u32,
    records: u32,
}

impl WarcFileWriter {
    pub(super) fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), file: None, files: 0, records: 0 }
    }

    /// Appends one response.
    pub(super) fn write_response(&mut self, url: &str, response: &WebResponse, body: &[u8]) -> io::Result<()> {
        let mut block = Vec::with_capacity(body.len() + 256);
        let reason = response.status.canonical_reason().unwrap_or_default();
        write!(block, "HTTP/1.1 {} {reason}\r\n", response.status.as_str())?;
        for (name, value) in &response.headers {
            write!(block, "{name}: ")?;
            block.extend_from_slice(value.as_bytes());
            block.extend_from_slice(b"\r\n");
        }
        write!(block, "content-length: {}\r\n\r\n", body.len())?;
        block.extend_from_slice(body);
        let fields = format!("WARC-Type: response\r\nWARC-Target-URI: {url}\r\n");
        self.write("application/http; msgtype=response", &fields, &block)
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }

    fn write(&mut self, content_type: &str, fields: &str, block: &[u8]) -> io::Result<()> {
        let id = uuid(xxh3_128(fields.as_bytes()));
        let mut record = GzEncoder::new(self.current_file()?, Compression::fast());
        let length = block.len();
        write!(record, "WARC/1.0\r\n{fields}WARC-Date: {DATE}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n")?;
        write!(record, "Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n")?;
        record.write_all(block)?;
        record.write_all(b"\r\n\r\n")?;
        record.finish()?;
        Ok(())
    }

    fn current_file(&mut self) -> io::Result<&mut BufWriter<File>> {
        if self.file.is_none() || self.records == RECORDS_PER_FILE {
            self.finish()?;
            self.files += 1;
            self.records = 0;
            let path = self.directory.join(format!("world-{}.warc.gz", self.files));
            self.file = Some(BufWriter::with_capacity(1 << 20, File::create(path)?));
        }
        self.records += 1;
        Ok(self.file.as_mut().expect("opened above"))
    }
}

/// A record ID derived from the fields of the record, so that recordings are reproducible.
fn uuid(bits: u128) -> String {
    let hex = format!("{bits:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
