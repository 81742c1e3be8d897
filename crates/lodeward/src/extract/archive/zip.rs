//! Zip, from front to back.
//!
//! The directory of a zip file is at its end, and a dump is read while it
//! arrives; but every file has a header of its own before it. Whoever wrote it
//! without knowing sizes beforehand (Java does, and `zip -`) left them in a
//! descriptor behind the file.

use std::io::{self, Read};
use std::rc::Rc;

use flate2::Crc;

use super::budget::Budget;
use super::layer::{Layer, broken, invalid, truncated};
use super::{Container, Content, Entry};
use crate::fetch::decode::{Allowance, Compression, Decoder};

mod header;

use header::{DESCRIPTOR, Header, Seen, descriptor_len};

/// A zip archive.
pub(super) struct Zip<'l, 'a> {
    layer: &'l mut Layer<'a>,
    budget: Rc<Budget>,
    present: Option<Member>,
    is_first: bool,
    /// Whether it is not known where the next file begins.
    is_lost: bool,
}

/// The file that is being read.
struct Member {
    header: Header,
    method: Method,
    /// Packed bytes that are left, if that is known.
    left: Option<u64>,
    taken: u64,
    given: u64,
    sum: Crc,
}

enum Method {
    Stored,
    Compressed(Box<Decoder>),
    /// Cannot be read, and is passed over as it is.
    Unknown,
}

impl<'l, 'a> Zip<'l, 'a> {
    pub(super) fn new(layer: &'l mut Layer<'a>, budget: Rc<Budget>) -> Self {
        Self { layer, budget, present: None, is_first: true, is_lost: false }
    }

    /// How to read a file with this header; or what it is, if it cannot be.
    fn method(header: &Header) -> Result<Method, &'static str> {
        if header.is_encrypted() {
            return Err("an encrypted file");
        }
        let decoder = match header.method {
            0 => return Ok(Method::Stored),
            8 => Ok(Decoder::of_deflate()),
            // The end of these is not always known without their size.
            _ if header.size().is_none() => return Err("a file packed in a rare way"),
            12 => Decoder::of_file(Compression::Bzip2, Allowance::Little),
            93 => Decoder::of_file(Compression::Zstd, Allowance::Little),
            95 => Decoder::of_file(Compression::Xz, Allowance::Little),
            _ => return Err("a file packed in a rare way"),
        };
        decoder.map(|decoder| Method::Compressed(Box::new(decoder))).map_err(|_| "a file packed in a rare way")
    }

    /// Goes to the end of the present file, and past it.
    fn finish(&mut self) -> io::Result<()> {
        let Some(member) = &mut self.present else { return Ok(()) };
        // One that is not wanted need not be unpacked, if its size is known.
        if let Some(left) = member.left {
            self.budget.admit_waste(left)?;
            self.layer.skip(left)?;
            let packed = member.taken + left;
            return self.pass_descriptor(&Seen { packed, unpacked: None, sum: None });
        }
        let mut scratch = [0; 8 << 10];
        while self.read_present(&mut scratch)? > 0 {
            self.budget.admit_waste(0)?;
        }
        Ok(())
    }

    /// Goes past the descriptor, if there is one, and looks whether all is as it
    /// says.
    fn pass_descriptor(&mut self, seen: &Seen) -> io::Result<()> {
        let Some(member) = self.present.take() else { return Ok(()) };
        if !member.header.has_descriptor() {
            return if member.header.is_as_said(seen) { Ok(()) } else { Err(member.damaged()) };
        }
        let behind = self.layer.peek(DESCRIPTOR);
        let len = descriptor_len(behind, seen);
        let Some(len_if_damaged) = len.or_else(|| descriptor_len(behind, &Seen { sum: None, ..*seen })) else {
            self.is_lost = true;
            return Err(self.layer.failure().unwrap_or_else(|| member.damaged()));
        };
        self.layer.consume(len_if_damaged);
        if len.is_some() { Ok(()) } else { Err(member.damaged()) }
    }

    fn read_present(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some(member) = &mut self.present else { return Ok(0) };
        if into.is_empty() {
            return Ok(0);
        }
        let len = match (&mut member.method, member.left) {
            (Method::Compressed(_), _) => {
                let len = member.unpack(self.layer, into)?;
                self.budget.admit(len, member.taken, member.given + len as u64)?;
                len
            }
            (_, Some(_)) => member.copy(self.layer, into)?,
            (_, None) => member.search(self.layer, into)?,
        };
        member.given += len as u64;
        member.sum.update(&into[..len]);
        if len == 0 {
            let left = member.left.unwrap_or(0);
            let seen = Seen { packed: member.taken + left, ..member.seen() };
            self.layer.skip(left)?;
            self.pass_descriptor(&seen)?;
        }
        Ok(len)
    }
}

