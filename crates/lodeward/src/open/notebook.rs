//! What a strategy has learned, on disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::durable::{self, Readers};
use crate::engine::Notebook;

/// The name of the file in the folder of a crawl.
const FILE_NAME: &str = "model";

/// A file that is replaced as a whole: whoever reads it, also after the process
/// was killed or the power was cut, finds what was written last or what was
/// written before.
#[derive(Clone, Debug)]
pub struct FileNotebook {
    path: PathBuf,
}

impl FileNotebook {
    /// The notebook of the crawl in this folder.
    #[must_use]
    pub fn of_crawl(directory: &Path) -> Self {
        Self { path: directory.join(FILE_NAME) }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was written last; `None` if nothing was, or if it cannot be read,
    /// which is told.
    #[must_use]
    pub fn read(&self) -> Option<Vec<u8>> {
        match fs::read(&self.path) {
            Ok(learned) => Some(learned),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                tracing::warn!(path = %self.path.display(), %error, "cannot read what this crawl had learned");
                None
            }
        }
    }
}

impl Notebook for FileNotebook {
    fn write(&self, learned: &[u8]) -> io::Result<()> {
        durable::replace(&self.path, Readers::Anybody, learned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_last_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let notebook = FileNotebook::of_crawl(folder.path());
        assert_eq!(notebook.read(), None);

        notebook.write(b"first and long").unwrap();
        notebook.write(b"second").unwrap();

        assert_eq!(notebook.read().as_deref(), Some(&b"second"[..]));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_was_cut_short_beside_it_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let notebook = FileNotebook::of_crawl(folder.path());
        notebook.write(b"whole").unwrap();

        fs::write(folder.path().join("model.new"), b"ha").unwrap();

        assert_eq!(notebook.read().as_deref(), Some(&b"whole"[..]));
        notebook.write(b"again").unwrap();
        assert_eq!(notebook.read().as_deref(), Some(&b"again"[..]));
    }
}
