//! The shared state of all request handlers, its settings, and how a service is opened.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use lodeward_app::archive_feed;
use lodeward_app::archive_feed::ArchiveFeedError;
use lodeward_app::backup::is_restoring;
use lodeward_app::crawl_dir::NowMs;
use lodeward_app::data_dir::DataDirError;
use lodeward_app::settings::units::format_size;
use lodeward_app::settings::{self, Config, SettingSources};
use lodeward_archive::{Archive, ArchiveError};
use tokio::sync::watch;

use crate::api::{DownloadSlots, Readiness};
use crate::backups::BackupJobs;
use crate::data_dir_lock::{DataDirLock, ServiceInfo};
use crate::enrichment::EnrichmentStore;
use crate::gateway::{AuditLog, PasswordChecker};
use crate::jobs::JobTable;
use crate::limits::KeyedLimit;
use crate::metrics::Metrics;
use crate::sparql::ArchiveAccess;
use crate::users::{UserError, UserStore};

/// Options for [`Service::open`].
pub struct ServiceOptions {
    /// The data directory.
    pub data_dir: PathBuf,
    /// The sources from which the settings are resolved.
    pub sources: SettingSources,
    /// The clock of the service.
    pub now: NowMs,
    /// Whether authentication is disabled: every client acts as an admin.
    pub no_auth: bool,
}

