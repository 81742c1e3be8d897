//! The documents that are being read, on disk.
//!
//! `reading.log` has a line for each start (`+`) and end (`-`) of reading, and for each suspect
//! (`?`). It is not fsynced: the page cache survives the end of a process. A document without an end
//! was being read when the process ended, and becomes a suspect. A suspect is read while no other
//! suspect is. If the process ends again meanwhile, the document is quarantined: exactly one, and no
//! innocent document that was read at the same time.
//!
//! `quarantine.txt` lists quarantined documents, with the version of the program that they ended.
//! Another version reads them again, as does this one if the line is removed.

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lodeward::model::Uri;

const LOG_NAME: &str = "reading.log";
const QUARANTINE_NAME: &str = "quarantine.txt";
/// The log is rewritten when it is longer than this.
const MAX_LOG_BYTES: u64 = 256 << 10;
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The documents of a crawl that are being read.
pub(super) struct ReadLedger {
    directory: PathBuf,
    state: Mutex<LedgerState>,
    /// Held while a suspect is read.
    suspect_turn: Mutex<()>,
}

#[derive(Default)]
struct LedgerState {
    /// The log; `None` if it cannot be written or the ledger is closed.
    log: Option<File>,
    log_bytes: u64,
    reading: HashMap<String, usize>,
    suspects: BTreeSet<String>,
    quarantined: BTreeSet<String>,
}

impl ReadLedger {
    /// Opens the ledger in this directory, and finds the documents that ended the last process.
    pub(super) fn open(directory: &Path) -> io::Result<Self> {
        let (unfinished, earlier_suspects) = parse_log(&read_if_present(&directory.join(LOG_NAME))?);
        let listed = read_if_present(&directory.join(QUARANTINE_NAME))?;
        let mut quarantined: BTreeSet<String> = listed
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter(|(version, _)| *version == VERSION)
            .map(|(_, uri)| uri.to_owned())
            .collect();
        let mut suspects = earlier_suspects;
        let known = quarantined.len();
        for uri in unfinished {
            if suspects.remove(&uri) {
                tracing::warn!(%uri, "document quarantined: it ended the process twice");
                quarantined.insert(uri);
            } else {
                tracing::warn!(%uri, "the last process ended while it read this document");
                suspects.insert(uri);
            }
        }
        if quarantined.len() > known {
            let lines: Vec<String> = quarantined.iter().map(|uri| format!("{VERSION} {uri}\n")).collect();
            fs::write(directory.join(QUARANTINE_NAME), lines.concat())?;
        }
        let mut state = LedgerState { suspects, quarantined, ..LedgerState::default() };
        state.rewrite(directory)?;
        Ok(Self { directory: directory.to_owned(), state: Mutex::new(state), suspect_turn: Mutex::new(()) })
    }

    pub(super) fn is_quarantined(&self, uri: &Uri) -> bool {
        self.lock().quarantined.contains(uri.as_str())
    }

    /// Whether the last process ended while it read this document.
    pub(super) fn is_suspect(&self, uri: &Uri) -> bool {
        self.lock().suspects.contains(uri.as_str())
    }

    /// Records that a document is being read, until the guard is dropped. Waits for other suspects
    /// if it is one.
    pub(super) fn begin(&self, uri: &Uri) -> ReadingGuard<'_> {
        let turn = self.is_suspect(uri).then(|| self.suspect_turn.lock().unwrap_or_else(PoisonError::into_inner));
        let mut state = self.lock();
        *state.reading.entry(uri.as_str().to_owned()).or_default() += 1;
        state.append('+', uri.as_str(), &self.directory);
        ReadingGuard { ledger: self, uri: uri.clone(), _turn: turn }
    }

    /// Forgets what is being read: it is abandoned, and the process ends for another reason.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.reading.clear();
        if state.log.is_some() && state.rewrite(&self.directory).is_err() {
            tracing::warn!(path = %self.directory.join(LOG_NAME).display(), "cannot write the log of documents being read");
        }
        state.log = None;
    }

    fn lock(&self) -> MutexGuard<'_, LedgerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LedgerState {
    /// Appends a line. If that fails, as on a full disk, the crawl continues without a log.
    fn append(&mut self, mark: char, uri: &str, directory: &Path) {
        let Some(log) = &mut self.log else { return };
        let line = format!("{mark} {uri}\n");
        self.log_bytes += line.len() as u64;
        let written = log.write_all(line.as_bytes());
        let written =
            written.and_then(|()| if self.log_bytes > MAX_LOG_BYTES { self.rewrite(directory) } else { Ok(()) });
        if let Err(error) = written {
            tracing::warn!(%error, "cannot write the log of documents being read");
            self.log = None;
        }
    }

    /// Replaces the log by one with the current state only.
    fn rewrite(&mut self, directory: &Path) -> io::Result<()> {
        let suspects = self.suspects.iter().map(|uri| format!("? {uri}\n"));
        let reading = self.reading.iter().flat_map(|(uri, count)| vec![format!("+ {uri}\n"); *count]);
        let text = suspects.chain(reading).collect::<Vec<_>>().concat();
        let (path, new) = (directory.join(LOG_NAME), directory.join(format!("{LOG_NAME}.new")));
        fs::write(&new, &text)?;
        fs::rename(&new, &path)?;
        self.log = Some(OpenOptions::new().append(true).open(&path)?);
        self.log_bytes = text.len() as u64;
        Ok(())
    }
}

