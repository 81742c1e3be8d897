//! The words and terms of a query.

use crate::text::{StemmedLanguages, is_stop_word, words};

/// Maximum number of words of a query; later ones are ignored.
const MAX_QUERY_WORDS: usize = 64;

/// Maximum number of distinct terms of a query; later ones are ignored.
pub(crate) const MAX_QUERY_TERMS: usize = 16;

/// A query, split into words.
#[derive(Clone, Debug)]
pub struct AnalysedQuery {
    /// Folded words in order, stop words included.
    pub(crate) words: Vec<String>,
    /// Distinct terms without stop words, with their frequency. If a query has only stop words,
    /// they are its terms.
    pub(crate) terms: Vec<QueryTerm>,
}

/// A term of a query.
#[derive(Clone, Debug)]
pub(crate) struct QueryTerm {
    /// Terms of the index that it stands for; the first identifies it.
    pub(crate) variants: Vec<String>,
    pub(crate) frequency: u32,
}

impl AnalysedQuery {
    /// Splits a query into words and terms.
    #[must_use]
    pub fn new(query: &str, stemmed: &StemmedLanguages) -> Self {
        let mut words = words(query);
        words.truncate(MAX_QUERY_WORDS);
        Self::from_words(words, stemmed)
    }

    pub(crate) fn from_words(words: Vec<String>, stemmed: &StemmedLanguages) -> Self {
        let only_stop_words = words.iter().all(|word| is_stop_word(word));
        let mut terms: Vec<QueryTerm> = Vec::new();
        for word in words.iter().filter(|word| only_stop_words || !is_stop_word(word)) {
            let variants = stemmed.query_terms(word);
            match terms.iter().position(|term| term.variants[0] == variants[0]) {
                Some(at) => terms[at].frequency += 1,
                None if terms.len() < MAX_QUERY_TERMS => terms.push(QueryTerm { variants, frequency: 1 }),
                None => {}
            }
        }
        Self { words, terms }
    }

    /// Adds the words that begin with a word which is being typed.
    pub(crate) fn complete(&mut self, typed: &str, completions: Vec<String>, stemmed: &StemmedLanguages) {
        let own = stemmed.query_terms(typed);
        let term = match self.terms.iter().position(|term| term.variants[0] == own[0]) {
            Some(at) => &mut self.terms[at],
            // A stop word may be the beginning of another word.
            None if self.terms.len() < MAX_QUERY_TERMS => {
                self.terms.push(QueryTerm { variants: own, frequency: 1 });
                self.terms.last_mut().expect("it was just added")
            }
            None => return,
        };
        for completion in completions {
            if !term.variants.contains(&completion) {
                term.variants.push(completion);
            }
        }
    }
}
