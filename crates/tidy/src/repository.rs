//! The files of the repository, read once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Directories without sources: build outputs, version control, crawled data.
const SKIPPED_DIRECTORIES: &[&str] = &["target", ".git", "node_modules", "corpus", "artifacts", "lodeward-data"];

/// Larger files are data, not text that someone wrote.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// A text file of the repository.
#[derive(Clone, Debug)]
pub struct TextFile {
    /// Path relative to the root, with `/` between its parts.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl TextFile {
    /// A file that need not exist: for tests on small strings.
    #[must_use]
    pub fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// Whether the name ends in this extension.
    #[must_use]
    pub fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == extension)
    }

    /// The part of the path behind the last `/`.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The crate that the file belongs to, if it lies in `crates/`.
    #[must_use]
    pub fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }
}

/// All text files of the repository and the place they come from.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The root directory.
    pub root: PathBuf,
    /// The text files, ordered by path.
    pub files: Vec<TextFile>,
}

impl Repository {
    /// Reads the repository that this crate is part of.
    pub fn read() -> io::Result<Self> {
        let crate_directory = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self::read_from(crate_directory.ancestors().nth(2).unwrap_or(crate_directory))
    }

    /// Reads all text files below a directory.
    pub fn read_from(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        let mut files = Vec::new();
        read_directory(&root, &root, &mut files)?;
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Self { root, files })
    }

    /// The files with an extension.
    pub fn with_extension<'a>(&'a self, extension: &'a str) -> impl Iterator<Item = &'a TextFile> {
        self.files.iter().filter(move |file| file.has_extension(extension))
    }

    /// Whether a path relative to the root names a file or a directory.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.files.iter().any(|file| file.path == path) || self.root.join(path).exists()
    }
}

fn read_directory(root: &Path, directory: &Path, files: &mut Vec<TextFile>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !SKIPPED_DIRECTORIES.iter().any(|skipped| entry.file_name() == *skipped) {
                read_directory(root, &path, files)?;
            }
        } else if kind.is_file()
            && entry.metadata()?.len() <= MAX_TEXT_BYTES
            && let Ok(text) = fs::read_to_string(&path)
        {
            let relative = path.strip_prefix(root).unwrap_or(&path);
            let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            files.push(TextFile { path: parts.join("/"), text });
        }
    }
    Ok(())
}
