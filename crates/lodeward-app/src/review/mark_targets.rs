//! Which entities can be marked: candidates and seeds of the ranking, and entities that have a mark.
//!
//! A mark of another entity would have no effect that the user sees, so it is rejected, with the
//! candidates whose names are most similar.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use strsim::normalized_levenshtein;

use super::candidates::CandidateError;
use super::ranking_file::RankingRow;
use super::{MarkFile, RankingFile, RankingFileError};
use lodeward::select::facts::truncate_text;
use lodeward_focus::rank::terms::iri_text;

/// Maximum number of suggestions.
const MAX_SUGGESTIONS: usize = 3;

/// Minimum similarity of a suggestion, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.5;

/// Maximum length of a name that is compared. The time grows with the square of the length.
const MAX_COMPARED_BYTES: usize = 200;

/// An entity cannot be marked, because it is not a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCandidate {
    /// The entity, as written by the user.
    pub entity: String,
    /// Number of further entities that are not candidates.
    pub others: usize,
    /// Candidates with similar names, the most similar first, with their labels.
    pub suggestions: Vec<(String, Option<String>)>,
}

impl NotCandidate {
    /// The suggestions as a question; `None` if there are none.
    #[must_use]
    pub fn did_you_mean(&self) -> Option<String> {
        let name = |(entity, label): &(String, Option<String>)| match label {
            Some(label) => format!("<{entity}> ({label})"),
            None => format!("<{entity}>"),
        };
        let names: Vec<String> = self.suggestions.iter().map(name).collect();
        (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
    }
}

impl fmt::Display for NotCandidate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` is not a candidate of the ranking", self.entity)?;
        match self.others {
            0 => Ok(()),
            1 => formatter.write_str(", nor is 1 other entity"),
            others => write!(formatter, ", nor are {others} other entities"),
        }
    }
}

impl std::error::Error for NotCandidate {}

/// Rejects entities that are neither candidates nor seeds of the ranking of the crawl, nor marked.
pub fn require_candidates(directory: &Path, entities: &[String]) -> Result<(), CandidateError> {
    let marks = MarkFile::open(directory)?;
    let mut unknown: BTreeSet<&str> = entities.iter().map(String::as_str).collect();
    unknown.retain(|entity| marks.get(entity).is_none());
    if unknown.is_empty() {
        return Ok(());
    }
    let ranking = RankingFile::open(directory)?;
    for seed in &ranking.header.seeds.seeds {
        unknown.remove(seed.name.as_str());
    }
    for row in ranking {
        unknown.remove(row?.entity.as_str());
    }
    // The first one in the order of the user.
    let Some(first) = entities.iter().find(|entity| unknown.contains(entity.as_str())) else { return Ok(()) };
    let suggestions = similar_candidates(directory, first)?;
    Err(NotCandidate { entity: first.clone(), others: unknown.len() - 1, suggestions }.into())
}

/// The candidates whose IRIs or labels are most similar to a name, the most similar first.
fn similar_candidates(directory: &Path, name: &str) -> Result<Vec<(String, Option<String>)>, RankingFileError> {
    let wanted = normalize(&iri_text(name));
    let mut best: Vec<(f64, RankingRow)> = Vec::new();
    for row in RankingFile::open(directory)? {
        let row = row?;
        let similarity = similarity(&wanted, &row);
        let is_better = best.len() < MAX_SUGGESTIONS || best.last().is_some_and(|(last, _)| similarity > *last);
        if similarity >= MIN_SIMILARITY && is_better {
            // Among equals, the better rank is first.
            let position = best.partition_point(|(other, _)| *other >= similarity);
            best.insert(position, (similarity, row));
            best.truncate(MAX_SUGGESTIONS);
        }
    }
    Ok(best.into_iter().map(|(_, row)| (row.entity, row.label)).collect())
}

/// The similarity of a name with the IRI or the label of a candidate. Only the last part of an IRI
/// is compared, because all candidates of a site have the same first part.
fn similarity(wanted: &str, row: &RankingRow) -> f64 {
    let of_iri = normalized_levenshtein(wanted, &normalize(&iri_text(&row.entity)));
    let of_label = row.label.as_ref().map_or(0.0, |label| normalized_levenshtein(wanted, &normalize(label)));
    of_iri.max(of_label)
}

fn normalize(text: &str) -> String {
    truncate_text(text, MAX_COMPARED_BYTES).to_lowercase()
}

#[cfg(test)]
#[path = "mark_targets_tests.rs"]
mod tests;
