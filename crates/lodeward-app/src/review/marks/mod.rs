//! Marks that users set on candidates: keep or drop.
//!
//! A mark belongs to an entity, not to a row of a ranking, so marks persist when a crawl is ranked
//! again, continued or refreshed. Marks are appended to `DIR/crawls/1/marks.jsonl`, one per line,
//! and are on disk when [`MarkFile::set`] returns. The last mark of an entity counts. A line left
//! incomplete by a power cut is ignored, and truncated by the next write. When most lines are
//! obsolete, the file is compacted.
//!
//! Each change has a user. An undo reverts the last change of one user, and never a change of another.

mod line;
mod state;

pub use line::{MarkAuthor, MarkBatch, MarkChange, MarkKind, MarkRecord};
pub use state::UndoSummary;

use line::MarkLine;
use state::MarkState;

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::atomic_file::{self, FileAccess};

/// Name of the file in the directory of a crawl.
pub const FILE_NAME: &str = "marks.jsonl";

/// Minimum number of lines for a compaction.
const MIN_COMPACT_LINES: usize = 10_000;

/// Maximum length of an entity's name in bytes.
const MAX_ENTITY_BYTES: usize = 8 << 10;

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

/// The marks of a crawl.
#[derive(Debug)]
pub struct MarkFile {
    path: PathBuf,
    state: MarkState,
    /// Size of the complete lines in bytes.
    bytes: u64,
}

impl MarkFile {
    /// Reads the marks of the crawl in this directory, if there are any.
    pub fn open(directory: &Path) -> Result<Self, MarksError> {
        let mut marks = Self { path: directory.join(FILE_NAME), state: MarkState::default(), bytes: 0 };
        marks.read()?;
        Ok(marks)
    }

    /// The mark of an entity.
    #[must_use]
    pub fn get(&self, entity: &str) -> Option<&MarkRecord> {
        self.state.get(entity)
    }

    /// All marks, by name of the entity.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &MarkRecord)> {
        self.state.iter()
    }

    /// All changes of marks, the last one first. A compaction leaves the last change of each entity.
    pub fn history(&self) -> impl ExactSizeIterator<Item = MarkChange> {
        self.state.lines().iter().rev().map(MarkLine::to_change)
    }

    /// Number of marks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there are no marks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The marks as training data: entity, and whether it is relevant.
    #[must_use]
    pub fn relevance_labels(&self) -> Vec<(String, bool)> {
        self.iter().map(|(entity, marked)| (entity.to_owned(), marked.mark == MarkKind::Keep)).collect()
    }

    /// The entities that are kept.
    pub fn kept(&self) -> impl Iterator<Item = &str> {
        self.iter().filter(|(_, marked)| marked.mark == MarkKind::Keep).map(|(entity, _)| entity)
    }

    /// The changes of marks by request, the last one first. A compaction removes them.
    #[must_use]
    pub fn batches(&self) -> Vec<MarkBatch> {
        self.state.batches()
    }

    /// Marks entities, or removes their marks (`None`). Returns the number of changed marks. Other
    /// processes may write at the same time.
    pub fn set<'e>(
        &mut self,
        entities: impl IntoIterator<Item = &'e str>,
        mark: Option<MarkKind>,
        author: &MarkAuthor,
    ) -> Result<usize, MarksError> {
        self.set_selected(entities, mark, author, None)
    }

    /// Like [`set`](Self::set); the history has the filter that selected the entities.
    pub fn set_selected<'e>(
        &mut self,
        entities: impl IntoIterator<Item = &'e str>,
        mark: Option<MarkKind>,
        author: &MarkAuthor,
        filter: Option<&str>,
    ) -> Result<usize, MarksError> {
        let entities: BTreeSet<&str> = entities.into_iter().collect();
        let is_name = |entity: &&str| {
            !entity.is_empty() && entity.len() <= MAX_ENTITY_BYTES && !entity.chars().any(char::is_control)
        };
        if let Some(wrong) = entities.iter().find(|entity| !is_name(entity)) {
            return Err(MarksError::Entity(wrong.chars().take(100).collect()));
        }
        let (changed, ()) = self.update(|state| {
            let batch = state.next_batch();
            let line = |entity: &str| {
                let previous = state.get(entity).map(|marked| marked.mark);
                let line = MarkLine {
                    entity: entity.to_owned(),
                    mark,
                    previous,
                    batch,
                    undoes: None,
                    filter: None,
                    by: author.user.clone(),
                    at_ms: author.at_ms,
                };
                (previous != mark).then_some(line)
            };
            let mut lines: Vec<MarkLine> = entities.into_iter().filter_map(line).collect();
            if let Some(first) = lines.first_mut() {
                first.filter = filter.map(str::to_owned);
            }
            (lines, ())
        })?;
        Ok(changed)
    }

    /// Undoes the last change of this user that has not been undone. Marks that another user has
    /// changed since stay.
    pub fn undo(&mut self, author: &MarkAuthor) -> Result<UndoSummary, MarksError> {
        let (changed, superseded) = self.update(|state| state.undo_lines(author))?;
        Ok(UndoSummary { changed, superseded })
    }

    /// Undoes a change, whatever user made it. Marks that were changed since stay.
    pub fn undo_batch(&mut self, batch: u64, author: &MarkAuthor) -> Result<UndoSummary, MarksError> {
        let (changed, superseded) = self.update(|state| state.undo_batch_lines(batch, author))?;
        Ok(UndoSummary { changed, superseded })
    }

    /// What an undo would do: of this change, or of the last change of the user.
    #[must_use]
    pub fn undo_preview(&self, batch: Option<u64>, author: &MarkAuthor) -> UndoSummary {
        let (lines, superseded) = match batch {
            Some(batch) => self.state.undo_batch_lines(batch, author),
            None => self.state.undo_lines(author),
        };
        UndoSummary { changed: lines.len(), superseded }
    }

    /// Changes the current marks under a file lock.
    fn update<T>(&mut self, change: impl FnOnce(&MarkState) -> (Vec<MarkLine>, T)) -> Result<(usize, T), MarksError> {
        let path = self.path.clone();
        let failed = |source| MarksError::Io { path: path.clone(), source };
        // The lock is a separate file, because a compaction replaces the mark file.
        let lock = File::create(path.with_extension("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        self.read()?;
        let (lines, other) = change(&self.state);
        if lines.is_empty() {
            return Ok((0, other));
        }
        self.append(&lines).map_err(failed)?;
        let count = lines.len();
        for line in lines {
            self.state.apply(line);
        }
        let lines = self.state.lines().len();
        if lines >= MIN_COMPACT_LINES && lines > 4 * self.len() {
            self.compact().map_err(failed)?;
        }
        Ok((count, other))
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
        let lines = self.state.compacted();
        let bytes = encode(&lines);
        atomic_file::replace(&self.path, FileAccess::Umask, &bytes)?;
        (self.state, self.bytes) = (MarkState::default(), bytes.len() as u64);
        for line in lines {
            self.state.apply(line);
        }
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
        (self.state, self.bytes) = (MarkState::default(), bytes.len() as u64);
        for (number, text) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
            let line = serde_json::from_slice(text).map_err(|error| self.line_error(number, &error))?;
            self.state.apply(line);
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
mod tests;
