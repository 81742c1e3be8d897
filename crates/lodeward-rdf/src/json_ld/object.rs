//! Expanding the entries of an object.

use std::sync::Arc;

use super::active_context::{Coercion, ContainerMapping, TextDirection};
use super::context_processing::ContextUse;
use super::error::{JsonLdError, fail};
use super::expand::{
    EntryScope, ExpandedItem, ExpandedNode, ExpandedValue, Expander, ExpansionPlace, JsonScalar, expands_to_keyword,
    is_datatype, is_iri_or_keyword,
};
use super::json::{JsonObject, JsonValue};
use super::maps::expand_language_map;

/// The expanded entries of an object so far. Its kind is known only at the end.
#[derive(Default)]
pub(super) struct ObjectParts<'d> {
    pub(super) node: ExpandedNode<'d>,
    value: Option<ValueContent<'d>>,
    language: Option<&'d str>,
    direction: Option<TextDirection>,
    /// A type that is not in an array, as required for the type of a value.
    single_type: Option<Arc<str>>,
    has_types: bool,
    list: Option<Vec<ExpandedItem<'d>>>,
    set: Option<Vec<ExpandedItem<'d>>>,
    seen: Vec<&'static str>,
}

/// The content of `@value`.
enum ValueContent<'d> {
    Null,
    Scalar(JsonScalar<'d>),
}

impl<'d> ObjectParts<'d> {
    /// Records a keyword. Returns an error if the keyword occurs twice in the object, also under an
    /// alias.
    fn record_keyword(&mut self, keyword: &'static str) -> Result<(), JsonLdError> {
        if self.seen.contains(&keyword) && !matches!(keyword, "@included" | "@type") {
            return fail("colliding keywords", format!("{keyword} occurs twice"));
        }
        self.seen.push(keyword);
        Ok(())
    }

    fn has_only(&self, keywords: &[&str]) -> bool {
        self.node.properties.is_empty() && self.seen.iter().all(|seen| keywords.contains(seen))
    }

    /// Converts the object to a value, a list, the items of a set, or a node.
    pub(super) fn into_items(self, place: &ExpansionPlace<'_>) -> Result<Vec<ExpandedItem<'d>>, JsonLdError> {
        if self.value.is_some() {
            let value = self.into_value()?;
            return Ok(value.filter(|_| !place.is_top_level()).map(ExpandedItem::Value).into_iter().collect());
        }
        if self.list.is_some() || self.set.is_some() {
            let keyword = if self.list.is_some() { "@list" } else { "@set" };
            if !self.has_only(&[keyword, "@index"]) {
                return fail("invalid set or list object", format!("{keyword} has other entries next to it"));
            }
            return Ok(match self.list {
                Some(_) if place.is_top_level() => Vec::new(),
                Some(list) => vec![ExpandedItem::List(list)],
                None => self.set.unwrap_or_default(),
            });
        }
        if self.seen == ["@language"] && self.node.properties.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![ExpandedItem::Node(Box::new(self.node))])
    }

    fn into_value(self) -> Result<Option<ExpandedValue<'d>>, JsonLdError> {
        let is_tagged = self.language.is_some() || self.direction.is_some();
        if !self.has_only(&["@value", "@type", "@language", "@direction", "@index"]) || self.has_types && is_tagged {
            return fail("invalid value object", "other entries next to @value");
        }
        let Some(ValueContent::Scalar(scalar)) = self.value else { return Ok(None) };
        let is_text = matches!(scalar, JsonScalar::String(_));
        if self.language.is_some() && !is_text {
            return fail("invalid language-tagged value", "@language requires a string value");
        }
        let datatype = match (self.has_types, self.single_type) {
            (false, _) => None,
            (true, Some(datatype)) if &*datatype == "@json" || is_datatype(&datatype) => Some(datatype),
            (true, _) => return fail("invalid typed value", "the type is not an IRI"),
        };
        let language = self.language.map(Into::into);
        Ok(Some(ExpandedValue { scalar, datatype, language, direction: self.direction }))
    }
}

