//! The candidates of a crawl: ranking and listing, without the network.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use oxrdf::NamedOrBlankNode;

use super::candidate_index::{CandidateIndex, CandidatePageRequest, OpenedHarvest};
use super::found_candidates::FoundCandidates;
use super::load_facts::{RankingProgress, RedirectMap, load_fact_base};
use super::mark_targets::NotCandidate;
use super::options::ranking_options;
use super::reference::{ReferenceError, load_crawl_reference};
use crate::crawl_dir::{CrawlOpenError, OpenCrawl, open_segments};
use crate::data_dir::DataDirError;
use crate::review::filter::{CandidateFilter, PropertyEvidence};
use crate::review::marks::MarkRecord;
use crate::review::ranking_file::{self, RankingContext, RankingHeader, RankingRow};
use crate::review::{MarkFile, MarkKind, MarksError, RankingFile, RankingFileError};
use crate::settings::Config;
use lodeward::model::Uri;
use lodeward::store::StoreError;
use lodeward::store::segments::{ReadBounds, SegmentStore};
use lodeward_focus::rank::{HopCount, SeedMeasures, plan_ranking};

/// The candidates of a crawl cannot be ranked or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CandidateError {
    /// The ranking of the crawl cannot be read or written.
    #[error(transparent)]
    Ranking(#[from] RankingFileError),
    /// The marks of the candidates cannot be read.
    #[error(transparent)]
    Marks(#[from] MarksError),
    /// An entity to be marked is not a candidate.
    #[error(transparent)]
    NotCandidate(#[from] NotCandidate),
    /// The crawl cannot be opened.
    #[error(transparent)]
    Open(#[from] CrawlOpenError),
    /// The reference graph cannot be loaded.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// The harvest of the crawl cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The origins of the seeds cannot be read.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
}

/// Ranks the entities of a crawl's harvest, as [`compute_ranking`], and stores the ranking.
pub fn rank(
    config: &Config,
    crawl: &OpenCrawl,
    redirects: RedirectMap,
    seeds: &[Uri],
    depth: RankingDepth,
    now_ms: u64,
    progress: &RankingProgress,
) -> Result<(RankingHeader, Vec<RankingRow>), CandidateError> {
    let (header, rows) = compute_ranking(config, crawl, redirects, seeds, depth, now_ms, progress)?;
    ranking_file::write(&crawl.dir.path().join(ranking_file::FILE_NAME), &header, &rows)?;
    Ok((header, rows))
}

/// Ranks the entities of a crawl's harvest by their relevance to its seeds. The crawl may have any
/// strategy. Sends no request, unless the reference graph is an endpoint. Blocks.
pub fn compute_ranking(
    config: &Config,
    crawl: &OpenCrawl,
    redirects: RedirectMap,
    seeds: &[Uri],
    depth: RankingDepth,
    now_ms: u64,
    progress: &RankingProgress,
) -> Result<(RankingHeader, Vec<RankingRow>), CandidateError> {
    let directory = crawl.dir.path();
    let facts = load_fact_base(config, &crawl.segments, redirects, progress)?;
    let reference = load_crawl_reference(config, crawl, seeds)?;
    let seeds = facts.seed_entity_names(seeds, &crawl.dir.seed_entities()?);
    let graph = facts.graph();
    let mut options = ranking_options(config);
    options.found = FoundCandidates::read(&crawl.dir)?.entities;
    // A ranking that cannot be read is replaced.
    let crawl_max_hops = RankingFile::open(directory).ok().and_then(|last| last.header.crawl_max_hops);
    match depth {
        RankingDepth::Crawl => {}
        RankingDepth::Last => options.max_hops = crawl_max_hops.or(options.max_hops),
        RankingDepth::Requested(hops) => options.max_hops = Some(hops),
    }
    let marks = MarkFile::open(directory)?;
    let measures = reference.map(|reference| SeedMeasures::new(&reference.facts.graph(), &seeds, &options));
    let plan = plan_ranking(&graph, &seeds, &options, &marks.relevance_labels(), measures.as_ref());
    let is_of_crawl = depth == RankingDepth::Crawl;
    let context = RankingContext {
        max_listed: config.ranking.max_listed,
        facts_omitted: facts.omitted_facts(),
        crawl_max_hops: if is_of_crawl { Some(plan.choice.max_hops) } else { crawl_max_hops },
        now_ms,
    };
    let (mut header, mut rows) = ranking_file::rank_candidates(&plan, context);
    rows.extend(carried_rows(directory, &header, &rows, &marks));
    header.listed = rows.len() as u64;
    Ok((header, rows))
}

/// The rows of kept entities that a new ranking does not list: their documents are no longer in the
/// harvest, or they are seeds now. Labels and classes are those of the last ranking.
fn carried_rows(directory: &Path, header: &RankingHeader, rows: &[RankingRow], marks: &MarkFile) -> Vec<RankingRow> {
    let mut missing: BTreeSet<&str> = marks.kept().collect();
    for row in rows {
        missing.remove(row.entity.as_str());
    }
    if missing.is_empty() {
        return Vec::new();
    }
    let last = RankingFile::open(directory).into_iter().flatten().map_while(Result::ok);
    let mut known: HashMap<String, RankingRow> =
        last.filter(|row| missing.contains(row.entity.as_str())).map(|row| (row.entity.clone(), row)).collect();
    let next_rank = rows.last().map_or(0, |row| row.rank).max(header.candidates) + 1;
    let carry = |(rank, entity): (u64, &str)| match known.remove(entity) {
        Some(row) => RankingRow { rank, score: None, hop: None, reasons: Vec::new(), ..row },
        None => RankingRow::unranked(rank, entity),
    };
    (next_rank..).zip(missing).map(carry).collect()
}

/// How far from the seeds entities are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankingDepth {
    /// As the settings of the crawl define it: the ranking at the end of a crawl.
    Crawl,
    /// As in the ranking at the end of the crawl; without one, as the settings define it.
    Last,
    /// At most this many links.
    Requested(HopCount),
}

/// A selection of candidates.
#[derive(Clone, Copy, Debug)]
pub struct CandidateQuery<'a> {
    /// The filter that candidates must match.
    pub filter: &'a CandidateFilter,
    /// The condition on the marks of candidates.
    pub marks: MarkFilter,
    /// Number of matching candidates to skip.
    pub offset: u64,
    /// Maximum number of candidates to return.
    pub limit: u64,
}

/// A condition on marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MarkFilter {
    /// Candidates that are not dropped. If the filter has a condition on marks, that condition
    /// applies instead.
    #[default]
    Undropped,
    /// All candidates, with or without a mark.
    All,
    /// Candidates with exactly this mark; `None` for candidates without a mark.
    Only(Option<MarkKind>),
}

