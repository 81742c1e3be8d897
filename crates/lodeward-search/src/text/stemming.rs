//! Stems of words, by language.

use std::cell::RefCell;
use std::mem::{Discriminant, discriminant};

use frostem::{Algorithm, Stemmer};

use super::for_each_word;
use crate::recent::RecentMap;

/// Languages whose texts are stemmed.
///
/// A text is stemmed by the stemmer of its language tag, a text without a tag by the stemmer of
/// the first language. The language of a query is unknown: each of its words stands for its stem
/// in every one of these languages, and for itself.
#[derive(Clone, Debug)]
pub struct StemmedLanguages {
    stemmers: Vec<(String, Algorithm)>,
}

impl Default for StemmedLanguages {
    fn default() -> Self {
        Self { stemmers: vec![("en".to_owned(), Algorithm::English)] }
    }
}

impl StemmedLanguages {
    /// No text is stemmed.
    #[must_use]
    pub fn none() -> Self {
        Self { stemmers: Vec::new() }
    }

    /// Creates the list from language tags such as `en`. Returns the tag that has no stemmer, if
    /// there is one.
    pub fn new<'a>(tags: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let stemmer = |tag: &'a str| Some((tag.to_owned(), algorithm(tag)?));
        let stemmers = tags.into_iter().map(|tag| stemmer(tag).ok_or_else(|| tag.to_owned()));
        Ok(Self { stemmers: stemmers.collect::<Result<_, _>>()? })
    }

    /// The tags of the languages.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.stemmers.iter().map(|(tag, _)| tag.as_str())
    }

    /// Returns the term under which a word of a text is indexed.
    #[must_use]
    pub fn term(&self, word: String, language: Option<&str>) -> String {
        match self.stemmer(language) {
            Some(algorithm) => stem(algorithm, &word),
            None => word,
        }
    }

    /// Calls `visit` with the term of each word of a text.
    pub fn for_each_term(&self, text: &str, language: Option<&str>, mut visit: impl FnMut(&str)) {
        let stemmer = self.stemmer(language);
        for_each_word(text, |word| match stemmer {
            Some(algorithm) => with_stem(algorithm, word, &mut visit),
            None => visit(word),
        });
    }

    fn stemmer(&self, language: Option<&str>) -> Option<Algorithm> {
        let found = match language {
            None => self.stemmers.first(),
            Some(tag) => self.stemmers.iter().find(|(name, _)| is_language(tag, name)),
        };
        found.map(|(_, algorithm)| *algorithm)
    }

    /// Returns the terms that a word of a query stands for. The first is its term in a text
    /// without a language tag.
    #[must_use]
    pub fn query_terms(&self, word: &str) -> Vec<String> {
        let mut terms: Vec<String> = Vec::new();
        let stems = self.stemmers.iter().map(|(_, algorithm)| stem(*algorithm, word));
        for term in stems.chain([word.to_owned()]) {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        terms
    }
}

/// Number of words of a language whose stems are kept in memory, for each thread.
const MAX_KNOWN_STEMS: usize = 10_000;

/// Stems of the words of one language.
type KnownStems = (Discriminant<Algorithm>, RecentMap<String, String>);

thread_local! {
    /// Stems by language and word: most words of the fields are names that many entities share.
    static KNOWN_STEMS: RefCell<Vec<KnownStems>> = const { RefCell::new(Vec::new()) };
}

fn stem(algorithm: Algorithm, word: &str) -> String {
    let mut found = String::new();
    with_stem(algorithm, word, |stem| stem.clone_into(&mut found));
    found
}

/// Calls `visit` with the stem of a word.
fn with_stem(algorithm: Algorithm, word: &str, visit: impl FnOnce(&str)) {
    KNOWN_STEMS.with_borrow_mut(|languages| {
        let language = discriminant(&algorithm);
        let place = languages.iter().position(|(known, _)| *known == language).unwrap_or_else(|| {
            languages.push((language, RecentMap::new(MAX_KNOWN_STEMS / 2)));
            languages.len() - 1
        });
        let stems = &mut languages[place].1;
        if let Some(stem) = stems.get(word) {
            return visit(stem);
        }
        let stem = Stemmer::new(algorithm).stem(word).to_string();
        visit(&stem);
        stems.insert(word.to_owned(), stem);
    });
}

/// Whether a language tag such as `en-GB` is of a language.
fn is_language(tag: &str, name: &str) -> bool {
    let primary = tag.split('-').next().unwrap_or_default();
    primary.eq_ignore_ascii_case(name)
}

fn algorithm(tag: &str) -> Option<Algorithm> {
    let name = match tag.to_ascii_lowercase().as_str() {
        "ar" => "arabic",
        "da" => "danish",
        "de" => "german",
        "el" => "greek",
        "en" => "english",
        "es" => "spanish",
        "fi" => "finnish",
        "fr" => "french",
        "hu" => "hungarian",
        "it" => "italian",
        "nl" => "dutch",
        "no" | "nb" | "nn" => "norwegian",
        "pt" => "portuguese",
        "ro" => "romanian",
        "ru" => "russian",
        "sv" => "swedish",
        "tr" => "turkish",
        _ => return None,
    };
    Algorithm::from_name(name).ok()
}

/// Removes the plural ending of an English word (the S-stemmer: D. Harman, *How effective is
/// suffixing?*, JASIS 42, 1991). Other than a stem, the result is still the word: names are
/// compared by it.
#[must_use]
pub fn singular(word: &str) -> String {
    if let Some(rest) = word.strip_suffix("ies") {
        if !rest.ends_with(['e', 'a']) && !rest.is_empty() {
            return format!("{rest}y");
        }
    } else if let Some(rest) = word.strip_suffix("es") {
        if !rest.ends_with(['a', 'e', 'o']) && !rest.is_empty() {
            return format!("{rest}e");
        }
    } else if let Some(rest) = word.strip_suffix('s')
        && !rest.ends_with(['u', 's'])
        && !rest.is_empty()
    {
        return rest.to_owned();
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plural_endings_are_removed() {
        // "movies" and "paris" are not stemmed well, which is harmless: forms are only compared with
        // forms.
        let cases =
            [("cities", "city"), ("houses", "house"), ("albums", "album"), ("movies", "movy"), ("paris", "pari")];
        let unchanged = ["bus", "glass", "aes", "s", "es"].map(|word| (word, word));
        for (word, expected) in cases.into_iter().chain(unchanged) {
            assert_eq!(singular(word), expected);
        }
    }

    #[test]
    fn texts_are_stemmed_by_their_language() {
        let languages = StemmedLanguages::new(["en", "de"]).expect("both have stemmers");

        assert_eq!(languages.term("cathedrals".to_owned(), Some("en-GB")), "cathedr");
        assert_eq!(languages.term("cathedrals".to_owned(), None), "cathedr");
        assert_eq!(languages.term("hauser".to_owned(), Some("de")), "haus");
        assert_eq!(languages.term("maisons".to_owned(), Some("fr")), "maisons");
        assert_eq!(languages.query_terms("cathedrals"), ["cathedr", "cathedral", "cathedrals"]);
        assert_eq!(StemmedLanguages::new(["tlh"]).expect_err("no stemmer"), "tlh");
    }
}
