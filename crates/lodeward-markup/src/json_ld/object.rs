//! The entries of an object, and what they make together.

use std::sync::Arc;

use super::active::{Coercion, Container, Dir};
use super::error::{Error, fail};
use super::expand::{Expander, Item, Node, Place, Scalar, Scope, Value, is_datatype, is_property, is_word_for};
use super::json::{Json, Object};
use super::maps::language_map;
use super::process::Manner;

/// What was found in an object so far. What it is shows at the end.
#[derive(Default)]
pub(super) struct Parts<'d> {
    pub(super) node: Node<'d>,
    value: Option<Content<'d>>,
    language: Option<&'d str>,
    direction: Option<Dir>,
    /// A type that is not in an array, as the type of a value must be.
    single_type: Option<Arc<str>>,
    has_types: bool,
    list: Option<Vec<Item<'d>>>,
    set: Option<Vec<Item<'d>>>,
    seen: Vec<&'static str>,
}

/// What is under `@value`.
enum Content<'d> {
    Null,
    Scalar(Scalar<'d>),
}

impl<'d> Parts<'d> {
    /// Keywords come once, whatever they are called.
    fn see(&mut self, keyword: &'static str) -> Result<(), Error> {
        if self.seen.contains(&keyword) && !matches!(keyword, "@included" | "@type") {
            return fail("colliding keywords", format!("{keyword} is there twice"));
        }
        self.seen.push(keyword);
        Ok(())
    }

    fn has_only(&self, keywords: &[&str]) -> bool {
        self.node.properties.is_empty() && self.seen.iter().all(|seen| keywords.contains(seen))
    }

    /// What the object is.
    pub(super) fn finish(self, place: &Place<'_>) -> Result<Vec<Item<'d>>, Error> {
        if self.value.is_some() {
            let value = self.into_value()?;
            return Ok(value.filter(|_| !place.is_top()).map(Item::Value).into_iter().collect());
        }
        if self.list.is_some() || self.set.is_some() {
            let keyword = if self.list.is_some() { "@list" } else { "@set" };
            if !self.has_only(&[keyword, "@index"]) {
                return fail("invalid set or list object", format!("{keyword} is not alone"));
            }
            return Ok(match self.list {
                Some(_) if place.is_top() => Vec::new(),
                Some(list) => vec![Item::List(list)],
                None => self.set.unwrap_or_default(),
            });
        }
        if self.seen == ["@language"] && self.node.properties.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![Item::Node(Box::new(self.node))])
    }

    fn into_value(self) -> Result<Option<Value<'d>>, Error> {
        let is_tagged = self.language.is_some() || self.direction.is_some();
        if !self.has_only(&["@value", "@type", "@language", "@direction", "@index"]) || self.has_types && is_tagged {
            return fail("invalid value object", "there is more than a value");
        }
        let Some(Content::Scalar(scalar)) = self.value else { return Ok(None) };
        let is_text = matches!(scalar, Scalar::String(_));
        if self.language.is_some() && !is_text {
            return fail("invalid language-tagged value", "a language of something that is no text");
        }
        let datatype = match (self.has_types, self.single_type) {
            (false, _) => None,
            (true, Some(datatype)) if &*datatype == "@json" || is_datatype(&datatype) => Some(datatype),
            (true, _) => return fail("invalid typed value", "a type that is no IRI"),
        };
        let language = self.language.map(Into::into);
        Ok(Some(Value { scalar, datatype, language, direction: self.direction }))
    }
}

