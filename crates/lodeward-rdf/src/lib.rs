//! RDF in and out: formats, detection, negotiation, readers and writers.
//!
#![doc = include_str!("../README.md")]

pub mod accept;
pub mod blank_nodes;
pub mod charset;
pub mod format;
pub mod iri;
pub mod json_ld;
pub mod language;
pub mod media_type;
pub mod read;
pub mod sink;
pub mod sniff;
pub mod text_properties;
pub mod write;
pub mod xml_doctype;

pub use format::RdfFormat;
pub use media_type::MediaType;
pub use read::{RdfInput, RdfReadError, RdfReader, ReadEnd};
pub use sink::{QuadSink, RdfFault, RdfFaultKind, TextPosition};
pub use write::QuadWriter;
