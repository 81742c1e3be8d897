//! What changes in the harvest, written down as an RDF Patch.
//!
//! For every document that is put, the statements that it had before and has no
//! more are deletions, and those that it has and had not are additions:
//!
//! ```text
//! TX .
//! D <http://a.example/bob> <http://p.example/age> "41" <http://a.example/bob> .
//! A <http://a.example/bob> <http://p.example/age> "42" <http://a.example/bob> .
//! TC .
//! ```
//!
//! A group of documents is a transaction, and reaches the operating system before
//! the index hears of the group. So a process that is killed has written down all
//! that it has changed, and perhaps more, which its successor then repeats;
//! applying a patch twice changes nothing. A transaction that it could not end is
//! cut off before the file is gone on with. Blank nodes are labelled by document
//! and order, and so can be compared by their labels.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use foldhash::HashSet;
use xxhash_rust::xxh3::xxh3_128;

use super::super::StoreError;
use super::record::Lines;

/// Statements of a document up to which the difference is worked out, in memory.
/// Of a larger one, everything is deleted and added.
const COMPARED_QUADS_MAX: u64 = 1_000_000;

/// How much has been written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patched {
    /// Statements added.
    pub added: u64,
    /// Statements deleted.
    pub deleted: u64,
}

/// A file that changes are written to.
pub struct Patch {
    path: PathBuf,
    file: BufWriter<File>,
    is_open: bool,
    written: Patched,
    compared_quads_max: u64,
}

impl Patch {
    /// Goes on with a file, or begins one with these header lines, each a word and
    /// a term in N-Triples. A transaction that was never ended is cut off; a file
    /// that is no patch is refused.
    pub fn append_to(path: &Path, headers: &[(&str, String)]) -> io::Result<Self> {
        // A pipe can neither be read nor cut.
        if std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
            cut_unended(&mut OpenOptions::new().read(true).write(true).open(path)?)?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let is_new = file.metadata()?.len() == 0;
        let mut file = BufWriter::new(file);
        for (name, term) in headers.iter().filter(|_| is_new) {
            writeln!(file, "H {name} {term} .")?;
        }
        let compared_quads_max = COMPARED_QUADS_MAX;
        Ok(Self { path: path.to_owned(), file, is_open: false, written: Patched::default(), compared_quads_max })
    }

    #[cfg(test)]
    pub(super) fn comparing_at_most(mut self, quads: u64) -> Self {
        self.compared_quads_max = quads;
        self
    }

    /// How much has been written.
    #[must_use]
    pub fn written(&self) -> Patched {
        self.written
    }

    /// Writes down what became of a document.
    pub(super) fn replace(
        &mut self,
        mut old: Option<(&mut dyn Lines, u64)>,
        new: &mut dyn Lines,
        new_quads: u64,
    ) -> Result<(), StoreError> {
        let Some((old, old_quads)) = &mut old else { return new.each(&mut |line| self.write(b"A ", line)) };
        if (*old_quads).max(new_quads) > self.compared_quads_max {
            old.each(&mut |line| self.write(b"D ", line))?;
            return new.each(&mut |line| self.write(b"A ", line));
        }
        let mut gone: HashSet<u128> = HashSet::default();
        old.each(&mut |line| {
            gone.insert(xxh3_128(line));
            Ok(())
        })?;
        let mut seen: HashSet<u128> = HashSet::default();
        new.each(&mut |line| {
            let hash = xxh3_128(line);
            if !seen.insert(hash) || gone.remove(&hash) {
                return Ok(());
            }
            self.write(b"A ", line)
        })?;
        if gone.is_empty() {
            return Ok(());
        }
        old.each(&mut |line| if gone.remove(&xxh3_128(line)) { self.write(b"D ", line) } else { Ok(()) })
    }

    fn write(&mut self, sign: &[u8], line: &[u8]) -> Result<(), StoreError> {
        let count = if sign == b"A " { &mut self.written.added } else { &mut self.written.deleted };
        *count += 1;
        let mut write = || {
            if !self.is_open {
                self.file.write_all(b"TX .\n")?;
                self.is_open = true;
            }
            self.file.write_all(sign)?;
            self.file.write_all(line)
        };
        write().map_err(|source| StoreError::Io { path: self.path.clone(), source })
    }

    /// Ends a transaction, if there is anything in it.
    pub(super) fn commit(&mut self) -> Result<(), StoreError> {
        let is_open = std::mem::take(&mut self.is_open);
        let end: &[u8] = if is_open { b"TC .\n" } else { b"" };
        self.file
            .write_all(end)
            .and_then(|()| self.file.flush())
            .map_err(|source| StoreError::Io { path: self.path.clone(), source })
    }
}

/// The line that ends a transaction, and the end of the line before.
const END: &[u8] = b"\nTC .\n";

/// Cuts off what is behind the last transaction that was ended, or behind the
/// headers where none was.
fn cut_unended(file: &mut File) -> io::Result<()> {
    let length = file.metadata()?.len();
    let end = match last_end(file, length)? {
        Some(end) => end,
        None => headers_end(file)?,
    };
    if end < length { file.set_len(end) } else { Ok(()) }
}

/// Where the last transaction that was ended ends. Looks from the end of the file,
/// a piece at a time.
fn last_end(file: &mut File, length: u64) -> io::Result<Option<u64>> {
    const PIECE: u64 = 1 << 16;
    let mut piece = Vec::new();
    let mut from = length;
    while from > 0 {
        // Pieces overlap, so that no end is torn apart.
        let to = (from + END.len() as u64).min(length);
        from = from.saturating_sub(PIECE);
        piece.clear();
        file.seek(SeekFrom::Start(from))?;
        Read::take(&mut *file, to - from).read_to_end(&mut piece)?;
        if let Some(place) = memchr::memmem::rfind(&piece, END) {
            return Ok(Some(from + (place + END.len()) as u64));
        }
    }
    Ok(None)
}

/// Where the headers end of a file without any transaction that was ended.
fn headers_end(file: &mut File) -> io::Result<u64> {
    /// More than any headers, and less than is too much to read.
    const HEADERS_MAX: u64 = 1 << 20;
    let mut start = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    Read::take(&mut *file, HEADERS_MAX).read_to_end(&mut start)?;
    if !(start.is_empty() || start.starts_with(b"H ") || start.starts_with(b"TX .")) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "it holds something else than an RDF Patch: name another file",
        ));
    }
    let lines = start.split_inclusive(|byte| *byte == b'\n');
    let headers = lines.take_while(|line| line.starts_with(b"H ") && line.ends_with(b"\n"));
    Ok(headers.map(|line| line.len() as u64).sum())
}
