//! Expansion: from JSON to nodes, values and lists, by
//! [JSON-LD 1.1 API, section 5.1](https://www.w3.org/TR/json-ld11-api/#expansion-algorithm).
//!
//! What the algorithm makes is not JSON again but the little that RDF is made
//! of. Properties are not merged and indexes are not kept: neither makes a
//! statement more or less.

use std::borrow::Cow;
use std::sync::Arc;

use super::active::{Active, Coercion, Container, Dir, Term, has_scheme, is_keyword};
use super::error::{EXCESS, Error};
use super::json::{Json, Object};
use super::object::Parts;
use super::process::{Manner, Processor};
use crate::iri::escaped;

/// Something that can be the value of a property.
#[derive(Debug)]
pub(super) enum Item<'d> {
    Node(Box<Node<'d>>),
    Value(Value<'d>),
    List(Vec<Item<'d>>),
}

/// What a node is called.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Name {
    /// Nothing: a blank node that is mentioned once.
    #[default]
    None,
    /// An IRI, or a blank node.
    Is(Arc<str>),
    /// By a word that is kept for other purposes, and so not at all.
    Void,
}

impl From<Option<Arc<str>>> for Name {
    fn from(iri: Option<Arc<str>>) -> Self {
        iri.map_or(Self::Void, Self::Is)
    }
}

/// A node and what is said of it.
#[derive(Debug, Default)]
pub(super) struct Node<'d> {
    pub(super) name: Name,
    pub(super) types: Vec<Arc<str>>,
    pub(super) properties: Vec<(Arc<str>, Vec<Item<'d>>)>,
    pub(super) reverse: Vec<(Arc<str>, Vec<Item<'d>>)>,
    /// What is in the graph of this name.
    pub(super) graph: Option<Vec<Item<'d>>>,
    /// Other nodes that were found beside it.
    pub(super) included: Vec<Item<'d>>,
    pub(super) has_index: bool,
}

impl Node<'_> {
    /// Whether it is nothing but a graph, which then may lack a name.
    pub(super) fn is_simple_graph(&self) -> bool {
        self.name == Name::None && self.graph.is_some() && self.has_nothing_said()
    }

    /// Whether there is no statement about it.
    pub(super) fn has_nothing_said(&self) -> bool {
        self.types.is_empty() && self.properties.is_empty() && self.reverse.is_empty() && self.included.is_empty()
    }
}

/// A literal to be.
#[derive(Debug)]
pub(super) struct Value<'d> {
    pub(super) scalar: Scalar<'d>,
    pub(super) datatype: Option<Arc<str>>,
    pub(super) language: Option<Arc<str>>,
    pub(super) direction: Option<Dir>,
}

#[derive(Debug)]
pub(super) enum Scalar<'d> {
    Bool(bool),
    Number(&'d str),
    String(&'d str),
    Json(&'d Json<'d>),
}

impl<'d> Scalar<'d> {
    pub(super) fn new(value: &'d Json<'d>) -> Option<Self> {
        match value {
            Json::Bool(value) => Some(Self::Bool(*value)),
            Json::Number(text) => Some(Self::Number(text)),
            Json::String(text) => Some(Self::String(text)),
            _ => None,
        }
    }
}

/// The place at which something is expanded.
#[derive(Clone)]
pub(super) struct Place<'k> {
    pub(super) active: Arc<Active>,
    /// The term it is the value of, as it was written. `None` at the top.
    pub(super) property: Option<&'k str>,
    /// It came out of a map, whose key said what is known of it.
    pub(super) is_from_map: bool,
}

impl<'k> Place<'k> {
    pub(super) fn new(active: &Arc<Active>, property: Option<&'k str>) -> Self {
        Self { active: Arc::clone(active), property, is_from_map: false }
    }

    /// Whether values are about nothing here.
    pub(super) fn is_top(&self) -> bool {
        matches!(self.property, None | Some("@graph"))
    }

    fn term(&self) -> Option<&Arc<Term>> {
        self.property.and_then(|property| self.active.term(property))
    }
}

/// Expands the things of one document.
pub(super) struct Expander<'a> {
    pub(super) processor: Processor<'a>,
    /// What addresses of contexts in the document are relative to.
    pub(super) document: Option<String>,
    /// Why something was left out while what it is in was not, the first of it.
    pub(super) lost: Vec<Error>,
}

