//! WARC files, read: what is where, and what it says.
//!
//! Compressed record by record, as the standard recommends, or not at all, or
//! as a whole; the last makes every look-up slow but not wrong.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use flate2::bufread::GzDecoder;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const LINE_BYTES_MAX: u64 = 64 * 1024;
/// The largest record that is replayed; a replay is held in memory whole.
const BLOCK_BYTES_MAX: u64 = 1 << 30;

/// Where a record stands in its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Locator {
    /// Where its gzip member begins, or the record itself when uncompressed.
    offset: u64,
    /// How long that is.
    length: u64,
    /// How many bytes of the member come before the record.
    skip: u64,
}

/// The named fields of a record.
#[derive(Debug)]
pub(super) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn block_bytes(&self) -> io::Result<u64> {
        let length = self.get("Content-Length").and_then(|length| length.parse().ok());
        length.ok_or_else(|| invalid("a record without a length"))
    }
}

/// Tells `found` of every record of a file, in order. An error comes after the
/// records before it have been told.
pub(super) fn scan(path: &Path, mut found: impl FnMut(Locator, &Fields)) -> io::Result<()> {
    let mut source = Counted::new(BufReader::with_capacity(1 << 16, File::open(path)?));
    loop {
        let offset = source.position;
        let ahead = source.fill_buf()?;
        if ahead.is_empty() {
            return Ok(());
        }
        if !ahead.starts_with(&GZIP_MAGIC[..ahead.len().min(2)]) {
            let Some(fields) = read_fields(&mut source)? else { return Ok(()) };
            skip(&mut source, fields.block_bytes()?)?;
            found(Locator { offset, length: source.position - offset, skip: 0 }, &fields);
            continue;
        }
        let mut records = Vec::new();
        let member = scan_member(GzDecoder::new(&mut source), &mut records);
        let length = source.position - offset;
        for (skip, fields) in records {
            found(Locator { offset, length, skip }, &fields);
        }
        member?;
    }
}

fn scan_member(member: impl Read, records: &mut Vec<(u64, Fields)>) -> io::Result<()> {
    let mut member = Counted::new(BufReader::with_capacity(1 << 15, member));
    loop {
        let before = member.position;
        let Some(fields) = read_fields(&mut member)? else { return Ok(()) };
        skip(&mut member, fields.block_bytes()?)?;
        records.push((before, fields));
    }
}

/// The block of the record at `locator`.
pub(super) fn read_block(file: &File, locator: Locator) -> io::Result<Vec<u8>> {
    let mut member = vec![0; usize::try_from(locator.length).map_err(io::Error::other)?];
    file.read_exact_at(&mut member, locator.offset)?;
    if !member.starts_with(&GZIP_MAGIC) {
        return block_after(&mut member.as_slice(), 0);
    }
    block_after(&mut BufReader::new(GzDecoder::new(member.as_slice())), locator.skip)
}

fn block_after(reader: &mut impl BufRead, before: u64) -> io::Result<Vec<u8>> {
    skip(reader, before)?;
    let fields = read_fields(reader)?.ok_or_else(|| invalid("no record where one was"))?;
    let length = fields.block_bytes()?.min(BLOCK_BYTES_MAX);
    let mut block = Vec::new();
    reader.take(length).read_to_end(&mut block)?;
    Ok(block)
}

/// Reads a version line and the fields up to the empty line; `None` at the end.
fn read_fields(reader: &mut impl BufRead) -> io::Result<Option<Fields>> {
    let mut line = Vec::new();
    // Two empty lines end a record; some writers leave one out, some add one.
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
            // A line that is no field harms nobody.
            (None, _) => {}
        }
    }
    Ok(Some(Fields(fields)))
}

/// Reads a line without its end; false when there is none.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    if reader.take(LINE_BYTES_MAX).read_until(b'\n', line)? == 0 {
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

/// A reader that knows how far it has read.
struct Counted<R> {
    reader: R,
    position: u64,
}

impl<R> Counted<R> {
    fn new(reader: R) -> Self {
        Self { reader, position: 0 }
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.reader.consume(bytes);
        self.position += bytes as u64;
    }
}
