//! The files of one crawl: its record, settings, seeds, state, and other JSON files.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lodeward::engine::{CrawlSnapshot, StopReason};
use lodeward::model::Uri;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::Table;

use super::DataDirError;
use crate::atomic_file::{self, FileAccess};
use crate::json_file;
use crate::json_file::FileError;
use crate::seed_note::SeedNote;
use crate::settings::add_record;

/// The name of the file that contains the record of a crawl.
pub(super) const RECORD_FILE: &str = "crawl.json";

/// The name of the file that contains the settings of a crawl.
const SETTINGS_FILE: &str = "settings.json";

/// The name of the file that contains the seeds of a crawl.
const SEEDS_FILE: &str = "seeds.txt";

/// The name of the file that contains the origins of seeds.
const SEED_NOTES_FILE: &str = "seeds.json";

/// The name of the file that contains the state of a crawl.
const STATUS_FILE: &str = "status.json";

/// The directory of the frontier and of the index of the harvest.
pub(crate) const STATE_DIR: &str = "state";

/// The directory of one crawl in a data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrawlDir {
    data: PathBuf,
    id: u32,
    path: PathBuf,
}

impl CrawlDir {
    /// The directory of the crawl with this number, in the data directory `data`.
    #[must_use]
    pub fn new(data: &Path, id: u32) -> Self {
        Self { data: data.to_owned(), id, path: data.join("crawls").join(id.to_string()) }
    }

    /// The number of the crawl.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The data directory.
    #[must_use]
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of the directory.
    #[must_use]
    pub fn into_path(self) -> PathBuf {
        self.path
    }

    /// The record of the crawl; `None` if the crawl does not exist.
    pub fn record(&self) -> Result<Option<CrawlRecord>, DataDirError> {
        Ok(json_file::read(&self.path.join(RECORD_FILE))?)
    }

    /// The settings that the crawl remembers, by section. Every crawl has them: without them, a
    /// resumed crawl could leave its scope.
    pub fn settings(&self) -> Result<Table, DataDirError> {
        let path = self.path.join(SETTINGS_FILE);
        json_file::read(&path)?.ok_or(DataDirError::MissingSettings(path))
    }

    /// Replaces the settings that the crawl remembers. When this returns, a power failure does not
    /// undo it.
    pub fn write_settings(&self, settings: &Table) -> Result<(), DataDirError> {
        Ok(json_file::write(&self.path.join(SETTINGS_FILE), settings)?)
    }

    /// All seeds, in order. A crawl that was opened has a file of seeds, so it is an error if that is
    /// missing.
    pub fn seeds(&self) -> Result<Vec<Uri>, DataDirError> {
        match self.read_seeds()? {
            None if self.has_state() => Err(DataDirError::MissingSeeds(self.path.join(SEEDS_FILE))),
            seeds => Ok(seeds.unwrap_or_default()),
        }
    }

    /// The seeds in the file; `None` if it does not exist.
    fn read_seeds(&self) -> Result<Option<Vec<Uri>>, DataDirError> {
        let path = self.path.join(SEEDS_FILE);
        match fs::read_to_string(&path) {
            Ok(text) => parse_seeds(&text).map(Some).ok_or(DataDirError::Seeds(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FileError::for_path(&path)(error).into()),
        }
    }

    /// Whether the crawl was opened before: its frontier exists.
    #[must_use]
    pub fn has_state(&self) -> bool {
        self.path.join(STATE_DIR).exists()
    }

    /// Adds seeds. Returns all seeds of the crawl. If the file is missing, it is created with these
    /// seeds.
    pub fn add_seeds(&self, seeds: &[Uri]) -> Result<Vec<Uri>, DataDirError> {
        let mut all = if seeds.is_empty() { self.seeds()? } else { self.read_seeds()?.unwrap_or_default() };
        let known: HashSet<Uri> = all.iter().cloned().collect();
        all.extend(seeds.iter().filter(|seed| !known.contains(seed)).cloned());
        let mut text = String::new();
        for seed in &all {
            text.push_str(seed.as_str());
            text.push('\n');
        }
        text.push_str(&seeds_trailer(&all));
        let path = self.path.join(SEEDS_FILE);
        atomic_file::replace(&path, FileAccess::Umask, text.as_bytes()).map_err(FileError::for_path(&path))?;
        Ok(all)
    }

    /// The origins of the seeds, in order, without seeds that were given as URIs and name no entity
    /// by a fragment.
    pub fn seed_notes(&self) -> Result<Vec<SeedNote>, DataDirError> {
        Ok(json_file::read(&self.path.join(SEED_NOTES_FILE))?.unwrap_or_default())
    }

    /// The IRIs of the seeds with a note.
    pub(crate) fn seed_entities(&self) -> Result<Vec<String>, DataDirError> {
        Ok(self.seed_notes()?.iter().map(|note| note.entity().to_owned()).collect())
    }

    /// Adds origins of seeds. A seed keeps its first origin.
    pub fn add_seed_notes(&self, notes: &[SeedNote]) -> Result<(), DataDirError> {
        if notes.is_empty() {
            return Ok(());
        }
        let mut all = self.seed_notes()?;
        let known: HashSet<String> = all.iter().map(|note| note.entity().to_owned()).collect();
        all.extend(notes.iter().filter(|note| !known.contains(note.entity())).cloned());
        Ok(json_file::write(&self.path.join(SEED_NOTES_FILE), &all)?)
    }

    /// Reads a JSON file of the crawl, if it exists.
    pub fn read_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, DataDirError> {
        Ok(json_file::read(&self.path.join(name))?)
    }

    /// Writes a JSON file of the crawl, so that it survives a power cut.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), DataDirError> {
        Ok(json_file::write(&self.path.join(name), value)?)
    }

