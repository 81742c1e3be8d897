//! What a property is: step 11 of section 7.5.

use std::rc::Rc;

use super::attributes::Attributes;
use super::names::{Scope, Use};
use super::statement::{Kind, Literal, Object};
use super::walk::{Found, Walk};
use crate::datatype;
use crate::tree::{Element, NodeId, is_xml_name};

const XML_LITERAL: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral";
const HTML: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML";
const LANG_STRING: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";
const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// The value of a property.
pub(super) struct Value {
    pub(super) object: Object,
    /// Whether to go on with what is in the element.
    pub(super) goes_on: bool,
}

impl Walk<'_> {
    /// The value of the properties of an element; `None` if it is too long.
    pub(super) fn value(
        &mut self,
        node: NodeId,
        element: &Element,
        attributes: &Attributes<'_>,
        found: &Found,
        scope: &Scope,
    ) -> Option<Value> {
        if let Some(datatype) = attributes.datatype {
            // A datatype that is no name is as good as an empty one.
            let datatype = self.names.predicate(datatype.trim_ascii(), Use::Other, scope);
            return self.typed_value(node, attributes, datatype.as_ref(), scope);
        }
        if let Some(content) = attributes.content {
            return self.literal(content.to_owned(), plain(scope));
        }
        if self.names.rules.is_old() {
            // `RDFa` 1.0, section 5.5, step 9.
            let is_text = !self.tree.children(node).any(|child| self.tree.element(child).is_some());
            let datatype: Option<Rc<str>> = if is_text { None } else { Some(XML_LITERAL.into()) };
            return self.typed_value(node, attributes, datatype.as_ref(), scope);
        }
        // HTML+RDFa 1.1, section 3.1: `datetime`, and the text of `<time>`, have
        // the datatype they look like. And `<data>` says in `value` what its
        // text means.
        if let Some(datetime) = attributes.datetime {
            return self.time(datetime.to_owned(), scope);
        }
        if let Some(value) = attributes.value {
            return self.literal(value.to_owned(), plain(scope));
        }
        if self.names.rules.is_html5() && element.is_html("time") {
            let text = self.names.budget.text(node)?;
            return self.time(text, scope);
        }
        let resource = match &found.target {
            Some(target) if !found.has_links => Some(target),
            // That `about` is there counts, even if it names nothing.
            _ if attributes.about.is_none() => found.typed.as_ref(),
            _ => None,
        };
        if let Some(resource) = resource {
            return Some(Value { object: resource.clone().into(), goes_on: true });
        }
        let text = self.names.budget.text(node)?;
        self.literal(text, plain(scope))
    }

    /// A value with a datatype, or with an empty one, which makes it plain.
    ///
    /// `content` is the value even of a literal of markup, though section 7.5
    /// would have it empty: an author who writes both means it.
    fn typed_value(
        &mut self,
        node: NodeId,
        attributes: &Attributes<'_>,
        datatype: Option<&Rc<str>>,
        scope: &Scope,
    ) -> Option<Value> {
        let kind = match datatype {
            Some(datatype) if **datatype == *XSD_STRING => Kind::Simple,
            Some(datatype) if **datatype != *LANG_STRING => Kind::Typed(Rc::clone(datatype)),
            _ => plain(scope),
        };
        let content = attributes.content.or(attributes.datetime).or(attributes.value);
        let datatype = datatype.map(|datatype| &**datatype);
        let value = match (content, datatype) {
            (Some(content), _) => content.to_owned(),
            (None, Some(XML_LITERAL)) => self.xml(node)?,
            (None, Some(HTML)) => {
                let left = self.names.budget.left();
                self.within_budget(self.tree.inner_html(node, left).ok())?
            }
            (None, _) => self.names.budget.text(node)?,
        };
        let mut value = self.literal(value, kind)?;
        // `RDFa` 1.0, section 5.5, step 9: what is inside of an XML literal is
        // not looked at.
        value.goes_on = !(self.names.rules.is_old() && datatype == Some(XML_LITERAL));
        Some(value)
    }

    fn time(&mut self, value: String, scope: &Scope) -> Option<Value> {
        let kind = datatype::of_time_of_xml_schema(&value)
            .map_or_else(|| plain(scope), |datatype| Kind::Typed(datatype.as_str().into()));
        self.literal(value, kind)
    }

    /// What is in an element, as XML. Top-level elements declare all prefixes
    /// in scope, those of `prefix` among them, for its attributes use these.
    fn xml(&mut self, node: NodeId) -> Option<String> {
        let has_elements = self.tree.children(node).any(|child| self.tree.element(child).is_some());
        let mut prefixes = Vec::new();
        if has_elements {
            self.names.budget.spend(self.names.prefixes.weight())?;
            prefixes = self.names.prefixes.all();
            prefixes.retain(|(prefix, _)| is_xml_name(prefix) && !prefix.contains(':'));
        }
        let namespaces: Vec<_> = prefixes.iter().map(|(prefix, iri)| (&**prefix, &**iri)).collect();
        let left = self.names.budget.left();
        self.within_budget(self.tree.inner_xml(node, &namespaces, left).ok())
    }

    fn within_budget(&mut self, text: Option<String>) -> Option<String> {
        if text.is_none() {
            self.names.budget.exhaust();
        }
        text
    }

    fn literal(&mut self, value: String, kind: Kind) -> Option<Value> {
        self.names.budget.spend(value.len())?;
        Some(Value { object: Object::Literal(Rc::new(Literal { value, kind })), goes_on: true })
    }
}

fn plain(scope: &Scope) -> Kind {
    scope.language.as_ref().map_or(Kind::Simple, |language| Kind::Language(Rc::clone(language)))
}
