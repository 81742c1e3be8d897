//! The file of the people.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use lodeward::durable::{self, Readers};

use super::{PeopleError, Roster};

/// What differs whenever the file does: every change makes a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    inode: u64,
    modified: (i64, i64),
    length: u64,
}

impl Stamp {
    /// `None` if there is no file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let modified = (metadata.mtime(), metadata.mtime_nsec());
        Some(Self { inode: metadata.ino(), modified, length: metadata.len() })
    }
}

/// Makes a folder that nobody else can look into.
pub(super) fn make_folder(path: &Path) -> Result<(), PeopleError> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed(path))
}

/// Who there is; nobody if there is no file.
pub(super) fn read(path: &Path) -> Result<Roster, PeopleError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Roster::default()),
        Err(error) => return Err(failed(path)(error)),
    };
    serde_json::from_slice(&bytes).map_err(|source| PeopleError::Format { path: path.to_owned(), source })
}

/// Writes down who there is. When this returns, a power cut does not undo it.
pub(super) fn replace(path: &Path, roster: &Roster) -> Result<(), PeopleError> {
    let bytes = serde_json::to_vec_pretty(roster).expect("a roster is plain data");
    write_private(path, &bytes)
}

/// Writes a file that nobody else can read.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), PeopleError> {
    durable::replace(path, Readers::Owner, bytes).map_err(failed(path))
}

/// Takes a file away, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), PeopleError> {
    durable::remove_if_there(path).map_err(failed(path))
}

/// Waits until nobody else, in no process, changes the people of this folder.
pub(super) fn lock(folder: &Path) -> Result<File, PeopleError> {
    let path = folder.join("people.lock");
    let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let file = opened.map_err(failed(&path))?;
    file.lock().map_err(failed(&path))?;
    Ok(file)
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> PeopleError {
    move |source| PeopleError::Io { path: path.to_owned(), source }
}
