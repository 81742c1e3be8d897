//! Parsing HTML into a tree: our tokenizer, html5ever's tree construction.

use std::borrow::Cow;
use std::collections::HashSet;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token as Built, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{Attribute, LocalName, QualName, ns};
use memchr::memmem;

use super::sink::GrowingTree;
use super::{NodeId, PageTree};
use crate::tokens::{self, HtmlToken, RawTextKind, TagAttributes, Tokenizer};

/// The maximum depth of elements, as in browsers: the rules of tree construction repeatedly search
/// all open elements.
const MAX_DEPTH: u32 = 512;
/// The maximum number of nodes of a tree, about eighty bytes each.
pub(super) const MAX_NODES: usize = 1 << 20;
/// How often the rules of tree construction may examine an element, for any page and per byte of the
/// page. Real pages need less than 4 per byte.
const MIN_WORK: u64 = 16 << 20;
const WORK_PER_BYTE: u64 = 16;
/// Up to this number of attributes, duplicates are found by a linear search; above it, by a set.
const MAX_LINEAR_ATTRIBUTES: usize = 16;

/// The maximum number of nodes for a page of this size.
pub(super) fn max_nodes(page_bytes: usize) -> usize {
    MAX_NODES.min(page_bytes / 2 + 4096)
}

/// The maximum work of tree construction for a page of this size.
fn max_work(page_bytes: usize) -> u64 {
    MIN_WORK + WORK_PER_BYTE * page_bytes as u64
}

/// Parses a page like a browser without scripting.
///
/// The tree contains only attributes that are used, unless the page can contain markup literals.
pub(crate) fn from_html(page: &str) -> PageTree {
    let has_version = memmem::find(page.as_bytes(), b"RDFa 1.0").is_some();
    from_html_with(page, has_version || tokens::contains_ignore_case(page, b"datatype", 5))
}

/// Parses a page, with all attributes or only those that are used.
pub(crate) fn from_html_with(page: &str, keep_all_attributes: bool) -> PageTree {
    parse_counting(page, keep_all_attributes, max_work(page.len())).0
}

/// Parses a page until tree construction exceeds `max_work`. Returns its work, too.
fn parse_counting(page: &str, keep_all_attributes: bool, max_work: u64) -> (PageTree, u64) {
    let page = tokens::normalize_newlines(page);
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let parse = HtmlTreeParser {
        page: &page,
        buffer: StrTendril::from_slice(&page),
        builder: TreeBuilder::new(GrowingTree::new(), tree_builder),
        keep_all_attributes,
        max_nodes: max_nodes(page.len()),
        max_work,
    };
    parse.run()
}

struct HtmlTreeParser<'a> {
    page: &'a str,
    /// The page as a tendril, so that parts of it can be shared.
    buffer: StrTendril,
    builder: TreeBuilder<NodeId, GrowingTree>,
    keep_all_attributes: bool,
    max_nodes: usize,
    max_work: u64,
}

impl<'a> HtmlTreeParser<'a> {
    fn run(mut self) -> (PageTree, u64) {
        let mut tokens = Tokenizer::new(self.page);
        let mut is_truncated = false;
        while let Some(token) = tokens.next() {
            self.handle_token(token, &mut tokens);
            if self.builder.sink.len() > self.max_nodes || self.builder.sink.work() > self.max_work {
                is_truncated = true;
                break;
            }
        }
        let _ = self.builder.process_token(Built::EOFToken, 1);
        self.builder.end();
        let work = self.builder.sink.work();
        let mut tree = self.builder.sink.finish();
        tree.is_truncated |= is_truncated;
        (tree, work)
    }

    fn handle_token(&mut self, token: HtmlToken<'a>, tokens: &mut Tokenizer<'a>) {
        match token {
            HtmlToken::Text { text, raw } => self.text(text, raw),
            HtmlToken::Start(tag) => self.start_tag(tag, tokens),
            HtmlToken::End(tag) => self.end_tag(tag.name),
            HtmlToken::Comment(text) => {
                let text = self.to_tendril(tokens::replace_nul(text));
                let _ = self.process_token(Built::CommentToken(text));
            }
            HtmlToken::Doctype(doctype) => self.doctype(&doctype),
            HtmlToken::Cdata => {
                let is_foreign = self.builder.adjusted_current_node_present_but_not_in_html_namespace();
                let token = tokens.cdata(is_foreign);
                self.handle_token(token, tokens);
            }
        }
    }

    fn process_token(&self, token: Built) -> TokenSinkResult<NodeId> {
        self.builder.process_token(token, 1)
    }

    fn text(&self, text: &'a str, raw: Option<RawTextKind>) {
        let text = tokens::unescape_text(text, raw);
        // The handling of U+0000 depends on its position.
        for (number, piece) in text.split('\0').enumerate() {
            if number > 0 && raw.is_some() {
                let _ = self.process_token(Built::CharacterTokens(StrTendril::from_char('\u{fffd}')));
            } else if number > 0 {
                let _ = self.process_token(Built::NullCharacterToken);
            }
            if !piece.is_empty() {
                let _ = self.process_token(Built::CharacterTokens(self.to_tendril(Cow::Borrowed(piece))));
            }
        }
    }

