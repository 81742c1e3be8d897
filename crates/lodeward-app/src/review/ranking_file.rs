//! Reads and writes the ranking of a crawl as a file.
//!
//! `DIR/crawls/1/ranking.jsonl` has one line about the ranking, then one line per listed candidate,
//! best first. It is written to a temporary file and renamed, so readers always see a complete
//! file, also while the crawl runs.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::json_file::json_time;
use crate::output_file::OutputFile;
use lodeward::select::facts::truncate_text;
use lodeward_focus::rank::{EntityGraph, EntityId, HopCount, Ranking, RankingPlan, RankingReason, SeedAnalysis};

/// Name of the file in the directory of a crawl.
pub const FILE_NAME: &str = "ranking.jsonl";

/// Version of the format; other versions are rejected. Version 2 renamed fields; version 3 lists
/// kept entities without score and hop, and has times as text.
const VERSION: u32 = 3;

/// Limits of the data per candidate, because the documents of crawled sites determine its size.
const MAX_NAME_BYTES: usize = 4 << 10;
const MAX_LABEL_BYTES: usize = 1 << 10;
const MAX_TYPES: usize = 100;
const MAX_REASONS: usize = 20;

/// Limits of the lists of seeds, one for known and one for unknown seeds.
const MAX_SEEDS: usize = 10_000;
const MAX_SEED_BYTES: usize = 4 << 20;

/// Maximum length of a line in bytes. No line within the limits above is longer, even if every byte
/// is escaped as six bytes.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// Header of a ranking: how it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankingHeader {
    /// Name of the ranker.
    pub ranker: String,
    /// Maximum number of links between a candidate and a seed.
    pub max_hops: HopCount,
    /// The value of `max_hops` in the ranking at the end of the crawl, if there was one. Later rankings
    /// use it, unless another number is requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawl_max_hops: Option<HopCount>,
    /// Why this ranker and this maximum distance were chosen.
    pub reason: String,
    /// Analysis of the seeds.
    pub seeds: SeedAnalysis,
    /// Number of known seeds that are not listed, because there are too many.
    #[serde(default)]
    pub unlisted_seeds: u64,
    /// Number of unknown seeds that are not listed, because there are too many.
    #[serde(default)]
    pub unlisted_missing_seeds: u64,
    /// Number of candidates ranked.
    pub candidates: u64,
    /// Number of listed entities: the best candidates, and all kept entities.
    pub listed: u64,
    /// Number of entities in the graph.
    pub entities: u64,
    /// Number of links between them.
    pub links: u64,
    /// Number of facts omitted because of the limits of `[ranking]`.
    pub facts_omitted: u64,
    /// Number of marks used.
    pub marks: u64,
    /// Time of the ranking, in milliseconds since the Unix epoch; in JSON a text (RFC 3339).
    #[serde(rename = "created_at", with = "json_time")]
    pub created_at_ms: u64,
}

/// A candidate of a ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankingRow {
    /// Rank, from 1. Kept entities that are not ranked follow all candidates.
    pub rank: u64,
    /// Its IRI.
    pub entity: String,
    /// Score. Scores of different rankers cannot be compared. `None` if the entity is listed only
    /// because it is kept.
    pub score: Option<f64>,
    /// Number of links to the nearest seed; `None` if the entity is not ranked.
    pub hop: Option<HopCount>,
    /// Label, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Whether a document about the entity was read.
    pub described: bool,
    /// Reasons for the score, strongest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<RankingReason>,
}

impl RankingRow {
    /// The row of a kept entity that is not ranked, and of which only the name is known.
    pub(super) fn unranked(rank: u64, entity: &str) -> Self {
        Self {
            rank,
            entity: entity.to_owned(),
            score: None,
            hop: None,
            label: None,
            types: Vec::new(),
            described: false,
            reasons: Vec::new(),
        }
    }
}

/// A ranking could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RankingFileError {
    /// The crawl has not been ranked.
    #[error("the crawl has not been ranked; hint: run `lodeward rank`")]
    Missing,
    /// The file is incomplete or not a ranking.
    #[error("{path} is corrupted ({what}); hint: run `lodeward rank` to create it again")]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Line and description of the defect.
        what: String,
    },
    /// The file has another format version.
    #[error("{path} has format version {version}, expected {VERSION}; hint: run `lodeward rank` to create it again")]
    Version {
        /// Path of the file.
        path: PathBuf,
        /// Version of the file.
        version: u32,
    },
    /// A file operation failed.
    #[error("cannot access {path}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        source: io::Error,
    },
}

/// The first line of the file.
#[derive(Serialize, Deserialize)]
struct RankingHeaderLine<H> {
    lodeward_ranking: u32,
    #[serde(flatten)]
    header: H,
}

