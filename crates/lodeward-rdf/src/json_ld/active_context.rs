//! The active context: the term definitions at a position of a document.

use std::sync::Arc;

use foldhash::HashMap;
use oxiri::Iri;

use super::json::JsonValue;
use crate::iri::resolve;

/// The term definitions and settings at a position of a document.
#[derive(Clone, Debug, Default)]
pub(super) struct ActiveContext {
    pub(super) base: Option<Arc<Iri<String>>>,
    /// The base of the document, which a null context restores.
    pub(super) document_base: Option<Arc<Iri<String>>>,
    pub(super) vocab: Option<Arc<str>>,
    pub(super) language: Option<Arc<str>>,
    pub(super) direction: Option<TextDirection>,
    /// The term definitions, shared with other contexts until a term is defined.
    pub(super) terms: Arc<HashMap<Arc<str>, Arc<TermDefinition>>>,
    /// The context that applies again in the next node, if this one is not propagated.
    pub(super) previous: Option<Arc<ActiveContext>>,
    /// The length of the chain of `previous` contexts.
    pub(super) generation: usize,
}

/// The direction of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextDirection {
    Ltr,
    Rtl,
}

impl TextDirection {
    pub(super) fn new(name: &str) -> Option<Self> {
        match name {
            "ltr" => Some(Self::Ltr),
            "rtl" => Some(Self::Rtl),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ltr => "ltr",
            Self::Rtl => "rtl",
        }
    }
}

/// The definition of a term.
#[derive(Clone, Debug, Default)]
pub(super) struct TermDefinition {
    /// An IRI, a blank node or a keyword. `None` if the term is ignored.
    pub(super) iri: Option<Arc<str>>,
    pub(super) is_prefix: bool,
    pub(super) is_protected: bool,
    pub(super) is_reverse: bool,
    /// The scoped context of the term, and the base of URLs in it.
    pub(super) context: Option<Arc<JsonValue<'static>>>,
    pub(super) context_base: Option<Arc<str>>,
    pub(super) container: ContainerMapping,
    pub(super) coercion: Option<Coercion>,
    pub(super) index: Option<Arc<str>>,
    pub(super) language: TermOverride<Arc<str>>,
    pub(super) direction: TermOverride<TextDirection>,
    pub(super) nest: Option<Arc<str>>,
}

impl TermDefinition {
    /// The datatype of the term's values, if it has one.
    pub(super) fn datatype(&self) -> Option<&Arc<str>> {
        match &self.coercion {
            Some(Coercion::Datatype(datatype)) => Some(datatype),
            _ => None,
        }
    }

    /// Whether both definitions are equal, apart from `is_protected`.
    pub(super) fn is_equivalent(&self, other: &Self) -> bool {
        self.iri == other.iri
            && self.is_prefix == other.is_prefix
            && self.is_reverse == other.is_reverse
            && self.context == other.context
            && self.container == other.container
            && self.coercion == other.coercion
            && self.index == other.index
            && self.language == other.language
            && self.direction == other.direction
            && self.nest == other.nest
    }
}

/// A language or direction of a term, which can override the default of the context.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum TermOverride<T> {
    #[default]
    Inherited,
    /// An override; `None` removes the setting.
    Value(Option<T>),
}

impl<T: Clone> TermOverride<T> {
    pub(super) fn or(&self, default: Option<&T>) -> Option<T> {
        match self {
            Self::Inherited => default.cloned(),
            Self::Value(value) => value.clone(),
        }
    }
}

/// The type coercion of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Coercion {
    Id,
    Vocab,
    None,
    Json,
    Datatype(Arc<str>),
}

/// The container mapping of a term: a set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ContainerMapping(u8);

impl ContainerMapping {
    pub(super) const LIST: Self = Self(1);
    pub(super) const SET: Self = Self(2);
    pub(super) const INDEX: Self = Self(4);
    pub(super) const LANGUAGE: Self = Self(8);
    pub(super) const GRAPH: Self = Self(16);
    pub(super) const ID: Self = Self(32);
    pub(super) const TYPE: Self = Self(64);

