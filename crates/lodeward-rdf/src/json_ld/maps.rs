//! Expanding objects that are maps: from languages to texts, or from ids, types and other indexes
//! to nodes.

use std::sync::Arc;

use super::active_context::{ActiveContext, ContainerMapping, TermDefinition};
use super::context_processing::ContextUse;
use super::error::{JsonLdError, fail};
use super::expand::{ExpandedItem, ExpandedValue, Expander, ExpansionPlace, JsonScalar, NodeName, expands_to_keyword};
use super::json::{JsonObject, JsonValue};
use super::object::wrap_in_graph;

/// The texts of a language map.
pub(super) fn expand_language_map<'d>(
    active: &Arc<ActiveContext>,
    key: &str,
    map: &'d JsonObject<'d>,
) -> Result<Vec<ExpandedItem<'d>>, JsonLdError> {
    let direction = active.direction_of(active.term(key));
    let mut items = Vec::new();
    for (language, texts) in map.iter() {
        let is_none = expands_to_keyword(active, language, "@none");
        let language: Option<Arc<str>> = (!is_none).then(|| language.into());
        for text in texts.elements().iter().filter(|text| **text != JsonValue::Null) {
            let JsonValue::String(text) = text else {
                return fail("invalid language map value", "it must be a string or null");
            };
            let scalar = JsonScalar::String(text);
            items.push(ExpandedItem::Value(ExpandedValue {
                scalar,
                datatype: None,
                language: language.clone(),
                direction,
            }));
        }
    }
    Ok(items)
}

impl Expander<'_> {
    pub(super) fn expand_index_map<'d>(
        &mut self,
        active: &Arc<ActiveContext>,
        key: &str,
        map: &'d JsonObject<'d>,
    ) -> Result<Vec<ExpandedItem<'d>>, JsonLdError> {
        let Some(term) = active.term(key).cloned() else { return Ok(Vec::new()) };
        let mut items = Vec::new();
        for (index, value) in map.iter() {
            let inside = self.map_context(active, &term, index)?;
            let place = ExpansionPlace { active: inside, property: Some(key), is_from_map: true };
            let is_none = expands_to_keyword(active, index, "@none");
            for item in self.expand(&place, value)? {
                let is_bare = term.container.intersects(ContainerMapping::GRAPH) && !is_graph(&item);
                let mut item = if is_bare { wrap_in_graph(item) } else { item };
                if !is_none {
                    self.set_index(active, &term, index, &mut item)?;
                }
                items.push(item);
            }
        }
        Ok(items)
    }

    /// The active context for the value of a map entry with the key `index`.
    fn map_context(
        &mut self,
        active: &Arc<ActiveContext>,
        term: &TermDefinition,
        index: &str,
    ) -> Result<Arc<ActiveContext>, JsonLdError> {
        if !term.container.intersects(ContainerMapping::ID.with(ContainerMapping::TYPE)) {
            return Ok(Arc::clone(active));
        }
        let outside = active.previous.as_ref().unwrap_or(active);
        let scoping = outside.term(index).filter(|_| term.container.intersects(ContainerMapping::TYPE));
        match scoping.filter(|scoping| scoping.context.is_some()) {
            Some(scoping) => self.processor.apply_scoped_context(outside, scoping, ContextUse::DEFAULT),
            None => Ok(Arc::clone(outside)),
        }
    }

    /// Stores the key of a map entry in its value: as a property, an id or a type.
    fn set_index<'d>(
        &mut self,
        active: &Arc<ActiveContext>,
        term: &TermDefinition,
        index: &'d str,
        item: &mut ExpandedItem<'d>,
    ) -> Result<(), JsonLdError> {
        if term.container.intersects(ContainerMapping::INDEX) {
            return match &term.index {
                Some(property) => self.set_index_property(active, property, index, item),
                None => Ok(()),
            };
        }
        let ExpandedItem::Node(node) = item else { return Ok(()) };
        if term.container.intersects(ContainerMapping::ID) {
            if node.name == NodeName::None {
                node.name = self.expand_iri(active, index, true, false)?.into();
            }
        } else if let Some(iri) = self.expand_iri(active, index, false, true)? {
            node.types.insert(0, iri);
        }
        Ok(())
    }

    fn set_index_property<'d>(
        &mut self,
        active: &Arc<ActiveContext>,
        property: &str,
        index: &'d str,
        item: &mut ExpandedItem<'d>,
    ) -> Result<(), JsonLdError> {
        let ExpandedItem::Node(node) = item else {
            return fail("invalid value object", "a value cannot have an index property");
        };
        let Some(iri) = self.expand_iri(active, property, false, true)? else { return Ok(()) };
        let value = self.expand_text(active, property, index)?;
        node.properties.push((iri, vec![value]));
        Ok(())
    }
}

fn is_graph(item: &ExpandedItem<'_>) -> bool {
    matches!(item, ExpandedItem::Node(node) if node.graph.is_some() && node.has_no_statements())
}
