//! Crawls as records: what is in a data directory.
//!
//! ```text
//! DIR/crawls/1/crawl.json    who this is
//! DIR/crawls/1/seeds.txt     every seed it was ever given
//! DIR/crawls/1/seeds.json    where seeds come from that were not given as URIs
//! DIR/crawls/1/status.json   how it is doing, as of a second ago
//! DIR/crawls/1/model         what its strategy has learned
//! DIR/crawls/1/state/        its frontier and index (fjall)
//! DIR/crawls/1/segments/     its harvest (N-Quads)
//! ```
//!
//! A crawl has a small number and a name. Files are replaced as a whole
//! ([`durable`]), so that whoever reads sees a whole one.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::durable::{self, FileError, Readers, json};
use crate::engine::{Ending, Snapshot};
use crate::model::Uri;
use crate::seed::Note;

/// The longest name of a crawl.
const NAME_BYTES_MAX: usize = 100;

/// The file that says who a crawl is.
const RECORD: &str = "crawl.json";

/// A data directory.
#[derive(Clone, Debug)]
pub struct Registry {
    directory: PathBuf,
}

/// Who a crawl is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its number in this data directory, from 1.
    pub id: u32,
    /// Its name, unique in this data directory.
    pub name: String,
    /// The strategy it was begun with.
    pub strategy: String,
    /// Where its chance comes from.
    pub seed: u64,
    /// Milliseconds since the Unix epoch.
    pub created_at_ms: u64,
}

/// How a crawl is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The process that runs it, or ran it last.
    pub process: u32,
    /// Milliseconds since the Unix epoch.
    pub updated_at_ms: u64,
    /// Why it stopped; `None` while it runs, or when its process was killed.
    pub ending: Option<Ending>,
    /// Its counts.
    pub snapshot: Snapshot,
}

/// What is in a data directory.
#[derive(Debug, Default)]
pub struct Found {
    /// Every crawl that can be read, by number.
    pub records: Vec<Record>,
    /// Those that cannot, by number.
    pub damaged: Vec<Damaged>,
}

/// A crawl whose record cannot be read.
#[derive(Debug)]
pub struct Damaged {
    /// Its number.
    pub id: u32,
    /// What is wrong.
    pub error: FileError,
}

impl Found {
    /// The numbers of all crawls, whether they can be read or not.
    #[must_use]
    pub fn ids(&self) -> Vec<u32> {
        let readable = self.records.iter().map(|record| record.id);
        readable.chain(self.damaged.iter().map(|damaged| damaged.id)).collect()
    }
}

/// A data directory could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// A file of it cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is no crawl of this name among those whose records can be read.
    #[error("there is no crawl `{name}` that can be read, and there is one that cannot")]
    Hidden {
        /// The name.
        name: String,
        /// What is wrong with the record of the first that cannot be read.
        #[source]
        source: FileError,
    },
    /// A name that cannot be one.
    #[error("`{0}` cannot be the name of a crawl: 1 to {NAME_BYTES_MAX} bytes, no control characters")]
    Name(String),
}

impl Registry {
    /// Opens a data directory, or begins one.
    pub fn open(directory: &Path) -> Result<Self, RegistryError> {
        let registry = Self { directory: directory.to_owned() };
        let crawls = registry.directory.join("crawls");
        fs::create_dir_all(&crawls).map_err(FileError::at(&crawls))?;
        Ok(registry)
    }

    /// Every crawl, by number. What is wrong with the record of one is no reason not
    /// to find others.
    pub fn look(&self) -> Result<Found, RegistryError> {
        let crawls = self.directory.join("crawls");
        let failed = FileError::at(&crawls);
        let mut found = Found::default();
        for entry in fs::read_dir(&crawls).map_err(&failed)? {
            let folder = entry.map_err(&failed)?;
            let id = folder.file_name().to_str().and_then(|name| name.parse().ok());
            match (json::read::<Record>(&folder.path().join(RECORD)), id) {
                // A crawl whose creation was cut short has no record, and is none.
                (Ok(record), _) => found.records.extend(record),
                (Err(error), Some(id)) => found.damaged.push(Damaged { id, error }),
                (Err(error), None) => return Err(error.into()),
            }
        }
        found.records.sort_by_key(|record| record.id);
        found.damaged.sort_by_key(|damaged| damaged.id);
        Ok(found)
    }

    /// Every crawl that can be read, by number.
    pub fn list(&self) -> Result<Vec<Record>, RegistryError> {
        Ok(self.look()?.records)
    }