impl MarkFilter {
    pub(super) fn matches(self, mark: Option<MarkKind>, filter: &CandidateFilter) -> bool {
        match self {
            Self::Undropped => mark != Some(MarkKind::Drop) || filter.uses_marks(),
            Self::All => true,
            Self::Only(expected) => mark == expected,
        }
    }
}

/// A candidate with its mark.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The row of the candidate in the ranking.
    pub row: RankingRow,
    /// The mark of the candidate, if it has one.
    pub mark: Option<MarkRecord>,
}

/// A page of selected candidates.
#[derive(Clone, Debug)]
pub struct CandidatePage {
    /// The summary of the ranking.
    pub header: RankingHeader,
    /// The candidates of the page, the best first.
    pub candidates: Vec<Candidate>,
    /// Number of matching candidates before the page.
    pub offset: u64,
    /// Number of matching candidates on all pages.
    pub total: u64,
    /// Number of further candidates that match but are dropped.
    pub dropped: u64,
}

/// Returns the candidates of the crawl in this directory. Works also while the crawl runs, unless
/// the filter has a condition on properties, which must be read from the harvest.
pub fn candidates(directory: &Path, query: &CandidateQuery<'_>) -> Result<CandidatePage, CandidateError> {
    candidates_with(directory, query, || Ok(Arc::new(open_segments(directory)?.0)))
}

/// As [`candidates`], with a harvest that is already open.
pub fn candidates_with(
    directory: &Path,
    query: &CandidateQuery<'_>,
    harvest: impl FnOnce() -> OpenedHarvest,
) -> Result<CandidatePage, CandidateError> {
    let request = CandidatePageRequest { query: *query, at: None, has_reasons: true };
    let page = CandidateIndex::open(directory)?.page(&MarkFile::open(directory)?, &request, harvest)?;
    Ok(page.expect("a page without `at` exists"))
}