/// Of what was left out, so much is told.
const LOST_MAX: usize = 8;

impl Expander<'_> {
    /// Where documents are repaired, what is wrong with a value costs that
    /// value only: by the letter, it costs the document. What a context says
    /// wrong costs what the context is for.
    pub(super) fn forgiven<T: Default>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        match result {
            Err(error) if self.processor.options.repair && error.code != EXCESS => {
                if self.lost.len() < LOST_MAX && !self.lost.contains(&error) {
                    self.lost.push(error);
                }
                Ok(T::default())
            }
            result => result,
        }
    }

    pub(super) fn expand<'d>(&mut self, place: &Place<'_>, element: &'d Json<'d>) -> Result<Vec<Item<'d>>, Error> {
        match element {
            Json::Null => Ok(Vec::new()),
            Json::Array(elements) => self.array(place, elements),
            Json::Object(object) => self.object(place, object),
            scalar if place.is_top() => {
                debug_assert!(scalar.is_scalar(), "all else was handled");
                Ok(Vec::new())
            }
            scalar => self.scalar(place, scalar).map(|item| vec![item]),
        }
    }

    fn array<'d>(&mut self, place: &Place<'_>, elements: &'d [Json<'d>]) -> Result<Vec<Item<'d>>, Error> {
        let is_list = place.term().is_some_and(|term| term.container.has(Container::LIST));
        let mut items = Vec::new();
        for element in elements {
            let expanded = self.expand(place, element);
            let expanded = self.forgiven(expanded)?;
            if is_list && matches!(element, Json::Array(_)) {
                items.push(Item::List(expanded));
            } else {
                items.extend(expanded);
            }
        }
        Ok(items)
    }

    fn scalar<'d>(&mut self, place: &Place<'_>, value: &'d Json<'d>) -> Result<Item<'d>, Error> {
        let property = place.property.expect("values at the top are left out");
        let active = match place.term() {
            Some(term) if term.context.is_some() => self.processor.scoped(&place.active, term, Manner::PLAIN)?,
            _ => Arc::clone(&place.active),
        };
        self.value(&active, property, value)
    }

    /// Value expansion: what a scalar is as a value of a term.
    fn value<'d>(&mut self, active: &Active, property: &str, value: &'d Json<'d>) -> Result<Item<'d>, Error> {
        match value {
            Json::String(text) => self.text_value(active, property, text),
            _ => {
                let scalar = Scalar::new(value).expect("only scalars are values");
                let datatype = active.term(property).and_then(|term| term.datatype()).cloned();
                Ok(Item::Value(Value { scalar, datatype, language: None, direction: None }))
            }
        }
    }

    /// What a text is as a value of a term.
    pub(super) fn text_value<'d>(&mut self, active: &Active, property: &str, text: &'d str) -> Result<Item<'d>, Error> {
        let term = active.term(property);
        let mut value = Value { scalar: Scalar::String(text), datatype: None, language: None, direction: None };
        match term.and_then(|term| term.coercion.as_ref()) {
            Some(Coercion::Id) => return self.reference(active, text, false),
            Some(Coercion::Vocab) => return self.reference(active, text, true),
            Some(Coercion::Datatype(datatype)) => value.datatype = Some(Arc::clone(datatype)),
            // JSON was taken as a whole before.
            Some(Coercion::None | Coercion::Json) | None => {
                value.language = active.language_of(term);
                value.direction = active.direction_of(term);
            }
        }
        Ok(Item::Value(value))
    }

    fn reference<'d>(&mut self, active: &Active, text: &str, is_vocab: bool) -> Result<Item<'d>, Error> {
        let name = self.iri(active, text, true, is_vocab)?.into();
        Ok(Item::Node(Box::new(Node { name, ..Node::default() })))
    }

    /// IRI expansion, paid for.
    pub(super) fn iri(
        &mut self,
        active: &Active,
        value: &str,
        is_relative: bool,
        is_vocab: bool,
    ) -> Result<Option<Arc<str>>, Error> {
        let is_term = is_vocab && active.term(value).is_some();
        let value = if is_relative && !is_term && self.processor.options.repair {
            // As for the addresses in the attributes of pages.
            escaped(value.trim_ascii())
        } else {
            Cow::Borrowed(value)
        };
        let iri = active.expand(&value, is_relative, is_vocab);
        self.processor.budget.spend(iri.as_ref().map_or(0, |iri| iri.len()))?;
        Ok(iri)
    }

    /// What an entry says of a node, without the others.
    pub(super) fn said<'d>(
        &mut self,
        active: &Arc<Active>,
        type_scoped: &Arc<Active>,
        object: &'d Object<'d>,
    ) -> Result<Node<'d>, Error> {
        let scope = Scope { place: Place::new(active, None), type_scoped: Arc::clone(type_scoped), is_json: false };
        let mut parts = Parts::default();
        self.entries(&scope, object, &mut parts)?;
        Ok(parts.node)
    }

    fn object<'d>(&mut self, place: &Place<'_>, object: &'d Object<'d>) -> Result<Vec<Item<'d>>, Error> {
        let active = self.entered(place, object)?;
        let (inside, input_type) = self.with_types(&active, object)?;
        let scope = Scope {
            place: Place { active: inside, property: place.property, is_from_map: false },
            type_scoped: active,
            is_json: input_type.as_deref() == Some("@json"),
        };
        let mut parts = Parts::default();
        self.entries(&scope, object, &mut parts)?;
        parts.finish(place)
    }

    /// The context in force inside an object.
    pub(super) fn entered(&mut self, place: &Place<'_>, object: &Object<'_>) -> Result<Arc<Active>, Error> {
        let mut active = Arc::clone(&place.active);
        let scoping = place.term().filter(|term| term.context.is_some()).cloned();
        if let Some(previous) = active.previous.clone().filter(|_| !place.is_from_map && goes_back(&active, object)) {
            active = previous;
        }
        if let Some(term) = scoping {
            let manner = Manner { is_override: true, ..Manner::PLAIN };
            active = self.processor.scoped(&active, &term, manner)?;
        }
        if let Some(context) = object.get("@context") {
            let document = self.document.clone();
            active = self.processor.local(&active, context, document.as_deref())?;
        }
        Ok(active)
    }

    /// The context with those of the types of an object, and the last of the
    /// types under the first key that means so.
    pub(super) fn with_types(
        &mut self,
        active: &Arc<Active>,
        object: &Object<'_>,
    ) -> Result<(Arc<Active>, Option<Arc<str>>), Error> {
        let mut keys: Vec<(&str, &Json<'_>)> = Vec::new();
        for (key, value) in object.iter() {
            if is_word_for(active, key, "@type") {
                keys.push((key, value));
            }
        }
        keys.sort_unstable_by_key(|(key, _)| *key);
        let mut inside = Arc::clone(active);
        for (_, value) in &keys {
            let mut names: Vec<&str> = value.elements().iter().filter_map(Json::as_str).collect();
            names.sort_unstable();
            for term in names.into_iter().filter_map(|name| active.term(name)).filter(|term| term.context.is_some()) {
                let manner = Manner { is_propagated: false, ..Manner::PLAIN };
                inside = self.processor.scoped(&inside, term, manner)?;
            }
        }
        let last = keys.first().and_then(|(_, value)| value.elements().last()?.as_str());
        Ok((inside, last.and_then(|name| active.word(name))))
    }
}

