//! XML namespace declarations in scope.

use std::collections::HashMap;

use html5ever::{Attribute, LocalName, Namespace, Prefix, QualName, ns};

use super::entities::EntityDecoder;
use super::tag::XmlStartTag;

/// The declarations in scope. Each prefix has its own stack, and a log records what to undo, so
/// that lookups do not depend on depth or number of declarations.
#[derive(Default)]
pub(super) struct Namespaces {
    by_prefix: HashMap<String, Vec<Namespace>, foldhash::fast::RandomState>,
    declared: Vec<String>,
    marks: Vec<usize>,
}

impl Namespaces {
    /// Adds the declarations of an element.
    pub(super) fn enter(&mut self, start: &XmlStartTag<'_>, entities: &EntityDecoder) {
        self.marks.push(self.declared.len());
        for (name, value) in &start.attributes {
            let prefix = match *name {
                "xmlns" => "",
                name => match name.strip_prefix("xmlns:") {
                    Some(prefix) => prefix,
                    None => continue,
                },
            };
            let namespace = Namespace::from(entities.decode_value(value));
            self.by_prefix.entry(prefix.to_owned()).or_default().push(namespace);
            self.declared.push(prefix.to_owned());
        }
    }

    pub(super) fn leave(&mut self) {
        let mark = self.marks.pop().unwrap_or_default();
        for prefix in self.declared.drain(mark..) {
            if let Some(namespaces) = self.by_prefix.get_mut(&prefix) {
                namespaces.pop();
            }
        }
    }

    pub(super) fn element_name(&self, name: &str) -> QualName {
        match name.split_once(':') {
            Some((prefix, local)) => self.qualified_name(prefix, local),
            None => QualName::new(None, self.resolve_prefix(""), LocalName::from(name)),
        }
    }

    pub(super) fn attributes(&self, start: &XmlStartTag<'_>, entities: &EntityDecoder) -> Vec<Attribute> {
        let attribute = |(name, value): &(&str, &str)| {
            let name = match name.split_once(':') {
                Some((prefix, local)) => self.qualified_name(prefix, local),
                None if *name == "xmlns" => QualName::new(None, ns!(xmlns), LocalName::from(*name)),
                None => QualName::new(None, ns!(), LocalName::from(*name)),
            };
            Attribute { name, value: entities.decode_value(value).into() }
        };
        start.attributes.iter().map(attribute).collect()
    }

    fn qualified_name(&self, prefix: &str, local: &str) -> QualName {
        QualName::new(Some(Prefix::from(prefix)), self.resolve_prefix(prefix), LocalName::from(local))
    }

    fn resolve_prefix(&self, prefix: &str) -> Namespace {
        match prefix {
            "xml" => ns!(xml),
            "xmlns" => ns!(xmlns),
            _ => self.by_prefix.get(prefix).and_then(|stack| stack.last()).cloned().unwrap_or(ns!()),
        }
    }
}
