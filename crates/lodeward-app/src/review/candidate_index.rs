//! An index of a ranking in memory: pages and facets of candidates without reading the whole file.
//!
//! It holds every row except its reasons, and where the row is in the file; reasons are read for the
//! rows of a page only. The file stays open, so a new ranking, which replaces the file, does not
//! disturb readers of the old one.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::candidates::{
    Candidate, CandidateError, CandidatePage, CandidateQuery, MarkFilter, collect_evidence, mark_kind,
};
use super::filter::{CandidateFilter, PropertyEvidence};
use super::marks::{MarkFile, MarkKind};
use super::ranking_file::{RankingFile, RankingHeader, RankingRow};
use crate::crawl_dir::CrawlOpenError;
use lodeward::model::Uri;
use lodeward::store::segments::SegmentStore;

/// The rows of a ranking without reasons.
pub struct CandidateIndex {
    /// Header of the ranking.
    pub header: RankingHeader,
    rows: Vec<IndexedRow>,
    by_entity: HashMap<u64, u32, RandomState>,
    path: PathBuf,
    file: File,
    bytes: usize,
}

struct IndexedRow {
    /// The row without reasons.
    row: RankingRow,
    /// Position and length of the line in the file.
    place: (u64, u32),
}

/// A page of candidates to read.
#[derive(Clone, Copy, Debug)]
pub struct CandidatePageRequest<'a> {
    /// The selected candidates, and the page.
    pub query: CandidateQuery<'a>,
    /// The page begins at a multiple of the limit and contains this entity, instead of beginning at the
    /// offset.
    pub at: Option<&'a str>,
    /// Whether the rows have reasons.
    pub has_reasons: bool,
}

/// The selected rows of an index.
pub(super) struct CandidateSelection {
    /// Indices of listed rows, the best first.
    listed: Vec<u32>,
    /// Kept entities that the ranking does not list.
    unlisted: Vec<RankingRow>,
    /// Number of further candidates that match but are dropped.
    dropped: u64,
}

/// The opened harvest, for filters with conditions on properties.
pub type OpenedHarvest = Result<Arc<SegmentStore>, CrawlOpenError>;

impl CandidateIndex {
    /// Reads the ranking of the crawl in this directory.
    pub fn open(directory: &Path) -> Result<Self, CandidateError> {
        Self::from_ranking(RankingFile::open(directory)?)
    }

    /// Reads a ranking.
    pub fn from_ranking(mut ranking: RankingFile) -> Result<Self, CandidateError> {
        let header = ranking.header.clone();
        let (mut rows, mut bytes) = (Vec::new(), 0);
        loop {
            let from = ranking.position();
            let Some(row) = ranking.next() else { break };
            let row = RankingRow { reasons: Vec::new(), ..row? };
            bytes += row_bytes(&row);
            let length = u32::try_from(ranking.position() - from).unwrap_or(u32::MAX);
            rows.push(IndexedRow { row, place: (from, length) });
        }
        let by_entity = (0..).zip(&rows).map(|(index, indexed)| (hash(&indexed.row.entity), index)).collect();
        let (path, file) = ranking.into_file();
        Ok(Self { header, rows, by_entity, path, file, bytes })
    }

    /// Estimated size in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The row of an entity without reasons, if the ranking lists it.
    #[must_use]
    pub fn row(&self, entity: &str) -> Option<&RankingRow> {
        let index = *self.by_entity.get(&hash(entity))?;
        Some(&self.rows[index as usize].row).filter(|row| row.entity == entity)
    }

    /// All rows without reasons, the best first.
    #[must_use]
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &RankingRow> {
        self.rows.iter().map(|indexed| &indexed.row)
    }

    /// The candidates of a page. If `at` names an entity that is not selected, the result is `None`.
    pub fn page(
        &self,
        marks: &MarkFile,
        request: &CandidatePageRequest<'_>,
        harvest: impl FnOnce() -> OpenedHarvest,
    ) -> Result<Option<CandidatePage>, CandidateError> {
        let CandidatePageRequest { query, at, has_reasons } = *request;
        let selection = self.select(marks, &query, harvest)?;
        let offset = match at {
            None => query.offset,
            Some(entity) => match self.position(&selection, entity) {
                Some(position) => position - position % query.limit.max(1),
                None => return Ok(None),
            },
        };
        let mut candidates = Vec::new();
        let total = (selection.listed.len() + selection.unlisted.len()) as u64;
        for position in offset..offset.saturating_add(query.limit).min(total) {
            let position = usize::try_from(position).unwrap_or(usize::MAX);
            let row = match selection.listed.get(position) {
                Some(index) if has_reasons => self.full_row(*index)?,
                Some(index) => self.rows[*index as usize].row.clone(),
                None => selection.unlisted[position - selection.listed.len()].clone(),
            };
            let mark = marks.get(&row.entity).cloned();
            candidates.push(Candidate { row, mark });
        }
        Ok(Some(CandidatePage { header: self.header.clone(), candidates, offset, total, dropped: selection.dropped }))
    }

