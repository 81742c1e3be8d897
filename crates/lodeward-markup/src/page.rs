//! Reading everything that a page contains, from one parse.

use std::borrow::Cow;
use std::sync::Arc;

use html5ever::ns;
use lodeward_rdf::json_ld::{self, BundledContexts, ContextLoader, ScriptSelection};
use oxrdf::{GraphNameRef, QuadRef};

use crate::base_iri::page_base;
use crate::json_ld_scripts::is_json_ld;
use crate::label::PageLabel;
use crate::links::{self, CollectedLinks, PageLink};
use crate::rdfa::{self, HostLanguage, RdfaVersion};
use crate::sink::ScriptSink;
use crate::skim::{self, SkimRequest, SkimResult};
use crate::tree::{PageTree, from_html, from_html_with, from_xml};
use crate::{EmbeddedSyntax, MarkupFault, PageSink, RdfFaultKind, microdata, microformats, tokens};
use lodeward_rdf::iri::BaseIri;

/// What to read from a page. `None` disables a syntax.
#[derive(Clone, Debug)]
pub struct PageOptions {
    /// Statements in `RDFa`.
    pub rdfa: Option<rdfa::RdfaOptions>,
    /// Statements in Microdata.
    pub microdata: Option<microdata::MicrodataOptions>,
    /// Statements in JSON-LD scripts.
    pub json_ld: Option<json_ld::JsonLdOptions>,
    /// Whether to read microformats; disabled by default.
    pub microformats: bool,
    /// Links; disabled by default.
    pub links: Option<links::LinkOptions>,
    /// The maximum length in bytes of a page for which a tree is built. A tree takes several times
    /// the memory of its page, up to thirty times for a page of empty elements, and has at most a
    /// million nodes. From longer pages, only links and scripts are read.
    pub max_tree_bytes: usize,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self {
            rdfa: Some(rdfa::RdfaOptions::default()),
            microdata: Some(microdata::MicrodataOptions::default()),
            json_ld: Some(json_ld::JsonLdOptions::default()),
            microformats: false,
            links: None,
            max_tree_bytes: 32 << 20,
        }
    }
}

/// What is known about a page apart from its statements.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PageSummary {
    /// The base of relative references.
    pub base: String,
    /// The links in document order, if requested.
    pub links: Vec<PageLink>,
    /// Whether there are more links than the maximum.
    pub has_more_links: bool,
    /// Whether the document is a feed (Atom or RSS 2), whose links are those of its entries.
    pub is_feed: bool,
    /// The program that generated the page (meta element `generator`), if links were requested.
    pub generator: Option<String>,
    /// The root URL of the site (attribute `data-site-root` of the body, as in CKAN), if links were
    /// requested.
    pub site_root: Option<String>,
    /// How specific the statements of the page are.
    pub label: PageLabel,
    /// Whether a tree of the page was built.
    pub needed_tree: bool,
}

/// Reads pages.
///
/// A reader has no state of the pages it has read, and can be shared.
#[derive(Clone)]
pub struct PageReader {
    options: PageOptions,
    contexts: Arc<dyn ContextLoader>,
}

impl Default for PageReader {
    fn default() -> Self {
        Self::new(PageOptions::default())
    }
}

impl PageReader {
    /// A reader with the bundled JSON-LD contexts only.
    #[must_use]
    pub fn new(options: PageOptions) -> Self {
        Self::with_contexts(options, Arc::new(BundledContexts))
    }

    /// A reader that loads JSON-LD contexts with this loader.
    #[must_use]
    pub fn with_contexts(options: PageOptions, contexts: Arc<dyn ContextLoader>) -> Self {
        Self { options, contexts }
    }

    /// Reads a page or an XML document with this URL.
    ///
    /// Never fails: unreadable parts are reported as faults, and the rest is read.
    pub fn read(&self, page: &str, url: &str, host: HostLanguage, sink: &mut dyn PageSink) -> PageSummary {
        let Some(document) = page_base(url, EmbeddedSyntax::Rdfa, sink) else { return PageSummary::default() };
        let mut reading = PagePass { reader: self, host, label: PageLabel::None, sink };
        let page = tokens::normalize_newlines(page);
        let mut summary = reading.read_page(&page, &document);
        summary.label = reading.label;
        summary
    }
}

/// The state of reading one page.
struct PagePass<'r> {
    reader: &'r PageReader,
    host: HostLanguage,
    label: PageLabel,
    sink: &'r mut dyn PageSink,
}

impl PageSink for PagePass<'_> {
    fn quad(&mut self, syntax: EmbeddedSyntax, quad: QuadRef<'_>) {
        let label = match syntax {
            // The processor graph is not part of the page's statements.
            EmbeddedSyntax::Rdfa if quad.graph_name != GraphNameRef::DefaultGraph => PageLabel::None,
            EmbeddedSyntax::Rdfa => PageLabel::from_rdfa_predicate(quad.predicate.as_str()),
            _ => PageLabel::Rdf,
        };
        self.label = self.label.max(label);
        self.sink.quad(syntax, quad);
    }

    fn fault(&mut self, fault: MarkupFault) {
        self.sink.fault(fault);
    }

    fn begin(&mut self, syntax: EmbeddedSyntax) {
        self.sink.begin(syntax);
    }
}

