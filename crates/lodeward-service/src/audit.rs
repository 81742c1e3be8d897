//! The audit log: one JSON line for each change and each rejected credential.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use crate::users::AuthMethod;

/// The size at which the file is rotated.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// The number of rotated files that are kept.
const MAX_FILES: u32 = 4;

/// A line of the log. The path is the only field with arbitrary text of the client; JSON escapes
/// its line breaks.
#[derive(Debug, Serialize)]
pub(crate) struct AuditEntry {
    /// Time of the request (RFC 3339).
    pub(crate) at: String,
    pub(crate) request: String,
    pub(crate) address: IpAddr,
    /// The authenticated user, or the user name in a failed login.
    pub(crate) user: Option<String>,
    pub(crate) via: Option<AuthMethod>,
    pub(crate) method: String,
    pub(crate) path: String,
    /// The crawl, if a parameter names it (DURAARK API).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) crawl: Option<String>,
    pub(crate) status: u16,
    /// Number of similar requests since the last line that were not logged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unwritten: Option<u64>,
}

/// The audit log.
pub(crate) struct AuditLog {
    path: PathBuf,
    max_bytes: u64,
    file: Mutex<Option<(File, u64)>>,
}

impl AuditLog {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, max_bytes: MAX_FILE_BYTES, file: Mutex::new(None) }
    }

    /// Writes an entry. An error is only logged: a full disk must not block all requests.
    /// Blocks.
    pub(crate) fn record(&self, entry: &AuditEntry) {
        if let Err(error) = self.append(entry) {
            tracing::error!(%error, ?entry, "writing the audit log failed");
        }
    }

    fn append(&self, entry: &AuditEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let mut current = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut file, length) = match current.take() {
            Some((_, length)) if length >= self.max_bytes => {
                self.rotate()?;
                self.open()?
            }
            Some(open) => open,
            None => self.open()?,
        };
        file.write_all(&line)?;
        *current = Some((file, length + line.len() as u64));
        Ok(())
    }

    fn open(&self) -> io::Result<(File, u64)> {
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    }

    fn rotate(&self) -> io::Result<()> {
        let numbered = |number: u32| self.path.with_extension(format!("{number}.jsonl"));
        for number in (1..MAX_FILES).rev() {
            let _ = fs::rename(numbered(number), numbered(number + 1));
        }
        fs::rename(&self.path, numbered(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> AuditEntry {
        AuditEntry {
            at: "2026-11-16T15:57:00Z".to_owned(),
            request: "7".to_owned(),
            address: IpAddr::from([192, 0, 2, 1]),
            user: Some("alice".to_owned()),
            via: Some(AuthMethod::Token),
            method: "POST".to_owned(),
            path: path.to_owned(),
            crawl: None,
            status: 201,
            unwritten: None,
        }
    }

    #[test]
    fn a_path_with_line_breaks_stays_in_one_line() {
        let dir = tempfile::tempdir().unwrap();
        let audit = AuditLog::new(dir.path().join("audit.jsonl"));

        audit.record(&entry("/a\r\n{\"user\":\"eve\"}"));
        audit.record(&entry("/b"));

        let text = fs::read_to_string(dir.path().join("audit.jsonl")).unwrap();
        let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["path"], "/a\r\n{\"user\":\"eve\"}");
        assert_eq!(lines[1]["status"], 201);
    }

    #[test]
    fn the_size_of_the_log_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let mut audit = AuditLog::new(dir.path().join("audit.jsonl"));
        audit.max_bytes = 1_000;

        for number in 0..200 {
            audit.record(&entry(&format!("/{number}")));
        }

        let mut names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort_unstable();
        assert_eq!(names, ["audit.1.jsonl", "audit.2.jsonl", "audit.3.jsonl", "audit.4.jsonl", "audit.jsonl"]);
        assert!(fs::read_to_string(dir.path().join("audit.jsonl")).unwrap().contains("/199"));
    }

    #[test]
    fn an_unwritable_log_is_not_fatal() {
        let audit = AuditLog::new(PathBuf::from("/nonexistent/audit.jsonl"));

        audit.record(&entry("/"));
    }
}
