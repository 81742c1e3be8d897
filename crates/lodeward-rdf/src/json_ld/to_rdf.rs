//! Converting nodes, values and lists to statements
//! ([JSON-LD 1.1 API, section 8.1](https://www.w3.org/TR/json-ld11-api/#deserialize-json-ld-to-rdf-algorithm)).
//!
//! Only what RDF cannot express is omitted: a property that is not an IRI omits its own statements,
//! but not those about its values. If repairs are enabled, IRIs and languages are repaired where
//! possible, and values that are still not IRIs are reported.

use foldhash::{HashMap, HashMapExt};
use oxiri::IriRef;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, QuadRef, Term};

use super::active_context::TextDirection;
use super::canonical::{self, CanonicalNumber};
use super::expand::{ExpandedItem, ExpandedNode, ExpandedValue, JsonScalar, NodeName};
use super::{JsonLdOptions, RdfDirection};
use crate::iri::percent_encode;
use crate::sink::QuadSink;

const RDF_JSON: NamedNodeRef<'_> = NamedNodeRef::new_unchecked("http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON");
const RDF_LANGUAGE: NamedNodeRef<'_> =
    NamedNodeRef::new_unchecked("http://www.w3.org/1999/02/22-rdf-syntax-ns#language");
const RDF_DIRECTION: NamedNodeRef<'_> =
    NamedNodeRef::new_unchecked("http://www.w3.org/1999/02/22-rdf-syntax-ns#direction");

/// The maximum number of reported invalid IRIs.
const MAX_REPORTED_LOSSES: usize = 8;

