//! Whether the service can handle requests.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward_app::crawl_dir::NowMs;
use lodeward_archive::Archive;
use tokio::sync::Mutex;

/// How long the result of a check is cached, because any client may request it.
const CACHE_MS: u64 = 1_000;

/// Checks that the archive is readable and writable, and that there is room in the data directory.
pub(crate) struct Readiness {
    checked: Arc<(Archive, PathBuf)>,
    now: NowMs,
    /// The last result, and its time.
    last: Mutex<Option<(u64, Result<(), String>)>>,
}

impl Readiness {
    pub(crate) fn new(archive: &Archive, data: &Path, now: NowMs) -> Self {
        Self { checked: Arc::new((archive.clone(), data.to_owned())), now, last: Mutex::default() }
    }

    /// Returns why the service is not ready, if so.
    pub(crate) async fn check(&self) -> Result<(), String> {
        let now_ms = (self.now)();
        let mut last = self.last.lock().await;
        if let Some((at_ms, result)) = &*last
            && now_ms.saturating_sub(*at_ms) < CACHE_MS
        {
            return result.clone();
        }
        let checked = Arc::clone(&self.checked);
        let checking = tokio::task::spawn_blocking(move || check_now(&checked.0, &checked.1));
        let result = checking.await.unwrap_or_else(|error| Err(error.to_string()));
        *last = Some((now_ms, result.clone()));
        result
    }
}

/// Writes as much as a small commit. An empty file can be created on a full disk.
fn write_probe(data: &Path) -> std::io::Result<()> {
    const PROBE_BYTES: usize = 64 << 10;
    tempfile::tempfile_in(data)?.write_all(&vec![1; PROBE_BYTES])
}

/// Checks the archive and the data directory. Returns which of them failed, and logs the cause.
fn check_now(archive: &Archive, data: &Path) -> Result<(), String> {
    if let Err(error) = archive.snapshot().len() {
        tracing::error!(%error, "reading the archive failed");
        return Err("the archive cannot be read".to_owned());
    }
    if let Err(error) = write_probe(data) {
        tracing::error!(%error, "writing to the data directory failed");
        let is_full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        let reason = if is_full { "the disk is full" } else { "it cannot be written" };
        return Err(format!("the data directory is not writable: {reason}"));
    }
    if let Err(error) = archive.check_writable() {
        tracing::error!(error = &error as &dyn std::error::Error, "the archive cannot be written");
        let why = "an earlier write failed, and the archive is being opened again";
        return Err(format!("the archive cannot be written: {why}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive_recovery::tests::fail_archive;

    #[test]
    fn a_service_whose_archive_failed_is_not_ready() {
        let directory = tempfile::tempdir().unwrap();
        let archive_path = directory.path().join("archive");
        let archive = Archive::open(&archive_path, &lodeward_archive::Options::default()).unwrap();
        assert_eq!(check_now(&archive, directory.path()), Ok(()));
        fail_archive(&archive_path, &archive);

        let reason = check_now(&archive, directory.path()).unwrap_err();

        assert!(reason.starts_with("the archive cannot be written: "), "{reason}");
    }
}
