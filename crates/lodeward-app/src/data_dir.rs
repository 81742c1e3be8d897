//! The data directory: the records of crawls and their files.
//!
//! ```text
//! DIR/format                 version of this layout
//! DIR/crawls/1/crawl.json    number, name and strategy of a crawl
//! DIR/crawls/1/settings.json the settings that it remembers
//! DIR/crawls/1/seeds.txt     all of its seeds
//! DIR/crawls/1/seeds.json    origins of seeds that were not given as URIs
//! DIR/crawls/1/status.json   its counts, at most a second old
//! DIR/crawls/1/report.json   the report of its last run
//! DIR/crawls/1/model         model of its strategy
//! DIR/crawls/1/state/        its frontier and index (fjall)
//! DIR/crawls/1/segments/     its harvest (N-Quads)
//! ```
//!
//! A crawl has a small number and a name. Files are replaced atomically ([`lodeward::atomic_file`]), so
//! that a reader never sees a part of a file.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::Table;

use crate::json_file;
use crate::json_file::FileError;
use crate::settings::add_record;
use lodeward::atomic_file::{self, FileAccess};
use lodeward::engine::{CrawlSnapshot, StopReason};
use lodeward::model::{SeedNote, Uri};

/// The maximum length of the name of a crawl, in bytes.
const MAX_NAME_BYTES: usize = 100;

/// The name of the file that contains the record of a crawl.
const RECORD_FILE: &str = "crawl.json";

/// The name of the file that contains the version of the layout.
const FORMAT_FILE: &str = "format";

/// The version of the layout. Version 1 had no [`FORMAT_FILE`], version 2 no [`SETTINGS_FILE`].
const FORMAT_VERSION: u32 = 3;

/// The name of the file that contains the settings of a crawl.
const SETTINGS_FILE: &str = "settings.json";

/// The file with the password of the first admin of a service, until the password is changed. It is
/// the only secret in plain text below a data directory, so backups omit it.
pub const FIRST_PASSWORD_FILE: &str = "service/admin-password.txt";

/// A directory with the records and files of crawls.
#[derive(Clone, Debug)]
pub struct DataDir {
    directory: PathBuf,
}

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
}

impl CrawlRecord {
    /// Adds the settings that the record holds to those that the crawl remembers.
    pub fn add_to(&self, settings: &mut Table) {
        add_record(settings, &self.strategy, self.rng_seed);
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

/// The crawls of a data directory.
#[derive(Debug, Default)]
pub struct DataDirListing {
    /// The crawls with a readable record, by number.
    pub records: Vec<CrawlRecord>,
    /// The crawls with an unreadable record, by number.
    pub damaged: Vec<DamagedCrawl>,
}

/// A crawl whose record cannot be read.
#[derive(Debug)]
pub struct DamagedCrawl {
    /// Its number.
    pub id: u32,
    /// Why the record cannot be read.
    pub error: FileError,
}

impl DataDirListing {
    /// The numbers of all crawls, readable or not.
    #[must_use]
    pub fn ids(&self) -> Vec<u32> {
        let readable = self.records.iter().map(|record| record.id);
        readable.chain(self.damaged.iter().map(|damaged| damaged.id)).collect()
    }
}

/// An error of a data directory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataDirError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// No readable record has this name, and a damaged one may have it.
    #[error("crawl `{name}` not found, but it may be a crawl whose record is damaged")]
    MaybeDamaged {
        /// The name of the crawl that was not found.
        name: String,
        /// The error of the first damaged record.
        #[source]
        source: FileError,
    },
    /// A crawl has no settings.
    #[error("the settings of the crawl are missing: {} does not exist", .0.display())]
    MissingSettings(PathBuf),
    /// The file of seeds was cut or changed.
    #[error("{} is damaged: its last line does not match its seeds", .0.display())]
    Seeds(PathBuf),
    /// An invalid name.
    #[error("invalid crawl name `{0}`: 1 to {MAX_NAME_BYTES} bytes without control characters are allowed")]
    Name(String),
    /// The directory has the layout of another version.
    #[error(
        "cannot open data directory `{}`: it has format {found}, and this version reads format {FORMAT_VERSION}",
        .path.display()
    )]
    Format {
        /// The directory.
        path: PathBuf,
        /// The version of its layout.
        found: String,
    },
}

impl DataDir {
    /// Opens a data directory, or creates it.
    pub fn open(directory: &Path) -> Result<Self, DataDirError> {
        let data_dir = Self { directory: directory.to_owned() };
        data_dir.check_format()?;
        let crawls = data_dir.directory.join("crawls");
        fs::create_dir_all(&crawls).map_err(FileError::for_path(&crawls))?;
        Ok(data_dir)
    }

