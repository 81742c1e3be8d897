//! Instance data that come in, and crawls that begin because of them.
//!
//! DURAARK D3.6 §1.4.3 enriches records “as backend process when populating” its
//! archive: “seeds are extracted from new data (for instance, the geolocations of
//! physical assets) which serve as starting point”. Here records are imported into a
//! named graph of the archive, and [rules](rule::Rule) say which imports begin a
//! crawl, and at what.
//!
//! An import is in the archive, on disk, before any rule is looked at, and a rule
//! that cannot be followed changes nothing about it. The same rule begins no second
//! crawl for data that have not changed: what it did is kept with the import, and the
//! crawl has a name that tells rule, data and import, so that not even somebody who
//! kills this process between two writes makes it begin twice.

mod begin;
mod drawer;
mod import;
mod read;
mod rule;

use std::path::Path;
use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;

pub(crate) use self::begin::Did;
use self::drawer::Drawer;
pub(crate) use self::drawer::Name;
pub(crate) use self::import::{Import, Imported, Put, unknown};
pub(crate) use self::read::UNPACKED_BYTES_MAX;
pub(crate) use self::rule::{Rule, RuleRecord};

/// How many rules there may be: all of them are looked at for every import.
const RULES_MAX: usize = 1_000;

/// How many imports there may be.
const IMPORTS_MAX: usize = 100_000;

/// Imports at a time that are read or wait to be: their bodies are in memory.
const WAITING_MAX: usize = 8;

/// The imports and rules of a data directory.
pub(crate) struct Enrichment {
    pub(crate) rules: Drawer<RuleRecord>,
    pub(crate) imports: Drawer<Import>,
    /// One import at a time: they need memory, and names are counted.
    turn: tokio::sync::Mutex<()>,
    /// One changes rules at a time.
    pub(crate) writing: Mutex<()>,
    /// Those who have their turn, or wait for it.
    waiting: Arc<Semaphore>,
}

impl Enrichment {
    /// What is kept in this data directory.
    pub(crate) fn of(data: &Path) -> Self {
        let folder = data.join("service");
        Self {
            rules: Drawer::new(folder.join("rules"), RULES_MAX),
            imports: Drawer::new(folder.join("imports"), IMPORTS_MAX),
            turn: tokio::sync::Mutex::default(),
            writing: Mutex::default(),
            waiting: Arc::new(Semaphore::new(WAITING_MAX)),
        }
    }
}
