//! Trees of HTML: our tokens, html5ever's tree construction.

use std::borrow::Cow;
use std::collections::HashSet;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token as Built, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{Attribute, LocalName, QualName, ns};
use memchr::memmem;

use super::sink::Growing;
use super::{NodeId, Tree};
use crate::tokens::{self, Attributes, Raw, Token, Tokens};

/// Elements inside elements that are told apart, as in browsers: the rules of
/// tree construction look through all that are open, again and again.
const DEPTH_MAX: u32 = 512;
/// Nodes of a tree, whatever the page: some eighty bytes each.
pub(super) const NODES_MAX: usize = 1 << 20;
/// More attributes than these in one tag are told apart by a set.
const FEW_ATTRIBUTES: usize = 16;

/// The nodes of a tree of a page that has so many bytes.
pub(super) fn nodes_max(page_bytes: usize) -> usize {
    NODES_MAX.min(page_bytes / 2 + 4096)
}

/// Parses a page as a browser without scripts would.
///
/// Only attributes that somebody reads are in the tree, except where the page
/// may have literals made of markup.
pub(crate) fn from_html(page: &str) -> Tree {
    let has_version = memmem::find(page.as_bytes(), b"RDFa 1.0").is_some();
    from_html_with(page, has_version || tokens::mentions(page, b"datatype", 5))
}

/// The same, with all attributes or only those that somebody reads.
pub(crate) fn from_html_with(page: &str, keeps_all: bool) -> Tree {
    let page = tokens::with_line_feeds(page);
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let parse = Parse {
        page: &page,
        buffer: StrTendril::from_slice(&page),
        builder: TreeBuilder::new(Growing::new(), tree_builder),
        keeps_all,
        nodes_max: nodes_max(page.len()),
    };
    parse.run()
}

struct Parse<'a> {
    page: &'a str,
    /// The page again, such that parts of it can be shared.
    buffer: StrTendril,
    builder: TreeBuilder<NodeId, Growing>,
    keeps_all: bool,
    nodes_max: usize,
}

impl<'a> Parse<'a> {
    fn run(mut self) -> Tree {
        let mut tokens = Tokens::new(self.page);
        let mut is_cut = false;
        while let Some(token) = tokens.next() {
            self.take(token, &mut tokens);
            if self.builder.sink.len() > self.nodes_max {
                is_cut = true;
                break;
            }
        }
        let _ = self.builder.process_token(Built::EOFToken, 1);
        self.builder.end();
        let mut tree = self.builder.sink.finish();
        tree.is_cut |= is_cut;
        tree
    }

    fn take(&mut self, token: Token<'a>, tokens: &mut Tokens<'a>) {
        match token {
            Token::Text { text, raw } => self.text(text, raw),
            Token::Start(tag) => self.start(tag, tokens),
            Token::End(tag) => self.end(tag.name),
            Token::Comment(text) => {
                let text = self.shared(tokens::without_nul(text));
                let _ = self.build(Built::CommentToken(text));
            }
            Token::Doctype(doctype) => self.doctype(&doctype),
            Token::Cdata => {
                let is_foreign = self.builder.adjusted_current_node_present_but_not_in_html_namespace();
                let token = tokens.cdata(is_foreign);
                self.take(token, tokens);
            }
        }
    }

    fn build(&self, token: Built) -> TokenSinkResult<NodeId> {
        self.builder.process_token(token, 1)
    }

    fn text(&self, text: &'a str, raw: Option<Raw>) {
        let text = tokens::unescaped_text(text, raw);
        // What becomes of U+0000 depends on where it is.
        for (number, piece) in text.split('\0').enumerate() {
            if number > 0 && raw.is_some() {
                let _ = self.build(Built::CharacterTokens(StrTendril::from_char('\u{fffd}')));
            } else if number > 0 {
                let _ = self.build(Built::NullCharacterToken);
            }
            if !piece.is_empty() {
                let _ = self.build(Built::CharacterTokens(self.shared(Cow::Borrowed(piece))));
            }
        }
    }

    fn start(&mut self, tag: tokens::Tag<'a>, tokens: &mut Tokens<'a>) {
        let name = tokens::lower_case(tag.name);
        if self.builder.sink.depth() >= DEPTH_MAX {
            self.flatten();
        }
        let attrs = kept_attributes(tokens.attributes(), self.keeps_all, |value| self.shared(value));
        let token = Tag {
            kind: TagKind::StartTag,
            name: LocalName::from(name),
            self_closing: tag.is_self_closing,
            attrs,
            had_duplicate_attributes: false,
        };
        match self.build(Built::TagToken(token)) {
            TokenSinkResult::RawData(RawKind::Rcdata) => tokens.expect_raw(Raw::Rcdata, tag.name),
            TokenSinkResult::RawData(RawKind::Rawtext) => tokens.expect_raw(Raw::Text, tag.name),
            TokenSinkResult::RawData(_) => tokens.expect_raw(Raw::Script, tag.name),
            TokenSinkResult::Plaintext => tokens.expect_raw(Raw::Plain, tag.name),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        self.close(LocalName::from(tokens::lower_case(name)));
    }

    /// What would be too deep becomes a sibling, as in browsers.
    fn flatten(&mut self) {
        self.builder.sink.cut();
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
        let _ = self.build(Built::TagToken(token));
        self.builder.sink.rise();
    }

    fn doctype(&self, doctype: &tokens::Doctype<'a>) {
        let shared = |text: &'a str| self.shared(tokens::without_nul(text));
        let token = Doctype {
            name: doctype.name.map(|name| self.shared(tokens::lower_case(name))),
            public_id: doctype.public_id.map(shared),
            system_id: doctype.system_id.map(shared),
            force_quirks: doctype.is_quirky,
        };
        let _ = self.build(Built::DoctypeToken(token));
    }

    /// Text that shares the page, if it is part of it as it stands.
    fn shared(&self, text: Cow<'_, str>) -> StrTendril {
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

/// Attributes as html5ever has them: all, or those that somebody reads.
pub(super) fn kept_attributes<'a>(
    attributes: &Attributes<'a>,
    keeps_all: bool,
    mut shared: impl FnMut(Cow<'a, str>) -> StrTendril,
) -> Vec<Attribute> {
    let mut kept: Vec<Attribute> = Vec::new();
    let mut known = HashSet::new();
    for (name, value) in attributes.iter() {
        let name = tokens::lower_case(name);
        if !keeps_all && !is_read(&name) {
            continue;
        }
        let name = LocalName::from(name);
        let is_new = if attributes.len() <= FEW_ATTRIBUTES {
            kept.iter().all(|it| it.name.local != name)
        } else {
            known.insert(name.clone())
        };
        if is_new {
            let value = shared(tokens::unescaped_value(value));
            kept.push(Attribute { name: QualName::new(None, ns!(), name), value });
        }
    }
    kept
}

/// Attributes that a reader looks at, or tree construction.
fn is_read(name: &str) -> bool {
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
