//! The statements of a document, independent of a syntax.
//!
//! The truth about a document comes from this list, never from its bytes.

use super::vocabulary::{VocabularyName, VocabularyNamespace};

/// All statements of a document.
#[derive(Clone, Debug)]
pub(crate) struct DocumentContent {
    pub(crate) descriptions: Vec<SubjectDescription>,
}

/// The statements about one subject. Properties with the same predicate are adjacent, `rdf:type` first, because several
/// syntaxes group them.
#[derive(Clone, Debug)]
pub(crate) struct SubjectDescription {
    pub(crate) subject: ContentSubject,
    /// The number of a named graph; `None` for the default graph.
    pub(crate) graph: Option<u8>,
    pub(crate) properties: Vec<ContentProperty>,
}

#[derive(Clone, Debug)]
pub(crate) enum ContentSubject {
    Iri(String),
    Blank(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct ContentProperty {
    pub(crate) predicate: VocabularyName,
    pub(crate) object: ContentTerm,
}

#[derive(Clone, Debug)]
pub(crate) enum ContentTerm {
    Iri(String),
    Name(VocabularyName),
    /// A labelled blank node, described elsewhere in the document.
    Blank(u32),
    /// An unlabelled blank node, described here; `rdf:type` comes first.
    Nested(Vec<ContentProperty>),
    Literal(ContentLiteral),
}

#[derive(Clone, Debug)]
pub(crate) struct ContentLiteral {
    pub(crate) text: String,
    pub(crate) annotation: LiteralAnnotation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiteralAnnotation {
    Plain,
    Language(&'static str),
    /// The local name of an XML Schema datatype.
    Typed(&'static str),
}

pub(crate) const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

impl ContentLiteral {
    pub(crate) fn plain(text: String) -> Self {
        Self { text, annotation: LiteralAnnotation::Plain }
    }
}

/// A node of a flat statement.
#[derive(Clone, Copy)]
pub(crate) enum ContentNode<'a> {
    Iri(&'a str),
    Name(VocabularyName),
    Blank(u32),
    Literal(&'a ContentLiteral),
}

/// A flat statement.
pub(crate) struct FlatStatement<'a> {
    pub(crate) subject: ContentNode<'a>,
    pub(crate) predicate: VocabularyName,
    pub(crate) object: ContentNode<'a>,
    pub(crate) graph: Option<u8>,
}

/// The smallest label that a flat statement uses for an unlabelled blank node.
const FIRST_NESTED_LABEL: u32 = 1000;

impl DocumentContent {
    /// Calls `emit` for every statement, nested ones after their parent.
    pub(crate) fn for_each<'a>(&'a self, emit: &mut impl FnMut(FlatStatement<'a>)) {
        let mut label = FIRST_NESTED_LABEL;
        for SubjectDescription { subject, graph, properties } in &self.descriptions {
            let subject = match subject {
                ContentSubject::Iri(iri) => ContentNode::Iri(iri),
                ContentSubject::Blank(label) => ContentNode::Blank(*label),
            };
            flatten(subject, *graph, properties, &mut label, emit);
        }
    }

    /// The namespaces in use, in order.
    pub(crate) fn namespaces(&self) -> Vec<VocabularyNamespace> {
        let mut namespaces = vec![VocabularyNamespace::Rdf, VocabularyNamespace::Rdfs];
        let mut add = |name: VocabularyName| {
            if !namespaces.contains(&name.namespace) {
                namespaces.push(name.namespace);
            }
        };
        self.for_each(&mut |statement| {
            add(statement.predicate);
            if let ContentNode::Name(name) = statement.object {
                add(name);
            }
        });
        namespaces.sort_unstable();
        namespaces
    }
}

fn flatten<'a>(
    subject: ContentNode<'a>,
    graph: Option<u8>,
    properties: &'a [ContentProperty],
    label: &mut u32,
    emit: &mut impl FnMut(FlatStatement<'a>),
) {
    // One level suffices: nested nodes contain no nested nodes.
    for ContentProperty { predicate, object } in properties {
        let (object, nested) = match object {
            ContentTerm::Iri(iri) => (ContentNode::Iri(iri), None),
            ContentTerm::Name(name) => (ContentNode::Name(*name), None),
            ContentTerm::Blank(label) => (ContentNode::Blank(*label), None),
            ContentTerm::Literal(literal) => (ContentNode::Literal(literal), None),
            ContentTerm::Nested(properties) => {
                *label += 1;
                (ContentNode::Blank(*label), Some((*label, properties)))
            }
        };
        emit(FlatStatement { subject, predicate: *predicate, object, graph });
        if let Some((nested_label, properties)) = nested {
            for ContentProperty { predicate, object } in properties {
                let object = match object {
                    ContentTerm::Iri(iri) => ContentNode::Iri(iri),
                    ContentTerm::Name(name) => ContentNode::Name(*name),
                    ContentTerm::Blank(label) => ContentNode::Blank(*label),
                    ContentTerm::Literal(literal) => ContentNode::Literal(literal),
                    ContentTerm::Nested(_) => unreachable!("nested nodes contain no nested nodes"),
                };
                emit(FlatStatement { subject: ContentNode::Blank(nested_label), predicate: *predicate, object, graph });
            }
        }
    }
}
