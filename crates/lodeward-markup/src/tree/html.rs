//! Trees of HTML.

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};

use super::Tree;
use super::sink::Growing;

/// Parses a page as a browser without scripts would.
pub(crate) fn from_html(page: &str) -> Tree {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    parse_document(Growing::new(), options).one(page)
}
