//! `RDFa` that needs no tree: statements about the page itself.
//!
//! Most pages with `RDFa` contain only Open Graph in their head: empty elements whose subject is
//! the page. Together with the attributes of the elements around them, they make a small tree with
//! the same meaning as the full one. If anything could change the meaning, the result is
//! [`NeedsTree`], and the full tree is built.

use crate::tokens::{RawTextKind, TagAttributes, unescape_value};
use crate::tree::{PageTree, Sketch, is_void};

/// The attributes of an element that are relevant to `RDFa`, as a set of flags.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeenAttributes(u16);

impl SeenAttributes {
    const PROPERTY: u16 = 1;
    const REL: u16 = 1 << 1;
    const TYPEOF: u16 = 1 << 2;
    const VOCAB: u16 = 1 << 3;
    const LANG: u16 = 1 << 4;
    const PREFIX: u16 = 1 << 5;
    /// Attributes that can make an element the subject of its content.
    const RESOURCE: u16 = 1 << 6;
    const ROLE: u16 = 1 << 7;
    const VERSION: u16 = 1 << 8;
    const ITEMSCOPE: u16 = 1 << 9;

    /// Determines the relevant attributes.
    pub(super) fn from_attributes(attributes: &TagAttributes<'_>) -> Self {
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
                // `xmlns:xlink` is common in SVG, and its prefix is never used in a statement.
                11 if is("xmlns:xlink") => 0,
                _ if name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("xmlns:")) => Self::PREFIX,
                _ => 0,
            };
        }
        Self(seen)
    }

    fn intersects(self, any: u16) -> bool {
        self.0 & any != 0
    }

    pub(super) fn is_item(self) -> bool {
        self.intersects(Self::ITEMSCOPE)
    }
}

/// The statements cannot be read without the full tree.
#[derive(Debug)]
pub(super) struct NeedsTree;

/// The `RDFa` of a page, as long as it is flat.
#[derive(Debug, Default)]
pub(super) struct FlatRdfa<'a> {
    reads_roles: bool,
    /// The attributes of `<html>`, `<head>` and `<body>`.
    roots: [Option<TagAttributes<'a>>; 3],
    elements: Vec<(&'static str, TagAttributes<'a>)>,
    /// The number of `elements` that are in the head. The others are in the body.
    in_head: usize,
    section: PageSection,
    /// Whether an open anchor is the subject of its content.
    in_anchor: bool,
    conditions: FlatConditions,
    has_statements: bool,
}

/// Conditions that make later statements depend on their position.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "the conditions are independent")]
struct FlatConditions {
    /// A part of the page is in another language.
    languages: bool,
    /// A part of the page declares its own prefixes.
    prefixes: bool,
    /// The page can be `RDFa` 1.0, in which every relation is a statement.
    versions: bool,
    /// An element can be the subject of its content. Only a tree shows where it ends.
    subjects: bool,
}

/// The section of the next element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum PageSection {
    /// Before any element except `<html>`.
    #[default]
    Start,
    /// In the head, whether or not the page has a `<head>` tag.
    Head,
    /// In the body.
    Body,
}

impl<'a> FlatRdfa<'a> {
    pub(super) fn new(reads_roles: bool) -> Self {
        Self { reads_roles, ..Self::default() }
    }

    pub(super) fn doctype(&mut self, public_id: Option<&str>) {
        self.conditions.versions |= public_id.is_some_and(|id| id.contains("RDFa"));
    }

    /// Handles a start tag.
    pub(super) fn start_tag(
        &mut self,
        name: &str,
        seen: SeenAttributes,
        attributes: &TagAttributes<'a>,
    ) -> Result<(), NeedsTree> {
        let before = self.enter(name);
        if seen.0 == 0 {
            return Ok(());
        }
        if seen.intersects(SeenAttributes::TYPEOF | SeenAttributes::VOCAB)
            || (self.reads_roles && seen.intersects(SeenAttributes::ROLE))
        {
            return Err(NeedsTree);
        }
        if let Some(root) = ["html", "head", "body"].iter().position(|root| *root == name) {
            return self.add_root(root, before, seen, attributes);
        }
        if name == "base" {
            self.elements.push(("base", attributes.clone()));
            self.extend_head();
        }
        // These elements contain nothing, or only text.
        let is_leaf = is_void(name) || RawTextKind::from_element(name).is_some();
        if seen.intersects(SeenAttributes::PROPERTY)
            || (seen.intersects(SeenAttributes::REL) && self.has_rdfa_relation(attributes))
        {
            self.add_statement(name, seen, attributes)?;
        }
        if !is_leaf {
            self.conditions.languages |= seen.intersects(SeenAttributes::LANG);
            self.conditions.prefixes |= seen.intersects(SeenAttributes::PREFIX);
            self.mark_subject(name, seen);
        }
        Ok(())
    }