impl<'r> PagePass<'r> {
    fn read_page(&mut self, page: &str, document: &BaseIri) -> PageSummary {
        if self.host == HostLanguage::Xml && !self.always_needs_tree() && !may_have_markup(page) {
            return page_summary(document, CollectedLinks::default(), false);
        }
        if self.host != HostLanguage::Html && page.len() <= self.options().max_tree_bytes {
            return self.read_tree(&from_xml(page), document);
        }
        let request = self.skim_request();
        let has_microformats = self.options().microformats && microformats::may_occur(page);
        if !(self.always_needs_tree() || has_microformats)
            && let Some(skimmed) = skim::skim(page, request)
        {
            return self.read_skimmed(skimmed, document);
        }
        if page.len() <= self.options().max_tree_bytes {
            let is_old = self.options().rdfa.as_ref().is_some_and(|rdfa| rdfa.version == Some(RdfaVersion::V10));
            // Microformats are in `class`, which no other reader uses.
            let keeps_all = is_old || self.options().microformats;
            let tree = if keeps_all { from_html_with(page, true) } else { from_html(page) };
            return self.read_tree(&tree, document);
        }
        self.report_fault(RdfFaultKind::Limit, "page is too long for a tree: only links and scripts were read");
        let request = SkimRequest { rdfa: None, microdata: false, ..request };
        let skimmed = skim::skim(page, request).unwrap_or_default();
        self.read_skimmed(skimmed, document)
    }

    fn options(&self) -> &PageOptions {
        &self.reader.options
    }

    /// The processor graph needs a tree, and the token pass implements only the default version
    /// rules.
    fn always_needs_tree(&self) -> bool {
        self.options().rdfa.as_ref().is_some_and(|rdfa| rdfa.processor_graph || rdfa.version.is_some())
    }

    fn skim_request(&self) -> SkimRequest<'r> {
        let options = &self.reader.options;
        SkimRequest {
            links: options.links.as_ref(),
            scripts: options.json_ld.is_some(),
            rdfa: options.rdfa.as_ref(),
            microdata: options.microdata.is_some(),
        }
    }

    fn read_skimmed(&mut self, skimmed: SkimResult<'_>, document: &BaseIri) -> PageSummary {
        if let Some(tree) = &skimmed.rdfa {
            self.read_rdfa(tree, document);
        }
        let base = document.with_href(skimmed.base.as_deref());
        self.read_scripts(skimmed.scripts.iter(), &base);
        page_summary(&base, skimmed.collected_links, false)
    }

    fn read_tree(&mut self, tree: &PageTree, document: &BaseIri) -> PageSummary {
        tree.report_truncation(EmbeddedSyntax::Rdfa, self);
        self.read_rdfa(tree, document);
        let base = document.with_href(tree.base_href());
        if let Some(options) = &self.reader.options.microdata {
            microdata::read_tree(tree, &base, options, self);
        }
        self.read_scripts(json_ld_scripts(tree), &base);
        if self.options().microformats && self.host != HostLanguage::Xml {
            microformats::read_tree(tree, document, &base, self);
        }
        let Some(options) = self.options().links.as_ref() else {
            return page_summary(&base, CollectedLinks::default(), true);
        };
        let feed = Some(self.host).filter(|host| *host == HostLanguage::Xml);
        match feed.and_then(|_| links::collect_from_feed(tree, options)) {
            Some(feed) => PageSummary { is_feed: true, ..page_summary(&base, feed, true) },
            None => page_summary(&base, links::collect_from_tree(tree, options), true),
        }
    }

    fn read_rdfa(&mut self, tree: &PageTree, document: &BaseIri) {
        if let Some(options) = &self.reader.options.rdfa {
            rdfa::read_tree(tree, document, self.host, options, self);
        }
    }

    fn read_scripts<S: AsRef<str>>(&mut self, scripts: impl Iterator<Item = S>, base: &BaseIri) {
        let reader = self.reader;
        let Some(options) = &reader.options.json_ld else { return };
        let max_scripts = if options.scripts == ScriptSelection::First { 1 } else { usize::MAX };
        let mut session = json_ld::ScriptSession::new(options, &reader.contexts);
        for script in scripts.take(max_scripts) {
            session.read_script(script.as_ref(), base.as_str(), &mut ScriptSink(self));
        }
    }

    fn report_fault(&mut self, kind: RdfFaultKind, detail: impl Into<String>) {
        self.sink.fault(MarkupFault { syntax: EmbeddedSyntax::Rdfa, kind, detail: detail.into() });
    }
}

fn page_summary(base: &BaseIri, collected: CollectedLinks, needed_tree: bool) -> PageSummary {
    PageSummary {
        base: base.as_str().to_owned(),
        links: collected.links,
        has_more_links: collected.has_excess,
        generator: collected.generator,
        site_root: collected.site_root,
        needed_tree,
        ..PageSummary::default()
    }
}

/// Whether XML may have statements or links: most has neither, and needs no tree.
fn may_have_markup(page: &str) -> bool {
    let has_attribute = |name: &str| {
        memchr::memmem::find_iter(page.as_bytes(), name).any(|at| page[at + name.len()..].trim_start().starts_with('='))
    };
    ["property", "typeof", "rel", "rev", "vocab", "role", "itemscope", "href"].into_iter().any(has_attribute)
        || page.contains("<rss")
        || page.contains("ld+json")
}

/// The texts of JSON-LD scripts.
fn json_ld_scripts(tree: &PageTree) -> impl Iterator<Item = Cow<'_, str>> {
    tree.descendants(PageTree::ROOT).filter_map(|node| {
        let element = tree.element(node)?;
        let is_script = element.name.ns == ns!(html) && &*element.name.local == "script";
        (is_script && element.attribute("type").is_some_and(is_json_ld)).then(|| Cow::Owned(tree.text(node)))
    })
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
