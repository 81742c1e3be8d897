//! Replaces small files atomically.
//!
//! A file is written under a temporary name in the same directory and then renamed. A reader
//! always sees either the complete new content or the complete old content, also after the
//! process is killed or the power fails. Temporary names are unique, so concurrent writers do
//! not write into the same file. They end in `.new`, by which backups recognise and skip them.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// The extension of temporary files.
pub const TEMP_EXTENSION: &str = "new";

/// The permissions of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// The default permissions, reduced by the umask of the process.
    Umask,
    /// Readable by the owner only, from creation on.
    Owner,
}

/// Replaces or creates a file. When this returns, a power failure does not undo it.
pub fn replace(path: &Path, readers: FileAccess, bytes: &[u8]) -> io::Result<()> {
    replace_with(path, readers, |file| file.write_all(bytes))
}

/// Replaces or creates a file whose content `write` produces. When this returns, a power
/// failure does not undo it.
pub fn replace_with(
    path: &Path,
    readers: FileAccess,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut temporary = TempFile::create(path, readers)?;
    write(temporary.file())?;
    // Before the rename: otherwise a power failure may leave the new name with an empty file.
    temporary.file().sync_all()?;
    temporary.persist()?;
    sync_dir(parent_dir(path))
}

/// Replaces a file that is rewritten often. Readers see complete content, but the file is not
/// synced: after a power failure any version may be left.
pub fn replace_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = TempFile::create(path, FileAccess::Umask)?;
    temporary.file().write_all(bytes)?;
    temporary.persist()
}

/// Removes a file if it exists. When this returns, a power failure does not undo it.
pub fn remove_if_exists(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.and_then(|()| sync_dir(parent_dir(path))),
    }
}

/// Syncs a directory, so that created and removed names survive a power failure. Does nothing
/// on platforms where directories cannot be synced.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

/// The directory that contains a file.
#[must_use]
pub fn parent_dir(file: &Path) -> &Path {
    file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file under a temporary name. If it is dropped before [`TempFile::persist`], it is deleted.
pub(crate) struct TempFile {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl TempFile {
    pub(crate) fn create(path: &Path, readers: FileAccess) -> io::Result<Self> {
        let suffix = format!(".{TEMP_EXTENSION}");
        let mut builder = tempfile::Builder::new();
        builder.prefix(".lodeward-").suffix(&suffix);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(match readers {
            // The umask of the process applies.
            FileAccess::Umask => 0o666,
            FileAccess::Owner => 0o600,
        }));
        // In the same directory: a rename must stay within one file system.
        let temporary = builder.tempfile_in(parent_dir(path))?;
        Ok(Self { path: path.to_owned(), temporary })
    }

    pub(crate) fn file(&mut self) -> &mut File {
        self.temporary.as_file_mut()
    }

    pub(crate) fn persist(self) -> io::Result<()> {
        let temporary = self.temporary.into_temp_path();
        // Not `persist`, which does not call the C library: tests inject faults there.
        fs::rename(&temporary, &self.path)?;
        // The temporary name does not exist any more.
        temporary.keep().map(drop).map_err(|error| error.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_last_write_wins_and_no_temporary_file_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");

        replace(&path, FileAccess::Umask, b"first and long").unwrap();
        replace(&path, FileAccess::Umask, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        replace_unsynced(&path, b"third").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");

        assert_eq!(names(dir.path()), ["a.json"]);
        remove_if_exists(&path).unwrap();
        remove_if_exists(&path).unwrap();
        assert_eq!(names(dir.path()), [""; 0]);
    }

    #[test]
    fn a_failed_write_leaves_the_old_content() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        replace(&path, FileAccess::Umask, b"whole").unwrap();

        let failed = replace_with(&path, FileAccess::Umask, |file| {
            file.write_all(b"ha")?;
            assert_eq!(fs::read(&path)?, b"whole", "readers see no partial content");
            let is_unfinished = |name: &String| Path::new(name).extension().is_some_and(|end| end == TEMP_EXTENSION);
            assert!(
                names(dir.path()).iter().any(is_unfinished),
                "backups recognise temporary files by their extension"
            );
            Err(io::Error::other("disk full"))
        });

        assert_eq!(failed.unwrap_err().to_string(), "disk full");
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(names(dir.path()), ["a.json"]);
        assert!(replace(&dir.path().join("missing/a"), FileAccess::Umask, b"").is_err());
    }

    #[test]
    fn concurrent_writers_do_not_mix() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");

        replace_with(&path, FileAccess::Umask, |file| {
            file.write_all(b"outer")?;
            replace(&path, FileAccess::Umask, b"inner, which is longer")?;
            file.write_all(b", whole")
        })
        .unwrap();

        assert_eq!(fs::read(&path).unwrap(), b"outer, whole");
    }

    #[cfg(unix)]
    #[test]
    fn owner_only_permissions_hold_from_creation_on() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secret");
        let mode_of = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::write(&path, "public").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();

        replace_with(&path, FileAccess::Owner, |file| {
            assert_eq!(file.metadata()?.permissions().mode() & 0o777, 0o600);
            file.write_all(b"secret")
        })
        .unwrap();

        assert_eq!(mode_of(&path), 0o600);
    }
}
