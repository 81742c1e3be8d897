//! The relevant attributes of an element.

use html5ever::{Attribute, ns};

use super::rules::RdfaRules;
use crate::tree::TreeElement;

/// The attributes that are present. An empty value counts as present.
#[derive(Default)]
pub(super) struct RdfaAttributes<'a> {
    pub(super) about: Option<&'a str>,
    pub(super) content: Option<&'a str>,
    pub(super) datatype: Option<&'a str>,
    pub(super) datetime: Option<&'a str>,
    pub(super) href: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) inlist: bool,
    pub(super) lang: Option<&'a str>,
    pub(super) prefix: Option<&'a str>,
    pub(super) property: Option<&'a str>,
    pub(super) rel: Option<&'a str>,
    pub(super) resource: Option<&'a str>,
    pub(super) rev: Option<&'a str>,
    pub(super) role: Option<&'a str>,
    pub(super) src: Option<&'a str>,
    pub(super) type_of: Option<&'a str>,
    pub(super) value: Option<&'a str>,
    pub(super) vocab: Option<&'a str>,
    pub(super) xml_base: Option<&'a str>,
    pub(super) xml_lang: Option<&'a str>,
    /// Whether there is an `xmlns:` attribute.
    pub(super) has_namespaces: bool,
}

impl<'a> RdfaAttributes<'a> {
    pub(super) fn from_element(element: &'a TreeElement, rules: RdfaRules) -> Self {
        let mut found = Self::default();
        for attribute in &element.attributes {
            found.add(attribute, rules);
        }
        if rules.is_rdfa_1_0() {
            (found.prefix, found.vocab, found.inlist) = (None, None, false);
        }
        if !rules.is_html5() {
            (found.datetime, found.value) = (None, None);
        } else if !element.is_html("data") {
            found.value = None;
        }
        found
    }

    fn add(&mut self, attribute: &'a Attribute, rules: RdfaRules) {
        let name = &*attribute.name.local;
        if attribute.name.ns != ns!() {
            match name {
                "lang" if attribute.name.ns == ns!(xml) => self.xml_lang = Some(&attribute.value),
                "base" if attribute.name.ns == ns!(xml) && rules.has_xml_base() => {
                    self.xml_base = Some(&attribute.value);
                }
                _ => self.has_namespaces |= attribute.name.ns == ns!(xmlns) && attribute.name.prefix.is_some(),
            }
            return;
        }
        let slot = match name {
            "about" => &mut self.about,
            "content" => &mut self.content,
            "datatype" => &mut self.datatype,
            "datetime" => &mut self.datetime,
            "href" => &mut self.href,
            "id" => &mut self.id,
            "inlist" => return self.inlist = true,
            "lang" if rules.is_html() => &mut self.lang,
            "prefix" => &mut self.prefix,
            "property" => &mut self.property,
            "rel" => &mut self.rel,
            "resource" => &mut self.resource,
            "rev" => &mut self.rev,
            "role" => &mut self.role,
            "src" => &mut self.src,
            "typeof" => &mut self.type_of,
            "value" => &mut self.value,
            "vocab" => &mut self.vocab,
            // In HTML, a colon is part of the name.
            "xml:lang" => &mut self.xml_lang,
            _ => return self.has_namespaces |= name.starts_with("xmlns:"),
        };
        *slot = Some(&attribute.value);
    }

    /// Whether the element itself can make statements.
    pub(super) fn may_emit(&self, has_roles: bool) -> bool {
        self.property.is_some()
            || self.rel.is_some()
            || self.rev.is_some()
            || self.type_of.is_some()
            || self.vocab.is_some()
            || (has_roles && self.role.is_some())
    }

    /// Whether the element affects the statements of the elements inside it.
    pub(super) fn affects_children(&self) -> bool {
        self.has_resource()
            || self.prefix.is_some()
            || self.lang.is_some()
            || self.xml_lang.is_some()
            || self.xml_base.is_some()
            || self.has_namespaces
    }

    /// Whether an attribute can make the element a subject or an object.
    pub(super) fn has_resource(&self) -> bool {
        self.about.is_some() || self.resource.is_some() || self.href.is_some() || self.src.is_some()
    }
}

/// The prefixes that `xmlns:` attributes declare.
pub(super) fn namespace_declarations(element: &TreeElement) -> impl Iterator<Item = (&str, &str)> {
    element.attributes.iter().filter_map(|attribute| {
        let name = &attribute.name;
        let prefix = match &name.prefix {
            Some(_) if name.ns == ns!(xmlns) => &*name.local,
            _ => name.local.strip_prefix("xmlns:")?,
        };
        Some((prefix, &*attribute.value))
    })
}
