//! Reads tar archives: old format, ustar, GNU long names, POSIX extended headers (pax).
//!
//! The crate `tar` buffers a long name of any declared length, and so is used in tests only.

use std::io::{self, Read};
use std::rc::Rc;

use super::budget::UnpackBudget;
use super::peek_reader::{PeekReader, invalid_error, truncated_error};
use super::{ContainerEntry, EntryContent, FileContainer};

const BLOCK_BYTES: usize = 512;
/// Maximum size of a name and of an extended header.
const MAX_NAME_BYTES: u64 = 64 << 10;
const MAX_EXTENDED_BYTES: u64 = 1 << 20;
/// Maximum size of a file, so that sums of sizes cannot overflow.
const MAX_FILE_BYTES: u64 = 1 << 60;

/// Whether the data begins with the header of a file in a tar archive.
pub(super) fn is_header(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<BLOCK_BYTES>() else { return false };
    block[0] != 0 && (block[257..262] == *b"ustar" || has_valid_checksum(block))
}

/// A tar archive, read sequentially.
pub(super) struct TarReader<'l, 'a> {
    layer: &'l mut PeekReader<'a>,
    budget: Rc<UnpackBudget>,
    /// Unread bytes of the current file, and its padding to the next block.
    remaining: u64,
    padding: u64,
    /// Whether the reader of the current file has already received its error.
    was_reported: bool,
}

/// The values of extended headers for the next file.
#[derive(Default)]
struct TarExtendedHeader {
    name: Option<String>,
    size: Option<u64>,
    is_sparse: bool,
}

impl<'l, 'a> TarReader<'l, 'a> {
    pub(super) fn new(layer: &'l mut PeekReader<'a>, budget: Rc<UnpackBudget>) -> Self {
        Self { layer, budget, remaining: 0, padding: 0, was_reported: false }
    }

    /// The next header, or `None` at the end.
    fn read_header(&mut self) -> io::Result<Option<[u8; BLOCK_BYTES]>> {
        // Two empty blocks end an archive; a single one and the end of the stream count as the end too.
        let block = self.layer.peek(BLOCK_BYTES);
        if block.iter().all(|byte| *byte == 0) {
            return self.layer.take_error().map_or(Ok(None), Err);
        }
        let mut block = [0; BLOCK_BYTES];
        block.copy_from_slice(self.layer.peek_exact(BLOCK_BYTES)?);
        self.layer.consume(BLOCK_BYTES);
        if !has_valid_checksum(&block) {
            return Err(invalid_error("invalid header in a tar archive"));
        }
        Ok(Some(block))
    }

    fn start_file(&mut self, size: u64) -> io::Result<()> {
        if size > MAX_FILE_BYTES {
            return Err(invalid_error(format!("invalid file size {size} in a tar archive")));
        }
        let block = BLOCK_BYTES as u64;
        (self.remaining, self.padding) = (size, (block - size % block) % block);
        Ok(())
    }

    /// Reads the content of an extended header, which is stored like a file. If it is larger than `max_bytes`, it is
    /// skipped and the result is empty.
    fn read_content(&mut self, size: u64, max_bytes: u64) -> io::Result<Vec<u8>> {
        self.start_file(size)?;
        let mut content = Vec::new();
        if size <= max_bytes {
            self.by_ref().read_to_end(&mut content)?;
        }
        self.skip_rest()?;
        Ok(content)
    }

    fn skip_rest(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.remaining) + std::mem::take(&mut self.padding);
        self.budget.check_skip(rest)?;
        self.layer.skip(rest)
    }

    /// Skips the additional headers of a sparse file.
    fn skip_sparse_map(&mut self, mut has_more: bool) -> io::Result<()> {
        while has_more {
            has_more = self.layer.peek_exact(BLOCK_BYTES)?[504] != 0;
            self.layer.consume(BLOCK_BYTES);
        }
        Ok(())
    }
}

