//! Everything that handlers share.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use lodeward::backup::is_restoring;
use lodeward::config::{self, Config, Sources};
use lodeward::open::{self, FeedError, Now};
use lodeward::registry::RegistryError;
use lodeward_archive::{Archive, ArchiveError};
use tokio::sync::watch;

use crate::api::{Downloads, Readiness};
use crate::backups::Backups;
use crate::claim::{Claim, Running};
use crate::crowd::Crowd;
use crate::door::{Audit, Passwords};
use crate::enrichment::Enrichment;
use crate::fleet::Fleet;
use crate::metrics::Metrics;
use crate::people::{People, PeopleError};
use crate::sparql::Counter;

/// How a service is opened.
pub struct Options {
    /// The data directory.
    pub data: PathBuf,
    /// What is said about settings.
    pub sources: Sources,
    /// Tells the time of day.
    pub now: Now,
    /// Whether everybody on this machine is let in as an admin.
    pub no_auth: bool,
}

/// A service cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// Another service has the data directory.
    #[error("{} is served by another process", .data.display())]
    Served {
        /// Which.
        data: PathBuf,
        /// Who that is, if they say.
        running: Option<Running>,
    },
    /// A backup is being put there, or somebody was cut short while doing that.
    #[error("{} is not restored yet", .0.display())]
    Restoring(PathBuf),
    /// The settings are wrong.
    #[error(transparent)]
    Config(#[from] config::Problems),
    /// The data directory cannot be used.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The archive cannot be opened.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The archive cannot be brought up to date.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// Users cannot be told apart.
    #[error(transparent)]
    People(#[from] PeopleError),
    /// The data directory cannot be used.
    #[error("cannot use {}", .data.display())]
    Data {
        /// Which.
        data: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The operating system said no.
    #[error("cannot begin")]
    Io(#[from] std::io::Error),
}

/// The settings, which can be read again while the service runs.
pub(crate) struct Settings(RwLock<Arc<Current>>);

/// The settings as they are now.
pub(crate) struct Current {
    /// What is said about them.
    pub(crate) sources: Sources,
    /// What holds.
    pub(crate) config: Config,
}

impl Settings {
    fn new(sources: Sources) -> Result<Self, config::Problems> {
        Ok(Self(RwLock::new(Arc::new(Current::new(sources)?))))
    }

    /// As they are now.
    pub(crate) fn now(&self) -> Arc<Current> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces them. If they are wrong, nothing changes.
    pub(crate) fn replace(&self, sources: Sources) -> Result<(), config::Problems> {
        let current = Arc::new(Current::new(sources)?);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = current;
        Ok(())
    }
}

impl Current {
    fn new(sources: Sources) -> Result<Self, config::Problems> {
        let config = config::resolve(&sources)?.config;
        Ok(Self { sources, config })
    }
}

/// A data directory that is served.
pub struct Service {
    pub(crate) data: PathBuf,
    pub(crate) settings: Arc<Settings>,
    pub(crate) now: Now,
    pub(crate) no_auth: bool,
    pub(crate) archive: Archive,
    pub(crate) fleet: Fleet,
    pub(crate) counter: Counter,
    pub(crate) downloads: Downloads,
    /// Templates are changed by one at a time.
    pub(crate) templates: Mutex<()>,
    /// Those who rank a crawl, or wait to.
    pub(crate) rankings: Crowd,
    pub(crate) metrics: Metrics,
    pub(crate) readiness: Readiness,
    pub(crate) people: People,
    pub(crate) passwords: Passwords,
    pub(crate) audit: Audit,
    pub(crate) enrichment: Enrichment,
    /// Whether the service ends: it is not ready, and what would stream for ever
    /// comes to its end.
    pub(crate) closing: watch::Sender<bool>,
    pub(crate) backups: Backups,
    claim: Claim,
}

/// Shows the value of a setting.
type Look = fn(&Config) -> String;

/// Settings that are looked at when the service is opened, and never again.
const FIXED: [(&str, Look); 3] = [
    ("service.listen", |config| config.service.listen.clone()),
    ("service.queries", |config| config.service.queries.to_string()),
    ("store.archive_cache_mb", |config| config.store.archive_cache_mb.to_string()),
];

impl Service {
    /// Opens a data directory, or begins one. Crawls that ran go on. Blocks.
    pub fn open(options: Options) -> Result<Arc<Self>, ServiceError> {
        let Options { data, sources, now, no_auth } = options;
        let settings = Arc::new(Settings::new(sources)?);
        let config = &settings.now().config;
        let claimed = std::fs::create_dir_all(&data).and_then(|()| Claim::on(&data));
        let claimed = claimed.map_err(|source| ServiceError::Data { data: data.clone(), source })?;
        let Some(claim) = claimed else {
            let running = Running::told_in(&data);
            return Err(ServiceError::Served { data, running });
        };
        if is_restoring(&data) {
            return Err(ServiceError::Restoring(data));
        }
        tracing::info!(data = %data.display(), "the service is starting");
        // What was written last is read again from its journal, which may take a while.
        tracing::info!("the archive is opened");
        let archive = open::archive(config, &data)?;
        let people = People::open(&data, now)?;
        if !no_auth {
            people.welcome()?;
        }
        let passwords = Passwords::new().map_err(std::io::Error::other)?;
        let audit = Audit::new(data.join("service").join("audit.jsonl"));
        // Crawls go on as soon as there is a fleet: what can fail comes before.
        let fleet = Fleet::open(&data, &archive, &settings, now)?;
        let counter = Counter::new(&archive, config);
        let enrichment = Enrichment::of(&data);
        Ok(Arc::new(Self {
            data,
            settings,
            now,
            no_auth,
            archive,
            fleet,
            counter,
            downloads: Downloads::default(),
            templates: Mutex::default(),
            rankings: Crowd::of_two(),
            metrics: Metrics::default(),
            readiness: Readiness::default(),
            people,
            passwords,
            audit,
            enrichment,
            closing: watch::Sender::new(false),
            backups: Backups::default(),
            claim,
        }))
    }

    /// Those who may use it.
    #[must_use]
    pub fn people(&self) -> &People {
        &self.people
    }

    /// The data directory.
    #[must_use]
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Says in the data directory that the service can be found at this address.
    pub fn announce(&self, address: SocketAddr) -> std::io::Result<()> {
        self.claim.announce(&Running { pid: std::process::id(), address, started_at_ms: (self.now)() })
    }

    /// Takes other settings. Those of crawls that run hold for them until they are
    /// resumed. Names the settings that have changed and hold only for a service
    /// that is started anew. If something is wrong with them, nothing changes.
    pub fn reload(&self, sources: Sources) -> Result<Vec<&'static str>, config::Problems> {
        let before = self.settings.now();
        self.settings.replace(sources)?;
        let now = self.settings.now();
        self.fleet.pump();
        let has_changed = |look: &Look| look(&before.config) != look(&now.config);
        Ok(FIXED.iter().filter(|(_, look)| has_changed(look)).map(|(key, _)| *key).collect())
    }

    /// Stops all crawls; they go on when the service is opened again.
    pub async fn close(&self) {
        self.closing.send_replace(true);
        self.fleet.close().await;
        if let Err(error) = self.archive.sync() {
            tracing::error!(%error, "the archive could not be synced");
        }
        self.claim.renounce();
    }
}
