//! The elements of a page that are relevant to Microdata, as a separate tree.
//!
//! The tree is a vector in document order, in which each part stores the index of the next part
//! outside of it. So the properties of an item are found without scanning the rest of the page. The
//! text of an element is a slice of the page's text, and is never copied twice.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};
use html5ever::{local_name, ns};

use crate::tree::{NodeData, NodeId, PageTree, TreeElement};
use lodeward_rdf::language::language_tag;

/// The size counted for an element or an attribute, in addition to its text.
const NODE_BYTES: usize = 16;

/// The parts of a page, in document order.
#[derive(Debug)]
pub(super) struct MicrodataParts<'t> {
    list: Vec<MicrodataPart<'t>>,
    /// The text inside properties.
    text: String,
    /// The languages in use; the first entry stands for no language.
    languages: Vec<String>,
    pub(super) has_items: bool,
    /// The approximate size of the page.
    pub(super) page_bytes: usize,
}

/// An element that is an item, has property names, or can be referred to by an item.
#[derive(Debug)]
pub(super) struct MicrodataPart<'t> {
    pub(super) element: &'t TreeElement,
    pub(super) is_item: bool,
    /// `itemprop`, and the reverse attribute of appendix A.
    pub(super) names: Option<&'t str>,
    pub(super) reverse_names: Option<&'t str>,
    pub(super) id: Option<&'t str>,
    /// The index of the first part that is not inside this one.
    pub(super) end: usize,
    text: Range<usize>,
    language: usize,
}

impl MicrodataPart<'_> {
    /// Whether the part has property names. An empty `itemprop` has none.
    pub(super) fn is_property(&self) -> bool {
        let has_any = |names: Option<&str>| names.is_some_and(|it| !it.trim_ascii().is_empty());
        has_any(self.names) || has_any(self.reverse_names)
    }

    /// The total length of the part's property names, in bytes.
    pub(super) fn names_length(&self) -> usize {
        self.names.map_or(0, str::len) + self.reverse_names.map_or(0, str::len)
    }

    /// Whether this is a “top-level item” (section 6.1). Items that are values of properties or
    /// reverse properties are not top-level items.
    pub(super) fn is_top_level_item(&self) -> bool {
        self.is_item && self.names.is_none() && self.reverse_names.is_none()
    }
}

impl<'t> MicrodataParts<'t> {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, part: usize) -> &MicrodataPart<'t> {
        &self.list[part]
    }

    /// The text inside a property that is not an item.
    pub(super) fn text(&self, part: &MicrodataPart<'_>) -> &str {
        &self.text[part.text.clone()]
    }

    /// The language of a part, in lower case.
    pub(super) fn language(&self, part: &MicrodataPart<'_>) -> Option<&str> {
        Some(self.languages[part.language].as_str()).filter(|it| !it.is_empty())
    }

    /// Indexes of the parts by `id`. If an `id` is repeated, it refers to the first part.
    pub(super) fn by_id(&self) -> HashMap<&'t str, usize> {
        let mut by_id = HashMap::new();
        for (at, part) in self.list.iter().enumerate() {
            if let Some(id) = part.id {
                by_id.entry(id).or_insert(at);
            }
        }
        by_id
    }
}

/// Finds the parts of a page, without recursion.
pub(super) fn find_parts(tree: &PageTree) -> MicrodataParts<'_> {
    let mut finder = PartFinder::new();
    let mut node = PageTree::ROOT;
    loop {
        if finder.enter(tree, node)
            && let Some(child) = tree.first_child(node)
        {
            node = child;
            continue;
        }
        loop {
            finder.leave(node);
            if let Some(next) = tree.next_sibling(node) {
                node = next;
                break;
            }
            match tree.parent(node) {
                Some(parent) => node = parent,
                None => return finder.parts,
            }
        }
    }
}

struct PartFinder<'t> {
    parts: MicrodataParts<'t>,
    /// Indexes of languages, by attribute value.
    known_languages: HashMap<&'t str, usize>,
    language: usize,
    open: Vec<OpenPart>,
    /// The number of open properties whose value is text.
    open_texts: usize,
}

