//! By what rows are ordered.

use oxiri::Iri;
use serde::{Deserialize, Serialize};

/// By what rows are ordered: the text of a term, or its beginning.
///
/// A text that is longer than what a request can carry stands for all texts with
/// the same beginning, which are next to each other in any order of texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) text: String,
    pub(super) is_cut: bool,
}

/// IRIs are mostly ASCII, other texts take up to nine bytes of a request for
/// each character.
const IRI_CHARACTERS_MAX: usize = 400;
const TEXT_CHARACTERS_MAX: usize = 200;

impl Key {
    /// The key of an IRI.
    pub(super) fn of_iri(iri: &str) -> Self {
        Self::of(iri, IRI_CHARACTERS_MAX)
    }

    /// The key of any term.
    pub(super) fn of_text(text: &str) -> Self {
        Self::of(text, TEXT_CHARACTERS_MAX)
    }

    fn of(text: &str, characters_max: usize) -> Self {
        // A text that just fits counts as cut: it is a beginning of others.
        match text.char_indices().nth(characters_max - 1) {
            Some((start, last)) => Self { text: text[..start + last.len_utf8()].to_owned(), is_cut: true },
            None => Self { text: text.to_owned(), is_cut: false },
        }
    }

    /// The IRI that this is the key of, if there is only one and a query can
    /// name it.
    pub(super) fn as_iri(&self) -> Option<&str> {
        (!self.is_cut && is_askable(&self.text)).then_some(&*self.text)
    }
}

/// Whether an IRI can be named in a query. Others cannot be stored, either.
pub(super) fn is_askable(iri: &str) -> bool {
    Iri::parse(iri).is_ok()
}