impl Expander<'_> {
    /// Expands all entries of an object, including nested ones.
    pub(super) fn expand_entries<'d>(
        &mut self,
        scope: &EntryScope<'_>,
        object: &'d JsonObject<'d>,
        parts: &mut ObjectParts<'d>,
    ) -> Result<(), JsonLdError> {
        let mut nests = Vec::new();
        for (key, value) in object.iter().filter(|(key, _)| *key != "@context") {
            let Some(iri) =
                self.expand_iri(&scope.place.active, key, false, true)?.filter(|iri| is_iri_or_keyword(iri))
            else {
                continue;
            };
            match &*iri {
                "@nest" => nests.push((key, value)),
                keyword if keyword.starts_with('@') => self.expand_keyword(scope, keyword, value, parts)?,
                _ => {
                    let result = self.expand_property(scope, key, iri, value, parts);
                    self.recover(result)?;
                }
            }
        }
        for (key, value) in nests {
            for nested in value.elements() {
                self.expand_nest(scope, key, nested, parts)?;
            }
        }
        Ok(())
    }

    fn expand_nest<'d>(
        &mut self,
        scope: &EntryScope<'_>,
        key: &str,
        nested: &'d JsonValue<'d>,
        parts: &mut ObjectParts<'d>,
    ) -> Result<(), JsonLdError> {
        let active = &scope.place.active;
        let JsonValue::Object(object) = nested else { return fail("invalid @nest value", "not an object") };
        if object.iter().any(|(key, _)| expands_to_keyword(active, key, "@value")) {
            return fail("invalid @nest value", "it contains @value");
        }
        let inside = match active.term(key).filter(|term| term.context.is_some()) {
            Some(term) => self.processor.apply_scoped_context(
                active,
                term,
                ContextUse { is_override: true, ..ContextUse::DEFAULT },
            )?,
            None => Arc::clone(active),
        };
        let place = ExpansionPlace { active: inside, ..scope.place.clone() };
        self.expand_entries(&EntryScope { place, type_scoped: Arc::clone(&scope.type_scoped), ..*scope }, object, parts)
    }

    fn expand_keyword<'d>(
        &mut self,
        scope: &EntryScope<'_>,
        keyword: &str,
        value: &'d JsonValue<'d>,
        parts: &mut ObjectParts<'d>,
    ) -> Result<(), JsonLdError> {
        if scope.place.property == Some("@reverse") {
            return fail("invalid reverse property map", format!("{keyword} is not a property"));
        }
        let active = &scope.place.active;
        match keyword {
            "@id" => {
                parts.record_keyword("@id")?;
                let Some(id) = value.as_str() else { return fail("invalid @id value", "not a string") };
                parts.node.name = self.expand_iri(active, id, true, false)?.into();
            }
            "@type" => {
                parts.record_keyword("@type")?;
                self.expand_types(scope, value, parts)?;
            }
            "@graph" => {
                parts.record_keyword("@graph")?;
                parts.node.graph = Some(self.expand(&ExpansionPlace::new(active, Some("@graph")), value)?);
            }
            "@included" if !self.processor.is_1_0() => {
                parts.record_keyword("@included")?;
                parts.node.included.extend(self.expand_included(scope, value)?);
            }
            "@list" if !scope.place.is_top_level() => {
                parts.record_keyword("@list")?;
                parts.list = Some(self.expand(&ExpansionPlace::new(active, scope.place.property), value)?);
            }
            "@set" => {
                parts.record_keyword("@set")?;
                parts.set = Some(self.expand(&ExpansionPlace::new(active, scope.place.property), value)?);
            }
            "@reverse" => {
                parts.record_keyword("@reverse")?;
                self.expand_reverse(scope, value, parts)?;
            }
            _ => self.expand_value_keyword(scope, keyword, value, parts)?,
        }
        Ok(())
    }

    fn expand_value_keyword<'d>(
        &mut self,
        scope: &EntryScope<'_>,
        keyword: &str,
        value: &'d JsonValue<'d>,
        parts: &mut ObjectParts<'d>,
    ) -> Result<(), JsonLdError> {
        match keyword {
            "@value" => {
                parts.record_keyword("@value")?;
                parts.value = Some(match (value, JsonScalar::new(value)) {
                    _ if scope.is_json && !self.processor.is_1_0() => ValueContent::Scalar(JsonScalar::Json(value)),
                    (JsonValue::Null, _) => ValueContent::Null,
                    (_, Some(scalar)) => ValueContent::Scalar(scalar),
                    _ => return fail("invalid value object value", "it must be a scalar or null"),
                });
            }
            "@language" => {
                parts.record_keyword("@language")?;
                let Some(language) = value.as_str() else {
                    return fail("invalid language-tagged string", "the language is not a string");
                };
                parts.language = Some(language);
            }
            "@direction" if !self.processor.is_1_0() => {
                parts.record_keyword("@direction")?;
                let Some(direction) = value.as_str().and_then(TextDirection::new) else {
                    return fail("invalid base direction", "it must be ltr or rtl");
                };
                parts.direction = Some(direction);
            }
            "@index" => {
                parts.record_keyword("@index")?;
                if value.as_str().is_none() {
                    return fail("invalid @index value", "not a string");
                }
                parts.node.has_index = true;
            }
            _ => {}
        }
        Ok(())
    }

    fn expand_types<'d>(
        &mut self,
        scope: &EntryScope<'_>,
        value: &'d JsonValue<'d>,
        parts: &mut ObjectParts<'d>,
    ) -> Result<(), JsonLdError> {
        parts.has_types = true;
        parts.single_type = None;
        for element in value.elements() {
            let Some(name) = element.as_str() else { return fail("invalid type value", "not a string") };
            let iri = self.expand_iri(&scope.type_scoped, name, true, true)?;
            if !matches!(value, JsonValue::Array(_)) {
                parts.single_type.clone_from(&iri);
            }
            parts.node.types.extend(iri);
        }
        Ok(())
    }

    fn expand_included<'d>(
        &mut self,
        scope: &EntryScope<'_>,
        value: &'d JsonValue<'d>,
    ) -> Result<Vec<ExpandedItem<'d>>, JsonLdError> {
        let is_node = |element: &JsonValue<'_>| match element {
            JsonValue::Object(object) => {
                let is_other = |key: &str| {
                    ["@value", "@list", "@set"]
                        .iter()
                        .any(|keyword| expands_to_keyword(&scope.place.active, key, keyword))
                };
                !object.iter().any(|(key, _)| is_other(key))
            }
            _ => false,
        };
        if !value.elements().iter().all(is_node) {
            return fail("invalid @included value", "not a node");
        }
        self.expand(&ExpansionPlace::new(&scope.place.active, None), value)
    }

    /// Expands a map of properties whose value is this node.
    fn expand_reverse<'d>(
        &mut self,
        scope: &EntryScope<'_>,
        value: &'d JsonValue<'d>,
        parts: &mut ObjectParts<'d>,
    ) -> Result<(), JsonLdError> {
        if !matches!(value, JsonValue::Object(_)) {
            return fail("invalid @reverse value", "not an object");
        }
        for item in self.expand(&ExpansionPlace::new(&scope.place.active, Some("@reverse")), value)? {
            let ExpandedItem::Node(node) = item else { return fail("invalid @reverse value", "not a node") };
            // The reverse of a reverse property is a normal property.
            parts.node.properties.extend(node.reverse);
            for (property, items) in node.properties {
                check_all_nodes(&items)?;
                parts.node.reverse.push((property, items));
            }
        }
        Ok(())
    }

    fn expand_property<'d>(
        &mut self,
        scope: &EntryScope<'_>,
        key: &'d str,
        iri: Arc<str>,
        value: &'d JsonValue<'d>,
        parts: &mut ObjectParts<'d>,
    ) -> Result<(), JsonLdError> {
        let active = &scope.place.active;
        let term = active.term(key);
        let container = active.container(key);
        let mut items = match value {
            _ if term.is_some_and(|term| term.coercion == Some(Coercion::Json)) => vec![json_item(value)],
            JsonValue::Object(map) if container.intersects(ContainerMapping::LANGUAGE) => {
                expand_language_map(active, key, map)?
            }
            JsonValue::Object(map)
                if container
                    .intersects(ContainerMapping::INDEX.with(ContainerMapping::TYPE).with(ContainerMapping::ID)) =>
            {
                self.expand_index_map(active, key, map)?
            }
            JsonValue::Null => return Ok(()),
            _ => self.expand(&ExpansionPlace::new(active, Some(key)), value)?,
        };
        if container.intersects(ContainerMapping::LIST)
            && !matches!(items.as_slice(), [ExpandedItem::List(_)] if !is_array(value))
        {
            items = vec![ExpandedItem::List(items)];
        }
        if container.intersects(ContainerMapping::GRAPH)
            && !container.intersects(ContainerMapping::ID.with(ContainerMapping::INDEX))
        {
            items = items.into_iter().map(wrap_in_graph).collect();
        }
        if term.is_some_and(|term| term.is_reverse) {
            check_all_nodes(&items)?;
            parts.node.reverse.push((iri, items));
        } else {
            parts.node.properties.push((iri, items));
        }
        Ok(())
    }
}

fn is_array(value: &JsonValue<'_>) -> bool {
    matches!(value, JsonValue::Array(_))
}

fn check_all_nodes(items: &[ExpandedItem<'_>]) -> Result<(), JsonLdError> {
    if items.iter().all(|item| matches!(item, ExpandedItem::Node(_))) {
        return Ok(());
    }
    fail("invalid reverse property value", "not a node")
}

fn json_item<'d>(value: &'d JsonValue<'d>) -> ExpandedItem<'d> {
    let scalar = JsonScalar::Json(value);
    ExpandedItem::Value(ExpandedValue { scalar, datatype: Some("@json".into()), language: None, direction: None })
}

/// Wraps an item in a graph without a name.
pub(super) fn wrap_in_graph(item: ExpandedItem<'_>) -> ExpandedItem<'_> {
    ExpandedItem::Node(Box::new(ExpandedNode { graph: Some(vec![item]), ..ExpandedNode::default() }))
}
