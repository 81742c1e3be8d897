//! The lock of a data directory: one service per directory, and where to find it.

use std::fs::{self, File, TryLockError};
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lodeward_app::json_file;
use lodeward_app::json_file::{FileError, json_time};
use serde::{Deserialize, Serialize};

/// The directory of the service's own files, in a data directory.
const SERVICE_DIR: &str = "service";

/// The file in the service directory that the service locks.
const LOCK_FILE: &str = "lock";

/// The file in the service directory that describes the running service.
const INFO_FILE: &str = "service.json";

/// The lock of a data directory, held until this value is dropped. It is a lock of the operating
/// system, so it is also released if the process is killed.
pub(crate) struct DataDirLock {
    data: PathBuf,
    _lock: File,
}

/// The service of a data directory, as in `service/service.json`. A killed process leaves
/// the file behind, until the next service locks the directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceInfo {
    /// Process ID.
    pub pid: u32,
    /// Address on which the service listens.
    pub address: SocketAddr,
    /// When the service was started, in milliseconds since the Unix epoch; `started_at` in the file.
    #[serde(rename = "started_at", with = "json_time")]
    pub started_at_ms: u64,
}

impl ServiceInfo {
    /// Reads the file of the last service of this data directory, if there is one.
    pub(crate) fn read(data: &Path) -> Option<Self> {
        json_file::read(&data.join(SERVICE_DIR).join(INFO_FILE)).ok()?
    }
}

/// Whether a service uses a data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServicePresence {
    /// No service uses the data directory.
    Absent,
    /// A service has locked the data directory and does not accept requests yet.
    Starting,
    /// A service accepts requests.
    Running(ServiceInfo),
}

impl ServicePresence {
    /// Whether a service uses this data directory now.
    #[must_use]
    pub fn detect(data: &Path) -> Self {
        let running = || ServiceInfo::read(data).map(Self::Running);
        let lock = match File::open(data.join(SERVICE_DIR).join(LOCK_FILE)) {
            Ok(lock) => lock,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::Absent,
            // Without permission to open the lock file, the state is derived from the info file.
            Err(_) => return running().unwrap_or(Self::Absent),
        };
        match lock.try_lock_shared() {
            Ok(()) => Self::Absent,
            Err(_) => running().unwrap_or(Self::Starting),
        }
    }
}

/// Number of attempts to lock, and the time between them. They are needed because
/// `ServicePresence::detect` holds the lock for a moment.
const MAX_ATTEMPTS: u32 = 10;
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

impl DataDirLock {
    /// Locks a data directory; `None` if another process has locked it.
    pub(crate) fn try_acquire(data: &Path) -> io::Result<Option<Self>> {
        let dir = data.join(SERVICE_DIR);
        fs::create_dir_all(&dir)?;
        let lock = File::options().create(true).truncate(false).write(true).open(dir.join(LOCK_FILE))?;
        for attempt in 1..=MAX_ATTEMPTS {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if attempt == MAX_ATTEMPTS => return Ok(None),
                Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY_INTERVAL),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        let lock = Self { data: data.to_owned(), _lock: lock };
        // The info file of a killed service is removed, because its address is no longer valid.
        lock.remove_info();
        Ok(Some(lock))
    }

    /// Writes the address of the service to the info file.
    pub(crate) fn write_info(&self, info: &ServiceInfo) -> Result<(), FileError> {
        json_file::write(&self.info_path(), info)
    }

    /// Removes the info file.
    pub(crate) fn remove_info(&self) {
        // An error is ignored, because a remaining file is harmless: `detect` tests the lock first.
        let _ = fs::remove_file(self.info_path());
    }

    fn info_path(&self) -> PathBuf {
        self.data.join(SERVICE_DIR).join(INFO_FILE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service_info() -> ServiceInfo {
        ServiceInfo { pid: 7, address: SocketAddr::from(([127, 0, 0, 1], 80)), started_at_ms: 9 }
    }

    #[test]
    fn a_data_directory_has_one_service_and_its_address() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(ServicePresence::detect(dir.path()), ServicePresence::Absent);

        let lock = DataDirLock::try_acquire(dir.path()).unwrap().unwrap();
        assert_eq!(ServicePresence::detect(dir.path()), ServicePresence::Starting);
        lock.write_info(&service_info()).unwrap();

        assert!(DataDirLock::try_acquire(dir.path()).unwrap().is_none());
        assert_eq!(ServicePresence::detect(dir.path()), ServicePresence::Running(service_info()));
        lock.remove_info();
        drop(lock);
        assert_eq!(ServicePresence::detect(dir.path()), ServicePresence::Absent);
        assert!(DataDirLock::try_acquire(dir.path()).unwrap().is_some());
    }

    #[test]
    fn the_address_of_a_killed_service_is_not_reported() {
        let dir = tempfile::tempdir().unwrap();
        let lock = DataDirLock::try_acquire(dir.path()).unwrap().unwrap();
        lock.write_info(&service_info()).unwrap();
        drop(lock);
        assert_eq!(ServicePresence::detect(dir.path()), ServicePresence::Absent);

        let _lock = DataDirLock::try_acquire(dir.path()).unwrap().unwrap();

        assert_eq!(ServicePresence::detect(dir.path()), ServicePresence::Starting);
    }
}
