//! Backups of the data directory, made while the service runs.
//!
//! One backup is written at a time, in its own thread and directory. A failed backup is
//! removed; its error is kept in memory until the service ends.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodeward::error_chain;
use lodeward::time::format_iso8601;
use lodeward_app::backup;
use lodeward_app::backup::BackupError;
use lodeward_app::backup::BackupManifest;
use lodeward_app::backup::CrawlSource;
use lodeward_app::crawl_dir::{CrawlOpenError, NowMs, OpenCrawl};
use lodeward_app::followers::FollowerTargets;
use lodeward_app::provenance::GraphNames;
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::jobs::events::{BackupEvent, JobEventKind};
use crate::jobs::{JobError, JobTable};
use crate::live_settings::LiveSettings;

/// Maximum number of failed backups whose errors are kept.
const MAX_FAILURES: usize = 32;

/// Why a backup cannot be started or removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BackupRejection {
    #[error("backup `{0}` is being written")]
    Busy(String),
    #[error("backup `{0}` already exists")]
    Taken(String),
    #[error("no such backup: `{0}`")]
    Unknown(String),
    #[error("the service is shutting down")]
    Closing,
    #[error("cannot use the backup directory")]
    Io(#[from] io::Error),
}

/// The state of a backup.
#[derive(Clone, Debug)]
pub(crate) enum BackupJobState {
    /// The backup is being written.
    Running,
    /// The backup is complete and can be restored.
    Complete(Box<BackupManifest>),
    /// The backup failed for this reason.
    Failed(String),
}

/// The backups of a data directory.
pub(crate) struct Backups {
    data: PathBuf,
    targets: FollowerTargets,
    jobs: Arc<JobTable>,
    settings: Arc<LiveSettings>,
    now: NowMs,
    closing: watch::Receiver<bool>,
    inner: Mutex<BackupsInner>,
}

/// The running backup and the errors of failed backups, which are kept in memory only.
#[derive(Default)]
struct BackupsInner {
    running: Option<String>,
    failures: BTreeMap<String, String>,
}

/// Whether `name` is a valid name for a backup and its directory.
pub(crate) fn is_backup_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| is_letter(byte) || byte == b'-')
        && name.bytes().next().is_some_and(is_letter)
}

