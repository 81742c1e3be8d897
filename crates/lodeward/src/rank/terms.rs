//! Texts as terms.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use unicode_segmentation::UnicodeSegmentation as _;

use super::graph::TermId;

/// Longer words are cut: nobody wrote them to be read.
const TERM_CHARACTERS_MAX: usize = 40;

/// Cuts texts into terms: words by the rules of Unicode, in lower case, without
/// those that say nothing.
#[derive(Clone)]
pub struct Tokeniser {
    /// Stop words by language, of those that have any.
    stop_words: HashMap<String, HashSet<String>>,
    /// The language of texts that do not say theirs.
    default_language: String,
    /// Words that the user does not want counted, in any language.
    ignored: HashSet<String>,
}

impl Tokeniser {
    /// A tokeniser that knows the stop words of the languages we ship. Texts
    /// without a language are taken to be in `default_language`.
    #[must_use]
    pub fn new(default_language: &str, ignored: &[String]) -> Self {
        let ignored = ignored.iter().map(|word| word.to_lowercase()).collect();
        Self { stop_words: HashMap::new(), default_language: default_language.to_ascii_lowercase(), ignored }
    }

    /// Calls `take` for each term of a text.
    pub fn each_term(&mut self, text: &str, language: &str, mut take: impl FnMut(&str)) {
        let Self { stop_words, default_language, ignored } = self;
        let language = if language.is_empty() { default_language } else { language };
        // There are as many languages as strangers like, but few that we know.
        if !stop_words.contains_key(language) {
            let found = stop_words_of(language);
            stop_words.extend(found.map(|found| (language.to_owned(), found)));
        }
        let stop_words = stop_words.get(language);
        for word in text.unicode_words() {
            let word: String = word.chars().take(TERM_CHARACTERS_MAX).flat_map(char::to_lowercase).collect();
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

/// The stop words of a language, by its primary subtag, if we ship any.
fn stop_words_of(language: &str) -> Option<HashSet<String>> {
    Some(stop_words::lookup(language)?.iter().map(|word| word.to_lowercase()).collect())
}

/// Terms by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    terms: Vec<Box<str>>,
    numbers: HashMap<Box<str>, TermId, RandomState>,
}

impl Vocabulary {
    /// The number of a term.
    pub fn number(&mut self, term: &str) -> TermId {
        if let Some(known) = self.numbers.get(term) {
            return *known;
        }
        let number = TermId::try_from(self.terms.len()).expect("terms are bounded");
        self.terms.push(term.into());
        self.numbers.insert(term.into(), number);
        number
    }

    /// The number of a term, which is made known only if there are fewer than so many.
    pub(super) fn number_below(&mut self, term: &str, max: usize) -> Option<TermId> {
        let known = self.find(term);
        if known.is_none() && self.len() < max { Some(self.number(term)) } else { known }
    }

    /// The number of a term, if it is known.
    #[must_use]
    pub fn find(&self, term: &str) -> Option<TermId> {
        self.numbers.get(term).copied()
    }

    /// The term of a number.
    #[must_use]
    pub fn term(&self, number: TermId) -> &str {
        &self.terms[number as usize]
    }

    /// How many terms there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// The last part of an IRI as a text: what an entity is called by if nobody says
/// what it is called.
#[must_use]
pub fn text_of_iri(iri: &str) -> String {
    let tail = iri.trim_end_matches(['/', '#']).rsplit(['/', '#', ':']).next().unwrap_or_default();
    let decoded = decoded(tail);
    let mut text = String::with_capacity(decoded.len() + 4);
    let mut last = ' ';
    for character in decoded.chars() {
        match character {
            '_' | '-' | '+' | '.' => text.push(' '),
            // camelCase is two words.
            upper if upper.is_uppercase() && last.is_lowercase() => text.extend([' ', upper]),
            other => text.push(other),
        }
        last = character;
    }
    text
}

/// Percent-decoded, if that is UTF-8.
pub(crate) fn decoded(text: &str) -> String {
    decoded_where(text, |_| true)
}

/// With letters that are not ASCII in place of their percent-encoding: an address
/// as the IRI that it may have come from.
#[must_use]
pub fn with_letters(address: &str) -> String {
    decoded_where(address, |byte| !byte.is_ascii())
}

fn decoded_where(text: &str, is_decoded: impl Fn(u8) -> bool) -> String {
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
    fn words_are_cut_by_the_rules_of_unicode_and_without_stop_words() {
        let check = |text: &str, language: &str, expected: &[&str]| {
            let mut terms = Vec::new();
            Tokeniser::new("en", &["Page".to_owned()]).each_term(text, language, |term| terms.push(term.to_owned()));
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
    fn an_iri_has_a_name_in_it() {
        let check = |iri: &str, text: &str| assert_eq!(text_of_iri(iri), text);

        check("http://dbpedia.org/resource/Abdullah_G%C3%BCl", "Abdullah Gül");
        check("http://dbpedia.org/ontology/birthPlace", "birth Place");
        check("http://a.example/x#this-one", "this one");
        check("http://a.example/things/", "things");
        check("urn:isbn:123", "123");
        check("http://a.example/100%", "100%");
        check("http://a.example/5%+1", "5% 1");
    }
}
