//! Pages: links of all sorts, and the RDF inside, by `lodeward-markup`.

use std::borrow::Cow;
use std::io::Read;
use std::sync::Arc;

use lodeward_markup::json_ld::Contexts;
use lodeward_markup::microdata::{self, StrayItems};
use lodeward_markup::rdfa::Host;
use lodeward_markup::{self as markup, Label, Syntax, links};
use oxrdf::QuadRef;
use url::Url;

use super::Options;
use super::harvest::Harvest;
use super::rdf::{Input, fault_of_stream};
use crate::discover::{Findings, ckan};
use crate::model::link::HtmlLink;
use crate::model::{Fault, FaultKind, Link, Relevance, Uri, Via};

/// The longest page that is read to its end: larger ones are no pages, and a
/// page is held in memory as a whole.
const PAGE_BYTES_MAX: u64 = 32 << 20;

/// The reader of pages for a crawl.
pub(super) fn reader(options: &Options, contexts: Arc<dyn Contexts>) -> markup::Reader {
    let links = links::Options {
        links_max: options.links_per_document_max,
        context_characters: options.context_characters,
        anchor_characters: options.anchor_characters,
        respect_nofollow: options.respect_nofollow,
    };
    // Items that belong to no other are common in the wild, and peers read them.
    let microdata = microdata::Options { stray_items: StrayItems::Read, ..microdata::Options::default() };
    let options = markup::Options { links: Some(links), microdata: Some(microdata), ..markup::Options::default() };
    markup::Reader::with_contexts(options, contexts)
}

/// Reads a page.
pub(super) fn read(input: Input<'_>, host: Host, reader: &markup::Reader, harvest: &mut Harvest<'_>) {
    let bytes = whole(input, harvest);
    let text = String::from_utf8_lossy(&bytes);
    let address = harvest.base().to_owned();
    let page = reader.read(&text, &address, host, &mut Statements { harvest, refusals: 0, is_page: true });
    harvest.set_relevance(relevance(page.label));
    // A page in an archive is not where its links were meant to be followed.
    if harvest.is_inside() {
        return;
    }
    if page.has_more_links {
        harvest.note_excess();
    }
    if let Some(next) = ckan::recognised(harvest.document, page.generator.as_deref(), page.site_root.as_deref()) {
        Findings::step(harvest, next);
    }
    let base = Url::parse(&page.base).ok().filter(|base| base.scheme().starts_with("http"));
    let base = base.unwrap_or_else(|| harvest.document.to_url());
    for link in page.links {
        if let Ok(target) = Uri::resolve(&base, &link.href) {
            harvest.link(Link { target, via: Via::Html(Box::new(described(link))) });
        }
    }
}

fn whole<'a>(input: Input<'a>, harvest: &mut Harvest<'_>) -> Cow<'a, [u8]> {
    match input {
        Input::Slice(bytes) => Cow::Borrowed(bytes),
        Input::Stream(reader) => {
            let mut bytes = Vec::new();
            if let Err(error) = reader.take(PAGE_BYTES_MAX + 1).read_to_end(&mut bytes) {
                harvest.fault(fault_of_stream(&error));
            }
            if bytes.len() as u64 > PAGE_BYTES_MAX {
                let is_start = |byte: &u8| byte & 0xc0 != 0x80;
                bytes.truncate(usize::try_from(PAGE_BYTES_MAX).unwrap_or(usize::MAX));
                bytes.truncate(bytes.iter().rposition(is_start).unwrap_or(0));
                let detail = format!("the page is longer than {PAGE_BYTES_MAX} bytes, and was read up to there");
                harvest.fault(Fault::new(FaultKind::Excess, detail));
            }
            Cow::Owned(bytes)
        }
    }
}

fn relevance(label: Label) -> Relevance {
    match label {
        Label::None => Relevance::None,
        Label::XhvOnly => Relevance::XhvOnly,
        Label::OgOnly => Relevance::OgOnly,
        Label::Rdf => Relevance::Rdf,
    }
}

fn described(link: links::Link) -> HtmlLink {
    let links::Link { element, rel, media_type, title, text, context, tag_path, .. } = link;
    HtmlLink { element, rel, media_type, title, text, context, tag_path }
}

/// Hands statements to the harvest.
pub(super) struct Statements<'h, 'a> {
    pub(super) harvest: &'h mut Harvest<'a>,
    pub(super) refusals: usize,
    /// Whether they are of a page, and may be in several syntaxes.
    pub(super) is_page: bool,
}

impl markup::Sink for Statements<'_, '_> {
    fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
        if let Err(detail) = self.harvest.quad(quad) {
            self.refusals += 1;
            if self.refusals <= self.harvest.options.syntax_errors_max {
                self.harvest.fault(Fault::new(FaultKind::Syntax, detail));
            }
        }
    }

    fn fault(&mut self, fault: markup::Fault) {
        let kind = match fault.kind {
            markup::FaultKind::Excess => FaultKind::Excess,
            markup::FaultKind::Remote => FaultKind::Context,
            markup::FaultKind::Repaired => FaultKind::Repaired,
            _ => FaultKind::Syntax,
        };
        let markup::Fault { syntax, detail, .. } = fault;
        let detail = detail.strip_prefix("repaired: ").unwrap_or(&detail);
        let detail = if self.is_page { format!("{syntax}: {detail}") } else { detail.to_owned() };
        self.harvest.fault(Fault::new(kind, detail));
    }

    fn begin(&mut self, syntax: Syntax) {
        if self.is_page {
            self.harvest.begin(syntax.name());
        }
    }
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