/// Passes every candidate that matches a filter to `take`, best first, regardless of its mark.
/// Returns the summary of the ranking.
pub fn for_each_candidate<E: From<CandidateError>>(
    directory: &Path,
    filter: &CandidateFilter,
    harvest: impl FnOnce() -> Result<Arc<SegmentStore>, CrawlOpenError>,
    take: &mut dyn FnMut(Candidate) -> Result<(), E>,
) -> Result<RankingHeader, E> {
    let marks = MarkFile::open(directory).map_err(CandidateError::from)?;
    let evidence =
        if filter.needs_statements() { evidence(directory, filter, &marks, harvest)? } else { HashMap::new() };
    let no_evidence = PropertyEvidence::default();
    let listing = RankingFile::open(directory).map_err(CandidateError::from)?;
    let header = listing.header.clone();
    for row in with_kept(listing, &marks) {
        let row = row.map_err(CandidateError::from)?;
        let mark = marks.get(&row.entity).cloned();
        let evidence = evidence.get(&row.entity).unwrap_or(&no_evidence);
        if filter.evaluate(&row, mark_kind(mark.as_ref()), Some(evidence)) == Some(true) {
            take(Candidate { row, mark })?;
        }
    }
    Ok(header)
}

/// The rows of a ranking, and then the kept entities that it does not list. A ranking lists all
/// entities that were kept when it began, but others may have been kept while it was computed.
fn with_kept(
    listing: RankingFile,
    marks: &MarkFile,
) -> impl Iterator<Item = Result<RankingRow, RankingFileError>> + use<'_> {
    let mut missing: BTreeSet<&str> = marks.kept().collect();
    let mut last_rank = listing.header.candidates;
    let mut rows = Some(listing);
    std::iter::from_fn(move || {
        if let Some(row) = rows.as_mut().and_then(Iterator::next) {
            if let Ok(row) = &row {
                missing.remove(row.entity.as_str());
                last_rank = last_rank.max(row.rank);
            } else {
                // Nothing follows an error.
                missing.clear();
            }
            return Some(row);
        }
        rows = None;
        last_rank += 1;
        missing.pop_first().map(|entity| Ok(RankingRow::unranked(last_rank, entity)))
    })
}

impl CandidateQuery<'_> {
    /// Whether a candidate that matches the filter has a selected mark.
    #[must_use]
    pub fn includes(&self, candidate: &Candidate) -> bool {
        self.marks.matches(mark_kind(candidate.mark.as_ref()), self.filter)
    }
}

pub(super) fn mark_kind(mark: Option<&MarkRecord>) -> Option<MarkKind> {
    mark.map(|mark| mark.mark)
}

/// Returns the statements about the candidates for which the filter depends on statements.
fn evidence(
    directory: &Path,
    filter: &CandidateFilter,
    marks: &MarkFile,
    harvest: impl FnOnce() -> Result<Arc<SegmentStore>, CrawlOpenError>,
) -> Result<HashMap<String, PropertyEvidence>, CandidateError> {
    let mut undecided = HashMap::new();
    for row in with_kept(RankingFile::open(directory)?, marks) {
        let row = row?;
        if filter.evaluate(&row, mark_kind(marks.get(&row.entity)), None).is_none() {
            undecided.insert(row.entity, PropertyEvidence::default());
        }
    }
    if !undecided.is_empty() {
        collect_evidence(&*harvest()?, filter, &mut undecided)?;
    }
    Ok(undecided)
}

/// Collects the statements about these entities in one pass over the harvest.
pub(super) fn collect_evidence(
    segments: &SegmentStore,
    filter: &CandidateFilter,
    about: &mut HashMap<String, PropertyEvidence>,
) -> Result<(), StoreError> {
    let mut reader = segments.log().read(None)?;
    while let Some(group) = reader.next_group(ReadBounds::default())? {
        for change in group.changes.iter().filter(|change| !change.is_removal()) {
            for quad in change.statements.quads()? {
                let quad = quad?;
                let NamedOrBlankNode::NamedNode(subject) = &quad.subject else { continue };
                if let Some(evidence) = about.get_mut(subject.as_str()) {
                    filter.record_evidence(quad.predicate.as_ref(), quad.object.as_ref(), evidence);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "candidates_tests.rs"]
mod tests;
