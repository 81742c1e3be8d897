//! Marks that users set on candidates: keep or drop.
//!
//! A mark belongs to an entity, not to a row of a ranking, so marks persist when a crawl is ranked
//! again, continued or refreshed. Marks are appended to `DIR/crawls/1/marks.jsonl`, one per line,
//! and are on disk when [`MarkFile::set`] returns. The last mark of an entity counts. A line left
//! incomplete by a power cut is ignored, and truncated by the next write. When most lines are
//! obsolete, the file is compacted.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use lodeward::atomic_file::{self, FileAccess};

/// Name of the file in the directory of a crawl.
pub const FILE_NAME: &str = "marks.jsonl";

/// Minimum number of lines for a compaction.
const MIN_COMPACT_LINES: usize = 10_000;

/// Maximum length of an entity's name in bytes.
const MAX_ENTITY_BYTES: usize = 8 << 10;

/// Kind of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// The entity is relevant.
    Keep,
    /// The entity is not relevant.
    Drop,
}

impl MarkKind {
    /// The name of the kind: `keep` or `drop`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Drop => "drop",
        }
    }
}

/// A mark of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkRecord {
    /// Kind of the mark.
    pub mark: MarkKind,
    /// Author and time of the mark.
    pub author: MarkAuthor,
}

/// Author and time of a mark, as far as known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkAuthor {
    /// Name of the user.
    pub user: Option<String>,
    /// Time in milliseconds since the Unix epoch.
    pub at_ms: Option<u64>,
}

/// Marks could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MarksError {
    /// A file operation failed.
    #[error("cannot access {path}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        source: io::Error,
    },
    /// A line is invalid.
    #[error("{path} is corrupted (line {line}: {what}); hint: fix or remove that line")]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Description of the defect.
        what: String,
    },
    /// A line has fields of another format version.
    #[error(
        "{path} was written by another version (line {line}: {what}); hint: rename the fields `was` to `previous` and \
         `who` to `by` in {path}"
    )]
    Version {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The unknown field.
        what: String,
    },
    /// The name of the entity to mark is invalid.
    #[error("`{0}` is not a valid name of an entity")]
    Entity(String),
}

/// A line of the mark file: one change of the mark of one entity.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkLine {
    entity: String,
    /// The mark that was set; `None` if the mark was removed.
    mark: Option<MarkKind>,
    /// The mark before this change, which an undo restores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<MarkKind>,
    /// Number of the batch. Lines written by one change belong to the same batch.
    #[serde(default)]
    batch: u64,
    /// Number of the batch that this batch undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undoes: Option<u64>,
    /// Name of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    /// Time in milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_ms: Option<u64>,
}

/// The marks of a crawl.
#[derive(Debug)]
pub struct MarkFile {
    path: PathBuf,
    current: BTreeMap<String, MarkRecord>,
    lines: Vec<MarkLine>,
    /// Size of the complete lines in bytes.
    bytes: u64,
}

impl MarkFile {
    /// Reads the marks of the crawl in this directory, if there are any.
    pub fn open(directory: &Path) -> Result<Self, MarksError> {
        let mut marks = Self { path: directory.join(FILE_NAME), current: BTreeMap::new(), lines: Vec::new(), bytes: 0 };
        marks.read()?;
        Ok(marks)
    }

    /// The mark of an entity.
    #[must_use]
    pub fn get(&self, entity: &str) -> Option<&MarkRecord> {
        self.current.get(entity)
    }

