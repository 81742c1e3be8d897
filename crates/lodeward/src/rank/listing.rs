//! The ranking of a crawl, as a file.
//!
//! `DIR/crawls/1/ranking.jsonl` has a line that tells how the ranking came about,
//! and then a line for each candidate that is listed, the best first. It is
//! written beside its place and renamed into it: whoever reads sees a whole one,
//! and it can be read while the crawl runs.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::answer::Answer;
use super::facts::beginning;
use super::hops::Hop;
use super::seeds::SeedAnalysis;
use super::{Ranking, Reason};
use crate::store::output::OutputFile;

/// The name of the file in the folder of a crawl.
pub const FILE_NAME: &str = "ranking.jsonl";

/// The version of the format; another one is not read.
const VERSION: u32 = 1;

/// What is told of a candidate is bounded, whatever documents say of it.
const NAME_BYTES_MAX: usize = 4 << 10;
const LABEL_BYTES_MAX: usize = 1 << 10;
const TYPES_MAX: usize = 100;
const REASONS_MAX: usize = 20;

/// What is told of seeds is bounded as well: those that are known, and those that
/// are not.
const SEEDS_MAX: usize = 10_000;
const SEED_BYTES_MAX: usize = 4 << 20;

/// So no line that we write is longer, even if every byte takes six to be written.
const LINE_BYTES_MAX: u64 = 64 << 20;

/// How a ranking came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heading {
    /// The ranker that was used.
    pub ranker: String,
    /// Candidates are at most this many links from a seed.
    pub depth: Hop,
    /// Why that ranker and that depth, in words.
    pub reason: String,
    /// What the seeds are like.
    pub seeds: SeedAnalysis,
    /// Known seeds that are not listed here, because they are too many.
    #[serde(default)]
    pub seeds_unlisted: u64,
    /// Unknown seeds that are not listed here, because they are too many.
    #[serde(default)]
    pub missing_unlisted: u64,
    /// How many candidates were ranked.
    pub candidates: u64,
    /// How many of them are listed: the best ones.
    pub listed: u64,
    /// How many entities were known.
    pub entities: u64,
    /// How many links between them.
    pub links: u64,
    /// Facts that did not fit into the bounds of `[focus]`.
    pub left_out: u64,
    /// Marks of the user that were known.
    pub marks: u64,
    /// When it was made, in milliseconds since the Unix epoch.
    pub made_at_ms: u64,
}

/// A candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its place, from 1.
    pub rank: u64,
    /// Its IRI.
    pub entity: String,
    /// Its score. Those of two rankers cannot be compared.
    pub score: f64,
    /// Links from the nearest seed.
    pub hop: Hop,
    /// What it is called, if anybody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Whether a document about it was read.
    pub described: bool,
    /// What spoke for it, strongest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<Reason>,
}

/// A ranking could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListingError {
    /// Nobody has made one yet.
    #[error("there is no ranking yet: `lodeward rank` makes one")]
    Missing,
    /// Not a file that we wrote, or only a part of one.
    #[error("{path} is damaged ({what}): `lodeward rank` makes it anew")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where, and what is wrong.
        what: String,
    },
    /// Another version wrote it.
    #[error("{path} was written by another version ({version}): `lodeward rank` makes it anew")]
    Version {
        /// Which file.
        path: PathBuf,
        /// Which version.
        version: u32,
    },
    /// The operating system said no.
    #[error("cannot use {path}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct FirstLine<H> {
    lodeward_ranking: u32,
    #[serde(flatten)]
    heading: H,
}

/// Only the version, which is understood whatever else is there.
#[derive(Deserialize)]
struct VersionOnly {
    lodeward_ranking: u32,
}

/// What is known besides an [`Answer`].
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// How many candidates are listed at most.
    pub listed_max: usize,
    /// Facts that did not fit.
    pub left_out: u64,
    /// What time it is, in milliseconds since the Unix epoch.
    pub now_ms: u64,
}

/// Ranks the candidates of an answer, and lists the best.
#[must_use]
pub fn list(answer: &Answer<'_>, circumstances: Circumstances) -> (Heading, Vec<Row>) {
    let graph = answer.question().graph;
    let ranking = answer.ranking();
    let best = answer.best_first(ranking.scores());
    let is_named = |place: &usize| graph.name(answer.candidates[*place]).len() <= NAME_BYTES_MAX;
    let listed = best.into_iter().filter(is_named).take(circumstances.listed_max);
    let rows: Vec<Row> = (1..).zip(listed).map(|(rank, place)| row(answer, &*ranking, rank, place)).collect();
    let mut seeds = answer.analysis.clone();
    for note in &mut seeds.notes {
        note.truncate(note.floor_char_boundary(NAME_BYTES_MAX));
    }
    let heading = Heading {
        seeds_unlisted: cut(&mut seeds.seeds, |seed| &seed.name),
        missing_unlisted: cut(&mut seeds.missing, String::as_str),
        ranker: answer.choice.ranker.name().to_owned(),
        depth: answer.choice.depth,
        reason: answer.choice.reason.clone(),
        seeds,
        candidates: answer.candidates.len() as u64,
        listed: rows.len() as u64,
        entities: graph.len() as u64,
        links: graph.links_len() as u64,
        left_out: circumstances.left_out,
        marks: answer.marks.len() as u64,
        made_at_ms: circumstances.now_ms,
    };
    (heading, rows)
}

