//! Who has changed what, and who was not let in: one line of JSON each.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::who::Via;

/// When a file is full, another one is begun.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// How many full ones are kept.
const FILES_MAX: u32 = 4;

/// What has happened. Nothing that somebody has sent stands here but a path, and
/// JSON keeps that in its place.
#[derive(Debug, Serialize)]
pub(super) struct Entry {
    /// When.
    pub(super) at: String,
    pub(super) request: String,
    pub(super) address: IpAddr,
    /// Who it was, or said to be.
    pub(super) user: Option<String>,
    pub(super) via: Option<Via>,
    pub(super) method: String,
    pub(super) path: String,
    /// The crawl that a request of the published API is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) crawl: Option<String>,
    pub(super) status: u16,
    /// How many were refused from there in the same way before it, and not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unwritten: Option<u64>,
}

/// The log of all that.
pub(crate) struct Audit {
    path: PathBuf,
    bytes_max: u64,
    file: Mutex<Option<(File, u64)>>,
}

impl Audit {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, bytes_max: FILE_BYTES_MAX, file: Mutex::new(None) }
    }

    /// Writes it down. What cannot be written is told to the log: that a disk is full
    /// is no reason to let nobody in. Blocks.
    pub(super) fn note(&self, entry: &Entry) {
        if let Err(error) = self.append(entry) {
            tracing::error!(%error, ?entry, "the audit log cannot be written");
        }
    }

    fn append(&self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let mut place = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut file, length) = match place.take() {
            Some((_, length)) if length >= self.bytes_max => {
                self.rotate()?;
                self.open()?
            }
            Some(open) => open,
            None => self.open()?,
        };
        file.write_all(&line)?;
        *place = Some((file, length + line.len() as u64));
        Ok(())
    }

    fn open(&self) -> io::Result<(File, u64)> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    }

    fn rotate(&self) -> io::Result<()> {
        let numbered = |number: u32| self.path.with_extension(format!("{number}.jsonl"));
        for number in (1..FILES_MAX).rev() {
            let _ = fs::rename(numbered(number), numbered(number + 1));
        }
        fs::rename(&self.path, numbered(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> Entry {
        Entry {
            at: "2026-11-16T15:57:00Z".to_owned(),
            request: "7".to_owned(),
            address: IpAddr::from([192, 0, 2, 1]),
            user: Some("alice".to_owned()),
            via: Some(Via::Token),
            method: "POST".to_owned(),
            path: path.to_owned(),
            crawl: None,
            status: 201,
            unwritten: None,
        }
    }

    #[test]
    fn whatever_is_written_stays_in_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let audit = Audit::new(folder.path().join("audit.jsonl"));

        audit.note(&entry("/a\r\n{\"user\":\"eve\"}"));
        audit.note(&entry("/b"));

        let text = fs::read_to_string(folder.path().join("audit.jsonl")).unwrap();
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["path"], "/a\r\n{\"user\":\"eve\"}");
        assert_eq!(lines[1]["status"], 201);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let mut audit = Audit::new(folder.path().join("audit.jsonl"));
        audit.bytes_max = 1_000;

        for number in 0..200 {
            audit.note(&entry(&format!("/{number}")));
        }

        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort_unstable();
        assert_eq!(names, ["audit.1.jsonl", "audit.2.jsonl", "audit.3.jsonl", "audit.4.jsonl", "audit.jsonl"]);
        assert!(fs::read_to_string(folder.path().join("audit.jsonl")).unwrap().contains("/199"));
    }

    #[test]
    fn a_log_that_cannot_be_written_stops_nothing() {
        let audit = Audit::new(PathBuf::from("/nonexistent/audit.jsonl"));

        audit.note(&entry("/"));
    }
}