/// Why the service cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// Another service uses the data directory.
    #[error("cannot open data directory {}: in use by another service", .data.display())]
    InUse {
        /// The data directory.
        data: PathBuf,
        /// Process and address of the other service, if it has written them.
        running: Option<ServiceInfo>,
    },
    /// The data directory is being restored from a backup, or a restore was interrupted.
    #[error("cannot open data directory {}: restore incomplete", .0.display())]
    Restoring(PathBuf),
    /// The settings are invalid.
    #[error(transparent)]
    Config(#[from] settings::SettingProblems),
    /// The data directory cannot be used.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The archive cannot be opened.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The archive cannot be brought up to date.
    #[error(transparent)]
    Feed(#[from] ArchiveFeedError),
    /// The user database cannot be opened.
    #[error(transparent)]
    Users(#[from] UserError),
    /// An I/O error in the data directory.
    #[error("cannot use data directory {}", .data.display())]
    Data {
        /// The data directory.
        data: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// Another I/O error.
    #[error("cannot start the service")]
    Io(#[from] std::io::Error),
}

/// The settings, which can be reloaded while the service runs.
pub(crate) struct LiveSettings(RwLock<Arc<CurrentSettings>>);

/// The current settings.
pub(crate) struct CurrentSettings {
    /// The sources of the settings.
    pub(crate) sources: SettingSources,
    /// The resolved settings.
    pub(crate) config: Config,
}

impl LiveSettings {
    fn new(sources: SettingSources) -> Result<Self, settings::SettingProblems> {
        Ok(Self(RwLock::new(Arc::new(CurrentSettings::new(sources)?))))
    }

    /// The current settings.
    pub(crate) fn current(&self) -> Arc<CurrentSettings> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the settings. If they are invalid, nothing changes.
    pub(crate) fn replace(&self, sources: SettingSources) -> Result<(), settings::SettingProblems> {
        let current = Arc::new(CurrentSettings::new(sources)?);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = current;
        Ok(())
    }
}

impl CurrentSettings {
    fn new(sources: SettingSources) -> Result<Self, settings::SettingProblems> {
        let config = settings::resolve(&sources)?.config;
        Ok(Self { sources, config })
    }
}

/// The service of one data directory.
pub struct Service {
    pub(crate) data: PathBuf,
    pub(crate) settings: Arc<LiveSettings>,
    pub(crate) now: NowMs,
    pub(crate) no_auth: bool,
    pub(crate) archive: Archive,
    pub(crate) jobs: JobTable,
    pub(crate) archive_access: ArchiveAccess,
    pub(crate) downloads: DownloadSlots,
    /// Serializes changes to templates.
    pub(crate) templates: Mutex<()>,
    /// Rankings that run or wait, per crawl.
    pub(crate) rankings: KeyedLimit,
    pub(crate) metrics: Metrics,
    pub(crate) readiness: Readiness,
    pub(crate) users: UserStore,
    pub(crate) passwords: PasswordChecker,
    pub(crate) audit: AuditLog,
    pub(crate) enrichment: EnrichmentStore,
    /// Whether the service is shutting down. Then it is not ready, and event streams end.
    pub(crate) closing: watch::Sender<bool>,
    pub(crate) backups: BackupJobs,
    lock: DataDirLock,
}

/// Formats the value of a setting, for comparing it before and after a reload.
type SettingView = fn(&Config) -> String;

/// Settings that are read only when the service is opened.
const RESTART_SETTINGS: [(&str, SettingView); 3] = [
    ("service.listen", |config| config.service.listen.clone()),
    ("service.max_concurrent_queries", |config| config.service.max_concurrent_queries.to_string()),
    ("store.archive_cache", |config| format_size(config.store.archive_cache)),
];

impl Service {
    /// Opens or creates a data directory, and resumes the crawls that were running. Blocks.
    pub fn open(options: ServiceOptions) -> Result<Arc<Self>, ServiceError> {
        let ServiceOptions { data_dir, sources, now, no_auth } = options;
        let settings = Arc::new(LiveSettings::new(sources)?);
        let config = &settings.current().config;
        let locked = std::fs::create_dir_all(&data_dir).and_then(|()| DataDirLock::try_acquire(&data_dir));
        let locked = locked.map_err(|source| ServiceError::Data { data: data_dir.clone(), source })?;
        let Some(lock) = locked else {
            let running = ServiceInfo::read(&data_dir);
            return Err(ServiceError::InUse { data: data_dir, running });
        };
        if is_restoring(&data_dir) {
            return Err(ServiceError::Restoring(data_dir));
        }
        tracing::info!(data_dir = %data_dir.display(), "service starting");
        // Recovery from the database's journal may take a while.
        tracing::info!("opening archive");
        let archive = archive_feed::open_archive(config, &data_dir)?;
        let users = UserStore::open(&data_dir, now)?;
        if !no_auth {
            users.create_first_admin()?;
        }
        let passwords = PasswordChecker::new().map_err(std::io::Error::other)?;
        let audit = AuditLog::new(data_dir.join("service").join("audit.jsonl"));
        // The job table is opened last, because crawls resume at once: no later step may fail.
        let jobs = JobTable::open(&data_dir, &archive, &settings, now)?;
        let archive_access = ArchiveAccess::new(&archive, config);
        let enrichment = EnrichmentStore::new(&data_dir);
        Ok(Arc::new(Self {
            data: data_dir,
            settings,
            now,
            no_auth,
            archive,
            jobs,
            archive_access,
            downloads: DownloadSlots::default(),
            templates: Mutex::default(),
            rankings: KeyedLimit::two_per_key(),
            metrics: Metrics::default(),
            readiness: Readiness::default(),
            users,
            passwords,
            audit,
            enrichment,
            closing: watch::Sender::new(false),
            backups: BackupJobs::default(),
            lock,
        }))
    }

    /// The users.
    #[must_use]
    pub fn users(&self) -> &UserStore {
        &self.users
    }

    /// The data directory.
    #[must_use]
    pub fn data_dir(&self) -> &Path {
        &self.data
    }

    /// Writes the address of the service to the data directory.
    pub fn write_info(&self, address: SocketAddr) -> std::io::Result<()> {
        self.lock.write_info(&ServiceInfo { pid: std::process::id(), address, started_at_ms: (self.now)() })
    }

    /// Replaces the settings. Running crawls keep their settings until they are resumed. Returns
    /// the changed settings that take effect only after a restart. If the new settings are invalid,
    /// nothing changes.
    pub fn reload(&self, sources: SettingSources) -> Result<Vec<&'static str>, settings::SettingProblems> {
        let before = self.settings.current();
        self.settings.replace(sources)?;
        let now = self.settings.current();
        self.jobs.start_queued();
        let has_changed = |value_of: &SettingView| value_of(&before.config) != value_of(&now.config);
        Ok(RESTART_SETTINGS.iter().filter(|(_, value_of)| has_changed(value_of)).map(|(key, _)| *key).collect())
    }

    /// Stops all crawls; they resume when the service is opened again.
    pub async fn close(&self) {
        self.closing.send_replace(true);
        self.jobs.close().await;
        if let Err(error) = self.archive.sync() {
            tracing::error!(%error, "archive sync failed");
        }
        self.lock.remove_info();
    }
}
