//! Words that express the same relation: `spouse`, `wife`, `married`.

use std::sync::{Arc, LazyLock};

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::text::{StemmedLanguages, words};

/// The English lexicon that is shipped.
const ENGLISH: &str = include_str!("../../data/relation-words-en.txt");

/// Groups of interchangeable words.
#[derive(Clone, Debug)]
pub struct RelationLexicon {
    variants: HashMap<String, Vec<String>>,
}

impl Default for RelationLexicon {
    fn default() -> Self {
        Self::parse(ENGLISH, &StemmedLanguages::default())
    }
}

static SHIPPED: LazyLock<Arc<RelationLexicon>> = LazyLock::new(Arc::default);

impl RelationLexicon {
    /// The shipped lexicon, parsed once.
    #[must_use]
    pub fn shipped() -> Arc<Self> {
        Arc::clone(&SHIPPED)
    }

    /// A lexicon without words.
    #[must_use]
    pub fn empty() -> Self {
        Self { variants: HashMap::new() }
    }

    /// Reads a lexicon: one group of words per line; lines that begin with `#` are comments.
    #[must_use]
    pub fn parse(text: &str, stemmed: &StemmedLanguages) -> Self {
        let mut variants: HashMap<String, HashSet<String>> = HashMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let group: Vec<String> = words(line).into_iter().map(|word| stemmed.term(word, None)).collect();
            for term in &group {
                let others = group.iter().filter(|other| *other != term).cloned();
                variants.entry(term.clone()).or_default().extend(others);
            }
        }
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
