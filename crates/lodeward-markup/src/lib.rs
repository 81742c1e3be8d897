//! RDF inside HTML, XHTML, SVG and XML: from text to quads.
//!
//! Reads [RDFa 1.1](rdfa) (Core, Lite, HTML+RDFa, XHTML+RDFa, SVG, XML; and
//! 1.0), [Microdata to RDF](microdata) and [JSON-LD](json_ld) in script
//! elements, and on the way the [links] of a page with what it says about
//! them. No I/O: whoever calls brings the page, and remote JSON-LD contexts if
//! the bundled ones are not enough.
//!
//! [`Reader`] reads all of them from one parse. Most pages do not even need a
//! parse: one pass over the tokens finds links, scripts, and the Open Graph
//! statements of a head, and a tree is made only of pages that have more.
//!
//! ```
//! use lodeward_markup::rdfa::Host;
//! use lodeward_markup::{Fault, Label, Reader, Sink, Syntax};
//! use oxrdf::{Quad, QuadRef};
//!
//! #[derive(Default)]
//! struct Basket(Vec<(Syntax, Quad)>);
//!
//! impl Sink for Basket {
//!     fn quad(&mut self, syntax: Syntax, quad: QuadRef<'_>) {
//!         self.0.push((syntax, quad.into_owned()));
//!     }
//!
//!     fn fault(&mut self, fault: Fault) {
//!         eprintln!("{fault}");
//!     }
//!
//!     fn begin(&mut self, _: Syntax) {}
//! }
//!
//! let page = r##"<html prefix="dct: http://purl.org/dc/terms/">
//!   <meta property="og:title" content="A page">
//!   <p about="#it"><span property="dct:title">A thing</span></p>
//!   <div itemscope itemtype="http://schema.org/Person"><b itemprop="name">Ada</b></div>
//!   <script type="application/ld+json">{"@context": "https://schema.org", "@type": "Event", "name": "Party"}</script>"##;
//! let mut basket = Basket::default();
//! let found = Reader::default().read(page, "http://example.org/page", Host::Html, &mut basket);
//!
//! assert_eq!(found.label, Label::Rdf);
//! let statements = |syntax| basket.0.iter().filter(|(it, _)| *it == syntax).count();
//! assert_eq!(statements(Syntax::Rdfa), 2);
//! assert!(statements(Syntax::Microdata) >= 2);
//! assert_eq!(statements(Syntax::JsonLd), 2);
//! ```
//!
//! Bytes that are not UTF-8 yet are made so by [`charset`].
//!
//! # Bounds
//!
//! Pages are written by anybody. Time grows with the length of a page and not
//! with how it is nested; memory is bounded by [`Options::tree_bytes_max`] and
//! by bounds of the readers; no page makes a reader panic. What is left out
//! because of a bound is told as a [`Fault`] of kind [`FaultKind::Excess`].

mod address;
pub mod charset;
mod datatype;
mod iri;
mod iri_resolve;
pub mod json_ld;
mod label;
mod language;
pub mod links;
pub mod microdata;
#[cfg(test)]
mod pages;
pub mod rdfa;
mod reader;
mod sink;
mod skim;
mod tokens;
mod tree;

pub use iri::escaped as escape_iri;
pub use label::Label;
pub use reader::{Options, Page, Reader};
pub use sink::{Fault, FaultKind, Sink, Syntax};

/// The example of the README, kept true.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
