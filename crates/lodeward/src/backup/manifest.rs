//! What is in a backup, and whether it still is.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::{BackupError, at};
use crate::durable::{self, Readers};

/// The file that makes a folder a backup.
pub(super) const NAME: &str = "backup.json";

/// The version of the layout of a backup.
const FORMAT: u32 = 1;

/// What is in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of its layout.
    pub format: u32,
    /// The program that wrote it.
    pub program: String,
    /// When it was begun, in milliseconds since the Unix epoch.
    pub created_at_ms: u64,
    /// Numbers of crawls that are not in it, for they were deleted, or begun while it
    /// was written: the archive may have some of them, and is not to.
    #[serde(default)]
    pub gone: BTreeSet<u32>,
    /// The graphs that they were exported to, which are not to be there either.
    #[serde(default)]
    pub gone_graphs: BTreeSet<String>,
    /// Its folders.
    pub folders: Vec<String>,
    /// Its files.
    pub files: Vec<Entry>,
}

/// What a backup leaves out, and the archive in it may have.
#[derive(Default)]
pub(super) struct Gone {
    /// Crawls.
    pub(super) crawls: BTreeSet<u32>,
    /// The graphs that they were exported to.
    pub(super) graphs: BTreeSet<String>,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Where it is, from the folder of the backup.
    pub path: String,
    /// How long it is.
    pub bytes: u64,
    /// Its checksum: XXH3, 128 bits, hexadecimal.
    pub xxh3: String,
}

impl Manifest {
    /// The size of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// How many crawls there are.
    #[must_use]
    pub fn crawls(&self) -> usize {
        self.files.iter().filter(|file| file.path.starts_with("crawls/") && file.path.ends_with("/crawl.json")).count()
    }

    /// What the backup in this folder says of itself.
    pub fn read(folder: &Path) -> Result<Self, BackupError> {
        let damaged = |what: String| BackupError::Damaged { path: NAME.to_owned(), what };
        let text = match fs::read(folder.join(NAME)) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Err(BackupError::Unfinished(folder.to_owned()));
            }
            Err(error) => return Err(at(&folder.join(NAME))(error)),
        };
        let manifest: Self = serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        if manifest.format != FORMAT {
            return Err(damaged(format!("it has the format {}; this version reads {FORMAT}", manifest.format)));
        }
        let paths = manifest.files.iter().map(|file| &file.path).chain(&manifest.folders);
        match paths.into_iter().find(|path| !is_inside(path)) {
            Some(path) => Err(damaged(format!("`{path}` leads out of it"))),
            None => Ok(manifest),
        }
    }
}

impl Entry {
    /// Checks that a file is as it was written.
    pub(super) fn check(&self, folder: &Path) -> Result<(), BackupError> {
        let damaged = |what: &str| BackupError::Damaged { path: self.path.clone(), what: what.to_owned() };
        let found = match Self::of(folder, self.path.clone()) {
            Ok(found) => found,
            Err(BackupError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Err(damaged("it is not there"));
            }
            Err(error) => return Err(error),
        };
        if found.bytes != self.bytes {
            return Err(damaged(&format!("it has {} bytes instead of {}", found.bytes, self.bytes)));
        }
        if found.xxh3 == self.xxh3 { Ok(()) } else { Err(damaged("its checksum is another")) }
    }

    /// What there is to say of a file, which is safe from a power cut after this.
    fn of(folder: &Path, path: String) -> Result<Self, BackupError> {
        let whole = folder.join(&path);
        let mut file = File::open(&whole).map_err(at(&whole))?;
        let (mut hash, mut buffer, mut bytes) = (Xxh3::new(), vec![0; 1 << 18], 0);
        loop {
            let count = file.read(&mut buffer).map_err(at(&whole))?;
            if count == 0 {
                break;
            }
            hash.update(&buffer[..count]);
            bytes += count as u64;
        }
        file.sync_all().map_err(at(&whole))?;
        Ok(Self { path, bytes, xxh3: format!("{:032x}", hash.digest128()) })
    }
}

/// Whether a path stays where it begins.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|component| matches!(component, Component::Normal(_)))
}

/// Writes down what is in a folder: from here on it is a backup.
pub(super) fn write(folder: &Path, created_at_ms: u64, gone: Gone) -> Result<Manifest, BackupError> {
    let program = concat!("lodeward ", env!("CARGO_PKG_VERSION")).to_owned();
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    let mut open = vec![String::new()];
    while let Some(name) = open.pop() {
        let path = folder.join(&name);
        for entry in fs::read_dir(&path).map_err(at(&path))? {
            let entry = entry.map_err(at(&path))?;
            let inner = entry.file_name().into_string().expect("names were text when they were copied");
            let inner = if name.is_empty() { inner } else { format!("{name}/{inner}") };
            if entry.file_type().map_err(at(&path))?.is_dir() { open.push(inner) } else { files.push(inner) }
        }
        durable::sync_folder(&path).map_err(at(&path))?;
        if !name.is_empty() {
            folders.push(name);
        }
    }
    folders.sort_unstable();
    files.sort_unstable();
    let files: Vec<Entry> = files.into_iter().map(|path| Entry::of(folder, path)).collect::<Result<_, _>>()?;
    let Gone { crawls: gone, graphs: gone_graphs } = gone;
    let manifest = Manifest { format: FORMAT, program, created_at_ms, gone, gone_graphs, folders, files };
    let path = folder.join(NAME);
    let text = serde_json::to_vec_pretty(&manifest).expect("it is plain data");
    durable::replace(&path, Readers::Anybody, &text).map_err(at(&path))?;
    Ok(manifest)
}
