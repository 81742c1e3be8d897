//! Reading `RDFa` 1.1 and 1.0 from the tree of a page.
//!
//! One traversal of the tree implements the processing sequence of [RDFa Core 1.1], section 7.5,
//! with the additions of [HTML+RDFa 1.1] and XHTML+RDFa 1.1. Pages that declare XHTML+RDFa 1.0 are
//! read by the rules of 1.0. Statements are collected and passed on at the end of the page, because
//! patterns (`rdfa:copy`) and vocabularies change them until then.
//!
//! The traversal never recurses, copies no prefix maps, and its work is bounded by a multiple of
//! the page's size: see `budget`.
//!
//! ```
//! use lodeward_markup::rdfa::{self, HostLanguage, RdfaOptions};
//! use lodeward_markup::{EmbeddedSyntax, MarkupFault, PageSink};
//! use oxrdf::QuadRef;
//!
//! struct Lines(Vec<String>);
//!
//! impl PageSink for Lines {
//!     fn quad(&mut self, _: EmbeddedSyntax, quad: QuadRef<'_>) {
//!         self.0.push(quad.to_string());
//!     }
//!
//!     fn fault(&mut self, fault: MarkupFault) {
//!         eprintln!("{fault}");
//!     }
//!
//!     fn begin(&mut self, _: EmbeddedSyntax) {}
//! }
//!
//! let page = r##"<p about="#ada" property="foaf:name" lang="en">Ada</p>"##;
//! let mut lines = Lines(Vec::new());
//! rdfa::read(page, "http://example.org/", HostLanguage::Html, &RdfaOptions::default(), &mut lines);
//!
//! assert_eq!(lines.0, [r#"<http://example.org/#ada> <http://xmlns.com/foaf/0.1/name> "Ada"@en"#]);
//! ```
//!
//! [RDFa Core 1.1]: https://www.w3.org/TR/rdfa-core/
//! [HTML+RDFa 1.1]: https://www.w3.org/TR/html-rdfa/

mod attributes;
mod budget;
mod context;
mod copy;
mod lists;
mod literal;
mod names;
mod prefixes;
mod report;
mod role;
mod rules;
mod scope;
mod statement;
mod subject;
#[cfg(test)]
mod tests;
mod vocabulary;
mod walk;

use std::fmt;
use std::sync::Arc;

use oxrdf::Triple;

pub use self::context::prefix as initial_prefix;
use self::statement::RdfaStatement;
use crate::base_iri::page_base;
use crate::sink::{EmbeddedSyntax, PageSink};
use crate::tree::{PageTree, from_html, from_xml};
use lodeward_rdf::RdfFormat;
use lodeward_rdf::iri::BaseIri;

/// The name of the graph with the notices of the processor.
pub const PROCESSOR_GRAPH: &str = "http://www.w3.org/ns/rdfa#processor_graph";

/// The host language of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostLanguage {
    /// HTML of any version, served as HTML.
    Html,
    /// XHTML served as XML. Its document type distinguishes XHTML 1 from XHTML 5.
    Xhtml,
    /// SVG, which uses the rules of XML.
    Svg,
    /// Any other XML.
    Xml,
}

impl HostLanguage {
    /// The host language of a format of pages; `None` for a format of RDF.
    #[must_use]
    pub fn from_format(format: RdfFormat) -> Option<Self> {
        match format {
            RdfFormat::Html => Some(Self::Html),
            RdfFormat::Xhtml => Some(Self::Xhtml),
            RdfFormat::Svg => Some(Self::Svg),
            RdfFormat::Xml => Some(Self::Xml),
            _ => None,
        }
    }
}

/// A version of `RDFa`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RdfaVersion {
    /// `RDFa` 1.0 of 2008: prefixes are declared with `xmlns:`, only the terms of XHTML exist, and
    /// markup inside a value makes it an XML literal.
    V10,
    /// `RDFa` 1.1 of 2012 and later.
    V11,
}

/// A source of vocabulary descriptions.
pub trait VocabularySource {
    /// The triples of the vocabulary with this URL, or `None` if it is not available. Only
    /// subclasses, subproperties and equivalent classes and properties are used.
    fn triples(&self, vocabulary: &str) -> Option<Vec<Triple>>;
}

/// Options of the `RDFa` reader.
#[derive(Clone, Default)]
pub struct RdfaOptions {
    /// The version whose rules are used. Without one, it is detected from the page: from `version`
    /// on its outermost element, or else from its document type.
    pub version: Option<RdfaVersion>,
    /// Whether `role` makes statements, as defined by the Role Attribute.
    pub role: bool,
    /// Whether warnings are written into [`PROCESSOR_GRAPH`].
    pub processor_graph: bool,
    /// If set, statements are also made with the more general properties and classes that the
    /// vocabularies of a page define (`RDFa` Core 1.1, section 10).
    pub vocabularies: Option<Arc<dyn VocabularySource + Send + Sync>>,
}

impl fmt::Debug for RdfaOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("version", &self.version)
            .field("role", &self.role)
            .field("processor_graph", &self.processor_graph)
            .field("vocabularies", &self.vocabularies.is_some())
            .finish()
    }
}

/// Reads the statements of a document with this URL.
pub fn read(document: &str, url: &str, host: HostLanguage, options: &RdfaOptions, sink: &mut dyn PageSink) {
    let Some(url) = page_base(url, EmbeddedSyntax::Rdfa, sink) else { return };
    let tree = if host == HostLanguage::Html { from_html(document) } else { from_xml(document) };
    tree.report_truncation(EmbeddedSyntax::Rdfa, sink);
    read_tree(&tree, &url, host, options, sink);
}

/// Reads the statements of a tree of a page with this URL. A `<base>` element of the tree is
/// applied.
pub(crate) fn read_tree(
    tree: &PageTree,
    url: &BaseIri,
    host: HostLanguage,
    options: &RdfaOptions,
    sink: &mut dyn PageSink,
) {
    sink.begin(EmbeddedSyntax::Rdfa);
    let rules = rules::RdfaRules::detect(tree, host, options.version);
    // `<base>` has an effect only in HTML.
    let base = url.with_href(tree.base_href().filter(|_| rules.is_html()));
    let (mut statements, mut names) = walk::walk(tree, url, base, rules, options);
    if rules.has_patterns() {
        copy::apply_copies(&mut statements, &mut names.budget);
    }
    if let Some(vocabularies) = &options.vocabularies {
        vocabulary::expand(&mut statements, &**vocabularies, &mut names);
    }
    for quad in statements.iter().filter_map(RdfaStatement::as_quad) {
        sink.quad(EmbeddedSyntax::Rdfa, quad);
    }
    names.report.finish(&names.budget, url, sink);
}
