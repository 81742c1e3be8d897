//! The vocabularies: their properties and classes, and the documents that describe them, each on its own host.

use super::content::{
    ContentLiteral, ContentProperty, ContentSubject, ContentTerm, DocumentContent, SubjectDescription,
};
use super::site::{parse_number, push_number};

/// The number of properties and of classes of a vocabulary.
pub(crate) const NAMES_PER_VOCABULARY: u16 = 16;

/// The namespace of a property or class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VocabularyNamespace {
    Rdf,
    Rdfs,
    World(u16),
}

/// The name of a property or class of a vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct VocabularyName {
    pub(crate) namespace: VocabularyNamespace,
    pub(crate) local: TermLocalName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TermLocalName {
    Property(u16),
    Class(u16),
    Fixed(&'static str),
}

pub(crate) const TYPE: VocabularyName =
    VocabularyName { namespace: VocabularyNamespace::Rdf, local: TermLocalName::Fixed("type") };
pub(crate) const LABEL: VocabularyName =
    VocabularyName { namespace: VocabularyNamespace::Rdfs, local: TermLocalName::Fixed("label") };
const CLASS: VocabularyName =
    VocabularyName { namespace: VocabularyNamespace::Rdfs, local: TermLocalName::Fixed("Class") };
const PROPERTY: VocabularyName =
    VocabularyName { namespace: VocabularyNamespace::Rdf, local: TermLocalName::Fixed("Property") };

impl VocabularyNamespace {
    pub(crate) fn push(self, out: &mut String) {
        match self {
            Self::Rdf => out.push_str("http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
            Self::Rdfs => out.push_str("http://www.w3.org/2000/01/rdf-schema#"),
            Self::World(number) => {
                out.push_str("http://vocab");
                if number > 0 {
                    push_number(number.into(), out);
                }
                out.push_str(".example/ns#");
            }
        }
    }

    pub(crate) fn push_prefix(self, out: &mut String) {
        match self {
            Self::Rdf => out.push_str("rdf"),
            Self::Rdfs => out.push_str("rdfs"),
            Self::World(number) => {
                out.push('v');
                push_number(number.into(), out);
            }
        }
    }
}

impl VocabularyName {
    pub(crate) fn property(vocabulary: u16, number: u16) -> Self {
        Self { namespace: VocabularyNamespace::World(vocabulary), local: TermLocalName::Property(number) }
    }

    pub(crate) fn class(vocabulary: u16, number: u16) -> Self {
        Self { namespace: VocabularyNamespace::World(vocabulary), local: TermLocalName::Class(number) }
    }

    pub(crate) fn push_local(self, out: &mut String) {
        match self.local {
            TermLocalName::Fixed(text) => out.push_str(text),
            TermLocalName::Property(number) | TermLocalName::Class(number) => {
                out.push(if matches!(self.local, TermLocalName::Class(_)) { 'C' } else { 'p' });
                push_number(number.into(), out);
            }
        }
    }

    pub(crate) fn push_iri(self, out: &mut String) {
        self.namespace.push(out);
        self.push_local(out);
    }

    pub(crate) fn push_prefixed(self, out: &mut String) {
        self.namespace.push_prefix(out);
        out.push(':');
        self.push_local(out);
    }

    pub(crate) fn iri(self) -> String {
        let mut iri = String::with_capacity(48);
        self.push_iri(&mut iri);
        iri
    }
}

/// The URL of the n-th vocabulary's document: first those of the world, then the copies of RDF and RDFS.
pub(crate) fn url(vocabulary: u16, world_count: u16) -> String {
    let mut url = String::new();
    namespace(vocabulary, world_count).push(&mut url);
    url.truncate(url.len() - 1);
    url
}

/// The vocabulary with this document URL.
pub(crate) fn find_by_url(host: &str, path: &str, world_count: u16) -> Option<u16> {
    match (host, path) {
        ("www.w3.org", "/1999/02/22-rdf-syntax-ns") => Some(world_count),
        ("www.w3.org", "/2000/01/rdf-schema") => Some(world_count + 1),
        (_, "/ns") => {
            let text = host.strip_suffix(".example")?.strip_prefix("vocab")?;
            let vocabulary =
                if text.is_empty() { 0 } else { u16::try_from(parse_number(text)?).ok().filter(|n| *n > 0)? };
            Some(vocabulary).filter(|vocabulary| *vocabulary < world_count)
        }
        _ => None,
    }
}

pub(crate) fn namespace(vocabulary: u16, world_count: u16) -> VocabularyNamespace {
    match vocabulary.checked_sub(world_count) {
        None => VocabularyNamespace::World(vocabulary),
        Some(0) => VocabularyNamespace::Rdf,
        Some(_) => VocabularyNamespace::Rdfs,
    }
}

/// The statements of a vocabulary's document.
pub(crate) fn content(vocabulary: u16, world_count: u16) -> DocumentContent {
    let described = |(name, class): (VocabularyName, VocabularyName)| {
        let label = ContentLiteral::plain(name.iri().rsplit('#').next().unwrap_or_default().to_owned());
        let properties = vec![
            ContentProperty { predicate: TYPE, object: ContentTerm::Name(class) },
            ContentProperty { predicate: LABEL, object: ContentTerm::Literal(label) },
        ];
        SubjectDescription { subject: ContentSubject::Iri(name.iri()), graph: None, properties }
    };
    let names: Vec<(VocabularyName, VocabularyName)> = match namespace(vocabulary, world_count) {
        VocabularyNamespace::Rdf => vec![(TYPE, PROPERTY), (PROPERTY, CLASS)],
        VocabularyNamespace::Rdfs => vec![(LABEL, PROPERTY), (CLASS, CLASS)],
        VocabularyNamespace::World(number) => {
            let properties = (0..NAMES_PER_VOCABULARY).map(|local| (VocabularyName::property(number, local), PROPERTY));
            properties
                .chain((0..NAMES_PER_VOCABULARY).map(|local| (VocabularyName::class(number, local), CLASS)))
                .collect()
        }
    };
    DocumentContent { descriptions: names.into_iter().map(described).collect() }
}