    fn start_tag(&mut self, tag: tokens::HtmlTag<'a>, tokens: &mut Tokenizer<'a>) {
        let name = tokens::to_lower_case(tag.name);
        if self.builder.sink.depth() >= MAX_DEPTH {
            self.flatten();
        }
        let attrs = filter_attributes(tokens.attributes(), self.keep_all_attributes, |value| self.to_tendril(value));
        let token = Tag {
            kind: TagKind::StartTag,
            name: LocalName::from(name),
            self_closing: tag.is_self_closing,
            attrs,
            had_duplicate_attributes: false,
        };
        match self.process_token(Built::TagToken(token)) {
            TokenSinkResult::RawData(RawKind::Rcdata) => tokens.expect_raw(RawTextKind::Rcdata, tag.name),
            TokenSinkResult::RawData(RawKind::Rawtext) => tokens.expect_raw(RawTextKind::Text, tag.name),
            TokenSinkResult::RawData(_) => tokens.expect_raw(RawTextKind::Script, tag.name),
            TokenSinkResult::Plaintext => tokens.expect_raw(RawTextKind::Plain, tag.name),
            _ => {}
        }
    }

    fn end_tag(&mut self, name: &str) {
        self.close(LocalName::from(tokens::to_lower_case(name)));
    }

    /// Makes an element that would be too deep a sibling, as browsers do.
    fn flatten(&mut self) {
        self.builder.sink.mark_truncated();
        if let Some(name) = self.builder.sink.last_name() {
            self.close(name);
        }
    }

    fn close(&mut self, name: LocalName) {
        let token = Tag {
            kind: TagKind::EndTag,
            name,
            self_closing: false,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        };
        let _ = self.process_token(Built::TagToken(token));
        self.builder.sink.close_element();
    }

    fn doctype(&self, doctype: &tokens::HtmlDoctype<'a>) {
        let shared = |text: &'a str| self.to_tendril(tokens::replace_nul(text));
        let token = Doctype {
            name: doctype.name.map(|name| self.to_tendril(tokens::to_lower_case(name))),
            public_id: doctype.public_id.map(shared),
            system_id: doctype.system_id.map(shared),
            force_quirks: doctype.is_quirky,
        };
        let _ = self.process_token(Built::DoctypeToken(token));
    }

    /// A tendril of a text, shared with the page if the text is a part of it.
    fn to_tendril(&self, text: Cow<'_, str>) -> StrTendril {
        let text = match text {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => return StrTendril::from(text),
        };
        let offset = text.as_ptr().addr().wrapping_sub(self.page.as_ptr().addr());
        let is_part = offset.checked_add(text.len()).is_some_and(|end| end <= self.page.len());
        match (u32::try_from(offset), u32::try_from(text.len())) {
            (Ok(offset), Ok(len)) if is_part => self.buffer.subtendril(offset, len),
            _ => StrTendril::from_slice(text),
        }
    }
}

/// Converts attributes for html5ever: all, or only those that are used.
pub(super) fn filter_attributes<'a>(
    attributes: &TagAttributes<'a>,
    keep_all_attributes: bool,
    mut shared: impl FnMut(Cow<'a, str>) -> StrTendril,
) -> Vec<Attribute> {
    let mut filtered: Vec<Attribute> = Vec::new();
    let mut known = HashSet::new();
    for (name, value) in attributes.iter() {
        let name = tokens::to_lower_case(name);
        if !keep_all_attributes && !is_used_attribute(&name) {
            continue;
        }
        let name = LocalName::from(name);
        let is_new = if attributes.len() <= MAX_LINEAR_ATTRIBUTES {
            filtered.iter().all(|it| it.name.local != name)
        } else {
            known.insert(name.clone())
        };
        if is_new {
            let value = shared(tokens::unescape_value(value));
            filtered.push(Attribute { name: QualName::new(None, ns!(), name), value });
        }
    }
    filtered
}

/// Whether a reader or the tree construction uses this attribute.
fn is_used_attribute(name: &str) -> bool {
    match name.as_bytes().first() {
        Some(b'a') => name == "about",
        Some(b'c') => matches!(name, "content" | "color"),
        Some(b'd') => matches!(name, "datatype" | "datetime" | "data" | "data-site-root"),
        Some(b'e') => name == "encoding",
        Some(b'f') => name == "face",
        Some(b'h') => matches!(name, "href" | "http-equiv"),
        Some(b'i') => {
            matches!(name, "id" | "inlist" | "itemscope" | "itemtype" | "itemid" | "itemref" | "itemprop")
                || name == "itemprop-reverse"
        }
        Some(b'l') => name == "lang",
        Some(b'n') => name == "name",
        Some(b'p') => matches!(name, "property" | "prefix"),
        Some(b'r') => matches!(name, "rel" | "rev" | "resource" | "role"),
        Some(b's') => matches!(name, "src" | "size"),
        Some(b't') => matches!(name, "type" | "typeof" | "title"),
        Some(b'v') => matches!(name, "vocab" | "value" | "version"),
        Some(b'x') => name.starts_with("xml") || name == "xlink:href",
        _ => false,
    }
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
