//! Reads zip archives sequentially.
//!
//! The directory of a zip file is at its end, but a dump is read while it arrives. So the reader uses the header before
//! each file. Programs that do not know the sizes beforehand (Java, `zip -`) write them into a descriptor after the
//! file.

use std::io::{self, Read};
use std::rc::Rc;

use flate2::Crc;

use super::budget::UnpackBudget;
use super::peek_reader::{PeekReader, fault_error, invalid_error, truncated_error};
use super::{ContainerEntry, EntryContent, FileContainer};
use crate::fetch::content_coding::{ContentDecoder, FileCompression, MemoryAllowance};

mod header;

use header::{MAX_DESCRIPTOR_BYTES, ZipFileHeader, ZipObserved, descriptor_len};

/// A zip archive.
pub(super) struct ZipReader<'l, 'a> {
    layer: &'l mut PeekReader<'a>,
    budget: Rc<UnpackBudget>,
    present: Option<ZipMember>,
    is_first: bool,
    /// Whether the beginning of the next file is unknown.
    is_position_unknown: bool,
}

/// The current file.
struct ZipMember {
    header: ZipFileHeader,
    method: ZipMethod,
    /// Remaining packed bytes, if known.
    remaining: Option<u64>,
    consumed: u64,
    produced: u64,
    sum: Crc,
}

enum ZipMethod {
    Stored,
    Compressed(Box<ContentDecoder>),
    /// Unsupported; skipped without decoding.
    Unknown,
}

impl<'l, 'a> ZipReader<'l, 'a> {
    pub(super) fn new(layer: &'l mut PeekReader<'a>, budget: Rc<UnpackBudget>) -> Self {
        Self { layer, budget, present: None, is_first: true, is_position_unknown: false }
    }

    /// How to read a file with this header; or why it is not supported.
    fn method(header: &ZipFileHeader) -> Result<ZipMethod, &'static str> {
        if header.is_encrypted() {
            return Err("encrypted file");
        }
        let decoder = match header.method {
            0 => return Ok(ZipMethod::Stored),
            8 => Ok(ContentDecoder::raw_deflate()),
            // If the size of a file is unknown, the end of data in other methods cannot always be found.
            _ if header.size().is_none() => return Err("file with unsupported compression method"),
            12 => ContentDecoder::for_file(FileCompression::Bzip2, MemoryAllowance::Small),
            93 => ContentDecoder::for_file(FileCompression::Zstd, MemoryAllowance::Small),
            95 => ContentDecoder::for_file(FileCompression::Xz, MemoryAllowance::Small),
            _ => return Err("file with unsupported compression method"),
        };
        decoder
            .map(|decoder| ZipMethod::Compressed(Box::new(decoder)))
            .map_err(|_| "file with unsupported compression method")
    }

    /// Skips the rest of the current file.
    fn finish_file(&mut self) -> io::Result<()> {
        let Some(member) = &mut self.present else { return Ok(()) };
        // An unread file of known size is skipped without decompression.
        if let Some(remaining) = member.remaining {
            self.budget.check_skip(remaining)?;
            self.layer.skip(remaining)?;
            let packed = member.consumed + remaining;
            return self.check_descriptor(&ZipObserved { packed, unpacked: None, sum: None });
        }
        let mut scratch = [0; 8 << 10];
        while self.read_current(&mut scratch)? > 0 {
            self.budget.check_skip(0)?;
        }
        Ok(())
    }

    /// Skips the descriptor, if there is one, and verifies it.
    fn check_descriptor(&mut self, observed: &ZipObserved) -> io::Result<()> {
        let Some(member) = self.present.take() else { return Ok(()) };
        if !member.header.has_descriptor() {
            return if member.header.matches(observed) { Ok(()) } else { Err(member.damaged_error()) };
        }
        let behind = self.layer.peek(MAX_DESCRIPTOR_BYTES);
        let len = descriptor_len(behind, observed);
        let Some(len_if_damaged) = len.or_else(|| descriptor_len(behind, &ZipObserved { sum: None, ..*observed }))
        else {
            self.is_position_unknown = true;
            return Err(self.layer.take_error().unwrap_or_else(|| member.damaged_error()));
        };
        self.layer.consume(len_if_damaged);
        if len.is_some() { Ok(()) } else { Err(member.damaged_error()) }
    }

    fn read_current(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(member) = &mut self.present else { return Ok(0) };
        if into.is_empty() {
            return Ok(0);
        }
        let len = match (&mut member.method, member.remaining) {
            (ZipMethod::Compressed(_), _) => {
                let len = member.read_compressed(self.layer, into)?;
                self.budget.charge(len, member.consumed, member.produced + len as u64)?;
                len
            }
            (_, Some(_)) => member.read_stored(self.layer, into)?,
            (_, None) => member.read_stored_unsized(self.layer, into)?,
        };
        member.produced += len as u64;
        member.sum.update(&into[..len]);
        if len == 0 {
            let remaining = member.remaining.unwrap_or(0);
            let observed = ZipObserved { packed: member.consumed + remaining, ..member.observed() };
            self.layer.skip(remaining)?;
            self.check_descriptor(&observed)?;
        }
        Ok(len)
    }
}

