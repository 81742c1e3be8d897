//! Entities whose names the query contains, word for word.
//!
//! The query is cut into names, longest first. Several entities may have a name: each is as
//! probable as it is linked. What remains of the query is its context.

use foldhash::{HashMap, HashMapExt, HashSet};

use super::query::AnalysedQuery;
use crate::index::{IndexView, MAX_FORM_WORDS, SearchError, join_form};
use crate::numbers::real;
use crate::text::is_stop_word;

/// Number of entities that a name may stand for.
const MAX_READINGS: usize = 5;

/// Number of entities with one name that are considered.
const MAX_NAMESAKES: usize = 20_000;

/// A single word must have this many letters to be a name.
const MIN_NAME_LETTERS: usize = 3;

/// A part of the query that is the name of entities.
pub(crate) struct MentionSegment {
    /// The entities with their probabilities, most probable first.
    pub(crate) readings: Vec<(u32, f64)>,
    words: usize,
}

/// The mentions of a query.
pub(crate) struct Mentions {
    pub(crate) segments: Vec<MentionSegment>,
    /// Terms outside of all segments, without stop words.
    pub(crate) context: HashSet<String>,
}

impl Mentions {
    pub(crate) fn find(view: &IndexView, query: &AnalysedQuery) -> Result<Self, SearchError> {
        let words = &query.words;
        let mut covered = vec![false; words.len()];
        let mut segments = Vec::new();
        for length in (1..=MAX_FORM_WORDS.min(words.len())).rev() {
            for start in 0..=words.len() - length {
                let range = start..start + length;
                if covered[range.clone()].iter().any(|covered| *covered) || !may_be_name(&words[range.clone()]) {
                    continue;
                }
                let readings = readings(view, &join_form(&words[range.clone()]))?;
                if !readings.is_empty() {
                    covered[range].fill(true);
                    segments.push(MentionSegment { readings, words: length });
                }
            }
        }
        let rest = words.iter().zip(&covered).filter(|(word, covered)| !**covered && !is_stop_word(word));
        let context = rest.map(|(word, _)| view.stemmed.term(word.clone(), None)).collect();
        Ok(Self { segments, context })
    }

    /// Returns the feature `mention` of all mentioned entities: the length of the name times the
    /// probability.
    pub(crate) fn scores(&self) -> HashMap<u32, f64> {
        let mut scores: HashMap<u32, f64> = HashMap::new();
        for segment in &self.segments {
            for (number, probability) in &segment.readings {
                let score = scores.entry(*number).or_default();
                *score = score.max(real(segment.words) * probability);
            }
        }
        scores
    }
}

fn may_be_name(words: &[String]) -> bool {
    let long = words.len() > 1 || words[0].chars().count() >= MIN_NAME_LETTERS;
    long && !words.iter().all(|word| is_stop_word(word))
}

fn readings(view: &IndexView, form: &str) -> Result<Vec<(u32, f64)>, SearchError> {
    let namesakes = view.entities_with(view.schema.form, form, MAX_NAMESAKES)?;
    let weight = |number: u32| (1.0 + real(view.degree(number))).ln() + 0.1;
    let total: f64 = namesakes.iter().map(|number| weight(*number)).sum();
    Ok(super::matches::best(namesakes.into_iter().map(|number| (number, weight(number) / total)), MAX_READINGS))
}
