//! Proposed links between entities: `owl:sameAs` and, on request, `skos:related`.
//!
//! [`find`] compares the entities of the archive and stores the proposals in the data directory. They
//! are reviewed like candidates: kept or dropped, with undo and history. Kept links are exported as a
//! graph, to a file or to the archive. A mark belongs to a link, not to a proposal: it stays when
//! links are found again.

mod export;
mod find;

pub use self::export::{LinkGraph, export_to_archive, kept_links};
pub use self::find::{LinkJob, MAX_LINK_ENTITIES, find};

use std::path::{Path, PathBuf};

use foldhash::HashSet;
use oxrdf::NamedNodeRef;
use serde::{Deserialize, Serialize};

use super::{EntitySearchError, result_file};
use crate::json_file::json_time;
use crate::review::marks::{MarkAuthor, MarkRecord, UndoSummary};
use crate::review::{MarkFile, MarkFilter, MarkKind, MarksError};

/// The directory in the data directory, with the proposals and the marks.
const DIRECTORY: &str = "links";
const FILE_NAME: &str = "proposals.jsonl";

/// Version of the file of proposals.
const VERSION: u32 = 1;

/// The predicate of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ProposedPredicate {
    /// Both are the same entity.
    #[default]
    #[serde(rename = "owl:sameAs")]
    SameAs,
    /// Both are similar.
    #[serde(rename = "skos:related")]
    Related,
}

impl ProposedPredicate {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::SameAs, Self::Related];

    /// Name with its usual prefix.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SameAs => "owl:sameAs",
            Self::Related => "skos:related",
        }
    }

    /// IRI of the predicate.
    #[must_use]
    pub fn predicate(self) -> NamedNodeRef<'static> {
        NamedNodeRef::new_unchecked(match self {
            Self::SameAs => "http://www.w3.org/2002/07/owl#sameAs",
            Self::Related => "http://www.w3.org/2004/02/skos/core#related",
        })
    }
}

/// A proposed link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkProposalRecord {
    /// IRI of the subject: of the two entities, the one with fewer links.
    pub source: String,
    /// Its label, or the name in its IRI.
    pub source_label: String,
    /// The predicate.
    pub predicate: ProposedPredicate,
    /// IRI of the object.
    pub target: String,
    /// Its label, or the name in its IRI.
    pub target_label: String,
    /// Logarithm of the odds that both are the same; of `skos:related`, the cosine.
    pub score: f64,
    /// The evidence.
    pub why: Vec<ProposalEvidence>,
}

/// A figure that speaks for or against a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProposalEvidence {
    /// Name of the figure.
    pub feature: String,
    /// Its value.
    pub value: f64,
    /// What it adds to the score.
    pub share: f64,
}

impl LinkProposalRecord {
    /// The link as a statement, which also identifies its mark.
    fn statement(&self) -> String {
        statement(&self.source, self.predicate, &self.target)
    }
}

fn statement(source: &str, predicate: ProposedPredicate, target: &str) -> String {
    format!("<{source}> {} <{target}>", predicate.predicate())
}

/// Reads a statement of a mark.
fn parse_statement(text: &str) -> Option<(String, ProposedPredicate, String)> {
    let (source, rest) = text.strip_prefix('<')?.split_once("> <")?;
    let (predicate, target) = rest.strip_suffix('>')?.split_once("> <")?;
    let kind = ProposedPredicate::ALL.into_iter().find(|kind| kind.predicate().as_str() == predicate)?;
    Some((source.to_owned(), kind, target.to_owned()))
}

/// What was found, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkRun {
    version: u32,
    /// When links were found last.
    #[serde(with = "json_time")]
    pub found_at: u64,
    /// Number of proposals of each predicate.
    pub proposals: Vec<(ProposedPredicate, u64)>,
}

/// A link with its number and its mark.
#[derive(Clone, Debug)]
pub struct ReviewedLink {
    /// Number in the list of proposals, from 1; `None` for a marked link that is no longer proposed.
    pub number: Option<u64>,
    /// The link. Without a proposal, it has no labels and no evidence.
    pub link: LinkProposalRecord,
    /// The mark.
    pub mark: Option<MarkRecord>,
}

/// Which links are listed.
#[derive(Clone, Debug, Default)]
pub struct LinkQuery {
    /// Links with this mark.
    pub mark: MarkFilter,
    /// Links with this predicate.
    pub kind: Option<ProposedPredicate>,
    /// Minimum score.
    pub min_score: Option<f64>,
    /// An entity that is subject or object.
    pub entity: Option<String>,
    /// Number of links to skip.
    pub offset: usize,
    /// Maximum number of links.
    pub limit: usize,
}

/// A part of the list of links.
#[derive(Clone, Debug)]
pub struct LinkPage {
    /// What was found, and when; `None` if links were not searched yet.
    pub run: Option<LinkRun>,
    /// Number of links that the query selects.
    pub total: usize,
    /// The links, the best first.
    pub links: Vec<ReviewedLink>,
}