    /// Passes the selected rows to `take`, the best first, without reasons.
    pub(super) fn for_each_selected(
        &self,
        marks: &MarkFile,
        query: &CandidateQuery<'_>,
        harvest: impl FnOnce() -> OpenedHarvest,
        take: &mut dyn FnMut(&RankingRow),
    ) -> Result<(), CandidateError> {
        let selection = self.select(marks, query, harvest)?;
        selection.listed.iter().for_each(|index| take(&self.rows[*index as usize].row));
        selection.unlisted.iter().for_each(take);
        Ok(())
    }

    /// The entities that match a filter, whether or not they are marked.
    pub fn matching_entities(
        &self,
        marks: &MarkFile,
        filter: &CandidateFilter,
        harvest: impl FnOnce() -> OpenedHarvest,
    ) -> Result<Vec<String>, CandidateError> {
        let query = CandidateQuery { filter, marks: MarkFilter::All, offset: 0, limit: u64::MAX };
        let mut entities = Vec::new();
        self.for_each_selected(marks, &query, harvest, &mut |row| entities.push(row.entity.clone()))?;
        Ok(entities)
    }

    fn select(
        &self,
        marks: &MarkFile,
        query: &CandidateQuery<'_>,
        harvest: impl FnOnce() -> OpenedHarvest,
    ) -> Result<CandidateSelection, CandidateError> {
        let filter = query.filter;
        let unlisted: Vec<RankingRow> = self.unlisted_rows(marks);
        let evidence = self.evidence(marks, filter, &unlisted, harvest)?;
        let no_evidence = PropertyEvidence::default();
        let mut dropped = 0;
        let mut is_selected = |row: &RankingRow| {
            let mark = mark_kind(marks.get(&row.entity));
            let evidence = evidence.get(&row.entity).unwrap_or(&no_evidence);
            if filter.evaluate(row, mark, Some(evidence)) != Some(true) {
                return false;
            }
            let is_included = query.marks.matches(mark, filter);
            dropped += u64::from(!is_included && mark == Some(MarkKind::Drop));
            is_included
        };
        let listed = (0..).zip(&self.rows).filter(|(_, indexed)| is_selected(&indexed.row));
        let listed = listed.map(|(index, _)| index).collect();
        let unlisted = unlisted.into_iter().filter(|row| is_selected(row)).collect();
        Ok(CandidateSelection { listed, unlisted, dropped })
    }

    /// The kept entities that the ranking does not list: they were kept while it was computed, or in
    /// another ranking of the crawl.
    fn unlisted_rows(&self, marks: &MarkFile) -> Vec<RankingRow> {
        let last_rank = self.rows.last().map_or(0, |indexed| indexed.row.rank).max(self.header.candidates);
        let missing = marks.kept().filter(|entity| self.row(entity).is_none());
        (last_rank + 1..).zip(missing).map(|(rank, entity)| RankingRow::unranked(rank, entity)).collect()
    }

    /// The statements about the candidates for which the filter depends on statements.
    fn evidence(
        &self,
        marks: &MarkFile,
        filter: &CandidateFilter,
        unlisted: &[RankingRow],
        harvest: impl FnOnce() -> OpenedHarvest,
    ) -> Result<HashMap<String, PropertyEvidence>, CandidateError> {
        let mut undecided = HashMap::new();
        if filter.needs_statements() {
            for row in self.rows().chain(unlisted) {
                if filter.evaluate(row, mark_kind(marks.get(&row.entity)), None).is_none() {
                    undecided.insert(row.entity.clone(), PropertyEvidence::default());
                }
            }
        }
        if !undecided.is_empty() {
            collect_evidence(&*harvest()?, filter, &mut undecided)?;
        }
        Ok(undecided)
    }

    fn position(&self, selection: &CandidateSelection, entity: &str) -> Option<u64> {
        let position = match self.by_entity.get(&hash(entity)).filter(|_| self.row(entity).is_some()) {
            Some(index) => selection.listed.binary_search(index).ok()?,
            None => selection.listed.len() + selection.unlisted.iter().position(|row| row.entity == entity)?,
        };
        Some(position as u64)
    }

    /// A row with its reasons, from the file.
    fn full_row(&self, index: u32) -> Result<RankingRow, CandidateError> {
        let (from, length) = self.rows[index as usize].place;
        let mut line = vec![0; length as usize];
        let read = self.file.read_exact_at(&mut line, from);
        Ok(RankingFile::parse_row(&self.path, u64::from(index) + 1, read, &line)?)
    }
}

fn hash(entity: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(entity.as_bytes())
}

fn row_bytes(row: &RankingRow) -> usize {
    let types: usize = row.types.iter().map(|class| class.len() + size_of::<String>()).sum();
    size_of::<IndexedRow>() + row.entity.len() + row.label.as_ref().map_or(0, String::len) + types + 24
}

/// The pay-level domain of an entity, if it has one.
pub(super) fn domain_of(entity: &str) -> Option<String> {
    Uri::parse_stored(entity).ok().map(|uri| uri.pld().as_str().to_owned())
}

#[cfg(test)]
#[path = "candidate_index_tests.rs"]
mod tests;
