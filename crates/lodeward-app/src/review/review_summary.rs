//! How far the review of a crawl is: numbers of candidates and marks.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::candidates::CandidateError;
use super::marks::{self, MarkFile, MarkKind};
use super::ranking_file::{self, RankingFile, RankingFileError};
use crate::json_file::FileStamp;

/// The review of a crawl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReviewSummary {
    /// Number of listed candidates; `None` if the crawl is not ranked, or the ranking cannot be read.
    pub candidates: Option<u64>,
    /// When the crawl was ranked, in milliseconds since the Unix epoch.
    pub ranked_at_ms: Option<u64>,
    /// Number of kept candidates.
    pub kept: u64,
    /// Number of dropped candidates.
    pub dropped: u64,
}

impl ReviewSummary {
    fn read(directory: &Path) -> Result<Self, CandidateError> {
        let header = match RankingFile::open(directory) {
            Ok(ranking) => Some(ranking.header),
            Err(RankingFileError::Io { path, source }) => return Err(RankingFileError::Io { path, source }.into()),
            Err(_) => None,
        };
        let marks = MarkFile::open(directory)?;
        let count = |kind: MarkKind| marks.iter().filter(|(_, marked)| marked.mark == kind).count() as u64;
        Ok(Self {
            candidates: header.as_ref().map(|header| header.listed),
            ranked_at_ms: header.as_ref().map(|header| header.created_at_ms),
            kept: count(MarkKind::Keep),
            dropped: count(MarkKind::Drop),
        })
    }
}

/// The summaries of crawls, read again only if their files have changed.
#[derive(Debug, Default)]
pub struct ReviewSummaryCache(Mutex<HashMap<Arc<Path>, StampedSummary>>);

/// The stamps of ranking and marks, and their summary.
type StampedSummary = ([Option<FileStamp>; 2], ReviewSummary);

impl ReviewSummaryCache {
    /// The summary of the crawl in this directory. Blocks.
    pub fn get(&self, directory: &Path) -> Result<ReviewSummary, CandidateError> {
        let stamps =
            [ranking_file::FILE_NAME, marks::FILE_NAME].map(|name| FileStamp::from_path(&directory.join(name)));
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(directory).copied();
        if let Some((known, summary)) = cached.filter(|(known, _)| *known == stamps) {
            debug_assert_eq!(known, stamps);
            return Ok(summary);
        }
        let summary = ReviewSummary::read(directory)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(directory.into(), (stamps, summary));
        Ok(summary)
    }
}
