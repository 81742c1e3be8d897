//! Finds terms as whole words.
//!
//! The paper requires that a property "contains" a term. As substrings, `n3` would be found in
//! `plan30`, so whole words are compared (docs/algorithms.md §2).

use std::collections::HashMap;

use foldhash::fast::FixedState;

/// Terms of one or several words, by the first word.
#[derive(Clone, Debug, Default)]
pub(super) struct TermMatcher {
    /// The remaining words of each term, by its first word.
    by_first: HashMap<Box<str>, Vec<Vec<Box<str>>>, FixedState>,
}

impl TermMatcher {
    /// Adds a term, given in lower case. Returns `false` if it has no words.
    pub(super) fn add(&mut self, term: &str) -> bool {
        let mut words = words(term);
        let Some(first) = words.next() else { return false };
        self.by_first.entry(first.into()).or_default().push(words.map(Into::into).collect());
        true
    }

    /// Whether a text contains a term.
    pub(super) fn matches(&self, text: &str) -> bool {
        let mut rest = words(text);
        while let Some(word) = rest.next() {
            let followers = if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
                self.by_first.get(word)
            } else {
                self.by_first.get(word.to_lowercase().as_str())
            };
            let follows = |expected: &Vec<Box<str>>| {
                let mut next = rest.clone();
                expected.iter().all(|word| next.next().is_some_and(|found| found.to_lowercase() == **word))
            };
            if followers.is_some_and(|followers| followers.iter().any(follows)) {
                return true;
            }
        }
        false
    }

    /// Whether a part of a URL contains a term; percent-encoded characters separate words.
    pub(super) fn matches_address(&self, part: &str) -> bool {
        if !part.contains('%') {
            return self.matches(part);
        }
        // Percent-encoded characters separate words, because they are seldom letters.
        let mut pieces = part.split('%');
        let mut plain = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            plain.push(' ');
            plain.push_str(piece.get(2..).unwrap_or_default());
        }
        self.matches(&plain)
    }
}

/// The words of a text: sequences of letters and digits.
fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> TermMatcher {
        let mut terms = TermMatcher::default();
        for term in ["rdf", "n3", "linked data", "rdf/xml only", "été"] {
            assert!(terms.add(term));
        }
        terms
    }

    #[test]
    fn terms_are_found_as_whole_words() {
        let terms = terms();
        let check = |text: &str, expected| assert_eq!(terms.matches(text), expected, "{text}");

        check("rdf", true);
        check("get the RDF here", true);
        check("data.rdf", true);
        check("rdf_export", true);
        check("(n3)", true);
        check("plan30", false);
        check("n3s", false);
        check("rdfs", false);
        check("Linked Data", true);
        check("linked-data", true);
        check("linked linked  data", true);
        check("linked open data", false);
        check("data linked", false);
        check("L'ÉTÉ", true);
        check("", false);
    }

    #[test]
    fn percent_encoded_characters_separate_words() {
        let terms = terms();
        let check = |text: &str, expected| assert_eq!(terms.matches_address(text), expected, "{text}");

        check("/linked%20data/", true);
        check("/a%2Frdf", true);
        check("%2", false);
        check("100%", false);
        check("%rd", false);
    }

    #[test]
    fn a_term_without_words_is_rejected() {
        assert!(!TermMatcher::default().add("+/-"));
    }
}