    /// The crawl of this name. Where it is not found and there are others that cannot
    /// be read, it may be one of them, which is an error.
    pub fn find(&self, name: &str) -> Result<Option<Record>, RegistryError> {
        let Found { records, damaged } = self.look()?;
        match (records.into_iter().find(|record| record.name == name), damaged.into_iter().next()) {
            (None, Some(Damaged { error, .. })) => Err(RegistryError::Hidden { name: name.to_owned(), source: error }),
            (found, _) => Ok(found),
        }
    }

    /// Begins a crawl.
    pub fn create(&self, name: &str, strategy: &str, seed: u64, now_ms: u64) -> Result<Record, RegistryError> {
        let record = self.reserve(name, strategy, seed, now_ms)?;
        self.begin(&record)?;
        Ok(record)
    }

    /// Takes a number for a crawl, the next that is free, and a folder where things can
    /// be kept for it. It is none until it is begun.
    pub fn reserve(&self, name: &str, strategy: &str, seed: u64, now_ms: u64) -> Result<Record, RegistryError> {
        if name.is_empty() || name.len() > NAME_BYTES_MAX || name.chars().any(char::is_control) {
            return Err(RegistryError::Name(name.to_owned()));
        }
        let mut id = self.list()?.last().map_or(1, |last| last.id + 1);
        loop {
            let path = self.directory_of(id);
            match fs::create_dir(&path) {
                Ok(()) => break,
                Err(source) if source.kind() == io::ErrorKind::AlreadyExists => id += 1,
                Err(error) => return Err(FileError::at(&path)(error).into()),
            }
        }
        let (name, strategy) = (name.to_owned(), strategy.to_owned());
        Ok(Record { id, name, strategy, seed, created_at_ms: now_ms })
    }

    /// From here on there is such a crawl, with all that was kept for it.
    pub fn begin(&self, record: &Record) -> Result<(), RegistryError> {
        json::write(&self.directory_of(record.id).join(RECORD), record)?;
        // The folder's name, too, is safe from a power cut.
        let crawls = self.directory.join("crawls");
        Ok(durable::sync_folder(&crawls).map_err(FileError::at(&crawls))?)
    }

    /// Where a crawl keeps everything.
    #[must_use]
    pub fn directory_of(&self, id: u32) -> PathBuf {
        self.directory.join("crawls").join(id.to_string())
    }

    /// Every number that was ever given, whatever has become of the crawl.
    pub fn numbers(&self) -> Result<BTreeSet<u32>, RegistryError> {
        let crawls = self.directory.join("crawls");
        let number = |entry: fs::DirEntry| entry.file_name().to_str().and_then(|name| name.parse().ok());
        let entries = fs::read_dir(&crawls);
        let numbers = entries.and_then(|entries| entries.filter_map(|entry| entry.map(number).transpose()).collect());
        Ok(numbers.map_err(FileError::at(&crawls))?)
    }

