//! The active context: what terms mean at some place of a document.

use std::sync::Arc;

use foldhash::HashMap;
use oxiri::Iri;

use super::json::Json;
use crate::iri_resolve::resolve;

/// What terms mean at some place of a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Active {
    pub(super) base: Option<Arc<Iri<String>>>,
    /// The base of the document, which a null context goes back to.
    pub(super) document_base: Option<Arc<Iri<String>>>,
    pub(super) vocab: Option<Arc<str>>,
    pub(super) language: Option<Arc<str>>,
    pub(super) direction: Option<Dir>,
    /// Shared until a term is defined.
    pub(super) terms: Arc<HashMap<Arc<str>, Arc<Term>>>,
    /// What is in force again in the next node, after a context for one only.
    pub(super) previous: Option<Arc<Active>>,
    /// How many contexts hang together by `previous`.
    pub(super) generation: usize,
}

/// The direction of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dir {
    Ltr,
    Rtl,
}

impl Dir {
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

/// What a term means.
#[derive(Clone, Debug, Default)]
pub(super) struct Term {
    /// An IRI, a blank node or a keyword. `None` for a term that is to be ignored.
    pub(super) iri: Option<Arc<str>>,
    pub(super) is_prefix: bool,
    pub(super) is_protected: bool,
    pub(super) is_reverse: bool,
    /// The context for what is below it, and what addresses in it are relative to.
    pub(super) context: Option<Arc<Json<'static>>>,
    pub(super) context_base: Option<Arc<str>>,
    pub(super) container: Container,
    pub(super) coercion: Option<Coercion>,
    pub(super) index: Option<Arc<str>>,
    pub(super) language: Own<Arc<str>>,
    pub(super) direction: Own<Dir>,
    pub(super) nest: Option<Arc<str>>,
}

impl Term {
    /// The type of its values, if they are literals of one.
    pub(super) fn datatype(&self) -> Option<&Arc<str>> {
        match &self.coercion {
            Some(Coercion::Datatype(datatype)) => Some(datatype),
            _ => None,
        }
    }

    /// Whether both mean the same, protected or not.
    pub(super) fn means(&self, other: &Self) -> bool {
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

/// What a term has of its own, instead of what all terms have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Own<T> {
    #[default]
    Nothing,
    /// This, or none at all.
    This(Option<T>),
}

impl<T: Clone> Own<T> {
    pub(super) fn or(&self, of_all: Option<&T>) -> Option<T> {
        match self {
            Self::Nothing => of_all.cloned(),
            Self::This(own) => own.clone(),
        }
    }
}

/// What the values of a term are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Coercion {
    Id,
    Vocab,
    None,
    Json,
    Datatype(Arc<str>),
}

/// How the values of a term are arranged: a set of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Container(u8);

impl Container {
    pub(super) const LIST: Self = Self(1);
    pub(super) const SET: Self = Self(2);
    pub(super) const INDEX: Self = Self(4);
    pub(super) const LANGUAGE: Self = Self(8);
    pub(super) const GRAPH: Self = Self(16);
    pub(super) const ID: Self = Self(32);
    pub(super) const TYPE: Self = Self(64);

    pub(super) fn named(name: &str) -> Option<Self> {
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

    /// Whether it has any of these.
    pub(super) fn has(self, any: Self) -> bool {
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

/// Whether a word looks like a keyword, and so is kept for those to come.
pub(super) fn has_keyword_form(value: &str) -> bool {
    let letters = value.strip_prefix('@');
    letters.is_some_and(|letters| !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// Whether a word begins as an absolute IRI does.
pub(super) fn has_scheme(value: &str) -> bool {
    value.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}

/// The parts of what may be a compact IRI. A colon in front is no separator.
pub(super) fn split_compact(value: &str) -> Option<(&str, &str)> {
    let at = value.char_indices().find_map(|(at, c)| (at > 0 && c == ':').then_some(at))?;
    Some((&value[..at], &value[at + 1..]))
}

impl Active {
    pub(super) fn new(base: Option<Arc<Iri<String>>>) -> Self {
        Self { document_base: base.clone(), base, ..Self::default() }
    }

    pub(super) fn term(&self, name: &str) -> Option<&Arc<Term>> {
        self.terms.get(name)
    }

    /// The language of the texts of a term.
    pub(super) fn language_of(&self, term: Option<&Arc<Term>>) -> Option<Arc<str>> {
        term.map_or_else(|| self.language.clone(), |term| term.language.or(self.language.as_ref()))
    }

    /// The direction of the texts of a term.
    pub(super) fn direction_of(&self, term: Option<&Arc<Term>>) -> Option<Dir> {
        term.map_or(self.direction, |term| term.direction.or(self.direction.as_ref()))
    }

    pub(super) fn container(&self, name: &str) -> Container {
        self.term(name).map_or_else(Container::default, |term| term.container)
    }

    /// The IRI or keyword that a key, a type or a term stands for, or `None`
    /// if it is to be ignored.
    pub(super) fn word(&self, value: &str) -> Option<Arc<str>> {
        self.expand(value, false, true)
    }

    /// IRI expansion: of a value that may be relative to the document, or to
    /// the vocabulary, or both.
    pub(super) fn expand(&self, value: &str, is_relative: bool, is_vocab: bool) -> Option<Arc<str>> {
        if has_keyword_form(value) {
            return is_keyword(value).then(|| value.into());
        }
        if let Some(term) = self.term(value)
            && (is_vocab || term.iri.as_deref().is_some_and(is_keyword))
        {
            return term.iri.clone();
        }
        if let Some((prefix, suffix)) = split_compact(value) {
            if prefix == "_" || suffix.starts_with("//") {
                return Some(value.into());
            }
            if let Some(iri) = self.prefixed(prefix, suffix) {
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
            // What no IRI can be stays what it is, and is left out later.
            return Some(resolve(base, value).map_or_else(|_| value.into(), Into::into));
        }
        Some(value.into())
    }

    fn prefixed(&self, prefix: &str, suffix: &str) -> Option<Arc<str>> {
        let term = self.term(prefix).filter(|term| term.is_prefix)?;
        Some([term.iri.as_deref()?, suffix].concat().into())
    }
}
