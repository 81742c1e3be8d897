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
//! A crawl has a small number and a name. Files are replaced atomically ([`crate::atomic_file`]), so
//! that a reader never sees a part of a file.

mod crawl_files;
/// Rejects an invalid name of a crawl.
pub fn check_name(name: &str) -> Result<(), DataDirError> {
    if name.is_empty() || name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
        return Err(DataDirError::Name(name.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::Table;

use crate::atomic_file::{self, FileAccess};
use crate::json_file;
use crate::json_file::FileError;

use crawl_files::RECORD_FILE;
pub(crate) use crawl_files::STATE_DIR;
pub use crawl_files::{CrawlDir, CrawlRecord, CrawlStatus};

/// The maximum length of the name of a crawl, in bytes.
const MAX_NAME_BYTES: usize = 100;

/// The name of the file that contains the version of the layout.
const FORMAT_FILE: &str = "format";

/// The version of the layout. Version 1 had no [`FORMAT_FILE`], version 2 no `settings.json`.
const FORMAT_VERSION: u32 = 3;

/// The file with the password of the first admin of a service, until the password is changed. It is
/// the only secret in plain text below a data directory, so backups omit it.
pub const FIRST_PASSWORD_FILE: &str = "service/admin-password.txt";

/// A directory with the records and files of crawls.
#[derive(Clone, Debug)]
pub struct DataDir {
    directory: PathBuf,
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
    /// A crawl that was opened has no file of seeds.
    #[error("the seeds of the crawl are missing: {} does not exist", .0.display())]
    MissingSeeds(PathBuf),
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
        check_name(name)?;
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
}
