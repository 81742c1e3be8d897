//! A log file that grows while a crawl runs, or one per hop.
//!
//! A file contains complete lines at any time; a compressed one contains complete members, which any
//! tool reads as one file. So a resumed crawl appends, however the last run ended. Lines are written
//! with the next commit; to a compressed file when there are enough of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use flate2::write::GzEncoder;

use super::RequestLogError;
use crate::file_export::hop_path;

/// Minimum number of bytes that are compressed together.
const MIN_MEMBER_BYTES: usize = 64 << 10;

/// Maximum number of bytes that wait to be written.
const MAX_PENDING_BYTES: usize = 1 << 20;

pub(super) struct RequestLogFile {
    path: PathBuf,
    compression: LogCompression,
    /// Whether there is one file per hop.
    is_split: bool,
    state: Mutex<LogFileState>,
}

#[derive(Default)]
struct LogFileState {
    /// Lines that are not written yet, by hop.
    pending: BTreeMap<u16, Vec<u8>>,
    pending_bytes: usize,
    /// Hops whose file is appended to; the files of other hops are truncated first.
    opened: BTreeSet<u16>,
    /// Whether all files are appended to.
    is_resumed: bool,
    failure: Option<io::Error>,
    /// Number of lines that were lost after a write error.
    lost: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LogCompression {
    None,
    Gzip,
    Zstd,
}

impl RequestLogFile {
    /// Creates a file, or opens it to append.
    pub(super) fn open(path: &Path, is_split: bool, is_resumed: bool) -> Result<Self, RequestLogError> {
        let compression = match path.extension().and_then(|extension| extension.to_str()) {
            Some("gz") => LogCompression::Gzip,
            Some("zst") => LogCompression::Zstd,
            _ => LogCompression::None,
        };
        let state = Mutex::new(LogFileState { is_resumed, ..LogFileState::default() });
        let file = Self { path: path.to_owned(), compression, is_split, state };
        // Reports a file that cannot be written at the start.
        file.append(&mut file.state(), 0, &[])
            .map_err(|source| RequestLogError::Open { path: path.to_owned(), source })?;
        Ok(file)
    }

    /// Adds complete lines of one hop.
    pub(super) fn write(&self, hop: u16, lines: &[u8]) {
        let state = &mut *self.state();
        if state.failure.is_some() {
            state.lost += count_lines(lines);
            return;
        }
        let hop = if self.is_split { hop } else { 0 };
        state.pending.entry(hop).or_default().extend_from_slice(lines);
        state.pending_bytes += lines.len();
        if state.pending_bytes > MAX_PENDING_BYTES {
            self.flush_pending(state);
        }
    }

    /// Writes the pending lines; to a compressed file only if there are enough.
    pub(super) fn flush_if_due(&self) {
        let state = &mut *self.state();
        let is_due = self.compression == LogCompression::None || state.pending_bytes >= MIN_MEMBER_BYTES;
        if is_due {
            self.flush_pending(state);
        }
    }

    /// Writes all pending lines; returns the first write error.
    pub(super) fn finish(&self) -> Result<(), RequestLogError> {
        let state = &mut *self.state();
        self.flush_pending(state);
        match state.failure.take() {
            None => Ok(()),
            Some(source) => Err(RequestLogError::Lost { path: self.path.clone(), lines: state.lost, source }),
        }
    }

    fn state(&self) -> MutexGuard<'_, LogFileState> {
        self.state.lock().expect("no thread panics while it holds the lock")
    }

    fn flush_pending(&self, state: &mut LogFileState) {
        for (hop, lines) in std::mem::take(&mut state.pending) {
            let appended = if state.failure.is_none() { self.append(state, hop, &lines) } else { Ok(()) };
            if let Err(failure) = appended {
                tracing::warn!(file = %self.path.display(), error = %failure, "cannot write the log file");
                state.failure = Some(failure);
            }
            if state.failure.is_some() {
                state.lost += count_lines(&lines);
            }
        }
        state.pending_bytes = 0;
    }

