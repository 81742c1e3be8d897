//! RDF inside HTML, XHTML, SVG and XML.

mod iri;
pub mod json_ld;
pub mod microdata;
pub mod rdfa;
mod sink;
mod tree;

pub use sink::{Fault, FaultKind, Sink, Syntax};