/// The version field of the first line, which is the same in all versions of the format.
#[derive(Deserialize)]
struct RankingVersionLine {
    lodeward_ranking: u32,
}

/// Input of [`rank_candidates`] besides a [`RankingPlan`].
#[derive(Clone, Copy, Debug)]
pub struct RankingContext {
    /// Maximum number of listed candidates.
    pub max_listed: usize,
    /// Number of omitted facts.
    pub facts_omitted: u64,
    /// The depth of the ranking at the end of the crawl.
    pub crawl_max_hops: Option<HopCount>,
    /// Current time, in milliseconds since the Unix epoch.
    pub now_ms: u64,
}

/// Ranks the candidates of a plan, and lists the best and all kept entities of the graph.
#[must_use]
pub fn rank_candidates(plan: &RankingPlan<'_>, context: RankingContext) -> (RankingHeader, Vec<RankingRow>) {
    let graph = plan.query().graph;
    let ranking = plan.ranking();
    let best = plan.best_first(ranking.scores());
    let is_named = |index: &usize| graph.name(plan.candidates[*index]).len() <= MAX_NAME_BYTES;
    let kept: HashSet<EntityId> = plan.marks.iter().filter(|mark| mark.keep).map(|mark| mark.entity).collect();
    let listed = best.into_iter().filter(is_named).enumerate();
    let listed =
        listed.filter(|(number, index)| *number < context.max_listed || kept.contains(&plan.candidates[*index]));
    let mut rows: Vec<RankingRow> =
        listed.map(|(number, index)| build_row(plan, &*ranking, number as u64 + 1, index)).collect();
    rows.extend(kept_rows(plan, kept));
    let mut seeds = plan.analysis.clone();
    for note in &mut seeds.notes {
        note.truncate(note.floor_char_boundary(MAX_NAME_BYTES));
    }
    let header = RankingHeader {
        unlisted_seeds: truncate_seeds(&mut seeds.seeds, |seed| &seed.name),
        unlisted_missing_seeds: truncate_seeds(&mut seeds.missing, String::as_str),
        ranker: plan.choice.ranker.name().to_owned(),
        max_hops: plan.choice.max_hops,
        crawl_max_hops: context.crawl_max_hops,
        reason: plan.choice.reason.clone(),
        seeds,
        candidates: plan.candidates.len() as u64,
        listed: rows.len() as u64,
        entities: graph.len() as u64,
        links: graph.links_len() as u64,
        facts_omitted: context.facts_omitted,
        marks: plan.marks.len() as u64,
        created_at_ms: context.now_ms,
    };
    (header, rows)
}

/// Truncates a list of seeds to the limits. Returns the number removed.
fn truncate_seeds<T>(seeds: &mut Vec<T>, name: impl Fn(&T) -> &str) -> u64 {
    let mut bytes = 0;
    let fits = |seed: &&T| {
        bytes += name(seed).len();
        bytes <= MAX_SEED_BYTES
    };
    let listed = seeds.iter().take(MAX_SEEDS).take_while(fits).count();
    let unlisted = seeds.len() - listed;
    seeds.truncate(listed);
    unlisted as u64
}

/// The rows of kept entities that are in the graph, but too far from the seeds to be ranked.
fn kept_rows(plan: &RankingPlan<'_>, mut kept: HashSet<EntityId>) -> Vec<RankingRow> {
    let graph = plan.query().graph;
    for candidate in &plan.candidates {
        kept.remove(candidate);
    }
    let mut kept: Vec<EntityId> = kept.into_iter().filter(|id| graph.name(*id).len() <= MAX_NAME_BYTES).collect();
    kept.sort_unstable_by_key(|entity| graph.name(*entity));
    (plan.candidates.len() as u64 + 1..).zip(kept).map(|(rank, entity)| describe(graph, rank, entity)).collect()
}

/// The row of an entity with what the graph knows about it, without a score.
fn describe(graph: &EntityGraph<'_>, rank: u64, entity: EntityId) -> RankingRow {
    let types = graph.types(entity).iter().map(|class| graph.name(*class));
    let types = types.filter(|class| !class.starts_with("_:") && class.len() <= MAX_NAME_BYTES);
    RankingRow {
        label: graph.label(entity).map(|label| truncate_text(label, MAX_LABEL_BYTES).to_owned()),
        types: types.take(MAX_TYPES).map(str::to_owned).collect(),
        described: graph.is_described(entity),
        ..RankingRow::unranked(rank, graph.name(entity))
    }
}

fn build_row(plan: &RankingPlan<'_>, ranking: &dyn Ranking, rank: u64, index: usize) -> RankingRow {
    let reasons = ranking.explain(index).into_iter().take(MAX_REASONS);
    RankingRow {
        score: Some(ranking.scores()[index]),
        hop: Some(plan.hops[index]),
        reasons: reasons
            .map(|RankingReason { text, weight }| RankingReason {
                text: truncate_text(&text, MAX_LABEL_BYTES).to_owned(),
                weight,
            })
            .collect(),
        ..describe(plan.query().graph, rank, plan.candidates[index])
    }
}

