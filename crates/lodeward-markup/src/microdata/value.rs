//! The value of a property (section 6.1, “property value”).

use html5ever::{local_name, ns};
use oxrdf::{LiteralRef, NamedNodeRef};

use super::parts::{MicrodataPart, MicrodataParts};
use crate::datatype;
use crate::tree::TreeElement;
use lodeward_rdf::iri::BaseIri;

/// The value of a property.
#[derive(Debug)]
pub(super) enum ItemValue<'a> {
    /// The element is an item itself.
    Item,
    Iri(String),
    Literal(LiteralRef<'a>),
    /// A reference that cannot be resolved.
    Unresolvable(&'a str),
    /// The value of the element is a URL, but the element has no attribute with the URL.
    Missing,
}

/// Elements, classified by how their property value is determined.
enum ElementKind {
    /// A URL in this attribute.
    Url(&'static str),
    Number,
    Time,
    Meta,
    Text,
}

fn element_kind(element: &TreeElement) -> ElementKind {
    if element.name.ns != ns!(html) {
        return ElementKind::Text;
    }
    match element.name.local {
        local_name!("a") | local_name!("area") | local_name!("link") => ElementKind::Url("href"),
        local_name!("audio")
        | local_name!("embed")
        | local_name!("iframe")
        | local_name!("img")
        | local_name!("source")
        | local_name!("track")
        | local_name!("video") => ElementKind::Url("src"),
        local_name!("object") => ElementKind::Url("data"),
        local_name!("data") | local_name!("meter") => ElementKind::Number,
        local_name!("time") => ElementKind::Time,
        local_name!("meta") => ElementKind::Meta,
        _ => ElementKind::Text,
    }
}

/// The value of a property.
pub(super) fn property_value<'a>(
    parts: &'a MicrodataParts<'_>,
    part: &'a MicrodataPart<'_>,
    base: &BaseIri,
) -> ItemValue<'a> {
    if part.is_item {
        return ItemValue::Item;
    }
    let element = part.element;
    let content = || element.attribute("content");
    let in_language = |text: &'a str| match parts.language(part) {
        Some(language) => ItemValue::Literal(LiteralRef::new_language_tagged_literal_unchecked(text, language)),
        None => ItemValue::Literal(LiteralRef::new_simple_literal(text)),
    };
    match element_kind(element) {
        ElementKind::Url(attribute) => match element.attribute(attribute) {
            Some(reference) => base.resolve(reference).map_or(ItemValue::Unresolvable(reference), ItemValue::Iri),
            None => content().map_or(ItemValue::Missing, in_language),
        },
        ElementKind::Number => {
            let value = element.attribute("value").unwrap_or_default();
            typed_literal(value, datatype::detect_number)
                .unwrap_or(ItemValue::Literal(LiteralRef::new_simple_literal(value)))
        }
        ElementKind::Time => {
            let value = element.attribute("datetime").or_else(content).unwrap_or_else(|| parts.text(part));
            typed_literal(value, datatype::detect_time).unwrap_or_else(|| in_language(value))
        }
        ElementKind::Meta => in_language(content().unwrap_or_default()),
        ElementKind::Text => in_language(content().unwrap_or_else(|| parts.text(part))),
    }
}

/// A literal with a detected datatype. Surrounding white space is ignored: in XML Schema it is not
/// part of the value.
fn typed_literal(value: &str, datatype: fn(&str) -> Option<NamedNodeRef<'static>>) -> Option<ItemValue<'_>> {
    let value = value.trim_ascii();
    Some(ItemValue::Literal(LiteralRef::new_typed_literal(value, datatype(value)?)))
}
