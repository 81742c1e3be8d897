//! Files of JSON.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Readers, replace};

/// A file, or a folder of files, cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system said no.
    #[error("cannot use {path}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
    /// A file is not what we wrote.
    #[error("cannot read {path}")]
    Format {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
}

impl FileError {
    /// What the operating system said of this file.
    pub fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}

/// What is in a file; `None` if there is no such file.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, FileError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(FileError::at(path)(error)),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|source| FileError::Format { path: path.to_owned(), source })
}

/// Writes a file, instead of what was there: something that can always be written as
/// JSON. When this returns, a power cut does not undo it.
pub fn write(path: &Path, value: &impl Serialize) -> Result<(), FileError> {
    let bytes = serde_json::to_vec_pretty(value).expect("what is kept is plain data");
    replace(path, Readers::Anybody, &bytes).map_err(FileError::at(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_wrong_names_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        assert_eq!(read::<Vec<u8>>(&path).unwrap(), None);

        write(&path, &[1, 2]).unwrap();
        assert_eq!(read::<Vec<u8>>(&path).unwrap(), Some(vec![1, 2]));
        assert_eq!(read::<Vec<u8>>(&path.join("inside")).unwrap(), None);

        let wrong = read::<String>(&path).unwrap_err();
        assert_eq!(wrong.to_string(), format!("cannot read {}", path.display()));
        let nowhere = folder.path().join("nowhere/a.json");
        assert_eq!(write(&nowhere, &1).unwrap_err().to_string(), format!("cannot use {}", nowhere.display()));
    }
}
