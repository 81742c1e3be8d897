//! One pass over the tokens of a page: finds links, JSON-LD scripts and the statements of a head,
//! and detects whether a tree is needed for the rest.

mod flat_rdfa;
mod foreign_content;

use std::borrow::Cow;

use flat_rdfa::{FlatRdfa, NeedsTree, SeenAttributes};
use foreign_content::ForeignContent;

use crate::json_ld_scripts::is_json_ld;
use crate::links::{self, CollectedLinks, LinkCollector};
use crate::rdfa;
use crate::tokens::{self, HtmlTag, HtmlToken, RawTextKind, TagAttributes, Tokenizer};
use crate::tree::PageTree;

/// What a pass searches for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SkimRequest<'o> {
    pub(crate) links: Option<&'o links::LinkOptions>,
    pub(crate) scripts: bool,
    pub(crate) rdfa: Option<&'o rdfa::RdfaOptions>,
    pub(crate) microdata: bool,
}

/// What a pass found, if no tree is needed.
#[derive(Debug, Default)]
pub(crate) struct SkimResult<'a> {
    pub(crate) collected_links: CollectedLinks,
    /// The texts of JSON-LD scripts.
    pub(crate) scripts: Vec<Cow<'a, str>>,
    /// The `href` of the first `<base>` that has one.
    pub(crate) base: Option<String>,
    /// A small tree of the elements with `RDFa`.
    pub(crate) rdfa: Option<PageTree>,
}

/// Skims a page. `None` if a tree is needed.
///
/// The lines of the page must end in line feeds.
pub(crate) fn skim<'a>(page: &'a str, request: SkimRequest<'_>) -> Option<SkimResult<'a>> {
    let mut pass = SkimPass {
        request,
        collector: request.links.map(LinkCollector::new),
        flat: FlatRdfa::new(request.rdfa.is_some_and(|options| options.role)),
        foreign: ForeignContent::default(),
        templates: 0,
        is_in_data_script: false,
        skimmed: SkimResult::default(),
    };
    let mut tokens = Tokenizer::new(page);
    while let Some(token) = tokens.next() {
        pass.handle_token(token, &mut tokens).ok()?;
    }
    Some(pass.finish())
}

struct SkimPass<'a, 'o> {
    request: SkimRequest<'o>,
    collector: Option<LinkCollector<'a>>,
    flat: FlatRdfa<'a>,
    foreign: ForeignContent<'a>,
    /// The number of open templates.
    templates: usize,
    is_in_data_script: bool,
    skimmed: SkimResult<'a>,
}

impl<'a> SkimPass<'a, '_> {
    fn handle_token(&mut self, token: HtmlToken<'a>, tokens: &mut Tokenizer<'a>) -> Result<(), NeedsTree> {
        match token {
            HtmlToken::Start(tag) => return self.start_tag(tag, tokens),
            HtmlToken::End(tag) => self.end_tag(&tokens::to_lower_case(tag.name)),
            HtmlToken::Text { text, raw } => self.text(text, raw),
            HtmlToken::Doctype(doctype) => self.flat.doctype(doctype.public_id),
            HtmlToken::Cdata => {
                tokens.cdata(self.foreign.is_inside());
            }
            HtmlToken::Comment(_) => {}
        }
        Ok(())
    }

    fn start_tag(&mut self, tag: HtmlTag<'a>, tokens: &mut Tokenizer<'a>) -> Result<(), NeedsTree> {
        let name = tokens::to_lower_case(tag.name);
        let attributes = tokens.attributes();
        let is_foreign = self.foreign.start_tag(name.clone(), tag.is_self_closing, attributes);
        if !attributes.is_empty() && self.templates == 0 {
            self.handle_attributes(&name, is_foreign, attributes)?;
        } else {
            self.flat.start_tag_without_attributes(&name);
        }
        if name == "template" && !is_foreign {
            self.templates += 1;
        }
        if let Some(raw) = RawTextKind::from_element(&name).filter(|_| !is_foreign) {
            self.is_in_data_script = raw == RawTextKind::Script
                && self.templates == 0
                && attributes.get("type").is_some_and(|it| is_json_ld(&tokens::unescape_value(it)));
            tokens.expect_raw(raw, tag.name);
        }
        if let Some(collector) = &mut self.collector {
            let is_closed = is_foreign && tag.is_self_closing;
            collector.start_tag(name, is_closed, tokens.attributes());
        }
        Ok(())
    }

    fn handle_attributes(
        &mut self,
        name: &str,
        is_foreign: bool,
        attributes: &TagAttributes<'a>,
    ) -> Result<(), NeedsTree> {
        let seen = SeenAttributes::from_attributes(attributes);
        if self.request.microdata && seen.is_item() {
            return Err(NeedsTree);
        }
        if name == "base" && is_foreign {
            return Ok(());
        }
        if name == "base" && self.skimmed.base.is_none() {
            self.skimmed.base = attributes.get("href").map(|href| tokens::unescape_value(href).into_owned());
        }
        if self.request.rdfa.is_some() {
            self.flat.start_tag(name, seen, attributes)?;
        }
        Ok(())
    }

    fn end_tag(&mut self, name: &str) {
        self.foreign.end_tag(name);
        self.flat.end_tag(name);
        if name == "template" {
            self.templates = self.templates.saturating_sub(1);
        }
        if let Some(collector) = &mut self.collector {
            collector.end_tag(name);
        }
    }

    fn text(&mut self, text: &'a str, raw: Option<RawTextKind>) {
        if raw == Some(RawTextKind::Script) && std::mem::take(&mut self.is_in_data_script) && self.request.scripts {
            self.skimmed.scripts.push(tokens::replace_nul(text));
        }
        if raw.is_none() {
            self.flat.text(text);
        }
        if raw.is_none()
            && let Some(collector) = &mut self.collector
        {
            collector.text(&tokens::unescape_text(text, raw));
        }
    }

    fn finish(mut self) -> SkimResult<'a> {
        self.skimmed.collected_links = self.collector.map(LinkCollector::finish).unwrap_or_default();
        self.skimmed.rdfa = self.flat.into_tree();
        self.skimmed
    }
}

#[cfg(test)]
mod tests;
