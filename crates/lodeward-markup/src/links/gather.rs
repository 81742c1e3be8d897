//! Gathering links: the state of one pass over a page, be it over its tokens
//! or over its tree.

use std::borrow::Cow;
use std::collections::HashSet;

use html5ever::ns;

use super::text::{AnchorText, RunningText};
use super::words::{has_word, is_block, is_formatting, is_furniture};
use super::{Link, Options};
use crate::tokens;
use crate::tree::{Element, is_void};

/// Open elements that are remembered; deeper ones are not told apart.
const OPEN_ELEMENTS_MAX: usize = 256;
/// Names in a tag path: the innermost say most.
const TAG_PATH_NAMES_MAX: usize = 16;

/// Where values of attributes come from.
pub(crate) trait Attributed {
    /// The value of an attribute, character references resolved.
    fn value(&self, name: &str) -> Option<Cow<'_, str>>;
}

impl Attributed for tokens::Attributes<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get(name).map(tokens::unescaped_value)
    }
}

impl Attributed for Element {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        let linked = || self.attributes.iter().find(|it| it.name.ns == ns!(xlink) && name == "xlink:href");
        self.attribute(name).or_else(|| linked().map(|it| &*it.value)).map(Cow::Borrowed)
    }
}

/// The links of a page, as far as it has been read.
#[derive(Debug)]
pub(crate) struct Gathering<'a> {
    options: Options,
    /// Names of the elements that are open.
    open_elements: Vec<Cow<'a, str>>,
    /// Open elements beyond those.
    unremembered: usize,
    running_text: RunningText,
    texts: Vec<AnchorText>,
    references: Vec<Reference>,
    known_references: HashSet<u64, foldhash::fast::RandomState>,
    is_nofollow: bool,
    has_excess: bool,
    generator: Option<String>,
    site_root: Option<String>,
}

#[derive(Debug)]
struct Reference {
    link: Link,
    /// Which anchor text is its own, if it has any.
    text: Option<usize>,
}

