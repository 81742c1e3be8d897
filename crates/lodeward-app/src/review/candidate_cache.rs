//! Keeps indexes of rankings and marks in memory between requests, within a limit.
//!
//! An entry is valid as long as its file is the same: its inode, length and time of change.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::candidate_index::CandidateIndex;
use super::candidates::CandidateError;
use super::marks::{self, MarkFile};
use super::ranking_file::RankingFile;
use crate::json_file::FileStamp;

/// Maximum number of mark files in memory.
const MAX_MARK_FILES: usize = 16;

/// Indexes of rankings and marks in memory.
pub struct CandidateCache {
    /// The last used index is the last one.
    indexes: Mutex<Vec<CacheEntry<CandidateIndex>>>,
    marks: Mutex<Vec<CacheEntry<MarkFile>>>,
    max_bytes: usize,
}

struct CacheEntry<T> {
    path: PathBuf,
    stamp: Option<FileStamp>,
    value: Arc<T>,
}

impl CandidateCache {
    /// A cache whose indexes take at most this many bytes. A larger index is not kept.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        Self { indexes: Mutex::default(), marks: Mutex::default(), max_bytes }
    }

    /// The index of a ranking file.
    pub fn index(&self, ranking: &Path) -> Result<Arc<CandidateIndex>, CandidateError> {
        let stamp = FileStamp::from_path(ranking);
        if let Some(index) = find(&self.indexes, ranking, stamp) {
            return Ok(index);
        }
        let index = Arc::new(CandidateIndex::from_ranking(RankingFile::open_path(ranking.to_owned())?)?);
        let mut entries = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.path != ranking);
        if index.bytes() <= self.max_bytes {
            entries.push(CacheEntry { path: ranking.to_owned(), stamp, value: Arc::clone(&index) });
        }
        while entries.iter().map(|entry| entry.value.bytes()).sum::<usize>() > self.max_bytes {
            entries.remove(0);
        }
        Ok(index)
    }

    /// The marks of the crawl in this directory.
    pub fn marks(&self, directory: &Path) -> Result<Arc<MarkFile>, CandidateError> {
        let path = directory.join(marks::FILE_NAME);
        let stamp = FileStamp::from_path(&path);
        if let Some(marks) = find(&self.marks, &path, stamp) {
            return Ok(marks);
        }
        let marks = Arc::new(MarkFile::open(directory)?);
        let mut entries = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.path != path);
        entries.push(CacheEntry { path, stamp, value: Arc::clone(&marks) });
        if entries.len() > MAX_MARK_FILES {
            entries.remove(0);
        }
        Ok(marks)
    }
}

/// A valid entry, which becomes the last used one.
fn find<T>(entries: &Mutex<Vec<CacheEntry<T>>>, path: &Path, stamp: Option<FileStamp>) -> Option<Arc<T>> {
    let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
    let index = entries.iter().position(|entry| entry.path == path && entry.stamp == stamp)?;
    let entry = entries.remove(index);
    let value = Arc::clone(&entry.value);
    entries.push(entry);
    Some(value)
}
