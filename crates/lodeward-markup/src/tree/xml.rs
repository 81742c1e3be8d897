//! Trees of XHTML, SVG and other XML.

use xml5ever::driver::{XmlParseOpts, parse_document};
use xml5ever::tendril::TendrilSink;

use super::Tree;
use super::sink::Growing;

/// Parses XML, and mends what is not well-formed.
pub(crate) fn from_xml(document: &str) -> Tree {
    parse_document(Growing::new(), XmlParseOpts::default()).one(document)
}
