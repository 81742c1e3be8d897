//! A data directory is served by one process at a time.

use std::fs::{self, File, TryLockError};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The folder of what the service itself keeps, in a data directory.
const FOLDER: &str = "service";

/// The claim of a process on a data directory, for as long as this lives. The lock
/// is the operating system's, so it goes with the process, however that ends.
pub(crate) struct Claim {
    data: PathBuf,
    _lock: File,
}

/// Who serves a data directory, and where: `service/running.json` in it. Left behind
/// by a process that was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// The process.
    pub pid: u32,
    /// Where it listens.
    pub address: SocketAddr,
    /// Since when, in milliseconds since the Unix epoch.
    pub started_at_ms: u64,
}

impl Running {
    /// Who serves this data directory, as far as its files tell.
    #[must_use]
    pub fn in_data(data: &Path) -> Option<Self> {
        let text = fs::read(data.join(FOLDER).join("running.json")).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

impl Claim {
    /// Claims a data directory; `None` if another process has it.
    pub(crate) fn on(data: &Path) -> io::Result<Option<Self>> {
        let folder = data.join(FOLDER);
        fs::create_dir_all(&folder)?;
        let lock = File::options().create(true).truncate(false).write(true).open(folder.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { data: data.to_owned(), _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Tells whoever looks into the data directory where the service is.
    pub(crate) fn announce(&self, running: &Running) -> io::Result<()> {
        let text = serde_json::to_string_pretty(running).expect("it is plain data") + "\n";
        let beside = self.path().with_extension("new");
        fs::write(&beside, text)?;
        fs::rename(&beside, self.path())
    }

    /// Takes that back.
    pub(crate) fn renounce(&self) {
        // If it stays, the lock tells that nobody is there.
        let _ = fs::remove_file(self.path());
    }

    fn path(&self) -> PathBuf {
        self.data.join(FOLDER).join("running.json")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_directory_has_one_service_and_says_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let running = Running { pid: 7, address: SocketAddr::from(([127, 0, 0, 1], 80)), started_at_ms: 9 };

        let claim = Claim::on(folder.path()).unwrap().unwrap();
        claim.announce(&running).unwrap();

        assert!(Claim::on(folder.path()).unwrap().is_none());
        assert_eq!(Running::in_data(folder.path()), Some(running));
        claim.renounce();
        drop(claim);
        assert_eq!(Running::in_data(folder.path()), None);
        assert!(Claim::on(folder.path()).unwrap().is_some());
    }
}
