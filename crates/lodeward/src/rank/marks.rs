//! What users think of candidates: keep or drop.
//!
//! Marks are of entities, not of places in a ranking, so they survive ranking
//! again, going on with a crawl and refreshing it. They are appended to
//! `DIR/crawls/1/marks.jsonl`, a line for each, and are on disk when
//! [`Marks::set`] returns; the last one of an entity counts. A line that a power
//! cut left half written is passed over, and cut off by whoever writes next. When
//! most lines have been replaced by others, the file is written anew without them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::durable::{self, Readers};

/// The name of the file in the folder of a crawl.
pub const FILE_NAME: &str = "marks.jsonl";

/// A file of fewer lines is never written anew.
const COMPACT_LINES_MIN: usize = 10_000;

/// Longer names are nobody's.
const ENTITY_BYTES_MAX: usize = 8 << 10;

/// What a user thinks of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Opinion {
    /// It is relevant.
    Keep,
    /// It is not.
    Drop,
}

impl Opinion {
    /// `keep` or `drop`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Drop => "drop",
        }
    }
}

/// A mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// What is thought of the entity.
    pub opinion: Opinion,
    /// Who thinks so, and since when.
    pub by: By,
}

/// Who marks, and when; as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct By {
    /// Who.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// In milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<u64>,
}

/// Marks could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MarksError {
    /// The operating system said no.
    #[error("cannot use {path}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
    /// A line is none of ours.
    #[error("{path} is damaged (line {line}: {what}): mend or remove that line")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A name that cannot be one.
    #[error("`{0}` is no name of an entity")]
    Entity(String),
}

/// A line.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    entity: String,
    /// `None` if a mark was taken back.
    mark: Option<Opinion>,
    /// What it was before; what an undo brings back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    was: Option<Opinion>,
    /// Lines that were written together have the same number.
    #[serde(default)]
    batch: u64,
    /// The batch that this one takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undoes: Option<u64>,
    #[serde(flatten)]
    by: By,
}

/// The marks of a crawl.
#[derive(Debug)]
pub struct Marks {
    path: PathBuf,
    current: BTreeMap<String, Marked>,
    lines: Vec<Line>,
    /// Bytes of whole lines.
    bytes: u64,
}

impl Marks {
    /// Reads the marks of the crawl in this folder, if there are any.
    pub fn of_crawl(directory: &Path) -> Result<Self, MarksError> {
        let mut marks = Self { path: directory.join(FILE_NAME), current: BTreeMap::new(), lines: Vec::new(), bytes: 0 };
        marks.read()?;
        Ok(marks)
    }

    /// What is thought of an entity.
    #[must_use]
    pub fn of(&self, entity: &str) -> Option<&Marked> {
        self.current.get(entity)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Marked)> {
        self.current.iter().map(|(entity, marked)| (entity.as_str(), marked))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.current.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.current.is_empty()
    }

    /// As a ranker learns from them: who, and whether it is relevant.
    #[must_use]
    pub fn judgments(&self) -> Vec<(String, bool)> {
        self.iter().map(|(entity, marked)| (entity.to_owned(), marked.opinion == Opinion::Keep)).collect()
    }

