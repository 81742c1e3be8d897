//! What an element says (section 6.1, “property value”).

use html5ever::{local_name, ns};
use oxrdf::{LiteralRef, NamedNodeRef};

use super::parts::{Part, Parts};
use crate::datatype;
use crate::iri::Base;
use crate::tree::Element;

/// The value of a property.
#[derive(Debug)]
pub(super) enum Value<'a> {
    /// The element is an item itself.
    Item,
    Iri(String),
    Literal(LiteralRef<'a>),
    /// A reference that cannot be resolved.
    Unresolvable(&'a str),
    /// An element for an address, without one.
    Nothing,
}

/// What elements are made for.
enum Kind {
    /// An address, in this attribute.
    Address(&'static str),
    Number,
    Time,
    Meta,
    Text,
}

fn kind(element: &Element) -> Kind {
    if element.name.ns != ns!(html) {
        return Kind::Text;
    }
    match element.name.local {
        local_name!("a") | local_name!("area") | local_name!("link") => Kind::Address("href"),
        local_name!("audio")
        | local_name!("embed")
        | local_name!("iframe")
        | local_name!("img")
        | local_name!("source")
        | local_name!("track")
        | local_name!("video") => Kind::Address("src"),
        local_name!("object") => Kind::Address("data"),
        local_name!("data") | local_name!("meter") => Kind::Number,
        local_name!("time") => Kind::Time,
        local_name!("meta") => Kind::Meta,
        _ => Kind::Text,
    }
}

/// The value of a property.
pub(super) fn of<'a>(parts: &'a Parts<'_>, part: &'a Part<'_>, base: &Base) -> Value<'a> {
    if part.is_item {
        return Value::Item;
    }
    let element = part.element;
    let content = || element.attribute("content");
    let in_language = |text: &'a str| match parts.language(part) {
        Some(language) => Value::Literal(LiteralRef::new_language_tagged_literal_unchecked(text, language)),
        None => Value::Literal(LiteralRef::new_simple_literal(text)),
    };
    match kind(element) {
        Kind::Address(attribute) => match element.attribute(attribute) {
            Some(reference) => base.resolve(reference).map_or(Value::Unresolvable(reference), Value::Iri),
            None => content().map_or(Value::Nothing, in_language),
        },
        Kind::Number => {
            let value = element.attribute("value").unwrap_or_default();
            typed(value, datatype::of_number).unwrap_or(Value::Literal(LiteralRef::new_simple_literal(value)))
        }
        Kind::Time => {
            let value = element.attribute("datetime").or_else(content).unwrap_or_else(|| parts.text(part));
            typed(value, datatype::of_time).unwrap_or_else(|| in_language(value))
        }
        Kind::Meta => in_language(content().unwrap_or_default()),
        Kind::Text => in_language(content().unwrap_or_else(|| parts.text(part))),
    }
}

/// A literal with a datatype. White space around it is not a reason for it to
/// have none: in XML Schema it is no part of the value.
fn typed(value: &str, datatype: fn(&str) -> Option<NamedNodeRef<'static>>) -> Option<Value<'_>> {
    let value = value.trim_ascii();
    Some(Value::Literal(LiteralRef::new_typed_literal(value, datatype(value)?)))
}
