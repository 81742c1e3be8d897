//! Tar, in the forms that are about: old, ustar, with the long names of GNU,
//! and with the extended headers of POSIX (pax).
//!
//! The crate `tar` holds a long name in memory however long it says it is, and
//! so is for tests only.

use std::io::{self, Read};
use std::rc::Rc;

use super::budget::Budget;
use super::layer::{Layer, invalid, truncated};
use super::{Container, Content, Entry};

const BLOCK_BYTES: usize = 512;
/// The longest name, and the longest extended header, that are looked at.
const NAME_BYTES_MAX: u64 = 64 << 10;
const EXTENDED_BYTES_MAX: u64 = 1 << 20;
/// No file is that large; and sums of sizes below cannot overflow.
const SIZE_MAX: u64 = 1 << 60;

/// Whether something begins with the header of a file in a tar archive.
pub(super) fn is_header(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<BLOCK_BYTES>() else { return false };
    block[0] != 0 && (block[257..262] == *b"ustar" || has_checksum(block))
}

/// A tar archive, read from front to back.
pub(super) struct Tar<'l, 'a> {
    layer: &'l mut Layer<'a>,
    budget: Rc<Budget>,
    /// Bytes of the present file that were not read, and then to the next block.
    left: u64,
    padding: u64,
    /// Whoever read the present file has been told that it broke.
    was_told: bool,
}

/// What extended headers say of the next file.
#[derive(Default)]
struct Extended {
    name: Option<String>,
    size: Option<u64>,
    is_sparse: bool,
}

impl<'l, 'a> Tar<'l, 'a> {
    pub(super) fn new(layer: &'l mut Layer<'a>, budget: Rc<Budget>) -> Self {
        Self { layer, budget, left: 0, padding: 0, was_told: false }
    }

    /// The next header, or `None` at the end.
    fn header(&mut self) -> io::Result<Option<[u8; BLOCK_BYTES]>> {
        // Two empty blocks end an archive; one is taken for the end as well, and
        // so is the end of the file.
        let found = self.layer.peek(BLOCK_BYTES);
        if found.iter().all(|byte| *byte == 0) {
            return self.layer.failure().map_or(Ok(None), Err);
        }
        let mut block = [0; BLOCK_BYTES];
        block.copy_from_slice(self.layer.exact(BLOCK_BYTES)?);
        self.layer.consume(BLOCK_BYTES);
        if !has_checksum(&block) {
            return Err(invalid("the header of a file in a tar archive is broken"));
        }
        Ok(Some(block))
    }

    fn begin(&mut self, size: u64) -> io::Result<()> {
        if size > SIZE_MAX {
            return Err(invalid(format!("a file in a tar archive is said to have {size} bytes")));
        }
        let block = BLOCK_BYTES as u64;
        (self.left, self.padding) = (size, (block - size % block) % block);
        Ok(())
    }

    /// The content of a header that is a file; one that is too long is not
    /// looked at.
    fn content(&mut self, size: u64, bytes_max: u64) -> io::Result<Vec<u8>> {
        self.begin(size)?;
        let mut content = Vec::new();
        if size <= bytes_max {
            self.by_ref().read_to_end(&mut content)?;
        }
        self.finish()?;
        Ok(content)
    }

    fn finish(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.left) + std::mem::take(&mut self.padding);
        self.budget.admit_waste(rest)?;
        self.layer.skip(rest)
    }

    /// Goes past the further headers of a file with holes.
    fn skip_map_of_holes(&mut self, mut goes_on: bool) -> io::Result<()> {
        while goes_on {
            goes_on = self.layer.exact(BLOCK_BYTES)?[504] != 0;
            self.layer.consume(BLOCK_BYTES);
        }
        Ok(())
    }
}

impl Container for Tar<'_, '_> {
    fn next_file(&mut self) -> io::Result<Option<Entry>> {
        if std::mem::take(&mut self.was_told) || self.layer.is_broken() {
            return Ok(None);
        }
        self.finish()?;
        let mut extended = Extended::default();
        while let Some(header) = self.header()? {
            let size = number(&header[124..136])?;
            match header[156] {
                b'L' => {
                    let name = self.content(size, NAME_BYTES_MAX)?;
                    extended.name = Some(text(&name));
                }
                b'x' | b'X' => extended.read(&self.content(size, EXTENDED_BYTES_MAX)?),
                // Files, and files that were once meant to be contiguous.
                b'0' | 0 | b'7' => {
                    self.begin(extended.size.unwrap_or(size))?;
                    let name = extended.name.unwrap_or_else(|| text(&header[..100]));
                    let content = if extended.is_sparse { Content::Unread("a file with holes") } else { Content::File };
                    let is_folder = name.ends_with('/');
                    return Ok(Some(Entry { name, content: if is_folder { Content::Nothing } else { content } }));
                }
                b'S' => {
                    self.begin(size)?;
                    self.skip_map_of_holes(header[482] != 0)?;
                    let name = extended.name.unwrap_or_else(|| text(&header[..100]));
                    return Ok(Some(Entry { name, content: Content::Unread("a file with holes") }));
                }
                // Links, devices and folders have no content, whatever their
                // size is said to be.
                b'1'..=b'6' => extended = Extended::default(),
                _ => drop(self.content(size, 0)?),
            }
        }
        Ok(None)
    }
}

