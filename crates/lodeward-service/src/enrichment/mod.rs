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
mod json_store;
mod import;
mod instances;
mod rule;

use std::path::Path;
use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;

pub(crate) use self::import::{ImportRecord, ImportRequest, ImportResult, unknown_import};
pub(crate) use self::instances::MAX_UNPACKED_BYTES;
pub(crate) use self::json_store::ItemName;
use self::json_store::JsonStore;
pub(crate) use self::rule::{ImportRule, RuleRecord};
pub(crate) use self::rule_run::RuleRun;

/// The maximum number of rules: all of them are checked for every import.
const MAX_RULES: usize = 1_000;

/// The maximum number of imports.
const MAX_IMPORTS: usize = 100_000;

/// Maximum number of imports that run or wait at a time. Their bodies are in memory.
const MAX_WAITING: usize = 8;

/// The imports and rules of a data directory.
pub(crate) struct EnrichmentStore {
    pub(crate) rules: JsonStore<RuleRecord>,
    pub(crate) imports: JsonStore<ImportRecord>,
    /// Serializes imports, to limit their memory and to enforce the maximum number of imports.
    import_lock: tokio::sync::Mutex<()>,
    /// Serializes changes to rules.
    pub(crate) rules_lock: Mutex<()>,
    /// Permits for imports that run or wait.
    waiting: Arc<Semaphore>,
}

impl EnrichmentStore {
    /// The imports and rules of this data directory.
    pub(crate) fn new(data: &Path) -> Self {
        let dir = data.join("service");
        Self {
            rules: JsonStore::new(dir.join("rules"), MAX_RULES),
            imports: JsonStore::new(dir.join("imports"), MAX_IMPORTS),
            import_lock: tokio::sync::Mutex::default(),
            rules_lock: Mutex::default(),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
        }
    }
}
