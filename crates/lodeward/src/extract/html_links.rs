//! What a page refers to: the state of one pass over its elements.

use std::borrow::Cow;
use std::collections::HashSet;

use lol_html::html_content::Element;

use super::Options;
use super::html_text::{AnchorText, RunningText};
use crate::model::link::HtmlLink;

/// Open elements that are remembered; deeper ones are not told apart.
const OPEN_ELEMENTS_MAX: usize = 256;
/// Names in a tag path: the innermost say most.
const TAG_PATH_NAMES_MAX: usize = 16;
/// Script text that is kept, over all scripts.
const SCRIPT_BYTES_MAX: usize = 16 << 20;

/// A page, as far as it has been read.
pub(super) struct Page {
    options: Options,
    /// Names of the elements that are open.
    open_elements: Vec<String>,
    running_text: RunningText,
    /// A character reference that goes on in the next piece of text.
    held_back: String,
    texts: Vec<AnchorText>,
    references: Vec<Reference>,
    known_references: HashSet<u64, foldhash::fast::RandomState>,
    is_in_data_script: bool,
    script_bytes: usize,
    /// What the page has for those that do not run scripts, as we do not.
    pub(super) no_script: String,
    /// The texts of JSON-LD scripts, in order.
    pub(super) scripts: Vec<String>,
    /// The `href` of the first `<base>` that has one.
    pub(super) base: Option<String>,
    /// A robots meta element says not to follow links.
    pub(super) is_nofollow: bool,
    /// There were more links than are taken.
    pub(super) has_excess: bool,
}

struct Reference {
    href: String,
    link: HtmlLink,
    /// Which anchor text is its own, if it has any.
    text: Option<usize>,
}

impl Page {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            options: options.clone(),
            open_elements: Vec::new(),
            running_text: RunningText::new(options.context_characters, options.anchor_characters),
            held_back: String::new(),
            texts: Vec::new(),
            references: Vec::new(),
            known_references: HashSet::default(),
            is_in_data_script: false,
            script_bytes: 0,
            no_script: String::new(),
            scripts: Vec::new(),
            base: None,
            is_nofollow: false,
            has_excess: false,
        }
    }

    /// An element opens. Returns its depth, to be given back when it closes;
    /// `None` if nobody needs to know when it does.
    pub(super) fn open(&mut self, element: &Element<'_, '_>) -> Option<usize> {
        let name = element.tag_name();
        self.close_implied(&name);
        if is_block(&name) {
            self.running_text.boundary();
        }
        match name.as_str() {
            "a" | "area" | "link" => self.refer(&name, "href", element),
            "iframe" | "frame" => self.refer(&name, "src", element),
            "base" if self.base.is_none() => self.base = attribute(element, "href"),
            "meta" => self.meta(element),
            "script" => self.is_in_data_script = is_json_ld(element),
            "br" => self.running_text.text(" ", &mut self.texts),
            _ => {}
        }
        let depth = self.open_elements.len();
        if !element.can_have_content() || depth >= OPEN_ELEMENTS_MAX {
            return None;
        }
        self.open_elements.push(name);
        Some(depth)
    }

    /// The element at this depth closes, and all within it that did not.
    pub(super) fn close(&mut self, depth: usize) {
        if depth >= self.open_elements.len() {
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
        self.is_in_data_script = false;
    }

    /// Text of the page outside of scripts and the like, in pieces.
    pub(super) fn text(&mut self, text: &str, is_last: bool) {
        if self.held_back.is_empty() && (is_last || !text.contains('&')) {
            return self.running_text.text(&unescaped(text), &mut self.texts);
        }
        let mut text = std::mem::take(&mut self.held_back) + text;
        if let Some(start) = unfinished_reference(&text).filter(|_| !is_last) {
            self.held_back = text.split_off(start);
        }
        self.running_text.text(&unescaped(&text), &mut self.texts);
    }

    /// Text of a script, of which there may be several pieces.
    pub(super) fn script_text(&mut self, text: &str, is_first: bool) {
        self.script_bytes += text.len();
        if !self.is_in_data_script || self.script_bytes > SCRIPT_BYTES_MAX {
            return;
        }
        match self.scripts.last_mut() {
            Some(script) if !is_first => script.push_str(text),
            _ => self.scripts.push(text.to_owned()),
        }
    }

    /// Text that browsers do not look into, in pieces.
    pub(super) fn raw_text(&mut self, text: &str) {
        self.script_bytes += text.len();
        if self.script_bytes <= SCRIPT_BYTES_MAX && self.open_elements.last().is_some_and(|name| name == "noscript") {
            self.no_script.push_str(text);
        }
    }

    /// The references, with what the page says about each.
    pub(super) fn into_references(self) -> impl Iterator<Item = (String, HtmlLink)> {
        let Self { references, mut texts, .. } = self;
        references.into_iter().map(move |Reference { href, mut link, text }| {
            if let Some(text) = text.map(|number| std::mem::take(&mut texts[number])) {
                link.text = trimmed(text.text);
                link.context = trimmed(text.context);
            }
            (href, link)
        })
    }

    fn refer(&mut self, name: &str, attribute_name: &str, element: &Element<'_, '_>) {
        let Some(href) = attribute(element, attribute_name) else { return };
        let rel = attribute(element, "rel");
        if !self.is_wanted(name, &href, rel.as_deref()) {
            // Whatever its fate, it ends the anchor before it.
            if name == "a" {
                self.running_text.close(&mut self.texts);
            }
            return;
        }
        let link = HtmlLink {
            element: name.to_owned(),
            rel,
            media_type: attribute(element, "type"),
            title: attribute(element, "title").map(|title| self.cut(title)),
            tag_path: self.tag_path(),
            ..HtmlLink::default()
        };
        let text = (name == "a").then_some(self.texts.len());
        if let Some(number) = text {
            self.running_text.open(number, &mut self.texts);
        }
        self.references.push(Reference { href, link, text });
    }

    fn is_wanted(&mut self, name: &str, href: &str, rel: Option<&str>) -> bool {
        let is_nofollow = || has_word(rel.unwrap_or_default(), &["nofollow"]);
        if href.is_empty() || href.starts_with('#') || (self.options.respect_nofollow && is_nofollow()) {
            return false;
        }
        if name == "link" && rel.is_some_and(is_furniture) {
            return false;
        }
        if self.references.len() >= self.options.links_per_document_max {
            self.has_excess = true;
            return false;
        }
        let hash = std::hash::BuildHasher::hash_one(self.known_references.hasher(), href);
        self.known_references.insert(hash)
    }

    fn meta(&mut self, element: &Element<'_, '_>) {
        let Some(content) = attribute(element, "content") else { return };
        let is_robots = attribute(element, "name").is_some_and(|name| name.trim().eq_ignore_ascii_case("robots"));
        if is_robots && has_word(&content.replace(',', " "), &["nofollow", "none"]) {
            self.is_nofollow = true;
        }
        let is_refresh =
            attribute(element, "http-equiv").is_some_and(|name| name.trim().eq_ignore_ascii_case("refresh"));
        if let Some(href) = refresh_target(&content).filter(|_| is_refresh)
            && self.is_wanted("meta", href, None)
        {
            let link = HtmlLink { element: "meta".into(), rel: Some("refresh".into()), ..HtmlLink::default() };
            self.references.push(Reference { href: href.to_owned(), link, text: None });
        }
    }

    /// Elements whose end tags people leave out end where the next one begins.
    fn close_implied(&mut self, name: &str) {
        let Some(last) = self.open_elements.last() else { return };
        let is_implied = match last.as_str() {
            "p" => is_block(name),
            "li" => name == "li",
            "dt" | "dd" => matches!(name, "dt" | "dd"),
            "td" | "th" => matches!(name, "td" | "th" | "tr"),
            "tr" => name == "tr",
            "option" => matches!(name, "option" | "optgroup"),
            _ => false,
        };
        if is_implied {
            self.open_elements.pop();
            // The second row of a table ends a cell as well.
            self.close_implied(name);
        }
    }

    fn tag_path(&self) -> String {
        let skipped = self.open_elements.len().saturating_sub(TAG_PATH_NAMES_MAX);
        self.open_elements[skipped..].join("/")
    }

    fn cut(&self, title: String) -> String {
        match title.char_indices().nth(self.options.anchor_characters) {
            Some((end, _)) => title[..end].to_owned(),
            None => title,
        }
    }
}

