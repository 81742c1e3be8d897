//! Collecting links in one pass over the tokens or the tree of a page.

use std::borrow::Cow;
use std::collections::HashSet;

use html5ever::ns;

use super::elements::{has_word, is_block, is_browser_rel, is_formatting};
use super::text::{AnchorText, RunningText};
use super::{LinkOptions, PageLink};
use crate::tokens;
use crate::tree::{TreeElement, is_void};

/// The maximum number of tracked open elements; deeper ones are only counted.
const MAX_OPEN_ELEMENTS: usize = 256;
/// The maximum number of names in a tag path; the innermost names are the most specific.
const MAX_TAG_PATH_NAMES: usize = 16;

/// A source of attribute values.
pub(crate) trait AttributeSource {
    /// The value of an attribute, with character references resolved.
    fn value(&self, name: &str) -> Option<Cow<'_, str>>;
}

impl AttributeSource for tokens::TagAttributes<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get(name).map(tokens::unescape_value)
    }
}

impl AttributeSource for TreeElement {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        let linked = || self.attributes.iter().find(|it| it.name.ns == ns!(xlink) && name == "xlink:href");
        self.attribute(name).or_else(|| linked().map(|it| &*it.value)).map(Cow::Borrowed)
    }
}

/// The links of a page, as far as it has been read.
#[derive(Debug)]
pub(crate) struct LinkCollector<'a> {
    options: LinkOptions,
    /// The names of the open elements.
    open_elements: Vec<Cow<'a, str>>,
    /// The number of open elements beyond the maximum.
    untracked: usize,
    running_text: RunningText,
    texts: Vec<AnchorText>,
    references: Vec<PendingLink>,
    known_references: HashSet<u64, foldhash::fast::RandomState>,
    has_excess: bool,
    generator: Option<String>,
    site_root: Option<String>,
}

#[derive(Debug)]
struct PendingLink {
    link: PageLink,
    /// The index of the link's anchor text, if it has one.
    text: Option<usize>,
}

impl<'a> LinkCollector<'a> {
    pub(crate) fn new(options: &LinkOptions) -> Self {
        Self {
            options: options.clone(),
            open_elements: Vec::new(),
            untracked: 0,
            running_text: RunningText::new(options.context_characters, options.anchor_characters),
            texts: Vec::new(),
            references: Vec::new(),
            known_references: HashSet::default(),
            has_excess: false,
            generator: None,
            site_root: None,
        }
    }

    /// Handles a start tag. Omitted end tags are implied.
    pub(crate) fn start_tag(&mut self, name: Cow<'a, str>, is_self_closing: bool, attributes: &impl AttributeSource) {
        self.close_implied(&name);
        let is_open = !is_self_closing && !is_void(&name);
        self.open_element(name, attributes, is_open);
    }

    /// Handles an end tag.
    pub(crate) fn end_tag(&mut self, name: &str) {
        if self.untracked > 0 {
            self.untracked -= 1;
            return;
        }
        let Some(depth) = self.open_elements.iter().rposition(|open| open == name) else { return };
        let is_misnested = is_formatting(name) && self.open_elements[depth + 1..].iter().any(|name| is_block(name));
        if is_misnested {
            self.open_elements.remove(depth);
            if name == "a" {
                self.running_text.close_anchor(&mut self.texts);
            }
        } else {
            self.close_element(depth);
        }
    }

    /// Opens an element. Returns its depth, which must be passed when it closes.
    pub(crate) fn open_element(
        &mut self,
        name: Cow<'a, str>,
        attributes: &impl AttributeSource,
        has_content: bool,
    ) -> usize {
        if is_block(&name) {
            self.running_text.end_block();
        }
        match &*name {
            "a" | "area" | "link" => self.add_link(&name, "href", attributes),
            "iframe" | "frame" => self.add_link(&name, "src", attributes),
            "meta" => self.read_meta(attributes),
            "body" if self.site_root.is_none() => {
                self.site_root = attributes.value("data-site-root").map(|root| self.truncate(trim(root)));
            }
            "br" => self.running_text.push_text(" ", &mut self.texts),
            _ => {}
        }
        let depth = self.open_elements.len();
        if has_content && depth < MAX_OPEN_ELEMENTS {
            self.open_elements.push(name);
        } else if has_content {
            self.untracked += 1;
        }
        depth
    }

    /// Closes the element at this depth, and all open elements in it.
    pub(crate) fn close_element(&mut self, depth: usize) {
        if depth >= self.open_elements.len() {
            self.untracked = self.untracked.saturating_sub(1);
            return;
        }
        let mut closing = self.open_elements[depth..].iter();
        if closing.clone().any(|name| name == "a") {
            self.running_text.close_anchor(&mut self.texts);
        }
        if closing.any(|name| is_block(name)) {
            self.running_text.end_block();
        }
        self.open_elements.truncate(depth);
    }

    /// Handles text, except raw text.
    pub(crate) fn text(&mut self, text: &str) {
        self.running_text.push_text(text, &mut self.texts);
    }

