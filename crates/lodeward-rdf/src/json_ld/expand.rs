//! Expansion of JSON to nodes, values and lists
//! ([JSON-LD 1.1 API, section 5.1](https://www.w3.org/TR/json-ld11-api/#expansion-algorithm)).
//!
//! The result is not JSON, but only what is needed for RDF. Properties are not merged and indexes
//! are not stored, as neither affects the statements.

use std::borrow::Cow;
use std::sync::Arc;

use super::active_context::{
    ActiveContext, Coercion, ContainerMapping, TermDefinition, TextDirection, has_scheme, is_keyword,
};
use super::context_processing::{ContextProcessor, ContextUse};
use super::error::{JsonLdError, LIMIT_EXCEEDED};
use super::json::{JsonObject, JsonValue};
use super::object::ObjectParts;
use crate::iri::percent_encode;

/// A value of a property.
#[derive(Debug)]
pub(super) enum ExpandedItem<'d> {
    Node(Box<ExpandedNode<'d>>),
    Value(ExpandedValue<'d>),
    List(Vec<ExpandedItem<'d>>),
}

/// The name of a node.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum NodeName {
    /// No name: a blank node that occurs once.
    #[default]
    None,
    /// An IRI or a blank node.
    Named(Arc<str>),
    /// A reserved word, which cannot be the name of a node.
    Reserved,
}

impl From<Option<Arc<str>>> for NodeName {
    fn from(iri: Option<Arc<str>>) -> Self {
        iri.map_or(Self::Reserved, Self::Named)
    }
}

/// A node and its properties.
#[derive(Debug, Default)]
pub(super) struct ExpandedNode<'d> {
    pub(super) name: NodeName,
    pub(super) types: Vec<Arc<str>>,
    pub(super) properties: Vec<(Arc<str>, Vec<ExpandedItem<'d>>)>,
    pub(super) reverse: Vec<(Arc<str>, Vec<ExpandedItem<'d>>)>,
    /// The content of the graph that has the name of the node.
    pub(super) graph: Option<Vec<ExpandedItem<'d>>>,
    /// The nodes of `@included`.
    pub(super) included: Vec<ExpandedItem<'d>>,
    pub(super) has_index: bool,
}

impl ExpandedNode<'_> {
    /// Whether the node has a graph, but no name and no statements: then its graph is the default
    /// graph.
    pub(super) fn is_simple_graph(&self) -> bool {
        self.name == NodeName::None && self.graph.is_some() && self.has_no_statements()
    }

    /// Whether there are no statements about the node.
    pub(super) fn has_no_statements(&self) -> bool {
        self.types.is_empty() && self.properties.is_empty() && self.reverse.is_empty() && self.included.is_empty()
    }
}

/// A literal before its conversion to RDF.
#[derive(Debug)]
pub(super) struct ExpandedValue<'d> {
    pub(super) scalar: JsonScalar<'d>,
    pub(super) datatype: Option<Arc<str>>,
    pub(super) language: Option<Arc<str>>,
    pub(super) direction: Option<TextDirection>,
}

#[derive(Debug)]
pub(super) enum JsonScalar<'d> {
    Bool(bool),
    Number(&'d str),
    String(&'d str),
    Json(&'d JsonValue<'d>),
}

impl<'d> JsonScalar<'d> {
    pub(super) fn new(value: &'d JsonValue<'d>) -> Option<Self> {
        match value {
            JsonValue::Bool(value) => Some(Self::Bool(*value)),
            JsonValue::Number(text) => Some(Self::Number(text)),
            JsonValue::String(text) => Some(Self::String(text)),
            _ => None,
        }
    }
}

/// The position at which a value is expanded.
#[derive(Clone)]
pub(super) struct ExpansionPlace<'k> {
    pub(super) active: Arc<ActiveContext>,
    /// The term whose value is expanded, as written. `None` at the top level.
    pub(super) property: Option<&'k str>,
    /// Whether the value is an entry of a map.
    pub(super) is_from_map: bool,
}

impl<'k> ExpansionPlace<'k> {
    pub(super) fn new(active: &Arc<ActiveContext>, property: Option<&'k str>) -> Self {
        Self { active: Arc::clone(active), property, is_from_map: false }
    }

    /// Whether values have no subject here: at the top level, or in a graph.
    pub(super) fn is_top_level(&self) -> bool {
        matches!(self.property, None | Some("@graph"))
    }

    fn term(&self) -> Option<&Arc<TermDefinition>> {
        self.property.and_then(|property| self.active.term(property))
    }
}

/// Expands the values of one document.
pub(super) struct Expander<'a> {
    pub(super) processor: ContextProcessor<'a>,
    /// The base of context URLs in the document.
    pub(super) document: Option<String>,
    /// The errors of omitted values, up to a maximum.
    pub(super) omitted: Vec<JsonLdError>,
}

/// The maximum number of reported omissions.
const MAX_REPORTED_LOSSES: usize = 8;