impl Read for Tar<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = into.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if len == 0 {
            return Ok(0);
        }
        let read =
            self.layer.read(&mut into[..len]).and_then(|read| if read == 0 { Err(truncated()) } else { Ok(read) });
        match &read {
            Ok(read) => self.left -= *read as u64,
            Err(_) => self.was_told = true,
        }
        read
    }
}

impl Extended {
    /// Reads records of the form `LENGTH KEY=VALUE\n`. What is not one ends it.
    fn read(&mut self, mut records: &[u8]) {
        while let Some((record, rest)) = record(records) {
            records = rest;
            let Some(at) = record.iter().position(|byte| *byte == b'=') else { continue };
            let value = &record[at + 1..];
            match &record[..at] {
                b"path" => self.name = Some(text(value)),
                b"size" => self.size = std::str::from_utf8(value).ok().and_then(|size| size.parse().ok()),
                key if key.starts_with(b"GNU.sparse.") => self.is_sparse = true,
                _ => {}
            }
        }
    }
}

/// The first record, without its length and end of line, and what follows it.
fn record(records: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = records.iter().position(|byte| *byte == b' ')?;
    let len: usize = std::str::from_utf8(&records[..space]).ok()?.parse().ok()?;
    let record = records.get(space + 1..len)?;
    Some((record.strip_suffix(b"\n").unwrap_or(record), &records[len..]))
}

/// The sum of all bytes of a header, its own taken as blanks. Some programs
/// summed bytes with a sign.
fn has_checksum(block: &[u8; BLOCK_BYTES]) -> bool {
    let Ok(said) = number(&block[148..156]) else { return false };
    let bytes = || block.iter().enumerate().map(|(at, byte)| if (148..156).contains(&at) { b' ' } else { *byte });
    let sum: u64 = bytes().map(u64::from).sum();
    let signed: i64 = bytes().map(|byte| i64::from(byte.cast_signed())).sum();
    said == sum || i64::try_from(said) == Ok(signed)
}

/// A number: octal digits, or bytes if it is too large for them.
fn number(field: &[u8]) -> io::Result<u64> {
    let broken = || invalid("a number in a tar archive is broken");
    if field[0] == 0x80 && field.len() > 8 {
        let (above, value) = field.split_last_chunk::<8>().ok_or_else(broken)?;
        let is_small = above[1..].iter().all(|byte| *byte == 0);
        return if is_small { Ok(u64::from_be_bytes(*value)) } else { Err(broken()) };
    }
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    let digits = std::str::from_utf8(&field[..end]).map_err(|_| broken())?.trim();
    if digits.is_empty() { Ok(0) } else { u64::from_str_radix(digits, 8).map_err(|_| broken()) }
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_octal_or_bytes() {
        let check = |field: &[u8], expected: Option<u64>| assert_eq!(number(field).ok(), expected, "{field:?}");

        check(b"00000000017\0", Some(15));
        check(b"     17 \0", Some(15));
        check(b"\0\0\0\0", Some(0));
        check(b"77777777777", Some(0x1_ffff_ffff));
        check(b"\x80\0\0\0\0\0\0\x02\0\0\0\x01", Some((2 << 32) + 1));
        check(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", None);
        check(b"8", None);
        check(b"-1", None);
    }

    #[test]
    fn records_say_names_and_sizes() {
        let mut extended = Extended::default();
        extended.read(b"13 path=a=\n\xc3\n12 size=124\n9 other=\nnonsense");

        assert_eq!((extended.name.as_deref(), extended.size), (Some("a=\n\u{fffd}"), Some(124)));

        let mut hostile = Extended::default();
        for records in [&b"0 path=a\n"[..], b"1 path=a\n", b"99999999999999999999999 path=a\n", b"50 path=a\n", b"- "] {
            hostile.read(records);
        }
        assert_eq!(hostile.name, None);
    }
}