impl<'a> Gathering<'a> {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            options: options.clone(),
            open_elements: Vec::new(),
            unremembered: 0,
            running_text: RunningText::new(options.context_characters, options.anchor_characters),
            texts: Vec::new(),
            references: Vec::new(),
            known_references: HashSet::default(),
            is_nofollow: false,
            has_excess: false,
            generator: None,
            site_root: None,
        }
    }

    /// A start tag. End tags that people leave out are understood.
    pub(crate) fn start_tag(&mut self, name: Cow<'a, str>, is_self_closing: bool, attributes: &impl Attributed) {
        self.close_implied(&name);
        let is_open = !is_self_closing && !is_void(&name);
        self.open(name, attributes, is_open);
    }

    /// An end tag.
    pub(crate) fn end_tag(&mut self, name: &str) {
        if self.unremembered > 0 {
            self.unremembered -= 1;
            return;
        }
        let Some(depth) = self.open_elements.iter().rposition(|open| open == name) else { return };
        let is_misnested = is_formatting(name) && self.open_elements[depth + 1..].iter().any(|name| is_block(name));
        if is_misnested {
            self.open_elements.remove(depth);
            if name == "a" {
                self.running_text.close(&mut self.texts);
            }
        } else {
            self.close(depth);
        }
    }

    /// An element opens. Returns its depth, to be given back when it closes.
    pub(crate) fn open(&mut self, name: Cow<'a, str>, attributes: &impl Attributed, has_content: bool) -> usize {
        if is_block(&name) {
            self.running_text.boundary();
        }
        match &*name {
            "a" | "area" | "link" => self.refer(&name, "href", attributes),
            "iframe" | "frame" => self.refer(&name, "src", attributes),
            "meta" => self.meta(attributes),
            "body" if self.site_root.is_none() => {
                self.site_root = attributes.value("data-site-root").map(|root| self.cut(trimmed(root)));
            }
            "br" => self.running_text.text(" ", &mut self.texts),
            _ => {}
        }
        let depth = self.open_elements.len();
        if has_content && depth < OPEN_ELEMENTS_MAX {
            self.open_elements.push(name);
        } else if has_content {
            self.unremembered += 1;
        }
        depth
    }

    /// The element at this depth closes, and all within it that did not.
    pub(crate) fn close(&mut self, depth: usize) {
        if depth >= self.open_elements.len() {
            self.unremembered = self.unremembered.saturating_sub(1);
            return;
        }
        let mut closing = self.open_elements[depth..].iter();
        if closing.clone().any(|name| name == "a") {
            self.running_text.close(&mut self.texts);
        }
        if closing.any(|name| is_block(name)) {
            self.running_text.boundary();
        }
        self.open_elements.truncate(depth);
    }

    /// Text of the page outside of scripts and the like.
    pub(crate) fn text(&mut self, text: &str) {
        self.running_text.text(text, &mut self.texts);
    }

    /// The links, with what the page says about each; none if it says that
    /// they are not to be followed and that is heeded.
    pub(crate) fn finish(self) -> Gathered {
        let Self { references, mut texts, has_excess, generator, site_root, .. } = self;
        let is_heeded = self.is_nofollow && self.options.respect_nofollow;
        let with_text = |Reference { mut link, text }| {
            if let Some(text) = text.map(|number: usize| std::mem::take(&mut texts[number])) {
                link.text = trimmed(text.text.into());
                link.context = trimmed(text.context.into());
            }
            link
        };
        let links = if is_heeded { Vec::new() } else { references.into_iter().map(with_text).collect() };
        Gathered { links, has_excess, generator, site_root }
    }

    fn refer(&mut self, name: &str, attribute_name: &str, attributes: &impl Attributed) {
        let value = |name: &str| attributes.value(name).map(trimmed);
        // As anchors in SVG have it.
        let Some(href) = value(attribute_name).or_else(|| value("xlink:href")) else { return };
        let rel = value("rel");
        if !self.is_wanted(name, &href, rel.as_deref()) {
            // Whatever its fate, it ends the anchor before it.
            if name == "a" {
                self.running_text.close(&mut self.texts);
            }
            return;
        }
        let link = Link {
            href,
            element: name.to_owned(),
            rel,
            media_type: value("type"),
            title: value("title").map(|title| self.cut(title)),
            tag_path: self.tag_path(),
            ..Link::default()
        };
        let text = (name == "a").then_some(self.texts.len());
        if let Some(number) = text {
            self.running_text.open(number, &mut self.texts);
        }
        self.references.push(Reference { link, text });
    }

    fn is_wanted(&mut self, name: &str, href: &str, rel: Option<&str>) -> bool {
        let is_nofollow = || has_word(rel.unwrap_or_default(), &["nofollow"]);
        if href.is_empty() || href.starts_with('#') || (self.options.respect_nofollow && is_nofollow()) {
            return false;
        }
        if name == "link" && rel.is_some_and(is_furniture) {
            return false;
        }
        if self.references.len() >= self.options.links_max {
            self.has_excess = true;
            return false;
        }
        let hash = std::hash::BuildHasher::hash_one(self.known_references.hasher(), href);
        self.known_references.insert(hash)
    }

    fn meta(&mut self, attributes: &impl Attributed) {
        let Some(content) = attributes.value("content") else { return };
        let name = attributes.value("name");
        let is_named = |expected| name.as_ref().is_some_and(|name| name.trim().eq_ignore_ascii_case(expected));
        if self.generator.is_none() && is_named("generator") {
            self.generator = Some(self.cut(trimmed(content.clone())));
        }
        if is_named("robots") && has_word(&content.replace(',', " "), &["nofollow", "none"]) {
            self.is_nofollow = true;
        }
        let is_refresh = attributes.value("http-equiv").is_some_and(|name| name.trim().eq_ignore_ascii_case("refresh"));
        if let Some(href) = refresh_target(&content).filter(|_| is_refresh)
            && self.is_wanted("meta", href, None)
        {
            let rel = Some("refresh".into());
            let link = Link { href: href.to_owned(), element: "meta".into(), rel, ..Link::default() };
            self.references.push(Reference { link, text: None });
        }
    }

    /// Elements whose end tags people leave out end where the next one begins.
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
        let is_telling = |name: &&Cow<'_, str>| !matches!(&***name, "html" | "head" | "body" | "tbody");
        let mut names: Vec<_> = self.open_elements.iter().rev().filter(is_telling).take(TAG_PATH_NAMES_MAX).collect();
        names.reverse();
        names.iter().fold(String::new(), |path, name| if path.is_empty() { path + name } else { path + "/" + name })
    }

    fn cut(&self, title: String) -> String {
        match title.char_indices().nth(self.options.anchor_characters) {
            Some((end, _)) => title[..end].to_owned(),
            None => title,
        }
    }
}

/// What was gathered.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) links: Vec<Link>,
    /// There were more links than are taken.
    pub(crate) has_excess: bool,
    /// Which program made the page.
    pub(crate) generator: Option<String>,
    /// Where its site begins.
    pub(crate) site_root: Option<String>,
}

/// The address in `5; url='next.html'`.
fn refresh_target(content: &str) -> Option<&str> {
    let (_, target) = content.split_once([';', ','])?;
    let target = target.trim_start();
    let is_named = target.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("url"));
    let target = if is_named { target[3..].trim_start().strip_prefix('=')?.trim() } else { target.trim() };
    Some(target.trim_matches(['\'', '"']))
}

fn trimmed(text: Cow<'_, str>) -> String {
    const SPACES: [char; 5] = [' ', '\t', '\n', '\r', '\x0c'];
    match text {
        Cow::Owned(text) if !text.starts_with(SPACES) && !text.ends_with(SPACES) => text,
        text => text.trim_matches(SPACES).to_owned(),
    }
}