/// Where the entries of an object are expanded.
pub(super) struct Scope<'k> {
    pub(super) place: Place<'k>,
    /// The context without those of the types, which the types themselves are in.
    pub(super) type_scoped: Arc<Active>,
    /// Its value is JSON and nothing else.
    pub(super) is_json: bool,
}

/// Whether a context for one node only is over with this object: unless it is
/// a value, or a mere reference to a node.
fn goes_back(active: &Active, object: &Object<'_>) -> bool {
    let is_value = object.iter().any(|(key, _)| is_word_for(active, key, "@value"));
    let is_reference = object.len() == 1 && object.iter().all(|(key, _)| is_word_for(active, key, "@id"));
    !is_value && !is_reference
}

/// Whether a key means this keyword, found without making its IRI.
pub(super) fn is_word_for(active: &Active, key: &str, keyword: &str) -> bool {
    key == keyword || active.term(key).is_some_and(|term| term.iri.as_deref() == Some(keyword))
}

/// Whether an expanded key is one that says something.
pub(super) fn is_property(iri: &str) -> bool {
    iri.contains(':') || is_keyword(iri)
}

/// Whether an IRI can be the type of a value.
pub(super) fn is_datatype(iri: &str) -> bool {
    has_scheme(iri) && !iri.contains([' ', '<', '>', '"'])
}
