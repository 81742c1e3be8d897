//! Reads pages with `lodeward-markup`: their links and embedded RDF.

use std::borrow::Cow;
use std::io::Read;
use std::sync::Arc;

use lodeward_markup::microdata::{self, StrayItemPolicy};
use lodeward_markup::rdfa::HostLanguage;
use lodeward_markup::{self as markup, EmbeddedSyntax, PageLabel, UsageDirectives, links};
use lodeward_rdf::RdfInput;
use lodeward_rdf::json_ld::ContextLoader;
use oxrdf::QuadRef;
use url::Url;

use super::ExtractOptions;
use super::extraction::Extraction;
use super::rdf::{fault_kind, without_repair_prefix};
use crate::discover::{StepSink, ckan};
use crate::model::{Fault, FaultKind, Link, LinkKind, LinkListKind, Relevance, Uri, stream_fault};

/// Maximum size of a page. A page is held in memory as a whole.
const MAX_PAGE_BYTES: u64 = 32 << 20;

/// The page reader of a crawl.
pub(super) fn page_reader(options: &ExtractOptions, contexts: Arc<dyn ContextLoader>) -> markup::PageReader {
    let links = links::LinkOptions {
        max_links: options.max_links_per_document,
        context_characters: options.max_context_characters,
        anchor_characters: options.max_anchor_characters,
        obey_nofollow: options.obey_nofollow,
    };
    // Stray items, whose property belongs to no item, are common on the web, and other extractors read them.
    let microdata =
        microdata::MicrodataOptions { stray_items: StrayItemPolicy::Read, ..microdata::MicrodataOptions::default() };
    let options = markup::PageOptions {
        links: Some(links),
        microdata: Some(microdata),
        microformats: options.microformats,
        ..markup::PageOptions::default()
    };
    markup::PageReader::with_contexts(options, contexts)
}

/// Reads a page.
pub(super) fn read(input: RdfInput<'_>, host: HostLanguage, reader: &markup::PageReader, harvest: &mut Extraction<'_>) {
    let bytes = read_all(input, harvest);
    let text = String::from_utf8_lossy(&bytes);
    let base_url = harvest.base().to_owned();
    if matches!(host, HostLanguage::Html | HostLanguage::Xhtml) {
        harvest.add_directives(UsageDirectives::from_page(&text, &harvest.options.product_token));
    }
    let page = reader.read(&text, &base_url, host, &mut PageStatements { harvest, rejected: 0 });
    harvest.set_relevance(relevance(page.label));
    // The links of a page in an archive are skipped: they are relative to its original URL, which is unknown.
    if harvest.is_archive_entry() {
        return;
    }
    if page.has_more_links {
        harvest.mark_link_limit();
    }
    if let Some(next) = ckan::detect_catalogue(harvest.document, page.generator.as_deref(), page.site_root.as_deref()) {
        StepSink::step(harvest, next);
    }
    let base = Url::parse(&page.base).ok().filter(|base| base.scheme().starts_with("http"));
    let base = base.unwrap_or_else(|| harvest.document.to_url());
    if harvest.is_nofollow() {
        return;
    }
    for link in page.links {
        let Ok(target) = Uri::resolve(&base, &link.href) else { continue };
        let via = if page.is_feed {
            LinkKind::Listed { list: LinkListKind::Feed, media_type: link.media_type }
        } else {
            LinkKind::Html(Box::new(link))
        };
        harvest.link(Link { target, via });
    }
}

fn read_all<'a>(input: RdfInput<'a>, harvest: &mut Extraction<'_>) -> Cow<'a, [u8]> {
    match input {
        RdfInput::Slice(bytes) => Cow::Borrowed(bytes),
        RdfInput::Stream(reader) => {
            let mut bytes = Vec::new();
            if let Err(error) = reader.take(MAX_PAGE_BYTES + 1).read_to_end(&mut bytes) {
                harvest.fault(stream_fault(&error));
            }
            if bytes.len() as u64 > MAX_PAGE_BYTES {
                let is_start = |byte: &u8| byte & 0xc0 != 0x80;
                bytes.truncate(usize::try_from(MAX_PAGE_BYTES).unwrap_or(usize::MAX));
                bytes.truncate(bytes.iter().rposition(is_start).unwrap_or(0));
                let detail = format!("page truncated at {MAX_PAGE_BYTES} bytes");
                harvest.fault(Fault::new(FaultKind::Limit, detail));
            }
            Cow::Owned(bytes)
        }
    }
}

fn relevance(label: PageLabel) -> Relevance {
    match label {
        PageLabel::None => Relevance::None,
        PageLabel::XhvOnly => Relevance::XhvOnly,
        PageLabel::OgOnly => Relevance::OgOnly,
        PageLabel::Rdf => Relevance::Rdf,
    }
}

/// Passes statements to the extraction.
struct PageStatements<'h, 'a> {
    harvest: &'h mut Extraction<'a>,
    rejected: usize,
}

impl markup::PageSink for PageStatements<'_, '_> {
    fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
        if let Err(detail) = self.harvest.quad(quad) {
            self.rejected += 1;
            if self.rejected <= self.harvest.options.max_syntax_errors {
                self.harvest.fault(Fault::new(FaultKind::Syntax, detail));
            }
        }
    }

    fn fault(&mut self, fault: markup::MarkupFault) {
        let markup::MarkupFault { syntax, kind, detail } = fault;
        let detail = format!("{syntax}: {}", without_repair_prefix(&detail));
        self.harvest.fault(Fault::new(fault_kind(kind), detail));
    }

    fn begin(&mut self, syntax: EmbeddedSyntax) {
        self.harvest.begin_syntax(syntax.name());
    }
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
