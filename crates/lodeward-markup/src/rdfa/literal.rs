//! The value of a property: step 11 of section 7.5.

use std::rc::Rc;

use super::attributes::RdfaAttributes;
use super::names::{NameUse, RdfaScope};
use super::statement::{LiteralKind, RdfaLiteral, RdfaObject};
use super::walk::{ElementSubject, RdfaWalk};
use crate::datatype;
use crate::tree::{NodeId, TreeElement, is_xml_name};

const XML_LITERAL: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral";
const HTML: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML";
const LANG_STRING: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";
const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// The value of a property.
pub(super) struct PropertyValue {
    pub(super) object: RdfaObject,
    /// Whether to process the content of the element.
    pub(super) process_content: bool,
}

impl RdfaWalk<'_> {
    /// The value of the properties of an element; `None` if the budget is exhausted.
    pub(super) fn property_value(
        &mut self,
        node: NodeId,
        element: &TreeElement,
        attributes: &RdfaAttributes<'_>,
        found: &ElementSubject,
        scope: &RdfaScope,
    ) -> Option<PropertyValue> {
        if let Some(datatype) = attributes.datatype {
            // An invalid datatype is treated as an empty one.
            let datatype = self.names.predicate(datatype.trim_ascii(), NameUse::Other, scope);
            return self.typed_value(node, attributes, datatype.as_ref(), scope);
        }
        if let Some(content) = attributes.content {
            return self.literal(content.to_owned(), plain_kind(scope));
        }
        if self.names.rules.is_rdfa_1_0() {
            // `RDFa` 1.0, section 5.5, step 9.
            let is_text = !self.tree.children(node).any(|child| self.tree.element(child).is_some());
            let datatype: Option<Rc<str>> = if is_text { None } else { Some(XML_LITERAL.into()) };
            return self.typed_value(node, attributes, datatype.as_ref(), scope);
        }
        // HTML+RDFa 1.1, section 3.1: `datetime` and the text of `<time>` get the datatype of their
        // lexical form. The value of `<data>` is in `value`.
        if let Some(datetime) = attributes.datetime {
            return self.time_literal(datetime.to_owned(), scope);
        }
        if let Some(value) = attributes.value {
            return self.literal(value.to_owned(), plain_kind(scope));
        }
        if self.names.rules.is_html5() && element.is_html("time") {
            let text = self.names.budget.text(node)?;
            return self.time_literal(text, scope);
        }
        let resource = match &found.target {
            Some(target) if !found.has_links => Some(target),
            // An `about` that cannot be resolved still prevents the typed resource from being the
            // value.
            _ if attributes.about.is_none() => found.typed.as_ref(),
            _ => None,
        };
        if let Some(resource) = resource {
            return Some(PropertyValue { object: resource.clone().into(), process_content: true });
        }
        let text = self.names.budget.text(node)?;
        self.literal(text, plain_kind(scope))
    }

    /// A value with a datatype; an empty datatype makes it plain.
    ///
    /// `content` is used even for a markup literal, although section 7.5 ignores it: an author who
    /// writes both intends this.
    fn typed_value(
        &mut self,
        node: NodeId,
        attributes: &RdfaAttributes<'_>,
        datatype: Option<&Rc<str>>,
        scope: &RdfaScope,
    ) -> Option<PropertyValue> {
        let kind = match datatype {
            Some(datatype) if **datatype == *XSD_STRING => LiteralKind::Simple,
            Some(datatype) if **datatype != *LANG_STRING => LiteralKind::Typed(Rc::clone(datatype)),
            _ => plain_kind(scope),
        };
        let content = attributes.content.or(attributes.datetime).or(attributes.value);
        let datatype = datatype.map(|datatype| &**datatype);
        let value = match (content, datatype) {
            (Some(content), _) => content.to_owned(),
            (None, Some(XML_LITERAL)) => self.inner_xml(node)?,
            (None, Some(HTML)) => {
                let left = self.names.budget.remaining();
                self.exhaust_if_none(self.tree.inner_html(node, left).ok())?
            }
            (None, _) => self.names.budget.text(node)?,
        };
        let mut value = self.literal(value, kind)?;
        // `RDFa` 1.0, section 5.5, step 9: the content of an XML literal is not processed.
        value.process_content = !(self.names.rules.is_rdfa_1_0() && datatype == Some(XML_LITERAL));
        Some(value)
    }

    fn time_literal(&mut self, value: String, scope: &RdfaScope) -> Option<PropertyValue> {
        let kind = datatype::detect_xsd_time(&value)
            .map_or_else(|| plain_kind(scope), |datatype| LiteralKind::Typed(datatype.as_str().into()));
        self.literal(value, kind)
    }

    /// The content of an element as XML. Top-level elements declare all prefixes in scope,
    /// including those of `prefix`, as attributes use them.
    fn inner_xml(&mut self, node: NodeId) -> Option<String> {
        let has_elements = self.tree.children(node).any(|child| self.tree.element(child).is_some());
        let mut prefixes = Vec::new();
        if has_elements {
            self.names.budget.spend(self.names.prefixes.cost())?;
            prefixes = self.names.prefixes.all();
            prefixes.retain(|(prefix, _)| is_xml_name(prefix) && !prefix.contains(':'));
        }
        let namespaces: Vec<_> = prefixes.iter().map(|(prefix, iri)| (&**prefix, &**iri)).collect();
        let left = self.names.budget.remaining();
        self.exhaust_if_none(self.tree.inner_xml(node, &namespaces, left).ok())
    }

    fn exhaust_if_none(&mut self, text: Option<String>) -> Option<String> {
        if text.is_none() {
            self.names.budget.exhaust();
        }
        text
    }

    fn literal(&mut self, value: String, kind: LiteralKind) -> Option<PropertyValue> {
        self.names.budget.spend(value.len())?;
        Some(PropertyValue { object: RdfaObject::Literal(Rc::new(RdfaLiteral { value, kind })), process_content: true })
    }
}

fn plain_kind(scope: &RdfaScope) -> LiteralKind {
    scope.language.as_ref().map_or(LiteralKind::Simple, |language| LiteralKind::Language(Rc::clone(language)))
}