impl Expander<'_> {
    /// If repairs are enabled, an error in a value only omits this value, while the specification
    /// rejects the document. An error in a context omits the value to which the context applies.
    pub(super) fn recover<T: Default>(&mut self, result: Result<T, JsonLdError>) -> Result<T, JsonLdError> {
        match result {
            Err(error) if self.processor.options.repair && error.code != LIMIT_EXCEEDED => {
                if self.omitted.len() < MAX_REPORTED_LOSSES && !self.omitted.contains(&error) {
                    self.omitted.push(error);
                }
                Ok(T::default())
            }
            result => result,
        }
    }

    pub(super) fn expand<'d>(
        &mut self,
        place: &ExpansionPlace<'_>,
        element: &'d JsonValue<'d>,
    ) -> Result<Vec<ExpandedItem<'d>>, JsonLdError> {
        match element {
            JsonValue::Null => Ok(Vec::new()),
            JsonValue::Array(elements) => self.expand_array(place, elements),
            JsonValue::Object(object) => self.expand_object(place, object),
            scalar if place.is_top_level() => {
                debug_assert!(scalar.is_scalar(), "null, arrays and objects are handled above");
                Ok(Vec::new())
            }
            scalar => self.expand_scalar(place, scalar).map(|item| vec![item]),
        }
    }

    fn expand_array<'d>(
        &mut self,
        place: &ExpansionPlace<'_>,
        elements: &'d [JsonValue<'d>],
    ) -> Result<Vec<ExpandedItem<'d>>, JsonLdError> {
        let is_list = place.term().is_some_and(|term| term.container.intersects(ContainerMapping::LIST));
        let mut items = Vec::new();
        for element in elements {
            let expanded = self.expand(place, element);
            let expanded = self.recover(expanded)?;
            if is_list && matches!(element, JsonValue::Array(_)) {
                items.push(ExpandedItem::List(expanded));
            } else {
                items.extend(expanded);
            }
        }
        Ok(items)
    }

    fn expand_scalar<'d>(
        &mut self,
        place: &ExpansionPlace<'_>,
        value: &'d JsonValue<'d>,
    ) -> Result<ExpandedItem<'d>, JsonLdError> {
        let property = place.property.expect("`expand` omits top-level scalars");
        let active = match place.term() {
            Some(term) if term.context.is_some() => {
                self.processor.apply_scoped_context(&place.active, term, ContextUse::DEFAULT)?
            }
            _ => Arc::clone(&place.active),
        };
        self.expand_value(&active, property, value)
    }

    /// Value expansion of a scalar.
    fn expand_value<'d>(
        &mut self,
        active: &ActiveContext,
        property: &str,
        value: &'d JsonValue<'d>,
    ) -> Result<ExpandedItem<'d>, JsonLdError> {
        match value {
            JsonValue::String(text) => self.expand_text(active, property, text),
            _ => {
                let scalar = JsonScalar::new(value).expect("the value is a scalar");
                let datatype = active.term(property).and_then(|term| term.datatype()).cloned();
                Ok(ExpandedItem::Value(ExpandedValue { scalar, datatype, language: None, direction: None }))
            }
        }
    }

    /// Expands a text as the value of a term.
    pub(super) fn expand_text<'d>(
        &mut self,
        active: &ActiveContext,
        property: &str,
        text: &'d str,
    ) -> Result<ExpandedItem<'d>, JsonLdError> {
        let term = active.term(property);
        let mut value =
            ExpandedValue { scalar: JsonScalar::String(text), datatype: None, language: None, direction: None };
        match term.and_then(|term| term.coercion.as_ref()) {
            Some(Coercion::Id) => return self.expand_reference(active, text, false),
            Some(Coercion::Vocab) => return self.expand_reference(active, text, true),
            Some(Coercion::Datatype(datatype)) => value.datatype = Some(Arc::clone(datatype)),
            // The caller has already handled JSON literals.
            Some(Coercion::None | Coercion::Json) | None => {
                value.language = active.language_of(term);
                value.direction = active.direction_of(term);
            }
        }
        Ok(ExpandedItem::Value(value))
    }

    fn expand_reference<'d>(
        &mut self,
        active: &ActiveContext,
        text: &str,
        is_vocab: bool,
    ) -> Result<ExpandedItem<'d>, JsonLdError> {
        let name = self.expand_iri(active, text, true, is_vocab)?.into();
        Ok(ExpandedItem::Node(Box::new(ExpandedNode { name, ..ExpandedNode::default() })))
    }

    /// IRI expansion, charged to the budget.
    pub(super) fn expand_iri(
        &mut self,
        active: &ActiveContext,
        value: &str,
        is_relative: bool,
        is_vocab: bool,
    ) -> Result<Option<Arc<str>>, JsonLdError> {
        let is_term = is_vocab && active.term(value).is_some();
        let value = if is_relative && !is_term && self.processor.options.repair {
            // References are repaired like URLs in attributes of pages.
            percent_encode(value.trim_ascii())
        } else {
            Cow::Borrowed(value)
        };
        let iri = active.expand_iri(&value, is_relative, is_vocab);
        self.processor.budget.spend(iri.as_ref().map_or(0, |iri| iri.len()))?;
        Ok(iri)
    }

    /// Expands entries of a node, without its context and types.
    pub(super) fn expand_node<'d>(
        &mut self,
        active: &Arc<ActiveContext>,
        type_scoped: &Arc<ActiveContext>,
        object: &'d JsonObject<'d>,
    ) -> Result<ExpandedNode<'d>, JsonLdError> {
        let scope = EntryScope {
            place: ExpansionPlace::new(active, None),
            type_scoped: Arc::clone(type_scoped),
            is_json: false,
        };
        let mut parts = ObjectParts::default();
        self.expand_entries(&scope, object, &mut parts)?;
        Ok(parts.node)
    }

    fn expand_object<'d>(
        &mut self,
        place: &ExpansionPlace<'_>,
        object: &'d JsonObject<'d>,
    ) -> Result<Vec<ExpandedItem<'d>>, JsonLdError> {
        let active = self.object_context(place, object)?;
        let (inside, input_type) = self.type_scoped_context(&active, object)?;
        let scope = EntryScope {
            place: ExpansionPlace { active: inside, property: place.property, is_from_map: false },
            type_scoped: active,
            is_json: input_type.as_deref() == Some("@json"),
        };
        let mut parts = ObjectParts::default();
        self.expand_entries(&scope, object, &mut parts)?;
        parts.into_items(place)
    }

    /// The active context inside an object.
    pub(super) fn object_context(
        &mut self,
        place: &ExpansionPlace<'_>,
        object: &JsonObject<'_>,
    ) -> Result<Arc<ActiveContext>, JsonLdError> {
        let mut active = Arc::clone(&place.active);
        let scoping = place.term().filter(|term| term.context.is_some()).cloned();
        if let Some(previous) =
            active.previous.clone().filter(|_| !place.is_from_map && reverts_context(&active, object))
        {
            active = previous;
        }
        if let Some(term) = scoping {
            let usage = ContextUse { is_override: true, ..ContextUse::DEFAULT };
            active = self.processor.apply_scoped_context(&active, &term, usage)?;
        }
        if let Some(context) = object.get("@context") {
            let document = self.document.clone();
            active = self.processor.apply_local_context(&active, context, document.as_deref())?;
        }
        Ok(active)
    }

    /// The active context with the scoped contexts of an object's types. Also returns the last type
    /// of the first `@type` key.
    pub(super) fn type_scoped_context(
        &mut self,
        active: &Arc<ActiveContext>,
        object: &JsonObject<'_>,
    ) -> Result<(Arc<ActiveContext>, Option<Arc<str>>), JsonLdError> {
        let mut keys: Vec<(&str, &JsonValue<'_>)> = Vec::new();
        for (key, value) in object.iter() {
            if expands_to_keyword(active, key, "@type") {
                keys.push((key, value));
            }
        }
        keys.sort_unstable_by_key(|(key, _)| *key);
        let mut inside = Arc::clone(active);
        for (_, value) in &keys {
            let mut names: Vec<&str> = value.elements().iter().filter_map(JsonValue::as_str).collect();
            names.sort_unstable();
            for term in names.into_iter().filter_map(|name| active.term(name)).filter(|term| term.context.is_some()) {
                let usage = ContextUse { is_propagated: false, ..ContextUse::DEFAULT };
                inside = self.processor.apply_scoped_context(&inside, term, usage)?;
            }
        }
        let last = keys.first().and_then(|(_, value)| value.elements().last()?.as_str());
        Ok((inside, last.and_then(|name| active.expand_vocab(name))))
    }
}

