//! The vocabularies: names for properties and classes, and the documents that
//! describe them, each on a host of its own.

use super::content::{Content, Description, Literal, Property, Subject, Term};
use super::site::{number, push_number};

/// How many properties and classes a vocabulary of the world has.
pub(crate) const NAMES: u16 = 16;

/// Where a name is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Namespace {
    Rdf,
    Rdfs,
    World(u16),
}

/// A name of a vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name {
    pub(crate) namespace: Namespace,
    pub(crate) local: Local,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Local {
    Property(u16),
    Class(u16),
    Fixed(&'static str),
}

pub(crate) const TYPE: Name = Name { namespace: Namespace::Rdf, local: Local::Fixed("type") };
pub(crate) const LABEL: Name = Name { namespace: Namespace::Rdfs, local: Local::Fixed("label") };
const CLASS: Name = Name { namespace: Namespace::Rdfs, local: Local::Fixed("Class") };
const PROPERTY: Name = Name { namespace: Namespace::Rdf, local: Local::Fixed("Property") };

impl Namespace {
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

impl Name {
    pub(crate) fn property(vocabulary: u16, number: u16) -> Self {
        Self { namespace: Namespace::World(vocabulary), local: Local::Property(number) }
    }

    pub(crate) fn class(vocabulary: u16, number: u16) -> Self {
        Self { namespace: Namespace::World(vocabulary), local: Local::Class(number) }
    }

    pub(crate) fn push_local(self, out: &mut String) {
        match self.local {
            Local::Fixed(text) => out.push_str(text),
            Local::Property(number) | Local::Class(number) => {
                out.push(if matches!(self.local, Local::Class(_)) { 'C' } else { 'p' });
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

/// The URL of the n-th vocabulary's document: those of the world, then the
/// stand-ins for RDF and RDFS.
pub(crate) fn url(vocabulary: u16, of_world: u16) -> String {
    let mut url = String::new();
    namespace(vocabulary, of_world).push(&mut url);
    url.truncate(url.len() - 1);
    url
}

/// The vocabulary whose document has this URL.
pub(crate) fn at(host: &str, path: &str, of_world: u16) -> Option<u16> {
    match (host, path) {
        ("www.w3.org", "/1999/02/22-rdf-syntax-ns") => Some(of_world),
        ("www.w3.org", "/2000/01/rdf-schema") => Some(of_world + 1),
        (_, "/ns") => {
            let text = host.strip_suffix(".example")?.strip_prefix("vocab")?;
            let vocabulary = if text.is_empty() { 0 } else { u16::try_from(number(text)?).ok().filter(|n| *n > 0)? };
            Some(vocabulary).filter(|vocabulary| *vocabulary < of_world)
        }
        _ => None,
    }
}

pub(crate) fn namespace(vocabulary: u16, of_world: u16) -> Namespace {
    match vocabulary.checked_sub(of_world) {
        None => Namespace::World(vocabulary),
        Some(0) => Namespace::Rdf,
        Some(_) => Namespace::Rdfs,
    }
}

/// What a vocabulary's document says.
pub(crate) fn content(vocabulary: u16, of_world: u16) -> Content {
    let described = |(name, class): (Name, Name)| {
        let label = Literal::plain(name.iri().rsplit('#').next().unwrap_or_default().to_owned());
        let properties = vec![
            Property { predicate: TYPE, object: Term::Name(class) },
            Property { predicate: LABEL, object: Term::Literal(label) },
        ];
        Description { subject: Subject::Iri(name.iri()), graph: None, properties }
    };
    let names: Vec<(Name, Name)> = match namespace(vocabulary, of_world) {
        Namespace::Rdf => vec![(TYPE, PROPERTY), (PROPERTY, CLASS)],
        Namespace::Rdfs => vec![(LABEL, PROPERTY), (CLASS, CLASS)],
        Namespace::World(number) => {
            let properties = (0..NAMES).map(|local| (Name::property(number, local), PROPERTY));
            properties.chain((0..NAMES).map(|local| (Name::class(number, local), CLASS))).collect()
        }
    };
    Content { descriptions: names.into_iter().map(described).collect() }
}