/// Whether a relation is one that browsers have use for and nobody else: style,
/// icons, hints to load early.
pub(super) fn is_furniture(rel: &str) -> bool {
    const FURNITURE: &[&str] = &[
        "stylesheet",
        "icon",
        "shortcut",
        "apple-touch-icon",
        "apple-touch-icon-precomposed",
        "mask-icon",
        "fluid-icon",
        "apple-touch-startup-image",
        "image_src",
        "preload",
        "prefetch",
        "prerender",
        "modulepreload",
        "dns-prefetch",
        "preconnect",
        "manifest",
        "pingback",
        "search",
        "edituri",
        "wlwmanifest",
    ];
    has_word(rel, FURNITURE)
}

fn has_word(text: &str, words: &[&str]) -> bool {
    text.split_ascii_whitespace().any(|word| words.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

/// The address in `5; url='next.html'`.
fn refresh_target(content: &str) -> Option<&str> {
    let (_, target) = content.split_once([';', ','])?;
    let target = target.trim_start();
    let is_named = target.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("url"));
    let target = if is_named { target[3..].trim_start().strip_prefix('=')?.trim() } else { target.trim() };
    Some(target.trim_matches(['\'', '"']))
}

fn is_json_ld(element: &Element<'_, '_>) -> bool {
    let essence = |kind: String| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    element.get_attribute("type").map(essence).is_some_and(|kind| kind == "application/ld+json")
}

/// The value of an attribute, character references resolved, without the white
/// space around it.
fn attribute(element: &Element<'_, '_>, name: &str) -> Option<String> {
    let value = element.get_attribute(name)?;
    let value = if value.contains('&') { htmlize::unescape_attribute(&value).into_owned() } else { value };
    Some(trimmed(value))
}

fn trimmed(text: String) -> String {
    let trimmed = text.trim_matches([' ', '\t', '\n', '\r', '\x0c']);
    if trimmed.len() == text.len() { text } else { trimmed.to_owned() }
}

fn unescaped(text: &str) -> Cow<'_, str> {
    if text.contains('&') { htmlize::unescape(text) } else { Cow::Borrowed(text) }
}

/// Where a character reference begins that the text may have been cut in.
fn unfinished_reference(text: &str) -> Option<usize> {
    const REFERENCE_BYTES_MAX: usize = 40;
    let start = text.rfind('&')?;
    let is_open = text.len() - start < REFERENCE_BYTES_MAX && !text[start..].contains([';', ' ', '\n']);
    is_open.then_some(start)
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "head"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "option"
            | "p"
            | "pre"
            | "section"
            | "select"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "title"
            | "tr"
            | "ul"
    )
}
