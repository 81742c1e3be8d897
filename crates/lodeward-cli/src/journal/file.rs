//! A file that grows line by line while a crawl runs, or one for each hop.
//!
//! What a file holds is whole lines at any time, and of a compressed one whole
//! members, which any tool reads as one file: so a crawl that is gone on with
//! appends, whatever ended the last one. Lines reach the file with the commit that
//! follows them; of a compressed one when there are enough to be worth it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use anyhow::Context as _;
use flate2::write::GzEncoder;

use crate::target::of_hop;

/// Bytes of lines that are compressed together, at least.
const MEMBER_BYTES_MIN: usize = 64 << 10;

/// Bytes of lines that wait, at most.
const PENDING_BYTES_MAX: usize = 1 << 20;

pub(crate) struct JournalFile {
    path: PathBuf,
    compression: Compression,
    /// Whether there is a file for each hop.
    is_split: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Lines that are not in their file yet, by hop.
    pending: BTreeMap<u16, Vec<u8>>,
    pending_bytes: usize,
    /// Hops whose file may be appended to; the others are begun anew.
    begun: BTreeSet<u16>,
    /// Whether all files may.
    is_resumed: bool,
    failure: Option<io::Error>,
    /// Lines that are in no file, because one could not be written.
    lost: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Compression {
    None,
    Gzip,
    Zstd,
}

impl JournalFile {
    /// Begins a file, or goes on with it.
    pub(crate) fn open(path: &Path, is_split: bool, is_resumed: bool) -> anyhow::Result<Self> {
        let compression = match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => Compression::Gzip,
            Some("zst") => Compression::Zstd,
            _ => Compression::None,
        };
        let state = Mutex::new(State { is_resumed, ..State::default() });
        let file = Self { path: path.to_owned(), compression, is_split, state };
        // What cannot be written is better known in the beginning.
        file.append(&mut file.state(), 0, &[]).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(file)
    }

    /// Adds lines, with their line feeds, of one hop.
    pub(crate) fn write(&self, hop: u16, lines: &[u8]) {
        let state = &mut *self.state();
        if state.failure.is_some() {
            state.lost += count(lines);
            return;
        }
        let hop = if self.is_split { hop } else { 0 };
        state.pending.entry(hop).or_default().extend_from_slice(lines);
        state.pending_bytes += lines.len();
        if state.pending_bytes > PENDING_BYTES_MAX {
            self.write_out(state);
        }
    }

    /// Brings what is worth it into the file.
    pub(crate) fn keep(&self) {
        let state = &mut *self.state();
        let is_worth_it = self.compression == Compression::None || state.pending_bytes >= MEMBER_BYTES_MIN;
        if is_worth_it {
            self.write_out(state);
        }
    }

