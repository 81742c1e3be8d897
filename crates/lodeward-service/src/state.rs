//! The shared state of all request handlers, and how a service is opened.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lodeward_app::backup::is_restoring;
use lodeward_app::crawl_dir::{NowMs, OpenCrawl};
use lodeward_app::followers::search::SearchIndex;
use lodeward_app::followers::{FollowerRegistry, FollowerTargets};
use lodeward_app::json_file::FileError;
use lodeward_app::review::{CandidateCache, ReviewSummaryCache};
use lodeward_app::settings::{self, ROWS, SettingRow, SettingSources};
use lodeward_app::terms::TermTable;
use lodeward_archive::Archive;
use tokio::sync::watch;

use crate::archive_recovery::watch_archive;
use crate::audit::AuditLog;
use crate::backups::Backups;
use crate::data_dir_lock::{DataDirLock, ServiceInfo};
use crate::enrichment::EnrichmentStore;
use crate::entity_jobs::EntityJobs;
use crate::error::ServiceError;
use crate::jobs::{JobRuntime, JobTable};
use crate::json_store::JsonStore;
use crate::limits::{KeyedLimit, MAX_CANDIDATE_CACHE_BYTES, MAX_DOWNLOADS, MAX_PER_CRAWL, Slots};
use crate::live_settings::LiveSettings;
use crate::metrics::Metrics;
use crate::public_path::public_path;
use crate::readiness::Readiness;
use crate::running_rankings::RunningRankings;
use crate::saved_query::{MAX_SAVED_QUERIES, SavedQueryRecord};
use crate::sparql::ArchiveAccess;
use crate::timed_cache::TimedCache;
use crate::users::{PasswordChecker, UserStore};

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

/// The service of one data directory.
pub struct Service {
    pub(crate) data: PathBuf,
    pub(crate) settings: Arc<LiveSettings>,
    pub(crate) now: NowMs,
    pub(crate) no_auth: bool,
    pub(crate) archive: Archive,
    /// The search index, if it is enabled.
    pub(crate) search: Option<Arc<SearchIndex>>,
    pub(crate) entity_jobs: EntityJobs,
    pub(crate) jobs: Arc<JobTable>,
    job_runtime: JobRuntime,
    pub(crate) archive_access: ArchiveAccess,
    pub(crate) downloads: Slots,
    /// Serializes changes to templates.
    pub(crate) templates: Mutex<()>,
    /// Indexes of rankings, and marks.
    pub(crate) candidates: CandidateCache,
    /// Terms of the archive, for completion.
    pub(crate) terms: TimedCache<TermTable>,
    /// Queries that users have saved.
    pub(crate) saved_queries: JsonStore<SavedQueryRecord>,
    /// How far crawls are reviewed.
    pub(crate) reviews: ReviewSummaryCache,
    /// Rankings that run or wait, per crawl.
    pub(crate) rankings: KeyedLimit<u32>,
    /// The rankings that run.
    pub(crate) running_rankings: RunningRankings,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) readiness: Readiness,
    pub(crate) users: Arc<UserStore>,
    pub(crate) passwords: Arc<PasswordChecker>,
    pub(crate) audit: AuditLog,
    pub(crate) enrichment: Arc<EnrichmentStore>,
    /// Whether the service is shutting down. Then it is not ready, and event streams end.
    pub(crate) closing: watch::Sender<bool>,
    pub(crate) backups: Arc<Backups>,
    lock: DataDirLock,
}

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
        let (targets, archive) = FollowerTargets::open(FollowerRegistry::default(), config, &data_dir)?;
        let search = targets.search();
        if let Some(index) = targets.index() {
            index.start();
        }
        let users = Arc::new(UserStore::open(&data_dir, now)?);
        if !no_auth {
            users.create_first_admin()?;
        }
        let passwords = PasswordChecker::new(Arc::clone(&users), now).map_err(std::io::Error::other)?;
        // The job table is opened last, because crawls resume at once: no later step may fail.
        let (jobs, job_runtime) = JobTable::open(&data_dir, &archive, &targets, &settings, now)?;
        let closing = watch::Sender::new(false);
        job_runtime.handle().spawn(watch_archive(archive.clone(), closing.subscribe()));
        Ok(Arc::new(Self {
            archive_access: ArchiveAccess::new(&archive, search.clone(), config),
            downloads: Slots::new(MAX_DOWNLOADS),
            templates: Mutex::default(),
            candidates: CandidateCache::new(MAX_CANDIDATE_CACHE_BYTES),
            terms: TimedCache::default(),
            saved_queries: JsonStore::new(data_dir.join("service").join("queries"), MAX_SAVED_QUERIES),
            reviews: ReviewSummaryCache::default(),
            rankings: KeyedLimit::new(MAX_PER_CRAWL),
            running_rankings: RunningRankings::default(),
            metrics: Arc::new(Metrics::new(now)),
            readiness: Readiness::new(&archive, &data_dir, now),
            enrichment: Arc::new(EnrichmentStore::new(&data_dir, &archive, &jobs, &settings, now)),
            backups: Arc::new(Backups::new(&data_dir, &targets, &jobs, &settings, now, closing.subscribe())),
            passwords: Arc::new(passwords),
            audit: AuditLog::new(data_dir.join("service").join("audit.jsonl")),
            data: data_dir,
            settings,
            now,
            no_auth,
            archive,
            search,
            jobs,
            job_runtime,
            users,
            entity_jobs: EntityJobs::new(closing.subscribe()),
            closing,
            lock,
        }))
    }

    /// The prefix of the URLs of this service in responses: the path of `service.public_url`.
    pub(crate) fn public_path(&self) -> String {
        public_path(&self.settings.current().config)
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

    /// The archive.
    #[must_use]
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// The search index, if it is enabled.
    #[must_use]
    pub fn search_index(&self) -> Option<&Arc<SearchIndex>> {
        self.search.as_ref()
    }

    /// A crawl, as of its last commit. It is open, and cannot be deleted, until the result is dropped.
    /// Blocks, so it must not be called in a runtime.
    pub fn read_crawl(
        &self,
        crawl: u32,
    ) -> Result<impl AsRef<OpenCrawl> + use<>, Box<dyn std::error::Error + Send + Sync>> {
        Ok(self.job_runtime.handle().block_on(self.jobs.pin(crawl))?)
    }

    /// Writes the address of the service to the data directory.
    pub fn write_info(&self, address: SocketAddr) -> Result<(), FileError> {
        self.lock.write_info(&ServiceInfo { pid: std::process::id(), address, started_at_ms: (self.now)() })
    }

    /// Replaces the settings. Running crawls keep their settings until they are resumed. Returns
    /// the changed settings that take effect only after a restart. If the new settings are invalid,
    /// nothing changes.
    pub fn reload(&self, sources: SettingSources) -> Result<Vec<String>, settings::SettingProblems> {
        let before = self.settings.current();
        self.settings.replace(sources)?;
        let now = self.settings.current();
        self.jobs.start_queued();
        let has_changed = |row: &&SettingRow| row.value(&before.config) != row.value(&now.config);
        Ok(ROWS.iter().filter(|row| row.needs_restart).filter(has_changed).map(SettingRow::name).collect())
    }

    /// Stops all crawls; they resume when the service is opened again.
    pub async fn close(&self) {
        self.closing.send_replace(true);
        self.jobs.close().await;
        self.job_runtime.shut_down();
        if let Err(error) = self.archive.sync() {
            tracing::error!(%error, "archive sync failed");
        }
        self.lock.remove_info();
    }
}
