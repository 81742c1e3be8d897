//! Reads WARC files: locates records and reads their blocks.
//!
//! Files may be compressed per record, as the standard recommends, uncompressed, or compressed as a whole. In the last
//! case every lookup is slow.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use flate2::bufread::GzDecoder;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const MAX_LINE_BYTES: u64 = 64 * 1024;
/// The largest record that is replayed, because a response is held in memory.
const MAX_BLOCK_BYTES: u64 = 1 << 30;

/// The position of a record in its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordLocator {
    /// The offset of its gzip member, or of the record itself if uncompressed.
    offset: u64,
    /// The length of the member or record.
    length: u64,
    /// The number of bytes before the record in the decompressed member.
    skip: u64,
}

/// The named fields of a record.
#[derive(Debug)]
pub(super) struct RecordFields(Vec<(String, String)>);

impl RecordFields {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn block_bytes(&self) -> io::Result<u64> {
        let length = self.get("Content-Length").and_then(|length| length.parse().ok());
        length.ok_or_else(|| invalid("record without Content-Length"))
    }
}

/// Calls `found` for every record of a file, in order. An error is returned after all records before it.
pub(super) fn scan(path: &Path, mut found: impl FnMut(RecordLocator, &RecordFields)) -> io::Result<()> {
    let mut source = PositionReader::new(BufReader::with_capacity(1 << 16, File::open(path)?));
    loop {
        let offset = source.position;
        let ahead = source.fill_buf()?;
        if ahead.is_empty() {
            return Ok(());
        }
        if !ahead.starts_with(&GZIP_MAGIC[..ahead.len().min(2)]) {
            let Some(fields) = read_fields(&mut source)? else { return Ok(()) };
            skip(&mut source, fields.block_bytes()?)?;
            found(RecordLocator { offset, length: source.position - offset, skip: 0 }, &fields);
            continue;
        }
        let mut records = Vec::new();
        let member = scan_member(GzDecoder::new(&mut source), &mut records);
        let length = source.position - offset;
        for (skip, fields) in records {
            found(RecordLocator { offset, length, skip }, &fields);
        }
        member?;
    }
}

fn scan_member(member: impl Read, records: &mut Vec<(u64, RecordFields)>) -> io::Result<()> {
    let mut member = PositionReader::new(BufReader::with_capacity(1 << 15, member));
    loop {
        let before = member.position;
        let Some(fields) = read_fields(&mut member)? else { return Ok(()) };
        skip(&mut member, fields.block_bytes()?)?;
        records.push((before, fields));
    }
}

/// The block of the record at `locator`.
pub(super) fn read_block(file: &File, locator: RecordLocator) -> io::Result<Vec<u8>> {
    let mut member = vec![0; usize::try_from(locator.length).map_err(io::Error::other)?];
    file.read_exact_at(&mut member, locator.offset)?;
    if !member.starts_with(&GZIP_MAGIC) {
        return read_block_after(&mut member.as_slice(), 0);
    }
    read_block_after(&mut BufReader::new(GzDecoder::new(member.as_slice())), locator.skip)
}

fn read_block_after(reader: &mut impl BufRead, before: u64) -> io::Result<Vec<u8>> {
    skip(reader, before)?;
    let fields = read_fields(reader)?.ok_or_else(|| invalid("record not found at its position"))?;
    let length = fields.block_bytes()?.min(MAX_BLOCK_BYTES);
    let mut block = Vec::new();
    reader.take(length).read_to_end(&mut block)?;
    Ok(block)
}

/// Reads a version line and the fields up to the empty line; `None` at the end.
fn read_fields(reader: &mut impl BufRead) -> io::Result<Option<RecordFields>> {
    let mut line = Vec::new();
    // Two empty lines end a record. Some writers omit one, some add one.
    while line.is_empty() {
        if !read_line(reader, &mut line)? {
            return Ok(None);
        }
    }
    if !line.starts_with(b"WARC/") {
        return Err(invalid("not a WARC record"));
    }
    let mut fields: Vec<(String, String)> = Vec::new();
    while read_line(reader, &mut line)? && !line.is_empty() {
        let text = String::from_utf8_lossy(&line);
        match (text.split_once(':'), fields.last_mut()) {
            (_, Some((_, value))) if text.starts_with([' ', '\t']) => {
                value.push(' ');
                value.push_str(text.trim());
            }
            (Some((name, value)), _) => fields.push((name.trim().to_owned(), value.trim().to_owned())),
            // A line that is not a field is ignored.
            (None, _) => {}
        }
    }
    Ok(Some(RecordFields(fields)))
}

/// Reads a line without its line end; false at the end of the input.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    if reader.take(MAX_LINE_BYTES).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    line.truncate(line.trim_ascii_end().len());
    Ok(true)
}

fn skip(reader: &mut impl Read, bytes: u64) -> io::Result<()> {
    let skipped = io::copy(&mut reader.take(bytes), &mut io::sink())?;
    if skipped == bytes { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// A reader that counts the bytes read.
struct PositionReader<R> {
    reader: R,
    position: u64,
}

impl<R> PositionReader<R> {
    fn new(reader: R) -> Self {
        Self { reader, position: 0 }
    }
}

impl<R: BufRead> Read for PositionReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for PositionReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.reader.consume(bytes);
        self.position += bytes as u64;
    }
}
