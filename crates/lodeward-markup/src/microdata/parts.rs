//! The elements of a page that matter to Microdata, as a tree of their own.
//!
//! It is a vector in document order in which each part knows where the next
//! one outside of it is. So the properties of an item are found without a look
//! at the rest of the page, and the text of an element, which is a piece of the
//! text of the page, is never gathered twice.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};
use html5ever::{local_name, ns};

use crate::language::language_tag;
use crate::tree::{Data, Element, NodeId, Tree};

/// What counts for an element or attribute, besides the text that it holds.
const NODE_BYTES: usize = 16;

/// The parts of a page, in document order.
#[derive(Debug)]
pub(super) struct Parts<'t> {
    list: Vec<Part<'t>>,
    /// The text inside of properties.
    text: String,
    /// Those in use; the first is no language.
    languages: Vec<String>,
    pub(super) has_items: bool,
    /// About how many bytes the page has.
    pub(super) page_bytes: usize,
}

/// An element that is an item, that has names of properties, or that an item
/// may refer to.
#[derive(Debug)]
pub(super) struct Part<'t> {
    pub(super) element: &'t Element,
    pub(super) is_item: bool,
    /// `itemprop`, and the attribute of appendix A.
    pub(super) names: Option<&'t str>,
    pub(super) reverse_names: Option<&'t str>,
    pub(super) id: Option<&'t str>,
    /// The first part that is not inside this one.
    pub(super) end: usize,
    text: Range<usize>,
    language: usize,
}

impl Part<'_> {
    /// Whether it has names: an empty attribute has none.
    pub(super) fn is_property(&self) -> bool {
        let has_any = |names: Option<&str>| names.is_some_and(|it| !it.trim_ascii().is_empty());
        has_any(self.names) || has_any(self.reverse_names)
    }

    /// How much there is to read of its names.
    pub(super) fn names_length(&self) -> usize {
        self.names.map_or(0, str::len) + self.reverse_names.map_or(0, str::len)
    }

    /// Section 6.1, “top-level item”. One that is only the value of a reverse
    /// property counts no more than one that is the value of a property.
    pub(super) fn is_top_level_item(&self) -> bool {
        self.is_item && self.names.is_none() && self.reverse_names.is_none()
    }
}

impl<'t> Parts<'t> {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, part: usize) -> &Part<'t> {
        &self.list[part]
    }

    /// The text inside a property that is no item.
    pub(super) fn text(&self, part: &Part<'_>) -> &str {
        &self.text[part.text.clone()]
    }

    /// The language of a part, in lower case.
    pub(super) fn language(&self, part: &Part<'_>) -> Option<&str> {
        Some(self.languages[part.language].as_str()).filter(|it| !it.is_empty())
    }

    /// Where identifiers are: the first element counts that has one.
    pub(super) fn by_id(&self) -> HashMap<&'t str, usize> {
        let mut places = HashMap::new();
        for (at, part) in self.list.iter().enumerate() {
            if let Some(id) = part.id {
                places.entry(id).or_insert(at);
            }
        }
        places
    }
}

/// Finds the parts of a page, without recursion.
pub(super) fn find(tree: &Tree) -> Parts<'_> {
    let mut finder = Finder::new();
    let mut node = Tree::ROOT;
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

struct Finder<'t> {
    parts: Parts<'t>,
    /// Languages by the attributes that name them.
    known_languages: HashMap<&'t str, usize>,
    language: usize,
    open: Vec<Open>,
    /// How many properties we are inside of that have text for a value.
    open_texts: usize,
}

/// An element to be told when it ends.
struct Open {
    node: NodeId,
    part: Option<usize>,
    outer_language: usize,
}

/// What of an element's attributes matters.
#[derive(Default)]
struct Attributes<'t> {
    is_item: bool,
    names: Option<&'t str>,
    reverse_names: Option<&'t str>,
    id: Option<&'t str>,
    language: Option<&'t str>,
}

impl<'t> Finder<'t> {
    fn new() -> Self {
        let languages = vec![String::new()];
        let parts = Parts { list: Vec::new(), text: String::new(), languages, has_items: false, page_bytes: 0 };
        Self { parts, known_languages: HashMap::new(), language: 0, open: Vec::new(), open_texts: 0 }
    }

    /// Takes note of a node, and tells whether what is in it counts as well.
    fn enter(&mut self, tree: &'t Tree, node: NodeId) -> bool {
        match tree.data(node) {
            Data::Text(text) => {
                self.parts.page_bytes += text.len();
                if self.open_texts > 0 {
                    self.parts.text.push_str(text);
                }
                false
            }
            Data::Element(element) => {
                self.enter_element(node, element);
                // HTML keeps its contents apart anyway; XHTML may not.
                !(element.name.ns == ns!(html) && element.name.local == local_name!("template"))
            }
            _ => true,
        }
    }

    fn enter_element(&mut self, node: NodeId, element: &'t Element) {
        let found = self.attributes(element);
        let is_part = found.is_item || found.names.is_some() || found.reverse_names.is_some() || found.id.is_some();
        if !is_part && found.language.is_none() {
            return;
        }
        let outer_language = self.language;
        if let Some(name) = found.language {
            self.language = self.language_of(name);
        }
        let part = is_part.then_some(self.parts.list.len());
        self.open.push(Open { node, part, outer_language });
        if is_part {
            self.add(element, &found);
        }
    }

    fn add(&mut self, element: &'t Element, found: &Attributes<'t>) {
        let part = Part {
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

    fn attributes(&mut self, element: &'t Element) -> Attributes<'t> {
        let mut found = Attributes::default();
        self.parts.page_bytes += NODE_BYTES;
        for attribute in &element.attributes {
            let value = &*attribute.value;
            self.parts.page_bytes += NODE_BYTES + value.len();
            if attribute.name.ns == ns!(xml) && attribute.name.local == local_name!("lang") {
                // It precedes `lang`, says HTML.
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

    /// The number of a language; what is no language tag is none.
    fn language_of(&mut self, name: &'t str) -> usize {
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