/// An open element that must be handled when it ends.
struct OpenPart {
    node: NodeId,
    part: Option<usize>,
    outer_language: usize,
}

/// The relevant attributes of an element.
#[derive(Default)]
struct ItemAttributes<'t> {
    is_item: bool,
    names: Option<&'t str>,
    reverse_names: Option<&'t str>,
    id: Option<&'t str>,
    language: Option<&'t str>,
}

impl<'t> PartFinder<'t> {
    fn new() -> Self {
        let languages = vec![String::new()];
        let parts =
            MicrodataParts { list: Vec::new(), text: String::new(), languages, has_items: false, page_bytes: 0 };
        Self { parts, known_languages: HashMap::new(), language: 0, open: Vec::new(), open_texts: 0 }
    }

    /// Enters a node. Returns whether its content is relevant.
    fn enter(&mut self, tree: &'t PageTree, node: NodeId) -> bool {
        match tree.data(node) {
            NodeData::Text(text) => {
                self.parts.page_bytes += text.len();
                if self.open_texts > 0 {
                    self.parts.text.push_str(text);
                }
                false
            }
            NodeData::Element(element) => {
                self.enter_element(node, element);
                // The HTML parser stores the content of templates separately; the XHTML parser does
                // not.
                !(element.name.ns == ns!(html) && element.name.local == local_name!("template"))
            }
            _ => true,
        }
    }

    fn enter_element(&mut self, node: NodeId, element: &'t TreeElement) {
        let found = self.read_attributes(element);
        let is_part = found.is_item || found.names.is_some() || found.reverse_names.is_some() || found.id.is_some();
        if !is_part && found.language.is_none() {
            return;
        }
        let outer_language = self.language;
        if let Some(name) = found.language {
            self.language = self.language_index(name);
        }
        let part = is_part.then_some(self.parts.list.len());
        self.open.push(OpenPart { node, part, outer_language });
        if is_part {
            self.add(element, &found);
        }
    }

    fn add(&mut self, element: &'t TreeElement, found: &ItemAttributes<'t>) {
        let part = MicrodataPart {
            element,
            is_item: found.is_item,
            names: found.names,
            reverse_names: found.reverse_names,
            id: found.id,
            end: 0,
            text: self.parts.text.len()..0,
            language: self.language,
        };
        self.parts.has_items |= part.is_item;
        self.open_texts += usize::from(part.is_property() && !part.is_item);
        self.parts.list.push(part);
    }

    fn leave(&mut self, node: NodeId) {
        let Some(open) = self.open.pop_if(|it| it.node == node) else { return };
        self.language = open.outer_language;
        let end = self.parts.list.len();
        if let Some(part) = open.part.map(|part| &mut self.parts.list[part]) {
            part.end = end;
            part.text.end = self.parts.text.len();
            self.open_texts -= usize::from(part.is_property() && !part.is_item);
        }
    }

    fn read_attributes(&mut self, element: &'t TreeElement) -> ItemAttributes<'t> {
        let mut found = ItemAttributes::default();
        self.parts.page_bytes += NODE_BYTES;
        for attribute in &element.attributes {
            let value = &*attribute.value;
            self.parts.page_bytes += NODE_BYTES + value.len();
            if attribute.name.ns == ns!(xml) && attribute.name.local == local_name!("lang") {
                // `xml:lang` takes precedence over `lang` in HTML.
                found.language = Some(value);
            }
            if attribute.name.ns != ns!() {
                continue;
            }
            match attribute.name.local {
                local_name!("itemscope") => found.is_item = true,
                local_name!("itemprop") => found.names = Some(value),
                local_name!("id") => found.id = Some(value),
                local_name!("lang") => found.language = found.language.or(Some(value)),
                ref other if &**other == "itemprop-reverse" => found.reverse_names = Some(value),
                _ => {}
            }
        }
        found
    }

    /// The index of a language; an invalid tag is treated as missing.
    fn language_index(&mut self, name: &'t str) -> usize {
        let languages = &mut self.parts.languages;
        *self.known_languages.entry(name).or_insert_with(|| match language_tag(name) {
            Some(tag) => {
                languages.push(tag);
                languages.len() - 1
            }
            None => 0,
        })
    }
}