    /// All marks, by name of the entity.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &MarkRecord)> {
        self.current.iter().map(|(entity, marked)| (entity.as_str(), marked))
    }

    /// Number of marks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.current.len()
    }

    /// Whether there are no marks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.current.is_empty()
    }

    /// The marks as training data: entity, and whether it is relevant.
    #[must_use]
    pub fn relevance_labels(&self) -> Vec<(String, bool)> {
        self.iter().map(|(entity, marked)| (entity.to_owned(), marked.mark == MarkKind::Keep)).collect()
    }

    /// Marks entities, or removes their marks (`None`). Returns the number of changed marks. Other
    /// processes may write at the same time.
    pub fn set<'e>(
        &mut self,
        entities: impl IntoIterator<Item = &'e str>,
        mark: Option<MarkKind>,
        author: &MarkAuthor,
    ) -> Result<usize, MarksError> {
        let entities: BTreeSet<&str> = entities.into_iter().collect();
        let is_name = |entity: &&str| {
            !entity.is_empty() && entity.len() <= MAX_ENTITY_BYTES && !entity.chars().any(char::is_control)
        };
        if let Some(wrong) = entities.iter().find(|entity| !is_name(entity)) {
            return Err(MarksError::Entity(wrong.chars().take(100).collect()));
        }
        self.update(|marks| {
            let batch = marks.next_batch();
            let line = |entity: &str| {
                let previous = marks.get(entity).map(|marked| marked.mark);
                let line = MarkLine {
                    entity: entity.to_owned(),
                    mark,
                    previous,
                    batch,
                    undoes: None,
                    by: author.user.clone(),
                    at_ms: author.at_ms,
                };
                (previous != mark).then_some(line)
            };
            entities.into_iter().filter_map(line).collect()
        })
    }

    /// Undoes the last change that has not been undone. Returns the number of changed marks; 0 if
    /// there is nothing to undo.
    pub fn undo(&mut self, author: &MarkAuthor) -> Result<usize, MarksError> {
        self.update(|marks| {
            let undone: HashSet<u64> = marks.lines.iter().filter_map(|line| line.undoes).collect();
            let is_open = |line: &&MarkLine| line.batch > 0 && line.undoes.is_none() && !undone.contains(&line.batch);
            let Some(last) = marks.lines.iter().rev().find(is_open).map(|line| line.batch) else {
                return Vec::new();
            };
            let batch = marks.next_batch();
            let of_batch = marks.lines.iter().filter(|line| line.batch == last);
            let reverse = |line: &MarkLine| MarkLine {
                entity: line.entity.clone(),
                mark: line.previous,
                previous: line.mark,
                batch,
                undoes: Some(last),
                by: author.user.clone(),
                at_ms: author.at_ms,
            };
            of_batch.map(reverse).collect()
        })
    }

    fn next_batch(&self) -> u64 {
        self.lines.iter().map(|line| line.batch).max().unwrap_or(0) + 1
    }

    /// Changes the current marks under a file lock.
    fn update(&mut self, lines: impl FnOnce(&Self) -> Vec<MarkLine>) -> Result<usize, MarksError> {
        let path = self.path.clone();
        let failed = |source| MarksError::Io { path: path.clone(), source };
        // The lock is a separate file, because a compaction replaces the mark file.
        let lock = File::create(path.with_extension("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        self.read()?;
        let lines = lines(self);
        if lines.is_empty() {
            return Ok(0);
        }
        self.append(&lines).map_err(failed)?;
        let count = lines.len();
        for line in lines {
            self.apply(line);
        }
        if self.lines.len() >= MIN_COMPACT_LINES && self.lines.len() > 4 * self.current.len() {
            self.compact().map_err(failed)?;
        }
        Ok(count)
    }

    fn append(&mut self, lines: &[MarkLine]) -> io::Result<()> {
        let is_new = !self.path.exists();
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(&self.path)?;
        // Truncates a line left incomplete by a power cut.
        file.set_len(self.bytes)?;
        file.seek(SeekFrom::End(0))?;
        let bytes = encode(lines);
        file.write_all(&bytes)?;
        file.sync_all()?;
        if is_new {
            atomic_file::sync_dir(atomic_file::parent_dir(&self.path))?;
        }
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Rewrites the file with one line per entity. Earlier changes can no longer be undone.
    fn compact(&mut self) -> io::Result<()> {
        let line = |(entity, marked): (&String, &MarkRecord)| MarkLine {
            entity: entity.clone(),
            mark: Some(marked.mark),
            previous: None,
            batch: 0,
            undoes: None,
            by: marked.author.user.clone(),
            at_ms: marked.author.at_ms,
        };
        let lines: Vec<MarkLine> = self.current.iter().map(line).collect();
        let bytes = encode(&lines);
        atomic_file::replace(&self.path, FileAccess::Umask, &bytes)?;
        (self.lines, self.bytes) = (lines, bytes.len() as u64);
        Ok(())
    }

    fn read(&mut self) -> Result<(), MarksError> {
        let mut bytes = Vec::new();
        match File::open(&self.path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(MarksError::Io { path: self.path.clone(), source }),
        }
        bytes.truncate(memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1));
        (self.lines, self.bytes) = (Vec::new(), bytes.len() as u64);
        self.current.clear();
        for (number, text) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
            let line = serde_json::from_slice(text).map_err(|error| self.line_error(number, &error))?;
            self.apply(line);
        }
        Ok(())
    }

    /// An unknown field shows that another version wrote the line: version 2 of the format renamed `was` to
    /// `previous` and `who` to `by`.
    fn line_error(&self, line: usize, error: &serde_json::Error) -> MarksError {
        let (path, what) = (self.path.clone(), error.to_string());
        if what.starts_with("unknown field") {
            MarksError::Version { path, line, what }
        } else {
            MarksError::Damaged { path, line, what }
        }
    }

    fn apply(&mut self, line: MarkLine) {
        match line.mark {
            Some(mark) => {
                let author = MarkAuthor { user: line.by.clone(), at_ms: line.at_ms };
                self.current.insert(line.entity.clone(), MarkRecord { mark, author });
            }
            None => {
                self.current.remove(&line.entity);
            }
        }
        self.lines.push(line);
    }
}

fn encode(lines: &[MarkLine]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut bytes, line).expect("serialisation of a mark to memory does not fail");
        bytes.push(b'\n');
    }
    bytes
}

#[cfg(test)]
#[path = "marks_tests.rs"]
mod tests;
