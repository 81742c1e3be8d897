//! `RDFa` 1.1 (and 1.0) over the tree of a page.
//!
//! One walk through the tree does what the processing sequence of [RDFa Core
//! 1.1], section 7.5, says, with what [HTML+RDFa 1.1] and XHTML+RDFa 1.1 add;
//! pages that declare XHTML+RDFa 1.0 are read by the rules of 1.0. What they
//! state is gathered first and handed on at the end of the page, for patterns
//! (`rdfa:copy`) and vocabularies change it until then.
//!
//! No page makes the walk recurse, copy a prefix map, or do more than a
//! bounded multiple of the page's own size: see `budget`.
//!
//! ```
//! use lodeward_markup::rdfa::{self, Host, Options};
//! use lodeward_markup::{Fault, Sink, Syntax};
//! use oxrdf::QuadRef;
//!
//! struct Lines(Vec<String>);
//!
//! impl Sink for Lines {
//!     fn quad(&mut self, _: Syntax, quad: QuadRef<'_>) {
//!         self.0.push(quad.to_string());
//!     }
//!
//!     fn fault(&mut self, fault: Fault) {
//!         eprintln!("{fault}");
//!     }
//!
//!     fn begin(&mut self, _: Syntax) {}
//! }
//!
//! let page = r##"<p about="#ada" property="foaf:name" lang="en">Ada</p>"##;
//! let mut lines = Lines(Vec::new());
//! rdfa::read(page, "http://example.org/", Host::Html, &Options::default(), &mut lines);
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
use self::statement::Statement;
use crate::address::base_of_page;
use crate::iri::Base;
use crate::sink::{Sink, Syntax};
use crate::tree::{Tree, from_html, from_xml};

/// The name of the graph with what the processor has to say about a page.
pub const PROCESSOR_GRAPH: &str = "http://www.w3.org/ns/rdfa#processor_graph";

/// What language a document is written in, besides `RDFa`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// HTML, of whatever version, served as such.
    Html,
    /// XHTML served as XML. Its document type tells XHTML 1 from XHTML 5.
    Xhtml,
    /// SVG, which has no rules of its own: those of XML are its.
    Svg,
    /// Any other XML.
    Xml,
}

/// A version of `RDFa`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// `RDFa` 1.0, of 2008: prefixes come from `xmlns:`, there are no terms but
    /// those of XHTML, and markup inside a value makes it an XML literal.
    V10,
    /// `RDFa` 1.1, of 2012 and later.
    V11,
}

/// Where the descriptions of vocabularies come from.
pub trait Vocabularies {
    /// What the document at this address states, or `None` if it is not at
    /// hand. Only sub- and equivalent classes and properties matter.
    fn triples(&self, vocabulary: &str) -> Option<Vec<Triple>>;
}

/// What a reader does besides what every reader must.
#[derive(Clone, Default)]
pub struct Options {
    /// The version whose rules are followed. Without one it is found in the
    /// page: in `version` on its outermost element, or else its document type.
    pub version: Option<Version>,
    /// Whether `role` makes statements, as the Role Attribute has it.
    pub role: bool,
    /// Whether warnings are stated in [`PROCESSOR_GRAPH`].
    pub processor_graph: bool,
    /// With these, statements are also made with the more general properties
    /// and classes that the vocabularies of a page tell of (`RDFa` Core 1.1,
    /// section 10).
    pub vocabularies: Option<Arc<dyn Vocabularies + Send + Sync>>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("version", &self.version)
            .field("role", &self.role)
            .field("processor_graph", &self.processor_graph)
            .field("vocabularies", &self.vocabularies.is_some())
            .finish()
    }
}

/// Reads the statements of a document that is found at this address.
pub fn read(document: &str, address: &str, host: Host, options: &Options, sink: &mut dyn Sink) {
    let Some(address) = base_of_page(address, Syntax::Rdfa, sink) else { return };
    let tree = if host == Host::Html { from_html(document) } else { from_xml(document) };
    tree.tell_cut(Syntax::Rdfa, sink);
    read_tree(&tree, &address, host, options, sink);
}

/// Reads the statements of a tree that was found at this address. What
/// `<base>` says is found in the tree.
pub(crate) fn read_tree(tree: &Tree, address: &Base, host: Host, options: &Options, sink: &mut dyn Sink) {
    sink.begin(Syntax::Rdfa);
    let rules = rules::Rules::of(tree, host, options.version);
    // Only in HTML is `<base>` more than an element like others.
    let base = address.with_href(tree.base_href().filter(|_| rules.is_html()));
    let (mut statements, mut names) = walk::walk(tree, address, base, rules, options);
    if rules.has_patterns() {
        copy::fold(&mut statements, &mut names.budget);
    }
    if let Some(vocabularies) = &options.vocabularies {
        vocabulary::expand(&mut statements, &**vocabularies, &mut names);
    }
    for quad in statements.iter().filter_map(Statement::quad) {
        sink.quad(Syntax::Rdfa, quad);
    }
    names.report.finish(&names.budget, address, sink);
}