    /// Every seed a crawl was ever given, in order.
    pub fn seeds(&self, id: u32) -> Result<Vec<Uri>, RegistryError> {
        let path = self.directory_of(id).join("seeds.txt");
        match fs::read_to_string(&path) {
            Ok(text) => Ok(text.lines().filter_map(|line| Uri::parse(line).ok()).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(FileError::at(&path)(error).into()),
        }
    }

    /// Remembers seeds with those a crawl already has. Returns all of them.
    pub fn add_seeds(&self, id: u32, seeds: &[Uri]) -> Result<Vec<Uri>, RegistryError> {
        let mut all = self.seeds(id)?;
        let known: HashSet<Uri> = all.iter().cloned().collect();
        all.extend(seeds.iter().filter(|seed| !known.contains(seed)).cloned());
        let mut text = String::new();
        for seed in &all {
            text.push_str(seed.as_str());
            text.push('\n');
        }
        let path = self.directory_of(id).join("seeds.txt");
        durable::replace(&path, Readers::Anybody, text.as_bytes()).map_err(FileError::at(&path))?;
        Ok(all)
    }

    /// Where seeds of a crawl come from, in order. Those that were given as URIs
    /// are not among them, unless they name an entity by a fragment.
    pub fn seed_notes(&self, id: u32) -> Result<Vec<Note>, RegistryError> {
        seed_notes(&self.directory_of(id))
    }

    /// Remembers where seeds come from, with what is already known of others.
    pub fn add_seed_notes(&self, id: u32, notes: &[Note]) -> Result<(), RegistryError> {
        if notes.is_empty() {
            return Ok(());
        }
        let mut all = self.seed_notes(id)?;
        let known: HashSet<String> = all.iter().map(|note| note.entity().to_owned()).collect();
        all.extend(notes.iter().filter(|note| !known.contains(note.entity())).cloned());
        Ok(json::write(&self.directory_of(id).join("seeds.json"), &all)?)
    }

    /// Something that is kept with a crawl under this file name, if there is such.
    pub fn kept<T: DeserializeOwned>(&self, id: u32, name: &str) -> Result<Option<T>, RegistryError> {
        Ok(json::read(&self.directory_of(id).join(name))?)
    }

    /// Keeps something with a crawl, so that it survives a power cut.
    pub fn keep(&self, id: u32, name: &str, value: &impl Serialize) -> Result<(), RegistryError> {
        Ok(json::write(&self.directory_of(id).join(name), value)?)
    }

    /// Forgets what is kept with a crawl under this file name, if there is such.
    pub fn forget(&self, id: u32, name: &str) -> Result<(), RegistryError> {
        let path = self.directory_of(id).join(name);
        Ok(durable::remove_if_there(&path).map_err(FileError::at(&path))?)
    }

    /// Removes a crawl: what it has gathered, then its record, then what else was
    /// kept with it, so that whoever was to remove it is remembered for as long as
    /// there is something to remove. Its folder stays: its number is never given
    /// again. When this returns, a power cut does not undo it.
    pub fn remove(&self, id: u32) -> Result<(), RegistryError> {
        self.remove_with(id, durable::sync_folder)
    }

    fn remove_with(&self, id: u32, sync: impl Fn(&Path) -> io::Result<()>) -> Result<(), RegistryError> {
        let directory = self.directory_of(id);
        let failed = FileError::at(&directory);
        let entries: io::Result<Vec<PathBuf>> =
            fs::read_dir(&directory).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
        let (kept, gathered): (Vec<_>, Vec<_>) = entries
            .map_err(&failed)?
            .into_iter()
            .partition(|path| path.extension().is_some_and(|extension| extension == "json"));
        let (record, kept): (Vec<_>, Vec<_>) = kept.into_iter().partition(|path| path.ends_with(RECORD));
        // Synced in between: a power cut may else take the order to remove it and leave
        // the record, and the crawl is there again; or take the record and leave what it
        // has gathered, of which nobody knows then.
        for step in [gathered, record, kept] {
            for path in step {
                let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                match removed {
                    // What is gone by itself is gone.
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error).into()),
                    _ => {}
                }
            }
            sync(&directory).map_err(&failed)?;
        }
        Ok(())
    }

    /// How a crawl is doing, if it ever ran.
    pub fn status(&self, id: u32) -> Result<Option<Status>, RegistryError> {
        Ok(json::read(&self.directory_of(id).join("status.json"))?)
    }

    /// Says how a crawl is doing.
    pub fn set_status(&self, id: u32, status: &Status) -> Result<(), RegistryError> {
        let bytes = serde_json::to_vec_pretty(status).expect("a status is plain data");
        let path = self.directory_of(id).join("status.json");
        // It is told again in a second: no need to wait for the disk.
        Ok(durable::replace_for_now(&path, &bytes).map_err(FileError::at(&path))?)
    }
}