    /// Rejects a directory of another version, and writes the version into a new one. A
    /// directory is new as long as it has no crawl.
    fn check_format(&self) -> Result<(), DataDirError> {
        let path = self.directory.join(FORMAT_FILE);
        let wrong = |found: &str| DataDirError::Format { path: self.directory.clone(), found: found.to_owned() };
        match fs::read_to_string(&path) {
            Ok(text) if text.trim() == FORMAT_VERSION.to_string() => return Ok(()),
            Ok(text) => return Err(wrong(text.trim())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(FileError::for_path(&path)(error).into()),
        }
        let crawls = fs::read_dir(self.directory.join("crawls"));
        if crawls.is_ok_and(|mut crawls| crawls.next().is_some()) {
            return Err(wrong("1"));
        }
        fs::create_dir_all(&self.directory).map_err(FileError::for_path(&self.directory))?;
        let text = format!("{FORMAT_VERSION}\n");
        Ok(atomic_file::replace(&path, FileAccess::Umask, text.as_bytes()).map_err(FileError::for_path(&path))?)
    }

    /// All crawls. A damaged record does not hide the others.
    pub fn scan(&self) -> Result<DataDirListing, DataDirError> {
        let crawls = self.directory.join("crawls");
        let failed = FileError::for_path(&crawls);
        let mut found = DataDirListing::default();
        for entry in fs::read_dir(&crawls).map_err(&failed)? {
            let entry = entry.map_err(&failed)?;
            let id = entry.file_name().to_str().and_then(|name| name.parse().ok());
            match (json_file::read::<CrawlRecord>(&entry.path().join(RECORD_FILE)), id) {
                // A directory without a record is not a crawl: its creation was interrupted.
                (Ok(record), _) => found.records.extend(record),
                (Err(error), Some(id)) => found.damaged.push(DamagedCrawl { id, error }),
                (Err(error), None) => return Err(error.into()),
            }
        }
        found.records.sort_by_key(|record| record.id);
        found.damaged.sort_by_key(|damaged| damaged.id);
        Ok(found)
    }

    /// The crawls with a readable record, by number.
    pub fn list(&self) -> Result<Vec<CrawlRecord>, DataDirError> {
        Ok(self.scan()?.records)
    }

    /// The crawl with this name; `None` if there is none. If no readable record has the name and
    /// another record is damaged, the result is an error, because the damaged record may have the
    /// name.
    pub fn find(&self, name: &str) -> Result<Option<CrawlRecord>, DataDirError> {
        let DataDirListing { records, damaged } = self.scan()?;
        match (records.into_iter().find(|record| record.name == name), damaged.into_iter().next()) {
            (None, Some(DamagedCrawl { error, .. })) => {
                Err(DataDirError::MaybeDamaged { name: name.to_owned(), source: error })
            }
            (found, _) => Ok(found),
        }
    }

    /// Creates a crawl that remembers no settings.
    pub fn create(&self, name: &str, strategy: &str, seed: u64, now_ms: u64) -> Result<CrawlRecord, DataDirError> {
        let record = self.reserve(name, strategy, seed, now_ms)?;
        self.crawl(record.id).write_settings(&Table::new())?;
        self.write_record(&record)?;
        Ok(record)
    }

    /// Reserves the next free number, and creates a directory for the files of a crawl. The
    /// crawl exists only after [`Self::write_record`].
    pub fn reserve(&self, name: &str, strategy: &str, rng_seed: u64, now_ms: u64) -> Result<CrawlRecord, DataDirError> {
        if name.is_empty() || name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
            return Err(DataDirError::Name(name.to_owned()));
        }
        let mut id = self.list()?.last().map_or(1, |last| last.id + 1);
        loop {
            let path = self.crawl(id).into_path();
            match fs::create_dir(&path) {
                Ok(()) => break,
                Err(source) if source.kind() == io::ErrorKind::AlreadyExists => id += 1,
                Err(error) => return Err(FileError::for_path(&path)(error).into()),
            }
        }
        let (name, strategy) = (name.to_owned(), strategy.to_owned());
        Ok(CrawlRecord { id, name, strategy, rng_seed, created_at_ms: now_ms })
    }

    /// Writes the record of a reserved crawl. From then on the crawl exists.
    pub fn write_record(&self, record: &CrawlRecord) -> Result<(), DataDirError> {
        json_file::write(&self.crawl(record.id).path().join(RECORD_FILE), record)?;
        // The entry of the new directory must survive a power cut, too.
        let crawls = self.directory.join("crawls");
        Ok(atomic_file::sync_dir(&crawls).map_err(FileError::for_path(&crawls))?)
    }

