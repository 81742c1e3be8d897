//! Microdata to RDF.
//!
//! Follows the W3C Note “Microdata to RDF”, second edition of December 2014,
//! with the reverse properties of its appendix A; section numbers in this
//! room's comments are the Note's. The elements that matter are first put into
//! a small tree of their own ([`parts`]); items are then walked over that, with
//! a stack of their own and a bound on the work, so that neither deep pages nor
//! items that refer to each other can exhaust anything.
//!
//! It departs from the Note in three places. A `content` attribute is the value
//! of any element that would otherwise give its text, as in the Microdata of
//! 2018 and in schema.org's examples: real pages rely on it. An empty `itemid`
//! is no name. And a reference that makes an item its own property's value is
//! a fault and no statement, where the Note would not end.
//!
//! ```
//! use lodeward_markup::microdata::{self, Options};
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
//! let page = r##"<p itemscope itemid="#ada" itemtype="http://schema.org/Person"><b itemprop="name">Ada</b></p>"##;
//! let mut lines = Lines(Vec::new());
//! microdata::read(page, "http://example.org/", &Options::default(), &mut lines);
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

use crate::address::base_of_page;
use crate::iri::Base;
use crate::tree::{Tree, from_html};
use crate::{Sink, Syntax, tokens};

pub use registry::{Registry, RegistryError};

/// What a reader of Microdata is told.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is known of vocabularies.
    pub registry: Registry,
    /// What becomes of stray items.
    pub stray_items: StrayItems,
}

/// Items that are values of properties of no item: an `itemprop` outside of
/// any `itemscope`. Of the real pages with Microdata that we have, one in six has
/// some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrayItems {
    /// They say nothing, as in the Note.
    #[default]
    Ignore,
    /// They are read as though they were items by themselves.
    Read,
}

/// Reads the Microdata of an HTML page whose address is `base`.
///
/// Blank nodes are `m0`, `m1` and so on, in the order in which items are met.
pub fn read(page: &str, base: &str, options: &Options, sink: &mut dyn Sink) {
    if !mentions_items(page) {
        return;
    }
    let Some(base) = base_of_page(base, Syntax::Microdata, sink) else { return };
    let tree = from_html(page);
    tree.tell_cut(Syntax::Microdata, sink);
    read_tree(&tree, &base.with_href(tree.base_href()), options, sink);
}

/// Reads the Microdata of a tree. The base is the document's, so that a
/// `<base>` has already had its say.
pub(crate) fn read_tree(tree: &Tree, base: &Base, options: &Options, sink: &mut dyn Sink) {
    let parts = parts::find(tree);
    if parts.has_items {
        sink.begin(Syntax::Microdata);
        walk::all(&parts, base, options, sink);
    }
}

/// Whether a page has the word `itemscope`: most pages do not, and need not be
/// parsed.
fn mentions_items(page: &str) -> bool {
    tokens::mentions(page, b"itemscope", 7)
}

#[cfg(test)]
mod tests;