impl Container for Zip<'_, '_> {
    fn next_file(&mut self) -> io::Result<Option<Entry>> {
        if self.is_lost || self.layer.is_broken() {
            return Ok(None);
        }
        self.finish()?;
        if std::mem::take(&mut self.is_first) && self.layer.peek(4) == b"PK\x07\x08" {
            self.layer.consume(4);
        }
        let Some(header) = Header::read(self.layer)? else { return Ok(None) };
        let name = header.name.clone();
        let (method, content) = match Self::method(&header) {
            Ok(method) if name.ends_with('/') => (method, Content::Nothing),
            Ok(method) => (method, Content::File),
            Err(what) => (Method::Unknown, Content::Unread(what)),
        };
        let left = header.size();
        self.present = Some(Member { header, method, left, taken: 0, given: 0, sum: Crc::new() });
        Ok(Some(Entry { name, content }))
    }
}

impl Read for Zip<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.read_present(into);
        // A file that broke is passed over, if it is known where it ends.
        self.is_lost |= read.is_err() && self.present.as_ref().is_some_and(|member| member.left.is_none());
        read
    }
}

impl Member {
    fn seen(&self) -> Seen {
        let is_known = !matches!(self.method, Method::Unknown);
        let (unpacked, sum) = (is_known.then_some(self.given), is_known.then(|| self.sum.sum()));
        Seen { packed: self.taken, unpacked, sum }
    }

    fn damaged(&self) -> io::Error {
        invalid(format!("{} in a zip archive is damaged", self.header.name))
    }

    /// Notes that packed bytes were taken.
    fn take(&mut self, layer: &mut Layer<'_>, len: usize) {
        layer.consume(len);
        self.taken += len as u64;
        if let Some(left) = &mut self.left {
            *left -= len as u64;
        }
    }

    /// The packed bytes that are at hand; none at the end of the file.
    fn at_hand<'l>(&self, layer: &'l mut Layer<'_>) -> io::Result<&'l [u8]> {
        if self.left == Some(0) {
            return Ok(&[]);
        }
        let bytes = layer.some()?;
        if bytes.is_empty() {
            return Err(truncated());
        }
        let left = self.left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
        Ok(&bytes[..bytes.len().min(left)])
    }

    /// Bytes of a file that is stored as it is.
    fn copy(&mut self, layer: &mut Layer<'_>, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.at_hand(layer)?;
        let len = bytes.len().min(into.len());
        into[..len].copy_from_slice(&bytes[..len]);
        self.take(layer, len);
        Ok(len)
    }

    /// The same where its size is not known: it ends at a descriptor that says
    /// of it what is so.
    fn search(&mut self, layer: &mut Layer<'_>, into: &mut [u8]) -> io::Result<usize> {
        const SIGNATURE: &[u8] = b"PK\x07\x08";
        let seen = self.seen();
        layer.peek(DESCRIPTOR);
        let bytes = layer.some()?;
        if bytes.starts_with(SIGNATURE) && descriptor_len(bytes, &seen).is_some() {
            return Ok(0);
        }
        // Not the first byte, which was looked at, nor the last few, with which
        // a signature may begin.
        let next = bytes.get(1..).and_then(|rest| memchr::memmem::find(rest, SIGNATURE)).map(|at| at + 1);
        let len = next.unwrap_or_else(|| bytes.len().saturating_sub(SIGNATURE.len() - 1)).min(into.len());
        if len == 0 {
            return Err(layer.failure().unwrap_or_else(truncated));
        }
        into[..len].copy_from_slice(&bytes[..len]);
        self.take(layer, len);
        Ok(len)
    }

    /// Bytes of a file that is compressed.
    fn unpack(&mut self, layer: &mut Layer<'_>, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let packed = self.at_hand(layer)?;
            let Method::Compressed(decoder) = &mut self.method else { return Ok(0) };
            let step = decoder.step(packed, into);
            let is_stuck = step.consumed == 0 && step.produced == 0;
            let is_complete = decoder.is_complete();
            let is_at_end = packed.is_empty();
            self.take(layer, step.consumed);
            match step.fault {
                _ if step.produced > 0 => return Ok(step.produced),
                Some(fault) => return Err(broken(fault)),
                None if is_stuck && is_complete && self.taken > 0 => return Ok(0),
                None if is_stuck && is_at_end => return Err(truncated()),
                None if is_stuck => return Err(self.damaged()),
                None => {}
            }
        }
    }
}
