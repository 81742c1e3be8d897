//! One quick pass over the tokens of a page: links, JSON-LD scripts, the
//! statements of a head, and whether there is more than that.

mod flat;
mod foreign;

use std::borrow::Cow;

use flat::{Flat, NeedsTree, Seen};
use foreign::Foreign;

use crate::json_ld::is_json_ld;
use crate::links::{self, Gathered, Gathering};
use crate::rdfa;
use crate::tokens::{self, Attributes, Raw, Tag, Token, Tokens};
use crate::tree::Tree;

/// What a pass looks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'o> {
    pub(crate) links: Option<&'o links::Options>,
    pub(crate) scripts: bool,
    pub(crate) rdfa: Option<&'o rdfa::Options>,
    pub(crate) microdata: bool,
}

/// What a pass found, if no tree is needed.
#[derive(Debug, Default)]
pub(crate) struct Skimmed<'a> {
    pub(crate) gathered: Gathered,
    /// The texts of JSON-LD scripts.
    pub(crate) scripts: Vec<Cow<'a, str>>,
    /// The address of the first `<base>` that has one.
    pub(crate) base: Option<String>,
    /// A tree of the elements that say something in `RDFa`.
    pub(crate) rdfa: Option<Tree>,
}

/// Passes over a page. `None` if that is not enough, and a tree is needed.
///
/// Lines of the page end in line feeds.
pub(crate) fn skim<'a>(page: &'a str, wanted: Wanted<'_>) -> Option<Skimmed<'a>> {
    let mut pass = Pass {
        wanted,
        gathering: wanted.links.map(Gathering::new),
        flat: Flat::new(wanted.rdfa.is_some_and(|options| options.role)),
        foreign: Foreign::default(),
        templates: 0,
        is_in_data_script: false,
        skimmed: Skimmed::default(),
    };
    let mut tokens = Tokens::new(page);
    while let Some(token) = tokens.next() {
        pass.take(token, &mut tokens).ok()?;
    }
    Some(pass.finish())
}

struct Pass<'a, 'o> {
    wanted: Wanted<'o>,
    gathering: Option<Gathering<'a>>,
    flat: Flat<'a>,
    foreign: Foreign<'a>,
    /// Templates that are open.
    templates: usize,
    is_in_data_script: bool,
    skimmed: Skimmed<'a>,
}

impl<'a> Pass<'a, '_> {
    fn take(&mut self, token: Token<'a>, tokens: &mut Tokens<'a>) -> Result<(), NeedsTree> {
        match token {
            Token::Start(tag) => return self.start_tag(tag, tokens),
            Token::End(tag) => self.end_tag(&tokens::lower_case(tag.name)),
            Token::Text { text, raw } => self.text(text, raw),
            Token::Doctype(doctype) => self.flat.doctype(doctype.public_id),
            Token::Cdata => {
                tokens.cdata(self.foreign.is_inside());
            }
            Token::Comment(_) => {}
        }
        Ok(())
    }

    fn start_tag(&mut self, tag: Tag<'a>, tokens: &mut Tokens<'a>) -> Result<(), NeedsTree> {
        let name = tokens::lower_case(tag.name);
        let attributes = tokens.attributes();
        let is_foreign = self.foreign.start_tag(name.clone(), tag.is_self_closing, attributes);
        if !attributes.is_empty() && self.templates == 0 {
            self.attributes(&name, is_foreign, attributes)?;
        } else {
            self.flat.start_tag_without_attributes(&name);
        }
        if name == "template" && !is_foreign {
            self.templates += 1;
        }
        if let Some(raw) = Raw::of_element(&name).filter(|_| !is_foreign) {
            self.is_in_data_script = raw == Raw::Script
                && self.templates == 0
                && attributes.get("type").is_some_and(|it| is_json_ld(&tokens::unescaped_value(it)));
            tokens.expect_raw(raw, tag.name);
        }
        if let Some(gathering) = &mut self.gathering {
            let is_closed = is_foreign && tag.is_self_closing;
            gathering.start_tag(name, is_closed, tokens.attributes());
        }
        Ok(())
    }

    fn attributes(&mut self, name: &str, is_foreign: bool, attributes: &Attributes<'a>) -> Result<(), NeedsTree> {
        let seen = Seen::among(attributes);
        if self.wanted.microdata && seen.is_item() {
            return Err(NeedsTree);
        }
        if name == "base" && is_foreign {
            return Ok(());
        }
        if name == "base" && self.skimmed.base.is_none() {
            self.skimmed.base = attributes.get("href").map(|href| tokens::unescaped_value(href).into_owned());
        }
        if self.wanted.rdfa.is_some() {
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
        if let Some(gathering) = &mut self.gathering {
            gathering.end_tag(name);
        }
    }

    fn text(&mut self, text: &'a str, raw: Option<Raw>) {
        if raw == Some(Raw::Script) && std::mem::take(&mut self.is_in_data_script) && self.wanted.scripts {
            self.skimmed.scripts.push(tokens::without_nul(text));
        }
        if raw.is_none() {
            self.flat.text(text);
        }
        if raw.is_none()
            && let Some(gathering) = &mut self.gathering
        {
            gathering.text(&tokens::unescaped_text(text, raw));
        }
    }

    fn finish(mut self) -> Skimmed<'a> {
        self.skimmed.gathered = self.gathering.map(Gathering::finish).unwrap_or_default();
        self.skimmed.rdfa = self.flat.into_tree();
        self.skimmed
    }
}

#[cfg(test)]
mod tests;
