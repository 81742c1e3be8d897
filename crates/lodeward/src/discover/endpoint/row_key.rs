//! The keys by which rows are ordered.

use oxiri::Iri;
use serde::{Deserialize, Serialize};

/// The key of a row: the text of a term, or its beginning.
///
/// A text that is too long for a request stands for all texts with the same beginning, which are adjacent in any order
/// of texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RowKey {
    pub(super) text: String,
    pub(super) is_truncated: bool,
}

/// Maximum length of the key of an IRI. Keys of other texts are shorter: IRIs are mostly ASCII, and other characters
/// take up to nine bytes of a request.
const MAX_IRI_CHARACTERS: usize = 400;
const MAX_TEXT_CHARACTERS: usize = 200;

impl RowKey {
    /// The key of an IRI.
    pub(super) fn from_iri(iri: &str) -> Self {
        Self::from_truncated(iri, MAX_IRI_CHARACTERS)
    }

    /// The key of any term.
    pub(super) fn from_text(text: &str) -> Self {
        Self::from_truncated(text, MAX_TEXT_CHARACTERS)
    }

    fn from_truncated(text: &str, max_characters: usize) -> Self {
        // A text of exactly the maximum length is treated as truncated, because it may be a prefix of others.
        match text.char_indices().nth(max_characters - 1) {
            Some((start, last)) => Self { text: text[..start + last.len_utf8()].to_owned(), is_truncated: true },
            None => Self { text: text.to_owned(), is_truncated: false },
        }
    }

    /// The IRI of this key, if it is complete and can be used in a query.
    pub(super) fn as_iri(&self) -> Option<&str> {
        (!self.is_truncated && is_valid_iri(&self.text)).then_some(&*self.text)
    }
}

/// Whether an IRI can be used in a query. An invalid IRI cannot be stored, either.
pub(super) fn is_valid_iri(iri: &str) -> bool {
    Iri::parse(iri).is_ok()
}
