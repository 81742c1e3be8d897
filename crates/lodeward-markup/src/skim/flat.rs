//! `RDFa` that needs no tree: statements about the page itself.
//!
//! Most pages with `RDFa` have nothing but Open Graph in their heads: elements
//! that nothing is in, and whose subject is the page. Those, with what the
//! elements around them all say, make a small tree that says the same as the
//! large one would. Whatever might make a difference is told, and then the
//! large one is built.

use crate::tokens::{Attributes, Raw, unescaped_value};
use crate::tree::{Sketch, Tree, is_void};

/// Attributes of an element that `RDFa` looks at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen(u16);

impl Seen {
    const PROPERTY: u16 = 1;
    const REL: u16 = 1 << 1;
    const TYPEOF: u16 = 1 << 2;
    const VOCAB: u16 = 1 << 3;
    const LANG: u16 = 1 << 4;
    const PREFIX: u16 = 1 << 5;
    /// What may make an element the subject of those inside it.
    const RESOURCE: u16 = 1 << 6;
    const ROLE: u16 = 1 << 7;
    const VERSION: u16 = 1 << 8;
    const ITEMSCOPE: u16 = 1 << 9;

    /// What there is among these attributes.
    pub(super) fn among(attributes: &Attributes<'_>) -> Self {
        let mut seen = 0;
        for (name, _) in attributes.iter() {
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            seen |= match name.len() {
                3 if is("rel") || is("rev") => Self::REL,
                3 if is("src") => Self::RESOURCE,
                4 if is("href") => Self::RESOURCE,
                4 if is("lang") => Self::LANG,
                4 if is("role") => Self::ROLE,
                5 if is("about") => Self::RESOURCE,
                5 if is("vocab") => Self::VOCAB,
                6 if is("typeof") => Self::TYPEOF,
                6 if is("prefix") => Self::PREFIX,
                7 if is("version") => Self::VERSION,
                8 if is("property") => Self::PROPERTY,
                8 if is("resource") => Self::RESOURCE,
                8 if is("xml:lang") => Self::LANG,
                9 if is("itemscope") => Self::ITEMSCOPE,
                // Every other SVG has this, and no statement.
                11 if is("xmlns:xlink") => 0,
                _ if name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("xmlns:")) => Self::PREFIX,
                _ => 0,
            };
        }
        Self(seen)
    }

    fn has(self, any: u16) -> bool {
        self.0 & any != 0
    }

    pub(super) fn is_item(self) -> bool {
        self.has(Self::ITEMSCOPE)
    }
}

/// A tree is needed.
#[derive(Debug)]
pub(super) struct NeedsTree;

/// The `RDFa` of a page, as long as it is flat.
#[derive(Debug, Default)]
pub(super) struct Flat<'a> {
    reads_roles: bool,
    /// What `<html>`, `<head>` and `<body>` have.
    roots: [Option<Attributes<'a>>; 3],
    elements: Vec<(&'static str, Attributes<'a>)>,
    /// How many of those are in the head.
    in_head: usize,
    place: Place,
    /// An anchor is open, and is the subject of what is in it.
    in_anchor: bool,
    peculiar: Peculiarities,
    says_something: bool,
}

/// What makes statements further down depend on where they are.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a reason of its own")]
struct Peculiarities {
    /// Some part of the page is in another language.
    languages: bool,
    /// Some part of the page has prefixes of its own.
    prefixes: bool,
    /// The page may be `RDFa` 1.0, where every relation says something.
    versions: bool,
    /// Some element may be the subject of what is in it. Where it ends, only a
    /// tree can tell.
    subjects: bool,
}

/// Where in a page the next element is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Before any element but `<html>`.
    #[default]
    Start,
    /// In the head, whether it has a tag or not.
    Head,
    /// In the body.
    Body,
}

impl<'a> Flat<'a> {
    pub(super) fn new(reads_roles: bool) -> Self {
        Self { reads_roles, ..Self::default() }
    }

    pub(super) fn doctype(&mut self, public_id: Option<&str>) {
        self.peculiar.versions |= public_id.is_some_and(|id| id.contains("RDFa"));
    }

    /// A start tag.
    pub(super) fn start_tag(&mut self, name: &str, seen: Seen, attributes: &Attributes<'a>) -> Result<(), NeedsTree> {
        let before = self.enter(name);
        if seen.0 == 0 {
            return Ok(());
        }
        if seen.has(Seen::TYPEOF | Seen::VOCAB) || (self.reads_roles && seen.has(Seen::ROLE)) {
            return Err(NeedsTree);
        }
        if let Some(root) = ["html", "head", "body"].iter().position(|root| *root == name) {
            return self.root(root, before, seen, attributes);
        }
        if name == "base" {
            self.elements.push(("base", attributes.clone()));
            self.count_head();
        }
        // Nothing is in these, or nothing but text.
        let is_leaf = is_void(name) || Raw::of_element(name).is_some();
        if seen.has(Seen::PROPERTY) || (seen.has(Seen::REL) && self.relates(attributes)) {
            self.statement(name, seen, attributes)?;
        }
        if !is_leaf {
            self.peculiar.languages |= seen.has(Seen::LANG);
            self.peculiar.prefixes |= seen.has(Seen::PREFIX);
            self.subject(name, seen);
        }
        Ok(())
    }

