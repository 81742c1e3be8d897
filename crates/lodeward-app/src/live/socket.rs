//! The path of a socket, binding and connecting.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Which process listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketKind {
    /// A crawl of the command line, or a service: one per data directory.
    Crawls,
    /// A server that has only the archive open. A crawl without an archive may run beside it.
    Archive,
}

impl SocketKind {
    /// All kinds, in the order in which a client asks them.
    pub(super) const ALL: [Self; 2] = [Self::Crawls, Self::Archive];

    /// The name of the socket in the data directory.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Crawls => "crawls.sock",
            Self::Archive => "archive.sock",
        }
    }
}

/// The longest path of a socket that every system accepts; Linux has room for 108 bytes with the final
/// zero, others for 104.
const MAX_PATH_BYTES: usize = 103;

/// A path to a file in a directory that is short enough for a socket. If the path of the directory is
/// too long, it is opened, and named by its file descriptor: unlike changing the working directory,
/// this does not affect other threads.
struct ShortPath {
    path: PathBuf,
    /// Keeps the descriptor open while the path is used.
    _directory: Option<File>,
}

impl ShortPath {
    fn new(directory: &Path, name: &Path) -> io::Result<Self> {
        let path = directory.join(name);
        if path.as_os_str().len() <= MAX_PATH_BYTES {
            return Ok(Self { path, _directory: None });
        }
        let opened = File::open(directory)?;
        let path = Path::new("/proc/self/fd").join(opened.as_raw_fd().to_string()).join(name);
        Ok(Self { path, _directory: Some(opened) })
    }
}

/// Listens in a data directory, and replaces the socket of a process that was killed. The caller holds
/// the lock of the directory, so no other process listens.
///
/// The socket is created in a private directory and moved when its mode is set: it can never be
/// connected to with other permissions.
pub(super) fn listen(data: &Path, kind: SocketKind) -> io::Result<UnixListener> {
    let private = PathBuf::from(format!(".{}-{}", kind.file_name(), std::process::id()));
    let directory = data.join(&private);
    let _ = fs::remove_dir_all(&directory);
    DirBuilder::new().mode(0o700).create(&directory)?;
    let bound = bind_in(data, &private, kind);
    let _ = fs::remove_dir_all(&directory);
    bound
}

fn bind_in(data: &Path, private: &Path, kind: SocketKind) -> io::Result<UnixListener> {
    let short = ShortPath::new(data, &private.join(kind.file_name()))?;
    let listener = UnixListener::bind(&short.path)?;
    let created = data.join(private).join(kind.file_name());
    fs::set_permissions(&created, Permissions::from_mode(0o600))?;
    fs::rename(&created, data.join(kind.file_name()))?;
    Ok(listener)
}

/// Connects to the process that listens in a data directory; `None` if there is none.
pub(super) fn connect(data: &Path, kind: SocketKind) -> io::Result<Option<UnixStream>> {
    let is_absent = |error: &io::Error| {
        matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused | io::ErrorKind::NotADirectory
        )
    };
    let short = match ShortPath::new(data, Path::new(kind.file_name())) {
        Err(error) if is_absent(&error) => return Ok(None),
        short => short?,
    };
    match UnixStream::connect(&short.path) {
        Err(error) if is_absent(&error) => Ok(None),
        connected => connected.map(Some),
    }
}
