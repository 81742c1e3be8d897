//! Splits texts into terms.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use unicode_segmentation::UnicodeSegmentation as _;

use super::graph::WordId;

/// Maximum length of a term in characters. Longer words are not natural language, and are
/// truncated.
const MAX_TERM_CHARS: usize = 40;

/// Splits texts into terms: Unicode words in lower case, without stop words.
#[derive(Clone)]
pub struct Tokeniser {
    /// Stop words by language, loaded on first use.
    stop_words: HashMap<String, HashSet<String>>,
    /// Language of texts without a language tag.
    default_language: String,
    /// Words that the user excludes, in any language.
    ignored: HashSet<String>,
}

impl Tokeniser {
    /// Creates a tokeniser with the bundled stop words. Texts without a language tag are assumed to
    /// be in `default_language`.
    #[must_use]
    pub fn new(default_language: &str, ignored: &[String]) -> Self {
        let ignored = ignored.iter().map(|word| word.to_lowercase()).collect();
        Self { stop_words: HashMap::new(), default_language: default_language.to_ascii_lowercase(), ignored }
    }

    /// Calls `take` for each term of a text.
    pub(crate) fn for_each_term(&mut self, text: &str, language: &str, mut take: impl FnMut(&str)) {
        let Self { stop_words, default_language, ignored } = self;
        let language = if language.is_empty() { default_language } else { language };
        // Documents may use any number of language tags, so only languages with stop words are
        // cached.
        if !stop_words.contains_key(language) {
            let found = stop_word_set(language);
            stop_words.extend(found.map(|found| (language.to_owned(), found)));
        }
        let stop_words = stop_words.get(language);
        for word in text.unicode_words() {
            let word: String = word.chars().take(MAX_TERM_CHARS).flat_map(char::to_lowercase).collect();
            if !stop_words.is_some_and(|stop_words| stop_words.contains(&word)) && !ignored.contains(&word) {
                take(&word);
            }
        }
    }
}

impl Default for Tokeniser {
    fn default() -> Self {
        Self::new("en", &[])
    }
}

/// The bundled stop words of a language, by primary subtag.
fn stop_word_set(language: &str) -> Option<HashSet<String>> {
    Some(stop_words::lookup(language)?.iter().map(|word| word.to_lowercase()).collect())
}

/// A set of terms, each with a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct TermVocabulary {
    terms: Vec<Box<str>>,
    numbers: HashMap<Box<str>, WordId, RandomState>,
}

impl TermVocabulary {
    /// Returns the number of a term, which is added if it is new.
    pub(crate) fn intern(&mut self, term: &str) -> WordId {
        if let Some(known) = self.numbers.get(term) {
            return *known;
        }
        let number = WordId::try_from(self.terms.len()).expect("the number of terms fits into 32 bits");
        self.terms.push(term.into());
        self.numbers.insert(term.into(), number);
        number
    }

    /// Returns the number of a term, which is added if there are fewer than `max`.
    pub(super) fn intern_bounded(&mut self, term: &str, max: usize) -> Option<WordId> {
        let known = self.find(term);
        if known.is_none() && self.len() < max { Some(self.intern(term)) } else { known }
    }

    /// The number of a term, if it is known.
    #[must_use]
    pub(crate) fn find(&self, term: &str) -> Option<WordId> {
        self.numbers.get(term).copied()
    }

    /// The term with this number.
    #[must_use]
    pub(crate) fn term(&self, number: WordId) -> &str {
        &self.terms[number as usize]
    }

    /// Number of terms.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }
}

/// The last part of an IRI as a text, used as the name of an entity without a label.
#[must_use]
pub fn iri_text(iri: &str) -> String {
    let tail = iri.trim_end_matches(['/', '#']).rsplit(['/', '#', ':']).next().unwrap_or_default();
    let decoded = percent_decode(tail);
    let mut text = String::with_capacity(decoded.len() + 4);
    let mut last = ' ';
    for character in decoded.chars() {
        match character {
            '_' | '-' | '+' | '.' => text.push(' '),
            // A space is inserted before an upper-case letter: `camelCase` becomes two words.
            upper if upper.is_uppercase() && last.is_lowercase() => text.extend([' ', upper]),
            other => text.push(other),
        }
        last = character;
    }
    text
}

/// Percent-decodes a text, if the result is UTF-8.
#[must_use]
pub fn percent_decode(text: &str) -> String {
    percent_decode_where(text, |_| true)
}

/// Percent-decodes the non-ASCII characters of a URL, which gives the IRI that it may have come
/// from.
#[must_use]
pub(crate) fn decode_non_ascii(url: &str) -> String {
    percent_decode_where(url, |byte| !byte.is_ascii())
}

fn percent_decode_where(text: &str, is_decoded: impl Fn(u8) -> bool) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|digits| *first == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|code| is_decoded(*code));
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_split_into_unicode_words_without_stop_words() {
        let check = |text: &str, language: &str, expected: &[&str]| {
            let mut terms = Vec::new();
            Tokeniser::new("en", &["Page".to_owned()])
                .for_each_term(text, language, |term| terms.push(term.to_owned()));
            assert_eq!(terms, expected, "{text}");
        };

        check("The Cathedral of Cologne", "", &["cathedral", "cologne"]);
        check("Der Dom zu Köln", "de", &["dom", "köln"]);
        check("Čech—Žižka, ΑΘΗΝΑ", "cs", &["čech", "žižka", "αθηνα"]);
        check("a page", "en", &[]);
        check("", "en", &[]);
        check("xx", "tlh", &["xx"]);
    }

    #[test]
    fn an_iri_is_converted_to_words() {
        let check = |iri: &str, text: &str| assert_eq!(iri_text(iri), text);

        check("http://dbpedia.org/resource/Abdullah_G%C3%BCl", "Abdullah Gül");
        check("http://dbpedia.org/ontology/birthPlace", "birth Place");
        check("http://a.example/x#this-one", "this one");
        check("http://a.example/things/", "things");
        check("urn:isbn:123", "123");
        check("http://a.example/100%", "100%");
        check("http://a.example/5%+1", "5% 1");
    }
}
