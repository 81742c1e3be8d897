//! Many texts, held against many labels at once.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::Fit;
use super::fold::{folded, spaced, words};

/// Texts that are looked for. A label is compared with those it may fit, not with
/// all: it is looked up as a whole, and by each of its words.
#[derive(Debug, Default)]
pub(super) struct Questions {
    texts: Vec<Text>,
    /// Texts by what they are when folded.
    whole: HashMap<String, Vec<usize>, RandomState>,
    /// Texts by their longest word, which fewest labels have.
    by_word: HashMap<String, Vec<usize>, RandomState>,
}

#[derive(Debug)]
struct Text {
    /// As it was written, but for spaces.
    written: String,
    folded: String,
    words: Vec<String>,
}

impl Questions {
    /// Looks for these of some texts. Those without a word fit nothing.
    pub(super) fn new(texts: &[String], wanted: impl Fn(usize) -> bool) -> Self {
        let mut questions = Self::default();
        for (place, text) in texts.iter().enumerate() {
            let folded = folded(text);
            let mut words: Vec<String> = words(&folded).map(str::to_owned).collect();
            words.sort_unstable();
            words.dedup();
            if wanted(place) && !folded.is_empty() {
                questions.whole.entry(folded.clone()).or_default().push(place);
                if let Some(longest) = words.iter().max_by_key(|word| word.len()) {
                    questions.by_word.entry(longest.clone()).or_default().push(place);
                }
            }
            questions.texts.push(Text { written: spaced(text), folded, words });
        }
        questions
    }

    /// Whether nothing is looked for.
    pub(super) fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    /// Tells every text that a label fits, and how well.
    pub(super) fn fits(&self, label: &str, mut take: impl FnMut(usize, Fit)) {
        let folded = folded(label);
        let same = self.whole.get(&folded).map(Vec::as_slice).unwrap_or_default();
        for &place in same {
            let is_same = spaced(label) == self.texts[place].written;
            take(place, if is_same { Fit::Same } else { Fit::Folded });
        }
        if !self.may_have_words(&folded) {
            return;
        }
        let mut has: Vec<&str> = words(&folded).collect();
        let count = has.len();
        has.sort_unstable();
        has.dedup();
        for word in &has {
            for &place in self.by_word.get(*word).map(Vec::as_slice).unwrap_or_default() {
                let wanted = &self.texts[place].words;
                let fits = wanted.iter().all(|word| has.binary_search(&word.as_str()).is_ok());
                if fits && !same.contains(&place) {
                    let beyond = count.saturating_sub(wanted.len());
                    take(place, Fit::Words(u16::try_from(beyond).unwrap_or(u16::MAX)));
                }
            }
        }
    }

    /// Whether a label may have all words of a text: quicker than to find its words.
    fn may_have_words(&self, folded: &str) -> bool {
        const FEW: usize = 16;
        self.by_word.len() > FEW || self.by_word.keys().any(|word| folded.contains(word.as_str()))
    }

    /// Tells every text that a label looks like. Compares each with each: for a
    /// few texts that nothing fits.
    pub(super) fn resembles(&self, label: &str, mut take: impl FnMut(usize, Fit)) {
        let folded = folded(label);
        for &place in self.whole.values().flatten() {
            let likeness = likeness(&self.texts[place], &folded);
            if likeness >= LIKENESS_MIN {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
                take(place, Fit::Near(((1.0 - likeness) * 1_000.0) as u16));
            }
        }
    }
}

/// Labels that are less like a text are not told.
const LIKENESS_MIN: f64 = 0.5;

/// How like a label is to a text, from 0 to 1: by its letters, or by the words
/// that it has of the text, whichever is more.
fn likeness(text: &Text, label: &str) -> f64 {
    let (shorter, longer) = (text.folded.len().min(label.len()), text.folded.len().max(label.len()));
    // Levenshtein's distance is at least the difference of lengths.
    let by_letters = if shorter * 2 < longer { 0.0 } else { strsim::normalized_levenshtein(&text.folded, label) };
    let has: Vec<&str> = words(label).collect();
    let shared = text.words.iter().filter(|word| has.contains(&word.as_str())).count();
    #[expect(clippy::cast_precision_loss, reason = "counts of words are small")]
    let by_words = shared as f64 / text.words.len().max(1) as f64;
    // Words that are there besides say that something else is meant.
    by_letters.max(by_words * 0.9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn a_label_fits_as_a_whole_or_by_all_words() {
        let questions = Questions::new(&texts(&["Cologne Cathedral", "köln", "Köln"]), |_| true);
        let check = |label: &str, expected: &[(usize, Fit)]| {
            let mut found = Vec::new();
            questions.fits(label, |place, fit| found.push((place, fit)));
            found.sort_by_key(|(place, _)| *place);
            assert_eq!(found, expected, "{label}");
        };

        check("Cologne  Cathedral", &[(0, Fit::Same)]);
        check("COLOGNE CATHEDRAL", &[(0, Fit::Folded)]);
        check("Köln", &[(1, Fit::Folded), (2, Fit::Same)]);
        check("The Cathedral (Cologne)", &[(0, Fit::Words(1))]);
        check("Stadt Köln am Rhein", &[(1, Fit::Words(3)), (2, Fit::Words(3))]);
        check("Cologne", &[]);
        check("Cathedrals of Cologne", &[]);
    }

    #[test]
    fn only_what_is_wanted_is_looked_for_and_nothing_fits_no_text() {
        let questions = Questions::new(&texts(&["a", " ", "b"]), |place| place != 0);
        let check = |label: &str, count: usize| {
            let mut found = 0;
            questions.fits(label, |_, _| found += 1);
            assert_eq!(found, count, "{label}");
        };

        check("a", 0);
        check("b", 1);
        check("", 0);
        assert!(Questions::new(&texts(&[" ", ""]), |_| true).is_empty());
    }

    #[test]
    fn what_looks_like_a_text_is_told_the_likeliest_first() {
        let questions = Questions::new(&texts(&["Colonge Cathedral"]), |_| true);
        let near = |label: &str| {
            let mut found = None;
            questions.resembles(label, |_, fit| found = Some(fit));
            found
        };

        let (close, closer) = (near("Cologne Cathedral School").unwrap(), near("Cologne Cathedral").unwrap());
        assert!(closer < close, "{closer:?} {close:?}");
        assert_eq!(near("Empire State Building"), None);
    }
}