    /// Marks entities, or takes their marks back (`None`). Tells how many are now
    /// marked otherwise than before. Others may write at the same time.
    pub fn set<'e>(
        &mut self,
        entities: impl IntoIterator<Item = &'e str>,
        opinion: Option<Opinion>,
        by: &By,
    ) -> Result<usize, MarksError> {
        let entities: BTreeSet<&str> = entities.into_iter().collect();
        let is_name = |entity: &&str| {
            !entity.is_empty() && entity.len() <= ENTITY_BYTES_MAX && !entity.chars().any(char::is_control)
        };
        if let Some(wrong) = entities.iter().find(|entity| !is_name(entity)) {
            return Err(MarksError::Entity(wrong.chars().take(100).collect()));
        }
        self.change(|marks| {
            let batch = marks.next_batch();
            let line = |entity: &str| {
                let was = marks.of(entity).map(|marked| marked.opinion);
                let line = Line { entity: entity.to_owned(), mark: opinion, was, batch, undoes: None, by: by.clone() };
                (was != opinion).then_some(line)
            };
            entities.into_iter().filter_map(line).collect()
        })
    }

    /// Takes back the last change that has not been taken back. Tells how many
    /// marks that changes; none if there is nothing to take back.
    pub fn undo(&mut self, by: &By) -> Result<usize, MarksError> {
        self.change(|marks| {
            let undone: HashSet<u64> = marks.lines.iter().filter_map(|line| line.undoes).collect();
            let is_open = |line: &&Line| line.batch > 0 && line.undoes.is_none() && !undone.contains(&line.batch);
            let Some(last) = marks.lines.iter().rev().find(is_open).map(|line| line.batch) else {
                return Vec::new();
            };
            let batch = marks.next_batch();
            let of_batch = marks.lines.iter().filter(|line| line.batch == last);
            let back = |line: &Line| Line {
                entity: line.entity.clone(),
                mark: line.was,
                was: line.mark,
                batch,
                undoes: Some(last),
                by: by.clone(),
            };
            of_batch.map(back).collect()
        })
    }

    fn next_batch(&self) -> u64 {
        self.lines.iter().map(|line| line.batch).max().unwrap_or(0) + 1
    }

    /// Makes a change of what is there by now, while nobody else writes.
    fn change(&mut self, lines: impl FnOnce(&Self) -> Vec<Line>) -> Result<usize, MarksError> {
        let path = self.path.clone();
        let failed = |source| MarksError::Io { path: path.clone(), source };
        // A file of its own, for the other one may be replaced.
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
            self.take(line);
        }
        if self.lines.len() >= COMPACT_LINES_MIN && self.lines.len() > 4 * self.current.len() {
            self.compact().map_err(failed)?;
        }
        Ok(count)
    }

    fn append(&mut self, lines: &[Line]) -> io::Result<()> {
        let is_new = !self.path.exists();
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(&self.path)?;
        // What a power cut left half written goes.
        file.set_len(self.bytes)?;
        file.seek(SeekFrom::End(0))?;
        let bytes = encoded(lines);
        file.write_all(&bytes)?;
        file.sync_all()?;
        if is_new {
            durable::sync_folder(durable::folder_of(&self.path))?;
        }
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Writes the file anew, with one line for each entity. What was before can
    /// no longer be taken back.
    fn compact(&mut self) -> io::Result<()> {
        let line = |(entity, marked): (&String, &Marked)| Line {
            entity: entity.clone(),
            mark: Some(marked.opinion),
            was: None,
            batch: 0,
            undoes: None,
            by: marked.by.clone(),
        };
        let lines: Vec<Line> = self.current.iter().map(line).collect();
        let bytes = encoded(&lines);
        durable::replace(&self.path, Readers::Anybody, &bytes)?;
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
            let damaged = |error: serde_json::Error| MarksError::Damaged {
                path: self.path.clone(),
                line: number,
                what: error.to_string(),
            };
            let line = serde_json::from_slice(text).map_err(damaged)?;
            self.take(line);
        }
        Ok(())
    }

    fn take(&mut self, line: Line) {
        match line.mark {
            Some(opinion) => {
                self.current.insert(line.entity.clone(), Marked { opinion, by: line.by.clone() });
            }
            None => {
                self.current.remove(&line.entity);
            }
        }
        self.lines.push(line);
    }
}

fn encoded(lines: &[Line]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        serde_json::to_writer(&mut bytes, line).expect("a mark is plain data");
        bytes.push(b'\n');
    }
    bytes
}

#[cfg(test)]
#[path = "marks_tests.rs"]
mod tests;