    /// A start tag that says nothing, but may end the head.
    pub(super) fn start_tag_without_attributes(&mut self, name: &str) {
        self.enter(name);
        if name == "a" && self.in_anchor {
            self.peculiar.subjects = true;
        }
    }

    /// An end tag.
    pub(super) fn end_tag(&mut self, name: &str) {
        match name {
            "a" => self.in_anchor = false,
            "head" | "body" | "html" => self.place = Place::Body,
            _ => {}
        }
    }

    /// Text outside of elements that hold nothing but text.
    pub(super) fn text(&mut self, text: &str) {
        if self.place != Place::Body && !text.trim_ascii().is_empty() {
            self.place = Place::Body;
        }
    }

    /// Notes where the page is, and says where it was. Whatever cannot be in a
    /// head ends it, wherever its tags are.
    fn enter(&mut self, name: &str) -> Place {
        let before = self.place;
        self.place = match name {
            "html" => before,
            "head" | "base" | "basefont" | "bgsound" | "link" | "meta" | "noframes" | "noscript" | "script"
            | "style" | "template" | "title" => before.max(Place::Head),
            _ => Place::Body,
        };
        // Whatever is beside frames is no part of the page.
        self.peculiar.subjects |= name == "frameset";
        before
    }

    fn subject(&mut self, name: &str, seen: Seen) {
        if !seen.has(Seen::RESOURCE | Seen::REL) {
            return;
        }
        // Anchors end where the next one begins, but not in a table's cell.
        if name != "a" || self.in_anchor {
            self.peculiar.subjects = true;
        }
        self.in_anchor = true;
    }

    fn count_head(&mut self) {
        if self.place != Place::Body {
            self.in_head = self.elements.len();
        }
    }

    /// The small tree, if anything is said at all.
    pub(super) fn into_tree(self) -> Option<Tree> {
        if !self.says_something {
            return None;
        }
        let mut sketch = Sketch::new();
        let [html, head, body] = self.roots;
        let html = sketch.element(None, "html", &html.unwrap_or_default());
        let head = sketch.element(Some(html), "head", &head.unwrap_or_default());
        let has_body = self.in_head < self.elements.len();
        let body = if has_body { sketch.element(Some(html), "body", &body.unwrap_or_default()) } else { head };
        for (number, (name, attributes)) in self.elements.iter().enumerate() {
            let parent = if number < self.in_head { head } else { body };
            sketch.element(Some(parent), name, attributes);
        }
        Some(sketch.finish())
    }

    fn root(&mut self, root: usize, before: Place, seen: Seen, attributes: &Attributes<'a>) -> Result<(), NeedsTree> {
        // A second tag adds to the first, and one that comes too late is none.
        let is_late = before != Place::Start && root < 2;
        if seen.has(Seen::PROPERTY | Seen::REL) || self.roots[root].is_some() || is_late {
            return Err(NeedsTree);
        }
        let version = attributes.get("version");
        self.peculiar.versions |= version.is_some_and(|version| version.contains("RDFa"));
        self.roots[root] = Some(attributes.clone());
        Ok(())
    }

    fn statement(&mut self, name: &str, seen: Seen, attributes: &Attributes<'a>) -> Result<(), NeedsTree> {
        // A relation without a target hangs, and what is inside completes it.
        let is_complete = !seen.has(Seen::PROPERTY) && attributes.get("href").is_some();
        let plain = match name {
            "meta" => "meta",
            "link" => "link",
            "a" if is_complete => "a",
            "area" if is_complete => "area",
            _ => return Err(NeedsTree),
        };
        let Peculiarities { languages, prefixes, versions, subjects } = self.peculiar;
        let is_apart = (seen.has(Seen::PROPERTY) && languages) || prefixes || versions || subjects || self.in_anchor;
        if is_apart {
            return Err(NeedsTree);
        }
        self.says_something = true;
        self.elements.push((plain, attributes.clone()));
        self.count_head();
        Ok(())
    }

    /// Whether relations are more than words: in HTML most words of `rel` mean
    /// nothing to `RDFa`.
    fn relates(&self, attributes: &Attributes<'a>) -> bool {
        ["rel", "rev"].into_iter().filter_map(|name| attributes.get(name)).any(|relations| {
            let is_term = |word: &str| {
                word.contains(':')
                    || ["license", "describedby", "role"].iter().any(|term| term.eq_ignore_ascii_case(word))
            };
            self.peculiar.versions || unescaped_value(relations).split_ascii_whitespace().any(is_term)
        })
    }
}