/// The state for expanding the entries of an object.
pub(super) struct EntryScope<'k> {
    pub(super) place: ExpansionPlace<'k>,
    /// The context without type-scoped contexts, in which the types themselves are expanded.
    pub(super) type_scoped: Arc<ActiveContext>,
    /// Whether the type of the object is `@json`, so that its `@value` is a JSON literal.
    pub(super) is_json: bool,
}

/// Whether a context that is not propagated ends with this object: always, except for values and
/// plain references to a node.
fn reverts_context(active: &ActiveContext, object: &JsonObject<'_>) -> bool {
    let is_value = object.iter().any(|(key, _)| expands_to_keyword(active, key, "@value"));
    let is_reference = object.len() == 1 && object.iter().all(|(key, _)| expands_to_keyword(active, key, "@id"));
    !is_value && !is_reference
}

/// Whether a key is this keyword or an alias of it. Unlike `expand_iri`, creates no string.
pub(super) fn expands_to_keyword(active: &ActiveContext, key: &str, keyword: &str) -> bool {
    key == keyword || active.term(key).is_some_and(|term| term.iri.as_deref() == Some(keyword))
}

/// Whether an expanded key is an IRI or a keyword, and not ignored.
pub(super) fn is_iri_or_keyword(iri: &str) -> bool {
    iri.contains(':') || is_keyword(iri)
}

/// Whether an IRI can be a datatype.
pub(super) fn is_datatype(iri: &str) -> bool {
    has_scheme(iri) && !iri.contains([' ', '<', '>', '"'])
}
