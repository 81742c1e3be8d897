//! Reading Microdata as RDF.
//!
//! The module implements the W3C Note “Microdata to RDF”, second edition of December 2014, with the
//! reverse properties of its appendix A; section numbers in comments of this module refer to the
//! Note. The relevant elements are first collected into a small tree ([`parts`]). Items are then
//! traversed with an explicit stack and a limit on the total work, so that neither deep pages nor
//! items that refer to each other exhaust memory or time.
//!
//! It differs from the Note in three points:
//!
//! - A `content` attribute is the value of any element whose value would be its text, as in the
//!   Microdata of 2018 and in schema.org's examples. Real pages rely on it.
//! - An empty `itemid` is ignored.
//! - A reference that makes an item a value of its own property is a fault, without a statement;
//!   with the Note's algorithm, processing would not end.
//!
//! ```
//! use lodeward_markup::microdata::{self, MicrodataOptions};
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
//! let page = r##"<p itemscope itemid="#ada" itemtype="http://schema.org/Person"><b itemprop="name">Ada</b></p>"##;
//! let mut lines = Lines(Vec::new());
//! microdata::read(page, "http://example.org/", &MicrodataOptions::default(), &mut lines);
//!
//! assert_eq!(lines.0.len(), 2);
//! assert_eq!(lines.0[1], r#"<http://example.org/#ada> <http://schema.org/name> "Ada""#);
//! ```

mod names;
mod parts;
mod registry;
mod value;
mod walk;
mod writer;

use crate::base_iri::page_base;
use crate::tree::{PageTree, from_html};
use crate::{EmbeddedSyntax, PageSink, tokens};
use lodeward_rdf::iri::BaseIri;

pub use registry::{VocabularyRegistry, VocabularyRegistryError};

/// Options of the Microdata reader.
#[derive(Clone, Debug, Default)]
pub struct MicrodataOptions {
    /// The known vocabularies.
    pub registry: VocabularyRegistry,
    /// How to handle stray items.
    pub stray_items: StrayItemPolicy,
}

/// The handling of stray items: values of properties that belong to no item, that is an `itemprop`
/// outside of any `itemscope`. One in six of the real pages with Microdata in our test data
/// contains some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrayItemPolicy {
    /// Ignores them, as in the Note.
    #[default]
    Ignore,
    /// Reads them as top-level items.
    Read,
}

/// Reads the Microdata of an HTML page whose URL is `base`.
///
/// Blank nodes are named `m0`, `m1` and so on, in the order in which items are found.
pub fn read(page: &str, base: &str, options: &MicrodataOptions, sink: &mut dyn PageSink) {
    if !contains_itemscope(page) {
        return;
    }
    let Some(base) = page_base(base, EmbeddedSyntax::Microdata, sink) else { return };
    let tree = from_html(page);
    tree.report_truncation(EmbeddedSyntax::Microdata, sink);
    read_tree(&tree, &base.with_href(tree.base_href()), options, sink);
}

/// Reads the Microdata of a tree. `base` must include the effect of a `<base>` element.
pub(crate) fn read_tree(tree: &PageTree, base: &BaseIri, options: &MicrodataOptions, sink: &mut dyn PageSink) {
    let parts = parts::find_parts(tree);
    if parts.has_items {
        sink.begin(EmbeddedSyntax::Microdata);
        walk::write_items(&parts, base, options, sink);
    }
}

/// Whether a page contains the word `itemscope`. Most pages do not, and need not be parsed.
fn contains_itemscope(page: &str) -> bool {
    tokens::contains_ignore_case(page, b"itemscope", 7)
}

#[cfg(test)]
mod tests;
