//! Pages in one go: everything that can be read from them.

use std::borrow::Cow;
use std::sync::Arc;

use html5ever::ns;
use oxrdf::{GraphNameRef, QuadRef};

use crate::address::base_of_page;
use crate::iri::Base;
use crate::json_ld::{self, Bundled, Contexts, Scripts, is_json_ld};
use crate::label::Label;
use crate::links::{self, Gathered, Link};
use crate::rdfa::{self, Host, Version};
use crate::skim::{self, Skimmed, Wanted};
use crate::tree::{Tree, from_html, from_html_with, from_xml};
use crate::{Fault, FaultKind, Sink, Syntax, microdata, tokens};

/// What is read from a page. What is `None` is not.
#[derive(Clone, Debug)]
pub struct Options {
    /// Statements in `RDFa`.
    pub rdfa: Option<rdfa::Options>,
    /// Statements in Microdata.
    pub microdata: Option<microdata::Options>,
    /// Statements in JSON-LD scripts.
    pub json_ld: Option<json_ld::Options>,
    /// Links: none by default.
    pub links: Option<links::Options>,
    /// The longest page that a tree is made of. A tree takes several times the
    /// memory of its page, thirty times if it is all empty elements, and has a
    /// million nodes at most; of longer pages only links and scripts are read.
    pub tree_bytes_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rdfa: Some(rdfa::Options::default()),
            microdata: Some(microdata::Options::default()),
            json_ld: Some(json_ld::Options::default()),
            links: None,
            tree_bytes_max: 32 << 20,
        }
    }
}

/// What a page is, apart from its statements.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Page {
    /// What relative references in it are relative to.
    pub base: String,
    /// Its links, in order, if they were asked for.
    pub links: Vec<Link>,
    /// There are more links than are taken.
    pub has_more_links: bool,
    /// Which program made it, if links were asked for and it says so: the meta
    /// element `generator`.
    pub generator: Option<String>,
    /// Where its site begins, if links were asked for and its body says so: the
    /// attribute `data-site-root`, as CKAN has it.
    pub site_root: Option<String>,
    /// Whether its statements say more than those of any page do.
    pub label: Label,
    /// Whether a tree of the page had to be made.
    pub needed_tree: bool,
}

/// Reads pages.
///
/// A reader holds nothing of the pages it has read, and may be shared.
#[derive(Clone)]
pub struct Reader {
    options: Options,
    contexts: Arc<dyn Contexts>,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl Reader {
    /// A reader that knows the bundled JSON-LD contexts and no others.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self::with_contexts(options, Arc::new(Bundled))
    }

    /// A reader that asks for JSON-LD contexts there.
    #[must_use]
    pub fn with_contexts(options: Options, contexts: Arc<dyn Contexts>) -> Self {
        Self { options, contexts }
    }

    /// Reads a page, or an XML document, that is at this address.
    ///
    /// Never fails: what cannot be read is a fault, and the rest is read.
    pub fn read(&self, page: &str, address: &str, host: Host, sink: &mut dyn Sink) -> Page {
        let Some(document) = base_of_page(address, Syntax::Rdfa, sink) else { return Page::default() };
        let mut reading = Reading { reader: self, host, label: Label::None, sink };
        let page = tokens::with_line_feeds(page);
        let mut found = reading.page(&page, &document);
        found.label = reading.label;
        found
    }
}

/// One page while it is read.
struct Reading<'r> {
    reader: &'r Reader,
    host: Host,
    label: Label,
    sink: &'r mut dyn Sink,
}

impl Sink for Reading<'_> {
    fn quad(&mut self, syntax: Syntax, quad: QuadRef<'_>) {
        let label = match syntax {
            // What the processor says of the page is none of its statements.
            Syntax::Rdfa if quad.graph_name != GraphNameRef::DefaultGraph => Label::None,
            Syntax::Rdfa => Label::of_rdfa_predicate(quad.predicate.as_str()),
            _ => Label::Rdf,
        };
        self.label = self.label.max(label);
        self.sink.quad(syntax, quad);
    }

    fn fault(&mut self, fault: Fault) {
        self.sink.fault(fault);
    }

    fn begin(&mut self, syntax: Syntax) {
        self.sink.begin(syntax);
    }
}