/// Leaves as many seeds as may be listed, and tells how many are gone.
fn cut<T>(seeds: &mut Vec<T>, name: impl Fn(&T) -> &str) -> u64 {
    let mut bytes = 0;
    let fits = |seed: &&T| {
        bytes += name(seed).len();
        bytes <= SEED_BYTES_MAX
    };
    let listed = seeds.iter().take(SEEDS_MAX).take_while(fits).count();
    let unlisted = seeds.len() - listed;
    seeds.truncate(listed);
    unlisted as u64
}

fn row(answer: &Answer<'_>, ranking: &dyn Ranking, rank: u64, place: usize) -> Row {
    let graph = answer.question().graph;
    let entity = answer.candidates[place];
    let types = graph.types(entity).iter().map(|class| graph.name(*class));
    let types = types.filter(|class| !class.starts_with("_:") && class.len() <= NAME_BYTES_MAX);
    let why = ranking.explain(place).into_iter().take(REASONS_MAX);
    Row {
        rank,
        entity: graph.name(entity).to_owned(),
        score: ranking.scores()[place],
        hop: answer.hops[place],
        label: graph.label(entity).map(|label| beginning(label, LABEL_BYTES_MAX).to_owned()),
        types: types.take(TYPES_MAX).map(str::to_owned).collect(),
        described: graph.is_described(entity),
        why: why
            .map(|Reason { words, weight }| Reason { words: beginning(&words, LABEL_BYTES_MAX).to_owned(), weight })
            .collect(),
    }
}

/// Writes the ranking of the crawl in this folder: what [`list`] has made.
pub fn write(directory: &Path, heading: &Heading, rows: &[Row]) -> Result<(), ListingError> {
    let path = directory.join(FILE_NAME);
    let written = OutputFile::create(&path).and_then(|mut file| {
        write_lines(&mut file, heading, rows)?;
        file.finish()
    });
    written.map_err(|source| ListingError::Io { path, source })
}

fn write_lines(file: &mut OutputFile, heading: &Heading, rows: &[Row]) -> io::Result<()> {
    serde_json::to_writer(&mut *file, &FirstLine { lodeward_ranking: VERSION, heading })?;
    for row in rows {
        file.write_all(b"\n")?;
        serde_json::to_writer(&mut *file, row)?;
    }
    file.write_all(b"\n")
}

/// A ranking, read line by line.
pub struct Listing {
    /// How it came about.
    pub heading: Heading,
    path: PathBuf,
    file: BufReader<File>,
    line: String,
    read: u64,
    has_failed: bool,
}

impl Listing {
    /// Opens the ranking of the crawl in this folder.
    pub fn open(directory: &Path) -> Result<Self, ListingError> {
        let path = directory.join(FILE_NAME);
        let mut file = match File::open(&path) {
            Ok(file) => BufReader::with_capacity(128 << 10, file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(ListingError::Missing),
            Err(source) => return Err(ListingError::Io { path, source }),
        };
        let mut line = String::new();
        read_line(&mut file, &path, &mut line, 0)?;
        let damaged = |error: serde_json::Error| damaged(&path, 0, &error.to_string());
        let VersionOnly { lodeward_ranking: version } = serde_json::from_str(&line).map_err(damaged)?;
        if version != VERSION {
            return Err(ListingError::Version { path, version });
        }
        let FirstLine { heading, .. } = serde_json::from_str(&line).map_err(damaged)?;
        Ok(Self { heading, path, file, line, read: 0, has_failed: false })
    }

    fn read_row(&mut self) -> Result<Row, ListingError> {
        read_line(&mut self.file, &self.path, &mut self.line, self.read + 1)?;
        self.read += 1;
        serde_json::from_str(&self.line).map_err(|error| damaged(&self.path, self.read, &error.to_string()))
    }
}

/// Rows, the best first. After an error there are none.
impl Iterator for Listing {
    type Item = Result<Row, ListingError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed || self.read >= self.heading.listed {
            return None;
        }
        let row = self.read_row();
        self.has_failed = row.is_err();
        Some(row)
    }
}

/// Reads the line of this number, from 0, which must be whole.
fn read_line(file: &mut BufReader<File>, path: &Path, line: &mut String, number: u64) -> Result<(), ListingError> {
    line.clear();
    match file.take(LINE_BYTES_MAX).read_line(line) {
        Ok(_) if line.ends_with('\n') => Ok(()),
        Ok(_) => Err(damaged(path, number, "it ends too early")),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(damaged(path, number, "it is no text")),
        Err(source) => Err(ListingError::Io { path: path.to_owned(), source }),
    }
}

fn damaged(path: &Path, number: u64, what: &str) -> ListingError {
    ListingError::Damaged { path: path.to_owned(), what: format!("line {}: {what}", number + 1) }
}

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;