/// A document being read. Dropped also if the reader panics: a panic does not end the process.
pub(super) struct ReadingGuard<'a> {
    ledger: &'a ReadLedger,
    uri: Uri,
    _turn: Option<MutexGuard<'a, ()>>,
}

impl Drop for ReadingGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.ledger.lock();
        let Some(count) = state.reading.get_mut(self.uri.as_str()) else { return };
        *count -= 1;
        if *count == 0 {
            state.reading.remove(self.uri.as_str());
        }
        state.suspects.remove(self.uri.as_str());
        state.append('-', self.uri.as_str(), &self.ledger.directory);
    }
}

/// The documents without an end, and the suspects among all documents.
fn parse_log(text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut starts: HashMap<&str, usize> = HashMap::new();
    let mut suspects = BTreeSet::new();
    for (mark, uri) in text.lines().filter_map(|line| line.split_once(' ')) {
        match mark {
            "?" => {
                suspects.insert(uri.to_owned());
            }
            "+" => *starts.entry(uri).or_default() += 1,
            "-" => {
                suspects.remove(uri);
                if let Some(count) = starts.get_mut(uri) {
                    *count = count.saturating_sub(1);
                }
            }
            _ => {}
        }
    }
    let unfinished = starts.into_iter().filter(|(_, count)| *count > 0).map(|(uri, _)| uri.to_owned());
    (unfinished.collect(), suspects)
}

fn read_if_present(path: &Path) -> io::Result<String> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(name: &str) -> Uri {
        Uri::parse(&format!("http://a.example/{name}")).unwrap()
    }

    /// The end of a process while these documents are read.
    fn end_while_reading(directory: &Path, names: &[&str]) {
        let ledger = ReadLedger::open(directory).unwrap();
        for name in names {
            std::mem::forget(ledger.begin(&uri(name)));
        }
    }

    #[test]
    fn a_document_that_ended_two_processes_is_quarantined() {
        let directory = tempfile::tempdir().unwrap();
        end_while_reading(directory.path(), &["bomb", "innocent"]);
        // Suspects are read one at a time, so that only one can be read when the process ends.
        end_while_reading(directory.path(), &["bomb", "other"]);

        let ledger = ReadLedger::open(directory.path()).unwrap();

        assert!(ledger.is_quarantined(&uri("bomb")) && !ledger.is_suspect(&uri("bomb")));
        for name in ["innocent", "other"] {
            assert!(!ledger.is_quarantined(&uri(name)) && ledger.is_suspect(&uri(name)), "{name}");
            drop(ledger.begin(&uri(name)));
            assert!(!ledger.is_suspect(&uri(name)), "{name}");
        }
        drop(ledger);
        let reopened = ReadLedger::open(directory.path()).unwrap();
        assert!(reopened.is_quarantined(&uri("bomb")) && !reopened.is_suspect(&uri("innocent")));
    }

    #[test]
    fn a_removed_line_releases_a_document() {
        let directory = tempfile::tempdir().unwrap();
        end_while_reading(directory.path(), &["bomb"]);
        end_while_reading(directory.path(), &["bomb"]);
        drop(ReadLedger::open(directory.path()).unwrap());

        fs::write(directory.path().join(QUARANTINE_NAME), "0.0.0 http://a.example/bomb\n").unwrap();

        assert!(!ReadLedger::open(directory.path()).unwrap().is_quarantined(&uri("bomb")));
    }

    #[test]
    fn an_orderly_end_leaves_no_suspects() {
        let directory = tempfile::tempdir().unwrap();
        let ledger = ReadLedger::open(directory.path()).unwrap();
        let abandoned = ledger.begin(&uri("a"));
        ledger.close();
        drop(abandoned);

        assert!(!ReadLedger::open(directory.path()).unwrap().is_suspect(&uri("a")));
    }

    #[test]
    fn the_log_stays_short() {
        let directory = tempfile::tempdir().unwrap();
        let ledger = ReadLedger::open(directory.path()).unwrap();
        let long = ledger.begin(&uri("long"));
        for number in 0..20_000 {
            drop(ledger.begin(&uri(&number.to_string())));
        }

        assert!(fs::metadata(directory.path().join(LOG_NAME)).unwrap().len() <= MAX_LOG_BYTES + 100);
        std::mem::forget(long);
        assert!(ReadLedger::open(directory.path()).unwrap().is_suspect(&uri("long")));
    }
}