    /// The directory of a crawl.
    #[must_use]
    pub fn crawl(&self, id: u32) -> CrawlDir {
        CrawlDir::new(&self.directory, id)
    }

    /// All numbers that were ever used, including those of deleted crawls.
    pub fn used_ids(&self) -> Result<BTreeSet<u32>, DataDirError> {
        let crawls = self.directory.join("crawls");
        let number = |entry: fs::DirEntry| entry.file_name().to_str().and_then(|name| name.parse().ok());
        let entries = fs::read_dir(&crawls);
        let numbers = entries.and_then(|entries| entries.filter_map(|entry| entry.map(number).transpose()).collect());
        Ok(numbers.map_err(FileError::for_path(&crawls))?)
    }

    /// All seeds of a crawl, in order.
    pub fn seeds(&self, id: u32) -> Result<Vec<Uri>, DataDirError> {
        let path = self.crawl(id).path().join("seeds.txt");
        match fs::read_to_string(&path) {
            Ok(text) => parse_seeds(&text).ok_or(DataDirError::Seeds(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(FileError::for_path(&path)(error).into()),
        }
    }

    /// Adds seeds to a crawl. Returns all seeds of the crawl.
    pub fn add_seeds(&self, id: u32, seeds: &[Uri]) -> Result<Vec<Uri>, DataDirError> {
        let mut all = self.seeds(id)?;
        let known: HashSet<Uri> = all.iter().cloned().collect();
        all.extend(seeds.iter().filter(|seed| !known.contains(seed)).cloned());
        let mut text = String::new();
        for seed in &all {
            text.push_str(seed.as_str());
            text.push('\n');
        }
        text.push_str(&seeds_trailer(&all));
        let path = self.crawl(id).path().join("seeds.txt");
        atomic_file::replace(&path, FileAccess::Umask, text.as_bytes()).map_err(FileError::for_path(&path))?;
        Ok(all)
    }

    /// The origins of the seeds of a crawl, in order, without seeds that were given as
    /// URIs and name no entity by a fragment.
    pub fn seed_notes(&self, id: u32) -> Result<Vec<SeedNote>, DataDirError> {
        seed_notes(self.crawl(id).path())
    }

    /// Adds origins of seeds to a crawl. A seed keeps its first origin.
    pub fn add_seed_notes(&self, id: u32, notes: &[SeedNote]) -> Result<(), DataDirError> {
        if notes.is_empty() {
            return Ok(());
        }
        let mut all = self.seed_notes(id)?;
        let known: HashSet<String> = all.iter().map(|note| note.entity().to_owned()).collect();
        all.extend(notes.iter().filter(|note| !known.contains(note.entity())).cloned());
        Ok(json_file::write(&self.crawl(id).path().join("seeds.json"), &all)?)
    }

    /// Reads a JSON file of a crawl, if it exists.
    pub fn read_json<T: DeserializeOwned>(&self, id: u32, name: &str) -> Result<Option<T>, DataDirError> {
        Ok(json_file::read(&self.crawl(id).path().join(name))?)
    }

    /// Writes a JSON file of a crawl, so that it survives a power cut.
    pub fn write_json(&self, id: u32, name: &str, value: &impl Serialize) -> Result<(), DataDirError> {
        Ok(json_file::write(&self.crawl(id).path().join(name), value)?)
    }

    /// Removes a JSON file of a crawl, if it exists.
    pub fn remove_json(&self, id: u32, name: &str) -> Result<(), DataDirError> {
        let path = self.crawl(id).path().join(name);
        Ok(atomic_file::remove_if_exists(&path).map_err(FileError::for_path(&path))?)
    }

    /// Removes a crawl: first its data, then its record, then its other JSON files, so that a
    /// stored request to delete it outlives the data. The empty directory stays, because numbers
    /// are not reused. After this function returns, a power cut does not restore the crawl.
    pub fn remove(&self, id: u32) -> Result<(), DataDirError> {
        self.remove_with(id, atomic_file::sync_dir)
    }

    fn remove_with(&self, id: u32, sync: impl Fn(&Path) -> io::Result<()>) -> Result<(), DataDirError> {
        let directory = self.crawl(id).into_path();
        let failed = FileError::for_path(&directory);
        let entries: io::Result<Vec<PathBuf>> =
            fs::read_dir(&directory).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
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
            sync(&directory).map_err(&failed)?;
        }
        Ok(())
    }

    /// The state of a crawl; `None` if it never ran. A damaged file is reported and treated as
    /// missing, because the next run rewrites it.
    pub fn status(&self, id: u32) -> Result<Option<CrawlStatus>, DataDirError> {
        match json_file::read(&self.crawl(id).path().join("status.json")) {
            Err(error @ FileError::Format { .. }) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(crawl = id, error, "status file is damaged; the next run rewrites it");
                Ok(None)
            }
            status => Ok(status?),
        }
    }