    /// Removes a JSON file of the crawl, if it exists.
    pub fn remove_json(&self, name: &str) -> Result<(), DataDirError> {
        let path = self.path.join(name);
        Ok(atomic_file::remove_if_exists(&path).map_err(FileError::for_path(&path))?)
    }

    /// Removes the crawl: first its data, then its record, then its other JSON files, so that a
    /// stored request to delete it outlives the data. The empty directory stays, because numbers
    /// are not reused. After this function returns, a power cut does not restore the crawl.
    pub fn remove(&self) -> Result<(), DataDirError> {
        self.remove_with(atomic_file::sync_dir)
    }

    pub(super) fn remove_with(&self, sync: impl Fn(&Path) -> io::Result<()>) -> Result<(), DataDirError> {
        let failed = FileError::for_path(&self.path);
        let entries: io::Result<Vec<PathBuf>> =
            fs::read_dir(&self.path).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        let (json, data): (Vec<_>, Vec<_>) = entries
            .map_err(&failed)?
            .into_iter()
            .partition(|path| path.extension().is_some_and(|extension| extension == "json"));
        let (record, json): (Vec<_>, Vec<_>) = json.into_iter().partition(|path| path.ends_with(RECORD_FILE));
        // The directory is synced after each step: otherwise a power cut could remove the stored
        // request and keep the record, which restores the crawl, or remove the record and keep its
        // data.
        for step in [data, record, json] {
            for path in step {
                let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                match removed {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error).into()),
                    _ => {}
                }
            }
            sync(&self.path).map_err(&failed)?;
        }
        Ok(())
    }

    /// The state of the crawl; `None` if it never ran. A damaged file is reported and treated as
    /// missing: [`open_crawl`](crate::crawl_dir::open_crawl) rebuilds it.
    pub fn status(&self) -> Result<Option<CrawlStatus>, DataDirError> {
        match json_file::read(&self.path.join(STATUS_FILE)) {
            Err(error @ FileError::Format { .. }) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(
                    crawl = self.id,
                    error,
                    "status file is damaged; it is rebuilt when the crawl is opened"
                );
                Ok(None)
            }
            status => Ok(status?),
        }
    }

    /// Stores the state of the crawl.
    pub fn set_status(&self, status: &CrawlStatus) -> Result<(), DataDirError> {
        let bytes = serde_json::to_vec_pretty(status).expect("a status serialises as JSON");
        let path = self.path.join(STATUS_FILE);
        // The file is not synced, because a running crawl replaces it every second.
        Ok(atomic_file::replace_unsynced(&path, &bytes).map_err(FileError::for_path(&path))?)
    }
}

/// The record of a crawl: its identity and how it was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlRecord {
    /// Its number in this data directory, from 1.
    pub id: u32,
    /// Its name, unique in this data directory.
    pub name: String,
    /// The strategy it was started with.
    pub strategy: String,
    /// The seed of its random number generator.
    pub rng_seed: u64,
    /// Creation time, in milliseconds since the Unix epoch.
    pub created_at_ms: u64,
}

/// The state of a crawl, as stored in `status.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlStatus {
    /// The id of the process that runs the crawl, or ran it last.
    pub process: u32,
    /// Time of the last update, in milliseconds since the Unix epoch.
    pub updated_at_ms: u64,
    /// Why it stopped; `None` while it runs, or if its process was killed.
    pub stop_reason: Option<StopReason>,
    /// Its counts.
    pub snapshot: CrawlSnapshot,
}

impl CrawlRecord {
    /// Adds the settings that the record holds to those that the crawl remembers.
    pub fn add_to(&self, settings: &mut Table) {
        add_record(settings, &self.strategy, self.rng_seed);
    }
}

/// The last line of a file of seeds: their number and the sum of their fingerprints, so that a file
/// that was cut is noticed.
fn seeds_trailer(seeds: &[Uri]) -> String {
    let sum = seeds.iter().fold(0_u128, |sum, seed| sum.wrapping_add(seed.fingerprint()));
    format!("# {} seeds, checksum {sum:032x}\n", seeds.len())
}

/// Parses a file of seeds; `None` if it was cut or changed.
fn parse_seeds(text: &str) -> Option<Vec<Uri>> {
    let seeds: Vec<Uri> = text.lines().filter_map(|line| Uri::parse(line).ok()).collect();
    text.ends_with(&seeds_trailer(&seeds)).then_some(seeds)
}
