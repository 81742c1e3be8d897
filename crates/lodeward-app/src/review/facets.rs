//! Counts of candidates by type, domain, hop, mark and score.

use std::collections::{BTreeMap, HashMap};

use super::candidate_index::{CandidateIndex, OpenedHarvest, domain_of};
use super::candidates::{CandidateError, CandidateQuery, MarkFilter, mark_kind};
use super::filter::CandidateFilter;
use super::marks::{MarkFile, MarkKind};

/// Maximum number of types and of domains.
const MAX_VALUES: usize = 50;

/// Number of intervals of a score histogram.
const INTERVALS: usize = 20;

/// Counts of the selected candidates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CandidateFacets {
    /// Number of selected candidates.
    pub total: u64,
    /// Number of candidates of each type, the most frequent first. A candidate may have several types.
    pub types: CandidateFacet,
    /// Number of candidates of each pay-level domain, the most frequent first.
    pub domains: CandidateFacet,
    /// Number of candidates by hop; `None` for entities that are not ranked.
    pub hops: BTreeMap<Option<u8>, u64>,
    /// Number of candidates by mark, whatever marks are selected.
    pub marks: MarkCounts,
    /// Number of candidates about which a document was fetched.
    pub described: u64,
    /// Number of candidates by score.
    pub scores: ScoreHistogram,
}

/// The most frequent values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CandidateFacet {
    /// Values and their numbers of candidates.
    pub values: Vec<(String, u64)>,
    /// Number of further values.
    pub more: u64,
}

/// Number of candidates by mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkCounts {
    /// Candidates marked `keep`.
    pub keep: u64,
    /// Candidates marked `drop`.
    pub drop: u64,
    /// Candidates without a mark.
    pub none: u64,
}

/// Number of candidates in intervals of the score of equal width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoreHistogram {
    /// The lowest and the highest score; `None` if no selected candidate has a score.
    pub range: Option<(f64, f64)>,
    /// Number of candidates in each interval, the lowest first.
    pub counts: Vec<u64>,
}

impl CandidateIndex {
    /// Counts the candidates that match a filter and a mark.
    pub fn facets(
        &self,
        marks: &MarkFile,
        filter: &CandidateFilter,
        selected: MarkFilter,
        harvest: impl FnOnce() -> OpenedHarvest,
    ) -> Result<CandidateFacets, CandidateError> {
        let mut facets = CandidateFacets::default();
        let (mut types, mut domains, mut scores) = (HashMap::new(), HashMap::new(), Vec::new());
        let all = CandidateQuery { filter, marks: MarkFilter::All, offset: 0, limit: u64::MAX };
        self.for_each_selected(marks, &all, harvest, &mut |row| {
            let mark = mark_kind(marks.get(&row.entity));
            *facets.marks.count(mark) += 1;
            if !selected.matches(mark, filter) {
                return;
            }
            facets.total += 1;
            for class in &row.types {
                count(&mut types, class);
            }
            if let Some(domain) = domain_of(&row.entity) {
                count(&mut domains, &domain);
            }
            *facets.hops.entry(row.hop).or_default() += 1;
            facets.described += u64::from(row.described);
            scores.extend(row.score);
        })?;
        facets.types = CandidateFacet::from_counts(types);
        facets.domains = CandidateFacet::from_counts(domains);
        facets.scores = ScoreHistogram::new(&scores);
        Ok(facets)
    }
}

fn count(counts: &mut HashMap<String, u64>, value: &str) {
    match counts.get_mut(value) {
        Some(number) => *number += 1,
        None => {
            counts.insert(value.to_owned(), 1);
        }
    }
}

impl CandidateFacet {
    fn from_counts(counts: HashMap<String, u64>) -> Self {
        let mut values: Vec<(String, u64)> = counts.into_iter().collect();
        values.sort_unstable_by(|(left, more), (right, fewer)| fewer.cmp(more).then_with(|| left.cmp(right)));
        let more = values.len().saturating_sub(MAX_VALUES) as u64;
        values.truncate(MAX_VALUES);
        Self { values, more }
    }
}

impl MarkCounts {
    fn count(&mut self, mark: Option<MarkKind>) -> &mut u64 {
        match mark {
            Some(MarkKind::Keep) => &mut self.keep,
            Some(MarkKind::Drop) => &mut self.drop,
            None => &mut self.none,
        }
    }
}

impl ScoreHistogram {
    fn new(scores: &[f64]) -> Self {
        let finite = || scores.iter().copied().filter(|score| score.is_finite());
        let Some(lowest) = finite().min_by(f64::total_cmp) else { return Self::default() };
        let highest = finite().max_by(f64::total_cmp).unwrap_or(lowest);
        let mut counts = vec![0; INTERVALS];
        for score in finite() {
            counts[interval(score, lowest, highest)] += 1;
        }
        Self { range: Some((lowest, highest)), counts }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the result is at least 0 and below 20")]
fn interval(score: f64, lowest: f64, highest: f64) -> usize {
    if highest <= lowest {
        return 0;
    }
    let position = (score - lowest) / (highest - lowest) * 20.0;
    (position.max(0.0) as usize).min(INTERVALS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_counted_in_intervals_of_equal_width() {
        let histogram = ScoreHistogram::new(&[0.0, 0.5, 9.9, 10.0, f64::NAN]);

        assert_eq!(histogram.range, Some((0.0, 10.0)));
        assert_eq!((histogram.counts[0], histogram.counts[1], histogram.counts[19]), (1, 1, 2));
        assert_eq!(ScoreHistogram::new(&[3.0, 3.0]).counts[0], 2);
        assert_eq!(ScoreHistogram::new(&[]).range, None);
    }

    #[test]
    fn only_the_most_frequent_values_are_listed() {
        let counts = (0..60_u64).map(|number| (format!("{number:02}"), number / 2)).collect();

        let facet = CandidateFacet::from_counts(counts);

        assert_eq!((facet.values.len(), facet.more), (50, 10));
        assert_eq!(facet.values[..2], [("58".to_owned(), 29), ("59".to_owned(), 29)]);
    }
}
