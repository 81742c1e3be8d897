//! A data directory is served by one process at a time.

use std::fs::{self, File, TryLockError};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lodeward::durable::{self, Readers};
use serde::{Deserialize, Serialize};

/// The folder of what the service itself keeps, in a data directory.
const FOLDER: &str = "service";

/// The file in it that whoever serves the directory has locked.
const LOCK: &str = "lock";

/// The file in it that says who that is.
const RUNNING: &str = "running.json";

/// The claim of a process on a data directory, for as long as this lives. The lock
/// is the operating system's, so it goes with the process, however that ends.
pub(crate) struct Claim {
    data: PathBuf,
    _lock: File,
}

/// Who serves a data directory, and where: `service/running.json` in it. Left behind
/// by a process that was killed, until another claims the directory.
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
    /// Who has served this data directory last, as far as its files tell.
    pub(crate) fn told_in(data: &Path) -> Option<Self> {
        let text = fs::read(data.join(FOLDER).join(RUNNING)).ok()?;
        serde_json::from_slice(&text).ok()
    }
}

/// Whether somebody serves a data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Nobody does.
    Nobody,
    /// Somebody has it, and does not let anybody in yet.
    Starting,
    /// A service that can be asked.
    Running(Running),
}

impl Presence {
    /// Looks whether somebody serves this data directory now.
    #[must_use]
    pub fn in_data(data: &Path) -> Self {
        let told = || Running::told_in(data).map(Self::Running);
        let lock = match File::open(data.join(FOLDER).join(LOCK)) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::Nobody,
            // It is not for us to look: what is told there is all that there is.
            Err(_) => return told().unwrap_or(Self::Nobody),
        };
        match lock.try_lock_shared() {
            Ok(()) => Self::Nobody,
            Err(_) => told().unwrap_or(Self::Starting),
        }
    }
}

/// How often, and after what time, it is tried again to claim what is locked: whoever
/// only looks has it locked for a moment.
const TRIES: u32 = 10;
const TRY_INTERVAL: Duration = Duration::from_millis(20);

impl Claim {
    /// Claims a data directory; `None` if another process has it.
    pub(crate) fn on(data: &Path) -> io::Result<Option<Self>> {
        let folder = data.join(FOLDER);
        fs::create_dir_all(&folder)?;
        let lock = File::options().create(true).truncate(false).write(true).open(folder.join(LOCK))?;
        for attempt in 1..=TRIES {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt == TRIES => return Ok(None),
                Err(TryLockError::WouldBlock) => std::thread::sleep(TRY_INTERVAL),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        let claim = Self { data: data.to_owned(), _lock: lock };
        // Who was here before is not: nobody is to be sent to them.
        claim.renounce();
        Ok(Some(claim))
    }

    /// Tells whoever looks into the data directory where the service is.
    pub(crate) fn announce(&self, running: &Running) -> io::Result<()> {
        let text = serde_json::to_string_pretty(running).expect("it is plain data") + "\n";
        durable::replace(&self.path(), Readers::Anybody, text.as_bytes())
    }

    /// Takes that back.
    pub(crate) fn renounce(&self) {
        // If it stays, the lock tells that nobody is there.
        let _ = fs::remove_file(self.path());
    }

    fn path(&self) -> PathBuf {
        self.data.join(FOLDER).join(RUNNING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running() -> Running {
        Running { pid: 7, address: SocketAddr::from(([127, 0, 0, 1], 80)), started_at_ms: 9 }
    }

    #[test]
    fn a_data_directory_has_one_service_and_says_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Presence::in_data(folder.path()), Presence::Nobody);

        let claim = Claim::on(folder.path()).unwrap().unwrap();
        assert_eq!(Presence::in_data(folder.path()), Presence::Starting);
        claim.announce(&running()).unwrap();

        assert!(Claim::on(folder.path()).unwrap().is_none());
        assert_eq!(Presence::in_data(folder.path()), Presence::Running(running()));
        claim.renounce();
        drop(claim);
        assert_eq!(Presence::in_data(folder.path()), Presence::Nobody);
        assert!(Claim::on(folder.path()).unwrap().is_some());
    }

    #[test]
    fn nobody_is_sent_to_a_service_that_was_killed() {
        let folder = tempfile::tempdir().unwrap();
        let claim = Claim::on(folder.path()).unwrap().unwrap();
        claim.announce(&running()).unwrap();
        drop(claim);
        assert_eq!(Presence::in_data(folder.path()), Presence::Nobody);

        let _claim = Claim::on(folder.path()).unwrap().unwrap();

        assert_eq!(Presence::in_data(folder.path()), Presence::Starting);
    }
}
