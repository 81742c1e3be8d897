//! Words that express the same relation: `spouse`, `wife`, `married`.

use std::sync::{Arc, LazyLock};

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::text::{StemmedLanguages, words};

/// The lexicons that are shipped, by language.
const SHIPPED: [(&str, &str); 3] = [
    ("en", include_str!("../../data/relation-words-en.txt")),
    ("de", include_str!("../../data/relation-words-de.txt")),
    ("fr", include_str!("../../data/relation-words-fr.txt")),
];

static ENGLISH: LazyLock<Arc<RelationLexicon>> =
    LazyLock::new(|| Arc::new(RelationLexicon::of_languages(&StemmedLanguages::default())));

/// Groups of interchangeable words.
#[derive(Clone, Debug)]
pub struct RelationLexicon {
    variants: HashMap<String, Vec<String>>,
}

impl RelationLexicon {
    /// The shipped lexicon of English, parsed once.
    #[must_use]
    pub fn english() -> Arc<Self> {
        Arc::clone(&ENGLISH)
    }

    /// The shipped lexicons of the languages whose words are stemmed; other languages have none.
    #[must_use]
    pub fn of_languages(stemmed: &StemmedLanguages) -> Self {
        let mut variants = HashMap::new();
        for tag in stemmed.tags() {
            for (_, text) in SHIPPED.iter().filter(|(language, _)| *language == tag) {
                add_groups(&mut variants, text, stemmed, Some(tag));
            }
        }
        Self::sorted(variants)
    }

    /// A lexicon without words.
    #[must_use]
    pub fn empty() -> Self {
        Self { variants: HashMap::new() }
    }

    /// Reads a lexicon: one group of words per line; lines that begin with `#` are comments.
    #[must_use]
    pub fn parse(text: &str, stemmed: &StemmedLanguages) -> Self {
        let mut variants = HashMap::new();
        add_groups(&mut variants, text, stemmed, None);
        Self::sorted(variants)
    }

    fn sorted(variants: HashMap<String, HashSet<String>>) -> Self {
        let sorted = |(term, others): (String, HashSet<String>)| {
            let mut others: Vec<String> = others.into_iter().collect();
            others.sort_unstable();
            (term, others)
        };
        Self { variants: variants.into_iter().map(sorted).collect() }
    }

    /// Returns the terms that can stand for a term.
    pub(crate) fn variants(&self, term: &str) -> &[String] {
        self.variants.get(term).map_or(&[], Vec::as_slice)
    }
}

/// Adds the groups of a lexicon.
fn add_groups(
    variants: &mut HashMap<String, HashSet<String>>,
    text: &str,
    stemmed: &StemmedLanguages,
    language: Option<&str>,
) {
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let group: Vec<String> = words(line).into_iter().map(|word| stemmed.term(word, language)).collect();
        for term in &group {
            let others = group.iter().filter(|other| *other != term).cloned();
            variants.entry(term.clone()).or_default().extend(others);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lexicons_are_those_of_the_stemmed_languages() {
        let lexicon = |tags: &[&str]| {
            let stemmed = StemmedLanguages::new(tags.iter().copied()).expect("they have stemmers");
            let lexicon = RelationLexicon::of_languages(&stemmed);
            let has = |word: &str, other: &str, language: &str| {
                let term = |word: &str| stemmed.term(crate::text::fold(word), Some(language));
                lexicon.variants(&term(word)).contains(&term(other))
            };
            (has("spouse", "wife", "en"), has("Ehefrau", "Gatte", "de"), has("époux", "mari", "fr"))
        };

        assert_eq!(lexicon(&["en"]), (true, false, false));
        assert_eq!(lexicon(&["de", "en"]), (true, true, false));
        assert_eq!(lexicon(&["fr", "ru"]), (false, false, true));
        assert_eq!(lexicon(&[]), (false, false, false));
    }
}