    /// Brings everything into the file, and tells what is missing from it.
    pub(crate) fn finish(&self) -> anyhow::Result<()> {
        let state = &mut *self.state();
        self.write_out(state);
        match state.failure.take() {
            None => Ok(()),
            Some(failure) => {
                Err(failure).with_context(|| format!("{}: {} lines are missing", self.path.display(), state.lost))
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds a journal")
    }

    fn write_out(&self, state: &mut State) {
        for (hop, lines) in std::mem::take(&mut state.pending) {
            let appended = if state.failure.is_none() { self.append(state, hop, &lines) } else { Ok(()) };
            if let Err(failure) = appended {
                tracing::warn!(file = %self.path.display(), error = %failure, "cannot go on with this file");
                state.failure = Some(failure);
            }
            if state.failure.is_some() {
                state.lost += count(&lines);
            }
        }
        state.pending_bytes = 0;
    }

    fn append(&self, state: &mut State, hop: u16, lines: &[u8]) -> io::Result<()> {
        let path = if self.is_split { of_hop(&self.path, hop) } else { self.path.clone() };
        let is_known = state.is_resumed || state.begun.contains(&hop);
        let mut file = OpenOptions::new().create(true).append(is_known).write(true).truncate(!is_known).open(path)?;
        state.begun.insert(hop);
        let length = file.metadata()?.len();
        // A compressed file of no bytes at all is none.
        if lines.is_empty() && (self.compression == Compression::None || length > 0) {
            return Ok(());
        }
        self.write_whole(&mut file, lines).inspect_err(|_| {
            // Half a member would make all that follows unreadable.
            let _ = file.set_len(length);
        })
    }

    fn write_whole(&self, file: &mut File, lines: &[u8]) -> io::Result<()> {
        match self.compression {
            Compression::None => file.write_all(lines),
            Compression::Gzip => {
                let mut member = GzEncoder::new(Vec::new(), flate2::Compression::default());
                member.write_all(lines)?;
                file.write_all(&member.finish()?)
            }
            Compression::Zstd => file.write_all(&zstd::encode_all(lines, zstd::DEFAULT_COMPRESSION_LEVEL)?),
        }
    }
}

fn count(lines: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', lines).count() as u64
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn text(path: &Path) -> String {
        let bytes = std::fs::read(path).unwrap();
        match path.extension().unwrap().to_str().unwrap() {
            "gz" => {
                let mut text = String::new();
                flate2::read::MultiGzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
                text
            }
            "zst" => String::from_utf8(zstd::decode_all(&*bytes).unwrap()).unwrap(),
            _ => String::from_utf8(bytes).unwrap(),
        }
    }

    #[test]
    fn a_crawl_that_is_gone_on_with_appends_and_a_new_one_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.log", "a.log.gz", "a.log.zst"] {
            let path = folder.path().join(name);
            std::fs::write(&path, "of another crawl").unwrap();
            for (is_resumed, expected) in [(false, "1\n2\n"), (true, "1\n2\n1\n2\n"), (false, "1\n2\n")] {
                let file = JournalFile::open(&path, false, is_resumed).unwrap();
                file.write(0, b"1\n");
                file.keep();
                file.write(7, b"2\n");
                file.finish().unwrap();
                assert_eq!(text(&path), expected, "{name}");
            }
        }
    }

    #[test]
    fn lines_are_in_the_file_when_they_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, packed) = (folder.path().join("a.log"), folder.path().join("a.log.gz"));
        let open = |path| JournalFile::open(path, false, false).unwrap();
        let (plain_file, packed_file) = (open(&plain), open(&packed));

        for file in [&plain_file, &packed_file] {
            file.write(0, b"1\n");
            file.keep();
        }
        assert_eq!((text(&plain), text(&packed)), ("1\n".to_owned(), String::new()));

        packed_file.write(0, &vec![b'x'; MEMBER_BYTES_MIN]);
        packed_file.keep();
        assert_eq!(text(&packed).len(), MEMBER_BYTES_MIN + 2);
    }

    #[test]
    fn every_hop_has_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = JournalFile::open(&folder.path().join("a.log.gz"), true, false).unwrap();

        for (hop, line) in [(0, b"a\n"), (1, b"b\n"), (0, b"c\n")] {
            file.write(hop, line);
        }
        file.finish().unwrap();

        let of_hop = |hop: u16| text(&folder.path().join(format!("a.hop-{hop}.log.gz")));
        assert_eq!((of_hop(0), of_hop(1)), ("a\nc\n".to_owned(), "b\n".to_owned()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_told_of_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let file = JournalFile::open(&folder.path().join("a.log"), true, false).unwrap();
        // The file of the second hop cannot be made: a folder has its name.
        std::fs::create_dir(folder.path().join("a.hop-1.log")).unwrap();

        file.write(1, b"1\n2\n");
        file.keep();
        file.write(0, b"3\n");

        let told = format!("{:#}", file.finish().unwrap_err());
        assert!(told.contains("a.log: 3 lines are missing"), "{told}");
    }
}
