//! Compares many texts with many labels in one pass.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::MatchQuality;
use super::fold::{collapse_whitespace, fold_label, words};

/// The texts that are looked up. A label is compared only with texts it can match: it is
/// looked up as a whole and by each of its words.
#[derive(Debug, Default)]
pub(super) struct LabelQueries {
    texts: Vec<LabelQueryText>,
    /// Texts by their folded form.
    whole: HashMap<String, Vec<usize>, RandomState>,
    /// Texts by their longest word, which is likely to be the rarest.
    by_word: HashMap<String, Vec<usize>, RandomState>,
}

#[derive(Debug)]
struct LabelQueryText {
    /// The text, with runs of white space collapsed.
    written: String,
    folded: String,
    words: Vec<String>,
}

impl LabelQueries {
    /// Creates queries for the texts whose index `is_wanted` accepts. Empty texts match nothing.
    pub(super) fn new(texts: &[String], is_wanted: impl Fn(usize) -> bool) -> Self {
        let mut queries = Self::default();
        for (index, text) in texts.iter().enumerate() {
            let folded = fold_label(text);
            let mut words: Vec<String> = words(&folded).map(str::to_owned).collect();
            words.sort_unstable();
            words.dedup();
            if is_wanted(index) && !folded.is_empty() {
                queries.whole.entry(folded.clone()).or_default().push(index);
                if let Some(longest) = words.iter().max_by_key(|word| word.len()) {
                    queries.by_word.entry(longest.clone()).or_default().push(index);
                }
            }
            queries.texts.push(LabelQueryText { written: collapse_whitespace(text), folded, words });
        }
        queries
    }

    /// Whether there is no text to look up.
    pub(super) fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    /// Passes the index of every text that a label matches to `take`, with the quality of the
    /// match.
    pub(super) fn for_each_match(&self, label: &str, mut take: impl FnMut(usize, MatchQuality)) {
        let folded = fold_label(label);
        let same = self.whole.get(&folded).map(Vec::as_slice).unwrap_or_default();
        for &index in same {
            let is_same = collapse_whitespace(label) == self.texts[index].written;
            take(index, if is_same { MatchQuality::Exact } else { MatchQuality::Folded });
        }
        if !self.may_match_words(&folded) {
            return;
        }
        let mut label_words: Vec<&str> = words(&folded).collect();
        let count = label_words.len();
        label_words.sort_unstable();
        label_words.dedup();
        for word in &label_words {
            for &index in self.by_word.get(*word).map(Vec::as_slice).unwrap_or_default() {
                let text_words = &self.texts[index].words;
                let has_all = text_words.iter().all(|word| label_words.binary_search(&word.as_str()).is_ok());
                if has_all && !same.contains(&index) {
                    let others = count.saturating_sub(text_words.len());
                    take(index, MatchQuality::Words(u16::try_from(others).unwrap_or(u16::MAX)));
                }
            }
        }
    }

    /// Whether a label may contain all words of a text; cheaper than splitting it into words.
    fn may_match_words(&self, folded: &str) -> bool {
        const FEW: usize = 16;
        self.by_word.len() > FEW || self.by_word.keys().any(|word| folded.contains(word.as_str()))
    }

    /// Passes the index of every text with a similar label to `take`, with the distance.
    /// The label is compared with every text, so this is for a few texts without a match.
    pub(super) fn for_each_near_match(&self, label: &str, mut take: impl FnMut(usize, MatchQuality)) {
        let folded = fold_label(label);
        for &index in self.whole.values().flatten() {
            let similarity = similarity(&self.texts[index], &folded);
            if similarity >= MIN_SIMILARITY {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "distance is 0 to 1000")]
                take(index, MatchQuality::Near(((1.0 - similarity) * 1_000.0) as u16));
            }
        }
    }
}

/// Minimum similarity of labels that are reported.
const MIN_SIMILARITY: f64 = 0.5;

/// The similarity of a label and a text, from 0 to 1: the maximum of the similarity of
/// their letters and of the share of the text's words in the label.
fn similarity(text: &LabelQueryText, label: &str) -> f64 {
    let (shorter, longer) = (text.folded.len().min(label.len()), text.folded.len().max(label.len()));
    // The Levenshtein distance is at least the difference of the lengths.
    let by_letters = if shorter * 2 < longer { 0.0 } else { strsim::normalized_levenshtein(&text.folded, label) };
    let label_words: Vec<&str> = words(label).collect();
    let shared = text.words.iter().filter(|word| label_words.contains(&word.as_str())).count();
    #[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
    let by_words = shared as f64 / text.words.len().max(1) as f64;
    // Less than 1, because additional words in the label suggest another entity.
    by_letters.max(by_words * 0.9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn a_label_matches_as_a_whole_or_by_all_words() {
        let queries = LabelQueries::new(&texts(&["Cologne Cathedral", "köln", "Köln"]), |_| true);
        let check = |label: &str, expected: &[(usize, MatchQuality)]| {
            let mut found = Vec::new();
            queries.for_each_match(label, |index, fit| found.push((index, fit)));
            found.sort_by_key(|(index, _)| *index);
            assert_eq!(found, expected, "{label}");
        };

        check("Cologne  Cathedral", &[(0, MatchQuality::Exact)]);
        check("COLOGNE CATHEDRAL", &[(0, MatchQuality::Folded)]);
        check("Köln", &[(1, MatchQuality::Folded), (2, MatchQuality::Exact)]);
        check("The Cathedral (Cologne)", &[(0, MatchQuality::Words(1))]);
        check("Stadt Köln am Rhein", &[(1, MatchQuality::Words(3)), (2, MatchQuality::Words(3))]);
        check("Cologne", &[]);
        check("Cathedrals of Cologne", &[]);
    }

    #[test]
    fn only_wanted_texts_match_and_an_empty_text_matches_nothing() {
        let queries = LabelQueries::new(&texts(&["a", " ", "b"]), |index| index != 0);
        let check = |label: &str, count: usize| {
            let mut found = 0;
            queries.for_each_match(label, |_, _| found += 1);
            assert_eq!(found, count, "{label}");
        };

        check("a", 0);
        check("b", 1);
        check("", 0);
        assert!(LabelQueries::new(&texts(&[" ", ""]), |_| true).is_empty());
    }

    #[test]
    fn more_similar_labels_have_a_smaller_distance() {
        let queries = LabelQueries::new(&texts(&["Colonge Cathedral"]), |_| true);
        let near = |label: &str| {
            let mut found = None;
            queries.for_each_near_match(label, |_, fit| found = Some(fit));
            found
        };

        let (close, closer) = (near("Cologne Cathedral School").unwrap(), near("Cologne Cathedral").unwrap());
        assert!(closer < close, "{closer:?} {close:?}");
        assert_eq!(near("Empire State Building"), None);
    }
}
