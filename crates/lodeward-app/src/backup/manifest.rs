//! The manifest of a backup: its files with their checksums.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::{BackupError, io_error};
use crate::atomic_file::{self, FileAccess};

/// The name of the manifest file.
pub(super) const MANIFEST_FILE: &str = "backup.json";

/// The version of the layout of a backup.
const FORMAT_VERSION: u32 = 2;

/// The content of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupManifest {
    /// The version of the layout.
    pub format: u32,
    /// The name and version of the program that wrote the backup.
    pub program: String,
    /// The start of the backup, in milliseconds since the Unix epoch.
    pub created_at_ms: u64,
    /// The numbers of crawls that were created or deleted during the backup. Restoring
    /// removes them from the archive.
    #[serde(default)]
    pub omitted_crawls: BTreeSet<u32>,
    /// The graphs that the omitted crawls were exported to. Restoring removes these graphs from the
    /// archive.
    #[serde(default)]
    pub omitted_graphs: BTreeSet<String>,
    /// The directories, including empty ones.
    pub directories: Vec<String>,
    /// The files, with sizes and checksums.
    pub files: Vec<BackupFile>,
}

/// Crawls that a backup omits, although its copy of the archive may contain them.
#[derive(Default)]
pub(super) struct OmittedCrawls {
    /// The numbers of the crawls.
    pub(super) crawls: BTreeSet<u32>,
    /// The graphs that the crawls were exported to.
    pub(super) graphs: BTreeSet<String>,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupFile {
    /// The path, relative to the directory of the backup.
    pub path: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The checksum: XXH3, 128 bits, hexadecimal.
    pub xxh3: String,
}

impl BackupManifest {
    /// The total size of the files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// The number of crawls.
    #[must_use]
    pub fn crawl_count(&self) -> usize {
        self.files.iter().filter(|file| file.path.starts_with("crawls/") && file.path.ends_with("/crawl.json")).count()
    }

    /// Reads the manifest of a backup.
    pub fn read(dir: &Path) -> Result<Self, BackupError> {
        let damaged = |what: String| BackupError::Damaged { path: MANIFEST_FILE.to_owned(), what };
        let text = match fs::read(dir.join(MANIFEST_FILE)) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Err(BackupError::Unfinished(dir.to_owned()));
            }
            Err(error) => return Err(io_error(&dir.join(MANIFEST_FILE))(error)),
        };
        let manifest: Self = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        if manifest.format != FORMAT_VERSION {
            return Err(damaged(format!(
                "the manifest has format {}, and this version reads format {FORMAT_VERSION}",
                manifest.format
            )));
        }
        let paths = manifest.files.iter().map(|file| &file.path).chain(&manifest.directories);
        match paths.into_iter().find(|path| !is_safe_relative_path(path)) {
            Some(path) => Err(damaged(format!("`{path}` is outside of the backup"))),
            None => Ok(manifest),
        }
    }
}

impl BackupFile {
    /// Checks size and checksum of a file.
    pub(super) fn check(&self, dir: &Path) -> Result<(), BackupError> {
        let damaged = |what: &str| BackupError::Damaged { path: self.path.clone(), what: what.to_owned() };
        let found = match Self::from_file(dir, self.path.clone()) {
            Ok(found) => found,
            Err(BackupError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Err(damaged("the file is missing"));
            }
            Err(error) => return Err(error),
        };
        if found.bytes != self.bytes {
            return Err(damaged(&format!("the file has {} bytes, expected {}", found.bytes, self.bytes)));
        }
        if found.xxh3 == self.xxh3 { Ok(()) } else { Err(damaged("the checksum does not match")) }
    }

    /// Computes size and checksum of a file, and syncs it.
    fn from_file(dir: &Path, path: String) -> Result<Self, BackupError> {
        let whole = dir.join(&path);
        let mut file = File::open(&whole).map_err(io_error(&whole))?;
        let (mut hash, mut buffer, mut bytes) = (Xxh3::new(), vec![0; 1 << 18], 0);
        loop {
            let count = file.read(&mut buffer).map_err(io_error(&whole))?;
            if count == 0 {
                break;
            }
            hash.update(&buffer[..count]);
            bytes += count as u64;
        }
        file.sync_all().map_err(io_error(&whole))?;
        Ok(Self { path, bytes, xxh3: format!("{:032x}", hash.digest128()) })
    }
}

/// Whether a path is relative and stays inside of its directory.
fn is_safe_relative_path(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|component| matches!(component, Component::Normal(_)))
}

/// Writes the manifest, which completes a backup.
pub(super) fn write(dir: &Path, created_at_ms: u64, omitted: OmittedCrawls) -> Result<BackupManifest, BackupError> {
    let program = concat!("lodeward ", env!("CARGO_PKG_VERSION")).to_owned();
    let (mut directories, mut files) = (Vec::new(), Vec::new());
    let mut open = vec![String::new()];
    while let Some(name) = open.pop() {
        let path = dir.join(&name);
        for entry in fs::read_dir(&path).map_err(io_error(&path))? {
            let entry = entry.map_err(io_error(&path))?;
            let inner = entry.file_name().into_string().expect("a backup contains only UTF-8 names");
            let inner = if name.is_empty() { inner } else { format!("{name}/{inner}") };
            if entry.file_type().map_err(io_error(&path))?.is_dir() { open.push(inner) } else { files.push(inner) }
        }
        atomic_file::sync_dir(&path).map_err(io_error(&path))?;
        if !name.is_empty() {
            directories.push(name);
        }
    }
    directories.sort_unstable();
    files.sort_unstable();
    let files: Vec<BackupFile> =
        files.into_iter().map(|path| BackupFile::from_file(dir, path)).collect::<Result<_, _>>()?;
    let OmittedCrawls { crawls: omitted_crawls, graphs: omitted_graphs } = omitted;
    let manifest = BackupManifest {
        format: FORMAT_VERSION,
        program,
        created_at_ms,
        omitted_crawls,
        omitted_graphs,
        directories,
        files,
    };
    let path = dir.join(MANIFEST_FILE);
    let text = serde_json::to_vec_pretty(&manifest).expect("a manifest can always be serialised");
    atomic_file::replace(&path, FileAccess::Umask, &text).map_err(io_error(&path))?;
    Ok(manifest)
}
