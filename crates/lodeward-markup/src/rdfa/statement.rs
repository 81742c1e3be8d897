//! The statements of a page while they are collected.

use std::collections::HashMap;
use std::rc::Rc;

use oxrdf::{BlankNodeRef, GraphNameRef, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};

pub(super) const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/// A subject, or an object that is not a literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum RdfaResource {
    /// A valid absolute IRI.
    Iri(Rc<str>),
    /// A blank node by its label.
    Blank(Rc<str>),
    /// A reference that is not an IRI. It takes the position of the resource, so that no other
    /// resource does, and makes no statements.
    Unresolvable,
}

impl RdfaResource {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Iri(text) | Self::Blank(text) => text,
            Self::Unresolvable => "",
        }
    }

    pub(super) fn is_iri(&self, iri: &str) -> bool {
        matches!(self, Self::Iri(it) if **it == *iri)
    }

    fn as_node_ref(&self) -> Option<NamedOrBlankNodeRef<'_>> {
        match self {
            Self::Iri(iri) => Some(NamedNodeRef::new_unchecked(iri).into()),
            Self::Blank(label) => Some(BlankNodeRef::new_unchecked(label).into()),
            Self::Unresolvable => None,
        }
    }
}

/// The object of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum RdfaObject {
    Resource(RdfaResource),
    Literal(Rc<RdfaLiteral>),
}

impl RdfaObject {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Resource(resource) => resource.as_str().len(),
            Self::Literal(literal) => literal.value.len() + literal.kind.as_deref().map_or(0, str::len),
        }
    }

    pub(super) fn is_unresolvable(&self) -> bool {
        matches!(self, Self::Resource(RdfaResource::Unresolvable))
    }

    pub(super) fn is_iri(&self, iri: &str) -> bool {
        matches!(self, Self::Resource(resource) if resource.is_iri(iri))
    }
}

impl From<RdfaResource> for RdfaObject {
    fn from(resource: RdfaResource) -> Self {
        Self::Resource(resource)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RdfaLiteral {
    pub(super) value: String,
    pub(super) kind: LiteralKind,
}

/// The kind of a literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum LiteralKind {
    Simple,
    /// A valid language tag, in lower case.
    Language(Rc<str>),
    /// The IRI of a datatype.
    Typed(Rc<str>),
}

impl LiteralKind {
    fn as_deref(&self) -> Option<&str> {
        match self {
            Self::Simple => None,
            Self::Language(text) | Self::Typed(text) => Some(text),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RdfaStatement {
    pub(super) subject: RdfaResource,
    pub(super) predicate: Rc<str>,
    pub(super) object: RdfaObject,
}

impl RdfaStatement {
    pub(super) fn len(&self) -> usize {
        self.subject.as_str().len() + self.predicate.len() + self.object.len()
    }

    /// The statement as RDF; `None` if a part of it is unresolvable.
    pub(super) fn as_quad(&self) -> Option<QuadRef<'_>> {
        let object: TermRef<'_> = match &self.object {
            RdfaObject::Resource(resource) => resource.as_node_ref()?.into(),
            RdfaObject::Literal(literal) => match &literal.kind {
                LiteralKind::Simple => LiteralRef::new_simple_literal(&literal.value).into(),
                LiteralKind::Language(tag) => {
                    LiteralRef::new_language_tagged_literal_unchecked(&literal.value, tag).into()
                }
                LiteralKind::Typed(datatype) => {
                    LiteralRef::new_typed_literal(&literal.value, NamedNodeRef::new_unchecked(datatype)).into()
                }
            },
        };
        let predicate = NamedNodeRef::new_unchecked(&self.predicate);
        Some(QuadRef::new(self.subject.as_node_ref()?, predicate, object, GraphNameRef::DefaultGraph))
    }
}

/// The blank nodes of a page. Named and unnamed ones get labels from the same series, so that they
/// cannot collide, and any name is allowed.
#[derive(Default)]
pub(super) struct PageBlankNodes {
    count: usize,
    by_name: HashMap<String, RdfaResource, foldhash::fast::RandomState>,
}

impl PageBlankNodes {
    pub(super) fn new_node(&mut self) -> RdfaResource {
        let label = format!("r{}", self.count);
        self.count += 1;
        RdfaResource::Blank(label.into())
    }

    pub(super) fn named(&mut self, name: &str) -> RdfaResource {
        if let Some(node) = self.by_name.get(name) {
            return node.clone();
        }
        let node = self.new_node();
        self.by_name.insert(name.to_owned(), node.clone());
        node
    }
}