impl<'r> Reading<'r> {
    fn page(&mut self, page: &str, document: &Base) -> Page {
        if self.host != Host::Html && page.len() <= self.options().tree_bytes_max {
            return self.tree(&from_xml(page), document);
        }
        let wanted = self.wanted();
        if !self.always_needs_tree()
            && let Some(skimmed) = skim::skim(page, wanted)
        {
            return self.skimmed(skimmed, document);
        }
        if page.len() <= self.options().tree_bytes_max {
            let is_old = self.options().rdfa.as_ref().is_some_and(|rdfa| rdfa.version == Some(Version::V10));
            let tree = if is_old { from_html_with(page, true) } else { from_html(page) };
            return self.tree(&tree, document);
        }
        self.fault(FaultKind::Excess, "the page is too long for a tree: only links and scripts were read");
        let wanted = Wanted { rdfa: None, microdata: false, ..wanted };
        let skimmed = skim::skim(page, wanted).unwrap_or_default();
        self.skimmed(skimmed, document)
    }

    fn options(&self) -> &Options {
        &self.reader.options
    }

    /// Only a tree shows what a processor is to warn of, and the quick way
    /// knows no rules but those that a page asks for.
    fn always_needs_tree(&self) -> bool {
        self.options().rdfa.as_ref().is_some_and(|rdfa| rdfa.processor_graph || rdfa.version.is_some())
    }

    fn wanted(&self) -> Wanted<'r> {
        let options = &self.reader.options;
        Wanted {
            links: options.links.as_ref(),
            scripts: options.json_ld.is_some(),
            rdfa: options.rdfa.as_ref(),
            microdata: options.microdata.is_some(),
        }
    }

    fn skimmed(&mut self, skimmed: Skimmed<'_>, document: &Base) -> Page {
        if let Some(tree) = &skimmed.rdfa {
            self.rdfa(tree, document);
        }
        let base = document.with_href(skimmed.base.as_deref());
        self.scripts(skimmed.scripts.iter(), &base);
        found(&base, skimmed.gathered, false)
    }

    fn tree(&mut self, tree: &Tree, document: &Base) -> Page {
        tree.tell_cut(Syntax::Rdfa, self);
        self.rdfa(tree, document);
        let base = document.with_href(tree.base_href());
        if let Some(options) = &self.reader.options.microdata {
            microdata::read_tree(tree, &base, options, self);
        }
        self.scripts(scripts(tree), &base);
        let links = self.options().links.as_ref();
        let gathered = links.map(|options| links::gather_from_tree(tree, options)).unwrap_or_default();
        found(&base, gathered, true)
    }

    fn rdfa(&mut self, tree: &Tree, document: &Base) {
        if let Some(options) = &self.reader.options.rdfa {
            rdfa::read_tree(tree, document, self.host, options, self);
        }
    }

    fn scripts<S: AsRef<str>>(&mut self, scripts: impl Iterator<Item = S>, base: &Base) {
        let reader = self.reader;
        let Some(options) = &reader.options.json_ld else { return };
        let scripts_max = if options.scripts == Scripts::First { 1 } else { usize::MAX };
        let mut session = json_ld::Session::new(options, &reader.contexts);
        for script in scripts.take(scripts_max) {
            session.script(script.as_ref(), base.as_str(), self);
        }
    }

    fn fault(&mut self, kind: FaultKind, detail: impl Into<String>) {
        self.sink.fault(Fault { syntax: Syntax::Rdfa, kind, detail: detail.into() });
    }
}

fn found(base: &Base, gathered: Gathered, needed_tree: bool) -> Page {
    Page {
        base: base.as_str().to_owned(),
        links: gathered.links,
        has_more_links: gathered.has_excess,
        generator: gathered.generator,
        site_root: gathered.site_root,
        needed_tree,
        ..Page::default()
    }
}

/// The texts of JSON-LD scripts.
fn scripts(tree: &Tree) -> impl Iterator<Item = Cow<'_, str>> {
    tree.descendants(Tree::ROOT).filter_map(|node| {
        let element = tree.element(node)?;
        let is_script = element.name.ns == ns!(html) && &*element.name.local == "script";
        (is_script && element.attribute("type").is_some_and(is_json_ld)).then(|| Cow::Owned(tree.text(node)))
    })
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
