//! What a page states, as long as it is gathered.

use std::collections::HashMap;
use std::rc::Rc;

use oxrdf::{BlankNodeRef, GraphNameRef, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

pub(super) const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/// A subject, or an object that is not a literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Resource {
    /// A valid absolute IRI.
    Iri(Rc<str>),
    /// A blank node by its label.
    Blank(Rc<str>),
    /// What was named by something that is no IRI. It takes the place of what
    /// it would be, lest something else does, and nothing is stated with it.
    Unresolvable,
}

impl Resource {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Iri(text) | Self::Blank(text) => text,
            Self::Unresolvable => "",
        }
    }

    pub(super) fn is_iri(&self, iri: &str) -> bool {
        matches!(self, Self::Iri(it) if **it == *iri)
    }

    fn reference(&self) -> Option<NamedOrBlankNodeRef<'_>> {
        match self {
            Self::Iri(iri) => Some(NamedNodeRef::new_unchecked(iri).into()),
            Self::Blank(label) => Some(BlankNodeRef::new_unchecked(label).into()),
            Self::Unresolvable => None,
        }
    }
}

/// What a statement is about something.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Object {
    Resource(Resource),
    Literal(Rc<Literal>),
}

impl Object {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Resource(resource) => resource.as_str().len(),
            Self::Literal(literal) => literal.value.len() + literal.kind.as_deref().map_or(0, str::len),
        }
    }

    pub(super) fn is_unresolvable(&self) -> bool {
        matches!(self, Self::Resource(Resource::Unresolvable))
    }

    pub(super) fn is_iri(&self, iri: &str) -> bool {
        matches!(self, Self::Resource(resource) if resource.is_iri(iri))
    }
}

impl From<Resource> for Object {
    fn from(resource: Resource) -> Self {
        Self::Resource(resource)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Literal {
    pub(super) value: String,
    pub(super) kind: Kind,
}

/// What sort of literal it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Simple,
    /// A valid language tag, in lower case.
    Language(Rc<str>),
    /// The IRI of a datatype.
    Typed(Rc<str>),
}

impl Kind {
    fn as_deref(&self) -> Option<&str> {
        match self {
            Self::Simple => None,
            Self::Language(text) | Self::Typed(text) => Some(text),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Statement {
    pub(super) subject: Resource,
    pub(super) predicate: Rc<str>,
    pub(super) object: Object,
}

impl Statement {
    pub(super) fn len(&self) -> usize {
        self.subject.as_str().len() + self.predicate.len() + self.object.len()
    }

    /// The statement in RDF, if it is about and of something.
    pub(super) fn quad(&self) -> Option<QuadRef<'_>> {
        let object: TermRef<'_> = match &self.object {
            Object::Resource(resource) => resource.reference()?.into(),
            Object::Literal(literal) => match &literal.kind {
                Kind::Simple => LiteralRef::new_simple_literal(&literal.value).into(),
                Kind::Language(tag) => LiteralRef::new_language_tagged_literal_unchecked(&literal.value, tag).into(),
                Kind::Typed(datatype) => {
                    LiteralRef::new_typed_literal(&literal.value, NamedNodeRef::new_unchecked(datatype)).into()
                }
            },
        };
        let predicate = NamedNodeRef::new_unchecked(&self.predicate);
        Some(QuadRef::new(self.subject.reference()?, predicate, object, GraphNameRef::DefaultGraph))
    }
}

/// The blank nodes of a page. Those that have a name in it get labels from the
/// same series as those that have none, so that neither can take the other's,
/// and no name is too strange for one.
#[derive(Default)]
pub(super) struct Blanks {
    count: usize,
    by_name: HashMap<String, Resource, foldhash::fast::RandomState>,
}

impl Blanks {
    pub(super) fn fresh(&mut self) -> Resource {
        let label = format!("r{}", self.count);
        self.count += 1;
        Resource::Blank(label.into())
    }

    pub(super) fn named(&mut self, name: &str) -> Resource {
        if let Some(node) = self.by_name.get(name) {
            return node.clone();
        }
        let node = self.fresh();
        self.by_name.insert(name.to_owned(), node.clone());
        node
    }
}
