//! Words that the index does not have: corrected if they are misspelt, completed if they are being
//! typed.

use crate::index::{FieldName, IndexView, SearchError};
use crate::text::names::name_words;
use crate::text::{is_stop_word, words};

/// Shorter words are not corrected.
const MIN_LETTERS: usize = 4;

/// Number of words of a query that are corrected.
const MAX_CORRECTED: usize = 4;

/// Longer words are not corrected: the number of their neighbours grows with the length.
const MAX_LETTERS: usize = 32;

/// Number of terms that a prefix stands for, and number that are considered.
const MAX_COMPLETIONS: usize = 16;
const MAX_CONSIDERED: usize = 4_096;

/// Number of entities whose texts are read to find the form of a word.
const MAX_FORM_ENTITIES: usize = 8;

/// Letters that a misspelt word may lack.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

/// A word of the query that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The word as it was given, folded.
    pub word: String,
    /// The word that was searched instead.
    pub replacement: String,
}

/// Replaces words that are not in the index by the most frequent word at distance 1. Known words are
/// never replaced: that costs more correct queries than it repairs (`SEARCH-STUDY.md`, section 4).
pub(crate) fn correct(view: &IndexView, words: &mut [String]) -> Result<Vec<Correction>, SearchError> {
    let mut corrections = Vec::new();
    for word in words.iter_mut() {
        let letters = word.chars().count();
        let is_candidate = (MIN_LETTERS..=MAX_LETTERS).contains(&letters) && !is_stop_word(word);
        if !is_candidate || corrections.len() == MAX_CORRECTED || frequency(view, word)? > 0 {
            continue;
        }
        let neighbours = neighbours(word);
        let mut best: Option<(u64, &String)> = None;
        for neighbour in &neighbours {
            let count = frequency(view, neighbour)?;
            let is_better = best.is_none_or(|(most, known)| count > most || (count == most && neighbour < known));
            if count > 0 && is_better {
                best = Some((count, neighbour));
            }
        }
        if let Some((_, replacement)) = best {
            let replacement = written_form(view, replacement, &neighbours)?.unwrap_or_else(|| replacement.clone());
            corrections.push(Correction { word: std::mem::replace(word, replacement.clone()), replacement });
        }
    }
    Ok(corrections)
}

/// The form in which entities have a word, because the index has only its stem: of the forms with this
/// stem, one of the `candidates` if possible.
fn written_form(view: &IndexView, word: &str, candidates: &[String]) -> Result<Option<String>, SearchError> {
    let terms = view.stemmed.query_terms(word);
    let mut found = None;
    for field in [FieldName::Label, FieldName::Alias, FieldName::Description, FieldName::Type] {
        for term in &terms {
            for number in view.entities_with(view.schema.text[field as usize], term, MAX_FORM_ENTITIES)? {
                let record = view.record(number)?;
                let texts = std::iter::once(&record.label).chain(&record.aliases).chain([&record.description]);
                let types = record.types.iter().flat_map(|kind| name_words(kind));
                for form in texts.flat_map(|text| words(text)).chain(types) {
                    if !view.stemmed.query_terms(&form).iter().any(|stem| terms.contains(stem)) {
                        continue;
                    }
                    if candidates.contains(&form) {
                        return Ok(Some(form));
                    }
                    found.get_or_insert(form);
                }
            }
        }
    }
    Ok(found)
}

/// Number of entities with a word in the field where it is most frequent.
fn frequency(view: &IndexView, word: &str) -> Result<u64, SearchError> {
    let mut most = 0;
    for term in view.stemmed.query_terms(word) {
        most = most.max(view.max_frequency(&term)?);
    }
    Ok(most)
}

/// Words at distance 1: a letter missing, added, replaced, or two transposed.
fn neighbours(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let mut alphabet: Vec<char> = LETTERS.chars().chain(letters.iter().copied()).collect();
    alphabet.sort_unstable();
    alphabet.dedup();
    let mut found = Vec::new();
    let text = |letters: &[char]| letters.iter().collect::<String>();
    for at in 0..=letters.len() {
        for letter in &alphabet {
            found.push(text(&[&letters[..at], &[*letter], &letters[at..]].concat()));
        }
        if at == letters.len() {
            break;
        }
        found.push(text(&[&letters[..at], &letters[at + 1..]].concat()));
        for letter in alphabet.iter().filter(|letter| **letter != letters[at]) {
            found.push(text(&[&letters[..at], &[*letter], &letters[at + 1..]].concat()));
        }
        if at + 1 < letters.len() && letters[at] != letters[at + 1] {
            let mut swapped = letters.clone();
            swapped.swap(at, at + 1);
            found.push(text(&swapped));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The most frequent terms of names that begin with a word that is being typed.
pub(crate) fn completions(view: &IndexView, prefix: &str) -> Result<Vec<String>, SearchError> {
    let mut found = view.name_terms(prefix, MAX_CONSIDERED)?;
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(found.into_iter().take(MAX_COMPLETIONS).map(|(term, _)| term).collect())
}

#[cfg(test)]
mod tests {
    use super::neighbours;

    #[test]
    fn neighbours_are_at_distance_one() {
        let found = neighbours("abc");
        for expected in ["ab", "acb", "bac", "abcd", "xabc", "abx", "a1bc"] {
            assert!(found.iter().any(|word| word == expected), "{expected}");
        }
        for other in ["abc", "cba", "a", "abcde"] {
            assert!(!found.iter().any(|word| word == other), "{other}");
        }
    }
}
