//! Imports of instance data, and rules that start crawls for them.
//!
//! DURAARK D3.6 §1.4.3 enriches records “as backend process when populating” its
//! archive: “seeds are extracted from new data (for instance, the geolocations of
//! physical assets) which serve as starting point”. Here records are imported into a
//! named graph of the archive, and [rules](rule::ImportRule) define which imports start a
//! crawl, and its seeds.
//!
//! An import is durable in the archive before any rule is applied, and a failing rule does
//! not affect it. The same rule starts no second crawl for unchanged data: the crawl is
//! recorded with the import, and its name identifies rule, data and import, so that a kill
//! between the two writes does not lead to a second crawl either.

mod rule_run;
mod import;
mod rule;

use std::path::Path;
use std::sync::{Arc, Mutex};

use lodeward_app::crawl_dir::NowMs;
use lodeward_archive::Archive;

pub(crate) use self::import::{ImportRecord, ImportRequest, ImportResult, unknown_import};
pub(crate) use self::rule::{ImportRule, RuleRecord};
pub(crate) use self::rule_run::RuleRun;

use crate::jobs::JobTable;
use crate::json_store::JsonStore;
use crate::limits::{MAX_WAITING_IMPORTS, Slots};
use crate::live_settings::LiveSettings;

/// The maximum number of rules: all of them are checked for every import.
const MAX_RULES: usize = 1_000;

/// The maximum number of imports.
const MAX_IMPORTS: usize = 100_000;

/// The imports and rules of a data directory.
pub(crate) struct EnrichmentStore {
    pub(crate) rules: JsonStore<RuleRecord>,
    pub(crate) imports: JsonStore<ImportRecord>,
    archive: Archive,
    jobs: Arc<JobTable>,
    settings: Arc<LiveSettings>,
    now: NowMs,
    /// Serializes imports, to limit their memory and to enforce the maximum number of imports.
    import_lock: tokio::sync::Mutex<()>,
    /// Serializes changes to rules.
    pub(crate) rules_lock: Mutex<()>,
    /// Permits for imports that run or wait.
    waiting: Slots,
}

impl EnrichmentStore {
    /// The imports and rules of this data directory.
    pub(crate) fn new(
        data: &Path,
        archive: &Archive,
        jobs: &Arc<JobTable>,
        settings: &Arc<LiveSettings>,
        now: NowMs,
    ) -> Self {
        let dir = data.join("service");
        Self {
            rules: JsonStore::new(dir.join("rules"), MAX_RULES),
            imports: JsonStore::new(dir.join("imports"), MAX_IMPORTS),
            archive: archive.clone(),
            jobs: Arc::clone(jobs),
            settings: Arc::clone(settings),
            now,
            import_lock: tokio::sync::Mutex::default(),
            rules_lock: Mutex::default(),
            waiting: Slots::new(MAX_WAITING_IMPORTS),
        }
    }
}