/// Lists proposed links, the best first, then marked ones that are no longer proposed.
pub fn list(data: &Path, query: &LinkQuery) -> Result<LinkPage, EntitySearchError> {
    let marks = open_marks(data)?;
    let mut page = LinkPage { run: None, total: 0, links: Vec::new() };
    let mut proposed: HashSet<String> = HashSet::default();
    let mut number = 0;
    let mut add = |number: Option<u64>, link: LinkProposalRecord, mark: Option<MarkRecord>| {
        if !query.selects(number.is_some(), &link, mark.as_ref()) {
            return;
        }
        page.total += 1;
        if page.total > query.offset && page.links.len() < query.limit {
            page.links.push(ReviewedLink { number, link, mark });
        }
    };
    let run = result_file::read(&path(data), |link: LinkProposalRecord| {
        number += 1;
        let statement = link.statement();
        let mark = marks.get(&statement).cloned();
        if mark.is_some() {
            proposed.insert(statement);
        }
        add(Some(number), link, mark);
    })?;
    for (statement, mark) in marks.iter().filter(|(statement, _)| !proposed.contains(*statement)) {
        let Some((source, predicate, target)) = parse_statement(statement) else { continue };
        let (source_label, target_label) = (String::new(), String::new());
        let link =
            LinkProposalRecord { source, source_label, predicate, target, target_label, score: 0.0, why: Vec::new() };
        add(None, link, Some(mark.clone()));
    }
    page.run = run;
    Ok(page)
}

impl LinkQuery {
    fn selects(&self, is_proposed: bool, link: &LinkProposalRecord, mark: Option<&MarkRecord>) -> bool {
        let kind = mark.map(|mark| mark.mark);
        let by_mark = match self.mark {
            MarkFilter::Undropped => kind != Some(MarkKind::Drop),
            MarkFilter::All => true,
            MarkFilter::Only(expected) => kind == expected,
        };
        by_mark
            && self.kind.is_none_or(|kind| link.predicate == kind)
            && self.min_score.is_none_or(|min| is_proposed && link.score >= min)
            && self.entity.as_ref().is_none_or(|entity| link.source == *entity || link.target == *entity)
    }
}

/// Which links are marked.
#[derive(Clone, Debug, Default)]
pub struct LinkChoice {
    /// Numbers in the list of proposals.
    pub numbers: Vec<u64>,
    /// Subject, predicate and object of proposed or marked links.
    pub links: Vec<(String, ProposedPredicate, String)>,
    /// Proposals with at least this score.
    pub min_score: Option<f64>,
}

/// The number of links after a change of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkMarks {
    /// Number of changed marks.
    pub changed: usize,
    /// Number of kept links.
    pub kept: usize,
    /// Number of dropped links.
    pub dropped: usize,
    /// Number of marks that an undo left, because another user has changed them since.
    pub superseded: usize,
}

/// Marks links, or removes their marks. Durable when this returns.
pub fn mark(
    data: &Path,
    choice: &LinkChoice,
    mark: Option<MarkKind>,
    author: &MarkAuthor,
) -> Result<LinkMarks, EntitySearchError> {
    let mut marks = open_marks(data)?;
    let mut numbers: HashSet<u64> = choice.numbers.iter().copied().collect();
    let wanted = choice.links.iter().map(|(source, kind, target)| statement(source, *kind, target));
    let mut wanted: HashSet<String> = wanted.filter(|statement| marks.get(statement).is_none()).collect();
    let mut chosen: Vec<String> =
        choice.links.iter().map(|(source, kind, target)| statement(source, *kind, target)).collect();
    let mut number = 0;
    let _: Option<LinkRun> = result_file::read(&path(data), |link: LinkProposalRecord| {
        number += 1;
        let statement = link.statement();
        wanted.remove(&statement);
        if numbers.remove(&number) || choice.min_score.is_some_and(|min| link.score >= min) {
            chosen.push(statement);
        }
    })?;
    if let Some(unknown) = numbers.iter().min() {
        return Err(EntitySearchError::UnknownLink(unknown.to_string()));
    }
    if let Some(unknown) = wanted.into_iter().min() {
        return Err(EntitySearchError::UnknownLink(unknown));
    }
    let changed = marks.set(chosen.iter().map(String::as_str), mark, author)?;
    Ok(totals(&marks, changed, 0))
}

/// Undoes the last change of this user. Durable when this returns.
pub fn undo(data: &Path, author: &MarkAuthor) -> Result<LinkMarks, EntitySearchError> {
    let mut marks = open_marks(data)?;
    let UndoSummary { changed, superseded } = marks.undo(author)?;
    Ok(totals(&marks, changed, superseded))
}

fn totals(marks: &MarkFile, changed: usize, superseded: usize) -> LinkMarks {
    let count = |kind: MarkKind| marks.iter().filter(|(_, marked)| marked.mark == kind).count();
    LinkMarks { changed, kept: count(MarkKind::Keep), dropped: count(MarkKind::Drop), superseded }
}

/// The marks of links; their names are statements.
pub fn open_marks(data: &Path) -> Result<MarkFile, MarksError> {
    let directory = data.join(DIRECTORY);
    let created = std::fs::create_dir_all(&directory);
    created.map_err(|source| MarksError::Io { path: directory.clone(), source })?;
    MarkFile::open(&directory)
}

fn path(data: &Path) -> PathBuf {
    data.join(DIRECTORY).join(FILE_NAME)
}
