//! From nodes, values and lists to statements, by
//! [JSON-LD 1.1 API, section 8.1](https://www.w3.org/TR/json-ld11-api/#deserialize-json-ld-to-rdf-algorithm).
//!
//! What RDF cannot say is left out, and nothing else with it: a property that
//! is no IRI costs its statements, not what is said of their objects. Where
//! documents are repaired, what an author can have meant is said, and what is
//! lost because it is no IRI even so is told.

use foldhash::{HashMap, HashMapExt};
use oxiri::IriRef;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, QuadRef, Term};

use super::active::Dir;
use super::canonical::{self, Number};
use super::expand::{Item, Name, Node, Scalar, Value};
use super::{Direction, Options};
use crate::iri::escaped;
use crate::{Sink, Syntax};

const RDF_JSON: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON");
const RDF_LANGUAGE: NamedNodeRef<'_> =
    NamedNodeRef::new_unchecked("http://www.w3.org/1999/02/22-rdf-syntax-ns#language");
const RDF_DIRECTION: NamedNodeRef<'_> =
    NamedNodeRef::new_unchecked("http://www.w3.org/1999/02/22-rdf-syntax-ns#direction");

/// Of the IRIs that are none, so many are told.
const LOST_MAX: usize = 8;

/// Hands the statements of one document to a sink.
pub(super) struct Emitter<'a> {
    options: &'a Options,
    sink: &'a mut dyn Sink,
    /// The blank nodes that have a name in the document.
    named: HashMap<String, BlankNode>,
    count: usize,
    /// What was left out since it is no IRI, the first of it only.
    pub(super) lost: Vec<String>,
    /// A language was taken for another, or for none.
    pub(super) has_mended_language: bool,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(options: &'a Options, sink: &'a mut dyn Sink) -> Self {
        Self { options, sink, named: HashMap::new(), count: 0, lost: Vec::new(), has_mended_language: false }
    }

    pub(super) fn sink(&mut self) -> &mut dyn Sink {
        self.sink
    }

    /// Says all there is in a graph.
    pub(super) fn items(&mut self, items: &[Item<'_>], graph: &GraphName) {
        for item in items {
            if let Item::Node(node) = item {
                self.node(node, graph);
            }
        }
    }

    fn node(&mut self, node: &Node<'_>, graph: &GraphName) {
        let subject = self.subject(node);
        self.describe(node, subject.as_ref(), graph);
    }

    /// What a node is called. `None` for a name that RDF does not have.
    pub(super) fn subject(&mut self, node: &Node<'_>) -> Option<NamedOrBlankNode> {
        match &node.name {
            Name::None => Some(self.blank().into()),
            Name::Is(name) => self.resource(name),
            Name::Void => None,
        }
    }

    /// All that is said of a node.
    pub(super) fn describe(&mut self, node: &Node<'_>, subject: Option<&NamedOrBlankNode>, graph: &GraphName) {
        for class in &node.types {
            let class = self.resource(class).map(Term::from);
            self.say(subject, Some(rdf::TYPE), class.as_ref(), graph);
        }
        for (property, items) in &node.properties {
            let predicate = self.iri(property);
            for item in items {
                self.object(subject, predicate.as_ref().map(NamedNode::as_ref), item, graph);
            }
        }
        for (property, items) in &node.reverse {
            let predicate = self.iri(property);
            for item in items {
                let Item::Node(node) = item else { continue };
                let other = self.subject(node);
                let object = subject.cloned().map(Term::from);
                self.say(other.as_ref(), predicate.as_ref().map(NamedNode::as_ref), object.as_ref(), graph);
                self.describe(node, other.as_ref(), graph);
            }
        }
        if let (Some(items), Some(name)) = (&node.graph, subject) {
            self.items(items, &name.clone().into());
        }
        self.items(&node.included, graph);
    }

    /// Says that something is the value of a property, and all that is said of it.
    fn object(
        &mut self,
        subject: Option<&NamedOrBlankNode>,
        predicate: Option<NamedNodeRef<'_>>,
        item: &Item<'_>,
        graph: &GraphName,
    ) {
        match item {
            Item::Value(value) => {
                let literal = self.literal(value, graph);
                self.say(subject, predicate, literal.as_ref(), graph);
            }
            Item::Node(node) => {
                let name = self.subject(node);
                self.say(subject, predicate, name.clone().map(Term::from).as_ref(), graph);
                self.describe(node, name.as_ref(), graph);
            }
            Item::List(items) => self.list(subject, predicate, items, graph),
        }
    }

    fn list(
        &mut self,
        subject: Option<&NamedOrBlankNode>,
        predicate: Option<NamedNodeRef<'_>>,
        items: &[Item<'_>],
        graph: &GraphName,
    ) {
        let (mut from, mut by) = (subject.cloned(), predicate);
        for item in items {
            let cell = NamedOrBlankNode::from(self.blank());
            self.say(from.as_ref(), by, Some(&cell.clone().into()), graph);
            self.object(Some(&cell), Some(rdf::FIRST), item, graph);
            (from, by) = (Some(cell), Some(rdf::REST));
        }
        self.say(from.as_ref(), by, Some(&rdf::NIL.into_owned().into()), graph);
    }

    fn say(
        &mut self,
        subject: Option<&NamedOrBlankNode>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<&Term>,
        graph: &GraphName,
    ) {
        if let (Some(subject), Some(predicate), Some(object)) = (subject, predicate, object) {
            self.sink.quad(Syntax::JsonLd, QuadRef::new(subject, predicate, object, graph));
        }
    }

    pub(super) fn blank(&mut self) -> BlankNode {
        self.count += 1;
        BlankNode::new_unchecked(format!("b{}", self.count))
    }

    pub(super) fn resource(&mut self, name: &str) -> Option<NamedOrBlankNode> {
        let Some(label) = name.strip_prefix("_:") else { return self.iri(name).map(Into::into) };
        if let Some(blank) = self.named.get(label) {
            return Some(blank.clone().into());
        }
        let is_label = self.options.repair || BlankNode::new(label).is_ok();
        let blank = is_label.then(|| self.blank())?;
        self.named.insert(label.to_owned(), blank.clone());
        Some(blank.into())
    }

    fn iri(&mut self, iri: &str) -> Option<NamedNode> {
        if let Ok(iri) = NamedNode::new(iri) {
            return Some(iri);
        }
        if !self.options.repair {
            return None;
        }
        let mended = escaped(iri);
        if let Ok(iri) = NamedNode::new(&*mended) {
            return Some(iri);
        }
        // What is only relative, or a blank node as a property, is left out by
        // the letter of the algorithm.
        if self.lost.len() < LOST_MAX && !iri.starts_with("_:") && IriRef::parse(&*mended).is_err() {
            let start: String = iri.chars().take(100).collect();
            if !self.lost.contains(&start) {
                self.lost.push(start);
            }
        }
        None
    }

    /// A text in a language. One that RDF does not have costs the text; where
    /// documents are repaired, it costs the language only.
    fn tagged(&mut self, text: &str, language: &str) -> Option<Literal> {
        if let Ok(literal) = Literal::new_language_tagged_literal(text, language) {
            return Some(literal);
        }
        if !self.options.repair {
            return None;
        }
        self.has_mended_language = true;
        // `en_US` is how programs call it among themselves.
        let literal = Literal::new_language_tagged_literal(text, language.trim().replace('_', "-"));
        Some(literal.unwrap_or_else(|_| Literal::new_simple_literal(text)))
    }

    fn literal(&mut self, value: &Value<'_>, graph: &GraphName) -> Option<Term> {
        let datatype = match value.datatype.as_deref() {
            Some("@json") => Some(RDF_JSON.into_owned()),
            Some(datatype) => Some(self.iri(datatype)?),
            None => None,
        };
        let literal = match &value.scalar {
            Scalar::Json(json) => Literal::new_typed_literal(canonical::json(json), RDF_JSON),
            Scalar::Bool(value) => {
                let text = if *value { "true" } else { "false" };
                Literal::new_typed_literal(text, datatype.unwrap_or_else(|| xsd::BOOLEAN.into_owned()))
            }
            Scalar::Number(text) => {
                let is_double = datatype.as_ref().is_some_and(|datatype| *datatype == xsd::DOUBLE);
                let (text, natural) = match canonical::number(text, is_double) {
                    Number::Integer(text) => (text, xsd::INTEGER),
                    Number::Double(text) => (text, xsd::DOUBLE),
                };
                Literal::new_typed_literal(text, datatype.unwrap_or_else(|| natural.into_owned()))
            }
            Scalar::String(text) => match (datatype, value.direction, self.options.direction) {
                (Some(datatype), ..) => Literal::new_typed_literal(*text, datatype),
                (None, Some(direction), Some(form)) => return self.directed(text, value, direction, form, graph),
                (None, ..) => match &value.language {
                    Some(language) => self.tagged(text, language)?,
                    None => Literal::new_simple_literal(*text),
                },
            },
        };
        Some(literal.into())
    }

    /// A text with a direction, which RDF 1.1 has no literals for.
    fn directed(
        &mut self,
        text: &str,
        value: &Value<'_>,
        direction: Dir,
        form: Direction,
        graph: &GraphName,
    ) -> Option<Term> {
        let language = value.language.as_deref().map(str::to_ascii_lowercase);
        if form == Direction::I18nDatatype {
            let tag = language.unwrap_or_default();
            let datatype = NamedNode::new(format!("https://www.w3.org/ns/i18n#{tag}_{}", direction.name())).ok()?;
            return Some(Literal::new_typed_literal(text, datatype).into());
        }
        let node = NamedOrBlankNode::from(self.blank());
        let mut say = |predicate, text: &str| {
            self.say(Some(&node), Some(predicate), Some(&Literal::new_simple_literal(text).into()), graph);
        };
        say(rdf::VALUE, text);
        say(RDF_DIRECTION, direction.name());
        if let Some(language) = language {
            say(RDF_LANGUAGE, &language);
        }
        Some(node.into())
    }
}