impl FileContainer for TarReader<'_, '_> {
    fn next_file(&mut self) -> io::Result<Option<ContainerEntry>> {
        if std::mem::take(&mut self.was_reported) || self.layer.is_broken() {
            return Ok(None);
        }
        self.skip_rest()?;
        let mut extended = TarExtendedHeader::default();
        while let Some(header) = self.read_header()? {
            let size = parse_number(&header[124..136])?;
            match header[156] {
                b'L' => {
                    let name = self.read_content(size, MAX_NAME_BYTES)?;
                    extended.name = Some(field_text(&name));
                }
                b'x' | b'X' => extended.read(&self.read_content(size, MAX_EXTENDED_BYTES)?),
                // Regular and contiguous files.
                b'0' | 0 | b'7' => {
                    self.start_file(extended.size.unwrap_or(size))?;
                    let name = extended.name.unwrap_or_else(|| field_text(&header[..100]));
                    let content =
                        if extended.is_sparse { EntryContent::Unsupported("sparse file") } else { EntryContent::File };
                    let is_directory = name.ends_with('/');
                    return Ok(Some(ContainerEntry {
                        name,
                        content: if is_directory { EntryContent::NotAFile } else { content },
                    }));
                }
                b'S' => {
                    self.start_file(size)?;
                    self.skip_sparse_map(header[482] != 0)?;
                    let name = extended.name.unwrap_or_else(|| field_text(&header[..100]));
                    return Ok(Some(ContainerEntry { name, content: EntryContent::Unsupported("sparse file") }));
                }
                // Links, devices and directories have no content, whatever their declared size.
                b'1'..=b'6' => extended = TarExtendedHeader::default(),
                _ => drop(self.read_content(size, 0)?),
            }
        }
        Ok(None)
    }
}

impl Read for TarReader<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = into.len().min(usize::try_from(self.remaining).unwrap_or(usize::MAX));
        if len == 0 {
            return Ok(0);
        }
        let read = self
            .layer
            .read(&mut into[..len])
            .and_then(|read| if read == 0 { Err(truncated_error()) } else { Ok(read) });
        match &read {
            Ok(read) => self.remaining -= *read as u64,
            Err(_) => self.was_reported = true,
        }
        read
    }
}

impl TarExtendedHeader {
    /// Reads records of the form `LENGTH KEY=VALUE\n`. An invalid record ends the list.
    fn read(&mut self, mut records: &[u8]) {
        while let Some((record, rest)) = next_record(records) {
            records = rest;
            let Some(at) = record.iter().position(|byte| *byte == b'=') else { continue };
            let value = &record[at + 1..];
            match &record[..at] {
                b"path" => self.name = Some(field_text(value)),
                b"size" => self.size = std::str::from_utf8(value).ok().and_then(|size| size.parse().ok()),
                key if key.starts_with(b"GNU.sparse.") => self.is_sparse = true,
                _ => {}
            }
        }
    }
}

/// The first record without its length and line end, and the rest.
fn next_record(records: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = records.iter().position(|byte| *byte == b' ')?;
    let len: usize = std::str::from_utf8(&records[..space]).ok()?.parse().ok()?;
    let record = records.get(space + 1..len)?;
    Some((record.strip_suffix(b"\n").unwrap_or(record), &records[len..]))
}

/// Verifies the checksum: the sum of all bytes of a header, with the checksum field as spaces. Some programs sum signed
/// bytes.
fn has_valid_checksum(block: &[u8; BLOCK_BYTES]) -> bool {
    let Ok(declared) = parse_number(&block[148..156]) else { return false };
    let bytes = || block.iter().enumerate().map(|(at, byte)| if (148..156).contains(&at) { b' ' } else { *byte });
    let sum: u64 = bytes().map(u64::from).sum();
    let signed: i64 = bytes().map(|byte| i64::from(byte.cast_signed())).sum();
    declared == sum || i64::try_from(declared) == Ok(signed)
}

/// A number: octal digits, or binary if it is too large for them.
fn parse_number(field: &[u8]) -> io::Result<u64> {
    let broken = || invalid_error("invalid number in a tar archive");
    if field[0] == 0x80 && field.len() > 8 {
        let (above, value) = field.split_last_chunk::<8>().ok_or_else(broken)?;
        let is_small = above[1..].iter().all(|byte| *byte == 0);
        return if is_small { Ok(u64::from_be_bytes(*value)) } else { Err(broken()) };
    }
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    let digits = std::str::from_utf8(&field[..end]).map_err(|_| broken())?.trim();
    if digits.is_empty() { Ok(0) } else { u64::from_str_radix(digits, 8).map_err(|_| broken()) }
}

fn field_text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_octal_or_binary() {
        let check = |field: &[u8], expected: Option<u64>| assert_eq!(parse_number(field).ok(), expected, "{field:?}");

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
    fn extended_header_sets_name_and_size() {
        let mut extended = TarExtendedHeader::default();
        extended.read(b"13 path=a=\n\xc3\n12 size=124\n9 other=\nnonsense");

        assert_eq!((extended.name.as_deref(), extended.size), (Some("a=\n\u{fffd}"), Some(124)));

        let mut hostile = TarExtendedHeader::default();
        for records in [&b"0 path=a\n"[..], b"1 path=a\n", b"99999999999999999999999 path=a\n", b"50 path=a\n", b"- "] {
            hostile.read(records);
        }
        assert_eq!(hostile.name, None);
    }
}
