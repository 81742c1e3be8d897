//! Names of further rankings of a crawl, which are compared with its ranking.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::ranking_file::{self, RankingFile, RankingFileError, RankingHeader};

/// Directory of the further rankings in the directory of a crawl.
const DIR_NAME: &str = "rankings";

/// Maximum length of a name.
const MAX_NAME_CHARS: usize = 40;

/// Maximum number of further rankings of a crawl.
pub const MAX_NAMED_RANKINGS: usize = 20;

/// The name of a further ranking: letters, digits, `-` and `_`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankingName(String);

impl RankingName {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RankingName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for RankingName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let is_valid = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.chars().all(is_valid) {
            return Err(format!("a name has 1 to {MAX_NAME_CHARS} letters, digits, `-` or `_`"));
        }
        Ok(Self(name.to_owned()))
    }
}

/// The path of a ranking of the crawl in this directory: the ranking itself, or a further one.
#[must_use]
pub fn ranking_path(directory: &Path, name: Option<&RankingName>) -> PathBuf {
    match name {
        None => directory.join(ranking_file::FILE_NAME),
        Some(name) => directory.join(DIR_NAME).join(format!("{name}.jsonl")),
    }
}

/// The names and headers of the further rankings, by name. Files that cannot be read are left out.
pub fn named_rankings(directory: &Path) -> Result<Vec<(RankingName, RankingHeader)>, RankingFileError> {
    let dir = directory.join(DIR_NAME);
    let entries = match fs::read_dir(&dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(RankingFileError::Io { path: dir, source }),
    };
    let mut found = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        let file_name = entry.file_name();
        let name = file_name.to_str().and_then(|name| name.strip_suffix(".jsonl")).map(str::parse::<RankingName>);
        if let Some(Ok(name)) = name
            && let Ok(ranking) = RankingFile::open_path(entry.path())
        {
            found.push((name, ranking.header));
        }
    }
    found.sort_by(|(left, _), (right, _)| left.cmp(right));
    Ok(found)
}

/// Deletes a further ranking. Returns whether it existed.
pub fn delete_ranking(directory: &Path, name: &RankingName) -> Result<bool, RankingFileError> {
    let path = ranking_path(directory, Some(name));
    match fs::remove_file(&path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(RankingFileError::Io { path, source }),
    }
}
