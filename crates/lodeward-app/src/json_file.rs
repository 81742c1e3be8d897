//! Reads and writes JSON files.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::atomic_file::{FileAccess, replace};

/// A file or directory cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system returned an error.
    #[error("cannot use {path}")]
    Io {
        /// The path.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The content is not the expected JSON.
    #[error("cannot read {path}")]
    Format {
        /// The path.
        path: PathBuf,
        /// The parse error.
        #[source]
        source: serde_json::Error,
    },
}

impl FileError {
    /// Converts an I/O error of this path.
    pub fn for_path(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

/// Reads a file. Returns `None` if it does not exist.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, FileError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(FileError::for_path(path)(error)),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|source| FileError::Format { path: path.to_owned(), source })
}

/// Replaces or creates a file with `value` as JSON. When this returns, a power failure does not
/// undo it.
///
/// # Panics
///
/// If `value` cannot be serialised as JSON.
pub fn write(path: &Path, value: &impl Serialize) -> Result<(), FileError> {
    write_with_access(path, FileAccess::Umask, value)
}

/// Like [`write()`], with these permissions.
///
/// # Panics
///
/// If `value` cannot be serialised as JSON.
pub fn write_with_access(path: &Path, access: FileAccess, value: &impl Serialize) -> Result<(), FileError> {
    let bytes = serde_json::to_vec_pretty(value).expect("the value serialises as JSON");
    replace(path, access, &bytes).map_err(FileError::for_path(path))
}

/// Identifies a version of a file, by inode, time of change and length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    inode: u64,
    modified: (i64, i64),
    length: u64,
}

impl FileStamp {
    /// The stamp of the file; `None` if the file does not exist.
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let modified = (metadata.mtime(), metadata.mtime_nsec());
        Some(Self { inode: metadata.ino(), modified, length: metadata.len() })
    }
}

/// Times in milliseconds since the Unix epoch, in JSON as texts (RFC 3339).
pub mod json_time {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use lodeward::time::{format_iso8601, parse_iso8601};

    /// Writes a time.
    pub fn serialize<S: Serializer>(time_ms: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format_iso8601(*time_ms))
    }

    /// Reads a time.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_iso8601(&text).ok_or_else(|| D::Error::custom(format!("`{text}` is not a time")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_file_is_read_back_and_errors_name_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        assert_eq!(read::<Vec<u8>>(&path).unwrap(), None);

        write(&path, &[1, 2]).unwrap();
        assert_eq!(read::<Vec<u8>>(&path).unwrap(), Some(vec![1, 2]));
        assert_eq!(read::<Vec<u8>>(&path.join("inside")).unwrap(), None);

        let wrong = read::<String>(&path).unwrap_err();
        assert_eq!(wrong.to_string(), format!("cannot read {}", path.display()));
        let missing = dir.path().join("missing/a.json");
        assert_eq!(write(&missing, &1).unwrap_err().to_string(), format!("cannot use {}", missing.display()));
    }
}
