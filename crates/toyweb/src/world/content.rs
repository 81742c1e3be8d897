//! What a document says, before it is written in any syntax.
//!
//! The truth about a document is read off this list, never off its bytes.

use super::vocabulary::{Name, Namespace};

/// Everything a document says.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    pub(crate) descriptions: Vec<Description>,
}

/// What is said about one subject. Properties of one predicate follow each
/// other, `rdf:type` first, since several syntaxes want them together.
#[derive(Clone, Debug)]
pub(crate) struct Description {
    pub(crate) subject: Subject,
    /// The number of a named graph; `None` for the default graph.
    pub(crate) graph: Option<u8>,
    pub(crate) properties: Vec<Property>,
}

#[derive(Clone, Debug)]
pub(crate) enum Subject {
    Iri(String),
    Blank(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub(crate) predicate: Name,
    pub(crate) object: Term,
}

#[derive(Clone, Debug)]
pub(crate) enum Term {
    Iri(String),
    Name(Name),
    /// A blank node with a label, described elsewhere.
    Blank(u32),
    /// A blank node without one, described here; `rdf:type` comes first.
    Nested(Vec<Property>),
    Literal(Literal),
}

#[derive(Clone, Debug)]
pub(crate) struct Literal {
    pub(crate) text: String,
    pub(crate) annotation: Annotation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Annotation {
    Plain,
    Language(&'static str),
    /// The local name of a datatype of XML Schema.
    Typed(&'static str),
}

pub(crate) const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

impl Literal {
    pub(crate) fn plain(text: String) -> Self {
        Self { text, annotation: Annotation::Plain }
    }
}

/// A node of a flat statement.
#[derive(Clone, Copy)]
pub(crate) enum Node<'a> {
    Iri(&'a str),
    Name(Name),
    Blank(u32),
    Literal(&'a Literal),
}

/// A flat statement.
pub(crate) struct Statement<'a> {
    pub(crate) subject: Node<'a>,
    pub(crate) predicate: Name,
    pub(crate) object: Node<'a>,
    pub(crate) graph: Option<u8>,
}

/// Labels from here on belong to blank nodes without one of their own.
const NESTED: u32 = 1000;

impl Content {
    /// Calls `visit` for every statement, nested ones after their parent.
    pub(crate) fn for_each<'a>(&'a self, visit: &mut impl FnMut(Statement<'a>)) {
        let mut label = NESTED;
        for Description { subject, graph, properties } in &self.descriptions {
            let subject = match subject {
                Subject::Iri(iri) => Node::Iri(iri),
                Subject::Blank(label) => Node::Blank(*label),
            };
            flatten(subject, *graph, properties, &mut label, visit);
        }
    }

    /// The namespaces in use, in order.
    pub(crate) fn namespaces(&self) -> Vec<Namespace> {
        let mut namespaces = vec![Namespace::Rdf, Namespace::Rdfs];
        let mut note = |name: Name| {
            if !namespaces.contains(&name.namespace) {
                namespaces.push(name.namespace);
            }
        };
        self.for_each(&mut |statement| {
            note(statement.predicate);
            if let Node::Name(name) = statement.object {
                note(name);
            }
        });
        namespaces.sort_unstable();
        namespaces
    }
}

fn flatten<'a>(
    subject: Node<'a>,
    graph: Option<u8>,
    properties: &'a [Property],
    label: &mut u32,
    visit: &mut impl FnMut(Statement<'a>),
) {
    // Kept on a plain stack of one level: nested nodes hold no nested nodes.
    for Property { predicate, object } in properties {
        let (object, nested) = match object {
            Term::Iri(iri) => (Node::Iri(iri), None),
            Term::Name(name) => (Node::Name(*name), None),
            Term::Blank(label) => (Node::Blank(*label), None),
            Term::Literal(literal) => (Node::Literal(literal), None),
            Term::Nested(properties) => {
                *label += 1;
                (Node::Blank(*label), Some((*label, properties)))
            }
        };
        visit(Statement { subject, predicate: *predicate, object, graph });
        if let Some((own, properties)) = nested {
            for Property { predicate, object } in properties {
                let object = match object {
                    Term::Iri(iri) => Node::Iri(iri),
                    Term::Name(name) => Node::Name(*name),
                    Term::Blank(label) => Node::Blank(*label),
                    Term::Literal(literal) => Node::Literal(literal),
                    Term::Nested(_) => unreachable!("nested nodes hold no nested nodes"),
                };
                visit(Statement { subject: Node::Blank(own), predicate: *predicate, object, graph });
            }
        }
    }
}