    /// Stores the state of a crawl.
    pub fn set_status(&self, id: u32, status: &CrawlStatus) -> Result<(), DataDirError> {
        let bytes = serde_json::to_vec_pretty(status).expect("a status serialises as JSON");
        let path = self.crawl(id).path().join("status.json");
        // The file is not synced, because a running crawl replaces it every second.
        Ok(atomic_file::replace_unsynced(&path, &bytes).map_err(FileError::for_path(&path))?)
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

/// The origins of the seeds of the crawl in this directory.
pub fn seed_notes(directory: &Path) -> Result<Vec<SeedNote>, DataDirError> {
    Ok(json_file::read(&directory.join("seeds.json"))?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use lodeward::model::SeedOrigin;

    #[test]
    fn the_number_of_a_removed_crawl_is_not_reused() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();
        let record = data_dir.create("default", "bfs", 7, 1).unwrap();
        data_dir.write_json(record.id, "order.json", &"run").unwrap();
        data_dir.write_json(record.id, "other.json", &1).unwrap();
        data_dir.remove_json(record.id, "other.json").unwrap();
        data_dir.remove_json(record.id, "other.json").unwrap();
        assert_eq!(data_dir.read_json::<u32>(record.id, "other.json").unwrap(), None);
        fs::create_dir(data_dir.crawl(record.id).path().join("segments")).unwrap();

        data_dir.remove(record.id).unwrap();

        assert_eq!(data_dir.list().unwrap(), []);
        assert_eq!(fs::read_dir(data_dir.crawl(record.id).into_path()).unwrap().count(), 0);
        assert_eq!(data_dir.create("default", "bfs", 7, 1).unwrap().id, 2);
        assert_eq!(data_dir.used_ids().unwrap(), [1, 2].into());
    }

    #[test]
    fn a_file_of_seeds_cut_at_any_byte_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();
        let id = data_dir.create("default", "bfs", 7, 1).unwrap().id;
        let seeds = ["http://a.example/1", "http://a.example/12"].map(|uri| Uri::parse(uri).unwrap());
        assert_eq!(data_dir.seeds(id).unwrap(), []);
        data_dir.add_seeds(id, &seeds[..1]).unwrap();
        data_dir.add_seeds(id, &seeds).unwrap();
        assert_eq!(data_dir.seeds(id).unwrap(), seeds);
        let path = data_dir.crawl(id).path().join("seeds.txt");
        let whole = fs::read_to_string(&path).unwrap();

        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            assert!(matches!(data_dir.seeds(id), Err(DataDirError::Seeds(_))), "cut at {cut}");
            assert!(data_dir.add_seeds(id, &seeds).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn a_damaged_status_is_treated_as_missing() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();
        let id = data_dir.create("default", "bfs", 7, 1).unwrap().id;
        fs::write(data_dir.crawl(id).path().join("status.json"), "{\"process\": 7, ").unwrap();

        assert_eq!(data_dir.status(id).unwrap(), None);
    }

    #[test]
    fn a_stored_request_to_delete_a_crawl_outlives_its_record() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();
        let id = data_dir.create("default", "bfs", 7, 1).unwrap().id;
        data_dir.write_json(id, "order.json", &"delete").unwrap();
        fs::create_dir(data_dir.crawl(id).path().join("segments")).unwrap();
        let synced = RefCell::new(Vec::new());
        let names = |dir: &Path| -> BTreeSet<_> {
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };

        data_dir
            .remove_with(id, |dir| {
                assert_eq!(dir, data_dir.crawl(id).into_path());
                synced.borrow_mut().push(names(dir));
                Ok(())
            })
            .unwrap();

        let expected = [&["crawl.json", "order.json", "settings.json"][..], &["order.json", "settings.json"], &[]];
        assert_eq!(synced.into_inner(), expected.map(|names| names.iter().map(|&name| name.to_owned()).collect()));
    }

    #[test]
    fn a_reserved_crawl_exists_after_its_record_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();

        let record = data_dir.reserve("default", "bfs", 7, 1).unwrap();
        data_dir.write_json(record.id, "order.json", &"run").unwrap();
        assert_eq!(data_dir.list().unwrap(), []);
        assert_eq!(data_dir.reserve("other", "bfs", 7, 1).unwrap().id, 2);

        data_dir.write_record(&record).unwrap();
        assert_eq!(data_dir.list().unwrap(), [record]);
    }

