//! Objects that are not nodes but maps: from languages to texts, or from
//! names, types and other indexes to nodes.

use std::sync::Arc;

use super::active::{Active, Container, Term};
use super::error::{Error, fail};
use super::expand::{Expander, Item, Name, Place, Scalar, Value, is_word_for};
use super::json::{Json, Object};
use super::object::in_graph;
use super::process::Manner;

/// The texts of a map from languages.
pub(super) fn language_map<'d>(active: &Arc<Active>, key: &str, map: &'d Object<'d>) -> Result<Vec<Item<'d>>, Error> {
    let direction = active.direction_of(active.term(key));
    let mut items = Vec::new();
    for (language, texts) in map.iter() {
        let is_none = is_word_for(active, language, "@none");
        let language: Option<Arc<str>> = (!is_none).then(|| language.into());
        for text in texts.elements().iter().filter(|text| **text != Json::Null) {
            let Json::String(text) = text else {
                return fail("invalid language map value", "neither a string nor null");
            };
            let scalar = Scalar::String(text);
            items.push(Item::Value(Value { scalar, datatype: None, language: language.clone(), direction }));
        }
    }
    Ok(items)
}

impl Expander<'_> {
    pub(super) fn index_map<'d>(
        &mut self,
        active: &Arc<Active>,
        key: &str,
        map: &'d Object<'d>,
    ) -> Result<Vec<Item<'d>>, Error> {
        let Some(term) = active.term(key).cloned() else { return Ok(Vec::new()) };
        let mut items = Vec::new();
        for (index, value) in map.iter() {
            let inside = self.map_context(active, &term, index)?;
            let place = Place { active: inside, property: Some(key), is_from_map: true };
            let is_none = is_word_for(active, index, "@none");
            for item in self.expand(&place, value)? {
                let is_bare = term.container.has(Container::GRAPH) && !is_graph(&item);
                let mut item = if is_bare { in_graph(item) } else { item };
                if !is_none {
                    self.set_index(active, &term, index, &mut item)?;
                }
                items.push(item);
            }
        }
        Ok(items)
    }

    /// The context for what an index leads to.
    fn map_context(&mut self, active: &Arc<Active>, term: &Term, index: &str) -> Result<Arc<Active>, Error> {
        if !term.container.has(Container::ID.with(Container::TYPE)) {
            return Ok(Arc::clone(active));
        }
        let outside = active.previous.as_ref().unwrap_or(active);
        let scoping = outside.term(index).filter(|_| term.container.has(Container::TYPE));
        match scoping.filter(|scoping| scoping.context.is_some()) {
            Some(scoping) => self.processor.scoped(outside, scoping, Manner::PLAIN),
            None => Ok(Arc::clone(outside)),
        }
    }

    /// What an index says of what it leads to.
    fn set_index<'d>(
        &mut self,
        active: &Arc<Active>,
        term: &Term,
        index: &'d str,
        item: &mut Item<'d>,
    ) -> Result<(), Error> {
        if term.container.has(Container::INDEX) {
            return match &term.index {
                Some(property) => self.set_index_property(active, property, index, item),
                None => Ok(()),
            };
        }
        let Item::Node(node) = item else { return Ok(()) };
        if term.container.has(Container::ID) {
            if node.name == Name::None {
                node.name = self.iri(active, index, true, false)?.into();
            }
        } else if let Some(iri) = self.iri(active, index, false, true)? {
            node.types.insert(0, iri);
        }
        Ok(())
    }

    fn set_index_property<'d>(
        &mut self,
        active: &Arc<Active>,
        property: &str,
        index: &'d str,
        item: &mut Item<'d>,
    ) -> Result<(), Error> {
        let Item::Node(node) = item else {
            return fail("invalid value object", "an index of a value cannot be a property");
        };
        let Some(iri) = self.iri(active, property, false, true)? else { return Ok(()) };
        let value = self.text_value(active, property, index)?;
        node.properties.push((iri, vec![value]));
        Ok(())
    }
}

fn is_graph(item: &Item<'_>) -> bool {
    matches!(item, Item::Node(node) if node.graph.is_some() && node.has_nothing_said())
}