    /// Handles a start tag without attributes, which can end the head.
    pub(super) fn start_tag_without_attributes(&mut self, name: &str) {
        self.enter(name);
        if name == "a" && self.in_anchor {
            self.conditions.subjects = true;
        }
    }

    /// Handles an end tag.
    pub(super) fn end_tag(&mut self, name: &str) {
        match name {
            "a" => self.in_anchor = false,
            "head" | "body" | "html" => self.section = PageSection::Body,
            _ => {}
        }
    }

    /// Handles text, except raw text.
    pub(super) fn text(&mut self, text: &str) {
        if self.section != PageSection::Body && !text.trim_ascii().is_empty() {
            self.section = PageSection::Body;
        }
    }

    /// Updates the current section, and returns the one before. An element that cannot be in a head
    /// ends it.
    fn enter(&mut self, name: &str) -> PageSection {
        let before = self.section;
        self.section = match name {
            "html" => before,
            "head" | "base" | "basefont" | "bgsound" | "link" | "meta" | "noframes" | "noscript" | "script"
            | "style" | "template" | "title" => before.max(PageSection::Head),
            _ => PageSection::Body,
        };
        // In a page with frames, other content is not part of the page, so later statements need
        // the full tree.
        self.conditions.subjects |= name == "frameset";
        before
    }

    fn mark_subject(&mut self, name: &str, seen: SeenAttributes) {
        if !seen.intersects(SeenAttributes::RESOURCE | SeenAttributes::REL) {
            return;
        }
        // An anchor ends where the next one begins, except in a table cell. If an anchor is open,
        // only the full tree shows where the second one ends.
        if name != "a" || self.in_anchor {
            self.conditions.subjects = true;
        }
        self.in_anchor = true;
    }

    fn extend_head(&mut self) {
        if self.section != PageSection::Body {
            self.in_head = self.elements.len();
        }
    }

    /// The small tree, if there are statements.
    pub(super) fn into_tree(self) -> Option<PageTree> {
        if !self.has_statements {
            return None;
        }
        let mut sketch = Sketch::new();
        let [html, head, body] = self.roots;
        let html = sketch.add_element(None, "html", &html.unwrap_or_default());
        let head = sketch.add_element(Some(html), "head", &head.unwrap_or_default());
        let has_body = self.in_head < self.elements.len();
        let body = if has_body { sketch.add_element(Some(html), "body", &body.unwrap_or_default()) } else { head };
        for (number, (name, attributes)) in self.elements.iter().enumerate() {
            let parent = if number < self.in_head { head } else { body };
            sketch.add_element(Some(parent), name, attributes);
        }
        Some(sketch.finish())
    }

    fn add_root(
        &mut self,
        root: usize,
        before: PageSection,
        seen: SeenAttributes,
        attributes: &TagAttributes<'a>,
    ) -> Result<(), NeedsTree> {
        // HTML merges a repeated tag with the first one and ignores a late tag. Both cases need the
        // full tree.
        let is_late = before != PageSection::Start && root < 2;
        if seen.intersects(SeenAttributes::PROPERTY | SeenAttributes::REL) || self.roots[root].is_some() || is_late {
            return Err(NeedsTree);
        }
        let version = attributes.get("version");
        self.conditions.versions |= version.is_some_and(|version| version.contains("RDFa"));
        self.roots[root] = Some(attributes.clone());
        Ok(())
    }

    fn add_statement(
        &mut self,
        name: &str,
        seen: SeenAttributes,
        attributes: &TagAttributes<'a>,
    ) -> Result<(), NeedsTree> {
        // A relation without `href` is an incomplete triple, which the content of its element
        // completes.
        let is_complete = !seen.intersects(SeenAttributes::PROPERTY) && attributes.get("href").is_some();
        let plain = match name {
            "meta" => "meta",
            "link" => "link",
            "a" if is_complete => "a",
            "area" if is_complete => "area",
            _ => return Err(NeedsTree),
        };
        let FlatConditions { languages, prefixes, versions, subjects } = self.conditions;
        let is_dependent = (seen.intersects(SeenAttributes::PROPERTY) && languages)
            || prefixes
            || versions
            || subjects
            || self.in_anchor;
        if is_dependent {
            return Err(NeedsTree);
        }
        self.has_statements = true;
        self.elements.push((plain, attributes.clone()));
        self.extend_head();
        Ok(())
    }

    /// Whether a relation is relevant to `RDFa`: in HTML, most values of `rel` are not.
    fn has_rdfa_relation(&self, attributes: &TagAttributes<'a>) -> bool {
        ["rel", "rev"].into_iter().filter_map(|name| attributes.get(name)).any(|relations| {
            let is_term = |word: &str| {
                word.contains(':')
                    || ["license", "describedby", "role"].iter().any(|term| term.eq_ignore_ascii_case(word))
            };
            self.conditions.versions || unescape_value(relations).split_ascii_whitespace().any(is_term)
        })
    }
}