impl Backups {
    pub(crate) fn new(
        data: &Path,
        targets: &FollowerTargets,
        jobs: &Arc<JobTable>,
        settings: &Arc<LiveSettings>,
        now: NowMs,
        closing: watch::Receiver<bool>,
    ) -> Self {
        let (data, targets) = (data.to_owned(), targets.clone());
        let (jobs, settings) = (Arc::clone(jobs), Arc::clone(settings));
        Self { data, targets, jobs, settings, now, closing, inner: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, BackupsInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a backup. The default name is the current time.
    pub(crate) fn begin(self: &Arc<Self>, name: Option<String>) -> Result<String, BackupRejection> {
        if *self.closing.borrow() {
            return Err(BackupRejection::Closing);
        }
        let now_ms = (self.now)();
        let name = name.unwrap_or_else(|| {
            let digits = format_iso8601(now_ms).replace(':', "").replace('T', "-");
            digits.split('.').next().unwrap_or(&digits).to_owned()
        });
        let dir = self.dir().join(&name);
        let mut inner = self.lock();
        if let Some(running) = &inner.running {
            return Err(BackupRejection::Busy(running.clone()));
        }
        if dir.exists() {
            return Err(BackupRejection::Taken(name));
        }
        inner.running = Some(name.clone());
        inner.failures.remove(&name);
        drop(inner);
        let (backups, handle, backup_name) = (Arc::clone(self), Handle::current(), name.clone());
        tokio::task::spawn_blocking(move || backups.write(&handle, &backup_name, now_ms));
        Ok(name)
    }

    fn write(&self, handle: &Handle, name: &str, now_ms: u64) {
        let dir = self.dir().join(name);
        let outcome = backup::write(&self.data, &self.targets, &ServedCrawls { backups: self, handle }, &dir, now_ms);
        let failure = match outcome {
            Ok(manifest) => {
                tracing::info!(name, bytes = manifest.bytes(), crawls = manifest.crawl_count(), "backup written");
                None
            }
            Err(error) => {
                tracing::error!(name, error = &error as &dyn std::error::Error, "backup failed");
                // The disk may be full, so the space of the incomplete backup is freed.
                let _ = fs::remove_dir_all(&dir);
                Some(error_chain::with_causes(&error))
            }
        };
        let has_failed = failure.is_some();
        let event = BackupEvent { name: name.to_owned(), has_failed };
        let mut inner = self.lock();
        inner.running = None;
        if let Some(failure) = failure {
            if inner.failures.len() >= MAX_FAILURES {
                inner.failures.pop_first();
            }
            inner.failures.insert(name.to_owned(), failure);
        }
        drop(inner);
        self.jobs.hub().publish(None, JobEventKind::BackedUp(Arc::new(event)));
    }

    /// All backups, sorted by name. Blocks.
    pub(crate) fn list(&self) -> Result<Vec<(String, BackupJobState)>, BackupRejection> {
        let mut names: Vec<String> = self.lock().failures.keys().cloned().collect();
        names.extend(self.lock().running.clone());
        match fs::read_dir(self.dir()) {
            Ok(entries) => {
                for entry in entries {
                    names.extend(entry?.file_name().into_string().ok().filter(|name| is_backup_name(name)));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        names.sort_unstable();
        names.dedup();
        Ok(names.into_iter().filter_map(|name| Some((name.clone(), self.state(&name).ok()?))).collect())
    }

    /// The state of a backup. Blocks.
    pub(crate) fn state(&self, name: &str) -> Result<BackupJobState, BackupRejection> {
        let unknown = || BackupRejection::Unknown(name.to_owned());
        if !is_backup_name(name) {
            return Err(unknown());
        }
        {
            let inner = self.lock();
            if inner.running.as_deref() == Some(name) {
                return Ok(BackupJobState::Running);
            }
            if let Some(failure) = inner.failures.get(name) {
                return Ok(BackupJobState::Failed(failure.clone()));
            }
        }
        let dir = self.dir().join(name);
        if !dir.is_dir() {
            return Err(unknown());
        }
        Ok(match BackupManifest::read(&dir) {
            Ok(manifest) => BackupJobState::Complete(Box::new(manifest)),
            Err(BackupError::Unfinished(_)) => BackupJobState::Failed("the service ended during the backup".to_owned()),
            Err(error) => BackupJobState::Failed(error_chain::with_causes(&error)),
        })
    }

    /// Removes a backup. Blocks.
    pub(crate) fn remove(&self, name: &str) -> Result<(), BackupRejection> {
        if let BackupJobState::Running = self.state(name)? {
            return Err(BackupRejection::Busy(name.to_owned()));
        }
        self.lock().failures.remove(name);
        let dir = self.dir().join(name);
        // `backup.json` is removed first: without it, the directory is not a backup, so an
        // interrupted removal leaves no partial backup.
        for outcome in [fs::remove_file(dir.join("backup.json")), fs::remove_dir_all(&dir)] {
            match outcome {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    }

    /// The directory that contains all backups.
    fn dir(&self) -> PathBuf {
        let configured = self.settings.current().config.service.backup_dir.clone();
        configured.map_or_else(|| self.data.join(backup::BACKUPS_DIR), PathBuf::from)
    }
}

/// Opens the crawls of the service for a backup that runs on a blocking thread.
struct ServedCrawls<'a> {
    backups: &'a Backups,
    handle: &'a Handle,
}

impl CrawlSource for ServedCrawls<'_> {
    fn open_crawl(&self, id: u32) -> Result<Option<Box<dyn AsRef<OpenCrawl> + '_>>, BackupError> {
        match self.handle.block_on(self.backups.jobs.pin(id)) {
            Ok(held) => Ok(Some(Box::new(held))),
            Err(JobError::Unknown(_)) => Ok(None),
            Err(JobError::Open(error)) => Err(error.into()),
            Err(JobError::InUse(id)) => {
                Err(CrawlOpenError::InUse(self.backups.jobs.data_dir().crawl(id).into_path()).into())
            }
            Err(other) => Err(BackupError::Io { path: self.backups.data.clone(), source: io::Error::other(other) }),
        }
    }

    fn export_graph(&self, id: u32) -> Option<String> {
        let base = &self.backups.settings.current().config.store.graph_base_iri;
        Some(GraphNames::new(base, id).crawl().into_string())
    }

    fn is_cancelled(&self) -> bool {
        *self.backups.closing.borrow()
    }
}

#[cfg(test)]
mod tests {
    use super::is_backup_name;

    #[test]
    fn the_name_of_a_backup_is_a_single_path_segment() {
        for name in ["a", "2026-11-16-080000", "before-upgrade"] {
            assert!(is_backup_name(name), "{name}");
        }
        for name in ["", ".", "..", "a/b", "-a", "A", "a b", "a\0", &"a".repeat(65)] {
            assert!(!is_backup_name(name), "{name}");
        }
    }
}
