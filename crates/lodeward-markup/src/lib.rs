//! Extracts RDF from HTML, XHTML, SVG and XML: text in, quads out.
//!
//! The crate reads [RDFa 1.1](rdfa) (Core, Lite, HTML+RDFa, XHTML+RDFa, SVG, XML; and 1.0),
//! [Microdata](microdata) and JSON-LD in [script elements](json_ld_scripts). Optionally it also collects
//! the [links] of a page, with their text and context. It does no I/O: the caller provides the
//! page, and remote JSON-LD contexts if the bundled ones are not sufficient.
//!
//! A [`PageReader`] reads all of them from one parse. Most pages need no tree: one pass over the
//! tokens finds links, scripts, and the Open Graph statements of a head. A tree is built only for
//! pages that contain more.
//!
//! ```
//! use lodeward_markup::rdfa::HostLanguage;
//! use lodeward_markup::{EmbeddedSyntax, MarkupFault, PageLabel, PageReader, PageSink};
//! use oxrdf::{Quad, QuadRef};
//!
//! #[derive(Default)]
//! struct Collector(Vec<(EmbeddedSyntax, Quad)>);
//!
//! impl PageSink for Collector {
//!     fn quad(&mut self, syntax: EmbeddedSyntax, quad: QuadRef<'_>) {
//!         self.0.push((syntax, quad.into_owned()));
//!     }
//!
//!     fn fault(&mut self, fault: MarkupFault) {
//!         eprintln!("{fault}");
//!     }
//!
//!     fn begin(&mut self, _: EmbeddedSyntax) {}
//! }
//!
//! let page = r##"<html prefix="dct: http://purl.org/dc/terms/">
//!   <meta property="og:title" content="A page">
//!   <p about="#it"><span property="dct:title">A thing</span></p>
//!   <div itemscope itemtype="http://schema.org/Person"><b itemprop="name">Ada</b></div>
//!   <script type="application/ld+json">
//!     {"@context": "https://schema.org", "@type": "Event", "name": "Party"}
//!   </script>"##;
//! let mut collector = Collector::default();
//! let summary = PageReader::default().read(page, "http://example.org/page", HostLanguage::Html, &mut collector);
//!
//! assert_eq!(summary.label, PageLabel::Rdf);
//! let statements = |syntax| collector.0.iter().filter(|(it, _)| *it == syntax).count();
//! assert_eq!(statements(EmbeddedSyntax::Rdfa), 2);
//! assert!(statements(EmbeddedSyntax::Microdata) >= 2);
//! assert_eq!(statements(EmbeddedSyntax::JsonLd), 2);
//! ```
//!
//! Use [`charset`] to convert bytes in other encodings to UTF-8.
//!
//! # Guarantees
//!
//! Pages are untrusted input.
//!
//! - Time is linear in the length of a page, however it is nested.
//! - Memory is bounded by [`PageOptions::max_tree_bytes`] and by limits of the readers.
//! - No page makes a reader panic.
//! - Data that is omitted because of a limit is reported as a [`MarkupFault`] of kind
//!   [`RdfFaultKind::Limit`].

mod base_iri;
mod datatype;
pub mod directives;
pub mod json_ld_scripts;
mod label;
pub mod links;
pub mod microdata;
mod microformats;
#[cfg(test)]
mod test_pages;
pub mod rdfa;
mod page;
mod sink;
mod skim;
mod tokens;
mod tree;

pub use directives::UsageDirectives;
pub use label::PageLabel;
pub use lodeward_rdf::{RdfFaultKind, charset, json_ld};
pub use page::{PageOptions, PageReader, PageSummary};
pub use sink::{EmbeddedSyntax, MarkupFault, PageSink};

/// Tests the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