    pub(super) fn from_keyword(name: &str) -> Option<Self> {
        Some(match name {
            "@list" => Self::LIST,
            "@set" => Self::SET,
            "@index" => Self::INDEX,
            "@language" => Self::LANGUAGE,
            "@graph" => Self::GRAPH,
            "@id" => Self::ID,
            "@type" => Self::TYPE,
            _ => return None,
        })
    }

    /// Whether the mapping contains any of these flags.
    pub(super) fn intersects(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

pub(super) fn is_keyword(value: &str) -> bool {
    const KEYWORDS: [&str; 24] = [
        "@base",
        "@container",
        "@context",
        "@default",
        "@direction",
        "@graph",
        "@id",
        "@import",
        "@included",
        "@index",
        "@json",
        "@language",
        "@list",
        "@nest",
        "@none",
        "@prefix",
        "@propagate",
        "@protected",
        "@reverse",
        "@set",
        "@type",
        "@value",
        "@version",
        "@vocab",
    ];
    value.starts_with('@') && KEYWORDS.contains(&value)
}

/// Whether a word has the form of a keyword, which is reserved for future keywords.
pub(super) fn has_keyword_form(value: &str) -> bool {
    let letters = value.strip_prefix('@');
    letters.is_some_and(|letters| !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// Whether a word starts like an absolute IRI.
pub(super) fn has_scheme(value: &str) -> bool {
    value.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}

/// Splits a possible compact IRI. A leading colon is not a separator.
pub(super) fn split_compact_iri(value: &str) -> Option<(&str, &str)> {
    let at = value.char_indices().find_map(|(at, c)| (at > 0 && c == ':').then_some(at))?;
    Some((&value[..at], &value[at + 1..]))
}

impl ActiveContext {
    pub(super) fn new(base: Option<Arc<Iri<String>>>) -> Self {
        Self { document_base: base.clone(), base, ..Self::default() }
    }

    pub(super) fn term(&self, name: &str) -> Option<&Arc<TermDefinition>> {
        self.terms.get(name)
    }

    /// The language of texts of a term.
    pub(super) fn language_of(&self, term: Option<&Arc<TermDefinition>>) -> Option<Arc<str>> {
        term.map_or_else(|| self.language.clone(), |term| term.language.or(self.language.as_ref()))
    }

    /// The direction of texts of a term.
    pub(super) fn direction_of(&self, term: Option<&Arc<TermDefinition>>) -> Option<TextDirection> {
        term.map_or(self.direction, |term| term.direction.or(self.direction.as_ref()))
    }

    pub(super) fn container(&self, name: &str) -> ContainerMapping {
        self.term(name).map_or_else(ContainerMapping::default, |term| term.container)
    }

    /// Expands a key, a type or a term to an IRI or keyword; `None` if it is ignored.
    pub(super) fn expand_vocab(&self, value: &str) -> Option<Arc<str>> {
        self.expand_iri(value, false, true)
    }

    /// IRI expansion of a value that can be relative to the document, to the vocabulary, or both.
    pub(super) fn expand_iri(&self, value: &str, is_relative: bool, is_vocab: bool) -> Option<Arc<str>> {
        if has_keyword_form(value) {
            return is_keyword(value).then(|| value.into());
        }
        if let Some(term) = self.term(value)
            && (is_vocab || term.iri.as_deref().is_some_and(is_keyword))
        {
            return term.iri.clone();
        }
        if let Some((prefix, suffix)) = split_compact_iri(value) {
            if prefix == "_" || suffix.starts_with("//") {
                return Some(value.into());
            }
            if let Some(iri) = self.expand_compact_iri(prefix, suffix) {
                return Some(iri);
            }
            if has_scheme(value) {
                return Some(value.into());
            }
        }
        if let Some(vocab) = self.vocab.as_deref().filter(|_| is_vocab) {
            return Some([vocab, value].concat().into());
        }
        if is_relative && let Some(base) = &self.base {
            // A reference that cannot be resolved stays as it is, and is omitted later.
            return Some(resolve(base, value).map_or_else(|_| value.into(), Into::into));
        }
        Some(value.into())
    }

    fn expand_compact_iri(&self, prefix: &str, suffix: &str) -> Option<Arc<str>> {
        let term = self.term(prefix).filter(|term| term.is_prefix)?;
        Some([term.iri.as_deref()?, suffix].concat().into())
    }
}