/// Writes the result of [`rank_candidates`] to a file. Its directory is created if it is missing.
pub fn write(path: &Path, header: &RankingHeader, rows: &[RankingRow]) -> Result<(), RankingFileError> {
    let directory = path.parent().unwrap_or(path);
    let written = std::fs::create_dir_all(directory).and_then(|()| OutputFile::create(path)).and_then(|mut file| {
        write_lines(&mut file, header, rows)?;
        file.finish()
    });
    written.map_err(|source| RankingFileError::Io { path: path.to_owned(), source })
}

fn write_lines(file: &mut OutputFile, header: &RankingHeader, rows: &[RankingRow]) -> io::Result<()> {
    serde_json::to_writer(&mut *file, &RankingHeaderLine { lodeward_ranking: VERSION, header })?;
    for row in rows {
        file.write_all(b"\n")?;
        serde_json::to_writer(&mut *file, row)?;
    }
    file.write_all(b"\n")
}

/// A ranking file, read line by line.
pub struct RankingFile {
    /// Header of the ranking.
    pub header: RankingHeader,
    path: PathBuf,
    file: BufReader<File>,
    line: String,
    /// Position of the next line, in bytes.
    position: u64,
    read: u64,
    has_failed: bool,
}

impl RankingFile {
    /// Opens the ranking of the crawl in this directory.
    pub fn open(directory: &Path) -> Result<Self, RankingFileError> {
        Self::open_path(directory.join(FILE_NAME))
    }

    /// Opens a ranking.
    pub fn open_path(path: PathBuf) -> Result<Self, RankingFileError> {
        let mut file = match File::open(&path) {
            Ok(file) => BufReader::with_capacity(128 << 10, file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(RankingFileError::Missing),
            Err(source) => return Err(RankingFileError::Io { path, source }),
        };
        let mut line = String::new();
        read_line(&mut file, &path, &mut line, 0)?;
        let damaged = |error: serde_json::Error| damaged(&path, 0, &error.to_string());
        let RankingVersionLine { lodeward_ranking: version } = serde_json::from_str(&line).map_err(damaged)?;
        if version != VERSION {
            return Err(RankingFileError::Version { path, version });
        }
        let RankingHeaderLine { header, .. } = serde_json::from_str(&line).map_err(damaged)?;
        let position = line.len() as u64;
        Ok(Self { header, path, file, line, position, read: 0, has_failed: false })
    }

    /// Position of the next line in the file.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// The path of the file, and the open file.
    pub(super) fn into_file(self) -> (PathBuf, File) {
        (self.path, self.file.into_inner())
    }

    /// Parses a line that was read separately; `read` is the result of reading it.
    pub(super) fn parse_row(
        path: &Path,
        number: u64,
        read: io::Result<()>,
        line: &[u8],
    ) -> Result<RankingRow, RankingFileError> {
        read.map_err(|source| RankingFileError::Io { path: path.to_owned(), source })?;
        serde_json::from_slice(line).map_err(|error| damaged(path, number, &error.to_string()))
    }

    fn read_row(&mut self) -> Result<RankingRow, RankingFileError> {
        read_line(&mut self.file, &self.path, &mut self.line, self.read + 1)?;
        self.read += 1;
        self.position += self.line.len() as u64;
        serde_json::from_str(&self.line).map_err(|error| damaged(&self.path, self.read, &error.to_string()))
    }
}

/// Iterates over the rows, best first. Ends after an error.
impl Iterator for RankingFile {
    type Item = Result<RankingRow, RankingFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed || self.read >= self.header.listed {
            return None;
        }
        let row = self.read_row();
        self.has_failed = row.is_err();
        Some(row)
    }
}

/// Reads line `number`, from 0. It must be complete.
fn read_line(file: &mut BufReader<File>, path: &Path, line: &mut String, number: u64) -> Result<(), RankingFileError> {
    line.clear();
    match file.take(MAX_LINE_BYTES).read_line(line) {
        Ok(_) if line.ends_with('\n') => Ok(()),
        Ok(_) => Err(damaged(path, number, "unexpected end of file")),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(damaged(path, number, "invalid UTF-8")),
        Err(source) => Err(RankingFileError::Io { path: path.to_owned(), source }),
    }
}

fn damaged(path: &Path, number: u64, what: &str) -> RankingFileError {
    RankingFileError::Damaged { path: path.to_owned(), what: format!("line {}: {what}", number + 1) }
}

#[cfg(test)]
#[path = "ranking_file_tests.rs"]
mod tests;