/// Where the seeds of the crawl in this folder come from.
pub fn seed_notes(directory: &Path) -> Result<Vec<Note>, RegistryError> {
    Ok(json::read(&directory.join("seeds.json"))?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::seed::Origin;

    #[test]
    fn the_number_of_a_crawl_that_was_removed_is_not_given_again() {
        let directory = tempfile::tempdir().unwrap();
        let registry = Registry::open(directory.path()).unwrap();
        let record = registry.create("default", "bfs", 7, 1).unwrap();
        registry.keep(record.id, "order.json", &"run").unwrap();
        registry.keep(record.id, "other.json", &1).unwrap();
        registry.forget(record.id, "other.json").unwrap();
        registry.forget(record.id, "other.json").unwrap();
        assert_eq!(registry.kept::<u32>(record.id, "other.json").unwrap(), None);
        fs::create_dir(registry.directory_of(record.id).join("segments")).unwrap();

        registry.remove(record.id).unwrap();

        assert_eq!(registry.list().unwrap(), []);
        assert_eq!(fs::read_dir(registry.directory_of(record.id)).unwrap().count(), 0);
        assert_eq!(registry.create("default", "bfs", 7, 1).unwrap().id, 2);
        assert_eq!(registry.numbers().unwrap(), [1, 2].into());
    }

    #[test]
    fn what_says_that_a_crawl_is_to_go_outlives_its_record_in_a_power_cut() {
        let directory = tempfile::tempdir().unwrap();
        let registry = Registry::open(directory.path()).unwrap();
        let id = registry.create("default", "bfs", 7, 1).unwrap().id;
        registry.keep(id, "order.json", &"delete").unwrap();
        fs::create_dir(registry.directory_of(id).join("segments")).unwrap();
        let synced = RefCell::new(Vec::new());
        let left = |folder: &Path| -> BTreeSet<_> {
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };

        registry
            .remove_with(id, |folder| {
                assert_eq!(folder, registry.directory_of(id));
                synced.borrow_mut().push(left(folder));
                Ok(())
            })
            .unwrap();

        let expected = [&["crawl.json", "order.json"][..], &["order.json"], &[]];
        assert_eq!(synced.into_inner(), expected.map(|names| names.iter().map(|&name| name.to_owned()).collect()));
    }

    #[test]
    fn a_crawl_is_there_with_all_that_is_kept_for_it_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let registry = Registry::open(directory.path()).unwrap();

        let record = registry.reserve("default", "bfs", 7, 1).unwrap();
        registry.keep(record.id, "order.json", &"run").unwrap();
        assert_eq!(registry.list().unwrap(), []);
        assert_eq!(registry.reserve("other", "bfs", 7, 1).unwrap().id, 2);

        registry.begin(&record).unwrap();
        assert_eq!(registry.list().unwrap(), [record]);
    }

    #[test]
    fn crawls_are_numbered_and_found_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let registry = Registry::open(directory.path()).unwrap();

        let first = registry.create("default", "bfs", 7, 1).unwrap();
        let second = registry.create("buildings", "bfs", 8, 2).unwrap();

        assert_eq!((first.id, second.id), (1, 2));
        assert_eq!(registry.find("buildings").unwrap(), Some(second));
        assert_eq!(registry.find("nobody").unwrap(), None);
        assert_eq!(Registry::open(directory.path()).unwrap().list().unwrap().len(), 2);
    }

    #[test]
    fn a_record_that_is_damaged_hides_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let registry = Registry::open(directory.path()).unwrap();
        let first = registry.create("default", "bfs", 7, 1).unwrap();
        let second = registry.create("buildings", "bfs", 8, 2).unwrap();
        fs::write(registry.directory_of(first.id).join(RECORD), "").unwrap();

        let found = registry.look().unwrap();

        assert_eq!((found.records.as_slice(), found.ids()), (&[second.clone()][..], vec![2, 1]));
        assert!(found.damaged[0].error.to_string().ends_with("crawls/1/crawl.json"));
        assert_eq!(registry.find("buildings").unwrap(), Some(second));
        assert!(matches!(registry.find("default"), Err(RegistryError::Hidden { .. })), "it may be the damaged one");
        assert_eq!(registry.create("other", "bfs", 0, 0).unwrap().id, 3);
    }

    #[test]
    fn seeds_are_remembered_once() {
        let directory = tempfile::tempdir().unwrap();
        let registry = Registry::open(directory.path()).unwrap();
        let id = registry.create("default", "bfs", 0, 0).unwrap().id;
        let uri = |text: &str| Uri::parse(text).unwrap();

        registry.add_seeds(id, &[uri("http://a.example/"), uri("http://b.example/")]).unwrap();
        registry.add_seeds(id, &[uri("http://b.example/"), uri("http://c.example/")]).unwrap();

        let expected = ["http://a.example/", "http://b.example/", "http://c.example/"].map(uri);
        assert_eq!(registry.seeds(id).unwrap(), expected);
    }

    #[test]
    fn where_seeds_come_from_is_remembered_and_the_first_word_on_it_counts() {
        let directory = tempfile::tempdir().unwrap();
        let registry = Registry::open(directory.path()).unwrap();
        let id = registry.create("default", "bfs", 0, 0).unwrap().id;
        let note = |iri: &str, origin: Origin| Note::of_iri(iri, origin, None).unwrap();
        let subject = || Origin::Subject { file: "a.ttl".to_owned() };

        registry.add_seed_notes(id, &[]).unwrap();
        assert_eq!(registry.seed_notes(id).unwrap(), []);
        registry.add_seed_notes(id, &[note("http://a.example/#x", Origin::Text)]).unwrap();
        registry
            .add_seed_notes(id, &[note("http://a.example/#x", subject()), note("http://a.example/", subject())])
            .unwrap();

        let expected = [note("http://a.example/#x", Origin::Text), note("http://a.example/", subject())];
        assert_eq!(registry.seed_notes(id).unwrap(), expected);
    }

    #[test]
    fn a_crawl_whose_creation_was_cut_short_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let registry = Registry::open(directory.path()).unwrap();
        fs::create_dir(registry.directory_of(1)).unwrap();

        assert_eq!(registry.list().unwrap(), []);
        assert_eq!(registry.create("default", "bfs", 0, 0).unwrap().id, 2);
    }

    #[test]
    fn a_name_must_be_one() {
        let directory = tempfile::tempdir().unwrap();
        let registry = Registry::open(directory.path()).unwrap();

        let error = registry.create("a\nb", "bfs", 0, 0).unwrap_err();

        assert!(error.to_string().ends_with("cannot be the name of a crawl: 1 to 100 bytes, no control characters"));
    }
}