/// Passes the statements of one document to a sink.
pub(super) struct Emitter<'a> {
    options: &'a JsonLdOptions,
    sink: &'a mut dyn QuadSink,
    /// The blank nodes that are named in the document.
    named: HashMap<String, BlankNode>,
    count: usize,
    /// Omitted values that are not IRIs, up to a maximum.
    pub(super) omitted: Vec<String>,
    /// A language tag was repaired or removed.
    pub(super) has_repaired_language: bool,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(options: &'a JsonLdOptions, sink: &'a mut dyn QuadSink) -> Self {
        Self { options, sink, named: HashMap::new(), count: 0, omitted: Vec::new(), has_repaired_language: false }
    }

    pub(super) fn sink(&mut self) -> &mut dyn QuadSink {
        self.sink
    }

    /// Writes the statements of a graph.
    pub(super) fn emit_items(&mut self, items: &[ExpandedItem<'_>], graph: &GraphName) {
        for item in items {
            if let ExpandedItem::Node(node) = item {
                self.emit_node(node, graph);
            }
        }
    }

    fn emit_node(&mut self, node: &ExpandedNode<'_>, graph: &GraphName) {
        let subject = self.subject(node);
        self.emit_statements(node, subject.as_ref(), graph);
    }

    /// The subject of a node. `None` if RDF has no such name.
    pub(super) fn subject(&mut self, node: &ExpandedNode<'_>) -> Option<NamedOrBlankNode> {
        match &node.name {
            NodeName::None => Some(self.new_blank_node().into()),
            NodeName::Named(name) => self.resource(name),
            NodeName::Reserved => None,
        }
    }

    /// Writes all statements about a node.
    pub(super) fn emit_statements(
        &mut self,
        node: &ExpandedNode<'_>,
        subject: Option<&NamedOrBlankNode>,
        graph: &GraphName,
    ) {
        for class in &node.types {
            let class = self.resource(class).map(Term::from);
            self.emit_quad(subject, Some(rdf::TYPE), class.as_ref(), graph);
        }
        for (property, items) in &node.properties {
            let predicate = self.named_node(property);
            for item in items {
                self.emit_object(subject, predicate.as_ref().map(NamedNode::as_ref), item, graph);
            }
        }
        for (property, items) in &node.reverse {
            let predicate = self.named_node(property);
            for item in items {
                let ExpandedItem::Node(node) = item else { continue };
                let other = self.subject(node);
                let object = subject.cloned().map(Term::from);
                self.emit_quad(other.as_ref(), predicate.as_ref().map(NamedNode::as_ref), object.as_ref(), graph);
                self.emit_statements(node, other.as_ref(), graph);
            }
        }
        if let (Some(items), Some(name)) = (&node.graph, subject) {
            self.emit_items(items, &name.clone().into());
        }
        self.emit_items(&node.included, graph);
    }

    /// Writes a property value, and all statements about it.
    fn emit_object(
        &mut self,
        subject: Option<&NamedOrBlankNode>,
        predicate: Option<NamedNodeRef<'_>>,
        item: &ExpandedItem<'_>,
        graph: &GraphName,
    ) {
        match item {
            ExpandedItem::Value(value) => {
                let literal = self.literal(value, graph);
                self.emit_quad(subject, predicate, literal.as_ref(), graph);
            }
            ExpandedItem::Node(node) => {
                let name = self.subject(node);
                self.emit_quad(subject, predicate, name.clone().map(Term::from).as_ref(), graph);
                self.emit_statements(node, name.as_ref(), graph);
            }
            ExpandedItem::List(items) => self.emit_list(subject, predicate, items, graph),
        }
    }

    fn emit_list(
        &mut self,
        subject: Option<&NamedOrBlankNode>,
        predicate: Option<NamedNodeRef<'_>>,
        items: &[ExpandedItem<'_>],
        graph: &GraphName,
    ) {
        let (mut from, mut by) = (subject.cloned(), predicate);
        for item in items {
            let cell = NamedOrBlankNode::from(self.new_blank_node());
            self.emit_quad(from.as_ref(), by, Some(&cell.clone().into()), graph);
            self.emit_object(Some(&cell), Some(rdf::FIRST), item, graph);
            (from, by) = (Some(cell), Some(rdf::REST));
        }
        self.emit_quad(from.as_ref(), by, Some(&rdf::NIL.into_owned().into()), graph);
    }

    fn emit_quad(
        &mut self,
        subject: Option<&NamedOrBlankNode>,
        predicate: Option<NamedNodeRef<'_>>,
        object: Option<&Term>,
        graph: &GraphName,
    ) {
        if let (Some(subject), Some(predicate), Some(object)) = (subject, predicate, object) {
            self.sink.quad(QuadRef::new(subject, predicate, object, graph));
        }
    }

    pub(super) fn new_blank_node(&mut self) -> BlankNode {
        self.count += 1;
        BlankNode::new_unchecked(format!("b{}", self.count))
    }

    pub(super) fn resource(&mut self, name: &str) -> Option<NamedOrBlankNode> {
        let Some(label) = name.strip_prefix("_:") else { return self.named_node(name).map(Into::into) };
        if let Some(blank) = self.named.get(label) {
            return Some(blank.clone().into());
        }
        let is_label = self.options.repair || BlankNode::new(label).is_ok();
        let blank = is_label.then(|| self.new_blank_node())?;
        self.named.insert(label.to_owned(), blank.clone());
        Some(blank.into())
    }

    fn named_node(&mut self, iri: &str) -> Option<NamedNode> {
        if let Ok(iri) = NamedNode::new(iri) {
            return Some(iri);
        }
        if !self.options.repair {
            return None;
        }
        let escaped = percent_encode(iri);
        if let Ok(iri) = NamedNode::new(&*escaped) {
            return Some(iri);
        }
        // The algorithm omits relative IRIs and blank nodes as properties without an error.
        if self.omitted.len() < MAX_REPORTED_LOSSES && !iri.starts_with("_:") && IriRef::parse(&*escaped).is_err() {
            let start: String = iri.chars().take(100).collect();
            if !self.omitted.contains(&start) {
                self.omitted.push(start);
            }
        }
        None
    }

    /// A text with a language. An invalid language omits the text; if repairs are enabled, it omits
    /// only the language.
    fn language_literal(&mut self, text: &str, language: &str) -> Option<Literal> {
        if let Ok(literal) = Literal::new_language_tagged_literal(text, language) {
            return Some(literal);
        }
        if !self.options.repair {
            return None;
        }
        self.has_repaired_language = true;
        // Many programs write locale names such as `en_US`.
        let literal = Literal::new_language_tagged_literal(text, language.trim().replace('_', "-"));
        Some(literal.unwrap_or_else(|_| Literal::new_simple_literal(text)))
    }

    fn literal(&mut self, value: &ExpandedValue<'_>, graph: &GraphName) -> Option<Term> {
        let datatype = match value.datatype.as_deref() {
            Some("@json") => Some(RDF_JSON.into_owned()),
            Some(datatype) => Some(self.named_node(datatype)?),
            None => None,
        };
        let literal = match &value.scalar {
            JsonScalar::Json(json) => Literal::new_typed_literal(canonical::json(json), RDF_JSON),
            JsonScalar::Bool(value) => {
                let text = if *value { "true" } else { "false" };
                Literal::new_typed_literal(text, datatype.unwrap_or_else(|| xsd::BOOLEAN.into_owned()))
            }
            JsonScalar::Number(text) => {
                let is_double = datatype.as_ref().is_some_and(|datatype| *datatype == xsd::DOUBLE);
                let (text, natural) = match canonical::number(text, is_double) {
                    CanonicalNumber::Integer(text) => (text, xsd::INTEGER),
                    CanonicalNumber::Double(text) => (text, xsd::DOUBLE),
                };
                Literal::new_typed_literal(text, datatype.unwrap_or_else(|| natural.into_owned()))
            }
            JsonScalar::String(text) => match (datatype, value.direction, self.options.direction) {
                (Some(datatype), ..) => Literal::new_typed_literal(*text, datatype),
                (None, Some(direction), Some(form)) => {
                    return self.directional_literal(text, value, direction, form, graph);
                }
                (None, ..) => match &value.language {
                    Some(language) => self.language_literal(text, language)?,
                    None => Literal::new_simple_literal(*text),
                },
            },
        };
        Some(literal.into())
    }

    /// A text with a direction, which literals of RDF 1.1 do not support.
    fn directional_literal(
        &mut self,
        text: &str,
        value: &ExpandedValue<'_>,
        direction: TextDirection,
        form: RdfDirection,
        graph: &GraphName,
    ) -> Option<Term> {
        let language = value.language.as_deref().map(str::to_ascii_lowercase);
        if form == RdfDirection::I18nDatatype {
            let tag = language.unwrap_or_default();
            let datatype = NamedNode::new(format!("https://www.w3.org/ns/i18n#{tag}_{}", direction.name())).ok()?;
            return Some(Literal::new_typed_literal(text, datatype).into());
        }
        let node = NamedOrBlankNode::from(self.new_blank_node());
        let mut add = |predicate, text: &str| {
            self.emit_quad(Some(&node), Some(predicate), Some(&Literal::new_simple_literal(text).into()), graph);
        };
        add(rdf::VALUE, text);
        add(RDF_DIRECTION, direction.name());
        if let Some(language) = language {
            add(RDF_LANGUAGE, &language);
        }
        Some(node.into())
    }
}
