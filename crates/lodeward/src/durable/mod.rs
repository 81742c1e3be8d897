//! Small files that are there as a whole, whatever happens.
//!
//! A file is written beside its place and renamed into it, so that whoever reads it,
//! also after the process was killed or the power was cut, finds what was written last
//! or what was written before. Beside its place it has a name of its own, so that two
//! who write at once do not write into each other's, and the extension `new`, by which
//! backups know what to leave out.

pub mod json;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

pub use self::json::FileError;

/// The extension of files that have not got their name yet.
pub(crate) const UNFINISHED: &str = "new";

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Whoever may read any new file.
    Anybody,
    /// Its owner, and nobody else at any time.
    Owner,
}

/// Replaces a file, or makes it. When this returns, a power cut does not undo it.
pub fn replace(path: &Path, readers: Readers, bytes: &[u8]) -> io::Result<()> {
    replace_with(path, readers, |file| file.write_all(bytes))
}

/// The same, with what is written piece by piece.
pub fn replace_with(path: &Path, readers: Readers, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut beside = Beside::create(path, readers)?;
    write(beside.file())?;
    // Before the rename: else a power cut may leave the name of the new file with
    // nothing in it.
    beside.file().sync_all()?;
    beside.take_its_place()?;
    sync_folder(folder_of(path))
}

/// Replaces a file that is replaced again soon: whoever reads it finds a whole one, but
/// nobody waits for the disk, and a power cut may leave any.
pub fn replace_for_now(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = Beside::create(path, Readers::Anybody)?;
    beside.file().write_all(bytes)?;
    beside.take_its_place()
}

/// Removes a file, if it is there. When this returns, a power cut does not undo it.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.and_then(|()| sync_folder(folder_of(path))),
    }
}

/// Makes names in a folder, new ones and those that are gone, safe from a power cut,
/// where folders can be synced.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// The folder that a file is in.
#[must_use]
pub fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file beside the place that it is to take. Without that, it disappears.
pub(crate) struct Beside {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl Beside {
    pub(crate) fn create(path: &Path, readers: Readers) -> io::Result<Self> {
        let suffix = format!(".{UNFINISHED}");
        let mut builder = tempfile::Builder::new();
        builder.prefix(".lodeward-").suffix(&suffix);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(match readers {
            // Of which the process takes away what its umask says.
            Readers::Anybody => 0o666,
            Readers::Owner => 0o600,
        }));
        // In its folder, for a file can be renamed only within its file system.
        let temporary = builder.tempfile_in(folder_of(path))?;
        Ok(Self { path: path.to_owned(), temporary })
    }

    pub(crate) fn file(&mut self) -> &mut File {
        self.temporary.as_file_mut()
    }

    pub(crate) fn take_its_place(self) -> io::Result<()> {
        self.temporary.persist(&self.path).map(drop).map_err(|error| error.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_is_written_last_is_there_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");

        replace(&path, Readers::Anybody, b"first and long").unwrap();
        replace(&path, Readers::Anybody, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        replace_for_now(&path, b"third").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");

        assert_eq!(names(folder.path()), ["a.json"]);
        remove_if_there(&path).unwrap();
        remove_if_there(&path).unwrap();
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn what_fails_half_way_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        replace(&path, Readers::Anybody, b"whole").unwrap();

        let failed = replace_with(&path, Readers::Anybody, |file| {
            file.write_all(b"ha")?;
            assert_eq!(fs::read(&path)?, b"whole", "nobody sees a half");
            let is_unfinished = |name: &String| Path::new(name).extension().is_some_and(|end| end == UNFINISHED);
            assert!(names(folder.path()).iter().any(is_unfinished), "backups know it by this");
            Err(io::Error::other("the disk is full"))
        });

        assert_eq!(failed.unwrap_err().to_string(), "the disk is full");
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(names(folder.path()), ["a.json"]);
        assert!(replace(&folder.path().join("nowhere/a"), Readers::Anybody, b"").is_err());
    }

    #[test]
    fn two_who_write_at_once_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");

        replace_with(&path, Readers::Anybody, |file| {
            file.write_all(b"outer")?;
            replace(&path, Readers::Anybody, b"inner, which is longer")?;
            file.write_all(b", whole")
        })
        .unwrap();

        assert_eq!(fs::read(&path).unwrap(), b"outer, whole");
    }

    #[cfg(unix)]
    #[test]
    fn a_secret_is_one_from_the_start() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let rights = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::write(&path, "public").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();

        replace_with(&path, Readers::Owner, |file| {
            assert_eq!(file.metadata()?.permissions().mode() & 0o777, 0o600);
            file.write_all(b"secret")
        })
        .unwrap();

        assert_eq!(rights(&path), 0o600);
    }
}