    fn append(&self, state: &mut LogFileState, hop: u16, lines: &[u8]) -> io::Result<()> {
        let path = if self.is_split { hop_path(&self.path, hop) } else { self.path.clone() };
        let is_appended = state.is_resumed || state.opened.contains(&hop);
        let mut options = OpenOptions::new();
        options.create(true).append(is_appended).write(true).truncate(!is_appended);
        let mut file = options.open(path)?;
        state.opened.insert(hop);
        let length = file.metadata()?.len();
        // An empty file is not a valid compressed file.
        if lines.is_empty() && (self.compression == LogCompression::None || length > 0) {
            return Ok(());
        }
        self.write_compressed(&mut file, lines).inspect_err(|_| {
            // An incomplete member would make all that follows unreadable.
            let _ = file.set_len(length);
        })
    }

    fn write_compressed(&self, file: &mut File, lines: &[u8]) -> io::Result<()> {
        match self.compression {
            LogCompression::None => file.write_all(lines),
            LogCompression::Gzip => {
                let mut member = GzEncoder::new(Vec::new(), flate2::Compression::default());
                member.write_all(lines)?;
                file.write_all(&member.finish()?)
            }
            LogCompression::Zstd => file.write_all(&zstd::encode_all(lines, zstd::DEFAULT_COMPRESSION_LEVEL)?),
        }
    }
}

fn count_lines(lines: &[u8]) -> u64 {
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
    fn a_resumed_crawl_appends_and_a_new_one_overwrites() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["a.log", "a.log.gz", "a.log.zst"] {
            let path = directory.path().join(name);
            std::fs::write(&path, "of another crawl").unwrap();
            for (is_resumed, expected) in [(false, "1\n2\n"), (true, "1\n2\n1\n2\n"), (false, "1\n2\n")] {
                let file = RequestLogFile::open(&path, false, is_resumed).unwrap();
                file.write(0, b"1\n");
                file.flush_if_due();
                file.write(7, b"2\n");
                file.finish().unwrap();
                assert_eq!(text(&path), expected, "{name}");
            }
        }
    }

    #[test]
    fn lines_are_flushed_at_a_commit() {
        let directory = tempfile::tempdir().unwrap();
        let (plain, compressed) = (directory.path().join("a.log"), directory.path().join("a.log.gz"));
        let open = |path| RequestLogFile::open(path, false, false).unwrap();
        let (plain_file, compressed_file) = (open(&plain), open(&compressed));

        for file in [&plain_file, &compressed_file] {
            file.write(0, b"1\n");
            file.flush_if_due();
        }
        assert_eq!((text(&plain), text(&compressed)), ("1\n".to_owned(), String::new()));

        compressed_file.write(0, &vec![b'x'; MIN_MEMBER_BYTES]);
        compressed_file.flush_if_due();
        assert_eq!(text(&compressed).len(), MIN_MEMBER_BYTES + 2);
    }

    #[test]
    fn every_hop_has_its_own_file() {
        let directory = tempfile::tempdir().unwrap();
        let file = RequestLogFile::open(&directory.path().join("a.log.gz"), true, false).unwrap();

        for (hop, line) in [(0, b"a\n"), (1, b"b\n"), (0, b"c\n")] {
            file.write(hop, line);
        }
        file.finish().unwrap();

        let of_hop = |hop: u16| text(&directory.path().join(format!("a.hop-{hop}.log.gz")));
        assert_eq!((of_hop(0), of_hop(1)), ("a\nc\n".to_owned(), "b\n".to_owned()));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_write_error_is_reported_at_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let file = RequestLogFile::open(&directory.path().join("a.log"), true, false).unwrap();
        // The file of the second hop cannot be created: a directory has its name.
        std::fs::create_dir(directory.path().join("a.hop-1.log")).unwrap();

        file.write(1, b"1\n2\n");
        file.flush_if_due();
        file.write(0, b"3\n");

        let message = format!("{:#}", file.finish().unwrap_err());
        assert!(message.contains("a.log: 3 lines are missing"), "{message}");
    }
}