    /// Returns the collected links.
    pub(crate) fn finish(self) -> CollectedLinks {
        let Self { references, mut texts, has_excess: has_more, generator, site_root, .. } = self;
        let with_text = |PendingLink { mut link, text }| {
            if let Some(text) = text.map(|number: usize| std::mem::take(&mut texts[number])) {
                link.text = trim(text.text.into());
                link.context = trim(text.context.into());
            }
            link
        };
        let links = references.into_iter().map(with_text).collect();
        CollectedLinks { links, has_excess: has_more, generator, site_root }
    }

    fn add_link(&mut self, name: &str, attribute_name: &str, attributes: &impl AttributeSource) {
        let value = |name: &str| attributes.value(name).map(trim);
        // Anchors in SVG use `xlink:href`.
        let Some(href) = value(attribute_name).or_else(|| value("xlink:href")) else { return };
        let rel = value("rel");
        if !self.accept_link(name, &href, rel.as_deref()) {
            // Even a rejected anchor ends the anchor before it.
            if name == "a" {
                self.running_text.close_anchor(&mut self.texts);
            }
            return;
        }
        let link = PageLink {
            href,
            element: name.to_owned(),
            rel,
            media_type: value("type"),
            title: value("title").map(|title| self.truncate(title)),
            tag_path: self.tag_path(),
            ..PageLink::default()
        };
        let text = (name == "a").then_some(self.texts.len());
        if let Some(number) = text {
            self.running_text.open_anchor(number, &mut self.texts);
        }
        self.references.push(PendingLink { link, text });
    }

    fn accept_link(&mut self, name: &str, href: &str, rel: Option<&str>) -> bool {
        let is_nofollow = || has_word(rel.unwrap_or_default(), &["nofollow"]);
        if href.is_empty() || href.starts_with('#') || (self.options.obey_nofollow && is_nofollow()) {
            return false;
        }
        if name == "link" && rel.is_some_and(is_browser_rel) {
            return false;
        }
        if self.references.len() >= self.options.max_links {
            self.has_excess = true;
            return false;
        }
        let hash = std::hash::BuildHasher::hash_one(self.known_references.hasher(), href);
        self.known_references.insert(hash)
    }

    fn read_meta(&mut self, attributes: &impl AttributeSource) {
        let Some(content) = attributes.value("content") else { return };
        let name = attributes.value("name");
        let is_named = |expected| name.as_ref().is_some_and(|name| name.trim().eq_ignore_ascii_case(expected));
        if self.generator.is_none() && is_named("generator") {
            self.generator = Some(self.truncate(trim(content.clone())));
        }
        let is_refresh = attributes.value("http-equiv").is_some_and(|name| name.trim().eq_ignore_ascii_case("refresh"));
        if let Some(href) = refresh_target(&content).filter(|_| is_refresh)
            && self.accept_link("meta", href, None)
        {
            let rel = Some("refresh".into());
            let link = PageLink { href: href.to_owned(), element: "meta".into(), rel, ..PageLink::default() };
            self.references.push(PendingLink { link, text: None });
        }
    }

    /// Closes open elements whose end tag is optional and is implied by this start tag.
    fn close_implied(&mut self, name: &str) {
        while let Some(last) = self.open_elements.last() {
            let is_implied = match &**last {
                "p" => is_block(name),
                "li" => name == "li",
                "dt" | "dd" => matches!(name, "dt" | "dd"),
                "td" | "th" => matches!(name, "td" | "th" | "tr"),
                "tr" => name == "tr",
                "option" => matches!(name, "option" | "optgroup"),
                _ => false,
            };
            if !is_implied {
                return;
            }
            self.open_elements.pop();
        }
    }

    fn tag_path(&self) -> String {
        let is_specific = |name: &&Cow<'_, str>| !matches!(&***name, "html" | "head" | "body" | "tbody");
        let mut names: Vec<_> = self.open_elements.iter().rev().filter(is_specific).take(MAX_TAG_PATH_NAMES).collect();
        names.reverse();
        names.iter().fold(String::new(), |path, name| if path.is_empty() { path + name } else { path + "/" + name })
    }

    fn truncate(&self, title: String) -> String {
        match title.char_indices().nth(self.options.anchor_characters) {
            Some((end, _)) => title[..end].to_owned(),
            None => title,
        }
    }
}

/// The result of a collection.
#[derive(Debug, Default)]
pub(crate) struct CollectedLinks {
    pub(crate) links: Vec<PageLink>,
    /// Whether the page has more links than the maximum.
    pub(crate) has_excess: bool,
    /// The program that generated the page.
    pub(crate) generator: Option<String>,
    /// The root URL of the site.
    pub(crate) site_root: Option<String>,
}

/// The URL in `5; url='next.html'`.
fn refresh_target(content: &str) -> Option<&str> {
    let (_, target) = content.split_once([';', ','])?;
    let target = target.trim_start();
    let is_named = target.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("url"));
    let target = if is_named { target[3..].trim_start().strip_prefix('=')?.trim() } else { target.trim() };
    Some(target.trim_matches(['\'', '"']))
}

fn trim(text: Cow<'_, str>) -> String {
    const SPACES: [char; 5] = [' ', '\t', '\n', '\r', '\x0c'];
    match text {
        Cow::Owned(text) if !text.starts_with(SPACES) && !text.ends_with(SPACES) => text,
        text => text.trim_matches(SPACES).to_owned(),
    }
}
