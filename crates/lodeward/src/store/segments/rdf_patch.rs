//! Writes changes to the harvest as an RDF Patch.
//!
//! For every document that is put, statements of the previous version that it no longer has are
//! deletions, and new statements are additions:
//!
//! ```text
//! TX .
//! D <http://a.example/bob> <http://p.example/age> "41" <http://a.example/bob> .
//! A <http://a.example/bob> <http://p.example/age> "42" <http://a.example/bob> .
//! TC .
//! ```
//!
//! A group of documents is a transaction, which reaches the operating system before the index is
//! updated. A killed process has therefore written at least all changes it made; its successor may
//! write some of them again, and applying a patch twice changes nothing. An incomplete transaction
//! is truncated before more is appended. Blank nodes are labelled by document and order, so they
//! can be compared by label.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use foldhash::HashSet;
use xxhash_rust::xxh3::xxh3_128;

use super::super::StoreError;
use super::record::LineSource;

/// Maximum number of statements of a document for which the difference is computed in memory. For a
/// larger document, all old statements are deleted and all new ones are added.
const MAX_COMPARED_QUADS: u64 = 1_000_000;

/// Counts of written changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatchCounts {
    /// Number of statements added.
    pub added: u64,
    /// Number of statements deleted.
    pub deleted: u64,
}

/// A file that changes are written to.
pub struct RdfPatchFile {
    path: PathBuf,
    file: BufWriter<File>,
    is_open: bool,
    counts: PatchCounts,
    max_compared_quads: u64,
}

impl RdfPatchFile {
    /// Appends to a file, or creates it with these header lines, each a word and a term in
    /// N-Triples. An incomplete transaction is truncated. A file that is not an RDF Patch is an
    /// error.
    pub fn append_to(path: &Path, headers: &[(&str, String)]) -> io::Result<Self> {
        // A pipe can be neither read nor truncated.
        if std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
            truncate_incomplete(&mut OpenOptions::new().read(true).write(true).open(path)?)?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let is_new = file.metadata()?.len() == 0;
        let mut file = BufWriter::new(file);
        for (name, term) in headers.iter().filter(|_| is_new) {
            writeln!(file, "H {name} {term} .")?;
        }
        let max_compared_quads = MAX_COMPARED_QUADS;
        Ok(Self { path: path.to_owned(), file, is_open: false, counts: PatchCounts::default(), max_compared_quads })
    }

    #[cfg(test)]
    pub(super) fn with_max_compared_quads(mut self, quads: u64) -> Self {
        self.max_compared_quads = quads;
        self
    }

    /// Counts of written changes.
    #[must_use]
    pub(crate) fn counts(&self) -> PatchCounts {
        self.counts
    }

    /// Writes the difference between two versions of a document.
    pub(super) fn write_diff(
        &mut self,
        mut old: Option<(&mut dyn LineSource, u64)>,
        new: &mut dyn LineSource,
        new_quads: u64,
    ) -> Result<(), StoreError> {
        let Some((old, old_quads)) = &mut old else { return new.for_each_line(&mut |line| self.write(b"A ", line)) };
        if (*old_quads).max(new_quads) > self.max_compared_quads {
            old.for_each_line(&mut |line| self.write(b"D ", line))?;
            return new.for_each_line(&mut |line| self.write(b"A ", line));
        }
        let mut deleted: HashSet<u128> = HashSet::default();
        old.for_each_line(&mut |line| {
            deleted.insert(xxh3_128(line));
            Ok(())
        })?;
        let mut seen: HashSet<u128> = HashSet::default();
        new.for_each_line(&mut |line| {
            let hash = xxh3_128(line);
            if !seen.insert(hash) || deleted.remove(&hash) {
                return Ok(());
            }
            self.write(b"A ", line)
        })?;
        if deleted.is_empty() {
            return Ok(());
        }
        old.for_each_line(&mut |line| if deleted.remove(&xxh3_128(line)) { self.write(b"D ", line) } else { Ok(()) })
    }

    fn write(&mut self, sign: &[u8], line: &[u8]) -> Result<(), StoreError> {
        let count = if sign == b"A " { &mut self.counts.added } else { &mut self.counts.deleted };
        *count += 1;
        let mut write = || {
            if !self.is_open {
                self.file.write_all(b"TX .\n")?;
                self.is_open = true;
            }
            self.file.write_all(sign)?;
            self.file.write_all(line)
        };
        write().map_err(|source| StoreError::Write { path: self.path.clone(), source })
    }

    /// Ends the transaction, unless it is empty.
    pub(super) fn commit(&mut self) -> Result<(), StoreError> {
        let is_open = std::mem::take(&mut self.is_open);
        let end: &[u8] = if is_open { b"TC .\n" } else { b"" };
        self.file
            .write_all(end)
            .and_then(|()| self.file.flush())
            .map_err(|source| StoreError::Write { path: self.path.clone(), source })
    }
}

/// The line that ends a transaction, with the line feed before it.
const TRANSACTION_END: &[u8] = b"\nTC .\n";

/// Truncates the file after the last complete transaction, or after the headers if there is none.
fn truncate_incomplete(file: &mut File) -> io::Result<()> {
    let length = file.metadata()?.len();
    let end = match last_transaction_end(file, length)? {
        Some(end) => end,
        None => headers_end(file)?,
    };
    if end < length { file.set_len(end) } else { Ok(()) }
}

/// Finds the end of the last complete transaction, reading the file backwards in chunks.
fn last_transaction_end(file: &mut File, length: u64) -> io::Result<Option<u64>> {
    const CHUNK_BYTES: u64 = 1 << 16;
    let mut piece = Vec::new();
    let mut from = length;
    while from > 0 {
        // Chunks overlap, so that a `TRANSACTION_END` that spans two chunks is found.
        let to = (from + TRANSACTION_END.len() as u64).min(length);
        from = from.saturating_sub(CHUNK_BYTES);
        piece.clear();
        file.seek(SeekFrom::Start(from))?;
        Read::take(&mut *file, to - from).read_to_end(&mut piece)?;
        if let Some(position) = memchr::memmem::rfind(&piece, TRANSACTION_END) {
            return Ok(Some(from + (position + TRANSACTION_END.len()) as u64));
        }
    }
    Ok(None)
}

/// Returns the offset after the headers of a file that has no complete transaction.
fn headers_end(file: &mut File) -> io::Result<u64> {
    /// Maximum number of bytes that are searched for the end of the headers.
    const MAX_HEADER_BYTES: u64 = 1 << 20;
    let mut start = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    Read::take(&mut *file, MAX_HEADER_BYTES).read_to_end(&mut start)?;
    if !(start.is_empty() || start.starts_with(b"H ") || start.starts_with(b"TX .")) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not an RDF Patch; hint: choose another file"));
    }
    let lines = start.split_inclusive(|byte| *byte == b'\n');
    let headers = lines.take_while(|line| line.starts_with(b"H ") && line.ends_with(b"\n"));
    Ok(headers.map(|line| line.len() as u64).sum())
}