    #[test]
    fn crawls_are_numbered_and_found_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();

        let first = data_dir.create("default", "bfs", 7, 1).unwrap();
        let second = data_dir.create("buildings", "bfs", 8, 2).unwrap();

        assert_eq!((first.id, second.id), (1, 2));
        assert_eq!(data_dir.find("buildings").unwrap(), Some(second));
        assert_eq!(data_dir.find("unknown").unwrap(), None);
        assert_eq!(DataDir::open(directory.path()).unwrap().list().unwrap().len(), 2);
    }

    #[test]
    fn a_damaged_record_hides_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();
        let first = data_dir.create("default", "bfs", 7, 1).unwrap();
        let second = data_dir.create("buildings", "bfs", 8, 2).unwrap();
        fs::write(data_dir.crawl(first.id).path().join(RECORD_FILE), "").unwrap();

        let found = data_dir.scan().unwrap();

        assert_eq!((found.records.as_slice(), found.ids()), (&[second.clone()][..], vec![2, 1]));
        assert!(found.damaged[0].error.to_string().ends_with("crawls/1/crawl.json"));
        assert_eq!(data_dir.find("buildings").unwrap(), Some(second));
        assert!(
            matches!(data_dir.find("default"), Err(DataDirError::MaybeDamaged { .. })),
            "the damaged record may have the name"
        );
        assert_eq!(data_dir.create("other", "bfs", 0, 0).unwrap().id, 3);
    }

    #[test]
    fn seeds_are_stored_once() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();
        let id = data_dir.create("default", "bfs", 0, 0).unwrap().id;
        let uri = |text: &str| Uri::parse(text).unwrap();

        data_dir.add_seeds(id, &[uri("http://a.example/"), uri("http://b.example/")]).unwrap();
        data_dir.add_seeds(id, &[uri("http://b.example/"), uri("http://c.example/")]).unwrap();

        let expected = ["http://a.example/", "http://b.example/", "http://c.example/"].map(uri);
        assert_eq!(data_dir.seeds(id).unwrap(), expected);
    }

    #[test]
    fn the_first_origin_of_a_seed_is_stored() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();
        let id = data_dir.create("default", "bfs", 0, 0).unwrap().id;
        let note = |iri: &str, origin: SeedOrigin| SeedNote::from_iri(iri, origin, None).unwrap();
        let subject = || SeedOrigin::Subject { file: "a.ttl".to_owned() };

        data_dir.add_seed_notes(id, &[]).unwrap();
        assert_eq!(data_dir.seed_notes(id).unwrap(), []);
        data_dir.add_seed_notes(id, &[note("http://a.example/#x", SeedOrigin::Text)]).unwrap();
        data_dir
            .add_seed_notes(id, &[note("http://a.example/#x", subject()), note("http://a.example/", subject())])
            .unwrap();

        let expected = [note("http://a.example/#x", SeedOrigin::Text), note("http://a.example/", subject())];
        assert_eq!(data_dir.seed_notes(id).unwrap(), expected);
    }

    #[test]
    fn a_crawl_without_a_record_does_not_exist() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();
        fs::create_dir(data_dir.crawl(1).into_path()).unwrap();

        assert_eq!(data_dir.list().unwrap(), []);
        assert_eq!(data_dir.create("default", "bfs", 0, 0).unwrap().id, 2);
    }

    #[test]
    fn a_directory_of_another_format_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let rejected = || DataDir::open(directory.path()).unwrap_err().to_string();
        // Version 1 had no file for its version.
        fs::create_dir_all(directory.path().join("crawls/1")).unwrap();
        assert!(rejected().contains("it has format 1, and this version reads format 3"));

        fs::write(directory.path().join(FORMAT_FILE), "2\n").unwrap();
        assert!(rejected().contains("it has format 2"));
        fs::write(directory.path().join(FORMAT_FILE), "3\n").unwrap();
        assert!(DataDir::open(directory.path()).is_ok());
    }

    #[test]
    fn a_directory_without_crawls_gets_the_format_of_this_version() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("service")).unwrap();

        DataDir::open(&directory.path().join("new")).unwrap();
        DataDir::open(directory.path()).unwrap();

        for path in ["format", "new/format"] {
            assert_eq!(fs::read_to_string(directory.path().join(path)).unwrap(), "3\n");
        }
    }

    #[test]
    fn an_invalid_name_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(directory.path()).unwrap();

        let error = data_dir.create("a\nb", "bfs", 0, 0).unwrap_err();

        assert!(error.to_string().ends_with("1 to 100 bytes without control characters are allowed"));
    }
}