impl Expander<'_> {
    /// Expands all entries of an object, and those that are nested in it.
    pub(super) fn entries<'d>(
        &mut self,
        scope: &Scope<'_>,
        object: &'d Object<'d>,
        parts: &mut Parts<'d>,
    ) -> Result<(), Error> {
        let mut nests = Vec::new();
        for (key, value) in object.iter().filter(|(key, _)| *key != "@context") {
            let Some(iri) = self.iri(&scope.place.active, key, false, true)?.filter(|iri| is_property(iri)) else {
                continue;
            };
            match &*iri {
                "@nest" => nests.push((key, value)),
                keyword if keyword.starts_with('@') => self.keyword(scope, keyword, value, parts)?,
                _ => {
                    let result = self.property(scope, key, iri, value, parts);
                    self.forgiven(result)?;
                }
            }
        }
        for (key, value) in nests {
            for nested in value.elements() {
                self.nest(scope, key, nested, parts)?;
            }
        }
        Ok(())
    }

    fn nest<'d>(
        &mut self,
        scope: &Scope<'_>,
        key: &str,
        nested: &'d Json<'d>,
        parts: &mut Parts<'d>,
    ) -> Result<(), Error> {
        let active = &scope.place.active;
        let Json::Object(object) = nested else { return fail("invalid @nest value", "not an object") };
        if object.iter().any(|(key, _)| is_word_for(active, key, "@value")) {
            return fail("invalid @nest value", "a value");
        }
        let inside = match active.term(key).filter(|term| term.context.is_some()) {
            Some(term) => self.processor.scoped(active, term, Manner { is_override: true, ..Manner::PLAIN })?,
            None => Arc::clone(active),
        };
        let place = Place { active: inside, ..scope.place.clone() };
        self.entries(&Scope { place, type_scoped: Arc::clone(&scope.type_scoped), ..*scope }, object, parts)
    }

    fn keyword<'d>(
        &mut self,
        scope: &Scope<'_>,
        keyword: &str,
        value: &'d Json<'d>,
        parts: &mut Parts<'d>,
    ) -> Result<(), Error> {
        if scope.place.property == Some("@reverse") {
            return fail("invalid reverse property map", format!("{keyword} is no property"));
        }
        let active = &scope.place.active;
        match keyword {
            "@id" => {
                parts.see("@id")?;
                let Some(id) = value.as_str() else { return fail("invalid @id value", "not a string") };
                parts.node.name = self.iri(active, id, true, false)?.into();
            }
            "@type" => {
                parts.see("@type")?;
                self.types(scope, value, parts)?;
            }
            "@graph" => {
                parts.see("@graph")?;
                parts.node.graph = Some(self.expand(&Place::new(active, Some("@graph")), value)?);
            }
            "@included" if !self.processor.is_1_0() => {
                parts.see("@included")?;
                parts.node.included.extend(self.included(scope, value)?);
            }
            "@list" if !scope.place.is_top() => {
                parts.see("@list")?;
                parts.list = Some(self.expand(&Place::new(active, scope.place.property), value)?);
            }
            "@set" => {
                parts.see("@set")?;
                parts.set = Some(self.expand(&Place::new(active, scope.place.property), value)?);
            }
            "@reverse" => {
                parts.see("@reverse")?;
                self.reverse(scope, value, parts)?;
            }
            _ => self.value_keyword(scope, keyword, value, parts)?,
        }
        Ok(())
    }

    fn value_keyword<'d>(
        &mut self,
        scope: &Scope<'_>,
        keyword: &str,
        value: &'d Json<'d>,
        parts: &mut Parts<'d>,
    ) -> Result<(), Error> {
        match keyword {
            "@value" => {
                parts.see("@value")?;
                parts.value = Some(match (value, Scalar::new(value)) {
                    _ if scope.is_json && !self.processor.is_1_0() => Content::Scalar(Scalar::Json(value)),
                    (Json::Null, _) => Content::Null,
                    (_, Some(scalar)) => Content::Scalar(scalar),
                    _ => return fail("invalid value object value", "neither a scalar nor null"),
                });
            }
            "@language" => {
                parts.see("@language")?;
                let Some(language) = value.as_str() else {
                    return fail("invalid language-tagged string", "a language that is no string");
                };
                parts.language = Some(language);
            }
            "@direction" if !self.processor.is_1_0() => {
                parts.see("@direction")?;
                let Some(direction) = value.as_str().and_then(Dir::new) else {
                    return fail("invalid base direction", "neither ltr nor rtl");
                };
                parts.direction = Some(direction);
            }
            "@index" => {
                parts.see("@index")?;
                if value.as_str().is_none() {
                    return fail("invalid @index value", "not a string");
                }
                parts.node.has_index = true;
            }
            _ => {}
        }
        Ok(())
    }

    fn types<'d>(&mut self, scope: &Scope<'_>, value: &'d Json<'d>, parts: &mut Parts<'d>) -> Result<(), Error> {
        parts.has_types = true;
        parts.single_type = None;
        for element in value.elements() {
            let Some(name) = element.as_str() else { return fail("invalid type value", "not a string") };
            let iri = self.iri(&scope.type_scoped, name, true, true)?;
            if !matches!(value, Json::Array(_)) {
                parts.single_type.clone_from(&iri);
            }
            parts.node.types.extend(iri);
        }
        Ok(())
    }

    fn included<'d>(&mut self, scope: &Scope<'_>, value: &'d Json<'d>) -> Result<Vec<Item<'d>>, Error> {
        let is_node = |element: &Json<'_>| match element {
            Json::Object(object) => {
                let is_other = |key: &str| {
                    ["@value", "@list", "@set"].iter().any(|keyword| is_word_for(&scope.place.active, key, keyword))
                };
                !object.iter().any(|(key, _)| is_other(key))
            }
            _ => false,
        };
        if !value.elements().iter().all(is_node) {
            return fail("invalid @included value", "not a node");
        }
        self.expand(&Place::new(&scope.place.active, None), value)
    }

    /// A map of properties that have this node as their value.
    fn reverse<'d>(&mut self, scope: &Scope<'_>, value: &'d Json<'d>, parts: &mut Parts<'d>) -> Result<(), Error> {
        if !matches!(value, Json::Object(_)) {
            return fail("invalid @reverse value", "not an object");
        }
        for item in self.expand(&Place::new(&scope.place.active, Some("@reverse")), value)? {
            let Item::Node(node) = item else { return fail("invalid @reverse value", "not a node") };
            // The reverse of the reverse is as if it had not been turned around.
            parts.node.properties.extend(node.reverse);
            for (property, items) in node.properties {
                only_nodes(&items)?;
                parts.node.reverse.push((property, items));
            }
        }
        Ok(())
    }

    fn property<'d>(
        &mut self,
        scope: &Scope<'_>,
        key: &'d str,
        iri: Arc<str>,
        value: &'d Json<'d>,
        parts: &mut Parts<'d>,
    ) -> Result<(), Error> {
        let active = &scope.place.active;
        let term = active.term(key);
        let container = active.container(key);
        let mut items = match value {
            _ if term.is_some_and(|term| term.coercion == Some(Coercion::Json)) => vec![json_item(value)],
            Json::Object(map) if container.has(Container::LANGUAGE) => language_map(active, key, map)?,
            Json::Object(map) if container.has(Container::INDEX.with(Container::TYPE).with(Container::ID)) => {
                self.index_map(active, key, map)?
            }
            Json::Null => return Ok(()),
            _ => self.expand(&Place::new(active, Some(key)), value)?,
        };
        if container.has(Container::LIST) && !matches!(items.as_slice(), [Item::List(_)] if !is_array(value)) {
            items = vec![Item::List(items)];
        }
        if container.has(Container::GRAPH) && !container.has(Container::ID.with(Container::INDEX)) {
            items = items.into_iter().map(in_graph).collect();
        }
        if term.is_some_and(|term| term.is_reverse) {
            only_nodes(&items)?;
            parts.node.reverse.push((iri, items));
        } else {
            parts.node.properties.push((iri, items));
        }
        Ok(())
    }
}

fn is_array(value: &Json<'_>) -> bool {
    matches!(value, Json::Array(_))
}

fn only_nodes(items: &[Item<'_>]) -> Result<(), Error> {
    if items.iter().all(|item| matches!(item, Item::Node(_))) {
        return Ok(());
    }
    fail("invalid reverse property value", "not a node")
}

fn json_item<'d>(value: &'d Json<'d>) -> Item<'d> {
    let scalar = Scalar::Json(value);
    Item::Value(Value { scalar, datatype: Some("@json".into()), language: None, direction: None })
}

/// A graph without a name in which there is this.
pub(super) fn in_graph(item: Item<'_>) -> Item<'_> {
    Item::Node(Box::new(Node { graph: Some(vec![item]), ..Node::default() }))
}
