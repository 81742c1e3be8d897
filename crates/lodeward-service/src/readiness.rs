//! Whether the service can handle requests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward_app::crawl_dir::NowMs;
use lodeward_archive::Archive;
use tokio::sync::Mutex;

/// How long the result of a check is cached, because any client may request it.
const CACHE_MS: u64 = 1_000;

/// Checks that the archive is readable and the data directory is writable.
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

/// Checks the archive and the data directory. Returns which of them failed, and logs the cause.
fn check_now(archive: &Archive, data: &Path) -> Result<(), String> {
    if let Err(error) = archive.snapshot().len() {
        tracing::error!(%error, "reading the archive failed");
        return Err("the archive cannot be read".to_owned());
    }
    if let Err(error) = tempfile::tempfile_in(data).and_then(|file| file.set_len(1)) {
        tracing::error!(%error, "writing to the data directory failed");
        return Err("the data directory is not writable".to_owned());
    }
    Ok(())
}