impl FileContainer for ZipReader<'_, '_> {
    fn next_file(&mut self) -> io::Result<Option<ContainerEntry>> {
        if self.is_position_unknown || self.layer.is_broken() {
            return Ok(None);
        }
        match self.finish_file() {
            // If a skipped file is damaged, reading continues, because the position of the next file is known.
            Err(_) if self.present.is_none() && !self.is_position_unknown => {}
            finished => finished?,
        }
        if std::mem::take(&mut self.is_first) && self.layer.peek(4) == b"PK\x07\x08" {
            self.layer.consume(4);
        }
        let Some(header) = ZipFileHeader::read(self.layer)? else { return Ok(None) };
        let name = header.name.clone();
        let (method, content) = match Self::method(&header) {
            Ok(method) if name.ends_with('/') => (method, EntryContent::NotAFile),
            Ok(method) => (method, EntryContent::File),
            Err(what) => (ZipMethod::Unknown, EntryContent::Unsupported(what)),
        };
        let remaining = header.size();
        self.present = Some(ZipMember { header, method, remaining, consumed: 0, produced: 0, sum: Crc::new() });
        Ok(Some(ContainerEntry { name, content }))
    }
}

impl Read for ZipReader<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.read_current(into);
        // A broken file is skipped if its end is known.
        self.is_position_unknown |=
            read.is_err() && self.present.as_ref().is_some_and(|member| member.remaining.is_none());
        read
    }
}

impl ZipMember {
    fn observed(&self) -> ZipObserved {
        let is_known = !matches!(self.method, ZipMethod::Unknown);
        let (unpacked, sum) = (is_known.then_some(self.produced), is_known.then(|| self.sum.sum()));
        ZipObserved { packed: self.consumed, unpacked, sum }
    }

    fn damaged_error(&self) -> io::Error {
        invalid_error(format!("{} in a zip archive is corrupt", self.header.name))
    }

    /// Consumes `len` packed bytes of the file and counts them.
    fn consume(&mut self, layer: &mut PeekReader<'_>, len: usize) {
        layer.consume(len);
        self.consumed += len as u64;
        if let Some(remaining) = &mut self.remaining {
            *remaining -= len as u64;
        }
    }

    /// The available packed bytes of the file; empty at its end.
    fn available<'l>(&self, layer: &'l mut PeekReader<'_>) -> io::Result<&'l [u8]> {
        if self.remaining == Some(0) {
            return Ok(&[]);
        }
        let bytes = layer.peek_some()?;
        if bytes.is_empty() {
            return Err(truncated_error());
        }
        let remaining = self.remaining.map_or(usize::MAX, |remaining| usize::try_from(remaining).unwrap_or(usize::MAX));
        Ok(&bytes[..bytes.len().min(remaining)])
    }

    /// Reads bytes of a stored file.
    fn read_stored(&mut self, layer: &mut PeekReader<'_>, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.available(layer)?;
        let len = bytes.len().min(into.len());
        into[..len].copy_from_slice(&bytes[..len]);
        self.consume(layer, len);
        Ok(len)
    }

    /// Reads bytes of a stored file of unknown size: it ends at a descriptor that matches.
    fn read_stored_unsized(&mut self, layer: &mut PeekReader<'_>, into: &mut [u8]) -> io::Result<usize> {
        const SIGNATURE: &[u8] = b"PK\x07\x08";
        let observed = self.observed();
        layer.peek(MAX_DESCRIPTOR_BYTES);
        let bytes = layer.peek_some()?;
        if bytes.starts_with(SIGNATURE) && descriptor_len(bytes, &observed).is_some() {
            return Ok(0);
        }
        // Skips the first byte, which was checked, and leaves the last few, which may begin a signature.
        let next = bytes.get(1..).and_then(|rest| memchr::memmem::find(rest, SIGNATURE)).map(|at| at + 1);
        let len = next.unwrap_or_else(|| bytes.len().saturating_sub(SIGNATURE.len() - 1)).min(into.len());
        if len == 0 {
            return Err(layer.take_error().unwrap_or_else(truncated_error));
        }
        into[..len].copy_from_slice(&bytes[..len]);
        self.consume(layer, len);
        Ok(len)
    }

    /// Reads and decodes bytes of a compressed file.
    fn read_compressed(&mut self, layer: &mut PeekReader<'_>, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let packed = self.available(layer)?;
            let ZipMethod::Compressed(decoder) = &mut self.method else { return Ok(0) };
            let step = decoder.step(packed, into);
            let is_stuck = step.consumed == 0 && step.produced == 0;
            let is_complete = decoder.is_complete();
            let is_at_end = packed.is_empty();
            self.consume(layer, step.consumed);
            match step.fault {
                _ if step.produced > 0 => return Ok(step.produced),
                Some(fault) => return Err(fault_error(fault)),
                None if is_stuck && is_complete && self.consumed > 0 => return Ok(0),
                None if is_stuck && is_at_end => return Err(truncated_error()),
                None if is_stuck => return Err(self.damaged_error()),
                None => {}
            }
        }
    }
}
