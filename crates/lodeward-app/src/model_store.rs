//! Stores the model of a strategy on disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::atomic_file::{self, FileAccess};
use lodeward::engine::ModelStore;

/// The name of the model file in the directory of a crawl.
const FILE_NAME: &str = "model";

/// A model file that is replaced atomically: after a kill or a power cut, it contains the last
/// version or the one before.
#[derive(Clone, Debug)]
pub struct FileModelStore {
    path: PathBuf,
}

impl FileModelStore {
    /// The model store of the crawl in this directory.
    #[must_use]
    pub fn for_crawl(directory: &Path) -> Self {
        Self { path: directory.join(FILE_NAME) }
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the last model. Returns `None` if there is none, or if it cannot be read, which is
    /// logged.
    #[must_use]
    pub fn read(&self) -> Option<Vec<u8>> {
        match fs::read(&self.path) {
            Ok(model) => Some(model),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!(path = %self.path.display(), %error, "cannot read the model of the crawl");
                None
            }
        }
    }
}

impl ModelStore for FileModelStore {
    fn write(&self, model: &[u8]) -> io::Result<()> {
        atomic_file::replace(&self.path, FileAccess::Umask, model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_model_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let store = FileModelStore::for_crawl(directory.path());
        assert_eq!(store.read(), None);

        store.write(b"first and long").unwrap();
        store.write(b"second").unwrap();

        assert_eq!(store.read().as_deref(), Some(&b"second"[..]));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn an_incomplete_temporary_file_is_ignored() {
        let directory = tempfile::tempdir().unwrap();
        let store = FileModelStore::for_crawl(directory.path());
        store.write(b"whole").unwrap();

        fs::write(directory.path().join("model.new"), b"ha").unwrap();

        assert_eq!(store.read().as_deref(), Some(&b"whole"[..]));
        store.write(b"again").unwrap();
        assert_eq!(store.read().as_deref(), Some(&b"again"[..]));
    }
}
